// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/insight/review_page.h"

#include "app/lesson/reader/blocks/answer_blocks.h"
#include "app/lesson/reader/blocks/predict_block.h"
#include "app/ui/panels.h"
#include "base/hash.h"
#include "evidence/mastery.h"
#include "evidence/mixed_review.h"
#include "lessons/instances.h"
#include "record/clock.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>

namespace ridge::app {
namespace {

/// Room that another point may need beyond the author's slider.
constexpr double kWider = 4;
constexpr std::size_t kQuestionsASet = 6;

std::uint64_t seedOf(const ReviewTask& task)
{
    return std::stoull(sha256Hex(task.ofPredictionId + ":" + std::to_string(task.nth)).substr(0, 15), nullptr, 16);
}

/// "stride is 16 in place of 2"
QString changeText(const ExperimentInfo& experiment, const ParamSet& before, const ParamSet& now)
{
    QStringList changes;
    for (const auto& [name, value] : now) {
        const auto old = before.find(name);
        if (old == before.end() || toText(old->second) == toText(value))
            continue;
        const auto spec = std::ranges::find(experiment.parameters, name, &ParamSpec::name);
        const std::string title = spec == experiment.parameters.end() || spec->title.empty() ? name : spec->title;
        changes << ReviewPage::tr("%1 is %2 in place of %3")
                       .arg(QString::fromStdString(title).toLower(), QString::fromStdString(toText(value)),
                            QString::fromStdString(toText(old->second)));
    }
    return changes.join(QStringLiteral(", "));
}

} // namespace

struct ReviewPage::Question {
    std::unique_ptr<LessonState> state;
    std::unique_ptr<FormulaLibrary> formulas;
    std::unique_ptr<InfoCard> card;
    QString change;
    std::string block;
};

ReviewPage::ReviewPage(AppContext& context, QWidget* parent)
    : Page(parent), m_context(context), m_scroll(new ColumnScroll(760, tr("Review"), this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_scroll);
    connect(&context, &AppContext::catalogueReady, this, [this] {
        if (m_begun)
            show();
        Q_EMIT readyChanged();
    });
}

ReviewPage::~ReviewPage()
{
    delete m_scroll; // at once: its block refers to the question
}

bool ReviewPage::ready() const
{
    return m_context.hasCatalogue() || m_context.catalogueError();
}

Result<void> ReviewPage::open(const QString& part)
{
    if (!part.isEmpty())
        return beginSet(part.toStdString());
    if (!m_set.empty()) {
        m_set.clear();
        m_begun&& m_at < m_session.tasks.size() ? show() : begin();
        return {};
    }
    const bool finished = m_at >= m_session.tasks.size();
    if (!m_begun || finished)
        begin();
    return {};
}

void ReviewPage::begin()
{
    m_begun = true;
    m_at = 0;
    m_done.clear();
    m_session = {};
    if (const record::Store* store = m_context.store())
        if (auto session = reviewSession(*store, m_context.curriculum(), record::timeStamp().toStdString(),
                                         m_context.feedback().discretion()))
            m_session = std::move(*session);
    show();
}

QString ReviewPage::part() const
{
    return QString::fromStdString(m_set);
}

/// A set that is under way goes on where it was left.
Result<void> ReviewPage::beginSet(const std::string& id)
{
    if (m_sets.empty())
        m_sets = lessons::loadMixed(m_context.curriculum()).sets;
    const auto set = std::ranges::find(m_sets, id, &lessons::MixedSet::id);
    if (set == m_sets.end()) {
        std::string known;
        for (const lessons::MixedSet& one : m_sets)
            known += (known.empty() ? "review/" : ", review/") + one.id;
        return Error{"unknown-page", "The review has no set " + id + ".", "--open",
                     known.empty() ? "Open review" : "Open review, " + known};
    }
    if (m_set == id && m_mixedAt < m_mixed.size())
        return {};
    m_set = id;
    m_mixed.clear();
    m_right.clear();
    m_mixedAt = 0;
    if (const record::Store* store = m_context.store()) {
        const auto known = mixedRecord(*store, m_context.curriculum(), m_sets, m_context.feedback().discretion());
        if (!known)
            return known.error();
        m_history = known->history;
        std::uint64_t asked = 0;
        for (const auto& [name, one] : m_history)
            asked += std::uint64_t(one.times);
        m_mixed = lessons::drawMixed(*set, known->met, m_history, kQuestionsASet,
                                     lessons::drawSeed(store->origin(), id, std::to_string(asked)));
    }
    show();
    return {};
}

/// What can be practised, below whatever else there is: sets with how much of each was met.
void ReviewPage::showSets()
{
    if (m_sets.empty())
        m_sets = lessons::loadMixed(m_context.curriculum()).sets;
    const record::Store* store = m_context.store();
    const auto known = store ? mixedRecord(*store, m_context.curriculum(), m_sets, m_context.feedback().discretion())
                             : Result<MixedRecord>(MixedRecord{});
    if (m_sets.empty() || !known)
        return;
    Theme& theme = m_context.theme();
    m_scroll->column()->addSpacing(space::m);
    m_scroll->column()->addWidget(makeText(theme, tr("Mixed over the modules"), TextStyle::ReadH3));
    m_scroll->column()->addWidget(makeText(
        theme,
        tr("Questions of the lessons you have met, with new numbers each time. They are practice: your answers "
           "are kept, and nothing else follows from them."),
        TextStyle::Body, QStringLiteral("muted")));
    for (const lessons::MixedSet& set : m_sets) {
        const lessons::MixedOffer offer = lessons::offerOf(set, known->met);
        auto* card = new Card(QString::fromStdString(set.title));
        card->column()->setContentsMargins(space::l, space::m, space::l, space::m);
        card->column()->addWidget(makeText(theme, QString::fromStdString(set.title), TextStyle::Strong));
        card->column()->addWidget(makeText(theme, QString::fromStdString(set.about), TextStyle::Body));
        auto* row = new QHBoxLayout;
        row->setSpacing(space::m);
        auto* ask = makeButton(tr("Ask me"), QString::fromStdString(set.title));
        ask->setObjectName(QStringLiteral("set-") + QString::fromStdString(set.id));
        ask->setAccessibleName(tr("Ask me: %1").arg(QString::fromStdString(set.title)));
        ask->setEnabled(offer.questions > 0);
        connect(ask, &QPushButton::clicked, this, [this, id = QString::fromStdString(set.id)] {
            Q_EMIT m_context.openRequested(QStringLiteral("review/") + id);
        });
        row->addWidget(ask);
        row->addWidget(
            makeText(theme,
                     offer.questions > 0
                         ? tr("%1 of %2 questions are of lessons you have met, in %3 modules")
                               .arg(offer.questions)
                               .arg(set.questions.size())
                               .arg(offer.modules)
                         : tr("None of its %1 questions is of a lesson you have begun").arg(set.questions.size()),
                     TextStyle::Caption, QStringLiteral("hint")),
            1);
        card->column()->addLayout(row);
        m_scroll->column()->addWidget(card);
    }
}

void ReviewPage::failed(const Error& error)
{
    m_scroll->column()->addWidget(makeText(m_context.theme(), QString::fromStdString(toText(error)), TextStyle::Body));
    m_next = makeButton(tr("Go on without it"), tr("Leaves this question out"), true);
    connect(m_next, &QPushButton::clicked, this, &ReviewPage::next);
    m_scroll->column()->addWidget(m_next, 0, Qt::AlignLeft);
}

void ReviewPage::showSetQuestion()
{
    const lessons::MixedQuestion& question = m_mixed[m_mixedAt];
    const auto set = std::ranges::find(m_sets, m_set, &lessons::MixedSet::id);
    // The matter stays unsaid: to see what a question is about is the exercise.
    addHead(tr("Question %1 of %2 · mixed over the modules").arg(m_mixedAt + 1).arg(m_mixed.size()),
            QString::fromStdString(set->title));
    auto lesson = lessons::loadLesson(m_context.curriculum(), question.lesson);
    if (!lesson)
        return failed(lesson.error());
    const auto before = m_history.find(question.lesson + "#" + question.block);
    const auto block =
        mixedInstance(*m_context.store(), *lesson, question, before == m_history.end() ? 1 : before->second.times + 1);
    if (!block)
        return failed(block.error());
    m_question = std::make_shared<Question>();
    m_question->block = block->id;
    lesson->sections = {{"Review", {*block}}};
    lesson->checks.clear();
    m_question->state = std::make_unique<LessonState>(m_context, std::move(*lesson));
    m_question->formulas = std::make_unique<FormulaLibrary>(m_context.theme(), m_context.dataFolder());
    m_question->card = std::make_unique<InfoCard>(m_context, this);
    const ReaderContext reader{m_context, *m_question->state, *m_question->formulas, *m_question->card};
    m_quiz = new QuizBlockWidget(reader, *m_question->state->lesson().block(m_question->block), nullptr);
    m_scroll->column()->addWidget(m_quiz);
    connect(m_quiz, &QObject::destroyed, [question = m_question] {}); // as in showQuestion()
    connect(m_question->state.get(), &LessonState::answersChanged, this, &ReviewPage::takeAnswer);
    connect(m_question->state.get(), &LessonState::abilityChanged, this, [this] { Q_EMIT commandsChanged(); });
    takeAnswer(); // answered before the page was left
}

void ReviewPage::takeAnswer()
{
    if (m_next || !m_question || !m_quiz)
        return;
    const auto answers = m_question->state->answersOf(m_question->block);
    if (answers.empty())
        return;
    const lessons::MixedQuestion question = m_mixed[m_mixedAt];
    m_right.resize(m_mixedAt); // shown again, it is still one question
    m_right.push_back(answers.front()->correct);
    auto* link = makeButton(tr("Read it again in lesson %1").arg(QString::fromStdString(question.asks)),
                            QString::fromStdString(m_context.curriculum().titleOf(question.asks)));
    connect(link, &QPushButton::clicked, this, [this, question] {
        Q_EMIT m_context.openRequested(QStringLiteral("lesson/") + QString::fromStdString(question.asks));
    });
    const bool last = m_mixedAt + 1 == m_mixed.size();
    m_next = makeButton(last ? tr("Finish") : tr("Next question"), tr("Goes on with the review"), true);
    m_next->setObjectName(QStringLiteral("next"));
    connect(m_next, &QPushButton::clicked, this, &ReviewPage::next);
    const int end = m_scroll->column()->count() - 1;
    m_scroll->column()->insertWidget(end, link, 0, Qt::AlignLeft);
    m_scroll->column()->insertWidget(end, m_next, 0, Qt::AlignLeft);
    Q_EMIT commandsChanged();
}

void ReviewPage::showSetSummary()
{
    const auto set = std::ranges::find(m_sets, m_set, &lessons::MixedSet::id);
    Theme& theme = m_context.theme();
    if (m_mixed.empty()) {
        addHead(tr("Mixed over the modules"), QString::fromStdString(set->title));
        m_scroll->column()->addWidget(makeText(
            theme,
            m_context.store() ? tr("You have begun none of the lessons that these questions are about. Those of a "
                                   "module that you know already count once Where to begin has found that out.")
                              : tr("Without a record there is nobody to ask."),
            TextStyle::ReadBody));
    } else {
        addHead(QString::fromStdString(set->title),
                tr("%1 of %2 right at first").arg(std::ranges::count(m_right, true)).arg(m_mixed.size()));
        for (std::size_t i = 0; i < m_mixed.size() && i < m_right.size(); ++i)
            m_scroll->column()->addWidget(
                makeText(theme,
                         tr("%1 %2: %3")
                             .arg(QString::fromStdString(m_mixed[i].asks),
                                  QString::fromStdString(m_context.curriculum().titleOf(m_mixed[i].asks)),
                                  m_right[i] ? tr("right") : tr("missed, it is asked again soon")),
                         TextStyle::ReadBody));
    }
    showSets();
}

void ReviewPage::show()
{
    m_scroll->clear();
    m_block = nullptr;
    m_quiz = nullptr;
    m_next = nullptr;
    m_question.reset();
    if (!m_set.empty() && m_mixedAt < m_mixed.size())
        showSetQuestion();
    else if (!m_set.empty())
        showSetSummary();
    else if (m_session.tasks.empty())
        showEmpty();
    else if (m_at >= m_session.tasks.size())
        showSummary();
    else
        showQuestion();
    m_scroll->column()->addStretch(1);
    Q_EMIT commandsChanged();
}

void ReviewPage::addHead(const QString& caption, const QString& heading)
{
    Theme& theme = m_context.theme();
    m_scroll->column()->addWidget(makeLabel(theme, caption, TextStyle::Caption, QStringLiteral("hint")));
    m_scroll->column()->addWidget(makeText(theme, heading, TextStyle::ReadH2));
}

void ReviewPage::showEmpty()
{
    auto* empty = new EmptyState(
        m_context.theme(), tr("Nothing is due"),
        tr("A result that lay outside your 80 % interval comes back here after 1, 3 and 10 days, at another point. A "
           "lesson that you passed comes back after three days, mixed with others."),
        tr("Go on learning"));
    connect(empty, &EmptyState::clicked, this, [this] { Q_EMIT m_context.openRequested(QStringLiteral("learn")); });
    m_scroll->column()->addWidget(empty);
    showSets();
}

void ReviewPage::showQuestion()
{
    const ReviewTask& task = m_session.tasks[m_at];
    Theme& theme = m_context.theme();
    const QString lessonName = tr("lesson %1, %2")
                                   .arg(QString::fromStdString(task.lesson),
                                        QString::fromStdString(m_context.curriculum().titleOf(task.lesson)));
    addHead(tr("Question %1 of %2 · %3").arg(m_at + 1).arg(m_session.tasks.size()).arg(lessonName),
            task.surprise ? tr("This surprised you") : tr("This you knew"));
    if (!ready()) {
        m_scroll->column()->addWidget(makeText(theme, tr("Asking the worker what it can run…")));
        return;
    }
    const auto fail = [&](const Error& error) { failed(error); };
    auto lesson = lessons::loadLesson(m_context.curriculum(), task.lesson);
    if (!lesson)
        return fail(lesson.error());
    const lessons::Block* original = lesson->block(task.block);
    const auto* asked = original ? std::get_if<lessons::PredictBlock>(&original->body) : nullptr;
    const ExperimentInfo* experiment = asked ? m_context.experiment(asked->experiment) : nullptr;
    if (!asked || !experiment)
        return fail(
            {"unknown-block", "the lesson does not ask this any more: " + task.block, "lesson " + task.lesson, ""});
    const auto at = changedInstance(*lesson, *original, *experiment,
                                    AppContext::targetClass(m_context.targetOf(asked->experiment)), {}, seedOf(task));
    if (!at)
        return fail(at.error());

    lessons::Block block = *original;
    block.id = reviewBlock(task.block, task.nth);
    auto& body = std::get<lessons::PredictBlock>(block.body);
    m_question = std::make_shared<Question>();
    m_question->change = changeText(*experiment, body.at, *at);
    m_question->block = block.id;
    body.at = *at;
    body.first = "predict";
    // Both speak of the author's point and may be untrue at this one; the lesson is a click away.
    body.mechanism.clear();
    body.misconceptions.clear();
    if (body.logScale && body.min > 0) {
        body.min /= kWider;
        body.max *= kWider;
    } else {
        const double room = (body.max - body.min) * (kWider - 1) / 2;
        body.min = body.min >= 0 ? std::max(0.0, body.min - room) : body.min - room;
        body.max += room;
    }
    lesson->sections = {{"Review", {block}}};
    lesson->checks.clear();
    m_question->state = std::make_unique<LessonState>(m_context, std::move(*lesson));
    m_question->formulas = std::make_unique<FormulaLibrary>(theme, m_context.dataFolder());
    m_question->card = std::make_unique<InfoCard>(m_context, this);

    auto* change =
        makeText(theme, tr("The same question at another point: %1.").arg(m_question->change), TextStyle::ReadBody);
    change->setObjectName(QStringLiteral("change"));
    m_scroll->column()->addWidget(change);
    const ReaderContext reader{m_context, *m_question->state, *m_question->formulas, *m_question->card};
    m_block = new PredictBlockWidget(reader, *m_question->state->lesson().block(m_question->block), nullptr);
    m_scroll->column()->addWidget(m_block);
    // The column is cleared a turn of the event loop later than the next question comes: until then the block has what
    // it refers to.
    connect(m_block, &QObject::destroyed, [question = m_question] {});
    connect(m_question->state.get(), &LessonState::runsChanged, this, &ReviewPage::takeResult);
    connect(m_question->state.get(), &LessonState::abilityChanged, this, [this] { Q_EMIT commandsChanged(); });

    auto* link = makeButton(tr("Read it again in the lesson"), tr("Opens the lesson at this question"));
    connect(link, &QPushButton::clicked, this, [this, task] {
        Q_EMIT m_context.openRequested(
            QStringLiteral("lesson/%1#%2")
                .arg(QString::fromStdString(task.lesson), QString::fromStdString(task.block)));
    });
    m_scroll->column()->addWidget(link, 0, Qt::AlignLeft);
    takeResult(); // answered before the page was left
}

void ReviewPage::takeResult()
{
    if (m_next || !m_question || !m_context.store())
        return;
    const record::PredictionRow* prediction = m_question->state->prediction(m_question->block);
    if (!prediction)
        return;
    for (const record::RunRow* run : m_question->state->runsOf(m_question->block)) {
        const auto result = run->predictionId == prediction->id
                                ? reviewResult(m_session.tasks[m_at], m_session.mixed, *prediction, *run)
                                : Result<ReviewResult>(Error{"bad-review", "", "", ""});
        if (!result)
            continue;
        (void)m_context.store()->append(result->review);
        if (result->outcome)
            (void)m_context.store()->append(*result->outcome);
        m_done.push_back({m_session.tasks[m_at], result->review.missed});
        const bool last = m_at + 1 == m_session.tasks.size();
        m_next = makeButton(last ? tr("Finish") : tr("Next question"), tr("Goes on with the review"), true);
        m_next->setObjectName(QStringLiteral("next"));
        connect(m_next, &QPushButton::clicked, this, &ReviewPage::next);
        m_scroll->column()->insertWidget(m_scroll->column()->count() - 1, m_next, 0, Qt::AlignLeft);
        m_next->setFocus();
        Q_EMIT commandsChanged();
        return;
    }
}

void ReviewPage::next()
{
    if (m_set.empty()) {
        ++m_at;
    } else {
        ++m_mixedAt;
        m_right.resize(m_mixedAt); // one that was left out counts as missed
    }
    if (m_context.store())
        m_context.store()->flush();
    show();
    if (m_block)
        m_block->focusInput();
    if (m_quiz)
        m_quiz->focusInput();
}

void ReviewPage::showSummary()
{
    Theme& theme = m_context.theme();
    const auto hits = std::ranges::count(m_done, false, &Done::missed);
    addHead(tr("Review"), tr("%1 of %2 within a factor of two").arg(hits).arg(m_done.size()));
    const auto mastery = m_context.store()
                             ? m_context.store()->mastery()
                             : Result<std::vector<record::LessonMastery>>(std::vector<record::LessonMastery>{});
    for (const Done& done : m_done) {
        QString line = tr("%1 %2: %3")
                           .arg(QString::fromStdString(done.task.lesson),
                                QString::fromStdString(m_context.curriculum().titleOf(done.task.lesson)),
                                done.missed ? tr("missed, it comes back tomorrow") : tr("hit"));
        if (mastery)
            for (const record::LessonMastery& row : *mastery)
                if (row.lesson == done.task.lesson)
                    line += tr(" · %1").arg(QString::fromStdString(masteryText(row.level)));
        m_scroll->column()->addWidget(makeText(theme, line, TextStyle::ReadBody));
    }
    if (!m_session.mixed && !m_done.empty())
        m_scroll->column()->addWidget(makeText(theme,
                                               tr("All questions were of one lesson. A step up needs a review in which "
                                                  "several lessons are mixed."),
                                               TextStyle::Body, QStringLiteral("muted")));
    auto* home = makeButton(tr("Back to Home"), tr("Opens Home"), true);
    connect(home, &QPushButton::clicked, this, [this] { Q_EMIT m_context.openRequested(QStringLiteral("home")); });
    m_scroll->column()->addWidget(home, 0, Qt::AlignLeft);
    showSets();
}

bool ReviewPage::can(Command command) const
{
    const BlockWidget* block = m_block ? static_cast<BlockWidget*>(m_block) : m_quiz;
    return (command == Command::Commit || command == Command::Run) && block && block->canActivate();
}

void ReviewPage::perform(Command command)
{
    if (can(command))
        (m_block ? static_cast<BlockWidget*>(m_block) : m_quiz)->activate();
}

int ReviewPage::runningJobs() const
{
    return m_block ? m_block->runningJobs() : 0;
}

void ReviewPage::cancelRuns()
{
    if (m_block)
        m_block->cancel();
}

QList<QWidget*> ReviewPage::panes() const
{
    return {m_scroll};
}

} // namespace ridge::app

#include "moc_review_page.cpp"
