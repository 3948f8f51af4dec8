// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/single_instance.h"

#include "base/hash.h"
#include "base/paths.h"

#include <QLocalServer>
#include <QLocalSocket>

namespace ridge::app {
namespace {

constexpr int kHandOverMs = 300;
constexpr qint64 kLongestPage = 512;

} // namespace

SingleInstance::SingleInstance(QObject* parent)
    : QObject(parent),
      m_key(QStringLiteral("ridgepoint-") +
            QString::fromStdString(
                sha256Hex(homeFolder().string() + "\n" + qEnvironmentVariable("USER").toStdString()).substr(0, 16))),
      m_server(new QLocalServer(this))
{
    m_server->setSocketOptions(QLocalServer::UserAccessOption);
    connect(m_server, &QLocalServer::newConnection, this, &SingleInstance::read);
}

bool SingleInstance::handOver(const QString& page) const
{
    QLocalSocket socket;
    socket.connectToServer(m_key);
    if (!socket.waitForConnected(kHandOverMs))
        return false;
    socket.write(page.toUtf8() + '\n');
    return socket.waitForBytesWritten(kHandOverMs);
}

void SingleInstance::listen()
{
    if (m_server->listen(m_key))
        return;
    // Nobody answered handOver: what is left of a crashed instance may be removed.
    QLocalServer::removeServer(m_key);
    m_server->listen(m_key);
}

void SingleInstance::read()
{
    QLocalSocket* socket = m_server->nextPendingConnection();
    connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
    const auto take = [this, socket] {
        if (socket->canReadLine())
            Q_EMIT pageRequested(QString::fromUtf8(socket->readLine(kLongestPage)).trimmed());
        else if (socket->bytesAvailable() > kLongestPage)
            socket->abort();
    };
    connect(socket, &QLocalSocket::readyRead, this, take);
    take();
}

} // namespace ridge::app
