// SPDX-License-Identifier: GPL-3.0-or-later
// ridge-worker: executes experiments, and is the only process that does. Protocol: docs/protocol.md.
#include "base/json.h"
#include "base/number_text.h"
#include "base/target_kind.h"
#include "base/work_clock.h"
#include "gpu/cuda/gpu_card.h"
#include "gpu/cuda/vendor_libraries.h"
#include "gpu/targets/target_list.h"
#include "host/machine.h"
#include "labs/catalogue.h"
#include "labs/harness/mpi_run.h"
#include "labs/worker/execute.h"
#include "labs/worker/execute_kernel.h"
#include "labs/worker/follow.h"
#include "labs/worker/guardian.h"
#include "labs/worker/last_words.h"
#include "labs/worker/pause.h"
#include "labs/worker/request_text.h"
#include "labs/worker/telemetry.h"
#include "labs/worker/version.h"
#include "labs/worker/worker_output.h"
#include "silicon/chip_catalogue.h"
#include "silicon/fingerprint.h"
#include "silicon/machines.h"

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sys/resource.h>
#include <thread>
#include <unistd.h>

using namespace ridge;

namespace {

constexpr double kDefaultSeconds = 120;
constexpr std::int64_t kDefaultMemoryMiB = 4096;
constexpr std::int64_t kLeastMemoryMiB = 128;
constexpr int kTelemetryMs = 1000;
constexpr std::chrono::milliseconds kTick{20};
constexpr std::chrono::seconds kBeat{2};
/// How long an engine that polls may take to come back before the process ends without it.
constexpr std::chrono::milliseconds kGrace{1500};

std::atomic<bool> cancelRequested{false};
static_assert(std::atomic<bool>::is_always_lock_free, "set from a signal handler");

extern "C" void onTerminate(int)
{
    cancelRequested.store(true);
    labs::wakeWaiting();
}

Error cancelledError()
{
    return {"cancelled", "the run was cancelled", "", ""};
}

Error timeError(double seconds)
{
    return {"time-limit", "the run took longer than its limit of " + std::to_string(static_cast<int>(seconds)) + " s",
            "", "take fewer points or smaller parameters, or raise the limit with --seconds"};
}

/// Watches the clock beside the engine: heartbeat, deadline, and the end of an engine that does not come back.
class Watchdog {
public:
    /// `computes`: the time that the process works counts, and not what others on the machine take from it.
    Watchdog(labs::WorkerOutput& output, double seconds, bool computes)
        : m_output(output), m_seconds(seconds), m_computes(computes), m_limit(seconds), m_thread([this] { watch(); })
    {
    }
    ~Watchdog()
    {
        {
            const std::lock_guard lock(m_mutex);
            m_done = true;
        }
        m_wake.notify_all();
        m_thread.join();
    }
    /// Its clock stands still until goOn(), which gives `seconds` more.
    void hold()
    {
        const std::lock_guard lock(m_mutex);
        m_heldSince = std::chrono::steady_clock::now();
    }
    void goOn(double seconds)
    {
        const std::lock_guard lock(m_mutex);
        const auto held = std::chrono::steady_clock::now() - *m_heldSince;
        m_begin += held;
        m_clock.leaveOut(held);
        m_limit += seconds;
        m_heldSince.reset();
    }
    bool stopRequested() const { return cancelRequested.load() || m_late.load(); }
    Error reason() const { return cancelRequested.load() ? cancelledError() : timeError(m_seconds); }

private:
    void watch()
    {
        auto lastBeat = std::chrono::steady_clock::now();
        std::optional<std::chrono::steady_clock::time_point> stopSince;
        std::unique_lock lock(m_mutex);
        while (!m_wake.wait_for(lock, kTick, [this] { return m_done; })) {
            const auto now = std::chrono::steady_clock::now();
            const bool late =
                m_computes ? m_clock.past(m_limit) : std::chrono::duration<double>(now - m_begin).count() >= m_limit;
            if (late && !m_heldSince)
                m_late.store(true);
            if (now - lastBeat >= kBeat) {
                m_output.beat();
                lastBeat = now;
            }
            if (stopRequested() && !stopSince)
                stopSince = now;
            if (stopSince && now - *stopSince > kGrace) {
                m_output.failIfOpen(reason());
                _exit(1);
            }
        }
    }

    labs::WorkerOutput& m_output;
    const double m_seconds;
    const bool m_computes;
    double m_limit;
    std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();
    WorkClock m_clock;
    std::optional<std::chrono::steady_clock::time_point> m_heldSince;
    std::atomic<bool> m_late{false};
    bool m_done = false;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::thread m_thread;
};

/// A driver reserves far more address space than it uses, so the cap is only for targets without one. The processor's
/// own measurements have a stack and an arena for each core, and refuse by themselves what this machine has no room
/// for.
void limitMemory(const std::string& target, const RunLimits& limits)
{
    const TargetKind* kind = kindOf(target);
    if (kind != nullptr && kind->onHardware && (kind->hasDevice || limits.memoryMiB <= 0))
        return;
    const std::int64_t mib = limits.memoryMiB > 0 ? limits.memoryMiB : kDefaultMemoryMiB;
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = std::min(limit.rlim_max, static_cast<rlim_t>(mib) << 20); // compilers may have more
    setrlimit(RLIMIT_AS, &limit);
}

int describe()
{
    std::vector<ExperimentInfo> infos;
    // A faulty file is told where machines are listed and where one is asked for; forms need the others all the same.
    const auto machines = silicon::shippedMachines();
    for (const auto& experiment : labs::makeCatalogue()) {
        ExperimentInfo& info = infos.emplace_back(experiment->info());
        if (machines)
            for (const silicon::Machine& machine : *machines)
                if (!info.engine.empty() && machine.engine == info.engine)
                    info.machines.push_back(machine.id);
    }
    std::cout << catalogueToJson(infos).dump() << '\n';
    return std::cout.flush() ? 0 : 1;
}

Json rowOf(const gpu::TargetInfo& target)
{
    Json row{{"id", target.id},
             {"title", target.title},
             {"provenance", toText(target.provenance)},
             {"available", target.available},
             {"reason", target.reason},
             {"fix", target.fix},
             {"chip", target.chip}};
    if (const auto parsed = parseTarget(target.id); parsed && parsed->kind->measuresKernels())
        if (const JsonValue card = gpu::cuda::gpuCard(std::atoi(parsed->name.c_str())); card->is_object())
            row["gpu"] = *card;
    return row;
}

void addOffer(Json& row, const gpu::ChipOffer& offer)
{
    row["group"] = offer.group;
    row["gives"] = offer.times ? "times and counts" : "counts only";
    if (!offer.derivedFrom.empty())
        row["derived_from"] = offer.derivedFrom;
    if (!offer.nearest.empty())
        row["nearest"] = offer.nearest;
}

/// The targets of one kind that are here.
Json rowsOf(const TargetKind& kind, const std::vector<gpu::TargetInfo>& devices)
{
    Json rows = Json::array();
    if (kind.hasDevice) {
        const auto catalogue = silicon::shippedCatalogue();
        for (const gpu::TargetInfo& target : devices)
            if (kindOf(target.id) == &kind) {
                rows.push_back(rowOf(target));
                if (catalogue && kind.simulatesKernels())
                    addOffer(rows.back(), gpu::offerOf(*catalogue, target.chip));
            }
    } else if (kind.name == TargetName::Machine) {
        const auto machines = silicon::shippedMachines();
        if (!machines) {
            rows.push_back(rowOf({std::string(kind.example), std::string(kind.plural), kind.provenance, false,
                                  machines.error().place + ": " + machines.error().message, machines.error().fix, ""}));
            return rows;
        }
        for (const silicon::Machine& machine : *machines) {
            rows.push_back(rowOf({machineTarget(machine.id), machine.title, kind.provenance, true, "", "", ""}));
            rows.back()["engine"] = machine.engine;
            rows.back()["summary"] = machine.summary;
        }
    } else {
        const std::string title =
            kind.onHardware && !kind.needsMpi ? host::machine().name + " (this machine)" : std::string(kind.plural);
        gpu::TargetInfo row{std::string(kind.id), title, kind.provenance, true, "", "", ""};
        if (kind.needsMpi)
            if (const auto mpirun = labs::findMpirun(); !mpirun) {
                row.available = false;
                row.reason = mpirun.error().message;
                row.fix = mpirun.error().fix;
            }
        rows.push_back(rowOf(row));
    }
    return rows;
}

int targets()
{
    Json json{{"targets", Json::array()}, {"compilers", Json::array()}, {"machine", silicon::machineFingerprint()}};
    const std::vector<gpu::TargetInfo> devices = gpu::listTargets();
    for (const TargetKind& kind : targetKinds())
        for (Json& row : rowsOf(kind, devices))
            json["targets"].push_back(std::move(row));
    for (const gpu::CompilerInfo& compiler : gpu::listCompilers())
        json["compilers"].push_back(Json{{"id", compiler.id},
                                         {"version", compiler.version},
                                         {"available", compiler.available},
                                         {"detail", compiler.detail}});
    std::cout << json.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
    return std::cout.flush() ? 0 : 1;
}

int libraries()
{
    Json json{{"libraries", Json::array()}};
    for (const gpu::cuda::VendorLibrary& library : gpu::cuda::listVendorLibraries())
        json["libraries"].push_back(Json{{"id", library.id},
                                         {"title", library.title},
                                         {"available", library.available},
                                         {"version", library.version},
                                         {"path", library.path},
                                         {"reason", library.reason},
                                         {"fix", library.fix}});
    std::cout << json.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
    return std::cout.flush() ? 0 : 1;
}

using Request = std::variant<RunRequest, KernelRequest>;

Result<Request> readRequest()
{
    const auto text = labs::readRequestText(STDIN_FILENO, cancelRequested);
    if (!text)
        return text.error();
    const auto json = parseJson(*text, "standard input");
    if (!json)
        return json.error();
    if (isKernelRequest(*json)) {
        auto kernel = kernelRequestFromJson(*json);
        if (!kernel)
            return kernel.error();
        return Request{std::move(*kernel)};
    }
    auto run = runRequestFromJson(*json);
    if (!run)
        return run.error();
    return Request{std::move(*run)};
}

struct Bounds {
    std::string target;
    RunLimits limits;
};

Bounds boundsOf(const Request& request)
{
    if (const auto* run = std::get_if<RunRequest>(&request))
        return {run->target, run->limits};
    const auto& kernel = std::get<KernelRequest>(request);
    if (const auto* run = std::get_if<KernelRunRequest>(&kernel))
        return {run->target, run->limits};
    if (const auto* grade = std::get_if<KernelGradeRequest>(&kernel))
        return {grade->target, grade->limits};
    return {"", std::get<KernelCompileRequest>(kernel).limits};
}

int run()
{
    std::signal(SIGPIPE, SIG_IGN);
    struct sigaction action = {};
    action.sa_handler = onTerminate;
    sigaction(SIGTERM, &action, nullptr);
    sigaction(SIGINT, &action, nullptr);
    labs::listenForAnswers();

    labs::WorkerOutput output;
    labs::speakBeforeTheEnd(output);
    const auto request = readRequest();
    if (!request) {
        output.failIfOpen(request.error());
        return request.error().code == "cancelled" ? 1 : 2;
    }
    const Bounds bounds = boundsOf(*request);
    if (bounds.limits.memoryMiB > 0 && bounds.limits.memoryMiB < kLeastMemoryMiB) {
        output.failIfOpen({"bad-argument",
                           std::to_string(bounds.limits.memoryMiB) + " MiB are less than the worker itself takes",
                           "memory_mib", "raise --memory-mib to " + std::to_string(kLeastMemoryMiB) + " or more"});
        return 2;
    }
    limitMemory(bounds.target, bounds.limits);
    const double seconds = bounds.limits.seconds > 0 ? bounds.limits.seconds : kDefaultSeconds;
    Watchdog watchdog(output, seconds, simulatesKernels(bounds.target));
    const auto send = [&](const Event& event) { output.send(event); };
    const auto stop = [&] { return watchdog.stopRequested(); };
    const auto reason = [&] { return watchdog.reason(); };
    const auto goOn = [&](const Error& why) {
        watchdog.hold();
        const bool wanted = labs::awaitAnswer(cancelRequested, [&] { output.send(PausedEvent{why}); });
        watchdog.goOn(wanted && why.code == "time-limit" ? seconds : 0);
        return wanted;
    };
    bool finished = false;
    if (const auto* points = std::get_if<RunRequest>(&*request))
        finished = labs::execute(labs::makeCatalogue(), *points, send, stop, reason);
    else
        finished = labs::executeKernel(std::get<KernelRequest>(*request), send, stop, reason, goOn);
    // A driver's exit handlers may wait for a kernel that never ends; every event is written by now.
    std::fflush(nullptr);
    _exit(finished ? 0 : 1);
}

int version()
{
    std::cout << labs::versionDocument().dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
    return std::cout.flush() ? 0 : 1;
}

} // namespace

int main(int argc, char** argv)
{
    const std::string_view verb = argc >= 2 ? argv[1] : "";
    if (verb == "follow" && argc == 5)
        return labs::follow(argv[2], argv[3], argv[4]);
    if (argc == 2 && verb == "describe")
        return describe();
    if (argc == 2 && verb == "targets")
        return targets();
    if (argc == 2 && verb == "libraries")
        return libraries();
    if (verb == "mpi-rank") { // started by mpirun (labs/harness/mpi_run.cpp)
        const std::vector<std::string> arguments(argv + 2, argv + argc);
        const auto job = labs::mpiJobOf(arguments);
        return job ? labs::runMpiRank(*job) : 2;
    }
    if (verb == "run" && (argc == 2 || (argc == 3 && labs::endWith(argv[2]))))
        return run();
    if (argc == 2 && verb == "version")
        return version();
    if (argc >= 3 && argc <= 4 && verb == "telemetry")
        if (const int period = argc == 4 ? std::atoi(argv[3]) : kTelemetryMs; period >= 20)
            return labs::telemetry(argv[2], period);
    std::fputs("usage: ridge-worker describe | targets | libraries | run [PID] | version | follow ID OFFSET SECONDS | "
               "telemetry gpu:N [MS]\n"
               "  describe  prints the catalogue of experiments as JSON\n"
               "  targets   prints what can execute them here as JSON\n"
               "  libraries prints which of NVIDIA's optional libraries there are here as JSON\n"
               "  run       reads one JSON request on standard input, writes events (docs/protocol.md); with PID it\n"
               "            ends at once when that process does\n"
               "  version   prints program, protocol and the digest of this worker as JSON\n"
               "  follow    a run that goes on when its reader does not; read again from any byte (docs/protocol.md)\n"
               "  telemetry prints power, temperature and clocks of a GPU as a line of JSON each second, until its\n"
               "            standard input ends\n",
               stderr);
    return 2;
}
