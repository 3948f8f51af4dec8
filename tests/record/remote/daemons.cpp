// SPDX-License-Identifier: GPL-3.0-or-later
#include "remote/daemons.h"

#include <QDir>
#include <QFile>
#include <QRandomGenerator>
#include <QStandardPaths>
#include <QSysInfo>
#include <QtTest>
#include <arpa/inet.h>
#include <csignal>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace ridge::test {
namespace {

constexpr int kStartMs = 60000;

QString s(const char* text)
{
    return QString::fromLatin1(text);
}

sockaddr_in loopback(int port)
{
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

/// A daemon's own folder for programs is not on everybody's path.
QString daemonProgram(const char* name)
{
    const QString found = QStandardPaths::findExecutable(s(name));
    return found.isEmpty() ? QStandardPaths::findExecutable(s(name), {s("/usr/sbin"), s("/sbin")}) : found;
}

/// It goes with the test, however that ends.
void bindLife(QProcess& process)
{
    process.setChildProcessModifier([] { ::prctl(PR_SET_PDEATHSIG, SIGKILL); });
}

void endProcess(QProcess& process)
{
    if (process.state() == QProcess::NotRunning)
        return;
    process.terminate();
    if (process.waitForFinished(3000))
        return;
    process.kill();
    process.waitForFinished(3000);
}

QString lastWords(QProcess& process)
{
    return QString::fromUtf8(process.readAllStandardError() + process.readAllStandardOutput()).trimmed().right(400);
}

bool run(const QString& program, const QStringList& arguments)
{
    QProcess process;
    process.start(program, arguments);
    return process.waitForFinished(60000) && process.exitCode() == 0;
}

} // namespace

int freePort()
{
    const int probe = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    int port = 0;
    if (::bind(probe, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
        ::getsockname(probe, reinterpret_cast<sockaddr*>(&address), &size) == 0)
        port = ntohs(address.sin_port);
    ::close(probe);
    return port;
}

bool listens(int port)
{
    const int probe = ::socket(AF_INET, SOCK_STREAM, 0);
    const sockaddr_in address = loopback(port);
    const bool there = ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    ::close(probe);
    return there;
}

std::vector<qint64> childrenOf(qint64 pid)
{
    std::vector<qint64> children;
    for (const QString& name : QDir(s("/proc")).entryList({s("[0-9]*")}, QDir::Dirs)) {
        QFile status(s("/proc/%1/stat").arg(name));
        if (!status.open(QIODevice::ReadOnly))
            continue;
        const QByteArray text = status.readAll();
        const QList<QByteArray> fields = text.mid(text.lastIndexOf(')') + 2).split(' ');
        if (fields.size() > 1 && fields[1].toLongLong() == pid)
            children.push_back(name.toLongLong());
    }
    return children;
}

void writeText(const QString& file, const QByteArray& text, bool executable)
{
    QFile out(file);
    QVERIFY2(out.open(QIODevice::WriteOnly | QIODevice::Truncate), qPrintable(file));
    out.write(text);
    out.close();
    QFile::setPermissions(
        file, QFile::ReadOwner | QFile::WriteOwner |
                  (executable ? QFile::ExeOwner | QFile::ReadOther | QFile::ExeOther : QFile::Permissions()));
}

Sshd::Sshd() = default;

Sshd::~Sshd()
{
    stop();
}

QString Sshd::start()
{
    const QString server = daemonProgram("sshd");
    if (server.isEmpty() || QStandardPaths::findExecutable(s("ssh")).isEmpty())
        return s("there is no sshd and ssh; apt install openssh-server openssh-client");
    if (m_port == 0) {
        m_port = freePort();
        for (const char* name : {"host", "key"})
            if (!run(s("ssh-keygen"), {s("-q"), s("-t"), s("ed25519"), s("-N"), QString(), s("-f"), path(name)}))
                return s("ssh-keygen makes no key");
        QFile::copy(path("key.pub"), path("authorized"));
        QFile::setPermissions(path("authorized"), QFile::ReadOwner | QFile::WriteOwner);
        QFile host(path("host.pub"));
        if (!host.open(QIODevice::ReadOnly))
            return s("ssh-keygen made no key");
        writeText(path("known"), "[127.0.0.1]:" + QByteArray::number(m_port) + ' ' +
                                     host.readAll().split(' ').mid(0, 2).join(' ') + '\n');
        writeText(path("empty"), {});
        writeText(path("config"),
                  s("Port %1\nListenAddress 127.0.0.1\nHostKey %2\nAuthorizedKeysFile %3\nPidFile none\n"
                    "UsePAM no\nStrictModes no\nPermitRootLogin prohibit-password\n"
                    "PasswordAuthentication no\nKbdInteractiveAuthentication no\n"
                    "SetEnv RIDGE_CACHE=%4 RIDGE_SIM_THREADS=1\n")
                      .arg(m_port)
                      .arg(path("host"), path("authorized"), cache())
                      .toUtf8());
    }
    if (::getuid() == 0)
        QDir().mkpath(s("/run/sshd")); // where root's sshd puts its unprivileged half
    bindLife(m_server);
    m_server.setStandardErrorFile(path("sshd.log"), QIODevice::Append);
    m_server.start(server, {s("-D"), s("-e"), s("-f"), path("config")});
    const bool up =
        QTest::qWaitFor([this] { return m_server.state() == QProcess::NotRunning || listens(m_port); }, kStartMs);
    if (up && m_server.state() == QProcess::Running)
        return {};
    QFile log(path("sshd.log"));
    return s("sshd does not start: ") +
           (log.open(QIODevice::ReadOnly) ? QString::fromUtf8(log.readAll()).right(400) : s("?"));
}

void Sshd::stop()
{
    const auto sessions = childrenOf(m_server.processId());
    endProcess(m_server);
    for (const qint64 session : sessions)
        ::kill(static_cast<pid_t>(session), SIGKILL);
}

void Sshd::cut()
{
    for (const qint64 session : childrenOf(m_server.processId()))
        ::kill(static_cast<pid_t>(session), SIGKILL);
}

QString Sshd::launcher() const
{
    return s("ssh -F none -p %1 -i %2 -o IdentitiesOnly=yes -o UserKnownHostsFile=%3 127.0.0.1")
        .arg(m_port)
        .arg(path("key"), path("known"));
}

QString Sshd::launcherWith(const QString& option) const
{
    return launcher().replace(s("ssh -F none"), s("ssh -F none ") + option);
}

Slurm::Slurm() = default;

Slurm::~Slurm()
{
    for (QProcess* process : {&m_node, &m_controller, &m_munged})
        endProcess(*process);
}

QString Slurm::launch(QProcess& process, const QString& program, const QStringList& arguments)
{
    if (program.isEmpty())
        return s("Slurm and munge are not installed; apt install slurm-wlm munge");
    bindLife(process);
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, arguments);
    return process.waitForStarted() ? QString() : program + s(" cannot be started");
}

QString Slurm::start()
{
    if (::getuid() != 0)
        return s("a Slurm of its own needs root, because it starts jobs as their owners");
    for (const char* name : {"state", "spool", "munge"})
        QDir().mkpath(path(name));
    QFile::setPermissions(path("munge"), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    QByteArray key(1024, '\0');
    QRandomGenerator::system()->generate(reinterpret_cast<quint32*>(key.data()),
                                         reinterpret_cast<quint32*>(key.data() + key.size()));
    writeText(path("munge/key"), key);
    // --force: a socket below a folder that only root may enter is what is wanted here.
    if (const QString why = launch(m_munged, daemonProgram("munged"),
                                   {s("--foreground"), s("--force"), s("--socket=") + path("munge/socket"),
                                    s("--key-file=") + path("munge/key"), s("--pid-file=") + path("munge/pid"),
                                    s("--log-file=") + path("munge/log"), s("--seed-file=") + path("munge/seed")});
        !why.isEmpty())
        return why;
    if (!QTest::qWaitFor([this] { return QFile::exists(path("munge/socket")); }, kStartMs))
        return s("munged does not start: ") + lastWords(m_munged);
    const QString host = QSysInfo::machineHostName().section(QLatin1Char('.'), 0, 0);
    writeText(path("slurm.conf"),
              s("ClusterName=ridge\nSlurmctldHost=%1(127.0.0.1)\nSlurmctldPort=%2\nSlurmdPort=%3\nAuthType=auth/munge\n"
                "AuthInfo=socket=%4/munge/socket\nSlurmUser=root\nSlurmdUser=root\nStateSaveLocation=%4/state\n"
                "SlurmdSpoolDir=%4/spool\nSlurmctldPidFile=%4/slurmctld.pid\nSlurmdPidFile=%4/slurmd.pid\n"
                "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nJobAcctGatherType=jobacct_gather/none\n"
                "SelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\nReturnToService=2\nMpiDefault=none\n"
                "SwitchType=switch/none\nKillWait=2\nNodeName=%1 NodeAddr=127.0.0.1 CPUs=%5 State=UNKNOWN\n"
                "PartitionName=main Nodes=%1 Default=YES MaxTime=INFINITE State=UP\n")
                  .arg(host)
                  .arg(freePort())
                  .arg(freePort())
                  .arg(m_folder.path())
                  .arg(::sysconf(_SC_NPROCESSORS_ONLN))
                  .toUtf8());
    qputenv("SLURM_CONF", path("slurm.conf").toUtf8());
    for (const auto& [process, name] :
         {std::pair<QProcess*, const char*>{&m_controller, "slurmctld"}, {&m_node, "slurmd"}})
        if (const QString why = launch(*process, daemonProgram(name), {s("-D")}); !why.isEmpty())
            return why;
    const auto idle = [] {
        QProcess sinfo;
        sinfo.start(s("sinfo"), {s("-h"), s("-o"), s("%T")});
        return sinfo.waitForFinished(60000) && sinfo.readAllStandardOutput().trimmed() == "idle";
    };
    if (QTest::qWaitFor(idle, 2 * kStartMs))
        return {};
    return s("Slurm does not start: ") + lastWords(m_controller) + lastWords(m_node);
}

} // namespace ridge::test
