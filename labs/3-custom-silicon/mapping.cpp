// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 3.1, further: a convolution as a loop nest over memory levels, in Timeloop's exercises or one's own.
#include "accelerator/mapping.h"
#include "base/json.h"
#include "base/target_choice.h"
#include "labs/catalogue.h"
#include "labs/harness/declare.h"
#include "labs/harness/input.h"

#include <algorithm>
#include <fmt/core.h>

namespace ridge::labs {
namespace {

using namespace accelerator;

// Of a word of the exercises' buffer: from the energies that Timeloop prints for exercises 00 and 01, 1561.54 and
// 1747.76 fJ a compute, which differ by 21/48 fills a compute. The multiply-add is printed.
constexpr double kMac = 845e-15, kBufferRead = 425.96e-15, kBufferWrite = 425.65e-15;

struct Nest {
    std::vector<MappingLevel> levels;
    double mac = kMac;
};

MappingLevel level(std::string name, std::vector<MappingLoop> loops, double read = 0, double write = 0)
{
    MappingLevel result;
    result.name = std::move(name);
    result.loops = std::move(loops);
    result.readEnergy = read;
    result.writeEnergy = write;
    return result;
}

/// Timeloop's exercises (timeloop-accelergy-exercises, 2d55108): a filter of 3 over 16 outputs, from 02 on 32 filters,
/// in 04 also 32 channels on 16 PEs.
Result<Nest> exerciseOf(const std::string& exercise, const std::string& variant)
{
    const MappingLoop r{Dim::R, 3, false}, p{Dim::P, 16, false}, k{Dim::K, 32, false};
    const bool weights = variant == "ws";
    const std::vector<MappingLoop> inner = weights ? std::vector<MappingLoop>{r, p} : std::vector<MappingLoop>{p, r};
    Nest nest;
    if (exercise == "00")
        nest.levels = {level("Buffer", inner, kBufferRead, kBufferWrite)};
    else if (exercise == "01")
        nest.levels = {level("MainMemory", {}), level("Buffer", inner, kBufferRead, kBufferWrite)};
    else if (exercise == "02")
        nest.levels = {level("MainMemory", {k}), level("Buffer", inner, kBufferRead, kBufferWrite)};
    else
        nest.levels = {level("MainMemory", {MappingLoop{Dim::C, 2, false}, k}),
                       level("GlobalBuffer", {MappingLoop{Dim::C, 16, true}}, kBufferRead, kBufferWrite),
                       level("RegisterFile", inner)};
    return nest;
}

Result<Nest> nestOf(const std::string& text, const std::string& place)
{
    const auto bad = [&](const std::string& what) {
        return Error{
            "bad-mapping", what, place,
            R"(write {"mac": 1e-12, "levels": [{"name": "DRAM", "loops": ["K32", "C16 space"], "bypass": ["weights"], "read": 1e-12, "write": 1e-12}]})"};
    };
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded() || !json.is_object() || !json.contains("levels") || !json["levels"].is_array())
        return bad("the file is no JSON object with levels");
    const auto number = [](const Json& in, const char* key) {
        return in.contains(key) && in[key].is_number() ? std::max(0.0, in[key].get<double>()) : 0.0;
    };
    Nest nest;
    nest.mac = number(json, "mac");
    for (const Json& one : json["levels"]) {
        if (!one.is_object() || nest.levels.size() == 16)
            return bad("a level is no object, or there are more than 16");
        MappingLevel made =
            level(one.contains("name") && one["name"].is_string() ? one["name"].get<std::string>() : "level", {},
                  number(one, "read"), number(one, "write"));
        if (one.contains("loops") && one["loops"].is_array())
            for (const Json& loop : one["loops"]) {
                const std::string word = loop.is_string() ? loop.get<std::string>() : std::string();
                const std::size_t dim = word.empty() ? std::string::npos : std::string("RSPQCK").find(word[0]);
                std::uint64_t bound = 0;
                std::size_t at = 1;
                for (; at < word.size() && word[at] >= '0' && word[at] <= '9' && bound < 1u << 30; ++at)
                    bound = bound * 10 + static_cast<std::uint64_t>(word[at] - '0');
                const std::string rest = word.size() > at ? word.substr(at) : std::string();
                if (dim == std::string::npos || bound == 0 || bound >= 1u << 30 || (!rest.empty() && rest != " space"))
                    return bad("\"" + word.substr(0, 40) + "\" is no loop");
                made.loops.push_back({static_cast<Dim>(dim), static_cast<std::uint32_t>(bound), !rest.empty()});
            }
        if (one.contains("bypass") && one["bypass"].is_array())
            for (const Json& tensor : one["bypass"])
                for (std::size_t t = 0; t < 3; ++t)
                    if (tensor == (t == 0 ? "weights" : t == 1 ? "inputs" : "outputs"))
                        made.keeps[t] = false;
        nest.levels.push_back(std::move(made));
    }
    return nest;
}

class MappingExperiment : public Experiment {
public:
    MappingExperiment()
    {
        m_info.id = "mapping";
        m_info.title = "A loop nest over memory levels";
        m_info.module = 3;
        m_info.summary = "Counts what each level of a memory hierarchy reads, is filled with and is updated with.";
        m_info.parameters = {
            choiceParam("exercise", "Exercise", {"00", "01", "02", "04"}, "01",
                        "Of Timeloop's: 00 one buffer, 01 a memory above it, 02 32 filters, 04 channels on 16 PEs."),
            choiceParam("variant", "Variant", {"os", "ws"}, "ws",
                        "Innermost loop: over the filter (os) or outputs (ws)."),
            integerParam("level", "Level", "", 0, 15, 0, ParamScale::Linear,
                         "Whose counts are told, from the innermost; 0 is the one at the multipliers."),
            fileParam("file", "Mapping", "Mappings (*.json)", "A nest of one's own in place of the exercise.")};
        m_info.targets = {kModelTarget};
        m_info.metrics = {{"computes", "Multiplications", "1", "Of the nest."},
                          {"cycles", "Cycles", "cycles", "One multiplication a PE."},
                          {"energy", "Energy", "J", "Of multiply-adds and of the levels that have one."},
                          {"energy_per_compute", "Energy a multiplication", "J", "Of the chosen level alone."}};
        for (const auto& [name, title] :
             {std::pair{"weights", "Weights"}, {"inputs", "Inputs"}, {"outputs", "Outputs"}})
            for (const char* what : {"reads", "fills", "updates", "drains"})
                m_info.metrics.push_back({fmt::format("{}_{}", name, what), fmt::format("{}: {}", title, what), "words",
                                          "Of the chosen level, all copies together."});
        m_info.limits = {{"energy", "multiplications alone", "lower", "multiplications x energy of one",
                          "operands that cost nothing to move"}};
        m_info.charts = {{"energy_over_variant", "Energy of the variants", "variant", "energy", ParamScale::List}};
        m_info.drawsNothing = true;
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> run(const ParamSet& params, RunContext& context) const override
    {
        auto nest = exerciseOf(choice(params, "exercise"), choice(params, "variant"));
        if (given(params, "file")) {
            const auto text = readInput(params, "file", 1u << 20);
            if (!text)
                return text.error();
            nest = nestOf(*text, std::get<std::string>(params.at("file")));
        }
        if (!nest)
            return nest.error();
        const auto run = runMapping(nest->levels, nest->mac);
        if (!run)
            return run.error();
        const std::uint64_t back = integer(params, "level");
        if (back >= run->levels.size())
            return Error{"bad-value", fmt::format("the nest has {} levels", run->levels.size()), "parameter level",
                         fmt::format("give 0 to {}", run->levels.size() - 1)};
        const std::size_t chosen = run->levels.size() - 1 - back;
        const LevelCounts& counts = run->levels[chosen];
        const MappingLevel& level = nest->levels[chosen];
        const auto tell = [&](const std::string& name, double value) {
            context.metric(name, value, Provenance::Modelled);
        };
        double energy = 0;
        const char* names[] = {"weights", "inputs", "outputs"};
        for (std::size_t t = 0; t < 3; ++t) {
            tell(fmt::format("{}_reads", names[t]), static_cast<double>(counts.reads[t]));
            tell(fmt::format("{}_fills", names[t]), static_cast<double>(counts.fills[t]));
            tell(fmt::format("{}_updates", names[t]), static_cast<double>(counts.updates[t]));
            tell(fmt::format("{}_drains", names[t]), static_cast<double>(counts.drains[t]));
            energy += static_cast<double>(counts.reads[t]) * level.readEnergy +
                      static_cast<double>(counts.fills[t] + counts.updates[t]) * level.writeEnergy;
        }
        tell("computes", static_cast<double>(run->computes));
        tell("cycles", static_cast<double>(run->cycles));
        tell("energy", run->energy);
        context.limit("energy", static_cast<double>(run->computes) * nest->mac);
        tell("energy_per_compute", energy / static_cast<double>(run->computes));
        return {};
    }

private:
    ExperimentInfo m_info;
};

} // namespace

std::unique_ptr<Experiment> makeMapping()
{
    return std::make_unique<MappingExperiment>();
}

} // namespace ridge::labs
