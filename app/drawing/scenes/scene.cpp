// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/scenes/scene.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace ridge::app {
namespace {

/// The axis can be magnified so far that a launch of 10⁹ cycles shows single ones.
constexpr double kLeastShown = 1e-8;

using Maker = std::unique_ptr<Scene> (*)();
const std::vector<std::pair<QString, Maker>>& makers()
{
    static const std::vector<std::pair<QString, Maker>> all = {
        {QStringLiteral("lanes_sectors"), makeLanesSectorsScene},
        {QStringLiteral("shared_banks"), makeSharedBanksScene},
        {QStringLiteral("sm_timeline"), makeSmTimelineScene},
        {QStringLiteral("memory_hierarchy"), makeMemoryHierarchyScene},
        {QStringLiteral("occupancy"), makeOccupancyScene},
        {QStringLiteral("divergence"), makeDivergenceScene},
        {QStringLiteral("fragments"), makeFragmentsScene},
        {QStringLiteral("grid"), makeGridScene},
        {QStringLiteral("lanes"), makeLanesScene},
    };
    return all;
}

} // namespace

const SceneFrame* shownFrame(const std::vector<SceneFrame>& frames, const SceneState& state)
{
    return state.frame < frames.size() ? &frames[state.frame] : nullptr;
}

SceneTracks Scene::tracks(const Frames& frames, const SceneState& state) const
{
    const SceneFrame* frame = shownFrame(frames, state);
    return {frame ? frame->trace.requests.size() : 0, QCoreApplication::translate("ridge::app::Scene", "Request")};
}

SceneState Scene::stepped(const Frames& frames, const SceneState& state, int delta) const
{
    SceneState next = state;
    const std::size_t count = steps(frames, next);
    if (count == 0)
        return next;
    const auto total = static_cast<double>(count);
    const double done = std::round(next.progress * total) + delta;
    if (done >= 0 && done <= total) {
        next.progress = done / total;
    } else if (delta > 0 && next.request + 1 < tracks(frames, next).count) {
        ++next.request;
        next.progress = 0;
    } else if (delta > 0 && next.frame + 1 < frames.size()) {
        ++next.frame;
        next.request = 0;
        next.progress = 0;
    } else if (delta < 0 && next.request > 0) {
        --next.request;
        next.progress = 1;
    } else if (delta < 0 && next.frame > 0) {
        --next.frame;
        next.request = std::max<std::size_t>(1, tracks(frames, next).count) - 1;
        next.progress = 1;
    }
    return next;
}

SceneState Scene::moved(const Frames&, const SceneState& state, int dx, int) const
{
    SceneState next = state;
    if (dx != 0)
        next.lane = std::clamp(state.lane < 0 && dx == -1 ? kWarpSize - 1 : state.lane + dx, 0, kWarpSize - 1);
    return next;
}

SceneState Scene::picked(const Frames&, const SceneState& state, const SceneItem& item, QPointF) const
{
    SceneState next = state;
    if (item.id.startsWith(QLatin1String("lane.")))
        next.lane = item.id.mid(5).toInt();
    return next;
}

QString Scene::pointedId(const Frames&, const SceneState&, const SceneItem& item) const
{
    return item.id.startsWith(QLatin1String("detail.")) ? QStringLiteral("sector.") + item.id.mid(7) : item.id;
}

QString Scene::told(const Frames&, const SceneState&, const SceneItem& item, QPointF) const
{
    return item.text;
}

std::unique_ptr<Scene> makeScene(const QString& id)
{
    if (id == QLatin1String("sm_limits"))
        return makeSmLimitsScene();
    for (const auto& [name, make] : makers())
        if (name == id)
            return make();
    return nullptr;
}

const QStringList& sceneIds()
{
    static const QStringList ids = [] {
        QStringList list;
        for (const auto& [name, make] : makers())
            list << name;
        return list;
    }();
    return ids;
}

bool anySceneSupports(const SceneFrame& frame)
{
    return std::any_of(makers().begin(), makers().end(),
                       [&](const auto& entry) { return entry.second()->supports(frame); });
}

SceneState zoomed(SceneState state, double factor, double at)
{
    const double shown = std::clamp((state.to - state.from) / factor, kLeastShown, 1.0);
    const double anchor = state.from + at * (state.to - state.from);
    state.from = std::clamp(anchor - at * shown, 0.0, 1.0 - shown);
    state.to = state.from + shown;
    return state;
}

SceneState panned(SceneState state, double share)
{
    const double shown = state.to - state.from;
    state.from = std::clamp(state.from + share * shown, 0.0, 1.0 - shown);
    state.to = state.from + shown;
    return state;
}

SceneState fitted(SceneState state)
{
    state.from = 0;
    state.to = 1;
    return state;
}

Json describe(const SceneDrawing& drawing)
{
    Json json;
    json["summary"] = drawing.summary.toStdString();
    json["size"] = {qRound(drawing.size.width()), qRound(drawing.size.height())};
    json["items"] = Json::array();
    for (const SceneItem& item : drawing.items)
        json["items"].push_back({{"id", item.id.toStdString()},
                                 {"text", item.text.toStdString()},
                                 {"rect", Json{qRound(item.rect.x()), qRound(item.rect.y()), qRound(item.rect.width()),
                                               qRound(item.rect.height())}}});
    json["labels"] = Json::array();
    for (const Label& label : drawing.labels)
        json["labels"].push_back(label.text.toStdString());
    json["counts"] = {{"quads", drawing.quads.size()}, {"links", drawing.links.size()}};
    for (const Raster& raster : drawing.rasters) {
        std::map<int, int> tones; // how many cells have each
        for (const std::uint8_t cell : raster.cells)
            ++tones[cell];
        Json counted = Json::object();
        for (const auto& [tone, cells] : tones)
            counted[std::to_string(tone)] = cells;
        json["rasters"].push_back({{"columns", raster.columns}, {"rows", raster.rows}, {"tones", counted}});
    }
    return json;
}

} // namespace ridge::app
