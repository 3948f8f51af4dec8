// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/step_reader.h"

#include "base/lane_mask.h"

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

StepReader::StepReader(const StepTrace& trace)
    : m_trace(&trace), m_calls(trace), m_ofWarp(trace.warps()), m_accessesOfWarp(trace.warps()),
      m_barriersOfWarp(trace.warps()), m_stepOfWrite(trace.writes.size())
{
    for (const StepInstruction& each : trace.code) {
        m_barriersAreWhole = m_barriersAreWhole && (!each.isBarrier || isOfAllThreads(each.text));
        m_hasSource = m_hasSource || each.sourceLine != 0;
    }
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

std::uint32_t StepReader::sourceOf(std::size_t step) const
{
    const StepInstruction& code = m_trace->code[m_trace->steps[step].instruction];
    return m_hasSource ? code.sourceLine : code.ptxLine;
}

bool StepReader::toStepOf(std::uint16_t warp, const std::function<bool(std::size_t, const StepCalls::Depths&)>& stops)
{
    const auto from = nextOf(warp);
    if (!from)
        return false;
    StepCalls::Depths depths = m_calls.before(*from, warp);
    const std::vector<std::uint32_t>& own = m_ofWarp[warp];
    for (auto at = std::lower_bound(own.begin(), own.end(), *from); at != own.end(); ++at) {
        if (*at != *from && stops(*at, depths)) {
            m_at = *at;
            return true;
        }
        m_calls.take(*at, depths);
    }
    m_at = own.back() + std::size_t{1};
    return false;
}

/// Where the lanes of a warp stand before its next step, those that do not take part in it where they stood last.
StepReader::Stand StepReader::standOf(std::uint16_t warp, std::size_t next) const
{
    Stand stand;
    stand.depths = m_calls.before(next, warp);
    stand.active = m_trace->steps[next].active;
    std::uint32_t left = m_trace->steps[next].live;
    const std::vector<std::uint32_t>& own = m_ofWarp[warp];
    for (auto at = std::upper_bound(own.begin(), own.end(), next); at != own.begin() && left != 0;) {
        const TracedStep& step = m_trace->steps[*--at];
        const StepInstruction& code = m_trace->code[step.instruction];
        if (*at == next || code.flow == StepInstruction::Flow::Plain)
            forLanes(step.active & left, [&](std::uint32_t lane) { stand.depths[lane] += code.inlined; });
        left &= ~step.active;
    }
    return stand;
}

bool StepReader::leaveLine(std::uint16_t warp, bool intoCalls)
{
    const auto from = nextOf(warp);
    if (!from)
        return false;
    const Stand stand = standOf(warp, *from);
    const std::uint32_t line = sourceOf(*from);
    return toStepOf(warp, [&](std::size_t at, const StepCalls::Depths& depths) {
        const TracedStep& step = m_trace->steps[at];
        const std::uint32_t inlined = m_trace->code[step.instruction].inlined;
        const bool isOther = sourceOf(at) != line && sourceOf(at) != 0;
        for (std::uint32_t lanes = step.active; lanes != 0; lanes &= lanes - 1) {
            const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
            const std::uint32_t depth = depths[lane] + inlined;
            if (isOther && (intoCalls || depth <= stand.depths[lane]))
                return true;
            // Back in the middle of the line that called.
            if (depth < stand.depths[lane] && (stand.active >> lane & 1) != 0)
                return true;
            // Another activation of a function that calls itself begins in the same lines.
            if (intoCalls && depth > stand.depths[lane] && sourceOf(at) != 0)
                return true;
        }
        return false;
    });
}

bool StepReader::overLine(std::uint16_t warp)
{
    return leaveLine(warp, false);
}

bool StepReader::intoLine(std::uint16_t warp)
{
    return leaveLine(warp, true);
}

bool StepReader::hasCaller(std::uint16_t warp) const
{
    const auto next = nextOf(warp);
    return next && deepestOf(*next) > 0;
}

bool StepReader::out(std::uint16_t warp)
{
    if (!hasCaller(warp))
        return false;
    const Stand stand = standOf(warp, *nextOf(warp));
    return toStepOf(warp, [&](std::size_t at, const StepCalls::Depths& depths) {
        const TracedStep& step = m_trace->steps[at];
        const std::uint32_t inlined = m_trace->code[step.instruction].inlined;
        for (std::uint32_t lanes = step.active & stand.active; lanes != 0; lanes &= lanes - 1) {
            const auto lane = static_cast<std::size_t>(std::countr_zero(lanes));
            if (depths[lane] + inlined < stand.depths[lane])
                return true;
        }
        return false;
    });
}

std::uint32_t StepReader::deepestOf(std::size_t step) const
{
    std::uint32_t deepest = 0;
    forLanes(m_trace->steps[step].active,
             [&](std::uint32_t lane) { deepest = std::max(deepest, m_calls.depth(step, lane)); });
    return deepest;
}

std::uint32_t StepReader::shallowestOf(std::size_t step) const
{
    std::uint32_t shallowest = StepTrace::kMostDepth;
    forLanes(m_trace->steps[step].active,
             [&](std::uint32_t lane) { shallowest = std::min(shallowest, m_calls.depth(step, lane)); });
    return std::min(shallowest, deepestOf(step));
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
