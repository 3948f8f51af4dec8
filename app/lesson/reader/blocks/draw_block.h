// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/plot_chart.h"
#include "app/lesson/reader/block_widget.h"
#include "app/lesson/reader/blocks/drawn_plot.h"
#include "lessons/drawn_curve.h"

class QLineEdit;
class QPushButton;

namespace ridge::app {

/// A curve that the reader pulls over a sweep's axis before it is run: with the mouse across the picture, with arrow
/// keys point by point, or by typing a number. What is committed no longer changes; the results of the sweep then
/// stand beside it.
class DrawBlockWidget : public BlockWidget {
    Q_OBJECT
public:
    DrawBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent);
    void activate() override; ///< commits the curve
    bool canActivate() const override;
    void focusInput() override;

    PlotChart* chart() const { return m_chart; }
    const std::vector<std::pair<double, double>>& curve() const { return m_curve; }
    void setPoint(std::size_t point, double value);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refresh();
    std::optional<Obstacle> commitObstacle() const;
    void movePoint(std::size_t point, double value);
    void redraw();
    void startCurve();
    bool key(int key);
    void pull(QPointF at);
    void typed();
    DrawnCurve content() const;
    std::size_t chosen() const;
    double clamped(double value) const;
    /// The newest curve that was committed; null: none, or another one is being drawn.
    const record::AnswerRow* committed() const;
    /// x of the setting of which the record already has the result.
    std::vector<double> heldAt(int instance) const;
    int instanceToDraw() const;

    const lessons::DrawBlock& m_draw;
    std::vector<std::pair<double, double>> m_curve;
    PlotChart* m_chart;
    ThemedLabel* m_setting;
    ThemedLabel* m_typedAt;
    QLineEdit* m_value;
    QPushButton* m_commit;
    ThemedLabel* m_status;
    ThemedLabel* m_headline;
    ProseView* m_mechanism;
    QPushButton* m_again;
    std::optional<std::size_t> m_pulled; ///< point that the mouse was at last
    bool m_touched = false, m_pending = false, m_drawsAgain = false;
    int m_instance = 0;
};

} // namespace ridge::app
