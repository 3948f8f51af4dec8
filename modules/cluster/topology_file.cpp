// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_guard.h"
#include "cluster/topology.h"

#include <cmath>
#include <map>

namespace ridge::cluster {
namespace {

constexpr std::size_t kMostFileVertices = 4096, kMostFileLinks = 65536;
constexpr const char* kForm = R"(write {"vertices": [{"id": "gpu0", "kind": "gpu"}], "links": [{"from": "gpu0", )"
                              R"("to": "switch", "rate": 450e9, "latency": 5e-7}]})";

class Reader {
public:
    explicit Reader(std::string place) : m_place(std::move(place)) {}

    Result<Topology> read(const Json& root)
    {
        const Json* vertices = list(root, "vertices", kMostFileVertices);
        const Json* links = list(root, "links", kMostFileLinks);
        if (m_error)
            return *m_error;
        m_topology.title = root.contains("title") && root["title"].is_string() ? root["title"].get<std::string>()
                                                                               : std::string("topology of a file");
        for (std::size_t i = 0; i < vertices->size() && !m_error; ++i)
            vertex((*vertices)[i], "vertices[" + std::to_string(i) + "]");
        for (std::size_t i = 0; i < links->size() && !m_error; ++i)
            link((*links)[i], "links[" + std::to_string(i) + "]");
        if (m_error)
            return *m_error;
        if (auto joined = checkConnected(m_topology); !joined)
            return Error{joined.error().code, joined.error().message, m_place, joined.error().fix};
        return std::move(m_topology);
    }

private:
    void fail(const std::string& where, const std::string& message, const std::string& fix)
    {
        if (!m_error)
            m_error = Error{"bad-topology", message, where.empty() ? m_place : m_place + ": " + where, fix};
    }
    const Json* list(const Json& root, const char* key, std::size_t most)
    {
        if (!root.is_object() || !root.contains(key) || !root[key].is_array()) {
            fail(key, std::string("there is no list \"") + key + "\"", kForm);
            return nullptr;
        }
        if (root[key].size() > most)
            fail(key, std::to_string(root[key].size()) + " " + key, "give at most " + std::to_string(most));
        return &root[key];
    }
    std::string word(const Json& json, const char* key, const std::string& where)
    {
        if (!json.is_object() || !json.contains(key) || !json[key].is_string() ||
            json[key].get_ref<const std::string&>().empty() || json[key].get_ref<const std::string&>().size() > 64) {
            fail(where, std::string("\"") + key + "\" is missing or no name of 1 to 64 bytes", kForm);
            return {};
        }
        return json[key].get<std::string>();
    }
    void vertex(const Json& json, const std::string& where)
    {
        static const std::map<std::string, VertexKind> kinds{{"gpu", VertexKind::Gpu},
                                                             {"switch", VertexKind::Switch},
                                                             {"nic", VertexKind::Nic},
                                                             {"cpu", VertexKind::Cpu}};
        const std::string id = word(json, "id", where), kind = word(json, "kind", where);
        if (m_error)
            return;
        const auto found = kinds.find(kind);
        if (found == kinds.end())
            return fail(where, "there is no kind \"" + kind + "\"", "write gpu, switch, nic or cpu");
        if (!m_places.emplace(id, static_cast<std::uint32_t>(m_topology.vertices.size())).second)
            return fail(where, "\"" + id + "\" is there twice", "give each vertex a name of its own");
        const auto place = m_topology.add(found->second, id);
        if (found->second == VertexKind::Gpu)
            m_topology.ranks.push_back(place);
    }
    double number(const Json& json, const char* key, double least, double most, const std::string& where)
    {
        const double value = json.contains(key) && json[key].is_number() ? json[key].get<double>() : -1;
        if (!(value >= least && value <= most))
            fail(where, std::string("\"") + key + "\" is no number from " + (least > 0 ? "1 to 1e15" : "0 to 1"),
                 least > 0 ? "give B/s of one direction, as 450e9" : "give seconds, as 5e-7");
        return value;
    }
    void link(const Json& json, const std::string& where)
    {
        std::uint32_t ends[2] = {0, 0};
        for (int i = 0; i < 2; ++i) {
            const std::string id = word(json, i == 0 ? "from" : "to", where);
            if (m_error)
                return;
            const auto found = m_places.find(id);
            if (found == m_places.end())
                return fail(where, "there is no vertex \"" + id + "\"", "name one of \"vertices\"");
            ends[i] = found->second;
        }
        if (ends[0] == ends[1])
            return fail(where, "the link joins a vertex with itself", "take it out");
        const double rate = number(json, "rate", 1, 1e15, where);
        const double latency = json.contains("latency") ? number(json, "latency", 0, 1, where) : 0;
        if (json.contains("both") && !json["both"].is_boolean())
            return fail(where, "\"both\" is not true or false", "write true for a cable, false for one way");
        m_topology.links.push_back({ends[0], ends[1], rate, latency});
        if (!json.contains("both") || json["both"].get<bool>())
            m_topology.links.push_back({ends[1], ends[0], rate, latency});
    }

    std::string m_place;
    Topology m_topology;
    std::map<std::string, std::uint32_t> m_places;
    std::optional<Error> m_error;
};

} // namespace

Result<Topology> parseTopology(std::string_view text, const std::string& place)
{
    const auto json = parseUntrustedJson(text, 8, place);
    if (!json)
        return Error{"bad-topology", json.error().message, json.error().place, kForm};
    return Reader(place).read(*json);
}

} // namespace ridge::cluster
