// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/seed.h"
#include "base/trace.h"

#include <QtTest>

using namespace ridge;

namespace {

MemoryTrace sample()
{
    MemoryTrace trace;
    trace.kernel = "strided_read_4";
    trace.buffers = {{"in", 0x7f0000000000ull, 4096}, {"out", 0x7f0000002000ull, 1024}};
    for (std::uint32_t r = 0; r < 5; ++r) {
        MemoryRequest request;
        request.op = r % 2 ? MemoryOp::Store : MemoryOp::Load;
        request.activeMask = r == 3 ? 0x80000001u : 0xffffffffu;
        request.warp = r;
        for (std::size_t lane = 0; lane < 32; ++lane)
            if (request.activeMask >> lane & 1u)
                request.addresses[lane] = 0x7f0000000000ull + lane * 4 * (r + 1);
        trace.requests.push_back(request);
    }
    return trace;
}

} // namespace

class TestTrace : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void roundTrip()
    {
        const auto back = decodeTrace(encodeTrace(sample()));
        QVERIFY2(back.ok(), back.ok() ? "" : toText(back.error()).c_str());
        QVERIFY(*back == sample());
        QVERIFY(*decodeTrace(encodeTrace({})) == MemoryTrace{});
    }

    void everyTruncationIsRefused()
    {
        const std::string bytes = encodeTrace(sample());
        for (std::size_t size = 0; size < bytes.size(); ++size) {
            const auto read = decodeTrace(std::string_view(bytes).substr(0, size));
            QVERIFY(!read);
            QCOMPARE(read.error().code, std::string("bad-trace"));
        }
    }

    void everyFlippedBitIsRefused()
    {
        const std::string bytes = encodeTrace(sample());
        Rng rng(3);
        for (int i = 0; i < 4000; ++i) {
            std::string damaged = bytes;
            damaged[rng.next() % damaged.size()] ^= static_cast<char>(1u << (rng.next() % 8));
            QVERIFY(!decodeTrace(damaged));
        }
    }

    void newerVersionIsNamed()
    {
        std::string bytes = encodeTrace(sample());
        bytes[4] = 9;
        const auto read = decodeTrace(bytes);
        QVERIFY(!read);
        QCOMPARE(read.error().code, std::string("newer-trace"));
        QVERIFY(read.error().message.find('9') != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(TestTrace)
#include "tst_trace.moc"
