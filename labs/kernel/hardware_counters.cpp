// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/kernel/hardware_counters.h"

#include "base/csv.h"
#include "base/number_text.h"
#include "gpu/compile/child_process.h"
#include "gpu/compile/temporary_folder.h"
#include "gpu/cuda/counter_access.h"

#include <cstdlib>
#include <fmt/core.h>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace ridge::labs {
namespace {

namespace fs = std::filesystem;

struct Metric {
    const char* ours;
    const char* theirs;
    const char* unit;
};

// Pairs whose definitions agree, and those of the timing model: docs/counters.md.
constexpr std::array<Metric, 17> kMetrics{{
    {"global_load_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "requests"},
    {"global_load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sectors"},
    {"global_store_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "requests"},
    {"global_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "sectors"},
    {"shared_load_requests", "smsp__inst_executed_op_shared_ld.sum", "requests"},
    {"shared_load_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "wavefronts"},
    {"shared_store_requests", "smsp__inst_executed_op_shared_st.sum", "requests"},
    {"shared_store_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "wavefronts"},
    {"inst_issued", "smsp__inst_executed.sum", "inst"},
    {"sm_active_cycles", "sm__cycles_active.sum", "cycles"},
    {"warp_cycles", "sm__warps_active.sum", "cycles"},
    {"l1_sector_hits", "l1tex__t_sectors_lookup_hit.sum", "sectors"},
    {"l1_sector_misses", "l1tex__t_sectors_lookup_miss.sum", "sectors"},
    {"l2_sector_hits", "lts__t_sectors_lookup_hit.sum", "sectors"},
    {"l2_sector_misses", "lts__t_sectors_lookup_miss.sum", "sectors"},
    {"dram_read_bytes", "dram__bytes_read.sum", "B"},
    {"dram_write_bytes", "dram__bytes_write.sum", "B"},
}};

constexpr const char* kFallback = "/usr/local/cuda/bin/ncu";
constexpr const char* kForbidden = "ERR_NVGPUCTRPERM";

std::string profiler()
{
    if (const char* chosen = std::getenv("RIDGE_NCU"); chosen != nullptr && *chosen != '\0')
        return chosen;
    const char* folders = std::getenv("PATH");
    std::istringstream path(folders != nullptr ? folders : "");
    for (std::string folder; std::getline(path, folder, ':');)
        if (const fs::path file = fs::path(folder) / "ncu"; !folder.empty() && ::access(file.c_str(), X_OK) == 0)
            return file.string();
    return ::access(kFallback, X_OK) == 0 ? kFallback : "";
}

/// "1,024.5"; no value for text.
std::optional<double> numberOf(std::string text)
{
    std::erase(text, ',');
    return numberIn(text);
}

/// The worker's own words, else ncu's complaint, else how it ended.
std::string complaint(const std::string& log, const gpu::ChildResult& ran)
{
    std::istringstream events(ran.out);
    for (std::string line; std::getline(events, line);)
        if (const auto event = parseJson(line, "event"); event && (*event).is_object() && (*event).contains("error"))
            return (*event)["error"].value("message", std::string());
    for (const std::string* text : {&log, &ran.err}) {
        std::istringstream lines(*text);
        for (std::string line; std::getline(lines, line);)
            if (line.find("==ERROR==") != std::string::npos)
                return line.substr(line.find("==ERROR==") + 10);
    }
    return "it ended with status " + std::to_string(ran.exitCode) + " and no metrics";
}

Error forbidden()
{
    return {"counters-forbidden",
            std::string("this user may not read the GPU's performance counters (") + kForbidden + ")", "ncu",
            gpu::cuda::countersForbiddenFix()};
}

std::string joinedMetrics()
{
    std::string all;
    for (const Metric& metric : kMetrics)
        all += (all.empty() ? "" : ",") + std::string(metric.theirs);
    return all;
}

} // namespace

std::vector<std::map<std::string, double>> launchesFromNcu(const std::string& log)
{
    std::vector<std::map<std::string, double>> launches;
    std::vector<std::string> names;
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with('"'))
            continue; // what ncu says of itself
        auto rows = parseCsv(line, "ncu");
        if (!rows || rows->empty())
            continue;
        std::vector<std::string>& cells = rows->front().cells;
        if (names.empty()) {
            names = std::move(cells);
            continue;
        }
        if (!numberOf(cells[0]))
            continue; // the row of units
        std::map<std::string, double> found;
        for (std::size_t i = 0; i < std::min(names.size(), cells.size()); ++i)
            if (const auto value = numberOf(cells[i]); value && names[i].find("__") != std::string::npos)
                found[names[i]] = *value;
        launches.push_back(std::move(found));
    }
    return launches;
}

Result<HardwareCounters> countOnHardware(const Counting& what)
{
    const std::string ncu = profiler();
    if (ncu.empty() || ::access(ncu.c_str(), X_OK) != 0)
        return Error{"counters-absent",
                     "counters of a GPU are read with Nsight Compute, and there is no ncu" +
                         (ncu.empty() ? std::string() : " at " + ncu),
                     "ncu", "install the CUDA toolkit (Debian: nsight-compute), or name its ncu in RIDGE_NCU"};
    const auto folder = gpu::TemporaryFolder::make();
    if (!folder)
        return folder.error();
    const fs::path requestFile = folder->path() / "request.json", logFile = folder->path() / "ncu.csv";
    std::ofstream(requestFile) << what.request.dump() << '\n';
    std::error_code ignored;
    const fs::path self = fs::read_symlink("/proc/self/exe", ignored);
    // A child starts with nothing on standard input; the request reaches the worker through a shell's redirection.
    gpu::ChildSpec child{"/bin/sh", {"-c", "exec \"$@\" < \"$0\"", requestFile.string(), ncu}, {}, what.seconds};
    child.stop = what.cancelled;
    const auto add = [&](std::initializer_list<std::string> more) {
        child.args.insert(child.args.end(), more.begin(), more.end());
    };
    add({"--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none"});
    if (!what.entry.empty())
        add({"--kernel-name-base", "mangled", "--kernel-name", what.entry, "--launch-count", "1"});
    // The profiler may put processes of its own between itself and the worker, so the worker watches this one itself.
    add({"--log-file", logFile.string(), "--metrics", joinedMetrics(), self.string(), "run",
         std::to_string(::getpid())});
    const auto ran = gpu::runChild(child);
    if (!ran && ran.error().code == "time-limit")
        return Error{"time-limit", fmt::format("Nsight Compute was not done within {:.1f} s", what.seconds), ncu,
                     "take fewer points or smaller parameters, or raise the limit of the run with --seconds"};
    if (!ran)
        return ran.error();
    const Result<std::string> written = readFile(logFile); // not there where ncu did not begin
    const std::string log = written ? *written : std::string();
    if (log.find(kForbidden) != std::string::npos || ran->err.find(kForbidden) != std::string::npos)
        return forbidden();
    const auto launches = launchesFromNcu(log);
    if (launches.empty())
        return Error{"counters-failed", "Nsight Compute counted nothing: " + complaint(log, *ran), ncu,
                     "try it by hand: ncu --metrics sm__cycles_active.sum " + self.string() + " run"};
    HardwareCounters out{ncu, {}};
    for (const Metric& metric : kMetrics)
        for (const auto& launch : launches)
            if (const auto found = launch.find(metric.theirs); found != launch.end()) {
                HardwareCounter& counter = out.counters[metric.ours];
                counter.value += static_cast<std::uint64_t>(found->second);
                counter.unit = metric.unit;
            }
    return out;
}

} // namespace ridge::labs
