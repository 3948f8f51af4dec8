// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/assignments/assignment_text.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>
#include <QStringList>
#include <algorithm>

namespace ridge::app {
namespace {

constexpr qsizetype kShownKey = 16, kGroup = 4;

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::Assignment", text);
}

classroom::FeedbackWhen whenOf(const classroom::Assignment& assignment, const std::string& step)
{
    const auto found = assignment.feedback.find(step);
    return found == assignment.feedback.end() ? classroom::FeedbackWhen::Now : found->second;
}

} // namespace

QString keyFingerprint(const std::string& key)
{
    const QString shown = QString::fromStdString(key).left(kShownKey).toUpper();
    QStringList groups;
    for (qsizetype at = 0; at < shown.size(); at += kGroup)
        groups << shown.mid(at, kGroup);
    return groups.join(QLatin1Char(' '));
}

QString timeText(const std::string& iso)
{
    const QDateTime time = QDateTime::fromString(QString::fromStdString(iso), Qt::ISODateWithMs).toLocalTime();
    return time.isValid() ? QLocale::c().toString(time, QStringLiteral("d MMMM yyyy, HH:mm")) : QString();
}

QString deadlineText(const classroom::Assignment& assignment, const std::string& now)
{
    if (assignment.deadline.empty())
        return tr("No deadline");
    return (now > assignment.deadline ? tr("Was due %1") : tr("Due %1")).arg(timeText(assignment.deadline));
}

QString stepTitle(const std::string& step)
{
    return step == "predicted" ? tr("Predicted")
           : step == "ran"     ? tr("Ran")
           : step == "passed"  ? tr("Passed")
           : step == "shipped" ? tr("Shipped")
                               : tr("Explained");
}

QString stepOutcome(const std::string& step)
{
    return step == "predicted" ? tr("How far your predictions were off")
           : step == "ran"     ? tr("What your runs gave")
           : step == "passed"  ? tr("Which checks and answers are right")
           : step == "shipped" ? tr("What speaks for and against your artifact")
                               : tr("What the authors say to your reasons");
}

QString whenText(const classroom::Assignment& assignment, const std::string& step)
{
    switch (whenOf(assignment, step)) {
    case classroom::FeedbackWhen::Now:
        return tr("at once");
    case classroom::FeedbackWhen::Deadline:
        return tr("from %1 on").arg(timeText(assignment.deadline));
    case classroom::FeedbackWhen::Never:
        return tr("not shown");
    }
    return {};
}

bool keepsBack(const classroom::Assignment& assignment)
{
    return std::ranges::any_of(assignment.feedback,
                               [](const auto& step) { return step.second != classroom::FeedbackWhen::Now; });
}

} // namespace ridge::app
