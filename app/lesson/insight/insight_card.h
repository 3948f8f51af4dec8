// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"
#include "app/ui/panels.h"
#include "evidence/prediction_outcomes.h"
#include "evidence/review.h"

namespace ridge::app {

/// How far each prediction was off, in the order they were made: the line at the bottom is exact, each step up a
/// factor of two. Filled where the interval held the result, hollow where it did not.
class CalibrationLine : public QWidget {
    Q_OBJECT
public:
    CalibrationLine(Theme& theme, std::vector<PredictionOutcome> outcomes, QWidget* parent = nullptr);
    QSize sizeHint() const override { return {240, m_theme.scaled(64)}; }

protected:
    void paintEvent(QPaintEvent*) override;

private:
    Theme& m_theme;
    std::vector<PredictionOutcome> m_outcomes;
};

/// Calibration in a line and two sentences, and what is due to be predicted again. Made only where there are
/// predictions with a result.
class InsightCard : public Card {
    Q_OBJECT
public:
    InsightCard(AppContext& context, const std::vector<PredictionOutcome>& outcomes, const ReviewSession& due,
                const std::optional<NextReviews>& next = {}, QWidget* parent = nullptr);
};

/// "2 predictions are due to be made again.", "1 review due tomorrow.".
QString reviewsText(int due, const std::optional<NextReviews>& next);

QString calibrationText(const Calibration& calibration);

} // namespace ridge::app
