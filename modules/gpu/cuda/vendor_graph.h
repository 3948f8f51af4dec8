// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/cuda/vendor_call.h"
#include "gpu/cuda/vendor_dnn.h"

#include <deque>

namespace ridge::gpu::cuda {

struct VendorLibrary;

/// A descriptor of cuDNN that goes with its scope.
class DnnDescriptor {
public:
    DnnDescriptor() = default;
    DnnDescriptor(const dnn::Entries& api, dnn::Kind kind) : m_api(&api), m_status(api.descCreate(kind, &m_it)) {}
    DnnDescriptor(DnnDescriptor&& other) noexcept { swap(other); }
    DnnDescriptor& operator=(DnnDescriptor&& other) noexcept
    {
        swap(other);
        return *this;
    }
    ~DnnDescriptor()
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
    void set(dnn::Attribute name, const DnnDescriptor& part) { set(name, dnn::Type::Descriptor, part.get()); }
    dnn::Status finalise()
    {
        if (m_status == dnn::kSuccess)
            m_status = m_api->finalise(m_it);
        return m_status;
    }

private:
    void swap(DnnDescriptor& other)
    {
        std::swap(m_api, other.m_api);
        std::swap(m_it, other.m_it);
        std::swap(m_status, other.m_status);
    }
    const dnn::Entries* m_api = nullptr;
    dnn::Descriptor m_it = nullptr;
    dnn::Status m_status = dnn::kSuccess;
};

/// What of the way to a plan went wrong, in cuDNN's own words.
struct DnnFailure {
    dnn::Status status = dnn::kSuccess;
    std::string doing;
};

/// What a graph computes, for messages, and the first version of cuDNN that has it.
struct DnnWork {
    std::string one;  ///< "norm"
    std::string many; ///< "norms"
    std::array<int, 3> since{};
};

/// A tensor without gaps, its sizes from the outermost on.
struct DnnTensor {
    std::int64_t id = 0; ///< in the graph and in its variant packs
    int type = dnn::kFloat;
    std::array<std::int64_t, 4> sizes{1, 1, 1, 1};
    std::array<std::int64_t, 4> strides{1, 1, 1, 1};
    enum class In : int { Device, Host, Nowhere } in = In::Device; ///< Host: a number by value; Nowhere: never stored
};

/// cuDNN with a handle on the session's stream, and a graph of operations; shared by its plans.
class DnnGraph {
public:
    /// Errors: "no-reference", where cuDNN is not there, too old, or does not start.
    static Result<std::shared_ptr<DnnGraph>> open(std::shared_ptr<Session> session, DnnWork work);
    ~DnnGraph();
    DnnGraph(const DnnGraph&) = delete;
    DnnGraph& operator=(const DnnGraph&) = delete;

    Session& session() const { return *m_session; }
    const std::shared_ptr<Session>& owner() const { return m_session; }
    const dnn::Entries& api() const { return m_api; }
    dnn::Handle handle() const { return m_handle; }
    const std::string& title() const { return m_title; } ///< "cuDNN 9.28.1"
    const DnnWork& work() const { return m_work; }
    /// What this cuDNN must be at least. Errors: "no-reference".
    Result<void> needs(std::array<int, 3> version, const std::string& what) const;

    /// Kept as long as the graph; the address stays. The status says whether it was made.
    const DnnDescriptor& tensor(const DnnTensor& tensor);
    /// Kept as long as the graph; the address stays.
    DnnDescriptor& part(dnn::Kind kind) { return m_parts.emplace_back(m_api, kind); }
    /// Makes the graph of its one operation, which is final.
    DnnFailure close(const DnnDescriptor& operation);
    /// "cuDNN 9.28.1 cannot …: status and last words". Fatal statuses of the driver show in the next call of it.
    Error failed(const DnnFailure& failure) const;
    /// Engines that the heuristics name, the most promising first, then those that always should do.
    std::vector<DnnDescriptor> configs() const;

private:
    DnnGraph(std::shared_ptr<Session> session, DnnWork work, const VendorLibrary& facts);

    std::shared_ptr<Session> m_session;
    DnnWork m_work;
    std::string m_title, m_version, m_path;
    dnn::Entries m_api;
    dnn::Handle m_handle = nullptr;
    std::deque<DnnDescriptor> m_parts;
    DnnDescriptor m_graph;
};

/// Which tensors a plan's launches name, in their order, and numbers of the host.
struct DnnBuffers {
    std::vector<std::int64_t> ids;
    std::vector<std::pair<std::int64_t, float>> numbers;
};

/// The fastest of the engines that cuDNN's heuristics name for a graph that is closed, each tried on `launch`. Errors:
/// "no-reference", and those of fastestOf().
Result<std::unique_ptr<LoadedProgram>> fastestPlan(const std::shared_ptr<DnnGraph>& graph, DnnBuffers buffers,
                                                   const Launch& launch);

} // namespace ridge::gpu::cuda
