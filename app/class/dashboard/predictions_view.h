// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"
#include "classroom/class_report.h"

#include <QWidget>

class QComboBox;
class QGridLayout;
class QLabel;
class QPushButton;
class QScrollArea;
class QSpinBox;

namespace ridge::app {

class PredictionPlot;

/// Shows of hands by lesson and block.
using HandCounts = std::map<std::pair<std::string, std::string>, std::vector<classroom::HistogramBin>>;

/// How many put their hand up for each range of a question, in a class whose machines are not joined. Kept for as long
/// as the window is open and nowhere else.
class HandsPanel : public QWidget {
    Q_OBJECT
public:
    explicit HandsPanel(Theme& theme, QWidget* parent = nullptr);
    /// One field a range; counts as they were.
    void setBins(const std::vector<classroom::HistogramBin>& bins, const QString& unit);
    std::vector<classroom::HistogramBin> bins() const;
    QList<QSpinBox*> fields() const { return m_fields; }

Q_SIGNALS:
    void changed();

private:
    void showTotal();

    Theme& m_theme;
    QGridLayout* m_grid;
    QLabel* m_total;
    std::vector<classroom::HistogramBin> m_bins;
    QList<QSpinBox*> m_fields;
    QList<QWidget*> m_names;
};

/// The questions of an assignment, one at a time: what the class predicted, and after Reveal what it found.
class PredictionsView : public QWidget {
    Q_OBJECT
public:
    explicit PredictionsView(Theme& theme, QWidget* parent = nullptr);

    /// The question and what is revealed stay where they are, unless it is gone.
    void setHistograms(std::vector<classroom::PredictionHistogram> histograms);
    int question() const;
    void setQuestion(int index);
    /// Counts of a show of hands in place of what was handed in.
    void setHands(bool on);
    bool hands() const;
    const HandCounts& counted() const { return m_counted; }
    void setCounted(HandCounts counted) { m_counted = std::move(counted); }

    PredictionPlot* plot() const { return m_plot; }
    QComboBox* picker() const { return m_picker; }
    QPushButton* reveal() const { return m_reveal; }
    HandsPanel* handsPanel() const { return m_hands; }

private:
    void showQuestion();
    void showReveal();
    classroom::PredictionHistogram shown() const;
    std::vector<classroom::HistogramBin>& handsOf(const classroom::PredictionHistogram& histogram);

    std::vector<classroom::PredictionHistogram> m_histograms;
    HandCounts m_counted;
    QComboBox* m_picker;
    QPushButton* m_previous;
    QPushButton* m_next;
    QPushButton* m_reveal;
    QPushButton* m_handsButton;
    PredictionPlot* m_plot;
    HandsPanel* m_hands;
    QScrollArea* m_handsArea;
};

/// Ranges of a histogram two by two, empty: what people can tell apart with a raised hand.
std::vector<classroom::HistogramBin> handBins(const std::vector<classroom::HistogramBin>& bins);

} // namespace ridge::app
