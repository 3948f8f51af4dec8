// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/kernels/ptx_listing.h"
#include "app/theme/theme.h"

#include <QWidget>

class QLabel;
class QTreeView;

namespace ridge::app {

class KernelEditor;
class PtxModel;

/// The PTX of a kernel beside its source, each instruction with the machine instructions that came of it: the lines of
/// the cursor's source line are marked, and a chosen instruction takes the cursor to its line. A table, so that it is
/// read by ear and copied as text. Below it, where NVIDIA's tools are installed, their SASS in the same way.
class PtxPanel : public QWidget {
    Q_OBJECT
public:
    PtxPanel(Theme& theme, KernelEditor& editor, QWidget* parent = nullptr);

    /// What was compiled of the text that stands in the editor.
    void setDocument(const Json& document, bool isPtx);
    /// The text does not compile: what is shown stays, and is said to be of an earlier one.
    void setFailed();
    QTreeView* table() const { return m_table; }
    QTreeView* sass() const { return m_sass; } ///< hidden where there is none
    QString sentence() const;
    std::vector<int> markedRows() const; ///< PTX lines, 1 the first
    std::vector<int> markedSass() const; ///< likewise of the SASS

protected:
    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void followSource();
    void addTable(Theme& theme, QTreeView* table, PtxModel* model);
    void followTable(QTreeView* table, PtxModel* model);
    void say();
    void copyAll();
    void copyChosen(QTreeView* table);

    KernelEditor& m_editor;
    PtxModel *m_model, *m_sassModel;
    QTreeView *m_table, *m_sass;
    QLabel *m_note, *m_sentence;
    QString m_compiled; ///< the text that it is of
    QString m_by, m_sassBy;
    bool m_stale = true;
    QTreeView* m_leading = nullptr; ///< the table that moves the cursor
};

} // namespace ridge::app
