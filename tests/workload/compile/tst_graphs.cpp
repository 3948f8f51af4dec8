// SPDX-License-Identifier: GPL-3.0-or-later
// The graph compiler against counts made by hand from the rules at the head of fusion.h (hand_counts.json), its
// kernels against each operator by itself and against the rules asked plainly, and what a graph file may not say
// (bad_graphs.json).
#include "plain_fusion.h"

#include "base/json.h"
#include "tests/support/pace.h"
#include "workload/compile/compile_cost.h"
#include "workload/compile/graph_cuda.h"
#include "workload/compile/graph_file.h"
#include "workload/compile/graph_values.h"

#include <QtTest>

#include <chrono>
#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <tuple>

using namespace ridge;
using namespace ridge::graphs;

namespace {

Json readTable(const char* name)
{
    const auto path =
        std::filesystem::path(qEnvironmentVariable("RIDGE_SOURCE").toStdString()) / "tests/workload/compile" / name;
    const auto text = readFile(path);
    if (!text)
        qFatal("%s", toText(text.error()).c_str());
    const auto json = parseJson(*text, name);
    if (!json)
        qFatal("%s", toText(json.error()).c_str());
    return *json;
}

GraphFile fileOf(const Json& json)
{
    auto file = parseGraph(json.dump(), "test.json");
    if (!file)
        qFatal("%s", toText(file.error()).c_str());
    return *file;
}

GraphFile shipped(const std::string& id)
{
    const auto all = shippedGraphs();
    if (!all)
        qFatal("%s", toText(all.error()).c_str());
    for (const GraphFile& file : *all)
        if (file.id == id)
            return file;
    qFatal("no graph %s", id.c_str());
}

Graph boundTo(const GraphFile& file, BindOptions options)
{
    // The arms that the data choose at these sizes; a branch may lead to another arm of a later one.
    for (int branch = 0; branch < file.branches && options.small; ++branch) {
        const auto graph = bindGraph(file, options);
        if (!graph)
            qFatal("%s", toText(graph.error()).c_str());
        options.arms = evaluateGraph(*graph).arms;
    }
    auto graph = bindGraph(file, options);
    if (!graph)
        qFatal("%s", toText(graph.error()).c_str());
    return *graph;
}

const FusionRules kEager{false, false}, kSplit{true, false}, kRows{true, true};

QString kernelsOf(const Graph& graph, const Schedule& schedule)
{
    QString text;
    for (const Kernel& kernel : schedule.kernels) {
        text += QStringLiteral("{");
        for (const int n : kernel.nodes)
            text += QString::fromStdString(graph.nodes[std::size_t(n)].name) + QLatin1Char(' ');
        text += QStringLiteral("} ");
    }
    return text;
}

/// A graph that no person wrote: operators on what is there, outputs where nobody reads.
Json madeGraph(unsigned seed, int operators)
{
    std::mt19937 random(seed);
    const auto one = [&](int n) { return int(random() % unsigned(n)); };
    struct Value {
        std::string name;
        int kind; ///< 0 [r, w], 1 [r, 1], 2 [w, r]
    };
    std::vector<Value> values{{"x", 0}, {"y", 0}};
    Json graph{
        {"sizes", {{"r", {64, 5}}, {"w", {48, 7}}}},
        {"inputs", Json::array({{{"name", "x"}, {"shape", {"r", "w"}}}, {{"name", "y"}, {"shape", {"r", "w"}}}})},
        {"ops", Json::array()}};
    std::set<std::string> unread;
    const auto pick = [&](int kind) {
        std::vector<Value> fit;
        for (const Value& value : values)
            if (kind < 0 || value.kind == kind)
                fit.push_back(value);
        return fit.empty() ? Value{"", -1} : fit[std::size_t(one(int(fit.size())))];
    };
    static const char* unary[] = {"neg", "tanh", "sigmoid", "relu"};
    for (int i = 0; i < operators; ++i) {
        const std::string name = "v" + std::to_string(i);
        const Value a = pick(-1);
        Json op{{"name", name}};
        int kind = a.kind;
        const int what = one(10);
        std::vector<std::string> of{a.name};
        if (what < 3) {
            op["op"] = unary[one(4)];
        } else if (what < 6) {
            const Value b = pick(a.kind == 0 && one(3) == 0 ? 1 : a.kind);
            op["op"] = one(2) ? "add" : "mul";
            of.push_back(b.kind < 0 ? a.name : b.name);
        } else if (what < 8 && a.kind == 0) {
            op["op"] = one(2) ? "mean" : "amax";
            kind = 1;
        } else if (what == 8 && a.kind != 1) {
            op["op"] = "permute";
            op["axes"] = {1, 0};
            kind = 2 - a.kind;
        } else if (const Value b = pick(2); what == 9 && a.kind == 0 && b.kind == 2) {
            op["op"] = "matmul"; // [r, w] [w, r]: a column of it is an [r, 1]
            of.push_back(b.name);
            op["of"] = of;
            graph["ops"].push_back(op);
            unread.erase(a.name);
            unread.erase(b.name);
            of = {name};
            op = {{"name", name + "m"}, {"op", "mean"}};
            kind = 1;
        } else {
            op["op"] = "abs";
        }
        op["of"] = of;
        for (const std::string& read : of)
            unread.erase(read);
        graph["ops"].push_back(op);
        values.push_back({op["name"], kind});
        unread.insert(op["name"]);
    }
    graph["outputs"] = std::vector<std::string>(unread.begin(), unread.end());
    // An input that nobody reads is an error of the file.
    for (const char* input : {"x", "y"})
        graph["ops"].push_back({{"name", std::string("last_") + input}, {"op", "neg"}, {"of", {input}}});
    graph["outputs"].push_back("last_x");
    graph["outputs"].push_back("last_y");
    return graph;
}

/// The same with what madeGraph() leaves out: operators that nobody reads, values that are kept, segments, views of all
/// kinds, broadcasts and reductions of any axis.
Graph wildGraph(unsigned seed, int operators)
{
    std::mt19937 random(seed);
    const auto one = [&](int n) { return int(random() % unsigned(n)); };
    const std::vector<Shape> shapes{{4, 6},    {6, 4}, {4, 1}, {4},       {6},      {1},
                                    {2, 4, 6}, {4, 4}, {1, 6}, {4096, 3}, {3, 9000}};
    Graph graph;
    const int inputs = 1 + one(4), window = 1 + one(40), kinds = one(2) ? 3 : int(shapes.size());
    for (int i = 0; i < inputs; ++i)
        graph.nodes.emplace_back().shape = shapes[std::size_t(one(kinds))];
    int segment = 0;
    const bool stops = one(4) == 0;
    for (int tries = 0; tries < 6 * operators && int(graph.nodes.size()) < inputs + operators; ++tries) {
        const auto pick = [&] {
            const int all = int(graph.nodes.size()), first = one(5) == 0 ? 0 : std::max(0, all - window);
            return first + one(all - first);
        };
        Node node;
        node.name = "n" + std::to_string(graph.nodes.size());
        node.of = {pick()};
        node.segment = segment;
        node.kept = one(40) == 0;
        const Shape of = graph.nodes[std::size_t(node.of[0])].shape;
        const int rank = int(of.size()), what = one(100);
        const auto oneOf = [&](Op first, Op last) { return Op(int(first) + one(int(last) - int(first) + 1)); };
        if (what < 25) {
            node.op = oneOf(Op::Neg, Op::Gelu);
        } else if (what < 50) {
            node.op = oneOf(Op::Add, Op::Greater);
            if (node.hasValue = one(4) == 0; !node.hasValue)
                node.of.push_back(one(6) == 0 ? node.of[0] : pick());
        } else if (what < 53) {
            node.op = Op::Where;
            node.of.insert(node.of.end(), {pick(), pick()});
        } else if (what < 70) {
            node.op = oneOf(Op::Sum, Op::Amax);
            node.axis = one(4) ? -1 : one(rank + 1) - 1;
            node.keep = one(3) > 0;
        } else if (what < 78) {
            node.op = Op::Matmul;
            node.of.push_back(pick());
        } else if (what < 86) {
            node.op = Op::Permute;
            node.axes.resize(std::size_t(rank));
            std::iota(node.axes.begin(), node.axes.end(), 0);
            std::shuffle(node.axes.begin(), node.axes.end(), random);
        } else if (what < 91) {
            node.op = Op::Reshape;
            node.shape = one(2) ? of : shapes[std::size_t(one(int(shapes.size())))];
            if (node.shape == of)
                node.shape.insert(node.shape.begin() + one(rank + 1), 1);
        } else if (what < 95) {
            node.op = Op::Expand;
            node.shape = one(2) ? of : shapes[std::size_t(one(int(shapes.size())))];
            if (node.shape == of && rank > 0)
                node.shape.back() = 6;
        } else {
            node.op = Op::Slice;
            node.axis = one(std::max(rank, 1));
            node.start = one(3);
            node.shape = {node.start + 1 + one(6)};
            if (rank > 0 && one(4) == 0) {
                node.start = 0;
                node.shape = {of[std::size_t(node.axis)]}; // whole
            }
        }
        if (!inferShape(graph.nodes, node, "wild") || countOf(node.shape) > 1 << 22 || node.shape.size() > 6)
            continue;
        graph.nodes.push_back(std::move(node));
        if (stops && one(15) == 0) {
            graph.stops.emplace_back();
            ++segment;
        }
    }
    std::vector<bool> read(graph.nodes.size(), false);
    for (const Node& node : graph.nodes)
        for (const int from : node.of)
            read[std::size_t(from)] = true;
    for (std::size_t n = 0; n < graph.nodes.size(); ++n)
        if ((!read[n] && one(8) != 0) || one(30) == 0)
            graph.outputs.push_back(int(n));
    return graph;
}

/// `layers` times the same, one after the other: a kernel of all of it, or kernels between products.
Json repeated(const char* what, int layers)
{
    Json graph{{"sizes", {{"r", {64, 5}}, {"w", {48, 48}}}},
               {"inputs", Json::array({{{"name", "x"}, {"shape", {"r", "w"}}},
                                       {{"name", "g"}, {"shape", {"w"}}},
                                       {{"name", "m"}, {"shape", {"w", "w"}}}})},
               {"ops", Json::array()}};
    std::string last = "x";
    const auto add = [&](const char* op, std::vector<std::string> of) -> Json& {
        last = "v" + std::to_string(graph["ops"].size());
        graph["ops"].push_back({{"name", last}, {"op", op}, {"of", std::move(of)}});
        return graph["ops"].back();
    };
    add("mul", {last, "g"});
    add("matmul", {last, "m"});
    const std::string way = what;
    for (int i = 0; i < layers; ++i) {
        const std::string before = last;
        if (way == "chain") {
            add("tanh", {last});
        } else if (way == "norms") {
            add("layernorm", {last, "g", "g"});
        } else if (way == "views") {
            add("tanh", {last});
            add("permute", {last})["axes"] = {1, 0};
        } else { // of a transformer
            add("rmsnorm", {last, "g"});
            add("matmul", {last, "m"});
            add("gelu", {last});
            add("matmul", {last, "m"});
            add("add", {last, before});
        }
    }
    add("neg", {last});
    graph["outputs"] = {last};
    return graph;
}

bool sameKernel(const Kernel& a, const Kernel& b)
{
    const auto all = [](const Kernel& k) {
        return std::tie(k.kind, k.nodes, k.stores, k.reads, k.segment, k.rows, k.length, k.matmul, k.bytesRead,
                        k.bytesWritten, k.flops);
    };
    return all(a) == all(b);
}

} // namespace

class TestGraphs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void handCounts_data()
    {
        QTest::addColumn<int>("row");
        const Json table = readTable("hand_counts.json");
        for (std::size_t i = 0; i < table.size(); ++i)
            QTest::newRow(table[i]["why"].get<std::string>().c_str()) << int(i);
    }
    void handCounts()
    {
        QFETCH(int, row);
        const Json line = readTable("hand_counts.json")[std::size_t(row)];
        const GraphFile file = line.contains("graph") ? shipped(line["graph"]) : fileOf(line["file"]);
        BindOptions options;
        options.small = true;
        options.breaks = line.value("branch", true);
        Graph graph = boundTo(file, options);
        if (line.value("full", false)) {
            options.small = false;
            graph = boundTo(file, options);
        }
        for (const auto& [key, rules] :
             {std::pair("eager", kEager), std::pair("split", kSplit), std::pair("rows", kRows)}) {
            if (!line.contains(key))
                continue;
            const Schedule schedule = scheduleGraph(graph, rules);
            const auto text = QStringLiteral("%1: %2").arg(QLatin1String(key), kernelsOf(graph, schedule));
            QVERIFY2(int(schedule.kernels.size()) == line[key].get<int>(), qPrintable(text));
        }
        // Bytes by hand, in elements of 4 bytes.
        for (const auto& [key, rules] :
             {std::pair("eager_values", kEager), std::pair("split_values", kSplit), std::pair("rows_values", kRows)})
            if (line.contains(key))
                QCOMPARE(scheduleGraph(graph, rules).bytes() / 4, line[key].get<double>());
        if (line.contains("breaks"))
            QCOMPARE(int(graph.stops.size()), line["breaks"].get<int>());
    }

    // Every kernel of every shipped graph computes what its operators do one by one, and reads exactly the bytes that
    // the schedule says.
    void values_data()
    {
        QTest::addColumn<QString>("id");
        QTest::addColumn<bool>("breaks");
        const auto all = shippedGraphs();
        QVERIFY2(all.ok(), all ? "" : toText(all.error()).c_str());
        for (const GraphFile& file : *all)
            for (const bool breaks : {true, false})
                QTest::addRow("%s %d", file.id.c_str(), breaks) << QString::fromStdString(file.id) << breaks;
    }
    void values()
    {
        QFETCH(QString, id);
        QFETCH(bool, breaks);
        const Graph graph = boundTo(shipped(id.toStdString()), {true, 0, breaks, {}});
        compare(graph);
        double flops = 0;
        for (const auto& rules : {kEager, kSplit, kRows}) {
            const double now = scheduleGraph(graph, rules).flops();
            QVERIFY(flops == 0 || std::abs(now - flops) < 1e-9 * flops);
            flops = now;
        }
    }

    void madeGraphs()
    {
        for (unsigned seed = 1; seed <= 150; ++seed) {
            const Json json = madeGraph(seed, 3 + int(seed % 20));
            const auto file = parseGraph(json.dump(), "made.json");
            QVERIFY2(file.ok(), file ? "" : (toText(file.error()) + json.dump()).c_str());
            const auto graph = bindGraph(*file, {true, 0, true, {}});
            QVERIFY2(graph.ok(), graph ? "" : (toText(graph.error()) + json.dump()).c_str());
            compare(*graph);
            if (QTest::currentTestFailed()) {
                qWarning("%s", json.dump().c_str());
                return;
            }
        }
    }

    // What is kept up to date of a kernel says the same as all of its operators asked anew.
    void asTheRulesSayPlainly()
    {
        const auto check = [](const Graph& graph, const QString& what) {
            for (const auto& rules : {kEager, kSplit, kRows}) {
                const Schedule own = scheduleGraph(graph, rules), plain = test::plainSchedule(graph, rules);
                QVERIFY2(std::ranges::equal(own.kernels, plain.kernels, sameKernel),
                         qPrintable(what + QLatin1String(": ") + kernelsOf(graph, own) + QLatin1String("\nplainly: ") +
                                    kernelsOf(graph, plain)));
            }
        };
        const auto all = shippedGraphs();
        QVERIFY2(all.ok(), all ? "" : toText(all.error()).c_str());
        for (const GraphFile& file : *all)
            for (const bool breaks : {true, false})
                check(boundTo(file, {false, 0, breaks, {}}), QString::fromStdString(file.id));
        for (const char* what : {"chain", "norms", "views", "transformer"})
            check(boundTo(fileOf(repeated(what, 30)), {}), QLatin1String(what));
        for (unsigned seed = 1; seed <= 600; ++seed)
            check(wildGraph(seed, 2 + int(seed % 90)), QStringLiteral("seed %1").arg(seed));
    }

    // As many operators as a file may have. Asked plainly, they take a second or two for each line of this table; a row
    // that takes long here looks at a whole kernel whenever it grows.
    void largestGraphs_data()
    {
        QTest::addColumn<int>("layers");
        QTest::addColumn<int>("kernels");
        QTest::newRow("chain") << 4080 << 2;
        QTest::newRow("views") << 2040 << 2;
        QTest::newRow("norms") << 450 << 3;
        QTest::newRow("transformer") << 400 << 1202; // a norm and two products a layer
    }
    void largestGraphs()
    {
        QFETCH(int, layers);
        QFETCH(int, kernels);
        const Graph graph = boundTo(fileOf(repeated(QTest::currentDataTag(), layers)), {});
        QVERIFY(graph.nodes.size() > 4000);
        const Schedule schedule = scheduleGraph(graph, kRows);
        QCOMPARE(int(schedule.kernels.size()), kernels);
        std::size_t nodes = 0;
        for (const Kernel& kernel : schedule.kernels)
            nodes += kernel.nodes.size();
        const auto views = std::ranges::count_if(graph.nodes, [](const Node& node) {
            return classOf(node) == OpClass::Input || classOf(node) == OpClass::View;
        });
        QCOMPARE(nodes, graph.nodes.size() - std::size_t(views));
    }

    // Sums of views of sums: in one kernel each operator would double the work of those before it.
    void manyViewsStaySmall()
    {
        Json graph{{"inputs", Json::array({{{"name", "a0"}, {"shape", {4096}}}})}, {"ops", Json::array()}};
        const std::vector<std::vector<int>> shapes{{8, 8, 64}, {2, 32, 64}, {64, 2, 32}, {16, 16, 16}};
        for (std::size_t i = 0; i < 30; ++i) {
            const std::string n = std::to_string(i), before = "a" + n;
            const auto op = [&](const std::string& name, const char* what, const std::vector<std::string>& of) {
                return Json{{"name", name}, {"op", what}, {"of", of}};
            };
            Json reshaped = op("r" + n, "reshape", {before}), turned = op("p" + n, "permute", {"r" + n}),
                 flat = op("f" + n, "reshape", {"p" + n});
            reshaped["shape"] = shapes[i % 4];
            turned["axes"] = i % 3 == 0 ? std::vector<int>{1, 0, 2} : std::vector<int>{2, 0, 1};
            flat["shape"] = {4096};
            for (const Json& each : {reshaped, turned, flat, op("a" + std::to_string(i + 1), "add", {before, "f" + n})})
                graph["ops"].push_back(each);
        }
        graph["outputs"] = {"a30"};
        const Graph bound = boundTo(fileOf(graph), {});
        const auto kernels = scheduleGraph(bound, kRows).kernels.size();
        QVERIFY2(kernels > 3 && kernels < 10, qPrintable(QString::number(kernels)));
        compare(bound);
    }

    // The logarithm of a negative number is none, in fp32 as in fp64; an output that shows an input has no kernel.
    void outputsWithoutANumber()
    {
        const auto op = [](const char* name, const char* what) {
            return Json{{"name", name}, {"op", what}, {"of", {"x"}}};
        };
        Json turned = op("t", "permute");
        turned["axes"] = {1, 0};
        const Json json{{"inputs", Json::array({{{"name", "x"}, {"shape", {8, 4}}}})},
                        {"ops", Json::array({op("y", "log"), op("z", "neg"), turned})},
                        {"outputs", {"y", "z", "t"}}};
        const Graph graph = boundTo(fileOf(json), {});
        compare(graph);
        const auto wanted = evaluateGraph(graph);
        auto nodes = runSchedule(graph, scheduleGraph(graph, kRows)).nodes;
        const auto& logs = nodes[std::size_t(graph.outputs[0])];
        QVERIFY(std::ranges::any_of(logs, [](float v) { return std::isnan(v); }));
        nodes[0].clear(); // of the input: a device does not read it back
        QVERIFY(largestError(graph, wanted, nodes) < 5e-6);
        nodes[std::size_t(graph.outputs[1])][3] = std::nanf("");
        QVERIFY(std::isinf(largestError(graph, wanted, nodes)));
    }

    void tooManyOperators()
    {
        Json graph{{"inputs", Json::array({{{"name", "a0"}, {"shape", {4, 8}}}, {{"name", "w"}, {"shape", {8}}}})},
                   {"ops", Json::array()},
                   {"outputs", {"a500"}}};
        for (int i = 0; i < 500; ++i)
            graph["ops"].push_back({{"name", "a" + std::to_string(i + 1)},
                                    {"op", "layernorm"},
                                    {"of", {"a" + std::to_string(i), "w", "w"}}});
        const auto bound = bindGraph(fileOf(graph), {});
        QVERIFY(!bound.ok());
        QVERIFY2(bound.error().message.find("4096 operators") != std::string::npos, bound.error().message.c_str());
        QVERIFY(!bound.error().fix.empty());
    }

    // A break takes no kernel away and cannot join any.
    void breaksOnlyCost()
    {
        for (const char* id : {"clamp", "logged"}) {
            const Graph with = boundTo(shipped(id), {true, 0, true, {}}),
                        without = boundTo(shipped(id), {true, 0, false, {}});
            QVERIFY(scheduleGraph(with, kRows).kernels.size() >= scheduleGraph(without, kRows).kernels.size());
            QVERIFY(with.stops.size() == 1 && without.stops.empty());
            int last = 0;
            for (const Kernel& kernel : scheduleGraph(with, kRows).kernels) {
                QVERIFY(kernel.segment >= last);
                last = kernel.segment;
                for (const int n : kernel.nodes)
                    QCOMPARE(with.nodes[std::size_t(n)].segment, kernel.segment);
            }
        }
    }

    void branchFollowsTheData()
    {
        Json json = readTable("hand_counts.json")[0]["file"];
        json = {
            {"inputs", Json::array({{{"name", "x"}, {"shape", {4}}, {"positive", true}}})},
            {"ops",
             Json::array(
                 {{{"name", "m"}, {"op", "amax"}, {"of", {"x"}}},
                  {{"name", "y"},
                   {"op", "branch"},
                   {"of", {"m"}},
                   {"above", 0},
                   {"then", {{"ops", Json::array({{{"name", "a"}, {"op", "neg"}, {"of", {"x"}}}})}, {"gives", "a"}}},
                   {"else", {{"gives", "x"}}}},
                  {{"name", "z"}, {"op", "exp"}, {"of", {"y"}}}})},
            {"outputs", {"z"}}};
        for (const bool then : {true, false}) {
            json["ops"][1]["above"] = then ? 0.25 : 2.0; // inputs are from 0.5 to 1.5
            const Graph graph = boundTo(fileOf(json), {true, 0, true, {}});
            QCOMPARE(graph.stops.size(), std::size_t(1));
            QCOMPARE(graph.stops[0].then, then);
            QCOMPARE(graph.nodes.size(), std::size_t(then ? 4 : 3));
            const Graph both = boundTo(fileOf(json), {true, 0, false, {}});
            QCOMPARE(both.nodes.size(), std::size_t(6)); // x, m, a, test, where, z
            // Both ways give the same.
            const auto a = evaluateGraph(graph), b = evaluateGraph(both);
            QCOMPARE(a.nodes[std::size_t(graph.outputs[0])], b.nodes[std::size_t(both.outputs[0])]);
        }
    }

    void badGraphs_data()
    {
        QTest::addColumn<int>("row");
        const Json table = readTable("bad_graphs.json");
        for (std::size_t i = 0; i < table.size(); ++i)
            QTest::newRow(table[i]["why"].get<std::string>().c_str()) << int(i);
    }
    void badGraphs()
    {
        QFETCH(int, row);
        const Json line = readTable("bad_graphs.json")[std::size_t(row)];
        const auto file =
            parseGraph(line.contains("text") ? line["text"].get<std::string>() : line["file"].dump(), "own.json");
        std::optional<Error> error;
        if (!file) {
            error = file.error();
        } else if (const auto graph = bindGraph(*file, {}); !graph) {
            error = graph.error();
        }
        QVERIFY2(error.has_value(), "no error");
        const std::string all = toText(*error);
        QVERIFY2(error->code == line["code"].get<std::string>(), (error->code + ": " + all).c_str());
        for (const auto& word : line["says"])
            QVERIFY2(all.find(word.get<std::string>()) != std::string::npos, all.c_str());
        QVERIFY2(error->place.find("own.json") != std::string::npos, error->place.c_str());
        QVERIFY(!error->fix.empty() || error->code == "bad-json");
    }

    // 100 operators in less than 10 ms, with neither file nor compiler.
    void fast()
    {
        Json graph{{"inputs", Json::array({{{"name", "v0"}, {"shape", {64, 64}}}})}, {"ops", Json::array()}};
        for (int i = 0; i < 100; ++i) {
            const char* names[] = {"tanh", "add", "mean", "sub", "matmul"};
            const std::string op = names[i % 5], from = "v" + std::to_string(i);
            Json of{from};
            if (i % 5 == 1 || i % 5 == 3)
                of.push_back("v" + std::to_string(i - 1));
            if (i % 5 == 4)
                of.push_back(from);
            graph["ops"].push_back({{"name", "v" + std::to_string(i + 1)}, {"op", op}, {"of", of}});
        }
        graph["outputs"] = {"v100"};
        const GraphFile file = fileOf(graph);
        double best = 1e9;
        for (int i = 0; i < 20; ++i) {
            const double begin = test::threadMs();
            const auto bound = bindGraph(file, {});
            QVERIFY2(bound.ok(), bound ? "" : toText(bound.error()).c_str());
            const Schedule schedule = scheduleGraph(*bound, kRows);
            QVERIFY(schedule.kernels.size() >= 40);
            best = std::min(best, test::threadMs() - begin);
        }
        best /= test::pace(best);
        qInfo("100 operators to a schedule in %.3g ms", best);
        QVERIFY2(best < 10, qPrintable(QString::number(best)));
    }

    // The timeline by hand: host calls 4 each, kernels 10 and 1; then a read of 6, an entry of 20.
    void timeline()
    {
        Graph graph = boundTo(shipped("logged"), {true, 0, true, {}});
        const Schedule schedule = scheduleGraph(graph, kRows);
        QCOMPARE(schedule.kernels.size(), std::size_t(3));
        const std::vector<double> kernels{10, 1, 5};
        // 20 entry, 24 called, runs to 34; 28 called, runs to 35; read until 41; entry 61, called 65, runs to 70.
        const StepTimes step = stepTimes(graph, schedule, kernels, {4, 20, 6});
        QCOMPARE(step.seconds, 70.0);
        QCOMPARE(step.kernelSeconds, 16.0);
        QCOMPARE(step.hostSeconds, 52.0);
        QCOMPARE(step.waitSeconds, 13.0);
        // Without a break: one entry and two calls; the kernels follow one another.
        graph = boundTo(shipped("mlp"), {true, 0, true, {}});
        const StepTimes whole = stepTimes(graph, scheduleGraph(graph, kRows), std::vector<double>{10, 3}, {4, 20, 6});
        QCOMPARE(whole.seconds, 37.0);
        QCOMPARE(whole.waitSeconds, 0.0);
        // A host that is slower than the GPU: the last call decides.
        const StepTimes slow = stepTimes(graph, scheduleGraph(graph, kEager), std::vector<double>(6, 1), {4, 0, 6});
        QCOMPARE(slow.seconds, 25.0);
    }

    // docs.pytorch.org, "Dynamic shapes": automatic dynamic is static first, then a variable; eight at most.
    void compilations()
    {
        QCOMPARE(compilationsOf(ShapeMode::Static, 5).compiles, 5);
        QCOMPARE(compilationsOf(ShapeMode::Static, 5).recompiles, 4);
        QCOMPARE(compilationsOf(ShapeMode::Static, 20).compiles, 8);
        QCOMPARE(compilationsOf(ShapeMode::Static, 20).eagerShapes, 12);
        QCOMPARE(compilationsOf(ShapeMode::Automatic, 1).compiles, 1);
        QCOMPARE(compilationsOf(ShapeMode::Automatic, 20).compiles, 2);
        QCOMPARE(compilationsOf(ShapeMode::Marked, 20).recompiles, 0);
        QCOMPARE(*breakEvenSteps(10, 0.003, 0.001), 5000.0);
        QVERIFY(!breakEvenSteps(10, 0.001, 0.001));
    }

private:
    static void compare(const Graph& graph)
    {
        const auto wanted = evaluateGraph(graph);
        for (const auto& rules : {kEager, kSplit, kRows}) {
            const Schedule schedule = scheduleGraph(graph, rules);
            const auto run = runSchedule(graph, schedule);
            const double error = largestError(graph, wanted, run.nodes);
            QVERIFY2(error < 5e-6, qPrintable(QStringLiteral("%1: %2").arg(error).arg(kernelsOf(graph, schedule))));
            std::set<int> seen;
            for (std::size_t k = 0; k < schedule.kernels.size(); ++k) {
                QVERIFY2(schedule.kernels[k].bytesRead == run.bytesRead[k],
                         qPrintable(QStringLiteral("kernel %1 of %2: says %3, read %4")
                                        .arg(k + 1)
                                        .arg(kernelsOf(graph, schedule))
                                        .arg(schedule.kernels[k].bytesRead)
                                        .arg(run.bytesRead[k])));
                for (const int n : schedule.kernels[k].nodes)
                    QVERIFY(seen.insert(n).second); // each operator once
                QVERIFY(!schedule.kernels[k].stores.empty());
            }
            QVERIFY(!writeCuda(graph, schedule).text.empty());
        }
    }
};

QTEST_GUILESS_MAIN(TestGraphs)
#include "tst_graphs.moc"
