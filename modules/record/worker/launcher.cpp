// SPDX-License-Identifier: GPL-3.0-or-later
#include "record/worker/launcher.h"

#include "base/hash.h"
#include "record/worker/process_pipe.h"
#include "record/worker/shell_words.h"

#include <algorithm>
#include <array>

namespace ridge::record {
namespace {

constexpr std::size_t kMostBanner = 1 << 20;

QString s(const char* text)
{
    return QString::fromLatin1(text);
}

QString programName(const QString& word)
{
    return word.section(QLatin1Char('/'), -1);
}

struct Cause {
    const char* says; ///< in what the launcher wrote
    const char* message;
    const char* fix;
};

/// In the words of OpenSSH and Slurm.
constexpr std::array kCauses = {
    Cause{"Host key verification failed", "the key of the host is not known here, or it has changed",
          "connect once by hand and compare the key with the one the administrator names"},
    Cause{"Permission denied", "it lets nobody in without a password, or not this user",
          "set up a key (ssh-keygen, ssh-copy-id) or an agent, until the launcher logs in without asking"},
    Cause{"Could not resolve hostname", "there is no machine of that name", "check the name in the launcher"},
    Cause{"Connection refused", "the machine answers, but nothing listens for connections there",
          "check port and name in the launcher"},
    Cause{"Connection timed out", "the machine does not answer", "check that it is on and that the network reaches it"},
    Cause{"No route to host", "no network path leads to the machine", "check the network, or a VPN"},
    Cause{"Network is unreachable", "there is no network here", "connect this machine to a network"},
    Cause{"Too many authentication failures", "it refused all keys that were offered",
          "name the right one in the launcher: ssh -i KEY -o IdentitiesOnly=yes HOST"},
    Cause{"invalid partition", "Slurm knows no such partition", "choose one that sinfo lists"},
    Cause{"Invalid generic resource", "Slurm has no such resource on those nodes",
          "choose a --gres that sinfo -o %G lists"},
    Cause{"Unable to contact slurm controller", "Slurm does not answer", "check that slurmctld runs (scontrol ping)"},
    Cause{"Requested node configuration is not available", "no node of the partition can be what the launcher asks for",
          "ask for less, or choose another partition"},
    Cause{"command not found", "a program the launcher needs is not there", "check the launcher by hand"},
};

} // namespace

LauncherKind kindOf(const QStringList& launcher)
{
    if (launcher.isEmpty())
        return LauncherKind::Pipe;
    if (programName(launcher.front()) == s("ssh")) {
        // "ssh login srun …": the run lives in Slurm's step, which ends with its connection.
        const bool more = std::any_of(launcher.begin(), launcher.end(),
                                      [](const QString& word) { return programName(word) == s("srun"); });
        return more ? LauncherKind::Pipe : LauncherKind::Ssh;
    }
    return srunIndex(launcher) >= 0 ? LauncherKind::Slurm : LauncherKind::Pipe;
}

qsizetype srunIndex(const QStringList& launcher)
{
    qsizetype at = 0;
    if (!launcher.isEmpty() && programName(launcher.front()) == s("env"))
        do
            ++at;
        while (at < launcher.size() && launcher[at].contains(QLatin1Char('=')));
    return at < launcher.size() && programName(launcher[at]) == s("srun") ? at : -1;
}

QStringList startedWords(const QStringList& launcher)
{
    QStringList words = launcher;
    const auto addOption = [&words](const char* name, const char* value) {
        const bool given = std::any_of(words.begin(), words.end(), [name](const QString& word) {
            return word.contains(s(name), Qt::CaseInsensitive);
        });
        if (given)
            return;
        words.insert(1, s("-o"));
        words.insert(2, s(name) + QLatin1Char('=') + s(value));
    };
    if (!words.isEmpty() && programName(words.front()) == s("ssh")) {
        addOption("ServerAliveCountMax", "3");
        addOption("ServerAliveInterval", "5");
        addOption("ConnectTimeout", "15");
        addOption("BatchMode", "yes");
    } else if (const qsizetype srun = srunIndex(words); srun >= 0) {
        words.insert(srun + 1, s("--ntasks=1"));
    }
    return words;
}

QStringList remoteCommand(const QStringList& launcher, LauncherWords kind, const QStringList& words)
{
    QStringList command = startedWords(launcher);
    if (kind == LauncherWords::Joined)
        command << shellQuoted(words);
    else
        command << words;
    return command;
}

QStringList remoteScript(const RemoteTarget& target, const QString& mark, const QString& script,
                         const QStringList& arguments)
{
    const auto launcher = splitShellWords(QString::fromStdString(target.launcher));
    // Nothing that csh or fish read differently between single quotes: no line ends, no exclamation marks.
    QStringList words{s("sh"), s("-c"), s("printf '\\n%s\\n' \"$1\"; shift; ") + script, s("ridge"), mark};
    return remoteCommand(launcher ? *launcher : QStringList(), target.words, words + arguments);
}

QString workerFolderScript(const QString& digest)
{
    return s("\"${RIDGE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ridgepoint}/worker-") + digest.left(16) + s("\"");
}

QString findWorkerScript(const RemoteTarget& target, const QString& digest)
{
    // A copy finds its data beside itself, whatever the login scripts over there say.
    return target.worker.empty() ? s("unset RIDGE_DATA; w=") + workerFolderScript(digest) + s("/bin/ridge-worker; ")
                                 : s("w=") + shellQuoted(QString::fromStdString(target.worker)) + s("; ");
}

QString newMark()
{
    return s("ridgepoint-") + QString::fromStdString(newUuid7());
}

Result<std::string> MarkReader::feed(std::string_view bytes)
{
    if (m_found)
        return std::string(bytes);
    m_buffer += bytes;
    const std::string line = "\n" + m_mark + "\n";
    const std::size_t at = m_buffer.find(line);
    if (at != std::string::npos) {
        m_found = true;
        return std::exchange(m_buffer, {}).substr(at + line.size());
    }
    if (m_buffer.size() > kMostBanner)
        return Error{"bad-protocol",
                     "the other end says a lot and never what was asked",
                     {},
                     "make its login scripts print less: only what a terminal needs belongs there"};
    return std::string();
}

Error launcherFailure(const RemoteTarget& target, const LauncherEnd& end)
{
    const std::string place = "target " + target.name + ": " + target.launcher;
    const std::string tail = end.errorText.empty() ? "" : ". It says: " + end.errorText;
    const std::string head = target.name + " is not reachable: ";
    for (const Cause& cause : kCauses)
        if (end.errorText.find(cause.says) != std::string::npos)
            return {"target-unreachable", head + cause.message + tail, place, cause.fix};
    if (end.timedOut)
        return {"target-unreachable",
                head + "the launcher said nothing for " + QString::number(end.seconds, 'g', 3).toStdString() +
                    " s and was stopped" + tail,
                place,
                "run the launcher by hand with a command behind it, for example `true`, and see what it waits for"};
    if (end.crashed)
        return {"target-unreachable", head + "the launcher was ended by " + signalName(end.exitCode) + tail, place,
                "run the launcher by hand with a command behind it"};
    return {"target-unreachable",
            head + "the launcher ended with exit status " + std::to_string(end.exitCode) +
                " before the other end answered" + tail,
            place, "run the launcher by hand with a command behind it, for example `true`"};
}

} // namespace ridge::record
