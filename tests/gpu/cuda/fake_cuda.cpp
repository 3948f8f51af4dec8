// SPDX-License-Identifier: GPL-3.0-or-later
// A stand-in for libcuda: device memory is host memory, some kernels really run, and time passes on a time line of its
// own: a launch takes kernel_us, an event is ready when the wall clock has reached it. Built a second time with
// OLD_DRIVER as a driver without graphs, gates and prefetch.
//
// $RIDGE_FAKE_CUDA: init, devices, major, minor, mode, alloc, hostalloc, load, cubin (code of loading machine code),
// launch, fault (code of the query after a
// launch), kernel_us, enqueue_us (CPU time of a launch call), copy_gbs, copy_us, wobble (relative), skew (factor on
// event times), hang=1 (no event is ever ready), driver, nogate=1 (a stream cannot wait for a word), fail_gated=1
// (launches fail behind a closed gate), capture (code of what is captured), lost=1 (everything fails: the GPU fell off
// the bus), wrong=1 (kernels leave out their last thread).
#include "fake_contexts.h"
#include "fake_kernels.h"
#include "fake_module.h"
#include "fake_settings.h"
#include "fake_tables.h"
#include "fake_timeline.h"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

using fake::Event;
using fake::Graph;
using fake::Item;
using fake::nowSeconds;
using fake::Stream;
using fake::streamOf;

double setting(const char* key, double fallback = 0)
{
    return fakeSetting("RIDGE_FAKE_CUDA", key, fallback);
}

int code(const char* key)
{
    return static_cast<int>(setting(key));
}

int g_pendingFault = 0;
unsigned g_launches = 0;
int g_allowedShared = 0;
std::map<std::uint64_t, void*> g_memory;
std::map<std::uint64_t, std::uint64_t> g_pinned; // begin -> bytes; managed memory, too
// Owned here and kept to the end, as a driver keeps what a closed device never gives back.
std::list<Event> g_events;
std::list<std::string> g_modules;
std::set<std::string> g_functions;

constexpr std::size_t kStaged = 64 << 10;
std::pair<std::uint64_t, std::vector<std::byte>> g_staged; // where to, what

void landStaged()
{
    if (!g_staged.second.empty())
        std::memcpy(reinterpret_cast<void*>(g_staged.first), g_staged.second.data(), g_staged.second.size());
    g_staged.second.clear();
}

bool isPinned(const void* memory)
{
    const auto address = reinterpret_cast<std::uint64_t>(memory);
    auto it = g_pinned.upper_bound(address);
    return it != g_pinned.begin() && address - std::prev(it)->first < std::prev(it)->second;
}

} // namespace

#define FAKE extern "C" __attribute__((visibility("default")))

#include "fake_names.h"
#include "fake_tensor_map.h"

FAKE int cuInit(unsigned)
{
    for (Stream& stream : fake::streams())
        stream = Stream{};
    for (int engine = 0; engine < 3; ++engine)
        fake::engines()[engine] = 0;
    g_pendingFault = 0;
    g_launches = 0;
    g_allowedShared = 0;
    return code("init");
}

FAKE int cuDriverGetVersion(int* version)
{
    *version = static_cast<int>(setting("driver", 13000));
    return 0;
}

FAKE int cuGetErrorName(int result, const char** name)
{
    const auto& names = fake::errorNames();
    const auto it = names.find(result);
    *name = it == names.end() ? nullptr : it->second;
    return it == names.end() ? 1 : 0;
}

FAKE int cuDeviceGetCount(int* count)
{
    *count = static_cast<int>(setting("devices", 1));
    return 0;
}

FAKE int cuDeviceGet(int* device, int ordinal)
{
    *device = ordinal;
    return 0;
}

FAKE int cuDeviceTotalMem_v2(std::size_t* bytes, int)
{
    *bytes = std::size_t{143771} << 20;
    return 0;
}

FAKE int cuDeviceGetAttribute(int* value, int attribute, int)
{
    if (attribute == 75)
        *value = static_cast<int>(setting("major", 9));
    else if (attribute == 76)
        *value = static_cast<int>(setting("minor", 0));
    else if (attribute == 20)
        *value = code("mode");
    else if (const auto it = fake::attributes().find(attribute); it != fake::attributes().end())
        *value = it->second;
    else
        return 1;
    return 0;
}

FAKE int cuDevicePrimaryCtxRetain(fake::Context** context, int device)
{
    *context = fake::contextOf(device);
    return code("context");
}

FAKE int cuDevicePrimaryCtxRelease_v2(int)
{
    return 0;
}

FAKE int cuCtxSetCurrent(fake::Context* context)
{
    fake::currentContext() = context;
    return 0;
}

FAKE int cuModuleLoadDataEx(void** module, const void* image, unsigned count, int* options, void** values)
{
    if (const std::string elf = fake::machineCode(image); !elf.empty()) {
        if (const int result = code("cubin"); result != 0)
            return result;
        *module = &g_modules.emplace_back(elf);
        return 0;
    }
    const int result = code("load");
    for (unsigned i = 0; i + 1 < count; ++i)
        if (options[i] == 5 && options[i + 1] == 6 && result != 0)
            std::strncpy(static_cast<char*>(values[i]), "ptxas application ptx input, line 7; error: Unknown symbol",
                         reinterpret_cast<std::size_t>(values[i + 1]));
    if (result == 0)
        *module = &g_modules.emplace_back(static_cast<const char*>(image));
    return result;
}

FAKE int cuModuleUnload(void*)
{
    return 0;
}

FAKE int cuModuleGetFunction(void** function, void* module, const char* name)
{
    const std::string& code = *static_cast<std::string*>(module);
    const std::string section = std::string(".text.") + name + '\0';
    if (code.find(std::string(".entry ") + name) == std::string::npos && code.find(section) == std::string::npos)
        return 500;
    fake::noteCall(std::string("function ") + name);
    *function = const_cast<char*>(g_functions.insert(name).first->c_str());
    return 0;
}

FAKE int cuFuncGetAttribute(int* value, int attribute, void*)
{
    *value = attribute == 0 ? static_cast<int>(setting("kernel_threads", 1024)) : attribute == 1 ? 1024 : 32;
    return 0;
}

FAKE int cuFuncSetAttribute(void*, int attribute, int value)
{
    if (attribute == 8)
        g_allowedShared = value;
    return 0;
}

FAKE int cuMemGetInfo_v2(std::size_t* freeBytes, std::size_t* totalBytes)
{
    *freeBytes = 12345;
    *totalBytes = std::size_t{143771} << 20;
    return 0;
}

FAKE int cuMemAlloc_v2(std::uint64_t* pointer, std::size_t bytes)
{
    if (const int result = code("alloc"); result != 0)
        return result;
    void* memory = std::aligned_alloc(512, (bytes + 511) / 512 * 512); // as aligned as real device memory
    *pointer = reinterpret_cast<std::uint64_t>(memory);
    g_memory[*pointer] = memory;
    fake::allocations()[*pointer] = {bytes, fake::currentContext()};
    return memory == nullptr ? 2 : 0;
}

FAKE int cuMemFree_v2(std::uint64_t pointer)
{
    const auto it = g_memory.find(pointer);
    if (it == g_memory.end())
        return 1;
    landStaged();
    std::free(it->second);
    g_memory.erase(it);
    fake::allocations().erase(pointer);
    return 0;
}

/// As a real driver: the last of pageable memory is still in a staging buffer when the call returns.
FAKE int cuMemcpyHtoD_v2(std::uint64_t to, const void* from, std::size_t bytes)
{
    landStaged();
    const std::size_t late = std::min<std::size_t>(bytes, kStaged);
    const auto* source = static_cast<const std::byte*>(from);
    std::memcpy(reinterpret_cast<void*>(to), source, bytes - late);
    g_staged = {to + bytes - late, {source + bytes - late, source + bytes}};
    return 0;
}

FAKE int cuStreamSynchronize(void* stream)
{
    if (stream == nullptr)
        landStaged();
    return 0;
}

FAKE int cuMemcpyDtoH_v2(void* to, std::uint64_t from, std::size_t bytes)
{
    landStaged();
    std::memcpy(to, reinterpret_cast<const void*>(from), bytes);
    return 0;
}

FAKE int cuStreamCreate(void** stream, unsigned)
{
    *stream = &fake::streams().emplace_back();
    fake::streamOwners()[*stream] = fake::currentContext();
    return 0;
}

FAKE int cuStreamDestroy_v2(void* stream)
{
    fake::resolve();
    fake::streams().remove_if([stream](const Stream& one) { return &one == stream && one.queue.empty(); });
    return 0;
}

FAKE int cuEventCreate(Event** event, unsigned)
{
    *event = &g_events.emplace_back();
    return 0;
}

FAKE int cuEventDestroy_v2(Event*)
{
    return 0;
}

FAKE int cuEventRecord(Event* event, void* at)
{
    Stream& stream = streamOf(at);
    if (stream.capture != nullptr) {
        stream.capture->nodes.emplace_back([event, at] { return cuEventRecord(event, at); });
        event->fault = -1; // marks the capture: who waits for it joins
        return 0;
    }
    event->fault = g_pendingFault;
    ++event->recorded;
    fake::add(stream, {Item::Kind::Record, 0, 0, 0, event, 0, nullptr, 0});
    return 0;
}

FAKE int cuEventQuery(const Event* event)
{
    fake::resolve();
    if (code("lost") != 0)
        return code("lost");
    if (code("hang") != 0)
        return 600;
    if (event->fault > 0)
        return event->fault;
    return event->resolved == event->recorded && nowSeconds() >= event->at ? 0 : 600;
}

FAKE int cuEventElapsedTime(float* milliseconds, const Event* from, const Event* to)
{
    if (from->resolved == 0 || to->resolved == 0)
        return 400;
    *milliseconds = static_cast<float>((to->at - from->at) * 1e3 * setting("skew", 1));
    return 0;
}

FAKE int cuMemHostAlloc(void** memory, std::size_t bytes, unsigned)
{
    if (const int result = code("hostalloc"); result != 0)
        return result;
    *memory = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    g_pinned[reinterpret_cast<std::uint64_t>(*memory)] = bytes;
    return 0;
}

FAKE int cuMemFreeHost(void* memory)
{
    if (g_pinned.erase(reinterpret_cast<std::uint64_t>(memory)) == 0)
        return 1;
    std::free(memory);
    return 0;
}

FAKE int cuMemHostGetDevicePointer_v2(std::uint64_t* pointer, void* memory, unsigned)
{
    *pointer = reinterpret_cast<std::uint64_t>(memory);
    return 0;
}

FAKE int cuStreamWaitEvent(void* at, Event* event, unsigned)
{
    Stream& stream = streamOf(at);
    if (event->fault == -1 && stream.capture == nullptr)
        for (const Stream& other : fake::streams())
            if (other.capture != nullptr)
                stream.capture = other.capture;
    if (stream.capture != nullptr) {
        stream.capture->nodes.emplace_back([event, at] { return cuStreamWaitEvent(at, event, 0); });
        return 0;
    }
    fake::add(stream, {Item::Kind::Wait, 0, 0, 0, event, event->recorded, nullptr, 0});
    return 0;
}

/// A copy between host and device; of pageable memory it keeps the caller.
static int copy(void* to, const void* from, std::size_t bytes, void* at, int engine, const void* host)
{
    if (const int result = code("lost"); result != 0)
        return result;
    Stream& stream = streamOf(at);
    if (stream.capture != nullptr) {
        stream.capture->nodes.emplace_back([=] { return copy(to, from, bytes, at, engine, host); });
        return code("capture");
    }
    const bool waits = host != nullptr && !isPinned(host);
    if (waits)
        fake::drain(stream);
    std::memcpy(to, from, bytes);
    const double seconds = setting("copy_us") * 1e-6 + static_cast<double>(bytes) / (setting("copy_gbs", 25) * 1e9);
    fake::add(stream, {Item::Kind::Work, 0, seconds, engine, nullptr, 0, nullptr, 0});
    if (waits)
        fake::drain(stream);
    return 0;
}

FAKE int cuMemcpyHtoDAsync_v2(std::uint64_t to, const void* from, std::size_t bytes, void* stream)
{
    return copy(reinterpret_cast<void*>(to), from, bytes, stream, 0, from);
}

FAKE int cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t bytes, void* stream)
{
    return copy(to, reinterpret_cast<const void*>(from), bytes, stream, 1, to);
}

FAKE int cuMemcpyDtoDAsync_v2(std::uint64_t to, std::uint64_t from, std::size_t bytes, void* stream)
{
    return copy(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes, stream, 2, nullptr);
}

#ifndef OLD_DRIVER
FAKE int cuMemAllocManaged(std::uint64_t* pointer, std::size_t bytes, unsigned flags)
{
    if (const int result = code("hostalloc"); result != 0 || flags != 1)
        return result != 0 ? result : 1;
    void* memory = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    *pointer = reinterpret_cast<std::uint64_t>(memory);
    g_memory[*pointer] = memory;
    g_pinned[*pointer] = bytes;
    return 0;
}

FAKE int cuMemPrefetchAsync(std::uint64_t pointer, std::size_t bytes, int device, void* stream)
{
    auto* memory = reinterpret_cast<void*>(pointer);
    return isPinned(memory) ? copy(memory, memory, bytes, stream, device < 0 ? 1 : 0, nullptr) : 1;
}

FAKE int cuStreamWaitValue32_v2(void* stream, std::uint64_t word, std::uint32_t value, unsigned flags)
{
    if (code("nogate") != 0 || flags != 0)
        return 801;
    fake::add(streamOf(stream),
              {Item::Kind::Gate, 0, 0, 0, nullptr, 0, reinterpret_cast<const volatile std::uint32_t*>(word), value});
    return 0;
}

FAKE int cuEventRecordWithFlags(Event* event, void* at, unsigned)
{
    const int fault = event->fault;
    const int result = cuEventRecord(event, at);
    if (event->fault == -1)
        event->fault = fault; // external: nobody joins a capture by it
    return result;
}
#endif

struct FakeConfig {
    unsigned grid[3], block[3], sharedBytes;
    void* stream;
    const unsigned* attributes;
    unsigned attributeCount;
};

static int launch(void* function, unsigned blocks, unsigned blockX, unsigned sharedBytes, void* stream,
                  void** arguments);

/// As the driver: the grid must be a multiple of the cluster, which has the identifier 4.
FAKE int cuLaunchKernelEx(const FakeConfig* config, void* function, void** arguments, void**)
{
    if (config->attributeCount != 1 || config->attributes[0] != 4 || config->grid[0] % config->attributes[2] != 0)
        return 1;
    return launch(function, config->grid[0] * config->grid[1], config->block[0], config->sharedBytes, config->stream,
                  arguments);
}

FAKE int cuLaunchKernel(void* function, unsigned gridX, unsigned gridY, unsigned, unsigned blockX, unsigned, unsigned,
                        unsigned sharedBytes, void* stream, void** arguments, void**)
{
    fake::spin(setting("enqueue_us") * 1e-6);
    return launch(function, gridX * gridY, blockX, sharedBytes, stream, arguments);
}

static int execute(const std::function<void()>& work, void* stream)
{
    if (const int result = code("lost"); result != 0)
        return result;
    g_pendingFault = code("fault");
    const double wobble = setting("wobble") * (g_launches++ % 2 == 0 ? 1 : -1);
    const double seconds = setting("kernel_us", 10) * 1e-6 * (1 + wobble);
    fake::add(streamOf(stream), {Item::Kind::Work, 0, seconds, 2, nullptr, 0, nullptr, 0});
    if (g_pendingFault == 0)
        work();
    return 0;
}

static int launch(void* function, unsigned blocks, unsigned blockX, unsigned sharedBytes, void* stream,
                  void** arguments)
{
    if (const int result = code("launch"); result != 0)
        return result;
    const auto& queue = streamOf(stream).queue;
    if (code("fail_gated") != 0 && queue.size() > 20 && queue.front().kind == Item::Kind::Gate)
        return 1;
    if (sharedBytes > 48128 && static_cast<int>(sharedBytes) > g_allowedShared)
        return 701;
    auto work = fake::workOf(static_cast<const char*>(function), std::uint64_t{blocks} * blockX, arguments,
                             [] { return code("wrong") != 0; });
    if (Graph* graph = streamOf(stream).capture; graph != nullptr) {
        graph->nodes.emplace_back([work = std::move(work), stream] { return execute(work, stream); });
        return 0;
    }
    return execute(work, stream);
}
