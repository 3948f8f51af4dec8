// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/status_strip.h"

#include "app/class/live/live_indicator.h"
#include "app/drawing/charts/chart_text.h"
#include "app/ui/icons.h"
#include "app/ui/panels.h"
#include "app/ui/targets.h"
#include "app/window/run_watch.h"
#include "app/window/status_segments.h"

#include <QClipboard>
#include <QDesktopServices>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QMenu>
#include <QProgressBar>
#include <QTimer>
#include <QToolButton>
#include <QUrl>

namespace ridge::app {
namespace {

QToolButton* segment(const QString& name)
{
    auto* button = new QToolButton;
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setPopupMode(QToolButton::InstantPopup);
    button->setFocusPolicy(Qt::TabFocus);
    button->setAccessibleName(name);
    return button;
}

} // namespace

StatusStrip::StatusStrip(AppContext& context, RunWatch& runs, QWidget* parent)
    : QWidget(parent), m_context(context), m_runs(runs), m_target(segment(tr("Target"))),
      m_power(segment(tr("Power and temperature"))),
      m_badgeButton(new SegmentButton({}, tr("What the labels of numbers mean"))),
      m_badge(new ProvenanceBadge(context.theme())), m_notice(makeLabel(context.theme(), {}, TextStyle::Caption)),
      m_run(new SegmentButton(tr("Runs"), tr("What runs and what waits"))),
      m_runText(makeLabel(context.theme(), {}, TextStyle::Caption, QStringLiteral("muted"))),
      m_progress(new QProgressBar), m_cancel(segment(tr("Stop all runs"))), m_store(segment(tr("Store")))
{
    setAccessibleName(tr("Status"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(space::s, 1, space::s, 1);
    row->setSpacing(space::s);
    setThemedIcon(context.theme(), m_target, QStringLiteral("chip"));
    auto* menu = new QMenu(m_target);
    menu->setAccessibleName(tr("Targets"));
    m_target->setMenu(menu);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] { fillTargetMenu(menu, m_context); });
    row->addWidget(m_target);
    m_badgeButton->add(m_badge);
    connect(m_badgeButton->menu(), &QMenu::aboutToShow, this, [this] {
        fillProvenanceMenu(m_badgeButton->menu(), m_context, provenanceOf(m_context, m_context.target()));
    });
    row->addWidget(m_badgeButton);
    auto* powerMenu = new QMenu(m_power);
    powerMenu->setAccessibleName(tr("What the GPU tells"));
    m_power->setMenu(powerMenu);
    connect(powerMenu, &QMenu::aboutToShow, this, [this, powerMenu] { fillPowerMenu(powerMenu); });
    connect(&m_telemetry, &Telemetry::changed, this, &StatusStrip::refreshPower);
    row->addWidget(m_power);
    m_notice->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_notice->setAccessibleName(tr("Notice"));
    m_notice->setTextInteractionFlags(Qt::TextSelectableByMouse);
    row->addSpacing(space::s);
    row->addWidget(m_notice, 1);
    m_run->add(m_runText);
    m_progress->setAccessibleName(tr("Progress of what runs"));
    m_progress->setFixedWidth(140);
    m_progress->setMaximumHeight(8);
    m_progress->setTextVisible(false);
    m_progress->setRange(0, 1000);
    m_run->add(m_progress);
    connect(m_run->menu(), &QMenu::aboutToShow, this,
            [this] { fillRunMenu(m_run->menu(), m_context, m_runs, window()); });
    row->addWidget(m_run);
    setThemedIcon(context.theme(), m_cancel, QStringLiteral("stop"));
    m_cancel->setToolTip(tr("Stop all runs (Shift+F5); what is stored stays"));
    // The command and not the runs alone: what waits in a bench would start in their place.
    connect(m_cancel, &QToolButton::clicked, this,
            [this] { m_context.actions().find(QStringLiteral("run.stop"))->trigger(); });
    row->addWidget(m_cancel);
    row->addWidget(m_store);
    row->addWidget(new LiveIndicator(context));
    for (QToolButton* button : {m_target, m_power, m_store}) {
        const auto fit = [this, button] {
            button->setFont(m_context.theme().font(TextStyle::Caption));
            button->setIconSize(QSize(m_context.theme().scaled(16), m_context.theme().scaled(16)));
        };
        fit();
        connect(&context.theme(), &Theme::changed, button, fit);
    }

    auto* storeMenu = new QMenu(m_store);
    storeMenu->setAccessibleName(tr("The record"));
    m_store->setMenu(storeMenu);
    connect(storeMenu, &QMenu::aboutToShow, this, [this, storeMenu] {
        storeMenu->clear();
        if (const record::Store* store = m_context.store()) {
            const QString folder = QString::fromStdString(store->folder().string());
            storeMenu->addAction(folder)->setEnabled(false);
            storeMenu->addAction(tr("Open the folder"), this,
                                 [folder] { QDesktopServices::openUrl(QUrl::fromLocalFile(folder)); });
            storeMenu->addAction(tr("Copy its path"), this,
                                 [folder] { QGuiApplication::clipboard()->setText(folder); });
        } else if (m_context.storeError()) {
            storeMenu->addAction(QString::fromStdString(m_context.storeError()->message))->setEnabled(false);
            storeMenu->addAction(QString::fromStdString(m_context.storeError()->fix))->setEnabled(false);
        }
    });

    connect(&context, &AppContext::catalogueReady, this, &StatusStrip::refreshTarget);
    connect(&context, &AppContext::catalogueFailed, this, &StatusStrip::refreshTarget);
    connect(&context, &AppContext::targetChanged, this, &StatusStrip::refreshTarget);
    connect(&context, &AppContext::notice, this, &StatusStrip::showNotice);
    connect(&runs, &RunWatch::changed, this, &StatusStrip::refreshRuns);
    connect(&context.calibration(), &CalibrationRun::changed, this, &StatusStrip::refreshRuns);
    connect(&context.theme(), &Theme::changed, this, &StatusStrip::refreshStore); // its sign has a colour of the theme
    if (record::Store* store = context.store()) {
        connect(store, &record::Store::changed, this, &StatusStrip::refreshStore);
        connect(store, &record::Store::writeFailed, this, [this](const QString& message) {
            showNotice(message, true);
            refreshStore();
        });
    }
    connect(&m_context, &AppContext::remotesChanged, this, &StatusStrip::refreshTarget);
    refreshTarget();
    refreshPower();
    refreshRuns();
    refreshStore();
}

void StatusStrip::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    m_telemetry.setSeen(true);
}

void StatusStrip::hideEvent(QHideEvent* event)
{
    QWidget::hideEvent(event);
    m_telemetry.setSeen(false);
}

void StatusStrip::refreshTarget()
{
    const AppContext::Target target = m_context.targetInfo(m_context.target());
    const bool known = m_context.hasCatalogue();
    QString text = known ? target.title : m_context.target();
    if (known && !target.available)
        text += tr(" — not available");
    if (m_context.catalogueError())
        text = tr("Experiments cannot run");
    m_target->setText(text);
    m_target->setAccessibleName(tr("Target: %1").arg(text));
    m_target->setToolTip(known && !target.available
                             ? whyNot(target)
                             : tr("What executes experiments (%1). Click to choose.").arg(m_context.target()));
    m_badge->setProvenance(provenanceOf(m_context, m_context.target()));
    m_badgeButton->setVisible(known);
    m_badgeButton->setAccessibleName(tr("Numbers of the target: %1").arg(m_badge->accessibleName()));
    m_badgeButton->setToolTip(tr("%1 Click for the other labels.").arg(m_badge->toolTip()));
    m_telemetry.watch(known && target.available ? m_context.target() : QString());
}

void StatusStrip::refreshPower()
{
    QStringList words;
    if (const auto& reading = m_telemetry.reading()) {
        if (reading->watts)
            words << tr("%1 W").arg(qRound(*reading->watts));
        if (reading->celsius)
            words << tr("%1 °C").arg(qRound(*reading->celsius));
        if (!reading->loweredBy.isEmpty())
            words << tr("clock lowered");
    }
    m_power->setVisible(!words.isEmpty());
    const QString text = words.join(QStringLiteral(" · "));
    if (text == m_power->text())
        return;
    m_power->setText(text);
    m_power->setAccessibleName(tr("Power and temperature: %1").arg(words.join(QStringLiteral(", "))));
    m_power->setToolTip(tr("What the GPU draws and how warm it is, by NVML, each second. Click for more."));
}

void StatusStrip::fillPowerMenu(QMenu* menu)
{
    menu->clear();
    const auto& reading = m_telemetry.reading();
    if (!reading)
        return;
    QStringList lines;
    const auto say = [&](const QString& title, const std::optional<double>& value, const QString& unit) {
        if (value)
            lines << tr("%1: %2").arg(title, quantity(*value, unit));
    };
    say(tr("Power"), reading->watts, QStringLiteral("W"));
    say(tr("Power limit"), reading->limitWatts, QStringLiteral("W"));
    say(tr("Temperature"), reading->celsius, QStringLiteral("°C"));
    say(tr("SM clock"), reading->smClockHz, QStringLiteral("Hz"));
    if (!reading->loweredBy.isEmpty())
        lines << tr("Clock lowered by: %1").arg(reading->loweredBy.join(QStringLiteral(", ")));
    for (const QString& line : lines)
        menu->addAction(line)->setEnabled(false);
    menu->addSeparator();
    menu->addAction(tr("Copy these"), this,
                    [lines] { QGuiApplication::clipboard()->setText(lines.join(QLatin1Char('\n'))); });
}

void StatusStrip::refreshRuns()
{
    const int running = m_runs.running();
    const CalibrationRun& calibration = m_context.calibration();
    m_run->setVisible(running > 0 || calibration.running());
    m_cancel->setVisible(running > 0); // a calibration gives way to runs, and is stopped by its own entry in the menu
    if (running == 0 && !calibration.running())
        return refreshStore();
    m_runText->setText(running == 0   ? tr("Measuring %1").arg(m_context.targetInfo(calibration.target()).title)
                       : running == 1 ? tr("Running")
                                      : tr("%1 runs").arg(running));
    m_run->setToolTip(running == 0 ? tr("%1 of %2 points").arg(calibration.finished()).arg(calibration.all())
                                   : m_runs.message());
    m_run->setAccessibleName(tr("Runs: %1").arg(m_runText->text()));
    const double fraction = running > 0 ? m_runs.fraction() : fractionOf(calibration);
    m_progress->setValue(static_cast<int>(fraction * 1000));
}

void StatusStrip::refreshStore()
{
    const record::Store* store = m_context.store();
    const QString text = !store                       ? tr("Not saved")
                         : store->readOnly()          ? tr("Read-only")
                         : store->pendingWrites() > 0 ? tr("Saving …")
                                                      : tr("Saved");
    m_store->setText(text);
    // Wide enough for every state, so that saving does not make the line jump.
    m_store->setMinimumWidth(m_store->fontMetrics().horizontalAdvance(tr("Not saved")) + m_context.theme().scaled(48));
    m_store->setIcon(themedIcon(m_context.theme(), store ? QStringLiteral("check") : QStringLiteral("warning"),
                                store ? Role::Text2 : Role::Warn));
    m_store->setAccessibleName(tr("Store: %1").arg(text));
    m_store->setToolTip(
        store ? tr("Everything you do is kept in %1").arg(QString::fromStdString(store->folder().string()))
        : m_context.storeError() ? QString::fromStdString(toText(*m_context.storeError()))
                                 : tr("The store is not open"));
    if (store && store->pendingWrites() > 0)
        QTimer::singleShot(200, this, &StatusStrip::refreshStore);
}

void StatusStrip::showNotice(const QString& text, bool isError)
{
    m_notice->setText(text);
    m_notice->setToolTip(text);
    m_notice->setAccessibleName(tr("Notice: %1").arg(text));
    setTone(m_notice, isError ? QStringLiteral("error") : QStringLiteral("muted"));
    // An error stays until the next notice; anything else has been read after some seconds.
    if (!isError)
        QTimer::singleShot(8000, m_notice, [label = m_notice, text] {
            if (label->text() == text)
                label->clear();
        });
}

QString StatusStrip::notice() const
{
    return m_notice->text();
}

QString StatusStrip::savedText() const
{
    return m_store->text();
}

bool StatusStrip::runShown() const
{
    return !m_run->isHidden();
}

} // namespace ridge::app

#include "moc_status_strip.cpp"
