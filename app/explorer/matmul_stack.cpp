// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/explorer/matmul_stack.h"

#include "accelerator/systolic.h"
#include "app/drawing/charts/chart_text.h"
#include "app/drawing/scenes/mma_fragments.h"
#include "app/drawing/scenes/scene_text.h"
#include "gpu/access.h"
#include "silicon/die.h"
#include "silicon/occupancy.h"
#include "workload/compile/fusion.h"
#include "workload/compile/graph_cuda.h"
#include "workload/compile/graph_file.h"
#include "workload/explorer.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace ridge::app {
namespace {

constexpr int kAssumedRegisters = 64; ///< a thread; what the compiler gave is at the PTX
constexpr int kArraySide = 128;       ///< of a TPU's matrix unit

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::MatmulStack", text);
}

const QString kByte = QStringLiteral("B"), kFlop = QStringLiteral("FLOP"), kSecond = QStringLiteral("s");

QString number(double value)
{
    return groupedText(value);
}

struct Compiled {
    graphs::Graph graph;
    graphs::Schedule eager, fused;
    graphs::CudaSource cuda;
};

Result<Compiled> compiled(const MatmulQuestion& q)
{
    const auto size = [](int value) { return "[" + std::to_string(value) + ", 4]"; };
    const std::string text =
        R"({"title": "Y = XW + b", "about": "A linear layer with its activation.", "sizes": {"rows": )" + size(q.rows) +
        R"(, "inner": )" + size(q.inner) + R"(, "columns": )" + size(q.columns) +
        R"(}, "inputs": [{"name": "x", "shape": ["rows", "inner"]}, {"name": "w", "shape": ["inner", "columns"]},
            {"name": "b", "shape": ["columns"]}],
            "ops": [{"name": "xw", "op": "matmul", "of": ["x", "w"]}, {"name": "sum", "op": "add", "of": ["xw", "b"]},
                    {"name": "y", "op": "relu", "of": ["sum"]}], "outputs": ["y"]})";
    const auto file = graphs::parseGraph(text, "Y = XW + b");
    if (!file)
        return file.error();
    auto graph = graphs::bindGraph(*file, {});
    if (!graph)
        return graph.error();
    Compiled out;
    out.graph = std::move(*graph);
    out.eager = graphs::scheduleGraph(out.graph, {.fuse = false});
    out.fused = graphs::scheduleGraph(out.graph, {});
    out.cuda = graphs::writeCuda(out.graph, out.fused);
    return out;
}

StackStop graphStop(const MatmulQuestion& q, const Compiled& c)
{
    StackStop s{.id = QStringLiteral("graph"), .title = tr("Graph"), .lesson = QStringLiteral("4.8")};
    s.key = tr("%1 kernels become %2").arg(c.eager.kernels.size()).arg(c.fused.kernels.size());
    s.says = {
        tr("A framework sees three operators: the product, the sum with b, and ReLU. One kernel each, they move "
           "%1; the product's result goes to memory and back twice.")
            .arg(quantity(c.eager.bytes(), kByte)),
        tr("The graph compiler joins what reads the product element by element: %1 kernel, %2. The %3 that it saves "
           "were only handed from kernel to kernel.")
            .arg(c.fused.kernels.size())
            .arg(quantity(c.fused.bytes(), kByte), quantity(c.eager.bytes() - c.fused.bytes(), kByte)),
        tr("The work is the same: 2 × %1 × %2 × %3 FLOP of the product, and one for each sum and maximum: %4.")
            .arg(number(q.rows), number(q.inner), number(q.columns), quantity(c.fused.flops(), kFlop))};
    s.place = QStringLiteral("lab/graph_compile");
    s.placeTitle = tr("Compile other graphs");
    return s;
}

StackStop kernelStop(const Compiled& c)
{
    StackStop s{.id = QStringLiteral("kernel"), .title = tr("Fused kernel"), .lesson = QStringLiteral("4.5")};
    const QString text = QString::fromStdString(c.cuda.text);
    s.key = tr("%1 lines of CUDA").arg(text.count(QLatin1Char('\n')));
    s.says = {tr("This is what the compiler writes for it, in fp32: the sum and the maximum stand where the product's "
                 "sum is still in a register, so nothing goes to memory between them."),
              tr("It is the plain form. The kernel of a library computes the same with tensor cores; the next stops "
                 "count with that one, in bf16.")};
    return s;
}

StackStop launchStop(const MatmulQuestion& q, const Compiled& c, const workload::Device& device, const QString& chip)
{
    StackStop s{.id = QStringLiteral("launch"), .title = tr("Launch"), .lesson = QStringLiteral("2.2")};
    const workload::Gemm gemm{double(q.rows), double(q.columns), double(q.inner)};
    const workload::KernelTime time = workload::gemmTime(device, gemm);
    const double blocks =
        std::ceil(double(q.rows) / time.tileM) * std::ceil(double(q.columns) / time.tileN) * time.split;
    s.key = tr("%1 blocks").arg(number(blocks));
    const graphs::CudaKernel& plain = c.cuda.kernels.front();
    s.says = {
        tr("A tensor-core kernel cuts Y into tiles of %1 × %2: %3 blocks, %4 waves over the %5 SMs of %6.")
            .arg(time.tileM)
            .arg(time.tileN)
            .arg(number(blocks), QString::number(time.waves, 'f', 1), number(device.units), chip),
        tr("The kernel-time model gives it %1: %2 of arithmetic and %3 of memory, which overlap, and a launch.")
            .arg(quantity(time.seconds, kSecond), quantity(time.compute, kSecond), quantity(time.memory, kSecond)),
        tr("The plain kernel above is launched with %1 blocks of %2 threads.")
            .arg(number(double(plain.blocks)))
            .arg(plain.threads)};
    s.place = QStringLiteral("lab/gemm_time");
    s.placeTitle = tr("Other shapes");
    return s;
}

Result<StackStop> smStop(const silicon::Catalogue& catalogue, const silicon::Chip& chip, const Compiled& c,
                         const QString& name)
{
    const auto limits = catalogue.limits(chip.computeMajor, chip.computeMinor);
    if (!limits)
        return limits.error();
    const auto threads = std::uint32_t(c.cuda.kernels.front().threads);
    const auto found = silicon::occupancy(*limits, threads, kAssumedRegisters, 0);
    if (!found)
        return found.error();
    StackStop s{.id = QStringLiteral("sm"), .title = tr("SM"), .lesson = QStringLiteral("1.2")};
    s.key = tr("%1 warps on an SM").arg(found->warpsPerSm);
    QStringList limiters;
    for (const silicon::Limiter limiter : found->limiters)
        limiters << QString::fromStdString(std::string(silicon::toText(limiter)));
    s.says = {
        tr("A block of %1 threads is %2 warps. With %3 registers a thread, which is assumed here, %4 blocks live on "
           "one SM of %5: %6 of %7 warp slots, limited by %8.")
            .arg(threads)
            .arg(threads / 32)
            .arg(kAssumedRegisters)
            .arg(found->blocksPerSm)
            .arg(name)
            .arg(found->warpsPerSm)
            .arg(limits->maxWarpsPerSm)
            .arg(limiters.join(tr(" and "))),
        tr("Its %1 sub-partitions each choose a warp every cycle that is ready: while one waits for memory the "
           "others compute.")
            .arg(limits->subPartitions)};
    s.place = QStringLiteral("lab/occupancy");
    s.placeTitle = tr("Change what limits it");
    return s;
}

StackStop fragmentStop(const MatmulQuestion& q)
{
    StackStop s{.id = QStringLiteral("fragment"), .title = tr("Fragment"), .lesson = QStringLiteral("4.4")};
    const MmaSize size = sizeOf(MmaShape::M16N8K16Half);
    const double count = std::ceil(double(q.rows) / size.m) * std::ceil(double(q.columns) / size.n) *
                         std::ceil(double(q.inner) / size.k);
    s.key = tr("%1 mma").arg(scaledText(count, QString()).trimmed());
    const MmaOwner a = ownerOf(MmaShape::M16N8K16Half, MmaMatrix::A, {q.row, q.column});
    const MmaOwner d = ownerOf(MmaShape::M16N8K16Half, MmaMatrix::C, {q.row, std::min(q.column, size.n - 1)});
    s.says = {tr("One mma.sync.m16n8k16 multiplies 16 × 16 by 16 × 8 in one warp: %1 FLOP. The layer takes %2 of them.")
                  .arg(number(2.0 * size.m * size.n * size.k), number(count)),
              tr("No thread holds a matrix. Element (%1, %2) of the piece of X is register element %3 of lane %4; the "
                 "element of Y in that row and column %5 is element %6 of lane %7.")
                  .arg(q.row)
                  .arg(q.column)
                  .arg(a.element)
                  .arg(a.lane)
                  .arg(std::min(q.column, size.n - 1))
                  .arg(d.element)
                  .arg(d.lane)};
    s.place = QStringLiteral("lab/tensor_cores");
    s.placeTitle = tr("Run one");
    return s;
}

StackStop memoryStop(const MatmulQuestion& q, const workload::Device& device)
{
    StackStop s{.id = QStringLiteral("memory"), .title = tr("SRAM and HBM"), .lesson = QStringLiteral("4.2")};
    const workload::Gemm gemm{double(q.rows), double(q.columns), double(q.inner)};
    const workload::KernelTime time = workload::gemmTime(device, gemm);
    const double least = workload::gemmBytes(device, gemm);
    const double product = double(q.rows) * q.columns * q.inner;
    const double tiled = 2 * product * (1.0 / time.tileM + 1.0 / time.tileN) + 2.0 * q.rows * q.columns;
    const double flops = 2 * product;
    s.key = quantity(least, kByte);
    MemoryRequest request;
    request.accessBytes = 4;
    request.activeMask = 0xffffffffu;
    for (std::size_t lane = 0; lane < request.addresses.size(); ++lane)
        request.addresses[lane] = 4 * lane;
    const std::size_t near = gpu::touchedGranules(request, 32).size();
    for (std::size_t lane = 0; lane < request.addresses.size(); ++lane)
        request.addresses[lane] = std::uint64_t(lane) * 2 * std::uint64_t(q.columns);
    const std::size_t far = gpu::touchedGranules(request, 32).size();
    s.says = {
        tr("X, W and Y are %1 in bf16 where each is moved once. Without tiles every product would read two values, "
           "%2; with tiles of %3 × %4 in shared memory it is %5 from L2.")
            .arg(quantity(least, kByte), quantity(4 * product, kByte))
            .arg(time.tileM)
            .arg(time.tileN)
            .arg(quantity(tiled, kByte)),
        tr("At %1 an ideal kernel has an intensity of %2, the ridge of the chip is at %3: %4 bounds it.")
            .arg(quantity(least, kByte), quantity(flops / least, QStringLiteral("FLOP/B")),
                 quantity(device.flopsPerSecond / device.bytesPerSecond, QStringLiteral("FLOP/B")),
                 flops / least > device.flopsPerSecond / device.bytesPerSecond ? tr("arithmetic") : tr("memory")),
        tr("A warp that reads 32 neighbours of 4 bytes touches %1 sectors of 32 bytes; one that reads down a column "
           "of W touches %2.")
            .arg(near)
            .arg(far)};
    s.place = QStringLiteral("lab/coalescing");
    s.placeTitle = tr("Stride over memory");
    return s;
}

StackStop systolicStop(const MatmulQuestion& q)
{
    using namespace accelerator;
    StackStop s{.id = QStringLiteral("systolic"), .title = tr("Systolic MAC"), .lesson = QStringLiteral("3.1")};
    const Gemm gemm{std::uint64_t(q.rows), std::uint64_t(q.columns), std::uint64_t(q.inner)};
    const Array array{kArraySide, kArraySide};
    const Folding folding = foldingOf(array, Dataflow::WeightStationary, gemm);
    const double used = double(gemm.macs()) / (double(folding.cycles()) * double(array.elements()));
    s.key = tr("%1 % of the MACs").arg(100 * used, 0, 'f', 0);
    s.says = {tr("A TPU does the same product on an array of %1 × %1 that holds a piece of W: %2 folds, one after the "
                 "other, of %3 cycles each.")
                  .arg(kArraySide)
                  .arg(number(double(folding.folds())), number(double(folding.perFold))),
              tr("%1 cycles for %2 multiply-adds: the MACs work %3 % of the time. The rest is loading weights, filling "
                 "and draining; more rows of X make it less.")
                  .arg(number(double(folding.cycles())), number(double(gemm.macs())))
                  .arg(100 * used, 0, 'f', 1)};
    s.place = QStringLiteral("lab/systolic");
    s.placeTitle = tr("See it flow");
    return s;
}

StackStop rtlStop()
{
    using namespace accelerator;
    StackStop s{.id = QStringLiteral("rtl"), .title = tr("RTL"), .lesson = QStringLiteral("3.6")};
    const Folding folding = foldingOf({kRtlSide, kRtlSide}, Dataflow::WeightStationary, {kRtlRows, kRtlSide, kRtlSide});
    s.key = tr("%1 cycles a tile").arg(folding.perFold);
    s.says = {
        tr("One MAC in SystemVerilog is a register for the weight, a multiplier, an adder and a register for the "
           "sum that goes down. %1 × %1 of them take %2 rows of X: %3 cycles to load and %4 + %1 + %1 − 2 to stream, "
           "%5 in all by the closed form.")
            .arg(kRtlSide)
            .arg(kRtlRows)
            .arg(kRtlSide)
            .arg(kRtlRows)
            .arg(folding.perFold),
        tr("\"Simulate it\" compiles that array, runs a tile under a testbench and shows the waveform here; it needs "
           "Icarus Verilog. The experiment runs more tiles, with gaps, holds and planted bugs.")};
    s.place = QStringLiteral("lab/rtl_array");
    s.placeTitle = tr("Run the RTL");
    return s;
}

StackStop dieStop(const MatmulQuestion& q)
{
    StackStop s{.id = QStringLiteral("die"), .title = tr("Die and yield"), .lesson = QStringLiteral("3.4")};
    const double dies = silicon::diesPerWafer(q.areaMm2);
    const double murphy = silicon::murphyYield(q.areaMm2, q.defectsPerCm2),
                 poisson = silicon::poissonYield(q.areaMm2, q.defectsPerCm2);
    const double good = std::floor(dies) * murphy;
    s.key = tr("%1 good dies a wafer").arg(good, 0, 'f', good < 10 ? 1 : 0);
    s.says = {
        tr("A MAC of 16 bits that sums in 32 takes %1 µm² at 45 nm (Hennessy and Patterson, 2017, figure 1.13), an "
           "array of %2 × %2 "
           "%3 mm². Smaller nodes shrink it; memory and wires shrink less.")
            .arg(number(silicon::macAreaUm2()))
            .arg(kArraySide)
            .arg(silicon::macAreaUm2() * kArraySide * kArraySide / 1e6, 0, 'f', 0),
        tr("%1 dies of %2 mm² fit on a wafer of 300 mm. With %3 defects a cm² Murphy's model leaves %4 % without "
           "one, Poisson's %5 %: %6 good ones.")
            .arg(number(std::floor(dies)), number(q.areaMm2), QString::number(q.defectsPerCm2))
            .arg(100 * murphy, 0, 'f', 0)
            .arg(100 * poisson, 0, 'f', 0)
            .arg(good, 0, 'f', good < 10 ? 1 : 0),
        good >= 1 ? tr("At %1 $ a wafer a good die costs %2 $, before package and memory.")
                        .arg(number(q.waferDollars), number(std::round(q.waferDollars / good)))
                  : tr("No wafer has a good one on average: take a smaller die, or switch off what is broken."),
        tr("Chips are sold with parts switched off, so more of them can be used than are without a defect: H100 SXM "
           "has 132 of 144 SMs on. No die is larger than a scanner's field, 26 × 33 mm.")};
    return s;
}

} // namespace

Result<MatmulStack> matmulStack(const silicon::Catalogue& catalogue, const MatmulQuestion& q)
{
    const silicon::Chip* chip = nullptr;
    for (const silicon::Chip& each : catalogue.chips())
        if (each.id == q.chip)
            chip = &each;
    if (!chip)
        return Error{"unknown-chip", "there is no chip \"" + q.chip + "\"", "chip", "take one of the catalogue"};
    const auto device = workload::deviceOf(catalogue, *chip, workload::Dtype::Bf16);
    if (!device)
        return device.error();
    auto c = compiled(q);
    if (!c)
        return c.error();
    const QString name = QString::fromStdString(chip->name);
    auto sm = smStop(catalogue, *chip, *c, name);
    if (!sm)
        return sm.error();
    MatmulStack out;
    out.stops = {graphStop(q, *c), kernelStop(*c),  launchStop(q, *c, *device, name),
                 std::move(*sm),   fragmentStop(q), memoryStop(q, *device),
                 systolicStop(q),  rtlStop(),       dieStop(q)};
    out.source = QString::fromStdString(c->cuda.text);
    out.kernelName = QString::fromStdString(c->cuda.kernels.front().name);
    return out;
}

} // namespace ridge::app
