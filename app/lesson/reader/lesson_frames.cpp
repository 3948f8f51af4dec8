// SPDX-License-Identifier: GPL-3.0-or-later
// The part of LessonState that keeps the traces of each block's newest request for its scenes.
#include "app/drawing/charts/chart_text.h"
#include "app/lesson/reader/lesson_state.h"

#include "app/drawing/scenes/trace_loader.h"
#include "lessons/controls.h"
#include "record/worker/when_done.h"

namespace ridge::app {

const std::vector<BlockFrame>& LessonState::frames(const std::string& block) const
{
    static const std::vector<BlockFrame> none;
    const auto found = m_frames.find(block);
    return found == m_frames.end() ? none : found->second.frames;
}

void LessonState::beginFrames(const std::string& block)
{
    FrameSet& set = m_frames[block];
    set.frames.clear();
    set.order.clear();
    ++set.generation; // traces of the former request that still arrive are dropped
    announceFrames(block);
}

void LessonState::addFrame(const std::string& block, std::size_t index, BlockFrame frame)
{
    if (held(Outcome::Result).isEmpty())
        placeFrame(block, index, std::move(frame));
}

void LessonState::placeFrame(const std::string& block, std::size_t index, BlockFrame frame)
{
    FrameSet& set = m_frames[block];
    const auto place = std::ranges::lower_bound(set.order, index);
    const auto offset = place - set.order.begin();
    if (place != set.order.end() && *place == index) { // a further trace of the point
        SceneFrame& known = set.frames[std::size_t(offset)].scene;
        if (!frame.scene.trace.requests.empty())
            known.trace = std::move(frame.scene.trace);
        known.payloads.merge(frame.scene.payloads);
        known.problem = known.problem.isEmpty() ? frame.scene.problem : known.problem;
        return announceFrames(block);
    }
    set.order.insert(place, index);
    set.frames.insert(set.frames.begin() + offset, std::move(frame));
    announceFrames(block);
}

void LessonState::restoreFrames(const std::string& block)
{
    record::Store* store = m_context.store();
    if (!store)
        return;
    beginFrames(block);
    const int generation = m_frames[block].generation;
    std::size_t index = 0;
    for (const record::RunRow* row : latestRequest(block)) {
        const std::size_t at = index++;
        if (row->traceSha256.empty())
            continue;
        BlockFrame frame{.params = row->params,
                         .scene = {.title = pointTitle(block, row->params), .trace = {}, .metrics = {}}};
        for (const auto& [name, metric] : row->metrics)
            frame.scene.metrics[name] = metric.value;
        auto bytes = store->file(row->traceSha256);
        if (!bytes) {
            unreadable(bytes.error()).addTo(frame.scene);
            placeFrame(block, at, std::move(frame));
            continue;
        }
        ++m_pendingTraces;
        const TraceOrigin origin{
            .kind = {},
            .run = tr("%1 on %2").arg(QString::fromStdString(row->experiment), QString::fromStdString(row->target))};
        record::whenDone(decodeTracesAsync(std::move(*bytes), origin), this,
                         [this, block, generation, at, frame](const Result<DecodedTraces>& trace) mutable {
                             --m_pendingTraces;
                             if (m_frames[block].generation == generation) {
                                 (trace ? *trace : unreadable(trace.error())).addTo(frame.scene);
                                 placeFrame(block, at, std::move(frame));
                             }
                             if (m_pendingTraces == 0) {
                                 announceNow();
                                 Q_EMIT framesSettled();
                             }
                         });
    }
}

std::vector<std::string> LessonState::axesOf(const std::string& block) const
{
    const lessons::Block* found = m_lesson.block(block);
    std::vector<std::string> axes;
    if (!found)
        return axes;
    if (const auto* sweep = std::get_if<lessons::SweepBlock>(&found->body)) {
        for (const std::string& axis : sweep->sweep)
            axes.push_back(axis.substr(0, axis.find('=')));
    } else if (const auto* run = std::get_if<lessons::RunBlock>(&found->body)) {
        axes = run->controls;
        if (axes.empty())
            for (const auto& [name, value] : run->set)
                axes.push_back(name);
    } else if (const auto* challenge = std::get_if<lessons::ChallengeBlock>(&found->body)) {
        axes = lessons::controlNames(challenge->controls);
    } else if (const auto* predict = std::get_if<lessons::PredictBlock>(&found->body)) {
        for (const auto& [name, value] : predict->at)
            axes.push_back(name);
    }
    return axes;
}

QString LessonState::pointTitle(const std::string& block, const ParamSet& params) const
{
    const lessons::Block* found = m_lesson.block(block);
    const auto experimentOf = [](const auto& body) {
        if constexpr (requires { body.experiment; })
            return body.experiment;
        else
            return std::string();
    };
    const ExperimentInfo* info = found ? m_context.experiment(std::visit(experimentOf, found->body)) : nullptr;
    QStringList parts;
    for (const std::string& name : axesOf(block))
        if (const auto value = params.find(name); value != params.end())
            parts += info ? parameterWords(*info, name, value->second)
                          : QStringLiteral("%1 = %2").arg(QString::fromStdString(name),
                                                          QString::fromStdString(toText(value->second)));
    return parts.join(QStringLiteral(", "));
}

void LessonState::selectPoint(const std::string& block, const ParamSet& params)
{
    Q_EMIT pointSelected(QString::fromStdString(block), params);
}

} // namespace ridge::app
