// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/cuda/vendor_reference.h"

#include "gpu/cuda/vendor_blas.h"
#include "gpu/cuda/vendor_call.h"
#include "gpu/cuda/vendor_libraries.h"

#include <limits>

namespace ridge::gpu::cuda {

namespace {

constexpr std::uint64_t kWorkspaceBytes = std::uint64_t{64} << 20;
constexpr int kMostAlgorithms = 16;
constexpr float kOne = 1, kZero = 0;

/// One way to do a product, and what it takes to call it.
class ProductCall {
public:
    virtual ~ProductCall() = default;
    ProductCall() = default;
    ProductCall(const ProductCall&) = delete;
    ProductCall& operator=(const ProductCall&) = delete;
    virtual std::string name() const = 0;
    virtual blas::Status call(CuPointer a, CuPointer b, CuPointer c) const = 0;
};

struct Types {
    int in, out, compute;
};

/// FP32 as the CUDA cores add it: pedantic, so that no tensor core rounds the factors.
Types typesOf(const MatrixProduct& product)
{
    const auto type = [](MatrixFormat format) {
        switch (format) {
        case MatrixFormat::Fp16:
            return blas::kR16F;
        case MatrixFormat::Bf16:
            return blas::kR16BF;
        case MatrixFormat::E4m3:
            return blas::kR8FE4M3;
        default:
            return blas::kR32F;
        }
    };
    const int compute = product.in == MatrixFormat::Fp32   ? blas::kCompute32FPedantic
                        : product.in == MatrixFormat::Tf32 ? blas::kCompute32FFastTf32
                                                           : blas::kCompute32F;
    return {type(product.in), type(product.out), compute};
}

// These libraries count columns first. Row by row, C is their Cᵀ = Bᵀ·Aᵀ, an n × m matrix; B column by column is their
// k × n matrix, to be transposed, and A row by row is their k × m matrix Aᵀ as it stands.

class BlasCall final : public ProductCall {
public:
    static Result<std::shared_ptr<BlasCall>> make(const Session& session, std::shared_ptr<Workspace> workspace,
                                                  const MatrixProduct& product)
    {
        auto opened = openVendorLibrary("cublas");
        if (!opened)
            return opened.error();
        const Error unfit{"no-reference", opened->facts.title + " " + opened->facts.version + " cannot be used",
                          opened->facts.path, "install another version, or unset RIDGE_LIBCUBLAS"};
        if (std::max({product.m, product.n, product.k}) > std::numeric_limits<int>::max())
            return unfit;
        std::shared_ptr<BlasCall> made(new BlasCall);
        blas::BlasEntries& api = made->m_api;
        const Library& library = opened->library;
        if (!findEntry(library, "cublasCreate_v2", api.create) ||
            !findEntry(library, "cublasDestroy_v2", api.destroy) ||
            !findEntry(library, "cublasSetStream_v2", api.setStream) ||
            !findEntry(library, "cublasSetMathMode", api.setMathMode) ||
            !findEntry(library, "cublasSetWorkspace_v2", api.setWorkspace) ||
            !findEntry(library, "cublasGemmEx", api.gemmEx) || api.create(&made->m_handle) != blas::kSuccess)
            return unfit;
        made->m_ready = true;
        made->m_name = opened->facts.title + " " + opened->facts.version + ", its own choice";
        made->m_product = product;
        made->m_workspace = std::move(workspace);
        if (api.setStream(made->m_handle, session.stream()) != blas::kSuccess ||
            api.setWorkspace(made->m_handle, made->m_workspace->memory(), kWorkspaceBytes) != blas::kSuccess ||
            api.setMathMode(made->m_handle, blas::kMathDisallowReducedReduction) != blas::kSuccess)
            return unfit;
        return made;
    }
    ~BlasCall() override
    {
        if (m_ready)
            m_api.destroy(m_handle);
    }
    std::string name() const override { return m_name; }
    blas::Status call(CuPointer a, CuPointer b, CuPointer c) const override
    {
        const Types types = typesOf(m_product);
        const int m = static_cast<int>(m_product.m), n = static_cast<int>(m_product.n),
                  k = static_cast<int>(m_product.k);
        return m_api.gemmEx(m_handle, blas::kTransposed, blas::kNormal, n, m, k, &kOne,
                            reinterpret_cast<const void*>(b), types.in, k, reinterpret_cast<const void*>(a), types.in,
                            k, &kZero, reinterpret_cast<void*>(c), types.out, n, types.compute, blas::kGemmDefault);
    }

private:
    BlasCall() = default;
    blas::BlasEntries m_api;
    blas::Handle m_handle = nullptr;
    bool m_ready = false;
    std::string m_name;
    MatrixProduct m_product;
    std::shared_ptr<Workspace> m_workspace;
};

/// A product as cuBLASLt describes it; shared by its algorithms.
class LtProduct {
public:
    static Result<std::shared_ptr<LtProduct>> make(std::shared_ptr<Session> session,
                                                   std::shared_ptr<Workspace> workspace, const MatrixProduct& product)
    {
        auto opened = openVendorLibrary("cublaslt");
        if (!opened)
            return opened.error();
        std::shared_ptr<LtProduct> made(new LtProduct(std::move(session), std::move(workspace), *opened));
        if (const blas::Status status =
                blas::findEntries(opened->library, made->m_api) ? made->describe(product) : blas::kNotSupported;
            status != blas::kSuccess)
            return Error{"no-reference",
                         made->m_title + " cannot describe this product (status " + std::to_string(status) + ")",
                         opened->facts.path, "install another version, or unset RIDGE_LIBCUBLASLT"};
        return made;
    }
    ~LtProduct()
    {
        if (m_preference != nullptr)
            m_api.preferenceDestroy(m_preference);
        for (blas::Layout layout : {m_layoutA, m_layoutB, m_layoutC})
            if (layout != nullptr)
                m_api.layoutDestroy(layout);
        if (m_desc != nullptr)
            m_api.descDestroy(m_desc);
        if (m_handle != nullptr)
            m_api.destroy(m_handle);
    }
    LtProduct(const LtProduct&) = delete;
    LtProduct& operator=(const LtProduct&) = delete;

    const std::string& title() const { return m_title; }
    /// Those that the heuristic names, the most promising first.
    std::vector<blas::Heuristic> algorithms() const
    {
        std::vector<blas::Heuristic> all(kMostAlgorithms);
        int found = 0;
        if (m_api.heuristics(m_handle, m_desc, m_layoutA, m_layoutB, m_layoutC, m_layoutC, m_preference,
                             kMostAlgorithms, all.data(), &found) != blas::kSuccess)
            found = 0;
        all.resize(static_cast<std::size_t>(std::clamp(found, 0, kMostAlgorithms)));
        std::erase_if(all, [](const blas::Heuristic& one) {
            return one.state != blas::kSuccess || one.workspaceBytes > kWorkspaceBytes;
        });
        return all;
    }
    blas::Status call(const blas::Heuristic& with, CuPointer a, CuPointer b, CuPointer c) const
    {
        auto* to = reinterpret_cast<void*>(c);
        return m_api.multiply(m_handle, m_desc, &kOne, reinterpret_cast<const void*>(b), m_layoutA,
                              reinterpret_cast<const void*>(a), m_layoutB, &kZero, to, m_layoutC, to, m_layoutC,
                              &with.algorithm, m_workspace->memory(), kWorkspaceBytes, m_session->stream());
    }

private:
    LtProduct(std::shared_ptr<Session> session, std::shared_ptr<Workspace> workspace, const OpenVendorLibrary& opened)
        : m_session(std::move(session)), m_workspace(std::move(workspace)),
          m_title(opened.facts.title + " " + opened.facts.version)
    {
    }
    blas::Status describe(const MatrixProduct& product)
    {
        const Types types = typesOf(product);
        const auto m = product.m, n = product.n, k = product.k;
        const std::int32_t transposed = blas::kTransposed, normal = blas::kNormal;
        const std::uint32_t reduction = blas::kReduceInPlace | blas::kReduceComputeType;
        blas::Status status = m_api.create(&m_handle);
        const auto next = [&](const auto& step) { status = status == blas::kSuccess ? step() : status; };
        next([&] { return m_api.descCreate(&m_desc, types.compute, blas::kR32F); });
        next([&] { return m_api.descSet(m_desc, blas::kDescTransposeA, &transposed, sizeof transposed); });
        next([&] { return m_api.descSet(m_desc, blas::kDescTransposeB, &normal, sizeof normal); });
        next([&] { return m_api.layoutCreate(&m_layoutA, types.in, k, n, static_cast<std::int64_t>(k)); });
        next([&] { return m_api.layoutCreate(&m_layoutB, types.in, k, m, static_cast<std::int64_t>(k)); });
        next([&] { return m_api.layoutCreate(&m_layoutC, types.out, n, m, static_cast<std::int64_t>(n)); });
        next([&] { return m_api.preferenceCreate(&m_preference); });
        next([&] {
            return m_api.preferenceSet(m_preference, blas::kPreferWorkspaceBytes, &kWorkspaceBytes,
                                       sizeof kWorkspaceBytes);
        });
        next([&] {
            return m_api.preferenceSet(m_preference, blas::kPreferReductionMask, &reduction, sizeof reduction);
        });
        return status;
    }

    std::shared_ptr<Session> m_session;
    std::shared_ptr<Workspace> m_workspace;
    std::string m_title;
    blas::LtEntries m_api;
    blas::Handle m_handle = nullptr;
    blas::Descriptor m_desc = nullptr;
    blas::Layout m_layoutA = nullptr, m_layoutB = nullptr, m_layoutC = nullptr;
    blas::Preference m_preference = nullptr;
};

class LtCall final : public ProductCall {
public:
    LtCall(std::shared_ptr<const LtProduct> product, const blas::Heuristic& with, std::size_t index, std::size_t count)
        : m_product(std::move(product)), m_with(with),
          m_name(m_product->title() + ", algorithm " + std::to_string(index + 1) + " of " + std::to_string(count))
    {
    }
    std::string name() const override { return m_name; }
    blas::Status call(CuPointer a, CuPointer b, CuPointer c) const override { return m_product->call(m_with, a, b, c); }

private:
    std::shared_ptr<const LtProduct> m_product;
    blas::Heuristic m_with;
    std::string m_name;
};

class ProductReference final : public Reference {
public:
    ProductReference(std::shared_ptr<Session> session, std::shared_ptr<const ProductCall> call)
        : Reference(std::move(session), call->name()), m_call(std::move(call))
    {
    }
    Result<void> enqueue(const Launch& launch) const override
    {
        const auto pointers = pointersOf(launch, 3);
        if (!pointers)
            return pointers.error();
        if (const blas::Status status = m_call->call((*pointers)[0], (*pointers)[1], (*pointers)[2]);
            status != blas::kSuccess)
            return Error{"no-reference", m_program.name + " cannot do it (status " + std::to_string(status) + ")",
                         m_session->place(), "measure without it: unset its variable, or remove the library"};
        return {};
    }

private:
    std::shared_ptr<const ProductCall> m_call;
};

class CopyReference final : public Reference {
public:
    CopyReference(std::shared_ptr<Session> session, std::uint64_t bytes)
        : Reference(std::move(session), "cuMemcpyDtoDAsync"), m_bytes(bytes)
    {
    }
    Result<void> enqueue(const Launch& launch) const override
    {
        const auto pointers = pointersOf(launch, 2);
        if (!pointers)
            return pointers.error();
        const CuResult code =
            m_session->driver().host.copyWithinAsync((*pointers)[0], (*pointers)[1], m_bytes, m_session->stream());
        if (code != kCuSuccess)
            return m_session->failed(code, "the driver's copy cannot be queued");
        return {};
    }

private:
    std::uint64_t m_bytes;
};

} // namespace

Result<std::unique_ptr<LoadedProgram>> vendorProduct(std::shared_ptr<Session> session, const MatrixProduct& product)
{
    auto workspace = std::make_shared<Workspace>(session);
    if (auto allocated = workspace->allocate(kWorkspaceBytes); !allocated)
        return allocated.error();
    std::vector<std::shared_ptr<const ProductCall>> calls;
    std::optional<Error> why;
    auto lt = LtProduct::make(session, workspace, product);
    if (lt) {
        const auto found = (*lt)->algorithms();
        for (std::size_t i = 0; i < found.size(); ++i)
            calls.push_back(std::make_shared<LtCall>(*lt, found[i], i, found.size()));
    } else {
        why = lt.error();
    }
    if (auto own = BlasCall::make(*session, workspace, product))
        calls.push_back(*own);
    else if (!why)
        why = own.error();
    std::vector<std::unique_ptr<Reference>> ways;
    for (const auto& call : calls)
        ways.push_back(std::make_unique<ProductReference>(session, call));
    const Launch launch{"", {}, {}, 0, {product.a, product.b, product.c}};
    const Error none =
        !lt ? lt.error()
            : Error{"no-reference", (*lt)->title() + " knows no algorithm for this product on " + session->facts().name,
                    session->place(), "take another precision or size, or a newer cuBLAS"};
    return fastestOf(*session, std::move(ways), launch, std::move(why), none);
}

Result<std::unique_ptr<LoadedProgram>> driverCopy(std::shared_ptr<Session> session, const DeviceCopy& copy)
{
    if (session->driver().host.copyWithinAsync == nullptr)
        return Error{"no-reference", "the NVIDIA driver has no entry point cuMemcpyDtoDAsync_v2",
                     session->driver().path, "install driver 340 or newer"};
    return std::unique_ptr<LoadedProgram>(std::make_unique<CopyReference>(std::move(session), copy.bytes));
}

} // namespace ridge::gpu::cuda
