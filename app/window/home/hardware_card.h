// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"
#include "app/ui/panels.h"

class QLabel;
class QPushButton;

namespace ridge::app {

/// What the machine can do for a learner, in plain words: the target in use, the GPU or why there is none, compilers.
/// No GPU is Simulator mode, not an error.
class HardwareCard : public Card {
    Q_OBJECT
public:
    explicit HardwareCard(AppContext& context, QWidget* parent = nullptr);
    QString headline() const { return m_headline; }

private:
    void rebuild();
    void addWaiting();
    void addFailed(const Error& error);
    void addTargets();
    void addGpu(const QString& target);
    void addCalibration();
    void showCalibration();
    void addCompilers();
    void addMachine();

    AppContext& m_context;
    QString m_headline;
    QWidget* m_body = nullptr;
    QVBoxLayout* m_rows = nullptr;
    QPushButton* m_calibrate = nullptr; ///< of the body that is shown
    QLabel* m_calibrating = nullptr;
    bool m_wasCalibrating = false;
};

} // namespace ridge::app
