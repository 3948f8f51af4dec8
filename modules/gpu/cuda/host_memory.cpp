// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/cuda/host_memory.h"

#include <cstdlib>

namespace ridge::gpu::cuda {

namespace {

constexpr unsigned kHostPortable = 1, kHostMapped = 2, kHostWriteCombined = 4; // CU_MEMHOSTALLOC_…
constexpr unsigned kAttachGlobal = 1;                                          // CU_MEM_ATTACH_GLOBAL
constexpr std::size_t kPage = 4096;

class CudaHostMemory final : public HostMemory {
public:
    CudaHostMemory(std::shared_ptr<Session> session, HostKind kind, std::string_view label)
        : HostMemory(kind, std::string(label)), m_session(std::move(session))
    {
    }
    ~CudaHostMemory() override
    {
        if (m_bytes.data() == nullptr)
            return;
        if (m_kind == HostKind::Pageable)
            std::free(m_bytes.data());
        else if (!m_session->usable().ok())
            return; // a lost device keeps what it has
        else if (m_kind == HostKind::Managed)
            m_session->driver().memoryFree(m_device.address);
        else
            m_session->driver().host.hostFree(m_bytes.data());
    }
    CudaHostMemory(const CudaHostMemory&) = delete;
    CudaHostMemory& operator=(const CudaHostMemory&) = delete;

    Result<void> allocate(std::uint64_t bytes)
    {
        const HostEntries& host = m_session->driver().host;
        void* memory = nullptr;
        CuResult code = kCuSuccess;
        if (m_kind == HostKind::Pageable) {
            memory = std::aligned_alloc(kPage, (bytes + kPage - 1) / kPage * kPage);
            if (memory == nullptr)
                return Error{"out-of-memory", words(bytes) + ": this computer has not that much memory left",
                             m_session->place(), "use a smaller size"};
        } else if (m_kind == HostKind::Managed) {
            if (host.managedAllocate == nullptr)
                return lacksEntry(*m_session, "cuMemAllocManaged", words(bytes), "340");
            CuPointer address = 0;
            code = host.managedAllocate(&address, bytes, kAttachGlobal);
            memory = reinterpret_cast<void*>(address);
            m_device = DevicePtr{address};
        } else {
            if (host.hostAllocate == nullptr || host.hostFree == nullptr)
                return lacksEntry(*m_session, "cuMemHostAlloc", words(bytes), "340");
            const unsigned combined = m_kind == HostKind::WriteCombined ? kHostWriteCombined : 0;
            code = host.hostAllocate(&memory, bytes, kHostPortable | kHostMapped | combined);
        }
        if (code != kCuSuccess) {
            Error error = m_session->failed(code, words(bytes));
            if (error.code == "out-of-memory" && m_kind != HostKind::Managed) {
                error.message = words(bytes) + ": this computer cannot lock that much memory";
                error.fix = "use a smaller size, or pageable memory (ulimit -l shows the bound, where there is one)";
            }
            return error;
        }
        m_bytes = std::span(static_cast<std::byte*>(memory), bytes);
        return {};
    }

private:
    std::string words(std::uint64_t bytes) const
    {
        return std::string(toText(m_kind)) + " host memory '" + m_label + "' of " + std::to_string(bytes) +
               " B cannot be allocated";
    }

    std::shared_ptr<Session> m_session;
};

} // namespace

Error lacksEntry(const Session& session, const char* symbol, const std::string& doing, const char* driver)
{
    return Error{"driver-too-old", doing + ": the NVIDIA driver has no entry point " + symbol, session.driver().path,
                 std::string("install driver ") + driver + " or newer"};
}

Result<std::unique_ptr<HostMemory>> allocateHostMemory(std::shared_ptr<Session> session, std::uint64_t bytes,
                                                       HostKind kind, std::string_view label)
{
    if (const Result<void> usable = session->usable(); !usable.ok())
        return usable.error();
    if (bytes == 0)
        return Error{"bad-allocation", "host memory of 0 bytes was asked for", std::string(label),
                     "ask for at least one byte"};
    auto memory = std::make_unique<CudaHostMemory>(std::move(session), kind, label);
    if (auto got = memory->allocate(bytes); !got)
        return got.error();
    return std::unique_ptr<HostMemory>(std::move(memory));
}

} // namespace ridge::gpu::cuda
