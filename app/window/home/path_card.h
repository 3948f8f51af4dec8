// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/ui/choice_pickers.h"
#include "app/ui/panels.h"
#include "app/window/home/lesson_progress.h"

class QComboBox;

namespace ridge::app {

/// One mark a lesson of the path, in its order: shipped, begun, written, not in this version.
class PathStrip : public QWidget {
    Q_OBJECT
public:
    enum class Step { Shipped, Begun, Written, Absent };
    PathStrip(Theme& theme, QWidget* parent = nullptr);
    void setSteps(std::vector<Step> steps, const QStringList& names);
    QSize sizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

protected:
    void paintEvent(QPaintEvent*) override;
    bool event(QEvent* event) override;

private:
    QRectF place(int index) const;
    Theme& m_theme;
    std::vector<Step> m_steps;
    QStringList m_names;
};

/// The chosen path and how far one is, with the three choices of the first screen, to be changed here at any time.
class PathCard : public Card {
    Q_OBJECT
public:
    explicit PathCard(AppContext& context, QWidget* parent = nullptr);
    QComboBox* picker() const { return m_path; }
    QString summary() const;

private:
    void refresh();
    AppContext& m_context;
    QComboBox* m_path;
    QComboBox* m_background;
    QComboBox* m_time;
    QLabel* m_about;
    QLabel* m_summary;
    PathStrip* m_strip;
};

} // namespace ridge::app
