// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/reader/blocks/answer_blocks.h"
#include "app/reader/inline_html.h"
#include "base/units.h"

#include <QButtonGroup>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <cmath>

namespace ridge::app {

QuizBlockWidget::QuizBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent)
    : BlockWidget(context, block, tr("Question"), parent), m_quiz(std::get<lessons::QuizBlock>(block.body)),
      m_check(new QPushButton(tr("Check"), this)),
      m_verdict(new ThemedLabel(context.theme(), {}, TextStyle::Strong, "", this))
{
    addText(m_quiz.question, ProseLook::Question);
    if (m_quiz.number)
        addNumber();
    else
        addChoices();
    m_check->setObjectName(QStringLiteral("checkButton"));
    m_check->setAccessibleName(tr("Check my answer"));
    if (!m_quiz.number) {
        auto* row = new QHBoxLayout;
        row->addWidget(m_check);
        row->addStretch();
        body()->addLayout(row);
    }
    m_verdict->setObjectName(QStringLiteral("verdict"));
    body()->addWidget(m_verdict);
    addHeld();
    m_misconception = new AuthorLabel(context, {}, TextStyle::Body, "", this);
    m_misconception->setObjectName(QStringLiteral("misconception"));
    m_misconception->setVisible(false);
    body()->addWidget(m_misconception);
    m_explains = addText(m_quiz.explains, ProseLook::Card);
    connect(m_check, &QPushButton::clicked, this, &QuizBlockWidget::activate);
    connect(&context.state, &LessonState::answersChanged, this, [this](const QString& id) {
        if (id == blockId())
            refresh();
    });
    refresh();
}

void QuizBlockWidget::addChoices()
{
    auto* group = new QButtonGroup(this);
    auto* rows = new QVBoxLayout;
    rows->setSpacing(0);
    body()->addLayout(rows);
    for (const auto& choice : m_quiz.choices) {
        auto* row = new ChoiceRow(this->context(), choice.text, this);
        row->button()->setObjectName(QStringLiteral("choice:%1").arg(m_choices.size()));
        group->addButton(row->button());
        rows->addWidget(row);
        m_choices.push_back(row);
        connect(row->button(), &QRadioButton::toggled, this, [this] { m_check->setEnabled(canActivate()); });
    }
}

void QuizBlockWidget::addNumber()
{
    m_number = new QLineEdit(this);
    m_number->setObjectName(QStringLiteral("number"));
    const QString unit = shownUnit(m_quiz.unit);
    m_number->setAccessibleName(unit.isEmpty() ? tr("Your answer") : tr("Your answer in %1").arg(unit));
    m_number->setAlignment(Qt::AlignRight);
    m_number->setFixedWidth(theme().scaled(120));
    auto* row = new QHBoxLayout;
    row->setSpacing(space::s);
    row->addWidget(m_number);
    auto* unitLabel =
        new ThemedLabel(theme(), takesPrefix(m_quiz.unit) ? tr("in %1, or with its unit").arg(unit) : unit,
                        TextStyle::Body, "muted", this);
    unitLabel->setWordWrap(false);
    row->addWidget(unitLabel);
    row->addSpacing(space::s);
    row->addWidget(m_check);
    row->addStretch();
    body()->addLayout(row);
    connect(m_number, &QLineEdit::textChanged, this, [this] { m_check->setEnabled(canActivate()); });
    connect(m_number, &QLineEdit::returnPressed, this, &QuizBlockWidget::activate);
}

int QuizBlockWidget::chosen() const
{
    for (std::size_t i = 0; i < m_choices.size(); ++i)
        if (m_choices[i]->button()->isChecked())
            return int(i);
    return -1;
}

bool QuizBlockWidget::canActivate() const
{
    if (m_pending || state().storeObstacle())
        return false;
    return m_number ? !m_number->text().trimmed().isEmpty() : chosen() >= 0;
}

void QuizBlockWidget::activate()
{
    if (!canActivate())
        return;
    if (!m_number) {
        const int choice = chosen();
        return attempt(Json{{"choice", choice}}, m_quiz.choices[std::size_t(choice)].correct);
    }
    const auto value = parseQuantity(m_number->text().toStdString(), m_quiz.unit);
    if (!value) {
        m_verdict->setText(QString::fromStdString(toText(value.error())));
        m_verdict->setTone("error");
        m_verdict->setVisible(true);
        return;
    }
    // Rounding of a typed decimal must not fail an exact answer.
    const double slack = m_quiz.tolerance + 1e-9 * std::abs(*m_quiz.number);
    attempt(Json{{"number", *value}}, std::abs(*value - *m_quiz.number) <= slack);
}

void QuizBlockWidget::attempt(Json answer, bool correct)
{
    record::AnswerRow row;
    row.block = block().id;
    row.answer = std::move(answer);
    row.correct = correct;
    m_pending = true;
    state().commit(std::move(row), this, [this](const Result<std::string>& stored) {
        m_pending = false;
        if (stored)
            return refresh();
        m_verdict->setText(QString::fromStdString(toText(stored.error())));
        m_verdict->setTone("error");
        m_verdict->setVisible(true);
        m_check->setEnabled(canActivate());
    });
}

void QuizBlockWidget::refresh()
{
    const auto answers = state().answersOf(block().id);
    if (const auto obstacle = state().storeObstacle())
        m_check->setToolTip(obstacle->line());
    m_check->setEnabled(canActivate());
    const QString held = answers.empty() ? QString() : state().heldAnswer(block().id);
    setHeld(tr("Your answer is stored."), held);
    m_verdict->setVisible(!answers.empty() && held.isEmpty());
    if (m_explains)
        m_explains->setVisible(!answers.empty() && held.isEmpty());
    if (answers.empty())
        return;
    const auto& newest = *answers.back();
    if (!held.isEmpty())
        return showGiven(*newest.answer);
    const QString attempts = tr("(attempt %1)").arg(answers.size());
    m_verdict->setText((newest.correct ? tr("Right.") : tr("Not yet.")) +
                       (answers.size() > 1 ? QLatin1Char(' ') + attempts : QString()));
    m_verdict->setTone(newest.correct ? "ok" : "warn");
    if (m_number)
        showNumberFeedback(*newest.answer, newest.correct);
    else
        showChoiceFeedback(*newest.answer);
}

/// What was answered, and no word about it.
void QuizBlockWidget::showGiven(const Json& answer)
{
    m_misconception->setVisible(false);
    if (m_number) {
        const double given = answer.value("number", 0.0);
        if (m_number->text().isEmpty())
            m_number->setText(QString::fromStdString(takesPrefix(m_quiz.unit) ? formatQuantity(given, m_quiz.unit)
                                                                              : formatNumber(given)));
        return;
    }
    const int given = answer.value("choice", -1);
    for (std::size_t i = 0; i < m_choices.size(); ++i) {
        if (int(i) == given)
            m_choices[i]->button()->setChecked(true);
        m_choices[i]->setNote({}, "");
    }
}

void QuizBlockWidget::showChoiceFeedback(const Json& answer)
{
    const int given = answer.value("choice", -1);
    for (std::size_t i = 0; i < m_choices.size(); ++i) {
        const auto& choice = m_quiz.choices[i];
        const bool picked = int(i) == given;
        if (picked)
            m_choices[i]->button()->setChecked(true);
        // Only what was picked is explained: the other wrong ones may still be tried.
        m_choices[i]->setNote(picked ? choice.explains : std::string(), choice.correct ? "ok" : "warn");
    }
}

void QuizBlockWidget::showNumberFeedback(const Json& answer, bool correct)
{
    const double given = answer.value("number", 0.0);
    if (m_number->text().isEmpty())
        m_number->setText(QString::fromStdString(takesPrefix(m_quiz.unit) ? formatQuantity(given, m_quiz.unit)
                                                                          : formatNumber(given)));
    m_misconception->setMarkdown({});
    m_misconception->setVisible(false);
    if (correct)
        return;
    for (const auto& wrong : m_quiz.misconceptions)
        if (std::abs(wrong.value - given) <= m_quiz.tolerance + 1e-9 * std::abs(given))
            m_misconception->setMarkdown("*" + wrong.says + ".* " + wrong.explains);
    m_misconception->setVisible(!m_misconception->plain().isEmpty());
}

} // namespace ridge::app
