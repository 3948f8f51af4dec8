// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/kernels/kernel_shelf.h"
#include "app/session/app_context.h"

#include <QWidget>

class QTableWidget;
class QTreeWidget;

namespace ridge::app {

/// The learner's kernels, and what a new one may begin with.
class ShelfView : public QWidget {
    Q_OBJECT
public:
    explicit ShelfView(AppContext& context, QWidget* parent = nullptr);
    void refresh();
    QTableWidget* own() const { return m_own; }
    QTreeWidget* examples() const { return m_examples; }
    QString chosen() const; ///< of the learner's kernels; empty: there is none
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

    AppContext& m_context;
    QTableWidget* m_own;
    QWidget* m_ownActions = nullptr;
    QWidget* m_none;
    QTreeWidget* m_examples;
};

} // namespace ridge::app
