// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"

#include <QAbstractListModel>
#include <functional>

namespace ridge::app {

/// One thing the palette can do or show.
struct PaletteEntry {
    enum class Kind { Action, Module, Lesson, Experiment, Kernel, Term, Run };
    Kind kind = Kind::Action;
    QString text;   ///< what is searched first
    QString detail; ///< searched after it, shown beside it
    QString hint;   ///< shortcut or place, at the right edge
    QString target; ///< action id or page
};

/// Everything the palette knows, before any search.
std::vector<PaletteEntry> paletteEntries(AppContext& context, std::span<const record::RunRow> recentRuns);

/// The entries that fit, best first. An empty search shows them in their own order.
class PaletteModel : public QAbstractListModel {
    Q_OBJECT
public:
    using QAbstractListModel::QAbstractListModel;
    enum DataRole { DetailRole = Qt::UserRole, HintRole, KindRole };

    void setEntries(std::vector<PaletteEntry> entries);
    void setPattern(const QString& pattern);
    const PaletteEntry* entry(const QModelIndex& index) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

    static constexpr int kMostShown = 60;

private:
    std::vector<PaletteEntry> m_entries;
    std::vector<int> m_shown;
    QString m_pattern;
};

QString kindName(PaletteEntry::Kind kind);

} // namespace ridge::app
