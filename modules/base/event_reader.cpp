// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_read.h"
#include "base/protocol.h"

namespace ridge {
namespace {

constexpr const char* kCode = "bad-protocol";

std::string excerpt(std::string_view text)
{
    std::string out;
    for (char c : text.substr(0, 80))
        out += (static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7f) ? c : '?';
    return text.size() > 80 ? out + "…" : out;
}

Result<Event> startedFromJson(const Json& json, JsonReader& in)
{
    StartedEvent e;
    e.experiment = in.text("experiment");
    e.version = static_cast<int>(in.integer("version"));
    e.target = in.text("target");
    const std::string provenance = in.text("provenance");
    if (const auto known = provenanceFromText(provenance))
        e.provenance = *known;
    else
        in.fail("unknown provenance \"" + provenance + "\"");
    e.fingerprint = json.value("fingerprint", Json::object());
    e.points = static_cast<std::size_t>(std::max<std::int64_t>(0, in.integer("points")));
    return Event{std::move(e)};
}

Result<Event> sampleFromJson(JsonReader& in)
{
    SampleEvent e;
    e.index = static_cast<std::size_t>(std::max<std::int64_t>(0, in.integer("index")));
    e.validity = in.text("validity");
    const Json* params = in.object("params");
    const Json* metrics = in.object("metrics");
    const Json* limits = in.object("limits", false);
    const Json* checks = in.array("checks", false);
    if (in.error())
        return *in.error();
    auto readParams = paramSetFromJson(*params, "sample");
    if (!readParams)
        return readParams.error();
    e.params = std::move(*readParams);
    auto readMetrics = metricsFromJson(*metrics);
    if (!readMetrics)
        return readMetrics.error();
    e.metrics = std::move(*readMetrics);
    if (limits) {
        auto read = limitsFromJson(*limits);
        if (!read)
            return read.error();
        e.limits = std::move(*read);
    }
    if (checks) {
        auto read = checksFromJson(*checks);
        if (!read)
            return read.error();
        e.checks = std::move(*read);
    }
    e.countersBy = in.text("counters_by", false);
    if (const Json* missing = in.object("counters_missing", false))
        e.countersMissing = errorFromJson(*missing);
    if (const Json* error = in.object("error", false))
        e.error = errorFromJson(*error);
    if (in.error())
        return *in.error();
    return Event{std::move(e)};
}

Result<Event> eventFromJson(const Json& json)
{
    JsonReader in(json, "worker output", kCode);
    const std::string name = in.text("event");
    Result<Event> event = Error{kCode, "unknown event \"" + excerpt(name) + "\"", "worker output",
                                "use a ridge and a ridge-worker of the same version"};
    if (name == "started") {
        event = startedFromJson(json, in);
    } else if (name == "progress") {
        event = Event{ProgressEvent{in.number("fraction"), in.text("message", false)}};
    } else if (name == "sample") {
        event = sampleFromJson(in);
    } else if (name == "trace") {
        event = Event{TraceEvent{static_cast<std::size_t>(std::max<std::int64_t>(0, in.integer("index"))),
                                 in.text("kind"),
                                 {},
                                 in.boolean("more", false)}};
    } else if (name == "kernel") {
        const Json* document = in.object("document");
        event = Event{KernelEvent{document ? *document : Json::object()}};
    } else if (name == "log") {
        event = Event{LogEvent{in.text("message")}};
    } else if (name == "check") {
        event = Event{CheckEvent{{in.text("name"), in.boolean("passed"), in.text("detail", false)}}};
    } else if (name == "paused") {
        const Json* error = in.object("error");
        event = Event{PausedEvent{error ? errorFromJson(*error) : Error{}}};
    } else if (name == "finished") {
        event = Event{FinishedEvent{in.text("validity"), in.number("seconds")}};
    } else if (name == "failed") {
        const Json* error = in.object("error");
        event = Event{FailedEvent{error ? errorFromJson(*error) : Error{}}};
    }
    if (in.error())
        return *in.error();
    return event;
}

} // namespace

void EventReader::feed(std::string_view bytes)
{
    // A recording of a hundred megabytes goes where it stays, not through a buffer that grows by copying itself.
    if (m_pendingTrace && !m_error) {
        const std::string_view own = bytes.substr(0, m_pendingBytes - m_pendingTrace->bytes.size());
        m_pendingTrace->bytes.append(own);
        bytes.remove_prefix(own.size());
    }
    if (m_start > 0 && m_start == m_buffer.size()) {
        m_buffer.clear();
        m_start = 0;
    } else if (m_start > (1u << 20)) {
        m_buffer.erase(0, m_start);
        m_start = 0;
    }
    m_buffer.append(bytes);
}

Result<std::optional<Event>> EventReader::next()
{
    const auto fail = [this](Error error) {
        m_error = error;
        return error;
    };
    if (m_error)
        return *m_error;
    if (m_pendingTrace) {
        if (m_pendingTrace->bytes.size() < m_pendingBytes)
            return std::optional<Event>{};
        TraceEvent trace = std::move(*m_pendingTrace);
        m_pendingTrace.reset();
        return std::optional<Event>{std::move(trace)};
    }
    const std::size_t end = m_buffer.find('\n', m_start);
    if (end == std::string::npos) {
        if (m_buffer.size() - m_start > kMaxLine)
            return fail({kCode, "a line of more than 8 MiB", "worker output", "this is not a ridge-worker"});
        return std::optional<Event>{};
    }
    const std::string_view line = std::string_view(m_buffer).substr(m_start, end - m_start);
    auto json = parseJson(line, "worker output");
    if (!json)
        return fail({kCode, "the worker printed something that is not an event: \"" + excerpt(line) + "\"",
                     "worker output", "check that the target's launcher prints nothing of its own"});
    auto event = eventFromJson(*json);
    if (!event)
        return fail(event.error());
    if (auto* trace = std::get_if<TraceEvent>(&*event)) {
        const auto it = json->find("bytes");
        if (it == json->end() || !it->is_number_unsigned() || it->get<std::uint64_t>() > kMaxTraceBytes)
            return fail({kCode, "a trace without a sensible size", "worker output", ""});
        m_pendingBytes = it->get<std::size_t>();
        m_pendingTrace = std::move(*trace);
        m_start = end + 1;
        const std::string_view rest = std::string_view(m_buffer).substr(m_start, m_pendingBytes);
        m_pendingTrace->bytes.reserve(m_pendingBytes);
        m_pendingTrace->bytes = rest;
        m_start += rest.size();
        return next();
    }
    m_start = end + 1;
    return std::optional<Event>{std::move(*event)};
}

} // namespace ridge
