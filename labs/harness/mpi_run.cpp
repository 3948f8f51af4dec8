// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/harness/mpi_run.h"

#include "base/json.h"
#include "gpu/compile/child_process.h"

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <unistd.h>

namespace ridge::labs {
namespace {

constexpr std::size_t kMostWords = 600; // of mpirun in an error

/// Its last words, without rules and blank lines.
std::string lastWords(const std::string& text)
{
    std::istringstream in(text);
    std::string line, all;
    while (std::getline(in, line))
        if (!line.empty() && line.find_first_not_of("-= ") != std::string::npos)
            all += (all.empty() ? "" : " ") + line;
    return all.size() > kMostWords ? all.substr(all.size() - kMostWords) : all;
}

} // namespace

Result<std::string> findMpirun()
{
    const char* path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "/usr/bin");
    std::string folder;
    while (std::getline(folders, folder, ':'))
        if (const std::string file = folder + "/mpirun"; !folder.empty() && ::access(file.c_str(), X_OK) == 0)
            return file;
    return Error{"no-mpi", "there is no mpirun: Open MPI is not installed", "target mpi",
                 "install it, on Debian and Ubuntu: sudo apt install openmpi-bin; or take --target machine:dgx-h100"};
}

Error mpiError(int exitCode, const std::string& words, std::uint32_t ranks)
{
    // "mpirun noticed that process rank 2 with PID 0 on node x exited on signal 9 (Killed)."
    const auto rank = words.find("process rank ");
    const auto signal = words.find("exited on signal ");
    if (rank != std::string::npos && signal != std::string::npos) {
        const int which = std::atoi(words.c_str() + rank + 13), number = std::atoi(words.c_str() + signal + 17);
        return Error{
            "rank-killed",
            "rank " + std::to_string(which) + " of " + std::to_string(ranks) + " was ended by signal " +
                std::to_string(number) + " in the middle of the collective; the others waited for it and were ended",
            "rank " + std::to_string(which),
            number == 9
                ? "look for what killed it: the kernel's out-of-memory killer (dmesg) or a person; then run again"
                : "run again; a crash that repeats is a mistake of this program: report it"};
    }
    if (exitCode > 128 && lastWords(words).empty())
        return Error{"mpi-failed",
                     "mpirun was ended by signal " + std::to_string(exitCode - 128) + ", and all ranks with it",
                     "target mpi",
                     "look for what ended it: the kernel's out-of-memory killer (dmesg) or a person; then run again"};
    if (words.find("not enough slots") != std::string::npos)
        return Error{"mpi-failed", "Open MPI has no room for " + std::to_string(ranks) + " ranks", "ranks",
                     "take fewer ranks"};
    return Error{
        "mpi-failed",
        "mpirun ended with " + std::to_string(exitCode) + (words.empty() ? std::string() : ": " + lastWords(words)),
        "target mpi", "see whether mpirun -n 2 hostname works; on Debian and Ubuntu: sudo apt install openmpi-bin"};
}

Result<MpiResult> runMpi(const MpiJob& job, double seconds, const std::function<bool()>& stop)
{
    const auto mpirun = findMpirun();
    if (!mpirun)
        return mpirun.error();
    std::error_code failed;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", failed);
    if (failed)
        return Error{"mpi-failed", "this program does not know where it is", "/proc/self/exe", "mount /proc"};
    gpu::ChildSpec child;
    child.program = *mpirun;
    // Shared memory alone, copied: process_vm_readv is forbidden in most containers.
    child.args = {"-n",
                  std::to_string(job.shape.ranks),
                  "--oversubscribe",
                  "--bind-to",
                  "none",
                  "--mca",
                  "btl",
                  "self,vader",
                  "--mca",
                  "btl_vader_single_copy_mechanism",
                  "none",
                  "--mca",
                  "mpi_yield_when_idle",
                  "1"};
    if (::geteuid() == 0)
        child.args.insert(child.args.begin(), "--allow-run-as-root");
    child.args.push_back(self.string());
    child.args.push_back("mpi-rank");
    for (std::string& argument : argumentsOf(job))
        child.args.push_back(std::move(argument));
    child.seconds = seconds;
    child.stop = stop;
    const auto ran = gpu::runChild(child);
    if (!ran) {
        Error error = ran.error();
        if (error.code == "time-limit")
            return Error{"time-limit",
                         "the ranks did not come to an end within " + std::to_string(static_cast<int>(seconds)) +
                             " s and were ended: a rank that takes no part makes all others wait for ever",
                         "target mpi", "take fewer bytes or ranks, or look for the rank that is missing"};
        return error;
    }
    if (ran->exitCode != 0)
        return mpiError(ran->exitCode, ran->err + ran->out, job.shape.ranks);
    const auto at = ran->out.find(kMpiMark);
    const auto end = at == std::string::npos ? at : ran->out.find('\n', at);
    const auto json =
        at == std::string::npos
            ? Result<Json>(mpiError(0, ran->err, job.shape.ranks))
            : parseJson(ran->out.substr(at + std::string(kMpiMark).size(), end - at - std::string(kMpiMark).size()),
                        "rank 0");
    if (!json)
        return mpiError(0, ran->err + ran->out, job.shape.ranks);
    MpiResult result;
    for (const auto& [key, to] : {std::pair{"seconds", &result.seconds}, {"vendor_seconds", &result.vendorSeconds}})
        if (json->contains(key) && (*json)[key].is_array())
            for (const Json& each : (*json)[key])
                to->push_back(each.is_number() ? each.get<double>() : 0);
    const auto count = [&](const char* key) {
        return json->contains(key) && (*json)[key].is_number_unsigned() ? (*json)[key].get<std::uint64_t>() : 0;
    };
    result.wrong = count("wrong");
    result.otherBits = count("other_bits");
    result.same = json->contains("same") && (*json)["same"].is_boolean() && (*json)["same"].get<bool>();
    if (result.seconds.empty() || result.vendorSeconds.empty())
        return mpiError(0, ran->err + ran->out, job.shape.ranks);
    return result;
}

} // namespace ridge::labs
