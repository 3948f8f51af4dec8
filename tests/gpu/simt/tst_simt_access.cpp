// SPDX-License-Identifier: GPL-3.0-or-later
// The rules of memory traffic against closed forms, and the simulator's fast counting against the rules.
#include "gpu/access.h"
#include "gpu/simt/run/traffic.h"

#include <QtTest>
#include <numeric>
#include <random>

using namespace ridge;
using namespace ridge::gpu;

namespace {

MemoryRequest spaced(std::uint8_t bytes, std::int64_t stride, std::uint32_t mask = ~0u, std::uint64_t base = 1 << 20)
{
    MemoryRequest request;
    request.accessBytes = bytes;
    request.activeMask = mask;
    for (std::size_t lane = 0; lane < kWarpSize; ++lane)
        request.addresses[lane] = base + static_cast<std::uint64_t>(static_cast<std::int64_t>(lane) * stride);
    return request;
}

void compareWithFastCounting(const MemoryRequest& request)
{
    simt::LaneAddresses lanes;
    lanes.mask = request.activeMask;
    lanes.bytes = request.accessBytes;
    lanes.address = request.addresses;
    simt::analyse(lanes);
    QCOMPARE(std::size_t(simt::countGranules(lanes, 5)), touchedGranules(request, 32).size());
    QCOMPARE(std::size_t(simt::countGranules(lanes, 7)), touchedGranules(request, 128).size());
    const BankService service = serveBanks(request);
    const simt::BankCount banks = simt::countBanks(lanes);
    QCOMPARE(banks.wavefronts, service.wavefronts);
    QCOMPARE(banks.minimum, service.minimumWavefronts);
}

} // namespace

class TestSimtAccess : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sectorsOfStrides()
    {
        for (int stride = 1; stride <= 128; ++stride)
            QCOMPARE(touchedGranules(spaced(4, stride * 4), 32).size(),
                     static_cast<std::size_t>(std::min(32, 4 * stride)));
        QCOMPARE(touchedGranules(spaced(4, 0), 32).size(), 1u);
        QCOMPARE(touchedGranules(spaced(16, 16), 128).size(), 4u);
        QCOMPARE(touchedGranules(spaced(4, 4, ~0u, 64 + 4), 32).size(), 5u); // misaligned by one element
        QCOMPARE(touchedGranules(spaced(4, 4, 0), 32).size(), 0u);
        const auto granules = touchedGranules(spaced(4, -4, ~0u, 4096 + 124), 32);
        QCOMPARE(granules, (std::vector<std::uint64_t>{128, 129, 130, 131}));
    }

    void conflictsOfStrides()
    {
        for (int stride = 1; stride <= 64; ++stride) {
            QCOMPARE(serveBanks(spaced(4, stride * 4)).wavefronts, static_cast<unsigned>(std::gcd(stride, 32)));
            QCOMPARE(serveBanks(spaced(8, stride * 8)).wavefronts, 2u * static_cast<unsigned>(std::gcd(stride, 16)));
            QCOMPARE(serveBanks(spaced(16, stride * 16)).wavefronts, 4u * static_cast<unsigned>(std::gcd(stride, 8)));
        }
        QCOMPARE(serveBanks(spaced(4, 0)).wavefronts, 1u); // broadcast
        QCOMPARE(serveBanks(spaced(1, 1)).wavefronts, 1u); // four lanes a word
        QCOMPARE(serveBanks(spaced(2, 256)).wavefronts, 32u);
    }

    void phasesWithoutLanesCostNothing()
    {
        QCOMPARE(serveBanks(spaced(8, 8, 0x0000ffffu)).wavefronts, 1u);
        QCOMPARE(serveBanks(spaced(8, 8, 0x0000ffffu)).minimumWavefronts, 1u);
        QCOMPARE(serveBanks(spaced(16, 16, 0x00ff0001u)).wavefronts, 2u);
        QCOMPARE(serveBanks(spaced(16, 16, 0)).wavefronts, 0u);
        QCOMPARE(serveBanks(spaced(4, 128, 0x80000001u)).wavefronts, 2u);
    }

    void lanesKnowTheirWavefront()
    {
        const BankService service = serveBanks(spaced(4, 8)); // two-way: lanes 0-15 first, 16-31 in the second pass
        for (std::size_t lane = 0; lane < kWarpSize; ++lane)
            QCOMPARE(int(service.wavefrontOfLane[lane]), lane < 16 ? 0 : 1);
    }

    void fastCountingAgreesOnStrides()
    {
        for (const std::uint8_t bytes : {1, 2, 4, 8, 16}) {
            for (int stride = -140; stride <= 140; ++stride) {
                for (const std::uint64_t base : {1u << 20, (1u << 20) + 16u, (1u << 20) + 112u})
                    compareWithFastCounting(spaced(bytes, stride * bytes, ~0u, base));
                compareWithFastCounting(spaced(bytes, stride * bytes, 0x0ff0ffffu));
            }
        }
    }

    void fastCountingAgreesOnRows()
    {
        std::mt19937_64 random(14);
        for (int round = 0; round < 6000; ++round) {
            MemoryRequest request = spaced(static_cast<std::uint8_t>(1u << (random() % 5)), 0);
            const std::size_t width = round % 2 == 0 ? 16 : 8;
            const auto step = static_cast<std::int64_t>(random() % 9) - 4;
            const auto down = static_cast<std::int64_t>(random() % 140) - 70;
            for (std::size_t lane = 0; lane < kWarpSize; ++lane) {
                const auto x = static_cast<std::int64_t>(lane % width);
                const auto y = static_cast<std::int64_t>(lane / width);
                request.addresses[lane] =
                    (1u << 20) + static_cast<std::uint64_t>((x * step + y * down) * request.accessBytes);
            }
            compareWithFastCounting(request);
        }
    }

    void fastCountingAgreesOnAnything()
    {
        std::mt19937_64 random(11);
        for (int round = 0; round < 4000; ++round) {
            MemoryRequest request = spaced(static_cast<std::uint8_t>(1u << (random() % 5)), 0);
            request.activeMask = static_cast<std::uint32_t>(random() | (round % 3 == 0 ? ~0u : 0u));
            const std::uint64_t span = std::uint64_t{64} << (random() % 30);
            for (auto& address : request.addresses)
                address = (std::uint64_t{1} << 40) + random() % span / request.accessBytes * request.accessBytes;
            if (round % 4 == 0) { // two rows, as in a 16 x 16 block
                for (std::size_t lane = 0; lane < kWarpSize; ++lane)
                    request.addresses[lane] = (1u << 20) + lane % 16 * request.accessBytes + lane / 16 * 1024;
            }
            compareWithFastCounting(request);
        }
    }
};

QTEST_APPLESS_MAIN(TestSimtAccess)
#include "tst_simt_access.moc"
