// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/chart_table.h"
#include "app/theme/theme.h"

#include <QStyledItemDelegate>
#include <QTreeView>

namespace ridge::app {

/// A list of chips: Space activates the row, whatever cell of it was clicked before.
class ChipView : public QTreeView {
    Q_OBJECT
public:
    using QTreeView::QTreeView;

Q_SIGNALS:
    void resized();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
};

/// A cell of the comparison: the number, what kind of number it is, and at the right edge the ratio, which is what one
/// reads along a line.
class ComparisonDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    ComparisonDelegate(Theme& theme, QObject* parent);
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    Theme& m_theme;
};

/// A sentence on one line, as much of it as there is room for; all of it on hover and to a screen reader.
class OneLine : public QWidget {
    Q_OBJECT
public:
    explicit OneLine(Theme& theme, QWidget* parent = nullptr);
    void say(const QString& words);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {40, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent*) override;

private:
    Theme& m_theme;
    QString m_words;
};

/// The table on the clipboard: CSV for a spreadsheet, HTML for a document.
void copyTable(const ChartTable& table);
/// By the file's suffix: csv, json, else Markdown. Errors: "cannot-write".
Result<void> writeTable(const ChartTable& table, const QString& path);

} // namespace ridge::app
