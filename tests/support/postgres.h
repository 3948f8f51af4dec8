// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <arpa/inet.h>
#include <csignal>
#include <sys/socket.h>
#include <unistd.h>

namespace ridge::test {

/// A PostgreSQL server from Debian's package, in a folder of its own, on a free port of the loopback. It ends with the
/// test, also when that crashes. initdb refuses to work for root, hence the user postgres there.
class PostgresServer {
public:
    static constexpr const char* kPassword = "only for this test";

    /// `durable`: with the fsync that a school's server has; tests do without.
    explicit PostgresServer(bool durable = false)
    {
        const QStringList versions =
            QDir(QStringLiteral("/usr/lib/postgresql")).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name);
        if (versions.isEmpty()) {
            m_problem = QStringLiteral("PostgreSQL is not installed; tools/setup.sh installs it");
            return;
        }
        m_programs = QStringLiteral("/usr/lib/postgresql/%1/bin/").arg(versions.last());
        const QString data = m_folder.filePath(QStringLiteral("data"));
        const QString password = m_folder.filePath(QStringLiteral("password"));
        QFile file(password);
        if (!file.open(QIODevice::WriteOnly) || file.write(kPassword) < 0) {
            m_problem = QStringLiteral("no temporary folder");
            return;
        }
        file.close();
        if (geteuid() == 0)
            run({QStringLiteral("chown"), QStringLiteral("-R"), QStringLiteral("postgres:postgres"), m_folder.path()});
        if (!run(asUser({m_programs + QStringLiteral("initdb"), QStringLiteral("-D"), data, QStringLiteral("-U"),
                         QStringLiteral("ridge"), QStringLiteral("-A"), QStringLiteral("scram-sha-256"),
                         QStringLiteral("--pwfile=") + password, QStringLiteral("--no-sync"), QStringLiteral("-E"),
                         QStringLiteral("UTF8"), QStringLiteral("--locale=C")})))
            return;
        start(data, durable);
    }
    ~PostgresServer()
    {
        if (m_server.state() == QProcess::NotRunning)
            return;
        ::kill(static_cast<pid_t>(m_server.processId()), SIGINT); // "fast": clients are cut off
        m_server.waitForFinished();
        if (geteuid() == 0)
            run({QStringLiteral("chown"), QStringLiteral("-R"), QStringLiteral("0"), m_folder.path()});
    }
    PostgresServer(const PostgresServer&) = delete;
    PostgresServer& operator=(const PostgresServer&) = delete;

    /// Empty when it runs.
    QString problem() const { return m_problem; }
    QString address() const { return QStringLiteral("postgresql://ridge@127.0.0.1:%1/postgres").arg(m_port); }

private:
    void start(const QString& data, bool durable)
    {
        m_port = freePort();
        const QStringList command =
            asUser({m_programs + QStringLiteral("postgres"), QStringLiteral("-D"), data, QStringLiteral("-p"),
                    QString::number(m_port), QStringLiteral("-c"), QStringLiteral("listen_addresses=127.0.0.1"),
                    QStringLiteral("-c"), QStringLiteral("unix_socket_directories="), QStringLiteral("-c"),
                    durable ? QStringLiteral("fsync=on") : QStringLiteral("fsync=off")});
        m_server.setWorkingDirectory(QStringLiteral("/"));
        m_server.setProcessChannelMode(QProcess::MergedChannels);
        m_server.start(command.first(), command.mid(1));
        QByteArray log;
        while (!log.contains("ready to accept connections")) {
            if (!m_server.waitForReadyRead(60000)) {
                m_problem = QStringLiteral("the server did not start: ") + QString::fromUtf8(log);
                return;
            }
            log += m_server.readAll();
        }
    }
    static quint16 freePort()
    {
        const int probe = socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        bind(probe, reinterpret_cast<sockaddr*>(&address), size);
        getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size);
        close(probe);
        return ntohs(address.sin_port);
    }
    static QStringList asUser(const QStringList& command)
    {
        const QStringList watched{QStringLiteral("setpriv"), QStringLiteral("--pdeathsig"), QStringLiteral("INT")};
        const QStringList user = geteuid() == 0
                                     ? QStringList{QStringLiteral("--reuid=postgres"),
                                                   QStringLiteral("--regid=postgres"), QStringLiteral("--clear-groups")}
                                     : QStringList{};
        return watched + user + command;
    }
    bool run(const QStringList& command)
    {
        QProcess process;
        process.setWorkingDirectory(QStringLiteral("/"));
        process.start(command.first(), command.mid(1));
        if (process.waitForFinished(60000) && process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0)
            return true;
        m_problem =
            command.join(QLatin1Char(' ')) + QStringLiteral(": ") + QString::fromUtf8(process.readAllStandardError());
        return false;
    }

    QTemporaryDir m_folder;
    QString m_programs, m_problem;
    quint16 m_port = 0;
    QProcess m_server;
};

} // namespace ridge::test
