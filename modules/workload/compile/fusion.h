// SPDX-License-Identifier: GPL-3.0-or-later
// Which operators share a kernel. The rules, in the words of lesson 4.8:
//
//   1. A view makes no kernel: who reads it computes the index of the data behind it.
//   2. Each elementwise operator, each reduction and each matmul begins as a kernel of its own. A kernel is joined with
//      one that makes what it reads, operator by operator in the order of the graph, until nothing changes; of several
//      the latest comes first.
//   3. Elementwise operators join each other, a reduction that reads them, and behind a matmul (its epilogue) or a
//      reduction, over as many elements as that gives. In a kernel with a matmul or a reduction each of them is behind
//      it, or makes what it or one behind it reads.
//   4. A reduction ends a kernel: what needs its result for the unreduced elements starts another. With `rows` it does
//      not, where reductions run over the last axis, over as many rows of one length (at most kMostRow elements), and
//      each row needs nothing but the results of the same row. Views between them may reshape rows and stretch a row's
//      result over it; one that moves elements, or takes some of a row, ends the kernel.
//   5. A matmul reads its operands from memory, and no kernel has two of them, or one and a reduction.
//   6. A value that another kernel reads is stored, and all that a kernel stores has one size (a reduction: that of its
//      result or that of what it reduces).
//   7. No joining makes two kernels wait for each other, and none goes across a graph break.
//   8. Kernels that only read the same stay apart.
//   9. A result needs a value of its own kernel at 32 places at most, as it is seen through views: each is computed
//   anew.
#pragma once

#include "workload/compile/op_graph.h"

namespace ridge::graphs {

/// Longest row that a kernel keeps near enough to run over it again: 32 KiB of fp32, half of the smallest L1 that a
/// block of the chip table's GPUs may have.
inline constexpr std::int64_t kMostRow = 8192;

struct FusionRules {
    bool fuse = true; ///< else each operator is a kernel
    bool rows = true; ///< rule 4
};

enum class KernelKind { Elementwise, Reduction, Matmul };

struct Kernel {
    KernelKind kind = KernelKind::Elementwise;
    std::vector<int> nodes;  ///< in order
    std::vector<int> stores; ///< of them, what is written
    std::vector<int> reads;  ///< inputs and what other kernels stored
    int segment = 0;
    std::int64_t rows = 0, length = 0; ///< of a reduction: results, and elements for each
    int matmul = -1;                   ///< the node
    /// fp32; each value is read once. Read is at most so much: two views of a value are taken to show different
    /// elements, and what is stretched over a value of which a slice is needed counts whole.
    double bytesRead = 0, bytesWritten = 0, flops = 0;
    double bytes() const { return bytesRead + bytesWritten; }
};

/// Kernels in an order in which they can run.
struct Schedule {
    std::vector<Kernel> kernels;
    double bytes() const;
    double flops() const;
};

Schedule scheduleGraph(const Graph& graph, const FusionRules& rules);

/// FLOP of a node: one for each element of an elementwise operator, one for each element that is reduced, 2 m n k.
double flopsOf(const Graph& graph, int node);

} // namespace ridge::graphs
