// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/experiment_info.h"
#include "base/provenance.h"
#include "base/regime.h"

namespace ridge {

inline constexpr int kProtocolVersion = 1;

/// What one worker process may use. Zero means the worker's own default (120 s, 4096 MiB).
struct RunLimits {
    double seconds = 0;
    std::int64_t memoryMiB = 0;
};

/// One request: the same experiment at one or more parameter points on one target. Sent as one JSON document on the
/// worker's standard input, which is then closed.
struct RunRequest {
    std::string experiment;
    std::string target; ///< "gpu:0", "sim:h100-sxm"
    std::uint64_t seed = 1;
    std::vector<ParamSet> points; ///< complete or partial; the worker fills in defaults
    bool trace = true;            ///< send the trace of each point, if the experiment has one
    RunLimits limits;
    Regime regime = Regime::Quick; ///< how warm a GPU is timed
    bool counters = false;         ///< have a GPU count, too; a simulator always does
    bool countOnly = false;        ///< launch on a GPU once and time nothing: for the profiler above the worker
    bool keepGoing = false;        ///< a point that is refused or fails is a sample with its error; the others run
};

struct MetricValue {
    double value = 0;
    std::string unit;
    Provenance provenance = Provenance::Simulated;
    bool operator==(const MetricValue&) const = default;
};

struct LimitValue {
    double value = 0;
    std::string kind; ///< "upper" or "lower"
    bool operator==(const LimitValue&) const = default;
};

struct CheckResult {
    std::string name;
    bool passed = false;
    std::string detail;
    bool operator==(const CheckResult&) const = default;
};

/// Events, in the order in which a worker sends them: Progress* while it prepares, Started, then per point (Progress*,
/// Sample, Trace?), Check*, Finished or Failed; for a kernel request Started, Progress*, Kernel, Finished or Failed.
/// Failed may follow anything; nothing follows Finished or Failed.
struct StartedEvent {
    std::string experiment;
    int version = 1;
    std::string target;
    Provenance provenance = Provenance::Simulated;
    JsonValue fingerprint; ///< object: machine, chip, compiler, build
    std::size_t points = 0;
};
struct ProgressEvent {
    double fraction = 0; ///< 0..1 of the whole request
    std::string message;
};
struct SampleEvent {
    std::size_t index = 0; ///< position in RunRequest::points
    ParamSet params;       ///< complete
    std::map<std::string, MetricValue> metrics;
    std::map<std::string, LimitValue> limits; ///< metric -> bound
    std::vector<CheckResult> checks;          ///< of this point
    std::string validity;                     ///< "valid", or what spoils the number
    std::string countersBy;                   ///< the profiler that counted, where RunRequest::counters asked a GPU …
    std::optional<Error> countersMissing;     ///< … or why nobody did; the counters themselves are metrics
    std::optional<Error> error; ///< why there are no metrics, where RunRequest::keepGoing asked to go on; then `params`
                                ///< may be what was given and `validity` is "failed"
};
struct TraceEvent {
    std::size_t index = 0;
    std::string kind;  ///< any; app/drawing/scenes/trace_kinds draws some. Its bytes are framed (base/trace_bytes.h)
    std::string bytes; ///< raw payload; on the wire it follows the JSON line
    bool more = false; ///< another trace of the same point comes next
};
/// The answer to a kernel request (base/kernel_request.h): one document, whose fields docs/protocol.md lists.
struct KernelEvent {
    JsonValue document;
};
struct LogEvent {
    std::string message;
};
struct CheckEvent {
    CheckResult check; ///< over all points
};
/// A launch has spent what it may (KernelRunRequest::pausable) and stands still. SIGUSR1 lets it go on with as much
/// again, SIGUSR2 ends it there, with the error as a report.
struct PausedEvent {
    Error why; ///< code "instruction-limit", "cycle-limit" or "time-limit"
};
struct FinishedEvent {
    std::string validity;
    double seconds = 0; ///< wall time in the worker
};
struct FailedEvent {
    Error error; ///< code "cancelled" after SIGTERM
};

using Event = std::variant<StartedEvent, ProgressEvent, SampleEvent, TraceEvent, KernelEvent, LogEvent, CheckEvent,
                           PausedEvent, FinishedEvent, FailedEvent>;

Json toJson(const RunRequest& request);
Result<RunRequest> runRequestFromJson(const Json& json);

Json toJson(const MetricValue& value);
Json toJson(const LimitValue& value);
Json toJson(const CheckResult& check);
/// {"code", "message", "fix"}: what stands in a result in place of counters.
Json countersMissing(const Error& why);
/// "counters_by" and "counters_missing" {"code", "message", "fix"}, those that there are.
Json countersToJson(const SampleEvent& sample);
Result<MetricValue> metricValueFromJson(const Json& json);
Json metricsToJson(const std::map<std::string, MetricValue>& metrics);
Result<std::map<std::string, MetricValue>> metricsFromJson(const Json& json);
Json limitsToJson(const std::map<std::string, LimitValue>& limits);
Result<std::map<std::string, LimitValue>> limitsFromJson(const Json& json);
Json checksToJson(std::span<const CheckResult> checks);
Result<std::vector<CheckResult>> checksFromJson(const Json& json);

/// One event as it goes over the pipe: a line of JSON ending in '\n', for a trace followed by its raw bytes.
std::string encodeEvent(const Event& event);

/// Cuts a byte stream back into events. Feed any chunks; take events until none is complete.
/// Errors: "bad-protocol" with what was read instead; after an error the reader stays in error.
class EventReader {
public:
    void feed(std::string_view bytes);
    /// The next complete event; no value where more bytes are needed.
    Result<std::optional<Event>> next();
    /// True when no partial event is buffered.
    bool atBoundary() const { return m_start == m_buffer.size() && !m_pendingTrace; }

    static constexpr std::size_t kMaxLine = 8u << 20;         ///< a longer line is not the protocol
    static constexpr std::size_t kMaxTraceBytes = 256u << 20; ///< a larger trace is refused

private:
    std::string m_buffer;
    std::size_t m_start = 0;
    std::optional<TraceEvent> m_pendingTrace;
    std::size_t m_pendingBytes = 0;
    std::optional<Error> m_error;
};

} // namespace ridge
