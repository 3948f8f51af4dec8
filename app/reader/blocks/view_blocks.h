// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/reader/block_widget.h"
#include "app/reader/code_view.h"
#include "app/reader/parameter_form.h"
#include "app/scenes/scene_view.h"

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

private:
    void takeFrames();
    void follow(const ParamSet& params);

    const lessons::SceneBlock& m_scene;
    SceneView* m_view = nullptr;
    ThemedLabel* m_empty;
    std::vector<ParamSet> m_shown; ///< point of each frame
    std::size_t m_lastFrame = 0;
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

/// The source of a shipped kernel with the lines that matter marked.
class KernelBlockWidget : public BlockWidget {
    Q_OBJECT
public:
    KernelBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent);

private:
    void foldAround(const std::vector<int>& marked, const QString& source, CodeView* view);
};

/// A glossary entry where it first does work.
class TermBlockWidget : public BlockWidget {
    Q_OBJECT
public:
    TermBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent);
};

} // namespace ridge::app
