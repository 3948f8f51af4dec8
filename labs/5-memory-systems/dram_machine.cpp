// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/5-memory-systems/dram_machine.h"
#include "silicon/machines.h"

#include <cmath>

namespace ridge::labs {

Result<DramMachine> dramOf(const silicon::Machine& machine)
{
    DramMachine result;
    memory::DramSpec& spec = result.spec;
    memory::DramTimings& t = spec.timings;
    const auto rate = machine.number("pin_rate", "bit/s");
    if (!rate)
        return rate.error();
    spec.pinRate = *rate;
    struct Count {
        const char* name;
        const char* unit;
        std::uint32_t* to;
    };
    for (const Count& each : {Count{"pins", "pins", &spec.pins},
                              {"prefetch", "bits", &spec.prefetch},
                              {"pseudo_channels", "1", &spec.pseudoChannels},
                              {"ranks", "1", &spec.ranks},
                              {"bank_groups", "1", &spec.groups},
                              {"banks_per_group", "1", &spec.banks},
                              {"rows", "rows", &spec.rows},
                              {"row_bursts", "bursts", &spec.columns},
                              {"read_queue", "requests", &spec.readQueue},
                              {"write_queue", "requests", &spec.writeQueue},
                              {"burst", "cycles", &t.burst},
                              {"cl", "cycles", &t.cl},
                              {"cwl", "cycles", &t.cwl},
                              {"rcd_read", "cycles", &t.rcdRead},
                              {"rcd_write", "cycles", &t.rcdWrite},
                              {"rp", "cycles", &t.rp},
                              {"rp_all", "cycles", &t.rpAll},
                              {"ras", "cycles", &t.ras},
                              {"rc", "cycles", &t.rc},
                              {"write_recovery", "cycles", &t.writeRecovery},
                              {"rtp", "cycles", &t.rtp},
                              {"ccd_s", "cycles", &t.ccdShort},
                              {"ccd_l", "cycles", &t.ccdLong},
                              {"ccd_s_write", "cycles", &t.ccdShortWrite},
                              {"ccd_l_write", "cycles", &t.ccdLongWrite},
                              {"ccd_r", "cycles", &t.ccdRank},
                              {"rank_switch", "cycles", &t.rankSwitch},
                              {"rrd_s", "cycles", &t.rrdShort},
                              {"rrd_l", "cycles", &t.rrdLong},
                              {"faw", "cycles", &t.faw},
                              {"wtr_s", "cycles", &t.wtrShort},
                              {"wtr_l", "cycles", &t.wtrLong},
                              {"ppd", "cycles", &t.ppd},
                              {"rfc", "cycles", &t.rfc},
                              {"rfc_bank", "cycles", &t.rfcBank},
                              {"refi", "cycles", &t.refi},
                              {"refi_bank", "cycles", &t.refiBank},
                              {"rrefd", "cycles", &t.rrefd},
                              {machine.has("turnaround") ? "turnaround" : "read_to_write", "cycles",
                               machine.has("turnaround") ? &spec.turnaround : &t.readToWrite}}) {
        const auto value = machine.count(each.name, each.unit);
        if (!value)
            return value.error();
        if (*value > 1u << 24)
            return Error{"bad-machine", std::string(each.name) + " is " + std::to_string(*value),
                         machine.file + ": " + each.name, "write at most 16777216"};
        *each.to = static_cast<std::uint32_t>(*value);
    }
    if (spec.turnaround)
        t.readToWrite = t.cl + t.burst + spec.turnaround - t.cwl;
    bool halves = false;
    for (const auto& [name, to] : {std::pair{"half_cycles", &halves},
                                   {"two_command_buses", &spec.twoBuses},
                                   {"stacked_ranks", &spec.stacked},
                                   {"ddr_rules", &spec.ddr}}) {
        const auto value = machine.flag(name);
        if (!value)
            return value.error();
        *to = *value;
    }
    spec.halfTicks = halves ? 2 : 1;
    for (const auto& [name, to] : {std::pair{"act_cycles", &spec.actTicks},
                                   {"pre_cycles", &spec.preTicks},
                                   {"column_cycles", &spec.columnTicks}}) {
        const auto value = machine.number(name, "cycles");
        if (!value)
            return value.error();
        const double ticks = *value * spec.halfTicks;
        if (!(ticks >= 1) || ticks > 16 || ticks != std::floor(ticks))
            return Error{"bad-machine", std::string(name) + " is no whole number of the steps in which commands begin",
                         machine.file + ": " + name,
                         halves ? "write half cycles, as 1.5" : "write whole cycles, or set half_cycles"};
        *to = static_cast<std::uint32_t>(ticks);
    }
    const auto refresh = machine.text("refresh");
    if (!refresh)
        return refresh.error();
    if (*refresh != "all_bank" && *refresh != "per_bank")
        return Error{"bad-machine", "there is no refresh \"" + *refresh + "\"", machine.file + ": refresh",
                     "write all_bank or per_bank"};
    result.refresh = *refresh == "all_bank" ? memory::RefreshMode::AllBank : memory::RefreshMode::PerBank;
    if (auto good = memory::checkSpec(spec); !good)
        return good.error();
    return result;
}

} // namespace ridge::labs
