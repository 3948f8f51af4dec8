// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/worker/remote_target.h"

namespace ridge::record {

/// What is known of a launcher by its name: ssh keeps nothing running when its link drops, so runs behind it are
/// followed (FollowSource); srun stands for Slurm, where a sweep is an array job; everything else is a pipe.
enum class LauncherKind { Ssh, Slurm, Pipe };
LauncherKind kindOf(const QStringList& launcher);

/// Index of the word srun in a launcher of kind Slurm ("srun -p gpu", "env A=B srun").
qsizetype srunIndex(const QStringList& launcher);

/// The launcher's words as they are started. ssh is told never to ask for anything and to notice a dead link; srun, to
/// start one task.
QStringList startedWords(const QStringList& launcher);

/// Program and arguments that run `words` at the other end.
QStringList remoteCommand(const QStringList& launcher, LauncherWords kind, const QStringList& words);

/// One shell script at the other end: it says `mark` on a line of its own, then whatever `script` does with "$@".
QStringList remoteScript(const RemoteTarget& target, const QString& mark, const QString& script,
                         const QStringList& arguments);

/// Sets $w to the worker's path over there, from its digest or as the target names it.
QString findWorkerScript(const RemoteTarget& target, const QString& digest);

/// The folder of a copied worker, as a shell at the other end writes it.
QString workerFolderScript(const QString& digest);

/// A line that no banner contains.
QString newMark();

/// Finds the mark in what comes back. Everything before it is a banner and is thrown away.
class MarkReader {
public:
    explicit MarkReader(const QString& mark = {}) : m_mark(mark.toStdString()) {}
    bool found() const { return m_found; }
    /// Gives what stands behind the mark. Errors: "bad-protocol" where a mebibyte came and no mark.
    Result<std::string> feed(std::string_view bytes);

private:
    std::string m_mark, m_buffer;
    bool m_found = false;
};

/// Why a launcher did not reach the other end, from what it left behind.
struct LauncherEnd {
    int exitCode = 0;
    bool crashed = false;  ///< exitCode is the signal
    bool timedOut = false; ///< it said nothing for `seconds`
    double seconds = 0;
    std::string errorText; ///< the end of its standard error
};
/// Errors: "target-unreachable" in words that name the cause where the text tells it.
Error launcherFailure(const RemoteTarget& target, const LauncherEnd& end);

} // namespace ridge::record
