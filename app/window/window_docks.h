// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/ui/page.h"
#include "app/window/layouts.h"

#include <QMainWindow>

class QDockWidget;

namespace ridge::app {

class AppContext;
class LabPage;
class LogPanel;
class RunWatch;

/// The docks around the page: the bench for the block in view, what is pinned, what runs said. The bench is made when
/// it is first shown. Docks can be moved, stacked and floated; a layout says which are there.
class WindowDocks : public QObject {
    Q_OBJECT
public:
    /// Version of the arrangement; a state of another version is not restored.
    static constexpr int kVersion = 1;

    WindowDocks(AppContext& context, RunWatch& runs, QMainWindow& window);
    ~WindowDocks() override; ///< takes the docks along

    void apply(const WindowLayout& layout);
    /// Beside a page that is a bench itself the dock is away, and comes back with another page.
    void setBenchAway(bool away);
    /// As the layout has them, whatever page is shown now.
    QByteArray state();
    void restore(const QByteArray& state);
    /// What the bench should show; nothing: it stays as it is.
    void propose(const std::optional<BenchProposal>& proposal);
    /// Where F6 goes beside the page.
    QList<QWidget*> panes() const;
    void cancelRuns();

    QDockWidget* bench() const { return m_bench; }
    QDockWidget* pins() const { return m_pins; }
    QDockWidget* log() const { return m_log; }
    LogPanel* logPanel() const { return m_logPanel; }
    LabPage* lab() const { return m_lab; }

Q_SIGNALS:
    void changed(); ///< one was shown or closed

private:
    QDockWidget* add(const QString& name, const QString& title, Qt::DockWidgetArea area);
    void makeBench();
    void widen(QDockWidget* dock); ///< to a width in which it can be used

    AppContext& m_context;
    QMainWindow& m_window;
    QDockWidget* m_bench;
    QDockWidget* m_pins;
    QDockWidget* m_log;
    LogPanel* m_logPanel;
    LabPage* m_lab = nullptr;
    bool m_away = false;       ///< the page is a bench itself
    bool m_benchWaits = false; ///< the dock comes back with another page
    std::optional<BenchProposal> m_proposal;
};

} // namespace ridge::app
