// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/machine/code.h"
#include "gpu/simt/machine/machine_kernel.h"

#include <bit>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

namespace ridge::gpu::simt {

/// Machine instructions on virtual 32-bit registers: what the scheduler orders and the allocator gives registers to.
struct Draft {
    std::uint16_t mnemonic = 0;
    Pipe pipe = Pipe::None;
    LatencyClass latency = LatencyClass::None;
    std::uint8_t repeat = 1;
    bool ordersMemory = false; ///< barrier, fence, branch: nothing passes it
    bool ordersAll = false;    ///< the clock, a jump around a slow path: no instruction passes it
    bool writesMemory = false;
    bool readsMemory = false;
    bool isGuarded = false; ///< its result keeps the old value in lanes that the guard masks out
    bool isTerminator = false;
    bool neverWritten = false; ///< a load through the read-only path
    WarpPart part = WarpPart::All;
    Space space = Space::Generic;
    std::uint32_t guard = kNone; ///< the predicate under which it runs, one of its sources
    std::uint32_t base = kNone;  ///< memory: register of the address; kNone: none, or not known to be the whole address
    std::int64_t offset = 0;
    std::uint32_t bytes = 0;            ///< 0: not known
    std::vector<std::uint32_t> results; ///< virtual registers
    std::vector<std::uint32_t> sources;
    std::uint32_t microOp = kNoMicroOp;
    std::uint32_t covers = kNoMicroOp;
};

struct VirtualRegister {
    bool isPredicate = false;
    bool isUniform = false;
    std::uint32_t tuple = kNone; ///< registers of one tuple lie side by side, in this order
};

/// A register of the thread; predicates and uniform registers are others.
inline bool takesRegister(const VirtualRegister& info)
{
    return !info.isPredicate && !info.isUniform;
}

/// Registers that one instruction needs side by side and aligned to their number.
using Tuple = std::vector<std::uint32_t>;

struct DraftBlock {
    std::vector<Draft> drafts;
    std::vector<std::uint32_t> successors;
};

struct DraftKernel {
    std::vector<DraftBlock> blocks;
    std::vector<VirtualRegister> registers;
    std::vector<Tuple> tuples;
    std::vector<std::string> mnemonics;
    std::uint32_t maxLive = 0;            ///< before scheduling
    std::uint32_t registerFloor = 0;      ///< what routines that the kernel calls need
    std::uint32_t coldInstructions = 0;   ///< slow paths that a run normally does not enter
    std::uint32_t sharedInstructions = 0; ///< counted in blocks more often than the program holds them
};

/// Pipe and latency of an instruction by the first word of its mnemonic.
struct Execution {
    Pipe pipe = Pipe::Alu;
    LatencyClass latency = LatencyClass::Alu;
};
Execution executionOf(std::string_view mnemonic, int computeCapability);

/// Cycles from an instruction whose results take `latency` to one that reads `id` of them (distance.cpp).
int resultDistance(const Draft& from, const Draft& to, std::uint32_t id, int latency, int computeCapability);
/// Cycles between two instructions of one warp that go through these pipes; 1: nothing keeps them apart.
int pipeDistance(Pipe from, Pipe to);
/// From a branch that is not taken to the next instruction.
inline constexpr int kNotTaken = 5;

/// One 32-bit operand.
struct Part {
    enum class Kind : std::uint8_t { Zero, Register, Immediate, Constant };
    Kind kind = Kind::Zero;
    std::uint32_t reg = 0;
    std::uint64_t bits = 0;
};

/// What the control flow of the kernel asks for: made by planFlow (flow.cpp).
struct FlowPlan {
    std::vector<std::uint32_t> openRegions;   ///< BSSY at the end of a block
    std::vector<std::uint32_t> closedRegions; ///< BSYNC at the start of a block
    std::vector<bool> jumps;                  ///< falls into a block that is not the next one
};
FlowPlan planFlow(Code& code);

/// Which variables may differ between the lanes of a warp (flow.cpp).
void markVarying(Code& code);

/// What is known of the lanes that are here, in registers; kNone: nobody has asked.
struct ActiveLanes {
    std::uint32_t lane = kNone; ///< its number
    std::uint32_t vote = kNone; ///< a bit for each lane that is here
    std::uint32_t first = kNone;
    std::uint32_t isFirst = kNone; ///< a predicate
    std::uint32_t count = kNone;
    std::uint32_t before = kNone;                                                    ///< how many have a lower number
    bool firstInRegister = false;                                                    ///< not in a register of the warp
    std::map<std::tuple<int, std::uint32_t, std::uint64_t>, std::uint32_t> products; ///< of the count, by the factor
};

/// Writes drafts. Operands that the encoding cannot hold are moved to registers first: at most one constant or
/// immediate an instruction below compute capability 9.0; from there on constants are loaded once a kernel.
class Emitter {
public:
    Emitter(Code& code, DraftKernel& kernel) : m_code(code), m_kernel(kernel) {}

    void openBlock(std::uint32_t block);
    void openNode(const Node& node);
    int capability() const { return m_code.capability; }
    Code& code() { return m_code; }
    const Code& code() const { return m_code; }
    ActiveLanes& activeLanes(); ///< of the node's place, under its guard

    Part low(const Value& value);
    Part high(const Value& value);
    Part predicate(const Value& value);
    std::uint32_t target(const Value& value);     ///< low register of a result
    std::uint32_t targetHigh(const Value& value); ///< upper register of a 64-bit result
    /// What opens a region at whose end lanes meet: before 8.0 the barrier register is cleared first.
    std::span<const std::string_view> regionOpening() const;
    std::uint32_t fresh();
    std::uint32_t freshPredicate();
    /// Both halves of a 64-bit value in an aligned pair.
    Tuple pair(const Value& value);
    /// What an instruction of the FP64 unit reads; literals of 64 bits lie in a constant bank before 9.0.
    std::vector<Part> doubles(std::span<const Value> values);
    Tuple freshPair();
    std::uint32_t uniformPair(std::uint64_t bits); ///< the first of two registers of the warp with a 64-bit constant
    void clear(std::uint32_t target);              ///< sets it to zero; two in a row take one CS2R
    void alias(std::uint32_t target, const Part& part) { m_alias[target] = part; }
    bool mayAlias(const Value& result) const; ///< one definition, unguarded
    std::uint32_t inRegister(const Part& part, bool isMovedAlways = false);
    bool isBound(std::uint32_t id) const { return m_kernel.registers[id].tuple != kNone; }
    void join(const Tuple& tuple); ///< the registers must lie side by side

    Draft& emit(std::string_view mnemonic, std::vector<std::uint32_t> results, std::vector<Part> sources);
    /// A sequence that depends on itself: first reads the sources, the last writes the results. '@': predicated.
    void recipe(std::string_view mnemonics, std::vector<std::uint32_t> results, const std::vector<Part>& sources);
    void cold(std::uint32_t instructions, std::string_view routine);
    void shared(std::uint32_t instructions, std::string_view routine);
    void needRegisters(std::uint32_t floor) { m_kernel.registerFloor = std::max(m_kernel.registerFloor, floor); }
    static Part reg(std::uint32_t id);
    static Part imm(std::uint64_t bits);

private:
    std::uint32_t moved(const Part& part);
    std::uint32_t homeOfConstants() const; ///< this block, or the one before the loops that it lies in
    void loadConstant(std::string_view name, std::vector<std::uint32_t> results);
    bool writesResult(const std::vector<std::uint32_t>& written);
    std::string_view uniformName(std::string_view name, const std::vector<std::uint32_t>& results) const;
    struct Mnemonic {
        std::uint16_t index = 0; ///< in DraftKernel::mnemonics
        Execution execution;
    };
    const Mnemonic& mnemonic(std::string_view text);

    Code& m_code;
    DraftKernel& m_kernel;
    std::uint32_t m_block = 0;
    const Node* m_node = nullptr;
    std::vector<std::uint32_t> m_base; ///< of variables
    std::unordered_map<std::uint32_t, Part> m_alias;
    std::vector<std::map<std::pair<std::uint64_t, int>, std::uint32_t>> m_moves; ///< of each block
    std::map<std::uint32_t, Tuple> m_copies; ///< of uniform pairs that move, since the block began
    /// Constants in registers, 9.0 and later; those in registers of the thread by the block where they are loaded.
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> m_loads;
    std::vector<std::map<std::vector<std::uint64_t>, Tuple>> m_pairs; ///< of each block
    std::unordered_map<std::string, Mnemonic> m_mnemonics;
    std::map<std::string, std::uint32_t> m_routines;
    ActiveLanes m_lanes;
    Value m_lanesGuard;        ///< under which m_lanes holds
    std::size_t m_cleared = 0; ///< one past the last draft that cleared a single register; 0: none
};

// One family of instructions each; false where the node is not of it.
bool expandInteger(Emitter& emitter, const Node& node);
bool expandDivision(Emitter& emitter, const Node& node);
bool expandFloat(Emitter& emitter, const Node& node);
bool expandMemory(Emitter& emitter, const Node& node);
bool expandAtomic(Emitter& emitter, const Node& node);
bool expandWarp(Emitter& emitter, const Node& node);

/// Registers of the address; a base of 64 bits is a pair (expand_memory.cpp).
std::vector<Part> addressParts(Emitter& emitter, const Node& node);
/// The instruction does what the node does to memory.
void linkToMemory(const Emitter& emitter, const Node& node, Draft& draft, bool reads, bool writes);

/// Drops instructions whose results nobody reads: halves of 64-bit values mostly, and what is overwritten first, such
/// as the last value of a counter whose loop is gone (expand.cpp).
void removeUnread(DraftKernel& kernel);

/// All blocks (expand.cpp).
DraftKernel expand(Code& code, const FlowPlan& plan);

/// What is alive where a block begins and ends: a bit for each register that may be live between blocks.
struct Liveness {
    using Bits = std::vector<std::uint64_t>;
    std::vector<Bits> in; ///< of each block
    std::vector<Bits> out;
    std::vector<std::uint32_t> crossing; ///< registers that may be live between blocks
    std::vector<std::uint32_t> slot;     ///< of each register: its place in `crossing`; kNone: not in it

    bool has(const Bits& bits, std::uint32_t id) const
    {
        return slot[id] != kNone && (bits[slot[id] / 64] >> (slot[id] % 64) & 1) != 0;
    }
    template<class F>
    void forEach(const Bits& bits, F&& take) const
    {
        for (std::size_t word = 0; word < bits.size(); ++word)
            for (std::uint64_t left = bits[word]; left != 0; left &= left - 1)
                take(crossing[word * 64 + static_cast<std::size_t>(std::countr_zero(left))]);
    }
    /// Those of `bits` that are not in `without`.
    template<class F>
    void forEachBeyond(const Bits& bits, const Bits& without, F&& take) const
    {
        for (std::size_t word = 0; word < bits.size(); ++word)
            for (std::uint64_t left = bits[word] & ~without[word]; left != 0; left &= left - 1)
                take(crossing[word * 64 + static_cast<std::size_t>(std::countr_zero(left))]);
    }
};
Liveness livenessOf(const DraftKernel& kernel); ///< registers.cpp

/// How many 32-bit values are alive before or after each instruction, whichever is more; all blocks, one after the
/// other (registers.cpp).
std::vector<std::uint32_t> aliveAt(const DraftKernel& kernel, const Liveness& live);

/// Most 32-bit values live at once in the order of the program.
std::size_t pressureOf(const DraftKernel& kernel, const Liveness& live);

struct RegisterAllocation {
    std::vector<std::uint16_t> physical; ///< of virtual registers; kNoRegister: predicates and dead ones
    std::uint32_t registers = 0;
    std::uint32_t uniformRegisters = 0;
    std::uint32_t spillBytes = 0;
};
/// Orders each block for latency and few registers (schedule.cpp). `pressure`: values that some order of the
/// instructions is known to get by with, where the present one holds more. Returns the registers of the order where it
/// needs at most `registerLimit`.
std::optional<RegisterAllocation> schedule(DraftKernel& kernel, const ScheduleLatencies& latencies,
                                           int computeCapability, std::uint32_t registerLimit, std::size_t pressure);

/// Linear scan over live ranges with tuples (registers.cpp). `live` of the kernel; the order within blocks does not
/// matter to it, and may be another one in each run.
class Allocator {
public:
    Allocator(const DraftKernel& kernel, const Liveness& live);
    ~Allocator();
    /// Where more than `most` are needed, another order of placing is tried.
    RegisterAllocation run(std::uint32_t most);

private:
    class Scan;
    void finish(RegisterAllocation& made) const;
    const DraftKernel& m_kernel;
    std::unique_ptr<Scan> m_scan;
};

/// 32-bit values that may be alive at once so that an Allocator can do with `limit` registers; tuples may need more.
std::uint32_t valuesWithin(std::uint32_t limit);

/// The same with at most `limit` registers: values that are touched rarely move to local memory (spill.cpp).
RegisterAllocation allocateWithin(DraftKernel& kernel, std::uint32_t limit);

/// The index of a mnemonic in DraftKernel::mnemonics, which gets it where it is new.
std::uint16_t mnemonicOf(DraftKernel& kernel, std::string_view name);

/// Stall counts and counters (control.cpp).
void assignControl(DraftKernel& kernel, const RegisterAllocation& allocation, const ScheduleLatencies& latencies,
                   int computeCapability, MachineKernel& machine);

/// Cycles that ptxas keeps between two FP64 instructions of a block, with NOPs where it has nothing better; 0: it does
/// not. From 10.3 on the FP64 unit of a sub-core takes 64 cycles an instruction, and the distance is in the code.
/// Source: SASS of ptxas 13.0 for 7.5 to 12.1.
int doubleSpacing(int computeCapability);

} // namespace ridge::gpu::simt
