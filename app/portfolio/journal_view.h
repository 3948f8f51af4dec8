// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/portfolio/editor_parts.h"
#include "app/session/app_context.h"
#include "app/session/draft_file.h"

#include <QAbstractTableModel>
#include <QUndoStack>
#include <memory>

class QComboBox;
class QStackedWidget;
class QTreeView;

namespace ridge::app {

class ColumnScroll;
class FilterBar;

/// The entries of the journal as a table: kind, title, lesson, runs, when. GUI thread.
class JournalModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Kind, Title, Lesson, Runs, When, ColumnCount };
    using QAbstractTableModel::QAbstractTableModel;

    void setEntries(std::vector<record::JournalRow> entries);
    /// Words that must occur in an entry's title or text, and its kind ("failure", "decision"; empty: both).
    void setQuery(const QString& words, const QString& kind);
    const record::JournalRow& entry(int row) const
    {
        return m_entries[static_cast<std::size_t>(m_shown[static_cast<std::size_t>(row)])];
    }
    int total() const { return static_cast<int>(m_entries.size()); }
    QModelIndex indexOf(const std::string& entryId) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void filter();

    std::vector<record::JournalRow> m_entries;
    std::vector<int> m_shown;
    QStringList m_words;
    QString m_kind;
};

/// Failures and decisions: the list, and the entry that is read or written. An entry is saved as a version; what is
/// typed before is a draft. Taking one away is a version too and can be taken back.
class JournalView : public QWidget {
    Q_OBJECT
public:
    explicit JournalView(AppContext& context, QWidget* parent = nullptr);

    /// An entry's id, "decision" or "failure" for a new one, empty for the list. Errors: "unknown-page".
    Result<void> open(const QString& part);
    QString part() const { return m_part; }
    QUndoStack& undoStack() { return m_undo; }
    JournalModel* model() const { return m_model; }
    QTreeView* view() const { return m_view; }
    QLineEdit* titleField() const { return m_title; }
    GrowingEdit* textField() const { return m_text; }
    QWidget* filterField() const;
    /// Errors: "no-title".
    Result<void> save();
    void remove(); ///< the entry that is open

Q_SIGNALS:
    void changed();

private:
    QWidget* makeList();
    QWidget* makeForm();
    void reload();
    void showEntry(record::JournalRow entry, bool fresh);
    void keepDraft();
    void showRuns();
    void updateState();

    AppContext& m_context;
    JournalModel* m_model;
    FilterBar* m_filters = nullptr;
    QStackedWidget* m_stack = nullptr;
    QTreeView* m_view = nullptr;
    ColumnScroll* m_form = nullptr;
    QStackedWidget* m_right = nullptr;
    QComboBox* m_kind = nullptr;
    QComboBox* m_filterKind = nullptr;
    QLineEdit* m_title = nullptr;
    QLineEdit* m_lesson = nullptr;
    GrowingEdit* m_text = nullptr;
    EntryList* m_runs = nullptr;
    EntryList* m_artifacts = nullptr;
    QPushButton* m_save = nullptr;
    QPushButton* m_remove = nullptr;
    QUndoStack m_undo;
    record::JournalRow m_entry; ///< as it was opened, with what was typed in the runs' list
    std::unique_ptr<DraftFile> m_draft;
    QString m_part;
    bool m_filling = false;
};

} // namespace ridge::app
