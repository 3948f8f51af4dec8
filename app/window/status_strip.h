// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"
#include "app/session/gpu_telemetry.h"

#include <QWidget>

class QLabel;
class QMenu;
class QProgressBar;
class QToolButton;

namespace ridge::app {

class ProvenanceBadge;
class RunWatch;
class SegmentButton;

/// The line at the foot of the window: what executes (a button with the choice), where its numbers come from, what a
/// GPU draws and how warm it is, a notice, what runs now with a way to stop it, whether everything is kept and where,
/// what goes over the network.
class StatusStrip : public QWidget {
    Q_OBJECT
public:
    StatusStrip(AppContext& context, RunWatch& runs, QWidget* parent = nullptr);

    QToolButton* targetButton() const { return m_target; }
    /// What the label of the target's numbers means.
    SegmentButton* badgeButton() const { return m_badgeButton; }
    /// What runs and waits; hidden while nothing runs.
    SegmentButton* runButton() const { return m_run; }
    /// "62 W · 41 °C"; hidden unless a GPU tells.
    QToolButton* powerButton() const { return m_power; }
    const Telemetry& telemetry() const { return m_telemetry; }
    QString notice() const;
    QString savedText() const;
    bool runShown() const;

public Q_SLOTS:
    void showNotice(const QString& text, bool isError);

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void refreshTarget();
    void refreshRuns();
    void refreshStore();
    void refreshPower();
    void fillPowerMenu(QMenu* menu);

    AppContext& m_context;
    RunWatch& m_runs;
    Telemetry m_telemetry;
    QToolButton* m_target;
    QToolButton* m_power;
    SegmentButton* m_badgeButton;
    ProvenanceBadge* m_badge;
    QLabel* m_notice;
    SegmentButton* m_run;
    QLabel* m_runText;
    QProgressBar* m_progress;
    QToolButton* m_cancel;
    QToolButton* m_store;
};

} // namespace ridge::app
