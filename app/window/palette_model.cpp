// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/palette_model.h"

#include "app/kernels/kernel_shelf.h"
#include "app/runs/table/run_data.h"
#include "app/ui/panels.h"
#include "app/window/fuzzy.h"

#include <algorithm>

namespace ridge::app {
namespace {

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

/// Of titles that fit about as well, what one more probably means comes first: there are many runs and few lessons.
int kindBonus(PaletteEntry::Kind kind)
{
    constexpr int kStep = 64 * 16;
    switch (kind) {
    case PaletteEntry::Kind::Lesson:
    case PaletteEntry::Kind::Module:
    case PaletteEntry::Kind::Action:
        return 2 * kStep;
    case PaletteEntry::Kind::Experiment:
    case PaletteEntry::Kind::Kernel:
    case PaletteEntry::Kind::Term:
        return kStep;
    case PaletteEntry::Kind::Run:
        return 0;
    }
    return 0;
}

void addActions(std::vector<PaletteEntry>& entries, ActionRegistry& actions)
{
    for (const ActionSpec& spec : actions.specs()) {
        PaletteEntry entry;
        entry.text = QString(spec.text).remove(QLatin1Char('&'));
        entry.detail = spec.help;
        if (!spec.shortcuts.isEmpty())
            entry.hint = spec.shortcuts.first().toString(QKeySequence::NativeText);
        entry.target = spec.id;
        entries.push_back(entry);
    }
}

void addCurriculum(std::vector<PaletteEntry>& entries, const lessons::Curriculum& curriculum)
{
    for (const lessons::ModuleInfo& module : curriculum.modules)
        entries.push_back({PaletteEntry::Kind::Module,
                           QStringLiteral("%1  %2").arg(module.number).arg(text(module.title)),
                           text(module.promise),
                           {},
                           QStringLiteral("module/%1").arg(module.number)});
    for (const lessons::Lesson& lesson : curriculum.heads)
        entries.push_back({PaletteEntry::Kind::Lesson, text(lesson.id) + QStringLiteral("  ") + text(lesson.title),
                           text(lesson.question), QObject::tr("%1 min").arg(lesson.minutes),
                           QStringLiteral("lesson/") + text(lesson.id)});
    for (const lessons::Lesson& capstone : curriculum.capstones)
        entries.push_back({PaletteEntry::Kind::Lesson, QObject::tr("Capstone: %1").arg(text(capstone.title)),
                           text(capstone.question), QObject::tr("%1 min").arg(capstone.minutes),
                           QStringLiteral("lesson/") + text(capstone.id)});
    for (const lessons::Term& term : curriculum.terms) {
        // A term of a lesson that is not written yet has its card on the page of the module.
        const bool written = curriculum.head(term.lesson) != nullptr;
        const QString module = QString::fromStdString(term.lesson).section(QLatin1Char('.'), 0, 0);
        entries.push_back({PaletteEntry::Kind::Term, text(term.name), text(term.text),
                           term.lesson.empty() ? QString() : QObject::tr("lesson %1").arg(text(term.lesson)),
                           term.lesson.empty() ? QString()
                           : written           ? QStringLiteral("lesson/") + text(term.lesson)
                                               : QStringLiteral("module/") + module});
    }
}

} // namespace

std::vector<PaletteEntry> paletteEntries(AppContext& context, std::span<const record::RunRow> recentRuns)
{
    std::vector<PaletteEntry> entries;
    addActions(entries, context.actions());
    addCurriculum(entries, context.curriculum());
    for (const ExperimentInfo& info : context.experiments())
        entries.push_back({PaletteEntry::Kind::Experiment, text(info.title), text(info.summary), text(info.id),
                           QStringLiteral("lab/") + text(info.id)});
    if (const record::Store* store = context.store())
        for (const ShelfEntry& kernel : kernelsIn(store->folder()))
            entries.push_back({PaletteEntry::Kind::Kernel, text(kernel.name),
                               kernel.lines == 1 ? QObject::tr("A kernel of your own, 1 line")
                                                 : QObject::tr("A kernel of your own, %1 lines").arg(kernel.lines),
                               readableTime(kernel.changedAt), QStringLiteral("kernel/") + text(kernel.name)});
    for (const record::RunRow& run : recentRuns) {
        const ExperimentInfo* info = context.experiment(run.experiment);
        const QString told = parameterText(run.params, info, info ? tellingParameters(run, *info) : QStringList());
        entries.push_back({PaletteEntry::Kind::Run, text(run.experiment) + QStringLiteral("  ") + told,
                           parameterText(run.params, info) + QStringLiteral(" · ") + text(run.target),
                           readableTime(run.createdAt), QStringLiteral("runs/") + text(run.id)});
    }
    return entries;
}

void PaletteModel::setEntries(std::vector<PaletteEntry> entries)
{
    beginResetModel();
    m_entries = std::move(entries);
    m_shown.clear();
    endResetModel();
    setPattern(m_pattern);
}

void PaletteModel::setPattern(const QString& pattern)
{
    beginResetModel();
    m_pattern = pattern;
    std::vector<std::pair<int, int>> scored;
    for (int i = 0; i < static_cast<int>(m_entries.size()); ++i) {
        const PaletteEntry& entry = m_entries[static_cast<std::size_t>(i)];
        int score = fuzzyScore(pattern, entry.text);
        if (score >= 0)
            score += kindBonus(entry.kind);
        else if (containsWords(pattern, entry.text + QLatin1Char(' ') + entry.detail + QLatin1Char(' ') + entry.hint))
            score = 0; // in the small print: found, below every title
        if (score >= 0)
            scored.emplace_back(score, i);
    }
    if (!pattern.trimmed().isEmpty())
        std::stable_sort(scored.begin(), scored.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    m_shown.clear();
    for (const auto& [score, index] : scored)
        if (static_cast<int>(m_shown.size()) < kMostShown)
            m_shown.push_back(index);
    endResetModel();
}

const PaletteEntry* PaletteModel::entry(const QModelIndex& index) const
{
    if (!index.isValid() || index.row() >= static_cast<int>(m_shown.size()))
        return nullptr;
    return &m_entries[static_cast<std::size_t>(m_shown[static_cast<std::size_t>(index.row())])];
}

int PaletteModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

QVariant PaletteModel::data(const QModelIndex& index, int role) const
{
    const PaletteEntry* found = entry(index);
    if (!found)
        return {};
    switch (role) {
    case Qt::DisplayRole:
        return found->text;
    case Qt::AccessibleTextRole:
        return QStringLiteral("%1: %2. %3 %4").arg(kindName(found->kind), found->text, found->detail, found->hint);
    case DetailRole:
        return found->detail;
    case HintRole:
        return found->hint;
    case KindRole:
        return kindName(found->kind);
    default:
        return {};
    }
}

QString kindName(PaletteEntry::Kind kind)
{
    switch (kind) {
    case PaletteEntry::Kind::Action:
        return QObject::tr("Command");
    case PaletteEntry::Kind::Module:
        return QObject::tr("Module");
    case PaletteEntry::Kind::Lesson:
        return QObject::tr("Lesson");
    case PaletteEntry::Kind::Experiment:
        return QObject::tr("Experiment");
    case PaletteEntry::Kind::Kernel:
        return QObject::tr("Kernel");
    case PaletteEntry::Kind::Term:
        return QObject::tr("Term");
    case PaletteEntry::Kind::Run:
        return QObject::tr("Run");
    }
    return {};
}

} // namespace ridge::app

#include "moc_palette_model.cpp"
