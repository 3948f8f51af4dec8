// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/blocks/prediction_input.h"

#include "app/lesson/reader/inline_html.h"
#include "app/ui/themed_label.h"
#include "app/ui/wheel_guard.h"
#include "base/units.h"

#include <QGridLayout>
#include <QLineEdit>
#include <QSlider>
#include <cmath>

namespace ridge::app {

namespace {

constexpr int kSteps = 600;

/// Two significant digits: a slider should not pretend to more than a guess has.
double rounded(double value)
{
    if (value == 0)
        return 0;
    const double scale = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 1);
    return std::round(value / scale) * scale;
}

} // namespace

PredictionInput::PredictionInput(Theme& theme, const lessons::PredictBlock& block, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_block(block), m_prefixed(takesPrefix(block.unit)),
      m_slider(new QSlider(Qt::Horizontal, this)), m_point(makeField(QStringLiteral("point"), tr("Your estimate"))),
      m_low(makeField(QStringLiteral("low"), tr("Low end of your 80 % interval"))),
      m_high(makeField(QStringLiteral("high"), tr("High end of your 80 % interval")))
{
    const QString unit = m_prefixed ? QString() : shownUnit(block.unit);
    m_slider->setRange(0, kSteps);
    m_slider->setPageStep(kSteps / 10);
    m_slider->setSingleStep(kSteps / 100);
    m_slider->setObjectName(QStringLiteral("pointSlider"));
    m_slider->setAccessibleName(tr("Your estimate, slider"));
    m_slider->setToolTip(tr("Drag, or type a number with its unit beside it"));
    ignoreWheel(m_slider);
    const auto label = [&](const QString& text) {
        auto* made = new ThemedLabel(theme, text, TextStyle::Body, "muted", this);
        made->setWordWrap(false);
        return made;
    };
    m_grid = new QGridLayout(this);
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setHorizontalSpacing(space::m);
    m_grid->setVerticalSpacing(space::s);
    m_grid->setColumnStretch(1, 1);
    m_estimateLabel = label(tr("Estimate"));
    m_unit = label(unit);
    m_intervalLabel = label(tr("80 % interval"));
    m_interval = new QWidget(this);
    m_interval->setAccessibleName(tr("80 % interval"));
    auto* interval = new QHBoxLayout(m_interval);
    interval->setContentsMargins(0, 0, 0, 0);
    interval->setSpacing(space::s);
    interval->addWidget(m_low);
    interval->addWidget(label(QStringLiteral("–")));
    interval->addWidget(m_high);
    m_intervalUnit = label(unit);
    interval->addWidget(m_intervalUnit);
    interval->addStretch(1);
    QString told = tr("You expect the result inside it four times out of five.");
    if (m_prefixed)
        told += QLatin1Char(' ') + tr("A number without a unit is in %1.").arg(shownUnit(block.unit));
    m_hint = new ThemedLabel(theme, told, TextStyle::Caption, "hint", this);
    arrange(false);

    m_values.point = isLog() ? rounded(std::sqrt(block.min * block.max)) : rounded((block.min + block.max) / 2);
    followPoint();
    showValues();
    connect(m_slider, &QSlider::valueChanged, this, &PredictionInput::takeSlider);
}

void PredictionInput::arrange(bool narrow)
{
    m_narrow = narrow;
    m_intervalUnit->setVisible(!narrow); // the estimate's stands above
    if (narrow) {
        m_grid->addWidget(m_estimateLabel, 0, 0, 1, 4);
        m_grid->addWidget(m_slider, 1, 0, 1, 4);
        m_grid->addWidget(m_point, 2, 0);
        m_grid->addWidget(m_unit, 2, 1, 1, 3);
        m_grid->addWidget(m_intervalLabel, 3, 0, 1, 4);
        m_grid->addWidget(m_interval, 4, 0, 1, 4);
        m_grid->addWidget(m_hint, 5, 0, 1, 4);
    } else {
        m_grid->addWidget(m_estimateLabel, 0, 0);
        m_grid->addWidget(m_slider, 0, 1);
        m_grid->addWidget(m_point, 0, 2);
        m_grid->addWidget(m_unit, 0, 3);
        m_grid->addWidget(m_intervalLabel, 1, 0);
        m_grid->addWidget(m_interval, 1, 1, 1, 3);
        m_grid->addWidget(m_hint, 2, 1, 1, 3);
    }
}

void PredictionInput::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    const int beside = m_intervalLabel->sizeHint().width() + m_unit->sizeHint().width() + 3 * space::m;
    const int needed = beside + std::max(m_slider->minimumSizeHint().width() + m_point->width(),
                                         m_low->width() + m_high->width() + 3 * space::l);
    if (const bool narrow = width() < needed; narrow != m_narrow)
        arrange(narrow);
}

QLineEdit* PredictionInput::makeField(const QString& name, const QString& accessible)
{
    auto* field = new QLineEdit(this);
    field->setObjectName(name);
    field->setAccessibleName(
        shownUnit(m_block.unit).isEmpty() ? accessible : tr("%1 in %2").arg(accessible, shownUnit(m_block.unit)));
    field->setAlignment(Qt::AlignRight);
    field->setFixedWidth(m_theme.scaled(m_prefixed ? 120 : 92)); // "999 GFLOP/s"
    const QString example =
        QString::fromStdString(formatQuantity(rounded(std::max(m_block.min, m_block.max / 2)), m_block.unit));
    field->setToolTip(
        m_prefixed
            ? tr("A number with its unit, such as %1; without one it is in %2").arg(example, shownUnit(m_block.unit))
            : tr("A number, with or without its unit: 12, 1.2e4, 12k"));
    double Values::*value = name == QLatin1String("point") ? &Values::point
                            : name == QLatin1String("low") ? &Values::low
                                                           : &Values::high;
    connect(field, &QLineEdit::textEdited, this, [this, field, value] { takeField(field, value); });
    connect(field, &QLineEdit::editingFinished, this, [this] {
        if (m_parseProblem.isEmpty())
            showValues();
    });
    return field;
}

void PredictionInput::takeField(QLineEdit* field, double Values::*value)
{
    const auto parsed = parseQuantity(field->text().toStdString(), m_block.unit);
    m_parseProblem = parsed ? QString() : QString::fromStdString(parsed.error().message);
    if (parsed) {
        m_values.*value = *parsed;
        m_lowSet |= value == &Values::low;
        m_highSet |= value == &Values::high;
        if (value == &Values::point)
            followPoint();
        const QSignalBlocker quiet(m_slider);
        m_slider->setValue(toStep(m_values.point));
        for (auto [other, own] : {std::pair{m_low, &Values::low}, std::pair{m_high, &Values::high}})
            if (other != field)
                other->setText(shown(m_values.*own));
    }
    Q_EMIT changed();
}

void PredictionInput::takeSlider(int step)
{
    m_parseProblem.clear();
    m_values.point = rounded(fromStep(step));
    followPoint();
    showValues();
    Q_EMIT changed();
}

void PredictionInput::followPoint()
{
    const double spread = (m_block.max - m_block.min) / 8;
    if (!m_lowSet)
        m_values.low = std::max(m_block.min, isLog() ? m_values.point / 2 : m_values.point - spread);
    if (!m_highSet)
        m_values.high = std::min(m_block.max, isLog() ? m_values.point * 2 : m_values.point + spread);
    // An estimate typed beyond the slider's range still lies in an interval nobody has touched.
    if (!m_lowSet)
        m_values.low = std::min(m_values.low, m_values.point);
    if (!m_highSet)
        m_values.high = std::max(m_values.high, m_values.point);
}

void PredictionInput::showValues()
{
    m_point->setText(shown(m_values.point));
    m_low->setText(shown(m_values.low));
    m_high->setText(shown(m_values.high));
    const QSignalBlocker quiet(m_slider);
    m_slider->setValue(toStep(m_values.point));
}

QString PredictionInput::problem() const
{
    if (!m_parseProblem.isEmpty())
        return m_parseProblem;
    if (isLog() && !(std::min({m_values.point, m_values.low, m_values.high}) > 0))
        return tr("Write numbers above 0.");
    if (m_values.low > m_values.high)
        return tr("Your interval ends below where it begins: write the smaller number first.");
    if (m_values.low > m_values.point || m_values.high < m_values.point)
        return tr("Your interval has to contain your estimate.");
    return {};
}

QString PredictionInput::shown(double value) const
{
    return QString::fromStdString(m_prefixed ? formatQuantity(value, m_block.unit) : formatNumber(value));
}

void PredictionInput::focusPoint()
{
    m_point->setFocus(Qt::ShortcutFocusReason);
    m_point->selectAll();
}

double PredictionInput::fromStep(int step) const
{
    const double t = double(step) / kSteps;
    return isLog() ? m_block.min * std::pow(m_block.max / m_block.min, t)
                   : m_block.min + (m_block.max - m_block.min) * t;
}

int PredictionInput::toStep(double value) const
{
    if (isLog())
        value = std::log(std::max(value, m_block.min) / m_block.min) / std::log(m_block.max / m_block.min);
    else
        value = (value - m_block.min) / (m_block.max - m_block.min);
    return int(std::lround(std::clamp(value, 0.0, 1.0) * kSteps));
}

} // namespace ridge::app

#include "moc_prediction_input.cpp"
