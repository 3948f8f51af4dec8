// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json_value.h"
#include "base/result.h"

#include <QStringList>
#include <filesystem>
#include <functional>
#include <vector>

namespace ridge::record {

/// What a launcher makes of the words after it: it hands them on one by one, as srun does, or joins them into a line
/// for a shell at the other end, as ssh does. Found out by a round trip (RemoteSetup).
enum class LauncherWords { Unknown, OneByOne, Joined };

/// A machine that is reached by putting a launcher in front of ridge-worker.
struct RemoteTarget {
    std::string name;     ///< [a-z][a-z0-9-]*
    std::string launcher; ///< as typed: ssh gpu01
    std::string worker;   ///< path of a ridge-worker over there; empty: ours is copied
    std::string spool;    ///< of Slurm: a folder that login and compute nodes share; empty: the cache folder
    LauncherWords words = LauncherWords::Unknown;
    JsonValue seen; ///< {when, targets}: what it offered when it was asked last; null: never
    bool operator==(const RemoteTarget&) const = default;
};

/// How long is waited for a remote target, in seconds. Tests make them short.
struct RemoteTimes {
    double connect = 30; ///< from the start of the launcher to the first word from the other end; Slurm queues longer
    double linkSilence = 15; ///< without a byte on a link that should carry a sign of life every two: it is dead
    double firstRetry = 0.5; ///< doubled with every try, at most 15
    double reconnect = 300;  ///< after that much time without a link the run is given up
    double orphan = 600;     ///< a run ends by itself when no reader gave a sign of life for so long
    double queueLook = 3;    ///< between two questions to Slurm
};

/// Errors: "bad-target-name".
Result<void> checkTargetName(const std::string& name);

/// The remote targets of a RIDGE_HOME, in the order in which they were added; none where there is no file
/// (targets.json). Errors: "bad-settings" with the file and the place in it.
Result<std::vector<RemoteTarget>> readRemoteTargets(const std::filesystem::path& home);

/// Reads, changes and writes them while no other program does. Errors: those of reading and of `change`,
/// "cannot-write".
Result<void> changeRemoteTargets(const std::filesystem::path& home,
                                 const std::function<Result<void>(std::vector<RemoteTarget>&)>& change);

/// What it offered when it was asked last: rows of `ridge-worker targets` with ids like "lab:gpu:0"; none before.
std::vector<Json> offeredBy(const RemoteTarget& target);

/// Errors: "unknown-target", which names the ones that there are.
Result<RemoteTarget> findRemoteTarget(const std::vector<RemoteTarget>& targets, const std::string& name);

} // namespace ridge::record
