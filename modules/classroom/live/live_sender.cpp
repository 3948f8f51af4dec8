// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/live/live_sender.h"

#include <QDateTime>
#include <QHostAddress>
#include <QNetworkProxy>
#include <QRandomGenerator>
#include <QTcpSocket>
#include <QTimer>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <set>

namespace ridge::live {
namespace {

/// Messages under way at most: a teacher's computer that is busy slows the learners' down.
constexpr std::size_t kWindow = 8;
constexpr qint64 kAcksKept = 16;

struct Sent {
    std::uint64_t counter = 0;
    Note note;
};

} // namespace

struct LiveSender::Private {
    SenderPace pace;
    std::optional<Session> session;
    State state = State::Off;
    QTcpSocket* socket = nullptr;
    QTimer* linkTimer = nullptr; ///< for connecting, for an acknowledgement, or for the pause before the next try
    QTimer *heartbeat = nullptr, *giveUp = nullptr, *longest = nullptr;
    std::vector<Note> notes;
    std::map<std::string, Note> taken; ///< by key
    std::set<std::string> tooLong;     ///< keys of what does not fit into a message and stays here
    std::deque<Sent> flight;           ///< on this link, not acknowledged
    std::uint64_t counter = 0;         ///< of the last message
    int tries = 0;                     ///< since the last acknowledgement
    bool linked = false;               ///< this link has brought an acknowledgement
    Error trouble;
};

LiveSender::LiveSender(const SenderPace& pace, QObject* parent) : QObject(parent), d(std::make_unique<Private>())
{
    d->pace = pace;
    for (QTimer** timer : {&d->linkTimer, &d->heartbeat, &d->giveUp, &d->longest}) {
        *timer = new QTimer(this);
        (*timer)->setSingleShot(true);
    }
    connect(d->linkTimer, &QTimer::timeout, this, [this] {
        if (d->state == State::Waiting)
            connectNow();
        else
            lose({"live-silent", "The session does not answer", placeForPeople(d->session->place), {}});
    });
    connect(d->heartbeat, &QTimer::timeout, this, [this] {
        if (!d->flight.empty())
            return; // its answer will tell
        for (const Note& note : d->notes)
            if (const auto* step = std::get_if<StepNote>(&note); step && step->here) {
                (void)send(note);
                return;
            }
    });
    connect(d->giveUp, &QTimer::timeout, this, [this] {
        end({"live-gave-up", "The session could not be reached any more, so sharing went off",
             placeForPeople(d->session->place), "Ask your teacher whether it is still open, then start again"});
    });
    connect(d->longest, &QTimer::timeout, this, [this] {
        end({"live-long",
             "Sharing went off by itself, as it does after four hours at the latest",
             {},
             "Start it again if the class goes on"});
    });
}

LiveSender::~LiveSender()
{
    stop();
}

Result<void> LiveSender::start(const Session& session)
{
    stop();
    if (session.assignment.sealKey.empty())
        return Error{"live-unsealed", "This assignment has no key to seal messages to, so nothing can be shared live",
                     session.assignment.title, "Ask your teacher for one that is sealed"};
    d->session = session;
    d->tries = 0;
    d->trouble = {};
    d->giveUp->start(d->pace.giveUpMs);
    d->longest->start(d->pace.longestMs);
    connectNow();
    return {};
}

void LiveSender::stop()
{
    for (QTimer* timer : {d->linkTimer, d->heartbeat, d->giveUp, d->longest})
        timer->stop();
    if (QTcpSocket* socket = std::exchange(d->socket, nullptr)) {
        socket->disconnect(this);
        socket->abort();
        socket->deleteLater();
    }
    d->session.reset();
    d->taken.clear();
    d->tooLong.clear();
    d->flight.clear();
    setState(State::Off);
}

void LiveSender::end(const Error& why)
{
    stop();
    d->trouble = why;
    Q_EMIT changed();
    Q_EMIT ended(why);
}

void LiveSender::setState(State state)
{
    if (std::exchange(d->state, state) != state)
        Q_EMIT changed();
}

void LiveSender::connectNow()
{
    d->flight.clear();
    d->linked = false;
    d->socket = new QTcpSocket(this);
    d->socket->setProxy(QNetworkProxy::NoProxy);
    d->socket->setReadBufferSize(kAcksKept * static_cast<qint64>(kAckBytes));
    connect(d->socket, &QTcpSocket::connected, this, &LiveSender::pump);
    connect(d->socket, &QTcpSocket::readyRead, this, &LiveSender::read);
    connect(d->socket, &QTcpSocket::errorOccurred, this, [this](QAbstractSocket::SocketError error) {
        const std::string at = placeForPeople(d->session->place);
        if (error == QAbstractSocket::RemoteHostClosedError)
            lose({"live-closed", "The link was closed", at, "Compare address and code with what your teacher shows"});
        else
            lose({"live-no-link", "There is no link: " + d->socket->errorString().toStdString(), at,
                  "Compare the address with what your teacher shows"});
    });
    d->linkTimer->start(d->pace.connectMs);
    setState(State::Connecting);
    d->socket->connectToHost(QHostAddress(QString::fromStdString(d->session->place.address)), d->session->place.port);
}

void LiveSender::lose(const Error& why)
{
    if (QTcpSocket* socket = std::exchange(d->socket, nullptr)) {
        socket->disconnect(this);
        socket->abort();
        socket->deleteLater();
    }
    d->heartbeat->stop();
    d->flight.clear();
    d->trouble = why;
    if (!d->giveUp->isActive())
        d->giveUp->start(d->pace.giveUpMs);
    // Half of it by chance, so that a room that lost its link does not come back in one moment.
    const double whole =
        std::min<double>(d->pace.longestPauseMs, d->pace.firstPauseMs * std::pow(2.0, std::min(d->tries++, 20)));
    d->linkTimer->start(static_cast<int>(whole * (0.5 + 0.5 * QRandomGenerator::global()->generateDouble())));
    d->state = State::Waiting;
    Q_EMIT changed();
}

void LiveSender::setNotes(std::vector<Note> notes)
{
    d->notes = std::move(notes);
    pump();
}

void LiveSender::pump()
{
    if (!d->socket || d->socket->state() != QAbstractSocket::ConnectedState)
        return;
    // One message until the first answer: with a wrong code no more than that is sent.
    const std::size_t window = d->linked ? kWindow : 1;
    const Note* again = nullptr;
    for (const Note& note : d->notes) {
        const std::string key = keyOf(note);
        const auto known = d->taken.find(key);
        const bool told = (known != d->taken.end() && known->second == note) || d->tooLong.contains(key);
        const bool underWay =
            std::any_of(d->flight.begin(), d->flight.end(), [&](const Sent& sent) { return keyOf(sent.note) == key; });
        if (d->flight.size() >= window)
            return;
        if (!told && !underWay && !send(note))
            return;
        if (told && !again && !d->tooLong.contains(key))
            again = &note;
    }
    // After a dropped link there may be nothing new; one message says who is back.
    if (!d->linked && d->flight.empty() && again)
        (void)send(*again);
}

bool LiveSender::send(const Note& note)
{
    const auto nowMs = static_cast<std::uint64_t>(QDateTime::currentMSecsSinceEpoch());
    d->counter = std::max(d->counter + 1, nowMs);
    const auto frame = writeFrame({d->session->assignment.id, d->session->code, {}, d->counter, note},
                                  d->session->identity, d->session->assignment.sealKey);
    if (!frame) {
        d->tooLong.insert(keyOf(note));
        return true;
    }
    if (d->flight.empty())
        d->linkTimer->start(d->pace.ackMs);
    d->flight.push_back({d->counter, note});
    d->heartbeat->start(d->pace.heartbeatMs);
    d->socket->write(frame->data(), static_cast<qint64>(frame->size()));
    return d->socket != nullptr;
}

void LiveSender::read()
{
    while (d->socket && d->socket->bytesAvailable() >= static_cast<qint64>(kAckBytes)) {
        const std::string bytes = d->socket->read(static_cast<qint64>(kAckBytes)).toStdString();
        const auto ack =
            readAck(bytes, {d->session->code, d->session->identity.key.publicKey}, d->session->assignment.signKey);
        if (!ack) {
            lose({ack.error().code, ack.error().message, placeForPeople(d->session->place), ack.error().fix});
            return;
        }
        if (!take(*ack))
            return;
    }
    pump();
}

bool LiveSender::take(const Ack& ack)
{
    switch (ack.status) {
    case AckStatus::WrongCode:
        end({"live-wrong-code", "The code is not that of the session", codeForPeople(d->session->code),
             "Type it again as your teacher shows it"});
        return false;
    case AckStatus::OtherAssignment:
        end({"live-other-assignment", "The session is about another assignment of your class",
             d->session->assignment.title, "Open the assignment that your teacher names"});
        return false;
    case AckStatus::Full:
        end({"live-full", "The session has as many learners as it takes", {}, "Tell your teacher"});
        return false;
    case AckStatus::Ended:
        end({"live-ended", "Your teacher has ended the session, and sharing went off", {}, {}});
        return false;
    case AckStatus::Behind:
        d->counter = std::max(d->counter, ack.counter);
        lose({"live-behind", "This computer's clock is behind what the session has seen", {}, {}});
        return false;
    case AckStatus::Taken:
        break;
    }
    if (d->flight.empty() || d->flight.front().counter != ack.counter) {
        lose({"live-no-ack", "The session acknowledged what was not sent", placeForPeople(d->session->place), {}});
        return false;
    }
    d->taken.insert_or_assign(keyOf(d->flight.front().note), d->flight.front().note);
    d->flight.pop_front();
    if (d->flight.empty())
        d->linkTimer->stop();
    else
        d->linkTimer->start(d->pace.ackMs);
    d->giveUp->stop();
    d->tries = 0;
    d->linked = true;
    d->trouble = {};
    d->state = State::Sharing;
    Q_EMIT changed();
    return d->socket != nullptr;
}

LiveSender::State LiveSender::state() const
{
    return d->state;
}

std::vector<Note> LiveSender::taken() const
{
    std::vector<Note> all;
    for (const auto& [key, note] : d->taken)
        all.push_back(note);
    return all;
}

Error LiveSender::trouble() const
{
    return d->trouble;
}

int LiveSender::pauseMs() const
{
    return d->state == State::Waiting ? d->linkTimer->remainingTime() : 0;
}

} // namespace ridge::live

#include "moc_live_sender.cpp"
