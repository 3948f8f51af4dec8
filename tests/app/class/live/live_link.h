// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "live_support.h"

#include "classroom/live/live_host.h"
#include "classroom/live/live_sender.h"

#include <QPointer>
#include <QTcpServer>
#include <QTcpSocket>
#include <QtTest>

namespace ridge::test {

inline const PredictionNote kGuess{"2.4", "guess", "sectors/request", 8, 4, 16};

/// Waits short enough for a test; no test needs one of them to pass for its success but where it says so.
inline SenderPace quick()
{
    return {2000, 5000, 600000, 20, 200, 60000, 600000};
}

/// A port that carries what it is given to another one, and can be cut: a link that drops.
class Wire : public QObject {
public:
    explicit Wire(quint16 to) : m_to(to)
    {
        m_server.listen(QHostAddress::LocalHost);
        connect(&m_server, &QTcpServer::newConnection, this, [this] {
            QTcpSocket* in = m_server.nextPendingConnection();
            auto* out = new QTcpSocket(in);
            m_links << in;
            ++taken;
            out->connectToHost(QHostAddress::LocalHost, m_to);
            connect(in, &QTcpSocket::readyRead, out, [this, in, out] {
                const QByteArray bytes = in->readAll();
                heard += bytes;
                out->write(bytes);
            });
            connect(out, &QTcpSocket::readyRead, in, [in, out] { in->write(out->readAll()); });
            connect(out, &QTcpSocket::disconnected, in, [in] { in->disconnectFromHost(); });
            connect(in, &QTcpSocket::disconnected, in, &QObject::deleteLater);
        });
    }
    void cut()
    {
        for (const QPointer<QTcpSocket>& link : std::as_const(m_links))
            if (link)
                link->abort();
    }
    quint16 port() const { return m_server.serverPort(); }
    QByteArray heard; ///< all that learners sent through it
    int taken = 0;    ///< links so far

private:
    QTcpServer m_server;
    quint16 m_to;
    QList<QPointer<QTcpSocket>> m_links;
};

/// A session on loopback.
struct Session {
    LiveRoom room;
    std::unique_ptr<LiveHost> host;
    quint16 port = 0;

    explicit Session(const HostLimits& limits = {})
    {
        host = std::make_unique<LiveHost>(room.plan, limits);
        port = host->open(0, true).value();
    }
    LiveSender::Session at(quint16 where, const classroom::Identity& who) const
    {
        return {{"127.0.0.1", where}, room.plan.code, room.plan.assignment, who};
    }
    std::unique_ptr<LiveSender> join(int number, std::vector<Note> notes, const SenderPace& pace = quick()) const
    {
        auto sender = std::make_unique<LiveSender>(pace);
        sender->setNotes(std::move(notes));
        if (!sender->start(at(port, LiveRoom::learner(number))))
            return nullptr;
        return sender;
    }
    const LiveLearner* seen(const BoardView& view, int number) const
    {
        const std::string name = LiveRoom::learner(number).learner;
        const auto found = std::find_if(view.learners.begin(), view.learners.end(),
                                        [&](const LiveLearner& one) { return one.learner == name; });
        return found == view.learners.end() ? nullptr : &*found;
    }
};

/// A stranger's connection: what it wrote, and what came back.
struct Stranger {
    QTcpSocket socket;
    QByteArray heard;
    explicit Stranger(quint16 port)
    {
        QObject::connect(&socket, &QTcpSocket::readyRead, &socket, [this] { heard += socket.readAll(); });
        socket.connectToHost(QHostAddress::LocalHost, port);
    }
    bool gone() const { return socket.state() == QAbstractSocket::UnconnectedState; }
};

} // namespace ridge::test
