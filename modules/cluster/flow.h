// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/topology.h"

#include <functional>

// Two ways to move the same bytes over the same links. At flow level every transfer is a fluid whose rate is its fair
// share; rates change only when a transfer begins or ends. At packet level every packet waits in the queue of every
// link: slow, and the check of the first.

namespace ridge::cluster {

/// Transfers and what each waits for. Lists lie one after another: of transfer i `links[firstLink[i]] …`.
struct Transfers {
    std::vector<double> bytes;                       ///< at least 0
    std::vector<double> delay;                       ///< s, from the last one that it waits for until it begins
    std::vector<std::uint32_t> firstLink{0}, links;  ///< its path; none: it takes no time on the wire
    std::vector<std::uint32_t> firstAfter{0}, after; ///< transfers before it that must have arrived

    std::size_t size() const { return bytes.size(); }
    void add(double size, double delaySeconds, std::span<const std::uint32_t> path,
             std::span<const std::uint32_t> waitsFor);
};

/// Max-min fair rates of the transfers in `active`, B/s: progressive filling (Bertsekas, Gallager, Data Networks, 6.5).
/// A transfer without links has an infinite rate.
std::vector<double> maxMinRates(const Topology& topology, const Transfers& transfers,
                                std::span<const std::uint32_t> active);

struct TransferTimes {
    std::vector<double> begin, end; ///< s: when the first byte leaves, when the last one arrives
    double seconds = 0;             ///< the latest end
    std::vector<double> carried;    ///< of each link, bytes
    bool stopped = false;           ///< `goOn` said so; nothing else means anything
};

struct FlowOptions {
    /// Called when rates changed: time in s and B/s of each link. May be empty.
    std::function<void(double, std::span<const double>)> loads{};
    std::function<bool()> goOn{}; ///< false ends it. May be empty
};

/// Cut-through: a transfer takes bytes over rate, and its last byte arrives the latency of its path later. Errors:
/// "bad-transfers" where transfers wait for each other in a circle.
Result<TransferTimes> simulateFlows(const Topology& topology, const Transfers& transfers,
                                    const FlowOptions& options = {});

struct PacketOptions {
    double packet = 4096;          ///< bytes, of each but the last of a transfer
    std::uint32_t window = 8;      ///< packets of a transfer that may wait in queues, beside those on the wires
    std::uint64_t most = 50000000; ///< packets times hops; more are refused
    std::function<bool()> goOn{};
};

/// Store and forward of packets; a link serves the transfers that wait for it in turns. With packets that are small
/// beside a transfer its times come near those of simulateFlows. Errors: "bad-transfers", "too-many-packets".
Result<TransferTimes> simulatePackets(const Topology& topology, const Transfers& transfers,
                                      const PacketOptions& options = {});

} // namespace ridge::cluster
