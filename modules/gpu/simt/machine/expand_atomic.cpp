// SPDX-License-Identifier: GPL-3.0-or-later
// Atomics. Where ptxas 13.0 sees that a whole warp has one address, it combines what the lanes bring for 32-bit whole
// numbers (not for inc, dec, exch and cas) and leaves the access to one lane. How, was read from the SASS of kernels
// for 7.5 to 12.0 with every operation, with values that vary and that do not, with and without use of the result.
#include "gpu/simt/machine/draft.h"

#include <algorithm>
#include <array>

namespace ridge::gpu::simt {

namespace {

constexpr int kReduces = 80;             ///< from here on there is REDUX
constexpr int kScanSteps = 5;            ///< lanes 1, 2, 4, 8, 16 apart
constexpr int kCopiesInFrontOfScan = 80; ///< from here on ptxas copies the last partial sum too

class Atomic {
public:
    Atomic(Emitter& emitter, const Node& node) : m_e(emitter), m_node(node) {}

    bool run()
    {
        const bool wide = sizeOf(m_node.type) == 8;
        m_address = addressParts(m_e, m_node);
        m_used = std::any_of(m_node.results.begin(), m_node.results.end(),
                             [&](const Value& value) { return m_e.code().uses(value) > 0; });
        if (m_used) {
            m_results.push_back(m_e.target(m_node.results[0]));
            if (wide)
                m_results.push_back(m_e.targetHigh(m_node.results[0]));
        }
        const bool isCombined = mayCombine() && !isLoneLane(m_e.code(), m_node);
        if (isCombined && has("add") && isUniform(value()))
            return counted();
        if (isCombined && m_used && has("add"))
            return scanned();
        if (isCombined && !m_used)
            return m_e.capability() >= kReduces ? reduced() : exchanged();
        return plain();
    }

private:
    bool has(std::string_view modifier) const { return m_e.code().has(m_node, modifier); }
    const Value& value() const { return m_node.sources[1]; }

    bool mayCombine() const
    {
        const Value& base = m_node.sources[0];
        const bool isOneAddress = !base.isVariable() || !m_e.code().variables[base.variable].varies;
        constexpr std::array<std::string_view, 6> kCombined{"add", "min", "max", "and", "or", "xor"};
        return isOneAddress && m_node.sources.size() == 2 && sizeOf(m_node.type) == 4 && !isFloat(m_node.type) &&
               std::any_of(kCombined.begin(), kCombined.end(), [&](std::string_view name) { return has(name); });
    }

    /// The same in every lane, at whatever turn of a loop each of them is.
    bool isUniform(const Value& value) const
    {
        return !value.isVariable() || (!m_e.code().variables[value.variable].varies && m_e.code().isStable(value));
    }

    void access(std::vector<std::uint32_t> results, std::vector<Part> reads, WarpPart part)
    {
        const bool returns = !results.empty() || has("cas") || has("exch");
        std::string_view name = returns ? "ATOMG.E" : "RED.E";
        if (m_node.space == Space::Shared)
            name = has("cas") ? "ATOMS.CAS" : "ATOMS";
        else if (m_node.space == Space::Generic && returns)
            name = "ATOM.E";
        reads.insert(reads.begin(), m_address.begin(), m_address.end());
        Draft& draft = m_e.emit(name, std::move(results), std::move(reads));
        draft.part = part;
        linkToMemory(m_e, m_node, draft, true, true);
    }

    /// Each lane for itself.
    bool plain()
    {
        std::vector<Part> values;
        for (std::size_t at = 1; at < m_node.sources.size(); ++at) {
            const Value& value = m_node.sources[at];
            if (sizeOf(m_node.type) == 8) {
                for (const std::uint32_t id : m_e.pair(value))
                    values.push_back(Emitter::reg(id));
            } else if (m_e.low(value).kind != Part::Kind::Zero) {
                values.push_back(Emitter::reg(m_e.inRegister(m_e.low(value))));
            }
        }
        if (m_node.space != Space::Shared || !has("add") || !isFloat(m_node.type)) {
            access(m_results, values, WarpPart::All);
            return true;
        }
        // Shared memory adds no floats: a loop of load, add and compare-and-swap.
        const std::uint32_t old = m_e.fresh();
        const std::uint32_t sum = m_e.fresh();
        const std::uint32_t done = m_e.freshPredicate();
        m_e.emit("LDS", {old}, m_address).readsMemory = true;
        m_e.emit("FADD", {sum}, {Emitter::reg(old), values.empty() ? Part{} : values.back()});
        std::vector<Part> reads = m_address;
        reads.push_back(Emitter::reg(old));
        reads.push_back(Emitter::reg(sum));
        linkToMemory(m_e, m_node, m_e.emit("ATOMS.CAST.SPIN", {sum}, reads), true, true);
        m_e.emit("ISETP.EQ.U32.AND", {done}, {Emitter::reg(sum)});
        m_e.emit("BRA", {}, {Emitter::reg(done)});
        return true;
    }

    /// The sum of one value in so many lanes is a product.
    bool counted()
    {
        ActiveLanes& lanes = m_e.activeLanes();
        const Part factor = m_e.low(value());
        const bool isOne = factor.kind == Part::Kind::Immediate && factor.bits == 1;
        leader(lanes, m_used);
        if (lanes.count == kNone)
            m_e.emit("POPC", {lanes.count = m_e.fresh()}, {Emitter::reg(lanes.vote)});
        std::uint32_t sum = lanes.count;
        if (!isOne) {
            const auto [at, isNew] =
                lanes.products.try_emplace({static_cast<int>(factor.kind), factor.reg, factor.bits}, 0);
            if (isNew)
                m_e.emit("IMAD", {at->second = m_e.fresh()}, {Emitter::reg(lanes.count), factor});
            sum = at->second;
        }
        const std::vector<Part> reads{Emitter::reg(sum), Emitter::reg(lanes.isFirst)};
        if (!m_used) {
            access({}, reads, WarpPart::One);
            return true;
        }
        const std::uint32_t old = m_e.fresh();
        access({old}, reads, WarpPart::One);
        if (lanes.before == kNone) {
            const std::uint32_t mask = m_e.fresh(), below = m_e.fresh();
            m_e.emit("S2R", {mask}, {});
            m_e.emit("LOP3.LUT", {below}, {Emitter::reg(mask), Emitter::reg(lanes.vote)});
            m_e.emit("POPC", {lanes.before = m_e.fresh()}, {Emitter::reg(below)});
        }
        const std::uint32_t start = m_e.fresh();
        m_e.emit("SHFL.IDX", {start}, {Emitter::reg(old), Emitter::reg(lanes.first)});
        if (isOne)
            m_e.emit("IADD3", m_results, {Emitter::reg(start), Emitter::reg(lanes.before)});
        else
            m_e.emit("IMAD", m_results, {Emitter::reg(lanes.before), factor, Emitter::reg(start)});
        return true;
    }

    /// The lane that acts for the others.
    void leader(ActiveLanes& lanes, bool inRegister)
    {
        const bool isPlain = m_e.capability() < kUniformPipe;
        inRegister = inRegister || isPlain;
        if (lanes.lane == kNone)
            m_e.emit("S2R", {lanes.lane = m_e.fresh()}, {});
        if (lanes.vote == kNone)
            m_e.emit(isPlain ? "VOTE.ANY" : "VOTEU.ANY", {lanes.vote = m_e.fresh()}, {});
        if (lanes.first == kNone || (inRegister && !lanes.firstInRegister)) {
            m_e.emit(inRegister ? "FLO.U32" : "UFLO.U32", {lanes.first = m_e.fresh()}, {Emitter::reg(lanes.vote)});
            lanes.firstInRegister = inRegister;
        }
        if (lanes.isFirst == kNone)
            m_e.emit("ISETP.EQ.U32.AND", {lanes.isFirst = m_e.freshPredicate()},
                     {Emitter::reg(lanes.lane), Emitter::reg(lanes.first)});
    }

    std::uint32_t valueInRegister() const { return m_e.inRegister(m_e.low(value())); }

    /// Any lanes, by the instruction for it.
    bool reduced()
    {
        const std::uint32_t mine = valueInRegister();
        ActiveLanes& lanes = m_e.activeLanes();
        leader(lanes, false);
        const std::uint32_t all = m_e.fresh(), moved = m_e.fresh();
        m_e.emit("REDUX", {all}, {Emitter::reg(mine)});
        m_e.emit("IMAD.U32", {moved}, {Emitter::reg(all)});
        access({}, {Emitter::reg(moved), Emitter::reg(lanes.isFirst)}, WarpPart::One);
        return true;
    }

    /// What follows is for a warp of which no lane is missing; else each lane goes for itself, and over it.
    void divide(std::uint32_t mine)
    {
        const std::uint32_t vote = m_e.fresh(), full = m_e.freshPredicate();
        m_e.emit("VOTE.ANY", {vote}, {});
        m_e.emit("ISETP.EQ.U32.AND", {full}, {Emitter::reg(vote)});
        access(m_results, {Emitter::reg(mine), Emitter::reg(full)}, WarpPart::Partial);
        m_e.emit("BRA", {}, {Emitter::reg(full)});
    }

    /// Of the first lane or the last: a number in the instruction.
    std::uint32_t isOneLane()
    {
        const std::uint32_t lane = m_e.fresh(), is = m_e.freshPredicate();
        ofFull(m_e.emit("S2R", {lane}, {}));
        ofFull(m_e.emit("ISETP.EQ.U32.AND", {is}, {Emitter::reg(lane)}));
        return is;
    }

    static void ofFull(Draft& draft) { draft.part = WarpPart::Full; }

    /// Before there was REDUX: all lanes exchange with one another.
    bool exchanged()
    {
        std::uint32_t mine = valueInRegister();
        divide(mine);
        const std::uint32_t isFirst = isOneLane();
        const std::string_view operation = has("add") ? "IADD3" : has("min") || has("max") ? "IMNMX" : "LOP3.LUT";
        for (int step = 0; step < kScanSteps && !isUniform(value()); ++step) {
            const std::uint32_t other = m_e.fresh(), both = m_e.fresh();
            ofFull(m_e.emit("SHFL.BFLY", {other}, {Emitter::reg(mine)}));
            ofFull(m_e.emit(operation, {both}, {Emitter::reg(mine), Emitter::reg(other)}));
            mine = both;
        }
        access({}, {Emitter::reg(mine), Emitter::reg(isFirst)}, WarpPart::Full);
        return true;
    }

    /// Sums of the lanes below; the last lane has all, and each takes from the old value what those below it brought.
    bool scanned()
    {
        const std::uint32_t mine = valueInRegister();
        divide(mine);
        std::uint32_t sum = mine;
        const auto copy = [&] {
            const std::uint32_t copied = m_e.fresh();
            ofFull(m_e.emit("MOV", {copied}, {Emitter::reg(sum)}));
            return copied;
        };
        for (int step = 0; step < kScanSteps; ++step) {
            const std::uint32_t below = m_e.fresh(), isThere = m_e.freshPredicate();
            const std::uint32_t kept = copy();
            ofFull(m_e.emit("SHFL.UP", {below, isThere}, {Emitter::reg(sum)}));
            ofFull(m_e.emit("IADD3", {kept}, {Emitter::reg(kept), Emitter::reg(below), Emitter::reg(isThere)}));
            sum = kept;
        }
        if (m_e.capability() >= kCopiesInFrontOfScan)
            sum = copy();
        const std::uint32_t isLast = isOneLane(), old = m_e.fresh();
        access({old}, {Emitter::reg(sum), Emitter::reg(isLast)}, WarpPart::Full);
        const std::uint32_t below = m_e.fresh(), isThere = m_e.freshPredicate();
        ofFull(m_e.emit("SHFL.UP", {below, isThere}, {Emitter::reg(sum)}));
        ofFull(m_e.emit("SHFL.IDX", m_results, {Emitter::reg(old)}));
        ofFull(m_e.emit("IADD3", m_results, {Emitter::reg(m_results[0]), Emitter::reg(below), Emitter::reg(isThere)}));
        return true;
    }

    Emitter& m_e;
    const Node& m_node;
    bool m_used = false; ///< somebody reads the old value
    std::vector<std::uint32_t> m_results;
    std::vector<Part> m_address;
};

} // namespace

bool expandAtomic(Emitter& emitter, const Node& node)
{
    if ((node.op != Opcode::Atom && node.op != Opcode::Red) || node.sources.empty())
        return false;
    return Atomic(emitter, node).run();
}

} // namespace ridge::gpu::simt
