// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/learn/module_story.h"

#include "app/kernels/task_shelf.h"

#include <QCoreApplication>
#include <algorithm>

namespace ridge::app {
namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::Module", text);
}

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

/// What is only known from the whole lesson: its checks, and what it ships.
void addEvidence(AppContext& context, const CourseProgress& course, const lessons::Lesson& head, ModuleStep& step)
{
    step.progress = course.of(head.id);
    const auto lesson = lessons::loadLesson(context.curriculum(), head.id);
    if (!lesson)
        return; // its page says what is wrong with it
    if (const lessons::ArtifactBlock* artifact = lesson->artifact())
        step.artifact = tr("%1 · %2, level %3").arg(text(artifact->title), text(artifact->kind)).arg(artifact->level);
    for (const lessons::CheckSpec& check : lesson->checks)
        step.checks += check.kind != "shipped";
    step.held = context.feedback().why(head.id, Outcome::Check);
    if (step.held.isEmpty() && (step.progress.predicted || step.progress.ran))
        for (const lessons::CheckOutcome& outcome : lessons::evaluateChecks(*lesson, context.evidence(*lesson))) {
            const auto spec = std::find_if(lesson->checks.begin(), lesson->checks.end(),
                                           [&](const lessons::CheckSpec& check) { return check.id == outcome.id; });
            step.passed += spec != lesson->checks.end() && spec->kind != "shipped" &&
                           outcome.state == lessons::CheckState::Passed &&
                           context.feedback().why(*lesson, *spec).isEmpty();
        }
    if (const record::Store* store = context.store(); store && step.progress.shipped)
        if (const auto shipped = store->artifacts(head.id); shipped && !shipped->empty())
            step.artifactId = text(shipped->front().id);
}

ModuleStep stepOf(AppContext& context, const CourseProgress& course, const std::string& id)
{
    ModuleStep step;
    step.id = text(id);
    step.title = text(context.curriculum().titleOf(id));
    const lessons::Lesson* head = context.curriculum().head(id);
    if (!head)
        return step;
    step.written = true;
    step.question = text(head->question);
    step.minutes = head->minutes;
    addEvidence(context, course, *head, step);
    return step;
}

std::vector<ModuleTask> tasksOf(AppContext& context, const std::vector<ModuleStep>& steps)
{
    const auto tasks = tasksInOrder();
    if (!tasks)
        return {}; // the list of tasks says what is wrong with them
    const record::Store* const store = context.store();
    const auto standings = taskStandings(context, kernelsIn(store ? store->folder() : std::filesystem::path()));
    std::vector<ModuleTask> found;
    for (const ModuleStep& step : steps)
        for (const auto& [task, course] : *tasks) {
            if (text(task.lesson) != step.id)
                continue;
            const auto standing = standings.find(task.id);
            found.push_back({text(task.id), QStringLiteral("%1. %2").arg(course.number).arg(text(task.title)), step.id,
                             standingWords(standing == standings.end() ? TaskStanding() : standing->second)});
        }
    return found;
}

} // namespace

QString durationText(int minutes)
{
    if (minutes < 60)
        return tr("%1 min").arg(minutes);
    return minutes % 60 == 0 ? tr("%1 h").arg(minutes / 60) : tr("%1 h %2 min").arg(minutes / 60).arg(minutes % 60);
}

QString stepText(const ModuleStep& step)
{
    if (!step.written)
        return tr("Not written yet");
    QStringList done;
    if (step.progress.opened)
        done << tr("read");
    if (step.progress.predicted)
        done << tr("predicted");
    if (step.progress.ran)
        done << tr("ran");
    if (step.allPassed())
        done << tr("passed");
    else if (!step.held.isEmpty() && (step.progress.predicted || step.progress.ran))
        done << tr("checks shown later");
    else if (step.progress.predicted || step.progress.ran)
        done << tr("%1 of %2 checks pass").arg(step.passed).arg(step.checks);
    if (step.progress.shipped)
        done << tr("shipped");
    if (done.isEmpty())
        return tr("Not started");
    QString words = done.join(QStringLiteral(", "));
    words[0] = words[0].toUpper();
    return words;
}

std::vector<AbilityGroup> abilitiesOf(const std::vector<const lessons::Lesson*>& lessons)
{
    std::vector<AbilityGroup> groups;
    for (const lessons::Lesson* lesson : lessons)
        for (const std::string& objective : lesson->objectives) {
            const QString words = text(objective).simplified();
            const QString verb = words.section(QLatin1Char(' '), 0, 0);
            const QString rest = words.section(QLatin1Char(' '), 1);
            auto group = std::find_if(groups.begin(), groups.end(), [&](const AbilityGroup& known) {
                return known.verb.compare(verb, Qt::CaseInsensitive) == 0;
            });
            if (group == groups.end())
                group = groups.insert(groups.end(), {verb, {}});
            auto item = std::find_if(group->items.begin(), group->items.end(), [&](const AbilityGroup::Item& known) {
                return known.text.compare(rest, Qt::CaseInsensitive) == 0;
            });
            if (item == group->items.end())
                item = group->items.insert(group->items.end(), {rest, {}});
            item->lessons << text(lesson->id);
        }
    return groups;
}

int ModuleStory::written() const
{
    return int(std::count_if(steps.begin(), steps.end(), [](const ModuleStep& s) { return s.written && !s.capstone; }));
}

int ModuleStory::lessons() const
{
    return int(std::count_if(steps.begin(), steps.end(), [](const ModuleStep& s) { return !s.capstone; }));
}

int ModuleStory::shipped() const
{
    return int(std::count_if(steps.begin(), steps.end(), [](const ModuleStep& s) { return s.progress.shipped; }));
}

int ModuleStory::minutes() const
{
    int sum = 0;
    for (const ModuleStep& step : steps)
        sum += step.minutes;
    return sum;
}

const ModuleStep* ModuleStory::next(const QStringList& recent) const
{
    const ModuleStep* best = nullptr;
    qsizetype newest = recent.size();
    for (const ModuleStep& step : steps) {
        if (!step.written || step.progress.shipped)
            continue;
        const qsizetype at = recent.indexOf(step.id);
        if (at >= 0 && at < newest) {
            newest = at;
            best = &step;
        } else if (!best) {
            best = &step;
        }
    }
    return best;
}

std::optional<ModuleStory> moduleStory(AppContext& context, int number)
{
    const lessons::Curriculum& curriculum = context.curriculum();
    const auto module = std::find_if(curriculum.modules.begin(), curriculum.modules.end(),
                                     [number](const lessons::ModuleInfo& m) { return m.number == number; });
    if (module == curriculum.modules.end())
        return std::nullopt;
    ModuleStory story;
    story.number = number;
    story.title = text(module->title);
    story.promise = text(module->promise);
    std::vector<std::string> ids;
    const std::string prefix = std::to_string(number) + '.';
    for (const lessons::PlannedLesson& planned : curriculum.planned)
        if (planned.id.starts_with(prefix))
            ids.push_back(planned.id);
    std::vector<const lessons::Lesson*> written;
    for (const lessons::Lesson& head : curriculum.heads)
        if (head.module == number) {
            written.push_back(&head);
            if (std::find(ids.begin(), ids.end(), head.id) == ids.end())
                ids.push_back(head.id);
        }
    std::sort(ids.begin(), ids.end());
    story.abilities = abilitiesOf(written);
    const CourseProgress course(context);
    for (const std::string& id : ids)
        story.steps.push_back(stepOf(context, course, id));
    story.tasks = tasksOf(context, story.steps);
    if (const lessons::Lesson* capstone = curriculum.capstone(number)) {
        story.steps.push_back(stepOf(context, course, capstone->id));
        story.steps.back().capstone = true;
    }
    for (const lessons::Term& term : curriculum.terms)
        if (term.lesson.starts_with(prefix))
            story.terms.push_back(&term);
    std::sort(story.terms.begin(), story.terms.end(), [](const lessons::Term* a, const lessons::Term* b) {
        return QString::localeAwareCompare(text(a->name), text(b->name)) < 0;
    });
    return story;
}

} // namespace ridge::app
