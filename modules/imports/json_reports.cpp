// SPDX-License-Identifier: GPL-3.0-or-later
// Reports that are JSON: nvbench, a trace of the PyTorch profiler, yosys' stat.
#include "imports/lines.h"
#include "imports/readers.h"

#include "base/json.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <vector>

namespace ridge::imports {
namespace {

constexpr const char* kHowNvbench = "Make it with the benchmark's own --json result.json";
constexpr const char* kHowTrace =
    "Make it with prof.export_chrome_trace(\"trace.json\"), unpacked where it ends in .gz";
constexpr const char* kHowYosys = "Make it with yosys -p \"...; tee -o stat.json stat -json\"";

bool isJson(std::string_view bytes)
{
    return trimmed(bytes.substr(0, 4096)).starts_with('{');
}

bool has(std::string_view bytes, std::string_view words)
{
    return bytes.find(words) != std::string_view::npos;
}

std::string word(const Json& object, const char* key)
{
    const auto found = object.is_object() ? object.find(key) : object.end();
    return object.is_object() && found != object.end() && found->is_string() ? found->get<std::string>()
                                                                             : std::string();
}

/// A number, also where the tool wrote it as a string.
std::optional<double> number(const Json& object, const char* key)
{
    if (!object.is_object())
        return std::nullopt;
    const auto found = object.find(key);
    if (found == object.end())
        return std::nullopt;
    if (found->is_number())
        return found->get<double>();
    return found->is_string() ? numberIn(found->get<std::string>()) : std::nullopt;
}

const Json& list(const Json& object, const char* key)
{
    static const Json none = Json::array();
    if (!object.is_object())
        return none;
    const auto found = object.find(key);
    return found != object.end() && found->is_array() ? *found : none;
}

/// nvbench says of each figure what it is.
std::pair<double, const char*> byHint(double value, const std::string& hint)
{
    if (hint == "duration")
        return {value, "s"};
    if (hint == "percentage")
        return {100 * value, "%"};
    if (hint == "byte_rate")
        return {value, "B/s"};
    if (hint == "bytes")
        return {value, "B"};
    if (hint == "item_rate")
        return {value, "items/s"};
    return {value, "1"};
}

/// ", Size 1024, Type f32": where a state of a benchmark lies.
std::string axesText(const Json& state)
{
    std::string text;
    for (const Json& axis : list(state, "axis_values")) {
        const auto value = axis.is_object() ? axis.find("value") : axis.end();
        const bool isText = axis.is_object() && value != axis.end() && value->is_string();
        const auto measure = number(axis, "value");
        text += ", " + word(axis, "name") + " " +
                (isText    ? value->get<std::string>()
                 : measure ? Json(*measure).dump()
                           : std::string());
    }
    return text;
}

void addSummaries(const Json& state, const std::string& of, FigureList& figures)
{
    for (const Json& summary : list(state, "summaries"))
        for (const Json& datum : list(summary, "data")) {
            const auto value = word(datum, "name") == "value" ? number(datum, "value") : std::nullopt;
            if (!value)
                continue;
            const auto [scaled, unit] = byHint(*value, word(summary, "hint"));
            const std::string tag = word(summary, "tag");
            figures.add(tag.empty() ? word(summary, "name") : tag, scaled, unit, of, 0);
        }
}

} // namespace

bool looksLikeNvbench(std::string_view bytes)
{
    return isJson(bytes) && has(bytes, "\"benchmarks\"") && has(bytes, "\"summaries\"") && has(bytes, "\"states\"");
}

Result<Imported> readNvbench(std::string_view bytes, const std::string& name)
{
    const auto document = parseJson(bytes, name);
    if (!document)
        return document.error();
    Imported imported;
    imported.kind = "benchmark report";
    std::size_t states = 0, skipped = 0;
    std::set<std::string> benchmarks;
    std::map<double, std::string> devices;
    for (const Json& device : list(*document, "devices"))
        if (const auto id = number(device, "id"))
            devices[*id] = word(device, "name");
    {
        FigureList figures(imported);
        for (const Json& benchmark : list(*document, "benchmarks"))
            for (const Json& state : list(benchmark, "states")) {
                if (state.is_object() && state.contains("is_skipped") && state["is_skipped"] == Json(true)) {
                    ++skipped;
                    continue;
                }
                ++states;
                benchmarks.insert(word(benchmark, "name"));
                std::string of = word(benchmark, "name") + axesText(state);
                if (const auto device = number(state, "device"); device && devices.size() > 1)
                    of += ", " + devices[*device];
                addSummaries(state, of, figures);
            }
    }
    if (imported.figures.empty())
        return badImport(name, 0, "No state of a benchmark has a figure", kHowNvbench);
    for (const auto& [id, device] : devices)
        imported.machine.emplace_back("gpu", device);
    if (skipped > 0)
        imported.notes.push_back(counted(skipped, "state") + " that the benchmark skipped left out.");
    imported.title = counted(states, "state") + " of " +
                     (benchmarks.size() == 1 ? *benchmarks.begin() : counted(benchmarks.size(), "benchmark")) +
                     " with nvbench";
    return imported;
}

bool looksLikeTorchTrace(std::string_view bytes)
{
    return isJson(bytes) && has(bytes, "\"traceEvents\"") && (has(bytes, "\"cat\"") || has(bytes, "\"dur\""));
}

Result<Imported> readTorchTrace(std::string_view bytes, const std::string& name)
{
    const auto document = parseJson(bytes, name);
    if (!document)
        return document.error();
    if (!document->contains("traceEvents") || !(*document)["traceEvents"].is_array())
        return badImport(name, 0, "\"traceEvents\" is not a list", kHowTrace);
    struct Sum {
        double microseconds = 0, longest = 0;
        std::size_t count = 0;
    };
    std::map<std::string, Sum> kernels, copies;
    std::size_t other = 0;
    for (const Json& event : list(*document, "traceEvents")) {
        const auto duration = word(event, "ph") == "X" ? number(event, "dur") : std::nullopt;
        if (!duration)
            continue;
        std::string category = word(event, "cat");
        std::ranges::transform(category, category.begin(), [](unsigned char c) { return std::tolower(c); });
        const bool kernel = category == "kernel";
        if (!kernel && !category.starts_with("gpu_mem")) {
            ++other;
            continue;
        }
        Sum& sum = (kernel ? kernels : copies)[word(event, "name")];
        sum.microseconds += *duration;
        sum.longest = std::max(sum.longest, *duration);
        ++sum.count;
    }
    if (kernels.empty() && copies.empty())
        return badImport(name, 0, "The trace has no event of a GPU (kernel, gpu_memcpy, gpu_memset)",
                         "Record with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]");
    Imported imported;
    imported.kind = "profile";
    {
        FigureList figures(imported);
        for (const auto* part : {&kernels, &copies})
            for (const auto& [of, sum] : *part) {
                figures.add("total time", sum.microseconds, "us", of, 0);
                figures.add("instances", static_cast<double>(sum.count), "1", of, 0);
                figures.add("average", sum.microseconds / static_cast<double>(sum.count), "us", of, 0);
                figures.add("maximum", sum.longest, "us", of, 0);
            }
    }
    for (const Json& device : list(*document, "deviceProperties"))
        if (const std::string gpu = word(device, "name"); !gpu.empty())
            imported.machine.emplace_back("gpu", gpu);
    if (other > 0)
        imported.notes.push_back(counted(other, "event") + " of the processor left out: they contain one another.");
    imported.title =
        counted(kernels.size(), "kernel") + " as PyTorch's profiler saw " + (kernels.size() == 1 ? "it" : "them");
    return imported;
}

bool looksLikeYosysStat(std::string_view bytes)
{
    return isJson(bytes) && has(bytes, "\"num_cells\"") && has(bytes, "\"modules\"");
}

Result<Imported> readYosysStat(std::string_view bytes, const std::string& name)
{
    const auto document = parseJson(bytes, name);
    if (!document)
        return document.error();
    Imported imported;
    imported.kind = "timing report";
    std::size_t modules = 0;
    {
        FigureList figures(imported);
        const auto add = [&](const std::string& of, const Json& counts) {
            if (!counts.is_object())
                return;
            for (const char* key : {"num_wires", "num_wire_bits", "num_memories", "num_memory_bits", "num_processes",
                                    "num_cells", "area"})
                if (const auto value = number(counts, key))
                    figures.add(key, *value, "1", of, 0);
            if (const auto kinds = counts.find("num_cells_by_type"); kinds != counts.end() && kinds->is_object())
                for (const auto& [cell, count] : kinds->items())
                    if (count.is_number())
                        figures.add("cells, " + cell, count.get<double>(), "1", of, 0);
        };
        if (const auto all = document->find("modules"); all != document->end() && all->is_object())
            for (const auto& [module, counts] : all->items()) {
                add(module.starts_with('\\') ? module.substr(1) : module, counts);
                ++modules;
            }
        if (const auto design = document->find("design"); modules > 1 && design != document->end())
            add("design", *design);
    }
    if (imported.figures.empty())
        return badImport(name, 0, "No module has a count of cells", kHowYosys);
    if (const std::string by = word(*document, "creator"); !by.empty())
        imported.machine.emplace_back("tool", by);
    imported.title = "Cells of " + counted(modules, "module") + " from Yosys";
    return imported;
}

std::optional<Error> knownButClosed(std::string_view bytes, const std::string& name)
{
    const auto convert = [&](const std::string& what, const std::string& command) {
        return Error{"unknown-format", "The file is " + what, name, "Convert it: " + command};
    };
    const std::size_t slash = name.find_last_of("/\\");
    const std::string base = slash == std::string::npos ? name : name.substr(slash + 1);
    if (base.ends_with(".ncu-rep") || base.ends_with(".ncu-repz"))
        return convert("a report of Nsight Compute, which only its own tool reads",
                       "ncu --import " + base + " --csv > profile.csv");
    if (base.ends_with(".nsys-rep") || base.ends_with(".qdrep"))
        return convert("a report of Nsight Systems, which only its own tool reads",
                       "nsys stats --format csv " + base + " > summary.csv");
    if (bytes.starts_with("SQLite format 3"))
        return has(bytes.substr(0, 4 << 20), "CUPTI_ACTIVITY") || base.ends_with(".sqlite")
                   ? convert("a database, as Nsight Systems exports them",
                             "nsys stats --format csv " + base + " > summary.csv")
                   : convert("a SQLite database", "export the table you mean as CSV");
    if (bytes.starts_with("\x1f\x8b"))
        return convert("packed with gzip", "gunzip " + base);
    if (bytes.starts_with("Start (ns),Duration (ns)") || bytes.starts_with("\"Start (ns)\",\"Duration (ns)\""))
        return convert("a list of single launches (cuda_gpu_trace), not a summary",
                       "nsys stats --report cuda_gpu_kern_sum --format csv report.nsys-rep > kernels.csv");
    return std::nullopt;
}

} // namespace ridge::imports
