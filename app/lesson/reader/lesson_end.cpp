// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/lesson_end.h"

#include "app/theme/announce.h"
#include "app/ui/flow_layout.h"
#include "app/ui/learner_choices.h"
#include "base/task_course.h"
#include "lessons/block_experiment.h"

#include <QBoxLayout>
#include <QPushButton>

namespace ridge::app {
namespace {

constexpr std::size_t kNamed = 3; ///< open checks that are named; the page lists all

QString fromUtf8(const std::string& text)
{
    return QString::fromStdString(text);
}

QString nameOf(const lessons::Lesson& lesson)
{
    return lesson.kind == lessons::LessonKind::Capstone
               ? LessonEnd::tr("Capstone: %1").arg(fromUtf8(lesson.title))
               : QStringLiteral("%1 %2").arg(fromUtf8(lesson.id), fromUtf8(lesson.title));
}

bool runsSomething(const std::string& kind)
{
    return kind == "predict" || kind == "run" || kind == "sweep" || kind == "challenge";
}

} // namespace

std::string blockOfCheck(const LessonState& state, const lessons::CheckSpec& check)
{
    const auto blocks = state.lesson().blocks();
    for (const lessons::Block* block : blocks)
        if (const auto* goal = std::get_if<lessons::ChallengeBlock>(&block->body); goal && goal->check == check.id)
            return block->id;
    for (const std::string& id : check.blocks)
        if (std::ranges::none_of(state.answersOf(id), &record::AnswerRow::correct))
            return id;
    if (!check.blocks.empty() || !check.block.empty())
        return check.block.empty() ? check.blocks.front() : check.block;
    for (const lessons::Block* block : blocks) {
        const auto* kernel = std::get_if<lessons::KernelBlock>(&block->body);
        if ((check.kind == "shipped" && block->kind == "artifact") ||
            (kernel && !check.task.empty() && kernel->task == check.task))
            return block->id;
    }
    for (const lessons::Block* block : blocks)
        if (!check.experiment.empty() && runsSomething(block->kind) &&
            lessons::experimentOf(*block) == check.experiment)
            return block->id;
    return {};
}

const lessons::Lesson* lessonAfter(AppContext& context, const lessons::Lesson& lesson)
{
    const lessons::Curriculum& curriculum = context.curriculum();
    std::set<std::string> met;
    if (record::Store* store = context.store())
        if (const auto mastery = store->mastery())
            for (const record::LessonMastery& row : *mastery)
                if (row.level >= record::MasteryLevel::Met)
                    met.insert(row.lesson);
    std::vector<std::string> order = lessonsOf(curriculum, learnerChoices());
    if (std::ranges::find(order, lesson.id) == order.end()) { // on no path: the curriculum's own order
        order.clear();
        for (const lessons::Lesson& head : curriculum.heads)
            order.push_back(head.id);
    }
    auto at = std::ranges::find(order, lesson.id);
    if (at == order.end()) // a capstone stands behind the lessons of its module
        for (auto each = order.begin(); each != order.end(); ++each)
            if (const auto head = std::ranges::find(curriculum.heads, *each, &lessons::Lesson::id);
                head != curriculum.heads.end() && head->module == lesson.module)
                at = each;
    const lessons::Lesson* next = nullptr;
    for (auto each = at == order.end() ? order.begin() : at + 1; each != order.end() && !next; ++each)
        if (const auto head = std::ranges::find(curriculum.heads, *each, &lessons::Lesson::id);
            head != curriculum.heads.end() && head->id != lesson.id && !met.contains(head->id))
            next = &*head;
    if (lesson.kind != lessons::LessonKind::Capstone && (!next || next->module != lesson.module))
        for (const lessons::Lesson& capstone : curriculum.capstones)
            if (capstone.module == lesson.module && !met.contains(capstone.id))
                return &capstone;
    return next;
}

LessonEnd::LessonEnd(const ReaderContext& context, Place place, QWidget* parent)
    : QWidget(parent), m_context(context), m_place(place),
      m_headline(new ThemedLabel(context.theme(), {}, TextStyle::ReadH3, "", this)),
      m_open(new ThemedLabel(context.theme(), {}, TextStyle::Body, "muted", this)),
      m_go(new QPushButton(tr("Go to what is open"), this)), m_next(new QPushButton(this)),
      m_artifact(new QPushButton(tr("Open the artifact"), this))
{
    setObjectName(place == Place::Page ? QStringLiteral("lessonEnd") : QStringLiteral("shippedEnd"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::s);
    column->addWidget(m_headline);
    column->addWidget(m_open);
    auto* bar = new QWidget(this);
    auto* row = new FlowLayout(bar);
    for (QPushButton* button : {m_next, m_artifact, m_go})
        row->addWidget(button);
    column->addWidget(bar);
    m_headline->setObjectName(QStringLiteral("standing"));
    m_open->setObjectName(QStringLiteral("stillOpen"));
    m_go->setObjectName(QStringLiteral("goToOpen"));
    m_next->setObjectName(QStringLiteral("nextLesson"));
    m_artifact->setObjectName(QStringLiteral("openArtifact"));
    m_next->setAccessibleName(tr("Next lesson"));
    m_next->setProperty("primary", true);
    m_artifact->setAccessibleName(m_artifact->text());
    connect(m_go, &QPushButton::clicked, this, [this] { Q_EMIT m_context.state.blockWanted(fromUtf8(m_goTo)); });
    connect(m_next, &QPushButton::clicked, this,
            [this] { Q_EMIT m_context.app.openRequested(QStringLiteral("lesson/") + fromUtf8(m_nextId)); });
    connect(m_artifact, &QPushButton::clicked, this, [this] {
        if (const auto& all = m_context.state.artifacts(); !all.empty())
            Q_EMIT m_context.app.openRequested(QStringLiteral("artifact/") + fromUtf8(all.front().id));
    });
    connect(&context.state, &LessonState::checksChanged, this, &LessonEnd::refresh);
    connect(&context.app.feedback(), &FeedbackWatch::changed, this, &LessonEnd::refresh);
    if (place == Place::Page)
        addTasks();
    refresh();
}

/// assets/tasks says which lesson each goes with.
void LessonEnd::addTasks()
{
    const auto tasks = tasksInOrder();
    if (!tasks)
        return; // the list of tasks says what is wrong with them
    auto* bar = new QWidget(this);
    bar->setObjectName(QStringLiteral("lessonTasks"));
    bar->setAccessibleName(tr("Kernels to write"));
    auto* row = new FlowLayout(bar);
    for (const auto& [task, course] : *tasks) {
        if (task.lesson != m_context.state.lesson().id)
            continue;
        auto* open = new QPushButton(QStringLiteral("%1. %2").arg(course.number).arg(fromUtf8(task.title)), bar);
        open->setObjectName(QStringLiteral("task-") + fromUtf8(task.id));
        open->setAccessibleName(tr("Open the task %1").arg(open->text()));
        open->setToolTip(fromUtf8(task.about));
        connect(open, &QPushButton::clicked, this, [this, id = fromUtf8(task.id)] {
            Q_EMIT m_context.app.openRequested(QStringLiteral("kernel/task/") + id);
        });
        row->addWidget(open);
    }
    if (row->count() == 0)
        return delete bar;
    layout()->addWidget(
        new ThemedLabel(m_context.theme(), tr("Kernels to write for this lesson"), TextStyle::Body, "muted", this));
    layout()->addWidget(bar);
}

void LessonEnd::refresh()
{
    const lessons::Lesson& lesson = m_context.state.lesson();
    const auto checks = m_context.state.checks();
    std::vector<std::pair<QString, std::string>> open;
    int kept = 0, met = 0;
    for (const auto& [outcome, held] : checks) {
        kept += !held.isEmpty();
        if (!held.isEmpty())
            continue;
        if (outcome.state == lessons::CheckState::Passed) {
            ++met;
            continue;
        }
        const auto check = std::ranges::find(lesson.checks, outcome.id, &lessons::CheckSpec::id);
        open.emplace_back(fromUtf8(outcome.title),
                          check == lesson.checks.end() ? std::string() : blockOfCheck(m_context.state, *check));
    }
    const bool all = !checks.empty() && open.empty() && kept == 0;
    const QString name = lesson.kind == lessons::LessonKind::Capstone ? tr("The capstone is met.")
                                                                      : tr("%1 is met.").arg(fromUtf8(lesson.id));
    m_headline->setText(all ? name
                        : kept
                            ? tr("%1 of %2 checks are met, %3 are shown later.").arg(met).arg(checks.size()).arg(kept)
                            : tr("%1 of %2 checks are met.").arg(met).arg(checks.size()));
    m_headline->setTone(all ? "ok" : "");
    m_artifact->setVisible(m_place == Place::Page && !m_context.state.artifacts().empty());
    showOpen(open, kept);
    showNext(all || (open.empty() && kept > 0));
    if (m_place == Place::Page && m_wasMet == false && all)
        announce(m_headline, m_headline->text());
    m_wasMet = all;
}

void LessonEnd::showOpen(const std::vector<std::pair<QString, std::string>>& open, int kept)
{
    QStringList names;
    for (const auto& [title, block] : open)
        if (names.size() < qsizetype(kNamed))
            names << title;
    QString text = names.isEmpty() ? QString() : tr("Still open: %1.").arg(names.join(QStringLiteral("; ")));
    if (open.size() > kNamed)
        text += QLatin1Char(' ') + tr("%1 more are in the list of checks.").arg(open.size() - kNamed);
    if (open.empty() && kept == 0)
        text = tr("All its checks are met. It comes back for review, so that it stays.");
    m_open->setText(text);
    m_open->setVisible(!text.isEmpty());
    const auto way = std::ranges::find_if(open, [](const auto& one) { return !one.second.empty(); });
    m_goTo = way == open.end() ? std::string() : way->second;
    m_go->setVisible(!m_goTo.empty());
    if (!m_goTo.empty()) {
        m_go->setToolTip(way->first);
        m_go->setAccessibleName(tr("Go to what is open: %1").arg(way->first));
    }
}

void LessonEnd::showNext(bool met)
{
    const lessons::Lesson* next = met ? lessonAfter(m_context.app, m_context.state.lesson()) : nullptr;
    m_next->setVisible(next != nullptr);
    if (!next)
        return;
    m_nextId = next->id;
    m_next->setText(tr("Next: %1").arg(nameOf(*next)));
    m_next->setAccessibleName(tr("Next lesson: %1").arg(nameOf(*next)));
    m_next->setToolTip(fromUtf8(next->question));
}

} // namespace ridge::app

#include "moc_lesson_end.cpp"
