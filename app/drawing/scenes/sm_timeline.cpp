// SPDX-License-Identifier: GPL-3.0-or-later
// Warps over time, from the whole chip down to single instructions of single warps, on one time axis.
//
// Three bands share the axis: all SMs (a row each, the state that most of its warps are in, stronger the more slots are
// filled), the warp slots of one SM (each pixel column divided as the warp divided its cycles), and the chosen warp,
// instruction by instruction. Bands are dense maps of one cell a pixel: their cost does not grow with the trace.
#include "app/drawing/scenes/scene_text.h"
#include "app/drawing/scenes/sm_timeline_picture.h"

#include <QCoreApplication>
#include <algorithm>

namespace ridge::app {
namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::SmTimeline", text);
}

class SmTimeline : public Scene {
public:
    QString id() const override { return QStringLiteral("sm_timeline"); }
    QString title() const override { return tr("Warps over time"); }
    bool timed() const override { return true; }
    bool supports(const SceneFrame& frame) const override { return frame.payloads.get<LaunchView>() != nullptr; }

    SceneDrawing draw(const Frames& frames, const SceneState& state, QSizeF size, double textScale) const override
    {
        SceneBuilder builder(size, textScale);
        const LaunchView* view = shownLaunch(frames, state);
        if (!view)
            return builder.empty(noLaunchText(frames, state));
        TimelinePicture picture(*view, state, builder);
        const double used = picture.draw();
        return builder.finish(summary(frames[state.frame], *view), used + SceneBuilder::kMargin);
    }

    double preferredHeight(const Frames& frames, double textScale) const override
    {
        double bands = 200;
        for (const SceneFrame& frame : frames) {
            const auto* view = frame.payloads.get<LaunchView>();
            if (!view)
                continue;
            std::size_t slots = 0; // those of the fullest SM that was watched
            for (std::uint32_t sm = 0; sm < view->trace().watchedSms; ++sm) {
                std::size_t used = 0;
                for (std::uint32_t slot = 0; slot < view->slotsOf(sm); ++slot)
                    used += view->tracksOf(sm, slot).empty() ? 0 : 1;
                slots = std::max(slots, used);
            }
            bands = std::max(bands, smRowHeight(*view) * view->trace().chip.sms +
                                        std::clamp(18.0 * static_cast<double>(slots), 100.0, 230.0));
        }
        return bands + 60 + (260 + (textScale > 1.25 ? 120 : 0)) * textScale;
    }

    SceneTracks tracks(const Frames& frames, const SceneState& state) const override
    {
        const LaunchView* view = shownLaunch(frames, state);
        return {view ? view->trace().warps.size() : 0, tr("Warp")};
    }

    std::size_t steps(const Frames& frames, const SceneState& state) const override
    {
        const LaunchView* view = shownLaunch(frames, state);
        return view && state.request < view->trace().warps.size() ? view->trace().warps[state.request].intervals.size()
                                                                  : 0;
    }

    /// From state to state of the chosen warp; the view follows.
    SceneState stepped(const Frames& frames, const SceneState& state, int delta) const override
    {
        const LaunchView* view = shownLaunch(frames, state);
        if (!view || state.request >= view->trace().warps.size())
            return state;
        const std::vector<WarpInterval>& all = view->trace().warps[state.request].intervals;
        const double cycle = state.progress * view->cycles();
        const std::ptrdiff_t at = view->intervalAt(state.request, cycle);
        const auto last = static_cast<std::ptrdiff_t>(all.size()) - 1;
        const std::ptrdiff_t next = at >= 0 ? at + delta : cycle < all.front().begin ? std::max(0, delta - 1) : last;
        if (next < 0 || (next > last && at == last))
            return state;
        return placed(*view, state, all[static_cast<std::size_t>(std::min(next, last))].begin + 0.5);
    }

    SceneState moved(const Frames& frames, const SceneState& state, int dx, int dy) const override
    {
        if (dy == 0)
            return panned(state, dx * 0.1);
        const LaunchView* view = shownLaunch(frames, state);
        if (!view)
            return state;
        SceneState next = state;
        const int sm = state.row >= 0 ? state.row
                       : state.request < view->trace().warps.size()
                           ? static_cast<int>(view->trace().warps[state.request].sm)
                           : 0;
        next.row = std::clamp(sm + dy, 0, static_cast<int>(view->trace().chip.sms) - 1);
        return chosenSm(*view, next, next.row);
    }

    SceneState picked(const Frames& frames, const SceneState& state, const SceneItem& item, QPointF at) const override
    {
        const LaunchView* view = shownLaunch(frames, state);
        const QStringList parts = item.id.split(QLatin1Char('.'));
        if (!view ||
            (parts[0] != QLatin1String("sm") && parts[0] != QLatin1String("slot") && parts[0] != QLatin1String("warp")))
            return state;
        SceneState next = state;
        const double share = (at.x() - item.rect.left()) / item.rect.width();
        next.progress = std::clamp(state.from + share * (state.to - state.from), 0.0, 1.0);
        if (parts[0] == QLatin1String("sm"))
            return chosenSm(*view, next, parts[1].toInt());
        if (parts[0] == QLatin1String("slot"))
            return chosenSlot(*view, next, parts[1].toUInt(), parts[2].toUInt());
        return next;
    }

    std::vector<QStringList> table(const Frames& frames, const SceneState& state) const override
    {
        std::vector<QStringList> rows = {
            {tr("Warp state"), tr("Letter"), tr("Warp-cycles"), tr("Share"), tr("Of this warp")}};
        const LaunchView* view = shownLaunch(frames, state);
        if (!view)
            return rows;
        const LaunchTrace& trace = view->trace();
        std::vector<std::uint64_t> own(trace.states.size(), 0);
        if (state.request < trace.warps.size())
            for (const WarpInterval& interval : trace.warps[state.request].intervals)
                own[interval.state] += interval.cycles;
        for (std::size_t at = 0; at < trace.states.size(); ++at) {
            if (trace.stateCycles[at] == 0 && own[at] == 0)
                continue;
            const double share = trace.counters.warpCycles == 0 ? 0
                                                                : 100.0 * static_cast<double>(trace.stateCycles[at]) /
                                                                      static_cast<double>(trace.counters.warpCycles);
            rows.push_back({stateText(trace.states[at]), QString(lookOf(groupOf(trace.states[at])).letter),
                            QString::number(trace.stateCycles[at]), QStringLiteral("%1 %").arg(share, 0, 'f', 1),
                            QString::number(own[at])});
        }
        return rows;
    }

private:
    /// The cursor at a cycle, in sight.
    static SceneState placed(const LaunchView& view, SceneState state, double cycle)
    {
        state.progress = std::clamp(cycle / view.cycles(), 0.0, 1.0);
        const double shown = state.to - state.from;
        if (state.progress < state.from || state.progress > state.to) {
            state.from = std::clamp(state.progress - shown / 2, 0.0, 1.0 - shown);
            state.to = state.from + shown;
        }
        return state;
    }

    static SceneState chosenSm(const LaunchView& view, SceneState state, int sm)
    {
        state.row = sm;
        if (static_cast<std::uint32_t>(sm) >= view.trace().watchedSms)
            return state;
        for (std::uint32_t slot = 0; slot < view.slotsOf(static_cast<std::uint32_t>(sm)); ++slot) {
            const SceneState found = chosenSlot(view, state, static_cast<std::uint32_t>(sm), slot);
            if (found.row < 0)
                return found;
        }
        return state;
    }

    /// The track of a slot at the cursor, else its last one before.
    static SceneState chosenSlot(const LaunchView& view, SceneState state, std::uint32_t sm, std::uint32_t slot)
    {
        const std::vector<std::size_t>& tracks = view.tracksOf(sm, slot);
        if (tracks.empty())
            return state;
        std::size_t chosen = tracks.front();
        for (const std::size_t track : tracks)
            if (view.trace().warps[track].intervals.front().begin <= state.progress * view.cycles())
                chosen = track;
        state.request = chosen;
        state.row = -1;
        return state;
    }

    static QString summary(const SceneFrame& frame, const LaunchView& view)
    {
        const LaunchTrace& trace = view.trace();
        return headText(frame) +
               tr("%1 took %2 cycles on %3 SMs; its warps were %4.")
                   .arg(QString::fromStdString(trace.kernel), groupedText(static_cast<double>(trace.cycles)))
                   .arg(trace.chip.sms)
                   .arg(sharesText(view.ofLaunch(), 3));
    }
};

} // namespace

std::unique_ptr<Scene> makeSmTimelineScene()
{
    return std::make_unique<SmTimeline>();
}

} // namespace ridge::app
