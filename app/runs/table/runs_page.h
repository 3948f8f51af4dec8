// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/runs/table/run_tags.h"
#include "app/runs/table/runs_model.h"
#include "app/session/app_context.h"
#include "app/ui/page.h"

#include <QUndoStack>

class QCheckBox;
class QComboBox;
class QStackedWidget;
class QTreeView;

namespace ridge::app {

class FilterBar;
class RunDetail;
class TagField;
struct EntryMaker;

/// Every stored run: filter, sort, group by sweep, tag, look at one or several, pin them, make an artifact of them.
/// "runs/<run id>" selects that run. The table fills from the newest on; a hundred thousand rows do not stop the
/// window.
class RunsPage : public Page {
    Q_OBJECT
public:
    explicit RunsPage(AppContext& context, QWidget* parent = nullptr);

    Result<void> open(const QString& part) override;
    QString title() const override { return tr("Runs"); }
    QString part() const override;
    bool ready() const override { return m_loading == 0 && !m_waitsForRows; }
    bool can(Command command) const override;
    void perform(Command command) override;
    QList<QWidget*> panes() const override;
    std::vector<record::RunRow> runsInView() const override;
    bool hasRunsInView() const override;

    RunsModel* model() const { return m_model; }
    FilterBar* filters() const { return m_filters; }
    TagField* tags() const { return m_tags; }
    QUndoStack* undoStack() { return &m_undo; }
    /// Writes the chosen runs (all shown ones where none is chosen) as .csv or .json.
    Result<void> exportTo(const QString& path) const;

private:
    QWidget* makeFilterBar();
    QWidget* makeTable();
    QWidget* makeDetail();
    void reload();
    void loadOlder(std::int64_t before);
    void loadNewest();
    void take(Result<std::vector<RunsModel::Entry>> entries, bool replace);
    void applyQuery();
    void refreshFilters();
    void refreshTags();
    void showTags();
    void showSelection();
    void showRows(std::vector<record::RunRow> rows);
    void select(const QString& runId, bool refresh = false);
    /// Selection and scroll position over a reset of the model; `refresh`: the detail is made anew as well.
    void keepView(const std::function<void()>& change, bool refresh = false);
    void updateState();
    std::vector<std::string> idsToExport() const;
    void chooseExport();
    // What is done with the chosen runs (runs_actions.cpp).
    std::vector<TagSubject> tagSubjects() const;
    void tag(const QString& label, bool remove);
    void noteFailure();
    void makeArtifact();

    AppContext& m_context;
    RunsModel* m_model;
    QStackedWidget* m_stack;
    FilterBar* m_filters = nullptr;
    QComboBox* m_experiment = nullptr;
    QComboBox* m_target = nullptr;
    QComboBox* m_lesson = nullptr;
    QComboBox* m_tag = nullptr;
    QCheckBox* m_group = nullptr;
    QStackedWidget* m_tableStack = nullptr;
    QTreeView* m_view = nullptr;
    TagField* m_tags = nullptr;
    RunDetail* m_detail;
    QUndoStack m_undo;
    TagMaps m_tagMaps;
    std::shared_ptr<EntryMaker> m_maker; ///< of the generation
    QString m_selected;                  ///< run id kept over model resets
    bool m_restoring = false;
    int m_loading = 0;
    int m_generation = 0;        ///< of what is being loaded; an older answer is thrown away
    int m_chosen = 0;            ///< of what is selected, as m_generation
    bool m_waitsForRows = false; ///< the detail of a large choice is being read
    bool m_again = false;        ///< rows came in while a request was under way
};

} // namespace ridge::app
