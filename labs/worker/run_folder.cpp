// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/worker/run_folder.h"

#include "base/json.h"
#include "base/paths.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ridge::labs {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kTick{100};
/// After SIGTERM; the worker's own watchdog needs 1.5 s for an engine that does not come back.
constexpr std::chrono::seconds kGrace{5};
constexpr auto kKept = std::chrono::hours(24);

double ageSeconds(const fs::path& file)
{
    struct stat info = {};
    timespec now{};
    if (::stat(file.c_str(), &info) != 0) // somebody took it away, and with it whoever could read the rest
        return std::numeric_limits<double>::infinity();
    ::clock_gettime(CLOCK_REALTIME, &now);
    return static_cast<double>(now.tv_sec - info.st_mtim.tv_sec) +
           1e-9 * static_cast<double>(now.tv_nsec - info.st_mtim.tv_nsec);
}

Error cannotWrite(const fs::path& path, int number)
{
    const bool room = number == ENOSPC || number == EDQUOT;
    return {room ? "no-room" : "cannot-write",
            std::string("the folder of the run cannot be written: ") + std::strerror(number), path.string(),
            room ? "make room there, or point RIDGE_CACHE at a folder on a larger disk"
                 : "point RIDGE_CACHE at a folder where you may write"};
}

void put(int descriptor, int place)
{
    ::dup2(descriptor, place);
    if (descriptor > 2)
        ::close(descriptor);
}

void closeFrom(int first)
{
    for (int each = first; each < 1024; ++each)
        ::close(each);
}

/// The run itself; it goes with its supervisor.
[[noreturn]] void becomeWorker(const RunFolder& folder)
{
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    put(::open(folder.file("request").c_str(), O_RDONLY), STDIN_FILENO);
    put(::open(folder.file("events").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600), STDOUT_FILENO);
    put(::open(folder.file("errors").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600), STDERR_FILENO);
    closeFrom(3);
    ::execl("/proc/self/exe", "ridge-worker", "run", static_cast<char*>(nullptr));
    ::_exit(127);
}

/// Waits for the run, stops it when that is asked for or when nobody has asked for it for too long.
std::string superviseWorker(const RunFolder& folder, pid_t worker, double orphanSeconds)
{
    bool orphan = false;
    std::optional<Clock::time_point> stopped;
    for (;;) {
        int status = 0;
        if (::waitpid(worker, &status, WNOHANG) == worker) {
            if (WIFSIGNALED(status))
                return (orphan ? "orphan " : "signal ") + std::to_string(WTERMSIG(status));
            return (orphan ? "orphan " : "exit ") + std::to_string(WEXITSTATUS(status));
        }
        orphan = orphan || ageSeconds(folder.file("beat")) > orphanSeconds;
        std::error_code ignored;
        if (!stopped && (orphan || fs::exists(folder.file("cancel"), ignored))) {
            ::kill(worker, SIGTERM);
            stopped = Clock::now();
        }
        if (stopped && Clock::now() - *stopped > kGrace)
            ::kill(worker, SIGKILL);
        std::this_thread::sleep_for(kTick); // what it waits for are files as well as a child
    }
}

[[noreturn]] void becomeSupervisor(const RunFolder& folder, int lock, double orphanSeconds)
{
    ::setsid();
    std::signal(SIGHUP, SIG_IGN);
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_DFL);
    const int none = ::open("/dev/null", O_RDWR);
    for (int each : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        ::dup2(none, each);
    const int kept = ::dup2(lock, 3);
    closeFrom(4);
    const pid_t worker = ::fork();
    if (worker == 0)
        becomeWorker(folder);
    const std::string end = worker < 0 ? "exit 71" : superviseWorker(folder, worker, orphanSeconds);
    // writeFile works in one step: a reader that sees the file sees all of it.
    [[maybe_unused]] const auto written = writeFile(folder.file("exit"), end + "\n");
    ::close(kept);
    ::_exit(0);
}

} // namespace

Result<RunFolder> RunFolder::of(const std::string& id)
{
    const bool good = id.size() >= 8 && id.size() <= 64 && std::ranges::all_of(id, [](char c) {
                          return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || c == '-';
                      });
    if (!good)
        return Error{"bad-protocol", "the id of a run is 8 to 64 of 0-9, a-f and -", "follow " + id, ""};
    return RunFolder(cacheFolder() / "runs" / id);
}

bool RunFolder::exists() const
{
    std::error_code ignored;
    return fs::is_directory(m_path, ignored);
}

void RunFolder::touch() const
{
    ::utimensat(AT_FDCWD, file("beat").c_str(), nullptr, 0);
}

std::string RunFolder::end() const
{
    const auto text = readFile(file("exit"));
    return text ? text->substr(0, text->find('\n')) : std::string();
}

std::string RunFolder::host() const
{
    const auto text = readFile(file("host"));
    return text ? *text : std::string();
}

bool RunFolder::lost() const
{
    const int lock = ::open(file("lock").c_str(), O_RDWR | O_CLOEXEC);
    if (lock < 0)
        return true;
    const bool free = ::flock(lock, LOCK_EX | LOCK_NB) == 0;
    ::close(lock);
    return free && end().empty();
}

void RunFolder::remove() const
{
    std::error_code ignored;
    fs::remove_all(m_path, ignored);
}

Result<void> RunFolder::start(const std::string& request, double orphanSeconds) const
{
    std::error_code code;
    fs::create_directories(m_path.parent_path(), code);
    if (code)
        return cannotWrite(m_path.parent_path(), code.value());
    const fs::path made = m_path.parent_path() / (".new-" + std::to_string(::getpid()));
    fs::create_directory(made, code);
    if (code)
        return cannotWrite(made, code.value());
    fs::permissions(made, fs::perms::owner_all, code);
    const RunFolder unnamed(made);
    const auto fail = [&](int number) {
        unnamed.remove();
        return cannotWrite(made, number);
    };
    for (const auto& [name, bytes] :
         {std::pair<const char*, std::string>{"request", request}, {"beat", ""}, {"host", hostName()}, {"events", ""}})
        if (!writeFile(unnamed.file(name), bytes))
            return fail(errno);
    // Held from before anybody can see the folder until its supervisor is gone: so "nobody holds it" means "lost".
    const int lock = ::open(unnamed.file("lock").c_str(), O_RDWR | O_CREAT, 0600);
    if (lock < 0 || ::flock(lock, LOCK_EX | LOCK_NB) != 0)
        return fail(errno);
    if (::rename(made.c_str(), m_path.c_str()) != 0) {
        const int number = errno;
        ::close(lock);
        unnamed.remove();
        // Another reader of the same run was faster, which is as good.
        return exists() ? Result<void>() : Result<void>(cannotWrite(m_path, number));
    }
    const pid_t child = ::fork();
    if (child == 0) {
        // Twice, so that the run is nobody's child here and ends without being waited for.
        if (::fork() == 0)
            becomeSupervisor(*this, lock, orphanSeconds);
        ::_exit(0);
    }
    ::close(lock);
    if (child < 0)
        return Error{"internal", std::string("no process can be made: ") + std::strerror(errno), m_path.string(),
                     "end some processes there"};
    ::waitpid(child, nullptr, 0);
    return {};
}

void sweepRunFolders()
{
    std::error_code code;
    for (const auto& entry : fs::directory_iterator(cacheFolder() / "runs", code)) {
        const auto age = fs::file_time_type::clock::now() - entry.last_write_time(code);
        if (code || age < kKept)
            continue;
        const auto folder = RunFolder::of(entry.path().filename().string());
        const bool unfinished = entry.path().filename().string().starts_with(".new-");
        if (unfinished || (folder && (!folder->end().empty() || folder->lost())))
            fs::remove_all(entry.path(), code);
    }
}

std::string hostName()
{
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

} // namespace ridge::labs
