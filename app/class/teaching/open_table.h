// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"
#include "classroom/open_work.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QTreeView;

namespace ridge::app {

class ClassRows;

/// One decision about open work.
struct OpenChoice {
    std::string learner, lesson;
    bool accept = false;
    bool operator==(const OpenChoice&) const = default;
};

/// Work that could not be run again, with the points that depend on it, and what was decided about it.
class OpenTable : public QWidget {
    Q_OBJECT
public:
    explicit OpenTable(Theme& theme, QWidget* parent = nullptr);
    void setLines(const std::vector<classroom::OpenLine>& lines, bool changeable);
    bool isEmpty() const { return m_lines.empty(); }
    QTreeView* view() const { return m_view; }

Q_SIGNALS:
    void decided(const std::vector<ridge::app::OpenChoice>& choices);

private:
    void followChoice();
    void decide(bool accept);
    std::vector<const classroom::OpenLine*> chosen() const;

    std::vector<classroom::OpenLine> m_lines; ///< of those that points depend on
    bool m_changeable = true;
    QLabel* m_words;
    ClassRows* m_model;
    QTreeView* m_view;
    QPushButton *m_accept, *m_leave;
};

} // namespace ridge::app
