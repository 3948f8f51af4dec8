// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/hash.h"
#include "base/paths.h"
#include "compile_fixture.h"

#include <QRegularExpression>

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::test;

namespace {

std::vector<std::string> shippedKernels()
{
    std::vector<std::string> names;
    const auto root = *dataFolder() / "kernels";
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root))
        if (entry.path().extension() == ".cu")
            names.push_back(entry.path().lexically_relative(root).generic_string());
    std::ranges::sort(names);
    return names;
}

/// The names that a launch asks for, read from the source.
/// Names of the entries that stand in the source as they are; those that macros put together are not among them.
QStringList entriesOf(const KernelSource& source)
{
    static const QRegularExpression kEntry(
        QStringLiteral("\nextern \"C\" __global__ void (?:__launch_bounds__\\([^)]*\\)[\\s\\\\]*)?(\\w+)\\("));
    QStringList names;
    auto found = kEntry.globalMatch(text(source.text));
    while (found.hasNext())
        if (const QString name = found.next().captured(1); name != QLatin1String("__launch_bounds__"))
            names << name;
    return names;
}

/// Without which a kernel is empty, as its head says; 0: any chip will do.
int neededSm(const KernelSource& source)
{
    static const QRegularExpression kNeeds(QStringLiteral("\n// Needs +sm_(\\d+)"));
    return kNeeds.match(text(source.text)).captured(1).toInt();
}

/// The body of one entry, up to the next one.
QString bodyOf(const std::string& ptx, const QString& entry)
{
    const QString all = text(ptx);
    const auto start = all.indexOf(QStringLiteral(".entry ") + entry + QStringLiteral("("));
    if (start < 0)
        return {};
    return all.mid(start, all.indexOf(QStringLiteral(".entry "), start + 7) - start);
}

const char* const kWays[] = {"nvrtc", "nvcc", "clang", "shipped"};

/// Why a way is not on this machine; empty when it is.
QString absent(const std::string& way)
{
    for (const auto& info : listCompilers())
        if (info.id == way)
            return info.available ? QString() : text(way + ": " + info.detail);
    return QStringLiteral("not listed");
}

} // namespace

class TestCompile : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyWayCompilesEveryKernel_data();
    void everyWayCompilesEveryKernel();
    void clangIsHere();
    void shippedPtxIsUpToDate();
    void wideLoadsStayWide_data();
    void wideLoadsStayWide();
    void architectureDoesNotExceedTheChip_data();
    void architectureDoesNotExceedTheChip();
    void syntaxErrorNamesTheLine_data();
    void syntaxErrorNamesTheLine();
    void errorInTheSourceEndsTheSearch();
    void withoutCompilersTheShippedPtxServes();
    void emptyPathIsEnough();
    void withoutCompilersAnEditedKernelSaysWhatToDo();
    void shippedRefusesAnEditedKernel();
    void shippedPtxFitsTheChip();
    void whatOneChipAloneHas();
    void environmentChoosesTheCompiler();
    void unknownKernelAndCompilerAreNamed();
    void headerOffersTheBasics();
    void everyWayCompilesTheCorpus_data();
    void everyWayCompilesTheCorpus();
    void exactModeFusesNothing_data();
    void exactModeFusesNothing();
};

void TestCompile::everyWayCompilesEveryKernel_data()
{
    QTest::addColumn<QString>("way");
    QTest::addColumn<QString>("kernel");
    // In the fast suite each compiler takes every third, so that every kernel is compiled by one of them.
    const bool some = qEnvironmentVariable("RIDGE_CASE") == QLatin1String("some");
    int way = 0;
    for (const char* name : kWays) {
        int at = way++;
        for (const auto& kernel : shippedKernels())
            if (at++ % 3 == 0 || !some || QLatin1String(name) == QLatin1String("shipped"))
                QTest::addRow("%s %s", name, kernel.c_str()) << QString::fromLatin1(name) << text(kernel);
    }
}

void TestCompile::everyWayCompilesEveryKernel()
{
    QFETCH(QString, way);
    QFETCH(QString, kernel);
    if (const auto why = absent(way.toStdString()); !why.isEmpty())
        QSKIP(qPrintable(why));
    OwnCache cache;
    const auto source = readKernel(kernel.toStdString());
    QVERIFY(source.ok());
    const auto entries = entriesOf(*source);
    const int sm = std::max(80, neededSm(*source));
    const auto program = compile(*source, sm / 10, sm % 10, *compilerFromText(way.toStdString()));
    if (way == QLatin1String("clang") && sm > 86 && !program.ok()) {
        // Debian's clang knows nothing newer: it must say so, and never hand out the empty kernel it made.
        QVERIFY2(text(toText(program.error())).contains(QStringLiteral("needs sm_%1").arg(sm)),
                 toText(program.error()).c_str());
        return;
    }
    QVERIFY2(program.ok(), program.ok() ? "" : toText(program.error()).c_str());
    QCOMPARE(text(program->compiler), way);
    QCOMPARE(text(program->name), kernel);
    QCOMPARE(program->sourceSha256, sha256Hex(source->text));
    QVERIFY(!program->compilerVersion.empty());
    QVERIFY2(text(program->ptx).contains(QStringLiteral(".visible .entry ")), "the kernel has no entry");
    for (const auto& entry : entries)
        QVERIFY2(text(program->ptx).contains(QStringLiteral(".visible .entry ") + entry + QStringLiteral("(")),
                 qPrintable(entry));
    // Lines lead to the kernel's own name, not to a folder of this machine.
    QVERIFY(text(program->ptx).contains(QStringLiteral(".file\t1 \"%1\"").arg(kernel)));
    QVERIFY(text(program->ptx).contains(QStringLiteral(".loc")));
}

/// The same files with the headers of each: CUDA's own, or those of assets/cuda.
void TestCompile::everyWayCompilesTheCorpus_data()
{
    QTest::addColumn<QString>("way");
    for (const char* way : {"nvrtc", "nvcc", "clang"})
        QTest::newRow(way) << QString::fromLatin1(way);
}

void TestCompile::everyWayCompilesTheCorpus()
{
    QFETCH(QString, way);
    if (const auto why = absent(way.toStdString()); !why.isEmpty())
        QSKIP(qPrintable(why));
    OwnCache cache;
    for (const char* part : {"lab", "library"}) {
        QFile file(QStringLiteral("%1/tests/gpu/simt/fixtures/corpus/%2.cu")
                       .arg(qEnvironmentVariable("RIDGE_SOURCE"), QLatin1String(part)));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto program = compile({std::string(part) + ".cu", file.readAll().toStdString()}, 8, 0,
                                     *compilerFromText(way.toStdString()));
        QVERIFY2(program.ok(), program.ok() ? "" : toText(program.error()).c_str());
    }
}

void TestCompile::exactModeFusesNothing_data()
{
    everyWayCompilesTheCorpus_data();
}

void TestCompile::exactModeFusesNothing()
{
    QFETCH(QString, way);
    if (const auto why = absent(way.toStdString()); !why.isEmpty())
        QSKIP(qPrintable(why));
    OwnCache cache;
    const KernelSource source{"mine/fused.cu",
                              "extern \"C\" __global__ void k(float* a) { a[0] = a[1] * a[2] + a[3]; }\n"
                              "extern \"C\" __global__ void f(float* a) { a[0] = fmaf(a[1], a[2], a[3]); }\n"};
    for (const bool exact : {false, true}) {
        const auto program =
            compile(source, 8, 0, CompileOptions{*compilerFromText(way.toStdString()), exact, false, {}});
        QVERIFY2(program.ok(), program.ok() ? "" : toText(program.error()).c_str());
        QCOMPARE(text(program->ptx).count(QStringLiteral("fma.rn.f32")), exact ? 1 : 2);
        QCOMPARE(text(program->ptx).contains(QStringLiteral("mul.rn.f32")), exact);
    }
    // CUDA's header has these in assembly, out of the reach of -fmad.
    const KernelSource halves{"mine/halves.cu",
                              "#include <cuda_fp16.h>\n"
                              "extern \"C\" __global__ void k(__half* a) { a[0] = a[1] * a[2] + a[3]; }\n"};
    for (const bool exact : {false, true}) {
        const auto program =
            compile(halves, 8, 0, CompileOptions{*compilerFromText(way.toStdString()), exact, false, {}});
        if (!program.ok() && toText(program.error()).find("lacks a header") != std::string::npos)
            QSKIP("the compiler is here without the toolkit's headers");
        QVERIFY2(program.ok(), program.ok() ? "" : toText(program.error()).c_str());
        QCOMPARE(text(program->ptx).contains(QStringLiteral("mul.rn.f16")), exact);
        QCOMPARE(text(program->ptx).contains(QStringLiteral("mul.f16")), !exact);
    }
    QVERIFY(!compile(*readKernel("coalescing/01_strided_read.cu"), 8, 0,
                     CompileOptions{CompilerChoice::Shipped, true, false, {}})
                 .ok());
}

void TestCompile::clangIsHere()
{
    // Set-up installs it on every machine, so that kernels can be edited without NVIDIA's software.
    QVERIFY2(absent("clang").isEmpty(), qPrintable(absent("clang")));
}

void TestCompile::shippedPtxIsUpToDate()
{
    NoCompilers none;
    for (const auto& kernel : shippedKernels())
        for (const auto& [minor, arch] : {std::pair{0, "sm_70"}, std::pair{5, "sm_75"}}) {
            if (neededSm(*readKernel(kernel)) > 70 + minor)
                continue; // there is one file for the chip that it needs
            const auto program = compile(*readKernel(kernel), 7, minor, CompilerChoice::Shipped);
            QVERIFY2(program.ok(), program.ok() ? "" : toText(program.error()).c_str());
            QCOMPARE(text(program->arch), text(arch));
        }
}

void TestCompile::wideLoadsStayWide_data()
{
    QTest::addColumn<QString>("way");
    for (const char* way : kWays)
        QTest::newRow(way) << QString::fromLatin1(way);
}

void TestCompile::wideLoadsStayWide()
{
    QFETCH(QString, way);
    if (const auto why = absent(way.toStdString()); !why.isEmpty())
        QSKIP(qPrintable(why));
    OwnCache cache;
    const auto choice = *compilerFromText(way.toStdString());
    const auto global = compile(*readKernel("coalescing/01_strided_read.cu"), 8, 0, choice);
    const auto shared = compile(*readKernel("bank_conflicts/01_strided_shared.cu"), 8, 0, choice);
    QVERIFY(global.ok() && shared.ok());
    struct Row {
        const char* width;
        const char* load;
    };
    for (const auto& [width, load] : {Row{"4", ""}, Row{"8", ".v2"}, Row{"16", ".v4"}}) {
        const auto read = bodyOf(global->ptx, QStringLiteral("strided_read_%1").arg(QLatin1String(width)));
        const auto tile = bodyOf(shared->ptx, QStringLiteral("strided_shared_%1").arg(QLatin1String(width)));
        QVERIFY(!read.isEmpty() && !tile.isEmpty());
        // One load and one store in all, of the full width: nothing split, nothing fetched twice.
        QCOMPARE(read.count(QLatin1String("ld.global")), 1);
        QCOMPARE(read.count(QStringLiteral("ld.global%1.").arg(QLatin1String(load))), 1);
        QCOMPARE(read.count(QStringLiteral("st.global%1.").arg(QLatin1String(load))), 1);
        QVERIFY(tile.count(QLatin1String("ld.shared")) > 0);
        QCOMPARE(tile.count(QStringLiteral("ld.shared%1.").arg(QLatin1String(load))),
                 tile.count(QLatin1String("ld.shared")));
        if (*load == '\0')
            QCOMPARE(read.count(QLatin1String("global.v")) + tile.count(QLatin1String("shared.v")), 0);
    }
}

void TestCompile::architectureDoesNotExceedTheChip_data()
{
    wideLoadsStayWide_data();
}

void TestCompile::architectureDoesNotExceedTheChip()
{
    QFETCH(QString, way);
    if (const auto why = absent(way.toStdString()); !why.isEmpty())
        QSKIP(qPrintable(why));
    OwnCache cache;
    const auto source = *readKernel("coalescing/01_strided_read.cu");
    const auto choice = *compilerFromText(way.toStdString());
    for (const int sm : {70, 75, 80, 86, 89, 90, 100, 120}) {
        const auto program = compile(source, sm / 10, sm % 10, choice);
        if (!program) { // a compiler that no longer knows so old a chip
            QCOMPARE(text(program.error().code), QStringLiteral("no-compiler"));
            QVERIFY(text(program.error().message).contains(QStringLiteral("sm_%1").arg(sm)));
            QVERIFY(sm < 75);
            continue;
        }
        QVERIFY(text(program->arch).startsWith(QLatin1String("sm_")));
        QVERIFY2(text(program->arch).mid(3).toInt() <= sm, program->arch.c_str());
        QVERIFY(text(program->ptx).contains(QStringLiteral(".target ") + text(program->arch)));
    }
}

void TestCompile::syntaxErrorNamesTheLine_data()
{
    wideLoadsStayWide_data();
}

void TestCompile::syntaxErrorNamesTheLine()
{
    QFETCH(QString, way);
    if (way == QLatin1String("shipped"))
        QSKIP("shipped PTX is not compiled");
    if (const auto why = absent(way.toStdString()); !why.isEmpty())
        QSKIP(qPrintable(why));
    OwnCache cache;
    const KernelSource broken{"mine/broken.cu", "extern \"C\" __global__ void k(float* p)\n"
                                                "{\n"
                                                "    p[threadIdx.x] = scale(2);\n"
                                                "}\n"};
    const auto program = compile(broken, 8, 0, *compilerFromText(way.toStdString()));
    QVERIFY(!program.ok());
    QCOMPARE(text(program.error().code), QStringLiteral("compile-failed"));
    QCOMPARE(text(program.error().place), QStringLiteral("mine/broken.cu:3:22"));
    QVERIFY(text(program.error().message).contains(QLatin1String("scale")));
    QVERIFY(text(program.error().fix).contains(QLatin1String("line 3")));
    QVERIFY(!text(program.error().message).contains(QLatin1String("/tmp")));
    QVERIFY(cache.entries().empty());
}

void TestCompile::errorInTheSourceEndsTheSearch()
{
    // Another compiler might accept what the first refused; the learner would never see the message.
    OwnCache cache;
    const auto program =
        compile({"mine/broken.cu", "extern \"C\" __global__ void k() { int }\n"}, 8, 0, CompilerChoice::Automatic);
    QVERIFY(!program.ok());
    QCOMPARE(text(program.error().code), QStringLiteral("compile-failed"));
    QVERIFY(text(program.error().place).startsWith(QLatin1String("mine/broken.cu:1")));
}

void TestCompile::withoutCompilersTheShippedPtxServes()
{
    NoCompilers none;
    for (const auto& info : listCompilers())
        QCOMPARE(info.available, info.id == "shipped");
    for (const auto& kernel : shippedKernels()) {
        const auto program = compile(*readKernel(kernel), 9, 0, CompilerChoice::Automatic);
        QVERIFY2(program.ok(), program.ok() ? "" : toText(program.error()).c_str());
        QCOMPARE(text(program->compiler), QStringLiteral("shipped"));
        static const QRegularExpression kNeeds(QStringLiteral("\n// (?:Needs|Also) +(sm_\\d+a?)"));
        const auto needs = kNeeds.match(text(readKernel(kernel)->text));
        QCOMPARE(text(program->arch), needs.hasMatch() ? needs.captured(1) : QStringLiteral("sm_75"));
    }
}

void TestCompile::emptyPathIsEnough()
{
    // An nvcc in /usr/local/cuda is found without PATH but then finds no host compiler: that must not end the search.
    OwnCache cache;
    ScopedEnv path("PATH", "");
    ScopedEnv nvrtc("RIDGE_NVRTC", "/nowhere/libnvrtc.so");
    ScopedEnv nvcc("RIDGE_NVCC", ""); // as if unset
    ScopedEnv clang("RIDGE_CLANG", "");
    const auto program = compile(*readKernel("coalescing/01_strided_read.cu"), 9, 0, CompilerChoice::Automatic);
    QVERIFY2(program.ok(), program.ok() ? "" : toText(program.error()).c_str());
    QCOMPARE(text(program->compiler), QStringLiteral("shipped"));
}

void TestCompile::withoutCompilersAnEditedKernelSaysWhatToDo()
{
    NoCompilers none;
    auto source = *readKernel("coalescing/01_strided_read.cu");
    source.text += "// edited\n";
    const auto program = compile(source, 9, 0, CompilerChoice::Automatic);
    QVERIFY(!program.ok());
    QCOMPARE(text(program.error().code), QStringLiteral("no-compiler"));
    QVERIFY(text(program.error().place).contains(QLatin1String("01_strided_read.cu")));
    for (const char* said : {"RIDGE_NVRTC", "RIDGE_NVCC", "RIDGE_CLANG", "differs from the source"})
        QVERIFY2(text(program.error().message).contains(QLatin1String(said)), said);
    QVERIFY(text(program.error().fix).contains(QLatin1String("apt install clang")));
    QVERIFY(text(program.error().fix).contains(QLatin1String("restore")));
}

void TestCompile::shippedRefusesAnEditedKernel()
{
    auto source = *readKernel("bank_conflicts/01_strided_shared.cu");
    source.text += " ";
    const auto program = compile(source, 9, 0, CompilerChoice::Shipped);
    QVERIFY(!program.ok());
    QCOMPARE(text(program.error().code), QStringLiteral("shipped-mismatch"));
    const auto unknown = compile({"mine/new.cu", "x"}, 9, 0, CompilerChoice::Shipped);
    QVERIFY(!unknown.ok());
    QCOMPARE(text(unknown.error().code), QStringLiteral("no-compiler"));
    QVERIFY(text(unknown.error().message).contains(QLatin1String("mine/new.cu")));
}

void TestCompile::shippedPtxFitsTheChip()
{
    const auto source = *readKernel("coalescing/01_strided_read.cu");
    const auto old = compile(source, 6, 1, CompilerChoice::Shipped);
    QVERIFY(!old.ok());
    QVERIFY(text(old.error().message).contains(QLatin1String("sm_61")));
}

void TestCompile::whatOneChipAloneHas()
{
    OwnCache cache;
    const auto source = readKernel("tensor_cores/04_wgmma.cu"); // its head: Needs     sm_90a
    QVERIFY(source.ok());
    for (const char* way : {"nvrtc", "nvcc", "shipped"}) {
        if (!absent(way).isEmpty())
            continue;
        const auto program = compile(*source, 9, 0, *compilerFromText(way));
        QVERIFY2(program.ok(), program.ok() ? "" : toText(program.error()).c_str());
        QVERIFY2(text(program->ptx).contains(QStringLiteral(".target sm_90a")), way);
        QVERIFY2(text(program->ptx).contains(QStringLiteral("wgmma.mma_async")), way);
    }
    // A later chip runs what was made for an earlier one, but not this.
    const auto later = compile(*source, 10, 0, CompilerChoice::Shipped);
    QVERIFY(!later.ok() && later.error().code == "no-compiler");
}

void TestCompile::environmentChoosesTheCompiler()
{
    const auto source = *readKernel("coalescing/01_strided_read.cu");
    {
        ScopedEnv wish("RIDGE_COMPILER", "shipped");
        const auto program = compile(source, 8, 0, CompilerChoice::Automatic);
        QVERIFY(program.ok());
        QCOMPARE(text(program->compiler), QStringLiteral("shipped"));
    }
    ScopedEnv wrong("RIDGE_COMPILER", "gcc");
    const auto program = compile(source, 8, 0, CompilerChoice::Automatic);
    QVERIFY(!program.ok());
    QCOMPARE(text(program.error().code), QStringLiteral("unknown-compiler"));
    QCOMPARE(text(program.error().place), QStringLiteral("RIDGE_COMPILER"));
    // An explicit choice does not ask the environment.
    QVERIFY(compile(source, 8, 0, CompilerChoice::Shipped).ok());
}

void TestCompile::unknownKernelAndCompilerAreNamed()
{
    for (const char* name : {"coalescing/99_missing.cu", "../README.md", "/etc/passwd", ""}) {
        const auto source = readKernel(name);
        QVERIFY2(!source.ok(), name);
        QCOMPARE(text(source.error().code), QStringLiteral("cannot-read"));
        QVERIFY(text(toText(source.error())).contains(QLatin1String(name)));
    }
    const auto choice = compilerFromText("msvc");
    QVERIFY(!choice.ok());
    QVERIFY(text(choice.error().message).contains(QLatin1String("msvc")));
    QVERIFY(text(choice.error().fix).contains(QLatin1String("nvrtc")));
}

void TestCompile::headerOffersTheBasics()
{
    // One kernel that uses what the lessons use; NVIDIA's compilers say whether our header has the right names.
    const KernelSource basics{"mine/basics.cu", R"(
        __constant__ float table[4];
        template <class T> __device__ __forceinline__ T twice(T v) { return v + v; }
        extern "C" __global__ void __launch_bounds__(256) basics(float4* v, unsigned int* hits, float* sums, int n)
        {
            __shared__ float tile[32][33];
            int i = blockIdx.y * gridDim.x + blockIdx.x * blockDim.x + threadIdx.x;
            unsigned int live = __ballot_sync(0xffffffffu, i < n);
            float s = fmaf(v[i].x, 2.0f, table[i & 3]) + fmaxf(v[i].y, sqrtf(fabsf(v[i].z)));
            for (int step = 16; step > 0; step /= 2)
                s += __shfl_xor_sync(0xffffffffu, s, step);
            s += __shfl_down_sync(live, s, 1) + __shfl_up_sync(live, s, 1) + __shfl_sync(live, s, 0);
            tile[threadIdx.y][threadIdx.x % 32] = twice(s);
            __syncthreads();
            __syncwarp();
            if (threadIdx.x % 32 == 0) {
                atomicAdd(sums, tile[threadIdx.z][threadIdx.x % 32] * __expf(-s) * rsqrtf(s + 1.0f));
                atomicAdd(hits, (unsigned int)__popc(live));
                atomicCAS(hits + 1, 0u, 1u);
                atomicMax((int*)hits + 2, __clz(i) + min(i, n));
            }
            __threadfence();
            v[i] = make_float4(s, s, (float)n, __int_as_float(i));
            double2 d = make_double2(s, s);
            sums[i] = (float)(d.x + d.y);
            dim3 unused(2, 3);
            sums[i + 1] = unused.y;
        }
    )"};
    OwnCache cache;
    for (const char* way : {"clang", "nvrtc", "nvcc"}) {
        if (!absent(way).isEmpty())
            continue;
        const auto program = compile(basics, 8, 0, *compilerFromText(way));
        QVERIFY2(program.ok(), program.ok() ? "" : toText(program.error()).c_str());
        for (const char* op : {"shfl.sync.bfly", "vote.sync.ballot", "bar.sync", "atom", "fma.rn", "st.global.v4"})
            QVERIFY2(text(program->ptx).contains(QLatin1String(op)), op);
    }
}

QTEST_GUILESS_MAIN(TestCompile)
#include "tst_compile.moc"
