// SPDX-License-Identifier: GPL-3.0-or-later
#include "vendor_header_text.h"

#include "gpu/cuda/library.h"
#include "gpu/cuda/vendor_dnn.h"
#include "gpu/cuda/vendor_nccl.h"

using namespace ridge::gpu::cuda;

namespace {

struct Number {
    const char* name;
    int value;
    int since = 0; ///< minor version of cuDNN 9 that has it first
};

constexpr int kAttentionSince = 13, kMaskSince = 21;

/// Minor version of the headers of cuDNN; the newest where they do not say it.
int minorOfHeaders()
{
    const auto found =
        QRegularExpression(QStringLiteral("define CUDNN_MINOR (\\d+)")).match(vendorHeader("cudnn_version.h"));
    return found.hasMatch() ? found.captured(1).toInt() : kMaskSince;
}

Library realDnn()
{
    return openLibrary("RIDGE_LIBCUDNN",
                       {"libcudnn.so.9", "/usr/local/cuda/lib/libcudnn.so.9", "/usr/local/cuda/lib64/libcudnn.so.9"});
}

Library realNccl()
{
    return openLibrary("RIDGE_LIBNCCL",
                       {"libnccl.so.2", "/usr/local/cuda/lib/libnccl.so.2", "/usr/local/cuda/lib64/libnccl.so.2"});
}

} // namespace

/// Our declarations of cuDNN and NCCL against the real headers and libraries, where this machine has them.
class TestVendorGraphHeaders : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void numbersOfCudnnAreTheirs();
    void signaturesOfCudnnAreTheirs();
    void numbersOfNcclAreTheirs();
    void signaturesOfNcclAreTheirs();
    void theRealLibrariesHaveEveryEntry_data();
    void theRealLibrariesHaveEveryEntry();
    void theRealCudnnTakesOurAttributes();
};

void TestVendorGraphHeaders::numbersOfCudnnAreTheirs()
{
    const QString text = vendorHeader("cudnn_graph.h");
    if (text.isEmpty())
        QSKIP("no headers of cuDNN 9 here: install it, or name their folder in RIDGE_CUDA_INCLUDE");
    using enum dnn::Attribute;
    const auto of = [](auto value) { return static_cast<int>(value); };
    const Number numbers[] = {
        {"CUDNN_STATUS_SUCCESS", dnn::kSuccess},
        {"CUDNN_BACKEND_ENGINECFG_DESCRIPTOR", of(dnn::Kind::EngineConfig)},
        {"CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR", of(dnn::Kind::EngineHeuristics)},
        {"CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR", of(dnn::Kind::ExecutionPlan)},
        {"CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR", of(dnn::Kind::OperationGraph)},
        {"CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR", of(dnn::Kind::VariantPack)},
        {"CUDNN_BACKEND_TENSOR_DESCRIPTOR", of(dnn::Kind::Tensor)},
        {"CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR", of(dnn::Kind::NormForward)},
        {"CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR", of(dnn::Kind::AttentionForward), kAttentionSince},
        {"CUDNN_BACKEND_OPERATION_DIAGONAL_BAND_MASK_DESCRIPTOR", of(dnn::Kind::DiagonalBandMask), kMaskSince},
        {"CUDNN_TYPE_HANDLE", of(dnn::Type::Handle)},
        {"CUDNN_TYPE_DATA_TYPE", of(dnn::Type::DataType)},
        {"CUDNN_TYPE_BOOLEAN", of(dnn::Type::Boolean)},
        {"CUDNN_TYPE_INT64", of(dnn::Type::Int64)},
        {"CUDNN_TYPE_VOID_PTR", of(dnn::Type::Pointer)},
        {"CUDNN_TYPE_HEUR_MODE", of(dnn::Type::HeuristicMode)},
        {"CUDNN_TYPE_POINTWISE_MODE", of(dnn::Type::PointwiseMode)},
        {"CUDNN_TYPE_BACKEND_DESCRIPTOR", of(dnn::Type::Descriptor)},
        {"CUDNN_TYPE_NORM_MODE", of(dnn::Type::NormMode)},
        {"CUDNN_TYPE_NORM_FWD_PHASE", of(dnn::Type::NormPhase)},
        {"CUDNN_ATTR_ENGINEHEUR_MODE", of(HeuristicsMode)},
        {"CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH", of(HeuristicsGraph)},
        {"CUDNN_ATTR_ENGINEHEUR_RESULTS", of(HeuristicsResults)},
        {"CUDNN_ATTR_EXECUTION_PLAN_HANDLE", of(PlanHandle)},
        {"CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG", of(PlanEngineConfig)},
        {"CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE", of(PlanWorkspaceBytes)},
        {"CUDNN_ATTR_OPERATIONGRAPH_HANDLE", of(GraphHandle)},
        {"CUDNN_ATTR_OPERATIONGRAPH_OPS", of(GraphOperations)},
        {"CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT", of(TensorAlignment)},
        {"CUDNN_ATTR_TENSOR_DATA_TYPE", of(TensorDataType)},
        {"CUDNN_ATTR_TENSOR_DIMENSIONS", of(TensorDimensions)},
        {"CUDNN_ATTR_TENSOR_STRIDES", of(TensorStrides)},
        {"CUDNN_ATTR_TENSOR_UNIQUE_ID", of(TensorUniqueId)},
        {"CUDNN_ATTR_TENSOR_IS_BY_VALUE", of(TensorByValue)},
        {"CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS", of(PackUniqueIds)},
        {"CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS", of(PackPointers)},
        {"CUDNN_ATTR_VARIANT_PACK_WORKSPACE", of(PackWorkspace)},
        {"CUDNN_ATTR_OPERATION_NORM_FWD_MODE", of(NormMode)},
        {"CUDNN_ATTR_OPERATION_NORM_FWD_PHASE", of(NormPhase)},
        {"CUDNN_ATTR_OPERATION_NORM_FWD_XDESC", of(NormX)},
        {"CUDNN_ATTR_OPERATION_NORM_FWD_SCALE_DESC", of(NormScale)},
        {"CUDNN_ATTR_OPERATION_NORM_FWD_BIAS_DESC", of(NormBias)},
        {"CUDNN_ATTR_OPERATION_NORM_FWD_EPSILON_DESC", of(NormEpsilon)},
        {"CUDNN_ATTR_OPERATION_NORM_FWD_YDESC", of(NormY)},
        {"CUDNN_ATTR_TENSOR_IS_VIRTUAL", of(TensorVirtual)},
        {"CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC", of(AttentionQ), kAttentionSince},
        {"CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC", of(AttentionK), kAttentionSince},
        {"CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC", of(AttentionV), kAttentionSince},
        {"CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC", of(AttentionOut), kAttentionSince},
        {"CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC", of(AttentionScale), kAttentionSince},
        {"CUDNN_ATTR_OPERATION_SDPA_FWD_SUBGRAPH", of(AttentionSubgraph), kMaskSince},
        {"CUDNN_ATTR_OPERATION_SDPA_FWD_SUBGRAPH_INPUT_UID", of(AttentionSubgraphIn), kMaskSince},
        {"CUDNN_ATTR_OPERATION_SDPA_FWD_SUBGRAPH_OUTPUT_UID", of(AttentionSubgraphOut), kMaskSince},
        {"CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_XDESC", of(BandMaskX), kMaskSince},
        {"CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_BDESC", of(BandMaskB), kMaskSince},
        {"CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_YDESC", of(BandMaskY), kMaskSince},
        {"CUDNN_ATTR_OPERATION_DIAGONAL_BAND_MASK_COMPARISON_MODE", of(BandMaskComparison), kMaskSince},
        {"CUDNN_POINTWISE_CMP_GE", dnn::kGreaterOrEqual},
        {"CUDNN_DATA_HALF", dnn::kHalf},
        {"CUDNN_DATA_FLOAT", dnn::kFloat},
        {"CUDNN_DATA_BFLOAT16", dnn::kBfloat16},
        {"CUDNN_LAYER_NORM", dnn::kLayerNorm},
        {"CUDNN_RMS_NORM", dnn::kRmsNorm},
        {"CUDNN_NORM_FWD_INFERENCE", dnn::kInference},
        {"CUDNN_HEUR_MODE_FALLBACK", dnn::kHeuristicsFallback},
        {"CUDNN_HEUR_MODE_A", dnn::kHeuristicsA}};
    const int minor = minorOfHeaders();
    for (const Number& number : numbers) {
        const auto theirs = enumeratorOf(text, number.name);
        if (!theirs && number.since > minor)
            continue;
        QVERIFY2(theirs.has_value(), number.name);
        QVERIFY2(*theirs == number.value, number.name);
    }
}

void TestVendorGraphHeaders::signaturesOfCudnnAreTheirs()
{
    const QString text = vendorHeader("cudnn_graph.h");
    if (text.isEmpty())
        QSKIP("no headers of cuDNN 9 here");
    // As dnn::Entries declares them: enumerations are int there, handles and descriptors pointers.
    const std::pair<const char*, const char*> functions[] = {
        {"cudnnCreate", "cudnnHandle_t*"},
        {"cudnnDestroy", "cudnnHandle_t"},
        {"cudnnSetStream", "cudnnHandle_t, cudaStream_t"},
        {"cudnnGetErrorString", "cudnnStatus_t"},
        {"cudnnGetLastErrorString", "char*, size_t"},
        {"cudnnBackendCreateDescriptor", "cudnnBackendDescriptorType_t, cudnnBackendDescriptor_t*"},
        {"cudnnBackendDestroyDescriptor", "cudnnBackendDescriptor_t"},
        {"cudnnBackendFinalize", "cudnnBackendDescriptor_t"},
        {"cudnnBackendSetAttribute", "cudnnBackendDescriptor_t, cudnnBackendAttributeName_t, "
                                     "cudnnBackendAttributeType_t, int64_t, const void*"},
        {"cudnnBackendGetAttribute", "cudnnBackendDescriptor_t const, cudnnBackendAttributeName_t, "
                                     "cudnnBackendAttributeType_t, int64_t, int64_t*, void*"},
        {"cudnnBackendExecute", "cudnnHandle_t, cudnnBackendDescriptor_t, cudnnBackendDescriptor_t"}};
    for (const auto& [function, types] : functions)
        QCOMPARE(parametersOf(text, "CUDNNWINAPI", function), QLatin1String(types));
    QVERIFY(text.contains(QStringLiteral("typedef void *cudnnBackendDescriptor_t;")));
}

void TestVendorGraphHeaders::numbersOfNcclAreTheirs()
{
    const QString text = vendorHeader("nccl.h");
    if (text.isEmpty())
        QSKIP("no header of NCCL here: install it, or name its folder in RIDGE_CUDA_INCLUDE");
    const Number numbers[] = {{"ncclSuccess", nccl::kSuccess},
                              {"ncclUint8", nccl::kUint8},
                              {"ncclFloat32", nccl::kFloat32},
                              {"ncclSum", nccl::kSum}};
    for (const Number& number : numbers) {
        const auto theirs = enumeratorOf(text, number.name);
        QVERIFY2(theirs.has_value(), number.name);
        QVERIFY2(*theirs == number.value, number.name);
    }
}

void TestVendorGraphHeaders::signaturesOfNcclAreTheirs()
{
    const QString text = vendorHeader("nccl.h");
    if (text.isEmpty())
        QSKIP("no header of NCCL here");
    const std::pair<const char*, const char*> functions[] = {
        {"ncclCommInitAll", "ncclComm_t*, int, const int*"},
        {"ncclCommDestroy", "ncclComm_t"},
        {"ncclSend", "const void*, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t"},
        {"ncclRecv", "void*, size_t, ncclDataType_t, int, ncclComm_t, cudaStream_t"},
        {"ncclAllReduce", "const void*, void*, size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t, cudaStream_t"},
        {"ncclGroupStart", ""},
        {"ncclGroupEnd", ""}};
    for (const auto& [function, types] : functions)
        QCOMPARE(parametersOf(text, "ncclResult_t", function), QLatin1String(types));
    QCOMPARE(parametersOf(text, "const char\\*", "ncclGetErrorString"), QLatin1String("ncclResult_t"));
    QCOMPARE(parametersOf(text, "const char\\*", "ncclGetLastError"), QLatin1String("ncclComm_t"));
    QVERIFY(text.contains(QStringLiteral("typedef struct ncclComm* ncclComm_t;")));
}

void TestVendorGraphHeaders::theRealLibrariesHaveEveryEntry_data()
{
    QTest::addColumn<bool>("isDnn");
    QTest::newRow("cuDNN") << true;
    QTest::newRow("NCCL") << false;
}

void TestVendorGraphHeaders::theRealLibrariesHaveEveryEntry()
{
    QFETCH(bool, isDnn);
    const Library library = isDnn ? realDnn() : realNccl();
    if (library.handle == nullptr)
        QSKIP("not on this machine");
    dnn::Entries dnn;
    nccl::Entries nccl;
    const char* missing = isDnn ? dnn::missingEntry(library, dnn) : nccl::missingEntry(library, nccl);
    QVERIFY2(missing == nullptr, missing);
    QVERIFY(isDnn || nccl.lastError != nullptr);
}

/// As far as it goes without a GPU: a descriptor of each kind takes what we set, in our types and counts. (Whether they
/// can be made final is for a machine with a driver: cuDNN's engines load libcuda.)
void TestVendorGraphHeaders::theRealCudnnTakesOurAttributes()
{
    const Library library = realDnn();
    dnn::Entries api;
    if (library.handle == nullptr || dnn::missingEntry(library, api) != nullptr)
        QSKIP("no cuDNN 9 here");
    dnn::Descriptor tensor = nullptr;
    QCOMPARE(api.descCreate(dnn::Kind::Tensor, &tensor), dnn::kSuccess);
    using enum dnn::Attribute;
    const std::int64_t id = 1, alignment = 16, sizes[] = {5, 24, 1, 1}, strides[] = {24, 1, 24, 24};
    const int type = dnn::kBfloat16;
    const bool byValue = true;
    QCOMPARE(api.set(tensor, TensorUniqueId, dnn::Type::Int64, 1, &id), dnn::kSuccess);
    QCOMPARE(api.set(tensor, TensorDataType, dnn::Type::DataType, 1, &type), dnn::kSuccess);
    QCOMPARE(api.set(tensor, TensorAlignment, dnn::Type::Int64, 1, &alignment), dnn::kSuccess);
    QCOMPARE(api.set(tensor, TensorDimensions, dnn::Type::Int64, 4, sizes), dnn::kSuccess);
    QCOMPARE(api.set(tensor, TensorStrides, dnn::Type::Int64, 4, strides), dnn::kSuccess);
    QCOMPARE(api.set(tensor, TensorByValue, dnn::Type::Boolean, 1, &byValue), dnn::kSuccess);
    QVERIFY(api.set(tensor, TensorUniqueId, dnn::Type::Boolean, 1, &byValue) != dnn::kSuccess); // so it looks
    dnn::Descriptor norm = nullptr;
    QCOMPARE(api.descCreate(dnn::Kind::NormForward, &norm), dnn::kSuccess);
    for (const int mode : {dnn::kLayerNorm, dnn::kRmsNorm})
        QCOMPARE(api.set(norm, NormMode, dnn::Type::NormMode, 1, &mode), dnn::kSuccess);
    QCOMPARE(api.set(norm, NormPhase, dnn::Type::NormPhase, 1, &dnn::kInference), dnn::kSuccess);
    for (const dnn::Attribute part : {NormX, NormScale, NormBias, NormEpsilon, NormY})
        QCOMPARE(api.set(norm, part, dnn::Type::Descriptor, 1, &tensor), dnn::kSuccess);
    int (*property)(int, int*) = nullptr;
    int minor = 0;
    QVERIFY(findEntry(library, "cudnnGetProperty", property) && property(1, &minor) == 0);
    dnn::Descriptor mask = nullptr, attention = nullptr, graph = nullptr;
    if (minor >= kAttentionSince) {
        QCOMPARE(api.descCreate(dnn::Kind::AttentionForward, &attention), dnn::kSuccess);
        for (const dnn::Attribute part : {AttentionQ, AttentionK, AttentionV, AttentionOut, AttentionScale})
            QCOMPARE(api.set(attention, part, dnn::Type::Descriptor, 1, &tensor), dnn::kSuccess);
    }
    if (minor >= kMaskSince) {
        QCOMPARE(api.descCreate(dnn::Kind::DiagonalBandMask, &mask), dnn::kSuccess);
        for (const dnn::Attribute part : {BandMaskX, BandMaskB, BandMaskY})
            QCOMPARE(api.set(mask, part, dnn::Type::Descriptor, 1, &tensor), dnn::kSuccess);
        QCOMPARE(api.set(mask, BandMaskComparison, dnn::Type::PointwiseMode, 1, &dnn::kGreaterOrEqual), dnn::kSuccess);
        QCOMPARE(api.descCreate(dnn::Kind::OperationGraph, &graph), dnn::kSuccess);
        QCOMPARE(api.set(attention, AttentionSubgraph, dnn::Type::Descriptor, 1, &graph), dnn::kSuccess);
        for (const dnn::Attribute name : {AttentionSubgraphIn, AttentionSubgraphOut})
            QCOMPARE(api.set(attention, name, dnn::Type::Int64, 1, &id), dnn::kSuccess);
    }
    for (const dnn::Descriptor made : {attention, graph, mask})
        if (made != nullptr)
            QCOMPARE(api.descDestroy(made), dnn::kSuccess);
    for (const dnn::Kind kind : {dnn::Kind::EngineConfig, dnn::Kind::EngineHeuristics, dnn::Kind::ExecutionPlan,
                                 dnn::Kind::OperationGraph, dnn::Kind::VariantPack}) {
        dnn::Descriptor made = nullptr;
        QCOMPARE(api.descCreate(kind, &made), dnn::kSuccess);
        QCOMPARE(api.descDestroy(made), dnn::kSuccess);
    }
    QCOMPARE(api.descDestroy(norm), dnn::kSuccess);
    QCOMPARE(api.descDestroy(tensor), dnn::kSuccess);
}

QTEST_GUILESS_MAIN(TestVendorGraphHeaders)
#include "tst_vendor_graph_headers.moc"
