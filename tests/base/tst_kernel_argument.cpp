// SPDX-License-Identifier: GPL-3.0-or-later
// Arguments of kernels as they are typed, and the contents that they promise.
#include "base/kernel_request.h"
#include "base/seed.h"
#include "base/struct_argument.h"
#include "base/tensor_argument.h"

#include <QtTest>
#include <cmath>
#include <cstring>

using namespace ridge;

namespace {

KernelArgument parsed(const char* text)
{
    const auto argument = parseKernelArgument(text, 1);
    return argument ? *argument : KernelArgument{};
}

template<class T>
std::vector<T> elements(const char* text, std::uint64_t first, std::size_t count)
{
    const auto bytes = fillElements(parsed(text), first, count);
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

} // namespace

class TestKernelArgument : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void scalars_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<quint64>("bits");
        const auto row = [](const char* text, std::uint64_t bits) {
            QTest::newRow(text) << QByteArray(text) << quint64{bits};
        };
        row("f32:2.5", 0x40200000);
        row("f32:-0", 0x80000000);
        row("f32:0.1", 0x3dcccccd);
        row("f32:1e-45", 1); // the smallest denormal
        row("f32:inf", 0x7f800000);
        row("f64:2.5", 0x4004000000000000);
        row("f16:2.5", 0x4100);
        row("f16:65504", 0x7bff);
        row("f16:65519", 0x7bff);
        row("f16:0.1", 0x2e66);
        row("f16:2049", 0x6800); // a tie goes to even
        row("f16:2051", 0x6802);
        row("f16:5.9604644775390625e-08", 1);
        row("f16:-inf", 0xfc00);
        row("bf16:1", 0x3f80);
        row("bf16:0.1", 0x3dcd);
        row("bf16:-3.14", 0xc049);
        row("i8:-128", 0x80);
        row("u8:255", 0xff);
        row("i16:-2", 0xfffe);
        row("u16:0xffff", 0xffff);
        row("i32:7", 7);
        row("i32:-7", 0xfffffff9);
        row("u32:4294967295", 0xffffffff);
        row("i64:-9223372036854775808", 0x8000000000000000);
        row("u64:9", 9);
        row("u64:0xffffffffffffffff", 0xffffffffffffffff);
    }
    void scalars()
    {
        QFETCH(QByteArray, text);
        QFETCH(quint64, bits);
        const auto argument = parseKernelArgument(text.toStdString(), 1);
        QVERIFY2(argument.ok(), argument ? "" : toText(argument.error()).c_str());
        QVERIFY(!argument->isBuffer());
        QCOMPARE(quint64{argument->bits}, bits);
    }

    void buffers()
    {
        const KernelArgument in = parsed("in:f32:1024:rand(7)");
        QCOMPARE(in.role, KernelArgument::Role::In);
        QCOMPARE(in.bytes(), std::uint64_t{4096});
        QCOMPARE(in.seed, std::uint64_t{7});
        const KernelArgument file = parsed("inout:i16:8:@a:b.bin>c d.bin");
        QCOMPARE(file.fill, KernelArgument::Fill::File);
        QCOMPARE(file.inFile, std::string("a:b.bin"));
        QCOMPARE(file.outFile, std::string("c d.bin"));
        const KernelArgument out = parsed("out:f64:3>o.bin");
        QCOMPARE(out.role, KernelArgument::Role::Out);
        QCOMPARE(out.count, std::uint64_t{3});
        QCOMPARE(out.outFile, std::string("o.bin"));
        QCOMPARE(parsed("in:bf16:9:ones").bytes(), std::uint64_t{18});
    }

    void refused_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* text, const char* says) {
            QTest::newRow(text) << QByteArray(text) << QByteArray(says);
        };
        row("", "TYPE:VALUE");
        row("5", "TYPE:VALUE");
        row("f33:1", "bf16");
        row("float:1", "no type");
        row("f32:", "not a number");
        row("f32:fast", "not a number");
        row("f32:1.5x", "not a number");
        row("f32:1e39", "3.403e38");
        row("f16:65520", "65504");
        row("bf16:3.4e38", "inf");
        row("i8:128", "-128 to 127");
        row("u8:-1", "0 to 255");
        row("i32:2.5", "whole number");
        row("u64:99999999999999999999", "18446744073709551615");
        row("in:f32:8", "FILL");
        row("in:f32:0:ones", "at least 1");
        row("in:f32:-4:ones", "at least 1");
        row("in:f32:1e3:ones", "whole number of elements");
        row("in:f32:8:twos", "rand(SEED)");
        row("in:f32:8:rand", "rand(SEED)");
        row("in:f32:8:rand(x)", "seed");
        row("in:f32:8:@", "@file.bin");
        row("in:f32:8:ones>", ">file.bin");
        row("out:f32:8:zeros", "inout");
        row("in:f32:99999999999999:zeros", "1 TiB");
        row("in:f16:70000:iota", "65520");
        row("inn:f32:8:ones", "inout");
    }
    void refused()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, says);
        const auto argument = parseKernelArgument(text.toStdString(), 3);
        QVERIFY(!argument.ok());
        const QByteArray told = QByteArray::fromStdString(toText(argument.error()));
        QCOMPARE(argument.error().code, std::string("bad-argument"));
        QVERIFY2(told.contains(says), told.constData());
        QVERIFY2(told.contains("argument 3"), told.constData());
        QVERIFY(!argument.error().fix.empty());
    }

    void fills()
    {
        QCOMPARE(elements<float>("in:f32:4:ones", 0, 4), std::vector<float>(4, 1.0f));
        QCOMPARE(elements<float>("in:f32:9:iota", 5, 3), (std::vector<float>{5, 6, 7}));
        QCOMPARE(elements<std::uint8_t>("in:u8:999:iota", 255, 3), (std::vector<std::uint8_t>{255, 0, 1}));
        QCOMPARE(elements<std::uint16_t>("in:f16:9:iota", 2, 1), (std::vector<std::uint16_t>{0x4000}));
        QCOMPARE(elements<double>("out:f64:2", 0, 2), std::vector<double>(2));
    }

    void randomIsSplitMixAndTheSameEverywhere()
    {
        Rng rng(7);
        std::vector<std::uint64_t> stream;
        for (int at = 0; at < 1000; ++at)
            stream.push_back(rng.next());
        QCOMPARE(elements<std::uint64_t>("in:u64:1000:rand(7)", 0, 1000), stream);
        // From any place, and of any type the upper bits of the same numbers.
        QCOMPARE(elements<std::uint64_t>("in:u64:1000:rand(7)", 990, 1)[0], stream[990]);
        QCOMPARE(elements<std::uint16_t>("in:u16:1000:rand(7)", 3, 1)[0], static_cast<std::uint16_t>(stream[3] >> 48));
        const auto floats = elements<float>("in:f32:1000:rand(7)", 0, 1000);
        double sum = 0;
        for (std::size_t at = 0; at < floats.size(); ++at) {
            QVERIFY(floats[at] >= -1 && floats[at] < 1);
            QCOMPARE(floats[at], static_cast<float>(std::ldexp(static_cast<double>(stream[at] >> 40), -23) - 1));
            sum += double{floats[at]};
        }
        QVERIFY(std::fabs(sum / 1000) < 0.1);
        for (const std::uint16_t half : elements<std::uint16_t>("in:f16:1000:rand(1)", 0, 1000))
            QVERIFY((half & 0x7fff) <= 0x3c00 && half != 0x3c00);
    }

    void floatsRoundAsTheProcessorDoes()
    {
        Rng rng(11);
        for (int at = 0; at < 200'000; ++at) {
            std::uint64_t bits = rng.next();
            double value = 0;
            std::memcpy(&value, &bits, sizeof value);
            if (at % 2 != 0) // half of them where f32 lives
                value = std::ldexp(rng.uniform() - 0.5, static_cast<int>(rng.next() % 300) - 160);
            if (std::isnan(value))
                continue;
            const auto narrow = static_cast<float>(value);
            std::uint32_t expected = 0;
            std::memcpy(&expected, &narrow, sizeof expected);
            QCOMPARE(static_cast<std::uint32_t>(floatBits(DataType::F32, value)), expected);
        }
    }

    void requestsGoThereAndBack()
    {
        KernelRunRequest run;
        run.source = {"a.cu", "text\n", false};
        run.kernel = "k";
        run.grid = {3, 2, 1};
        run.block = {64, 1, 1};
        run.cluster = {3, 1, 1};
        run.nonPortableCluster = true;
        run.dynamicSharedBytes = 256;
        run.args = {"f32:1", "out:f32:8>o.bin"};
        run.target = "sim:t4";
        run.exact = run.check = true;
        run.limits = {5, 100};
        const Json json = toJson(KernelRequest{run});
        QVERIFY(isKernelRequest(json) && !isKernelRequest(Json{{"kind", 3}}) && !isKernelRequest(Json::array()));
        const auto back = kernelRequestFromJson(json);
        QVERIFY2(back.ok(), back ? "" : toText(back.error()).c_str());
        QCOMPARE(toJson(*back).dump(), json.dump());
        const Json compile = toJson(KernelRequest{KernelCompileRequest{{"a.ptx", "x", true}, "sm_90", true, {}}});
        QCOMPARE(toJson(*kernelRequestFromJson(compile)).dump(), compile.dump());
        for (const char* key : {"source", "grid", "args", "target", "protocol"}) {
            Json damaged = json;
            damaged.erase(key);
            const auto refused = kernelRequestFromJson(damaged);
            QVERIFY2(!refused.ok() && refused.error().code == "bad-protocol", key);
        }
        Json newer = json;
        newer["protocol"] = 99;
        QVERIFY(!kernelRequestFromJson(newer).ok());
        QCOMPARE(std::get<KernelRunRequest>(*back).cluster[0], std::uint64_t{3});
        Json without = json;
        without.erase("cluster");
        QCOMPARE(std::get<KernelRunRequest>(*kernelRequestFromJson(without)).cluster[0], std::uint64_t{0});
        Json two = json;
        two["grid"] = Json::array({1, 2});
        QVERIFY(!kernelRequestFromJson(two).ok());
    }

    void gradingsGoThereAndBack()
    {
        KernelGradeRequest grade;
        grade.source = {"a.cu", "text\n", false};
        grade.task = "saxpy";
        grade.target = "sim:t4";
        grade.secret = "s";
        grade.cases = {{{{"n", std::int64_t{5}}}, true, false}, {{{"n", std::int64_t{7}}}, false, true}};
        grade.rounds = 3;
        grade.limits = {5, 100};
        const Json json = toJson(KernelRequest{grade});
        QVERIFY(isKernelRequest(json));
        const auto back = kernelRequestFromJson(json);
        QVERIFY2(back.ok(), back ? "" : toText(back.error()).c_str());
        QCOMPARE(toJson(*back).dump(), json.dump());
        QCOMPARE(std::get<KernelGradeRequest>(*back).cases, grade.cases);
        for (const char* key : {"source", "task", "target", "secret", "cases", "rounds"}) {
            Json damaged = json;
            damaged.erase(key);
            const auto refused = kernelRequestFromJson(damaged);
            QVERIFY2(!refused.ok() && refused.error().code == "bad-protocol", key);
        }
        for (const int rounds : {0, 101}) {
            Json wrong = json;
            wrong["rounds"] = rounds;
            QVERIFY(!kernelRequestFromJson(wrong).ok());
        }
        Json sizeless = json;
        sizeless["cases"][0].erase("sizes");
        QVERIFY(!kernelRequestFromJson(sizeless).ok());
    }

    void kernelEventsGoThroughThePipe()
    {
        EventReader reader;
        reader.feed(encodeEvent(KernelEvent{Json{{"cycles", 12}}}));
        const auto event = reader.next();
        QVERIFY(event.ok() && event->has_value() && std::holds_alternative<KernelEvent>(**event));
        QCOMPARE(std::get<KernelEvent>(**event).document->at("cycles").get<int>(), 12);
        QVERIFY(reader.atBoundary());
    }

    void dimensionsAndArchitectures()
    {
        QCOMPARE(*dimensionsFromText("8", "--grid"), (std::array<std::uint64_t, 3>{8, 1, 1}));
        QCOMPARE(*dimensionsFromText("8,4,2", "--grid"), (std::array<std::uint64_t, 3>{8, 4, 2}));
        for (const char* text : {"", "0", "8,", "a", "1,2,3,4", "-1", "99999999999", "8 "})
            QVERIFY2(!dimensionsFromText(text, "--block").ok(), text);
        QCOMPARE(*smFromText("sm_80"), 80);
        QCOMPARE(*smFromText("sm_90a"), 90);
        QCOMPARE(*smFromText("compute_120"), 120);
        QCOMPARE(*smFromText("8.6"), 86);
        for (const char* text : {"", "sm_", "sm_x", "9", "fast", "sm_1000000"})
            QVERIFY2(!smFromText(text).ok(), text);
    }

    /// As C lays out the same struct: offsets and sizes of the compiler that compiles this.
    void fieldsOfAStructLieAsInC()
    {
        struct Inner {
            double a;
            std::int32_t b;
        };
        struct Outer {
            std::uint8_t first;
            Inner inner;
            std::uint16_t small;
            const void* pointer;
            float four[4];
            std::uint8_t last;
        };
        const auto read =
            parseStructArgument("struct:{u8:1,struct:{f64:2,i32:-3},f16:1,inout:f32:8:rand(7)>a.bin,4*f32:0,u8:9}", 1);
        QVERIFY2(read.ok(), read ? "" : read.error().message.c_str());
        QCOMPARE(read->bytes, std::uint64_t{sizeof(Outer)});
        QCOMPARE(read->align, std::uint64_t{alignof(Outer)});
        std::vector<std::uint64_t> offsets;
        for (const auto& field : read->fields)
            offsets.push_back(field.offset);
        const std::uint64_t inner = offsetof(Outer, inner), four = offsetof(Outer, four);
        QCOMPARE(offsets, (std::vector<std::uint64_t>{0, inner, inner + offsetof(Inner, b), offsetof(Outer, small),
                                                      offsetof(Outer, pointer), four, four + 4, four + 8, four + 12,
                                                      offsetof(Outer, last)}));
        QCOMPARE(read->fields[4].value.seed, std::uint64_t{7});
        QCOMPARE(read->fields[4].value.outFile, std::string("a.bin"));
    }

    void structsThatCannotBeRead()
    {
        for (const auto& [text, says] : std::vector<std::pair<const char*, const char*>>{
                 {"struct:", "between { and }"},
                 {"struct:{}", "has no field"},
                 {"struct:{u32:1,}", "ends in a comma"},
                 {"struct:{u32:1}}", "closes a bracket"},
                 {"struct:{u32:1,f31:2}", "'f31', which is no type"},
                 {"struct:{0*u32:1}", "no number of fields"},
                 {"struct:{99999999999999999999*u32:1}", "no number of fields"},
                 {"struct:{32765*u8:1}", "no number of fields"},
                 {"struct:{8000*u64:1}", "more than 32764 bytes"},
                 {"struct:{struct:{struct:{struct:{struct:{struct:{struct:{struct:{struct:{struct:{u8:1}}}}}}}}}}",
                  "nests structs"}}) {
            const auto read = parseStructArgument(text, 3);
            QVERIFY2(!read && read.error().message.find(says) != std::string::npos &&
                         read.error().place == "argument 3",
                     read ? text : read.error().message.c_str());
            QVERIFY(!checkArgumentText(text, 3));
        }
        for (const auto& [text, says] : std::vector<std::pair<const char*, const char*>>{
                 {"tensor:", "between { and }"},
                 {"tensor:{f32:1,size=4,box=4}", "no buffer"},
                 {"tensor:{in:f16:8192:ones}", "has no size"},
                 {"tensor:{in:f16:8192:ones,size=128x64}", "has no box"},
                 {"tensor:{in:f16:8192:ones,size=128x64,box=64}", "2 sizes and 1 in box"},
                 {"tensor:{in:f16:8192:ones,size=128x64,box=257x1}", "a box of 257"},
                 {"tensor:{in:f16:8192:ones,size=128x64,box=0x1}", "box=0x1"},
                 {"tensor:{in:f16:8192:ones,size=128x64,box=12x4}", "rows have 24 bytes"},
                 {"tensor:{in:f16:8192:ones,size=128x64,box=64x4,swizzle=64}", "more than the swizzle"},
                 {"tensor:{in:f16:8192:ones,size=128x65,box=64x4}", "ends at byte 16640 of a buffer of 16384"},
                 {"tensor:{in:f16:8192:ones,size=100x64,box=8x4}", "stride of 200 bytes"},
                 {"tensor:{in:f16:8192:ones,size=128x99999999999,box=8x4}", "99999999999 elements"},
                 {"tensor:{in:f16:8192:ones,size=128x4294967296,box=8x4}", "leads out of its buffer"},
                 {"tensor:{in:f16:8192:ones,size=2x2x2x2x2x2,box=8x4}", "1 to 5 whole numbers"},
                 {"tensor:{in:f16:8192:ones,size=128x64,box=64x4,step=1x9}", "step of 9"},
                 {"tensor:{in:f16:8192:ones,size=128x64,box=64x4,swizzle=48}", "the field 'swizzle=48'"},
                 {"tensor:{in:f16:8192:ones,size=128x64,box=64x4,fill=two}", "the field 'fill=two'"},
                 {"tensor:{in:f16:8192:ones,size=128x64,box=64x4,lower=0,upper=0}", "2 sizes, 1 lower"},
                 {"tensor:{in:f16:8192:ones,size=64x8x4x4,box=64x4,lower=0x0,upper=0}", "2 lower and 1 upper"},
                 {"tensor:{in:f16:8192:ones,size=64x8x4x4,box=64x4x1x1,lower=0x0,upper=0x0}", "4 numbers in box"},
                 {"tensor:{in:f16:8192:ones,size=64x8x4x4,box=64x1025,lower=0x0,upper=0x0}", "a box of 1025"},
                 {"tensor:{in:f16:8192:ones,size=64x8x4x4,box=64x4,lower=0x-129,upper=0x0}", "a corner of -129"},
                 {"tensor:{in:f16:8192:ones,size=64x8x4x4,box=64x4,lower=0xz,upper=0x0}", "lower=0xz"},
                 {"=f32:1", "names no variable"},
                 {"taps=f33:1", "no type"}}) {
            const auto read = checkArgumentText(text, 3);
            QVERIFY2(!read && read.error().message.find(says) != std::string::npos,
                     read ? text : read.error().message.c_str());
        }
        const auto map = parseTensorArgument("tensor:{inout:f16:8192:rand(1)>o.bin,size=64x16x8,box=64x8x1,step=1x2x1,"
                                             "swizzle=128,fill=nan}",
                                             1);
        QVERIFY2(map.ok(), map ? "" : map.error().message.c_str());
        QCOMPARE(map->stride, (std::vector<std::uint64_t>{128, 2048}));
        QVERIFY(map->swizzle == 128 && map->fillNan && map->step[1] == 2 && map->buffer.outFile == "o.bin");
        const auto windows = parseTensorArgument(
            "tensor:{in:f16:8192:ones,size=64x8x4x4,box=64x600,lower=-1x-2,upper=-1x0,step=1x2x1x1}", 1);
        QVERIFY2(windows.ok(), windows ? "" : windows.error().message.c_str());
        QVERIFY(windows->isWindows() && !map->isWindows());
        QCOMPARE(windows->lower, (std::vector<std::int64_t>{-1, -2}));
        QCOMPARE(windows->upper, (std::vector<std::int64_t>{-1, 0}));
        QVERIFY(checkArgumentText("a::taps=in:f32:3:@a=b", 1).ok());
        QVERIFY(checkArgumentText("struct:{2*in:f32:4:ones}", 1).ok());
        QVERIFY(checkArgumentText("f32:1", 1).ok());
    }
};

QTEST_APPLESS_MAIN(TestKernelArgument)
#include "tst_kernel_argument.moc"
