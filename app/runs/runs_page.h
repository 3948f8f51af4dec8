// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/runs/runs_model.h"
#include "app/session/app_context.h"
#include "app/shell/ui/page.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QStackedWidget;
class QTreeView;

namespace ridge::app {

class RunDetail;

/// Every stored run: filter, sort, group by sweep, look at one. "runs/<run id>" selects that run.
class RunsPage : public Page {
    Q_OBJECT
public:
    explicit RunsPage(AppContext& context, QWidget* parent = nullptr);

    Result<void> open(const QString& part) override;
    QString title() const override { return tr("Runs"); }
    QString part() const override;
    bool ready() const override { return m_loading == 0; }
    bool can(Command command) const override;
    void perform(Command command) override;
    QList<QWidget*> panes() const override;
    std::vector<record::RunRow> runsInView() const override;
    bool hasRunsInView() const override;

    RunsModel* model() const { return m_model; }
    /// Writes the chosen runs (all shown ones where none is chosen) as .csv or .json.
    Result<void> exportTo(const QString& path) const;

private:
    QWidget* makeFilterBar();
    QWidget* makeTable();
    void reload();
    void loadNewest();
    void take(Result<std::vector<RunsModel::Entry>> entries, bool replace);
    void applyQuery();
    void refreshFilters();
    void showSelection();
    void select(const QString& runId);
    void updateState();
    void chooseExport();

    AppContext& m_context;
    RunsModel* m_model;
    QStackedWidget* m_stack;
    QLineEdit* m_text;
    QComboBox* m_experiment;
    QComboBox* m_target;
    QComboBox* m_lesson;
    QCheckBox* m_group;
    QLabel* m_count;
    QTreeView* m_view;
    RunDetail* m_detail;
    QString m_selected; ///< run id kept over model resets
    bool m_restoring = false;
    int m_loading = 0;
    bool m_again = false; ///< rows came in while a request was under way
};

} // namespace ridge::app
