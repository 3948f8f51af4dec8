// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/cuda/vendor_call.h"
#include "gpu/cuda/vendor_dnn.h"
#include "gpu/cuda/vendor_libraries.h"
#include "gpu/cuda/vendor_reference.h"

#include <map>

namespace ridge::gpu::cuda {

namespace {

constexpr std::uint64_t kMostWorkspace = std::uint64_t{64} << 20;
constexpr std::int64_t kMostConfigs = 16; // of each kind of heuristics
constexpr std::int64_t kAlignment = 16;   // of every buffer of an experiment, at least
constexpr const char* kFix = "take another size, another cuDNN (RIDGE_LIBCUDNN), or set reference=none";

/// Names of the tensors in a graph and in its variant packs.
enum TensorId : std::int64_t { kX = 1, kWeights, kBiases, kY, kEpsilon };

/// What of the way to a norm went wrong, in cuDNN's own words.
struct Failure {
    dnn::Status status = dnn::kSuccess;
    const char* doing = "";
};

/// A descriptor that goes with its scope.
class Descriptor {
public:
    Descriptor() = default;
    Descriptor(const dnn::Entries& api, dnn::Kind kind) : m_api(&api), m_status(api.descCreate(kind, &m_it)) {}
    Descriptor(Descriptor&& other) noexcept { swap(other); }
    Descriptor& operator=(Descriptor&& other) noexcept
    {
        swap(other);
        return *this;
    }
    ~Descriptor()
    {
        if (m_it != nullptr)
            m_api->descDestroy(m_it);
    }
    dnn::Descriptor get() const { return m_it; }
    dnn::Status status() const { return m_status; } ///< of the first call that failed
    template<class Value>
    void set(dnn::Attribute name, dnn::Type type, std::span<const Value> values)
    {
        if (m_status == dnn::kSuccess)
            m_status = m_api->set(m_it, name, type, static_cast<std::int64_t>(values.size()), values.data());
    }
    template<class Value>
    void set(dnn::Attribute name, dnn::Type type, const Value& value)
    {
        set(name, type, std::span(&value, 1));
    }
    dnn::Status finalise()
    {
        if (m_status == dnn::kSuccess)
            m_status = m_api->finalise(m_it);
        return m_status;
    }

private:
    void swap(Descriptor& other)
    {
        std::swap(m_api, other.m_api);
        std::swap(m_it, other.m_it);
        std::swap(m_status, other.m_status);
    }
    const dnn::Entries* m_api = nullptr;
    dnn::Descriptor m_it = nullptr;
    dnn::Status m_status = dnn::kSuccess;
};

/// cuDNN with a handle on the session's stream, and a norm as its graph of one operation; shared by its plans.
class NormGraph {
public:
    static Result<std::shared_ptr<NormGraph>> make(std::shared_ptr<Session> session, const RowNorm& norm)
    {
        auto opened = openVendorLibrary("cudnn");
        if (!opened)
            return opened.error();
        std::shared_ptr<NormGraph> made(new NormGraph(std::move(session), norm, opened->facts));
        const char* missing = dnn::missingEntry(opened->library, made->m_api);
        if (missing != nullptr || std::atoi(opened->facts.version.c_str()) < 9)
            return Error{"no-reference",
                         made->m_title + " is too old for norms" +
                             (missing != nullptr ? std::string(": it has no entry point ") + missing : ""),
                         opened->facts.path, "install cuDNN 9, or set reference=none"};
        if (const Failure failure = made->describe(); failure.status != dnn::kSuccess)
            return made->failed(failure);
        return made;
    }
    ~NormGraph()
    {
        m_graph = Descriptor();
        m_operation = Descriptor();
        m_tensors.clear();
        if (m_handle != nullptr)
            m_api.destroy(m_handle);
    }
    NormGraph(const NormGraph&) = delete;
    NormGraph& operator=(const NormGraph&) = delete;

    Session& session() const { return *m_session; }
    const dnn::Entries& api() const { return m_api; }
    dnn::Handle handle() const { return m_handle; }
    const std::string& title() const { return m_title; }
    const RowNorm& norm() const { return m_norm; }

    /// "cuDNN 9.28.1 cannot …: status and last words". Fatal statuses of the driver show in the next call of it.
    Error failed(const Failure& failure) const
    {
        std::array<char, 512> words{};
        m_api.lastError(words.data(), words.size() - 1);
        const char* name = m_api.statusText(failure.status);
        std::string message = m_title + " cannot " + failure.doing + ": " + (name != nullptr ? name : "status") + " (" +
                              std::to_string(failure.status) + ")";
        if (words[0] != '\0')
            message += std::string(", ") + words.data();
        return Error{"no-reference", message, m_session->place(), kFix};
    }

    /// Engines that the heuristics name, the most promising first, then those that always should do.
    std::vector<Descriptor> configs() const
    {
        std::vector<Descriptor> all;
        for (const int mode : {dnn::kHeuristicsA, dnn::kHeuristicsFallback}) {
            Descriptor heuristics(m_api, dnn::Kind::EngineHeuristics);
            heuristics.set(dnn::Attribute::HeuristicsGraph, dnn::Type::Descriptor, m_graph.get());
            heuristics.set(dnn::Attribute::HeuristicsMode, dnn::Type::HeuristicMode, mode);
            std::int64_t count = 0;
            if (heuristics.finalise() != dnn::kSuccess ||
                m_api.get(heuristics.get(), dnn::Attribute::HeuristicsResults, dnn::Type::Descriptor, 0, &count,
                          nullptr) != dnn::kSuccess)
                continue;
            std::vector<Descriptor> found;
            std::vector<dnn::Descriptor> bare;
            for (std::int64_t i = 0; i < std::min(count, kMostConfigs); ++i)
                bare.push_back(found.emplace_back(m_api, dnn::Kind::EngineConfig).get());
            const auto wanted = static_cast<std::int64_t>(bare.size());
            if (wanted == 0 || m_api.get(heuristics.get(), dnn::Attribute::HeuristicsResults, dnn::Type::Descriptor,
                                         wanted, &count, bare.data()) != dnn::kSuccess)
                continue;
            found.resize(static_cast<std::size_t>(std::clamp<std::int64_t>(count, 0, wanted)));
            std::move(found.begin(), found.end(), std::back_inserter(all));
        }
        return all;
    }

private:
    NormGraph(std::shared_ptr<Session> session, const RowNorm& norm, const VendorLibrary& facts)
        : m_session(std::move(session)), m_norm(norm), m_title(facts.title + " " + facts.version)
    {
    }

    /// Four dimensions, as cuDNN wants them, of which two are used; the second is the one without gaps.
    Descriptor tensor(TensorId id, std::uint64_t rows, std::uint64_t columns) const
    {
        const auto count = static_cast<std::int64_t>(columns);
        const std::int64_t name = id;
        const std::int64_t alignment = id == kEpsilon ? std::int64_t{sizeof(float)} : kAlignment;
        const std::int64_t sizes[] = {static_cast<std::int64_t>(rows), count, 1, 1};
        const std::int64_t strides[] = {count, 1, count, count};
        Descriptor made(m_api, dnn::Kind::Tensor);
        made.set(dnn::Attribute::TensorUniqueId, dnn::Type::Int64, name);
        made.set(dnn::Attribute::TensorDataType, dnn::Type::DataType, id == kEpsilon ? dnn::kFloat : dnn::kBfloat16);
        made.set(dnn::Attribute::TensorAlignment, dnn::Type::Int64, alignment);
        made.set(dnn::Attribute::TensorDimensions, dnn::Type::Int64, std::span<const std::int64_t>(sizes));
        made.set(dnn::Attribute::TensorStrides, dnn::Type::Int64, std::span<const std::int64_t>(strides));
        if (id == kEpsilon)
            made.set(dnn::Attribute::TensorByValue, dnn::Type::Boolean, true);
        made.finalise();
        return made;
    }

    Failure describe()
    {
        if (const dnn::Status status = m_api.create(&m_handle); status != dnn::kSuccess) {
            m_handle = nullptr;
            return {status, "be started"};
        }
        if (const dnn::Status status = m_api.setStream(m_handle, m_session->stream()); status != dnn::kSuccess)
            return {status, "take a stream"};
        m_operation = Descriptor(m_api, dnn::Kind::NormForward);
        m_operation.set(dnn::Attribute::NormMode, dnn::Type::NormMode, m_norm.layer ? dnn::kLayerNorm : dnn::kRmsNorm);
        m_operation.set(dnn::Attribute::NormPhase, dnn::Type::NormPhase, dnn::kInference);
        const std::uint64_t rows = m_norm.rows, columns = m_norm.columns;
        const auto add = [&](dnn::Attribute as, TensorId id, std::uint64_t tensorRows, std::uint64_t tensorColumns) {
            const Descriptor& made = m_tensors.emplace_back(tensor(id, tensorRows, tensorColumns));
            m_operation.set(as, dnn::Type::Descriptor, made.get());
            return made.status();
        };
        dnn::Status status = add(dnn::Attribute::NormX, kX, rows, columns);
        const auto next = [&](const auto& step) { status = status == dnn::kSuccess ? step() : status; };
        next([&] { return add(dnn::Attribute::NormScale, kWeights, 1, columns); });
        if (m_norm.layer)
            next([&] { return add(dnn::Attribute::NormBias, kBiases, 1, columns); });
        next([&] { return add(dnn::Attribute::NormEpsilon, kEpsilon, 1, 1); });
        next([&] { return add(dnn::Attribute::NormY, kY, rows, columns); });
        if (status != dnn::kSuccess)
            return {status, "describe these rows"};
        if (status = m_operation.finalise(); status != dnn::kSuccess)
            return {status, "describe this norm"};
        m_graph = Descriptor(m_api, dnn::Kind::OperationGraph);
        m_graph.set(dnn::Attribute::GraphHandle, dnn::Type::Handle, m_handle);
        m_graph.set(dnn::Attribute::GraphOperations, dnn::Type::Descriptor, m_operation.get());
        return {m_graph.finalise(), "make a graph of this norm"};
    }

    std::shared_ptr<Session> m_session;
    RowNorm m_norm;
    std::string m_title;
    dnn::Entries m_api;
    dnn::Handle m_handle = nullptr;
    std::vector<Descriptor> m_tensors;
    Descriptor m_operation, m_graph;
};

/// An engine, ready to run.
class NormPlan final : public Reference {
public:
    NormPlan(std::shared_ptr<Session> session, std::string name, std::shared_ptr<const NormGraph> graph,
             Descriptor config, Descriptor plan, std::shared_ptr<const Workspace> workspace)
        : Reference(std::move(session), std::move(name)), m_graph(std::move(graph)), m_config(std::move(config)),
          m_plan(std::move(plan)), m_workspace(std::move(workspace))
    {
    }
    Result<void> enqueue(const Launch& launch) const override
    {
        auto pointers = pointersOf(launch, m_graph->norm().layer ? 4 : 3);
        if (!pointers)
            return pointers.error();
        auto known = m_packs.find(*pointers);
        if (known == m_packs.end()) {
            auto made = pack(*pointers);
            if (!made)
                return made.error();
            known = m_packs.emplace(std::move(*pointers), std::move(*made)).first;
        }
        if (const dnn::Status status = m_graph->api().execute(m_graph->handle(), m_plan.get(), known->second.get());
            status != dnn::kSuccess)
            return m_graph->failed({status, "run its plan"});
        return {};
    }

private:
    /// The pointer to epsilon is one of the host's.
    Result<Descriptor> pack(const std::vector<CuPointer>& pointers) const
    {
        const RowNorm& norm = m_graph->norm();
        std::vector<std::int64_t> ids{kX, kWeights, kY};
        if (norm.layer)
            ids.insert(ids.begin() + 2, kBiases);
        std::vector<const void*> data;
        for (const CuPointer pointer : pointers)
            data.push_back(reinterpret_cast<const void*>(pointer));
        ids.push_back(kEpsilon);
        data.push_back(&norm.epsilon);
        Descriptor made(m_graph->api(), dnn::Kind::VariantPack);
        made.set(dnn::Attribute::PackUniqueIds, dnn::Type::Int64, std::span<const std::int64_t>(ids));
        made.set(dnn::Attribute::PackPointers, dnn::Type::Pointer, std::span<const void* const>(data));
        made.set(dnn::Attribute::PackWorkspace, dnn::Type::Pointer, m_workspace->memory());
        if (const dnn::Status status = made.finalise(); status != dnn::kSuccess)
            return m_graph->failed({status, "take these buffers"});
        return made;
    }

    std::shared_ptr<const NormGraph> m_graph;
    Descriptor m_config, m_plan;
    std::shared_ptr<const Workspace> m_workspace;
    mutable std::map<std::vector<CuPointer>, Descriptor> m_packs; // making one takes as long as a short launch
};

} // namespace

Result<std::unique_ptr<LoadedProgram>> vendorNorm(std::shared_ptr<Session> session, const RowNorm& norm)
{
    const auto graph = NormGraph::make(session, norm);
    if (!graph)
        return graph.error();
    std::optional<Error> why;
    auto workspace = std::make_shared<Workspace>(session);
    std::int64_t most = 0;
    std::vector<std::unique_ptr<Reference>> ways;
    auto configs = (*graph)->configs();
    for (std::size_t i = 0; i < configs.size(); ++i) {
        const dnn::Entries& api = (*graph)->api();
        Descriptor plan(api, dnn::Kind::ExecutionPlan);
        plan.set(dnn::Attribute::PlanHandle, dnn::Type::Handle, (*graph)->handle());
        plan.set(dnn::Attribute::PlanEngineConfig, dnn::Type::Descriptor, configs[i].get());
        std::int64_t bytes = 0, count = 0;
        dnn::Status status = plan.finalise();
        if (status == dnn::kSuccess)
            status = api.get(plan.get(), dnn::Attribute::PlanWorkspaceBytes, dnn::Type::Int64, 1, &count, &bytes);
        if (status != dnn::kSuccess) {
            why = (*graph)->failed({status, "make a plan of this norm"}); // another engine may be able to
            continue;
        }
        if (bytes < 0 || static_cast<std::uint64_t>(bytes) > kMostWorkspace)
            continue;
        most = std::max(most, bytes);
        ways.push_back(std::make_unique<NormPlan>(
            session, (*graph)->title() + ", engine " + std::to_string(i + 1) + " of " + std::to_string(configs.size()),
            *graph, std::move(configs[i]), std::move(plan), workspace));
    }
    if (most > 0)
        if (auto allocated = workspace->allocate(static_cast<std::uint64_t>(most)); !allocated)
            return allocated.error();
    Launch launch{"", {}, {}, 0, {norm.x, norm.weights}};
    if (norm.layer)
        launch.args.emplace_back(norm.biases);
    launch.args.emplace_back(norm.y);
    const Error none{"no-reference", (*graph)->title() + " knows no engine for this norm on " + session->facts().name,
                     session->place(), kFix};
    return fastestOf(*session, std::move(ways), launch, std::move(why), none);
}

} // namespace ridge::gpu::cuda
