// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory/dram_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace ridge::memory {
namespace {

using Kind = DramCommandKind;

bool isRead(Kind kind)
{
    return kind == Kind::Read || kind == Kind::ReadPre;
}

bool isWrite(Kind kind)
{
    return kind == Kind::Write || kind == Kind::WritePre;
}

bool isColumn(Kind kind)
{
    return isRead(kind) || isWrite(kind);
}

bool closesItself(Kind kind)
{
    return kind == Kind::ReadPre || kind == Kind::WritePre;
}

class Rules {
public:
    explicit Rules(const DramSpec& spec) : m_spec(spec), m_t(spec.timings)
    {
        m_horizon = std::int64_t{std::max(
                        {m_t.rfc, m_t.rfcBank, m_t.rc, m_t.faw, m_t.cwl + m_t.burst + m_t.writeRecovery + m_t.rp})} *
                        m_spec.halfTicks +
                    16;
    }
    std::optional<std::string> check(std::span<const DramCommand> commands)
    {
        for (std::size_t i = 0; i < commands.size(); ++i) {
            m_says.reset();
            const DramCommand& now = commands[i];
            if (i > 0 && now.tick < commands[i - 1].tick)
                return fmt::format("{} at {} is told after a later command", nameOf(now.kind), now.tick);
            state(now);
            int acts = 0;
            for (std::size_t j = i; j-- > 0 && now.tick - commands[j].tick <= m_horizon;) {
                pair(commands[j], now);
                if (now.kind == Kind::Act && commands[j].kind == Kind::Act && sameScope(commands[j], now) &&
                    ++acts == 4)
                    need(commands[j], now, "tFAW", m_t.faw);
            }
            if (m_says)
                return m_says;
        }
        return std::nullopt;
    }

private:
    std::int64_t length(const DramCommand& c) const
    {
        return c.kind == Kind::Act ? m_spec.actTicks : isColumn(c.kind) ? m_spec.columnTicks : m_spec.preTicks;
    }
    /// Distances are between the ends of commands, for a memory begins when it has heard the whole of one.
    void need(const DramCommand& a, const DramCommand& b, const char* rule, std::int64_t cycles)
    {
        const std::int64_t ticks = cycles * m_spec.halfTicks;
        const std::int64_t got = b.tick + length(b) - a.tick - length(a);
        if (got < ticks && !m_says)
            m_says = fmt::format("{} at {} comes {} ticks after {} at {}, {} asks for {}", nameOf(b.kind), b.tick, got,
                                 nameOf(a.kind), a.tick, rule, ticks);
    }
    bool samePins(const DramCommand& a, const DramCommand& b) const
    {
        return a.place.pseudoChannel == b.place.pseudoChannel;
    }
    bool sameRank(const DramCommand& a, const DramCommand& b) const
    {
        return samePins(a, b) && a.place.rank == b.place.rank;
    }
    bool sameScope(const DramCommand& a, const DramCommand& b) const
    {
        return m_spec.stacked ? samePins(a, b) : sameRank(a, b);
    }
    bool sameGroup(const DramCommand& a, const DramCommand& b) const
    {
        return sameRank(a, b) && a.place.group == b.place.group;
    }
    bool sameBank(const DramCommand& a, const DramCommand& b) const
    {
        return sameGroup(a, b) && a.place.bank == b.place.bank;
    }
    void wires(const DramCommand& a, const DramCommand& b)
    {
        if (m_spec.twoBuses && isColumn(a.kind) != isColumn(b.kind))
            return;
        if (b.tick < a.tick + length(a) && !m_says)
            m_says = fmt::format("{} at {} begins while {} of {} is on the wires", nameOf(b.kind), b.tick,
                                 nameOf(a.kind), a.tick);
    }
    void data(const DramCommand& a, const DramCommand& b)
    {
        if (!isColumn(a.kind) || !isColumn(b.kind) || !samePins(a, b))
            return;
        const auto begin = [&](const DramCommand& c) {
            return c.tick + std::int64_t{isRead(c.kind) ? m_t.cl : m_t.cwl} * m_spec.halfTicks;
        };
        const std::int64_t burst = std::int64_t{m_t.burst} * m_spec.halfTicks;
        if (begin(a) < begin(b) + burst && begin(b) < begin(a) + burst && !m_says)
            m_says =
                fmt::format("data of {} at {} and {} at {} overlap", nameOf(a.kind), a.tick, nameOf(b.kind), b.tick);
    }
    void pair(const DramCommand& a, const DramCommand& b)
    {
        wires(a, b);
        data(a, b);
        if (isColumn(a.kind) && isColumn(b.kind) && samePins(a, b))
            columns(a, b);
        if (!sameScope(a, b))
            return;
        const std::int64_t mayClose = isRead(a.kind) ? m_t.rtp : m_t.cwl + m_t.burst + m_t.writeRecovery;
        switch (b.kind) {
        case Kind::Act:
            if (a.kind == Kind::Act) {
                need(a, b, "tRRD_S", m_t.rrdShort);
                if (sameGroup(a, b))
                    need(a, b, "tRRD_L", m_t.rrdLong);
                if (sameBank(a, b))
                    need(a, b, "tRC", m_t.rc);
            }
            if (a.kind == Kind::Pre && sameBank(a, b))
                need(a, b, "tRP", m_t.rp);
            if (a.kind == Kind::PreAll)
                need(a, b, "tRP of all banks", m_t.rpAll);
            if (closesItself(a.kind) && sameBank(a, b))
                need(a, b, "auto-precharge and tRP", mayClose + m_t.rp);
            if (a.kind == Kind::Refresh)
                need(a, b, "tRFC", m_t.rfc);
            if (a.kind == Kind::RefreshBank)
                need(a, b, sameBank(a, b) ? "tRFCpb" : "tRREFD", sameBank(a, b) ? m_t.rfcBank : m_t.rrefd);
            break;
        case Kind::Pre:
        case Kind::PreAll:
            if (b.kind == Kind::PreAll || sameBank(a, b)) {
                if (a.kind == Kind::Act)
                    need(a, b, "tRAS", m_t.ras);
                if (isColumn(a.kind) && !closesItself(a.kind))
                    need(a, b, isRead(a.kind) ? "tRTP" : "tWR", mayClose);
            }
            if (a.kind == Kind::Pre || a.kind == Kind::PreAll)
                need(a, b, "tPPD", m_t.ppd);
            if (a.kind == Kind::Refresh)
                need(a, b, "tRFC", m_t.rfc);
            break;
        case Kind::Read:
        case Kind::Write:
        case Kind::ReadPre:
        case Kind::WritePre:
            if (a.kind == Kind::Act && sameBank(a, b))
                need(a, b, "tRCD", isRead(b.kind) ? m_t.rcdRead : m_t.rcdWrite);
            break;
        case Kind::Refresh:
        case Kind::RefreshBank:
            refresh(a, b, mayClose);
            break;
        }
    }
    void columns(const DramCommand& a, const DramCommand& b)
    {
        const bool own = sameRank(a, b);
        if (isRead(a.kind) && isRead(b.kind)) {
            if (own)
                need(a, b, "tCCD_S", m_t.ccdShort);
            else if (m_spec.stacked)
                need(a, b, "tCCD_R", m_t.ccdRank);
            else
                need(a, b, "rank switch", m_t.burst + m_t.rankSwitch);
            if (sameGroup(a, b))
                need(a, b, "tCCD_L", m_t.ccdLong);
        } else if (isWrite(a.kind) && isWrite(b.kind)) {
            if (own)
                need(a, b, "tCCD_S of writes", m_t.ccdShortWrite);
            if (sameGroup(a, b))
                need(a, b, "tCCD_L of writes", m_t.ccdLongWrite);
        } else if (isRead(a.kind)) {
            if (own || m_spec.stacked)
                need(a, b, "tRTW", m_t.readToWrite);
        } else {
            if (own || m_spec.stacked)
                need(a, b, "tWTR_S", m_t.cwl + m_t.burst + m_t.wtrShort);
            if (sameGroup(a, b))
                need(a, b, "tWTR_L", m_t.cwl + m_t.burst + m_t.wtrLong);
        }
    }
    void refresh(const DramCommand& a, const DramCommand& b, std::int64_t mayClose)
    {
        const bool all = b.kind == Kind::Refresh;
        if (a.kind == Kind::Act)
            need(a, b, all || sameBank(a, b) ? "tRC" : "tRRD_S", all || sameBank(a, b) ? m_t.rc : m_t.rrdShort);
        if (a.kind == Kind::PreAll)
            need(a, b, "tRP of all banks", m_t.rpAll);
        if (a.kind == Kind::Pre && (all || sameBank(a, b)))
            need(a, b, "tRP", m_t.rp);
        if (closesItself(a.kind) && (all || sameBank(a, b)))
            need(a, b, "auto-precharge and tRP", mayClose + m_t.rp);
        if (a.kind == Kind::Refresh)
            need(a, b, "tRFC", m_t.rfc);
        if (a.kind == Kind::RefreshBank)
            need(a, b, all || sameBank(a, b) ? "tRFCpb" : "tRREFD", all || sameBank(a, b) ? m_t.rfcBank : m_t.rrefd);
    }
    /// Rows that are open, by bank; a command must find what it needs.
    void state(const DramCommand& c)
    {
        const auto key = std::tuple{c.place.pseudoChannel, c.place.rank, c.place.group, c.place.bank};
        const auto inScope = [&](const auto& bank) {
            return std::get<0>(bank) == c.place.pseudoChannel && (m_spec.stacked || std::get<1>(bank) == c.place.rank);
        };
        const auto open = m_open.find(key);
        const auto say = [&](const char* what) {
            if (!m_says)
                m_says = fmt::format("{} at {} finds {}", nameOf(c.kind), c.tick, what);
        };
        switch (c.kind) {
        case Kind::Act:
            if (open != m_open.end())
                say("a row open");
            m_open[key] = c.place.row;
            break;
        case Kind::Pre:
            if (open == m_open.end())
                say("no row open");
            m_open.erase(key);
            break;
        case Kind::PreAll:
            std::erase_if(m_open, [&](const auto& each) { return inScope(each.first); });
            break;
        case Kind::Read:
        case Kind::Write:
        case Kind::ReadPre:
        case Kind::WritePre:
            if (open == m_open.end() || open->second != c.place.row)
                say("its row not open");
            if (closesItself(c.kind))
                m_open.erase(key);
            break;
        case Kind::Refresh:
            for (const auto& each : m_open)
                if (inScope(each.first))
                    say("a row open");
            break;
        case Kind::RefreshBank:
            if (open != m_open.end())
                say("a row open");
            break;
        }
    }

    const DramSpec& m_spec;
    const DramTimings& m_t;
    std::int64_t m_horizon = 0;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> m_open;
    std::optional<std::string> m_says;
};

} // namespace

std::optional<std::string> firstBroken(const DramSpec& spec, std::span<const DramCommand> commands)
{
    return Rules(spec).check(commands);
}

} // namespace ridge::memory
