// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/plot.h"

#include <QAbstractItemModel>
#include <QImage>
#include <QWidget>

namespace ridge::app {

class ChartCanvas;

/// Any plot as a widget: the picture with its cursor and zoom, the table twin, copy and export. Its accessible
/// description is the plot's sentence.
class PlotChart : public QWidget {
    Q_OBJECT
public:
    explicit PlotChart(Theme& theme, QWidget* parent = nullptr);
    ~PlotChart() override;

    void setPlot(std::shared_ptr<Plot> plot);
    const std::shared_ptr<Plot>& plot() const;
    void refresh(); ///< the numbers behind the plot have changed
    void redraw();  ///< the same for the picture alone: words and table follow with the next refresh
    ChartCanvas* canvas() const;

    QString summary() const;                            ///< one sentence
    QAbstractItemModel* table() const;                  ///< the picture's numbers, with units and provenance
    Json describe() const;                              ///< structural golden: table and layout
    QImage renderImage(QSize size, double scale) const; ///< as on the screen, in its theme
    void copy() const;                                  ///< picture and numbers onto the clipboard
    void drag();                                      ///< the same to another program, with files; until it is dropped
    Result<void> exportTo(const QString& path) const; ///< as writeChart
    bool tableShown() const;
    void showTable(bool on);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void cursorMoved(PlotCursor cursor);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace ridge::app
