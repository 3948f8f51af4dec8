// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory/loops.h"

#include "base/seed.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace ridge::memory {
namespace {

constexpr std::uint64_t kMostAccesses = std::uint64_t{1} << 33;
constexpr std::size_t kMostTraced = 64'000'000;
constexpr std::uint64_t kPage = 4096;
constexpr std::size_t kBlock = 4096;

/// Collects accesses into blocks; false once the reader has had enough.
class Sink {
public:
    explicit Sink(const std::function<bool(std::span<const Access>)>& take) : m_take(take) {}
    ~Sink() { flush(); }
    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;
    bool load(std::uint64_t address) { return add({address, false}); }
    bool store(std::uint64_t address) { return add({address, true}); }

private:
    bool add(const Access& access)
    {
        m_block[m_used++] = access;
        return m_used < kBlock || flush();
    }
    bool flush()
    {
        if (m_used > 0 && m_going)
            m_going = m_take({m_block.data(), m_used});
        m_used = 0;
        return m_going;
    }
    const std::function<bool(std::span<const Access>)>& m_take;
    std::array<Access, kBlock> m_block;
    std::size_t m_used = 0;
    bool m_going = true;
};

/// A square matrix with rows of n + pad elements.
struct Matrix {
    std::uint64_t base, row, element;
    std::uint64_t at(std::uint64_t i, std::uint64_t j) const { return base + i * row + j * element; }
};

Matrix matrixOf(const LoopSpec& spec, int index)
{
    const std::uint64_t row = std::uint64_t{spec.n + std::uint64_t{spec.pad}} * spec.element;
    const std::uint64_t bytes = (row * spec.n + kPage - 1) / kPage * kPage;
    return {kPage + static_cast<std::uint64_t>(index) * bytes, row, spec.element};
}

std::uint64_t arrayOf(const LoopSpec& spec, int index)
{
    const std::uint64_t bytes = (std::uint64_t{spec.n} * spec.element + kPage - 1) / kPage * kPage;
    return kPage + static_cast<std::uint64_t>(index) * bytes;
}

void vectors(const LoopSpec& spec, Sink& sink)
{
    const std::uint64_t a = arrayOf(spec, 0), b = arrayOf(spec, 1), c = arrayOf(spec, 2), e = spec.element;
    Rng rng(spec.seed);
    for (std::uint64_t i = 0; i < spec.n; ++i) {
        bool going = true;
        if (spec.loop == Loop::Stream)
            going = sink.load(a + i * e) && sink.load(b + i * e) && sink.store(c + i * e);
        else if (spec.loop == Loop::Strided)
            going = sink.load(a + i * spec.stride % spec.n * e);
        else
            going = sink.load(a + rng.next() % spec.n * e);
        if (!going)
            return;
    }
}

void transposes(const LoopSpec& spec, Sink& sink)
{
    const Matrix a = matrixOf(spec, 0), b = matrixOf(spec, 1);
    const std::uint64_t n = spec.n;
    const std::uint64_t tile = spec.loop == Loop::TransposeTiled ? spec.tile : n;
    const bool columns = spec.loop == Loop::TransposeColumns;
    for (std::uint64_t ti = 0; ti < n; ti += tile)
        for (std::uint64_t tj = 0; tj < n; tj += tile)
            for (std::uint64_t i = ti; i < std::min(n, ti + tile); ++i)
                for (std::uint64_t j = tj; j < std::min(n, tj + tile); ++j) {
                    const std::uint64_t r = columns ? j : i, c = columns ? i : j;
                    if (!sink.load(a.at(r, c)) || !sink.store(b.at(c, r)))
                        return;
                }
}

/// c[i][j] += a[i][k] * b[k][j] with the loops in the order of `order` ('i',
/// 'j', 'k', outermost first) over a box. What the innermost loop does not
/// change is loaded before it and, if it is c, stored behind it.
bool product(const LoopSpec& spec, const char* order, std::uint64_t i0, std::uint64_t j0, std::uint64_t k0,
             std::uint64_t step, Sink& sink)
{
    const Matrix a = matrixOf(spec, 0), b = matrixOf(spec, 1), c = matrixOf(spec, 2);
    const std::uint64_t n = spec.n;
    std::array<std::uint64_t, 3> at{}; // i, j, k
    const std::array<std::uint64_t, 3> from{i0, j0, k0};
    const auto axis = [](char name) { return static_cast<std::size_t>(name - 'i'); };
    const std::size_t x = axis(order[0]), y = axis(order[1]), z = axis(order[2]);
    const auto end = [&](std::size_t which) { return std::min(n, from[which] + step); };
    for (at[x] = from[x]; at[x] < end(x); ++at[x])
        for (at[y] = from[y]; at[y] < end(y); ++at[y]) {
            at[z] = from[z];
            // The operand without the innermost index stays in a register.
            if (z == 2 && !sink.load(c.at(at[0], at[1])))
                return false;
            if (z == 1 && !sink.load(a.at(at[0], at[2])))
                return false;
            if (z == 0 && !sink.load(b.at(at[2], at[1])))
                return false;
            for (; at[z] < end(z); ++at[z]) {
                bool going = true;
                if (z == 2)
                    going = sink.load(a.at(at[0], at[2])) && sink.load(b.at(at[2], at[1]));
                else if (z == 1)
                    going = sink.load(b.at(at[2], at[1])) && sink.load(c.at(at[0], at[1])) &&
                            sink.store(c.at(at[0], at[1]));
                else
                    going = sink.load(a.at(at[0], at[2])) && sink.load(c.at(at[0], at[1])) &&
                            sink.store(c.at(at[0], at[1]));
                if (!going)
                    return false;
            }
            if (z == 2 && !sink.store(c.at(at[0], at[1])))
                return false;
        }
    return true;
}

void products(const LoopSpec& spec, Sink& sink)
{
    static constexpr std::array kOrders{"ijk", "ikj", "jik", "jki", "kij", "kji"};
    if (spec.loop != Loop::MatmulTiled) {
        const auto which = static_cast<std::size_t>(spec.loop) - static_cast<std::size_t>(Loop::MatmulIjk);
        product(spec, kOrders.at(which), 0, 0, 0, spec.n, sink);
        return;
    }
    for (std::uint64_t i = 0; i < spec.n; i += spec.tile)
        for (std::uint64_t k = 0; k < spec.n; k += spec.tile)
            for (std::uint64_t j = 0; j < spec.n; j += spec.tile)
                if (!product(spec, "ikj", i, j, k, spec.tile, sink))
                    return;
}

} // namespace

const std::vector<std::string>& loopNames()
{
    static const std::vector<std::string> names{
        "stream",          "strided",    "random",      "transpose_rows", "transpose_columns",
        "transpose_tiled", "matmul_ijk", "matmul_ikj",  "matmul_jik",     "matmul_jki",
        "matmul_kij",      "matmul_kji", "matmul_tiled"};
    return names;
}

std::optional<Loop> loopNamed(std::string_view name)
{
    const auto& names = loopNames();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
        return std::nullopt;
    return static_cast<Loop>(found - names.begin());
}

std::string_view loopCode(Loop loop)
{
    static constexpr std::array<std::string_view, 13> codes{
        "for i: c[i] = a[i] + b[i]",
        "for i: sum += a[(i * stride) % n]",
        "for i: sum += a[random() % n]",
        "for i: for j: b[j][i] = a[i][j]",
        "for j: for i: b[j][i] = a[i][j]",
        "for each tile: for i: for j: b[j][i] = a[i][j]",
        "for i: for j: for k: c[i][j] += a[i][k] * b[k][j]",
        "for i: for k: for j: c[i][j] += a[i][k] * b[k][j]",
        "for j: for i: for k: c[i][j] += a[i][k] * b[k][j]",
        "for j: for k: for i: c[i][j] += a[i][k] * b[k][j]",
        "for k: for i: for j: c[i][j] += a[i][k] * b[k][j]",
        "for k: for j: for i: c[i][j] += a[i][k] * b[k][j]",
        "for each tile: for i: for k: for j: c[i][j] += a[i][k] * b[k][j]"};
    return codes.at(static_cast<std::size_t>(loop));
}

Result<void> checkLoop(const LoopSpec& spec)
{
    const auto bad = [](std::string message, std::string fix) {
        return Error{"bad-loop", std::move(message), "loop", std::move(fix)};
    };
    if (spec.n == 0)
        return bad("a loop over 0 elements touches nothing", "take n of at least 1");
    if (spec.element != 4 && spec.element != 8)
        return bad("elements of " + std::to_string(spec.element) + " bytes are not possible", "take 4 or 8");
    if (spec.tile == 0 || spec.stride == 0)
        return bad("a tile or a stride of 0 never ends", "take at least 1");
    if (accessCount(spec) > kMostAccesses)
        return bad(std::to_string(accessCount(spec)) + " accesses are too many to simulate", "take a smaller n");
    return {};
}

std::uint64_t accessCount(const LoopSpec& spec)
{
    const std::uint64_t n = spec.n;
    switch (spec.loop) {
    case Loop::Stream:
        return 3 * n;
    case Loop::Strided:
    case Loop::Random:
        return n;
    case Loop::TransposeRows:
    case Loop::TransposeColumns:
    case Loop::TransposeTiled:
        return 2 * n * n;
    case Loop::MatmulIjk:
    case Loop::MatmulJik:
        return 2 * n * n * n + 2 * n * n;
    case Loop::MatmulIkj:
    case Loop::MatmulJki:
    case Loop::MatmulKij:
    case Loop::MatmulKji:
        return 3 * n * n * n + n * n;
    case Loop::MatmulTiled:
        return 3 * n * n * n + n * n * ((n + spec.tile - 1) / spec.tile);
    }
    return 0;
}

void forEachBlock(const LoopSpec& spec, const std::function<bool(std::span<const Access>)>& take)
{
    Sink sink(take);
    if (spec.loop <= Loop::Random)
        vectors(spec, sink);
    else if (spec.loop <= Loop::TransposeTiled)
        transposes(spec, sink);
    else
        products(spec, sink);
}

void forEachAccess(const LoopSpec& spec, const std::function<bool(const Access&)>& take)
{
    forEachBlock(spec, [&](std::span<const Access> block) { return std::all_of(block.begin(), block.end(), take); });
}

Result<std::vector<Access>> parseTrace(std::string_view text, const std::string& place)
{
    std::vector<Access> trace;
    std::size_t line = 0;
    while (!text.empty()) {
        ++line;
        const std::size_t end = text.find('\n');
        std::string_view row = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        const auto bad = [&](std::string message) {
            return Error{"bad-trace", std::move(message), place + ":" + std::to_string(line),
                         "write one access a line: R or W and an address, as \"R 0x1f40\""};
        };
        const std::size_t first = row.find_first_not_of(" \t\r");
        if (first == std::string_view::npos || row[first] == '#')
            continue;
        row.remove_prefix(first);
        const char kind = row.front();
        if (std::string_view("RrWwLlSs012").find(kind) == std::string_view::npos ||
            (row.size() > 1 && row[1] != ' ' && row[1] != '\t'))
            return bad("\"" + std::string(row.substr(0, 24)) + "\" does not begin with R or W");
        row.remove_prefix(1);
        row.remove_prefix(std::min(row.size(), row.find_first_not_of(" \t")));
        if (row.starts_with("0x") || row.starts_with("0X"))
            row.remove_prefix(2);
        std::uint64_t address = 0;
        const auto [stop, error] = std::from_chars(row.data(), row.data() + row.size(), address, 16);
        if (error != std::errc{} || (stop != row.data() + row.size() && *stop != ' ' && *stop != '\t' && *stop != '\r'))
            return bad("\"" + std::string(row.substr(0, 24)) + "\" is no hexadecimal address of at most 64 bits");
        if (kind == '2')
            continue;
        if (trace.size() == kMostTraced)
            return bad("the trace has more than " + std::to_string(kMostTraced) + " accesses");
        trace.push_back({address, kind == 'W' || kind == 'w' || kind == 'S' || kind == 's' || kind == '1'});
    }
    if (trace.empty())
        return Error{"bad-trace", "the trace has no access", place,
                     "write one access a line: R or W and an address, as \"R 0x1f40\""};
    return trace;
}

} // namespace ridge::memory
