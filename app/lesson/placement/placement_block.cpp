// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/placement/placement_block.h"

#include "app/lesson/placement/placement_record.h"
#include "app/lesson/reader/author_label.h"
#include "app/lesson/reader/inline_html.h"
#include "app/theme/announce.h"
#include "app/ui/flow_layout.h"
#include "app/ui/panels.h"
#include "base/units.h"

#include <QLineEdit>
#include <QPushButton>

namespace ridge::app {
namespace {

QString shownValue(double value, const std::string& unit)
{
    return QString::fromStdString(formatQuantity(value, unit));
}

} // namespace

PlacementBlock::PlacementBlock(const ReaderContext& context, const lessons::PlacementQuestion& question,
                               const QString& attempt, QWidget* parent)
    : BlockWidget(context, question.block, tr("Prediction"), parent), m_question(question), m_attempt(attempt)
{
    addText(question.quiz().question, ProseLook::Question);
    addInput();
    m_verdict = addLabel({}, TextStyle::Strong);
    m_verdict->setObjectName(QStringLiteral("verdict"));
    m_verdict->hide();
    m_misconception = new AuthorLabel(context, {}, TextStyle::Body, "", this);
    m_misconception->setObjectName(QStringLiteral("misconception"));
    m_misconception->hide();
    body()->addWidget(m_misconception);
    m_explains = addText(question.quiz().explains, ProseLook::Card);
    if (m_explains)
        m_explains->hide();
    m_source = addLabel({}, TextStyle::Caption, "hint");
    m_source->setObjectName(QStringLiteral("source"));
    m_source->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_source->hide();
}

void PlacementBlock::addInput()
{
    const std::string& asked = m_question.quiz().unit;
    const QString unit = shownUnit(asked);
    m_number = new QLineEdit(this);
    m_number->setObjectName(QStringLiteral("number"));
    m_number->setAccessibleName(unit.isEmpty() ? tr("Your prediction") : tr("Your prediction in %1").arg(unit));
    m_number->setAlignment(Qt::AlignRight);
    m_number->setFixedWidth(theme().scaled(120));
    auto* unitLabel = new ThemedLabel(theme(), takesPrefix(asked) ? tr("in %1, or with its unit").arg(unit) : unit,
                                      TextStyle::Body, "muted", this);
    unitLabel->setWordWrap(false);
    m_answer = makeButton(tr("Answer"), tr("Keeps the answer and shows what is right"), true);
    m_answer->setObjectName(QStringLiteral("answer"));
    m_unknown = makeButton(tr("I do not know"), tr("Shows what is right; the area is then taught from its start"));
    m_unknown->setObjectName(QStringLiteral("unknown"));
    auto* line = new QWidget(this);
    auto* row = new FlowLayout(line);
    for (QWidget* part : {static_cast<QWidget*>(m_number), static_cast<QWidget*>(unitLabel),
                          static_cast<QWidget*>(m_answer), static_cast<QWidget*>(m_unknown)})
        row->addWidget(part);
    body()->addWidget(line);
    m_answer->setEnabled(false);
    if (const auto obstacle = state().storeObstacle()) {
        m_unknown->setEnabled(false);
        addLabel(obstacle->line(), TextStyle::Body, "warn");
    }
    connect(m_number, &QLineEdit::textChanged, this, [this] {
        m_answer->setEnabled(canActivate());
        Q_EMIT typed();
    });
    connect(m_number, &QLineEdit::returnPressed, this, &PlacementBlock::activate);
    connect(m_answer, &QPushButton::clicked, this, &PlacementBlock::activate);
    connect(m_unknown, &QPushButton::clicked, this, [this] { give({}); });
}

bool PlacementBlock::canActivate() const
{
    return !m_given && !state().storeObstacle() && !m_number->text().trimmed().isEmpty();
}

void PlacementBlock::activate()
{
    if (!canActivate())
        return;
    const auto value = parseQuantity(m_number->text().toStdString(), m_question.quiz().unit);
    value ? give(*value) : tellError(value.error());
}

void PlacementBlock::tellError(const Error& error)
{
    m_verdict->setText(QString::fromStdString(toText(error)));
    m_verdict->setTone("error");
    m_verdict->show();
    announce(this, m_verdict->text());
}

void PlacementBlock::give(std::optional<double> value)
{
    if (m_given)
        return;
    m_given = true;
    m_answer->setEnabled(false);
    m_unknown->setEnabled(false);
    m_number->setReadOnly(true);
    record::AnswerRow row = placementRow(m_question, m_attempt, value);
    const bool right = row.correct;
    state().commit(std::move(row), this, [this, value, right](const Result<std::string>& stored) {
        if (stored)
            return show(value, right);
        m_given = false;
        m_number->setReadOnly(false);
        m_unknown->setEnabled(true);
        m_answer->setEnabled(canActivate());
        tellError(stored.error());
    });
}

void PlacementBlock::show(std::optional<double> value, bool right)
{
    const lessons::QuizBlock& quiz = m_question.quiz();
    const QString truth = shownValue(*quiz.number, quiz.unit);
    m_verdict->setText(right   ? tr("Right: %1.").arg(truth)
                       : value ? tr("It is %1, and you said %2.").arg(truth, shownValue(*value, quiz.unit))
                               : tr("It is %1.").arg(truth));
    m_verdict->setTone(right ? "ok" : "warn");
    m_verdict->show();
    const lessons::Misconception* wrong = value && !right ? lessons::likelyMisconception(quiz, *value) : nullptr;
    if (wrong)
        m_misconception->setMarkdown("*" + wrong->says + ".* " + wrong->explains);
    m_misconception->setVisible(wrong != nullptr);
    if (m_explains)
        m_explains->show();
    QString source = tr("Source: %1").arg(QString::fromStdString(m_question.source));
    if (!m_question.url.empty())
        source += QStringLiteral(", ") + QString::fromStdString(m_question.url);
    m_source->setText(source);
    m_source->show();
    announce(this, m_verdict->text());
    Q_EMIT answered(right);
}

} // namespace ridge::app

#include "moc_placement_block.cpp"
