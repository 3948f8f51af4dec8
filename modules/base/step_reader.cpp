// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/step_reader.h"

#include "base/lanes.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>

namespace ridge {
namespace {

constexpr std::uint32_t kLanes = 32;

bool writesShared(const StepAccess& access)
{
    return access.space == StepAccess::Space::Shared && !access.after.empty();
}

/// Whether a barrier's instruction names barrier 0 and no number of threads: everybody takes part.
bool isOfAllThreads(std::string_view text)
{
    if (text.starts_with('@'))
        text.remove_prefix(std::min(text.find(' ') + 1, text.size()));
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string_view name = text.substr(0, space);
    if (name.find(".arrive") != name.npos || name.find(".cluster") != name.npos)
        return false;
    const std::string_view operands = text.substr(space);
    const auto commas = std::count(operands.begin(), operands.end(), ',');
    return name.find(".red") != name.npos ? commas == 2 && operands.find(" 0,") != operands.npos : operands == " 0";
}

/// Of `sorted`, how many lie before `position`.
std::size_t before(const std::vector<std::uint32_t>& sorted, std::size_t position)
{
    return static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), position) - sorted.begin());
}

} // namespace

void NewestWith::build(std::size_t lists, std::uint32_t width, const std::function<void(const Use&)>& each)
{
    constexpr std::uint32_t kNone = ~std::uint32_t{0};
    m_width = width;
    m_begin.assign(lists + 1, 0);
    std::vector<std::uint32_t> last(lists, kNone);
    each([&](std::size_t list, std::uint32_t number, std::uint32_t) {
        m_begin[list + 1] += last[list] == number ? 0 : 1;
        last[list] = number;
    });
    m_frameBegin.assign(lists + 1, 0);
    for (std::size_t list = 0; list < lists; ++list) {
        m_frameBegin[list + 1] = m_frameBegin[list] + m_begin[list + 1] / kFrame;
        m_begin[list + 1] += m_begin[list];
    }
    m_numbers.resize(m_begin.back());
    m_bits.assign(m_begin.back(), 0);
    std::vector<std::uint32_t> end(m_begin.begin(), m_begin.end() - 1);
    each([&](std::size_t list, std::uint32_t number, std::uint32_t bits) {
        const bool again = end[list] > m_begin[list] && m_numbers[end[list] - 1] == number;
        const std::uint32_t at = again ? end[list] - 1 : end[list]++;
        m_numbers[at] = number;
        m_bits[at] |= bits;
    });
    m_frames.assign(std::size_t{m_frameBegin.back()} * width, kNone);
    std::vector<std::uint32_t> newest(width);
    for (std::size_t list = 0; list < lists; ++list) {
        std::fill(newest.begin(), newest.end(), kNone);
        auto frame = m_frames.begin() + static_cast<std::ptrdiff_t>(std::size_t{m_frameBegin[list]} * width);
        for (std::uint32_t at = m_begin[list]; at < m_begin[list + 1]; ++at) {
            forLanes(m_bits[at], [&](std::uint32_t bit) { newest[bit] = at; });
            if ((at - m_begin[list] + 1) % kFrame == 0)
                frame = std::copy(newest.begin(), newest.end(), frame);
        }
    }
}

std::optional<std::uint32_t> NewestWith::find(std::size_t list, std::uint32_t limit, std::uint32_t bit) const
{
    const auto begin = m_numbers.begin() + m_begin[list], end = m_numbers.begin() + m_begin[list + 1];
    auto left = static_cast<std::uint32_t>(std::lower_bound(begin, end, limit) - begin);
    for (; left % kFrame != 0; --left)
        if ((m_bits[m_begin[list] + left - 1] >> bit & 1) != 0)
            return m_numbers[m_begin[list] + left - 1];
    if (left == 0)
        return std::nullopt;
    const std::uint32_t at = m_frames[std::size_t{m_frameBegin[list] + left / kFrame - 1} * m_width + bit];
    return at == ~std::uint32_t{0} ? std::nullopt : std::optional(m_numbers[at]);
}

StepReader::StepReader(const StepTrace& trace)
    : m_trace(&trace), m_ofWarp(trace.warps()), m_accessesOfWarp(trace.warps()), m_barriersOfWarp(trace.warps()),
      m_stepOfWrite(trace.writes.size())
{
    for (const StepInstruction& each : trace.code)
        m_barriersAreWhole = m_barriersAreWhole && (!each.isBarrier || isOfAllThreads(each.text));
    for (std::size_t at = 0; at < trace.steps.size(); ++at) {
        const TracedStep& step = trace.steps[at];
        m_ofWarp[step.warp].push_back(static_cast<std::uint32_t>(at));
        if (step.access != TracedStep::kNoStep)
            m_accessesOfWarp[step.warp].push_back(static_cast<std::uint32_t>(at));
        if (trace.code[step.instruction].isBarrier) {
            m_barriersOfWarp[step.warp].push_back(static_cast<std::uint32_t>(at));
            m_barriersAreWhole = m_barriersAreWhole && step.executed == step.live;
        }
        for (std::uint32_t write = step.firstWrite; write < trace.endWrite(at); ++write)
            m_stepOfWrite[write] = static_cast<std::uint32_t>(at);
    }
    m_ofRegister.build(trace.warps() * trace.registers.size(), kLanes, [&](const NewestWith::Use& use) {
        for (std::uint32_t write = 0; write < trace.writes.size(); ++write) {
            const TracedStep& step = trace.steps[m_stepOfWrite[write]];
            if (step.executed != 0)
                use(step.warp * trace.registers.size() + trace.writes[write].reg, write, step.executed);
        }
    });
    const std::size_t words = (std::size_t{trace.sharedBytes} + 3) / 4;
    m_ofShared.build(words, 4, [&](const NewestWith::Use& use) {
        for (std::uint32_t at = 0; at < trace.steps.size(); ++at) {
            const TracedStep& step = trace.steps[at];
            if (step.access == TracedStep::kNoStep || !writesShared(trace.accesses[step.access]))
                continue;
            const StepAccess& access = trace.accesses[step.access];
            const std::uint64_t bytes = std::min<std::uint64_t>(access.bytes, 4 * access.after.size());
            forLanes(step.executed, [&](std::uint32_t lane) {
                const std::uint64_t from = trace.word(access.addresses, step.executed, lane), end = from + bytes;
                for (std::uint64_t word = from / 4; word < words && word * 4 < end; ++word) {
                    const std::uint64_t first = std::max(from, word * 4) - word * 4;
                    const std::uint64_t past = std::min(end - word * 4, std::uint64_t{4});
                    use(word, at, static_cast<std::uint32_t>((1u << past) - (1u << first)));
                }
            });
        }
    });
}

void StepReader::seek(std::size_t position)
{
    m_at = std::min(position, size());
}

bool StepReader::step()
{
    if (atEnd())
        return false;
    ++m_at;
    return true;
}

bool StepReader::back()
{
    if (m_at == 0)
        return false;
    --m_at;
    return true;
}

bool StepReader::runTo(const std::function<bool(const TracedStep&)>& stops)
{
    while (step())
        if (next() && stops(*next()))
            return true;
    return false;
}

bool StepReader::runBackTo(const std::function<bool(const TracedStep&)>& stops)
{
    while (back())
        if (stops(*next()))
            return true;
    return false;
}

bool StepReader::toNextOf(std::uint16_t warp)
{
    return runTo([warp](const TracedStep& step) { return step.warp == warp; });
}

bool StepReader::toPreviousOf(std::uint16_t warp)
{
    return runBackTo([warp](const TracedStep& step) { return step.warp == warp; });
}

bool StepReader::overLine()
{
    if (atEnd())
        return false;
    const std::uint16_t warp = next()->warp;
    const std::uint32_t line = m_trace->code[next()->instruction].sourceLine;
    return runTo([&](const TracedStep& step) {
        const std::uint32_t other = m_trace->code[step.instruction].sourceLine;
        return step.warp == warp && other != line && other != 0;
    });
}

bool StepReader::toBarrier()
{
    return runTo([this](const TracedStep& step) { return m_trace->code[step.instruction].isBarrier; });
}

std::optional<std::size_t> StepReader::lastOf(std::uint16_t warp) const
{
    const std::vector<std::uint32_t>& own = m_ofWarp.at(warp);
    const std::size_t taken = before(own, m_at);
    return taken == 0 ? std::nullopt : std::optional<std::size_t>(own[taken - 1]);
}

std::optional<std::size_t> StepReader::nextOf(std::uint16_t warp) const
{
    const std::vector<std::uint32_t>& own = m_ofWarp.at(warp);
    const std::size_t taken = before(own, m_at);
    return taken == own.size() ? std::nullopt : std::optional<std::size_t>(own[taken]);
}

WarpStanding StepReader::standingOf(std::uint16_t warp) const
{
    WarpStanding standing;
    if (!nextOf(warp))
        return standing;
    standing.kind = next()->warp == warp ? WarpStanding::Kind::Next : WarpStanding::Kind::Ready;
    const auto last = lastOf(warp);
    if (!last || !m_barriersAreWhole || !m_trace->code[m_trace->steps[*last].instruction].isBarrier)
        return standing;
    const std::size_t come = before(m_barriersOfWarp[warp], m_at);
    for (std::size_t other = 0; other < m_barriersOfWarp.size(); ++other)
        if (before(m_barriersOfWarp[other], m_at) < come && nextOf(static_cast<std::uint16_t>(other)))
            standing.missing.push_back(static_cast<std::uint16_t>(other));
    if (!standing.missing.empty()) {
        standing.kind = WarpStanding::Kind::AtBarrier;
        standing.barrier = m_trace->steps[*last].instruction;
    }
    return standing;
}

std::optional<std::size_t> StepReader::lastAccessOf(std::uint16_t warp) const
{
    const std::vector<std::uint32_t>& own = m_accessesOfWarp.at(warp);
    const std::size_t made = before(own, m_at);
    return made == 0 ? std::nullopt : std::optional<std::size_t>(own[made - 1]);
}

std::uint32_t StepReader::writesTaken() const
{
    return m_at == 0 ? 0 : m_trace->endWrite(m_at - 1);
}

bool StepReader::isWritten(std::uint16_t warp, std::uint32_t reg) const
{
    return m_ofRegister.any(warp * m_trace->registers.size() + reg, writesTaken());
}

std::optional<std::uint64_t> StepReader::value(std::uint16_t warp, std::uint32_t reg, std::uint32_t lane) const
{
    const auto write = m_ofRegister.find(warp * m_trace->registers.size() + reg, writesTaken(), lane);
    if (!write)
        return std::nullopt;
    return m_trace->word(m_trace->writes[*write].values, m_trace->steps[m_stepOfWrite[*write]].executed, lane);
}

std::uint32_t StepReader::changed(std::uint32_t reg) const
{
    if (m_at == 0)
        return 0;
    for (std::uint32_t write = last()->firstWrite; write < m_trace->endWrite(m_at - 1); ++write)
        if (m_trace->writes[write].reg == reg)
            return last()->executed;
    return 0;
}

std::optional<std::uint32_t> StepReader::sharedWord(std::uint32_t offset) const
{
    const std::uint32_t number = offset / 4;
    if (number >= (m_trace->sharedBytes + 3) / 4)
        return std::nullopt;
    std::uint32_t word = 0, known = 0; // a bit a byte
    for (std::uint32_t byte = 0; byte < 4; ++byte) {
        const auto at = m_ofShared.find(number, static_cast<std::uint32_t>(m_at), byte);
        if (!at)
            continue;
        const TracedStep& step = m_trace->steps[*at];
        const StepAccess& access = m_trace->accesses[step.access];
        const std::uint64_t wanted = std::uint64_t{number} * 4 + byte;
        // After the step memory holds the same for every lane that wrote there.
        for (std::uint32_t mask = step.executed; mask != 0; mask &= mask - 1) {
            const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
            const std::uint64_t from = m_trace->word(access.addresses, step.executed, lane);
            if (wanted < from || wanted >= from + access.bytes || (wanted - from) / 4 >= access.after.size())
                continue;
            const std::uint64_t into = wanted - from;
            const std::uint64_t value = m_trace->word(access.after[into / 4], step.executed, lane);
            word |= static_cast<std::uint32_t>(value >> into % 4 * 8 & 0xff) << byte * 8;
            known |= 1u << byte;
            break;
        }
    }
    return known == 0 ? std::nullopt : std::optional<std::uint32_t>(word);
}

std::optional<std::uint64_t> StepReader::address(const TracedStep& step, std::uint32_t lane) const
{
    if (step.access == TracedStep::kNoStep || lane >= kLanes || (step.executed >> lane & 1) == 0)
        return std::nullopt;
    return m_trace->word(m_trace->accesses[step.access].addresses, step.executed, lane);
}

std::string StepReader::addressText(const StepAccess& access, std::uint64_t address) const
{
    if (access.space == StepAccess::Space::Global)
        for (const TraceBuffer& buffer : m_trace->buffers)
            if (address >= buffer.address && address - buffer.address < buffer.bytes)
                return fmt::format("{} + {}", buffer.name, address - buffer.address);
    const char* const space = access.space == StepAccess::Space::Shared  ? "shared + {}"
                              : access.space == StepAccess::Space::Local ? "local + {}"
                                                                         : "{:#x}";
    return fmt::format(fmt::runtime(space), address);
}

std::string registerText(const StepRegister& reg, std::uint64_t bits)
{
    if (reg.bytes == 0)
        return bits != 0 ? "true" : "false";
    if (reg.isFloat && reg.bytes == 4)
        return fmt::format("{:.7g}", std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    if (reg.isFloat && reg.bytes == 8)
        return fmt::format("{:.10g}", std::bit_cast<double>(bits));
    if (reg.bytes == 2)
        return fmt::format("{}", static_cast<std::int16_t>(bits));
    if (reg.bytes == 4)
        return fmt::format("{}", static_cast<std::int32_t>(bits));
    // Pointers are read more easily in hexadecimal, counts in decimal.
    return bits >> 32 == 0 || bits >> 32 == 0xffffffff ? fmt::format("{}", static_cast<std::int64_t>(bits))
                                                       : fmt::format("{:#x}", bits);
}

} // namespace ridge
