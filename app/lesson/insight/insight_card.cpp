// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/insight/insight_card.h"

#include "app/drawing/charts/prediction_mark.h"
#include "base/units.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>
#include <cmath>

namespace ridge::app {
namespace {

constexpr double kHighest = 4; ///< steps of two; further off is drawn at the top

} // namespace

CalibrationLine::CalibrationLine(Theme& theme, std::vector<PredictionOutcome> outcomes, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_outcomes(std::move(outcomes))
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&theme, &Theme::changed, this, [this] { update(); });
    QStringList spoken;
    for (const PredictionOutcome& outcome : m_outcomes)
        spoken << (std::isfinite(outcome.score.factor)
                       ? tr("off by a factor of %1").arg(QString::fromStdString(formatNumber(outcome.score.factor)))
                       : tr("off by %1").arg(QString::fromStdString(formatNumber(outcome.score.difference))));
    setAccessibleName(calibrationText(calibrationOf(m_outcomes)));
    setAccessibleDescription(spoken.join(QStringLiteral("; ")));
}

void CalibrationLine::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBackground(m_theme.color(Role::Surface));
    const double size = m_theme.scaled(9), pad = size;
    const QRectF area = QRectF(rect()).adjusted(pad, pad, -pad, -pad);
    painter.setPen(QPen(m_theme.color(Role::Grid), 1));
    for (int step = 0; step <= int(kHighest); step += 2) {
        const double y = area.bottom() - step / kHighest * area.height();
        painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
    }
    std::vector<QPointF> points;
    const double pitch = std::min(area.width() / std::max<double>(1, double(m_outcomes.size()) - 1), 40.0);
    for (std::size_t i = 0; i < m_outcomes.size(); ++i) {
        const double factor = m_outcomes[i].score.factor;
        const double steps = std::isfinite(factor)                ? std::min(std::log2(std::max(1.0, factor)), kHighest)
                             : m_outcomes[i].score.insideInterval ? 0
                                                                  : kHighest;
        points.emplace_back(area.left() + double(i) * pitch, area.bottom() - steps / kHighest * area.height());
    }
    painter.setPen(QPen(m_theme.color(Role::Text3), 1.5));
    for (std::size_t i = 1; i < points.size(); ++i)
        painter.drawLine(points[i - 1], points[i]);
    for (std::size_t i = 0; i < points.size(); ++i)
        paintDot(painter, points[i], size, m_theme.color(Role::Text), m_outcomes[i].score.insideInterval);
}

QString calibrationText(const Calibration& calibration)
{
    const QString held =
        QObject::tr("%1 of %2 intervals held the result").arg(calibration.held).arg(calibration.predictions);
    if (calibration.predictions == 1)
        return QObject::tr("Your prediction was off by a factor of %1; %2.")
            .arg(QString::fromStdString(formatNumber(std::round(calibration.medianFactor * 10) / 10)), held);
    return QObject::tr("Half of your predictions were within a factor of %1; %2.")
        .arg(QString::fromStdString(formatNumber(std::round(calibration.medianFactor * 10) / 10)), held);
}

QString reviewsText(int due, const std::optional<NextReviews>& next)
{
    if (due > 0)
        return due == 1 ? QObject::tr("1 prediction is due to be made again.")
                        : QObject::tr("%1 predictions are due to be made again.").arg(due);
    if (!next)
        return QObject::tr("Nothing is due to be predicted again.");
    const QString when = next->days == 0   ? QObject::tr("later today")
                         : next->days == 1 ? QObject::tr("tomorrow")
                                           : QObject::tr("in %1 days").arg(next->days);
    return next->count == 1 ? QObject::tr("1 review due %1.").arg(when)
                            : QObject::tr("%1 reviews due %2.").arg(next->count).arg(when);
}

InsightCard::InsightCard(AppContext& context, const std::vector<PredictionOutcome>& outcomes, const ReviewSession& due,
                         const std::optional<NextReviews>& next, QWidget* parent)
    : Card(tr("How well you know what you know"), parent)
{
    Theme& theme = context.theme();
    column()->setContentsMargins(space::xl, space::l, space::xl, space::l);
    column()->addWidget(
        makeLabel(theme, tr("How well you know what you know"), TextStyle::Caption, QStringLiteral("hint")));
    column()->addWidget(new CalibrationLine(theme, outcomes));
    column()->addWidget(makeText(theme, calibrationText(calibrationOf(outcomes))));
    auto* row = new QHBoxLayout;
    row->setSpacing(space::m);
    const int count = int(due.tasks.size());
    row->addWidget(makeText(theme, reviewsText(count, next), TextStyle::Body, QStringLiteral("muted")), 1);
    auto* more =
        makeButton(tr("How I predict"), tr("Shows every prediction with its result, and how firmly lessons are known"));
    more->setObjectName(QStringLiteral("insight"));
    connect(more, &QPushButton::clicked, this, [&context] { Q_EMIT context.openRequested(QStringLiteral("insight")); });
    row->addWidget(more);
    if (count > 0) {
        QPushButton* review =
            makeButton(tr("Review"), tr("Asks the questions again with other values, mixed over lessons"));
        review->setObjectName(QStringLiteral("review"));
        connect(review, &QPushButton::clicked, this,
                [&context] { Q_EMIT context.openRequested(QStringLiteral("review")); });
        row->addWidget(review);
    }
    column()->addLayout(row);
}

} // namespace ridge::app

#include "moc_insight_card.cpp"
