// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "silicon/chip_catalogue.h"

#include <span>

namespace ridge::workload {

/// A dense decoder as far as memory and time of a step depend on it. All weights are BF16, 2 bytes.
struct Decoder {
    std::string name; ///< "Llama-3-8B"
    double parameters = 0;
    double layers = 0;
    double hidden = 0;  ///< width; query heads × head size
    double kvHeads = 0; ///< fewer than query heads: grouped-query attention
    double headSize = 0;
    /// Vocabulary × width of a table that is only looked up: it takes memory, and a decode step does not read it.
    double lookedUp = 0;

    double weightBytes() const { return 2 * parameters; }
    /// Keys and values of one token in BF16: 2 × layers × KV heads × head size × 2 bytes.
    double kvBytesPerToken() const { return 2 * layers * kvHeads * headSize * 2; }
};

enum class Task { Train, Serve };

/// What has to run. Serve: one decode step of `sequences` that each hold `context` tokens (the prompt's prefill is left
/// out). Train: one optimizer step in which each GPU works on `sequences` of `context` tokens.
struct Workload {
    std::string id;    ///< "serve_8b_b64"
    std::string title; ///< "Serve 8B, 64 users"
    Decoder model;
    Task task = Task::Serve;
    double sequences = 1;
    double context = 0; ///< tokens
    std::string about;  ///< the accounting, one or two sentences
};

/// train_7b, serve_8b_b1, serve_8b_b64, long_70b, in this order.
std::span<const Workload> workloads();
/// Null for any other id.
const Workload* workload(std::string_view id);

/// The share of a GPU's memory that weights and data may take; the rest is CUDA's context, buffers and fragments.
/// Default of vLLM's gpu_memory_utilization; assumed for training too.
inline constexpr double kUsableMemory = 0.9;
/// More GPUs than one server holds are not considered: the links between servers are not in this model.
inline constexpr unsigned kGpusPerServer = 8;

/// What a step spends most of its time on.
enum class StepBound { Memory, Compute, Link };
std::string_view toText(StepBound bound); ///< "memory", "compute", "link"

/// One step on as many GPUs as the workload needs to fit. Times are the least that the datasheet allows (dense peaks,
/// pin bandwidth, the link's one direction), so tokens per second are an upper and cost a lower bound.
struct GpuChoice {
    unsigned gpus = 0;
    double memoryBytes = 0; ///< on all GPUs together
    double memoryBytesPerGpu = 0;
    double flopPerGpu = 0, bytesPerGpu = 0, linkBytesPerGpu = 0; ///< of one step; link: sent by each GPU
    double computeSeconds = 0, memorySeconds = 0, linkSeconds = 0;
    /// Train: the largest of the three, since weights are fetched while the layer before computes. Serve: the larger of
    /// compute and memory, and the link, since nothing can be done while an all-reduce runs.
    double stepSeconds = 0;
    double tokensPerStep = 0; ///< of all GPUs
    double tokensPerSecond = 0;
    StepBound bound = StepBound::Memory;
};

/// The same where software reaches this share, above 0 and at most 1, of peak and bandwidth: arithmetic and memory take
/// longer by it, links do not.
GpuChoice atShare(GpuChoice choice, Task task, double share);

/// Memory of one GPU when n share the workload, in B.
/// Serve: (weights + sequences × context × KV bytes a token) / n.
/// Train: 16 bytes a parameter / n (2 weights, 2 gradients, 12 FP32 weights and two Adam moments: ZeRO stage 3, arXiv
/// 1910.02054) + tokens × hidden × (2 × layers + 34) (the input of each layer and one layer whole: recomputation, arXiv
/// 2205.05198; attention's square and the logits are never held whole).
double memoryPerGpu(const Workload& workload, unsigned gpus);

/// FLOP of a step, all GPUs together; n only matters for training, where every GPU brings its own sequences.
/// Serve: sequences × (2 × parameters + 4 × layers × hidden × context).
/// Train: tokens × 4 × (2 × parameters + 4 × layers × hidden × context / 2): forward, once more forward, twice
/// backward; a token sees half the context on average.
double stepFlop(const Workload& workload, unsigned gpus);

/// Bytes that the busiest GPU moves to and from its memory in a step.
/// Serve: memoryPerGpu, everything once but the input embedding, of which a step looks up a row for each sequence.
/// Train: weights three times and gradients once (8 bytes a parameter), and the optimizer's share (28 bytes a parameter
/// / n); activations are left out.
double stepBytesPerGpu(const Workload& workload, unsigned gpus);

/// Bytes that each GPU sends in a step. Serve (tensor parallel): two all-reduces a layer of sequences × hidden × 2
/// bytes, each 2 (n - 1) / n of it as a ring. Train (ZeRO stage 3): weights gathered twice, gradients scattered: 3 × 2
/// bytes a parameter × (n - 1) / n. The latency of the messages is left out.
double linkBytesPerGpu(const Workload& workload, unsigned gpus);

/// The fewest GPUs that hold the workload (serving: 1, 2, 4 or 8, so that heads divide), and what they do.
/// Errors, all of which say why the chip cannot do it: "no-peak" (no BF16), "no-bandwidth", "no-memory", "no-link"
/// (several are needed and the table has no link), "does-not-fit" (more than a server of 8 is needed), "bad-workload".
Result<GpuChoice> chooseGpus(const silicon::Catalogue& catalogue, const silicon::Chip& chip, const Workload& workload);

/// price an hour of one GPU × GPUs ÷ (tokens a second × 3600) × 10^6, in the price's currency.
double costPerMillionTokens(const GpuChoice& choice, double pricePerGpuHour);

/// A short list of chips in classes of price. No price is claimed: the user says how many times dearer a class is than
/// the class below it.
struct Candidate {
    std::string chip;
    unsigned priceClass = 0; ///< 0 cards with GDDR, 1 boards with HBM of 2020 to 2023, 2 the generation after
};
std::span<const Candidate> candidates();
/// ratio ^ class: what one GPU costs an hour when class 0 costs 1.
double relativePrice(const Candidate& candidate, double ratio);

} // namespace ridge::workload
