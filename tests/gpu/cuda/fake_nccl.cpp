// SPDX-License-Identifier: GPL-3.0-or-later
// A stand-in for NCCL: sends, receives and adds up in the memory of the stand-in for libcuda, when a group ends, if
// both sides are there, fit together, and memory and streams are their devices'. As NCCL, it may leave another device
// current.
//
// $RIDGE_FAKE_NCCL: version, init, send, receive, sum, group (statuses), send_us, receive_us, sum_us (time on each
// side), wrong=1 (the last byte is).
#include "fake_above.h"
#include "fake_settings.h"

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace {

constexpr int kInvalidArgument = 4, kInvalidUsage = 5;

struct Comm {
    int device = 0, rank = 0, count = 0;
};

struct Call {
    enum class Kind { Send, Receive, Sum };
    Kind kind = Kind::Send;
    const Comm* comm = nullptr;
    const std::uint8_t* from = nullptr;
    std::uint8_t* to = nullptr;
    std::size_t count = 0;
    int peer = 0;
    void* stream = nullptr;
};

int g_live = 0;
int g_depth = 0;
std::string g_words;
std::vector<Call> g_calls;

int setting(const char* key, int fallback = 0)
{
    return static_cast<int>(fakeSetting("RIDGE_FAKE_NCCL", key, fallback));
}

int fails(int status, const char* words)
{
    g_words = std::string("stand-in: ") + words;
    return status;
}

int stage(const char* name)
{
    return setting(name) == 0 ? 0 : fails(setting(name), name);
}

bool fits(const Call& call)
{
    const std::size_t bytes = call.count * (call.kind == Call::Kind::Sum ? sizeof(float) : 1);
    const int device = call.comm->device;
    return fake::streamOn(device, call.stream) && (call.from == nullptr || fake::ownedBy(device, call.from, bytes)) &&
           (call.to == nullptr || fake::ownedBy(device, call.to, bytes));
}

int queue(const Call& call, const char* name)
{
    if (const int status = stage(name); status != 0)
        return status;
    if (g_depth != 1)
        return fails(kInvalidUsage, "outside a group, one thread would wait for itself");
    if (!fits(call))
        return fails(kInvalidArgument, "memory or a stream of another device");
    g_calls.push_back(call);
    return 0;
}

int carryOut(const Call& a, const Call& b)
{
    const bool wrong = setting("wrong") != 0;
    if (a.kind == Call::Kind::Send && b.kind == Call::Kind::Receive && a.count == b.count && a.peer == b.comm->rank &&
        b.peer == a.comm->rank) {
        std::memcpy(b.to, a.from, a.count);
        b.to[a.count - 1] ^= wrong ? 1 : 0;
        fake::takeTime(a.stream, setting("send_us", 20));
        fake::takeTime(b.stream, setting("receive_us", 20));
        return 0;
    }
    if (a.kind != Call::Kind::Sum || b.kind != Call::Kind::Sum || a.count != b.count || a.comm->rank == b.comm->rank)
        return fails(kInvalidUsage, "the two sides do not fit together");
    for (std::size_t i = 0; i < a.count; ++i) {
        float here = 0, there = 0;
        std::memcpy(&here, a.from + 4 * i, 4);
        std::memcpy(&there, b.from + 4 * i, 4);
        here += there + (wrong && i + 1 == a.count ? 1.0f : 0.0f);
        std::memcpy(a.to + 4 * i, &here, 4);
        std::memcpy(b.to + 4 * i, &here, 4);
    }
    fake::takeTime(a.stream, setting("sum_us", 20));
    fake::takeTime(b.stream, setting("sum_us", 20));
    return 0;
}

} // namespace

#define FAKE extern "C" __attribute__((visibility("default")))

/// Communicators that are there.
FAKE int fakeNcclLive()
{
    return g_live;
}

FAKE int ncclGetVersion(int* version)
{
    *version = setting("version", 22703);
    return 0;
}

FAKE int ncclCommInitAll(Comm** comms, int count, const int* devices)
{
    if (const int status = stage("init"); status != 0)
        return status;
    if (count != 2 || devices[0] == devices[1])
        return fails(kInvalidArgument, "devices");
    for (int rank = 0; rank < count; ++rank) {
        comms[rank] = new Comm{devices[rank], rank, count};
        ++g_live;
    }
    void* elsewhere = nullptr;
    fake::ofDriver<int (*)(void**, int)>("cuDevicePrimaryCtxRetain")(&elsewhere, devices[1]);
    return fake::ofDriver<int (*)(void*)>("cuCtxSetCurrent")(elsewhere);
}

FAKE int ncclCommDestroy(Comm* comm)
{
    delete comm;
    --g_live;
    return 0;
}

FAKE int ncclGroupStart()
{
    ++g_depth;
    return 0;
}

FAKE int ncclGroupEnd()
{
    --g_depth;
    const auto calls = std::move(g_calls);
    g_calls.clear();
    if (const int status = stage("group"); status != 0)
        return status;
    if (calls.empty())
        return 0;
    return calls.size() == 2 ? carryOut(calls[0], calls[1]) : fails(kInvalidUsage, "a side is missing");
}

FAKE int ncclSend(const std::uint8_t* from, std::size_t count, int type, int peer, const Comm* comm, void* stream)
{
    return type == 1 ? queue({Call::Kind::Send, comm, from, nullptr, count, peer, stream}, "send")
                     : fails(kInvalidArgument, "type");
}

FAKE int ncclRecv(std::uint8_t* to, std::size_t count, int type, int peer, const Comm* comm, void* stream)
{
    return type == 1 ? queue({Call::Kind::Receive, comm, nullptr, to, count, peer, stream}, "receive")
                     : fails(kInvalidArgument, "type");
}

FAKE int ncclAllReduce(const std::uint8_t* from, std::uint8_t* to, std::size_t count, int type, int operation,
                       const Comm* comm, void* stream)
{
    return type == 7 && operation == 0 ? queue({Call::Kind::Sum, comm, from, to, count, 0, stream}, "sum")
                                       : fails(kInvalidArgument, "type or operation");
}

FAKE const char* ncclGetErrorString(int status)
{
    return status == kInvalidUsage ? "invalid usage" : status == 2 ? "unhandled system error" : "invalid argument";
}

FAKE const char* ncclGetLastError(const Comm*)
{
    return g_words.c_str();
}
