// SPDX-License-Identifier: GPL-3.0-or-later
#include "imports/torch_snapshot.h"

#include "base/json.h"
#include "imports/lines.h"
#include "imports/pickle.h"

#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>

namespace ridge::imports {
namespace {

constexpr const char* kHow = "Make it with torch.cuda.memory._dump_snapshot(\"memory.pickle\")";
constexpr double kMostBytes = 1ull << 52; // addresses have 48 or 57 bits; those of 57 are not handed out
constexpr std::size_t kMostFrames = 1 << 16, kMostText = 200;
constexpr std::uint32_t kMostDevices = 1024;

/// Both forms through the same few questions. A node may be absent.
class PickleView {
public:
    using Node = Pickle::Id;
    explicit PickleView(const Pickle& pickle) : m_pickle(pickle) {}
    Node root() const { return m_pickle.root(); }
    Node at(Node node, std::string_view key) const { return m_pickle.at(node, key); }
    bool isList(Node node) const { return m_pickle.kind(node) == Pickle::Kind::List; }
    std::size_t size(Node node) const { return isList(node) ? m_pickle.items(node).size() : 0; }
    Node item(Node node, std::size_t index) const { return m_pickle.items(node)[index]; }
    std::optional<double> number(Node node) const
    {
        const auto kind = m_pickle.kind(node);
        if (kind != Pickle::Kind::Integer && kind != Pickle::Kind::Real && kind != Pickle::Kind::Boolean)
            return std::nullopt;
        return m_pickle.number(node);
    }
    std::string_view text(Node node) const { return m_pickle.text(node); }
    std::uint64_t identity(Node node) const { return node; }

private:
    const Pickle& m_pickle;
};

class JsonView {
public:
    using Node = const Json*;
    explicit JsonView(const Json& json) : m_json(json) {}
    Node root() const { return &m_json; }
    Node at(Node node, std::string_view key) const
    {
        if (!node || !node->is_object())
            return nullptr;
        const auto found = node->find(key);
        return found == node->end() ? nullptr : &*found;
    }
    bool isList(Node node) const { return node && node->is_array(); }
    std::size_t size(Node node) const { return isList(node) ? node->size() : 0; }
    Node item(Node node, std::size_t index) const { return &(*node)[index]; }
    std::optional<double> number(Node node) const
    {
        if (!node || !(node->is_number() || node->is_boolean()))
            return std::nullopt;
        return node->is_boolean() ? double(node->get<bool>()) : node->get<double>();
    }
    std::string_view text(Node node) const
    {
        return node && node->is_string() ? std::string_view(node->get_ref<const std::string&>()) : std::string_view();
    }
    std::uint64_t identity(Node) const { return 0; } ///< JSON repeats what a pickle shares

private:
    const Json& m_json;
};

bool has(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

template<class View>
class Reader {
public:
    Reader(const View& view, const std::string& name) : m_view(view), m_name(name) {}

    Result<TorchSnapshot> read()
    {
        const Node segments = m_view.at(m_view.root(), "segments");
        const Node traces = m_view.at(m_view.root(), "device_traces");
        if (!m_view.isList(segments) && !m_view.isList(traces))
            return fail("The snapshot has neither \"segments\" nor \"device_traces\"");
        for (std::size_t i = 0; i < m_view.size(segments) && !m_error; ++i)
            addSegment(m_view.item(segments, i));
        if (m_view.size(traces) > kMostDevices)
            return fail("The snapshot has more than 1024 devices");
        for (std::size_t device = 0; device < m_view.size(traces) && !m_error; ++device) {
            auto& events = m_snapshot.traces.emplace_back();
            const Node trace = m_view.item(traces, device);
            for (std::size_t i = 0; i < m_view.size(trace) && !m_error; ++i)
                addEvent(m_view.item(trace, i), events);
        }
        readSettings();
        if (m_error)
            return *m_error;
        return std::move(m_snapshot);
    }

private:
    using Node = typename View::Node;

    Error fail(const std::string& what)
    {
        if (!m_error)
            m_error = badImport(m_name, 0, what, kHow);
        return *m_error;
    }
    /// A count of bytes or an address.
    std::uint64_t bytes(Node node, const char* key, bool needed = true)
    {
        const auto value = m_view.number(m_view.at(node, key));
        if (!value) {
            if (needed)
                fail(std::string("An entry has no number \"") + key + "\"");
            return 0;
        }
        if (!(*value >= 0 && *value <= kMostBytes) || std::floor(*value) != *value) {
            fail(std::string("An entry has an impossible \"") + key + "\"");
            return 0;
        }
        return static_cast<std::uint64_t>(*value);
    }
    std::uint32_t streamOf(Node node)
    {
        const auto value = m_view.number(m_view.at(node, "stream")).value_or(0);
        const auto [found, added] = m_streams.emplace(value, static_cast<std::uint32_t>(m_streams.size()));
        return found->second;
    }

    std::uint32_t whatOf(Node node)
    {
        const Node frames = m_view.at(node, "frames");
        if (m_view.size(frames) == 0)
            return 0;
        const std::uint64_t identity = m_view.identity(frames);
        if (const auto known = m_known.find(identity); identity != 0 && known != m_known.end())
            return known->second;
        TorchFrame frame;
        bool backward = false, optimizer = false, forward = false;
        for (std::size_t i = 0; i < m_view.size(frames); ++i) {
            const Node each = m_view.item(frames, i);
            const std::string_view name = m_view.text(m_view.at(each, "name"));
            const std::string_view file = m_view.text(m_view.at(each, "filename"));
            backward = backward || has(name, "backward");
            optimizer = optimizer || has(file, "torch/optim/") || has(name, "optimizer");
            forward = forward || name == "forward";
            if (frame.text.empty() && !name.empty() && !has(file, "/torch/") && file != "??") {
                const std::string_view shortFile = file.substr(file.find_last_of('/') + 1);
                frame.text =
                    std::string(name.substr(0, kMostText)) + " (" + std::string(shortFile.substr(0, kMostText)) + ":" +
                    std::to_string(static_cast<long>(m_view.number(m_view.at(each, "line")).value_or(0))) + ")";
            }
        }
        frame.place = backward ? "backward" : optimizer ? "optimizer" : forward ? "forward" : "other";
        const auto [found, added] =
            m_frames.emplace(frame.place + frame.text, static_cast<std::uint32_t>(m_snapshot.frames.size()));
        if (added && m_snapshot.frames.size() < kMostFrames)
            m_snapshot.frames.push_back(std::move(frame));
        const std::uint32_t what = found->second < m_snapshot.frames.size() ? found->second : 0;
        if (identity != 0)
            m_known.emplace(identity, what);
        return what;
    }

    void addSegment(Node node)
    {
        TorchSegment segment;
        segment.device = static_cast<std::uint32_t>(bytes(node, "device", false));
        if (segment.device >= kMostDevices)
            return void(fail("A segment is of device " + std::to_string(segment.device)));
        segment.address = bytes(node, "address");
        segment.size = bytes(node, "total_size");
        segment.stream = streamOf(node);
        segment.small = m_view.text(m_view.at(node, "segment_type")) == "small";
        segment.expandable = m_view.number(m_view.at(node, "is_expandable")).value_or(0) != 0;
        const Node blocks = m_view.at(node, "blocks");
        std::uint64_t at = segment.address, sum = 0;
        for (std::size_t i = 0; i < m_view.size(blocks) && !m_error; ++i) {
            const Node each = m_view.item(blocks, i);
            TorchBlock block;
            block.address = at; // older snapshots do not give it
            block.size = bytes(each, "size");
            const std::string_view state = m_view.text(m_view.at(each, "state"));
            // The documentation also has "active_awaiting_free", which no version writes.
            block.state = state == "active_allocated" ? TorchBlock::State::Allocated
                          : state == "active_pending_free" || state == "active_awaiting_free"
                              ? TorchBlock::State::PendingFree
                              : TorchBlock::State::Inactive;
            block.requested = bytes(each, "requested_size", false);
            block.what = whatOf(each);
            at += block.size;
            sum += block.size;
            if (block.size == 0 || sum > segment.size)
                return void(fail("The blocks of a segment do not fill it"));
            segment.blocks.push_back(block);
        }
        if (sum != segment.size)
            return void(fail("The blocks of a segment do not fill it"));
        m_snapshot.segments.push_back(std::move(segment));
    }

    void addEvent(Node node, std::vector<TorchEvent>& events)
    {
        using Action = TorchEvent::Action;
        static const std::map<std::string_view, Action> kActions{{"alloc", Action::Alloc},
                                                                 {"free_requested", Action::FreeRequested},
                                                                 {"free_completed", Action::FreeCompleted},
                                                                 {"segment_alloc", Action::SegmentAlloc},
                                                                 {"segment_free", Action::SegmentFree},
                                                                 {"segment_map", Action::SegmentMap},
                                                                 {"segment_unmap", Action::SegmentUnmap},
                                                                 {"oom", Action::OutOfMemory}};
        const auto action = kActions.find(m_view.text(m_view.at(node, "action")));
        if (action == kActions.end()) {
            ++m_snapshot.otherEvents;
            return;
        }
        TorchEvent event;
        event.action = action->second;
        event.size = bytes(node, "size");
        event.address = event.action == Action::OutOfMemory ? bytes(node, "device_free", false) : bytes(node, "addr");
        event.stream = streamOf(node);
        event.what = whatOf(node);
        events.push_back(event);
    }

    void readSettings()
    {
        const Node settings = m_view.at(m_view.root(), "allocator_settings");
        m_snapshot.expandable = m_view.number(m_view.at(settings, "expandable_segments")).value_or(0) != 0;
        const double split = m_view.number(m_view.at(settings, "max_split_size")).value_or(-1);
        if (split > 0 && split < kMostBytes) // -1, or the largest number there is: no limit
            m_snapshot.maxSplit = static_cast<std::uint64_t>(split);
        const double divisions = m_view.number(m_view.at(settings, "roundup_power2_divisions")).value_or(0);
        if (divisions >= 0 && divisions <= 64)
            m_snapshot.divisions = static_cast<unsigned>(divisions);
    }

    const View& m_view;
    const std::string& m_name;
    TorchSnapshot m_snapshot;
    std::map<double, std::uint32_t> m_streams{{0.0, 0}};
    std::unordered_map<std::string, std::uint32_t> m_frames;
    std::unordered_map<std::uint64_t, std::uint32_t> m_known; ///< by the list of frames, which events share
    std::optional<Error> m_error;
};

} // namespace

Result<TorchSnapshot> readTorchSnapshot(std::string_view bytes, const std::string& name)
{
    const std::size_t first = bytes.find_first_not_of(" \t\r\n");
    if (first != std::string_view::npos && (bytes[first] == '{' || bytes[first] == '[')) {
        const auto json = parseJson(bytes, name);
        if (!json)
            return json.error();
        const JsonView view(*json);
        return Reader<JsonView>(view, name).read();
    }
    const auto pickle = Pickle::parse(bytes, name);
    if (!pickle)
        return pickle.error();
    const PickleView view(*pickle);
    return Reader<PickleView>(view, name).read();
}

} // namespace ridge::imports
