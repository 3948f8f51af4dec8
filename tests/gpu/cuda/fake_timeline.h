// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <string>
#include <vector>

#define FAKE extern "C" __attribute__((visibility("default")))

/// Streams of the stand-in for libcuda: what is queued gets its time when somebody looks. Work begins when the stream,
/// its engine and the wall clock have come there; an event is ready when the wall clock has reached it.
namespace fake {

/// Writes a call down for fakeQuietCalls().
void noteCall(const std::string& call);

inline double nowSeconds()
{
    static const auto start = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Event {
    double at = 0;
    int fault = 0;
    int recorded = 0, resolved = 0; ///< how often
};

struct Graph {
    std::vector<std::function<int()>> nodes;
};

struct Item {
    enum class Kind { Work, Record, Wait, Gate };
    Kind kind = Kind::Work;
    double queuedAt = 0;
    double seconds = 0;
    int engine = 0; ///< copies in 0, copies out 1, kernels 2: one at a time on each
    Event* event = nullptr;
    int count = 0; ///< Wait: which record of the event
    const volatile std::uint32_t* word = nullptr;
    std::uint32_t value = 0;
};

struct Stream {
    std::deque<Item> queue;
    double busyUntil = 0;
    Graph* capture = nullptr; ///< what is queued goes there
};

inline std::list<Stream>& streams()
{
    static std::list<Stream> all;
    return all;
}

inline Stream& streamOf(void* stream)
{
    return *static_cast<Stream*>(stream);
}

inline double* engines()
{
    static double freeAt[3] = {};
    return freeAt;
}

inline void add(Stream& stream, Item item)
{
    item.queuedAt = nowSeconds();
    stream.queue.push_back(item);
}

/// True when the item has got its time.
inline bool resolveOne(Stream& stream, const Item& item)
{
    double& busy = stream.busyUntil;
    const double from = busy > item.queuedAt ? busy : item.queuedAt;
    switch (item.kind) {
    case Item::Kind::Work: {
        double& engine = engines()[item.engine];
        busy = engine = (from > engine ? from : engine) + item.seconds;
        return true;
    }
    case Item::Kind::Record:
        item.event->at = from;
        ++item.event->resolved;
        return true;
    case Item::Kind::Wait:
        if (item.event->resolved < item.count)
            return false;
        busy = from > item.event->at ? from : item.event->at;
        return true;
    case Item::Kind::Gate:
        if (static_cast<std::int32_t>(*item.word - item.value) < 0)
            return false;
        busy = from > nowSeconds() ? from : nowSeconds();
        return true;
    }
    return true;
}

inline void resolve()
{
    for (bool some = true; some;) {
        some = false;
        for (Stream& stream : streams())
            while (!stream.queue.empty() && resolveOne(stream, stream.queue.front())) {
                stream.queue.pop_front();
                some = true;
            }
    }
}

inline void spin(double seconds)
{
    for (const double until = nowSeconds() + seconds; nowSeconds() < until;)
        continue;
}

/// As a copy of pageable memory: the caller waits for the stream.
inline void drain(Stream& stream)
{
    resolve();
    while (!stream.queue.empty() || nowSeconds() < stream.busyUntil)
        resolve();
}

} // namespace fake
