// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 3.8: one workload on a GPU and on every kind of silicon beside it, and whether porting to it pays.
#include "accelerator/choice.h"
#include "accelerator/network.h"
#include "base/target_choice.h"
#include "labs/catalogue.h"
#include "labs/harness/cost_params.h"
#include "labs/harness/model_params.h"
#include "labs/harness/silicon_rows.h"
#include "serving/economics/costs.h"
#include "serving/economics/edge.h"
#include "silicon/chip_catalogue.h"
#include "workload/operators.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace ridge::labs {
namespace {

using namespace accelerator;

const std::vector<std::string> kChoices{"h100-sxm",  "h200-sxm", "tpu-v5e",      "trainium1",
                                        "trainium2", "gaudi2",   "gaudi3",       "groq-lpu",
                                        "wse-2",     "wse-3",    "apple-m2-max", "apple-m2-ultra"};

/// Of 16 bits; `bits` 8 takes the rate in 8 bits where one is published, else that of 16.
Result<ChoiceMachine> machineNamed(const std::string& id, double bits)
{
    ChoiceMachine made;
    made.id = id;
    for (const serving::EdgeDevice& device : serving::appleDevices())
        if (device.id == id) {
            made.title = device.title;
            made.flopsPerS = device.flopsPerSecond;
            made.bytesPerS = device.bytesPerSecond;
            made.memoryBytes = device.memoryBytes * device.usableMemory;
            made.watts = device.watts;
            made.scales = false;
            return made;
        }
    static const auto machines = silicon::shippedMachines();
    if (!machines)
        return machines.error();
    for (const silicon::Machine& machine : *machines)
        if (machine.id == id) {
            MachineReader values(machine);
            const auto model = machine.text("model");
            if (!model)
                return model.error();
            made.title = machine.title;
            made.flopsPerS = values.number("peak_bf16", "FLOP/s");
            made.linkBytesPerS = values.numberOr("link_bandwidth", "B/s", 0) / 2;
            made.watts = values.numberOr("power", "W", 0);
            if (*model == "groq") {
                made.kind = ChoiceKind::Lpu;
                if (bits <= 8)
                    made.flopsPerS = values.number("peak_int8", "FLOP/s");
                made.memoryBytes = values.number("sram", "B");
                made.bytesPerS = values.number("install_bytes_per_cycle", "B") * values.number("clock", "Hz");
            } else if (*model == "wafer") {
                made.kind = ChoiceKind::Wafer;
                made.memoryBytes = values.number("sram", "B");
                made.bytesPerS = values.number("sram_bandwidth", "B/s");
                made.streamBytesPerS = values.number("stream_bandwidth", "B/s");
            } else {
                made.memoryBytes = values.number("memory", "B");
                made.bytesPerS = values.number("dram_bandwidth", "B/s");
                if (bits <= 8)
                    made.flopsPerS *= values.numberOr("int8_speedup", "1", 1);
            }
            if (values.error())
                return *values.error();
            return made;
        }
    static const auto catalogue = silicon::shippedCatalogue();
    if (!catalogue)
        return catalogue.error();
    for (const silicon::Chip& chip : catalogue->chips())
        if (chip.id == id) {
            const auto device =
                workload::deviceOf(*catalogue, chip, bits <= 8 ? workload::Dtype::Int8 : workload::Dtype::Bf16);
            if (!device)
                return device.error();
            made.title = chip.name;
            made.flopsPerS = device->flopsPerSecond;
            made.bytesPerS = device->bytesPerSecond;
            made.memoryBytes = device->memoryBytes;
            made.linkBytesPerS = device->linkBytesPerSecond;
            made.watts = chip.tdpWatts.valueOr(0);
            return made;
        }
    return Error{"unknown-target", "there is no machine " + id, "parameter machine", "take another"};
}

class MachineChoiceExperiment : public Experiment {
public:
    MachineChoiceExperiment()
    {
        const char* money = "units of currency";
        m_info.id = "machine_choice";
        m_info.title = "One workload on every machine";
        m_info.module = 3;
        m_info.summary = "Holds a model on machines of every kind to their datasheets, and prices porting to them.";
        m_info.parameters = {
            choiceParam("machine", "Machine", kChoices, "trainium2", "A GPU, an accelerator, a wafer or a laptop."),
            choiceParam("against", "Against", kChoices, "h100-sxm", "That porting starts from."),
            choiceParam("workload", "Workload", {"decode", "prefill", "resnet50"}, "decode",
                        "A token of every sequence, a whole prompt of each, or images."),
            modelParam("llama-3-70b", "Of decode and prefill."),
            amountParam("parameters", "Weights", "10^9", 1e6, 0,
                        "Above 0: of a model of this size in place of it, "
                        "without caches and exchanges."),
            integerParam("batch", "Batch", "", 1, 1 << 20, 1, ParamScale::Log2, "Sequences or images."),
            integerParam("context", "Context", "tokens", 1, 1 << 20, 1024, ParamScale::Log2, "Of each sequence."),
            integerParam("bits", "Bits", "", 8, 16, 16, ParamScale::List, "Of a weight."),
            integerParam("chips", "Chips at least", "", 1, 1 << 20, 1, ParamScale::Log2,
                         "Those that hold the weights are taken if they are more; of wafers that stream only these."),
            integerParam("stage_chips", "Chips of a stage", "", 1, 1024, 8, ParamScale::Log2, "Of an LPU: on a layer."),
            amountParam("exchange_us", "Exchange", "us", 1e4, 0,
                        "Latency each time that chips share a layer's result, twice a layer; an LPU: each hop."),
            amountParam("price", "Price of a chip-hour", "", 1e6, 1.5, "Of the machine, in your currency."),
            amountParam("against_price", "Price of the other", "", 1e6, 2.5,
                        "A chip-hour of the one it is held against."),
            amountParam("reached", "Reached", "", 1, 1, "Share of its datasheet that your work reaches there."),
            amountParam("fleet", "Fleet", "chips", 1e7, 64, "Of the machine that porting starts from."),
            amountParam("utilisation", "Utilisation", "", 1, 0.6, "Share of the hours that are paid for."),
            amountParam("months", "Porting", "months", 1e5, 36, "Of engineers."),
            amountParam("upkeep_months", "Upkeep", "months", 1e5, 12, "Of engineers, a year after that."),
            amountParam("engineer_month", "Price of an engineer's month", "", 1e7, 25000, "In your currency."),
            amountParam("years", "Years", "", 50, 3, "That the fleet is used."),
            spreadParam("price_spread", "Prices, uncertainty", 0.15),
            spreadParam("speed_spread", "Speed, uncertainty", 0.3),
            spreadParam("months_spread", "Months, uncertainty", 0.5),
            spreadParam("fleet_spread", "Fleet, uncertainty", 0.3)};
        m_info.parameters[7].choices = {std::int64_t{8}, std::int64_t{16}};
        for (ParamSpec& each : moneyParams())
            m_info.parameters.push_back(std::move(each));
        m_info.targets = {kModelTarget};
        m_info.metrics = {
            {"possible", "Possible", "1", "0: it does not fit the machine."},
            {"chips", "Chips", "chips", "That hold weights and caches."},
            {"time", "Latency", "s", "Of a step, as the datasheet allows: nothing is faster, most is slower."},
            {"throughput", "Throughput", "1/s", "Tokens or images of all chips."},
            {"per_chip", "A chip's throughput", "1/s", "Of them."},
            {"utilization", "Utilisation", "1", "Of all chips' peak."},
            {"bound", "Bound", "1", "0 arithmetic, 1 memory, 2 link or stream."},
            {"compute_time", "Arithmetic", "s", "At peak."},
            {"memory_time", "Memory", "s", "At full bandwidth; an LPU: weights into its arrays."},
            {"link_time", "Link", "s", "What chips send, or weights that stream in."},
            {"ridge", "Ridge", "FLOP/B", "At which arithmetic takes as long as memory."},
            {"energy", "Energy", "J", "Of a token or image at published power; none where it is not published."},
            {"cost", "Cost", money, "Of a million tokens or images at full load."},
            {"speed", "Usable speed", "1", "A chip's throughput over the other's, times what is reached."},
            {"saving", "Saving", money, "Of porting, all years."},
            {"break_even", "Break-even fleet", "chips",
             "Of the other, from which on porting pays. None: it never does."},
            {"pays", "Probability that it pays", "1", "Of the draws."}};
        for (MetricSpec& each : bandMetrics("saving", "Saving", money))
            m_info.metrics.push_back(std::move(each));
        m_info.charts = {
            {"time_of_machines", "Latency of the machines", "machine", "time", ParamScale::List, ParamScale::Log2},
            {"cost_of_machines", "Cost of the machines", "machine", "cost", ParamScale::List},
            {"utilization_over_batch", "Utilisation over batch", "batch", "utilization", ParamScale::Log2},
            {"saving_over_fleet", "Saving over fleet", "fleet", "saving", ParamScale::Log2}};
        m_info.limits = {{"utilization", "peak", "upper", "1", "datasheets"}};
    }
    const ExperimentInfo& info() const override { return m_info; }

    Result<void> run(const ParamSet& params, RunContext& context) const override
    {
        const auto work = workOf(params);
        if (!work)
            return work.error();
        const auto runOf = [&](const std::string& id, double least) -> Result<ChoiceRun> {
            const auto machine = machineNamed(id, double(integer(params, "bits")));
            if (!machine)
                return machine.error();
            return runChoice(*machine, *work, least, double(integer(params, "stage_chips")),
                             real(params, "exchange_us") * 1e-6);
        };
        const auto run = runOf(choice(params, "machine"), double(integer(params, "chips")));
        if (!run)
            return run.error();
        const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Modelled); };
        tell("possible", run->possible);
        tell("ridge", run->breakEvenFlopsPerByte);
        if (!run->possible) {
            context.log("weights and caches do not fit this machine, and there is no second one to share them");
            return {};
        }
        tell("chips", run->chips);
        tell("time", run->time);
        tell("throughput", run->resultsPerS);
        tell("per_chip", run->resultsPerS / run->chips);
        tell("utilization", run->utilization);
        tell("bound", static_cast<double>(run->bound));
        tell("compute_time", run->compute);
        tell("memory_time", run->memory);
        tell("link_time", run->link);
        if (run->joules > 0)
            tell("energy", run->joules);
        tell("cost", real(params, "price") * run->chips / (run->resultsPerS * 3600) * 1e6);
        context.limit("utilization", 1);
        const auto other = runOf(choice(params, "against"), 1);
        if (!other || !other->possible)
            return {};
        return price(params, context, *run, *other);
    }

private:
    static Result<ChoiceWork> workOf(const ParamSet& params)
    {
        ChoiceWork work;
        const double batch = double(integer(params, "batch")), bytes = double(integer(params, "bits")) / 8;
        const std::string& name = choice(params, "workload");
        const double tokens = name == "prefill" ? double(integer(params, "context")) : 1;
        work.results = batch * (name == "resnet50" ? 1 : tokens);
        if (name == "resnet50") {
            const auto layers = networkNamed("resnet50");
            if (!layers)
                return layers.error();
            double macs = 0, weights = 0;
            for (const NetworkLayer& layer : *layers) {
                macs += double(layer.macs());
                weights += double(layer.weights());
            }
            work.flops = 2 * macs * batch;
            work.weightBytes = weights * bytes;
            return work;
        }
        if (const double given = real(params, "parameters") * 1e9; given > 0) {
            work.flops = 2 * given * work.results;
            work.weightBytes = given * bytes;
            return work;
        }
        const auto model = modelOf(params);
        if (!model)
            return model.error();
        workload::Step step;
        step.phase = name == "prefill" ? workload::Phase::Prefill : workload::Phase::Decode;
        step.batch = batch;
        step.context = double(integer(params, "context"));
        if (auto good = workload::checkStep(*model, step); !good)
            return good.error();
        if (model->kind != workload::ModelKind::Decoder)
            return Error{"bad-value", model->title + " generates no tokens", "parameter model", "take a decoder"};
        std::vector<workload::Operator> operators;
        workload::listOperators(*model, step, operators);
        work.flops = workload::totalsOf(operators).flops;
        work.weightBytes = workload::parameters(*model) * bytes;
        work.stateBytes = workload::kvBytesOfSequence(*model, step.context, 2) * batch;
        work.exchanges = 2.0 * model->layers;
        work.exchangeBytes = work.exchanges * work.results * model->hidden * 2;
        return work;
    }

    static Result<void> price(const ParamSet& params, RunContext& context, const ChoiceRun& run, const ChoiceRun& other)
    {
        const auto tell = [&](const char* name, double value) { context.metric(name, value, Provenance::Modelled); };
        serving::Porting p;
        p.gpuHour = real(params, "against_price");
        p.chipHour = real(params, "price");
        p.speed = run.resultsPerS / run.chips / (other.resultsPerS / other.chips) * real(params, "reached");
        p.fleet = real(params, "fleet");
        p.utilisation = std::max(1e-4, real(params, "utilisation"));
        p.months = real(params, "months");
        p.upkeepMonths = real(params, "upkeep_months");
        p.engineerMonth = real(params, "engineer_month");
        p.years = std::max(0.1, real(params, "years"));
        if (!(p.speed > 0))
            return {};
        const std::vector<serving::UncertainInput> inputs{{"against_price", p.gpuHour, real(params, "price_spread"), 0},
                                                          {"price", p.chipHour, real(params, "price_spread"), 0},
                                                          {"speed", p.speed, real(params, "speed_spread"), 0},
                                                          {"months", p.months, real(params, "months_spread"), 0},
                                                          {"fleet", p.fleet, real(params, "fleet_spread"), 0}};
        const std::uint64_t before = serving::callsBeforeDraws(inputs);
        std::uint64_t paying = 0, asked = 0;
        const auto band = serving::explore(
            inputs,
            [&](std::span<const double> at) {
                serving::Porting q = p;
                q.gpuHour = at[0];
                q.chipHour = at[1];
                q.speed = at[2];
                q.months = at[3];
                q.fleet = at[4];
                const double saving = serving::stayCost(q) - serving::portCost(q);
                paying += ++asked > before && saving > 0;
                return saving;
            },
            integer(params, "samples"), context.rng());
        tell("speed", p.speed);
        tell("saving", serving::stayCost(p) - serving::portCost(p));
        if (const double even = serving::breakEvenFleet(p); even >= 0) {
            tell("break_even", even);
            serving::Porting at = p;
            at.fleet = even;
            context.check("nothing is saved at break-even",
                          std::abs(serving::stayCost(at) - serving::portCost(at)) <=
                              1e-9 * std::max(1.0, serving::stayCost(at)),
                          fmt::format("staying {:.9g}, porting {:.9g}", serving::stayCost(at), serving::portCost(at)));
        }
        context.metric("pays", double(paying) / double(asked - before), Provenance::Simulated);
        tellBand("saving", band, context);
        tellDate(params, context);
        return {};
    }

    ExperimentInfo m_info;
};

} // namespace

std::unique_ptr<Experiment> makeMachineChoice()
{
    return std::make_unique<MachineChoiceExperiment>();
}

} // namespace ridge::labs
