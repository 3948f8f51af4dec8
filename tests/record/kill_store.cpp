// SPDX-License-Identifier: GPL-3.0-or-later
// kill-store ROUNDS [SEED]: kills programs that work on a store with signal 9, and says whether anything was lost.
#include "kill_rounds.h"

#include <QCoreApplication>
#include <cstdio>

int main(int argc, char** argv)
{
    QCoreApplication app(argc, argv);
    const int rounds = app.arguments().value(1, QStringLiteral("1000")).toInt();
    const unsigned seed = app.arguments().value(2, QStringLiteral("1")).toUInt();
    const auto report = ridge::test::killStores(
        rounds, seed, QCoreApplication::applicationDirPath() + QStringLiteral("/record-child"), [&](int done) {
            if (done % 50 == 0) {
                std::printf("%d of %d\n", done, rounds);
                std::fflush(stdout);
            }
        });
    for (const auto& [kind, kills] : report.kills)
        std::printf("%-8s %d kills\n", kind.c_str(), kills);
    std::printf("%d of them before anything was reported; %d rows, merges, exports, backups … were reported\n",
                report.early, report.reported);
    std::printf("%s\n", report.fault.empty() ? "nothing was lost, every store was sound" : report.fault.c_str());
    return report.fault.empty() ? 0 : 1;
}
