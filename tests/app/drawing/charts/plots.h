// SPDX-License-Identifier: GPL-3.0-or-later
// Charts as they come out of real work, for tests of numbers and of pictures.
#pragma once

#include "app/drawing/charts/cost_bar.h"
#include "app/drawing/charts/gantt.h"
#include "app/drawing/charts/heat_map.h"
#include "app/drawing/charts/histogram.h"
#include "app/drawing/charts/ladder_bars.h"
#include "app/drawing/charts/live_chart.h"
#include "app/drawing/charts/roofline_plot.h"

#include "base/json.h"

#include <QString>
#include <cmath>

namespace ridge::app::plots {

inline QString s(const char* text)
{
    return QString::fromUtf8(text);
}

inline ChartOrigin origin(std::size_t n)
{
    return {s("sim:h100-sxm"), n, s("valid"),
            JsonValue(Json{
                {"cpu", "AMD EPYC"}, {"app", "0.1.0"}, {"target", {{"simulator", "simt"}, {"chip", "h100-sxm"}}}})};
}

/// Three rungs of a matrix multiplication on an H100: 3.35 TB/s and 66.9 TFLOP/s from the data sheet.
inline RooflineData roofline()
{
    RooflineData data;
    data.title = s("SGEMM on the roofline of an H100");
    data.origin = origin(3);
    data.caption = originText(data.origin);
    data.roofs = {{MemoryLevel::Hbm, 3.35e12, true, Provenance::Recorded, s("data sheet")},
                  {MemoryLevel::Hbm, 3.0e12, false, Provenance::Simulated, s("triad")},
                  {MemoryLevel::L2, 5.6e12, false, Provenance::Simulated, s("reads of 20 MiB")},
                  {MemoryLevel::L1, 2.6e13, false, Provenance::Simulated, s("reads of 64 KiB")}};
    data.ceilings = {{s("FP32"), 6.69e13, true, Provenance::Recorded, s("data sheet")},
                     {s("FP32"), 5.9e13, false, Provenance::Simulated, s("FMA chains")}};
    using L = MemoryLevel;
    data.kernels = {
        {s("1 naive"), s("sgemm"), Provenance::Simulated, 3.1e11, {{L::L1, 0.25}, {L::L2, 1.1}, {L::Hbm, 3.9}}},
        {s("3 shared memory"), s("sgemm"), Provenance::Simulated, 2.9e12, {{L::L1, 2.0}, {L::L2, 6.4}, {L::Hbm, 16}}},
        {s("6 vectorised"), s("sgemm"), Provenance::Measured, 1.9e13, {{L::L1, 8.1}, {L::L2, 22}, {L::Hbm, 70}}}};
    return data;
}

inline LadderData ladder()
{
    LadderData data;
    data.title = s("SGEMM 4096: from naive to warp tiling");
    data.origin = origin(7);
    data.caption = originText(data.origin);
    data.valueTitle = s("performance");
    data.unit = s("FLOP/s");
    data.limit = 66.9e12;
    data.limitName = s("FP32 peak");
    data.reference = 52.1e12;
    data.referenceName = s("cuBLAS");
    data.rungs = {{s("1 naive"), 0.31e12, 0.30e12, 0.32e12, Provenance::Measured},
                  {s("2 coalesced"), 2.1e12, 2.0e12, 2.3e12, Provenance::Measured},
                  {s("3 shared memory"), 5.4e12, 5.1e12, 5.5e12, Provenance::Measured},
                  {s("4 tiles of 8 in registers"), 22e12, 20e12, 23e12, Provenance::Measured},
                  {s("5 vectorised"), 38e12, {}, {}, Provenance::Simulated},
                  {s("6 warp tiling"), 47.5e12, {}, {}, Provenance::Modelled}};
    return data;
}

inline HeatMapData heatMap(int columns = 8, int rows = 6)
{
    HeatMapData data;
    data.title = s("Load efficiency over stride and offset");
    data.origin = origin(static_cast<std::size_t>(columns * rows));
    data.caption = originText(data.origin);
    data.xTitle = s("stride");
    data.xUnit = s("elements");
    data.yTitle = s("offset");
    data.yUnit = s("elements");
    data.valueTitle = s("load efficiency");
    data.unit = s("%");
    data.provenance = {Provenance::Simulated};
    for (int x = 0; x < columns; ++x)
        data.xs.push_back(columns <= 8 ? std::exp2(x) : x + 1);
    for (int y = 0; y < rows; ++y)
        data.ys.push_back(y);
    for (int y = 0; y < rows; ++y)
        for (int x = 0; x < columns; ++x)
            data.cells.push_back(100.0 / std::min(8.0, data.xs[static_cast<std::size_t>(x)] + 0.25 * (y % 8 > 0)));
    return data;
}

/// 200 times of a kernel: most near 4.1 µs, a few far out, made with a generator of its own.
inline HistogramData histogram(std::size_t n = 200)
{
    HistogramData data;
    data.title = s("Time per launch");
    data.origin = origin(n);
    data.caption = originText(data.origin);
    data.valueTitle = s("time");
    data.unit = s("s");
    data.provenance = {Provenance::Measured};
    std::uint32_t state = 12345;
    const auto next = [&] {
        state = state * 1664525u + 1013904223u;
        return state / 4294967296.0;
    };
    for (std::size_t i = 0; i < n; ++i) {
        const double bell = next() + next() + next() + next() - 2;
        data.samples.push_back(4.1e-6 + 0.2e-6 * bell + (next() > 0.94 ? 0.5e-6 * next() : 0));
    }
    return data;
}

inline CostData cost()
{
    CostData data;
    data.title = s("Where a training step goes");
    data.origin = origin(3);
    data.caption = originText(data.origin);
    data.valueTitle = s("time");
    data.unit = s("s");
    data.parts = costParts();
    data.bars = {{s("8 GPUs, data parallel"), Provenance::Measured, {0.062, 0.041, 0.018, 0.004, 0.002}},
                 {s("8 GPUs, overlapped"), Provenance::Measured, {0.062, 0.041, 0.003, 0.004, 0.002}},
                 {s("fused optimiser"), Provenance::Measured, {0.061, 0.026, 0.003, 0.003, 0.001}}};
    return data;
}

inline CostData warpStates()
{
    CostData data;
    data.title = s("Warp states");
    data.origin = origin(1);
    data.caption = originText(data.origin);
    data.valueTitle = s("warp cycles");
    data.unit = s("%");
    data.parts = {s("selected"),    s("long scoreboard"), s("no instruction"),   s("math pipe throttle"),
                  s("wait"),        s("not selected"),    s("short scoreboard"), s("barrier"),
                  s("lg throttle"), s("mio throttle"),    s("branch resolving")};
    data.bars = {{s("stride 4"), Provenance::Simulated, {2.1, 74.9, 9.0, 2.6, 4.2, 1.4, 0, 0, 3.6, 1.7, 0.5}},
                 {s("stride 1"), Provenance::Simulated, {6.4, 48.2, 19.5, 5.1, 11.8, 3.9, 0, 0, 2.2, 2.1, 0.8}}};
    return data;
}

inline GanttData gantt(int steps = 6)
{
    GanttData data;
    data.title = s("Two streams and the copy engine");
    data.origin = origin(1);
    data.caption = originText(data.origin);
    data.timeTitle = s("time");
    data.unit = s("s");
    data.lanes = {s("stream 7"), s("stream 13"), s("copy to device"), s("copy to host")};
    data.kinds = {s("kernel"), s("copy")};
    data.provenance = Provenance::Measured;
    for (int i = 0; i < steps; ++i) {
        const double t = i * 12e-6;
        data.spans.push_back({2, 1, t, 4e-6, s("HtoD %1").arg(i)});
        data.spans.push_back({i % 2, 0, t + 4.4e-6, 9e-6, s("sgemm_%1").arg(i)});
        data.spans.push_back({3, 1, t + 13.6e-6, 3e-6, s("DtoH %1").arg(i)});
    }
    return data;
}

inline TraceInfo traceInfo()
{
    TraceInfo info;
    info.title = s("Board power");
    info.origin = origin(1);
    info.caption = originText(info.origin);
    info.valueTitle = s("power");
    info.unit = s("W");
    info.secondsPerSample = 1e-6;
    info.provenance = Provenance::Measured;
    return info;
}

inline std::vector<float> power(std::size_t n, std::size_t from = 0)
{
    std::vector<float> samples;
    for (std::size_t i = from; i < from + n; ++i) {
        const double t = static_cast<double>(i);
        samples.push_back(
            static_cast<float>(420 + 180 * std::sin(t / 9e4) + 25 * std::sin(t * 0.7) + (i % 77777 == 5 ? 150 : 0)));
    }
    return samples;
}

} // namespace ridge::app::plots
