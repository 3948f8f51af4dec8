// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/cuda/gate.h"

#include <chrono>

namespace ridge::gpu::cuda {

namespace {

constexpr unsigned kHostPortable = 1, kHostMapped = 2; // CU_MEMHOSTALLOC_…
constexpr unsigned kGreaterOrEqual = 0;                // CU_STREAM_WAIT_VALUE_GEQ, cyclic
constexpr std::chrono::milliseconds kLook{20};

std::int64_t nanoseconds()
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

} // namespace

std::unique_ptr<Gate> Gate::make(const Driver& driver)
{
    const HostEntries& host = driver.host;
    if (host.streamWaitValue == nullptr || host.hostAllocate == nullptr || host.hostFree == nullptr ||
        host.hostDevicePointer == nullptr)
        return nullptr;
    void* memory = nullptr;
    if (host.hostAllocate(&memory, sizeof(std::uint32_t), kHostPortable | kHostMapped) != kCuSuccess)
        return nullptr;
    CuPointer address = 0;
    if (host.hostDevicePointer(&address, memory, 0) != kCuSuccess) {
        host.hostFree(memory);
        return nullptr;
    }
    return std::unique_ptr<Gate>(new Gate(driver, static_cast<std::uint32_t*>(memory), address));
}

Gate::Gate(const Driver& driver, std::uint32_t* word, CuPointer address)
    : m_driver(driver), m_memory(word), m_word(word), m_address(address)
{
    *word = 0;
    m_watch = std::thread([this] { watch(); });
}

Gate::~Gate()
{
    open();
    m_ending = true;
    m_watch.join();
    if (m_word != nullptr)
        m_driver.host.hostFree(m_memory);
}

bool Gate::close(CuStream stream)
{
    if (m_refused || m_word == nullptr)
        return false;
    // A new number each time: the word only grows, so that no wait can meet an older state of it.
    ++m_ticket;
    m_forced = false;
    m_closedAt = nanoseconds();
    if (m_driver.host.streamWaitValue(stream, m_address, m_ticket, kGreaterOrEqual) == kCuSuccess)
        return true;
    m_refused = true;
    open();
    return false;
}

void Gate::open()
{
    std::atomic_ref<std::uint32_t>(*m_memory).store(m_ticket, std::memory_order_seq_cst);
    m_closedAt = 0;
}

void Gate::watch()
{
    while (!m_ending) {
        const std::int64_t closedAt = m_closedAt;
        if (closedAt != 0 && static_cast<double>(nanoseconds() - closedAt) > kMostSeconds * 1e9) {
            m_forced = true;
            // The ticket may move on only while the gate is open, and it is closed.
            std::atomic_ref<std::uint32_t>(*m_memory).store(m_ticket, std::memory_order_seq_cst);
        }
        std::this_thread::sleep_for(kLook);
    }
}

} // namespace ridge::gpu::cuda
