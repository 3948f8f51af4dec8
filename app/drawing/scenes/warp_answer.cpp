// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/scenes/warp_answer.h"

#include "app/drawing/scenes/scene_text.h"

#include <QCoreApplication>
#include <bit>

namespace ridge::app {
namespace {

constexpr std::size_t kFarthestProducer = 4096; // intervals back; no program holds a counter for so long

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::WarpAnswer", text);
}

QString cyclesText(std::uint64_t cycles)
{
    return cycles == 1 ? tr("1 cycle") : tr("%1 cycles").arg(groupedText(static_cast<double>(cycles)));
}

std::size_t longestWait(const WarpTrack& warp)
{
    std::size_t longest = 0;
    for (std::size_t at = 0; at < warp.intervals.size(); ++at)
        if (warp.intervals[at].state != 0 && warp.intervals[at].cycles > warp.intervals[longest].cycles)
            longest = at;
    return longest;
}

const TracedLine* lineOf(const LaunchTrace& trace, std::uint32_t op)
{
    const TracedInstruction& machine = trace.machine[op];
    for (const TracedLine& line : trace.lines)
        if (line.sourceLine == machine.sourceLine && (machine.sourceLine != 0 || line.ptxLine == machine.ptxLine))
            return &line;
    return nullptr;
}

QString producerText(const LaunchTrace& trace, const WarpTrack& warp, std::size_t at, double cycle)
{
    const WarpInterval& issue = warp.intervals[at];
    QString text = tr("%1, issued at cycle %2, %3 before")
                       .arg(instructionText(trace, issue.op), groupedText(issue.begin),
                            cyclesText(static_cast<std::uint64_t>(std::max(0.0, cycle - issue.begin))));
    const TracedLine* line = lineOf(trace, issue.op);
    if (line && !line->text.empty())
        text += tr(" (“%1”)").arg(QString::fromStdString(line->text));
    return text;
}

} // namespace

QString WarpAnswer::text() const
{
    QStringList parts;
    for (const QString& part : {who + QLatin1Char('.'), what, why, remedy})
        if (part.size() > 1)
            parts << part;
    return parts.join(QLatin1Char(' '));
}

QString instructionText(const LaunchTrace& trace, std::uint32_t op)
{
    if (op >= trace.machine.size())
        return tr("an instruction");
    const TracedInstruction& machine = trace.machine[op];
    const QString text = QString::fromStdString(machine.text);
    if (machine.sourceLine != 0)
        return tr("%1 (line %2)").arg(text).arg(machine.sourceLine);
    return machine.ptxLine != 0 ? tr("%1 (PTX line %2)").arg(text).arg(machine.ptxLine) : text;
}

std::vector<std::size_t> producersOf(const LaunchTrace& trace, const WarpTrack& warp, std::size_t at)
{
    std::vector<std::size_t> found;
    unsigned wanted = trace.machine[warp.intervals[at].op].waitMask;
    const std::size_t last = at > kFarthestProducer ? at - kFarthestProducer : 0;
    for (std::size_t back = at; back-- > last && wanted != 0;) {
        const WarpInterval& interval = warp.intervals[back];
        if (interval.state != 0)
            continue;
        const TracedInstruction& machine = trace.machine[interval.op];
        unsigned held = 0;
        for (const std::uint8_t counter : {machine.writeCounter, machine.readCounter})
            held |= counter < 8 ? 1U << counter : 0;
        if ((held & wanted) != 0)
            found.push_back(back);
        wanted &= ~held;
    }
    return found;
}

WarpAnswer answerFor(const LaunchView& view, std::size_t track, double cycle)
{
    const LaunchTrace& trace = view.trace();
    const WarpTrack& warp = trace.warps[track];
    const std::ptrdiff_t found = view.intervalAt(track, cycle);
    const bool outside = found < 0;
    const std::size_t at = outside ? longestWait(warp) : static_cast<std::size_t>(found);
    const WarpInterval& now = warp.intervals[at];
    const std::string& state = trace.states[now.state];
    if (outside)
        cycle = now.begin + now.cycles / 2.0;

    WarpAnswer answer;
    answer.who = tr("Warp %1 of block %2, SM %3, slot %4").arg(warp.warp).arg(warp.block).arg(warp.sm).arg(warp.slot);
    answer.who += outside ? tr(": its longest wait") : tr(" at cycle %1").arg(groupedText(std::floor(cycle)));
    if (now.state == 0) {
        answer.what =
            tr("It issues %1 with %2 of 32 lanes.").arg(instructionText(trace, now.op)).arg(std::popcount(now.lanes));
        const TracedLine* line = lineOf(trace, now.op);
        if (line && !line->text.empty())
            answer.why = tr("Line %1: “%2”.").arg(line->sourceLine).arg(QString::fromStdString(line->text));
        return answer;
    }
    answer.what = tr("State “%1” for %2, from cycle %3 to %4: it is about to issue %5.")
                      .arg(stateText(state), cyclesText(now.cycles), groupedText(now.begin), groupedText(now.end()),
                           instructionText(trace, now.op));
    const StateGroup group = groupOf(state);
    QStringList sources;
    if (group == StateGroup::Memory || group == StateGroup::Shared)
        for (const std::size_t producer : producersOf(trace, warp, at))
            sources << producerText(trace, warp, producer, cycle);
    if (!sources.isEmpty())
        answer.why = tr("That needs the result of %1.").arg(sources.join(tr("; and of ")));
    if (group == StateGroup::Memory && !sources.isEmpty()) {
        const auto producer = producersOf(trace, warp, at).front();
        const TracedLine* line = lineOf(trace, warp.intervals[producer].op);
        if (line && line->sectors > 0 && trace.machine[warp.intervals[producer].op].text.find("LD") == 0)
            answer.why +=
                tr(" That line touches %1 sectors in all.").arg(groupedText(static_cast<double>(line->sectors)));
    }
    answer.remedy = stateAdvice(state);
    return answer;
}

} // namespace ridge::app
