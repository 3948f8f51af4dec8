// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/bfloat16.h"
#include "labs/4-kernel-optimization/block_program_info.h"
#include "labs/catalogue.h"
#include "labs/harness/buffers.h"
#include "labs/harness/declare.h"
#include "labs/harness/input.h"
#include "labs/harness/ladder_experiment.h"
#include "labs/harness/norm_shape.h"
#include "tile_program/tile_cuda.h"
#include "tile_program/tile_interpret.h"
#include "tile_program/tile_math.h"

#include <bit>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr double kWholeWork = 1u << 26;                     // lanes up to which every instance is interpreted
constexpr double kMostLanes = 4294967296;                   // that instances are about to work on
constexpr std::int64_t kManyInstances = 1 << 22;            // for which there have to be elements
constexpr std::int64_t kMostBuffer = std::int64_t{1} << 27; // elements of one buffer
constexpr std::size_t kHead = 64;                           // numbers of a key, as attention.tile has them

/// What a point asks for.
struct TileSetting {
    std::string program; ///< value of the parameter
    std::int64_t block = 1, rows = 1, columns = 1, depth = 1;
    int warps = 1;
    bool showsCuda = false;
};

TileSetting tileSettingOf(const ParamSet& params)
{
    const auto number = [&](const char* name) { return static_cast<std::int64_t>(integer(params, name)); };
    return {choice(params, "program"),
            number("block"),
            number("rows"),
            number("columns"),
            number("depth"),
            static_cast<int>(number("warps")),
            choice(params, "show") == "cuda"};
}

/// A program, its data, and what the interpreter made of them.
struct Interpreted {
    TileSetting setting;
    std::string text; ///< of the program
    tile::CheckedProgram program;
    tile::TileArguments arguments;          ///< after the run
    std::vector<std::vector<float>> before; ///< of the buffers that the program loads and stores
    tile::TileCounts counts;
    std::array<std::int64_t, 3> grid{1, 1, 1};
    bool whole = true; ///< every instance was interpreted
    double seconds = 0;

    std::int64_t instances() const { return grid[0] * grid[1] * grid[2]; }
    bool isBuffer(std::size_t at) const { return program.syntax.parameters[at].isBuffer(); }
    bool isSmall(std::size_t at) const { return program.syntax.parameters[at].kind == tile::ParameterKind::Bfloat16; }
    std::uint64_t bytesOf(std::size_t at) const
    {
        return (isSmall(at) ? 2 : 4) * static_cast<std::uint64_t>(arguments.buffers[at].values.size());
    }
    /// What has to cross the pins: the elements that were touched, or where only some instances were interpreted, all.
    UsefulBytes useful() const
    {
        UsefulBytes bytes;
        for (std::size_t i = 0; i < arguments.buffers.size(); ++i) {
            const tile::TileBuffer& buffer = arguments.buffers[i];
            const auto of = [&](bool used, const std::vector<bool>& touched) {
                const auto count = whole ? std::ranges::count(touched, true) : std::ssize(buffer.values);
                return used ? (isSmall(i) ? 2.0 : 4.0) * static_cast<double>(count) : 0.0;
            };
            bytes.read += of(program.loaded[i], buffer.loaded);
            bytes.written += of(program.stored[i], buffer.written);
        }
        return bytes;
    }
    double results() const
    {
        double count = 0;
        for (std::size_t i = 0; i < arguments.buffers.size(); ++i)
            count += program.stored[i] ? static_cast<double>(arguments.buffers[i].values.size()) : 0;
        return count;
    }
};

Result<std::string> textOf(const ParamSet& params, const TileSetting& setting, std::string& file)
{
    ParamSet from = params;
    if (setting.program != "file") {
        from["file"] = std::string("assets:block-programs/") + setting.program + ".tile";
    } else if (!given(params, "file")) {
        return Error{"missing-file", "no file is given", "block_program: file",
                     "choose one, or program=softmax; assets:block-programs/softmax.tile is one to copy"};
    }
    file = std::filesystem::path(std::get<std::string>(from.at("file"))).filename().string();
    if (const auto at = file.rfind(':'); at != std::string::npos)
        file = file.substr(at + 1);
    return readInput(from, "file", 64 * 1024);
}

/// Numbers for the buffers that the program loads.
Result<void> fillArguments(Interpreted& made, std::uint32_t salt)
{
    const auto& parameters = made.program.syntax.parameters;
    made.arguments.buffers.resize(parameters.size());
    made.before.resize(parameters.size());
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const tile::SyntaxParameter& each = parameters[i];
        const std::string place = tile::placeText(made.program.syntax.file, each.place);
        if (each.kind == tile::ParameterKind::Int && !made.arguments.ints.contains(each.name))
            return Error{"missing-argument", "the lab has no value for the int " + each.name, place,
                         "it gives rows, columns, depth and n = rows × columns"};
        if (!each.isBuffer())
            continue;
        const auto length = tile::lengthOf(made.program, static_cast<int>(i), made.arguments.ints);
        if (!length)
            return length.error();
        if (*length > kMostBuffer || *length < 1)
            return Error{"bad-size", fmt::format("{} has {} elements", each.name, *length), place,
                         "take sizes for which it has 1 to 2^27"};
        auto& values = made.arguments.buffers[i].values;
        values.assign(static_cast<std::size_t>(*length), 0.0f);
        if (!made.program.loaded[i])
            continue;
        const auto own = salt + static_cast<std::uint32_t>(i);
        for (std::size_t e = 0; e < values.size(); ++e) {
            const float value = uniform(e, own);
            values[e] = each.name == "weight" ? 1 + value / 2 : value;
            if (made.isSmall(i))
                values[e] = fromBf16(toBf16(values[e]));
        }
        if (made.program.stored[i])
            made.before[i] = values;
    }
    return {};
}

bool hasDot(const tile::CheckedProgram& program)
{
    return std::ranges::count(program.nodes, tile::Op::Dot, &tile::Node::op) > 0;
}

/// All instances; where that takes long, some over the whole grid, the first and the last among them.
std::vector<std::int64_t> instancesToInterpret(const Interpreted& made)
{
    double work = 0;
    for (const tile::TileBuffer& buffer : made.arguments.buffers)
        work += static_cast<double>(buffer.values.size());
    if (hasDot(made.program))
        work = std::max(work, static_cast<double>(made.setting.rows) * static_cast<double>(made.setting.columns) *
                                  static_cast<double>(std::max<std::int64_t>(kHead, made.setting.depth)));
    double lanes = 0; // of an instance, loops taken once
    for (const tile::Node& node : made.program.nodes)
        lanes += static_cast<double>(std::max<std::int64_t>(16, node.type.size()));
    const std::int64_t all = made.instances();
    const double share = std::min(kWholeWork / work, kMostLanes / lanes / static_cast<double>(all));
    const auto few = std::max<std::int64_t>(2, static_cast<std::int64_t>(static_cast<double>(all) * share));
    if (few >= all)
        return {};
    std::vector<std::int64_t> some;
    for (std::int64_t i = 0; i < few; ++i)
        some.push_back(i * (all - 1) / (few - 1));
    return some;
}

/// A program whose instances have nothing to do, or leave nothing behind, is a mistake.
Result<void> requireElements(const Interpreted& made)
{
    const tile::SyntaxProgram& syntax = made.program.syntax;
    if (std::ranges::count(made.program.stored, true) == 0)
        return Error{"stores-nothing", "the program stores nothing", tile::placeText(syntax.file, syntax.place),
                     "store what it computes: store(y + offsets, value, mask=offsets < n)"};
    std::int64_t elements = 0;
    for (const tile::TileBuffer& buffer : made.arguments.buffers)
        elements += std::ssize(buffer.values);
    if (made.instances() > std::max(kManyInstances, elements))
        return Error{
            "bad-size",
            fmt::format("the grid has {} instances, and all buffers together {} elements", made.instances(), elements),
            tile::placeText(syntax.file, syntax.grid.front().place),
            "give an instance a block of elements: grid cdiv(n, BLOCK)"};
    return {};
}

Result<Interpreted> interpreted(const ParamSet& params, RunContext& context)
{
    Interpreted made;
    made.setting = tileSettingOf(params);
    const TileSetting& setting = made.setting;
    std::string file;
    auto text = textOf(params, setting, file);
    if (!text)
        return text.error();
    made.text = std::move(*text);
    const auto syntax = tile::parseProgram(made.text, file);
    if (!syntax)
        return syntax.error();
    auto program = tile::checkProgram(*syntax, {{"BLOCK", setting.block}});
    if (!program)
        return program.error();
    made.program = std::move(*program);
    made.arguments.ints = {{"rows", setting.rows},
                           {"columns", setting.columns},
                           {"depth", setting.depth},
                           {"n", setting.rows * setting.columns}};
    if (auto filled = fillArguments(made, context.rng().nextU32()); !filled)
        return filled.error();
    const auto grid = tile::gridOf(made.program, made.arguments.ints);
    if (!grid)
        return grid.error();
    made.grid = *grid;
    if (auto fits = requireElements(made); !fits)
        return fits.error();
    tile::InterpretOptions options;
    options.instances = instancesToInterpret(made);
    options.stop = [&context] { return context.cancelled(); };
    made.whole = options.instances.empty();
    const auto begin = std::chrono::steady_clock::now();
    const auto counts = tile::interpret(made.program, made.arguments, options);
    made.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (!counts)
        return counts.error();
    made.counts = *counts;
    if (!made.whole)
        context.log(fmt::format("interpreted {} of {} instances; their results are compared", options.instances.size(),
                                made.instances()));
    return made;
}

// ---- double precision -----------------------------------------------------------------------------------------------

/// A row of results in double precision, and by how much a program may be off.
struct ExactRow {
    std::vector<double> wanted, tolerance;
};

constexpr double kUnit = 0x1p-24; // of one rounding of f32

/// The shipped programs, row by row. Bounds: Higham, Accuracy and Stability of Numerical Algorithms (2002): a sum of
/// which no term passes more than d additions is off by d u times the sum of the magnitudes.
class ExactRows {
public:
    explicit ExactRows(const Interpreted& of) : m(of), m_columns(static_cast<std::size_t>(of.setting.columns)) {}

    std::size_t width() const { return m.setting.program == "attention" ? kHead : m_columns; }
    /// The parameter that holds the results.
    std::size_t results() const
    {
        return static_cast<std::size_t>(std::ranges::find(m.program.stored, true) - m.program.stored.begin());
    }
    ExactRow row(std::size_t r) const
    {
        const std::string& name = m.setting.program;
        if (name == "copy")
            return copied(r);
        if (name == "layernorm")
            return normalised(r);
        if (name == "matmul")
            return multiplied(r);
        if (name == "attention")
            return attended(r);
        return softened(r);
    }

private:
    double in(std::size_t parameter, std::size_t at) const
    {
        return static_cast<double>(m.arguments.buffers[parameter].values[at]);
    }
    double additions() const { return std::log2(static_cast<double>(m.setting.block)) + 2; }

    ExactRow copied(std::size_t r) const
    {
        ExactRow row;
        for (std::size_t c = 0; c < m_columns; ++c) {
            row.wanted.push_back(in(0, r * m_columns + c));
            row.tolerance.push_back(0);
        }
        return row;
    }

    ExactRow softened(std::size_t r) const
    {
        double top = in(0, r * m_columns), sum = 0;
        for (std::size_t c = 0; c < m_columns; ++c)
            top = std::max(top, in(0, r * m_columns + c));
        ExactRow row;
        for (std::size_t c = 0; c < m_columns; ++c) {
            row.wanted.push_back(std::exp(in(0, r * m_columns + c) - top));
            sum += row.wanted.back();
        }
        // Online, each tile corrects the sum by two exponentials more.
        const double walks = std::ceil(static_cast<double>(m_columns) / static_cast<double>(m.setting.block));
        const double chain = additions() + 8 * walks;
        for (double& each : row.wanted) {
            each /= sum;
            row.tolerance.push_back((8 + chain) * 2 * kUnit * each); // inputs differ by 2 at most, e^x is off by 2 u
        }
        return row;
    }

    ExactRow normalised(std::size_t r) const
    {
        double sum = 0, size = 0, squares = 0;
        const auto columns = static_cast<double>(m_columns);
        for (std::size_t c = 0; c < m_columns; ++c) {
            sum += in(0, r * m_columns + c);
            size += std::fabs(in(0, r * m_columns + c));
        }
        for (std::size_t c = 0; c < m_columns; ++c)
            squares += std::pow(in(0, r * m_columns + c) - sum / columns, 2);
        const double scale = 1 / std::sqrt(squares / columns + 1e-5);
        ExactRow row;
        for (std::size_t c = 0; c < m_columns; ++c) {
            const double x = in(0, r * m_columns + c), weight = in(1, c);
            row.wanted.push_back((x - sum / columns) * scale * weight + in(2, c));
            const double rounding = 4 * additions() * kUnit * (std::fabs(x) + size / columns) * scale * weight;
            row.tolerance.push_back(0x1p-8 * std::fabs(row.wanted.back()) + rounding + kUnit * std::fabs(in(2, c)));
        }
        return row;
    }

    ExactRow multiplied(std::size_t r) const
    {
        const auto depth = static_cast<std::size_t>(m.setting.depth);
        ExactRow row{std::vector<double>(m_columns), std::vector<double>(m_columns)};
        for (std::size_t k = 0; k < depth; ++k)
            for (std::size_t c = 0; c < m_columns; ++c) {
                const double product = in(0, r * depth + k) * in(1, k * m_columns + c);
                row.wanted[c] += product;
                row.tolerance[c] += std::fabs(product);
            }
        for (double& each : row.tolerance)
            each *= (static_cast<double>(depth) + 2) * kUnit;
        return row;
    }

    ExactRow attended(std::size_t r) const
    {
        std::vector<double> scores(m_columns);
        double top = -1e300, largest = 0, total = 0;
        for (std::size_t key = 0; key < m_columns; ++key) {
            double magnitude = 0;
            for (std::size_t d = 0; d < kHead; ++d) {
                const double product = in(0, r * kHead + d) * in(1, key * kHead + d);
                scores[key] += product * 0.125;
                magnitude += std::fabs(product) * 0.125;
            }
            top = std::max(top, scores[key]);
            largest = std::max(largest, magnitude);
        }
        ExactRow row{std::vector<double>(kHead), std::vector<double>(kHead)};
        for (std::size_t key = 0; key < m_columns; ++key) {
            const double e = std::exp(scores[key] - top);
            total += e;
            for (std::size_t d = 0; d < kHead; ++d) {
                row.wanted[d] += e * in(2, key * kHead + d);
                row.tolerance[d] += e * std::fabs(in(2, key * kHead + d));
            }
        }
        // A score is off by 66 u of its magnitude, and e^score by that share; sums have as many additions as keys.
        const double share = 2 * (66 * largest + 2 * largest + 8 + static_cast<double>(m_columns) + 2) * kUnit;
        for (std::size_t d = 0; d < kHead; ++d) {
            row.wanted[d] /= total;
            row.tolerance[d] *= 2 * share / total;
        }
        return row;
    }

    const Interpreted& m;
    const std::size_t m_columns;
};

/// How results differ from double precision.
struct Against {
    Comparison comparison;
    double most = 0; ///< the largest difference
};

/// Results, by their place in the buffer, against double precision: off by `slack` times the bound at most.
Against againstExact(const Interpreted& point, const std::vector<float>& got, double slack = 1)
{
    const ExactRows exact(point);
    const std::size_t width = exact.width();
    const auto& written = point.arguments.buffers[exact.results()].written;
    Against against;
    for (std::size_t r = 0; r * width < got.size(); ++r) {
        const auto begin = written.begin() + static_cast<std::ptrdiff_t>(r * width);
        const auto end = begin + static_cast<std::ptrdiff_t>(width);
        if (std::find(begin, end, true) == end && !point.whole)
            continue;
        const ExactRow row = exact.row(r);
        for (std::size_t c = 0; c < width; ++c) {
            const std::size_t at = r * width + c;
            if (!written[at] && !point.whole)
                continue;
            const double value = static_cast<double>(got[at]), off = std::fabs(value - row.wanted[c]);
            against.comparison.see(at, written[at] && off <= slack * row.tolerance[c], value, row.wanted[c]);
            against.most = std::isfinite(off) ? std::max(against.most, off) : against.most;
        }
    }
    return against;
}

/// Nothing is reported for a learner's own program.
void checkExact(RunContext& context, const Interpreted& point, const std::vector<float>& got)
{
    if (findShippedTile(point.setting.program) == nullptr)
        return;
    const Against against = againstExact(point, got);
    context.metric("max_error", against.most,
                   context.gpu() != nullptr ? context.gpu()->device().info().provenance : Provenance::Modelled);
    against.comparison.report(context, "with double precision, within the bound of its roundings");
}

// ---- what is known without a clock ----------------------------------------------------------------------------------

Result<void> reportProgram(RunContext& context, const Interpreted& point)
{
    const auto modelled = [&](const char* name, double value) { context.metric(name, value, Provenance::Modelled); };
    modelled("lines", static_cast<double>(tile::codeLines(point.text, "#")));
    modelled("instances", static_cast<double>(point.instances()));
    const tile::TileCounts& counts = point.counts;
    modelled("masked_share",
             counts.lanes == 0 ? 0 : 100 * static_cast<double>(counts.masked) / static_cast<double>(counts.lanes));
    const ShippedTile* shipped = findShippedTile(point.setting.program);
    if (shipped == nullptr || *shipped->hand == '\0')
        return {};
    const auto source = gpu::readKernel(shipped->hand);
    if (!source)
        return source.error();
    modelled("hand_lines", static_cast<double>(tile::codeLines(source->text, "//")));
    return {};
}

// ---- on a device ----------------------------------------------------------------------------------------------------

Result<std::unique_ptr<gpu::LoadedProgram>> compiled(GpuContext& context, const tile::TileKernel& kernel,
                                                     const std::string& program)
{
    const char* wanted = std::getenv("RIDGE_COMPILER");
    const auto compiler = gpu::compilerFromText(wanted != nullptr && *wanted != '\0' ? wanted : "auto");
    if (!compiler)
        return compiler.error();
    gpu::CompileOptions options;
    options.choice = *compiler;
    options.exact = true; // products and sums stay apart, as the interpreter has them
    options.stop = [&context] { return context.cancelled(); };
    const auto made = gpu::compile({"block_program/" + program + ".cu", kernel.text}, context.device().info(), options);
    if (!made)
        return made.error();
    return context.device().load(*made);
}

class BlockProgramPoint : public LadderPoint {
public:
    BlockProgramPoint(GpuContext& given, Interpreted point, tile::TileKernel kernel,
                      std::unique_ptr<gpu::LoadedProgram> program, const gpu::LoadedProgram* copy,
                      const gpu::LoadedProgram* hand)
        : LadderPoint(given), m_point(std::move(point)), m_kernel(std::move(kernel)), m_program(std::move(program)),
          m_copyProgram(copy), m_handProgram(hand)
    {
        arm = "block program";
        checkedShare = 0.6;
    }

    Result<gpu::Sequence> makeSet(Buffers& buffers) override
    {
        const auto& parameters = m_point.program.syntax.parameters;
        std::vector<gpu::DevicePtr> set(parameters.size());
        std::vector<gpu::KernelArg> args;
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const tile::SyntaxParameter& each = parameters[i];
            if (each.kind == tile::ParameterKind::Int)
                args.emplace_back(static_cast<std::int32_t>(m_point.arguments.ints.at(each.name)));
            if (each.kind == tile::ParameterKind::Float)
                args.emplace_back(m_point.arguments.floats.at(each.name));
            if (!each.isBuffer())
                continue;
            const auto made = buffers.allocate(m_point.bytesOf(i), each.name);
            if (!made)
                return made.error();
            set[i] = *made;
            args.emplace_back(*made);
            if (auto filled = fillBuffer(i, *made); !filled)
                return filled.error();
        }
        if (m_checked.empty())
            m_checked = set;
        const auto half = static_cast<std::uint64_t>(m_point.useful().all() / 2);
        const auto from = buffers.allocate(half, "copied"), to = buffers.allocate(half, "copy");
        if (!from || !to)
            return from ? to.error() : from.error();
        const std::uint64_t elements = std::max<std::uint64_t>(1, half / 2); // of the two bytes that the copy counts in
        m_copy.sets.push_back(
            {step(m_copyProgram, "norm_copy", ceilDiv(elements, 4 * 8 * 256), 256, {*from, *to, elements})});
        if (m_handProgram != nullptr)
            m_hand.sets.push_back({handStep(set)});
        auto own = step(m_program.get(), m_kernel.name, 1, m_kernel.threads, std::move(args));
        own.launch.grid = {static_cast<std::uint32_t>(m_point.grid[0]), static_cast<std::uint32_t>(m_point.grid[1]),
                           static_cast<std::uint32_t>(m_point.grid[2])};
        return gpu::Sequence{own};
    }

    Result<void> prepare(Buffers&) override
    {
        const auto copied = executeReference(context, m_copy.sets[0]);
        if (!copied)
            return copied.error();
        m_simulatedCopy = *copied;
        if (m_handProgram != nullptr) {
            const auto done = executeReference(context, m_hand.sets[0]);
            if (!done)
                return done.error();
            m_simulatedHand = *done;
            if (auto checked = checkHand(); !checked)
                return checked;
        }
        for (std::size_t i = 0; i < m_checked.size(); ++i)
            if (m_point.isBuffer(i) && m_point.program.stored[i])
                if (auto filled = fillBuffer(i, m_checked[i]); !filled)
                    return filled;
        return {};
    }

    Result<void> check() override
    {
        std::uint64_t seen = 0, different = 0;
        std::string first;
        for (std::size_t i = 0; i < m_checked.size(); ++i) {
            if (!m_point.isBuffer(i) || !m_point.program.stored[i])
                continue;
            const tile::TileBuffer& wanted = m_point.arguments.buffers[i];
            const bool small = m_point.isSmall(i);
            std::vector<float> got(wanted.values.size());
            const auto see = [&](std::uint64_t at, std::uint32_t bits, std::uint32_t own, float value) {
                got[at] = value;
                if (!wanted.written[at] && (!m_point.whole || !m_point.before[i].empty()))
                    return;
                // What no instance writes still has all bits one.
                const bool same = wanted.written[at]
                                      ? bits == own || (std::isnan(value) && std::isnan(wanted.values[at]))
                                      : bits == (small ? 0xffffu : 0xffffffffu);
                ++seen;
                if (!same && different++ == 0)
                    first = fmt::format("; first at element {} of {}: {:.9g}, and {:.9g} interpreted", at,
                                        m_point.program.syntax.parameters[i].name, static_cast<double>(value),
                                        static_cast<double>(wanted.values[at]));
            };
            auto read = small ? readBack<std::uint16_t>(context, m_checked[i], got.size(),
                                                        [&](std::uint64_t at, std::uint16_t bits) {
                                                            see(at, bits, toBf16(wanted.values[at]), fromBf16(bits));
                                                        })
                              : readBack<float>(context, m_checked[i], got.size(), [&](std::uint64_t at, float value) {
                                    see(at, std::bit_cast<std::uint32_t>(value),
                                        std::bit_cast<std::uint32_t>(wanted.values[at]), value);
                                });
            if (!read)
                return read;
            checkExact(context, m_point, got);
        }
        context.metric("different", static_cast<double>(different), context.device().info().provenance);
        context.check(
            "agrees_with_interpreter", different == 0 && seen > 0,
            fmt::format("{} of {} results differ from the interpreter's in any bit{}", different, seen, first));
        return {};
    }

    void report(const Execution& done) override
    {
        context.metric("elements_per_thread", static_cast<double>(m_kernel.mostPerThread), Provenance::Modelled);
        const auto counters = done.counters();
        if (!counters)
            return;
        const auto by = context.device().info().provenance;
        context.metric("instructions_per_element",
                       static_cast<double>(counters->threadInstExecuted) / std::max(1.0, m_point.results()), by);
        context.metric("barrier_waits", static_cast<double>(counters->barriers), by);
    }

    UsefulBytes bytes() const override { return m_point.useful(); }
    std::uint64_t touchedBytes() const override
    {
        std::uint64_t all = 0;
        for (std::size_t i = 0; i < m_point.arguments.buffers.size(); ++i)
            all += m_point.isBuffer(i) ? m_point.bytesOf(i) : 0;
        return all;
    }
    std::uint64_t heldBytes() const override { return 2 * touchedBytes(); }

    std::vector<gpu::Arm> references() override
    {
        std::vector<gpu::Arm> arms;
        if (!m_simulatedCopy)
            arms.push_back(m_copy);
        if (m_handProgram != nullptr && !m_simulatedHand)
            arms.push_back(m_hand);
        return arms;
    }
    void reportTimes(const std::vector<Measured>& measured) override
    {
        const Measured& own = measured.front();
        const auto other = [&](const std::optional<double>& simulated, std::size_t at) {
            return simulated ? Measured{*simulated, own.provenance, own.clockHz, {}} : measured.at(at);
        };
        reportShare(context, "share_of_copy", own, other(m_simulatedCopy, 1));
        if (m_handProgram != nullptr)
            reportShare(context, "share_of_hand", own, other(m_simulatedHand, m_simulatedCopy ? 1 : 2));
    }

private:
    /// What the program loads as it is before the run, what it only stores with all bits one.
    Result<void> fillBuffer(std::size_t i, gpu::DevicePtr to)
    {
        const auto& values = m_point.before[i].empty() ? m_point.arguments.buffers[i].values : m_point.before[i];
        if (!m_point.program.loaded[i])
            return poison(context, to, m_point.bytesOf(i));
        if (m_point.isSmall(i))
            return fill<std::uint16_t>(context, to, values.size(), [&](std::uint64_t e) { return toBf16(values[e]); });
        return fill<float>(context, to, values.size(), [&](std::uint64_t e) { return values[e]; });
    }

    /// A kernel that is wrong is no reference. It adds in an order of its own, of some more roundings than the program.
    Result<void> checkHand()
    {
        const std::size_t at = ExactRows(m_point).results();
        std::vector<float> got(m_point.arguments.buffers[at].values.size());
        auto read = m_point.isSmall(at)
                        ? readBack<std::uint16_t>(context, m_checked[at], got.size(),
                                                  [&](std::uint64_t e, std::uint16_t bits) { got[e] = fromBf16(bits); })
                        : readBack<float>(context, m_checked[at], got.size(),
                                          [&](std::uint64_t e, float value) { got[e] = value; });
        if (!read)
            return read;
        againstExact(m_point, got, 4)
            .comparison.report(context, "with double precision, within four times the bound", "hand_matches_reference",
                               "the kernel by hand");
        return {};
    }

    /// The kernel by hand on the same buffers.
    gpu::Step handStep(const std::vector<gpu::DevicePtr>& set) const
    {
        const auto rows = static_cast<std::uint64_t>(m_point.setting.rows);
        const auto columns = static_cast<std::uint64_t>(m_point.setting.columns);
        if (m_point.setting.program == "layernorm") { // a thread has four vectors of eight
            const std::uint64_t all = ceilDiv(ceilDiv(8 * ceilDiv(columns, 8), 32), 32) * 32;
            return step(m_handProgram, "norm_vector_layer", rows,
                        static_cast<std::uint32_t>(std::min<std::uint64_t>(1024, all)),
                        {set[0], set[1], set[2], set[3], static_cast<std::uint32_t>(rows),
                         static_cast<std::uint32_t>(columns), m_point.arguments.floats.at("epsilon")});
        }
        const auto threads = static_cast<std::uint32_t>(ceilDiv(ceilDiv(columns, 16), 32) * 32);
        return step(m_handProgram, "row_softmax", rows, threads, {set[0], set[1], static_cast<std::uint32_t>(columns)});
    }

    const Interpreted m_point;
    const tile::TileKernel m_kernel;
    const std::unique_ptr<gpu::LoadedProgram> m_program;
    const gpu::LoadedProgram* const m_copyProgram;
    const gpu::LoadedProgram* const m_handProgram; ///< null: none is timed
    gpu::Arm m_copy{"copy", {}}, m_hand{"by hand", {}};
    std::vector<gpu::DevicePtr> m_checked;
    std::optional<double> m_simulatedCopy, m_simulatedHand;
};

class BlockProgram : public LadderExperiment {
public:
    BlockProgram() : m_info(blockProgramInfo()) {}
    const ExperimentInfo& info() const override { return m_info; }
    std::vector<std::string> kernels(const ParamSet& params, const gpu::DeviceInfo&) const override
    {
        std::vector<std::string> files{kTileCopy};
        if (const ShippedTile* shipped = findShippedTile(choice(params, "program")); shipped && shipped->timesHand)
            files.emplace_back(shipped->hand);
        return files;
    }
    Result<void> runOnCpu(const ParamSet& params, RunContext& context) const override
    {
        const auto point = interpreted(params, context);
        if (!point)
            return point.error();
        if (auto reported = reportProgram(context, *point); !reported)
            return reported;
        context.metric("interpreter_time", point->seconds, Provenance::Measured);
        if (findShippedTile(point->setting.program) != nullptr)
            checkExact(context, *point, point->arguments.buffers[ExactRows(*point).results()].values);
        return {};
    }

private:
    Result<std::unique_ptr<LadderPoint>> open(const ParamSet& params, GpuContext& context) const override;
    ExperimentInfo m_info;
};

Result<std::unique_ptr<LadderPoint>> BlockProgram::open(const ParamSet& params, GpuContext& context) const
{
    auto point = interpreted(params, context);
    if (!point)
        return point.error();
    context.progress(0.2, "interpreted");
    if (auto reported = reportProgram(context, *point); !reported)
        return reported.error();
    auto kernel = tile::generateCuda(point->program, point->setting.warps);
    if (!kernel)
        return kernel.error();
    if (point->setting.showsCuda)
        context.log(kernel->text);
    auto program = compiled(context, *kernel, point->program.syntax.name);
    if (!program)
        return program.error();
    const auto copy = context.kernel(kTileCopy);
    if (!copy)
        return copy.error();
    const gpu::LoadedProgram* hand = nullptr;
    if (const ShippedTile* shipped = findShippedTile(point->setting.program); shipped && shipped->timesHand) {
        const auto loaded = context.kernel(shipped->hand);
        if (!loaded)
            return loaded.error();
        hand = *loaded;
    }
    return std::unique_ptr<LadderPoint>(std::make_unique<BlockProgramPoint>(
        context, std::move(*point), std::move(*kernel), std::move(*program), *copy, hand));
}

} // namespace

std::unique_ptr<GpuExperiment> makeBlockProgram()
{
    return std::make_unique<BlockProgram>();
}

} // namespace ridge::labs
