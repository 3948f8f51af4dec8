// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <functional>
#include <map>
#include <string>

namespace ridge::test {

/// What a series of kills has come to.
struct KillReport {
    std::map<std::string, int> kills; ///< by what was killed: "run", "ship", "merge", "migrate", "export" …
    int early = 0;                    ///< of them before anything was reported as durable
    int reported = 0;                 ///< rows, merges, exports, backups … that the killed programs had reported
    std::string fault;                ///< what was lost or broken, with round and kind; empty: nothing
};

/// Starts `child` (record-child) `rounds` times, its seven kinds of work in turn, and kills each with signal 9 at a
/// moment that `seed` decides, spread over what the work takes. After each kill the store is opened, its integrity,
/// references, digests, chain and files are checked, and everything that was reported has to be there. Stops at the
/// first fault.
KillReport killStores(int rounds, unsigned seed, const QString& child, const std::function<void(int)>& done = {});

} // namespace ridge::test
