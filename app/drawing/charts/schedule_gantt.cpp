// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/charts/schedule_gantt.h"

#include "base/provenance.h"

#include <map>

namespace ridge::app {

namespace {

QString words(const std::string& text)
{
    return QString::fromStdString(text);
}

/// The place of `kind` in the key, where it is appended when it is new.
int indexOf(std::vector<QString>& kinds, const QString& kind)
{
    const auto found = std::find(kinds.begin(), kinds.end(), kind);
    const auto at = found - kinds.begin();
    if (found == kinds.end())
        kinds.push_back(kind);
    return static_cast<int>(at);
}

} // namespace

GanttData ganttOf(const ScheduleTrace& trace, ChartOrigin origin)
{
    GanttData data;
    data.title = words(trace.title);
    data.origin = std::move(origin);
    data.caption = originText(data.origin);
    data.timeTitle = QStringLiteral("time");
    data.unit = QStringLiteral("s");
    data.emptyText = QStringLiteral("No operation of this schedule was timed.");
    if (const auto known = provenanceFromText(trace.provenance))
        data.provenance = *known;
    std::map<std::uint32_t, int> lanes;
    bool calls = false;
    for (const TracedOperation& operation : trace.operations) {
        lanes[operation.stream] = 0;
        calls = calls || operation.returned > 0;
    }
    if (calls)
        data.lanes.push_back(QStringLiteral("CPU calls, from the first"));
    for (auto& [stream, lane] : lanes) {
        lane = static_cast<int>(data.lanes.size());
        data.lanes.push_back(QStringLiteral("stream %1").arg(stream));
    }
    for (const TracedOperation& operation : trace.operations) {
        if (operation.lane == "event")
            continue;
        const int kind = indexOf(data.kinds, words(operation.lane));
        data.spans.push_back(
            {lanes[operation.stream], kind, operation.begin, operation.end - operation.begin, words(operation.label)});
        if (calls)
            data.spans.push_back(
                {0, kind, operation.called, operation.returned - operation.called, words(operation.label)});
    }
    return data;
}

} // namespace ridge::app
