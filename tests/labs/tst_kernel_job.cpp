// SPDX-License-Identifier: GPL-3.0-or-later
// The worker's side of a kernel request: events in their order, and what ends it early.
#include "labs/kernel/buffer_contents.h"
#include "labs/kernel/kernel_buffers.h"
#include "labs/worker/execute_kernel.h"

#include <QTemporaryDir>
#include <QtTest>
#include <numeric>

using namespace ridge;
using ridge::labs::contentsToJson;
using ridge::labs::elementText;

namespace {

constexpr const char* kDouble =
    ".version 8.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry twice(.param .u64 p, .param .f32 a)\n{\n"
    ".reg .b64 %rd<4>; .reg .b32 %r<2>; .reg .f32 %f<4>;\n"
    "ld.param.u64 %rd0, [p]; ld.param.f32 %f0, [a]; mov.u32 %r0, %tid.x;\n"
    "mul.wide.u32 %rd1, %r0, 4; add.u64 %rd2, %rd0, %rd1;\n"
    "ld.global.f32 %f1, [%rd2]; mul.rn.f32 %f2, %f1, %f0; st.global.f32 [%rd2], %f2;\nret;\n}\n";

KernelRunRequest request(const std::vector<std::string>& args)
{
    KernelRunRequest run;
    run.source = {"twice.ptx", kDouble, true};
    run.block = {32, 1, 1};
    run.args = args;
    run.target = "sim:t4";
    return run;
}

std::vector<Event> answer(const KernelRequest& asked, const gpu::StopRequested& stop = {}, const labs::GoOn& goOn = {})
{
    std::vector<Event> events;
    const bool finished = labs::executeKernel(
        asked, [&](const Event& event) { events.push_back(event); }, stop,
        [] {
            return Error{"cancelled", "the run was cancelled", "", ""};
        },
        goOn);
    const bool last = !events.empty() && std::holds_alternative<FinishedEvent>(events.back());
    if (finished != last)
        events.clear();
    return events;
}

const Json* documentOf(const std::vector<Event>& events)
{
    for (const Event& event : events)
        if (const auto* kernel = std::get_if<KernelEvent>(&event))
            return &*kernel->document;
    return nullptr;
}

} // namespace

class TestKernelJob : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void eventsComeInOrder()
    {
        const auto events = answer(request({"inout:f32:32:iota", "f32:2"}));
        QVERIFY(events.size() >= 4);
        QVERIFY(std::holds_alternative<StartedEvent>(events.front()));
        QVERIFY(std::holds_alternative<FinishedEvent>(events.back()));
        QVERIFY(std::holds_alternative<KernelEvent>(events[events.size() - 2]));
        double fraction = 0;
        for (const Event& event : events) {
            if (const auto* progress = std::get_if<ProgressEvent>(&event)) {
                QVERIFY(progress->fraction >= fraction && progress->fraction <= 1);
                fraction = progress->fraction;
            }
        }
        const Json* document = documentOf(events);
        QVERIFY(document);
        QCOMPARE(document->at("kernel"), "twice");
        QVERIFY(document->at("cycles").is_number());
    }

    void watchingAndTimingAreTwoRuns()
    {
        // The second one sees the buffers as they were: were they doubled twice, it would write other bytes.
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("out.bin"));
        auto run = request({"inout:f32:32:ones>" + path.toStdString(), "f32:2"});
        run.check = true;
        const auto events = answer(run);
        const Json* document = documentOf(events);
        QVERIFY(document && document->at("mode") == "timed" && document->at("checked") == true);
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray bytes = file.readAll();
        QCOMPARE(bytes.size(), 128);
        float first = 0;
        memcpy(&first, bytes.constData(), sizeof first);
        QCOMPARE(first, 2.0f);
        // The document says the same: each element before and after the one run that counts.
        const Json& buffer = document->at("buffers").at(0);
        QCOMPARE(buffer.at("argument"), 1);
        QCOMPARE(buffer.at("type"), "f32");
        QCOMPARE(buffer.at("changed"), 32);
        QCOMPARE(buffer.at("values").size(), std::size_t{32});
        QCOMPARE(buffer.at("values").at(31), (Json{{"index", 31}, {"before", "1"}, {"after", "2"}}));
    }

    void contentsOfBuffersAreTold()
    {
        const auto text = [](DataType type, std::uint64_t bits) {
            return elementText(type, std::as_bytes(std::span(&bits, 1)).first(sizeOf(type)));
        };
        QCOMPARE(text(DataType::F32, 0x3dcccccd), std::string("0.1"));
        QCOMPARE(text(DataType::F16, 0x2e66), std::string("0.1"));
        QCOMPARE(text(DataType::F16, 0x0001), std::string("6e-08"));
        QCOMPARE(text(DataType::F16, 0xfc00), std::string("-inf"));
        QCOMPARE(text(DataType::BF16, 0x3dcd), std::string("0.1"));
        QCOMPARE(text(DataType::F64, std::bit_cast<std::uint64_t>(1.0 / 3)), std::string("0.3333333333333333"));
        QCOMPARE(text(DataType::I8, 0xff), std::string("-1"));
        QCOMPARE(text(DataType::U64, ~std::uint64_t{0}), std::string("18446744073709551615"));
        // Of a large buffer the beginning is told, and changes behind it.
        KernelArgument argument;
        argument.type = DataType::U8;
        argument.count = 5000;
        std::vector<std::byte> before(5000), after(5000);
        after[3] = after[4000] = after[4999] = std::byte{9};
        const Json told = contentsToJson(argument, before, after);
        QCOMPARE(told.at("changed"), 3);
        QCOMPARE(told.at("compared"), 5000);
        QCOMPARE(told.at("values").size(), std::size_t{130});
        QCOMPARE(told.at("values").at(128), (Json{{"index", 4000}, {"before", "0"}, {"after", "9"}}));
        after[4000] = after[4999] = std::byte{0};
        QCOMPARE(contentsToJson(argument, before, after).at("values").size(), std::size_t{256});
    }

    /// A struct by value, {const float* x; unsigned char k; double s; int n} of 32 bytes, and an array of two pointers.
    void structsAreGivenFieldByField()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("out.bin"));
        auto run = request({"struct:{in:f32:4:iota,u8:3,f64:0.5,i32:4}",
                            "struct:{in:f32:4:ones,out:f32:4>" + path.toStdString() + "}", "u32:7"});
        run.source = {
            "fields.ptx",
            ".version 8.0\n.target sm_70\n.address_size 64\n"
            ".visible .entry fields(.param .align 8 .b8 s[32], .param .align 8 .b8 p[16], .param .u32 last)\n{\n"
            ".reg .pred %p; .reg .b64 %rd<9>; .reg .b32 %r<6>; .reg .f32 %f<6>; .reg .f64 %d; .reg .b16 %h;\n"
            "mov.u32 %r0, %tid.x; ld.param.u32 %r1, [s+24]; setp.ge.u32 %p, %r0, %r1; @%p exit;\n"
            "ld.param.u64 %rd0, [s]; ld.param.u8 %h, [s+8]; ld.param.f64 %d, [s+16];\n"
            "ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [p+8]; ld.param.u32 %r2, [last];\n"
            "mul.wide.u32 %rd3, %r0, 4; add.u64 %rd0, %rd0, %rd3; add.u64 %rd1, %rd1, %rd3;\n"
            "add.u64 %rd2, %rd2, %rd3; ld.global.f32 %f0, [%rd0]; ld.global.f32 %f1, [%rd1];\n"
            "cvt.rn.f32.f64 %f2, %d; cvt.rn.f32.u16 %f3, %h; cvt.rn.f32.u32 %f4, %r2;\n"
            "add.f32 %f0, %f0, %f1; fma.rn.f32 %f0, %f0, %f3, %f2; add.f32 %f0, %f0, %f4;\n"
            "st.global.f32 [%rd2], %f0;\nret;\n}\n",
            true};
        run.check = true;
        const auto events = answer(run);
        const Json* document = documentOf(events);
        QVERIFY(document && document->at("reports").empty());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray bytes = file.readAll();
        QCOMPARE(bytes.size(), 16);
        for (int at = 0; at < 4; ++at) { // (i + 1) * 3 + 0.5 + 7
            float value = 0;
            memcpy(&value, bytes.constData() + 4 * at, sizeof value);
            QCOMPARE(value, float(at + 1) * 3 + 7.5f);
        }
        const auto refusal = [&](std::vector<std::string> args) {
            auto wrong = run;
            wrong.args = std::move(args);
            return std::get<FailedEvent>(answer(wrong).back()).error;
        };
        const std::string good = "struct:{in:f32:4:iota,u8:3,f64:0.5,i32:4}", pointers = "struct:{2*in:f32:4:ones}";
        const Error small = refusal({"struct:{in:f32:4:iota,u8:3,i32:4}", pointers, "u32:7"});
        QCOMPARE(small.place, std::string("argument 1"));
        QVERIFY2(small.message.find("has 16 bytes, but parameter 1 of fields (.b8[32] s) has 32") !=
                         std::string::npos &&
                     small.fix.find("u8:3 at 8, i32:4 at 12") != std::string::npos,
                 toText(small).c_str());
        QCOMPARE(refusal({good, "in:f32:4:ones", "u32:7"}).place, std::string("argument 2"));
        QCOMPARE(refusal({good, pointers, "struct:{2*u32:7}"}).place, std::string("argument 3"));
        QVERIFY(refusal({good, pointers}).message.find("takes 3 arguments, 2 are given") != std::string::npos);
    }

    /// NAME=SPEC fills a variable of the program, at every launch anew; one that nobody fills is named.
    void variablesAreFilled()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("out.bin"));
        auto run = request({"out:f32:32>" + path.toStdString()});
        run.source = {
            "taps.ptx",
            ".version 8.0\n.target sm_70\n.address_size 64\n"
            ".const .align 4 .b8 taps[128];\n.global .align 8 .b8 _ZN1f4pairE[16];\n"
            ".global .align 4 .u32 count;\n.global .align 4 .u32 first = 5;\n"
            ".visible .entry k(.param .u64 p)\n{\n"
            ".reg .b64 %rd<6>; .reg .b32 %r<4>; .reg .f32 %f<6>;\n"
            "ld.param.u64 %rd0, [p]; mov.u32 %r0, %tid.x; mul.wide.u32 %rd1, %r0, 4; add.u64 %rd0, %rd0, %rd1;\n"
            "mov.u64 %rd2, taps; add.u64 %rd2, %rd2, %rd1; ld.const.f32 %f0, [%rd2];\n"
            "ld.global.f32 %f1, [_ZN1f4pairE+4]; ld.global.u32 %r1, [first]; cvt.rn.f32.u32 %f2, %r1;\n"
            "atom.global.add.u32 %r2, [count], 1; ld.global.u32 %r3, [count];\n"
            "fma.rn.f32 %f3, %f0, %f1, %f2; st.global.f32 [%rd0], %f3;\nret;\n}\n",
            true};
        const auto codes = [&](const KernelRunRequest& asked) {
            const auto events = answer(asked);
            const Json* document = documentOf(events);
            std::vector<std::string> found;
            for (const Json& report : document != nullptr ? document->at("reports") : Json::array())
                found.push_back(report.at("code").get<std::string>() + " " +
                                report.at("message").get<std::string>().substr(0, 40));
            return found;
        };
        // The one with a first value and the one that is counted in are no mistakes.
        for (const bool check : {false, true}) {
            run.check = check;
            const auto found = codes(run);
            QCOMPARE(found.size(), std::size_t{2});
            QVERIFY(found[0].starts_with("unfilled-variable the constant variable 'taps'"));
            QVERIFY(found[1].starts_with("unfilled-variable the device variable 'f::pair'"));
        }
        run.args.push_back("taps=in:f32:32:iota");
        run.args.push_back("f::pair=struct:{u32:1,f32:0.5,u64:2}");
        for (const bool check : {false, true}) {
            run.check = check; // a second launch, on a program that is loaded anew
            QVERIFY(codes(run).empty());
            QFile file(path);
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QByteArray bytes = file.readAll();
            float value = 0;
            memcpy(&value, bytes.constData() + 4 * 31, sizeof value);
            QCOMPARE(value, 31 * 0.5f + 5);
        }
        const auto refusal = [&](const std::string& symbol) {
            auto wrong = run;
            wrong.args = {run.args[0], symbol};
            const auto events = answer(wrong);
            const auto* failed = std::get_if<FailedEvent>(&events.back());
            return failed != nullptr ? toText(failed->error) : std::string();
        };
        for (const auto& [symbol, says] : std::vector<std::pair<const char*, const char*>>{
                 {"tap=f32:1", "no variable 'tap'"},
                 {"tap=f32:1", "f::pair (16 bytes)"},
                 {"taps=in:f32:31:iota", "has 124 bytes, the variable 'taps' has 128"},
                 {"taps=out:f32:32", "is a buffer"},
                 {"pair=struct:{in:f32:4:ones,u64:0}", "is a buffer"},
                 {"taps=in:f32:32:@/nowhere/at.all", "/nowhere/at.all"},
                 {"taps=f33:1", "no type"}})
            QVERIFY2(refusal(symbol).find(says) != std::string::npos, refusal(symbol).c_str());
        auto twice = run;
        twice.args.push_back("pair=struct:{u32:1,f32:0.5,u64:2}");
        const auto events = answer(twice);
        QVERIFY(std::get<FailedEvent>(events.back()).error.message.find("filled twice") != std::string::npos);
    }

    /// A map by value, and one that the kernel makes itself of zeros: the box at (4, 2) of rows of 16.
    void tensorMapsAreGivenByValue()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("out.bin"));
        const std::string head = ".version 8.3\n.target sm_90a\n.address_size 64\n";
        const std::string begin =
            "{\n.shared .align 128 .b8 room[1024]; .shared .align 128 .b8 map[128]; .shared .align 8 .b8 gate[8];\n"
            ".reg .pred %p<4>; .reg .b64 %rd<8>; .reg .b32 %r<8>;\n"
            "mov.u32 %r0, %tid.x; setp.ne.u32 %p0, %r0, 0; ld.param.u64 %rd0, [out];\n";
        const std::string end =
            "@!%p0 mbarrier.init.shared.b64 [gate], 1;\nbar.sync 0;\n@%p0 bra W;\n"
            "mbarrier.arrive.expect_tx.shared.b64 %rd2, [gate], 128;\n"
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [room], [%rd1, {4, 2}], "
            "[gate];\n"
            "W: mbarrier.try_wait.parity.shared.b64 %p1, [gate], 0;\n@!%p1 bra W;\n"
            "shl.b32 %r1, %r0, 2; mov.u32 %r2, room; add.u32 %r2, %r2, %r1; ld.shared.u32 %r3, [%r2];\n"
            "cvt.u64.u32 %rd3, %r1; add.u64 %rd0, %rd0, %rd3; st.global.u32 [%rd0], %r3;\nret;\n}\n";
        const auto words = [&] {
            std::vector<std::uint32_t> values(32);
            QFile file(path);
            const QByteArray bytes = file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
            memcpy(values.data(), bytes.constData(), std::min<std::size_t>(128, std::size_t(bytes.size())));
            return values;
        };
        std::vector<std::uint32_t> expected;
        for (std::uint32_t row = 0; row < 4; ++row)
            for (std::uint32_t column = 0; column < 8; ++column)
                expected.push_back((row + 2) * 16 + column + 4);
        auto run = request({"tensor:{in:u32:128:iota,size=16x8,box=8x4}", "out:u32:32>" + path.toStdString()});
        run.target = "sim:h100-sxm";
        run.source = {"map.ptx",
                      head + ".visible .entry k(.param .align 64 .b8 m[128], .param .u64 out)\n" + begin +
                          "mov.b64 %rd1, m; cvta.param.u64 %rd1, %rd1;\n" + end,
                      true};
        for (const bool check : {false, true}) {
            run.check = check;
            const auto events = answer(run);
            const Json* document = documentOf(events);
            QVERIFY2(document && document->at("reports").empty(), document ? document->dump().c_str() : "failed");
            QCOMPARE(words(), expected);
        }
        auto windows = run; // rows 1 and 2 of the first image
        std::string copy = windows.source.text;
        copy.replace(copy.find("tensor.2d"), 9, "tensor.4d");
        copy.replace(copy.find(".tile."), 6, ".im2col.");
        copy.replace(copy.find("{4, 2}], [gate]"), 15, "{0, -1, 0, 0}], [gate], {1, 1}");
        windows.source.text = copy;
        windows.args[0] = "tensor:{in:u32:128:iota,size=4x4x4x2,box=4x8,lower=-1x0,upper=-1x0}";
        const auto told = answer(windows);
        QVERIFY(documentOf(told) != nullptr);
        std::vector<std::uint32_t> rows(32);
        std::iota(rows.begin(), rows.end(), 16u);
        QCOMPARE(words(), rows);
        run.args[0] = "in:u32:128:iota";
        auto failed = std::get<FailedEvent>(answer(run).back()).error;
        QVERIFY2(failed.fix.find("tensor:{") != std::string::npos, toText(failed).c_str());
        run.args = {"tensor:{in:u32:128:iota,size=16x8,box=8x4}", "tensor:{in:u32:128:iota,size=16x8,box=8x4}"};
        failed = std::get<FailedEvent>(answer(run).back()).error;
        QVERIFY2(failed.message.find("map of 128 bytes") != std::string::npos && failed.place == "argument 2",
                 toText(failed).c_str());

        const auto replace = [](const std::string& rest) { return "@!%p0 tensormap.replace.tile." + rest + ";\n"; };
        const auto making = [&](const std::string& rank, const std::string& box, const std::string& type) {
            std::string text = head + ".visible .entry k(.param .u64 in, .param .u64 scratch, .param .u64 out)\n" +
                               begin +
                               "ld.param.u64 %rd4, [in]; ld.param.u64 %rd1, [scratch]; mov.u64 %rd5, 64;\n"
                               "shl.b32 %r4, %r0, 2; mov.u32 %r5, map; add.u32 %r4, %r4, %r5; mov.u32 %r6, 0;\n"
                               "st.shared.u32 [%r4], %r6; bar.warp.sync -1; mov.u32 %r7, " +
                               rank + ";\n";
            const std::string at = ".shared::cta.b1024";
            text += replace("global_address" + at + ".b64 [map], %rd4") + replace("rank" + at + ".b32 [map], %r7");
            text += "mov.u32 %r7, " + box + ";\n" + replace("box_dim" + at + ".b32 [map], 0, %r7");
            text += replace("box_dim" + at + ".b32 [map], 1, 4") + replace("global_dim" + at + ".b32 [map], 0, 16") +
                    replace("global_dim" + at + ".b32 [map], 1, 8");
            text += replace("global_stride" + at + ".b64 [map], 0, %rd5") +
                    replace("element_stride" + at + ".b32 [map], 0, 1") +
                    replace("element_stride" + at + ".b32 [map], 1, 1");
            text += replace("elemtype" + at + ".b32 [map], " + type) +
                    replace("interleave_layout" + at + ".b32 [map], 0") +
                    replace("swizzle_mode" + at + ".b32 [map], 0") + replace("fill_mode" + at + ".b32 [map], 0");
            text += "bar.warp.sync -1;\ntensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync."
                    "aligned [%rd1], [map], 128;\nfence.proxy.tensormap::generic.acquire.gpu [%rd1], 128;\n";
            return text + end;
        };
        run.args = {"in:u32:128:iota", "out:u8:128", "out:u32:32>" + path.toStdString()};
        run.source.text = making("1", "8", "2");
        for (const bool check : {false, true}) {
            run.check = check;
            const auto events = answer(run);
            const Json* document = documentOf(events);
            QVERIFY2(document && document->at("reports").empty() && document->at("cycles").is_number(),
                     document ? document->dump().c_str() : toText(std::get<FailedEvent>(events.back()).error).c_str());
            QCOMPARE(words(), expected);
        }
        for (const auto& [text, says] :
             {std::pair(making("7", "8", "2"), "gives the rank 7"), std::pair(making("1", "300", "2"), "box 300"),
              std::pair(making("1", "8", "13"), "gives the element type 13"),
              std::pair(making("0", "8", "2"), "another number of dimensions")}) {
            run.source.text = text;
            run.check = false;
            const auto events = answer(run);
            const Json* document = documentOf(events);
            QVERIFY2(document && document->at("reports").size() == 1 &&
                         document->at("reports")[0].at("fatal") == true &&
                         document->at("reports")[0].at("message").get<std::string>().find(says) != std::string::npos,
                     document ? document->at("reports").dump().c_str() : "failed");
        }
    }

    void clustersAreLaunched()
    {
        auto run = request({"inout:f32:32:ones", "f32:2"});
        run.grid = {4, 1, 1};
        run.cluster = {2, 1, 1};
        run.target = "sim:h100-sxm";
        const auto events = answer(run);
        const Json* document = documentOf(events);
        QVERIFY(document && document->at("reports").empty() && document->at("cluster").at(0) == 2);
        run.cluster = {3, 1, 1};
        const auto refused = answer(run);
        document = documentOf(refused);
        QVERIFY(document && document->at("reports").size() == 1);
        QCOMPARE(document->at("reports").at(0).at("code"), "launch-limits");
        QCOMPARE(document->at("reports").at(0).at("cuda"), "cudaErrorInvalidConfiguration");
    }

    void failuresComeAlone()
    {
        auto wrong = request({"inout:f32:32:ones", "f32:2"});
        wrong.target = "sim:nothing";
        const auto events = answer(wrong);
        QCOMPARE(events.size(), std::size_t{1});
        QCOMPARE(std::get<FailedEvent>(events[0]).error.code, std::string("unknown-target"));
        const auto few = answer(request({"f32:2"}));
        QCOMPARE(std::get<FailedEvent>(few.back()).error.code, std::string("bad-argument"));
    }

    void stoppingIsTold()
    {
        auto endless = request({"inout:f32:32:ones", "f32:2"});
        endless.source.text =
            ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n.reg .b64 %rd<2>;\n"
            "mov.u64 %rd0, 0;\nL: add.u64 %rd0, %rd0, 1;\nbra L;\n}\n";
        endless.args.clear();
        endless.functional = true;
        int polls = 0;
        const auto events = answer(endless, [&polls] { return ++polls > 3; });
        QCOMPARE(std::get<FailedEvent>(events.back()).error.code, std::string("cancelled"));
    }

    void whoIsAskedIsOnlyAskedWhereTheRequestSaysSo()
    {
        auto counts = request({"u64:200000"});
        counts.source.text = ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 most)\n{\n"
                             ".reg .b64 %rd<3>; .reg .pred %p<2>;\nld.param.u64 %rd1, [most]; mov.u64 %rd0, 0;\n"
                             "L: add.u64 %rd0, %rd0, 1; setp.lt.u64 %p1, %rd0, %rd1;\n@%p1 bra L;\nret;\n}\n";
        counts.functional = true;
        counts.mostInstructions = 120'000;
        std::vector<std::string> asked;
        const labs::GoOn yes = [&asked](const Error& why) {
            asked.push_back(why.code);
            return true;
        };
        const auto ended = answer(counts, {}, yes);
        QCOMPARE(documentOf(ended)->at("reports").at(0).at("code"), "instruction-limit");
        QVERIFY(asked.empty());
        counts.pausable = true;
        const auto wentOn = answer(counts, {}, yes);
        QVERIFY(documentOf(wentOn)->at("reports").empty());
        QCOMPARE(asked, std::vector<std::string>(2, "instruction-limit"));
        const auto read = kernelRequestFromJson(toJson(KernelRequest(counts)));
        QVERIFY(read.ok() && std::get<KernelRunRequest>(*read).pausable);
    }

    void aFaultIsADocument()
    {
        const auto events = answer(request({"inout:f32:31:ones", "f32:2"}));
        const Json* document = documentOf(events);
        QVERIFY(document);
        QCOMPARE(document->at("reports").size(), std::size_t{1});
        QCOMPARE(document->at("reports").at(0).at("code"), "out-of-bounds");
        QCOMPARE(document->at("reports").at(0).at("lane").get<int>(), 31);
        QCOMPARE(document->at("reports").at(0).at("allocation").at("label"), "argument 1");
        QVERIFY(document->at("files").empty());
    }

    void compileRequests()
    {
        const auto events = answer(KernelCompileRequest{{"twice.ptx", kDouble, true}, "sm_80", false, {}});
        const Json* document = documentOf(events);
        QVERIFY(document);
        const Json& kernel = document->at("kernels").at(0);
        QCOMPARE(kernel.at("kernel"), "twice");
        QCOMPARE(kernel.at("parameters").size(), std::size_t{2});
        QCOMPARE(kernel.at("parameters").at(1).at("type"), ".f32");
        QVERIFY(kernel.at("registers").get<int>() > 0);
        QCOMPARE(document->at("ptx"), kDouble);
        const auto bad = answer(KernelCompileRequest{{"twice.ptx", "nonsense", true}, "sm_80", false, {}});
        QVERIFY(std::holds_alternative<FailedEvent>(bad.back()));
    }

    void namesAreFound()
    {
        const std::vector<labs::KernelSignature> kernels{
            {"_Z5scaleIfEvPT_", labs::demangled("_Z5scaleIfEvPT_"), {}},
            {"_Z5scaleIdEvPT_", labs::demangled("_Z5scaleIdEvPT_"), {}},
            {"_ZN2ns4copyEPf", labs::demangled("_ZN2ns4copyEPf"), {}},
            {"_ZN12_GLOBAL__N_14hideEPf", labs::demangled("_ZN12_GLOBAL__N_14hideEPf"), {}},
            {"plain", "plain", {}},
            {"_ZN1a1kILj5EEEvPj", labs::demangled("_ZN1a1kILj5EEEvPj"), {}}, // a::k<5u>(unsigned int*)
            {"_Z2ttIjLi5EEvv", labs::demangled("_Z2ttIjLi5EEvv"), {}},       // tt<unsigned int, 5>()
        };
        for (const char* type : {"f", "i", "s", "rd", "Sa"}) // what these mean where types are mangled is no name
            QCOMPARE(labs::demangled(type), std::string(type));
        const auto entry = [&](const char* wanted) {
            const auto found = labs::chooseKernel(kernels, wanted, "f.cu");
            return found ? found->name : found.error().code;
        };
        QCOMPARE(entry("plain"), std::string("plain"));
        QCOMPARE(entry("scale"), std::string("kernel-not-found"));
        QCOMPARE(entry("scale<float>"), std::string("_Z5scaleIfEvPT_"));
        QCOMPARE(entry("copy"), std::string("_ZN2ns4copyEPf"));
        QCOMPARE(entry("ns::copy"), std::string("_ZN2ns4copyEPf"));
        QCOMPARE(entry("hide"), std::string("_ZN12_GLOBAL__N_14hideEPf"));
        QCOMPARE(entry("_Z5scaleIdEvPT_"), std::string("_Z5scaleIdEvPT_"));
        for (const char* name :
             {"scale< float >", "::scale<float>", "scale<float> (float *)", "void scale<float>(float*)"})
            QCOMPARE(entry(name), std::string("_Z5scaleIfEvPT_"));
        for (const char* name : {"tt<unsigned,5>", "tt<unsigned int, 5>", "::tt< unsigned , 5 >"})
            QCOMPARE(entry(name), std::string("_Z2ttIjLi5EEvv"));
        for (const char* name : {"::a::k", "a::k<5>", "k<5u>"})
            QCOMPARE(entry(name), std::string("_ZN1a1kILj5EEEvPj"));
        QCOMPARE(entry(""), std::string("kernel-not-found"));
        QCOMPARE(
            labs::inPlainWords("'_Z5scaleIfEvPT_' waits for _Z5scaleIfEvPT_, not for _Z5scaleIdEvPT_", kernels[0]),
            std::string("'void scale<float>(float*)' waits for void scale<float>(float*), not for _Z5scaleIdEvPT_"));
        QCOMPARE(labs::inPlainWords("the launch of 'plain'", kernels[4]), std::string("the launch of 'plain'"));
    }

    /// Watching is slow: what never ends is named by a second run, and what the first one saw is kept.
    void whatNeverEndsIsNamedUnderTheWatchToo()
    {
        auto waits = request({"inout:f32:32:ones", "f32:2"});
        waits.source.text = ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k()\n{\n"
                            ".reg .b64 %rd<8>; .reg .b32 %r<8>; .reg .pred %p<2>; .shared .align 4 .u32 flag;\n"
                            "mov.u32 %r0, 0; st.shared.u32 [flag], %r0; div.u32 %r1, 7, %r0;\n"
                            "setp.eq.u32 %p0, %r1, 0; @%p0 ret;\n"
                            "mov.u64 %rd4, %globaltimer; L: mov.u64 %rd5, %globaltimer; sub.s64 %rd6, %rd5, %rd4;\n"
                            "ld.volatile.shared.u32 %r2, [flag]; setp.eq.u32 %p1, %r2, 0; @%p1 bra L;\nret;\n}\n";
        waits.args.clear();
        waits.check = waits.functional = true;
        waits.limits.seconds = 12;
        const auto events = answer(waits);
        const Json* json = documentOf(events);
        QVERIFY(json != nullptr);
        const Json& reports = json->at("reports");
        QVERIFY2(reports.size() == 2 && reports.at(0).at("code") == "division-by-zero" &&
                     reports.at(1).at("code") == "endless-loop",
                 reports.dump().c_str());
    }
};

QTEST_GUILESS_MAIN(TestKernelJob)
#include "tst_kernel_job.moc"
