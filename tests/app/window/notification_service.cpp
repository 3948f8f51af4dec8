// SPDX-License-Identifier: GPL-3.0-or-later
#include "notification_service.h"

#include <QDBusConnection>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>

namespace ridge::app {

struct PrivateBus::Private {
    QTemporaryDir folder;
    QProcess daemon;
};

PrivateBus::PrivateBus() : d(std::make_unique<Private>())
{
    const QString program = QStandardPaths::findExecutable(QStringLiteral("dbus-daemon"));
    if (program.isEmpty())
        return;
    d->daemon.start(program,
                    {QStringLiteral("--session"), QStringLiteral("--nofork"), QStringLiteral("--print-address"),
                     QStringLiteral("--address=unix:path=%1/bus").arg(d->folder.path())});
    while (!d->daemon.canReadLine() && d->daemon.waitForReadyRead(60000)) {
    }
    m_address = QString::fromUtf8(d->daemon.readLine()).trimmed();
}

PrivateBus::~PrivateBus()
{
    d->daemon.terminate();
    d->daemon.waitForFinished(5000);
}

NotificationService::NotificationService(const QString& bus) : m_name(QStringLiteral("test-desktop"))
{
    QDBusConnection connection = QDBusConnection::connectToBus(bus, m_name);
    m_listens = connection.registerObject(QStringLiteral("/org/freedesktop/Notifications"), this,
                                          QDBusConnection::ExportAllSlots | QDBusConnection::ExportAllSignals) &&
                connection.registerService(QStringLiteral("org.freedesktop.Notifications")) &&
                connection.connect({}, {}, QStringLiteral("com.canonical.Unity.LauncherEntry"),
                                   QStringLiteral("Update"), this, SLOT(takeUpdate(QString, QVariantMap)));
}

NotificationService::~NotificationService()
{
    QDBusConnection::disconnectFromBus(m_name);
}

uint NotificationService::Notify(const QString&, uint replaces, const QString&, const QString& title,
                                 const QString& body, const QStringList& actions, const QVariantMap& hints, int)
{
    const uint id = replaces != 0 ? replaces : uint(41 + notices.size());
    notices.append({id, replaces, title, body, actions, hints});
    return id;
}

} // namespace ridge::app
