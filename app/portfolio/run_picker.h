// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/runs/table/runs_model.h"
#include "app/session/app_context.h"

#include <QDialog>

class QPushButton;
class QTreeView;

namespace ridge::app {

class FilterBar;

/// Chooses stored runs: the newest few thousand, filtered by words and experiment.
class RunPicker : public QDialog {
    Q_OBJECT
public:
    RunPicker(AppContext& context, const QString& title, QWidget* parent = nullptr);
    RunsModel* model() const { return m_model; }
    QTreeView* view() const { return m_view; }
    std::vector<std::string> chosen() const;

Q_SIGNALS:
    void picked(const std::vector<std::string>& runIds);

private:
    AppContext& m_context;
    RunsModel* m_model;
    FilterBar* m_filters;
    QTreeView* m_view;
    QPushButton* m_take;
};

} // namespace ridge::app
