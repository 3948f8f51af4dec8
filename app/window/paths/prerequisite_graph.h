// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"

#include <QWidget>
#include <map>
#include <set>

namespace ridge::app {

/// What builds on what: a row a module, a column a lesson, a line from each lesson to those that need it. One lesson is
/// chosen: all it builds on is drawn strong, so is what it leads to. Arrows choose, Enter opens.
class PrerequisiteGraph : public QWidget {
    Q_OBJECT
public:
    explicit PrerequisiteGraph(AppContext& context, QWidget* parent = nullptr);
    /// Reads the record and the chosen path again.
    void refresh();
    void choose(const std::string& lesson);
    const std::string& chosen() const { return m_chosen; }
    /// "4.5 Fused operations builds on 1.6, 2.8. It leads to 4.8."
    QString sentence() const;
    QRectF place(const std::string& lesson) const; ///< of its mark

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void chosenChanged();

protected:
    void paintEvent(QPaintEvent*) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void focusInEvent(QFocusEvent*) override { update(); }
    void focusOutEvent(QFocusEvent*) override { update(); }

private:
    enum class State { Absent, Written, Begun, Shipped };
    std::string at(const QPointF& point) const;
    void paintLines(QPainter& painter) const;
    void open();

    AppContext& m_context;
    std::map<std::string, State> m_states; ///< of all lessons
    std::set<std::string> m_onPath, m_before, m_after;
    std::string m_chosen;
};

} // namespace ridge::app
