// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"

#include <QStandardItemModel>
#include <QWidget>

class QListView;

namespace ridge::app {

class RunWatch;

/// What runs said and how they ended, notices, and what is wrong with lessons, newest last. Keeps the last lines only.
class LogPanel : public QWidget {
    Q_OBJECT
public:
    static constexpr int kMaxLines = 2000;

    LogPanel(AppContext& context, RunWatch& runs, QWidget* parent = nullptr);
    void add(const QString& line, bool isError);
    QStringList lines() const;

private:
    void showProblems();

    AppContext& m_context;
    QStandardItemModel m_model;
    QListView* m_view;
};

} // namespace ridge::app
