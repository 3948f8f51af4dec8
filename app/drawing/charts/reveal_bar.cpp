// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/charts/axis_ticks.h"
#include "app/drawing/charts/chart_text.h"
#include "app/drawing/charts/label_place.h"
#include "app/drawing/charts/prediction_mark.h"
#include "app/theme/accessible_role.h"
#include "base/units.h"

#include <QPainter>
#include <cmath>

namespace ridge::app {
namespace {

constexpr double kDiamond = 18;
constexpr double kDot = 14;
constexpr double kSide = 28; ///< room for marks at the ends of the axis

bool isPowerOfTen(double value)
{
    return value > 0 && std::abs(value / std::pow(10.0, std::round(std::log10(value))) - 1) < 1e-9;
}

AxisScale scaleOf(const RevealBar::Content& c)
{
    std::vector<double> values = {c.point, c.low, c.high};
    if (c.result)
        values.push_back(*c.result);
    AxisScale scale;
    scale.log = c.logScale && std::all_of(values.begin(), values.end(), [](double v) { return v > 0; });
    scale.min = *std::min_element(values.begin(), values.end());
    scale.max = *std::max_element(values.begin(), values.end());
    // The declared range is kept unless an answer lies outside it.
    if (c.max > c.min && (!scale.log || c.min > 0)) {
        scale.min = std::min(scale.min, c.min);
        scale.max = std::max(scale.max, c.max);
    }
    // Bytes double, seconds go by tens, and so does what is asked for between powers of ten.
    const bool bytes = c.unit == QLatin1String("B") || c.unit == QLatin1String("bytes");
    scale.decades = scale.log && (isReadInDecades(c.unit) || (takesPrefix(c.unit.toStdString()) && !bytes) ||
                                  (!bytes && isPowerOfTen(c.min) && isPowerOfTen(c.max)));
    if (!(scale.max > scale.min)) {
        scale.min = scale.log ? scale.min / 2 : scale.min - 1;
        scale.max = scale.log ? scale.max * 2 : scale.max + 1;
    }
    return scale;
}

QString factorText(const RevealBar::Content& c)
{
    if (!c.result || c.point <= 0 || *c.result <= 0)
        return {};
    const double ratio = *c.result / c.point;
    const double factor = ratio >= 1 ? ratio : 1 / ratio;
    return QStringLiteral("%1×").arg(factor < 10 ? QString::number(factor, 'g', 2)
                                                 : QString::fromStdString(formatNumber(factor)));
}

bool exact(const RevealBar::Content& c)
{
    return c.result && std::abs(*c.result - c.point) <= 1e-9 * std::max(1.0, std::abs(c.point));
}

} // namespace

RevealBar::RevealBar(Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme)
{
    setAccessibleRole(this, QAccessible::Chart);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Prediction beside result"));
    connect(&m_theme, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void RevealBar::setContent(const Content& content)
{
    m_content = content;
    setAccessibleDescription(summary());
    update();
}

QString RevealBar::summary() const
{
    const Content& c = m_content;
    QString text =
        (c.result ? tr("You predicted %1, 80 % sure of %2 to %3.") : tr("Your prediction: %1, 80 % sure of %2 to %3."))
            .arg(quantity(c.point, c.unit), quantity(c.low, c.unit), quantity(c.high, c.unit));
    if (!c.result)
        return text;
    const bool inside = *c.result >= c.low && *c.result <= c.high;
    // The dot says by its fill where the number comes from; somebody who hears the sentence has to be told.
    const QString result = c.provenance ? tr("%1 (%2)").arg(quantity(*c.result, c.unit), provenanceText(*c.provenance))
                                        : quantity(*c.result, c.unit);
    text += QLatin1Char(' ');
    if (exact(c))
        return text + tr("The result is %1: exactly your prediction.").arg(result);
    const QString factor = factorText(c);
    const QString where = inside ? tr("inside your interval") : tr("outside your interval");
    if (factor.isEmpty())
        return text + tr("The result is %1, %2.").arg(result, where);
    return text +
           (*c.result > c.point ? tr("The result is %1, %2 higher and %3.") : tr("The result is %1, %2 lower and %3."))
               .arg(result, factor, where);
}

QSize RevealBar::sizeHint() const
{
    return {560, m_theme.scaled(40) + 3 * m_theme.lineHeight(TextStyle::ChartLabel) + space::l};
}

void RevealBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBackground(m_theme.color(Role::Surface));
    const AxisScale scale = scaleOf(m_content);
    const double y = m_theme.lineHeight(TextStyle::ChartLabel) + space::s + kDiamond / 2;
    const double length = std::max(1.0, width() - 2 * kSide);
    const Place at = [=](double v) { return QPointF(kSide + std::clamp(scale.fraction(v), 0.0, 1.0) * length, y); };
    const double axisBottom = paintAxis(painter, makeTicks(scale, static_cast<int>(length / m_theme.scaled(56))), at);
    paintMarks(painter, at);
    paintWords(painter, at);
    painter.setFont(m_theme.font(TextStyle::Caption));
    painter.setPen(m_theme.color(Role::Text2));
    const double top = axisBottom + space::s;
    painter.drawText(QRectF(0, top, width(), height() - top), Qt::AlignLeft | Qt::TextWordWrap, summary());
}

double RevealBar::paintAxis(QPainter& painter, const std::vector<Tick>& ticks, const Place& at) const
{
    const double y = at(m_content.point).y();
    const double labelTop = y + kDiamond / 2 + space::s;
    const double labelHeight = m_theme.lineHeight(TextStyle::ChartTick);
    painter.setPen(QPen(m_theme.color(Role::Border), 1));
    painter.drawLine(QPointF(kSide - 8, y), QPointF(width() - kSide + 8, y));
    painter.setFont(m_theme.font(TextStyle::ChartTick));
    const bool prefixed = takesPrefix(m_content.unit.toStdString());
    const QFontMetricsF metrics(painter.font());
    for (const Tick& tick : ticks) {
        const QPointF place = at(tick.value);
        painter.setPen(QPen(m_theme.color(Role::Border), 1));
        painter.drawLine(place - QPointF(0, 3), place + QPointF(0, 3));
        painter.setPen(m_theme.color(Role::Text2));
        const QString label = prefixed ? quantity(tick.value, m_content.unit) : tick.label;
        const double room = std::ceil(metrics.horizontalAdvance(label)) + 2; // stays whole at the ends
        const double left = std::clamp(place.x() - room / 2, 0.0, std::max(0.0, width() - room));
        painter.drawText(QRectF(left, labelTop, room, labelHeight), Qt::AlignCenter, label);
    }
    return labelTop + labelHeight;
}

void RevealBar::paintMarks(QPainter& painter, const Place& at) const
{
    const Content& c = m_content;
    const QColor ink = m_theme.color(Role::Text);
    QColor band = ink;
    band.setAlphaF(0.14F);
    painter.fillRect(QRectF(at(c.low) - QPointF(0, 5), at(c.high) + QPointF(0, 5)), band);
    painter.setPen(QPen(ink, 1.5));
    for (const double end : {c.low, c.high})
        painter.drawLine(at(end) - QPointF(0, 8), at(end) + QPointF(0, 8));
    if (c.result) {
        painter.setPen(QPen(ink, 2));
        painter.drawLine(at(c.point), at(*c.result));
    }
    paintDiamond(painter, at(c.point), kDiamond, ink);
    if (c.result)
        paintResult(painter, at(*c.result), kDot, ink, c.provenance.value_or(Provenance::Measured));
}

/// What was predicted and what came, above their marks; near ones make room for each other.
void RevealBar::paintWords(QPainter& painter, const Place& at) const
{
    painter.setFont(m_theme.font(TextStyle::ChartLabel));
    painter.setPen(m_theme.color(Role::Text));
    const QFontMetricsF metrics(painter.font());
    const double line = m_theme.lineHeight(TextStyle::ChartLabel);
    for (const Word& word : words(metrics, at))
        painter.drawText(QRectF(word.left, 0, word.width, line), Qt::AlignCenter, word.text);
}

std::vector<RevealBar::Word> RevealBar::words(const QFontMetricsF& metrics, const Place& at) const
{
    const Content& c = m_content;
    std::vector<Word> words{{tr("predicted %1").arg(quantity(c.point, c.unit)), at(c.point).x(), 0}};
    if (c.result) {
        const QString badge =
            c.provenance ? QStringLiteral(" · %1").arg(QLatin1String(shortLabel(*c.provenance))) : QString();
        words.push_back({tr("result %1").arg(quantity(*c.result, c.unit)) + badge, at(*c.result).x(), 0});
    }
    for (Word& word : words)
        word.width = metrics.horizontalAdvance(word.text) + 2;
    std::vector<double> wanted, sizes;
    if (words.size() == 2) { // near ones give way to both sides
        const double need = (words[0].width + words[1].width) / 2 + space::l, gap = words[1].left - words[0].left;
        const double push = std::abs(gap) < need ? (need - std::abs(gap)) / 2 * (gap < 0 ? -1 : 1) : 0;
        words[0].left -= push;
        words[1].left += push;
    }
    for (const Word& word : words) {
        wanted.push_back(word.left - word.width / 2);
        sizes.push_back(word.width + space::m);
    }
    // At the ends of the axis neither leaves the picture and neither covers the other.
    const std::vector<double> places = spreadApart(wanted, sizes, 0, width() + space::m);
    for (std::size_t i = 0; i < words.size(); ++i)
        words[i].left = places[i];
    return words;
}

} // namespace ridge::app
