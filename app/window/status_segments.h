// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"

#include <QToolButton>

class QHBoxLayout;
class QMenu;

namespace ridge::app {

class RunWatch;

/// A segment of the status line that shows widgets of its own and opens a menu wherever it is clicked.
class SegmentButton : public QToolButton {
    Q_OBJECT
public:
    SegmentButton(const QString& name, const QString& menuName, QWidget* parent = nullptr);
    void add(QWidget* shown); ///< takes it
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

private:
    QHBoxLayout* m_row;
};

/// What each of the four labels promises, the one of `current` first, and the way to the newest run that has it.
void fillProvenanceMenu(QMenu* menu, AppContext& context, Provenance current);

double fractionOf(const CalibrationRun& calibration); ///< of its points
/// What runs and what waits in the queues of benches below `root`, and a calibration, each with the way to stop it, and
/// Runs.
void fillRunMenu(QMenu* menu, AppContext& context, const RunWatch& runs, const QObject* root);

} // namespace ridge::app
