// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/blocks/explain_block.h"

#include "app/theme/announce.h"
#include "evidence/evidence.h"
#include "lessons/answers.h"
#include "lessons/text.h"

#include <QPlainTextEdit>
#include <QPushButton>

namespace ridge::app {
namespace {

constexpr int kLines = 4; ///< of the field, before it scrolls
constexpr std::array<const char*, 3> kRatings = {"no", "partly", "yes"};

} // namespace

ExplainBlockWidget::ExplainBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent)
    : BlockWidget(context, block, tr("Explain"), parent), m_explain(std::get<lessons::ExplainBlock>(block.body)),
      m_text(new QPlainTextEdit(this)), m_keep(new QPushButton(tr("Keep answer"), this)),
      m_again(new QPushButton(tr("Write another answer"), this))
{
    addText(m_explain.question, ProseLook::Question);
    m_text->setObjectName(QStringLiteral("explanation"));
    m_text->setAccessibleName(tr("Your answer"));
    m_text->setPlaceholderText(tr("Two or three sentences in your own words"));
    m_text->setTabChangesFocus(true);
    body()->addWidget(m_text);
    m_hint = addLabel({}, TextStyle::Caption, "hint");
    m_keep->setObjectName(QStringLiteral("keepAnswer"));
    m_keep->setToolTip(tr("Stores your answer as it is and shows a model answer beside it"));
    body()->addWidget(m_keep, 0, Qt::AlignLeft);
    m_problem = addLabel({}, TextStyle::Body, "error");
    m_ownTitle = addLabel(tr("Your answer"), TextStyle::Caption, "hint");
    m_own = addLabel({}, TextStyle::Body);
    m_own->setObjectName(QStringLiteral("ownAnswer"));
    m_own->setTextFormat(Qt::PlainText);
    m_own->setTextInteractionFlags(Qt::TextSelectableByMouse);
    addHeld();
    m_modelTitle = addLabel(tr("Model answer"), TextStyle::Caption, "hint");
    m_model = addText(m_explain.model, ProseLook::Card);
    addRating();
    m_verdict = addLabel({}, TextStyle::Strong);
    m_verdict->setObjectName(QStringLiteral("verdict"));
    m_again->setObjectName(QStringLiteral("writeAgain"));
    body()->addWidget(m_again, 0, Qt::AlignLeft);
    for (QPushButton* button : {m_keep, m_again})
        button->setAccessibleName(button->text());
    connect(m_text, &QPlainTextEdit::textChanged, this, &ExplainBlockWidget::refreshKeep);
    connect(m_keep, &QPushButton::clicked, this, &ExplainBlockWidget::activate);
    connect(m_again, &QPushButton::clicked, this, [this] {
        m_writesAgain = true;
        refresh();
        m_text->setFocus(Qt::OtherFocusReason);
    });
    connect(&context.state, &LessonState::answersChanged, this, [this](const QString& id) {
        if (id == blockId())
            refresh();
    });
    const auto fit = [this] { m_text->setFixedHeight(kLines * theme().lineHeight(TextStyle::Body) + space::l); };
    connect(&theme(), &Theme::changed, this, fit);
    fit();
    refresh();
}

void ExplainBlockWidget::addRating()
{
    m_rating = new QWidget(this);
    auto* row = new QHBoxLayout(m_rating);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::s);
    auto* ask = new ThemedLabel(theme(), tr("Does your answer say this?"), TextStyle::Body, "", m_rating);
    ask->setWordWrap(false);
    row->addWidget(ask);
    const QStringList words = {tr("No"), tr("Partly"), tr("Yes")};
    for (std::size_t i = 0; i < kRatings.size(); ++i) {
        auto* button = new QPushButton(words[qsizetype(i)], m_rating);
        button->setObjectName(QStringLiteral("rate:%1").arg(QLatin1String(kRatings[i])));
        button->setAccessibleName(tr("My answer says this: %1").arg(words[qsizetype(i)]));
        connect(button, &QPushButton::clicked, this, [this, i] { rate(kRatings[i]); });
        row->addWidget(button);
        m_ratings.push_back(button);
    }
    row->addStretch();
    body()->addWidget(m_rating);
}

std::optional<lessons::AnswerGiven> ExplainBlockWidget::kept() const
{
    const auto answers = state().answersOf(block().id);
    if (answers.empty() || m_writesAgain)
        return std::nullopt;
    return answerFromJson(*answers.back()->answer);
}

void ExplainBlockWidget::refreshKeep()
{
    const int words = lessons::countWords(m_text->toPlainText().toStdString());
    m_hint->setText(words < lessons::kLeastWords
                        ? tr("At least %1 words; %2 so far.").arg(lessons::kLeastWords).arg(words)
                        : tr("%1 words").arg(words));
    m_keep->setEnabled(canActivate());
    const auto obstacle = state().storeObstacle();
    m_keep->setToolTip(obstacle ? obstacle->line()
                                : tr("Stores your answer as it is and shows a model answer beside it"));
}

void ExplainBlockWidget::refresh()
{
    const auto now = kept();
    const QString held = now ? state().heldAnswer(block().id) : QString();
    const bool shown = now && held.isEmpty(), rated = now && !now->rating.empty();
    for (QWidget* part : std::initializer_list<QWidget*>{m_text, m_hint, m_keep})
        part->setVisible(!now);
    for (QWidget* part : std::initializer_list<QWidget*>{m_ownTitle, m_own})
        part->setVisible(now.has_value());
    m_modelTitle->setVisible(shown);
    if (m_model)
        m_model->setVisible(shown);
    m_rating->setVisible(shown && !rated);
    m_verdict->setVisible(shown && rated);
    m_again->setVisible(shown && rated && now->rating != "yes");
    m_problem->setVisible(false);
    setHeld(tr("Your answer is stored."), held);
    refreshKeep();
    if (!now)
        return;
    m_own->setText(QString::fromStdString(now->text));
    m_verdict->setText(now->rating == "yes"      ? tr("You rated your answer: it says this.")
                       : now->rating == "partly" ? tr("You rated your answer: it says a part of this.")
                                                 : tr("You rated your answer: it does not say this."));
    m_verdict->setTone(now->rating == "yes" ? "ok" : "warn");
}

bool ExplainBlockWidget::canActivate() const
{
    return !m_pending && !kept() && !state().storeObstacle() &&
           lessons::countWords(m_text->toPlainText().toStdString()) >= lessons::kLeastWords;
}

void ExplainBlockWidget::activate()
{
    if (!canActivate())
        return;
    lessons::AnswerGiven given;
    given.text = m_text->toPlainText().trimmed().toStdString();
    store(std::move(given), false);
}

void ExplainBlockWidget::rate(const std::string& rating)
{
    auto given = kept();
    if (!given || m_pending)
        return;
    given->rating = rating;
    const bool correct = lessons::isRight(block(), *given);
    store(std::move(*given), correct);
}

void ExplainBlockWidget::store(lessons::AnswerGiven given, bool correct)
{
    record::AnswerRow row;
    row.block = block().id;
    row.answer = toJson(given);
    row.correct = correct;
    const bool first = given.rating.empty();
    m_pending = true;
    state().commit(std::move(row), this, [this, first](const Result<std::string>& stored) {
        m_pending = false;
        if (!stored) {
            m_problem->setText(QString::fromStdString(toText(stored.error())));
            m_problem->setVisible(true);
            return;
        }
        m_writesAgain = false;
        m_text->clear();
        refresh();
        if (first && m_model && m_model->isVisibleTo(this)) {
            announce(m_modelTitle, tr("The model answer is shown. Rate your own."));
            m_ratings.front()->setFocus(Qt::OtherFocusReason);
        } else if (!first && m_verdict->isVisibleTo(this)) {
            announce(m_verdict, m_verdict->text());
        }
    });
}

} // namespace ridge::app

#include "moc_explain_block.cpp"
