// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/blocks/view_blocks.h"

#include "app/theme/announce.h"
#include "evidence/evidence.h"
#include "lessons/answers.h"
#include "lessons/placeholders.h"
#include "lessons/pointing.h"

#include <QComboBox>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>

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
        const lessons::Block* of = state().lesson().block(m_scene.of);
        m_empty->setText(of && std::holds_alternative<lessons::SweepBlock>(of->body)
                             ? tr("Run the block above: every point it sweeps becomes one step here.")
                             : tr("Run the block above to see its run here."));
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
    if (m_view && !m_scene.answer.empty())
        addQuestion();
    addCaption(m_scene.caption, Caption::After);
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

/// The same things as in the picture, as a list: for the keyboard and for a screen reader.
void SceneBlockWidget::addQuestion()
{
    m_question = new QWidget(this);
    auto* row = new QHBoxLayout(m_question);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::s);
    auto* label =
        new ThemedLabel(theme(), tr("Click it in the picture, or choose it:"), TextStyle::Body, "muted", m_question);
    label->setWordWrap(false);
    m_things = new QComboBox(m_question);
    m_things->setObjectName(QStringLiteral("things"));
    m_things->setAccessibleName(tr("What you point at"));
    m_things->setEditable(true);
    m_things->setInsertPolicy(QComboBox::NoInsert);
    m_things->setFixedWidth(theme().scaled(180));
    m_things->lineEdit()->setPlaceholderText(tr("Nothing chosen"));
    m_answer = new QPushButton(tr("Answer"), m_question);
    m_answer->setObjectName(QStringLiteral("answerButton"));
    m_answer->setAccessibleName(tr("Give this answer"));
    for (QWidget* part : std::initializer_list<QWidget*>{label, m_things, m_answer})
        row->addWidget(part);
    row->addStretch();
    body()->addWidget(m_question);
    m_verdict = addLabel({}, TextStyle::Strong);
    m_verdict->setObjectName(QStringLiteral("verdict"));
    addHeld();
    m_explains = addText(m_scene.explains, ProseLook::Card);
    connect(m_view, &SceneView::pointed, this, &SceneBlockWidget::choose);
    connect(m_view, &SceneView::stateChanged, this, &SceneBlockWidget::fillThings);
    connect(m_things, &QComboBox::editTextChanged, this, [this] { m_answer->setEnabled(canActivate()); });
    connect(m_things->lineEdit(), &QLineEdit::returnPressed, this, &SceneBlockWidget::activate);
    connect(m_answer, &QPushButton::clicked, this, &SceneBlockWidget::activate);
    connect(&state(), &LessonState::answersChanged, this, [this](const QString& id) {
        if (id == blockId())
            refreshAnswer();
    });
    refreshAnswer();
}

/// Only the kind of thing that is asked for.
void SceneBlockWidget::fillThings()
{
    if (!m_things)
        return;
    const QString asked = QString::fromStdString(m_scene.answer.front());
    const QString kind = asked.left(asked.indexOf(QLatin1Char('.')) + 1), text = m_things->currentText();
    const QSignalBlocker quiet(m_things);
    m_things->clear();
    for (const auto& [id, told] : m_view->pointable())
        if (id.startsWith(kind))
            m_things->addItem(QString::fromStdString(lessons::pointedText(id.toStdString())), id);
    m_things->setEditText(text);
}

void SceneBlockWidget::choose(const QString& id)
{
    if (!lessons::isPointable(m_scene.scene, id.toStdString()))
        return;
    m_things->setEditText(QString::fromStdString(lessons::pointedText(id.toStdString())));
}

QString SceneBlockWidget::chosen() const
{
    QString id = m_things->currentText().trimmed().toLower();
    id.replace(QStringLiteral(", "), QStringLiteral(".")).replace(QLatin1Char(' '), QLatin1Char('.'));
    return lessons::isPointable(m_scene.scene, id.toStdString()) ? id : QString();
}

bool SceneBlockWidget::canActivate() const
{
    return m_things && !m_pending && !m_shown.empty() && !state().storeObstacle() && !chosen().isEmpty();
}

void SceneBlockWidget::activate()
{
    if (!canActivate())
        return;
    lessons::AnswerGiven given;
    given.item = chosen().toStdString();
    record::AnswerRow row;
    row.block = block().id;
    row.answer = toJson(given);
    row.correct = lessons::isRight(block(), given);
    m_pending = true;
    state().commit(std::move(row), this, [this](const Result<std::string>& stored) {
        m_pending = false;
        refreshAnswer();
        if (stored)
            return announce(m_verdict, m_verdict->text());
        m_verdict->setText(QString::fromStdString(toText(stored.error())));
        m_verdict->setTone("error");
        m_verdict->setVisible(true);
    });
}

void SceneBlockWidget::refreshAnswer()
{
    const auto answers = state().answersOf(block().id);
    const QString held = answers.empty() ? QString() : state().heldAnswer(block().id);
    const bool told = !answers.empty() && held.isEmpty(), right = told && answers.back()->correct;
    m_question->setVisible(!m_shown.empty());
    setHeld(tr("Your answer is stored."), held);
    m_verdict->setVisible(told);
    if (m_explains)
        m_explains->setVisible(right);
    m_answer->setEnabled(canActivate());
    if (answers.empty())
        return;
    const QString thing = QString::fromStdString(lessons::pointedText(answerFromJson(*answers.back()->answer).item));
    if (m_things->currentText().isEmpty())
        m_things->setEditText(thing);
    m_verdict->setText(right ? tr("Right: %1.").arg(thing) : tr("Not %1. Look again.").arg(thing));
    m_verdict->setTone(right ? "ok" : "warn");
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
    setCaptionShown(!m_shown.empty());
    if (!m_things)
        return;
    const auto at =
        std::ranges::find_if(m_shown, [this](const ParamSet& p) { return lessons::matches(p, m_scene.at); });
    if (!m_asked && at != m_shown.end()) {
        m_asked = true;
        follow(*at);
    }
    fillThings();
    refreshAnswer();
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
