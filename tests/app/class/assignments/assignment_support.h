// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/class/assignments/assignment_page.h"
#include "app/class/assignments/submit_panel.h"
#include "base/json.h"
#include "bundle/signed.h"
#include "classroom/class_folder.h"
#include "classroom/identity.h"
#include "tests/app/window/shell_fixture.h"

#include <QFileDialog>
#include <QLabel>
#include <fstream>

namespace ridge::app {

using classroom::FeedbackWhen;

inline QString s(const char* text)
{
    return QString::fromUtf8(text);
}

inline const std::string kLater = "2098-03-08T18:00:00.000Z";
inline const std::string kAssignmentId = "0190a1b2-0000-7000-8000-000000000001";
inline constexpr const char* kAssignmentPurpose = "ridgepoint-assignment 1";

/// A teacher with a key, who gives the first two lessons of a curriculum out.
struct Teacher {
    classroom::ClassKeys keys = classroom::classKeysFromSeed(std::string(32, 'k')).value();
    classroom::Assignment assignment;

    explicit Teacher(const lessons::Curriculum& curriculum, const std::vector<std::string>& ids = {"1.1", "1.2"})
    {
        assignment.id = kAssignmentId;
        assignment.title = "Week 1: what a warp asks for";
        assignment.teacher = "Dr. R. Hopper";
        assignment.createdAt = "2026-01-01T00:00:10.000Z";
        assignment.deadline = kLater;
        assignment.lessons = classroom::assignedLessons(curriculum, ids).value();
    }
    /// The bytes of the next edition.
    std::string edition(std::map<std::string, FeedbackWhen> feedback = {}, const std::string& deadline = kLater)
    {
        assignment.feedback = std::move(feedback);
        assignment.deadline = deadline;
        assignment.createdAt[18] = static_cast<char>('0' + m_edition++ % 10);
        const auto written = classroom::createAssignment(assignment, keys);
        if (!written)
            qFatal("%s", toText(written.error()).c_str());
        return written->bytes;
    }
    /// Accepted without the window.
    void give(Workplace& place, std::map<std::string, FeedbackWhen> feedback, const std::string& deadline = kLater)
    {
        const auto accepted = classroom::acceptAssignment(place.home().toStdString(), edition(feedback, deadline), "x");
        if (!accepted)
            qFatal("%s", toText(accepted.error()).c_str());
        place.context->feedback().reload();
    }

private:
    int m_edition = 1;
};

inline QString writeTo(const QString& folder, const char* name, const std::string& bytes)
{
    const QString path = folder + QLatin1Char('/') + QLatin1String(name);
    std::ofstream(path.toStdString(), std::ios::binary) << bytes;
    return path;
}

/// What one lesson's predict, run and quiz blocks leave behind, without running anything.
inline void workOn(Workplace& place, const std::string& lesson)
{
    record::PredictionRow prediction;
    prediction.lesson = lesson;
    prediction.block = "guess";
    prediction.experiment = "coalescing";
    prediction.metric = "sectors_per_request";
    prediction.unit = "sectors/request";
    prediction.params = {{"stride", std::int64_t{2}}, {"element_bytes", std::int64_t{4}}};
    prediction.point = 16;
    prediction.low = 12;
    prediction.high = 32;
    const std::string id = place.store(prediction);
    record::RunRow run = Workplace::run(2, "s1", lesson);
    run.block = "guess";
    run.predictionId = id;
    run.params["element_bytes"] = std::int64_t{4};
    place.store(run);
    record::AnswerRow answer;
    answer.lesson = lesson;
    answer.block = "count";
    answer.answer = Json{{"number", 12}};
    answer.correct = true;
    place.store(answer);
}

/// Every word that is seen, spoken or hinted at below a widget.
inline QString wordsOf(QWidget* from)
{
    QString all;
    for (const QWidget* each : from->findChildren<QWidget*>()) {
        if (!each->isVisibleTo(from))
            continue;
        all += each->accessibleName() + QLatin1Char('\n') + each->accessibleDescription() + QLatin1Char('\n') +
               each->toolTip() + QLatin1Char('\n');
        if (const auto* label = qobject_cast<const QLabel*>(each))
            all += label->text() + QLatin1Char('\n');
    }
    return all;
}

} // namespace ridge::app
