// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/timing/timed_kernel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

namespace ridge::gpu::simt {

namespace {

OpKind kindOf(Pipe pipe)
{
    switch (pipe) {
    case Pipe::Lsu:
    case Pipe::Shared:
    case Pipe::Constant:
        return OpKind::Memory;
    case Pipe::Copy:
        return OpKind::Bulk;
    case Pipe::Shuffle:
        return OpKind::Mio;
    case Pipe::Barrier:
        return OpKind::Barrier;
    case Pipe::Fence:
        return OpKind::Fence;
    default:
        return OpKind::Compute;
    }
}

Stall reasonOf(LatencyClass latency)
{
    switch (latency) {
    case LatencyClass::GlobalLoad:
    case LatencyClass::GlobalStore:
    case LatencyClass::GlobalAtomic:
    case LatencyClass::LocalLoad:
    case LatencyClass::LocalStore:
    case LatencyClass::AsyncCopy:
    case LatencyClass::BulkCopy:
        return Stall::LongScoreboard;
    case LatencyClass::Wgmma:
        return Stall::Gmma;
    default:
        return Stall::ShortScoreboard;
    }
}

/// One past the micro-ops of the PTX instruction that `microOp` begins.
std::uint32_t endOfInstruction(const KernelImage& image, std::uint32_t microOp)
{
    std::uint32_t end = microOp + 1;
    while (end < image.recordOf.size() && image.recordOf[end] != kNone &&
           image.recordOf[end] == image.recordOf[microOp])
        ++end;
    return end;
}

/// Numbers the memory instructions of a block that stand for one PTX instruction together.
void divideAccesses(TimedKernel& kernel)
{
    for (const MachineBlock& block : kernel.machine->blocks) {
        std::map<std::uint32_t, std::vector<std::uint32_t>> sharing;
        for (std::uint32_t at = block.first; at < block.end; ++at) {
            const TimedOp& op = kernel.ops[at];
            const bool isEither = op.part == WarpPart::Full || op.part == WarpPart::Partial;
            if (op.kind == OpKind::Memory && op.microOp != kNoMicroOp && !isEither)
                sharing[op.microOp].push_back(at);
        }
        for (const auto& [microOp, ops] : sharing) {
            for (std::size_t share = 0; share < ops.size(); ++share) {
                kernel.ops[ops[share]].share = static_cast<std::uint16_t>(share);
                kernel.ops[ops[share]].shares = static_cast<std::uint16_t>(ops.size());
            }
        }
    }
}

/// How many groups of copies a wait leaves under way: the number in the PTX instruction, 0 where it has none.
std::uint32_t groupsLeft(const KernelImage& image, std::uint32_t microOp)
{
    if (microOp >= image.recordOf.size() || image.recordOf[microOp] == kNone)
        return 0;
    const PtxRecord& record = image.records[image.recordOf[microOp]];
    for (std::uint32_t at = 0; at < record.operandCount; ++at) {
        const PtxOperand& operand = image.operands[record.firstOperand + at];
        if (operand.kind == PtxOperand::Kind::Immediate)
            return static_cast<std::uint32_t>(operand.value);
    }
    return 0;
}

/// The text of the PTX instruction that `microOp` belongs to.
std::string_view textOf(const KernelImage& image, std::uint32_t microOp)
{
    return microOp < image.places.size() ? std::string_view(image.texts[image.places[microOp].text])
                                         : std::string_view();
}

/// That compare and swap of shared memory takes longer than a sum there, of 26 cycles, on an H200.
constexpr std::uint32_t kSwapCycles = 2;

constexpr std::size_t kMostRead = 16;

/// The registers that an instruction reads, in order; how many.
std::size_t registersRead(const MachineOp& op, std::array<std::uint16_t, kMostRead>& into)
{
    std::size_t count = 0;
    for (const RegisterRange& range : op.sources) {
        for (unsigned at = 0; range.first != kNoRegister && !range.uniform && at < range.count && count < kMostRead;
             ++at)
            into[count++] = static_cast<std::uint16_t>(range.first + at);
    }
    return count;
}

/// Each bank gives one register a cycle: on an H200 FFMA with two sources in one of the two banks takes two cycles,
/// with three three. An operand that appears twice is read once; one that the
/// instruction before read in the same place is in the reuse cache. ptxas spreads over the banks what it can, which our
/// numbers of registers do not tell: counted is what no choice of them would save, three different registers in two
/// banks. A slower pipe reads for as long as it takes.
std::uint8_t bankCycles(const MachineOp& op, const MachineOp* before, unsigned banks, std::uint32_t interval)
{
    std::array<std::uint16_t, kMostRead> own{}, others{};
    const std::size_t count = registersRead(op, own);
    const std::size_t othersCount = before != nullptr ? registersRead(*before, others) : 0;
    std::uint32_t distinct = 0;
    for (std::size_t at = 0; at < count; ++at) {
        const bool kept = at < othersCount && others[at] == own[at];
        const auto here = own.begin() + static_cast<std::ptrdiff_t>(at);
        distinct += kept || std::find(own.begin(), here, *here) != here ? 0 : 1;
    }
    const std::uint32_t reads = (distinct + banks - 1) / banks;
    return static_cast<std::uint8_t>(reads > interval ? reads - interval : 0);
}

/// ptxas deals additions and moves out to both integer pipes (IADD3 and IMAD.IADD, IADD3.X and IMAD.X, MOV and
/// IMAD.MOV); our lowering names them all as those of the ALU.
bool isAddition(std::string_view mnemonic)
{
    return mnemonic == "MOV" || mnemonic.starts_with("IADD3") || mnemonic.starts_with("VIADD");
}

/// Chip files give a product's rate for one shape (m16n8k16 of halves, m16n8k8 of TF32, m16n8k32 of bytes, m8n8k4 of
/// doubles); others keep the unit for as many multiply-adds as they have.
double shareOfUnit(std::string_view mnemonic)
{
    constexpr std::array<std::pair<std::string_view, double>, 8> kShares{{{"HMMA.884", 1.0 / 8},
                                                                          {"HMMA.1688.F32.TF32", 1},
                                                                          {"HMMA.1688", 1.0 / 2},
                                                                          {"HMMA.1684", 1.0 / 2},
                                                                          {"IMMA.8816", 1.0 / 4},
                                                                          {"IMMA.16816", 1.0 / 2},
                                                                          {"IMMA.8832", 1.0 / 4}, // of four bits
                                                                          {"DMMA.16816", 8}}};
    for (const auto& [shape, share] : kShares) {
        if (mnemonic.starts_with(shape))
            return share;
    }
    return 1;
}

} // namespace

ScheduleLatencies scheduleLatencies(const ChipTiming& chip)
{
    ScheduleLatencies latencies;
    for (std::size_t at = 0; at + 1 < kLatencyClasses; ++at) {
        if (!isFixedLatency(static_cast<LatencyClass>(at)))
            continue;
        latencies.cycles[at] = static_cast<std::uint8_t>(std::min(std::lround(chip.latency[at]), 15L));
        latencies.busy[at] =
            static_cast<std::uint8_t>(std::clamp(std::lround(32.0 * chip.subCores / chip.lanes[at]), 1L, 15L));
    }
    return latencies;
}

TimedKernel timeKernel(const KernelImage& image, const MachineKernel& machine, const ChipTiming& chip)
{
    TimedKernel kernel;
    kernel.image = &image;
    kernel.machine = &machine;
    kernel.ops.reserve(machine.ops.size());
    const double lanesPerSubCore = 32.0 * chip.subCores;
    const MachineOp* before = nullptr;
    for (const MachineOp& op : machine.ops) {
        TimedOp timed;
        timed.kind = kindOf(op.pipe);
        timed.pipe = op.pipe;
        timed.stall = std::max<std::uint8_t>(op.stall, 1);
        timed.waitMask = op.waitMask;
        timed.writeCounter = op.writeCounter;
        timed.readCounter = op.readCounter;
        timed.reason = reasonOf(op.latency);
        timed.microOp = op.microOp;
        timed.microOpEnd = op.microOp < image.recordOf.size() ? endOfInstruction(image, op.microOp) : op.microOp + 1;
        timed.covers = op.covers;
        timed.part = op.part;
        kernel.dividesWarps = kernel.dividesWarps || op.part == WarpPart::Full;
        const auto at = static_cast<std::size_t>(op.latency);
        const std::string_view mnemonic = machine.mnemonics[op.mnemonic];
        if (op.latency != LatencyClass::None) {
            timed.latency = static_cast<std::uint32_t>(std::lround(chip.latency[at]));
            const bool slower = (op.latency == LatencyClass::MmaF16 || op.latency == LatencyClass::MmaFp8) &&
                                mnemonic.find(".F32") != mnemonic.npos;
            const bool isWide = mnemonic.starts_with("IMAD.WIDE") || mnemonic.starts_with("IMAD.HI");
            const double factor = slower ? chip.mmaF32Factor : isWide ? chip.wideFactor : 1;
            const double interval = lanesPerSubCore / chip.lanes[at] * std::max<std::uint8_t>(op.repeat, 1) * factor *
                                    shareOfUnit(mnemonic);
            const long parts = std::max(256L, std::lround(interval * 256));
            timed.interval = static_cast<std::uint32_t>(parts / 256);
            timed.intervalRest = static_cast<std::uint32_t>(parts % 256);
        }
        if (chip.addsOnFma != 0 && isAddition(mnemonic))
            timed.otherInterval = static_cast<std::uint8_t>(
                std::lround(lanesPerSubCore / chip.lanes[static_cast<std::size_t>(LatencyClass::Imad)]));
        if (mnemonic.rfind("LDGDEPBAR", 0) == 0) {
            timed.kind = OpKind::AsyncCommit;
        } else if (mnemonic.rfind("DEPBAR", 0) == 0) {
            timed.kind = OpKind::AsyncWait;
            timed.latency = groupsLeft(image, op.covers != kNoMicroOp ? op.covers : op.microOp);
        } else if (mnemonic == "WARPGROUP.DEPBAR") {
            const std::uint32_t stands = op.covers != kNoMicroOp ? op.covers : op.microOp;
            const bool commits = textOf(image, stands).find("commit") != std::string_view::npos;
            timed.kind = commits ? OpKind::GroupCommit : OpKind::GroupWait;
            timed.latency = commits ? 1 : groupsLeft(image, stands);
        }
        const bool swaps = mnemonic.starts_with("ATOMS.CAS"); // reads and writes in passes of their own
        timed.passes = swaps ? 2 : 1;
        timed.latency += swaps ? kSwapCycles : 0;
        if (timed.kind == OpKind::Fence && mnemonic.starts_with("MEMBAR") && !mnemonic.ends_with(".CTA"))
            timed.latency = static_cast<std::uint32_t>(std::lround(chip.membarCycles));
        timed.countsValues = mnemonic.starts_with("MATCH");
        timed.readsConstants = mnemonic.rfind("LDC", 0) == 0 || mnemonic.rfind("ULDC", 0) == 0;
        timed.isCopy = op.latency == LatencyClass::AsyncCopy;
        const std::string_view text = textOf(image, op.covers != kNoMicroOp ? op.covers : op.microOp);
        timed.pastL1 = !timed.isCopy && text.find("ld.") != text.npos &&
                       (text.find(".cg") != text.npos || text.find(".cv") != text.npos);
        timed.writesL2 = timed.pipe == Pipe::Lsu && !timed.isCopy && text.find("ld.") == text.npos;
        timed.readsOnly = timed.kind == OpKind::AsyncWait && text.find(".read") != text.npos;
        if (timed.kind == OpKind::Bulk)
            timed.isCopy = text.find("bulk_group") != text.npos;
        const bool isCluster = mnemonic.rfind("UCGABAR", 0) == 0;
        if (isCluster || mnemonic.rfind("SYNCS", 0) == 0 || mnemonic.rfind("ARRIVES", 0) == 0) {
            timed.kind = OpKind::Phase;
            timed.isCluster = isCluster;
            timed.afterCopies = mnemonic.rfind("ARRIVES", 0) == 0;
        }
        if (op.latency == LatencyClass::Wgmma)
            timed.latency = std::max(timed.latency, timed.interval);  // n / 2 cycles from n = 64 on
        if (timed.kind == OpKind::Compute && op.pipe != Pipe::Tensor) // products collect theirs over many cycles
            timed.bankCycles = bankCycles(op, before, static_cast<unsigned>(chip.registerBanks), timed.interval);
        before = &op;
        kernel.ops.push_back(timed);
    }
    divideAccesses(kernel);
    return kernel;
}

} // namespace ridge::gpu::simt
