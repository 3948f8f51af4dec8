// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks per SM: the chip files against the catalogue, whose rules agree with NVIDIA's cuda_occupancy.h.
#include "gpu/simt/timing/chip_file.h"
#include "gpu/simt/timing/residency.h"
#include "silicon/chip_catalogue.h"
#include "silicon/occupancy.h"

#include <QtTest>

using namespace ridge;
using namespace ridge::gpu::simt;

class TestTimingResidency : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void agreesWithTheCatalogue()
    {
        const std::filesystem::path chips = RIDGE_SIMT_CHIPS;
        const auto catalogue = silicon::loadCatalogue(chips.parent_path() / "gpus.json");
        QVERIFY(catalogue.ok());
        int compared = 0;
        for (const auto& entry : std::filesystem::directory_iterator(chips)) {
            const std::string id = entry.path().stem().string();
            const auto timing = readChipTiming(chips, id);
            const auto chip = catalogue->find(id);
            QVERIFY2(timing.ok() && chip.ok(), id.c_str());
            QCOMPARE(static_cast<std::uint32_t>(timing->sms), *chip->units.value);
            const auto limits = catalogue->limits(chip->computeMajor, chip->computeMinor);
            QVERIFY(limits.ok());
            for (const std::uint32_t threads : {32u, 96u, 128u, 256u, 352u, 512u, 1024u}) {
                for (const std::uint32_t registers : {16u, 32u, 40u, 63u, 64u, 96u, 128u, 255u}) {
                    for (const std::uint32_t shared : {0u, 1u, 1024u, 4096u, 12345u, 32768u, 49152u}) {
                        const auto expected = silicon::occupancy(*limits, threads, registers, shared);
                        if (!expected.ok())
                            continue;
                        const gpu::OccupancyTiming ours = residency(*timing, {threads, registers, shared});
                        QVERIFY2(ours.blocksPerSm == expected->blocksPerSm,
                                 qPrintable(QStringLiteral("%1: %2 threads, %3 registers, %4 bytes: %5 against %6")
                                                .arg(QString::fromStdString(id))
                                                .arg(threads)
                                                .arg(registers)
                                                .arg(shared)
                                                .arg(ours.blocksPerSm)
                                                .arg(expected->blocksPerSm)));
                        QVERIFY(ours.sharedCarveoutBytes >= ours.blocksPerSm * ours.sharedBytesPerBlock);
                        ++compared;
                    }
                }
            }
        }
        QVERIFY(compared > 3000);
    }
};

QTEST_APPLESS_MAIN(TestTimingResidency)
#include "tst_timing_residency.moc"
