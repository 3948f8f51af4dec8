// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QObject>
#include <QStringList>
#include <QVariantMap>
#include <memory>

namespace ridge::app {

/// A session bus of the test's own: no desktop of this machine hears of it.
class PrivateBus {
public:
    PrivateBus();
    ~PrivateBus();
    bool available() const { return !m_address.isEmpty(); }
    QString address() const { return m_address; }

private:
    struct Private;
    std::unique_ptr<Private> d;
    QString m_address;
};

/// A desktop on that bus: org.freedesktop.Notifications, and a dock that hears of progress.
class NotificationService : public QObject {
    Q_OBJECT
    Q_CLASSINFO("D-Bus Interface", "org.freedesktop.Notifications")
public:
    explicit NotificationService(const QString& bus);
    ~NotificationService() override;
    bool listens() const { return m_listens; }

    struct Notice {
        uint id = 0, replaces = 0;
        QString title, body;
        QStringList actions;
        QVariantMap hints;
    };
    QList<Notice> notices;
    QList<uint> closed;
    QList<std::pair<QString, QVariantMap>> updates; ///< of a launcher's entry

    uint lastId() const { return notices.isEmpty() ? 0 : notices.back().id; }
    void choose(uint id) { Q_EMIT ActionInvoked(id, QStringLiteral("default")); }

public Q_SLOTS: // names of the D-Bus interface
    uint Notify(const QString& program, uint replaces, const QString& icon, const QString& title, const QString& body,
                const QStringList& actions, const QVariantMap& hints, int timeout);
    void CloseNotification(uint id) { closed << id; }

Q_SIGNALS:
    void ActionInvoked(uint id, const QString& action);

private Q_SLOTS:
    void takeUpdate(const QString& entry, const QVariantMap& values) { updates.append({entry, values}); }

private:
    QString m_name;
    bool m_listens = false;
};

} // namespace ridge::app
