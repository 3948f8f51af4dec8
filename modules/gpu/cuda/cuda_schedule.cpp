// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/cuda/cuda_schedule.h"

#include "gpu/cuda/driver_errors.h"
#include "gpu/cuda/host_memory.h"
#include "gpu/cuda/peer.h"

#include <algorithm>
#include <numeric>

namespace ridge::gpu::cuda {

namespace {

constexpr unsigned kStreamNonBlocking = 1;
constexpr unsigned kEventTimed = 0, kEventUntimed = 2; // CU_EVENT_DEFAULT, CU_EVENT_DISABLE_TIMING
constexpr unsigned kRecordExternal = 1;    // CU_EVENT_RECORD_EXTERNAL: a node of the graph that can be timed
constexpr int kCaptureThreadLocal = 1;     // CU_STREAM_CAPTURE_MODE_THREAD_LOCAL
constexpr CuDevice kHostAsDevice = -1;     // CU_DEVICE_CPU
constexpr std::size_t kStopInterval = 256; // operations

double since(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// One schedule on the driver. What it makes there goes with it, unless the device was lost.
class Runner {
public:
    Runner(Session& session, const Schedule& schedule, const ScheduleOptions& options)
        : m_session(session), m_api(session.driver()), m_schedule(schedule), m_options(options)
    {
    }
    ~Runner();
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;

    Result<ScheduleReport> run();

private:
    struct Once {
        double deviceSeconds = 0, wallSeconds = 0, enqueueSeconds = 0;
        std::vector<OperationTime> operations;
    };

    Result<void> needEntries() const;
    Result<void> prepare();
    Result<CuEvent> newEvent(unsigned flags);
    Result<void> called(CuResult code, const std::string& doing) const;
    Result<void> record(CuEvent event, CuStream stream, bool capturing) const;
    Result<void> enqueueAll(bool capturing, Clock::time_point origin, std::vector<OperationTime>* times);
    Result<void> enqueue(std::size_t index, bool capturing);
    Result<void> fork(CuEvent from);
    Result<void> join();
    Result<void> capture();
    Result<Once> once(bool gated);
    Result<std::vector<OperationTime>> readTimes(std::vector<OperationTime> called) const;
    Result<double> between(CuEvent from, CuEvent to) const;
    CuStream streamOf(std::size_t index) const { return m_streams.at(m_schedule[index].stream); }
    std::string kernels() const;

    Session& m_session;
    const Driver& m_api;
    const Schedule& m_schedule;
    const ScheduleOptions& m_options;
    CuStream m_origin = nullptr;
    std::map<std::uint32_t, CuStream> m_streams;
    std::vector<CuStream> m_ownStreams;
    std::vector<CuEvent> m_ownEvents;
    std::map<std::uint32_t, CuEvent> m_events, m_joins;
    std::vector<CuEvent> m_begins, m_ends; // one an operation, where there is a timeline
    CuEvent m_captureFork = nullptr;
    std::vector<CudaProgram::Prepared> m_prepared; // of the kernels, in their order
    std::vector<std::size_t> m_preparedOf;
    CuGraph m_graph = nullptr;
    CuGraphExec m_exec = nullptr;
};

Runner::~Runner()
{
    if (!m_session.usable().ok())
        return;
    if (m_exec != nullptr)
        m_api.host.graphExecDestroy(m_exec);
    if (m_graph != nullptr)
        m_api.host.graphDestroy(m_graph);
    for (const CuEvent event : m_ownEvents)
        m_api.eventDestroy(event);
    for (const CuStream stream : m_ownStreams)
        m_api.streamDestroy(stream);
}

Result<void> Runner::called(CuResult code, const std::string& doing) const
{
    return code == kCuSuccess ? Result<void>() : Result<void>(m_session.failed(code, doing));
}

Result<CuEvent> Runner::newEvent(unsigned flags)
{
    CuEvent event = nullptr;
    if (auto made = called(m_api.eventCreate(&event, flags), "an event of a schedule cannot be made"); !made)
        return made.error();
    m_ownEvents.push_back(event);
    return event;
}

Result<void> Runner::needEntries() const
{
    const HostEntries& host = m_api.host;
    struct Need {
        bool missing;
        const char* symbol;
        const char* doing;
        const char* driver;
    };
    const bool graph = m_options.asGraph;
    const std::array<Need, 5> general{{
        {host.streamWaitEvent == nullptr, "cuStreamWaitEvent", "a schedule cannot run", "340"},
        {graph && (host.beginCapture == nullptr || host.endCapture == nullptr), "cuStreamBeginCapture_v2",
         "a schedule cannot be captured as a graph", "418"},
        {graph && (host.graphInstantiate == nullptr || host.graphLaunch == nullptr ||
                   host.graphExecDestroy == nullptr || host.graphDestroy == nullptr),
         "cuGraphInstantiateWithFlags", "a schedule cannot run as a graph", "470"},
        {graph && m_options.timeline && host.eventRecordWithFlags == nullptr, "cuEventRecordWithFlags",
         "the operations of a graph cannot be timed", "455"},
        {m_options.gated && m_session.gate() == nullptr, "cuStreamWaitValue32_v2",
         "a stream cannot be held while it is filled", "515"},
    }};
    for (const Need& need : general)
        if (need.missing)
            return lacksEntry(m_session, need.symbol, need.doing, need.driver);
    for (std::size_t i = 0; i < m_schedule.size(); ++i) {
        const auto& what = m_schedule[i].what;
        const char* missing = nullptr;
        if (std::holds_alternative<CopyIn>(what) && host.copyInAsync == nullptr)
            missing = "cuMemcpyHtoDAsync_v2";
        if (std::holds_alternative<CopyOut>(what) && host.copyOutAsync == nullptr)
            missing = "cuMemcpyDtoHAsync_v2";
        if (std::holds_alternative<CopyWithin>(what) && host.copyWithinAsync == nullptr)
            missing = "cuMemcpyDtoDAsync_v2";
        if (std::holds_alternative<Migrate>(what) && host.prefetch == nullptr)
            missing = "cuMemPrefetchAsync";
        if (missing != nullptr)
            return lacksEntry(m_session, missing, describeOperation(m_schedule, i) + " cannot run", "375");
    }
    return {};
}

Result<void> Runner::prepare()
{
    m_origin = m_session.stream();
    m_preparedOf.assign(m_schedule.size(), 0);
    m_prepared.reserve(m_schedule.size());
    for (std::size_t i = 0; i < m_schedule.size(); ++i) {
        const Operation& operation = m_schedule[i];
        if (!m_streams.contains(operation.stream)) {
            CuStream stream = m_origin;
            if (!m_streams.empty()) {
                if (auto made = called(m_api.streamCreate(&stream, kStreamNonBlocking), "a stream cannot be made");
                    !made)
                    return made;
                m_ownStreams.push_back(stream);
                const Result<CuEvent> join = newEvent(kEventUntimed);
                if (!join.ok())
                    return join.error();
                m_joins[operation.stream] = *join;
            }
            m_streams[operation.stream] = stream;
        }
        if (const auto* recorded = std::get_if<RecordEvent>(&operation.what);
            recorded != nullptr && !m_events.contains(recorded->event)) {
            const Result<CuEvent> event = newEvent(kEventUntimed);
            if (!event.ok())
                return event.error();
            m_events[recorded->event] = *event;
        }
        if (const auto* step = std::get_if<Step>(&operation.what)) {
            auto ready = static_cast<const CudaProgram*>(step->program)->prepare(step->launch);
            if (!ready.ok()) {
                Error error = ready.error();
                error.message = describeOperation(m_schedule, i) + ": " + error.message;
                return error;
            }
            m_preparedOf[i] = m_prepared.size();
            m_prepared.push_back(std::move(*ready));
        }
        for (std::vector<CuEvent>* marks : {&m_begins, &m_ends})
            if (m_options.timeline) {
                const Result<CuEvent> event = newEvent(kEventTimed);
                if (!event.ok())
                    return event.error();
                marks->push_back(*event);
            }
    }
    if (m_options.asGraph) {
        const Result<CuEvent> event = newEvent(kEventUntimed);
        if (!event.ok())
            return event.error();
        m_captureFork = *event;
    }
    return {};
}

Result<void> Runner::record(CuEvent event, CuStream stream, bool capturing) const
{
    return called(capturing ? m_api.host.eventRecordWithFlags(event, stream, kRecordExternal)
                            : m_api.eventRecord(event, stream),
                  "an event cannot be recorded");
}

Result<void> Runner::enqueue(std::size_t index, bool capturing)
{
    const CuStream stream = streamOf(index);
    const HostEntries& host = m_api.host;
    struct Queue {
        Runner& runner;
        const HostEntries& host;
        std::size_t index;
        CuStream stream;

        CuResult operator()(const CopyIn& copy) const
        {
            return host.copyInAsync(copy.to.address, copy.from.memory->bytes().data() + copy.from.offset, copy.bytes,
                                    stream);
        }
        CuResult operator()(const CopyOut& copy) const
        {
            return host.copyOutAsync(copy.to.memory->bytes().data() + copy.to.offset, copy.from.address, copy.bytes,
                                     stream);
        }
        CuResult operator()(const CopyWithin& copy) const
        {
            if (copy.peer != nullptr)
                return runner.m_api.peer.copyAsync(copy.to.address,
                                                   static_cast<const CudaPeerMemory*>(copy.peer)->context(),
                                                   copy.from.address, runner.m_session.context(), copy.bytes, stream);
            return host.copyWithinAsync(copy.to.address, copy.from.address, copy.bytes, stream);
        }
        CuResult operator()(const Migrate& move) const
        {
            return host.prefetch(move.what.memory->device().address + move.what.offset, move.bytes,
                                 move.toDevice ? runner.m_session.facts().handle : kHostAsDevice, stream);
        }
        CuResult operator()(const Step&) const { return kCuSuccess; }
        CuResult operator()(const RecordEvent& recorded) const
        {
            return runner.m_api.eventRecord(runner.m_events.at(recorded.event), stream);
        }
        CuResult operator()(const WaitEvent& wait) const
        {
            return host.streamWaitEvent(stream, runner.m_events.at(wait.event), 0);
        }
    };
    if (m_options.timeline)
        if (auto marked = record(m_begins[index], stream, capturing); !marked)
            return marked;
    const auto& what = m_schedule[index].what;
    if (const auto* step = std::get_if<Step>(&what)) {
        const auto* program = static_cast<const CudaProgram*>(step->program);
        if (auto queued = program->submit(m_prepared[m_preparedOf[index]], stream); !queued)
            return queued;
    } else if (const CuResult code = std::visit(Queue{*this, host, index, stream}, what); code != kCuSuccess) {
        Error error = m_session.failed(code, describeOperation(m_schedule, index) + " cannot be queued");
        if (std::holds_alternative<Migrate>(what))
            error.fix =
                "use pinned memory: not every system moves managed pages ahead of their use (WSL and Windows do not)";
        if (capturing)
            error.fix = "run it without a graph: not every operation can be captured";
        return error;
    }
    if (m_options.timeline)
        return record(m_ends[index], stream, capturing);
    return {};
}

Result<void> Runner::enqueueAll(bool capturing, Clock::time_point origin, std::vector<OperationTime>* times)
{
    for (std::size_t i = 0; i < m_schedule.size(); ++i) {
        if (i % kStopInterval == kStopInterval - 1 && m_session.stopRequested())
            return Error{"cancelled", "stopped while a schedule was being queued", m_session.place(), ""};
        if (times != nullptr)
            (*times)[i].called = since(origin);
        if (auto queued = enqueue(i, capturing); !queued)
            return queued;
        if (times != nullptr)
            (*times)[i].returned = since(origin);
    }
    return {};
}

/// Every stream begins after `from`, which the origin has recorded.
Result<void> Runner::fork(CuEvent from)
{
    for (const CuStream stream : m_ownStreams)
        if (auto waits = called(m_api.host.streamWaitEvent(stream, from, 0), "a stream cannot wait for another");
            !waits)
            return waits;
    return {};
}

/// The origin goes on after every stream.
Result<void> Runner::join()
{
    for (const auto& [number, event] : m_joins) {
        if (auto marked = called(m_api.eventRecord(event, m_streams.at(number)), "an event cannot be recorded");
            !marked)
            return marked;
        if (auto waits = called(m_api.host.streamWaitEvent(m_origin, event, 0), "a stream cannot wait for another");
            !waits)
            return waits;
    }
    return {};
}

Result<void> Runner::capture()
{
    const HostEntries& host = m_api.host;
    if (auto begun = called(host.beginCapture(m_origin, kCaptureThreadLocal), "a graph cannot be captured"); !begun)
        return begun;
    const auto fill = [&]() -> Result<void> {
        if (auto marked = called(m_api.eventRecord(m_captureFork, m_origin), "an event cannot be recorded"); !marked)
            return marked;
        if (auto forked = fork(m_captureFork); !forked)
            return forked;
        if (auto queued = enqueueAll(true, Clock::now(), nullptr); !queued)
            return queued;
        return join();
    };
    const Result<void> filled = fill();
    // Ended in any case: a stream that stays in capture is of no use to anybody.
    const CuResult code = host.endCapture(m_origin, &m_graph);
    if (!filled.ok())
        return filled;
    if (auto ended = called(code, "the capture of a graph cannot be ended"); !ended)
        return ended;
    return called(host.graphInstantiate(&m_exec, m_graph, 0), "a graph cannot be made ready to run");
}

std::string Runner::kernels() const
{
    std::vector<std::string> names;
    for (const CudaProgram::Prepared& prepared : m_prepared)
        if (std::find(names.begin(), names.end(), prepared.launch.kernel) == names.end())
            names.push_back(prepared.launch.kernel);
    std::string out;
    for (const std::string& name : names)
        out += (out.empty() ? "" : "' or '") + name;
    return out.empty() ? "(none: copies alone)" : out;
}

Result<double> Runner::between(CuEvent from, CuEvent to) const
{
    float milliseconds = 0;
    if (auto read = called(m_api.eventElapsed(&milliseconds, from, to), "an event's time cannot be read"); !read)
        return read.error();
    return static_cast<double>(milliseconds) * 1e-3;
}

Result<std::vector<OperationTime>> Runner::readTimes(std::vector<OperationTime> times) const
{
    double first = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < times.size(); ++i) {
        const Result<double> begin = between(m_session.startEvent(), m_begins[i]);
        const Result<double> end = between(m_session.startEvent(), m_ends[i]);
        if (!begin.ok() || !end.ok())
            return begin.ok() ? end.error() : begin.error();
        times[i].begin = *begin;
        times[i].end = *end;
        first = std::min(first, *begin);
    }
    for (OperationTime& time : times) {
        time.begin -= first;
        time.end -= first;
    }
    return times;
}

Result<Runner::Once> Runner::once(bool gated)
{
    if (m_session.stopRequested())
        return Error{"cancelled", "stopped before a schedule", m_session.place(), ""};
    Once out;
    std::vector<OperationTime> called(m_options.timeline ? m_schedule.size() : 0);
    {
        GateHold hold(gated ? m_session.gate() : nullptr, m_origin);
        if (auto marked = record(m_session.startEvent(), m_origin, false); !marked)
            return marked.error();
        const Clock::time_point origin = Clock::now();
        if (m_exec != nullptr) {
            if (auto launched = this->called(m_api.host.graphLaunch(m_exec, m_origin), "a graph cannot be launched");
                !launched)
                return launched.error();
        } else {
            if (auto forked = fork(m_session.startEvent()); !forked)
                return forked.error();
            if (auto queued = enqueueAll(false, origin, m_options.timeline ? &called : nullptr); !queued)
                return queued.error();
        }
        out.enqueueSeconds = since(origin);
        if (m_exec == nullptr)
            if (auto joined = join(); !joined)
                return joined.error();
        if (auto marked = record(m_session.endEvent(), m_origin, false); !marked)
            return marked.error();
        if (gated && !hold.open())
            return Error{"gate-opened", "the stream did not wait while it was filled", m_session.place(),
                         "run again; ask for fewer operations if it happens again"};
        if (auto done = m_session.waitForEnd(kernels()); !done)
            return done.error();
        out.wallSeconds = since(origin);
    }
    const Result<double> whole = between(m_session.startEvent(), m_session.endEvent());
    if (!whole.ok())
        return whole.error();
    out.deviceSeconds = *whole;
    if (m_options.timeline) {
        auto times = readTimes(std::move(called));
        if (!times)
            return times.error();
        out.operations = std::move(*times);
        out.deviceSeconds = 0;
        for (const OperationTime& time : out.operations)
            out.deviceSeconds = std::max(out.deviceSeconds, time.end);
    }
    return out;
}

Result<ScheduleReport> Runner::run()
{
    if (auto there = needEntries(); !there)
        return there.error();
    if (auto ready = prepare(); !ready)
        return ready.error();
    if (m_options.asGraph)
        if (auto captured = capture(); !captured)
            return captured.error();
    ScheduleReport report;
    report.provenance = Provenance::Measured;
    // The first time without a gate: what a driver loads lazily may wait for the device.
    for (int i = 0; i < m_options.warmUps; ++i, ++report.executions)
        if (auto warm = once(false); !warm)
            return warm.error();
    std::vector<Once> all;
    for (int i = 0; i < m_options.repeats; ++i, ++report.executions) {
        auto done = once(m_options.gated);
        if (!done)
            return done.error();
        report.samples.push_back(done->deviceSeconds);
        all.push_back(std::move(*done));
    }
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::nth_element(all.begin(), middle, all.end(),
                     [](const Once& a, const Once& b) { return a.deviceSeconds < b.deviceSeconds; });
    report.timed = true;
    report.operations = std::move(middle->operations);
    report.deviceSeconds = middle->deviceSeconds;
    report.wallSeconds = middle->wallSeconds;
    report.enqueueSeconds = middle->enqueueSeconds;
    return report;
}

} // namespace

Result<ScheduleReport> runSchedule(Session& session, const Schedule& schedule, const ScheduleOptions& options)
{
    if (const Result<void> usable = session.usable(); !usable.ok())
        return usable.error();
    if (auto legal = checkSchedule(schedule, options, session.place()); !legal)
        return legal.error();
    return Runner(session, schedule, options).run();
}

} // namespace ridge::gpu::cuda
