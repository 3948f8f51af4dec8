// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/kernel/hardware_counters.h"

#include "base/csv.h"
#include "base/json.h"
#include "gpu/compile/child_process.h"
#include "gpu/compile/temporary_folder.h"

#include <cstdlib>
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
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0')
        return std::nullopt;
    return value;
}

/// ncu's own complaints, else the end of what was said.
std::string complaint(const std::string& log, const std::string& err, int exitCode)
{
    for (const std::string* text : {&log, &err}) {
        std::istringstream lines(*text);
        for (std::string line; std::getline(lines, line);)
            if (line.find("==ERROR==") != std::string::npos)
                return line.substr(line.find("==ERROR==") + 10);
    }
    return "it ended with status " + std::to_string(exitCode) + " and no metrics";
}

Error forbidden()
{
    return {
        "counters-forbidden", std::string("this user may not read the GPU's performance counters (") + kForbidden + ")",
        "ncu",
        "Linux: as root, write 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' into "
        "/etc/modprobe.d/ridge-counters.conf and restart (in a container: start it with --cap-add=SYS_ADMIN on such "
        "a host). Windows and WSL: NVIDIA Control Panel, Developer, Manage GPU Performance Counters, allow all users. "
        "A rented machine may not let you; the counters of sim:<chip> need no permission"};
}

std::string joinedMetrics()
{
    std::string all;
    for (const Metric& metric : kMetrics)
        all += (all.empty() ? "" : ",") + std::string(metric.theirs);
    return all;
}

} // namespace

std::map<std::string, double> metricsFromNcu(const std::string& log)
{
    std::map<std::string, double> found;
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
        for (std::size_t i = 0; i < std::min(names.size(), cells.size()); ++i)
            if (const auto value = numberOf(cells[i]); value && names[i].find("__") != std::string::npos)
                found[names[i]] = *value;
        return found;
    }
    return found;
}

Result<HardwareCounters> countOnHardware(const KernelRunRequest& request, const std::string& entry, double seconds)
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
    // Once, without timing, and without asking for counters again.
    KernelRunRequest once = request;
    once.counters = once.check = once.checkGlobal = false;
    once.functional = true;
    once.steps = 0;
    const fs::path requestFile = folder->path() / "request.json", logFile = folder->path() / "ncu.csv";
    std::ofstream(requestFile) << toJson(KernelRequest(once)).dump() << '\n';
    std::error_code ignored;
    const fs::path self = fs::read_symlink("/proc/self/exe", ignored);
    // A child starts with nothing on standard input; the request reaches the worker through a shell's redirection.
    gpu::ChildSpec child{"/bin/sh",
                         {"-c",
                          "exec \"$@\" < \"$0\"",
                          requestFile.string(),
                          ncu,
                          "--csv",
                          "--page",
                          "raw",
                          "--print-units",
                          "base",
                          "--clock-control",
                          "none",
                          "--kernel-name-base",
                          "mangled",
                          "--kernel-name",
                          entry,
                          "--launch-count",
                          "1",
                          "--log-file",
                          logFile.string(),
                          "--metrics",
                          joinedMetrics(),
                          self.string(),
                          "run"},
                         {},
                         seconds};
    const auto ran = gpu::runChild(child);
    if (!ran)
        return ran.error();
    const Result<std::string> written = readFile(logFile); // not there where ncu did not begin
    const std::string log = written ? *written : std::string();
    if (log.find(kForbidden) != std::string::npos || ran->err.find(kForbidden) != std::string::npos)
        return forbidden();
    const auto metrics = metricsFromNcu(log);
    if (metrics.empty())
        return Error{"counters-failed", "Nsight Compute counted nothing: " + complaint(log, ran->err, ran->exitCode),
                     ncu, "try it by hand: ncu --metrics sm__cycles_active.sum " + self.string() + " run"};
    HardwareCounters out{ncu, Json::object()};
    for (const Metric& metric : kMetrics)
        if (const auto found = metrics.find(metric.theirs); found != metrics.end())
            out.counters[metric.ours] =
                Json{{"value", static_cast<std::uint64_t>(found->second)}, {"unit", metric.unit}};
    return out;
}

} // namespace ridge::labs
