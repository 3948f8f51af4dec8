// SPDX-License-Identifier: GPL-3.0-or-later
// What some releases of the compilers lack: they leave the file to the next one and say why.
#include "compile_fixture.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::test;

namespace {

const KernelSource kSource{"mine/a.cu", "source"};

} // namespace

class TestCompilers : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nvrtcThatIsNoLibrary();
    void nvrtcWithoutHeaders();
    void nvccIsAskedAboutNamesAlone();
    void clangWithoutGridConstants();
    void tensorMapsStayWhereTheyAre();
};

void TestCompilers::nvrtcThatIsNoLibrary()
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
void TestCompilers::nvrtcWithoutHeaders()
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

/// nvcc declares more than NVRTC, so it is asked about a name that is not known; a bracket that is missing stays
/// missing.
void TestCompilers::nvccIsAskedAboutNamesAlone()
{
    if (!listCompilers().front().available)
        QSKIP("no NVRTC on this machine");
    QTemporaryDir folder;
    const std::string tool = folder.path().toStdString() + "/nvcc", log = tool + ".log";
    QVERIFY(writeFile(tool, "#!/bin/sh\necho \"$@\" >> '" + log + "'\nexit 3\n").ok());
    std::filesystem::permissions(tool, std::filesystem::perms::owner_all);
    OwnCache cache;
    ScopedEnv nvcc("RIDGE_NVCC", QByteArray::fromStdString(tool));
    CompileOptions options;
    options.wholeFile = true;
    const auto asked = [&](const std::string& body) {
        std::filesystem::remove(log);
        const KernelSource source{"mine/a.cu", "extern \"C\" __global__ void k(float* a) { " + body + " }\n"};
        const auto program = compile(source, 8, 0, options);
        return std::pair(program.ok() ? std::string() : program.error().code, std::filesystem::exists(log));
    };
    using Seen = std::pair<std::string, bool>;
    QCOMPARE(asked("a[0] = 1;"), Seen({}, false));
    QCOMPARE(asked("a[0] = 1"), Seen("compile-failed", false));
    QCOMPARE(asked("a[0] = FLT_MAX;"), Seen("compile-failed", true));
    QCOMPARE(asked("\n#ifdef __CUDACC_RTC__\n a[0] = 1\n#endif\n"), Seen("compile-failed", true));
}

namespace {

KernelSource tensorKernel()
{
    auto source = readKernel("probe/03_tma.cu");
    if (!source)
        qFatal("no kernel");
    return std::move(*source);
}

} // namespace

/// The address of a copy is of no use to the copy engine.
void TestCompilers::clangWithoutGridConstants()
{
    QTemporaryDir folder;
    OwnCache cache;
    const auto script = makeScript(folder, "clang", "echo 'clang version 19.1.7'\n");
    ScopedEnv clang("RIDGE_CLANG", QByteArray::fromStdString(script.string()));
    const auto program = compile(tensorKernel(), 9, 0, CompilerChoice::Clang);
    QVERIFY(!program.ok());
    QCOMPARE(text(program.error().code), QStringLiteral("no-compiler"));
    QVERIFY2(text(program.error().message).contains(QLatin1String("__grid_constant__")),
             program.error().message.c_str());
}

void TestCompilers::tensorMapsStayWhereTheyAre()
{
    const std::filesystem::path clang = "/usr/bin/clang-22";
    if (!std::filesystem::exists(clang))
        QSKIP("no clang 22 on this machine");
    OwnCache cache;
    ScopedEnv named("RIDGE_CLANG", QByteArray::fromStdString(clang.string()));
    const auto program = compile(tensorKernel(), 9, 0, CompilerChoice::Clang);
    QVERIFY2(program.ok(), program.ok() ? "" : toText(program.error()).c_str());
    QVERIFY(program->ptx.find("cp.async.bulk.tensor") != std::string::npos);
    QVERIFY2(program->ptx.find("__local_depot") == std::string::npos, program->ptx.c_str());
}

QTEST_GUILESS_MAIN(TestCompilers)
#include "tst_compilers.moc"
