// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/harness/buffers.h"

#include <fmt/core.h>

namespace ridge::labs {

namespace {

constexpr std::uint64_t kGuardBytes = 4096;
constexpr std::byte kGuard{0x5a};

} // namespace

Buffers::~Buffers()
{
    for (const Block& block : m_blocks)
        (void)m_device.free(block.base); // nothing can be done about a failure here, and the device goes next
}

Result<gpu::DevicePtr> Buffers::allocate(std::uint64_t bytes, std::string_view label)
{
    const std::uint64_t guard = m_device.info().checksBounds ? 0 : kGuardBytes;
    const auto base = m_device.allocate(bytes + 2 * guard, label);
    if (!base)
        return base.error();
    m_blocks.push_back({*base, bytes, std::string(label)});
    if (guard > 0) {
        const std::vector<std::byte> zone(guard, kGuard);
        for (const std::uint64_t at : {std::uint64_t{0}, guard + bytes})
            if (auto copied = m_device.copyToDevice({base->address + at}, zone); !copied)
                return copied.error();
    }
    return gpu::DevicePtr{base->address + guard};
}

Result<void> Buffers::checkGuards(RunContext& context)
{
    if (m_device.info().checksBounds)
        return {};
    std::vector<std::byte> zone(kGuardBytes);
    std::string harmed;
    for (const Block& block : m_blocks)
        for (const std::uint64_t at : {std::uint64_t{0}, kGuardBytes + block.bytes}) {
            if (auto copied = m_device.copyToHost(zone, {block.base.address + at}); !copied)
                return copied;
            if (harmed.empty() && std::any_of(zone.begin(), zone.end(), [](std::byte b) { return b != kGuard; }))
                harmed = fmt::format("a kernel wrote {} buffer '{}'", at == 0 ? "before" : "past", block.label);
        }
    context.check("guard_zones", harmed.empty(),
                  harmed.empty() ? fmt::format("nothing was written beside {} buffers", m_blocks.size()) : harmed);
    return {};
}

Result<void> poison(GpuContext& context, gpu::DevicePtr to, std::uint64_t bytes)
{
    return fill<std::uint8_t>(context, to, bytes, [](std::uint64_t) { return std::uint8_t{0xff}; });
}

std::string Comparison::difference(std::uint64_t index, double got, double wanted)
{
    return fmt::format("first at element {}: {:.9g} instead of {:.9g}", index, got, wanted);
}

void Comparison::report(RunContext& context, const std::string& how, const char* check, const std::string& who) const
{
    context.check(check, passed(),
                  (who.empty() ? "" : who + ": ") +
                      (passed() ? fmt::format("{} elements equal the CPU's {}", m_seen, how)
                                : fmt::format("{} of {} elements differ, {}", m_wrong, m_seen, m_first)));
}

} // namespace ridge::labs
