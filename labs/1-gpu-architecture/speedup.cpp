// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/target_choice.h"
#include "labs/catalogue.h"
#include "labs/harness/chip_params.h"
#include "labs/harness/declare.h"
#include "silicon/kernel_profile.h"

#include <fmt/core.h>

namespace ridge::labs {
namespace {

constexpr double kFlop = 1e12; // of the kernel: times are for so many operations
constexpr double kDoesNotFit = 2;

ParamSpec realParam(const char* name, const char* title, const char* unit, double min, double max, double defaultValue,
                    const char* help)
{
    ParamSpec spec;
    spec.name = name;
    spec.title = title;
    spec.type = ParamType::Real;
    spec.unit = unit;
    spec.min = min;
    spec.max = max;
    spec.scale = ParamScale::Log2;
    spec.defaultValue = defaultValue;
    spec.help = help;
    return spec;
}

std::vector<ParamSpec> parameters()
{
    auto intensity = realParam("intensity", "Arithmetic intensity", "FLOP/B", 1.0 / 16, 4096, 8,
                               "Operations for each byte that moves to or from device memory.");
    intensity.sweepFor = {{"model", "0.0625..4096:log2"}};
    return {chipParam("from", "From", "a100-sxm-80", "The chip that the kernel runs on today."),
            chipParam("to", "To", "h100-sxm", "The chip that it would run on."),
            choiceParam("precision", "Precision", {"fp32", "tf32", "fp16", "bf16", "fp8", "int8"}, "bf16",
                        "Format of the arithmetic, whose dense peak counts."),
            intensity,
            realParam("working_set", "Working set", "B", 1e6, 1e13, 1e9,
                      "What the kernel keeps in device memory; a chip with less memory cannot run it.")};
}

std::vector<MetricSpec> metrics()
{
    const std::string time = "Least time that the datasheet allows for 10^12 operations.";
    const std::string ridge = "Intensity at which peak and bandwidth meet: dense peak over pin bandwidth.";
    const std::string bound = "0 waits for memory, 1 for arithmetic, 2 the working set does not fit.";
    return {{"speedup", "Predicted speed-up", "x",
             "Time on the old chip over time on the new one; none where it does "
             "not fit."},
            {"from_time", "Time on the old chip", "s", time},
            {"to_time", "Time on the new chip", "s", time},
            {"from_ridge", "Ridge of the old chip", "FLOP/B", ridge},
            {"to_ridge", "Ridge of the new chip", "FLOP/B", ridge},
            {"from_bound", "Bound on the old chip", "1", bound},
            {"to_bound", "Bound on the new chip", "1", bound}};
}

class Speedup : public Experiment {
public:
    Speedup()
    {
        m_info.id = "speedup";
        m_info.version = 1;
        m_info.title = "Predicted speed-up between chips";
        m_info.module = 1;
        m_info.summary = "Predicts from two datasheets how much faster a kernel becomes, by its arithmetic intensity.";
        m_info.parameters = parameters();
        m_info.targets = {kModelTarget};
        m_info.metrics = metrics();
        m_info.charts = {{"speedup_over_intensity", "Predicted speed-up over intensity", "intensity", "speedup",
                          ParamScale::Log2, ParamScale::Linear},
                         {"speedup_over_to", "Predicted speed-up over new chip", "to", "speedup", ParamScale::List,
                          ParamScale::Linear}};
        m_info.limits = {{"speedup", "the larger ratio of the datasheets", "upper",
                          "max(ratio of the peaks, ratio of the bandwidths)",
                          "Williams, Waterman, Patterson 2009; chip table: dense peaks and pin bandwidths"}};
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> run(const ParamSet& params, RunContext& context) const override;

private:
    ExperimentInfo m_info;
};

Result<void> Speedup::run(const ParamSet& params, RunContext& context) const
{
    const auto catalogue = silicon::shippedCatalogue();
    if (!catalogue)
        return catalogue.error();
    silicon::KernelProfile profile;
    profile.id = "speedup";
    profile.title = "a kernel";
    profile.precision = *silicon::precisionFromText(choice(params, "precision"));
    profile.flop = kFlop;
    profile.intensity = std::get<double>(params.at("intensity"));
    profile.workingSetBytes = std::get<double>(params.at("working_set"));
    const auto tell = [&](const std::string& name, double value) { context.metric(name, value, Provenance::Modelled); };
    std::vector<silicon::KernelTime> times;
    std::vector<silicon::Roofline> roofs;
    for (const char* side : {"from", "to"}) {
        const auto chip = chipOf(*catalogue, params, side);
        if (!chip)
            return chip.error();
        const auto roof = silicon::roofline(*catalogue, *chip, profile.precision);
        if (!roof)
            return roof.error();
        roofs.push_back(*roof);
        tell(fmt::format("{}_ridge", side), roof->ridge());
        const auto time = silicon::predictedTime(*catalogue, *chip, profile);
        if (!time && time.error().code != "does-not-fit")
            return time.error();
        tell(fmt::format("{}_bound", side), !time ? kDoesNotFit : time->bound == silicon::Bound::Compute ? 1 : 0);
        if (!time) {
            context.log(toText(time.error()));
            continue;
        }
        tell(fmt::format("{}_time", side), time->seconds);
        times.push_back(*time);
    }
    if (times.size() == 2)
        tell("speedup", times[0].seconds / times[1].seconds);
    context.limit("speedup", std::max(roofs[1].flopsPerSecond / roofs[0].flopsPerSecond,
                                      roofs[1].bytesPerSecond / roofs[0].bytesPerSecond));
    return {};
}

} // namespace

std::unique_ptr<Experiment> makeSpeedup()
{
    return std::make_unique<Speedup>();
}

} // namespace ridge::labs
