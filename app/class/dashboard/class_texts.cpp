// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/dashboard/class_texts.h"

#include "app/drawing/charts/chart_text.h"
#include "search/plain_text.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <cmath>

namespace ridge::app {
namespace {

QString tr(const char* text, int n = -1)
{
    return QCoreApplication::translate("ridge::app::ClassDashboard", text, nullptr, n);
}

QString words(const std::string& text)
{
    return QString::fromStdString(text).simplified();
}

/// "4.2×", "12×": how far off, as it is said.
QString timesText(double factor)
{
    return QLocale::c().toString(factor, 'f', factor < 10 ? 1 : 0) + QStringLiteral("×");
}

} // namespace

QString personName(const classroom::Person& person)
{
    const QString name = words(person.name);
    if (!name.isEmpty())
        return name;
    return person.learner.empty() ? tr("Somebody on the roster") : words(person.learner);
}

QString isolated(const QString& text)
{
    return QChar(0x2068) + text + QChar(0x2069);
}

QString asToolTip(const QString& text)
{
    return QStringLiteral("<qt>") + text.toHtmlEscaped() + QStringLiteral("</qt>");
}

QString stepTitle(std::size_t step)
{
    switch (step) {
    case 0:
        return tr("Predicted");
    case 1:
        return tr("Ran");
    case 2:
        return tr("Checks");
    case 3:
        return tr("Shipped");
    default:
        return tr("Explained");
    }
}

QString stepLetter(std::size_t step)
{
    return stepTitle(step).left(1);
}

QString stepKey()
{
    return tr("P predicted · R ran everything · C passed the checks · S shipped an artifact · E explained why");
}

QString openStepText(const std::string& step)
{
    if (step == "predicted")
        return tr("a prediction is missing");
    if (step == "ran")
        return tr("a run is missing");
    if (step == "passed")
        return tr("a check is open");
    return tr("no artifact yet");
}

bool stepDone(const classroom::LessonSteps& steps, std::size_t step)
{
    const bool done[] = {steps.predicted, steps.ran, steps.passed, steps.shipped, steps.explained};
    return done[std::min<std::size_t>(step, 4)];
}

QString lessonName(const lessons::Curriculum& curriculum, const std::string& lesson)
{
    const QString title = words(curriculum.titleOf(lesson));
    const QString id = words(lesson);
    return title.isEmpty() || title == id ? id : id + QLatin1Char(' ') + title;
}

QString rangeText(double low, double high, const QString& unit)
{
    // A unit that takes a prefix may stand with two of them.
    const bool prefixed = axisUnit(1e-6, unit).first != 1 || axisUnit(1e6, unit).first != 1;
    return tr("%1 to %2").arg(quantity(low, prefixed ? unit : QString()), quantity(high, unit));
}

QString metricWords(const std::string& metric)
{
    return words(metric).replace(QLatin1Char('_'), QLatin1Char(' '));
}

QString overviewText(const classroom::ClassReport& report)
{
    const auto handedIn = static_cast<int>(report.learners.size());
    const auto all = handedIn + static_cast<int>(report.missing.size());
    if (all == 0)
        return tr("Nobody is on the roster and nothing was handed in.");
    if (handedIn == 0)
        return tr("Nobody has handed in yet; %1 are on the roster.").arg(all);
    const auto late = std::ranges::count(report.learners, true, &classroom::LearnerLine::late);
    const auto done = std::ranges::count_if(report.learners, [&](const classroom::LearnerLine& line) {
        return std::ranges::all_of(report.lessons, [&](const std::string& lesson) {
            const auto steps = line.steps.find(lesson);
            return steps != line.steps.end() && steps->second.predicted && steps->second.ran && steps->second.passed &&
                   steps->second.shipped;
        });
    });
    QString text = all > handedIn  ? tr("%1 of %2 have handed in").arg(handedIn).arg(all)
                   : handedIn == 1 ? tr("One person has handed in")
                                   : tr("All %1 have handed in").arg(handedIn);
    if (late > 0)
        text += tr(", %1 of them late").arg(late);
    return text + tr(". %1 have done every step up to the artifact.").arg(done);
}

QString outlierText(const classroom::Outlier& outlier)
{
    const QString unit = QString::fromStdString(outlier.unit);
    return tr("%1, %2: %3 where the class has %4, %5 apart.")
        .arg(words(outlier.lesson), metricWords(outlier.metric), quantity(outlier.value, unit),
             quantity(outlier.median, unit), timesText(outlier.factor));
}

QString outlierQuestion(const classroom::Outlier& outlier, bool named)
{
    const QString machine = words(outlier.hardware).isEmpty() ? tr("an unnamed machine") : words(outlier.hardware);
    const QString where = outlier.provenance.empty() ? machine : tr("%1, %2").arg(machine, words(outlier.provenance));
    return named ? tr("Ask %1 (%2): what is different there? The machine, a parameter, or another program beside the "
                      "run?")
                       .arg(isolated(personName(outlier.who)), where)
                 : tr("From %1. What could make it so? The machine, a parameter, or another program beside the run?")
                       .arg(where);
}

QString alikeText(const classroom::AlikeKernels& alike, bool named)
{
    using How = classroom::AlikeKernels::How;
    QStringList who;
    for (const classroom::Person& person : alike.who)
        who << isolated(personName(person));
    const auto count = alike.who.size();
    const QString people = named        ? who.join(QStringLiteral(", "))
                           : count == 1 ? tr("one learner")
                                        : tr("%1 learners").arg(count);
    const auto inWords = [&] {
        switch (alike.how) {
        case How::SameText:
            return tr("the same text");
        case How::SameWords:
            return tr("the same but for names, comments and white space");
        case How::SameSolution:
            return tr("the solution that ships, but for names, comments and white space");
        case How::NearWords:
            return tr("much the same code, with statements moved, split or changed");
        case How::NearSolution:
            break;
        }
        return tr("much of the solution that ships, with statements moved, split or changed");
    };
    const QString how = inWords();
    return tr("Kernel “%1” of %2: %3.").arg(words(alike.title), people, how);
}

QString alikeQuestion(const classroom::AlikeKernels& alike)
{
    const QString much = tr("%1 words are beyond what the task begins with.").arg(alike.ownWords);
    return alike.ownWords < classroom::kFewWords
               ? tr("%1 So short a kernel several people come to by themselves. No grade depends on this.").arg(much)
               : tr("%1 Ask how it came to be; that is no proof, and no grade depends on it.").arg(much);
}

std::vector<StuckGroup> stuckGroups(const classroom::ClassReport& report)
{
    std::vector<StuckGroup> groups;
    std::map<std::array<std::string, 3>, std::size_t> places;
    for (const classroom::StuckLearner& one : report.stuck) {
        const auto [place, fresh] = places.try_emplace({one.lesson, one.step, one.check}, groups.size());
        if (fresh)
            groups.push_back({one.lesson, one.step, one.check, {}});
        groups[place->second].learners.push_back(one);
    }
    std::ranges::stable_sort(groups, std::ranges::greater{},
                             [](const StuckGroup& group) { return group.learners.size(); });
    return groups;
}

QString stuckText(const StuckGroup& group, const QString& lesson)
{
    const QString open = openStepText(group.step);
    if (group.step == "passed" && !group.check.empty())
        return tr("%1: open check “%2”").arg(lesson, words(group.check));
    return group.check.empty() ? tr("%1: %2").arg(lesson, open)
                               : tr("%1: %2; first open check “%3”").arg(lesson, open, words(group.check));
}

classroom::ClassReport withPlainTexts(classroom::ClassReport report, const lessons::Curriculum& curriculum)
{
    const auto plain = [&](std::string& text) { text = words(plainText(text, curriculum, {})).toStdString(); };
    for (classroom::PredictionHistogram& one : report.histograms)
        plain(one.question);
    for (classroom::MisconceptionCount& one : report.misconceptions)
        for (std::string* text : {&one.says, &one.question})
            plain(*text);
    for (classroom::ExplanationList& one : report.explanations)
        for (std::string* text : {&one.question, &one.model})
            plain(*text);
    return report;
}

} // namespace ridge::app
