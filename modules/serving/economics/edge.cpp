// SPDX-License-Identifier: GPL-3.0-or-later
#include "serving/economics/edge.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace ridge::serving {
namespace {

const std::array<std::string, 4> kRuntimes{"llama.cpp", "mlc", "tinychat", "own"};

// llama.cpp on Llama 2 7B (llama.cpp, discussion 4167) and Llama 3 8B and 70B (XiongjieDai/GPU-Benchmarks-on-LLM-
// Inference): share and time a layer of Apple from M1, M1 Max and M2 Ultra; of GDDR from the rows of 3090, A6000, 4090,
// 4080 and RTX 4000 Ada; of HBM from the shares of the bandwidth that A100 and H100 reach. docs/validation.md has the
// rows.
constexpr double kApplePerLayer = 5.2e-3 / 32, kAppleShare = 0.845, kApplePrefill = 0.68;
constexpr double kGpuPerLayer = 3.1e-3 / 32, kGpuPrefill = 0.67;
constexpr double kNewGddr = 0.95, kOldGddr = 0.88, kHbm = 0.6, kLpddr = 0.75;
// Of M1 alone the vector units bound k-quants: 8 B weights at 34.49 tokens/s on an M1 Max of 10.4 TFLOP/s.
constexpr double kM1BlockFlops = 32;

EdgeDevice apple(const char* id, const char* title, double gigabytes, double tera, double memory, double blockFlops)
{
    EdgeDevice d;
    d.id = id;
    d.title = title;
    d.bytesPerSecond = gigabytes * 1e9;
    d.flopsPerSecond = tera * 1e12;
    d.memoryBytes = memory * 1e9;
    d.usableMemory = 0.75;
    d.share = kAppleShare;
    d.perLayer = kApplePerLayer;
    d.prefillShare = kApplePrefill;
    d.blockFlops = blockFlops;
    return d;
}

} // namespace

std::span<const EdgeDevice> appleDevices()
{
    // Bandwidths as the llama.cpp discussion prints them; fp32 rates of the GPU with the most cores; largest memory.
    static const std::vector<EdgeDevice> devices{
        apple("apple-m1", "Apple M1", 68, 2.6, 16, kM1BlockFlops),
        apple("apple-m1-pro", "Apple M1 Pro", 200, 5.2, 32, kM1BlockFlops),
        apple("apple-m1-max", "Apple M1 Max", 400, 10.4, 64, kM1BlockFlops),
        apple("apple-m1-ultra", "Apple M1 Ultra", 800, 21, 128, kM1BlockFlops),
        apple("apple-m2", "Apple M2", 100, 3.6, 24, 0),
        apple("apple-m2-pro", "Apple M2 Pro", 200, 6.8, 32, 0),
        apple("apple-m2-max", "Apple M2 Max", 400, 13.6, 96, 0),
        apple("apple-m2-ultra", "Apple M2 Ultra", 800, 27.2, 192, 0),
        apple("apple-m3-pro", "Apple M3 Pro", 150, 7.4, 36, 0),
        apple("apple-m3-max", "Apple M3 Max", 400, 14.2, 128, 0),
    };
    return devices;
}

Result<EdgeDevice> edgeDevice(const silicon::Chip& chip)
{
    if (!chip.memoryBytesPerSecond.known())
        return Error{"no-bandwidth", "the table does not know the memory bandwidth of " + chip.name, chip.id,
                     "take another chip"};
    EdgeDevice d;
    d.id = chip.id;
    d.title = chip.name;
    d.bytesPerSecond = *chip.memoryBytesPerSecond.value;
    d.memoryBytes = chip.memoryBytes.valueOr(0);
    d.watts = chip.tdpWatts.valueOr(0);
    for (const silicon::Precision each : {silicon::Precision::Fp16, silicon::Precision::Bf16, silicon::Precision::Fp32})
        if (const auto found = chip.peakFlopsPerSecond.find(each);
            found != chip.peakFlopsPerSecond.end() && found->second.known()) {
            d.flopsPerSecond = *found->second.value;
            break;
        }
    d.perLayer = kGpuPerLayer;
    d.prefillShare = kGpuPrefill;
    if (chip.chipClass == "edge") { // CPU and GPU share LPDDR; no rows here
        d.share = kLpddr;
        d.perLayer = kApplePerLayer;
        d.usableMemory = 0.75;
        d.fitted = false;
    } else if (chip.memoryType.find("HBM") != std::string::npos) {
        d.share = kHbm;
        d.prefillShare = 0.5;
    } else {
        d.share = chip.computeMajor > 8 || (chip.computeMajor == 8 && chip.computeMinor >= 9) ? kNewGddr : kOldGddr;
        d.fitted = chip.isNvidia();
    }
    return d;
}

std::span<const std::string> edgeRuntimeNames()
{
    return kRuntimes;
}

double readBytesPerToken(const workload::ModelShape& model, double weightBytes)
{
    const double all = workload::parameters(model), active = workload::activeParameters(model);
    const double table = model.tied ? 0 : double(model.vocabulary) * model.hidden;
    return weightBytes * (active - table) / all;
}

EdgeResult runEdge(const EdgeDevice& d, const workload::ModelShape& model, const EdgeSetting& s)
{
    EdgeResult r;
    const double end = s.prompt + s.output, middle = s.prompt + s.output / 2;
    r.memory = s.weightBytes + workload::kvBytesOfSequence(model, end, s.kvBytes);
    r.fits = d.memoryBytes <= 0 || r.memory <= d.usableMemory * d.memoryBytes * s.gpus;
    r.bytesPerToken =
        readBytesPerToken(model, s.weightBytes) + workload::kvBytesOfSequence(model, std::max(1.0, middle), s.kvBytes);
    r.boundSeconds = r.bytesPerToken / d.bytesPerSecond;
    // TinyChat's fused kernels need about half of llama.cpp's time a layer (llm-awq, A100 and 4090); MLC compiles
    // likewise.
    const double perLayer = s.runtime == EdgeRuntime::LlamaCpp ? d.perLayer : 0.55 * d.perLayer;
    double memory = r.boundSeconds / d.share;
    if (s.blocks && d.blockFlops > 0 && s.runtime == EdgeRuntime::LlamaCpp)
        memory = std::max(memory, d.blockFlops * workload::activeParameters(model) / d.flopsPerSecond);
    r.decodeSeconds = memory + model.layers * perLayer;
    if (d.flopsPerSecond > 0 && s.prompt > 0)
        r.prefillSeconds =
            std::max(2 * workload::activeParameters(model) * s.prompt / (d.flopsPerSecond * d.prefillShare),
                     readBytesPerToken(model, s.weightBytes) / (d.bytesPerSecond * d.share)) +
            model.layers * perLayer;
    return r;
}

double temperatureAt(const ThermalSetting& t, double watts, double seconds)
{
    return t.ambient + watts * t.resistance * -std::expm1(-seconds / (t.resistance * t.capacity));
}

double throttleTime(const ThermalSetting& t, double watts)
{
    const double rise = watts * t.resistance, room = t.limit - t.ambient;
    if (room <= 0)
        return 0;
    return rise <= room ? -1 : -t.resistance * t.capacity * std::log1p(-room / rise);
}

double sustainedWatts(const ThermalSetting& t)
{
    return std::max(0.0, (t.limit - t.ambient) / t.resistance);
}

double cappedSpeed(double cap, double idle, double full, bool computeBound)
{
    if (cap >= full || full <= idle)
        return 1;
    const double share = std::max(0.0, (cap - idle) / (full - idle));
    return computeBound ? std::cbrt(share) : share;
}

} // namespace ridge::serving
