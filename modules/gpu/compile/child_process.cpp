// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/compile/child_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

extern char** environ; // NOLINT: POSIX declares it so

namespace ridge::gpu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kStopMs = 20; ///< between two questions whether to stop

/// How long to wait, and what ends the waiting before.
struct Patience {
    Clock::time_point deadline;
    const std::function<bool()>& stop;
    bool stopped() const { return stop && stop(); }
    bool over() const { return stopped() || Clock::now() >= deadline; }
    int pollMs() const
    {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        return static_cast<int>(std::clamp<long long>(left, 0, stop ? kStopMs : 60'000));
    }
};

/// A pipe whose ends close themselves and are not passed to other children.
struct Pipe {
    int read = -1;
    int write = -1;
    Pipe() = default;
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe()
    {
        closeRead();
        closeWrite();
    }
    bool open()
    {
        std::array<int, 2> ends{-1, -1};
        if (::pipe2(ends.data(), O_CLOEXEC) != 0)
            return false;
        read = ends[0];
        write = ends[1];
        return true;
    }
    void closeRead() { closeEnd(read); }
    void closeWrite() { closeEnd(write); }

private:
    static void closeEnd(int& end)
    {
        if (end >= 0)
            ::close(end);
        end = -1;
    }
};

/// Compilers read options from their environment; a result must depend on the source and on our options alone.
bool isCompilerOption(std::string_view entry)
{
    for (std::string_view name : {"NVCC_PREPEND_FLAGS=", "NVCC_APPEND_FLAGS=", "CPATH=", "CPLUS_INCLUDE_PATH=",
                                  "CCC_OVERRIDE_OPTIONS=", "CUDA_PATH="})
        if (entry.starts_with(name))
            return true;
    return false;
}

/// Everything the child needs is laid out before the fork: after it only async-signal-safe calls are allowed.
struct Prepared {
    std::vector<char*> argv;
    std::vector<char*> envp;
    const char* program = nullptr;
    const char* folder = nullptr;
    std::uint64_t memory = 0, fileBytes = 0;
};

Prepared prepare(const ChildSpec& spec, std::vector<std::string>& keep)
{
    keep.push_back(spec.program.string());
    keep.push_back(spec.folder.string());
    keep.insert(keep.end(), spec.args.begin(), spec.args.end());
    Prepared prepared;
    prepared.program = keep[0].c_str();
    prepared.folder = keep[1].empty() ? nullptr : keep[1].c_str();
    prepared.memory = spec.memory;
    prepared.fileBytes = spec.fileBytes;
    prepared.argv.push_back(keep[0].data());
    for (std::size_t i = 2; i < keep.size(); ++i)
        prepared.argv.push_back(keep[i].data());
    prepared.argv.push_back(nullptr);
    // What it would leave in the system's folder when it is killed, it leaves in the one that is removed.
    const bool hasFolder = prepared.folder != nullptr;
    for (char** entry = environ; *entry; ++entry)
        if (!isCompilerOption(*entry) && !(hasFolder && std::string_view(*entry).starts_with("TMPDIR=")))
            prepared.envp.push_back(*entry);
    if (hasFolder) {
        keep.push_back("TMPDIR=" + keep[1]);
        prepared.envp.push_back(keep.back().data());
    }
    prepared.envp.push_back(nullptr);
    return prepared;
}

/// A limit that holds a simulated chip's memory is too tight for a compiler.
void freeMemoryLimit()
{
    constexpr rlim_t kEnough = rlim_t{8} << 30;
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return;
    limit.rlim_cur = std::min(limit.rlim_max, std::max(limit.rlim_cur, kEnough));
    ::setrlimit(RLIMIT_AS, &limit);
}

/// Lowers a limit; 0 leaves it.
void lower(decltype(RLIMIT_AS) resource, std::uint64_t to)
{
    rlimit limit{};
    if (to == 0 || ::getrlimit(resource, &limit) != 0)
        return;
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, to);
    ::setrlimit(resource, &limit);
}

[[noreturn]] void becomeProgram(const Prepared& prepared, int out, int err, int report)
{
    ::setpgid(0, 0);
#ifdef __linux__
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGPIPE, SIG_DFL);
    ::signal(SIGTERM, SIG_DFL);
    ::signal(SIGINT, SIG_DFL);
    freeMemoryLimit();
    lower(RLIMIT_AS, prepared.memory);
    lower(RLIMIT_FSIZE, prepared.fileBytes);
    const int null = ::open("/dev/null", O_RDONLY);
    const bool ready = null >= 0 && ::dup2(null, 0) >= 0 && ::dup2(out, 1) >= 0 && ::dup2(err, 2) >= 0 &&
                       (!prepared.folder || ::chdir(prepared.folder) == 0);
    if (ready)
        ::execve(prepared.program, prepared.argv.data(), prepared.envp.data());
    const int why = errno;
    [[maybe_unused]] const auto written = ::write(report, &why, sizeof why);
    ::_exit(127);
}

int reap(pid_t pid)
{
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Between us and the program: starts it in a process group of its own, ends as it does and takes along what it left
/// behind. Asked to end (SIGTERM, also by the death of whoever waits here) it kills the whole group. All other signals
/// stay blocked.
[[noreturn]] void becomeKeeper(const Prepared& prepared, int out, int err, int report, pid_t parent)
{
#ifdef __linux__
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    if (::getppid() != parent) // it died before this line
        ::_exit(127);
    ::signal(SIGCHLD, SIG_DFL);
    ::signal(SIGTERM, SIG_DFL);
    const pid_t program = ::fork();
    if (program == 0)
        becomeProgram(prepared, out, err, report);
    if (program < 0) {
        const int why = errno;
        [[maybe_unused]] const auto written = ::write(report, &why, sizeof why);
        ::_exit(127);
    }
    ::setpgid(program, program); // both sides set it, so that the group exists before either goes on
    for (const int end : {out, err, report})
        ::close(end);
    sigset_t heard;
    ::sigemptyset(&heard);
    ::sigaddset(&heard, SIGCHLD);
    ::sigaddset(&heard, SIGTERM);
    while (true) {
        int signal = 0;
        if (::sigwait(&heard, &signal) == 0 && signal == SIGTERM)
            ::kill(-program, SIGKILL);
        siginfo_t info{};
        if (::waitid(P_PID, static_cast<id_t>(program), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
            continue;
        ::kill(-program, SIGKILL); // until it is reaped the group's number is nobody else's
        ::_exit(reap(program));
    }
}

/// Appends what is there; false at end of file. `total` counts what is dropped as well.
bool drain(int fd, std::string& into, std::size_t& total)
{
    std::array<char, 16384> buffer;
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got < 0)
        return errno == EINTR || errno == EAGAIN;
    const auto room = kMaxChildOutput - into.size();
    into.append(buffer.data(), std::min(static_cast<std::size_t>(got), room));
    total += static_cast<std::size_t>(got);
    return got > 0;
}

/// Reads both pipes until both end; false when patience ends first, or one has given more than `most` bytes.
bool collect(Pipe& out, Pipe& err, ChildResult& result, const Patience& patience, std::size_t most, bool& tooMuch)
{
    std::size_t outBytes = 0, errBytes = 0;
    while (out.read >= 0 || err.read >= 0) {
        tooMuch = most > 0 && std::max(outBytes, errBytes) > most;
        if (tooMuch || patience.over())
            return false;
        std::array<pollfd, 2> fds{pollfd{out.read, POLLIN, 0}, pollfd{err.read, POLLIN, 0}};
        if (::poll(fds.data(), fds.size(), patience.pollMs()) < 0 && errno != EINTR)
            return false;
        if (fds[0].revents && !drain(out.read, result.out, outBytes))
            out.closeRead();
        if (fds[1].revents && !drain(err.read, result.err, errBytes))
            err.closeRead();
    }
    return true;
}

/// A program may close its output and run on, so its end is awaited with the same patience.
bool ends(pid_t pid, const Patience& patience, int& exitCode)
{
    while (true) {
        siginfo_t info{};
        if (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid) {
            exitCode = reap(pid);
            return true;
        }
        if (patience.over())
            return false;
        ::poll(nullptr, 0, 2);
    }
}

Error cannotStart(const ChildSpec& spec, int why)
{
    return Error{"cannot-start", fmt::format("{} cannot be started: {}", spec.program.string(), std::strerror(why)),
                 spec.program.string(), "check that it is an executable file and that memory is left"};
}

} // namespace

Result<ChildResult> runChild(const ChildSpec& spec)
{
    Pipe out, err, report;
    if (!out.open() || !err.open() || !report.open())
        return cannotStart(spec, errno);
    std::vector<std::string> keep;
    keep.reserve(spec.args.size() + 3);
    const Prepared prepared = prepare(spec, keep);
    const Patience patience{
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(spec.seconds)),
        spec.stop};
    const pid_t parent = ::getpid();
    sigset_t all, before; // the keeper inherits the mask: nothing may reach it before it listens
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t pid = ::fork();
    const int whyNoFork = errno;
    if (pid == 0)
        becomeKeeper(prepared, out.write, err.write, report.write, parent);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (pid < 0)
        return cannotStart(spec, whyNoFork);
    out.closeWrite();
    err.closeWrite();
    report.closeWrite();

    int why = 0;
    if (::read(report.read, &why, sizeof why) == static_cast<ssize_t>(sizeof why)) {
        reap(pid);
        return cannotStart(spec, why);
    }
    ChildResult result;
    bool tooMuch = false;
    if (collect(out, err, result, patience, spec.outputBytes, tooMuch) && ends(pid, patience, result.exitCode))
        return result;
    const bool stopped = patience.stopped();
    ::kill(pid, SIGTERM);
    reap(pid);
    if (tooMuch)
        return Error{
            "output-limit",
            fmt::format("{} printed more than {} bytes and was stopped", spec.program.string(), spec.outputBytes),
            spec.program.string(), ""};
    if (stopped)
        return Error{"cancelled", spec.program.string() + " was stopped", spec.program.string(), ""};
    return Error{
        "time-limit", fmt::format("{} ran longer than {} s and was stopped", spec.program.string(), spec.seconds),
        spec.program.string(), "try again on a less busy machine, or choose another compiler with RIDGE_COMPILER"};
}

} // namespace ridge::gpu
