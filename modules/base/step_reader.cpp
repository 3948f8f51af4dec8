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

/// Of `sorted`, how many lie before `position`.
std::size_t before(const std::vector<std::uint32_t>& sorted, std::size_t position)
{
    return static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), position) - sorted.begin());
}

} // namespace

StepReader::StepReader(const StepTrace& trace)
    : m_trace(&trace), m_ofWarp(trace.warps()), m_ofRegister(trace.warps() * trace.registers.size()),
      m_stepOfWrite(trace.writes.size()), m_ofShared((std::size_t{trace.sharedBytes} + 3) / 4)
{
    for (std::size_t at = 0; at < trace.steps.size(); ++at) {
        const TracedStep& step = trace.steps[at];
        m_ofWarp[step.warp].push_back(static_cast<std::uint32_t>(at));
        for (std::uint32_t write = step.firstWrite; write < trace.endWrite(at); ++write) {
            m_stepOfWrite[write] = static_cast<std::uint32_t>(at);
            m_ofRegister[step.warp * trace.registers.size() + trace.writes[write].reg].push_back(write);
        }
        if (step.access == TracedStep::kNoStep || !writesShared(trace.accesses[step.access]))
            continue;
        const StepAccess& access = trace.accesses[step.access];
        forLanes(step.executed, [&](std::uint32_t lane) {
            const std::uint64_t from = trace.word(access.addresses, step.executed, lane);
            for (std::uint64_t word = from / 4; word * 4 < from + access.bytes && word < m_ofShared.size(); ++word)
                if (m_ofShared[word].empty() || m_ofShared[word].back() != at)
                    m_ofShared[word].push_back(static_cast<std::uint32_t>(at));
        });
    }
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

std::optional<std::uint64_t> StepReader::value(std::uint16_t warp, std::uint32_t reg, std::uint32_t lane) const
{
    const std::vector<std::uint32_t>& writes = m_ofRegister.at(warp * m_trace->registers.size() + reg);
    auto at = std::partition_point(writes.begin(), writes.end(),
                                   [&](std::uint32_t write) { return m_stepOfWrite[write] < m_at; });
    while (at != writes.begin()) {
        --at;
        const TracedStep& step = m_trace->steps[m_stepOfWrite[*at]];
        if ((step.executed >> lane & 1) != 0)
            return m_trace->word(m_trace->writes[*at].values, step.executed, lane);
    }
    return std::nullopt;
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
    if (offset / 4 >= m_ofShared.size())
        return std::nullopt;
    const std::vector<std::uint32_t>& steps = m_ofShared[offset / 4];
    std::uint32_t word = 0, known = 0; // a bit a byte
    for (std::size_t at = before(steps, m_at); at-- > 0 && known != 0xf;) {
        const TracedStep& step = m_trace->steps[steps[at]];
        const StepAccess& access = m_trace->accesses[step.access];
        std::uint32_t here = 0;
        forLanes(step.executed, [&](std::uint32_t lane) {
            const std::uint64_t from = m_trace->word(access.addresses, step.executed, lane);
            for (std::uint32_t byte = 0; byte < 4; ++byte) {
                const std::uint64_t wanted = std::uint64_t{offset / 4} * 4 + byte;
                if (wanted < from || wanted >= from + access.bytes || (known >> byte & 1) != 0)
                    continue;
                const std::uint64_t into = wanted - from;
                if (into / 4 >= access.after.size())
                    continue;
                const std::uint64_t value = m_trace->word(access.after[into / 4], step.executed, lane);
                word |= static_cast<std::uint32_t>(value >> into % 4 * 8 & 0xff) << byte * 8;
                here |= 1u << byte;
            }
            known |= here;
        });
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
