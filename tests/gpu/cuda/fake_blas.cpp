// SPDX-License-Identifier: GPL-3.0-or-later
// A stand-in for cuBLAS and cuBLASLt in one: it multiplies what lies in the memory of the stand-in for libcuda, by what
// it is told of types, transposes, shapes and leading dimensions, so that a wrong one gives wrong numbers or a refusal.
//
// $RIDGE_FAKE_BLAS: create, gemm, matmul (statuses), algorithms (that the heuristic names, 3), blas_us, lt_us (time of
// a product; of algorithm 1 in cuBLASLt, three times that of 0, twice that of the others), wrong=1 (one element is).
#include "fake_above.h"
#include "fake_matrix.h"
#include "fake_settings.h"

namespace {

double setting(const char* key, double fallback = 0)
{
    return fakeSetting("RIDGE_FAKE_BLAS", key, fallback);
}

int status(const char* key)
{
    return static_cast<int>(setting(key));
}

using fake::owns;
using fake::takeTime;

constexpr int kInvalid = 7, kUnsupported = 15;
constexpr std::uint64_t kMark = 0x52494447454c5421; // of an algorithm that the heuristic gave out
constexpr std::size_t kNeeded = 4096;               // bytes of workspace

struct Handle {
    void* stream = nullptr;
    void* workspace = nullptr;
    int math = 0;
};
struct Descriptor {
    int compute = 0, transposeA = 0, transposeB = 0;
};
struct Preference {
    std::uint64_t workspace = 0;
    std::uint32_t reduction = 7;
};
struct Algorithm {
    std::uint64_t data[8];
};
struct Heuristic {
    Algorithm algorithm;
    std::size_t workspaceBytes;
    int state;
    float waves;
    int reserved[4];
};

fake::Matrix with(const fake::Matrix& layout, const void* data)
{
    fake::Matrix out = layout;
    out.data = static_cast<std::uint8_t*>(const_cast<void*>(data));
    return out;
}

/// As the libraries for the types at hand: FP8 multiplies transposed by plain alone, TF32 reads FP32.
bool supported(int compute, int typeA, int typeB, int typeC, int transposeA, int transposeB)
{
    if (typeA != typeB || (compute != 68 && compute != 69 && compute != 77) || (compute == 77 && typeA != 0))
        return false;
    if (typeA == 28)
        return transposeA == 1 && transposeB == 0 && typeC == 0;
    return typeC == typeA || typeC == 0;
}

int multiply(const fake::Matrix& a, int transposeA, const fake::Matrix& b, int transposeB, const fake::Matrix& c,
             const void* alpha, const void* beta)
{
    for (const fake::Matrix* each : {&a, &b, &c})
        if (!owns(each->data, each->bytes()))
            return kInvalid;
    float one = 0, zero = 1;
    std::memcpy(&one, alpha, sizeof one);
    std::memcpy(&zero, beta, sizeof zero);
    if (one != 1 || zero != 0)
        return kInvalid;
    return fake::multiply(a, transposeA == 1, b, transposeB == 1, c, setting("wrong") != 0) ? 0 : kInvalid;
}

} // namespace

#define FAKE extern "C" __attribute__((visibility("default")))

FAKE int cublasGetProperty(int type, int* value)
{
    *value = type == 0 ? 13 : type == 1 ? 1 : 0;
    return 0;
}

FAKE int cublasLtGetProperty(int type, int* value)
{
    return cublasGetProperty(type, value);
}

FAKE int cublasCreate_v2(Handle** handle)
{
    *handle = new Handle;
    return status("create");
}

FAKE int cublasDestroy_v2(Handle* handle)
{
    delete handle;
    return 0;
}

FAKE int cublasSetStream_v2(Handle* handle, void* stream)
{
    handle->stream = stream;
    return 0;
}

FAKE int cublasSetMathMode(Handle* handle, int mode)
{
    handle->math = mode;
    return 0;
}

FAKE int cublasSetWorkspace_v2(Handle* handle, void* memory, std::size_t bytes)
{
    handle->workspace = memory;
    return owns(memory, bytes) && bytes >= kNeeded ? 0 : kInvalid;
}

FAKE int cublasGemmEx(Handle* handle, int transposeA, int transposeB, int m, int n, int k, const void* alpha,
                      const void* a, int typeA, int lda, const void* b, int typeB, int ldb, const void* beta, void* c,
                      int typeC, int ldc, int compute, int algorithm)
{
    if (status("gemm") != 0)
        return status("gemm");
    if (typeA == 28 || !supported(compute, typeA, typeB, typeC, transposeA, transposeB))
        return kUnsupported;
    if (handle->stream == nullptr || handle->workspace == nullptr || handle->math != 16 || algorithm != -1)
        return kInvalid;
    const auto layout = [](const void* data, int type, int rows, int columns, int leading) {
        return with({nullptr, type, static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(columns), leading},
                    data);
    };
    const int result = multiply(layout(a, typeA, transposeA == 1 ? k : m, transposeA == 1 ? m : k, lda), transposeA,
                                layout(b, typeB, transposeB == 1 ? n : k, transposeB == 1 ? k : n, ldb), transposeB,
                                layout(c, typeC, m, n, ldc), alpha, beta);
    takeTime(handle->stream, setting("blas_us", 40));
    return result;
}

FAKE int cublasLtCreate(Handle** handle)
{
    return cublasCreate_v2(handle);
}

FAKE int cublasLtDestroy(Handle* handle)
{
    return cublasDestroy_v2(handle);
}

FAKE int cublasLtMatmulDescCreate(Descriptor** desc, int compute, int scale)
{
    *desc = new Descriptor{compute, 0, 0};
    return scale == 0 ? 0 : kInvalid;
}

FAKE int cublasLtMatmulDescDestroy(Descriptor* desc)
{
    delete desc;
    return 0;
}

FAKE int cublasLtMatmulDescSetAttribute(Descriptor* desc, int attribute, const void* value, std::size_t bytes)
{
    if (bytes != 4 || (attribute != 3 && attribute != 4))
        return kInvalid;
    std::memcpy(attribute == 3 ? &desc->transposeA : &desc->transposeB, value, bytes);
    return 0;
}

FAKE int cublasLtMatrixLayoutCreate(fake::Matrix** layout, int type, std::uint64_t rows, std::uint64_t columns,
                                    std::int64_t leading)
{
    *layout = new fake::Matrix{nullptr, type, rows, columns, leading};
    return fake::formatOf(type) != nullptr ? 0 : kInvalid;
}

FAKE int cublasLtMatrixLayoutDestroy(fake::Matrix* layout)
{
    delete layout;
    return 0;
}

FAKE int cublasLtMatmulPreferenceCreate(Preference** preference)
{
    *preference = new Preference;
    return 0;
}

FAKE int cublasLtMatmulPreferenceDestroy(Preference* preference)
{
    delete preference;
    return 0;
}

FAKE int cublasLtMatmulPreferenceSetAttribute(Preference* preference, int attribute, const void* value,
                                              std::size_t bytes)
{
    if (attribute == 1 && bytes == 8)
        std::memcpy(&preference->workspace, value, bytes);
    else if (attribute == 3 && bytes == 4)
        std::memcpy(&preference->reduction, value, bytes);
    else
        return kInvalid;
    return 0;
}

/// The last algorithm needs more workspace than anybody gives, as a heuristic may say.
FAKE int cublasLtMatmulAlgoGetHeuristic(Handle*, const Descriptor* desc, const fake::Matrix* a, const fake::Matrix* b,
                                        const fake::Matrix* c, const fake::Matrix* d, const Preference* preference,
                                        int wanted, Heuristic* results, int* found)
{
    *found = 0;
    if (!supported(desc->compute, a->type, b->type, d->type, desc->transposeA, desc->transposeB))
        return kUnsupported;
    if (c->type != d->type || preference->workspace < kNeeded || preference->reduction != 3)
        return kInvalid;
    const int all = static_cast<int>(setting("algorithms", 3)) + 1;
    for (int i = 0; i < wanted && i < all; ++i) {
        results[i] = Heuristic{};
        results[i].algorithm.data[0] = kMark + static_cast<std::uint64_t>(i);
        results[i].workspaceBytes = i + 1 < all ? kNeeded : std::size_t{1} << 40;
        ++*found;
    }
    return 0;
}

FAKE int cublasLtMatmul(Handle*, const Descriptor* desc, const void* alpha, const void* a, const fake::Matrix* layoutA,
                        const void* b, const fake::Matrix* layoutB, const void* beta, const void* c,
                        const fake::Matrix* layoutC, void* d, const fake::Matrix* layoutD, const Algorithm* algorithm,
                        void* workspace, std::size_t bytes, void* stream)
{
    if (status("matmul") != 0)
        return status("matmul");
    const std::uint64_t index = algorithm->data[0] - kMark;
    if (c != d || layoutC->rows != layoutD->rows || index > 100 || bytes < kNeeded || !owns(workspace, bytes))
        return kInvalid;
    std::memset(workspace, 0xab, kNeeded); // it is the library's to use
    const int result = multiply(with(*layoutA, a), desc->transposeA, with(*layoutB, b), desc->transposeB,
                                with(*layoutD, d), alpha, beta);
    takeTime(stream, setting("lt_us", 20) * (index == 1 ? 1 : index == 0 ? 3 : 2));
    return result;
}
