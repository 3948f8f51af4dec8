// SPDX-License-Identifier: GPL-3.0-or-later
// What a block does, instruction by instruction: the recorder and the reader.
#include "step_walk.h"

#include <random>

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

/// The state after the first `position` steps, by doing them one after the other.
struct Replay {
    std::map<std::array<std::uint32_t, 3>, std::uint64_t> registers; ///< warp, register, lane
    std::map<std::uint64_t, std::uint8_t> shared;
};
Replay replay(const StepTrace& trace, std::size_t position)
{
    Replay state;
    for (std::size_t at = 0; at < position; ++at) {
        const TracedStep& step = trace.steps[at];
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
            if ((step.executed >> lane & 1) == 0)
                continue;
            for (std::uint32_t write = step.firstWrite; write < trace.endWrite(at); ++write)
                state.registers[{step.warp, trace.writes[write].reg, lane}] =
                    trace.word(trace.writes[write].values, step.executed, lane);
            if (step.access == TracedStep::kNoStep)
                continue;
            const StepAccess& access = trace.accesses[step.access];
            for (std::size_t part = 0; part < access.after.size(); ++part)
                for (std::uint64_t byte = 0; byte < std::min<std::uint64_t>(4, access.bytes - part * 4); ++byte)
                    state.shared[trace.word(access.addresses, step.executed, lane) + part * 4 + byte] =
                        static_cast<std::uint8_t>(trace.word(access.after[part], step.executed, lane) >> (8 * byte));
        }
    }
    return state;
}

void compare(const StepReader& reader, const Replay& state)
{
    const StepTrace& trace = reader.trace();
    for (std::uint32_t warp = 0; warp < trace.warps(); ++warp)
        for (std::uint32_t reg = 0; reg < trace.registers.size(); ++reg)
            for (std::uint32_t lane = 0; lane < 32; ++lane) {
                const auto wanted = state.registers.find({warp, reg, lane});
                const auto found = reader.value(static_cast<std::uint16_t>(warp), reg, lane);
                QCOMPARE(found.has_value(), wanted != state.registers.end());
                if (found)
                    QCOMPARE(*found, wanted->second);
            }
    for (std::uint32_t offset = 0; offset < trace.sharedBytes; offset += 4) {
        std::uint32_t word = 0;
        bool known = false;
        for (std::uint32_t byte = 0; byte < 4; ++byte)
            if (const auto at = state.shared.find(offset + byte); at != state.shared.end()) {
                word |= std::uint32_t{at->second} << (8 * byte);
                known = true;
            }
        QCOMPARE(reader.sharedWord(offset), known ? std::optional<std::uint32_t>(word) : std::nullopt);
    }
}

} // namespace

class TestSimtSteps : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void writesDownEveryInstruction();
    void registersAndMasks();
    void sharedMemoryAndItsBanks();
    void anyPositionForwardsAndBackwards();
    void longListsAreSearchedNotWalked();
    void waysOfADebugger();
    void anotherBlockAndALimit();
    void aFaultIsTheLastStep();
    void calledFunctions();
    void barriersOfAWarpAreSteps();
    void barriersThatAnswerAreTwoSteps();
    void whyAWarpWaits();
    void recordingChangesNothing();
    void roundTripAndDamage();
};

void TestSimtSteps::writesDownEveryInstruction()
{
    Walk walk(everything());
    QVERIFY2(!walk.problem, walk.problem ? toText(*walk.problem).c_str() : "");
    QVERIFY(!walk.trace.isCut);
    QCOMPARE(walk.trace.steps.size(), static_cast<std::size_t>(walk.executed));
    const auto results = walk.lab.get<std::uint32_t>(walk.out, 64);
    for (std::uint32_t thread = 0; thread < 64; ++thread)
        QCOMPARE(results[thread], resultOf(thread, 64));
    QCOMPARE(walk.trace.buffers.size(), std::size_t{1});
    QCOMPARE(walk.trace.buffers[0].name, std::string("out"));
    for (const StepInstruction& each : walk.trace.code)
        QVERIFY(each.ptxLine > 0 && !each.text.empty() && each.text.find('\t') == std::string::npos);
}

void TestSimtSteps::registersAndMasks()
{
    Walk walk(everything());
    StepReader reader(walk.trace);
    reader.seek(reader.size());
    const std::uint32_t r13 = registerOf(walk.trace, "%r13"), p2 = registerOf(walk.trace, "%p2");
    for (std::uint32_t thread = 0; thread < 64; ++thread) {
        const auto warp = static_cast<std::uint16_t>(thread / 32);
        QCOMPARE(reader.value(warp, r13, thread % 32), std::optional<std::uint64_t>(resultOf(thread, 64)));
        QCOMPARE(reader.value(warp, p2, thread % 32), std::optional<std::uint64_t>(thread < 8 ? 1 : 0));
    }
    // The guarded add is a step of all lanes that even ones execute; lanes 0 to 7 part at the branch.
    bool guarded = false, low = false, high = false;
    for (const TracedStep& step : walk.trace.steps) {
        const std::string& text = walk.trace.code[step.instruction].text;
        if (text.find("%r6, %r4, 100") != std::string::npos) {
            QCOMPARE(step.active, ~std::uint32_t{0});
            QCOMPARE(step.executed, std::uint32_t{0x55555555});
            guarded = true;
        }
        if (text.find("%r7, 2000") != std::string::npos) {
            QCOMPARE(step.active, std::uint32_t{0xff});
            QCOMPARE(step.warp, std::uint16_t{0});
            low = true;
        }
        high = high || (text.find("%r7, 1000") != std::string::npos && step.warp == 0 && step.active == 0xffffff00);
    }
    QVERIFY(guarded && low && high);
}

void TestSimtSteps::sharedMemoryAndItsBanks()
{
    Walk walk(everything());
    StepReader reader(walk.trace);
    std::size_t stores = 0, atomics = 0, global = 0;
    for (const TracedStep& step : walk.trace.steps) {
        if (step.access == TracedStep::kNoStep)
            continue;
        const StepAccess& access = walk.trace.accesses[step.access];
        const std::string& text = walk.trace.code[step.instruction].text;
        if (access.space == StepAccess::Space::Shared && access.kind == StepAccess::Kind::Store) {
            QCOMPARE(int(access.passes), 4); // 16 bytes apart: lanes 0, 8, 16 and 24 meet in one bank
            QCOMPARE(int(access.least), 1);
            for (std::uint32_t lane = 0; lane < 32; ++lane)
                QCOMPARE(reader.address(step, lane), std::optional<std::uint64_t>((step.warp * 32 + lane) * 16));
            ++stores;
        } else if (access.kind == StepAccess::Kind::Atomic) {
            QCOMPARE(reader.addressText(access, *reader.address(step, 3)), std::string("shared + 1028"));
            ++atomics;
        } else if (access.space == StepAccess::Space::Global) {
            QCOMPARE(int(access.passes), 4);
            QCOMPARE(reader.addressText(access, *reader.address(step, 3)),
                     "out + " + std::to_string((step.warp * 32 + 3) * 4));
            ++global;
        }
        QVERIFY(!text.empty());
    }
    QCOMPARE(stores, std::size_t{2});
    QCOMPARE(atomics, std::size_t{2});
    QCOMPARE(global, std::size_t{2});
    QVERIFY(!reader.sharedWord(0));
    reader.seek(reader.size());
    QCOMPARE(reader.sharedWord(16 * 37), std::optional<std::uint32_t>(37));
    QCOMPARE(reader.sharedWord(1028), std::optional<std::uint32_t>(64));
    QVERIFY(!reader.sharedWord(4));
    QVERIFY(!reader.sharedWord(1u << 20));
}

void TestSimtSteps::anyPositionForwardsAndBackwards()
{
    Walk walk(everything());
    StepReader reader(walk.trace);
    std::mt19937 random(7);
    std::vector<std::size_t> positions{0, 1, reader.size(), reader.size() - 1};
    for (int i = 0; i < 12; ++i)
        positions.push_back(random() % (reader.size() + 1));
    for (const std::size_t position : positions) {
        reader.seek(position);
        compare(reader, replay(walk.trace, position));
    }
    reader.seek(reader.size() + 5);
    QVERIFY(reader.atEnd() && !reader.step() && reader.next() == nullptr);
    std::size_t backwards = 0;
    while (reader.back())
        ++backwards;
    QCOMPARE(backwards, reader.size());
    QVERIFY(reader.last() == nullptr && reader.changed(0) == 0);
    while (reader.step())
        if (reader.last()->firstWrite < walk.trace.endWrite(reader.position() - 1))
            QCOMPARE(reader.changed(walk.trace.writes[reader.last()->firstWrite].reg), reader.last()->executed);
}

void TestSimtSteps::longListsAreSearchedNotWalked()
{
    // Numbers that come again, bits that are rare or never there, lists of every length around a frame's.
    std::mt19937 random(11);
    const std::vector<std::size_t> lengths{0, 1, 31, 32, 33, 64, 1000};
    struct Entry {
        std::uint32_t number, bits;
    };
    std::vector<std::vector<Entry>> lists(lengths.size());
    for (std::size_t list = 0; list < lists.size(); ++list)
        for (std::uint32_t at = 0, number = 3; at < lengths[list]; ++at, number += random() % 3)
            lists[list].push_back({number, (1u << random() % 5) | (random() % 300 == 0 ? 1u << 20 : 0)});
    NewestWith index;
    index.build(lists.size(), 32, [&](const NewestWith::Use& use) {
        for (std::size_t list = 0; list < lists.size(); ++list)
            for (const Entry& each : lists[list])
                use(list, each.number, each.bits);
    });
    for (std::size_t list = 0; list < lists.size(); ++list)
        for (std::uint32_t limit = 0; limit < 2200; limit += 1 + random() % 9) {
            std::array<std::optional<std::uint32_t>, 32> newest;
            for (const Entry& each : lists[list])
                if (each.number < limit)
                    for (std::uint32_t bit = 0; bit < 32; ++bit)
                        if ((each.bits >> bit & 1) != 0)
                            newest[bit] = each.number;
            for (std::uint32_t bit = 0; bit < 32; ++bit)
                QCOMPARE(index.find(list, limit, bit), newest[bit]);
            QCOMPARE(index.any(list, limit), !lists[list].empty() && lists[list].front().number < limit);
        }
}

void TestSimtSteps::waysOfADebugger()
{
    Walk walk(everything());
    StepReader reader(walk.trace);
    QVERIFY(reader.toBarrier());
    QCOMPARE(walk.trace.code[reader.next()->instruction].text, std::string("bar.sync 0"));
    QCOMPARE(reader.next()->warp, std::uint16_t{0});
    QVERIFY(reader.toNextOf(1));
    QCOMPARE(reader.next()->warp, std::uint16_t{1});
    QCOMPARE(reader.nextOf(1), std::optional<std::size_t>(reader.position()));
    QVERIFY(!reader.lastOf(1));
    QVERIFY(!reader.lastAccessOf(1) && reader.lastAccessOf(0));
    QVERIFY(walk.trace.steps[*reader.lastAccessOf(0)].access != TracedStep::kNoStep);
    QVERIFY(reader.toPreviousOf(0));
    QCOMPARE(walk.trace.code[reader.next()->instruction].text, std::string("bar.sync 0"));
    // Hand-written PTX has no source lines: its own are stepped over, to the end of the warp.
    int lines = 0;
    while (reader.overLine(0))
        ++lines;
    QVERIFY(lines > 5);
    QVERIFY(!reader.nextOf(0));
    QCOMPARE(reader.last()->warp, std::uint16_t{0});
}

void TestSimtSteps::anotherBlockAndALimit()
{
    Walk second(everything(), 64, 3, 2);
    // Lanes part in the first block alone.
    Walk first(everything(), 64, 3, 0);
    QCOMPARE(first.trace.steps.size() + 2 * second.trace.steps.size(), static_cast<std::size_t>(second.executed));
    StepReader reader(second.trace);
    reader.seek(reader.size());
    QCOMPARE(reader.value(0, registerOf(second.trace, "%r1"), 5), std::optional<std::uint64_t>(2));
    QCOMPARE(second.trace.block[0], 2u);
    QCOMPARE(second.trace.gridDim[0], 3u);

    Walk cut(everything(), 64, 1, 0, 25);
    QVERIFY(cut.trace.isCut);
    QCOMPARE(cut.trace.steps.size(), std::size_t{25});
    const auto results = cut.lab.get<std::uint32_t>(cut.out, 64);
    QCOMPARE(results[63], resultOf(63, 64)); // the launch went on
    Walk exact(everything(), 64, 1, 0, 1000000);
    QVERIFY(!exact.trace.isCut);
}

void TestSimtSteps::aFaultIsTheLastStep()
{
    Walk walk(handWritten("mul.wide.u32 %rd5, %r0, 65536; add.u64 %rd6, %rd0, %rd5; st.global.u32 [%rd6], %r0;"
                          " mov.u32 %r9, 1;"),
              32);
    QVERIFY(!walk.problem);
    const TracedStep& last = walk.trace.steps.back();
    QCOMPARE(walk.trace.code[last.instruction].text.find("st.global.u32") != std::string::npos, true);
    QVERIFY(last.access != TracedStep::kNoStep);
    const StepReader reader(walk.trace);
    const StepAccess& access = walk.trace.accesses[last.access];
    QCOMPARE(reader.addressText(access, *reader.address(last, 0)), std::string("out + 0"));
    QVERIFY(reader.addressText(access, *reader.address(last, 9)).starts_with("0x"));
}

void TestSimtSteps::calledFunctions()
{
    const std::string outside = R"(
        .func (.reg .u32 %result) twice(.reg .u32 %given)
        {
            add.u32 %result, %given, %given;
            ret;
        }
    )";
    Walk walk(handWritten("call (%r3), twice, (%r0); mul.wide.u32 %rd5, %r0, 4; add.u64 %rd6, %rd0, %rd5;"
                          " st.global.u32 [%rd6], %r3;",
                          outside),
              32);
    QVERIFY2(!walk.problem, walk.problem ? toText(*walk.problem).c_str() : "");
    StepReader reader(walk.trace);
    reader.seek(reader.size());
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
        QCOMPARE(reader.value(0, registerOf(walk.trace, "%r3"), lane), std::optional<std::uint64_t>(2 * lane));
        QCOMPARE(reader.value(0, registerOf(walk.trace, "%given@twice"), lane), std::optional<std::uint64_t>(lane));
    }
    QCOMPARE(walk.lab.get<std::uint32_t>(walk.out, 32)[9], 18u);
}

void TestSimtSteps::barriersOfAWarpAreSteps()
{
    // Lanes that part meet at different instructions, which release each other; then all come to a third.
    Walk walk(handWritten(R"(
        setp.lt.u32 %p2, %r0, 8;
        @%p2 bra LOW;
        bar.warp.sync 0xffffffff;
        bra.uni JOIN;
    LOW:
        bar.warp.sync 0xffffffff;
    JOIN:
        mov.u32 %r4, 1;
        bar.warp.sync 0xffffffff;
        mul.wide.u32 %rd5, %r0, 4;
        add.u64 %rd6, %rd0, %rd5;
        st.global.u32 [%rd6], %r0;
    )"),
              32);
    QVERIFY2(!walk.problem, walk.problem ? toText(*walk.problem).c_str() : "");
    QCOMPARE(walk.trace.steps.size(), static_cast<std::size_t>(walk.executed));
    std::vector<std::uint32_t> masks;
    for (const TracedStep& step : walk.trace.steps)
        if (walk.trace.code[step.instruction].text.starts_with("bar.warp.sync")) {
            QVERIFY(!walk.trace.code[step.instruction].isBarrier); // of the warp, not of the block
            QCOMPARE(step.executed, step.active);
            masks.push_back(step.executed);
        }
    std::sort(masks.begin(), masks.end());
    QCOMPARE(masks, (std::vector<std::uint32_t>{0xff, 0xffffff00, 0xffffffff}));
}

void TestSimtSteps::barriersThatAnswerAreTwoSteps()
{
    Walk walk(handWritten(R"(
        setp.lt.u32 %p1, %r0, 5;
        bar.red.popc.u32 %r4, 0, %p1;
        bar.red.or.pred %p3, 0, %p1;
        mul.wide.u32 %rd5, %r0, 4;
        add.u64 %rd6, %rd0, %rd5;
        st.global.u32 [%rd6], %r4;
    )"));
    QVERIFY2(!walk.problem, walk.problem ? toText(*walk.problem).c_str() : "");
    constexpr std::size_t kBarriers = 2, kWarps = 2;
    QCOMPARE(walk.trace.steps.size(), static_cast<std::size_t>(walk.executed) + kBarriers * kWarps);
    StepReader reader(walk.trace);
    const std::uint32_t count = registerOf(walk.trace, "%r4"), any = registerOf(walk.trace, "%p3");
    std::size_t arrived = 0, answered = 0;
    while (reader.step()) {
        const TracedStep& step = *reader.last();
        const StepInstruction& code = walk.trace.code[step.instruction];
        if (!code.text.starts_with("bar.red.popc"))
            continue;
        arrived += code.isBarrier ? 1 : 0;
        answered += code.isBarrier ? 0 : 1;
        QCOMPARE(reader.value(step.warp, count, 31).has_value(), !code.isBarrier);
        QCOMPARE(code.text.ends_with("// result"), !code.isBarrier);
    }
    QCOMPARE(arrived, kWarps);
    QCOMPARE(answered, kWarps);
    for (std::uint16_t warp = 0; warp < kWarps; ++warp) {
        QCOMPARE(reader.value(warp, count, 31), std::optional<std::uint64_t>(5));
        QCOMPARE(reader.value(warp, any, 31), std::optional<std::uint64_t>(1));
    }
    QCOMPARE(walk.lab.get<std::uint32_t>(walk.out, 64)[63], 5u);
}

void TestSimtSteps::whyAWarpWaits()
{
    using Kind = WarpStanding::Kind;
    Walk walk(everything(), 96);
    StepReader reader(walk.trace);
    QCOMPARE(reader.standingOf(0).kind, Kind::Next);
    QCOMPARE(reader.standingOf(2).kind, Kind::Ready);
    QVERIFY(reader.toBarrier());
    QCOMPARE(reader.standingOf(0).kind, Kind::Next); // it has not come yet
    QVERIFY(reader.step());
    const WarpStanding waiting = reader.standingOf(0);
    QCOMPARE(waiting.kind, Kind::AtBarrier);
    QCOMPARE(walk.trace.code[waiting.barrier].text, std::string("bar.sync 0"));
    QCOMPARE(waiting.missing, (std::vector<std::uint16_t>{1, 2}));
    QVERIFY(reader.toBarrier() && reader.step());
    QCOMPARE(reader.standingOf(0).missing, std::vector<std::uint16_t>{2});
    QVERIFY(reader.toBarrier() && reader.step());
    for (const std::uint16_t warp : std::vector<std::uint16_t>{0, 1, 2}) // everybody has come: nobody waits
        QVERIFY(reader.standingOf(warp).kind == Kind::Next || reader.standingOf(warp).kind == Kind::Ready);
    reader.seek(reader.size());
    QCOMPARE(reader.standingOf(1).kind, Kind::Ended);
    // A barrier of some threads: who else has to come is not known from here.
    Walk part(handWritten("bar.sync 1, 64; mov.u32 %r4, 1;"));
    StepReader some(part.trace);
    QVERIFY(some.toBarrier() && some.step());
    QCOMPARE(some.standingOf(0).kind, Kind::Ready);
}

void TestSimtSteps::recordingChangesNothing()
{
    Walk walk(everything(), 128, 4, 1);
    Lab lab;
    QVERIFY(lab.load(everything()));
    const DevicePtr out = lab.put(std::vector<std::uint32_t>(512), "out");
    QVERIFY(lab.run("k", {4}, {128}, {KernelArg(out), KernelArg(out), KernelArg(out)}));
    QCOMPARE(walk.lab.get<std::uint32_t>(walk.out, 512), lab.get<std::uint32_t>(out, 512));
    // As written the loop's branches are there; the machine's own run has it unrolled.
    QVERIFY(walk.executed > lab.counters.instExecuted);
}

void TestSimtSteps::roundTripAndDamage()
{
    Walk walk(everything());
    const std::string bytes = encodeStepTrace(walk.trace);
    const auto back = decodeStepTrace(bytes);
    QVERIFY(back.ok());
    QVERIFY(*back == walk.trace);
    for (std::size_t length = 0; length < bytes.size(); length += 97)
        QCOMPARE(decodeStepTrace(std::string_view(bytes).substr(0, length)).error().code, std::string("bad-trace"));
    std::mt19937 random(3);
    for (int i = 0; i < 200; ++i) {
        std::string damaged = bytes;
        damaged[random() % damaged.size()] ^= static_cast<char>(1 + random() % 255);
        QVERIFY(!decodeStepTrace(damaged).ok());
    }
    // Behind a checksum that fits, indices that point nowhere are refused, never followed.
    const auto refused = [&](const std::function<void(StepTrace&)>& spoil) {
        StepTrace trace = walk.trace;
        spoil(trace);
        const auto read = decodeStepTrace(encodeStepTrace(trace));
        return !read.ok() && read.error().code == "bad-trace";
    };
    QVERIFY(refused([](StepTrace& t) { t.steps[3].warp = 2; }));
    QVERIFY(refused([](StepTrace& t) { t.steps[3].instruction = 9999; }));
    QVERIFY(refused([](StepTrace& t) { t.steps[3].firstWrite = 9999999; }));
    QVERIFY(refused([](StepTrace& t) { t.steps[3].executed = ~0u, t.steps[3].active = 1; }));
    QVERIFY(refused([](StepTrace& t) { t.writes[2].reg = 9999; }));
    QVERIFY(refused([](StepTrace& t) { t.writes[2].values.first = 99999999; }));
    QVERIFY(refused([](StepTrace& t) { t.accesses[0].addresses.first = 99999999; }));
    QVERIFY(refused([](StepTrace& t) { t.accesses[0].after[0].first = 99999999; }));
    QVERIFY(refused([](StepTrace& t) { t.blockDim = {0, 1, 1}; }));
    QVERIFY(refused([](StepTrace& t) { t.blockDim = {1u << 31, 1u << 31, 4}; }));
    QVERIFY(refused([](StepTrace& t) { t.words.resize(4); }));
    QVERIFY(refused([](StepTrace& t) { t.sharedBytes = 1u << 31; }));
    std::string older = bytes;
    older[4] = 1;
    QCOMPARE(decodeStepTrace(older).error().code, std::string("bad-trace"));
}

QTEST_GUILESS_MAIN(TestSimtSteps)
#include "tst_simt_steps.moc"
