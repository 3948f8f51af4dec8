// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"

#include <QWidget>

class QLabel;
class QProgressBar;
class QToolButton;

namespace ridge::app {

class ProvenanceBadge;
class RunWatch;

/// The line at the foot of the window: what executes (a button with the choice), where its numbers come from, a
/// notice, what runs now with a way to stop it, whether everything is kept and where.
class StatusStrip : public QWidget {
    Q_OBJECT
public:
    StatusStrip(AppContext& context, RunWatch& runs, QWidget* parent = nullptr);

    QToolButton* targetButton() const { return m_target; }
    QString notice() const;
    QString savedText() const;
    bool runShown() const;

public Q_SLOTS:
    void showNotice(const QString& text, bool isError);

private:
    void refreshTarget();
    void refreshRuns();
    void refreshStore();

    AppContext& m_context;
    RunWatch& m_runs;
    QToolButton* m_target;
    ProvenanceBadge* m_badge;
    QLabel* m_notice;
    QLabel* m_runText;
    QProgressBar* m_progress;
    QToolButton* m_cancel;
    QToolButton* m_store;
};

} // namespace ridge::app
