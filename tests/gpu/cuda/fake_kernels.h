// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "fake_attention.h"
#include "fake_matrix.h"
#include "fake_norm.h"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

/// The kernels that the stand-in for libcuda carries out.
namespace fake {

template<class T>
inline T argument(void** arguments, int index)
{
    T value;
    std::memcpy(&value, arguments[index], sizeof value);
    return value;
}

/// What a kernel does, with the arguments of this launch: they may be gone when a graph runs it.
inline std::function<void()> workOf(const std::string& kernel, std::uint64_t threads, void** arguments,
                                    const std::function<bool()>& wrong)
{
    if (kernel == "add") {
        auto* data = reinterpret_cast<std::int32_t*>(argument<std::uint64_t>(arguments, 0));
        const auto count = argument<std::uint32_t>(arguments, 1);
        const auto step = argument<float>(arguments, 2);
        return [=] {
            for (std::uint64_t i = 0; i < threads && i < count; ++i)
                data[i] += static_cast<std::int32_t>(step);
        };
    }
    if (kernel.starts_with("count_")) { // kernels/launch
        auto* counter = reinterpret_cast<std::uint32_t*>(argument<std::uint64_t>(arguments, 0));
        const int last = std::atoi(kernel.c_str() + 6) / 8 - 1;
        const auto step = static_cast<std::uint32_t>(argument<std::uint64_t>(arguments, last));
        const auto add = last == 0 ? 1u : step;
        return [=] { *counter += wrong() ? 0 : add; };
    }
    if (kernel == "chunk_work") { // kernels/streams
        const auto* in = reinterpret_cast<const std::uint32_t*>(argument<std::uint64_t>(arguments, 0));
        auto* out = reinterpret_cast<std::uint32_t*>(argument<std::uint64_t>(arguments, 1));
        const auto count = argument<std::uint32_t>(arguments, 2);
        const auto rounds = argument<std::uint32_t>(arguments, 3);
        return [=] {
            for (std::uint32_t i = 0; i + (wrong() ? 1u : 0u) < count; ++i) {
                std::uint32_t value = in[i];
                for (std::uint32_t round = 0; round < rounds; ++round)
                    value = value * 1664525u + 1013904223u;
                out[i] = value;
            }
        };
    }
    if (kernel == "one_operation" || kernel == "fused_operations") { // kernels/kernel_chain
        const auto* in = reinterpret_cast<const float*>(argument<std::uint64_t>(arguments, 0));
        auto* out = reinterpret_cast<float*>(argument<std::uint64_t>(arguments, 1));
        const auto count = argument<std::uint32_t>(arguments, 2);
        const bool fused = kernel == "fused_operations";
        const auto operations = fused ? argument<std::uint32_t>(arguments, 3) : 1u;
        const auto constant = argument<float>(arguments, fused ? 4 : 3);
        return [=] {
            for (std::uint32_t i = 0; i + (wrong() ? 1u : 0u) < count; ++i) {
                float x = in[i];
                for (std::uint32_t k = 0; k < operations; ++k)
                    x = std::fma(x, x, constant);
                out[i] = x;
            }
        };
    }
    if (kernel.starts_with("copy_")) { // kernels/stream
        const auto* from = argument<const std::uint8_t*>(arguments, 0);
        auto* to = argument<std::uint8_t*>(arguments, 2);
        const auto bytes = 4 * argument<std::uint64_t>(arguments, 3);
        return [=] { std::memcpy(to, from, bytes - (wrong() ? 4 : 0)); };
    }
    if (kernel.starts_with("multiply_")) { // kernels/tensor_cores: B lies column by column
        auto* a = argument<std::uint8_t*>(arguments, 0);
        auto* b = argument<std::uint8_t*>(arguments, 1);
        auto* c = argument<std::uint8_t*>(arguments, 2);
        const auto n = argument<std::uint32_t>(arguments, 3);
        const std::string format = kernel.substr(9);
        const int type = format == "fp16" ? 2 : format == "bf16" ? 14 : format == "fp8" ? 28 : 0;
        return [=] {
            multiply({b, type, n, n, n}, true, {a, type, n, n, n}, false, {c, type == 28 ? 0 : type, n, n, n}, wrong());
        };
    }
    if (kernel == "norm_copy") { // kernels/norm
        const auto* from = argument<const std::uint8_t*>(arguments, 0);
        auto* to = argument<std::uint8_t*>(arguments, 1);
        const auto elements = argument<std::uint64_t>(arguments, 2);
        return [=] { std::memcpy(to, from, 2 * elements - (wrong() ? 2 : 0)); };
    }
    if (kernel.starts_with("norm_")) {
        const int bias = kernel.ends_with("_layer") ? 1 : 0;
        const NormBuffers at{argument<const std::uint8_t*>(arguments, 0), argument<const std::uint8_t*>(arguments, 1),
                             bias == 1 ? argument<const std::uint8_t*>(arguments, 2) : nullptr,
                             argument<std::uint8_t*>(arguments, 2 + bias)};
        const auto rows = argument<std::uint32_t>(arguments, 3 + bias);
        const auto columns = argument<std::uint32_t>(arguments, 4 + bias);
        const auto epsilon = static_cast<double>(argument<float>(arguments, 5 + bias));
        return [=] { normalise(at, rows, columns, epsilon, wrong()); };
    }
    if (kernel.starts_with("attention_async_fp16_")) { // kernels/attention, rung 7: 64 queries a block of 128 threads
        const AttentionBuffers at{argument<const std::uint8_t*>(arguments, 0),
                                  argument<const std::uint8_t*>(arguments, 1),
                                  argument<const std::uint8_t*>(arguments, 2), argument<std::uint8_t*>(arguments, 3)};
        AttentionWork work;
        work.tokens = argument<std::uint32_t>(arguments, 4);
        work.causal = argument<std::uint32_t>(arguments, 5) < work.tokens;
        work.scale = static_cast<double>(argument<float>(arguments, 6)) * std::log(2.0);
        work.columns = static_cast<std::uint64_t>(std::atoi(kernel.c_str() + 21));
        work.heads = threads / 128 / ((work.tokens + 63) / 64);
        work.keyHeads = work.heads / argument<std::uint32_t>(arguments, 7);
        work.nothing = -1e30;
        work.wide = true;
        return [=] { attend(at, work, wrong()); };
    }
    return [] {};
}

} // namespace fake
