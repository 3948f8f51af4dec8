// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/kernels/kernel_shelf.h"
#include "app/session/app_context.h"

#include <QWidget>

class QTableWidget;
class QTabWidget;
class QTreeWidget;

namespace ridge::app {

class TaskShelf;

/// The learner's kernels, and what a new one may begin with.
class ShelfView : public QWidget {
    Q_OBJECT
public:
    explicit ShelfView(AppContext& context, QWidget* parent = nullptr);
    void refresh();
    QTableWidget* own() const { return m_own; }
    QTreeWidget* examples() const { return m_examples; }
    TaskShelf* tasks() const { return m_tasks; }
    QTabWidget* sources() const { return m_sources; } ///< tasks, and kernels to copy
    QString chosen() const;                           ///< of the learner's kernels; empty: there is none
    void choose(const QString& name);

Q_SIGNALS:
    void openWanted(const QString& name);
    void renameWanted(const QString& name, const QString& to);
    void removeWanted(const QString& name);
    void exampleWanted(const QString& file);
    void taskWanted(const QString& task);
    void blankWanted();
    void fileWanted();

private:
    QWidget* makeOwnActions();
    void fillExamples();

    AppContext& m_context;
    QTableWidget* m_own;
    QWidget* m_ownActions = nullptr;
    QWidget* m_none;
    QTabWidget* m_sources;
    TaskShelf* m_tasks;
    QTreeWidget* m_examples;
};

} // namespace ridge::app
