// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/cuda/vendor_graph.h"

#include "gpu/cuda/vendor_libraries.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace ridge::gpu::cuda {

namespace {

constexpr std::uint64_t kMostWorkspace = std::uint64_t{64} << 20;
constexpr std::int64_t kMostConfigs = 16; // of each kind of heuristics
constexpr std::int64_t kAlignment = 16;   // of every buffer of an experiment, at least
constexpr const char* kFix = "take another size, another cuDNN (RIDGE_LIBCUDNN), or set reference=none";

std::array<int, 3> numbersOf(const std::string& version)
{
    std::array<int, 3> numbers{};
    const char* at = version.data();
    const char* const end = at + version.size();
    for (int& number : numbers) {
        const auto read = std::from_chars(at, end, number);
        if (read.ec != std::errc() || read.ptr == end || *read.ptr != '.')
            break;
        at = read.ptr + 1;
    }
    return numbers;
}

/// "cuDNN 9", "cuDNN 9.13.1".
std::string nameOf(const std::array<int, 3>& version)
{
    std::string name = "cuDNN " + std::to_string(version[0]);
    if (version[1] != 0 || version[2] != 0)
        name += "." + std::to_string(version[1]) + "." + std::to_string(version[2]);
    return name;
}

/// An engine, ready to run.
class DnnPlan final : public Reference {
public:
    DnnPlan(std::string name, std::shared_ptr<const DnnGraph> graph, std::shared_ptr<const DnnBuffers> buffers,
            DnnDescriptor config, DnnDescriptor plan, std::shared_ptr<const Workspace> workspace)
        : Reference(graph->owner(), std::move(name)), m_graph(std::move(graph)), m_buffers(std::move(buffers)),
          m_config(std::move(config)), m_plan(std::move(plan)), m_workspace(std::move(workspace))
    {
    }
    Result<void> enqueue(const Launch& launch) const override
    {
        auto pointers = pointersOf(launch, m_buffers->ids.size());
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
    /// Pointers to numbers are the host's.
    Result<DnnDescriptor> pack(const std::vector<CuPointer>& pointers) const
    {
        std::vector<std::int64_t> ids = m_buffers->ids;
        std::vector<const void*> data;
        for (const CuPointer pointer : pointers)
            data.push_back(reinterpret_cast<const void*>(pointer));
        for (const auto& [id, number] : m_buffers->numbers) {
            ids.push_back(id);
            data.push_back(&number);
        }
        DnnDescriptor made(m_graph->api(), dnn::Kind::VariantPack);
        made.set(dnn::Attribute::PackUniqueIds, dnn::Type::Int64, std::span<const std::int64_t>(ids));
        made.set(dnn::Attribute::PackPointers, dnn::Type::Pointer, std::span<const void* const>(data));
        made.set(dnn::Attribute::PackWorkspace, dnn::Type::Pointer, m_workspace->memory());
        if (const dnn::Status status = made.finalise(); status != dnn::kSuccess)
            return m_graph->failed({status, "take these buffers"});
        return made;
    }

    std::shared_ptr<const DnnGraph> m_graph;
    std::shared_ptr<const DnnBuffers> m_buffers;
    DnnDescriptor m_config, m_plan;
    std::shared_ptr<const Workspace> m_workspace;
    mutable std::map<std::vector<CuPointer>, DnnDescriptor> m_packs; // making one takes as long as a short launch
};

} // namespace

DnnGraph::DnnGraph(std::shared_ptr<Session> session, DnnWork work, const VendorLibrary& facts)
    : m_session(std::move(session)), m_work(std::move(work)), m_title(facts.title + " " + facts.version),
      m_version(facts.version), m_path(facts.path)
{
}

DnnGraph::~DnnGraph()
{
    m_graph = DnnDescriptor();
    while (!m_parts.empty())
        m_parts.pop_back();
    if (m_handle != nullptr)
        m_api.destroy(m_handle);
}

Result<std::shared_ptr<DnnGraph>> DnnGraph::open(std::shared_ptr<Session> session, DnnWork work)
{
    auto opened = openVendorLibrary("cudnn");
    if (!opened)
        return opened.error();
    std::shared_ptr<DnnGraph> made(new DnnGraph(std::move(session), std::move(work), opened->facts));
    if (const char* missing = dnn::missingEntry(opened->library, made->m_api); missing != nullptr)
        return Error{"no-reference",
                     made->m_title + " is too old for " + made->m_work.many + ": it has no entry point " + missing,
                     opened->facts.path, "install " + nameOf(made->m_work.since) + ", or set reference=none"};
    if (auto isNew = made->needs(made->m_work.since, made->m_work.many); !isNew)
        return isNew.error();
    if (const dnn::Status status = made->m_api.create(&made->m_handle); status != dnn::kSuccess) {
        made->m_handle = nullptr;
        return made->failed({status, "be started"});
    }
    if (const dnn::Status status = made->m_api.setStream(made->m_handle, made->m_session->stream());
        status != dnn::kSuccess)
        return made->failed({status, "take a stream"});
    return made;
}

Result<void> DnnGraph::needs(std::array<int, 3> version, const std::string& what) const
{
    if (numbersOf(m_version) >= version)
        return {};
    return Error{"no-reference", m_title + " is too old for " + what, m_path,
                 "install " + nameOf(version) + ", or set reference=none"};
}

const DnnDescriptor& DnnGraph::tensor(const DnnTensor& tensor)
{
    const bool byValue = tensor.in == DnnTensor::In::Host;
    const std::int64_t alignment = byValue ? std::int64_t{sizeof(float)} : kAlignment;
    DnnDescriptor& made = part(dnn::Kind::Tensor);
    made.set(dnn::Attribute::TensorUniqueId, dnn::Type::Int64, tensor.id);
    made.set(dnn::Attribute::TensorDataType, dnn::Type::DataType, tensor.type);
    made.set(dnn::Attribute::TensorAlignment, dnn::Type::Int64, alignment);
    made.set(dnn::Attribute::TensorDimensions, dnn::Type::Int64, std::span<const std::int64_t>(tensor.sizes));
    made.set(dnn::Attribute::TensorStrides, dnn::Type::Int64, std::span<const std::int64_t>(tensor.strides));
    if (byValue)
        made.set(dnn::Attribute::TensorByValue, dnn::Type::Boolean, true);
    if (tensor.in == DnnTensor::In::Nowhere)
        made.set(dnn::Attribute::TensorVirtual, dnn::Type::Boolean, true);
    made.finalise();
    return made;
}

DnnFailure DnnGraph::close(const DnnDescriptor& operation)
{
    m_graph = DnnDescriptor(m_api, dnn::Kind::OperationGraph);
    m_graph.set(dnn::Attribute::GraphHandle, dnn::Type::Handle, m_handle);
    m_graph.set(dnn::Attribute::GraphOperations, operation);
    return {m_graph.finalise(), "make a graph of this " + m_work.one};
}

Error DnnGraph::failed(const DnnFailure& failure) const
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

std::vector<DnnDescriptor> DnnGraph::configs() const
{
    std::vector<DnnDescriptor> all;
    for (const int mode : {dnn::kHeuristicsA, dnn::kHeuristicsFallback}) {
        DnnDescriptor heuristics(m_api, dnn::Kind::EngineHeuristics);
        heuristics.set(dnn::Attribute::HeuristicsGraph, m_graph);
        heuristics.set(dnn::Attribute::HeuristicsMode, dnn::Type::HeuristicMode, mode);
        std::int64_t count = 0;
        if (heuristics.finalise() != dnn::kSuccess ||
            m_api.get(heuristics.get(), dnn::Attribute::HeuristicsResults, dnn::Type::Descriptor, 0, &count, nullptr) !=
                dnn::kSuccess)
            continue;
        std::vector<DnnDescriptor> found;
        std::vector<dnn::Descriptor> bare;
        for (std::int64_t i = 0; i < std::min(count, kMostConfigs); ++i)
            bare.push_back(found.emplace_back(m_api, dnn::Kind::EngineConfig).get());
        const auto wanted = static_cast<std::int64_t>(bare.size());
        if (wanted == 0 || m_api.get(heuristics.get(), dnn::Attribute::HeuristicsResults, dnn::Type::Descriptor, wanted,
                                     &count, bare.data()) != dnn::kSuccess)
            continue;
        found.resize(static_cast<std::size_t>(std::clamp<std::int64_t>(count, 0, wanted)));
        std::move(found.begin(), found.end(), std::back_inserter(all));
    }
    return all;
}

Result<std::unique_ptr<LoadedProgram>> fastestPlan(const std::shared_ptr<DnnGraph>& graph, DnnBuffers buffers,
                                                   const Launch& launch)
{
    const dnn::Entries& api = graph->api();
    const auto shared = std::make_shared<const DnnBuffers>(std::move(buffers));
    std::optional<Error> why;
    auto workspace = std::make_shared<Workspace>(graph->owner());
    std::int64_t most = 0;
    std::vector<std::unique_ptr<Reference>> ways;
    auto configs = graph->configs();
    for (std::size_t i = 0; i < configs.size(); ++i) {
        DnnDescriptor plan(api, dnn::Kind::ExecutionPlan);
        plan.set(dnn::Attribute::PlanHandle, dnn::Type::Handle, graph->handle());
        plan.set(dnn::Attribute::PlanEngineConfig, configs[i]);
        std::int64_t bytes = 0, count = 0;
        dnn::Status status = plan.finalise();
        if (status == dnn::kSuccess)
            status = api.get(plan.get(), dnn::Attribute::PlanWorkspaceBytes, dnn::Type::Int64, 1, &count, &bytes);
        if (status != dnn::kSuccess) {
            why = graph->failed({status, "make a plan of this " + graph->work().one}); // another engine may be able to
            continue;
        }
        if (bytes < 0 || static_cast<std::uint64_t>(bytes) > kMostWorkspace)
            continue;
        most = std::max(most, bytes);
        ways.push_back(std::make_unique<DnnPlan>(graph->title() + ", engine " + std::to_string(i + 1) + " of " +
                                                     std::to_string(configs.size()),
                                                 graph, shared, std::move(configs[i]), std::move(plan), workspace));
    }
    if (most > 0)
        if (auto allocated = workspace->allocate(static_cast<std::uint64_t>(most)); !allocated)
            return allocated.error();
    Session& session = graph->session();
    const Error none{"no-reference",
                     graph->title() + " knows no engine for this " + graph->work().one + " on " + session.facts().name,
                     session.place(), kFix};
    return fastestOf(session, std::move(ways), launch, std::move(why), none);
}

} // namespace ridge::gpu::cuda
