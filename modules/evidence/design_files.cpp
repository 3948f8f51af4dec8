// SPDX-License-Identifier: GPL-3.0-or-later
#include "evidence/design_files.h"

#include "base/hash.h"
#include "base/paths.h"
#include "base/plain_file.h"

#include <fmt/core.h>

namespace ridge::app {
namespace {

constexpr const char* kBench = "rtl_array";
constexpr const char* kTiming = "rtl_timing";
constexpr const char* kDesign = "array.sv";

const record::RunRow* newestOf(std::span<const record::RunRow> runs, std::string_view experiment)
{
    const record::RunRow* newest = nullptr;
    for (const record::RunRow& run : runs)
        if (run.experiment == experiment && (!newest || run.seq > newest->seq))
            newest = &run;
    return newest;
}

/// The text of the design that a run was given; where it was given none, of the shipped one.
Result<std::string> designOf(const record::RunRow& run, const std::filesystem::path& folder)
{
    const auto given = run.params.find("design");
    const auto* path = given == run.params.end() ? nullptr : std::get_if<std::string>(&given->second);
    return readFile(path && !path->empty() ? std::filesystem::path(*path) : folder / kDesign);
}

/// In plain text: what was placed, the figures, and what the tools' own checks say.
std::string reportOf(const record::RunRow& run, const Result<std::string>& design, const std::string& file,
                     const std::vector<ExperimentInfo>& experiments)
{
    const auto info = std::ranges::find(experiments, run.experiment, &ExperimentInfo::id);
    std::string text = "FPGA timing report\n\n";
    const auto line = [&](const std::string& name, const std::string& value) {
        text += fmt::format("{:<28} {}\n", name, value);
    };
    line("Design", design ? fmt::format("{}, SHA-256 {}", file, sha256Hex(*design))
                          : "no longer at hand: " + toText(design.error()));
    for (const auto& [name, value] : run.params) {
        const ParamSpec* spec = info == experiments.end() ? nullptr : info->parameter(name);
        if (name != "design" && name != "limit_s")
            line(spec ? spec->title : name, toText(value));
    }
    const Provenance provenance = run.metrics.empty() ? run.provenance : run.metrics.begin()->second.provenance;
    line("Made by", fmt::format("ridge run {}, {} ({})", run.experiment, toText(provenance), run.createdAt));
    text += '\n';
    const auto figure = [&](const std::string& name, const std::string& title) {
        if (const auto found = run.metrics.find(name); found != run.metrics.end())
            line(title, fmt::format("{:.6g}{}{}", found->second.value, found->second.unit == "1" ? "" : " ",
                                    found->second.unit == "1" ? "" : found->second.unit));
    };
    if (info == experiments.end())
        for (const auto& [name, metric] : run.metrics)
            figure(name, name);
    else
        for (const MetricSpec& metric : info->metrics)
            figure(metric.name, metric.title);
    text += '\n';
    for (const CheckResult& check : run.checks)
        line((check.passed ? "Holds: " : "Fails: ") + check.name, check.detail);
    text += "\nFigures are the tools' estimates after routing. Nothing was loaded into a chip.\n";
    return text;
}

} // namespace

Result<std::vector<record::ArtifactCode>> storeDesigns(record::Store& store, std::span<const record::RunRow> runs,
                                                       const std::vector<ExperimentInfo>& experiments)
{
    std::vector<record::ArtifactCode> files;
    const record::RunRow* bench = newestOf(runs, kBench);
    const record::RunRow* timing = newestOf(runs, kTiming);
    if (!bench && !timing)
        return files;
    const auto data = dataFolder();
    if (!data)
        return data.error();
    const auto folder = *data / "labs" / "rtl";
    const auto put = [&](const std::string& name, std::string text) -> Result<void> {
        auto stored = store.putFile(std::move(text));
        stored.waitForFinished();
        if (!stored.result())
            return stored.result().error();
        files.push_back({name, *stored.result()});
        return {};
    };
    Result<std::string> tested = bench ? designOf(*bench, folder) : Error{"none", "no design was tested", "", ""};
    if (tested)
        if (auto done = put(kDesign, *tested); !done)
            return done.error();
    if (bench)
        if (const auto text = readFile(folder / "bench.sv"))
            if (auto done = put("bench.sv", *text); !done)
                return done.error();
    if (!timing)
        return files;
    const Result<std::string> placed = designOf(*timing, folder);
    const bool same = placed && tested && *placed == *tested;
    const std::string name = same || !tested ? kDesign : std::string("placed-") + kDesign;
    if (placed && !same)
        if (auto done = put(name, *placed); !done)
            return done.error();
    if (auto done = put("fpga-timing-report.txt", reportOf(*timing, placed, name, experiments)); !done)
        return done.error();
    return files;
}

} // namespace ridge::app
