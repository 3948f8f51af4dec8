// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/blocks/answer_blocks.h"
#include "app/lesson/reader/inline_html.h"
#include "base/units.h"
#include "evidence/evidence.h"
#include "lessons/answers.h"

#include <QButtonGroup>
#include <QDateTime>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <cmath>

namespace ridge::app {

namespace {

std::vector<const lessons::EvidenceAnswer*> pointersTo(const std::vector<lessons::EvidenceAnswer>& answers)
{
    std::vector<const lessons::EvidenceAnswer*> list;
    for (const auto& answer : answers)
        list.push_back(&answer);
    return list;
}

} // namespace

QuizBlockWidget::QuizBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent)
    : BlockWidget(context, block, tr("Question"), parent), m_quiz(std::get<lessons::QuizBlock>(block.body)),
      m_check(new QPushButton(tr("Check"), this)), m_next(new QPushButton(this)),
      m_show(new QPushButton(tr("Show me"), this)),
      m_verdict(new ThemedLabel(context.theme(), {}, TextStyle::Strong, "", this))
{
    m_instance = lessons::quizStanding(m_quiz, {}, state().drawSeed(block.id)).instance;
    m_asked = lessons::filled(m_quiz, m_instance);
    m_question = addText(m_asked.question, ProseLook::Question);
    m_rows = new QVBoxLayout;
    m_rows->setSpacing(0);
    body()->addLayout(m_rows);
    if (m_asked.number)
        addNumber();
    else
        addChoices();
    m_check->setObjectName(QStringLiteral("checkButton"));
    m_check->setAccessibleName(tr("Check my answer"));
    auto* row = new QHBoxLayout;
    if (!m_asked.number)
        row->addWidget(m_check);
    m_next->setObjectName(QStringLiteral("nextInstance"));
    m_next->setText(single() ? tr("Try again") : m_quiz.vars.empty() ? tr("Another question") : tr("New numbers"));
    m_next->setAccessibleName(m_next->text());
    m_show->setObjectName(QStringLiteral("showMe"));
    m_show->setAccessibleName(tr("Show me the solution"));
    m_show->setToolTip(single() ? tr("Shows the solution. An answer counts again from tomorrow on.")
                                : tr("Shows the solution and closes this instance. The next one has other numbers."));
    m_show->setAccessibleDescription(m_show->toolTip());
    body()->addLayout(row);
    m_verdict->setObjectName(QStringLiteral("verdict"));
    body()->addWidget(m_verdict);
    addHeld();
    m_misconception = new AuthorLabel(context, {}, TextStyle::Body, "", this);
    m_misconception->setObjectName(QStringLiteral("misconception"));
    m_misconception->setVisible(false);
    body()->addWidget(m_misconception);
    m_explains = addText(m_asked.explains.empty() ? m_quiz.explains : m_asked.explains, ProseLook::Card);
    if (m_explains)
        m_explains->setObjectName(QStringLiteral("solution"));
    auto* more = new QHBoxLayout;
    more->addWidget(m_next);
    more->addWidget(m_show);
    more->addStretch();
    body()->addLayout(more);
    row->addStretch();
    connect(m_check, &QPushButton::clicked, this, &QuizBlockWidget::activate);
    connect(m_next, &QPushButton::clicked, this, &QuizBlockWidget::takeAnother);
    connect(m_show, &QPushButton::clicked, this, [this] {
        lessons::AnswerGiven given;
        given.shown = true;
        attempt(std::move(given));
    });
    connect(&context.state, &LessonState::answersChanged, this, [this](const QString& id) {
        if (id != blockId())
            return;
        m_another = false;
        refresh();
    });
    refresh();
}

bool QuizBlockWidget::single() const
{
    return m_quiz.vars.size() < 2 && m_quiz.again.empty();
}

/// The numbers of an instance in place of those that are there.
void QuizBlockWidget::ask(const lessons::QuizInstance& instance)
{
    if (m_instance == instance)
        return;
    m_instance = instance;
    m_asked = lessons::filled(m_quiz, instance);
    m_question->setMarkdownText(m_asked.question);
    if (m_explains)
        m_explains->setMarkdownText(m_asked.explains);
    if (m_number)
        m_number->clear();
    else
        addChoices();
}

void QuizBlockWidget::addChoices()
{
    for (ChoiceRow* row : m_choices) {
        row->hide();
        row->deleteLater();
    }
    m_choices.clear();
    auto* group = new QButtonGroup(this);
    for (const auto& choice : m_asked.choices) {
        auto* row = new ChoiceRow(this->context(), choice.text, this);
        row->button()->setObjectName(QStringLiteral("choice:%1").arg(m_choices.size()));
        group->addButton(row->button());
        m_rows->addWidget(row);
        m_choices.push_back(row);
        connect(row->button(), &QRadioButton::toggled, this, [this] { m_check->setEnabled(canActivate()); });
        // "Not yet." was said of what was chosen then.
        connect(row->button(), &QRadioButton::clicked, m_verdict, &QWidget::hide);
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
    connect(m_number, &QLineEdit::textEdited, m_verdict, &QWidget::hide); // it was said of another number
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
    const bool open = m_another || m_standing.state == lessons::QuizState::Open ||
                      (single() && m_standing.state == lessons::QuizState::Wrong) ||
                      !state().heldAnswer(block().id).isEmpty();
    if (!open)
        return false;
    return m_number ? !m_number->text().trimmed().isEmpty() : chosen() >= 0;
}

void QuizBlockWidget::activate()
{
    if (!canActivate())
        return;
    lessons::AnswerGiven given;
    if (!m_number) {
        given.choice = chosen();
        return attempt(std::move(given));
    }
    const auto value = parseQuantity(m_number->text().toStdString(), m_quiz.unit);
    if (!value) {
        m_verdict->setText(QString::fromStdString(toText(value.error())));
        m_verdict->setTone("error");
        m_verdict->setVisible(true);
        return;
    }
    given.number = *value;
    attempt(std::move(given));
}

void QuizBlockWidget::attempt(lessons::AnswerGiven given)
{
    given.hasInstance = true;
    given.variant = m_instance.variant;
    given.vars = m_instance.vars;
    record::AnswerRow row;
    row.block = block().id;
    row.correct = lessons::isRight(block(), given);
    row.answer = toJson(given);
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

std::vector<lessons::EvidenceAnswer> QuizBlockWidget::answers() const
{
    const auto rows = state().answersOf(block().id);
    std::vector<record::AnswerRow> copies;
    for (const record::AnswerRow* row : rows)
        copies.push_back(*row);
    auto answers = evidenceFromRows({}, {}, copies, 0).answers;
    for (std::size_t i = 0; i < answers.size(); ++i)
        answers[i].seq = static_cast<std::int64_t>(i); // rows that were just stored have no number yet
    return answers;
}

void QuizBlockWidget::takeAnother()
{
    const auto given = answers();
    const auto pointers = pointersTo(given);
    const lessons::QuizInstance next = lessons::nextInstance(m_quiz, pointers, state().drawSeed(block().id));
    m_another = true;
    const bool counts = lessons::wouldCount(next, pointers, QDateTime::currentSecsSinceEpoch());
    ask(next);
    if (m_number)
        m_number->clear();
    for (ChoiceRow* row : m_choices)
        row->setNote({}, "");
    refresh();
    if (!counts) {
        m_verdict->setText(tr("You have met all of its instances. A right answer counts again from tomorrow on."));
        m_verdict->setTone("muted");
        m_verdict->setVisible(true);
    }
    focusInput();
}

void QuizBlockWidget::refresh()
{
    const auto rows = state().answersOf(block().id);
    const auto given = answers();
    m_standing = lessons::quizStanding(m_quiz, pointersTo(given), state().drawSeed(block().id));
    m_standing.last = nullptr; // it points into `given`
    if (!m_another)
        ask(m_standing.instance);
    if (const auto obstacle = state().storeObstacle())
        m_check->setToolTip(obstacle->line());
    const bool answered = !rows.empty() && !m_another;
    const QString held = answered ? state().heldAnswer(block().id) : QString();
    const bool told = answered && held.isEmpty();
    const bool solved = m_standing.state == lessons::QuizState::Solved;
    const bool solution = told && (solved || m_standing.state == lessons::QuizState::Shown);
    setHeld(tr("Your answer is stored."), held);
    m_verdict->setVisible(told);
    m_misconception->setVisible(false);
    if (m_explains)
        m_explains->setVisible(solution);
    m_next->setVisible(told && !solved && !(single() && m_standing.state == lessons::QuizState::Wrong));
    m_show->setVisible(told && m_standing.state == lessons::QuizState::Wrong);
    m_check->setEnabled(canActivate());
    m_check->setVisible(!told || solved || m_standing.state == lessons::QuizState::Open ||
                        (single() && m_standing.state == lessons::QuizState::Wrong));
    const bool open = !told || m_standing.state == lessons::QuizState::Open ||
                      (single() && m_standing.state == lessons::QuizState::Wrong);
    if (m_number)
        m_number->setReadOnly(!open);
    for (ChoiceRow* row : m_choices)
        row->button()->setEnabled(open || row->button()->isChecked());
    if (!answered)
        return;
    const auto& newest = *rows.back();
    if (!held.isEmpty())
        return showGiven(*newest.answer);
    const QString attempts = tr("(attempt %1)").arg(m_standing.attempts);
    const bool shown = m_standing.state == lessons::QuizState::Shown;
    m_verdict->setText((shown            ? tr("This is the solution.")
                        : newest.correct ? tr("Right.")
                                         : tr("Not yet.")) +
                       (m_standing.attempts > 1 && !shown ? QLatin1Char(' ') + attempts : QString()));
    m_verdict->setTone(newest.correct ? "ok" : shown ? "muted" : "warn");
    if (shown)
        showSolution();
    else if (m_number)
        showNumberFeedback(*newest.answer, newest.correct);
    else
        showChoiceFeedback(*newest.answer);
}

/// The right choice or number in its place.
void QuizBlockWidget::showSolution()
{
    if (m_number)
        return m_number->setText(QString::fromStdString(
            takesPrefix(m_quiz.unit) ? formatQuantity(*m_asked.number, m_quiz.unit) : formatNumber(*m_asked.number)));
    for (std::size_t i = 0; i < m_choices.size(); ++i) {
        const auto& choice = m_asked.choices[i];
        m_choices[i]->setNote(choice.correct ? choice.explains : std::string(), "ok");
    }
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
        const auto& choice = m_asked.choices[i];
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
    for (const auto& wrong : m_asked.misconceptions)
        if (std::abs(wrong.value - given) <= m_asked.tolerance + 1e-9 * std::abs(given))
            m_misconception->setMarkdown("*" + wrong.says + ".* " + wrong.explains);
    m_misconception->setVisible(!m_misconception->plain().isEmpty());
}

} // namespace ridge::app
