// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/window_docks.h"

#include "app/runs/compare/pin_strip.h"
#include "app/runs/lab/lab_page.h"
#include "app/ui/panels.h"
#include "app/window/log_panel.h"

#include <QDockWidget>
#include <QTimer>
#include <QVBoxLayout>

namespace ridge::app {
namespace {

constexpr int kSideWidth = 420;
constexpr int kLeastWidth = 300; ///< in which a bench can be used
constexpr int kLogHeight = 180;

QWidget* pinPanel(AppContext& context)
{
    auto* scroll = new ColumnScroll(640, QObject::tr("Pinned runs"));
    scroll->widget()->layout()->setContentsMargins(space::m, space::m, space::m, space::m);
    QVBoxLayout* column = scroll->column();
    column->setSpacing(space::s);
    QLabel* hint = makeText(context.theme(), QObject::tr("Ctrl+D pins the runs in view, up to eight."), TextStyle::Body,
                            QStringLiteral("muted"));
    column->addWidget(hint);
    column->addWidget(new PinStrip(context));
    QPushButton* compare = makeButton(QObject::tr("Compare"), QObject::tr("Sets the pinned runs side by side"));
    QObject::connect(compare, &QPushButton::clicked, &context,
                     [&context] { Q_EMIT context.openRequested(QStringLiteral("compare")); });
    column->addWidget(compare, 0, Qt::AlignLeft);
    column->addStretch(1);
    const auto follow = [&context, hint, compare] {
        hint->setVisible(context.pins().pins().empty());
        compare->setVisible(!context.pins().pins().empty());
    };
    QObject::connect(&context.pins(), &PinBoard::changed, scroll, follow);
    follow();
    return scroll;
}

} // namespace

WindowDocks::WindowDocks(AppContext& context, RunWatch& runs, QMainWindow& window)
    : QObject(&window), m_context(context), m_window(window),
      m_bench(add(QStringLiteral("bench"), tr("Bench"), Qt::RightDockWidgetArea)),
      m_pins(add(QStringLiteral("pins"), tr("Pinned runs"), Qt::RightDockWidgetArea)),
      m_log(add(QStringLiteral("log"), tr("Log"), Qt::BottomDockWidgetArea)), m_logPanel(new LogPanel(context, runs))
{
    m_pins->setWidget(pinPanel(context));
    m_log->setWidget(m_logPanel);
    connect(m_bench, &QDockWidget::visibilityChanged, this, [this](bool shown) {
        if (shown)
            makeBench();
    });
    // A dock that a layout has not placed opens as narrow as it can be.
    for (QDockWidget* dock : {m_bench, m_pins})
        connect(dock, &QDockWidget::visibilityChanged, this, [this, dock](bool shown) {
            if (shown)
                QTimer::singleShot(0, dock, [this, dock] { widen(dock); });
        });
    // The lower corners belong to the side docks: a log under the text, a bench as high as the window.
    window.setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    window.setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
}

WindowDocks::~WindowDocks()
{
    for (QDockWidget* dock : {m_bench, m_pins, m_log}) {
        dock->disconnect(this); // only from here: styles and docks have connections of their own
        delete dock;
    }
}

QDockWidget* WindowDocks::add(const QString& name, const QString& title, Qt::DockWidgetArea area)
{
    auto* dock = new QDockWidget(title, &m_window);
    dock->setObjectName(QStringLiteral("dock.") + name); // saveState knows docks by it
    dock->setAccessibleName(title);
    m_window.addDockWidget(area, dock);
    dock->hide();
    connect(dock, &QDockWidget::visibilityChanged, this, &WindowDocks::changed);
    return dock;
}

void WindowDocks::widen(QDockWidget* dock)
{
    const int usable = m_context.theme().scaled(kLeastWidth);
    if (dock->isVisible() && !dock->isFloating() && dock->width() < usable)
        m_window.resizeDocks({dock}, {m_context.theme().scaled(kSideWidth)}, Qt::Horizontal);
}

void WindowDocks::makeBench()
{
    if (m_lab)
        return;
    m_lab = new LabPage(m_context, Qt::Vertical);
    m_bench->setWidget(m_lab);
    if (m_proposal)
        m_lab->propose(*m_proposal);
}

void WindowDocks::apply(const WindowLayout& layout)
{
    for (const auto& [dock, area] :
         {std::pair(m_bench, Qt::RightDockWidgetArea), std::pair(m_pins, Qt::RightDockWidgetArea),
          std::pair(m_log, Qt::BottomDockWidgetArea)}) {
        dock->setFloating(false);
        m_window.addDockWidget(area, dock);
    }
    m_benchWaits = m_away && layout.bench;
    m_bench->setVisible(layout.bench && !m_away);
    m_pins->setVisible(layout.pins);
    m_log->setVisible(layout.log);
    const Theme& theme = m_context.theme();
    if (layout.bench || layout.pins)
        m_window.resizeDocks({m_bench, m_pins}, {theme.scaled(kSideWidth), theme.scaled(kSideWidth)}, Qt::Horizontal);
    if (layout.bench && layout.pins)
        m_window.resizeDocks({m_bench, m_pins}, {760, 140}, Qt::Vertical);
    if (layout.log)
        m_window.resizeDocks({m_log}, {theme.scaled(kLogHeight)}, Qt::Vertical);
}

void WindowDocks::setBenchAway(bool away)
{
    if (away == m_away)
        return;
    m_away = away;
    if (away) {
        m_benchWaits = !m_bench->isHidden() && !m_bench->isFloating();
        if (m_benchWaits)
            m_bench->hide();
    } else if (m_benchWaits) {
        m_benchWaits = false;
        m_bench->show();
    }
}

QByteArray WindowDocks::state()
{
    const bool away = m_away;
    setBenchAway(false);
    const QByteArray state = m_window.saveState(kVersion);
    setBenchAway(away);
    return state;
}

void WindowDocks::restore(const QByteArray& state)
{
    const bool away = m_away;
    setBenchAway(false);
    m_window.restoreState(state, kVersion);
    setBenchAway(away);
}

void WindowDocks::propose(const std::optional<BenchProposal>& proposal)
{
    if (!proposal || proposal == m_proposal)
        return;
    m_proposal = proposal;
    if (m_lab && m_lab->runningJobs() == 0)
        m_lab->propose(*proposal);
}

QList<QWidget*> WindowDocks::panes() const
{
    QList<QWidget*> shown;
    for (QDockWidget* dock : {m_bench, m_pins, m_log})
        if (dock->isVisible() && dock->widget())
            shown << dock->widget();
    return shown;
}

void WindowDocks::cancelRuns()
{
    if (m_lab)
        m_lab->cancelRuns();
}

} // namespace ridge::app

#include "moc_window_docks.cpp"
