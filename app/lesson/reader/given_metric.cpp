// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/given_metric.h"

#include "app/ui/target_box.h"
#include "base/clocked_metric.h"
#include "lessons/placeholders.h"

namespace ridge::app {
namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("GivenMetric", text);
}

QString titleOf(const ExperimentInfo& info, const std::string& metric)
{
    const MetricSpec* spec = info.metric(metric);
    return QString::fromStdString(spec ? spec->title : metric);
}

} // namespace

std::optional<Obstacle> cannotGive(const LessonState& state, AppContext& context, const std::string& experiment,
                                   const std::string& metric, const ParamSet& point)
{
    const ExperimentInfo* info = context.experiment(experiment);
    if (!info)
        return std::nullopt;
    const QString target = state.targetOf(experiment);
    const QString title = context.targetInfo(target).title;
    const TargetOffer offer = offerOf(context, target);
    if (offer.countsOnly && needsClock(*info, metric))
        return Obstacle{tr("%1 gives counts only, so it cannot give “%2”.").arg(title, titleOf(*info, metric)),
                        offer.nearest.isEmpty() ? tr("Choose another target in the status bar.")
                                                : tr("Choose %1, the nearest chip that can, in the status bar.")
                                                      .arg(context.targetInfo(offer.nearest).title)};
    for (auto run = state.runs().rbegin(); run != state.runs().rend(); ++run) {
        if (run->experiment != experiment || run->target != target.toStdString() || run->status != "finished" ||
            run->metrics.empty() || !lessons::matches(run->params, point)) // without any: results are held back
            continue;
        if (run->metrics.contains(metric))
            return std::nullopt;
        return Obstacle{tr("%1 ran and gave no “%2”.").arg(title, titleOf(*info, metric)),
                        tr("Choose another target in the status bar.")};
    }
    return std::nullopt;
}

} // namespace ridge::app
