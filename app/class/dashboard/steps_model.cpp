// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/dashboard/steps_model.h"

#include "app/class/dashboard/class_texts.h"
#include "classroom/asked_steps.h"
#include <QCollator>
#include <QDateTime>
#include <QLocale>
#include <algorithm>
#include <cmath>

namespace ridge::app {
namespace {

constexpr std::size_t kSteps = 5;
constexpr int kUpToArtifact = 0b1111; ///< what a lesson asks for; explaining is a gift

/// "5 Mar 2026 12:00", local time.
QString timeText(const std::string& iso)
{
    const QDateTime time = QDateTime::fromString(QString::fromStdString(iso), Qt::ISODateWithMs).toLocalTime();
    return time.isValid() ? QLocale().toString(time, QStringLiteral("d MMM yyyy HH:mm")) : QString();
}

/// "saxpy" of "kernel-saxpy"
QString shortName(const QString& lesson)
{
    const std::string task = classroom::taskOfLesson(lesson.toStdString());
    return task.empty() ? lesson : QString::fromStdString(task);
}

} // namespace

StepsModel::StepsModel(QObject* parent) : QAbstractTableModel(parent) {}

void StepsModel::setReport(const classroom::ClassReport& report, const QStringList& titles)
{
    beginResetModel();
    m_lessons.clear();
    m_titles = titles;
    m_rows.clear();
    for (const std::string& lesson : report.lessons)
        m_lessons << QString::fromStdString(lesson);
    m_counts.assign(report.lessons.size(), {});
    for (const classroom::LearnerLine& line : report.learners) {
        Row row;
        row.who = line.who;
        row.name = personName(line.who);
        QStringList machines;
        for (const std::string& name : line.hardware)
            machines << QString::fromStdString(name).simplified();
        row.machine = machines.join(QStringLiteral(", "));
        row.handedIn = timeText(line.submittedAt);
        row.grade = line.grade;
        row.late = line.late;
        row.reexecuted = line.reexecuted;
        row.finished = true;
        for (std::size_t i = 0; i < report.lessons.size(); ++i) {
            const auto steps = line.steps.find(report.lessons[i]);
            const auto points = line.points.find(report.lessons[i]);
            std::int8_t mask = steps == line.steps.end() ? -1 : 0;
            if (mask == 0)
                for (std::size_t step = 0; step < kSteps; ++step)
                    if (stepDone(steps->second, step)) {
                        mask = static_cast<std::int8_t>(mask | (1 << step));
                        ++m_counts[i][step];
                    }
            row.finished = row.finished && mask >= 0 && (mask & kUpToArtifact) == kUpToArtifact;
            row.steps.push_back(mask);
            row.points.push_back(points == line.points.end() ? 0 : static_cast<float>(points->second));
        }
        m_rows.push_back(std::move(row));
    }
    for (const classroom::Person& person : report.missing) {
        Row row;
        row.who = person;
        row.name = personName(person);
        row.missing = true;
        row.handedIn = tr("nothing yet");
        row.steps.assign(report.lessons.size(), -1);
        row.points.assign(report.lessons.size(), 0);
        m_rows.push_back(std::move(row));
    }
    std::map<std::pair<std::string, std::string>, const classroom::StuckLearner*> stuck;
    for (const classroom::StuckLearner& one : report.stuck)
        stuck.emplace(std::pair(one.who.learner, one.who.name), &one);
    QCollator order;
    order.setCaseSensitivity(Qt::CaseInsensitive);
    order.setNumericMode(true);
    std::vector<std::pair<QCollatorSortKey, std::size_t>> keys;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        Row& row = m_rows[i];
        row.words = (row.name + QLatin1Char('\n') + row.machine).toLower();
        if (const auto found = stuck.find({row.who.learner, row.who.name}); found != stuck.end() && !row.missing) {
            row.stuckLesson = QString::fromStdString(found->second->lesson);
            row.stuckText = openStepText(found->second->step);
            for (const std::string* more : {&found->second->check, &found->second->detail})
                if (!more->empty())
                    row.stuckText += QStringLiteral(", ") + QString::fromStdString(*more).simplified();
        }
        keys.emplace_back(order.sortKey(row.name), i);
    }
    std::ranges::stable_sort(keys, [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Row> sorted;
    sorted.reserve(m_rows.size());
    for (const auto& [key, i] : keys)
        sorted.push_back(std::move(m_rows[i]));
    m_rows = std::move(sorted);
    m_shown.resize(m_rows.size());
    for (std::size_t i = 0; i < m_shown.size(); ++i)
        m_shown[i] = i;
    endResetModel();
}

void StepsModel::setFilter(const QString& text, Show show, const std::vector<classroom::Person>& learners)
{
    const QStringList wanted = text.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    beginResetModel();
    m_shown.clear();
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const Row& row = m_rows[i];
        const bool kind = show == Everyone  ? true
                          : show == Late    ? row.late
                          : show == Missing ? row.missing
                                            : !row.finished;
        const bool named = std::ranges::all_of(wanted, [&](const QString& word) { return row.words.contains(word); });
        const bool chosen = learners.empty() || std::ranges::find(learners, row.who) != learners.end();
        if (kind && named && chosen)
            m_shown.push_back(i);
    }
    endResetModel();
}

QString StepsModel::lesson(int column) const
{
    return isLesson(column) ? m_lessons[column - kFirstLesson] : QString();
}

int StepsModel::count(int column, std::size_t step) const
{
    return isLesson(column) ? m_counts[static_cast<std::size_t>(column - kFirstLesson)][step] : 0;
}

bool StepsModel::hasStep(int column, std::size_t step) const
{
    static constexpr const char* kNames[kSteps] = {"predicted", "ran", "passed", "shipped", "explained"};
    return classroom::hasStep(lesson(column).toStdString(), kNames[step]);
}

int StepsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

int StepsModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : machineColumn() + 1;
}

QString StepsModel::cell(const Row& row, int column) const
{
    if (column == 0)
        return row.name;
    if (column == gradeColumn())
        return row.missing ? QStringLiteral("–") : QString::number(std::lround(row.grade));
    if (column == handedInColumn())
        return row.late ? tr("%1, late").arg(row.handedIn) : row.handedIn;
    return column == machineColumn() ? row.machine : QString();
}

/// "2.4: predicted, ran; open: checks, shipped, explained"
QString StepsModel::stepsText(const Row& row, int column) const
{
    const int lesson = column - kFirstLesson;
    const int mask = row.steps[static_cast<std::size_t>(lesson)];
    if (mask < 0)
        return tr("%1: nothing handed in").arg(shortName(m_lessons[lesson]));
    QStringList done, open;
    for (std::size_t step = 0; step < kSteps; ++step)
        if (hasStep(column, step))
            (mask & (1 << step) ? done : open) << stepTitle(step).toLower();
    if (open.isEmpty())
        return tr("%1: every step").arg(shortName(m_lessons[lesson]));
    if (done.isEmpty())
        return tr("%1: no step yet").arg(shortName(m_lessons[lesson]));
    return tr("%1: %2; open: %3")
        .arg(shortName(m_lessons[lesson]), done.join(QStringLiteral(", ")), open.join(QStringLiteral(", ")));
}

QString StepsModel::detail(const QModelIndex& index) const
{
    if (!index.isValid())
        return {};
    const Row& row = at(index.row());
    const QString name = isolated(row.name);
    if (row.missing)
        return tr("%1 has handed in nothing yet.").arg(name);
    if (!isLesson(index.column())) {
        QString text = tr("%1: %2 points").arg(name).arg(std::lround(row.grade));
        if (!row.handedIn.isEmpty())
            text += row.late ? tr(", handed in late, %1").arg(row.handedIn) : tr(", handed in %1").arg(row.handedIn);
        if (!row.machine.isEmpty())
            text += tr(", on %1").arg(isolated(row.machine));
        return text + (row.reexecuted ? tr("; every lesson was run again.") : QStringLiteral("."));
    }
    const auto lesson = static_cast<std::size_t>(index.column() - kFirstLesson);
    QString text = tr("%1, %2").arg(name, stepsText(row, index.column()));
    if (row.steps[lesson] >= 0)
        text += tr("; %1 points").arg(std::lround(row.points[lesson]));
    if (row.stuckLesson == m_lessons[static_cast<qsizetype>(lesson)] && !row.stuckText.isEmpty())
        text += tr(". First open: %1").arg(isolated(row.stuckText));
    return text + QLatin1Char('.');
}

QVariant StepsModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Row& row = at(index.row());
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole:
        return cell(row, column);
    case StepsRole:
        return isLesson(column) ? QVariant(int(row.steps[static_cast<std::size_t>(column - kFirstLesson)]))
                                : QVariant();
    case AbsentRole: {
        int absent = 0;
        for (std::size_t step = 0; step < kSteps; ++step)
            absent |= hasStep(column, step) ? 0 : 1 << step;
        return absent;
    }
    case Qt::TextAlignmentRole:
        return QVariant((column == gradeColumn() ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::ToolTipRole:
        return column == 0 || column == machineColumn() ? asToolTip(cell(row, column)) : QString();
    case Qt::AccessibleTextRole:
        return detail(index);
    default:
        return {};
    }
}

QVariant StepsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
        return {};
    const bool lesson = isLesson(section);
    if (role == Qt::DisplayRole)
        return section == 0                  ? tr("Learner")
               : lesson                      ? shortName(this->lesson(section))
               : section == gradeColumn()    ? tr("Points")
               : section == handedInColumn() ? tr("Handed in")
                                             : tr("Machine");
    if (!lesson || (role != Qt::AccessibleTextRole && role != Qt::ToolTipRole))
        return {};
    QStringList parts;
    for (std::size_t step = 0; step < kSteps; ++step)
        if (hasStep(section, step))
            parts << tr("%1 %2").arg(stepTitle(step).toLower()).arg(count(section, step));
    const QString words = tr("%1: %2").arg(m_titles.value(section - kFirstLesson, this->lesson(section)),
                                           parts.join(QStringLiteral(", ")));
    return role == Qt::ToolTipRole ? asToolTip(words) : words;
}

} // namespace ridge::app

#include "moc_steps_model.cpp"
