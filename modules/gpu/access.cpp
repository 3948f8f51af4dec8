// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/access.h"

#include <algorithm>

namespace ridge::gpu {

namespace {

bool isActive(const MemoryRequest& request, int lane)
{
    return (request.activeMask >> lane & 1u) != 0;
}

/// Lanes that the data stage takes together: the whole warp up to 4 bytes a lane, half of it for 8, a quarter for 16.
int lanesPerPhase(unsigned accessBytes)
{
    if (accessBytes <= 4)
        return kWarpSize;
    return accessBytes <= 8 ? kWarpSize / 2 : kWarpSize / 4;
}

/// The words of one phase, bank by bank, in the order in which lanes asked for them.
class PhaseWords {
public:
    explicit PhaseWords(std::uint32_t banks) : m_banks(banks) {}

    /// The pass in which `word` is served: its rank among the distinct words of its bank.
    std::uint32_t passOf(std::uint64_t word)
    {
        auto& words = m_words[word % m_banks];
        const auto at = std::find(words.begin(), words.end(), word);
        const auto pass = static_cast<std::uint32_t>(at - words.begin());
        if (at == words.end())
            words.push_back(word);
        m_passes = std::max(m_passes, pass + 1);
        return pass;
    }
    std::uint32_t passes() const { return m_passes; }

private:
    std::uint32_t m_banks;
    std::uint32_t m_passes = 0;
    std::map<std::uint64_t, std::vector<std::uint64_t>> m_words;
};

} // namespace

std::vector<std::uint64_t> touchedGranules(const MemoryRequest& request, std::uint32_t granuleBytes)
{
    std::vector<std::uint64_t> granules;
    if (granuleBytes == 0 || request.accessBytes == 0)
        return granules;
    for (int lane = 0; lane < kWarpSize; ++lane) {
        if (!isActive(request, lane))
            continue;
        const std::uint64_t address = request.addresses[static_cast<std::size_t>(lane)];
        const std::uint64_t last = (address + request.accessBytes - 1) / granuleBytes;
        for (std::uint64_t granule = address / granuleBytes; granule <= last; ++granule)
            granules.push_back(granule);
    }
    std::sort(granules.begin(), granules.end());
    granules.erase(std::unique(granules.begin(), granules.end()), granules.end());
    return granules;
}

BankService serveBanks(const MemoryRequest& request, std::uint32_t banks, std::uint32_t bankBytes)
{
    BankService service;
    if (banks == 0 || bankBytes == 0 || request.accessBytes == 0)
        return service;
    const int step = lanesPerPhase(request.accessBytes);
    for (int first = 0; first < kWarpSize; first += step) {
        PhaseWords phase(banks);
        for (int lane = first; lane < first + step; ++lane) {
            if (!isActive(request, lane))
                continue;
            const auto at = static_cast<std::size_t>(lane);
            const std::uint64_t address = request.addresses[at];
            const std::uint64_t last = (address + request.accessBytes - 1) / bankBytes;
            std::uint32_t pass = 0;
            // A lane is complete when the last of its words has come.
            for (std::uint64_t word = address / bankBytes; word <= last; ++word)
                pass = std::max(pass, phase.passOf(word));
            service.wavefrontOfLane[at] = static_cast<std::uint8_t>(service.wavefronts + pass);
        }
        service.wavefronts += phase.passes();
        service.minimumWavefronts += phase.passes() > 0 ? 1 : 0;
    }
    return service;
}

} // namespace ridge::gpu
