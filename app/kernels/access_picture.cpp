// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/access_picture.h"

#include "app/drawing/scenes/scene_view.h"
#include "app/ui/panels.h"
#include "app/ui/still_scroll.h"
#include "base/lane_mask.h"

#include <QVBoxLayout>
#include <bit>

namespace ridge::app {

std::optional<MemoryTrace> memoryTraceOf(const StepTrace& trace, const TracedStep& step)
{
    if (step.access == TracedStep::kNoStep)
        return std::nullopt;
    const StepAccess& access = trace.accesses[step.access];
    if (access.space == StepAccess::Space::Local || access.bytes > 16 || !std::has_single_bit(access.bytes))
        return std::nullopt;
    MemoryTrace made;
    made.kernel = trace.kernel;
    made.buffers = trace.buffers;
    MemoryRequest request;
    request.space = access.space == StepAccess::Space::Shared ? MemorySpace::Shared : MemorySpace::Global;
    request.op = access.kind == StepAccess::Kind::Load    ? MemoryOp::Load
                 : access.kind == StepAccess::Kind::Store ? MemoryOp::Store
                                                          : MemoryOp::Atomic;
    request.accessBytes = access.bytes;
    request.activeMask = step.executed;
    request.block = trace.block[0] + trace.gridDim[0] * (trace.block[1] + trace.gridDim[1] * trace.block[2]);
    request.warp = step.warp;
    request.ptxLine = trace.code[step.instruction].ptxLine;
    request.sourceLine = trace.code[step.instruction].sourceLine;
    forLanes(step.executed,
             [&](std::uint32_t lane) { request.addresses[lane] = trace.word(access.addresses, step.executed, lane); });
    made.requests.push_back(request);
    return made;
}

AccessPicture::AccessPicture(Theme& theme, QWidget* parent)
    : QWidget(parent), m_view(new SceneView(theme, makeLanesSectorsScene())), m_scroll(new StillScroll),
      m_heading(makeText(theme, {})), m_message(makeText(theme, {}, TextStyle::Body, QStringLiteral("muted")))
{
    setAccessibleName(tr("Picture of the last access"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, space::xs, 0, 0);
    column->addWidget(m_heading);
    column->addWidget(m_message);
    m_scroll->setAccessibleName(tr("Picture of the last access"));
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->setWidget(m_view);
    column->addWidget(m_scroll, 1);
    column->addStretch(0);
}

QString AccessPicture::heading() const
{
    return m_heading->text();
}

QString AccessPicture::message() const
{
    return m_message->isHidden() ? QString() : m_message->text();
}

void AccessPicture::setAccess(const StepTrace& trace, const TracedStep* step)
{
    auto drawn = step ? memoryTraceOf(trace, *step) : std::nullopt;
    m_message->setText(!step ? tr("This warp has not touched memory yet.")
                       : !drawn
                           ? tr("Local memory and accesses of more than 16 bytes a lane have no picture. The table "
                                "under “Last access” has their addresses.")
                           : QString());
    m_message->setVisible(!drawn);
    m_scroll->setVisible(drawn.has_value());
    m_heading->setVisible(drawn.has_value());
    if (!drawn)
        return;
    const bool shared = drawn->requests.front().space == MemorySpace::Shared;
    m_view->chooseScene(shared ? QStringLiteral("shared_banks") : QStringLiteral("lanes_sectors"));
    SceneFrame frame;
    const std::uint32_t line = lineOf(trace.code[step->instruction]);
    m_heading->setText(tr("The access that warp %1 did last, in line %2: it is over. The instruction above comes next.")
                           .arg(step->warp)
                           .arg(line));
    frame.title = tr("last access: block (%1, %2, %3), warp %4, line %5")
                      .arg(trace.block[0])
                      .arg(trace.block[1])
                      .arg(trace.block[2])
                      .arg(step->warp)
                      .arg(line);
    frame.trace = std::move(*drawn);
    m_view->setFrames({std::move(frame)});
}

} // namespace ridge::app

#include "moc_access_picture.cpp"
