// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cluster/flow.h"

#include <optional>

// Collectives as lists of transfers: who sends which blocks to whom in which step, and whether the receiver adds them.
// The same list is checked on whole numbers, timed on a topology, and drawn.

namespace ridge::cluster {

enum class Operation : std::uint8_t { AllReduce, AllGather, ReduceScatter, AllToAll, Broadcast };
enum class Algorithm : std::uint8_t {
    Ring,            ///< a neighbour a step
    Tree,            ///< a binary tree, blocks one after another
    DoubleTree,      ///< two trees of half the data: a rank inside one is a leaf of the other (Sanders et al. 2009)
    HalvingDoubling, ///< recursive halving, then doubling (Thakur et al. 2005), the rest folded in where 2^k < n
    Hierarchical,    ///< rings in each node and among the GPUs of one place of all nodes
    InNetwork,       ///< the switch adds: NVLS, SHARP
    Direct,          ///< every rank to every other one, n - 1 steps
};
/// "all_reduce" …, "ring" …, as parameters have them.
const std::vector<std::string>& operationNames();
const std::vector<std::string>& algorithmNames();

/// Which algorithm can do which operation.
bool canDo(Algorithm algorithm, Operation operation);

struct CollectiveShape {
    Operation operation = Operation::AllReduce;
    Algorithm algorithm = Algorithm::Ring;
    std::uint32_t ranks = 8;
    std::uint32_t nodes = 1;  ///< of Hierarchical: divides ranks
    std::uint32_t pieces = 1; ///< blocks that Tree, DoubleTree, InNetwork and Broadcast send one after another
};

struct Transfer {
    std::uint32_t from = 0, to = 0;     ///< ranks; Schedule::ranks is the switch of InNetwork
    std::uint32_t first = 0, count = 1; ///< blocks
    bool adds = false;                  ///< the receiver adds them to its own; else they take the place of its own
};

struct Schedule {
    static constexpr std::size_t kMostTransfers = 1u << 22;

    CollectiveShape shape;
    std::uint32_t blocks = 1; ///< that the data are cut into
    std::vector<Transfer> transfers;
    std::vector<std::uint32_t> firstOfStep{0}; ///< of step s: firstOfStep[s] … firstOfStep[s + 1]

    std::uint32_t steps() const { return static_cast<std::uint32_t>(firstOfStep.size() - 1); }
};

/// Errors: "bad-collective" (no ranks, nodes that do not divide them, an algorithm that cannot do the operation) and
/// "too-many-transfers" above kMostTransfers, with what to change.
Result<Schedule> makeSchedule(const CollectiveShape& shape);

/// Runs the schedule on `elements` whole numbers a rank (for AllToAll: to every rank) that depend on rank, place and
/// seed, and compares every element with what the operation means. Errors: "wrong-sum" with rank, element, value.
Result<void> verifySchedule(const Schedule& schedule, std::uint32_t elements, std::uint64_t seed);

/// Bytes of block `b`: of `bytes` cut into `blocks`, the first ones one longer.
double blockBytes(double bytes, std::uint32_t blocks, std::uint32_t first, std::uint32_t count);

/// Bus bandwidth over algorithm bandwidth, as nccl-tests has it: 2 (n - 1) / n of an all-reduce, (n - 1) / n of
/// all-gather, reduce-scatter and all-to-all, 1 of a broadcast.
double busFactor(Operation operation, std::uint32_t ranks);

struct CollectiveOptions {
    double bytes = 0;       ///< as nccl-tests counts them: the whole vector of a rank, sent or received
    double overhead = 0;    ///< s before each transfer begins, beside the latency of links
    std::uint64_t seed = 0; ///< of ECMP
    bool packets = false;   ///< packet level in place of flow level
    double packet = 4096;
    FlowOptions flow{};
};

struct CollectiveTimes {
    TransferTimes times;
    Transfers transfers; ///< as many as Schedule::transfers, in its order
};

/// A transfer begins when its sender and its receiver are through with all transfers of the last step in which they
/// took part; there is no other barrier. Ranks are the topology's, in order; the switch of InNetwork is its first
/// vertex of kind Switch. Errors: "bad-collective" where the topology has fewer ranks or no switch, those of
/// simulateFlows and simulatePackets.
Result<CollectiveTimes> timeSchedule(const Topology& topology, const Schedule& schedule,
                                     const CollectiveOptions& options);

/// Closed form of the alpha-beta-gamma model for ranks with one port of `beta` B/s each way: s. `alpha` is a step's
/// latency in s, `gamma` the s to add a byte. Of trees it holds for many pieces, as the first and last ones find links
/// idle, and its latency for 2^k ranks.
struct AlphaBeta {
    double alpha = 0, beta = 1, gamma = 0;
    double betaBetween = 0; ///< B/s of a rank between nodes, of Hierarchical
    double alphaBetween = 0;
};
double closedForm(const CollectiveShape& shape, double bytes, const AlphaBeta& costs);
/// Steps one after another, as closedForm counts them.
std::uint64_t stepsOf(const CollectiveShape& shape);

} // namespace ridge::cluster
