// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/collective.h"

// What NCCL takes for a collective on one system: a handful of constants, calibrated on nccl-tests of A100 and H200
// nodes, and the choice of algorithm and protocol among them. docs/validation.md says how far off it is.

namespace ridge::cluster {

/// LL: 8-byte words with a flag each, half of the rate. LL128: a flag in 128 bytes. Simple: none, but every chunk
/// waits.
enum class Protocol : std::uint8_t { Ll, Ll128, Simple };
const std::vector<std::string>& protocolNames(); ///< "ll" "ll128" "simple"

/// Seconds and B/s. Of a node's own links unless the name says net.
struct NcclSpec {
    double base = 0, hop = 0; ///< s of a collective, and of each step of its ring in LL
    double rate = 0;          ///< B/s of a GPU in a ring of the protocol Simple
    double acrossRate = 0;    ///< B/s where more than two GPUs take part (pairwise NVLink); 0: rate
    double copyRate = 0;      ///< B/s at which a rank moves its own share of the data
    double ramp = 0;          ///< s at 1 MB: what filling pipelines adds, ramp x (MB)^rampPower up to 268 MB
    double rampPower = 0;
    double llShare = 0, ll128Share = 0;                                ///< of `rate`
    double ll128Base = 0, ll128Hop = 0, simpleBase = 0, simpleHop = 0; ///< s more than LL, once and a step
    double directHop = 0, directRate = 0, directCopyRate = 0;          ///< of an all-to-all
    double directSetup = 0, directSmallRate = 0; ///< s once its messages are no longer small, and B/s while they are
    double directRamp = 0, directRampPower = 0;
    double nvlsBase = 0, nvlsRate = 0;     ///< s and B/s of a GPU where the switch adds; 0: it cannot
    std::uint32_t nvlsLeast = 5;           ///< GPUs from which NCCL takes it
    double netRate = 0;                    ///< B/s of a GPU's share of the network cards; 0: there is no network
    double netRingHop = 0, netTreeHop = 0; ///< s of a step between nodes
    double netShare = 0;                   ///< of netRate that arrives
};

struct NcclCall {
    Operation operation = Operation::AllReduce;
    std::uint32_t ranks = 8, nodes = 1;
    double bytes = 0;       ///< as nccl-tests counts them
    bool switchAdds = true; ///< the data type is one that NVLS adds: not int8
};

struct NcclChoice {
    Algorithm algorithm = Algorithm::Ring; ///< Ring, Tree, InNetwork or Direct
    Protocol protocol = Protocol::Simple;
    double seconds = 0;
    std::uint64_t steps = 0;
};

/// Every algorithm and protocol that can do the call, with its time, the quickest first. Errors: "bad-collective": no
/// ranks, nodes that do not divide them, several nodes without a network, bytes that are no number of 0 or more.
Result<std::vector<NcclChoice>> ncclChoices(const NcclSpec& spec, const NcclCall& call);

} // namespace ridge::cluster
