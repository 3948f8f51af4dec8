// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/debug_text.h"

#include "app/kernels/debug_panel.h"

namespace ridge::app {
namespace {

QString namesOf(const std::vector<std::uint16_t>& warps)
{
    constexpr std::size_t kNamed = 6;
    if (warps.size() == 1)
        return DebugPanel::tr("warp %1").arg(warps.front());
    QStringList named;
    for (std::size_t at = 0; at < std::min(warps.size(), kNamed); ++at)
        named << QString::number(warps[at]);
    const QString list = named.join(QStringLiteral(", "));
    return warps.size() > kNamed ? DebugPanel::tr("warps %1 and %2 more").arg(list).arg(warps.size() - kNamed)
                                 : DebugPanel::tr("warps %1").arg(list);
}

} // namespace

QString standingSentence(const DebugSession& session)
{
    const StepReader& reader = session.reader();
    if (reader.size() == 0)
        return {};
    const WarpStanding standing = reader.standingOf(session.warp());
    switch (standing.kind) {
    case WarpStanding::Kind::Next:
        return DebugPanel::tr("Warp %1 takes the next step.").arg(session.warp());
    case WarpStanding::Kind::Ready:
        return DebugPanel::tr("Warp %1 waits for nobody; warp %2 has the next step.")
            .arg(session.warp())
            .arg(reader.next()->warp);
    case WarpStanding::Kind::AtBarrier:
        return DebugPanel::tr("Warp %1 waits at the barrier in line %2 for %3.")
            .arg(session.warp())
            .arg(lineOf(session.trace().code[standing.barrier]))
            .arg(namesOf(standing.missing));
    case WarpStanding::Kind::Ended:
        break;
    }
    return DebugPanel::tr("Warp %1 has ended.").arg(session.warp());
}

QString callText(const DebugSession& session)
{
    const auto next = session.reader().nextOf(session.warp());
    const std::uint32_t deepest = next ? session.reader().deepestOf(*next) : 0;
    if (deepest == 0)
        return {};
    const std::uint32_t least = session.reader().shallowestOf(*next);
    const StepTrace& trace = session.trace();
    const QString function =
        QString::fromStdString(trace.functions[trace.code[trace.steps[*next].instruction].function]);
    if (least != deepest)
        return DebugPanel::tr(" · in %1, lanes %2 to %3 calls deep").arg(function).arg(least).arg(deepest);
    return deepest == 1 ? DebugPanel::tr(" · in %1, 1 call deep").arg(function)
                        : DebugPanel::tr(" · in %1, %2 calls deep").arg(function).arg(deepest);
}

} // namespace ridge::app
