// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 3.1 and 3.8: one layer or network on a machine of silicon of its own, with the model that the machine names.
#include "accelerator/eyeriss.h"
#include "accelerator/gemmini.h"
#include "accelerator/network.h"
#include "accelerator/nvdla.h"
#include "accelerator/tpu.h"
#include "labs/catalogue.h"
#include "labs/harness/declare.h"
#include "labs/harness/silicon_rows.h"
#include "silicon/machines.h"

#include <cmath>
#include <fmt/core.h>

namespace ridge::labs {
namespace {

using namespace accelerator;

const std::vector<std::string> kTpu1Names{"mlp0", "mlp1", "lstm0", "lstm1", "cnn0", "cnn1"};

std::vector<ParamSpec> parameters()
{
    std::vector<std::string> workloads{"gemm", "conv"};
    workloads.insert(workloads.end(), kTpu1Names.begin(), kTpu1Names.end());
    workloads.insert(workloads.end(), networkNames().begin(), networkNames().end());
    const auto size = [](const char* name, const char* title, std::int64_t value, const char* help) {
        return integerParam(name, title, "", 0, Gemm::kMostSide, value, ParamScale::Log2, help);
    };
    ParamSpec bandwidth;
    bandwidth.name = "bandwidth";
    bandwidth.title = "DRAM";
    bandwidth.unit = "GB/s";
    bandwidth.type = ParamType::Real;
    bandwidth.min = 0;
    bandwidth.max = 1e6;
    bandwidth.defaultValue = 0.0;
    bandwidth.help = "0 takes the machine's.";
    ParamSpec cmem = bandwidth;
    cmem.name = "cmem_mb";
    cmem.title = "CMEM";
    cmem.unit = "MB";
    cmem.defaultValue = 128.0;
    cmem.help = "Of TPU v4i: memory on the chip that holds operands.";
    return {choiceParam("workload", "Workload", workloads, "gemm",
                        "A product, a convolution, a network; mlp0 to cnn1 are what TPU v1 ran (ISCA 2017)."),
            textParam("layer", "Layer",
                      "Of a network: its name, or a number from 1; empty: its convolutions and products."),
            size("m", "m", 1024, "C[m,n] = A[m,k] B[k,n]."),
            size("n", "n", 1024, "Columns of B."),
            size("k", "k", 1024, "Columns of A."),
            size("in_h", "Input height", 56, "Of conv, padding included."),
            size("in_w", "Input width", 0, "0 takes in_h."),
            size("kernel_h", "Filter height", 3, "Of conv."),
            size("kernel_w", "Filter width", 0, "0 takes kernel_h."),
            size("channels", "Channels", 64, "Of conv's input."),
            size("filters", "Filters", 64, "Of conv."),
            size("stride", "Stride", 1, "Of conv, both ways."),
            choiceParam("dtype", "Type", {"machine", "bf16", "fp16", "int8", "fp32"}, "machine",
                        "Of operands; machine takes the machine's own."),
            size("batch", "Batch", 0, "Images or rows at once; 0 takes the published one, else 1."),
            size("block_m", "Block m", 0, "Of a Pallas kernel on tpu-v5e; 0: the vendor's compiler chooses."),
            size("block_n", "Block n", 0, "Of a Pallas kernel."),
            size("block_k", "Block k", 0, "Of a Pallas kernel."),
            size("macs", "Multipliers", 0, "Of nvdla: multiply-adds a cycle, a power of two; 0 takes the machine's."),
            size("buffer_kb", "Buffer", 0, "Of nvdla and eyeriss, KiB; 0 takes the machine's."),
            bandwidth,
            cmem};
}

std::vector<MetricSpec> metrics()
{
    return {{"time", "Time", "s", "Of the workload at its batch, processing alone where loading is apart."},
            {"total_time", "Time with loading", "s", "Where the machine's loads from DRAM are not hidden."},
            {"ops_per_s", "Rate", "FLOP/s", "2 a multiply-add."},
            {"throughput", "Throughput", "1/s", "Images, rows or inferences a second."},
            {"utilization", "Utilisation", "1", "Rate over the machine's peak."},
            {"macs", "Multiplications", "1", "Of the workload at its batch."},
            {"dram_bytes", "DRAM", "B", "Read and written."},
            {"glb_bytes", "Global buffer", "B", "Read and written; Eyeriss."},
            {"energy", "Energy", "J", "Published power x time, where a power is published."},
            {"energy_macs", "Energy", "multiply-adds",
             "Registers 1, network 2, global buffer 6, DRAM 200 (ISCA 2016); Eyeriss."},
            {"active_pes", "Active PEs", "PEs", "Eyeriss: of a full pass."},
            {"relative_performance", "Relative performance", "1", "TPU v4i: of production with all of its CMEM."},
            {"array_active", "Array active", "1", "TPU v1: share of cycles."},
            {"useful_macs", "Useful", "1", "TPU v1: share of cycles x used part of the array."},
            {"unused_macs", "Unused", "1", "TPU v1: active, less useful."},
            {"weight_stall", "Weight stall", "1", "TPU v1: share of cycles that wait for weights."},
            {"weight_shift", "Weight shift", "1", "TPU v1: share of cycles that move weights into the array."},
            {"non_matrix", "Not matrix", "1", "TPU v1: an input of the model, from the paper for mlp0, lstm0, cnn0."},
            {"raw_stall", "RAW stall", "1", "TPU v1: an input, as non_matrix; overlaps with the others."},
            {"input_stall", "Input stall", "1", "TPU v1: an input, as non_matrix; overlaps with the others."}};
}

/// What a run is asked, in the words of the parameters.
struct Asked {
    std::string workload;
    std::vector<NetworkLayer> layers; ///< empty for gemm and TPU v1's own
    Gemm gemm;
    std::uint64_t batch = 0;
};

Result<Asked> askedOf(const ParamSet& params)
{
    Asked asked;
    asked.workload = choice(params, "workload");
    asked.batch = integer(params, "batch");
    const auto number = [&](const char* name) { return static_cast<std::uint32_t>(integer(params, name)); };
    if (asked.workload == "gemm") {
        asked.gemm = {integer(params, "m"), integer(params, "n"), integer(params, "k")};
        if (auto good = checkGemm(asked.gemm); !good)
            return good.error();
        return asked;
    }
    if (asked.workload == "conv") {
        NetworkLayer layer;
        layer.name = "conv";
        layer.conv = {number("in_h"),     number("in_w"),    number("kernel_h"), number("kernel_w"),
                      number("channels"), number("filters"), number("stride"),   number("stride")};
        if (layer.conv.inW == 0)
            layer.conv.inW = layer.conv.inH;
        if (layer.conv.kernelW == 0)
            layer.conv.kernelW = layer.conv.kernelH;
        if (auto good = checkConv(layer.conv); !good)
            return good.error();
        if (auto good = checkGemm(gemmOf(layer.conv)); !good)
            return good.error();
        asked.layers.push_back(layer);
        return asked;
    }
    if (tpu1Workload(asked.workload))
        return asked;
    auto layers = networkNamed(asked.workload);
    if (!layers)
        return layers.error();
    const std::string& wanted = std::get<std::string>(params.at("layer"));
    if (wanted.empty()) {
        asked.layers = std::move(*layers);
        return asked;
    }
    for (std::size_t i = 0; i < layers->size(); ++i)
        if ((*layers)[i].name == wanted || std::to_string(i + 1) == wanted)
            asked.layers.push_back((*layers)[i]);
    if (asked.layers.empty())
        return Error{"unknown-layer", asked.workload + " has no layer \"" + wanted + "\"", "parameter layer",
                     fmt::format("give a name such as {}, or 1 to {}", layers->front().name, layers->size())};
    return asked;
}

/// The product of each layer with its batch; groups one after the other.
struct Piece {
    Gemm gemm;
    std::uint64_t times = 1;
};

Result<std::vector<Piece>> piecesOf(const Asked& asked)
{
    std::vector<Piece> pieces;
    if (asked.layers.empty())
        pieces.push_back({asked.gemm, 1});
    for (const NetworkLayer& layer : asked.layers) {
        Gemm gemm = gemmOf(layer.conv);
        gemm.m *= std::max<std::uint64_t>(1, asked.batch);
        if (auto good = checkGemm(gemm); !good)
            return good.error();
        pieces.push_back({gemm, layer.groups});
    }
    return pieces;
}

/// Reads a machine's values; the first that is missing is told.
class Values {
public:
    explicit Values(const silicon::Machine& machine) : m_machine(machine) {}
    double number(const char* name, const char* unit)
    {
        const auto value = m_machine.number(name, unit);
        if (!value && !m_error)
            m_error = value.error();
        return value ? *value : 0;
    }
    std::vector<double> numbers(const char* name, const char* unit)
    {
        auto value = m_machine.numbers(name, unit);
        if (!value && !m_error)
            m_error = value.error();
        return value ? std::move(*value) : std::vector<double>{};
    }
    double numberOr(const char* name, const char* unit, double otherwise)
    {
        return m_machine.has(name) ? number(name, unit) : otherwise;
    }
    const std::optional<Error>& error() const { return m_error; }

private:
    const silicon::Machine& m_machine;
    std::optional<Error> m_error;
};

class Teller {
public:
    Teller(RunContext& context, const Asked& asked) : m_context(context), m_asked(asked) {}
    void metric(const char* name, double value) { m_context.metric(name, value, Provenance::Simulated); }
    /// `peak` multiply-adds a second; `count` what throughput counts.
    void common(double seconds, double macs, double peak, double count, double dramBytes, double watts)
    {
        metric("time", seconds);
        metric("macs", macs);
        metric("ops_per_s", 2 * macs / seconds);
        metric("utilization", macs / seconds / peak);
        metric("throughput", count / seconds);
        metric("dram_bytes", dramBytes);
        if (watts > 0)
            metric("energy", watts * seconds);
        m_context.limit("utilization", 1);
    }
    double count() const { return static_cast<double>(std::max<std::uint64_t>(1, m_asked.batch)); }

private:
    RunContext& m_context;
    const Asked& m_asked;
};

Error refuses(const silicon::Machine& machine, const std::string& what, const std::string& fix)
{
    return {"bad-value", machine.title + " runs no " + what, "parameter workload", fix};
}

Result<void> runTpuV1(const silicon::Machine& machine, const Asked& asked, Teller& tell)
{
    Values values(machine);
    Tpu1Machine tpu;
    tpu.side = static_cast<std::uint32_t>(values.number("array_rows", "1"));
    tpu.clock = values.number("clock", "Hz");
    tpu.weightBytesPerS = values.number("dram_bandwidth", "B/s");
    const double watts = values.number("power", "W");
    if (values.error())
        return *values.error();
    const double peak = double(tpu.side) * tpu.side * tpu.clock;
    if (const auto workload = tpu1Workload(asked.workload)) {
        const Tpu1Run run = runTpu1(tpu, *workload, static_cast<double>(asked.batch));
        const double batch = asked.batch > 0 ? static_cast<double>(asked.batch) : workload->batch;
        tell.common(run.time, run.opsPerS * run.time / 2, peak, batch, run.dramBytes, watts);
        for (const auto& [name, share] : {std::pair{"array_active", run.arrayActive},
                                          {"useful_macs", run.usefulMacs},
                                          {"unused_macs", run.unusedMacs},
                                          {"weight_stall", run.weightStall},
                                          {"weight_shift", run.weightShift},
                                          {"non_matrix", run.nonMatrix},
                                          {"raw_stall", run.rawStall},
                                          {"input_stall", run.inputStall}})
            tell.metric(name, share);
        return {};
    }
    const auto pieces = piecesOf(asked);
    if (!pieces)
        return pieces.error();
    double seconds = 0, macs = 0, bytes = 0;
    for (const Piece& piece : *pieces) {
        seconds += tpu1Product(tpu, piece.gemm, 1) * static_cast<double>(piece.times);
        macs += static_cast<double>(piece.gemm.macs() * piece.times);
        bytes += static_cast<double>(piece.gemm.k * piece.gemm.n * piece.times);
    }
    tell.common(seconds, macs, peak, tell.count(), bytes, watts);
    return {};
}

Result<void> runTpu(const silicon::Machine& machine, const Asked& asked, const ParamSet& params, Teller& tell)
{
    if (tpu1Workload(asked.workload))
        return refuses(machine, asked.workload + ": it is known for TPU v1 alone",
                       "take another workload or machine:tpu-v1");
    Values values(machine);
    TpuMachine tpu;
    tpu.side = static_cast<std::uint32_t>(values.number("array_rows", "1"));
    tpu.arrays = static_cast<std::uint32_t>(values.number("arrays", "1"));
    tpu.clock = values.number("clock", "Hz");
    tpu.hbm = values.number("dram_bandwidth", "B/s");
    tpu.dispatch = values.numberOr("dispatch", "s", 0);
    tpu.step = values.numberOr("grid_step", "s", 0);
    tpu.efficiency = values.numberOr("efficiency", "1", 1);
    tpu.onChip = values.numberOr("cmem_bandwidth", "B/s", 0);
    tpu.onChipBytes = std::get<double>(params.at("cmem_mb")) * 1e6;
    const double watts = values.numberOr("power", "W", 0);
    const bool law = machine.has("law_mac");
    const Tpu4Law kernel{values.numberOr("law_mac", "s", 0), values.numberOr("law_byte_shorter", "s", 0),
                         values.numberOr("law_byte_longer", "s", 0), values.numberOr("law_byte_result", "s", 0),
                         tpu.dispatch};
    if (const double given = std::get<double>(params.at("bandwidth")); given > 0)
        tpu.hbm = given * 1e9;
    const std::string& dtype = choice(params, "dtype");
    const double word = dtype == "int8" ? 1 : dtype == "fp32" ? 4 : 2;
    const double faster = dtype == "int8" ? values.numberOr("int8_speedup", "1", 1) : 1;
    if (values.error())
        return *values.error();
    if (dtype == "fp32")
        return Error{"bad-value", "the arrays multiply 16 and 8 bits", "parameter dtype", "set bf16 or int8"};
    tpu.clock *= faster;
    const Gemm block{integer(params, "block_m"), integer(params, "block_n"), integer(params, "block_k")};
    const auto pieces = piecesOf(asked);
    if (!pieces)
        return pieces.error();
    double seconds = 0, macs = 0, bytes = 0;
    for (const Piece& piece : *pieces) {
        TpuRun run = tpuProduct(tpu, piece.gemm, word);
        if (block.m + block.n + block.k > 0) {
            auto blocked = tpuBlocks(tpu, piece.gemm, word, block);
            if (!blocked)
                return blocked.error();
            run = *blocked;
        } else if (law && word == 2)
            run.time = tpu4Kernel(piece.gemm, kernel);
        const auto times = static_cast<double>(piece.times);
        if (!law)
            seconds -= tpu.dispatch * (times - 1); // groups are one kernel
        seconds += run.time * times;
        macs += static_cast<double>(piece.gemm.macs()) * times;
        bytes += run.bytes * times;
    }
    if (!law) // a network is one program: it is dispatched once
        seconds -= tpu.dispatch * static_cast<double>(pieces->size() - 1);
    tell.common(seconds, macs, double(tpu.side) * tpu.side * tpu.arrays * tpu.clock, tell.count(), bytes, watts);
    if (machine.has("cmem_sizes")) {
        const auto sizes = values.numbers("cmem_sizes", "MB"), shares = values.numbers("cmem_performance", "1");
        if (values.error())
            return *values.error();
        tell.metric("relative_performance", tpu4iPerformance(std::get<double>(params.at("cmem_mb")), sizes, shares));
    }
    return {};
}

Result<void> runEyeriss(const silicon::Machine& machine, const Asked& asked, const ParamSet& params, Teller& tell)
{
    if (asked.layers.empty())
        return refuses(machine, asked.workload, "take conv, alexnet, vgg16 or another network");
    Values values(machine);
    RowStationaryArray array;
    array.array = {static_cast<std::uint32_t>(values.number("array_rows", "1")),
                   static_cast<std::uint32_t>(values.number("array_cols", "1"))};
    const double clock = values.number("clock", "Hz");
    array.bufferBytes = static_cast<std::uint64_t>(values.number("buffer", "B"));
    const double dram = values.number("dram_exposed_bandwidth", "B/s");
    if (values.error())
        return *values.error();
    if (const std::uint64_t given = integer(params, "buffer_kb"); given > 0)
        array.bufferBytes = given * 1024;
    const bool network = asked.workload != "conv";
    std::uint64_t batch = asked.batch > 0               ? asked.batch
                          : asked.workload == "alexnet" ? 4
                          : asked.workload == "vgg16"   ? 3
                                                        : 1;
    double cycles = 0, macs = 0, dramBytes = 0, buffer = 0, energy = 0, active = 0, first = 0;
    for (const NetworkLayer& layer : asked.layers) {
        if (network && layer.conv.inH == layer.conv.kernelH && std::get<std::string>(params.at("layer")).empty())
            continue; // the chip runs convolutions; a whole network means those
        if (batch > 256)
            return Error{"bad-value", "a batch of more than 256 images", "parameter batch", "give at most 256"};
        const auto run = runRowStationary(array, {layer.conv, layer.groups, layer.pad, layer.pad,
                                                  static_cast<std::uint32_t>(batch), layer.zerosIn, layer.zerosOut});
        if (!run)
            return run.error();
        cycles += static_cast<double>(run->cycles);
        macs += static_cast<double>(run->macs);
        dramBytes += run->dramBytes();
        buffer += static_cast<double>(run->bufferWords()) * array.word;
        energy += run->energy;
        active = std::max(active, static_cast<double>(run->mapping.activeElements));
        first += (run->dramInputBytes + run->dramWriteBytes) / dram;
    }
    if (cycles == 0)
        return refuses(machine, "layer of this kind", "take a convolution");
    tell.common(cycles / clock, macs, static_cast<double>(array.array.elements()) * clock, static_cast<double>(batch),
                dramBytes, values.numberOr("power", "W", 0));
    tell.metric("total_time", cycles / clock + first);
    tell.metric("glb_bytes", buffer);
    tell.metric("energy_macs", energy);
    tell.metric("active_pes", active);
    return {};
}

Result<void> runNvdla(const silicon::Machine& machine, const Asked& asked, const ParamSet& params, Teller& tell)
{
    if (asked.layers.empty())
        return refuses(machine, asked.workload, "take conv or a network");
    Values values(machine);
    const double clock = values.number("clock", "Hz");
    const std::uint64_t macs =
        integer(params, "macs") > 0 ? integer(params, "macs") : static_cast<std::uint64_t>(values.number("macs", "1"));
    double buffer = values.number("buffer", "B"), bandwidth = values.number("dram_bandwidth", "B/s");
    const double watts = integer(params, "macs") > 0 ? 0 : values.number("power", "W");
    if (values.error())
        return *values.error();
    if (const std::uint64_t given = integer(params, "buffer_kb"); given > 0)
        buffer = static_cast<double>(given) * 1024;
    if (const double given = std::get<double>(params.at("bandwidth")); given > 0)
        bandwidth = given * 1e9;
    auto array = dotArray(macs);
    if (!array)
        return array.error();
    array->bufferBytes = static_cast<std::uint64_t>(buffer);
    array->dramBytesPerCycle = bandwidth / clock;
    const auto batch = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, asked.batch));
    const DotRun run = runDots(*array, asked.layers, batch);
    tell.common(run.cycles / clock, static_cast<double>(run.macs), static_cast<double>(macs) * clock, batch,
                run.dramBytes, watts);
    return {};
}

Result<void> runGemminiMachine(const silicon::Machine& machine, const Asked& asked, Teller& tell)
{
    if (tpu1Workload(asked.workload))
        return refuses(machine, asked.workload, "take gemm, conv or a network");
    Values values(machine);
    GemminiArray array;
    array.side = static_cast<std::uint32_t>(values.number("array_rows", "1"));
    const double clock = values.number("clock", "Hz");
    array.tileCycles = values.number("tile_cycles", "cycles");
    array.storeCycles = values.number("store_cycles", "cycles");
    array.launchCycles = values.number("launch_cycles", "cycles");
    array.dmaBytesPerCycle = values.number("dma_bytes_per_cycle", "B");
    array.scratchpadRows = static_cast<std::uint64_t>(values.number("scratchpad_rows", "1"));
    array.accumulatorRows = static_cast<std::uint64_t>(values.number("accumulator_rows", "1"));
    if (values.error())
        return *values.error();
    const auto pieces = piecesOf(asked);
    if (!pieces)
        return pieces.error();
    double cycles = 0, macs = 0, bytes = 0;
    for (const Piece& piece : *pieces) {
        const GemminiRun run = runGemmini(array, piece.gemm);
        cycles += run.cycles * static_cast<double>(piece.times);
        bytes += static_cast<double>(run.dramBytes * piece.times);
        macs += static_cast<double>(piece.gemm.macs() * piece.times);
    }
    tell.common(cycles / clock, macs, double(array.side) * array.side * clock, tell.count(), bytes, 0);
    tell.metric("cycles", cycles);
    return {};
}

/// Cores share rows, or columns where there are more of them; each takes the best cut of its own part.
Result<void> runTrainium(const silicon::Machine& machine, const Asked& asked, const std::string& dtype, Teller& tell)
{
    if (tpu1Workload(asked.workload))
        return refuses(machine, asked.workload, "take gemm, conv or a network");
    const auto core = neuronCoreOf(machine);
    if (!core)
        return core.error();
    Values values(machine);
    const auto cores = static_cast<std::uint64_t>(values.number("cores", "1"));
    if (values.error())
        return *values.error();
    const std::uint32_t word = dtype == "fp32" ? 4 : dtype == "int8" ? 1 : 2;
    const auto pieces = piecesOf(asked);
    if (!pieces)
        return pieces.error();
    double seconds = 0, macs = 0, bytes = 0;
    for (const Piece& piece : *pieces) {
        Gemm part = piece.gemm;
        (part.m >= part.n ? part.m : part.n) = (std::max(part.m, part.n) + cores - 1) / cores;
        const auto best = bestTiles(*core, part, 2, Evict::Vector, word);
        if (!best)
            return best.error();
        const auto run = runNeuron(*core, part, best->tiles, word);
        if (!run)
            return run.error();
        const auto times = static_cast<double>(piece.times);
        seconds += run->time * times;
        macs += static_cast<double>(piece.gemm.macs()) * times;
        bytes += (run->loadBytes + run->storeBytes) * static_cast<double>(cores) * times;
    }
    tell.common(seconds, macs, core->peak() * static_cast<double>(cores), tell.count(), bytes, 0);
    return {};
}

Result<void> runGroq(const silicon::Machine& machine, const Asked& asked, const std::string& dtype, Teller& tell)
{
    if (tpu1Workload(asked.workload))
        return refuses(machine, asked.workload, "take gemm, conv or a network");
    const auto chip = lpuChipOf(machine);
    if (!chip)
        return chip.error();
    if (dtype == "bf16" || dtype == "fp32")
        return Error{"bad-value", "the arrays multiply 8 bits and fp16", "parameter dtype", "set int8 or fp16"};
    const std::uint32_t word = dtype == "fp16" ? 2 : 1;
    const auto pieces = piecesOf(asked);
    if (!pieces)
        return pieces.error();
    double cycles = 0, macs = 0, weights = 0;
    for (const Piece& piece : *pieces) {
        const auto times = static_cast<double>(piece.times);
        cycles += lpuProduct(*chip, piece.gemm, word).cycles * times;
        macs += static_cast<double>(piece.gemm.macs()) * times;
        weights += static_cast<double>(piece.gemm.k * piece.gemm.n * word) * times;
    }
    if (weights > chip->sramBytes)
        return Error{
            "too-large",
            fmt::format("{:.3g} MB of weights do not fit {:.3g} MB of SRAM", weights / 1e6, chip->sramBytes / 1e6),
            "parameter workload", "take a smaller one; static_schedule counts chips"};
    tell.common(cycles / chip->clock, macs, chip->peak() / (word == 2 ? 4 : 1), tell.count(), 0, 0);
    tell.metric("cycles", cycles);
    return {};
}

/// Datasheet bounds alone: arithmetic or memory, whichever is longer.
Result<void> runBounds(const silicon::Machine& machine, const Asked& asked, Teller& tell)
{
    if (tpu1Workload(asked.workload))
        return refuses(machine, asked.workload, "take gemm, conv or a network");
    double peak = 0, rate = 0, bandwidth = 0, watts = 0, fixed = 0;
    Values values(machine);
    watts = values.numberOr("power", "W", 0);
    const bool wafer = machine.has("stream_bandwidth");
    if (wafer) {
        const auto made = waferOf(machine);
        if (!made)
            return made.error();
        peak = rate = made->flopsPerS / 2;
        bandwidth = made->sramBytesPerS;
        fixed = 2 * std::sqrt(made->cores) / made->clock; // a result crosses both sides of the wafer
    } else {
        const auto made = gaudiOf(machine);
        if (!made)
            return made.error();
        peak = made->matrixFlopsPerS / 2;
        rate = made->achievedFlopsPerS / 2;
        bandwidth = made->bytesPerS;
    }
    const auto pieces = piecesOf(asked);
    if (!pieces)
        return pieces.error();
    double seconds = 0, macs = 0, bytes = 0;
    for (const Piece& piece : *pieces) {
        const auto times = static_cast<double>(piece.times), each = static_cast<double>(piece.gemm.macs());
        const double moved = 2.0 * static_cast<double>(piece.gemm.m * piece.gemm.k + piece.gemm.k * piece.gemm.n +
                                                       piece.gemm.m * piece.gemm.n);
        seconds += (std::max(each / rate, moved / bandwidth) + fixed) * times;
        macs += each * times;
        bytes += moved * times;
    }
    tell.common(seconds, macs, peak, tell.count(), wafer ? 0 : bytes, watts);
    return {};
}

class AcceleratorExperiment : public Experiment {
public:
    AcceleratorExperiment()
    {
        m_info.id = "accelerator";
        m_info.title = "A workload on an accelerator";
        m_info.module = 3;
        m_info.summary =
            "Runs a product, a convolution or a network on a machine's own model: time, traffic, counters.";
        m_info.parameters = parameters();
        m_info.targets = {"machine"};
        m_info.engine = "accelerator";
        m_info.engineVersion = 1;
        m_info.defaultTarget = "machine:tpu-v1";
        m_info.metrics = metrics();
        m_info.metrics.push_back({"cycles", "Cycles", "cycles", "Gemmini: of its RTL; Groq: of its clock."});
        m_info.charts = {{"utilization_over_m", "Utilisation over m", "m", "utilization", ParamScale::Log2},
                         {"ops_over_batch", "Rate over batch", "batch", "ops_per_s", ParamScale::Log2}};
        m_info.limits = {{"utilization", "peak", "upper", "1", "the arrays' multiply-adds a cycle x clock"}};
        m_info.drawsNothing = true;
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> run(const ParamSet& params, RunContext& context) const override
    {
        const silicon::Machine& machine = *context.machine();
        const auto asked = askedOf(params);
        if (!asked)
            return asked.error();
        const auto model = machine.text("model");
        if (!model)
            return model.error();
        Teller tell(context, *asked);
        if (*model == "tpu-v1")
            return runTpuV1(machine, *asked, tell);
        if (*model == "tpu")
            return runTpu(machine, *asked, params, tell);
        if (*model == "eyeriss")
            return runEyeriss(machine, *asked, params, tell);
        if (*model == "nvdla")
            return runNvdla(machine, *asked, params, tell);
        if (*model == "gemmini")
            return runGemminiMachine(machine, *asked, tell);
        if (*model == "trainium")
            return runTrainium(machine, *asked, choice(params, "dtype"), tell);
        if (*model == "groq")
            return runGroq(machine, *asked, choice(params, "dtype"), tell);
        if (*model == "wafer" || *model == "gaudi")
            return runBounds(machine, *asked, tell);
        return Error{"bad-machine", "there is no model \"" + *model + "\"", machine.file + ": model",
                     "write tpu-v1, tpu, eyeriss, nvdla, gemmini, trainium, groq, wafer or gaudi"};
    }

private:
    ExperimentInfo m_info;
};

} // namespace

std::unique_ptr<Experiment> makeAccelerator()
{
    return std::make_unique<AcceleratorExperiment>();
}

} // namespace ridge::labs
