// SPDX-License-Identifier: GPL-3.0-or-later
// An NVRTC that cannot serve leaves the file to the next compiler and says why.
#include "compile_fixture.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::test;

namespace {

const KernelSource kSource{"mine/a.cu", "source"};

} // namespace

class TestNvrtc : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void whatIsNoLibraryIsSkipped();
    void withoutHeadersIsSkipped();
};

void TestNvrtc::whatIsNoLibraryIsSkipped()
{
    QTemporaryDir folder;
    const auto library = folder.path().toStdString() + "/libnvrtc.so.13";
    QVERIFY(writeFile(library, "not a library").ok());
    OwnCache cache;
    CountingClang clang;
    ScopedEnv nvrtc("RIDGE_NVRTC", QByteArray::fromStdString(library));
    ScopedEnv nvcc("RIDGE_NVCC", "/nowhere/nvcc");
    const auto alone = compile(kSource, 8, 0, CompilerChoice::Nvrtc);
    QVERIFY(!alone.ok());
    QCOMPARE(text(alone.error().code), QStringLiteral("no-compiler"));
    QVERIFY(text(alone.error().message).contains(text(library)));
    const auto program = compile(kSource, 8, 0, CompilerChoice::Automatic);
    QVERIFY(program.ok());
    QCOMPARE(text(program->compiler), QStringLiteral("clang"));
    const auto all = listCompilers();
    QVERIFY(!all.front().available);
    QVERIFY(text(all.front().detail).contains(text(library)));
}

/// As pip installs it alone: no header of CUDA's lies beside it.
void TestNvrtc::withoutHeadersIsSkipped()
{
    namespace fs = std::filesystem;
    const auto real = listCompilers().front();
    if (!real.available)
        QSKIP("no NVRTC on this machine");
    QTemporaryDir folder;
    const fs::path alone = folder.path().toStdString();
    for (const auto& file : fs::directory_iterator(fs::path(real.detail).parent_path()))
        if (file.path().filename().string().starts_with("libnvrtc") && !file.is_symlink())
            fs::copy(file.path(), alone);
    const fs::path library = alone / fs::canonical(real.detail).filename();
    OwnCache cache;
    CountingClang clang;
    ScopedEnv nvrtc("RIDGE_NVRTC", QByteArray::fromStdString(library.string()));
    ScopedEnv nvcc("RIDGE_NVCC", "/nowhere/nvcc");
    const KernelSource source{"mine/half.cu", "#include <cuda_fp16.h>\nextern \"C\" __global__ void k(__half*) {}\n"};
    CompileOptions options;
    options.wholeFile = true;
    const auto program = compile(source, 8, 0, options);
    QVERIFY2(program.ok(), program.ok() ? "" : toText(program.error()).c_str());
    QCOMPARE(text(program->compiler), QStringLiteral("clang"));
    const auto refused = compile(source, 8, 0, CompilerChoice::Nvrtc);
    QVERIFY(!refused.ok());
    QCOMPARE(text(refused.error().code), QStringLiteral("no-compiler"));
    QVERIFY(text(refused.error().message).contains(QLatin1String("cuda_fp16.h")));
    QVERIFY(compile({"mine/plain.cu", "__global__ void k() {}\n"}, 8, 0, CompilerChoice::Nvrtc).ok());
}

QTEST_GUILESS_MAIN(TestNvrtc)
#include "tst_nvrtc.moc"
