// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"
#include "base/provenance.h"

#include <QWidget>
#include <functional>
#include <optional>
#include <vector>

class QPainter;

namespace ridge::app {

struct Tick;

/// The signature mark: hollow diamond (predicted) – line – dot (result). Used in the chart, the reveal, the logo,
/// progress and portfolio; one owner of its geometry. The dot of a result says by its fill where the number comes from:
/// paintResult. paintDot is for marks that are no numbers of a run.
void paintDiamond(QPainter& painter, QPointF centre, double size, const QColor& color);
void paintDot(QPainter& painter, QPointF centre, double size, const QColor& color, bool filled);
void paintResult(QPainter& painter, QPointF centre, double size, const QColor& color, Provenance provenance);

/// Prediction and result on one axis, with 80 % whisker, difference as a factor and a sentence.
class RevealBar : public QWidget {
    Q_OBJECT
public:
    explicit RevealBar(Theme& theme, QWidget* parent = nullptr);
    struct Content {
        double point = 0, low = 0, high = 0;
        std::optional<double> result;
        QString unit;
        double min = 0, max = 0;
        bool logScale = true;
        std::optional<Provenance> provenance = {}; ///< of the result
    };
    void setContent(const Content& content);
    QString summary() const;
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent*) override;

private:
    using Place = std::function<QPointF(double)>; ///< value to pixels
    double paintAxis(QPainter& painter, const std::vector<Tick>& ticks, const Place& at) const;
    void paintMarks(QPainter& painter, const Place& at) const;
    struct Word {
        QString text;
        double left = 0, width = 0;
    };
    std::vector<Word> words(const QFontMetricsF& metrics, const Place& at) const;
    void paintWords(QPainter& painter, const Place& at) const;

    Theme& m_theme;
    Content m_content;
};

} // namespace ridge::app
