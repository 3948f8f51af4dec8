// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"
#include "app/ui/page.h"
#include "lessons/companions.h"
#include "lessons/stack.h"

class QTabWidget;

namespace ridge::app {

class ColumnScroll;
class PrerequisiteGraph;

/// What is around the lessons: the paths with the roles they lead to, what builds on what, progress by layer of the
/// stack, code of others, a book's chapters with what they cost, labs done elsewhere. "paths" or "paths/<part>".
class PathsPage : public Page {
    Q_OBJECT
public:
    /// `explores`: there is a page "explorer/<model>".
    PathsPage(AppContext& context, bool explores, QWidget* parent = nullptr);

    Result<void> open(const QString& part) override;
    QString title() const override { return tr("Paths"); }
    QString part() const override;
    QList<QWidget*> panes() const override;
    double scrollFraction() const override;
    void setScrollFraction(double fraction) override;
    PrerequisiteGraph* graph() const { return m_graph; } ///< null until its tab was shown

    static QStringList parts(); ///< "roles", "prerequisites", …

private:
    void fill(int tab);
    void fillRoles();
    void fillGraph();
    void fillStack();
    ColumnScroll* shown() const;

    AppContext& m_context;
    bool m_explores;
    lessons::Stack m_stack;
    lessons::Companions m_companions;
    QTabWidget* m_tabs;
    std::vector<ColumnScroll*> m_scrolls;
    PrerequisiteGraph* m_graph = nullptr;
    QString m_error; ///< of the files; empty: they were read
};

} // namespace ridge::app
