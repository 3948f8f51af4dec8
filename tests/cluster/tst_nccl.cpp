// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/collective_nccl.h"

#include <QtTest>

using namespace ridge;
using namespace ridge::cluster;

namespace {

/// Round numbers, so that times can be worked out by hand.
NcclSpec roundSpec()
{
    NcclSpec s;
    s.base = 5e-6;
    s.hop = 1e-6;
    s.rate = 100e9;
    s.copyRate = 1e12;
    s.llShare = 0.5;
    s.ll128Share = 0.9;
    s.ll128Base = 10e-6;
    s.simpleBase = 20e-6;
    s.directRate = s.directSmallRate = 100e9;
    s.directCopyRate = 1e12;
    s.nvlsBase = 50e-6;
    s.nvlsRate = 100e9;
    s.netRate = 10e9;
    s.netShare = 1;
    s.netRingHop = 3e-6;
    s.netTreeHop = 5e-6;
    return s;
}

NcclChoice only(const NcclSpec& spec, const NcclCall& call, Algorithm algorithm, Protocol protocol)
{
    const auto choices = ncclChoices(spec, call);
    for (const NcclChoice& each : *choices)
        if (each.algorithm == algorithm && each.protocol == protocol)
            return each;
    return {Algorithm::Direct, Protocol::Ll, -1, 0};
}

} // namespace

class TestNccl : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void byHand()
    {
        NcclCall call;
        call.bytes = 8e9;
        // base + 14 steps, 14/8 of the data at half of the rate, an eighth copied
        QVERIFY(qFuzzyCompare(only(roundSpec(), call, Algorithm::Ring, Protocol::Ll).seconds,
                              5e-6 + 14e-6 + 14e9 / 50e9 + 1e9 / 1e12));
        QVERIFY(qFuzzyCompare(only(roundSpec(), call, Algorithm::Ring, Protocol::Simple).seconds,
                              25e-6 + 14e-6 + 14e9 / 100e9 + 1e9 / 1e12));
        QVERIFY(qFuzzyCompare(only(roundSpec(), call, Algorithm::InNetwork, Protocol::Simple).seconds,
                              50e-6 + 9.0 / 8 * 8e9 / 100e9));
        // two nodes: 26 steps inside and 4 between; 80 GB/s of eight cards
        call.ranks = 16;
        call.nodes = 2;
        QVERIFY(qFuzzyCompare(only(roundSpec(), call, Algorithm::Ring, Protocol::Simple).seconds,
                              25e-6 + 26e-6 + 12e-6 + 15e9 / 80e9 + 0.5e9 / 1e12));
    }

    void theTunerTakesTheQuickest()
    {
        for (double bytes = 1; bytes < 1e12; bytes *= 3) {
            NcclCall call;
            call.bytes = bytes;
            const auto choices = ncclChoices(roundSpec(), call);
            for (std::size_t i = 1; i < choices->size(); ++i)
                QVERIFY((*choices)[i - 1].seconds <= (*choices)[i].seconds);
        }
        NcclCall small, large;
        small.bytes = 1024;
        large.bytes = 1e9;
        QCOMPARE(ncclChoices(roundSpec(), small)->front().protocol, Protocol::Ll);
        QCOMPARE(ncclChoices(roundSpec(), large)->front().algorithm, Algorithm::InNetwork);
        large.switchAdds = false;
        QCOMPARE(ncclChoices(roundSpec(), large)->front().algorithm, Algorithm::Ring);
        QCOMPARE(ncclChoices(roundSpec(), large)->front().protocol, Protocol::Simple);
        large.switchAdds = true;
        large.ranks = 4; // NCCL leaves the switch alone for four
        QCOMPARE(ncclChoices(roundSpec(), large)->front().algorithm, Algorithm::Ring);
    }

    void timesGrowWithBytes()
    {
        for (std::size_t o = 0; o < operationNames().size(); ++o) {
            double before = 0;
            for (double bytes = 0; bytes < 1e12; bytes = bytes * 2 + 1) {
                NcclCall call;
                call.operation = static_cast<Operation>(o);
                call.bytes = bytes;
                const double seconds = ncclChoices(roundSpec(), call)->front().seconds;
                QVERIFY(seconds >= before);
                before = seconds;
            }
        }
    }

    void badCalls()
    {
        const auto code = [](std::uint32_t ranks, std::uint32_t nodes, double bytes, double net = 1) {
            NcclCall call;
            call.ranks = ranks;
            call.nodes = nodes;
            call.bytes = bytes;
            NcclSpec spec = roundSpec();
            spec.netRate *= net;
            const auto choices = ncclChoices(spec, call);
            return choices ? std::string() : choices.error().code;
        };
        QCOMPARE(code(0, 1, 1), std::string("bad-collective"));
        QCOMPARE(code(8, 0, 1), std::string("bad-collective"));
        QCOMPARE(code(9, 2, 1), std::string("bad-collective"));
        QCOMPARE(code(8, 2, 1, 0), std::string("bad-collective"));
        QCOMPARE(code(8, 1, std::nan("")), std::string("bad-collective"));
        QCOMPARE(code(8, 1, -1), std::string("bad-collective"));
        QCOMPARE(code(1, 1, 1), std::string());
    }
};

QTEST_APPLESS_MAIN(TestNccl)
#include "tst_nccl.moc"
