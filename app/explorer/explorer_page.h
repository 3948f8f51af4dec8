// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/explorer/operator_list.h"
#include "app/session/app_context.h"
#include "app/ui/page.h"

#include <optional>

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QSlider;
class QTabWidget;
class QTreeView;

namespace ridge::app {

class Banner;
class PlotChart;
class SceneView;

/// Any model, operator by operator: what each computes, moves and waits for on a chip, in a list, on the roofline, as
/// stacked bars and as a graph. Each leads to the lesson that explains it. Pages are "explorer" and
/// "explorer/llama-3-8b"; the numbers are those of the experiment "workload".
class ExplorerPage : public Page {
    Q_OBJECT
public:
    explicit ExplorerPage(AppContext& context, QWidget* parent = nullptr);

    Result<void> open(const QString& part) override;
    QString title() const override { return tr("Workload explorer"); }
    QString part() const override;
    bool can(Command command) const override;
    void perform(Command command) override;
    QList<QWidget*> panes() const override;

    enum View { Roofline, Costs, Graph };
    const ExploredStep& explored() const { return m_what; }
    /// A config.json, an ONNX graph or a network in YAML; read in the background. The page says what is wrong with it.
    void openFile(const QString& path);
    bool reading() const { return !m_reading.isEmpty(); }
    void showModel(workload::Subject subject); ///< of a file that somebody else read
    void chooseRow(int row);                   ///< −1: none
    int chosenRow() const { return m_row; }
    QTabWidget* views() const { return m_views; }
    PlotChart* roofline() const { return m_roofline; }
    SceneView* graph() const { return m_graph; }
    QTreeView* list() const { return m_list; }
    QPushButton* lessonButton() const { return m_lesson; }
    QPushButton* stackButton() const { return m_stack; }
    Banner* banner() const { return m_banner; }
    Result<void> exportTo(const QString& path) const;

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeSettings();
    QWidget* makeResults();
    QWidget* makeChosen();
    QComboBox* addChoice(QLayout* row, const QString& name, const QString& help);
    QSlider* addSlider(QLayout* row, const QString& name, int most, QLabel*& value, const QString& help);
    void fillModels();
    void fillPhases();
    void takeModel();
    void analyse();  ///< everything from the settings
    void showView(); ///< the picture in front
    void showChosen();
    void fitColumns();
    void openLesson();
    void chooseFile();
    int sourceRow() const;

    AppContext& m_context;
    std::vector<workload::Subject> m_subjects;
    std::optional<workload::Subject> m_own; ///< of a file
    QString m_reading;                      ///< the file that is read; the last one asked for counts
    std::optional<silicon::Catalogue> m_catalogue;
    ExploredStep m_what;
    int m_row = 0, m_fitted = 0; ///< the width of the list that its columns were made for
    bool m_filling = false, m_graphStale = true;

    Banner* m_banner = nullptr;
    QComboBox *m_model = nullptr, *m_phase = nullptr, *m_chip = nullptr, *m_format = nullptr, *m_gpus = nullptr;
    QCheckBox* m_fused = nullptr;
    QSlider *m_batch = nullptr, *m_sequence = nullptr;
    QLabel *m_batchValue = nullptr, *m_sequenceValue = nullptr;
    QLabel *m_summary = nullptr, *m_facts = nullptr;
    QWidget* m_results = nullptr;
    QTreeView* m_list = nullptr;
    OperatorListModel* m_rows = nullptr;
    QTabWidget* m_views = nullptr;
    PlotChart *m_roofline = nullptr, *m_costs = nullptr;
    SceneView* m_graph = nullptr;
    QLabel *m_chosenName = nullptr, *m_chosenText = nullptr;
    QPushButton *m_lesson = nullptr, *m_stack = nullptr, *m_lab = nullptr;
};

} // namespace ridge::app
