// SPDX-License-Identifier: GPL-3.0-or-later
#include "accelerator/array_abi.h"

#include "accelerator/systolic_values.h"

#include <algorithm>
#include <string>

namespace {

using namespace ridge;
using namespace ridge::accelerator;

constexpr std::uint64_t kTile = 8;

struct State {
    Array array{8, 8};
    std::uint64_t products = 0, cycles = 0, macs = 0, bytes = 0;
    std::string error;
};
State state;

int refuse(const Error& error)
{
    state.error = toText(error);
    return 1;
}

/// The product, or nothing and the reason in `state`. No exception may pass into C.
int multiply(const Gemm& gemm, const std::int8_t* a, const std::int8_t* b, std::vector<std::int32_t>& product)
{
    try {
        if (a == nullptr || b == nullptr)
            return refuse({"bad-value", "an operand is a null pointer", "a, b", "give arrays of int8"});
        if (const auto good = checkGemm(gemm); !good)
            return refuse(good.error());
        Operands operands{gemm, {a, a + gemm.m * gemm.k}, {b, b + gemm.k * gemm.n}};
        auto engine = ArrayEngine::make(state.array, Dataflow::WeightStationary, std::move(operands));
        if (!engine)
            return refuse(engine.error());
        engine->step(engine->cycles());
        product = engine->product();
        ++state.products;
        state.cycles += engine->cycles();
        state.macs += gemm.macs();
        state.bytes += gemm.m * gemm.k + gemm.k * gemm.n + 4 * gemm.m * gemm.n;
        return 0;
    } catch (const std::exception& thrown) {
        return refuse({"too-large", std::string("the product does not fit into memory: ") + thrown.what(), "m, n, k",
                       "take a smaller one"});
    }
}

} // namespace

int ridge_array_shape(uint32_t rows, uint32_t cols)
{
    const Array array{rows, cols};
    if (const auto good = checkArray(array); !good)
        return refuse(good.error());
    state = State{};
    state.array = array;
    return 0;
}

int ridge_array_mma(const int8_t* a, const int8_t* b, const int32_t* c, int32_t* d)
{
    std::vector<std::int32_t> product;
    if (c == nullptr || d == nullptr)
        return refuse({"bad-value", "a sum is a null pointer", "c, d", "give arrays of int32"});
    if (const int refused = multiply({kTile, kTile, kTile}, a, b, product); refused != 0)
        return refused;
    for (std::size_t i = 0; i < product.size(); ++i) // modulo 2^32, as the array itself
        d[i] = static_cast<std::int32_t>(static_cast<std::uint32_t>(c[i]) + static_cast<std::uint32_t>(product[i]));
    return 0;
}

int ridge_array_gemm(uint64_t m, uint64_t n, uint64_t k, const int8_t* a, const int8_t* b, int32_t* c)
{
    std::vector<std::int32_t> product;
    if (c == nullptr)
        return refuse({"bad-value", "the result is a null pointer", "c", "give m x n places of int32"});
    if (const int refused = multiply({m, n, k}, a, b, product); refused != 0)
        return refused;
    std::ranges::copy(product, c);
    return 0;
}

uint64_t ridge_array_products()
{
    return state.products;
}

uint64_t ridge_array_cycles()
{
    return state.cycles;
}

uint64_t ridge_array_macs()
{
    return state.macs;
}

uint64_t ridge_array_bytes()
{
    return state.bytes;
}

const char* ridge_array_error()
{
    return state.error.c_str();
}
