// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window/learn/module_story.h"

#include <QAbstractButton>

namespace ridge::app {

/// One station of a module's path: its mark on the line that joins them, title, time, question and state. A button;
/// what is not written yet cannot be pressed and says so.
class PathStepRow : public QAbstractButton {
    Q_OBJECT
public:
    enum class Place { First, Middle, Last, Only }; ///< where the line goes on
    PathStepRow(Theme& theme, ModuleStep step, Place place, QWidget* parent = nullptr);
    const ModuleStep& step() const { return m_step; }

    QSize sizeHint() const override { return {520, heightForWidth(520)}; }
    QSize minimumSizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent*) override;
    void enterEvent(QEnterEvent*) override { update(); }
    void leaveEvent(QEvent*) override { update(); }

private:
    struct Lines {
        QRect title, time, question, state;
        int height = 0;
    };
    Lines lay(int width) const;
    QPointF mark() const;

    Theme& m_theme;
    ModuleStep m_step;
    Place m_place;
};

} // namespace ridge::app
