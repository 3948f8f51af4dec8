// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/compile/graph_file.h"

#include "base/formula.h"
#include "base/json.h"
#include "base/paths.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

namespace ridge::graphs {
namespace {

constexpr std::size_t kMostItems = 4096;
constexpr std::size_t kMostNodes = 4096; // softmax and norms written out
constexpr std::size_t kMostOfWay = 8;    // names of a cycle that an error lists
constexpr std::int64_t kMostSize = std::int64_t{1} << 30;

Error bad(std::string message, std::string place, std::string fix, std::string code = "bad-graph")
{
    return {std::move(code), std::move(message), std::move(place), std::move(fix)};
}

struct Composite {
    std::string_view name;
    std::size_t operands;
};
constexpr Composite kComposites[] = {{"softmax", 1}, {"layernorm", 3}, {"rmsnorm", 2}};

const Composite* compositeNamed(std::string_view name)
{
    const auto found = std::ranges::find(kComposites, name, &Composite::name);
    return found == std::end(kComposites) ? nullptr : found;
}

// ---- reading --------------------------------------------------------------------------------------------------------

class Reader {
public:
    explicit Reader(std::string file) : m_file(std::move(file)) {}

    Result<GraphFile> read(const Json& json)
    {
        if (!json.is_object())
            return bad("a graph is a JSON object", m_file, "see the head of modules/workload/compile/graph_file.h");
        GraphFile out;
        if (auto known = onlyKeys(json, {"id", "title", "about", "sizes", "inputs", "ops", "outputs"}, m_file); !known)
            return known.error();
        out.title = textOf(json, "title");
        out.about = textOf(json, "about");
        out.id = textOf(json, "id");
        if (auto done = readSizes(json, out); !done)
            return done.error();
        for (const char* key : {"inputs", "ops", "outputs"})
            if (!json.contains(key) || !json[key].is_array() || json[key].empty())
                return bad(fmt::format("\"{}\" is missing or no list", key), m_file,
                           fmt::format("write \"{}\": [ … ] with at least one entry", key));
        for (const Json& entry : json["inputs"]) {
            auto item = readInput(entry);
            if (!item)
                return item.error();
            out.inputs.push_back(std::move(*item));
        }
        auto items = readItems(json["ops"], 0);
        if (!items)
            return items.error();
        out.items = std::move(*items);
        for (const Json& entry : json["outputs"]) {
            if (!entry.is_string())
                return bad("an output is the name of a value", m_file + ": outputs", "write it in quotes");
            out.outputs.push_back(entry.get<std::string>());
        }
        return out;
    }

private:
    static std::string textOf(const Json& json, const char* key)
    {
        return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : std::string();
    }

    Result<void> onlyKeys(const Json& json, const std::vector<std::string>& known, const std::string& place)
    {
        for (const auto& [key, value] : json.items())
            if (std::ranges::find(known, key) == known.end())
                return bad(fmt::format("unknown key \"{}\"{}", key, didYouMean(key, known)), place,
                           "take it out or mend its spelling");
        return {};
    }

    Result<void> readSizes(const Json& json, GraphFile& out)
    {
        if (!json.contains("sizes"))
            return {};
        const std::string place = m_file + ": sizes";
        if (!json["sizes"].is_object())
            return bad("sizes are an object", place, R"(write "sizes": {"tokens": [4096, 8]})");
        for (const auto& [name, value] : json["sizes"].items()) {
            const auto whole = [](const Json& n) {
                return n.is_number_integer() && n.get<std::int64_t>() >= 1 && n.get<std::int64_t>() <= kMostSize;
            };
            if (!value.is_array() || value.size() != 2 || !whole(value[0]) || !whole(value[1]))
                return bad(fmt::format("size '{}' is not two whole numbers from 1 on", name), place,
                           fmt::format(R"(write "{}": [4096, 8]: a real value and a small one)", name));
            if (name.empty() || !(std::isalpha(static_cast<unsigned char>(name[0])) || name[0] == '_') ||
                name.find_first_of("* ") != std::string::npos)
                return bad(fmt::format("'{}' is no name of a size", name), place,
                           "begin it with a letter, and write it without blanks and *");
            out.sizes.push_back({name, value[0].get<std::int64_t>(), value[1].get<std::int64_t>()});
        }
        return {};
    }

    Result<void> readShape(const Json& json, const char* key, GraphItem& item)
    {
        if (!json.contains(key) || !json[key].is_array())
            return bad(fmt::format("\"{}\" is missing or no list", key), item.place,
                       R"(write "shape": ["tokens", 64])");
        for (const Json& size : json[key]) {
            if (size.is_number_integer())
                item.shape.push_back(std::to_string(size.get<std::int64_t>()));
            else if (size.is_string())
                item.shape.push_back(size.get<std::string>());
            else
                return bad("a size of the shape is neither a whole number nor a name", item.place,
                           "write a number, the name of a size, or a product as \"tokens*heads\"");
        }
        return {};
    }

    /// Its name, once in the whole file.
    Result<void> readName(const Json& json, GraphItem& item, const char* what)
    {
        if (!json.is_object())
            return bad(fmt::format("{} is no JSON object", what), m_file, R"(write {"name": "x", …})");
        item.name = textOf(json, "name");
        if (item.name.empty())
            return bad(fmt::format("{} has no name", what), m_file, R"(write "name": "h")");
        item.place = fmt::format("{}: '{}'", m_file, item.name);
        if (std::ranges::any_of(item.name, [](char c) { return (c >= 0 && c < ' ') || c == 127 || c == '\\'; }))
            return bad("a name has a control character or a \\", m_file + ": " + what, "take letters, digits and _");
        if (item.name.find('.') != std::string::npos)
            return bad(fmt::format("the name '{}' has a dot", item.name), item.place,
                       "take another sign: 'p.max' is the name of a part of 'p'");
        if (!m_names.insert(item.name).second)
            return bad(fmt::format("the name '{}' is there twice", item.name), item.place, "rename one of the two",
                       "duplicate-name");
        if (m_names.size() > kMostItems)
            return bad(fmt::format("more than {} values", kMostItems), m_file, "take a smaller graph");
        return {};
    }

    Result<GraphItem> readInput(const Json& json)
    {
        GraphItem item;
        if (auto done = readName(json, item, "an input"); !done)
            return done.error();
        if (auto known = onlyKeys(json, {"name", "shape", "positive"}, item.place); !known)
            return known.error();
        item.op = "input";
        if (auto done = readFlag(json, "positive", item, item.positive); !done)
            return done.error();
        if (auto done = readShape(json, "shape", item); !done)
            return done.error();
        return item;
    }

    /// What the operator has no use for would be left out without a word.
    Result<void> onlyWhatItTakes(const Json& json, const GraphItem& item)
    {
        Op op = Op::Input;
        const OpInfo* info = opNamed(item.op, op);
        std::vector<std::string_view> takes;
        if (item.op == "branch")
            takes = {"above", "then", "else"};
        else if (info && info->kind == OpClass::Reduction)
            takes = {"axis", "keep"};
        else if (info && info->kind == OpClass::Elementwise && info->operands == 2)
            takes = {"value"};
        else if (op == Op::Permute)
            takes = {"axes"};
        else if (op == Op::Reshape || op == Op::Expand)
            takes = {"shape"};
        else if (op == Op::Slice)
            takes = {"axis", "start", "stop"};
        for (const auto& [key, value] : json.items())
            if (key != "name" && key != "op" && key != "of" && std::ranges::find(takes, key) == takes.end())
                return bad(fmt::format("{} takes no \"{}\"", item.op, key), item.place,
                           compositeNamed(item.op) && key == "axis"
                               ? "it runs over the last axis: permute before and after it, or build it from primitives"
                               : "take it out");
        return {};
    }

    static Error noWhole(const char* key, const GraphItem& item)
    {
        return bad(fmt::format("\"{}\" is no whole number of an axis", key), item.place,
                   "write 0, 1 … or -1 for the last");
    }
    static bool isAxis(const Json& json)
    {
        return json.is_number_integer() && json.get<std::int64_t>() >= -8 && json.get<std::int64_t>() <= 8;
    }
    Result<void> readFlag(const Json& json, const char* key, const GraphItem& item, bool& into)
    {
        if (!json.contains(key))
            return {};
        if (!json[key].is_boolean())
            return bad(fmt::format("\"{}\" is neither true nor false", key), item.place,
                       fmt::format("write \"{}\": {}", key, into ? "false" : "true"));
        into = json[key].get<bool>();
        return {};
    }

    Result<void> readNumbers(const Json& json, GraphItem& item)
    {
        if (json.contains("value")) {
            if (!json["value"].is_number())
                return bad("\"value\" is no number", item.place, "write a number");
            item.value = json["value"].get<double>();
            if (std::fabs(*item.value) > static_cast<double>(std::numeric_limits<float>::max()))
                return bad("\"value\" is larger than a float", item.place, "take a number up to 3.4e38");
        }
        if (json.contains("axis")) {
            if (!isAxis(json["axis"]))
                return noWhole("axis", item);
            item.axis = json["axis"].get<int>();
        }
        if (auto done = readFlag(json, "keep", item, item.keep); !done)
            return done;
        if (json.contains("above")) {
            if (!json["above"].is_number())
                return bad("\"above\" is no number", item.place, "write the number that the branch compares with");
            item.above = json["above"].get<double>();
        }
        if (json.contains("axes")) {
            if (!json["axes"].is_array())
                return bad("\"axes\" is no list", item.place, "name each axis once: [1, 0]");
            for (const Json& axis : json["axes"]) {
                if (!isAxis(axis))
                    return noWhole("axes", item);
                item.axes.push_back(axis.get<int>());
            }
        }
        const auto size = [&](const char* key, std::string& into) {
            if (json.contains(key))
                into = json[key].is_string() ? json[key].get<std::string>() : json[key].dump();
        };
        size("start", item.start);
        size("stop", item.stop);
        return {};
    }

    Result<void> checkOperator(const Json& json, const GraphItem& item)
    {
        const Composite* composite = compositeNamed(item.op);
        Op op = Op::Input;
        const OpInfo* info = opNamed(item.op, op);
        const bool host = item.op == "print" || item.op == "branch";
        if (!composite && !info && !host) {
            auto known = opNames();
            for (const Composite& each : kComposites)
                known.emplace_back(each.name);
            known.insert(known.end(), {"print", "branch"});
            return bad(fmt::format("there is no operator \"{}\"{}", item.op, didYouMean(item.op, known)), item.place,
                       "take an operator of the list, or build it from primitives", "unknown-operator");
        }
        const std::size_t wanted = composite ? composite->operands
                                   : host    ? 1
                                             : static_cast<std::size_t>(info->operands);
        const bool number = info && info->kind == OpClass::Elementwise && info->operands == 2 && item.value;
        if (item.of.size() != wanted - (number ? 1 : 0))
            return bad(fmt::format("{} takes {} operand{}, and \"of\" has {}", item.op, wanted, wanted == 1 ? "" : "s",
                                   item.of.size()),
                       item.place,
                       wanted == 2 && !number ? "name two values, or one and \"value\": a number"
                                              : "name as many values as it takes");
        if (info && info->kind == OpClass::View && (op == Op::Reshape || op == Op::Expand) && item.shape.empty() &&
            !json.contains("shape"))
            return bad(item.op + " has no shape", item.place, R"(write "shape": ["tokens", 64])");
        if (op == Op::Slice && (item.start.empty() || item.stop.empty()))
            return bad("slice has no start or no stop", item.place, R"(write "axis": 1, "start": 0, "stop": 64)");
        return {};
    }

    Result<GraphItem> readItem(const Json& json, int depth)
    {
        GraphItem item;
        if (auto done = readName(json, item, "an operator"); !done)
            return done.error();
        if (auto known = onlyKeys(json,
                                  {"name", "op", "of", "value", "axis", "keep", "axes", "shape", "start", "stop",
                                   "above", "then", "else"},
                                  item.place);
            !known)
            return known.error();
        item.op = textOf(json, "op");
        if (json.contains("of") && json["of"].is_array())
            for (const Json& name : json["of"])
                item.of.push_back(name.is_string() ? name.get<std::string>() : name.dump());
        if (auto done = readNumbers(json, item); !done)
            return done.error();
        if (json.contains("shape"))
            if (auto done = readShape(json, "shape", item); !done)
                return done.error();
        if (auto done = checkOperator(json, item); !done)
            return done.error();
        if (auto done = onlyWhatItTakes(json, item); !done)
            return done.error();
        if (item.op != "branch")
            return item;
        if (depth > 0)
            return bad("a branch inside the arm of a branch", item.place, "take it out of the arm");
        for (const char* key : {"then", "else"}) {
            auto arm = readArm(json, key, item.place, depth);
            if (!arm)
                return arm.error();
            (std::string_view(key) == "then" ? item.then : item.otherwise) =
                std::make_shared<const GraphArm>(std::move(*arm));
        }
        return item;
    }

    Result<GraphArm> readArm(const Json& json, const char* key, const std::string& place, int depth)
    {
        const std::string fix = fmt::format(R"(write "{}": {{"ops": [ … ], "gives": "name"}})", key);
        if (!json.contains(key) || !json[key].is_object() || textOf(json[key], "gives").empty())
            return bad(fmt::format("the branch has no \"{}\" that gives a value", key), place, fix);
        GraphArm arm;
        arm.gives = textOf(json[key], "gives");
        if (json[key].contains("ops")) {
            auto items = readItems(json[key]["ops"], depth + 1);
            if (!items)
                return items.error();
            arm.items = std::move(*items);
        }
        for (const GraphItem& item : arm.items)
            if (item.op == "print")
                return bad("a print inside the arm of a branch", item.place, "take it out of the arm");
        return arm;
    }

    Result<std::vector<GraphItem>> readItems(const Json& list, int depth)
    {
        std::vector<GraphItem> items;
        if (!list.is_array())
            return bad("\"ops\" is no list", m_file, R"(write "ops": [ … ])");
        for (const Json& entry : list) {
            auto item = readItem(entry, depth);
            if (!item)
                return item.error();
            items.push_back(std::move(*item));
        }
        return items;
    }

    std::string m_file;
    std::set<std::string> m_names;
};

// ---- order ----------------------------------------------------------------------------------------------------------

/// What an item reads, those of its arms too, and what it makes.
void readsOf(const GraphItem& item, std::vector<std::string>& reads, std::vector<std::string>& makes)
{
    reads.insert(reads.end(), item.of.begin(), item.of.end());
    makes.push_back(item.name);
    for (const auto& arm : {item.then, item.otherwise}) {
        if (!arm)
            continue;
        for (const GraphItem& inner : arm->items)
            readsOf(inner, reads, makes);
        reads.push_back(arm->gives);
    }
}

/// Items so that each comes after what it reads, otherwise as written.
class Sorter {
public:
    Sorter(std::vector<GraphItem>& items, std::set<std::string> known) : m_items(items), m_known(std::move(known)) {}

    Result<void> sort()
    {
        for (std::size_t i = 0; i < m_items.size(); ++i) {
            std::vector<std::string> makes;
            m_reads.emplace_back();
            readsOf(m_items[i], m_reads.back(), makes);
            for (const std::string& name : makes)
                m_maker[name] = i;
        }
        m_state.assign(m_items.size(), 0);
        for (std::size_t i = 0; i < m_items.size(); ++i)
            if (auto done = visit(i); !done)
                return done;
        std::vector<GraphItem> sorted;
        for (const std::size_t i : m_order)
            sorted.push_back(std::move(m_items[i]));
        m_items = std::move(sorted);
        return {};
    }

private:
    Result<void> visit(std::size_t i)
    {
        if (m_state[i] == 2)
            return {};
        m_state[i] = 1;
        m_way.push_back(i);
        for (const std::string& name : m_reads[i]) {
            const auto maker = m_maker.find(name);
            if (maker == m_maker.end()) {
                if (m_known.contains(name))
                    continue;
                std::vector<std::string> all(m_known.begin(), m_known.end());
                for (const auto& [known, at] : m_maker)
                    all.push_back(known);
                return bad(fmt::format("there is no value '{}'{}", name, didYouMean(name, all)), m_items[i].place,
                           "name an input or another operator", "unknown-value");
            }
            if (maker->second == i)
                if (m_items[i].op != "branch" || name == m_items[i].name)
                    return circle(i);
            if (maker->second == i)
                continue; // inside a branch: sorted there
            if (m_state[maker->second] == 1)
                return circle(maker->second);
            if (auto done = visit(maker->second); !done)
                return done;
        }
        m_way.pop_back();
        m_state[i] = 2;
        m_order.push_back(i);
        return {};
    }

    Error circle(std::size_t at) const
    {
        std::string way;
        const auto first = std::ranges::find(m_way, at);
        const auto length = static_cast<std::size_t>(m_way.end() - first);
        for (std::size_t i = 0; i < std::min(length, kMostOfWay); ++i)
            way += "'" + m_items[first[static_cast<std::ptrdiff_t>(i)]].name + "' needs ";
        if (length > kMostOfWay)
            way += fmt::format("… ({} operators) needs ", length);
        return bad(fmt::format("the graph has a cycle: {}'{}'", way, m_items[at].name), m_items[at].place,
                   "let one of them read another value", "cycle");
    }

    std::vector<GraphItem>& m_items;
    std::set<std::string> m_known;
    std::vector<std::vector<std::string>> m_reads;
    std::map<std::string, std::size_t> m_maker;
    std::vector<int> m_state; ///< 0 not seen, 1 on the way, 2 done
    std::vector<std::size_t> m_way, m_order;
};

/// A name that something has, but no value that can be read here.
Error gone(const std::string& name, const std::string& place)
{
    return bad(fmt::format("'{}' is no value here: it is a print, or inside an arm of a branch", name), place,
               "read what is printed itself, or what the branch gives", "unknown-value");
}

Result<void> sortAll(std::vector<GraphItem>& items, const std::set<std::string>& known)
{
    if (auto done = Sorter(items, known).sort(); !done)
        return done;
    std::set<std::string> here = known;
    for (GraphItem& item : items) {
        for (const std::string& name : item.of)
            if (!here.contains(name))
                return gone(name, item.place);
        for (auto* arm : {&item.then, &item.otherwise}) {
            if (!*arm)
                continue;
            auto sorted = std::make_shared<GraphArm>(**arm);
            if (auto done = sortAll(sorted->items, here); !done)
                return done;
            std::set<std::string> inside = here;
            for (const GraphItem& each : sorted->items)
                inside.insert(each.name);
            if (!inside.contains(sorted->gives))
                return bad(fmt::format("the arm gives '{}', which it does not know", sorted->gives), item.place,
                           "name a value of the arm, or one from before the branch", "unknown-value");
            *arm = sorted;
        }
        if (item.op != "print")
            here.insert(item.name);
    }
    return {};
}

/// Every value is read by somebody or is an output.
Result<void> checkUsed(const GraphFile& file)
{
    std::vector<std::string> reads = file.outputs, makes;
    for (const GraphItem& item : file.items)
        readsOf(item, reads, makes);
    const std::set<std::string> used(reads.begin(), reads.end());
    const std::set<std::string> made(makes.begin(), makes.end());
    for (const std::string& name : file.outputs)
        if (!made.contains(name))
            return bad(fmt::format("the output '{}' is made by no operator", name), file.id + ": outputs",
                       "name a value that an operator makes", "unknown-value");
        else if (std::ranges::none_of(file.items,
                                      [&](const GraphItem& item) { return item.op != "print" && item.name == name; }))
            return gone(name, file.id + ": outputs");
    const std::function<Result<void>(const std::vector<GraphItem>&)> all =
        [&](const std::vector<GraphItem>& items) -> Result<void> {
        for (const GraphItem& item : items) {
            if (item.op != "print" && !used.contains(item.name))
                return bad(fmt::format("nobody reads '{}'", item.name), item.place,
                           "take it out, read it, or add it to \"outputs\"", "unused-value");
            for (const auto& arm : {item.then, item.otherwise})
                if (arm)
                    if (auto done = all(arm->items); !done)
                        return done;
        }
        return {};
    };
    if (auto done = all(file.inputs); !done)
        return done;
    return all(file.items);
}

// ---- binding --------------------------------------------------------------------------------------------------------

class Binder {
public:
    Binder(const GraphFile& file, const BindOptions& options) : m_file(file), m_options(options) {}

    Result<Graph> bind()
    {
        m_graph.title = m_file.title;
        for (std::size_t i = 0; i < m_file.sizes.size(); ++i) {
            const GraphSize& size = m_file.sizes[i];
            m_sizes[size.name] = i == 0 && m_options.varying > 0 ? m_options.varying
                                 : m_options.small               ? size.small
                                                                 : size.full;
        }
        for (const GraphItem& item : m_file.inputs) {
            Node node;
            node.name = item.name;
            node.positive = item.positive;
            if (auto shape = shapeOf(item); !shape)
                return shape.error();
            else
                node.shape = std::move(*shape);
            if (auto done = add(std::move(node), item); !done)
                return done.error();
        }
        if (auto done = addAll(m_file.items); !done)
            return done.error();
        for (const std::string& name : m_file.outputs)
            m_graph.outputs.push_back(m_where.at(name));
        dropUnused();
        if (std::ranges::all_of(m_graph.nodes, [](const Node& node) {
                return classOf(node) == OpClass::Input || classOf(node) == OpClass::View;
            }))
            return bad("the graph computes nothing: views make no kernel", m_file.id,
                       "add an operator that makes numbers");
        return std::move(m_graph);
    }

private:
    /// Without its prints a graph may hold what only they read.
    void dropUnused()
    {
        std::vector<int> place(m_graph.nodes.size(), -1);
        std::vector<bool> used(m_graph.nodes.size(), false);
        for (const int output : m_graph.outputs)
            used[static_cast<std::size_t>(output)] = true;
        for (const Stop& stop : m_graph.stops)
            used[static_cast<std::size_t>(stop.node)] = true;
        std::vector<Node> kept;
        for (std::size_t n = m_graph.nodes.size(); n-- > 0;)
            if (used[n] = used[n] || m_graph.nodes[n].kept; used[n])
                for (const int from : m_graph.nodes[n].of)
                    used[static_cast<std::size_t>(from)] = true;
        for (std::size_t n = 0; n < m_graph.nodes.size(); ++n) {
            if (!used[n])
                continue;
            place[n] = static_cast<int>(kept.size());
            for (int& from : m_graph.nodes[n].of)
                from = place[static_cast<std::size_t>(from)];
            kept.push_back(std::move(m_graph.nodes[n]));
        }
        m_graph.nodes = std::move(kept);
        for (int& output : m_graph.outputs)
            output = place[static_cast<std::size_t>(output)];
        for (Stop& stop : m_graph.stops)
            stop.node = place[static_cast<std::size_t>(stop.node)];
    }

    Result<std::int64_t> sizeOf(const std::string& text, const std::string& place) const
    {
        std::int64_t product = 1;
        std::size_t from = 0;
        while (from <= text.size()) {
            const std::size_t to = std::min(text.find('*', from), text.size());
            std::string factor = text.substr(from, to - from);
            factor.erase(0, factor.find_first_not_of(' '));
            factor.erase(factor.find_last_not_of(' ') + 1);
            from = to + 1;
            const bool digits =
                !factor.empty() && factor.size() <= 10 && factor.find_first_not_of("0123456789") == std::string::npos;
            const auto named = m_sizes.find(factor);
            if (!digits && named == m_sizes.end()) {
                std::vector<std::string> known;
                for (const auto& [name, value] : m_sizes)
                    known.push_back(name);
                return bad(fmt::format("'{}' is neither a number nor a size of the graph{}", factor,
                                       known.empty() ? "" : didYouMean(factor, known)),
                           place, "write it under \"sizes\", or give a number from 0 on", "bad-size");
            }
            product *= digits ? std::stoll(factor) : named->second;
            if (product > kMostSize)
                return bad(fmt::format("the size '{}' is above 2^30", text), place, "take smaller sizes", "bad-size");
        }
        return product;
    }

    Result<Shape> shapeOf(const GraphItem& item) const
    {
        Shape shape;
        for (const std::string& text : item.shape) {
            const auto size = sizeOf(text, item.place);
            if (!size)
                return size.error();
            if (*size < 1)
                return bad(fmt::format("'{}' has an axis of size {}", item.name, *size), item.place,
                           "take sizes from 1 on", "bad-size");
            shape.push_back(*size);
        }
        if (shape.size() > 8)
            return bad(fmt::format("'{}' has {} axes", item.name, shape.size()), item.place, "take at most 8",
                       "bad-shape");
        return shape;
    }

    Result<int> add(Node node, const GraphItem& item)
    {
        if (auto done = inferShape(m_graph.nodes, node, item.place); !done)
            return done.error();
        if (m_graph.nodes.size() >= kMostNodes)
            return bad(fmt::format("more than {} operators, softmax and norms written out", kMostNodes), item.place,
                       "take a smaller graph");
        node.segment = static_cast<int>(m_graph.stops.size());
        const int at = static_cast<int>(m_graph.nodes.size());
        m_where[node.name] = at;
        m_graph.nodes.push_back(std::move(node));
        return at;
    }

    Result<int> addOp(const GraphItem& item, std::string name, Op op, std::vector<int> of,
                      std::optional<double> value = {})
    {
        Node node;
        node.name = std::move(name);
        node.op = op;
        node.of = std::move(of);
        node.hasValue = value.has_value();
        node.value = value.value_or(0);
        node.axis = item.axis.value_or(-1);
        node.keep = item.keep;
        return add(std::move(node), item);
    }

    Result<void> addAll(const std::vector<GraphItem>& items)
    {
        for (const GraphItem& item : items)
            if (auto done = addItem(item); !done)
                return done;
        return {};
    }

    Result<void> addItem(const GraphItem& item)
    {
        std::vector<int> of;
        for (const std::string& name : item.of)
            of.push_back(m_where.at(name));
        if (item.op == "print")
            return addPrint(item, of[0]);
        if (item.op == "branch")
            return addBranch(item, of[0]);
        if (compositeNamed(item.op))
            return addComposite(item, of);
        Node node;
        opNamed(item.op, node.op);
        node.name = item.name;
        node.of = std::move(of);
        node.hasValue = item.value.has_value();
        node.value = item.value.value_or(0);
        node.axis = item.axis.value_or(-1);
        node.keep = item.keep;
        node.axes = item.axes;
        if (node.op == Op::Reshape || node.op == Op::Expand) {
            auto shape = shapeOf(item);
            if (!shape)
                return shape.error();
            node.shape = std::move(*shape);
        } else if (node.op == Op::Slice) {
            const auto start = sizeOf(item.start, item.place), stop = sizeOf(item.stop, item.place);
            if (!start)
                return start.error();
            if (!stop)
                return stop.error();
            node.start = *start;
            node.shape = {*stop};
        }
        if (auto done = add(std::move(node), item); !done)
            return done.error();
        return {};
    }

    /// A step of a composite: part `p`, with what the steps before it made.
    struct Step {
        const char* part;
        Op op;
        int first, second; ///< -1, -2, -3: operand 0, 1, 2; from 0 on: a step before; kNone
        double value;
    };
    static constexpr int kNone = -9;

    Result<void> addComposite(const GraphItem& item, const std::vector<int>& of)
    {
        static const std::vector<Step> softmax{{".max", Op::Amax, -1, kNone, 0},
                                               {".sub", Op::Sub, -1, 0, 0},
                                               {".exp", Op::Exp, 1, kNone, 0},
                                               {".sum", Op::Sum, 2, kNone, 0},
                                               {"", Op::Div, 2, 3, 0}};
        static const std::vector<Step> layernorm{
            {".mean", Op::Mean, -1, kNone, 0}, {".centre", Op::Sub, -1, 0, 0},    {".square", Op::Square, 1, kNone, 0},
            {".var", Op::Mean, 2, kNone, 0},   {".eps", Op::Add, 3, kNone, 1e-5}, {".rstd", Op::Rsqrt, 4, kNone, 0},
            {".norm", Op::Mul, 1, 5, 0},       {".scale", Op::Mul, 6, -2, 0},     {"", Op::Add, 7, -3, 0}};
        static const std::vector<Step> rmsnorm{{".square", Op::Square, -1, kNone, 0}, {".mean", Op::Mean, 0, kNone, 0},
                                               {".eps", Op::Add, 1, kNone, 1e-5},     {".rstd", Op::Rsqrt, 2, kNone, 0},
                                               {".norm", Op::Mul, -1, 3, 0},          {"", Op::Mul, 4, -2, 0}};
        const auto& steps = item.op == "softmax" ? softmax : item.op == "layernorm" ? layernorm : rmsnorm;
        GraphItem last = item;
        last.axis = -1;
        last.keep = true;
        std::vector<int> made;
        for (const Step& step : steps) {
            const auto at = [&](int which) {
                return which < 0 ? of[static_cast<std::size_t>(-which - 1)] : made[static_cast<std::size_t>(which)];
            };
            std::vector<int> operands{at(step.first)};
            if (step.second != kNone)
                operands.push_back(at(step.second));
            const bool number = step.op == Op::Add && step.second == kNone;
            auto node = addOp(last, item.name + step.part, step.op, std::move(operands),
                              number ? std::optional(step.value) : std::nullopt);
            if (!node)
                return node.error();
            made.push_back(*node);
        }
        return {};
    }

    Result<void> addPrint(const GraphItem& item, int node)
    {
        if (!m_options.breaks)
            return {};
        m_graph.stops.push_back({item.name, node, false, 0, true});
        m_graph.nodes[static_cast<std::size_t>(sourceOf(m_graph, node))].kept = true;
        return {};
    }

    Result<void> addBranch(const GraphItem& item, int node)
    {
        const Node& read = m_graph.nodes[static_cast<std::size_t>(node)];
        if (countOf(read.shape) != 1)
            return bad(fmt::format("the branch reads '{}' {}, which is not one number", read.name, toText(read.shape)),
                       item.place, "reduce it to one element first", "bad-shape");
        if (!m_options.breaks) {
            int gives[2] = {};
            for (const bool then : {true, false}) {
                const GraphArm& arm = then ? *item.then : *item.otherwise;
                if (auto done = addAll(arm.items); !done)
                    return done;
                gives[then ? 0 : 1] = m_where.at(arm.gives);
            }
            const auto test = addOp(item, item.name + ".test", Op::Greater, {node}, item.above);
            if (!test)
                return test.error();
            auto chosen = addOp(item, item.name, Op::Where, {*test, gives[0], gives[1]});
            if (!chosen)
                return chosen.error();
            return {};
        }
        const bool then = m_branch >= m_options.arms.size() || m_options.arms[m_branch];
        ++m_branch;
        // What either arm reads has to be in memory when the host decides.
        for (const auto& arm : {item.then, item.otherwise}) {
            std::vector<std::string> reads{arm->gives}, makes;
            for (const GraphItem& inner : arm->items)
                readsOf(inner, reads, makes);
            for (const std::string& name : reads)
                if (const auto found = m_where.find(name); found != m_where.end())
                    m_graph.nodes[static_cast<std::size_t>(sourceOf(m_graph, found->second))].kept = true;
        }
        m_graph.nodes[static_cast<std::size_t>(sourceOf(m_graph, node))].kept = true;
        m_graph.stops.push_back({item.name, node, true, item.above, then});
        const GraphArm& arm = then ? *item.then : *item.otherwise;
        if (auto done = addAll(arm.items); !done)
            return done;
        m_where[item.name] = m_where.at(arm.gives);
        return {};
    }

    const GraphFile& m_file;
    const BindOptions& m_options;
    std::map<std::string, std::int64_t> m_sizes;
    std::map<std::string, int> m_where;
    std::size_t m_branch = 0;
    Graph m_graph;
};

} // namespace

Result<GraphFile> parseGraph(std::string_view text, const std::string& place)
{
    const auto json = parseJson(text, place);
    if (!json)
        return json.error();
    auto file = Reader(place).read(*json);
    if (!file)
        return file.error();
    if (file->id.empty())
        file->id = place;
    std::set<std::string> inputs;
    for (const GraphItem& item : file->inputs)
        inputs.insert(item.name);
    if (auto done = sortAll(file->items, inputs); !done)
        return done.error();
    if (auto done = checkUsed(*file); !done)
        return done.error();
    for (const GraphItem& item : file->items) {
        file->branches += item.op == "branch";
        file->prints += item.op == "print";
    }
    return file;
}

Result<std::vector<GraphFile>> shippedGraphs()
{
    const auto data = dataFolder();
    if (!data)
        return data.error();
    const auto folder = *data / "assets" / "graphs";
    std::vector<std::filesystem::path> paths;
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(folder, failed))
        if (entry.path().extension() == ".json")
            paths.push_back(entry.path());
    if (failed || paths.empty())
        return Error{"cannot-read", "there are no graphs", folder.string(), "install the assets again"};
    std::ranges::sort(paths);
    std::vector<GraphFile> all;
    for (const auto& path : paths) {
        const auto text = readFile(path);
        if (!text)
            return text.error();
        auto file = parseGraph(*text, path.filename().string());
        if (!file)
            return file.error();
        all.push_back(std::move(*file));
    }
    return all;
}

Result<Graph> bindGraph(const GraphFile& file, const BindOptions& options)
{
    return Binder(file, options).bind();
}

} // namespace ridge::graphs
