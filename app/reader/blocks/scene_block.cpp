// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/reader/blocks/view_blocks.h"

namespace ridge::app {

SceneBlockWidget::SceneBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent)
    : BlockWidget(context, block, tr("Scene"), parent), m_scene(std::get<lessons::SceneBlock>(block.body)),
      m_empty(new ThemedLabel(context.theme(), {}, TextStyle::Body, "hint", this))
{
    addText(m_scene.ask, ProseLook::Question);
    body()->addWidget(m_empty);
    m_empty->setObjectName(QStringLiteral("sceneEmpty"));
    if (auto scene = makeScene(QString::fromStdString(m_scene.scene))) {
        m_view = new SceneView(theme(), std::move(scene), this);
        m_view->setMinimumHeight(380);
        m_view->offerScenes(sceneIds());
        body()->addWidget(m_view);
        m_empty->setText(tr("Run the block above: every point it sweeps becomes one step here."));
        connect(m_view, &SceneView::stateChanged, this, [this](const SceneState& now) {
            if (now.frame == m_lastFrame || now.frame >= m_shown.size())
                return;
            m_lastFrame = now.frame;
            state().selectPoint(m_scene.of, m_shown[now.frame]);
        });
    } else {
        m_empty->setText(
            tr("This version has no scene “%1”. Update Ridgepoint.").arg(QString::fromStdString(m_scene.scene)));
        m_empty->setTone("error");
    }
    addCaption(m_scene.caption);
    connect(&context.state, &LessonState::framesChanged, this, [this](const QString& id) {
        if (id.toStdString() == m_scene.of)
            takeFrames();
    });
    connect(&context.state, &LessonState::pointSelected, this, [this](const QString& id, const ParamSet& params) {
        if (id.toStdString() == m_scene.of)
            follow(params);
    });
    takeFrames();
}

void SceneBlockWidget::takeFrames()
{
    if (!m_view)
        return;
    const auto& frames = state().frames(m_scene.of);
    std::vector<ParamSet> points;
    for (const BlockFrame& frame : frames)
        points.push_back(frame.params);
    const bool grown = points.size() == m_shown.size() + 1 &&
                       std::equal(m_shown.begin(), m_shown.end(), points.begin()) && !m_shown.empty();
    m_shown = std::move(points);
    if (grown) {
        m_view->appendFrame(frames.back().scene);
    } else {
        std::vector<SceneFrame> all;
        for (const BlockFrame& frame : frames)
            all.push_back(frame.scene);
        const SceneState before = m_view->state();
        m_view->setFrames(std::move(all));
        if (before.frame < m_shown.size())
            m_view->setState(before);
    }
    m_lastFrame = m_view->state().frame;
    m_view->setVisible(!m_shown.empty());
    m_empty->setVisible(m_shown.empty());
}

void SceneBlockWidget::follow(const ParamSet& params)
{
    const auto found = std::ranges::find(m_shown, params);
    if (!m_view || found == m_shown.end())
        return;
    const std::size_t frame = std::size_t(found - m_shown.begin());
    if (frame == m_view->state().frame)
        return;
    m_lastFrame = frame;
    SceneState wanted = m_view->state();
    wanted.frame = frame;
    wanted.request = 0;
    wanted.progress = 1;
    m_view->setState(wanted);
}

} // namespace ridge::app
