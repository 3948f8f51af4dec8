// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/debug_models.h"

#include "app/theme/color_science.h"
#include "base/units.h"

#include <QColor>
#include <QFont>
#include <bit>

namespace ridge::app {
namespace {

constexpr std::uint32_t kSector = 32, kBanks = 32;

QString q(const std::string& text)
{
    return QString::fromStdString(text);
}

QVariant laneHeader(int section, Qt::Orientation orientation, int role, const QString& first)
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == 0 ? first : QString::number(section - 1);
}

} // namespace

void StepTableModel::setSession(const DebugSession* session)
{
    beginResetModel();
    m_session = session;
    forget();
    endResetModel();
    follow();
}

void StepTableModel::follow()
{
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

QVariant StepTableModel::marked(int role, bool marked) const
{
    if (role == Qt::BackgroundRole && marked)
        return blend(m_theme.color(Role::Surface), m_theme.color(Role::Accent), 0.22);
    if (role == Qt::TextAlignmentRole)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    return {};
}

void VariableModel::follow()
{
    take(session() ? session()->variables() : std::vector<DebugSession::Seen>());
}

QVariant VariableModel::data(const QModelIndex& index, int role) const
{
    if (!session() || index.row() >= int(m_rows.size()))
        return {};
    const DebugSession::Seen& seen = m_rows[std::size_t(index.row())];
    if (index.column() == 0) {
        if (role == Qt::ToolTipRole) {
            const QString in = q(session()->trace().registers[seen.reg].name);
            return seen.variable->line > 0 ? tr("%1, declared in line %2, here in %3")
                                                 .arg(q(seen.variable->type))
                                                 .arg(seen.variable->line)
                                                 .arg(in)
                                           : tr("%1, here in %2").arg(q(seen.variable->type), in);
        }
        return role == Qt::DisplayRole ? QVariant(q(seen.variable->name)) : QVariant();
    }
    const auto lane = std::uint32_t(index.column() - 1);
    const bool changed = (session()->writtenLanes(seen.reg) >> lane & 1) != 0;
    if (role == Qt::DisplayRole) {
        const auto value = session()->text(seen, lane);
        return value ? (changed ? QStringLiteral("• ") : QString()) + q(*value) : QStringLiteral("–");
    }
    return marked(role, changed);
}

QVariant VariableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    return laneHeader(section, orientation, role, tr("Variable"));
}

void RegisterModel::follow()
{
    std::vector<std::uint32_t> rows;
    if (session()) {
        // In the order in which they were written last, the newest first, as far as a screen holds them.
        const StepTrace& trace = session()->trace();
        std::vector<std::uint32_t> rest;
        for (std::uint32_t reg = 0; reg < trace.registers.size(); ++reg)
            if (session()->reader().isWritten(session()->warp(), reg))
                (session()->writtenLanes(reg) != 0 ? rows : rest).push_back(reg);
        rows.insert(rows.end(), rest.begin(), rest.end());
    }
    take(std::move(rows));
}

QVariant RegisterModel::data(const QModelIndex& index, int role) const
{
    if (!session() || index.row() >= int(m_rows.size()))
        return {};
    const std::uint32_t reg = m_rows[std::size_t(index.row())];
    if (reg >= session()->trace().registers.size())
        return {}; // rows of the recording before
    const StepRegister& about = session()->trace().registers[reg];
    if (index.column() == 0)
        return role == Qt::DisplayRole ? QVariant(q(about.name)) : QVariant();
    const auto lane = std::uint32_t(index.column() - 1);
    const bool changed = (session()->writtenLanes(reg) >> lane & 1) != 0;
    if (role == Qt::DisplayRole) {
        const auto bits = session()->reader().value(session()->warp(), reg, lane);
        return bits ? (changed ? QStringLiteral("• ") : QString()) + q(registerText(about, *bits))
                    : QStringLiteral("–");
    }
    return marked(role, changed);
}

QVariant RegisterModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    return laneHeader(section, orientation, role, tr("Register"));
}

void SharedModel::follow()
{
    m_used.clear();
    if (const TracedStep* step = session() ? session()->lastStep() : nullptr)
        if (step->access != TracedStep::kNoStep) {
            const StepAccess& access = session()->trace().accesses[step->access];
            if (access.space == StepAccess::Space::Shared)
                for (std::uint32_t lane = 0; lane < kLanes; ++lane)
                    if (const auto address = session()->reader().address(*step, lane))
                        for (std::uint64_t byte = *address; byte < *address + access.bytes; byte += 4)
                            m_used.insert(std::uint32_t(byte / 4));
        }
    StepTableModel::follow();
}

void SharedModel::setFloats(bool floats)
{
    m_floats = floats;
    StepTableModel::follow();
}

int SharedModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || !session() ? 0 : int((session()->trace().sharedBytes + 127) / 128);
}
int SharedModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(kBanks) + 1;
}

QVariant SharedModel::data(const QModelIndex& index, int role) const
{
    if (!session())
        return {};
    if (index.column() == 0)
        return role == Qt::DisplayRole ? QVariant(tr("byte %1").arg(index.row() * 128)) : QVariant();
    const auto word = std::uint32_t(index.row()) * kBanks + std::uint32_t(index.column() - 1);
    const bool used = m_used.contains(word);
    if (role == Qt::DisplayRole) {
        const auto bits = session()->reader().sharedWord(word * 4);
        StepRegister kind;
        kind.isFloat = m_floats;
        return bits ? (used ? QStringLiteral("• ") : QString()) + q(registerText(kind, *bits))
                    : (used ? QStringLiteral("• –") : QStringLiteral("–"));
    }
    return marked(role, used);
}

QVariant SharedModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    return section == 0 ? tr("Offset") : tr("bank %1").arg(section - 1);
}

void AccessModel::forget()
{
    m_step = nullptr;
    m_rows.clear();
    m_summary.clear();
}

void AccessModel::follow()
{
    const StepTrace* trace = session() ? &session()->trace() : nullptr;
    // The last access, not the last step: what follows it is arithmetic for a while.
    const auto at = trace && !trace->steps.empty() ? session()->reader().lastAccessOf(session()->warp()) : std::nullopt;
    const TracedStep* const step = at ? &trace->steps[*at] : nullptr;
    if (step == m_step && !m_summary.isEmpty())
        return; // most steps touch no memory
    beginResetModel();
    m_rows.clear();
    m_summary = tr("This warp has not touched memory yet.");
    m_step = step;
    if (m_step) {
        const StepAccess& access = trace->accesses[m_step->access];
        for (std::uint32_t lane = 0; lane < kLanes; ++lane)
            if (const auto address = session()->reader().address(*m_step, lane))
                m_rows.push_back({lane, *address, 1});
        const bool shared = access.space == StepAccess::Space::Shared;
        for (Row& row : m_rows) {
            row.meeting = 0;
            std::set<std::uint64_t> words;
            for (const Row& other : m_rows) {
                if (!shared)
                    row.meeting += other.address / kSector == row.address / kSector ? 1 : 0;
                else if (other.address / 4 % kBanks == row.address / 4 % kBanks)
                    words.insert(other.address / 4);
            }
            if (shared)
                row.meeting = int(words.size());
        }
        const QString kind = access.kind == StepAccess::Kind::Load    ? tr("Load")
                             : access.kind == StepAccess::Kind::Store ? tr("Store")
                                                                      : tr("Atomic");
        const bool one = access.passes == 1;
        const QString what = access.space == StepAccess::Space::Global
                                 ? (one ? tr("sector of global memory") : tr("sectors of global memory"))
                                 : (one ? tr("pass through the banks") : tr("passes through the banks"));
        const StepInstruction& code = trace->code[m_step->instruction];
        m_summary = tr("What warp %1 of block (%2, %3, %4) did last, in line %5. %6: %7. ")
                        .arg(m_step->warp)
                        .arg(trace->block[0])
                        .arg(trace->block[1])
                        .arg(trace->block[2])
                        .arg(lineOf(code))
                        .arg(kind, q(code.text));
        m_summary +=
            access.space == StepAccess::Space::Local
                ? tr("Local memory, %1 lanes.").arg(m_rows.size())
                : tr("%1 lanes of %2 bytes, %3 %4").arg(m_rows.size()).arg(access.bytes).arg(access.passes).arg(what) +
                      (access.least != 0 ? tr("; %1 at best.").arg(access.least) : QStringLiteral("."));
    }
    endResetModel();
}

int AccessModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}
int AccessModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : 4;
}

QVariant AccessModel::data(const QModelIndex& index, int role) const
{
    if (!m_step || index.row() >= int(m_rows.size()))
        return {};
    const Row& row = m_rows[std::size_t(index.row())];
    const StepAccess& access = session()->trace().accesses[m_step->access];
    const bool shared = access.space == StepAccess::Space::Shared;
    if (role != Qt::DisplayRole)
        return marked(role, shared && row.meeting > 1 && index.column() == 3);
    switch (index.column()) {
    case 0:
        return QString::number(row.lane);
    case 1:
        return q(session()->reader().addressText(access, row.address));
    case 2:
        return shared ? tr("bank %1").arg(row.address / 4 % kBanks) : tr("sector %1").arg(row.address / kSector % 4);
    default:
        return shared ? (row.meeting > 1 ? tr("%1 words meet here").arg(row.meeting) : tr("alone"))
                      : tr("%1 lanes share it").arg(row.meeting);
    }
}

QVariant AccessModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    const QString names[] = {tr("Lane"), tr("Address"), tr("Sector or bank"), tr("Shared by")};
    return names[section];
}

Result<void> WatchModel::add(const std::string& text)
{
    if (!session())
        return Error{"no-session", "nothing is recorded yet", text, "press Debug first"};
    auto read = session()->expression(text);
    if (!read)
        return read.error();
    beginInsertRows({}, int(m_watches.size()), int(m_watches.size()));
    m_watches.push_back({text, std::move(*read)});
    endInsertRows();
    return {};
}

/// Registers have other numbers in another recording.
void WatchModel::forget()
{
    for (Watch& watch : m_watches) {
        auto read = session() ? session()->expression(watch.text) : Result<StepExpression>(Error{});
        watch.expression = read ? std::optional(std::move(*read)) : std::nullopt;
    }
}

void WatchModel::remove(int row)
{
    if (row < 0 || row >= int(m_watches.size()))
        return;
    beginRemoveRows({}, row, row);
    m_watches.erase(m_watches.begin() + row);
    endRemoveRows();
}

int WatchModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_watches.size());
}
int WatchModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : kLanes + 1;
}

QVariant WatchModel::data(const QModelIndex& index, int role) const
{
    const Watch& watch = m_watches[std::size_t(index.row())];
    if (index.column() == 0)
        return role == Qt::DisplayRole                        ? QVariant(q(watch.text))
               : role == Qt::ToolTipRole && !watch.expression ? QVariant(tr("This recording has no such register"))
                                                              : QVariant();
    if (role != Qt::DisplayRole || !session())
        return marked(role, false);
    if (!watch.expression)
        return QStringLiteral("–");
    const auto value =
        watch.expression->evaluate(session()->reader(), session()->warp(), std::uint32_t(index.column() - 1));
    return value ? q(toText(*value)) : QStringLiteral("–");
}

QVariant WatchModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    return laneHeader(section, orientation, role, tr("Expression"));
}

} // namespace ridge::app

#include "moc_debug_models.cpp"
