// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/scenes/warp_state_look.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace ridge::app {
namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::WarpState", text);
}

} // namespace

StateLook lookOf(StateGroup group)
{
    switch (group) {
    case StateGroup::Issued:
        return {QLatin1Char('I'), Role::Series1, 1, tr("issued")};
    case StateGroup::Memory:
        return {QLatin1Char('M'), Role::Series2, 1, tr("memory")};
    case StateGroup::Shared:
        return {QLatin1Char('S'), Role::Series7, 1, tr("shared memory, shuffle, special function")};
    case StateGroup::Barrier:
        return {QLatin1Char('B'), Role::Series6, 1, tr("barrier")};
    case StateGroup::Pipe:
        return {QLatin1Char('P'), Role::Series5, 1, tr("pipe busy")};
    case StateGroup::Fetch:
        return {QLatin1Char('F'), Role::Series4, 1, tr("code fetch, branch")};
    case StateGroup::Wait:
        return {QLatin1Char('W'), Role::Text3, 0.45, tr("fixed latency")};
    case StateGroup::Ready:
        return {QLatin1Char('R'), Role::Series1, 0.35, tr("ready, another was chosen")};
    case StateGroup::Other:
        return {QLatin1Char('O'), Role::Series8, 0.75, tr("other")};
    case StateGroup::Done:
        return {QLatin1Char('D'), Role::Series3, 0.55, tr("done, its block is not")};
    case StateGroup::Idle:
        break;
    }
    return {QLatin1Char('.'), Role::Border, 1, tr("empty slot")};
}

StateGroup groupOf(const std::string& state)
{
    static const std::map<std::string, StateGroup> groups = {
        {"selected", StateGroup::Issued},         {"inst_issued", StateGroup::Issued},
        {"not_selected", StateGroup::Ready},      {"wait", StateGroup::Wait},
        {"long_scoreboard", StateGroup::Memory},  {"lg_throttle", StateGroup::Memory},
        {"short_scoreboard", StateGroup::Shared}, {"mio_throttle", StateGroup::Shared},
        {"barrier", StateGroup::Barrier},         {"math_pipe_throttle", StateGroup::Pipe},
        {"branch_resolving", StateGroup::Fetch},  {"no_instruction", StateGroup::Fetch},
    };
    const auto found = groups.find(state);
    return found == groups.end() ? StateGroup::Other : found->second;
}

QString stateText(const std::string& state)
{
    return QString::fromStdString(state).replace(QLatin1Char('_'), QLatin1Char(' '));
}

QString stateAdvice(const std::string& state)
{
    const auto is = [&](const char* name) { return state == name; };
    if (is("long_scoreboard"))
        return tr("Shorter: fewer sectors a request, data that stays in a cache. Hidden: several loads before the "
                  "first use of any, or more warps to switch to.");
    if (is("short_scoreboard"))
        return tr("Shorter: no bank conflicts, fewer special functions. Hidden: independent work between the load "
                  "and its use.");
    if (is("lg_throttle"))
        return tr("The queue of global accesses is full: fewer and wider ones (16 bytes a lane) relieve it.");
    if (is("mio_throttle"))
        return tr("The queue of shared-memory instructions is full: fewer and wider ones relieve it, and so does work "
                  "that needs none.");
    if (is("math_pipe_throttle"))
        return tr("The pipe is busy with other warps: this is what a well-fed kernel looks like. Another instruction "
                  "mix is the only way past it.");
    if (is("barrier"))
        return tr("It has arrived and others have not: even work before the barrier, smaller blocks or fewer barriers "
                  "shorten this.");
    if (is("wait"))
        return tr("A fixed latency that the compiler knows; other warps or independent instructions fill it.");
    if (is("not_selected"))
        return tr("It could have issued, but its scheduler chose another warp: there is work enough.");
    if (is("branch_resolving"))
        return tr("A taken branch lets the warp pause: unroll, or replace it by predicates.");
    if (is("no_instruction"))
        return tr("Its code is being fetched: shorter loops and less code keep it in the cache.");
    if (is("membar"))
        return tr("A fence waits for its own writes: narrower fences, and fewer, shorten it.");
    if (is("drain"))
        return tr("The warp has ended and its stores are under way.");
    if (is("dispatch_stall"))
        return tr("Operands of one instruction lie in one register bank.");
    return {};
}

QString sharesText(const GroupCycles& cycles, int most)
{
    const double sum = std::accumulate(cycles.begin(), cycles.end(), 0.0);
    std::array<std::size_t, kStateGroups> order{};
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return cycles[a] > cycles[b]; });
    QStringList parts;
    for (const std::size_t group : order) {
        const double percent = sum > 0 ? 100 * cycles[group] / sum : 0;
        if (percent < 0.5 || parts.size() == most)
            break;
        parts << tr("%1 %2 %").arg(lookOf(static_cast<StateGroup>(group)).name).arg(std::lround(percent));
    }
    return parts.isEmpty() ? tr("nothing") : parts.join(QStringLiteral(", "));
}

} // namespace ridge::app
