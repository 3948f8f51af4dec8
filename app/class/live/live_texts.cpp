// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/live/live_texts.h"

#include "app/drawing/charts/chart_text.h"

#include <QCoreApplication>
#include <algorithm>

namespace ridge::app {
namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("LiveTexts", text);
}

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

QString doneWords(const live::StepNote& note)
{
    static const std::array<const char*, 5> words = {
        QT_TRANSLATE_NOOP("LiveTexts", "predicted"), QT_TRANSLATE_NOOP("LiveTexts", "ran"),
        QT_TRANSLATE_NOOP("LiveTexts", "checks passed"), QT_TRANSLATE_NOOP("LiveTexts", "shipped"),
        QT_TRANSLATE_NOOP("LiveTexts", "explained")};
    QStringList done;
    for (std::size_t i = 0; i < words.size(); ++i)
        if (note.done[i])
            done << tr(words[i]);
    QString line =
        tr("Lesson %1: %2").arg(text(note.lesson), done.isEmpty() ? tr("nothing done yet") : done.join(tr(", ")));
    if (note.passedHeldBack)
        line += tr("; checks are not told");
    return line;
}

/// "8 sectors/request (4 to 16)"; with the unit each time where it is written with another prefix.
QString predictionWords(const live::PredictionNote& note)
{
    const QString unit = text(note.unit);
    const QString point = quantity(note.point, unit);
    QString low = quantity(note.low, unit), high = quantity(note.high, unit);
    const auto unitOf = [](const QString& written) { return written.section(QLatin1Char(' '), 1); };
    if (unitOf(low) == unitOf(point) && unitOf(high) == unitOf(point)) {
        low = low.section(QLatin1Char(' '), 0, 0);
        high = high.section(QLatin1Char(' '), 0, 0);
    }
    return tr("Lesson %1, prediction: %2 (%3 to %4)").arg(text(note.lesson), point, low, high);
}

} // namespace

QString stepWords(const std::string& step)
{
    return step == "predicted"   ? tr("Predicting")
           : step == "ran"       ? tr("Running")
           : step == "passed"    ? tr("At the checks")
           : step == "shipped"   ? tr("Writing the artifact")
           : step == "explained" ? tr("Explaining")
                                 : tr("Done");
}

QString sinceWords(std::int64_t milliseconds)
{
    const auto minutes = milliseconds / 60000;
    if (minutes < 1)
        return tr("just now");
    return minutes < 60 ? tr("%1 min").arg(minutes) : tr("%1 h %2 min").arg(minutes / 60).arg(minutes % 60);
}

QList<QStringList> whereRows(const live::BoardView& view, const std::map<std::string, std::string>& names,
                             std::int64_t nowMs)
{
    QList<QStringList> rows;
    for (const live::LiveLearner& one : view.learners) {
        const auto name = names.find(one.learner);
        rows << QStringList{text(name == names.end() ? one.learner : name->second), stepWords(one.step),
                            sinceWords(nowMs - one.sinceMs), text(one.lesson),
                            one.connected ? tr("here") : tr("no link")};
    }
    return rows;
}

QList<QStringList> countRows(const live::BoardView& view, const std::vector<classroom::AssignedLesson>& lessons)
{
    std::map<std::pair<std::string, std::string>, int> counts;
    for (const live::LiveLearner& one : view.learners)
        ++counts[{one.lesson, one.step}];
    std::vector<std::string> steps = classroom::steps();
    steps.emplace_back();
    QList<QStringList> rows;
    for (const classroom::AssignedLesson& lesson : lessons)
        for (const std::string& step : steps)
            if (const auto found = counts.find({lesson.id, step}); found != counts.end())
                rows << QStringList{text(lesson.id), stepWords(step), QString::number(found->second)};
    return rows;
}

QString refusalWords(const live::Refusals& refusals)
{
    QStringList parts;
    const auto add = [&](std::uint64_t count, const QString& what) {
        if (count > 0)
            parts << tr("%1 %2").arg(count).arg(what);
    };
    add(refusals.wrongCode, tr("with another code"));
    add(refusals.otherAssignment, tr("about another assignment"));
    add(refusals.full, tr("beyond the most learners a session takes"));
    add(refusals.behind, tr("repeated or out of order"));
    add(refusals.forged, tr("not signed by the learner they name"));
    add(refusals.garbage, tr("that were no messages"));
    add(refusals.unknown, tr("about what was not assigned"));
    add(refusals.connections, tr("connections that said nothing"));
    return parts.isEmpty() ? QString() : tr("Not taken: %1.").arg(parts.join(tr(", ")));
}

QList<QStringList> sharedRows(const std::vector<live::Note>& notes, const std::vector<live::Note>& taken, bool on)
{
    QList<QStringList> rows;
    for (const live::Note& note : notes) {
        const auto* step = std::get_if<live::StepNote>(&note);
        const bool known = std::any_of(taken.begin(), taken.end(), [&](const live::Note& one) {
            if (const auto* told = std::get_if<live::StepNote>(&one); told && step)
                return told->lesson == step->lesson && told->done == step->done;
            return one == note;
        });
        rows << QStringList{!on     ? tr("not sent")
                            : known ? tr("received")
                                    : tr("on its way"),
                            step ? doneWords(*step) : predictionWords(std::get<live::PredictionNote>(note))};
    }
    return rows;
}

} // namespace ridge::app
