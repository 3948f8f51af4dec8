// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/live/live_host.h"

#include "classroom/live/bucket.h"

#include <QDeadlineTimer>
#include <QNetworkProxy>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTimer>
#include <deque>
#include <sys/resource.h>

namespace ridge::live {
namespace {

constexpr int kAtOnce = 32;       ///< messages served before other events have their turn
constexpr int kTellMs = 250;      ///< between two changed()
constexpr int kWaitMs = 50;       ///< until a rate that is used up is looked at again
constexpr int kSweepMs = 1000;    ///< between two looks at who is silent
constexpr int kCloseMs = 500;     ///< for the last acknowledgements to leave
constexpr qint64 kFramesKept = 4; ///< of one connection, in this program; more stay with the sender
constexpr qint64 kAcksKept = 64;  ///< not yet fetched by the learner's computer
constexpr int kFilesKept = 256;   ///< open files that the rest of the program may need

std::int64_t now()
{
    return QDeadlineTimer::current().deadline();
}

int filesAllowed()
{
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > 1000000)
        return 1000000;
    return std::max(16, static_cast<int>(limit.rlim_cur) - kFilesKept);
}

} // namespace

struct LiveHost::Connection {
    Connection(const HostLimits& limits, std::int64_t nowMs)
        : rate(limits.learnerBurst, limits.learnerPerSecond, nowMs), heardMs(nowMs)
    {
    }
    Bucket rate;
    std::int64_t heardMs;       ///< of the last message that was taken, or of the connection
    std::string publicKey = {}; ///< empty: a stranger
    std::uint64_t counter = 0;  ///< of the last message that was taken
    std::string code = {};      ///< as it was sent
    bool queued = false;
    bool last = false; ///< has been answered with no, goes when the answer has left
};

struct LiveHost::Private {
    Private(SessionPlan plan, const HostLimits& allowed)
        : board(std::move(plan)), limits(allowed), rate(allowed.burst, allowed.perSecond, now()),
          connects(allowed.connectBurst, allowed.connectsPerSecond, now())
    {
        limits.connections = std::min(limits.connections, filesAllowed());
        limits.strangers = std::min(limits.strangers, limits.connections);
    }
    Board board;
    HostLimits limits;
    Bucket rate, connects;
    std::map<QTcpSocket*, Connection> connections;
    std::deque<QTcpSocket*> strangers; ///< oldest first
    std::deque<QTcpSocket*> ready;     ///< with a message to serve, each once
    std::map<std::string, QTcpSocket*> byLearner;
    // Children of the host, so that they go to another thread with it.
    QTcpServer* server = nullptr;
    QTimer *serveTimer = nullptr, *acceptTimer = nullptr, *sweepTimer = nullptr, *tellTimer = nullptr,
           *closeTimer = nullptr;
    bool closing = false, gone = false;
};

LiveHost::LiveHost(SessionPlan plan, const HostLimits& limits, QObject* parent)
    : QObject(parent), d(std::make_unique<Private>(std::move(plan), limits))
{
    qRegisterMetaType<ridge::live::BoardView>();
    d->server = new QTcpServer(this);
    for (QTimer** timer : {&d->serveTimer, &d->acceptTimer, &d->sweepTimer, &d->tellTimer, &d->closeTimer}) {
        *timer = new QTimer(this);
        (*timer)->setSingleShot(timer != &d->sweepTimer);
    }
    connect(d->server, &QTcpServer::newConnection, this, &LiveHost::accept);
    connect(d->serveTimer, &QTimer::timeout, this, &LiveHost::serve);
    connect(d->acceptTimer, &QTimer::timeout, this, &LiveHost::accept);
    connect(d->sweepTimer, &QTimer::timeout, this, &LiveHost::sweep);
    connect(d->tellTimer, &QTimer::timeout, this, [this] { Q_EMIT changed(view()); });
    connect(d->closeTimer, &QTimer::timeout, this, [this] {
        while (!d->connections.empty())
            drop(d->connections.begin()->first);
    });
}

LiveHost::~LiveHost()
{
    for (const auto& [socket, connection] : d->connections)
        socket->disconnect(this);
}

Result<std::uint16_t> LiveHost::open(std::uint16_t port, bool loopbackOnly)
{
    const QHostAddress where = loopbackOnly ? QHostAddress(QHostAddress::LocalHost) : QHostAddress(QHostAddress::Any);
    d->server->setProxy(QNetworkProxy::NoProxy);
    if (!d->server->listen(where, port) && !d->server->listen(where, 0))
        return Error{"live-listen", "The session cannot be opened: " + d->server->errorString().toStdString(),
                     "port " + std::to_string(port), "Look at this computer's network and firewall settings"};
    return d->server->serverPort();
}

BoardView LiveHost::view() const
{
    BoardView view = d->board.view();
    view.connections = static_cast<int>(d->connections.size());
    return view;
}

void LiveHost::tell()
{
    if (!d->tellTimer->isActive())
        d->tellTimer->start(kTellMs);
}

void LiveHost::accept()
{
    while (!d->closing && d->server->hasPendingConnections()) {
        if (static_cast<int>(d->connections.size()) >= d->limits.connections || !d->connects.take(now())) {
            d->server->pauseAccepting();
            d->acceptTimer->start(kWaitMs);
            return;
        }
        QTcpSocket* socket = d->server->nextPendingConnection();
        socket->setParent(this);
        socket->setReadBufferSize(kFramesKept * static_cast<qint64>(kFrameBytes));
        d->connections.emplace(socket, Connection(d->limits, now()));
        d->strangers.push_back(socket);
        connect(socket, &QTcpSocket::disconnected, this, [this, socket] { drop(socket); });
        connect(socket, &QTcpSocket::readyRead, this, [this, socket] {
            const auto found = d->connections.find(socket);
            if (found == d->connections.end() || found->second.queued ||
                socket->bytesAvailable() < static_cast<qint64>(kFrameBytes))
                return;
            found->second.queued = true;
            d->ready.push_back(socket);
            if (!d->serveTimer->isActive())
                d->serveTimer->start(0);
        });
        if (static_cast<int>(d->strangers.size()) > d->limits.strangers) {
            ++d->board.refusals().connections;
            drop(d->strangers.front());
        }
        if (!d->sweepTimer->isActive())
            d->sweepTimer->start(kSweepMs);
    }
    d->server->resumeAccepting();
    tell();
}

void LiveHost::serve()
{
    // Round and round, one message of each: nobody's flood keeps another one waiting longer than a round.
    std::size_t rested = 0;
    for (int served = 0; served < kAtOnce && rested < d->ready.size();) {
        QTcpSocket* socket = d->ready.front();
        d->ready.pop_front();
        Connection& connection = d->connections.at(socket);
        if (!connection.rate.take(now()) || !d->rate.take(now())) {
            d->ready.push_back(socket); // what it sends waits in its own computer
            ++rested;
            continue;
        }
        ++served;
        rested = 0;
        connection.queued = false;
        // A serving that drops the connection takes it out of everything.
        const std::string bytes = socket->read(static_cast<qint64>(kFrameBytes)).toStdString();
        if (serveOne(socket, bytes) && socket->bytesAvailable() >= static_cast<qint64>(kFrameBytes)) {
            d->connections.at(socket).queued = true;
            d->ready.push_back(socket);
        }
    }
    if (!d->ready.empty())
        d->serveTimer->start(rested >= d->ready.size() ? kWaitMs : 0);
    tell();
}

bool LiveHost::serveOne(QTcpSocket* socket, const std::string& bytes)
{
    const SessionPlan& plan = d->board.plan();
    Connection& connection = d->connections.at(socket);
    if (connection.last)
        return false;
    const auto message = readFrame(bytes, plan.keys.seal);
    if (!message) {
        ++(message.error().code == "live-forged" ? d->board.refusals().forged : d->board.refusals().garbage);
        drop(socket);
        return false;
    }
    const Ack ack = d->board.take(*message, now());
    const AckFor to{message->code, message->publicKey};
    const std::string answer = writeAck(ack, to, plan.keys.sign);
    if (socket->bytesToWrite() > kAcksKept * static_cast<qint64>(kAckBytes)) {
        drop(socket); // it sends and never reads
        return false;
    }
    socket->write(answer.data(), static_cast<qint64>(answer.size()));
    if (ack.status != AckStatus::Taken) {
        connection.last = true;
        socket->disconnectFromHost();
        return d->connections.contains(socket);
    }
    connection.heardMs = now();
    connection.counter = ack.counter;
    if (connection.publicKey != message->publicKey)
        settle(socket, *message);
    return d->connections.contains(socket);
}

void LiveHost::settle(QTcpSocket* socket, const Message& message)
{
    Connection& connection = d->connections.at(socket);
    if (!connection.publicKey.empty()) { // one connection, one learner
        drop(socket);
        return;
    }
    connection.publicKey = message.publicKey;
    connection.code = message.code;
    std::erase(d->strangers, socket);
    // The newest connection counts: the older one is what is left of a dropped link.
    QTcpSocket*& current = d->byLearner[message.publicKey];
    QTcpSocket* const before = std::exchange(current, socket);
    if (before)
        drop(before);
    d->board.setConnected(message.publicKey, true);
}

void LiveHost::drop(QTcpSocket* socket)
{
    const auto found = d->connections.find(socket);
    if (found == d->connections.end())
        return;
    if (const std::string& key = found->second.publicKey; !key.empty())
        if (const auto at = d->byLearner.find(key); at != d->byLearner.end() && at->second == socket) {
            d->byLearner.erase(at);
            d->board.setConnected(key, false);
        }
    std::erase(d->strangers, socket);
    std::erase(d->ready, socket);
    d->connections.erase(found);
    socket->disconnect(this);
    socket->abort();
    socket->deleteLater();
    if (d->connections.empty())
        d->sweepTimer->stop();
    tell();
    leaveWhenEmpty();
}

void LiveHost::leaveWhenEmpty()
{
    if (!d->closing || d->gone || !d->connections.empty())
        return;
    d->gone = true;
    d->closeTimer->stop();
    QMetaObject::invokeMethod(this, &LiveHost::closed, Qt::QueuedConnection);
}

void LiveHost::sweep()
{
    const std::int64_t at = now();
    std::vector<QTcpSocket*> gone;
    for (const auto& [socket, connection] : d->connections)
        if (at - connection.heardMs > (connection.publicKey.empty() ? d->limits.strangerMs : d->limits.silentMs))
            gone.push_back(socket);
    for (QTcpSocket* socket : gone) {
        if (d->connections.at(socket).publicKey.empty())
            ++d->board.refusals().connections;
        drop(socket);
    }
}

void LiveHost::close()
{
    if (d->closing)
        return;
    d->closing = true;
    d->server->close();
    d->acceptTimer->stop();
    d->serveTimer->stop();
    d->ready.clear();
    std::vector<QTcpSocket*> strangers(d->strangers.begin(), d->strangers.end());
    for (QTcpSocket* socket : strangers)
        drop(socket);
    std::vector<QTcpSocket*> learners;
    for (const auto& [socket, connection] : d->connections)
        learners.push_back(socket);
    for (QTcpSocket* socket : learners) {
        Connection& connection = d->connections.at(socket);
        connection.last = true;
        // What it still says is read and dropped: closing over unread bytes would tear down the answer with the link.
        socket->setReadBufferSize(0);
        connect(socket, &QTcpSocket::readyRead, socket, [socket] { socket->readAll(); });
        socket->readAll();
        const std::string answer = writeAck({AckStatus::Ended, connection.counter},
                                            {connection.code, connection.publicKey}, d->board.plan().keys.sign);
        socket->write(answer.data(), static_cast<qint64>(answer.size()));
        socket->disconnectFromHost();
    }
    d->closeTimer->start(kCloseMs);
    leaveWhenEmpty();
}

} // namespace ridge::live

#include "moc_live_host.cpp"
