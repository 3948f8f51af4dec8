// SPDX-License-Identifier: GPL-3.0-or-later
#include "vendor_header_text.h"

#include "gpu/cuda/library.h"
#include "gpu/cuda/vendor_blas.h"

using namespace ridge::gpu::cuda;

namespace {

struct Number {
    const char* file;
    const char* name;
    long long value;
};

} // namespace

/// Our declarations of cuBLAS against the real headers and libraries, where this machine has them.
class TestVendorHeaders : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void numbersAreTheirs();
    void structsAreTheirs();
    void signaturesAreTheirs();
    void theRealLibraryTakesOurDescriptors();
    void theRealLibrariesHaveEveryEntry();
};

void TestVendorHeaders::numbersAreTheirs()
{
    const Number numbers[] = {
        {"cublas_api.h", "CUBLAS_STATUS_SUCCESS", blas::kSuccess},
        {"cublas_api.h", "CUBLAS_STATUS_NOT_SUPPORTED", blas::kNotSupported},
        {"cublas_api.h", "CUBLAS_OP_N", blas::kNormal},
        {"cublas_api.h", "CUBLAS_OP_T", blas::kTransposed},
        {"cublas_api.h", "CUBLAS_COMPUTE_32F", blas::kCompute32F},
        {"cublas_api.h", "CUBLAS_COMPUTE_32F_PEDANTIC", blas::kCompute32FPedantic},
        {"cublas_api.h", "CUBLAS_COMPUTE_32F_FAST_TF32", blas::kCompute32FFastTf32},
        {"cublas_api.h", "CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION", blas::kMathDisallowReducedReduction},
        {"cublas_api.h", "CUBLAS_GEMM_DEFAULT", blas::kGemmDefault},
        {"library_types.h", "CUDA_R_32F", blas::kR32F},
        {"library_types.h", "CUDA_R_16F", blas::kR16F},
        {"library_types.h", "CUDA_R_16BF", blas::kR16BF},
        {"library_types.h", "CUDA_R_8F_E4M3", blas::kR8FE4M3},
        {"cublasLt.h", "CUBLASLT_MATMUL_DESC_TRANSA", blas::kDescTransposeA},
        {"cublasLt.h", "CUBLASLT_MATMUL_DESC_TRANSB", blas::kDescTransposeB},
        {"cublasLt.h", "CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES", blas::kPreferWorkspaceBytes},
        {"cublasLt.h", "CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK", blas::kPreferReductionMask},
        {"cublasLt.h", "CUBLASLT_REDUCTION_SCHEME_INPLACE", blas::kReduceInPlace},
        {"cublasLt.h", "CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE", blas::kReduceComputeType}};
    for (const Number& number : numbers) {
        const QString text = vendorHeader(number.file);
        if (text.isEmpty())
            QSKIP("no headers of cuBLAS here: install the CUDA toolkit, or name their folder in RIDGE_CUDA_INCLUDE");
        const auto theirs = enumeratorOf(text, number.name);
        QVERIFY2(theirs.has_value(), number.name);
        QVERIFY2(*theirs == number.value, number.name);
    }
}

void TestVendorHeaders::structsAreTheirs()
{
    const QString text = vendorHeader("cublasLt.h");
    if (text.isEmpty())
        QSKIP("no headers of cuBLAS here");
    QVERIFY(text.contains(QStringLiteral("typedef struct { uint64_t data[8]; } cublasLtMatmulAlgo_t;")));
    QVERIFY(text.contains(QStringLiteral("typedef struct { cublasLtMatmulAlgo_t algo; size_t workspaceSize; "
                                         "cublasStatus_t state; float wavesCount; int reserved[4]; } "
                                         "cublasLtMatmulHeuristicResult_t;")));
    QCOMPARE(sizeof(blas::Algorithm), std::size_t{64});
    QCOMPARE(sizeof(blas::Heuristic), std::size_t{96});
    QCOMPARE(offsetof(blas::Heuristic, state), std::size_t{72});
}

void TestVendorHeaders::signaturesAreTheirs()
{
    const QString lt = vendorHeader("cublasLt.h"), api = vendorHeader("cublas_api.h");
    if (lt.isEmpty() || api.isEmpty())
        QSKIP("no headers of cuBLAS here");
    // As blas::LtEntries and blas::BlasEntries declare them: enumerations are int there, handles pointers.
    const std::pair<const char*, const char*> ltFunctions[] = {
        {"cublasLtCreate", "cublasLtHandle_t*"},
        {"cublasLtMatmulDescCreate", "cublasLtMatmulDesc_t*, cublasComputeType_t, cudaDataType_t"},
        {"cublasLtMatmulDescSetAttribute", "cublasLtMatmulDesc_t, cublasLtMatmulDescAttributes_t, const void*, size_t"},
        {"cublasLtMatrixLayoutCreate", "cublasLtMatrixLayout_t*, cudaDataType, uint64_t, uint64_t, int64_t"},
        {"cublasLtMatmulPreferenceCreate", "cublasLtMatmulPreference_t*"},
        {"cublasLtMatmulPreferenceSetAttribute",
         "cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t, const void*, size_t"},
        {"cublasLtMatmulAlgoGetHeuristic",
         "cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, "
         "cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatmulPreference_t, int, "
         "cublasLtMatmulHeuristicResult_t, int*"},
        {"cublasLtMatmul",
         "cublasLtHandle_t, cublasLtMatmulDesc_t, const void*, const void*, cublasLtMatrixLayout_t, const void*, "
         "cublasLtMatrixLayout_t, const void*, const void*, cublasLtMatrixLayout_t, void*, cublasLtMatrixLayout_t, "
         "const cublasLtMatmulAlgo_t*, void*, size_t, cudaStream_t"}};
    for (const auto& [function, types] : ltFunctions)
        QCOMPARE(parametersOf(lt, "CUBLASWINAPI", function), QLatin1String(types));
    const std::pair<const char*, const char*> functions[] = {
        {"cublasCreate_v2", "cublasHandle_t*"},
        {"cublasSetStream_v2", "cublasHandle_t, cudaStream_t"},
        {"cublasSetMathMode", "cublasHandle_t, cublasMath_t"},
        {"cublasSetWorkspace_v2", "cublasHandle_t, void*, size_t"},
        {"cublasGemmEx",
         "cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*, const void*, cudaDataType, "
         "int, const void*, cudaDataType, int, const void*, void*, cudaDataType, int, cublasComputeType_t, "
         "cublasGemmAlgo_t"}};
    for (const auto& [function, types] : functions)
        QCOMPARE(parametersOf(api, "CUBLASWINAPI", function), QLatin1String(types));
}

void TestVendorHeaders::theRealLibraryTakesOurDescriptors()
{
    const Library library = openLibrary("RIDGE_LIBCUBLASLT",
                                        {"libcublasLt.so.13", "libcublasLt.so.12", "/usr/local/cuda/lib/libcublasLt.so",
                                         "/usr/local/cuda/lib64/libcublasLt.so"});
    if (library.handle == nullptr)
        QSKIP("no cuBLASLt here");
    // Descriptors need no GPU.
    blas::LtEntries api;
    QVERIFY(blas::findEntries(library, api));
    blas::Status (*descGet)(blas::Descriptor, int, void*, std::size_t, std::size_t*) = nullptr;
    blas::Status (*layoutGet)(blas::Layout, int, void*, std::size_t, std::size_t*) = nullptr;
    QVERIFY(findEntry(library, "cublasLtMatmulDescGetAttribute", descGet) &&
            findEntry(library, "cublasLtMatrixLayoutGetAttribute", layoutGet));
    for (const int compute : {blas::kCompute32F, blas::kCompute32FPedantic, blas::kCompute32FFastTf32}) {
        blas::Descriptor desc = nullptr;
        QCOMPARE(api.descCreate(&desc, compute, blas::kR32F), blas::kSuccess);
        const std::int32_t transposed = blas::kTransposed;
        QCOMPARE(api.descSet(desc, blas::kDescTransposeA, &transposed, sizeof transposed), blas::kSuccess);
        std::int32_t a = -1, b = -1, was = -1;
        std::size_t written = 0;
        QCOMPARE(descGet(desc, blas::kDescTransposeA, &a, sizeof a, &written), blas::kSuccess);
        QCOMPARE(descGet(desc, blas::kDescTransposeB, &b, sizeof b, &written), blas::kSuccess);
        QCOMPARE(descGet(desc, 0, &was, sizeof was, &written), blas::kSuccess); // CUBLASLT_MATMUL_DESC_COMPUTE_TYPE
        QCOMPARE(a, blas::kTransposed);
        QCOMPARE(b, blas::kNormal);
        QCOMPARE(was, compute);
        api.descDestroy(desc);
    }
    for (const int type : {blas::kR32F, blas::kR16F, blas::kR16BF, blas::kR8FE4M3}) {
        blas::Layout layout = nullptr;
        QCOMPARE(api.layoutCreate(&layout, type, 48, 80, 64), blas::kSuccess);
        std::uint64_t rows = 0, columns = 0;
        std::int64_t leading = 0;
        std::size_t written = 0;
        // CUBLASLT_MATRIX_LAYOUT_ROWS, …_COLS, …_LD
        QCOMPARE(layoutGet(layout, 2, &rows, sizeof rows, &written), blas::kSuccess);
        QCOMPARE(layoutGet(layout, 3, &columns, sizeof columns, &written), blas::kSuccess);
        QCOMPARE(layoutGet(layout, 4, &leading, sizeof leading, &written), blas::kSuccess);
        QVERIFY(rows == 48 && columns == 80 && leading == 64);
        api.layoutDestroy(layout);
    }
    blas::Preference preference = nullptr;
    const std::uint64_t workspace = 64 << 20;
    const std::uint32_t reduction = blas::kReduceInPlace | blas::kReduceComputeType;
    QCOMPARE(api.preferenceCreate(&preference), blas::kSuccess);
    QCOMPARE(api.preferenceSet(preference, blas::kPreferWorkspaceBytes, &workspace, sizeof workspace), blas::kSuccess);
    QCOMPARE(api.preferenceSet(preference, blas::kPreferReductionMask, &reduction, sizeof reduction), blas::kSuccess);
    QVERIFY(api.preferenceSet(preference, blas::kPreferReductionMask, &reduction, 8) != blas::kSuccess);
    api.preferenceDestroy(preference);
}

void TestVendorHeaders::theRealLibrariesHaveEveryEntry()
{
    const Library lt = openLibrary("RIDGE_LIBCUBLASLT",
                                   {"libcublasLt.so.13", "libcublasLt.so.12", "/usr/local/cuda/lib/libcublasLt.so",
                                    "/usr/local/cuda/lib64/libcublasLt.so"});
    const Library cublas =
        openLibrary("RIDGE_LIBCUBLAS", {"libcublas.so.13", "libcublas.so.12", "/usr/local/cuda/lib/libcublas.so",
                                        "/usr/local/cuda/lib64/libcublas.so"});
    if (lt.handle == nullptr || cublas.handle == nullptr)
        QSKIP("no cuBLAS here");
    void* entry = nullptr;
    for (const char* symbol : {"cublasLtCreate", "cublasLtDestroy", "cublasLtMatmulAlgoGetHeuristic", "cublasLtMatmul",
                               "cublasLtGetProperty"})
        QVERIFY2(findEntry(lt, symbol, entry), symbol);
    for (const char* symbol : {"cublasCreate_v2", "cublasDestroy_v2", "cublasSetStream_v2", "cublasSetMathMode",
                               "cublasSetWorkspace_v2", "cublasGemmEx", "cublasGetProperty"})
        QVERIFY2(findEntry(cublas, symbol, entry), symbol);
}

QTEST_GUILESS_MAIN(TestVendorHeaders)
#include "tst_vendor_headers.moc"
