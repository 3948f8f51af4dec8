// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/live/live_indicator.h"

#include "app/class/live/live_session.h"
#include "app/class/live/live_share.h"
#include "app/ui/icons.h"
#include "base/target_choice.h"

#include <QMenu>

namespace ridge::app {

LiveIndicator::LiveIndicator(AppContext& context, QWidget* parent) : QToolButton(parent), m_context(context)
{
    setPopupMode(QToolButton::InstantPopup);
    setFocusPolicy(Qt::TabFocus);
    setThemedIcon(context.theme(), this, QStringLiteral("live"), Role::Warn);
    const auto dress = [this] { setFont(m_context.theme().font(TextStyle::Caption)); };
    connect(&context.theme(), &Theme::changed, this, dress);
    dress();
    auto* menu = new QMenu(this);
    menu->setAccessibleName(tr("Network"));
    setMenu(menu);
    connect(menu, &QMenu::aboutToShow, this, [this, menu] { fill(menu); });
    connect(&LiveShare::of(context), &LiveShare::changed, this, &LiveIndicator::refresh);
    connect(&LiveSession::of(context), &LiveSession::changed, this, &LiveIndicator::refresh);
    connect(&LiveSession::of(context), &LiveSession::told, this, &LiveIndicator::refresh);
    connect(&context, &AppContext::targetChanged, this, &LiveIndicator::refresh);
    connect(&context, &AppContext::remotesChanged, this, &LiveIndicator::refresh);
    refresh();
}

bool LiveIndicator::isLive() const
{
    return LiveShare::of(m_context).isOn() || LiveSession::of(m_context).isOpen();
}

QString LiveIndicator::machine() const
{
    return QString::fromStdString(splitTarget(m_context.target().toStdString()).remote);
}

void LiveIndicator::refresh()
{
    const LiveShare& share = LiveShare::of(m_context);
    const LiveSession& session = LiveSession::of(m_context);
    QStringList words;
    if (share.isOn())
        words << (share.sender().state() == live::LiveSender::State::Sharing ? tr("Live: shared")
                                                                             : tr("Live: no link"));
    if (session.isOpen())
        words << tr("Live: %1 here").arg(session.here());
    if (!machine().isEmpty())
        words << tr("ssh: %1").arg(machine());
    const bool offline = words.isEmpty();
    const QString text = offline ? tr("Offline") : words.join(QStringLiteral(" · "));
    setToolButtonStyle(offline ? Qt::ToolButtonTextOnly : Qt::ToolButtonTextBesideIcon);
    setText(text);
    setAccessibleName(tr("Network: %1").arg(text));
    setToolTip(offline ? tr("Nothing is sent and nothing is received; nothing here needs a network.")
               : share.isOn()
                   ? tr("Your step in each lesson and your predictions go to your teacher's computer. Click to "
                        "stop.")
               : session.isOpen() ? tr("A live session is open on this computer. Click for more.")
                                  : tr("Runs go to %1 by ssh, and to nowhere else.").arg(machine()));
}

void LiveIndicator::fill(QMenu* menu)
{
    menu->clear();
    if (!isLive() && machine().isEmpty())
        menu->addAction(tr("Nothing is sent and nothing is received"))->setEnabled(false);
    LiveShare& share = LiveShare::of(m_context);
    LiveSession& session = LiveSession::of(m_context);
    if (share.isOn()) {
        const QString page = QStringLiteral("assignment/") + QString::fromStdString(share.assignment());
        menu->addAction(share.sender().taken().size() == 1
                            ? tr("1 message received by your teacher")
                            : tr("%1 messages received by your teacher").arg(share.sender().taken().size()))
            ->setEnabled(false);
        menu->addAction(tr("See what is shared"), this, [this, page] { Q_EMIT m_context.openRequested(page); });
        menu->addAction(tr("Stop sharing"), &share, &LiveShare::stop);
    }
    if (session.isOpen()) {
        menu->addAction(tr("Code %1").arg(QString::fromStdString(session.code())))->setEnabled(false);
        for (const std::string& place : session.places())
            menu->addAction(QString::fromStdString(place))->setEnabled(false);
        menu->addAction(tr("See the class"), this, [this] { Q_EMIT m_context.openRequested(QStringLiteral("class")); });
        menu->addAction(tr("End the session"), &session, &LiveSession::end);
    }
    if (!machine().isEmpty())
        menu->addAction(tr("Runs go to %1 by ssh").arg(machine()))->setEnabled(false);
    menu->addSeparator();
    menu->addAction(tr("What is kept, and where"), this,
                    [this] { Q_EMIT m_context.openRequested(QStringLiteral("data")); });
}

} // namespace ridge::app

#include "moc_live_indicator.cpp"
