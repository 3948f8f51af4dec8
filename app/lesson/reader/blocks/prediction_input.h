// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/theme/theme.h"
#include "lessons/lesson.h"

#include <QWidget>

class QLineEdit;
class QGridLayout;
class QSlider;

namespace ridge::app {

/// Point estimate by slider or by typing ("12 GB/s", "1.2e4", "x3.5") and the 80 % interval around it. The interval
/// follows the estimate at half and double until the learner sets an end of it.
class PredictionInput : public QWidget {
    Q_OBJECT
public:
    PredictionInput(Theme& theme, const lessons::PredictBlock& block, QWidget* parent = nullptr);

    struct Values {
        double point = 0, low = 0, high = 0;
    };
    const Values& values() const { return m_values; }
    /// What is wrong with the fields, for the learner; empty: nothing.
    QString problem() const;
    void focusPoint();

Q_SIGNALS:
    void changed();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    /// Names and units stand beside what they are about; with large text in a small window above and below it.
    void arrange(bool narrow);
    QLineEdit* makeField(const QString& name, const QString& accessible);
    void takeField(QLineEdit* field, double Values::*value);
    void takeSlider(int step);
    void followPoint();
    void showValues();
    /// As it stands in a field: "32 µs" where the unit takes a prefix, else the number beside its unit.
    QString shown(double value) const;
    double fromStep(int step) const;
    int toStep(double value) const;
    bool isLog() const { return m_block.logScale && m_block.min > 0; }

    Theme& m_theme;
    const lessons::PredictBlock& m_block;
    bool m_prefixed; ///< the fields hold numbers with their units
    Values m_values;
    QSlider* m_slider;
    QLineEdit* m_point;
    QLineEdit* m_low;
    QLineEdit* m_high;
    QGridLayout* m_grid;
    QWidget *m_estimateLabel, *m_unit, *m_intervalLabel, *m_interval, *m_intervalUnit, *m_hint;
    bool m_narrow = false;
    bool m_lowSet = false, m_highSet = false;
    QString m_parseProblem;
};

} // namespace ridge::app
