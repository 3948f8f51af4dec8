// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/dashboard/predictions_view.h"

#include "app/class/dashboard/class_texts.h"
#include "app/class/dashboard/prediction_plot.h"
#include "app/ui/elided_box.h"
#include "app/ui/panels.h"
#include "app/ui/still_scroll.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QGridLayout>
#include <QSignalBlocker>
#include <QSpinBox>
#include <algorithm>
#include <numeric>

namespace ridge::app {
namespace {

constexpr int kMostHands = 9999;

QString pickerText(const classroom::PredictionHistogram& histogram)
{
    return QString::fromStdString(histogram.lesson) + QStringLiteral(" · ") +
           QString::fromStdString(histogram.question);
}

int sum(const std::vector<classroom::HistogramBin>& bins)
{
    return std::accumulate(bins.begin(), bins.end(), 0,
                           [](int all, const classroom::HistogramBin& bin) { return all + bin.count; });
}

} // namespace

std::vector<classroom::HistogramBin> handBins(const std::vector<classroom::HistogramBin>& bins)
{
    std::vector<classroom::HistogramBin> pairs;
    for (std::size_t i = 0; i < bins.size(); i += 2)
        pairs.push_back({bins[i].low, bins[std::min(i + 1, bins.size() - 1)].high, 0});
    return pairs;
}

HandsPanel::HandsPanel(Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_grid(new QGridLayout),
      m_total(makeLabel(theme, {}, TextStyle::Body, QStringLiteral("muted")))
{
    setAccessibleName(tr("Show of hands"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(space::m, space::s, space::s, space::s);
    column->setSpacing(space::s);
    column->addWidget(makeLabel(theme, tr("Show of hands"), TextStyle::Strong));
    column->addWidget(
        makeText(theme, tr("How many raise a hand for each range?"), TextStyle::Caption, QStringLiteral("hint")));
    m_grid->setHorizontalSpacing(space::m);
    m_grid->setVerticalSpacing(space::xs);
    column->addLayout(m_grid);
    column->addWidget(m_total);
    auto* clear = makeButton(tr("Clear"), tr("Sets every count to zero"));
    connect(clear, &QPushButton::clicked, this, [this] {
        for (QSpinBox* field : m_fields) {
            const QSignalBlocker quiet(field);
            field->setValue(0);
        }
        showTotal();
        Q_EMIT changed();
    });
    column->addWidget(clear, 0, Qt::AlignLeft);
    column->addStretch(1);
}

void HandsPanel::setBins(const std::vector<classroom::HistogramBin>& bins, const QString& unit)
{
    m_bins = bins;
    qDeleteAll(m_fields);
    qDeleteAll(m_names);
    m_fields.clear();
    m_names.clear();
    for (const classroom::HistogramBin& bin : bins) {
        const QString range = rangeText(bin.low, bin.high, unit);
        auto* field = new QSpinBox;
        field->setRange(0, kMostHands);
        field->setValue(bin.count);
        field->setAccessibleName(tr("Hands for %1").arg(range));
        connect(field, &QSpinBox::valueChanged, this, [this] {
            showTotal();
            Q_EMIT changed();
        });
        QLabel* name = makeLabel(m_theme, range);
        name->setBuddy(field);
        const int row = static_cast<int>(m_fields.size());
        m_grid->addWidget(name, row, 0);
        m_grid->addWidget(field, row, 1);
        m_fields << field;
        m_names << name;
    }
    showTotal();
}

std::vector<classroom::HistogramBin> HandsPanel::bins() const
{
    std::vector<classroom::HistogramBin> counted = m_bins;
    for (std::size_t i = 0; i < counted.size(); ++i)
        counted[i].count = m_fields[static_cast<qsizetype>(i)]->value();
    return counted;
}

void HandsPanel::showTotal()
{
    m_total->setText(tr("%1 hands").arg(sum(bins())));
}

PredictionsView::PredictionsView(Theme& theme, QWidget* parent)
    : QWidget(parent), m_picker(new ElidedBox), m_previous(makeButton(tr("Previous"), tr("The question before"))),
      m_next(makeButton(tr("Next"), tr("The question after"))),
      m_reveal(makeButton({}, tr("Shows what the class found beside what it predicted"), true)),
      m_handsButton(
          makeButton(tr("Show of hands"), tr("Count raised hands here, where predictions are not handed in"))),
      m_plot(new PredictionPlot(theme)), m_hands(new HandsPanel(theme)), m_handsArea(new StillScroll)
{
    setAccessibleName(tr("Predictions"));
    m_picker->setAccessibleName(tr("Question"));
    m_picker->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_picker->setMinimumContentsLength(12);
    m_picker->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    m_reveal->setCheckable(true);
    m_handsButton->setCheckable(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, space::m, 0, 0);
    column->setSpacing(space::m);
    auto* top = new QHBoxLayout;
    top->setSpacing(space::s);
    top->addWidget(m_picker, 1);
    top->addWidget(m_previous);
    top->addWidget(m_next);
    column->addLayout(top);
    auto* body = new QHBoxLayout;
    body->setSpacing(space::m);
    body->addWidget(m_plot, 1);
    m_handsArea->setWidget(m_hands);
    m_handsArea->setWidgetResizable(true);
    m_handsArea->setAccessibleName(tr("Show of hands"));
    m_handsArea->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_handsArea->hide();
    body->addWidget(m_handsArea);
    column->addLayout(body, 1);
    auto* bottom = new QHBoxLayout;
    bottom->setSpacing(space::s);
    bottom->addWidget(m_reveal);
    bottom->addWidget(m_handsButton);
    bottom->addStretch(1);
    column->addLayout(bottom);

    connect(m_picker, &QComboBox::currentIndexChanged, this, &PredictionsView::showQuestion);
    connect(m_previous, &QPushButton::clicked, this, [this] { setQuestion(question() - 1); });
    connect(m_next, &QPushButton::clicked, this, [this] { setQuestion(question() + 1); });
    connect(m_reveal, &QPushButton::toggled, this, [this](bool on) {
        m_plot->setRevealed(on);
        showReveal();
    });
    connect(m_handsButton, &QPushButton::toggled, this, [this](bool on) {
        m_handsArea->setVisible(on);
        showQuestion();
        if (on && !m_hands->fields().isEmpty())
            m_hands->fields().constFirst()->setFocus();
    });
    connect(m_hands, &HandsPanel::changed, this, [this] {
        if (question() < 0)
            return;
        handsOf(m_histograms[static_cast<std::size_t>(question())]) = m_hands->bins();
        m_plot->setHistogram(shown());
    });
    showQuestion();
}

void PredictionsView::setHistograms(std::vector<classroom::PredictionHistogram> histograms)
{
    HandCounts::key_type before;
    if (question() >= 0)
        before = {m_plot->histogram().lesson, m_plot->histogram().block};
    m_histograms = std::move(histograms);
    int at = m_histograms.empty() ? -1 : 0;
    {
        const QSignalBlocker quiet(m_picker);
        m_picker->clear();
        for (std::size_t i = 0; i < m_histograms.size(); ++i) {
            m_picker->addItem(pickerText(m_histograms[i]));
            if (HandCounts::key_type(m_histograms[i].lesson, m_histograms[i].block) == before)
                at = static_cast<int>(i);
        }
        m_picker->setCurrentIndex(at);
    }
    showQuestion();
}

int PredictionsView::question() const
{
    return m_picker->currentIndex();
}

void PredictionsView::setQuestion(int index)
{
    if (index >= 0 && index < m_picker->count())
        m_picker->setCurrentIndex(index);
}

void PredictionsView::setHands(bool on)
{
    m_handsButton->setChecked(on);
}

bool PredictionsView::hands() const
{
    return m_handsButton->isChecked();
}

std::vector<classroom::HistogramBin>& PredictionsView::handsOf(const classroom::PredictionHistogram& histogram)
{
    const auto [place, fresh] = m_counted.try_emplace({histogram.lesson, histogram.block});
    if (fresh)
        place->second = handBins(histogram.bins);
    return place->second;
}

classroom::PredictionHistogram PredictionsView::shown() const
{
    classroom::PredictionHistogram histogram = m_histograms[static_cast<std::size_t>(question())];
    if (!hands())
        return histogram;
    if (const auto counted = m_counted.find({histogram.lesson, histogram.block}); counted != m_counted.end())
        histogram.bins = counted->second;
    histogram.learners = sum(histogram.bins);
    histogram.question = tr("%1 (show of hands)").arg(QString::fromStdString(histogram.question)).toStdString();
    return histogram;
}

void PredictionsView::showQuestion()
{
    const bool any = question() >= 0;
    for (QWidget* widget : {static_cast<QWidget*>(m_picker), static_cast<QWidget*>(m_handsButton)})
        widget->setEnabled(any);
    m_previous->setEnabled(question() > 0);
    m_next->setEnabled(any && question() + 1 < m_picker->count());
    if (!any) {
        m_plot->setHistogram({});
        m_handsArea->hide();
    } else {
        const classroom::PredictionHistogram& histogram = m_histograms[static_cast<std::size_t>(question())];
        if (hands())
            m_hands->setBins(handsOf(histogram), QString::fromStdString(histogram.unit));
        m_plot->setHistogram(shown());
    }
    showReveal();
}

void PredictionsView::showReveal()
{
    const bool known = question() >= 0 && m_plot->histogram().result.has_value();
    const QSignalBlocker quiet(m_reveal);
    m_reveal->setChecked(m_plot->revealed());
    m_reveal->setEnabled(known);
    m_reveal->setText(m_plot->revealed() ? tr("Hide the result")
                      : known            ? tr("Reveal the result")
                                         : tr("No result yet"));
    m_reveal->setAccessibleName(m_reveal->text());
}

} // namespace ridge::app

#include "moc_predictions_view.cpp"
