// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/desktop/session_desktop.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QFileInfo>
#include <cmath>

namespace ridge::app {
namespace {

const QString kService = QStringLiteral("org.freedesktop.Notifications");
const QString kPath = QStringLiteral("/org/freedesktop/Notifications");
const QString kDesktopEntry = QStringLiteral("ridgepoint"); // packaging/linux/ridgepoint.desktop
constexpr int kAsTheDesktopLikes = -1;                      // how long a notice stays

} // namespace

struct SessionDesktop::Private {
    QString address;
    std::optional<QDBusConnection> bus;
    uint shown = 0; ///< id of the last notice; 0: none
    QString page;
    int percent = -1; ///< that the taskbar was told; -1: none

    bool connected(SessionDesktop* q);
};

QString SessionDesktop::sessionBus()
{
    const QString told = qEnvironmentVariable("DBUS_SESSION_BUS_ADDRESS");
    const QString usual = qEnvironmentVariable("XDG_RUNTIME_DIR") + QStringLiteral("/bus");
    return !told.isEmpty() ? told : QFileInfo::exists(usual) ? QStringLiteral("unix:path=") + usual : QString();
}

SessionDesktop::SessionDesktop(const QString& address, QObject* parent)
    : Desktop(parent), d(std::make_unique<Private>())
{
    d->address = address;
}

SessionDesktop::~SessionDesktop()
{
    if (!d->bus)
        return;
    const QString name = d->bus->name();
    setProgress({});
    d->bus.reset();
    QDBusConnection::disconnectFromBus(name);
}

bool SessionDesktop::Private::connected(SessionDesktop* q)
{
    if (address.isEmpty())
        return false;
    if (!bus) {
        bus = QDBusConnection::connectToBus(address, QStringLiteral("ridgepoint-desktop-%1").arg(quintptr(q)));
        bus->connect({}, kPath, kService, QStringLiteral("ActionInvoked"), q, SLOT(takeAction(uint, QString)));
    }
    return bus->isConnected();
}

void SessionDesktop::notify(const DesktopNotice& notice)
{
    if (!d->connected(this))
        return;
    d->page = notice.page;
    QDBusMessage call = QDBusMessage::createMethodCall(kService, kPath, kService, QStringLiteral("Notify"));
    // The body may hold markup, so that what is none has to be said to be none.
    call << QStringLiteral("Ridgepoint") << d->shown << kDesktopEntry << notice.title << notice.text.toHtmlEscaped()
         << QStringList{QStringLiteral("default"), tr("Open")}
         << QVariantMap{{QStringLiteral("desktop-entry"), kDesktopEntry},
                        {QStringLiteral("category"), QStringLiteral("transfer.complete")}}
         << kAsTheDesktopLikes;
    auto* answer = new QDBusPendingCallWatcher(d->bus->asyncCall(call), this);
    connect(answer, &QDBusPendingCallWatcher::finished, this, [this, answer] {
        const QDBusPendingReply<uint> id = *answer;
        d->shown = id.isError() ? 0 : id.value();
        answer->deleteLater();
    });
}

void SessionDesktop::withdraw()
{
    if (d->shown == 0 || !d->connected(this))
        return;
    QDBusMessage call = QDBusMessage::createMethodCall(kService, kPath, kService, QStringLiteral("CloseNotification"));
    call << std::exchange(d->shown, 0);
    d->bus->send(call);
}

void SessionDesktop::setProgress(std::optional<double> fraction)
{
    const int percent = fraction ? int(std::floor(100 * std::clamp(*fraction, 0.0, 1.0))) : -1;
    if (percent == d->percent || !d->connected(this))
        return;
    d->percent = percent;
    QDBusMessage update =
        QDBusMessage::createSignal(QStringLiteral("/com/canonical/unity/launcherentry/1"),
                                   QStringLiteral("com.canonical.Unity.LauncherEntry"), QStringLiteral("Update"));
    update << QStringLiteral("application://%1.desktop").arg(kDesktopEntry)
           << QVariantMap{{QStringLiteral("progress"), std::max(percent, 0) / 100.0},
                          {QStringLiteral("progress-visible"), percent >= 0}};
    d->bus->send(update);
}

void SessionDesktop::takeAction(uint id, const QString& action)
{
    if (id == d->shown && action == QLatin1String("default"))
        Q_EMIT chosen(d->page);
}

} // namespace ridge::app

#include "moc_session_desktop.cpp"
