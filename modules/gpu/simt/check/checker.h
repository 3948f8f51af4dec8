// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/check/defined_bytes.h"
#include "gpu/simt/check/findings.h"
#include "gpu/simt/check/race_watch.h"
#include "gpu/simt/run/ops.h"

#include <span>

namespace ridge::gpu::simt {

/// What is known of one block that runs: which of its values somebody wrote, and what its warps did to shared memory.
struct BlockShadow {
    BlockShadow(std::size_t warps, const KernelImage& image, std::uint64_t sharedBytes);

    Dim3 id; ///< zero-based
    std::uint64_t linear = 0;
    std::vector<std::vector<std::uint32_t>> undefined; ///< [warp][plane / 4 + byte]: lanes (checker_bytes.cpp)
    std::vector<std::vector<std::uint32_t>> origin;    ///< [warp][plane / 4]: where the undefined lanes came from
    std::vector<std::uint8_t> shared;                  ///< a byte each: somebody wrote it
    std::vector<std::vector<std::uint8_t>> local;      ///< [warp]
    SharedRaces races;
    GlobalRaces::Addresses synchronisedBy; ///< addresses in global memory

    /// A cp.async that its thread has not waited for.
    struct Copy {
        std::uint32_t pc = kNone;
        std::uint32_t group = 0; ///< how many groups its thread had closed before
        std::uint64_t address = 0;
        std::uint32_t bytes = 0;
    };
    struct Thread {
        std::uint32_t closed = 0; ///< groups
        std::vector<Copy> copies;
    };
    /// Whose copy a byte of shared memory waits for; pc kNone: nobody's.
    struct Filler {
        std::uint32_t pc = kNone;
        std::uint32_t thread = 0;
        bool isBulk = false;
    };
    /// The last access of another block of the cluster that nothing has ordered with the end of this one.
    struct Visit {
        std::uint32_t pc = kNone;
        ReportThread thread;
        MemoryOp op = MemoryOp::Load;
        std::uint64_t address = 0;
        std::uint32_t bytes = 0;
    };
    std::map<const BlockShadow*, Visit> visitors;
    std::vector<Thread> threads; ///< of the block, by warp and lane
    std::vector<BulkCopy> bulks;
    std::vector<Filler> fillers; ///< a byte each; empty until the block's first copy
};

/// Watches one launch: reads of values nobody wrote, races, divergent barriers, divisions by zero. It works on a copy
/// of the kernel whose micro-ops lead through it, so that a launch that is not watched runs the very code it ran
/// before.
///
/// Uninitialised values travel with registers, shared and local memory (a bit a byte) without a word;
/// they are reported where they decide over an address, a branch, a store to global memory or an atomic.
/// Instructions that it does not know pass on what their sources have; unknown accesses to memory (bulk copies) end the
/// watch over uninitialised memory, for a false report is worse than none.
class Checker : public LaunchWatcher {
public:
    /// `memory` and `defined` belong to the device and outlive the launch.
    Checker(const KernelImage& kernel, LaunchState& state, const Dim3& blockDim, std::uint64_t sharedBytes,
            DefinedBytes& defined, bool globalRaces);

    const KernelImage& image() const { return m_image; }
    std::vector<Report> take() { return m_findings.take(); }

    void startBlock(const Dim3& id, std::uint64_t linear, std::vector<Warp>& warps) override;
    void barrierOpens(std::uint32_t id, const std::vector<std::uint32_t>& arrived, bool counted,
                      const std::vector<Warp>& warps) override;
    void blockEnds(const std::vector<Warp>& warps) override;
    void clusterBarrierOpens(const std::vector<Warp>& warps) override;
    void warpSync(const Warp& warp) override { warp.shadow->races.warpSync(warp.index); }
    void terminator(Warp& warp, std::uint32_t pc, std::uint32_t mask) override;
    Step run(Warp& warp, const MicroOp& op, std::uint32_t mask) override;
    void seen(const Warp& warp, const MicroOp& op, const PlacedAccess& access, MemoryOp kind) override;
    void bulkStarts(const Warp& warp, const MicroOp& op, std::size_t lane, const BulkCopy& copy) override;
    void globalSeen(const Warp& warp, const MicroOp& op, std::size_t lane, std::uint64_t address, std::uint64_t bytes,
                    MemoryOp kind) override;
    void barrierSeen(const Warp& warp, std::uint64_t barrier) override;

private:
    enum class Kind : std::uint8_t {
        Plain,
        Select,
        Both,   ///< and of predicates: one that is false decides alone
        Either, ///< or of predicates: one that is true does
        Exchange,
        Shuffle,
        Load,
        Store,
        Atomic,
        BarrierObject,
        ToCallee,   ///< an argument into the frame of a function that is not inlined
        FromCallee, ///< its result
        System,     ///< printf, malloc, …
        CopyCommit, ///< cp.async.commit_group
        CopyWait,   ///< cp.async.wait_group, cp.async.wait_all
        CopyArrive, ///< cp.async.mbarrier.arrive
        UnknownMemory
    };
    /// How the bytes of a result follow from those of the sources (checker_bytes.cpp); None: all or nothing.
    enum class ByteForm : std::uint8_t {
        None,
        Move,
        Pack,
        Unpack,
        And,
        Or,
        Union,
        Table,    ///< lop3
        ControlB, ///< a is moved about, b and c say how
        ControlC, ///< a and b are, c and e say how
        Convert,  ///< between whole numbers: the low `parts` bytes, and an extension
        Carry,    ///< upwards from the lowest
        Halves,   ///< of packed numbers
        TwoToOne, ///< two numbers into one packed
    };
    struct ByteResult {
        std::array<std::uint32_t, 16> byte{}; ///< lanes that lack it
        std::array<std::array<std::uint32_t, 16>, 4> part{};
        std::uint32_t whole = 0; ///< lanes that lack all of it
        std::uint32_t lanes = 0; ///< that lack anything in a source
        std::uint32_t computed = 0, origin = 0;
    };
    struct Plan {
        OpFunction run = nullptr;
        std::uint32_t guard = 0;
        std::uint32_t guardFlip = 0;
        Kind kind = Kind::Plain;
        bool synchronises = false;
        bool isVolatileData = false;   ///< a volatile access of shared memory that waits for nobody (polls.h)
        bool syncsWarp = false;        ///< all lanes of the warp take part
        std::uint8_t divisorBytes = 0; ///< of an integer division or remainder; 0: it is none
        WarpOp shuffle = WarpOp::ShuffleUp;
        ByteForm bytes = ByteForm::None;
        std::uint8_t parts = 0;
        bool moves = false;             ///< bytes as they are, as mov does
        bool isMatrix = false;          ///< lacks a value only where all of a source does
        std::uint32_t variable = kNone; ///< of shared memory, that the address is made from (shared_arrays.h)
    };
    /// Where an undefined value came from.
    struct Origin {
        std::uint32_t pc = kNone; ///< of the load; kNone: a register that was never written
        std::uint32_t warp = 0, lane = 0;
        Dim3 block;
        Space space = Space::Global;
        std::uint32_t bytes = 0;
        std::uint64_t address = 0;
        std::uint32_t absent = kNone; ///< of a shuffle: the lane that took no part in it
        bool divides = false;         ///< an integer by zero: the value is there, and left open by C++
    };
    std::uint32_t originAt(const Origin& from); ///< in m_origins; the first at its pc
    struct Lanes;                               // one access (checker_memory.cpp)

    void plan(std::uint32_t pc);
    static std::uint32_t& origin(const Warp& warp, std::uint32_t plane)
    {
        return warp.shadow->origin[warp.index][plane / 4];
    }
    void define(const Warp& warp, std::uint32_t plane, std::uint32_t lanes) { setLacking(warp, plane, lanes, 0); }

    // checker_bytes.cpp. Of a register of n bytes the first n of its words in BlockShadow::undefined are one each.
    void findWidths();
    void planBytes(std::uint32_t pc);
    std::uint32_t lacking(const Warp& warp, std::uint32_t plane) const; ///< lanes that lack any byte
    std::uint32_t lackingAll(const Warp& warp, std::uint32_t plane, std::size_t bytes) const;
    std::uint32_t lackingByte(const Warp& warp, std::uint32_t plane, std::size_t at) const;
    std::uint32_t lackingToStore(const Warp& warp, std::uint32_t plane, std::size_t bytes) const;
    void setLacking(const Warp& warp, std::uint32_t plane, std::uint32_t mask, std::uint32_t lanes);
    void setLackingByte(const Warp& warp, std::uint32_t plane, std::size_t at, std::uint32_t mask, std::uint32_t lanes);
    std::uint32_t* computed(const Warp& warp, std::uint32_t plane) const; ///< null: not kept for it
    void setComputed(const Warp& warp, std::uint32_t plane, std::uint32_t mask, std::uint32_t lanes);
    bool bytesBefore(const Warp& warp, const MicroOp& op, const Plan& plan, std::uint32_t mask, ByteResult& made) const;
    void bytesAfter(const Warp& warp, const MicroOp& op, const Plan& plan, std::uint32_t mask, const ByteResult& made);
    void propagate(const Warp& warp, std::uint32_t pc, std::uint32_t mask);
    void junction(const Warp& warp, const MicroOp& op, std::uint32_t mask, bool decider);
    void select(const Warp& warp, const MicroOp& op, std::uint32_t mask);
    void useOf(const Warp& warp, std::uint32_t plane, std::uint32_t lanes, std::uint32_t pc, const char* what);
    void useLacking(const Warp& warp, std::uint32_t plane, std::uint32_t bad, std::uint32_t pc, const char* what);
    /// One that says who did it where; what and why is left to the caller.
    Report reportOf(std::string code, std::uint32_t pc, const ReportThread& thread) const;
    Report usedReport(const Origin& from, const ReportThread& user, std::uint32_t pc, const char* what) const;
    std::uint32_t zeroDivisors(const Warp& warp, const MicroOp& op, std::uint32_t pc, std::uint32_t mask) const;
    void leaveOpen(const Warp& warp, std::uint32_t pc, std::uint32_t lanes);

    // checker_shuffle.cpp
    using Sources = std::array<std::uint8_t, kWarpSize>; ///< of each lane
    Sources sourcesOf(const Warp& warp, const MicroOp& op, std::uint32_t pc, std::uint32_t mask) const;
    void shuffled(const Warp& warp, const MicroOp& op, std::uint32_t pc, std::uint32_t mask, const Sources& sources);
    static void tellAbsent(Report& report, const Origin& from, const std::string& decides);

    // checker_memory.cpp
    Step memory(Warp& warp, const MicroOp& op, std::uint32_t pc, std::uint32_t mask);
    void lanesOf(const Warp& warp, const MicroOp& op, std::uint32_t mask, Lanes& lanes) const;
    bool isDefined(const Warp& warp, const Lanes& lanes, std::uint32_t lane, std::uint64_t address,
                   std::uint32_t bytes);
    void setDefined(const Warp& warp, const Lanes& lanes, std::uint32_t lane, std::uint64_t address,
                    std::uint32_t bytes, bool value);
    /// What is known of the bytes of a lane; empty where they are not all in its block's shared or its local memory.
    std::span<std::uint8_t> shadowOf(const Warp& warp, const Lanes& lanes, std::uint32_t lane, std::uint64_t address,
                                     std::uint64_t bytes) const;
    std::span<std::uint8_t> localShadow(const Warp& warp, std::size_t lane, std::uint64_t address,
                                        std::uint64_t bytes) const;
    void loaded(const Warp& warp, const MemoryDetail& detail, std::uint32_t pc, const Lanes& lanes);
    void stored(const Warp& warp, const MemoryDetail& detail, std::uint32_t pc, const Lanes& lanes);
    void watchRaces(const Warp& warp, const MemoryDetail& detail, std::uint32_t pc, const Lanes& lanes);
    void watchVolatile(const Warp& warp, const MemoryDetail& detail, std::uint32_t pc, const Lanes& lanes);
    void watchGlobal(const RaceSide& side, const Warp& warp, std::uint64_t address, std::uint64_t bytes, bool same);
    void watchRace(const Warp& warp, const MemoryDetail& detail, std::uint32_t pc, Space space, std::uint32_t lane,
                   std::uint64_t address);
    void tellUnwatched(const Warp& warp, std::uint32_t pc, std::uint32_t lane);
    bool rewritesSame(const Warp& warp, const MemoryDetail& detail, Space space, std::uint32_t lane,
                      std::uint64_t address) const;
    void passFrame(const Warp& warp, const MicroOp& op, std::uint32_t mask, Kind kind);
    void watchPrint(Warp& warp, const MicroOp& op, std::uint32_t pc, std::uint32_t mask);
    void watchArray(const Warp& warp, const MemoryDetail& detail, std::uint32_t pc, const Lanes& lanes);
    void reportRace(const RaceSide& side, const Warp& warp, Space space, std::uint64_t address, std::uint32_t bytes,
                    const RaceSide& other);

    // checker_cluster.cpp
    void visit(const Warp& warp, const MemoryDetail& detail, std::uint32_t pc, const Lanes& lanes);
    /// What the warp's block has done in others is known there: it has synchronised.
    void visitsEnd(const Warp& warp);

    // checker_copies.cpp
    void onTheWay(const RaceSide& side, const Warp& warp, std::uint64_t address, std::uint32_t bytes);
    static void startCopy(const RaceSide& side, const Warp& warp, std::uint64_t address, std::uint32_t bytes);
    static void closeGroup(const Warp& warp, std::uint32_t mask);
    /// The copies of these lanes have arrived, but for those of their last `left` groups and of none yet; kAllCopies:
    /// all.
    static void awaitCopies(const Warp& warp, std::uint32_t mask, std::int64_t left);
    static constexpr std::int64_t kAllCopies = -1;

    KernelImage m_image;
    LaunchState& m_state;
    Dim3 m_blockDim;
    std::uint64_t m_sharedBytes;
    DefinedBytes& m_defined;
    bool m_watchesMemory = true;
    bool m_hasSeen = false; ///< what the instruction that runs touches
    std::vector<Plan> m_plans;
    std::vector<std::uint32_t> m_tracked; ///< planes of the program's registers
    std::vector<std::uint8_t> m_widths;   ///< of the register at [plane / 4], bytes; 1: a predicate, or not known
    std::map<const std::vector<Warp>*, std::unique_ptr<BlockShadow>> m_blocks;
    std::vector<Origin> m_origins;                     ///< the first: registers; then one a load
    std::map<std::uint32_t, std::uint32_t> m_originOf; ///< by pc
    std::optional<GlobalRaces> m_globalRaces;
    bool m_hasToldUnwatched = false;
    Findings m_findings;
};

} // namespace ridge::gpu::simt
