// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QProcess>
#include <QString>
#include <QTemporaryDir>
#include <memory>
#include <vector>

namespace ridge::test {

/// A TCP port of the loopback interface that nobody uses.
int freePort();
bool listens(int port);
/// Processes whose parent is `pid`.
std::vector<qint64> childrenOf(qint64 pid);
void writeText(const QString& file, const QByteArray& text, bool executable = false);

/// OpenSSH's server on a loopback port, as an ordinary process with keys and a configuration of its own.
class Sshd {
public:
    Sshd();
    ~Sshd();
    /// Empty, or why it cannot run here.
    QString start();
    /// Ends the server and everything that goes through it.
    void stop();
    /// Cuts every connection there is; new ones are taken.
    void cut();
    /// `ssh …` with the key and the known host of this server.
    QString launcher() const;
    /// The same, with one option in front that spoils it.
    QString launcherWith(const QString& option) const;
    QString cache() const { return m_folder.filePath(QStringLiteral("cache")); }
    QString path(const char* name) const { return m_folder.filePath(QLatin1String(name)); }

private:
    QTemporaryDir m_folder;
    QProcess m_server;
    int m_port = 0;
};

/// A Slurm of one node: munged, slurmctld and slurmd, with key, socket, ports and folders of their own.
class Slurm {
public:
    Slurm();
    ~Slurm();
    /// Empty, or why it cannot run here. Sets SLURM_CONF for this process and its children.
    QString start();
    QString path(const char* name) const { return m_folder.filePath(QLatin1String(name)); }

private:
    QString launch(QProcess& process, const QString& program, const QStringList& arguments);
    QTemporaryDir m_folder;
    QProcess m_munged, m_controller, m_node;
};

} // namespace ridge::test
