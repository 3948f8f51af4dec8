// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ridge::silicon {

/// A link between a GPU and its host or another GPU, one direction.
struct TransferLink {
    std::string id;            ///< "pcie4"
    std::string name;          ///< "PCIe 4 x16"
    double nominal = 0;        ///< B/s of the datasheet
    double reached = 0;        ///< B/s that a large copy reached where somebody published it; else `nominal`
    bool reachedKnown = false; ///< `reached` was measured and published
    std::string source;        ///< of both
};

/// pcie3, pcie4, pcie5, nvlink3, nvlink4, nvlink5, in this order. A datasheet prints NVLink's two directions together;
/// here it is one.
std::span<const TransferLink> transferLinks();
/// Null for any other id.
const TransferLink* transferLink(std::string_view id);

/// The α–β model of a copy (Hockney 1994): t = a + S / b, with a in s, S in B, b in B/s.
double transferSeconds(double latencySeconds, double bytesPerSecond, double bytes);
/// S / t in B/s: 0 for no bytes.
double transferRate(double latencySeconds, double bytesPerSecond, double bytes);
/// The size that moves at half of b, a · b in B: there a and S / b are equal.
double halfBandwidthBytes(double latencySeconds, double bytesPerSecond);

} // namespace ridge::silicon
