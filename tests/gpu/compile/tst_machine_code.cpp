// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/hash.h"
#include "base/paths.h"
#include "compile_fixture.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::test;

namespace {

const KernelSource kScale{"mine/scale.cu", "extern \"C\" __global__ void scale(float* x, float a)\n"
                                           "{\n    x[threadIdx.x] *= a;\n}\n"};
// 80,000 bytes of static shared memory: legal C++ and legal PTX, but no chip's assembler lets it pass.
const KernelSource kTooMuch{"mine/much.cu", "extern \"C\" __global__ void much(float* x)\n{\n"
                                            "    __shared__ float all[20000];\n    all[threadIdx.x] = x[threadIdx.x];\n"
                                            "    __syncthreads();\n    x[threadIdx.x] = all[threadIdx.x ^ 1];\n}\n"};

CompileOptions withMachineCode(const char* way)
{
    CompileOptions options;
    options.choice = *compilerFromText(way);
    options.machineCode = true;
    return options;
}

bool isHere(const char* way)
{
    for (const auto& info : listCompilers())
        if (info.id == way)
            return info.available;
    return false;
}

/// An nvcc of our own: PTX for everything, and `assembler` as the answer to -cubin.
std::filesystem::path fakeNvcc(const QTemporaryDir& folder, const std::string& assembler)
{
    return makeScript(folder, "nvcc",
                      "case $1 in\n"
                      "--version) echo 'Cuda compilation tools, release 13.0, V13.0.48'; exit;;\n"
                      "--list-gpu-arch) echo compute_90; exit;;\n"
                      "-cubin) [ \"$2\" = -arch=sm_90 ] || exit 9; " +
                          assembler +
                          ";;\nesac\n"
                          "while [ \"$1\" != -o ]; do shift; done\n"
                          "printf '.version 9.0\\n.target sm_90\\n' > \"$2\"\n");
}

} // namespace

class TestMachineCode : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nvidiasCompilersMakeIt_data();
    void nvidiasCompilersMakeIt();
    void whatTheAssemblerRefusesIsTheSources_data();
    void whatTheAssemblerRefusesIsTheSources();
    void aChipThatTheCompilerDoesNotKnow_data() { ways(); }
    void aChipThatTheCompilerDoesNotKnow();
    void whatOneChipAloneHas_data() { ways(); }
    void whatOneChipAloneHas();
    void othersGiveTheDriverPtx();
    void withoutAnAssemblerThePtxServes();
    void theAssemblersWordsAreShown();
    void damageInTheMachineCodeIsSeen();

private:
    static void ways();
};

void TestMachineCode::ways()
{
    QTest::addColumn<QByteArray>("way");
    for (const char* way : {"nvrtc", "nvcc"})
        QTest::newRow(way) << QByteArray(way);
}

void TestMachineCode::nvidiasCompilersMakeIt_data()
{
    QTest::addColumn<QByteArray>("way");
    QTest::addColumn<bool>("exact");
    for (const char* way : {"nvrtc", "nvcc"})
        for (const bool exact : {false, true})
            QTest::addRow("%s%s", way, exact ? " exact" : "") << QByteArray(way) << exact;
}

void TestMachineCode::nvidiasCompilersMakeIt()
{
    QFETCH(QByteArray, way);
    QFETCH(bool, exact);
    if (!isHere(way.constData()))
        QSKIP("not on this machine");
    OwnCache cache;
    CompileOptions options = withMachineCode(way.constData());
    options.exact = exact;
    const auto first = compile(kScale, 9, 0, options);
    QVERIFY2(first.ok(), first.ok() ? "" : toText(first.error()).c_str());
    QCOMPARE(first->cubinArch, std::string("sm_90"));
    QVERIFY(first->cubin.starts_with("\x7f"
                                     "ELF"));
    QVERIFY(first->cubin.find(".text.scale") != std::string::npos);
    CompileOptions ptxOnly = options;
    ptxOnly.machineCode = false;
    const auto text = compile(kScale, 9, 0, ptxOnly);
    QVERIFY(text.ok());
    QVERIFY(text->cubin.empty() && text->cubinArch.empty());
    QCOMPARE(first->ptx, text->ptx); // what the simulator runs is what the GPU's code was made from
    QCOMPARE(cache.entries().size(), std::size_t{2});
    const auto kept = compile(kScale, 9, 0, options);
    QVERIFY(kept.ok());
    QCOMPARE(sha256Hex(kept->cubin), sha256Hex(first->cubin));
    QCOMPARE(kept->cubinArch, first->cubinArch);
    QCOMPARE(kept->ptx, first->ptx);
    QCOMPARE(cache.entries().size(), std::size_t{2});
    const auto other = compile(kScale, 8, 0, options);
    QVERIFY(other.ok());
    QCOMPARE(other->cubinArch, std::string("sm_80"));
    QVERIFY(other->cubin != first->cubin);
}

void TestMachineCode::whatTheAssemblerRefusesIsTheSources_data()
{
    ways();
}

void TestMachineCode::whatTheAssemblerRefusesIsTheSources()
{
    QFETCH(QByteArray, way);
    if (!isHere(way.constData()))
        QSKIP("not on this machine");
    OwnCache cache;
    const auto program = compile(kTooMuch, 9, 0, withMachineCode(way.constData()));
    QVERIFY(!program.ok());
    QCOMPARE(program.error().code, std::string("compile-failed"));
    QVERIFY2(text(program.error().message).contains(QLatin1String("'much' uses too much shared data")),
             program.error().message.c_str());
    QVERIFY(cache.entries().empty());
    QVERIFY(compile(kTooMuch, 9, 0, CompilerChoice::Nvrtc).ok() || way != "nvrtc"); // the PTX itself is in order
}

void TestMachineCode::aChipThatTheCompilerDoesNotKnow()
{
    QFETCH(QByteArray, way);
    if (!isHere(way.constData()))
        QSKIP("not on this machine");
    OwnCache cache;
    const auto program = compile(kScale, 9, 9, withMachineCode(way.constData()));
    QVERIFY2(program.ok(), program.ok() ? "" : toText(program.error()).c_str());
    QCOMPARE(program->arch, std::string("sm_90"));
    QVERIFY(program->cubin.empty() && program->cubinArch.empty());
}

void TestMachineCode::whatOneChipAloneHas()
{
    QFETCH(QByteArray, way);
    if (!isHere(way.constData()))
        QSKIP("not on this machine");
    OwnCache cache;
    KernelSource source = kScale;
    source.text = "\n// Needs     sm_90a\n" + source.text;
    const auto program = compile(source, 9, 0, withMachineCode(way.constData()));
    QVERIFY2(program.ok(), program.ok() ? "" : toText(program.error()).c_str());
    QCOMPARE(program->cubinArch, std::string("sm_90a"));
    QVERIFY(!program->cubin.empty());
}

void TestMachineCode::othersGiveTheDriverPtx()
{
    OwnCache cache;
    const auto shipped = readKernel("coalescing/01_strided_read.cu");
    QVERIFY(shipped.ok());
    for (const char* way : {"clang", "shipped"}) {
        const auto program = compile(*shipped, 8, 0, withMachineCode(way));
        QVERIFY2(program.ok(), program.ok() ? "" : toText(program.error()).c_str());
        QVERIFY(!program->ptx.empty() && program->cubin.empty() && program->cubinArch.empty());
    }
}

void TestMachineCode::withoutAnAssemblerThePtxServes()
{
    OwnCache cache;
    QTemporaryDir folder;
    const auto script = fakeNvcc(folder, "echo 'sh: 1: ptxas: not found' >&2; exit 255");
    ScopedEnv nvcc("RIDGE_NVCC", QByteArray::fromStdString(script.string()));
    const auto program = compile(kScale, 9, 0, withMachineCode("nvcc"));
    QVERIFY2(program.ok(), program.ok() ? "" : toText(program.error()).c_str());
    QVERIFY(!program->ptx.empty() && program->cubin.empty() && program->cubinArch.empty());
}

void TestMachineCode::theAssemblersWordsAreShown()
{
    OwnCache cache;
    QTemporaryDir folder;
    const auto script = fakeNvcc(folder, "echo 'ptxas error   : too many registers' >&2; exit 255");
    ScopedEnv nvcc("RIDGE_NVCC", QByteArray::fromStdString(script.string()));
    const auto program = compile(kScale, 9, 0, withMachineCode("nvcc"));
    QVERIFY(!program.ok());
    QCOMPARE(program.error().code, std::string("compile-failed"));
    QVERIFY(text(program.error().message).contains(QLatin1String("too many registers")));
    QCOMPARE(program.error().place, kScale.name);
}

void TestMachineCode::damageInTheMachineCodeIsSeen()
{
    OwnCache cache;
    QTemporaryDir folder;
    // Machine code with zeros and newlines in it.
    const auto script = fakeNvcc(folder, "printf 'code\\000of\\nsm' > \"$5\"; exit");
    ScopedEnv nvcc("RIDGE_NVCC", QByteArray::fromStdString(script.string()));
    const auto options = withMachineCode("nvcc");
    const auto first = compile(kScale, 9, 0, options);
    QVERIFY2(first.ok(), first.ok() ? "" : toText(first.error()).c_str());
    QCOMPARE(first->cubin, std::string("code\0of\nsm", 10));
    QCOMPARE(cache.entries().size(), std::size_t{1});
    const auto entry = cache.entries().front();
    const std::string whole = *readFile(entry);
    QCOMPARE(compile(kScale, 9, 0, options)->cubin, first->cubin);
    for (std::size_t back = 1; back <= first->cubin.size(); ++back) {
        auto flipped = whole;
        flipped[whole.size() - back] = static_cast<char>(flipped[whole.size() - back] ^ 4);
        for (const std::string& bytes : {flipped, whole.substr(0, whole.size() - back), whole + "x"}) {
            QVERIFY(writeFile(entry, bytes).ok());
            const auto again = compile(kScale, 9, 0, options);
            QVERIFY(again.ok());
            QCOMPARE(again->cubin, first->cubin);
            QCOMPARE(*readFile(entry), whole); // made and kept again
        }
    }
}

QTEST_GUILESS_MAIN(TestMachineCode)
#include "tst_machine_code.moc"
