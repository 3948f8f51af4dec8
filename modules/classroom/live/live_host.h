// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/live/board.h"

#include <QObject>
#include <memory>

class QTcpSocket;

namespace ridge::live {

/// What a session bears with at most. A learner's program sends a dozen messages when it joins and one every now and
/// then; the defaults are some ten times that, and bound memory and work whatever others send.
struct HostLimits {
    int connections = 1200; ///< fewer where the system allows fewer open files
    int strangers = 256;    ///< of them, those that have sent nothing that reads; one more, and the oldest goes
    int strangerMs = 5000;  ///< and each of them after this time
    int silentMs = 90000;   ///< a learner's connection without a message
    double learnerBurst = 400,
           learnerPerSecond = 8;           ///< messages of one connection; more wait in the learner's computer
    double burst = 2000, perSecond = 1500; ///< messages of all connections
    double connectBurst = 600, connectsPerSecond = 100; ///< new connections; more wait in the system's queue
};

/// The teacher's end of the live view: listens, opens what arrives, keeps it in a Board and acknowledges. It never
/// sends anything else, and never first. Lives in one thread, by its event loop; what it tells are values.
class LiveHost : public QObject {
    Q_OBJECT
public:
    explicit LiveHost(SessionPlan plan, const HostLimits& limits = {}, QObject* parent = nullptr);
    ~LiveHost() override;

    /// Opens the session on `port`, or any free one where that is taken; 0: any. Gives the port. Error "live-listen".
    Result<std::uint16_t> open(std::uint16_t port, bool loopbackOnly = false);
    /// Tells everybody who is connected that the session has ended, listens no more, and emits closed() when that has
    /// left this computer or after half a second.
    void close();

    BoardView view() const;

Q_SIGNALS:
    /// At most four times a second, after something changed.
    void changed(const ridge::live::BoardView& view);
    void closed();

private:
    struct Connection;
    struct Private;
    void accept();
    void serve();
    bool serveOne(QTcpSocket* socket, const std::string& bytes);
    void settle(QTcpSocket* socket, const Message& message);
    void drop(QTcpSocket* socket);
    void sweep();
    void tell();
    void leaveWhenEmpty();
    std::unique_ptr<Private> d;
};

} // namespace ridge::live

Q_DECLARE_METATYPE(ridge::live::BoardView)
