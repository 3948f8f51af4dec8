// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/single_instance.h"

#include "base/hash.h"
#include "base/paths.h"

#include <QLocalServer>
#include <QLocalSocket>
#include <QUrl>

namespace ridge::app {
namespace {

constexpr int kHandOverMs = 300;
constexpr qint64 kLongestLine = 16 << 10; ///< a path of 4,096 bytes, percent-encoded
const QByteArray kFile = "file:";

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

bool SingleInstance::handOver(const QString& page, const QString& file) const
{
    QLocalSocket socket;
    socket.connectToServer(m_key);
    if (!socket.waitForConnected(kHandOverMs))
        return false;
    socket.write((file.isEmpty() ? page.toUtf8() : kFile + QUrl::toPercentEncoding(file)) + '\n');
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
        if (socket->canReadLine()) {
            const QByteArray line = socket->readLine(kLongestLine).trimmed();
            if (line.startsWith(kFile))
                Q_EMIT fileRequested(QUrl::fromPercentEncoding(line.mid(kFile.size())));
            else
                Q_EMIT pageRequested(QString::fromUtf8(line));
        } else if (socket->bytesAvailable() > kLongestLine) {
            socket->abort();
        }
    };
    connect(socket, &QLocalSocket::readyRead, this, take);
    take();
}

} // namespace ridge::app

#include "moc_single_instance.cpp"
