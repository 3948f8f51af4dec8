// SPDX-License-Identifier: GPL-3.0-or-later
// A model on a small machine: tokens a second, watts and heat.
//
// A token costs what its bytes take at the memory's bandwidth, and a constant a layer for kernels and host:
//     t = bytes / (share x bandwidth) + layers x perLayer,
// where the bytes are the weights that a token reads (the embedding table is not read whole) and the cache.
// Two constants a family of devices and a runtime.
#pragma once

#include "base/result.h"
#include "silicon/chip.h"
#include "workload/model.h"

#include <span>
#include <string>
#include <string_view>

namespace ridge::serving {

struct EdgeDevice {
    std::string id, title;
    double bytesPerSecond = 0;
    double flopsPerSecond = 0; ///< in which prompts are computed; 0: unknown
    double memoryBytes = 0;    ///< 0: unknown
    double usableMemory = 0.9; ///< share of it; of memory that CPU and GPU share 0.75
    double watts = 0;          ///< at full load; 0: unknown
    double share = 0;          ///< of the bandwidth
    double perLayer = 0;       ///< s a layer and token, with llama.cpp
    double prefillShare = 0;   ///< of flopsPerSecond
    double blockFlops = 0;     ///< of the vector units, to unpack a weight of a k-quant; 0: never the bound
    bool fitted = true;        ///< false: of a family without published rows here
};

/// Apple's chips, which the chip table has not.
std::span<const EdgeDevice> appleDevices();
/// A chip of the table as such a device. Errors: "no-bandwidth".
Result<EdgeDevice> edgeDevice(const silicon::Chip& chip);

enum class EdgeRuntime { LlamaCpp, Mlc, TinyChat, Own };
std::span<const std::string> edgeRuntimeNames(); ///< llama.cpp mlc tinychat own

struct EdgeSetting {
    EdgeRuntime runtime = EdgeRuntime::LlamaCpp;
    double weightBytes = 0;          ///< of the whole model in its format
    bool blocks = false;             ///< the format is a k-quant
    double kvBytes = 2;              ///< of a value in the cache
    double prompt = 0, output = 128; ///< tokens
    double gpus = 1;                 ///< layers are shared one after another: memory adds up, time does not shrink
};

/// Weights that one token reads: all but the embedding table, unless the output matrix is the same table; of experts
/// the active ones.
double readBytesPerToken(const workload::ModelShape& model, double weightBytes);

struct EdgeResult {
    double memory = 0; ///< bytes: weights and the cache at the end
    bool fits = true;
    double decodeSeconds = 0; ///< of a token in the middle of the output
    double prefillSeconds = 0;
    double bytesPerToken = 0; ///< weights and cache
    double boundSeconds = 0;  ///< those bytes at the pins' bandwidth
};
EdgeResult runEdge(const EdgeDevice& device, const workload::ModelShape& model, const EdgeSetting& setting);

/// A body that heats up: T(t) = ambient + P R (1 - e^(-t / (R C))).
struct ThermalSetting {
    double ambient = 25, limit = 85; ///< degrees C
    double resistance = 0.5;         ///< K/W, from chip to air
    double capacity = 200;           ///< J/K
};
double temperatureAt(const ThermalSetting& t, double watts, double seconds);
/// s from a cold start until the limit; below 0: it is never reached.
double throttleTime(const ThermalSetting& t, double watts);
/// Watts that can be held for ever.
double sustainedWatts(const ThermalSetting& t);

/// Speed under a cap of power, a share of full speed: what is above `idle` grows with speed where memory bounds the
/// work, and with its cube where arithmetic does (voltage follows the clock).
double cappedSpeed(double cap, double idle, double full, bool computeBound);

} // namespace ridge::serving
