// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/kernels/kernel_history.h"
#include "app/theme/theme.h"
#include "app/ui/source_heat.h"

#include <QTabWidget>

class QLabel;
class QTableWidget;
class QVBoxLayout;

namespace ridge::app {

class ColumnScroll;

/// The operation count of a run beside the best one before it, as a sentence; empty where nothing was counted.
QString scoreSentence(const KernelScore& score, const std::optional<KernelScore>& best);

/// What a run of a kernel gave: operations first, then time and occupancy; counters, stalls and lines as tables. Every
/// number carries its provenance.
class KernelResults : public QWidget {
    Q_OBJECT
public:
    explicit KernelResults(Theme& theme, QWidget* parent = nullptr);

    void setMessage(const QString& title, const QString& text);
    void setDocument(const Json& document, const KernelScore& score, const std::optional<KernelScore>& best);
    QString scoreText() const;

private:
    Theme& m_theme;
    ColumnScroll* m_scroll;
    QString m_score;
};

/// Rows of a run's numbers in a table that sorts by value; the table twins of gutter and result.
class NumberTable : public QWidget {
    Q_OBJECT
public:
    struct Row {
        QStringList cells;
        int line = 0; ///< Enter goes there; 0: nowhere
    };
    NumberTable(Theme& theme, const QString& name, const QStringList& heads, QWidget* parent = nullptr);
    void setRows(const std::vector<Row>& rows, const QString& provenance);
    void setMessage(const QString& text);
    QTableWidget* table() const { return m_table; }

Q_SIGNALS:
    void lineChosen(int line);

private:
    QTableWidget* m_table;
    QLabel* m_note;
};

/// Elements of each buffer before and after the run, and what is to be said of them.
std::vector<NumberTable::Row> bufferRows(const Json& document);
QString buffersNote(const Json& document);
/// The same with what was expected, of "values" of a grading (docs/kernels.md).
std::vector<NumberTable::Row> gradedRows(const Json& values);
QString gradedNote(const Json& values);
std::vector<NumberTable::Row> counterRows(const Json& document);
std::vector<NumberTable::Row> stallRows(const Json& document);
std::vector<NumberTable::Row> lineRows(const std::vector<HeatLine>& lines);

} // namespace ridge::app
