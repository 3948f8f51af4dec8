// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/cuda/peer.h"

#include "base/target_kind.h"
#include "gpu/cuda/host_memory.h"

namespace ridge::gpu::cuda {

namespace {

constexpr CuResult kAlreadyEnabled = 704; // CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED

} // namespace

Result<std::unique_ptr<PeerMemory>> CudaPeerMemory::allocate(std::shared_ptr<Session> session, std::uint64_t bytes,
                                                             std::string_view label)
{
    if (const Result<void> usable = session->usable(); !usable.ok())
        return usable.error();
    const Driver& driver = session->driver();
    int count = 0;
    if (const CuResult code = driver.deviceCount(&count); code != kCuSuccess)
        return session->failed(code, "the GPUs cannot be counted");
    if (count < 2)
        return Error{"no-peer", "a transfer between GPUs needs two, and the driver shows one", session->place(),
                     "take another direction; if this machine has two, see whether CUDA_VISIBLE_DEVICES hides one"};
    if (driver.peer.canAccess == nullptr || driver.peer.enable == nullptr || driver.peer.copyAsync == nullptr)
        return lacksEntry(*session, "cuDeviceCanAccessPeer", "a transfer between GPUs cannot run", "340");
    std::unique_ptr<CudaPeerMemory> memory(new CudaPeerMemory(session));
    if (auto opened = memory->open((session->facts().index + 1) % count, bytes, label); !opened)
        return opened.error();
    return std::unique_ptr<PeerMemory>(std::move(memory));
}

Result<void> CudaPeerMemory::open(int index, std::uint64_t bytes, std::string_view label)
{
    const Driver& driver = m_session->driver();
    std::array<char, 256> name{};
    int can = 0;
    m_index = index;
    CuResult code = driver.deviceGet(&m_device, index);
    if (code == kCuSuccess)
        code = driver.deviceName(name.data(), static_cast<int>(name.size()) - 1, m_device);
    if (code == kCuSuccess)
        code = driver.peer.canAccess(&can, m_session->facts().handle, m_device);
    m_owner = gpuTarget(index) + ", " + name.data();
    if (code != kCuSuccess)
        return m_session->failed(code, m_owner + " cannot be asked");
    if (can == 0)
        return Error{"no-peer", m_session->place() + " has no direct way to " + m_owner, m_session->place(),
                     "'nvidia-smi topo -p2p r' says why: GeForce cards have none, and an IOMMU or ACS can forbid it"};
    CuContext context = nullptr;
    if (code = driver.primaryRetain(&context, m_device); code != kCuSuccess)
        return m_session->failed(code, "a context cannot be made on " + m_owner);
    m_context = context;
    code = driver.peer.enable(m_context, 0);
    m_enabled = code == kCuSuccess;
    if (code != kCuSuccess && code != kAlreadyEnabled)
        return m_session->failed(code, m_owner + " cannot be made reachable");
    code = there([&] { return driver.memoryAllocate(&m_address, std::max<std::uint64_t>(bytes, 1)); });
    if (code != kCuSuccess)
        return m_session->failed(code, "buffer '" + std::string(label) + "' of " + std::to_string(bytes) +
                                           " B cannot be allocated on " + m_owner);
    m_bytes = bytes;
    return {};
}

CudaPeerMemory::~CudaPeerMemory()
{
    if (m_context == nullptr || !m_session->usable().ok())
        return;
    const Driver& driver = m_session->driver();
    if (m_address != 0)
        there([&] { return driver.memoryFree(m_address); });
    if (m_enabled && driver.peer.disable != nullptr)
        driver.peer.disable(m_context);
    driver.primaryRelease(m_device);
}

CuResult CudaPeerMemory::there(const std::function<CuResult()>& work) const
{
    const Driver& driver = m_session->driver();
    if (const CuResult code = driver.contextSetCurrent(m_context); code != kCuSuccess)
        return code;
    const CuResult code = work();
    const CuResult back = driver.contextSetCurrent(m_session->context());
    return code != kCuSuccess ? code : back;
}

Result<void> CudaPeerMemory::within(std::uint64_t offset, std::uint64_t bytes) const
{
    if (const Result<void> usable = m_session->usable(); !usable.ok())
        return usable;
    if (offset <= m_bytes && bytes <= m_bytes - offset)
        return {};
    return Error{"out-of-bounds",
                 "a copy of " + std::to_string(bytes) + " B at offset " + std::to_string(offset) +
                     " leaves the buffer of " + std::to_string(m_bytes) + " B on " + m_owner,
                 m_session->place(), "copy no more than the buffer holds"};
}

Result<void> CudaPeerMemory::write(std::span<const std::byte> from, std::uint64_t offset)
{
    if (auto inside = within(offset, from.size()); !inside)
        return inside;
    if (const CuResult code =
            there([&] { return copyToDevice(m_session->driver(), m_address + offset, from.data(), from.size()); });
        code != kCuSuccess)
        return m_session->failed(code, "data cannot be copied to " + m_owner);
    return {};
}

Result<void> CudaPeerMemory::read(std::span<std::byte> to, std::uint64_t offset) const
{
    if (auto inside = within(offset, to.size()); !inside)
        return inside;
    if (const CuResult code =
            there([&] { return m_session->driver().copyToHost(to.data(), m_address + offset, to.size()); });
        code != kCuSuccess)
        return m_session->failed(code, "data cannot be copied from " + m_owner);
    return {};
}

} // namespace ridge::gpu::cuda
