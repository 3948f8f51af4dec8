// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/machine/draft.h"
#include "gpu/simt/machine/lists.h"

#include <array>

namespace ridge::gpu::simt {

/// Cycles a static scheduler assumes for what comes from memory: whoever waits for it stands behind every load that
/// does not have to.
inline constexpr int kAssumedLoad = 300;

inline bool isLoad(const Draft& draft)
{
    return draft.latency == LatencyClass::GlobalLoad || draft.latency == LatencyClass::LocalLoad ||
           draft.latency == LatencyClass::GlobalAtomic;
}

/// How much a scheduler does for few registers.
struct Manner {
    bool looksAhead = false;       ///< before the budget is used up, not only after
    std::size_t window = SIZE_MAX; ///< how far ahead of the first instruction that waits another may be chosen
    bool byTuples = true;          ///< a tuple counts whole until the last of its registers is free
    bool inTurn = false;           ///< beyond the budget the program's own order goes on, whatever waits
};

/// What is alive and how often it will still be read, of each value of a block: a register that is written anew holds
/// another value. Room that orders are made in.
struct BlockValues {
    std::vector<std::uint32_t> uses;
    std::vector<std::uint8_t> live;
    std::vector<std::uint32_t> readers; ///< exclusive or of the instructions that will still read it: of one, itself
    std::vector<int> change;            ///< of each instruction: values that become live with it minus those that die
    long count = 0;                     ///< alive
};

/// The values of a block, numbered in the order of the program; what takes no register has none. By tuples, those that
/// one instruction writes together are one: its registers are of no use to another tuple before all are free.
struct Numbering {
    Numbering(const DraftKernel& kernel, const std::vector<Draft>& drafts, std::size_t block, const Liveness& live,
              Notes& current, bool byTuples);

    std::vector<std::uint32_t> uses;           ///< of each value: instructions that read it
    std::vector<int> parts;                    ///< of each value: registers
    std::vector<std::uint8_t> liveIn, liveOut; ///< of each value
    Lists<std::uint32_t> read, written;        ///< values, of each instruction
    Lists<std::uint32_t> writers;              ///< instructions, of each value
    std::vector<long> mostMore;                ///< of each instruction: registers it adds at most
    long mostOfAll = 0;                        ///< the largest of mostMore
};

using Order = std::vector<std::uint32_t>; ///< of a block's instructions

/// Holds a block's instructions as the program has them, and what has to stand before what (block_scheduler.cpp).
class BlockScheduler {
public:
    /// Takes the block's instructions. `first` and `second` are any notes about its registers.
    BlockScheduler(DraftKernel& kernel, std::size_t block, const ScheduleLatencies& latencies, int computeCapability,
                   const Liveness& live, Notes& first, Notes& second);

    /// `isTight`: the budget decided something. Where it did not, a larger one makes the same order.
    const Order& order(std::size_t budget, Manner manner, BlockValues& values, bool& isTight);

    /// Without tuples both numberings, and so all orders, are the same.
    bool hasTuples() const { return m_numberings.size() > 1; }

    /// Lends the instructions to `block` in this order; takeBack with the same order returns them.
    void lend(const Order& order, DraftBlock& block);
    void takeBack(const Order& order, DraftBlock& block);

private:
    struct Edge {
        std::uint32_t to = 0;
        int latency = 0;
    };
    struct Found {
        std::uint32_t from = 0;
        Edge edge;
    };
    struct Pick;

    int latencyOf(const Draft& draft) const;
    void edge(std::uint32_t from, std::uint32_t to, int latency);
    void build(Notes& writer, Notes& lastReader);
    void orderMemory(std::uint32_t at, const Draft& draft, std::vector<std::uint32_t>& memory, std::uint32_t& fence);
    bool apart(std::uint32_t a, std::uint32_t b) const;
    void measure();

    /// An order that a budget did not influence.
    struct Loose {
        std::size_t budget = SIZE_MAX;
        Order order;
    };

    const ScheduleLatencies& m_latencies;
    int m_capability;
    std::vector<Draft> m_drafts;
    std::size_t m_size;
    std::vector<Numbering> m_numberings; ///< each value apart; by tuples where there are any
    std::vector<Found> m_found;
    Lists<Edge> m_edges;
    std::array<Loose, 4> m_loose; ///< whole blocks; through a window; the same by tuples
    Loose m_tight;                ///< the last that the budget did influence
    std::vector<std::uint32_t> m_waiting;
    std::vector<long> m_rank;             ///< of each instruction: place among others
    std::vector<std::uint32_t> m_version; ///< of each memory access: who wrote its base register in this block
};

} // namespace ridge::gpu::simt
