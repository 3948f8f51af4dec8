// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/gallery/gallery_cards.h"

#include "base/json.h"

#include <algorithm>
#include <cmath>

namespace ridge::app {
namespace {

constexpr int kPictureLines = 40; ///< of a kernel's text: more than a picture has room for

QString q(const std::string& text)
{
    return QString::fromStdString(text);
}

/// The module of the first experiment that runs a kernel of this file; kernels of none belong to no module.
std::map<std::string, int> modulesOfKernels(const std::vector<ExperimentInfo>& experiments)
{
    std::map<std::string, int> modules;
    for (const ExperimentInfo& info : experiments)
        for (const std::string& file : info.kernels)
            modules.try_emplace(file, info.module);
    return modules;
}

} // namespace

QString GalleryCard::key() const
{
    switch (kind) {
    case Kind::Experiment:
        return QStringLiteral("experiment/") + id;
    case Kind::Task:
        return QStringLiteral("task/") + id;
    case Kind::Kernel:
        break;
    }
    return QStringLiteral("kernel/") + id;
}

QString kindWords(GalleryCard::Kind kind)
{
    switch (kind) {
    case GalleryCard::Kind::Experiment:
        return QObject::tr("Experiment");
    case GalleryCard::Kind::Task:
        return QObject::tr("Task");
    case GalleryCard::Kind::Kernel:
        break;
    }
    return QObject::tr("Kernel");
}

std::map<std::string, CardRuns> cardRuns(std::vector<record::RunHead> heads, const std::set<std::string>& withheld)
{
    std::erase_if(heads, [&](const record::RunHead& head) { return head.failed || withheld.contains(head.lesson); });
    std::ranges::sort(heads, std::greater(), &record::RunHead::position);
    std::map<std::string, std::string> sweeps; // the newest sweep of each experiment that has more than one point
    std::map<std::string, std::vector<const record::RunHead*>> bySweep;
    for (const record::RunHead& head : heads)
        if (!head.sweepId.empty() && !head.metric.empty() && std::isfinite(head.value))
            bySweep[head.sweepId].push_back(&head);
    std::map<std::string, CardRuns> runs;
    for (const record::RunHead& head : heads) {
        CardRuns& card = runs[head.experiment];
        const auto same = [&](const record::RunHead& kept) {
            return kept.params == head.params && kept.target == head.target;
        };
        if (card.latest.size() < kLatestRuns && std::ranges::none_of(card.latest, same))
            card.latest.push_back(head);
        const auto sweep = bySweep.find(head.sweepId);
        if (sweep == bySweep.end() || sweep->second.size() < 2)
            continue;
        if (!sweeps.try_emplace(head.experiment, head.sweepId).second)
            continue;
        const auto& points = sweep->second; // newest first
        card.provenance = points.front()->provenance;
        for (auto point = points.rbegin(); point != points.rend() && card.curve.size() < kCurvePoints; ++point)
            card.curve.push_back((*point)->value);
    }
    return runs;
}

std::vector<GalleryCard> galleryCards(const std::vector<ExperimentInfo>& experiments, const std::filesystem::path& data)
{
    std::vector<GalleryCard> cards;
    for (const ExperimentInfo& info : experiments)
        cards.push_back({.kind = GalleryCard::Kind::Experiment,
                         .id = q(info.id),
                         .title = q(info.title),
                         .about = q(info.summary),
                         .module = info.module,
                         .lesson = {},
                         .chartKind = info.charts.empty() ? QString() : q(info.charts.front().kind),
                         .lines = {}});
    if (const auto tasks = tasksInOrder())
        for (const auto& [task, course] : *tasks)
            cards.push_back({.kind = GalleryCard::Kind::Task,
                             .id = q(task.id),
                             .title = q(task.title),
                             .about = q(task.about),
                             .module = q(task.lesson).section(u'.', 0, 0).toInt(),
                             .lesson = q(task.lesson),
                             .chartKind = {},
                             .lines = q(course.picture).split(u'\n', Qt::SkipEmptyParts)});
    const auto modules = modulesOfKernels(experiments);
    const std::filesystem::path kernels = data / "kernels";
    for (const KernelExample& example : kernelExamples(data)) {
        if (!example.task.empty())
            continue;
        const std::string file = example.file.lexically_relative(kernels).generic_string();
        const auto module = modules.find(file);
        const auto text = readFile(example.file);
        cards.push_back({.kind = GalleryCard::Kind::Kernel,
                         .id = q(example.id),
                         .title = q(example.title),
                         .about = q(example.about),
                         .module = module == modules.end() ? 0 : module->second,
                         .lesson = {},
                         .chartKind = {},
                         .lines = text ? q(*text).split(u'\n').mid(0, kPictureLines) : QStringList(),
                         .file = example.file});
    }
    return cards;
}

} // namespace ridge::app
