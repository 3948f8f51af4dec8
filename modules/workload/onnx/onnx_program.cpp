// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/onnx/onnx_program.h"

#include <algorithm>

namespace ridge::workload {
namespace {

constexpr std::size_t kMostSteps = 50000, kMostCopied = 10000000;
constexpr std::int64_t kOldestOpset = 7, kNewestOpset = 27;
constexpr int kMostDepth = 8;

/// Writes functions and branches out into one list.
class Writer {
public:
    Writer(const OnnxFile& file, const std::string& place, const OnnxChoices& choices)
        : m_file(file), m_choices(choices)
    {
        m_out.place = place;
    }

    Result<OnnxProgram> write()
    {
        checkOpset();
        Names names;
        const OnnxGraph& graph = m_file.graph;
        if (graph.nodes.empty())
            fail("", "the graph has no nodes", "export the model again");
        addTensors(graph, names);
        for (const OnnxValue& input : graph.inputs) {
            if (names.contains(input.name))
                continue; // older files list weights as inputs, too
            const int value = make(input.name, names);
            told(value, &input);
            m_out.inputs.push_back(value);
        }
        std::map<std::string, const OnnxValue*> values;
        for (const auto* list : {&graph.values, &graph.outputs})
            for (const OnnxValue& each : *list)
                values.emplace(each.name, &each);
        addNodes(graph.nodes, names, values, "", 0);
        for (const OnnxValue& output : graph.outputs) {
            const auto found = names.find(output.name);
            if (found == names.end())
                fail("", "the output \"" + output.name + "\" is made by no node", "export the model again");
            else
                m_out.outputs.push_back(found->second);
        }
        if (m_error)
            return *m_error;
        return std::move(m_out);
    }

private:
    using Names = std::map<std::string, int>;

    void fail(const std::string& where, const std::string& what, const std::string& fix)
    {
        if (!m_error)
            m_error = Error{"bad-onnx", what, where.empty() ? m_out.place : m_out.place + ": " + where, fix};
    }
    static std::string shown(const OnnxNode& node, std::size_t number)
    {
        if (!node.name.empty())
            return node.name;
        if (!node.outputs.empty() && !node.outputs.front().empty())
            return node.op + " of " + node.outputs.front();
        return node.op + " " + std::to_string(number);
    }

    void checkOpset()
    {
        const auto found = m_file.opsets.find("");
        m_out.opset = found == m_file.opsets.end() ? kNewestOpset : found->second;
        if (found == m_file.opsets.end())
            m_out.assumed.push_back("the file names no opset: its operators are read as in opset " +
                                    std::to_string(kNewestOpset));
        else if (m_out.opset < kOldestOpset)
            fail("opset_import",
                 "opset " + std::to_string(m_out.opset) + " is too old: its operators have other rules for sizes",
                 "convert it with onnx.version_converter.convert_version(model, 17)");
        else if (m_out.opset > kNewestOpset)
            m_out.assumed.push_back("opset " + std::to_string(m_out.opset) +
                                    " is newer than those known here: its operators are read as in opset " +
                                    std::to_string(kNewestOpset));
    }

    int make(const std::string& name, Names& names)
    {
        const int value = static_cast<int>(m_out.values.size());
        m_out.values.push_back(name);
        m_out.tensors.push_back(nullptr);
        m_out.told.push_back(nullptr);
        if (!name.empty() && !names.emplace(name, value).second)
            fail("\"" + name + "\"", "two nodes or inputs make the value \"" + name + "\"", "export the model again");
        return value;
    }
    void told(int value, const OnnxValue* what) { m_out.told[static_cast<std::size_t>(value)] = what; }

    void addTensors(const OnnxGraph& graph, Names& names)
    {
        for (const OnnxTensor& each : graph.initializers)
            m_out.tensors[static_cast<std::size_t>(make(each.name, names))] = &each;
    }

    const OnnxFunction* functionOf(const OnnxNode& node) const
    {
        for (const OnnxFunction& each : m_file.functions)
            if (each.name == node.op && each.domain == node.domain)
                return &each;
        return nullptr;
    }

    /// Nodes in an order in which each has what it reads.
    std::vector<std::size_t> inOrder(const std::vector<OnnxNode>& nodes, const Names& names, const std::string& prefix)
    {
        std::map<std::string_view, std::size_t> makers;
        for (std::size_t i = 0; i < nodes.size(); ++i)
            for (const std::string& out : nodes[i].outputs)
                if (!out.empty() && !makers.emplace(out, i).second)
                    fail(prefix + shown(nodes[i], i), "two nodes make the value \"" + out + "\"",
                         "export the model again");
        std::vector<std::vector<std::size_t>> readers(nodes.size());
        std::vector<std::size_t> waits(nodes.size(), 0), ready, order;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const auto wait = [&](const std::string& name) {
                const auto found = makers.find(name);
                if (found != makers.end()) {
                    readers[found->second].push_back(i);
                    ++waits[i];
                } else if (!name.empty() && !names.contains(name)) {
                    fail(prefix + shown(nodes[i], i),
                         "it reads \"" + name + "\", which is no input, no weight and made by no node",
                         "export the model again");
                }
            };
            for (const std::string& name : nodes[i].inputs)
                wait(name);
            // A branch reads values of the graph around it.
            for (const OnnxAttribute& attribute : nodes[i].attributes)
                if (attribute.graph)
                    for (const std::string& name : readOutside(*attribute.graph, 0))
                        if (makers.contains(name))
                            wait(name);
        }
        for (std::size_t i = nodes.size(); i-- > 0;)
            if (waits[i] == 0)
                ready.push_back(i);
        while (!ready.empty()) {
            const std::size_t at = ready.back();
            ready.pop_back();
            order.push_back(at);
            for (std::size_t i = readers[at].size(); i-- > 0;)
                if (--waits[readers[at][i]] == 0)
                    ready.push_back(readers[at][i]);
        }
        if (order.size() != nodes.size() && !m_error)
            for (std::size_t i = 0; i < nodes.size(); ++i)
                if (waits[i] > 0) {
                    fail(prefix + shown(nodes[i], i), "nodes wait for each other in a circle, this one among them",
                         "export the model again");
                    break;
                }
        // As the file has them where that is an order, which is what a reader expects.
        std::vector<std::size_t> rank(nodes.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            rank[order[i]] = i;
        bool plain = true;
        for (std::size_t i = 0; i < nodes.size() && plain; ++i)
            for (const std::size_t reader : readers[i])
                plain = plain && reader > i;
        if (plain)
            std::ranges::sort(order);
        return order;
    }
    static std::set<std::string> readOutside(const OnnxGraph& graph, int depth)
    {
        std::set<std::string> out;
        if (depth > kMostDepth)
            return out;
        for (const OnnxNode& node : graph.nodes) {
            out.insert(node.inputs.begin(), node.inputs.end());
            for (const OnnxAttribute& attribute : node.attributes)
                if (attribute.graph)
                    out.merge(readOutside(*attribute.graph, depth + 1));
        }
        for (const OnnxValue& each : graph.outputs)
            out.insert(each.name);
        return out;
    }

    void addNodes(const std::vector<OnnxNode>& nodes, Names& names,
                  const std::map<std::string, const OnnxValue*>& values, const std::string& prefix, int depth)
    {
        if (depth > kMostDepth)
            return fail(prefix, "functions and branches are nested more than 8 deep, or a function calls itself",
                        "export the model without functions (torch.onnx.export does so with optimize=True)");
        for (const std::size_t at : inOrder(nodes, names, prefix)) {
            if (m_error)
                return;
            addNode(nodes[at], at, names, values, prefix, depth);
        }
    }

    void addNode(const OnnxNode& node, std::size_t number, Names& names,
                 const std::map<std::string, const OnnxValue*>& values, const std::string& prefix, int depth)
    {
        const std::string name = prefix + shown(node, number);
        if (++m_visited > kMostSteps)
            return fail(name, "functions written out come to more than 50,000 nodes", "export a part of the model");
        if (const OnnxFunction* function = functionOf(node))
            return callFunction(*function, node, names, name, depth);
        if (node.op == "If" && node.domain.empty())
            return takeBranch(node, names, name, depth);
        OnnxStep step;
        step.node = &node;
        step.name = name;
        step.known = knownOperator(node);
        for (const std::string& in : node.inputs) {
            const auto found = names.find(in);
            step.in.push_back(found == names.end() ? -1 : found->second);
        }
        if (node.outputs.empty())
            return fail(name, "the node makes nothing", "export the model again");
        for (const std::string& out : node.outputs) {
            const int value = make(out, names);
            step.out.push_back(value);
            if (const auto found = values.find(out); found != values.end())
                told(value, found->second);
        }
        if (!step.known)
            m_out.unknown.insert(node.domain.empty() ? node.op : node.domain + "." + node.op);
        m_out.steps.push_back(std::move(step));
    }

    /// A function's nodes with the attributes of the call; names are the function's own.
    void callFunction(const OnnxFunction& function, const OnnxNode& node, Names& names, const std::string& name,
                      int depth)
    {
        Names inside;
        for (std::size_t i = 0; i < function.inputs.size(); ++i) {
            const auto found = i < node.inputs.size() ? names.find(node.inputs[i]) : names.end();
            inside.emplace(function.inputs[i], found == names.end() ? -1 : found->second);
        }
        std::vector<OnnxNode>& body = m_bodies.emplace_back(function.nodes);
        for (OnnxNode& each : body)
            for (OnnxAttribute& attribute : each.attributes) {
                if (attribute.from.empty())
                    continue;
                const OnnxAttribute* given = node.attribute(attribute.from);
                for (const OnnxAttribute& otherwise : function.defaults)
                    if (!given && otherwise.name == attribute.from)
                        given = &otherwise;
                const std::string kept = attribute.name;
                attribute = given ? *given : OnnxAttribute{};
                attribute.name = given ? kept : std::string(); // else the operator's own default
            }
        addNodes(body, inside, {}, name + "/", depth + 1);
        bind(function.outputs, inside, node, names, name);
    }
    /// The branch that was chosen, else the one that computes more.
    void takeBranch(const OnnxNode& node, Names& names, const std::string& name, int depth)
    {
        const OnnxGraph* arms[2] = {};
        for (const int arm : {0, 1}) {
            const char* key = arm == 0 ? "then_branch" : "else_branch";
            const OnnxAttribute* given = node.attribute(key);
            if (!given || !given->graph)
                return fail(name, std::string("the attribute ") + key + " is missing", "export the model again");
            arms[arm] = given->graph.get();
        }
        const auto chosen = m_choices.find(name);
        const bool then = chosen == m_choices.end() ? arms[0]->nodes.size() >= arms[1]->nodes.size() : chosen->second;
        const OnnxGraph* taken = arms[then ? 0 : 1];
        if (chosen == m_choices.end())
            m_out.assumed.push_back(name + ": its " + (then ? "then_branch" : "else_branch") +
                                    ", the longer one, is taken");
        const auto condition = node.inputs.empty() ? names.end() : names.find(node.inputs.front());
        m_out.branches.push_back({name, condition == names.end() ? -1 : condition->second, m_out.steps.size(), then});
        m_copied += names.size();
        if (m_copied > kMostCopied)
            return fail(name, "the graph has too many branches", "export the model without them");
        Names inside = names;
        for (const OnnxTensor& each : taken->initializers) {
            inside.erase(each.name);
            m_out.tensors[static_cast<std::size_t>(make(each.name, inside))] = &each;
        }
        std::map<std::string, const OnnxValue*> values;
        for (const auto* list : {&taken->values, &taken->outputs})
            for (const OnnxValue& each : *list)
                values.emplace(each.name, &each);
        addNodes(taken->nodes, inside, values, name + "/", depth + 1);
        std::vector<std::string> outputs;
        for (const OnnxValue& each : taken->outputs)
            outputs.push_back(each.name);
        bind(outputs, inside, node, names, name);
    }
    void bind(const std::vector<std::string>& outputs, const Names& inside, const OnnxNode& node, Names& names,
              const std::string& name)
    {
        for (std::size_t i = 0; i < node.outputs.size() && !m_error; ++i) {
            if (node.outputs[i].empty())
                continue;
            const auto found = i < outputs.size() ? inside.find(outputs[i]) : inside.end();
            if (found == inside.end() || found->second < 0)
                fail(name, "its output \"" + node.outputs[i] + "\" is made by no node", "export the model again");
            else if (!names.emplace(node.outputs[i], found->second).second)
                fail(name, "two nodes make the value \"" + node.outputs[i] + "\"", "export the model again");
        }
    }

    const OnnxFile& m_file;
    const OnnxChoices& m_choices;
    OnnxProgram m_out;
    std::deque<std::vector<OnnxNode>> m_bodies;
    std::optional<Error> m_error;
    std::size_t m_visited = 0, m_copied = 0;

public:
    std::deque<std::vector<OnnxNode>> takeBodies() { return std::move(m_bodies); }
};

} // namespace

Result<OnnxProgram> programOf(const OnnxFile& file, const std::string& place, const OnnxChoices& choices)
{
    Writer writer(file, place, choices);
    auto out = writer.write();
    if (out)
        out->written = writer.takeBodies();
    return out;
}

std::vector<std::int64_t> integersOf(const OnnxNode& node, std::string_view attribute)
{
    std::vector<std::int64_t> out;
    if (const OnnxAttribute* given = node.attribute(attribute))
        for (const double each : given->numbers)
            out.push_back(static_cast<std::int64_t>(std::clamp(each, -9e18, 9e18)));
    return out;
}

double numberOf(const OnnxNode& node, std::string_view attribute, double otherwise)
{
    const OnnxAttribute* given = node.attribute(attribute);
    return given ? given->number : otherwise;
}

std::string textOf(const OnnxNode& node, std::string_view attribute, std::string otherwise)
{
    const OnnxAttribute* given = node.attribute(attribute);
    return given ? given->text : std::move(otherwise);
}

} // namespace ridge::workload
