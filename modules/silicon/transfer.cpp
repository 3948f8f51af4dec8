// SPDX-License-Identifier: GPL-3.0-or-later
#include "silicon/transfer.h"

#include <array>

namespace ridge::silicon {

namespace {

/// Lanes × transfers per second × the line code 128b/130b ÷ 8 bits (PCI Express Base Specification, generations 3 to
/// 5).
constexpr double pcie(double transfersPerSecond)
{
    return 16 * transfersPerSecond * 128 / 130 / 8;
}

std::array<TransferLink, 6> makeLinks()
{
    return {{{"pcie3", "PCIe 3 x16", pcie(8e9), pcie(8e9), false,
              "16 lanes of 8 GT/s, 128b/130b (PCI Express Base Specification); no published copy rate is used"},
             {"pcie4", "PCIe 4 x16", pcie(16e9), 26e9, true,
              "16 lanes of 16 GT/s, 128b/130b (PCI Express Base Specification); 26 GB/s pinned (nvbandwidth README)"},
             {"pcie5", "PCIe 5 x16", pcie(32e9), 52e9, true,
              "16 lanes of 32 GT/s, 128b/130b (PCI Express Base Specification); 52 GB/s pinned on an H200 (Azure)"},
             {"nvlink3", "NVLink 3", 300e9, 276e9, true,
              "600 GB/s both ways (A100 datasheet); 276 GB/s one way between two A100 (nvbandwidth README)"},
             {"nvlink4", "NVLink 4", 450e9, 450e9, false,
              "900 GB/s both ways (H100 datasheet); no published one-way copy rate is used"},
             {"nvlink5", "NVLink 5", 900e9, 900e9, false,
              "1800 GB/s both ways (B200 datasheet); no published one-way copy rate is used"}}};
}

} // namespace

std::span<const TransferLink> transferLinks()
{
    static const std::array<TransferLink, 6> links = makeLinks();
    return links;
}

const TransferLink* transferLink(std::string_view id)
{
    for (const TransferLink& link : transferLinks())
        if (link.id == id)
            return &link;
    return nullptr;
}

double transferSeconds(double latencySeconds, double bytesPerSecond, double bytes)
{
    return latencySeconds + bytes / bytesPerSecond;
}

double transferRate(double latencySeconds, double bytesPerSecond, double bytes)
{
    return bytes > 0 ? bytes / transferSeconds(latencySeconds, bytesPerSecond, bytes) : 0;
}

double halfBandwidthBytes(double latencySeconds, double bytesPerSecond)
{
    return latencySeconds * bytesPerSecond;
}

} // namespace ridge::silicon
