// SPDX-License-Identifier: GPL-3.0-or-later
// Stands in for ridge-worker in tests. The experiment's name chooses how it behaves; for describe and targets the
// variable RIDGE_FAKE_QUERY does. RIDGE_FAKE_COUNTER names a file that holds the number of events written so far.
#include "base/protocol.h"

#include "base/json.h"

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <iostream>
#include <iterator>
#include <sys/resource.h>
#include <unistd.h>

using namespace ridge;

namespace {

constexpr int kPreparingBeats = 80;
constexpr useconds_t kBeatMicroseconds = 50000; // 4 s of them

volatile std::sig_atomic_t g_stop = 0;
int g_counter = -1;
std::uint64_t g_written = 0;

void put(const std::string& bytes)
{
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t got = ::write(STDOUT_FILENO, bytes.data() + done, bytes.size() - done);
        if (got < 0 && errno != EINTR)
            std::_Exit(9);
        done += got > 0 ? static_cast<std::size_t>(got) : 0;
    }
    ++g_written;
    if (g_counter >= 0 && ::pwrite(g_counter, &g_written, sizeof g_written, 0) < 0)
        std::_Exit(9);
}

void put(const Event& event)
{
    put(encodeEvent(event));
}

SampleEvent sampleOf(const RunRequest& request, std::size_t index)
{
    SampleEvent sample;
    sample.index = index;
    sample.params = request.points.at(index);
    sample.metrics["answer"] = {42.0 + static_cast<double>(index), "1", Provenance::Simulated};
    sample.limits["answer"] = {1.0, "lower"};
    sample.checks = {{"fine", true, "point " + std::to_string(index)}};
    sample.validity = "valid";
    return sample;
}

void start(const RunRequest& request)
{
    StartedEvent started;
    started.experiment = request.experiment;
    started.version = 7;
    started.target = request.target;
    started.fingerprint = Json{{"machine", "fake"}};
    started.points = request.points.size();
    put(started);
}

[[noreturn]] void waitForEver()
{
    for (;;) {
        ::pause();
        if (g_stop) {
            put(FailedEvent{{"cancelled", "Cancelled by the test", "fake", {}}});
            std::_Exit(1);
        }
    }
}

int allPoints(const RunRequest& request)
{
    for (std::size_t i = 0; i < request.points.size(); ++i) {
        put(ProgressEvent{static_cast<double>(i) / static_cast<double>(request.points.size()), "point"});
        SampleEvent sample = sampleOf(request, i);
        if (request.experiment == "refuses" && i % 2 == 1) {
            sample.metrics.clear();
            sample.validity = "failed";
            sample.error = Error{"bad-value", "not this one", "parameter stride", "give an even one"};
        }
        put(sample);
        if (request.experiment == "traced" && request.trace && i % 2 == 0)
            put(TraceEvent{i, "memory", "trace of " + std::to_string(i) + std::string("\n\0{\n", 4), i == 2});
        if (request.experiment == "traced" && request.trace && i == 2) {
            put(TraceEvent{i, "launch", "and its launch", true});
            put(TraceEvent{i, "teapot", " and tea"}); // a kind that nobody knows
        }
    }
    put(LogEvent{"done"});
    put(CheckEvent{{"all", true, "every point"}});
    put(FinishedEvent{"valid", 0.5});
    return 0;
}

int flood(const RunRequest& request)
{
    const char* wanted = std::getenv("RIDGE_FAKE_SAMPLES");
    const long samples = wanted ? std::atol(wanted) : 200000;
    for (long i = 0; i < samples; ++i)
        put(sampleOf(request, static_cast<std::size_t>(i) % request.points.size()));
    put(FinishedEvent{"valid", 1});
    return 0;
}

/// Behaviours that begin well: started and the first sample have been sent.
int misbehave(const RunRequest& request)
{
    const std::string& how = request.experiment;
    if (how == "garbage")
        put(std::string("Segmentation fault? no, just a print in a kernel\n"));
    else if (how == "half line")
        put(encodeEvent(sampleOf(request, 1)).substr(0, 40));
    else if (how == "half trace")
        put(encodeEvent(TraceEvent{0, "memory", std::string(1000, 'x')}).substr(0, 500));
    else if (how == "huge line")
        for (int i = 0; i < 200; ++i)
            put(std::string(64 << 10, 'z'));
    else if (how == "after the end") {
        put(FinishedEvent{"valid", 1});
        put(sampleOf(request, 0));
    } else if (how == "half after the end") {
        put(FinishedEvent{"valid", 1});
        put(std::string("{\"event\":"));
    } else if (how == "wrong point") {
        SampleEvent sample = sampleOf(request, 0);
        sample.index = 1000;
        put(sample);
    } else if (how == "linger" || how == "linger deaf") {
        put(FinishedEvent{"valid", 1});
        if (how == "linger deaf")
            ::signal(SIGTERM, SIG_IGN);
        for (;;)
            ::pause();
    } else if (how == "crash" || how == "abort") {
        std::cerr << "fake worker: about to fall" << std::endl;
        const int number = how == "crash" ? SIGSEGV : SIGABRT;
        ::signal(number, SIG_DFL);
        ::raise(number);
    } else if (how == "exit") {
        std::cerr << "fake worker: no more" << std::endl;
        return 3;
    } else if (how == "shell crash")
        return 128 + SIGSEGV;
    else if (how == "fails") {
        put(FailedEvent{{"out-of-memory", "No memory", "gpu:0", "Use less"}});
        return 1;
    }
    return 0;
}

int run()
{
    const std::string text(std::istreambuf_iterator<char>(std::cin), {});
    auto parsed = parseJson(text, "stdin");
    auto request = parsed ? runRequestFromJson(*parsed) : Result<RunRequest>(parsed.error());
    if (!request) {
        std::cerr << toText(request.error()) << std::endl;
        return 2;
    }
    const std::string& how = request->experiment;
    if (how == "rude") {
        put(sampleOf(*request, 0));
        return 0;
    }
    if (how == "prepares")
        for (int beat = 0; beat < kPreparingBeats; ++beat) {
            ::usleep(kBeatMicroseconds);
            put(ProgressEvent{0, "preparing"});
        }
    if (how == "never starts") {
        put(ProgressEvent{0, "preparing"});
        put(sampleOf(*request, 0));
        return 0;
    }
    if (how == "prepares for ever")
        for (;;) {
            put(ProgressEvent{0, "preparing"});
            ::usleep(kBeatMicroseconds);
        }
    start(*request);
    if (how == "prepares" || how == "normal" || how == "traced" || how == "refuses")
        return allPoints(*request);
    if (how == "flood")
        return flood(*request);
    put(sampleOf(*request, 0));
    if (how == "deaf")
        ::signal(SIGTERM, SIG_IGN);
    if (how == "polite")
        ::signal(SIGTERM, [](int) { g_stop = 1; });
    if (how == "deaf" || how == "polite" || how == "hang") {
        put(ProgressEvent{0.1, "ready"});
        waitForEver();
    }
    return misbehave(*request);
}

int answer(const std::string& verb)
{
    const char* wanted = std::getenv("RIDGE_FAKE_QUERY");
    const std::string how = wanted ? wanted : "";
    if (how == "hang")
        for (;;)
            ::pause();
    if (how == "crash") {
        ::signal(SIGSEGV, SIG_DFL);
        ::raise(SIGSEGV);
    }
    if (how == "garbage")
        put(std::string("no document\n"));
    else if (how == "endless")
        for (;;)
            put(std::string(1 << 20, ' '));
    else
        put(Json{{"verb", verb}, {"protocol", kProtocolVersion}}.dump() + "\n");
    return how == "fails" ? 4 : 0;
}

} // namespace

int main(int argc, char** argv)
{
    const rlimit none{0, 0}; // the crashes are meant, nobody wants their core files
    ::setrlimit(RLIMIT_CORE, &none);
    if (const char* file = std::getenv("RIDGE_FAKE_COUNTER"))
        g_counter = ::open(file, O_CREAT | O_RDWR | O_CLOEXEC, 0644);
    const std::string verb = argc > 1 ? argv[1] : "";
    return verb == "run" ? run() : answer(verb);
}
