// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"

#include <QHeaderView>
#include <QPixmap>
#include <QStyledItemDelegate>
#include <array>

namespace ridge::app {

class StepsModel;

/// Where the five steps stand in a column of so many pixels.
QRectF stepSlot(const QRectF& cell, std::size_t step);
/// The narrowest column of a lesson, and one in which the heads of the steps are words.
int narrowLesson(const Theme& theme);
int wideLesson(const Theme& theme);

/// Paints a cell of a lesson as five marks: a tick on a ground of its own, or a small ring. Both are painted once and
/// kept, so that a table of a thousand learners scrolls as fast as pictures are copied.
class StepsDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    StepsDelegate(Theme& theme, QObject* parent);
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    const QPixmap& box(bool done, double ratio) const;
    void paintEdge(QPainter& painter, const QRect& rect) const;

    Theme& m_theme;
    mutable std::array<QPixmap, 2> m_boxes;
};

/// Heads of the matrix: of a lesson its number, the letters or words of its steps and how many have done each.
class StepsHeader : public QHeaderView {
    Q_OBJECT
public:
    StepsHeader(Theme& theme, QWidget* parent);
    QSize sizeHint() const override;

protected:
    void paintSection(QPainter* painter, const QRect& rect, int section) const override;

private:
    Theme& m_theme;
};

} // namespace ridge::app
