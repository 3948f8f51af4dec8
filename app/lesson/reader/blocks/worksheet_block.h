// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/lesson/reader/author_label.h"
#include "app/lesson/reader/block_widget.h"
#include "lessons/worksheet.h"

class QGridLayout;
class QLineEdit;
class QPushButton;

namespace ridge::app {

/// Rows that are given and cells that the reader fills from the top, each checked on its own. Every attempt is stored.
class WorksheetBlockWidget : public BlockWidget {
    Q_OBJECT
public:
    WorksheetBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent);
    void activate() override; ///< checks the open cell
    bool canActivate() const override;
    void focusInput() override;

private:
    struct GivenRow {
        AuthorLabel* label;
        ThemedLabel* value;
    };
    struct CellRow {
        AuthorLabel* label;
        QLineEdit* field;
        ThemedLabel* mark;
    };
    void addRows();
    void addButtons();
    void refresh();
    void refreshCells(const std::map<std::string, double>& numbers, bool open);
    void showAll();
    void restart();
    void store(lessons::AnswerGiven given);
    lessons::SheetProgress progress() const;
    int instance() const;
    Result<std::map<std::string, double>> solved() const;
    /// The first cell that is not filled rightly; the number of cells where all are.
    std::size_t openCell(const lessons::SheetProgress& progress) const;

    const lessons::WorksheetBlock& m_sheet;
    AuthorLabel* m_title;
    QGridLayout* m_grid;
    std::vector<GivenRow> m_given;
    std::vector<CellRow> m_cells;
    ThemedLabel* m_missing;
    ThemedLabel* m_verdict;
    AuthorLabel* m_hint;
    QPushButton* m_check;
    QPushButton* m_show;
    QPushButton* m_new;
    int m_started = 0; ///< instance that was asked for last; counts until something of it is stored
    bool m_pending = false;
};

} // namespace ridge::app
