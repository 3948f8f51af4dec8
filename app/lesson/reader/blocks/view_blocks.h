// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/scenes/scene_view.h"
#include "app/lesson/reader/block_widget.h"
#include "app/lesson/reader/code_view.h"
#include "app/ui/parameter_form.h"

class QComboBox;
class QPushButton;

namespace ridge::app {

class OverlayBar;
class PlotChart;
class SweepChart;
struct ExploreModel;

/// A scene over the traces of another block, one frame a swept point; scrubbing and the block's chart follow each
/// other.
class SceneBlockWidget : public BlockWidget {
    Q_OBJECT
public:
    SceneBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent);
    SceneView* view() const { return m_view; }
    void activate() override; ///< gives the answer, where the scene asks for one
    bool canActivate() const override;

private:
    void addQuestion();
    void takeFrames();
    void follow(const ParamSet& params);
    void fillThings();
    void choose(const QString& id);
    QString chosen() const; ///< "bank.3"; empty: nothing that can be pointed at
    void refreshAnswer();

    const lessons::SceneBlock& m_scene;
    SceneView* m_view = nullptr;
    ThemedLabel* m_empty;
    std::vector<ParamSet> m_shown; ///< point of each frame
    std::size_t m_lastFrame = 0;
    // Where something is to be pointed at; else null.
    QWidget* m_question = nullptr;
    QComboBox* m_things = nullptr;
    QPushButton* m_answer = nullptr;
    ThemedLabel* m_verdict = nullptr;
    ProseView* m_explains = nullptr;
    bool m_asked = false, m_pending = false; ///< m_asked: the scene was brought to the point that is asked about
};

/// A chart over everything the lesson has run with one experiment.
class ChartBlockWidget : public BlockWidget {
    Q_OBJECT
public:
    ChartBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent);

private:
    void refresh();
    const lessons::ChartBlock& m_spec;
    SweepChart* m_chart;
    PlotChart* m_other; ///< for charts that are no curve
    OverlayBar* m_overlays;
    ThemedLabel* m_empty;
};

/// Sliders over a pure function: picture, table and sentence at once, no run. Where the picture has a point that is a
/// value of a parameter, it is moved by dragging and by the arrow keys.
class ExploreBlockWidget : public BlockWidget {
    Q_OBJECT
public:
    ExploreBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent);

    PlotChart* chart() const { return m_chart; } ///< null where a scene is shown

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();
    void fitChart();
    ParamSet params() const;
    const ParamSpec& draggedSpec() const;
    double draggedValue() const;
    void moveTo(double value);

    const lessons::ExploreBlock& m_explore;
    const ExploreModel* m_model;
    ParameterForm* m_form = nullptr;
    SceneView* m_view = nullptr;
    PlotChart* m_chart = nullptr;
    ThemedLabel* m_sentence = nullptr; ///< what the chart shows, under it
    ParamSet m_dragged;                ///< moved in the picture and no control of the block
    std::optional<QPointF> m_pressed;
    std::pair<int, double> m_fitted{}; ///< width and text size that the chart's height was made for
};

/// The source of a shipped kernel with the lines that matter marked, or a task; where the lesson says so, the reader's
/// own copy is edited, run and graded in place of it.
class KernelBlockWidget : public BlockWidget {
    Q_OBJECT
public:
    KernelBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent);

    QWidget* editor() const { return m_editor; } ///< null until it was asked for

private:
    void addSource(const lessons::KernelBlock& kernel);
    void addEditing(const lessons::KernelBlock& kernel);
    void openEditor(const lessons::KernelBlock& kernel);
    void foldAround(const std::vector<int>& marked, const QString& source, CodeView* view);

    QWidget* m_source; ///< what the editor takes the place of
    QPushButton* m_edit = nullptr;
    QWidget* m_editor = nullptr;
};

/// A glossary entry where it first does work.
class TermBlockWidget : public BlockWidget {
    Q_OBJECT
public:
    TermBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent);
};

} // namespace ridge::app
