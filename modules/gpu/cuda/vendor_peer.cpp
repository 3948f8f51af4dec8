// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/cuda/library.h"
#include "gpu/cuda/peer.h"
#include "gpu/cuda/vendor_call.h"
#include "gpu/cuda/vendor_libraries.h"
#include "gpu/cuda/vendor_nccl.h"
#include "gpu/cuda/vendor_reference.h"

namespace ridge::gpu::cuda {

namespace nccl {

const char* missingEntry(const Library& library, Entries& api)
{
    EntryFinder find(library);
    find("ncclCommInitAll", api.initAll);
    find("ncclCommDestroy", api.destroy);
    find("ncclGroupStart", api.groupStart);
    find("ncclGroupEnd", api.groupEnd);
    find("ncclSend", api.send);
    find("ncclRecv", api.receive);
    find("ncclAllReduce", api.allReduce);
    find("ncclGetErrorString", api.statusText);
    findEntry(library, "ncclGetLastError", api.lastError);
    return find.missing();
}

} // namespace nccl

namespace {

constexpr unsigned kWithoutTiming = 2; // CU_EVENT_DISABLE_TIMING
constexpr unsigned kNonBlocking = 1;   // CU_STREAM_NON_BLOCKING
constexpr const char* kFix = "'NCCL_DEBUG=WARN' makes NCCL say more; or set reference=none";

/// NCCL over the session's GPU and the next one: a communicator each, and a stream there that follows the session's.
class NcclPair {
public:
    static Result<std::shared_ptr<NcclPair>> make(std::shared_ptr<Session> session, const CudaPeerMemory& there)
    {
        auto opened = openVendorLibrary("nccl");
        if (!opened)
            return opened.error();
        std::shared_ptr<NcclPair> made(new NcclPair(std::move(session), opened->facts));
        if (const char* missing = nccl::missingEntry(opened->library, made->m_api); missing != nullptr)
            return Error{"no-reference",
                         made->m_title + " cannot be used: it has no entry point " + missing + ", too old",
                         opened->facts.path, "install NCCL 2.7 or newer, or set reference=none"};
        if (auto opening = made->open(there); !opening)
            return opening.error();
        return made;
    }
    ~NcclPair()
    {
        // Communicators of a device that stands still would be waited for without end.
        if (!m_session->usable().ok())
            return;
        for (const nccl::Comm comm : m_comms)
            if (comm != nullptr)
                m_api.destroy(comm);
        const Driver& driver = m_session->driver();
        driver.contextSetCurrent(m_session->context());
        for (const CuEvent event : {m_begin, m_end})
            if (event != nullptr)
                driver.eventDestroy(event);
        if (m_stream != nullptr)
            driver.streamDestroy(m_stream);
    }
    NcclPair(const NcclPair&) = delete;
    NcclPair& operator=(const NcclPair&) = delete;

    const std::string& title() const { return m_title; }

    /// Both sides of `calls` as one group, so that the session's stream goes on when both are done and the other GPU's
    /// begins when the session's has come there. `calls` gets the entries, the communicators and the streams.
    template<class Calls>
    Result<void> group(const char* doing, Calls calls) const
    {
        const Driver& driver = m_session->driver();
        const CuStream here = m_session->stream();
        CuResult code = driver.eventRecord(m_begin, here);
        if (code == kCuSuccess)
            code = driver.host.streamWaitEvent(m_stream, m_begin, 0);
        if (code != kCuSuccess)
            return m_session->failed(code, "the other GPU's stream cannot follow");
        std::optional<Error> error; // in the words of the call that failed
        const auto see = [&](nccl::Status status) {
            if (status != nccl::kSuccess && !error)
                error = failed(status, doing);
        };
        see(m_api.groupStart());
        if (!error) {
            see(calls(m_api, m_comms, std::array<CuStream, 2>{here, m_stream}));
            see(m_api.groupEnd());
        }
        code = driver.contextSetCurrent(m_context);
        if (code == kCuSuccess)
            code = driver.eventRecord(m_end, m_stream);
        const CuResult back = driver.contextSetCurrent(m_session->context());
        code = code != kCuSuccess ? code : back;
        if (code == kCuSuccess)
            code = driver.host.streamWaitEvent(here, m_end, 0);
        if (error)
            return *error;
        if (code != kCuSuccess)
            return m_session->failed(code, "the other GPU's stream cannot be waited for");
        return {};
    }

private:
    NcclPair(std::shared_ptr<Session> session, const VendorLibrary& facts)
        : m_session(std::move(session)), m_title(facts.title + " " + facts.version)
    {
    }

    Error failed(nccl::Status status, const std::string& doing) const
    {
        const char* text = m_api.statusText(status);
        std::string message = m_title + " cannot " + doing + ": " + (text != nullptr ? text : "status") + " (" +
                              std::to_string(status) + ")";
        const char* words = m_api.lastError != nullptr ? m_api.lastError(m_comms[0]) : nullptr;
        if (words != nullptr && *words != '\0')
            message += std::string(", ") + words;
        return Error{"no-reference", message, m_session->place(), kFix};
    }

    Result<void> open(const CudaPeerMemory& there)
    {
        const Driver& driver = m_session->driver();
        if (driver.host.streamWaitEvent == nullptr)
            return Error{"no-reference", "the NVIDIA driver has no entry point cuStreamWaitEvent", driver.path,
                         "install driver 340 or newer"};
        m_context = there.context();
        const int devices[] = {m_session->facts().index, there.index()};
        const nccl::Status status = m_api.initAll(m_comms.data(), 2, devices);
        CuResult code = driver.contextSetCurrent(m_context); // whatever NCCL left
        if (code == kCuSuccess && status == nccl::kSuccess)
            code = driver.streamCreate(&m_stream, kNonBlocking);
        if (code == kCuSuccess && status == nccl::kSuccess)
            code = driver.eventCreate(&m_end, kWithoutTiming);
        const CuResult back = driver.contextSetCurrent(m_session->context());
        code = code != kCuSuccess ? code : back;
        if (status != nccl::kSuccess) {
            m_comms = {};
            return failed(status, "join " + m_session->place() + " and " + there.owner());
        }
        if (code == kCuSuccess)
            code = driver.eventCreate(&m_begin, kWithoutTiming);
        if (code != kCuSuccess)
            return m_session->failed(code, "NCCL's stream cannot be made");
        return {};
    }

    std::shared_ptr<Session> m_session;
    std::string m_title;
    nccl::Entries m_api;
    std::array<nccl::Comm, 2> m_comms{};
    CuContext m_context = nullptr;
    CuStream m_stream = nullptr;
    CuEvent m_begin = nullptr, m_end = nullptr;
};

/// The driver's copy to the other GPU.
class DriverPeerCopy final : public Reference {
public:
    DriverPeerCopy(std::shared_ptr<Session> session, std::uint64_t bytes, CuContext there)
        : Reference(std::move(session), "cuMemcpyPeerAsync"), m_bytes(bytes), m_there(there)
    {
    }
    Result<void> enqueue(const Launch& launch) const override
    {
        const auto pointers = pointersOf(launch, 2);
        if (!pointers)
            return pointers.error();
        const CuResult code = m_session->driver().peer.copyAsync((*pointers)[0], m_there, (*pointers)[1],
                                                                 m_session->context(), m_bytes, m_session->stream());
        if (code != kCuSuccess)
            return m_session->failed(code, "the driver's copy to the other GPU cannot be queued");
        return {};
    }

private:
    std::uint64_t m_bytes;
    CuContext m_there;
};

class NcclCopy final : public Reference {
public:
    NcclCopy(std::shared_ptr<Session> session, std::shared_ptr<const NcclPair> pair, std::uint64_t bytes)
        : Reference(std::move(session), pair->title() + ", send and receive"), m_pair(std::move(pair)), m_bytes(bytes)
    {
    }
    Result<void> enqueue(const Launch& launch) const override
    {
        const auto pointers = pointersOf(launch, 2);
        if (!pointers)
            return pointers.error();
        auto* to = reinterpret_cast<void*>((*pointers)[0]);
        const auto* from = reinterpret_cast<const void*>((*pointers)[1]);
        return m_pair->group("send", [&](const nccl::Entries& api, const auto& comms, const auto& streams) {
            const nccl::Status sent = api.send(from, m_bytes, nccl::kUint8, 1, comms[0], streams[0]);
            return sent != nccl::kSuccess ? sent : api.receive(to, m_bytes, nccl::kUint8, 0, comms[1], streams[1]);
        });
    }

private:
    std::shared_ptr<const NcclPair> m_pair;
    std::uint64_t m_bytes;
};

class NcclSum final : public Reference {
public:
    NcclSum(std::shared_ptr<Session> session, std::shared_ptr<const NcclPair> pair, std::uint64_t elements)
        : Reference(std::move(session), pair->title() + ", all-reduce"), m_pair(std::move(pair)), m_elements(elements)
    {
    }
    Result<void> enqueue(const Launch& launch) const override
    {
        const auto pointers = pointersOf(launch, 4);
        if (!pointers)
            return pointers.error();
        return m_pair->group("add up", [&](const nccl::Entries& api, const auto& comms, const auto& streams) {
            nccl::Status status = nccl::kSuccess;
            for (std::size_t side = 0; side < 2 && status == nccl::kSuccess; ++side)
                status = api.allReduce(reinterpret_cast<const void*>((*pointers)[2 * side + 1]),
                                       reinterpret_cast<void*>((*pointers)[2 * side]), m_elements, nccl::kFloat32,
                                       nccl::kSum, comms[side], streams[side]);
            return status;
        });
    }

private:
    std::shared_ptr<const NcclPair> m_pair;
    std::uint64_t m_elements;
};

/// Memory of this session's peer that holds so much. Errors: "bad-launch".
Result<const CudaPeerMemory*> peerOf(const Session& session, const PeerMemory* memory, std::uint64_t bytes)
{
    const auto* own = dynamic_cast<const CudaPeerMemory*>(memory);
    if (own == nullptr || own->session() != &session || own->bytes() < bytes)
        return Error{"bad-launch",
                     "a reference between GPUs needs " + std::to_string(bytes) + " B of this device's peer memory",
                     session.place(), "pass what allocatePeer() gave, as large as the copy"};
    return own;
}

} // namespace

Result<std::unique_ptr<LoadedProgram>> peerCopy(std::shared_ptr<Session> session, const PeerCopy& copy)
{
    const auto there = peerOf(*session, copy.memory, copy.bytes);
    if (!there)
        return there.error();
    if (copy.by == PeerCopy::By::Driver)
        return std::unique_ptr<LoadedProgram>(
            std::make_unique<DriverPeerCopy>(std::move(session), copy.bytes, (*there)->context()));
    auto pair = NcclPair::make(session, **there);
    if (!pair)
        return pair.error();
    return std::unique_ptr<LoadedProgram>(std::make_unique<NcclCopy>(std::move(session), *pair, copy.bytes));
}

Result<std::unique_ptr<LoadedProgram>> peerSum(std::shared_ptr<Session> session, const PeerSum& sum)
{
    const auto there = peerOf(*session, sum.sum, sum.elements * sizeof(float));
    const auto addends = peerOf(*session, sum.addends, sum.elements * sizeof(float));
    if (!there || !addends)
        return there ? addends.error() : there.error();
    auto pair = NcclPair::make(session, **there);
    if (!pair)
        return pair.error();
    return std::unique_ptr<LoadedProgram>(std::make_unique<NcclSum>(std::move(session), *pair, sum.elements));
}

} // namespace ridge::gpu::cuda
