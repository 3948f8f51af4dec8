// SPDX-License-Identifier: GPL-3.0-or-later
#include "compile_fixture.h"
#include "gpu/compile/child_process.h"
#include "gpu/compile/debug_variables.h"
#include "gpu/compile/diagnostics.h"
#include "gpu/compile/ptx_text.h"
#include "gpu/compile/sass.h"

#include <QFile>
#include <csignal>
#include <random>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::test;

namespace {

const KernelSource kSource{"mine/a.cu", "source"};

Result<Program> compileOnce(const KernelSource& source = kSource)
{
    return compile(source, 7, 0, CompilerChoice::Clang);
}

bool isGone(pid_t pid)
{
    return ::kill(pid, 0) != 0 && errno == ESRCH;
}

} // namespace

class TestCompileParts : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void readsNvidiaMessages();
    void readsClangMessages();
    void passesOverOtherLines();
    void tellsSyntaxFromNames();
    void fileTableNamesTheKernel();
    void halvesAreKeptApart();
    void sassIsReadByLine();
    void debugInformationNamesRegisters();
    void brokenDebugInformationIsReadAsFarAsItGoes();
    void headIsReadToItsEnd();
    void childGivesOutputAndStatus();
    void childThatIsMissing();
    void childThatHangsIsKilledWithItsChildren();
    void childThatIsStoppedIsKilledWithItsChildren();
    void allDieWithTheOneThatWaits();
    void aTightLimitOfMemoryIsOursAlone();
    void aChildHasLimitsOfItsOwn();
    void aCompilationStopsWhenAsked();
    void whatAChildLeavesBehindIsKilled();
    void childLeavesNoZombie();
    void floodOfOutputIsBounded();
    void secondCompilationStartsNothing();
    void cacheFollowsSourceCompilerAndChip();
    void cacheFollowsTheHeadersOfATool();
    void whatNoKeyKnowsIsNotKept();
    void damagedEntryIsMadeAgain();
    void entryOfAnotherKeyIsRefused();
    void readOnlyCacheIsFine();
    void brokenToolIsNotTheLearnersFault();
    void oldClangIsRefused();
};

void TestCompileParts::readsNvidiaMessages()
{
    const auto found = parseDiagnostics("a/b.cu(3): error: identifier \"foo\" is undefined\n"
                                        "      p[i] = foo(1)\n"
                                        "             ^\n\n"
                                        "a/b (2).cu(12): warning #177-D: variable \"x\" was declared\n"
                                        "2 errors detected in the compilation of \"a/b.cu\".\n");
    QCOMPARE(found.size(), std::size_t{2});
    QCOMPARE(text(found[0].file), QStringLiteral("a/b.cu"));
    QCOMPARE(found[0].line, 3);
    QCOMPARE(found[0].column, 12);
    QCOMPARE(text(found[0].text), QStringLiteral("identifier \"foo\" is undefined"));
    QCOMPARE(text(found[1].file), QStringLiteral("a/b (2).cu"));
    QCOMPARE(found[1].line, 12);
    QCOMPARE(found[1].column, 0);
    QVERIFY(found[1].level == Diagnostic::Level::Warning);
    QCOMPARE(text(found[1].text), QStringLiteral("variable \"x\" was declared"));
}

void TestCompileParts::readsClangMessages()
{
    const auto found = parseDiagnostics("In file included from a.cu:1:\n"
                                        "dir: x/a.cu:7:22: fatal error: use of undeclared identifier 'y: z'\n"
                                        "a.cu:9: note: here\n"
                                        "2 errors generated when compiling for sm_80.\n");
    QCOMPARE(found.size(), std::size_t{2});
    QCOMPARE(text(found[0].file), QStringLiteral("dir: x/a.cu"));
    QCOMPARE(found[0].line, 7);
    QCOMPARE(found[0].column, 22);
    QCOMPARE(text(found[0].text), QStringLiteral("use of undeclared identifier 'y: z'"));
    QVERIFY(found[1].level == Diagnostic::Level::Note);
    QCOMPARE(found[1].line, 9);
    QCOMPARE(found[1].column, 0);
}

void TestCompileParts::passesOverOtherLines()
{
    for (const char* log : {"", "\n\n", "error: no place", "(3): error: no file", "a.cu(x): error: y",
                            "a.cu(0): error: y", "a.cu:: error: y", ": error: y", "1: error: y",
                            "a.cu(99999999999): error: y", "a.cu(3): errors: y", "nvcc fatal   : Unknown option"})
        QVERIFY2(parseDiagnostics(log).empty(), log);
    const Error error = compileFailed("nvrtc", "13.0", "a.cu", "strange words\n");
    QCOMPARE(text(error.place), QStringLiteral("a.cu"));
    QVERIFY(text(error.message).contains(QLatin1String("strange words")));
}

void TestCompileParts::tellsSyntaxFromNames()
{
    constexpr const char* kBracket = "a.cu(1): error: expected a \";\"\n  int a = 1 }\n            ^\n\n"
                                     "At end of source: error: expected a \"}\"\n";
    QVERIFY(onlySyntaxErrors(kBracket));
    QVERIFY(onlySyntaxErrors("a.cu(2): warning #1-D: last line\na.cu(3): error: unrecognized token\n"));
    const std::string withName = std::string(kBracket) + "a.cu(1): error: identifier \"FLT_MAX\" is undefined\n";
    for (const std::string& log :
         {std::string(), std::string("nothing of the kind\n"), withName,
          std::string("a.cu(1): error: expected an expression\n  k<<<1, 1>>>();\n     ^\n"),
          std::string("a.cu(1): error: expected a declaration\n"),
          std::string("a.cu(1): catastrophic error: could not open source file \"vector\"\n"),
          std::string("  puts(\"error: expected a \\\";\\\"\");\n"), kBracket + std::string("\n…")})
        QVERIFY2(!onlySyntaxErrors(log), log.c_str());
}

void TestCompileParts::fileTableNamesTheKernel()
{
    const auto ptx = withSourceName(
        "\t.file\t1 \"/tmp/x/k.cu\", 1692, 33\n.loc 1 2 3\n.file 2 \"/y\" \"k.cu\"\n.file 3 \"/z/h.cuh\"\n// \"q\"",
        "x/k.cu", "a/k\".cu");
    QCOMPARE(text(ptx),
             QStringLiteral("\t.file\t1 \"a/k_.cu\"\n.loc 1 2 3\n.file 2 \"a/k_.cu\"\n.file 3 \"h.cuh\"\n// \"q\"\n"));
    QCOMPARE(text(targetOfPtx(".version 7.5\n.target sm_80, debug\n.target sm_90\n")), QStringLiteral("sm_80"));
    QCOMPARE(text(targetOfPtx("nothing")), QString());
}

/// As nvdisasm 13.5 prints it: places hold until the next one, padding is left out, and the next kernel begins without
/// a place.
void TestCompileParts::sassIsReadByLine()
{
    const auto kernels = gpu::readSass(R"(	.target	sm_90
//--------------------- .text.axpy --------------------------
	.section	.text.axpy,"ax",@progbits
        .size           axpy,(.L_x_6 - axpy)
axpy:
.text.axpy:
	//## File "/tmp/k.cu", line 4
        /*0010*/                   S2R R0, SR_TID.X ;
.L_x_3:
        /*0020*/               @P0 EXIT ;
	//## File "/tmp/k.h", line 1 inlined at "/tmp/k.cu", line 6
        /*0030*/                   FMUL R7, R0, 0.5 ;
        /*00b0*/                   EXIT ;
.L_x_1:
        /*00c0*/                   BRA `(.L_x_1);
        /*00d0*/                   NOP;
.L_x_6:
	.section	.nv.info
        /*0000*/                   DATA ;
	.section	.text._Z3twoPi,"ax",@progbits
.text._Z3twoPi:
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*zz*/                     NOP ;
)");
    QCOMPARE(kernels.size(), std::size_t{2});
    QCOMPARE(kernels[0].entry, std::string("axpy"));
    QCOMPARE(kernels[0].lines.size(), std::size_t{4});
    QCOMPARE(kernels[0].lines[1].text, std::string("@P0 EXIT"));
    QCOMPARE(kernels[0].lines[1].line, 4);
    QCOMPARE(kernels[0].lines[2].file, std::string("/tmp/k.h"));
    QCOMPARE(kernels[0].lines[3].address, std::uint64_t{0xb0});
    QCOMPARE(kernels[1].entry, std::string("_Z3twoPi"));
    QCOMPARE(kernels[1].lines.size(), std::size_t{1});
    QCOMPARE(kernels[1].lines[0].line, 0);
    QVERIFY(gpu::readSass("").empty() && gpu::readSass("/*0000*/ NOP ;").empty());
}

void TestCompileParts::halvesAreKeptApart()
{
    const auto ptx =
        withHalvesApart("{mul.f16 %h1,%h2,%h3;\n}\tadd.ftz.sat.f16x2 %r1, %r2, %r3;\n@%p1 sub.bf16 %h1, a, b;"
                        "mul.bf16x2 x, y, z; add.f32 %f1, %f2, %f3; mul.rn.f16 a, b, c; mul.f16x4 q;"
                        "%mul.f16 a.add.f16 fma.rn.f16 add.sat.f16");
    QCOMPARE(text(ptx), QStringLiteral("{mul.rn.f16 %h1,%h2,%h3;\n}\tadd.rn.ftz.sat.f16x2 %r1, %r2, %r3;\n"
                                       "@%p1 sub.rn.bf16 %h1, a, b;mul.rn.bf16x2 x, y, z; add.f32 %f1, %f2, %f3; "
                                       "mul.rn.f16 a, b, c; mul.f16x4 q;%mul.f16 a.add.f16 fma.rn.f16 add.rn.sat.f16"));
}

void TestCompileParts::headIsReadToItsEnd()
{
    const auto head = headOfPtx("// a: 1\n// just words\n// b: x: y\n\n// c: 3\n");
    QCOMPARE(head.size(), std::size_t{2});
    QCOMPARE(text(head.at("a")), QStringLiteral("1"));
    QCOMPARE(text(head.at("b")), QStringLiteral("x: y"));
}

void TestCompileParts::childGivesOutputAndStatus()
{
    QTemporaryDir folder;
    const auto script = makeScript(folder, "tool", "cat; echo out \"$1\"; echo err >&2; pwd; exit 7\n");
    const auto child = runChild({script, {"a b; $(c)"}, folder.path().toStdString(), 10});
    QVERIFY(child.ok());
    QCOMPARE(child->exitCode, 7);
    QCOMPARE(text(child->out), QStringLiteral("out a b; $(c)\n%1\n").arg(QDir(folder.path()).canonicalPath()));
    QCOMPARE(text(child->err), QStringLiteral("err\n"));
    const auto killed = runChild({makeScript(folder, "dies", "kill -SEGV $$\n"), {}, {}, 10});
    QVERIFY(killed.ok());
    QCOMPARE(killed->exitCode, 128 + SIGSEGV);
}

void TestCompileParts::childThatIsMissing()
{
    for (const char* program : {"/nowhere/tool", "/etc/passwd", "/"}) {
        const auto child = runChild({program, {}, {}, 10});
        QVERIFY2(!child.ok(), program);
        QCOMPARE(text(child.error().code), QStringLiteral("cannot-start"));
        QVERIFY(text(child.error().message).contains(QLatin1String(program)));
    }
    const auto child = runChild({"/bin/sh", {"-c", "exit 0"}, "/nowhere", 10});
    QVERIFY(!child.ok());
}

void TestCompileParts::childThatHangsIsKilledWithItsChildren()
{
    QTemporaryDir folder;
    const auto pids = folder.path().toStdString() + "/pids";
    for (const char* ending : {"wait\n", "exec >/dev/null 2>&1; wait\n"}) {
        const auto script =
            makeScript(folder, "hangs", "sleep 1000 & echo $! > '" + pids + "'; echo $$ >> '" + pids + "'\n" + ending);
        const auto child = runChild({script, {}, {}, 0.3});
        QVERIFY(!child.ok());
        QCOMPARE(text(child.error().code), QStringLiteral("time-limit"));
        const auto lines = QString::fromStdString(*readFile(pids)).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 2);
        QTRY_VERIFY(isGone(lines[1].toInt()));
        // The orphan is reaped by init, which takes its own time; a zombie of init's is as good as gone.
        QTRY_VERIFY(
            isGone(lines[0].toInt()) ||
            text(readFile("/proc/" + lines[0].toStdString() + "/stat").value()).contains(QLatin1String(") Z ")));
    }
}

namespace {

/// It has ended: reaped, or a zombie that waits for init to reap it.
bool hasEnded(const QString& pid)
{
    const auto stat = readFile("/proc/" + pid.toStdString() + "/stat");
    return isGone(pid.toInt()) || !stat || text(*stat).contains(QLatin1String(") Z "));
}

/// A program that starts another and waits for it; both their numbers appear in `pids` at once.
std::filesystem::path waitingForAnother(const QTemporaryDir& folder, const std::string& pids)
{
    return makeScript(folder, "runs",
                      "sleep 1000 & echo \"$! $$\" > '" + pids + ".new'; mv '" + pids + ".new' '" + pids + "'; wait\n");
}

} // namespace

void TestCompileParts::childThatIsStoppedIsKilledWithItsChildren()
{
    QTemporaryDir folder;
    const auto pids = folder.path().toStdString() + "/pids";
    const auto script = waitingForAnother(folder, pids);
    ChildSpec spec{script, {}, {}, 600};
    spec.stop = [&] { return QFile::exists(QString::fromStdString(pids)); }; // as soon as both are there
    const auto child = runChild(spec);
    QVERIFY(!child.ok());
    QCOMPARE(text(child.error().code), QStringLiteral("cancelled"));
    const auto both = text(*readFile(pids)).trimmed().split(QLatin1Char(' '));
    QCOMPARE(both.size(), 2);
    QVERIFY(isGone(both[1].toInt()));
    QTRY_VERIFY(hasEnded(both[0]));
}

/// nvcc starts others, which go on when it alone dies.
void TestCompileParts::allDieWithTheOneThatWaits()
{
    QTemporaryDir folder;
    const auto pids = folder.path().toStdString() + "/pids";
    const auto script = waitingForAnother(folder, pids);
    const pid_t waits = ::fork();
    if (waits == 0) {
        static_cast<void>(runChild({script, {}, {}, 600}));
        ::_exit(0);
    }
    QTRY_VERIFY(QFile::exists(QString::fromStdString(pids)));
    ::kill(waits, SIGKILL);
    ::waitpid(waits, nullptr, 0);
    for (const QString& pid : text(*readFile(pids)).trimmed().split(QLatin1Char(' ')))
        QTRY_VERIFY(hasEnded(pid));
}

void TestCompileParts::aTightLimitOfMemoryIsOursAlone()
{
    const pid_t limited = ::fork();
    if (limited == 0) {
        rlimit limit{};
        ::getrlimit(RLIMIT_AS, &limit);
        limit.rlim_cur = rlim_t{2} << 30;
        ::setrlimit(RLIMIT_AS, &limit);
        const auto child = runChild({"/bin/sh", {"-c", "ulimit -v"}, {}, 60});
        ::_exit(child.ok() && child->out == "8388608\n" ? 0 : 1);
    }
    int status = 1;
    ::waitpid(limited, &status, 0);
    QCOMPARE(status, 0);
}

void TestCompileParts::aChildHasLimitsOfItsOwn()
{
    QTemporaryDir folder;
    ChildSpec spec{"/bin/sh", {"-c", "ulimit -v; ulimit -f"}, folder.path().toStdString(), 60};
    spec.memory = 1ull << 30;
    spec.fileBytes = 1u << 20;
    const auto limited = runChild(spec);
    QVERIFY(limited.ok());
    QCOMPARE(text(limited->out), QStringLiteral("1048576\n2048\n")); // KiB, blocks of 512 bytes
    spec.args = {"-c", "while :; do echo again; done"};
    spec.outputBytes = 1000;
    const auto chatty = runChild(spec);
    QVERIFY(!chatty.ok());
    QCOMPARE(text(chatty.error().code), QStringLiteral("output-limit"));
    spec.args = {"-c", "echo once"};
    QVERIFY(runChild(spec).ok());
}

void TestCompileParts::aCompilationStopsWhenAsked()
{
    OwnCache cache;
    QTemporaryDir folder, temporary;
    ScopedEnv place("TMPDIR", temporary.path().toUtf8());
    const auto script = makeScript(folder, "clang",
                                   "if [ \"$1\" = --version ]; then echo 'clang version 14.9.9'; exit; fi\n"
                                   "touch \"$TMPDIR/left\" '" +
                                       folder.path().toStdString() + "/began'; sleep 1000\n");
    ScopedEnv clang("RIDGE_CLANG", QByteArray::fromStdString(script.string()));
    CompileOptions options;
    options.choice = CompilerChoice::Clang;
    options.stop = [&] { return QFile::exists(folder.filePath(QStringLiteral("began"))); };
    const auto program = compile(kSource, 7, 0, options);
    QVERIFY(!program.ok());
    QCOMPARE(text(program.error().code), QStringLiteral("cancelled"));
    QVERIFY(QDir(temporary.path()).isEmpty());
}

void TestCompileParts::whatAChildLeavesBehindIsKilled()
{
    QTemporaryDir folder;
    const auto pids = folder.path().toStdString() + "/pids";
    const auto child =
        runChild({makeScript(folder, "leaves", "sleep 1000 >/dev/null 2>&1 & echo $! > '" + pids + "'\n"), {}, {}, 60});
    QVERIFY(child.ok());
    QCOMPARE(child->exitCode, 0);
    QTRY_VERIFY(hasEnded(text(*readFile(pids)).trimmed()));
}

void TestCompileParts::childLeavesNoZombie()
{
    for (int i = 0; i < 5; ++i)
        QVERIFY(runChild({"/bin/sh", {"-c", "exit 0"}, {}, 10}).ok());
    errno = 0;
    QVERIFY(::waitpid(-1, nullptr, WNOHANG) < 0);
    QCOMPARE(errno, ECHILD);
}

void TestCompileParts::floodOfOutputIsBounded()
{
    const auto child = runChild({"/bin/sh", {"-c", "head -c 20000000 /dev/zero; echo done >&2"}, {}, 30});
    QVERIFY(child.ok());
    QCOMPARE(child->out.size(), kMaxChildOutput);
    QCOMPARE(text(child->err), QStringLiteral("done\n"));
}

void TestCompileParts::secondCompilationStartsNothing()
{
    OwnCache cache;
    CountingClang clang;
    const auto first = compileOnce();
    QVERIFY2(first.ok(), first.ok() ? "" : toText(first.error()).c_str());
    QCOMPARE(text(first->compilerVersion), QStringLiteral("14.9.9"));
    const auto starts = clang.starts();
    QCOMPARE(starts, std::size_t{2}); // --version and the compilation
    const auto second = compileOnce();
    QVERIFY(second.ok());
    QCOMPARE(clang.starts(), starts);
    QCOMPARE(second->ptx, first->ptx);
    QCOMPARE(second->arch, first->arch);
    QCOMPARE(second->compiler, first->compiler);
    QCOMPARE(second->compilerVersion, first->compilerVersion);
    QCOMPARE(second->sourceSha256, first->sourceSha256);
}

void TestCompileParts::cacheFollowsSourceCompilerAndChip()
{
    OwnCache cache;
    CountingClang clang;
    QVERIFY(compileOnce().ok());
    const auto starts = clang.starts();
    QVERIFY(compileOnce({"mine/a.cu", "source "}).ok());
    QCOMPARE(clang.starts(), 2 * starts);
    QVERIFY(compileOnce({"mine/b.cu", "source"}).ok());
    QCOMPARE(clang.starts(), 3 * starts);
    QVERIFY(compile(kSource, 7, 5, CompilerChoice::Clang).ok());
    QCOMPARE(clang.starts(), 4 * starts);
    // The compiler was replaced by another build under the same name.
    QVERIFY(writeFile(clang.file, *readFile(clang.file) + "# newer\n").ok());
    std::filesystem::permissions(clang.file, std::filesystem::perms::owner_all);
    QVERIFY(compileOnce().ok());
    QCOMPARE(clang.starts(), 5 * starts);
    QCOMPARE(cache.entries().size(), std::size_t{5});
}

/// A toolkit of our own: nvcc beside its headers, one of which is replaced as an upgrade does.
void TestCompileParts::cacheFollowsTheHeadersOfATool()
{
    OwnCache cache;
    QTemporaryDir toolkit;
    const std::filesystem::path root = toolkit.path().toStdString();
    const auto header = root / "include" / "cccl" / "cub" / "version.cuh", count = root / "count";
    for (const auto& folder : {root / "bin", header.parent_path()})
        std::filesystem::create_directories(folder);
    QVERIFY(writeFile(header, "#define CUB_VERSION 300001\n").ok());
    const auto made = makeScript(toolkit, "nvcc",
                                 "echo x >> '" + count.string() +
                                     "'\n"
                                     "case $1 in\n"
                                     "--version) echo 'Cuda compilation tools, release 13.0, V13.0.48'; exit;;\n"
                                     "--list-gpu-arch) echo compute_75; exit;;\n"
                                     "esac\n"
                                     "while [ \"$1\" != -o ]; do shift; done\n"
                                     "printf '.version 9.0\\n.target sm_75\\n' > \"$2\"\n");
    std::filesystem::rename(made, root / "bin" / "nvcc");
    ScopedEnv nvcc("RIDGE_NVCC", QByteArray::fromStdString((root / "bin" / "nvcc").string()));
    const auto starts = [&] { return readFile(count).ok() ? readFile(count)->size() : 0; };
    const auto compiled = [](const char* text) {
        const auto program = compile(KernelSource{"mine/a.cu", text}, 7, 5, CompilerChoice::Nvcc);
        QVERIFY2(program.ok(), program.ok() ? "" : toText(program.error()).c_str());
    };
    const char* const kPlain = "source\n";
    const char* const kIncluding = "source\n #  include <cub/version.cuh>\n";
    compiled(kPlain);
    compiled(kIncluding);
    const std::size_t before = starts();
    QVERIFY(before > 0);
    compiled(kPlain);
    compiled(kIncluding);
    QCOMPARE(starts(), before); // both were kept
    // As long as before, and as a package manager leaves it, older than what was there.
    QVERIFY(writeFile(header, "#define CUB_VERSION 300002\n").ok());
    std::filesystem::last_write_time(header, std::filesystem::last_write_time(header) - std::chrono::hours(24));
    compiled(kPlain);
    QCOMPARE(starts(), before); // it includes nothing
    compiled(kIncluding);
    const std::size_t again = starts();
    QVERIFY(again > before);
    compiled(kIncluding);
    QCOMPARE(starts(), again);
    QVERIFY(writeFile(root / "include" / "new.h", "").ok()); // one more is another set of headers
    compiled(kIncluding);
    QVERIFY(starts() > again);
}

void TestCompileParts::whatNoKeyKnowsIsNotKept()
{
    OwnCache cache;
    CountingClang clang;
    QTemporaryDir folder;
    QVERIFY(writeFile(std::filesystem::path(folder.path().toStdString()) / "mine.h", "").ok());
    CompileOptions options;
    options.choice = CompilerChoice::Clang;
    options.wholeFile = true; // as the file of a learner
    options.includeFolder = folder.path().toStdString();
    for (const char* text : {"#include \"mine.h\"\n", "  # include\t\"mine.h\"\n", "#include<mine.h>\n",
                             "#define WHAT <mine.h>\n#include WHAT\n", "int a;\n#include"}) {
        const std::size_t before = clang.starts();
        for (int i = 1; i <= 2; ++i) {
            QVERIFY(compile(KernelSource{"mine/a.cu", text}, 7, 0, options).ok());
            QVERIFY2(clang.starts() >= before + static_cast<std::size_t>(i), text);
        }
    }
    QVERIFY(cache.entries().empty());
    QVERIFY(compile(KernelSource{"mine/a.cu", "#include <other.h>\n"}, 7, 0, options).ok());
    QCOMPARE(cache.entries().size(), std::size_t{1});
}

void TestCompileParts::damagedEntryIsMadeAgain()
{
    OwnCache cache;
    CountingClang clang;
    const auto first = compileOnce();
    QVERIFY(first.ok());
    QCOMPARE(cache.entries().size(), std::size_t{1});
    const auto entry = cache.entries().front();
    const std::string whole = *readFile(entry);
    std::vector<std::string> damaged{"", "x", "\n", "{}\n", "[1]\nptx", "{\"sha256\":7}\nptx"};
    for (std::size_t at = 0; at < whole.size(); at += 7) {
        auto flipped = whole;
        flipped[at] = static_cast<char>(flipped[at] ^ 1);
        damaged.push_back(flipped);
        damaged.push_back(whole.substr(0, at));
    }
    auto starts = clang.starts();
    for (const auto& bytes : damaged) {
        QVERIFY(writeFile(entry, bytes).ok());
        const auto again = compileOnce();
        QVERIFY(again.ok());
        QCOMPARE(again->ptx, first->ptx);
        QVERIFY2(clang.starts() > starts, bytes.c_str());
        starts = clang.starts();
        QCOMPARE(*readFile(entry), whole);
    }
}

void TestCompileParts::entryOfAnotherKeyIsRefused()
{
    OwnCache cache;
    CountingClang clang;
    QVERIFY(compileOnce().ok());
    const auto entry = cache.entries().front();
    const auto bytes = *readFile(entry);
    QVERIFY(compileOnce({"mine/other.cu", "other"}).ok());
    const auto starts = clang.starts();
    for (const auto& other : cache.entries())
        QVERIFY(writeFile(other, bytes).ok());
    const auto program = compileOnce({"mine/other.cu", "other"});
    QVERIFY(program.ok());
    QCOMPARE(text(program->name), QStringLiteral("mine/other.cu"));
    QVERIFY(clang.starts() > starts);
}

void TestCompileParts::readOnlyCacheIsFine()
{
    // A file where the folder should be refuses even root, whom permissions do not stop.
    QTemporaryDir folder;
    const auto file = folder.path().toStdString() + "/file";
    QVERIFY(writeFile(file, "").ok());
    ScopedEnv cache("RIDGE_CACHE", QByteArray::fromStdString(file));
    CountingClang clang;
    QVERIFY(compileOnce().ok());
    QVERIFY(compileOnce().ok());
    QCOMPARE(clang.starts(), std::size_t{4});
}

void TestCompileParts::brokenToolIsNotTheLearnersFault()
{
    OwnCache cache;
    QTemporaryDir folder;
    const auto script = makeScript(folder, "clang",
                                   "if [ \"$1\" = --version ]; then echo 'clang version 14.0.0'; exit; fi\n"
                                   "echo 'error: unable to open output file' >&2; exit 1\n");
    ScopedEnv clang("RIDGE_CLANG", QByteArray::fromStdString(script.string()));
    const auto program = compileOnce();
    QVERIFY(!program.ok());
    QCOMPARE(text(program.error().code), QStringLiteral("no-compiler"));
    QVERIFY(text(program.error().message).contains(QLatin1String("unable to open output file")));
    QVERIFY(text(program.error().message).contains(text(script.string())));
}

void TestCompileParts::oldClangIsRefused()
{
    OwnCache cache;
    QTemporaryDir folder;
    const auto script = makeScript(folder, "clang", "echo 'Debian clang version 13.0.1-11'\n");
    ScopedEnv clang("RIDGE_CLANG", QByteArray::fromStdString(script.string()));
    const auto program = compileOnce();
    QVERIFY(!program.ok());
    QVERIFY(text(program.error().message).contains(QLatin1String("13.0.1")));
    QVERIFY(text(program.error().fix).contains(QLatin1String("clang")));
}

namespace {

/// What NVRTC 13.0 makes with -G of: i = its index, sum = 0, for k: v = x[i + k * 7], sum += a * v, y[i] = sum.
std::string debugBuild()
{
    QFile file(qEnvironmentVariable("RIDGE_SOURCE") + QLatin1String("/tests/gpu/compile/debug_build.ptx"));
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

} // namespace

/// Read by hand from the file: DW_OP_regx with the name's bytes, places from the labels around the instructions.
void TestCompileParts::debugInformationNamesRegisters()
{
    using K = DebugVariable::Kind;
    const std::string ptx = debugBuild();
    const auto variables = debugVariables(ptx);
    QStringList names;
    for (const DebugVariable& variable : variables)
        names << QString::fromStdString(variable.type + ' ' + variable.name);
    QCOMPARE(names, QStringList({QStringLiteral("const float* x"), QStringLiteral("float* y"),
                                 QStringLiteral("float a"), QStringLiteral("int n"), QStringLiteral("int i"),
                                 QStringLiteral("float sum"), QStringLiteral("int k"), QStringLiteral("float v")}));
    const DebugVariable& i = variables[4];
    QCOMPARE(i.kind, K::Signed);
    QCOMPARE(i.bytes, 4u);
    QCOMPARE(i.line, 3u);
    QCOMPARE(text(i.function), QStringLiteral("saxpy"));
    QCOMPARE(i.places.size(), std::size_t{1});
    QCOMPARE(text(i.places[0].reg), QStringLiteral("%r1"));
    QCOMPARE(text(variables[0].places[0].reg), QStringLiteral("%rd1"));
    QCOMPARE(variables[0].kind, K::Pointer);
    const DebugVariable& sum = variables[5];
    QStringList regs;
    for (const VariablePlace& place : sum.places)
        regs << text(place.reg);
    QCOMPARE(regs, QStringList({QStringLiteral("%f1"), QStringLiteral("%f9"), QStringLiteral("%f2"),
                                QStringLiteral("%f3"), QStringLiteral("%f9")}));
    // The place of v holds the product's line, and not the first one of the kernel.
    const auto lineWith = [&](std::string_view what) {
        return static_cast<std::uint32_t>(1 +
                                          std::count(ptx.begin(), ptx.begin() + std::ptrdiff_t(ptx.find(what)), '\n'));
    };
    const VariablePlace& v = variables[7].places.at(0);
    QVERIFY(v.begin < lineWith("mul.f32") && lineWith("mul.f32") < v.end);
    QVERIFY(lineWith("mov.u32 \t%r6") < v.begin);
    QVERIFY(debugVariables("no sections").empty());
}

void TestCompileParts::brokenDebugInformationIsReadAsFarAsItGoes()
{
    const std::string ptx = debugBuild();
    const auto whole = debugVariables(ptx).size();
    const auto info = ptx.find(".debug_info");
    QVERIFY(info != std::string::npos);
    std::size_t least = whole;
    for (std::size_t end = info; end < ptx.size(); end += 97) // cut anywhere
        least = std::min(least, debugVariables(ptx.substr(0, end)).size());
    QCOMPARE(least, std::size_t{0});
    std::mt19937 random(1);
    for (int turn = 0; turn < 300; ++turn) { // and with numbers that nobody wrote
        std::string other = ptx;
        for (int each = 0; each < 20; ++each)
            if (char& c = other[info / 2 + random() % (other.size() - info / 2)]; c >= '0' && c <= '9')
                c = static_cast<char>('0' + random() % 10);
        QVERIFY(debugVariables(other).size() < 1000);
    }
}

QTEST_GUILESS_MAIN(TestCompileParts)
#include "tst_compile_parts.moc"
