// SPDX-License-Identifier: GPL-3.0-or-later
#include "host/machine.h"

#include "base/json.h"
#include "host/vector_loops.h"

#include <fstream>
#include <sched.h>
#include <thread>

namespace ridge::host {

namespace {

std::string firstLine(const std::filesystem::path& file)
{
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);
    return line;
}

/// What stands after "key:" in the first line that begins so.
std::string valueOf(const std::filesystem::path& file, std::string_view key)
{
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        const std::size_t colon = line.find(':');
        if (!line.starts_with(key) || colon == std::string::npos)
            continue;
        const std::size_t from = line.find_first_not_of(" \t", colon + 1);
        return from == std::string::npos ? std::string() : line.substr(from);
    }
    return {};
}

std::uint64_t kibOf(const std::filesystem::path& file, std::string_view key)
{
    return std::strtoull(valueOf(file, key).c_str(), nullptr, 10) * 1024;
}

/// "32K", "1024K", "32M".
std::uint64_t bytesOf(const std::string& text)
{
    char* unit = nullptr;
    const std::uint64_t count = std::strtoull(text.c_str(), &unit, 10);
    return *unit == 'K' ? count << 10 : *unit == 'M' ? count << 20 : *unit == 'G' ? count << 30 : count;
}

/// How many processors a list names: "0-3,8" has five.
int membersOf(const std::string& list)
{
    int members = 0;
    const char* at = list.c_str();
    while (*at >= '0' && *at <= '9') {
        char* end = nullptr;
        const long first = std::strtol(at, &end, 10);
        long last = first;
        if (*end == '-')
            last = std::strtol(end + 1, &end, 10);
        members += static_cast<int>(last - first + 1);
        at = *end == ',' ? end + 1 : end;
    }
    return std::max(1, members);
}

std::vector<int> allowedProcessors()
{
    std::vector<int> allowed;
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) == 0)
        for (int processor = 0; processor < CPU_SETSIZE; ++processor)
            if (CPU_ISSET(processor, &set))
                allowed.push_back(processor);
    // More than cpu_set_t counts, or a system that does not tell: unpinned numbers.
    if (allowed.empty())
        for (unsigned processor = 0; processor < std::max(1u, std::thread::hardware_concurrency()); ++processor)
            allowed.push_back(static_cast<int>(processor));
    return allowed;
}

std::vector<Cache> cachesOf(const std::filesystem::path& cpu)
{
    std::vector<Cache> caches;
    for (int index = 0;; ++index) {
        const auto folder = cpu / "cache" / ("index" + std::to_string(index));
        const std::string level = firstLine(folder / "level");
        if (level.empty())
            return caches;
        if (firstLine(folder / "type") == "Instruction")
            continue;
        caches.push_back({std::atoi(level.c_str()), bytesOf(firstLine(folder / "size")),
                          membersOf(firstLine(folder / "shared_cpu_list"))});
    }
}

} // namespace

Machine machine(const MachineFiles& files)
{
    Machine made;
    made.name = valueOf(files.cpuinfo, "model name");
    if (made.name.empty())
        made.name = "processor";
    made.processors = allowedProcessors();
    const auto cpu = files.cpus / ("cpu" + std::to_string(made.processors.front()));
    made.caches = cachesOf(cpu);
    made.memoryBytes = kibOf(files.meminfo, "MemTotal");
    made.availableBytes = kibOf(files.meminfo, "MemAvailable");
    made.governor = firstLine(cpu / "cpufreq" / "scaling_governor");
    made.vectors = loops().name;
    return made;
}

Json describe(const Machine& machine)
{
    Json caches = Json::array();
    for (const Cache& cache : machine.caches)
        caches.push_back(Json{{"level", cache.level}, {"bytes", cache.bytes}, {"shared_by", cache.sharedBy}});
    return Json{{"processor", machine.name},
                {"processors", machine.processors.size()},
                {"caches", std::move(caches)},
                {"memory_bytes", machine.memoryBytes},
                {"governor", machine.governor.empty() ? "unknown" : machine.governor},
                {"vectors", machine.vectors}};
}

} // namespace ridge::host
