// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/onnx_network.h"

#include "workload/onnx/onnx_program.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ridge::workload {
namespace {

constexpr std::uint8_t kAttentionGroup = 255;
constexpr std::size_t kMostOps = 20000, kMostShownName = 60, kMostBranches = 100;

/// Values of a batch: what each example has, and what all have together.
struct Size {
    Count each, shared;
};

/// Sizes at which the graph is computed. A quantity is a polynomial in batch and tokens: three lengths and two batches
/// tell it, and one more of each shows whether it is one.
struct Probe {
    std::int64_t batch = 1, tokens = 1;
    std::vector<OnnxState> states;
};

enum class Name { Batch, Tokens, Past, Fixed };

bool contains(const std::string& text, std::initializer_list<const char*> words)
{
    std::string lower = text;
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    return std::ranges::any_of(words, [&](const char* word) { return lower.find(word) != std::string::npos; });
}

/// Work on one value, as the lists of models count it; 0: it moves only.
double flopsPerValue(const std::string& op)
{
    static const std::map<std::string, double, std::less<>> all{{"Cast", 0},
                                                                {"CastLike", 0},
                                                                {"Not", 0},
                                                                {"Identity", 0},
                                                                {"Where", 0},
                                                                {"Trilu", 0},
                                                                {"ScatterND", 0},
                                                                {"ScatterElements", 0},
                                                                {"Scatter", 0},
                                                                {"EyeLike", 0},
                                                                {"ReverseSequence", 0},
                                                                {"TensorScatter", 0},
                                                                {"Sigmoid", 4},
                                                                {"Tanh", 4},
                                                                {"HardSigmoid", 4},
                                                                {"HardSwish", 5},
                                                                {"Swish", 5},
                                                                {"Mish", 8},
                                                                {"Gelu", 8},
                                                                {"FastGelu", 8},
                                                                {"QuickGelu", 5},
                                                                {"BiasGelu", 9},
                                                                {"Elu", 3},
                                                                {"Selu", 4},
                                                                {"Celu", 4},
                                                                {"Softplus", 4},
                                                                {"Softsign", 3},
                                                                {"QuantizeLinear", 2},
                                                                {"DequantizeLinear", 2},
                                                                {"DynamicQuantizeLinear", 4},
                                                                {"Clip", 2},
                                                                {"LRN", 8},
                                                                {"RotaryEmbedding", 6},
                                                                {"QLinearAdd", 5},
                                                                {"QLinearMul", 5},
                                                                {"QLinearSigmoid", 8},
                                                                {"QLinearLeakyRelu", 5},
                                                                {"LpNormalization", 3},
                                                                {"Softmax", 5},
                                                                {"LogSoftmax", 5},
                                                                {"QLinearSoftmax", 9},
                                                                {"BatchNormalization", 5},
                                                                {"LayerNormalization", 7},
                                                                {"InstanceNormalization", 7},
                                                                {"GroupNormalization", 7},
                                                                {"MeanVarianceNormalization", 7},
                                                                {"RMSNormalization", 4},
                                                                {"SimplifiedLayerNormalization", 4},
                                                                {"SkipLayerNormalization", 8},
                                                                {"SkipSimplifiedLayerNormalization", 5},
                                                                {"EmbedLayerNormalization", 9}};
    const auto found = all.find(op);
    return found == all.end() ? 1 : found->second;
}

enum class Class { Product, Recurrent, Attention, Embedding, Norm, Softmax, Reduction, Elementwise, Move };

Class classOf(const std::string& op, bool known)
{
    static const std::map<std::string, Class, std::less<>> all = [] {
        std::map<std::string, Class, std::less<>> out;
        const auto put = [&](Class which, std::initializer_list<const char*> names) {
            for (const char* name : names)
                out.emplace(name, which);
        };
        put(Class::Product, {"MatMul", "MatMulInteger", "FusedMatMul", "QLinearMatMul", "MatMulNBits", "Gemm", "QGemm",
                             "Conv", "ConvInteger", "FusedConv", "QLinearConv", "ConvTranspose", "Einsum"});
        put(Class::Recurrent, {"LSTM", "GRU", "RNN"});
        put(Class::Attention, {"Attention", "MultiHeadAttention", "GroupQueryAttention"});
        put(Class::Norm, {"BatchNormalization", "LayerNormalization", "InstanceNormalization", "GroupNormalization",
                          "MeanVarianceNormalization", "RMSNormalization", "SimplifiedLayerNormalization",
                          "SkipLayerNormalization", "SkipSimplifiedLayerNormalization", "LpNormalization", "LRN"});
        put(Class::Softmax, {"Softmax", "LogSoftmax", "QLinearSoftmax", "Hardmax"});
        put(Class::Move, {"Concat",       "QLinearConcat", "Gather",          "GatherElements",
                          "GatherND",     "ScatterND",     "ScatterElements", "Scatter",
                          "Pad",          "Tile",          "Resize",          "Upsample",
                          "DepthToSpace", "SpaceToDepth",  "OneHot",          "ConstantOfShape",
                          "Range",        "EyeLike",       "ReverseSequence", "TensorScatter",
                          "Trilu"});
        put(Class::Reduction,
            {"MaxPool", "AveragePool", "LpPool", "QLinearAveragePool", "GlobalAveragePool", "GlobalMaxPool",
             "GlobalLpPool", "QLinearGlobalAveragePool", "ArgMax", "ArgMin", "TopK", "CumSum"});
        put(Class::Embedding, {"EmbedLayerNormalization"});
        return out;
    }();
    if (!known)
        return Class::Move;
    if (op.starts_with("Reduce"))
        return Class::Reduction;
    const auto found = all.find(op);
    return found == all.end() ? Class::Elementwise : found->second;
}

std::string shownName(std::string name)
{
    if (name.starts_with('/'))
        name.erase(0, 1);
    if (name.size() > kMostShownName) {
        std::size_t from = name.size() - kMostShownName;
        while (from < name.size() && (static_cast<unsigned char>(name[from]) & 0xc0) == 0x80)
            ++from; // not within a character
        name = "…" + name.substr(from);
    }
    return name;
}

/// From the steps of a graph to the kernels of a network.
class Kernels {
public:
    /// `oneLength`: sizes decide what is computed, so that counts hold for one length of the sequence.
    Kernels(const OnnxFile& file, const OnnxProgram& program, bool oneLength)
        : m_file(file), m_program(program), m_oneLength(oneLength)
    {
    }

    Result<OnnxNetwork> read()
    {
        nameSizes();
        if (auto good = probe(); !good)
            return good.error();
        findKernels();
        if (m_kernels.empty())
            return bad("", "no node computes anything while the model runs", "export the model again");
        Network& network = m_out.network;
        network.title = m_program.place;
        network.source = "ONNX" + (m_program.opset ? " opset " + std::to_string(m_program.opset) : "") +
                         (m_file.producer.empty() ? "" : ", written by " + m_file.producer) +
                         (m_file.producerVersion.empty() ? "" : " " + m_file.producerVersion);
        network.sequence = m_lengths;
        network.input = inputText();
        network.mostTokens = mostTokens();
        std::vector<std::vector<int>> alone;
        for (int i = 0; i < int(m_kernels.size()); ++i)
            alone.push_back({i});
        const auto joined = join();
        network.eager = list(alone, joined, false);
        network.fused = list(joined, joined, true);
        if (m_error)
            return *m_error;
        for (const auto& [root, count] : m_parameters)
            network.parameters += count;
        tell();
        return std::move(m_out);
    }

private:
    Error bad(const std::string& where, std::string what, std::string fix)
    {
        return {"bad-onnx", std::move(what), m_program.place + (where.empty() ? "" : ": " + where), std::move(fix)};
    }

    // Which names are what.

    void nameSizes()
    {
        for (const int input : m_program.inputs) {
            const OnnxValue* told = m_program.told[std::size_t(input)];
            const bool words = told->type != int(OnnxType::Float) && told->type != int(OnnxType::Half) &&
                               told->type != 11 && told->type != 16;
            for (std::size_t i = 0; i < told->dims.size(); ++i) {
                const OnnxDim& dim = told->dims[i];
                if (i == 0 && dim.size > 0 && told->dims.size() > 1)
                    m_fixedBatch = m_fixedBatch == 0 ? dim.size : std::min(m_fixedBatch, dim.size);
                if (dim.size >= 0 || m_meaning.contains(dim.symbol))
                    continue;
                const std::string& name = dim.symbol;
                const bool image = told->dims.size() >= 4 && !contains(name, {"seq", "past", "token", "length"});
                Name what = Name::Fixed;
                std::int64_t fixed = 1;
                if (contains(name, {"past"}) && !contains(name, {"+", "total"}))
                    what = Name::Past;
                else if (contains(name, {"seq", "token", "length", "len_", "_len", "time", "frames", "samples"}) ||
                         contains(name, {"past"}))
                    what = Name::Tokens;
                else if (i == 0 || contains(name, {"batch"}))
                    what = Name::Batch;
                else if (image)
                    fixed = i == 1 ? 3 : 224;
                else if ((words && i == 1) || (told->dims.size() == 3 && i == 1) || told->dims.size() == 2)
                    what = Name::Tokens;
                if (what == Name::Fixed) {
                    m_out.assumed.push_back("\"" + name + "\" is open in the file: " + std::to_string(fixed) +
                                            " was taken");
                    m_taken += (m_taken.empty() ? "\"" : ", \"") + name + "\"";
                }
                if (what == Name::Past)
                    m_out.assumed.push_back("\"" + name + "\" is 0: nothing was cached before");
                m_meaning[name] = {what, fixed};
                m_batches = m_batches || what == Name::Batch;
                m_lengths = m_lengths || what == Name::Tokens;
            }
        }
        // Names of values that are no input's are seldom needed: where a node's own sizes are not known.
    }
    std::map<std::string, std::int64_t> symbols(std::int64_t batch, std::int64_t tokens) const
    {
        std::map<std::string, std::int64_t> out;
        for (const auto& [name, meaning] : m_meaning)
            out[name] = meaning.first == Name::Batch    ? batch
                        : meaning.first == Name::Tokens ? tokens
                        : meaning.first == Name::Past   ? 0
                                                        : meaning.second;
        return out;
    }

    Result<void> probe()
    {
        // The fourth of each is far away, so that sizes which are rounded do not look as if they grew evenly.
        static constexpr std::array<std::array<std::int64_t, 4>, 5> lengths{{{24, 40, 56, 120},
                                                                             {128, 160, 224, 480},
                                                                             {512, 640, 896, 1600},
                                                                             {3200, 4800, 8000, 19200},
                                                                             {16000, 32000, 48000, 160000}}};
        std::optional<Error> first;
        bool counted = false; // whether any length fits the graph
        for (const auto& tokens : lengths) {
            if (m_oneLength && m_lengths)
                break;
            m_probes.clear();
            std::optional<Error> error;
            const std::vector<std::int64_t> batches =
                m_batches ? std::vector<std::int64_t>{2, 3} : std::vector<std::int64_t>{1};
            for (const std::int64_t batch : batches)
                for (std::size_t i = 0; i < (m_lengths ? 3u : 1u) && !error; ++i)
                    error = add(batch, tokens[i]);
            if (!error)
                error = add(m_batches ? 5 : 1, m_lengths ? tokens[3] : tokens[0]);
            if (!error && growsEvenly())
                return {};
            counted = counted || !error;
            if (error && error->code == kOtherBranch)
                return *error;
            if (error && !first)
                first = error;
            if (!m_lengths)
                break;
        }
        if (first && !counted) {
            if (!m_taken.empty() && first->message.find("cannot become") != std::string::npos)
                first->fix = "the file leaves " + m_taken +
                             " open, and what was taken does not fit; fix it with python "
                             "-m onnxruntime.tools.make_dynamic_shape_fixed --dim_param NAME --dim_value SIZE IN OUT";
            else if ((m_batches || m_lengths) && first->message.find("cannot become") != std::string::npos)
                first->fix = "the exporter wrote the sizes of its example into the graph, though its inputs have open "
                             "ones; export with torch.onnx.export(…, dynamo=True), or with fixed sizes";
            return *first;
        }
        // A size that is rounded on its way: the file's counts hold for one length.
        m_lengths = false;
        m_out.assumed.push_back("sizes do not grow evenly with the sequence: its length is taken as " +
                                std::to_string(kOneLength));
        m_probes.clear();
        for (const std::int64_t batch :
             m_batches ? std::vector<std::int64_t>{2, 3, 5} : std::vector<std::int64_t>{1, 1})
            if (auto error = add(batch, kOneLength))
                return *error;
        if (!growsEvenly())
            return bad("", "sizes of the graph do not grow evenly with the batch",
                       "export the model with a fixed batch of 1");
        return {};
    }
    std::optional<Error> add(std::int64_t batch, std::int64_t tokens)
    {
        auto states = statesOf(m_program, symbols(batch, tokens));
        if (!states)
            return states.error();
        m_probes.push_back({batch, tokens, std::move(*states)});
        return std::nullopt;
    }
    /// Whether the last probe is what the others foretell, for every value.
    bool growsEvenly() const
    {
        const Probe& last = m_probes.back();
        for (std::size_t i = 0; i < m_program.values.size(); ++i) {
            const Size size = fit([&](const Probe& probe) { return probe.states[i].count(); });
            const double told = size.shared.at(double(last.tokens)) +
                                double(m_batches ? last.batch : 1) * size.each.at(double(last.tokens));
            const double found = last.states[i].count() / (m_batches ? 1 : examples());
            if (std::abs(told - found) > 1e-6 * std::max(1.0, found))
                return false;
        }
        return true;
    }
    double examples() const { return m_batches ? 1 : double(std::max<std::int64_t>(1, m_fixedBatch)); }

    template<class Value>
    Size fit(Value value) const
    {
        const std::size_t lengths = m_lengths ? 3 : 1;
        const auto over = [&](std::size_t from, double scale) {
            const auto at = [&](std::size_t i) { return value(m_probes[from + i]); };
            Count out;
            if (lengths == 1) {
                out.fixed = at(0) * scale;
                return out;
            }
            const double x0 = double(m_probes[from].tokens), x1 = double(m_probes[from + 1].tokens),
                         x2 = double(m_probes[from + 2].tokens);
            const double d01 = (at(1) - at(0)) / (x1 - x0), d12 = (at(2) - at(1)) / (x2 - x1);
            out.perPair = (d12 - d01) / (x2 - x0);
            out.perToken = d01 - out.perPair * (x0 + x1);
            out.fixed = at(0) - x0 * (out.perToken + x0 * out.perPair);
            return out * scale;
        };
        Size out;
        if (!m_batches) {
            out.each = over(0, 1 / examples());
            return out;
        }
        const Count two = over(0, 1), three = over(lengths, 1);
        out.each = three + two * -1;
        out.shared = two + out.each * -2;
        return out;
    }
    const OnnxState& state(int value) const { return m_probes.front().states[std::size_t(value)]; }
    Size countOf(int value) const
    {
        return fit([&](const Probe& probe) { return probe.states[std::size_t(value)].count(); });
    }

    // Kernels.

    struct Kernel {
        int step = 0;
        Class what = Class::Elementwise;
    };

    /// Steps that run while the model does: no views, no sizes, nothing that depends on weights alone.
    void findKernels()
    {
        m_maker.assign(m_program.values.size(), -1);
        for (int i = 0; i < int(m_program.steps.size()); ++i) {
            const OnnxStep& step = m_program.steps[std::size_t(i)];
            bool free = isView(step, m_probes.front().states);
            bool told = true, weights = true;
            for (const int out : step.out) {
                told = told && sizes(out);
                weights = weights && state(out).weight;
            }
            free = free || told || weights || step.node->op == "Constant";
            if (step.node->op == "Transpose")
                m_turned = true;
            if (free)
                continue;
            for (const int out : step.out)
                m_maker[std::size_t(out)] = int(m_kernels.size());
            m_kernels.push_back({i, classify(step)});
        }
        m_readers.assign(m_program.values.size(), 0);
        for (const Kernel& kernel : m_kernels)
            for (const int in : stepOf(kernel).in)
                if (in >= 0)
                    ++m_readers[std::size_t(rootOf(in))];
        for (const int out : m_program.outputs) {
            m_given.insert(rootOf(out));
        }
    }
    /// Whether a value holds sizes, which the host computes.
    bool sizes(int value) const { return state(value).told && fixedSize(value); }
    Class classify(const OnnxStep& step) const
    {
        Class what = classOf(step.node->op, step.known);
        if (step.node->op == "Gather" && step.in.size() > 1 && step.in[0] >= 0 && state(step.in[0]).weight)
            what = Class::Embedding;
        if (what == Class::Product && step.node->op == "Einsum" && step.in.size() != 2)
            what = Class::Move;
        return what;
    }
    const OnnxStep& stepOf(const Kernel& kernel) const { return m_program.steps[std::size_t(kernel.step)]; }
    int rootOf(int value) const { return state(value).root; }

    // Which neighbours are one kernel.

    bool elementwise(int kernel) const
    {
        const Class what = m_kernels[std::size_t(kernel)].what;
        return what == Class::Elementwise;
    }
    double made(int kernel) const { return state(stepOf(m_kernels[std::size_t(kernel)]).out[0]).count(); }
    /// A sum or mean over the last sizes of what it reads, one row by another.
    bool rowReduction(int kernel) const
    {
        const Kernel& each = m_kernels[std::size_t(kernel)];
        const OnnxStep& step = stepOf(each);
        return each.what == Class::Reduction && step.node->op.starts_with("Reduce") && step.in[0] >= 0;
    }

    /// Groups in the order in which they run. Each reads only from groups before it, so that no two wait for each
    /// other.
    std::vector<std::vector<int>> join()
    {
        std::vector<std::vector<int>> groups;
        std::vector<double> width;       // values that a group goes over
        std::vector<char> open, product; // whether more may join it; whether it multiplies
        m_group.assign(m_kernels.size(), -1);
        for (int i = 0; i < int(m_kernels.size()); ++i) {
            const Kernel& kernel = m_kernels[std::size_t(i)];
            int last = -1;
            for (const int in : stepOf(kernel).in)
                if (in >= 0 && m_maker[std::size_t(rootOf(in))] >= 0)
                    last = std::max(last, m_group[std::size_t(m_maker[std::size_t(rootOf(in))])]);
            const auto at = std::size_t(std::max(last, 0));
            const bool row = last >= 0 && rowReduction(i) && !product[at] &&
                             state(stepOf(kernel).in[0]).count() == width[at] && made(i) < width[at];
            const bool same = last >= 0 && elementwise(i) &&
                              (made(i) == width[at] || (!product[at] && made(i) < width[at] && onlyRows(i, last)));
            if (last >= 0 && open[at] && (row || same)) {
                groups[at].push_back(i);
                m_group[std::size_t(i)] = last;
                continue;
            }
            m_group[std::size_t(i)] = int(groups.size());
            groups.push_back({i});
            const Class what = kernel.what;
            product.push_back(what == Class::Product);
            width.push_back(rowReduction(i) ? state(stepOf(kernel).in[0]).count() : made(i));
            open.push_back(what == Class::Product || what == Class::Norm || what == Class::Elementwise ||
                           what == Class::Softmax || rowReduction(i));
        }
        joinAttention(groups);
        return groups;
    }
    /// Whether what it reads of its own group are numbers of rows: a mean and what is made of it.
    bool onlyRows(int kernel, int group) const
    {
        bool any = false;
        for (const int in : stepOf(m_kernels[std::size_t(kernel)]).in) {
            if (in < 0)
                continue;
            const int maker = m_maker[std::size_t(rootOf(in))];
            if (maker < 0)
                continue;
            if (m_group[std::size_t(maker)] != group || made(maker) > made(kernel))
                return false;
            any = true;
        }
        return any;
    }

    bool matrices(int kernel) const
    {
        const Kernel& each = m_kernels[std::size_t(kernel)];
        const OnnxStep& step = stepOf(each);
        return each.what == Class::Product && (step.node->op == "MatMul" || step.node->op == "FusedMatMul") &&
               step.in.size() > 1 && !state(step.in[0]).weight && !state(step.in[1]).weight &&
               state(step.in[0]).dims.size() > 2;
    }
    /// Scores, softmax and weighted values are one kernel, whose scores stay on the chip.
    void joinAttention(std::vector<std::vector<int>>& groups)
    {
        const auto groupOf = [&](int value) {
            const int maker = m_maker[std::size_t(rootOf(value))];
            return maker < 0 ? -1 : m_group[std::size_t(maker)];
        };
        const auto onlyInto = [&](int from, int into) {
            std::map<int, int> within; // how often the two groups read a value
            for (const int group : {from, into})
                for (const int each : groups[std::size_t(group)])
                    for (const int in : stepOf(m_kernels[std::size_t(each)]).in)
                        if (in >= 0)
                            ++within[rootOf(in)];
            for (const int each : groups[std::size_t(from)])
                for (const int value : stepOf(m_kernels[std::size_t(each)]).out)
                    if (m_given.contains(value) || m_readers[std::size_t(value)] > within[value])
                        return false;
            return true;
        };
        for (std::size_t v = 0; v < groups.size(); ++v) {
            if (groups[v].empty() || !matrices(groups[v].front()))
                continue;
            const int values = groups[v].front();
            const int weigh = groupOf(stepOf(m_kernels[std::size_t(values)]).in[0]);
            if (weigh < 0 || weigh == int(v) || groups[std::size_t(weigh)].empty())
                continue;
            const int first = groups[std::size_t(weigh)].front();
            if (m_kernels[std::size_t(first)].what != Class::Softmax)
                continue;
            const int ask = groupOf(stepOf(m_kernels[std::size_t(first)]).in[0]);
            if (ask < 0 || groups[std::size_t(ask)].empty() || !matrices(groups[std::size_t(ask)].front()))
                continue;
            const OnnxStep& scores = stepOf(m_kernels[std::size_t(groups[std::size_t(ask)].front())]);
            const std::vector<std::int64_t>& dims = state(scores.out[0]).dims;
            if (dims.back() < dims[dims.size() - 2] || !onlyInto(ask, weigh) || !onlyInto(weigh, int(v)))
                continue; // fewer keys than queries: attention to something else, which stays as it is
            m_attention[values] = {groups[std::size_t(ask)].front(), values};
            m_masked = m_masked || groups[std::size_t(ask)].size() > 1;
            std::vector<int> all = groups[std::size_t(ask)];
            all.insert(all.end(), groups[std::size_t(weigh)].begin(), groups[std::size_t(weigh)].end());
            for (const int each : all)
                m_group[std::size_t(each)] = int(v);
            groups[v].insert(groups[v].begin(), all.begin(), all.end());
            groups[std::size_t(ask)].clear();
            groups[std::size_t(weigh)].clear();
        }
        std::erase_if(groups, [](const auto& group) { return group.empty(); });
        for (std::size_t i = 0; i < groups.size(); ++i)
            for (const int each : groups[i])
                m_group[std::size_t(each)] = int(i);
    }

    // What each computes and moves.

    std::vector<NetworkOp> list(const std::vector<std::vector<int>>& groups,
                                const std::vector<std::vector<int>>& joined, bool fused)
    {
        std::vector<NetworkOp> out;
        std::vector<int> last(groups.size(), -1), of(m_kernels.size(), -1);
        for (std::size_t g = 0; g < groups.size() && !m_error; ++g)
            for (const int each : groups[g])
                of[std::size_t(each)] = int(g);
        for (std::size_t g = 0; g < groups.size() && !m_error; ++g) {
            const std::size_t before = out.size();
            emit(groups[g], out, fused);
            if (out.size() > kMostOps) {
                m_error = bad("", "the graph has more than 20,000 kernels", "export a part of the model");
                break;
            }
            last[g] = int(out.size()) - 1;
            // Which kernels it reads from.
            std::vector<int> from;
            for (const int each : groups[g])
                for (const int in : stepOf(m_kernels[std::size_t(each)]).in) {
                    if (in < 0 || state(in).weight || sizes(in))
                        continue;
                    const int maker = m_maker[std::size_t(rootOf(in))];
                    if (maker >= 0 && of[std::size_t(maker)] == int(g))
                        continue;
                    const int reads = maker < 0 ? -1 : last[std::size_t(of[std::size_t(maker)])];
                    if (std::ranges::find(from, reads) == from.end())
                        from.push_back(reads);
                }
            out[before].of = from;
            for (std::size_t i = before + 1; i < out.size(); ++i)
                out[i].of = {int(i) - 1};
            // Neighbours that are one kernel, or could be.
            const auto group = std::size_t(m_group[std::size_t(groups[g].front())]);
            const bool attention = std::ranges::any_of(joined[group], [&](int k) { return m_attention.contains(k); });
            if (joined[group].size() > 1)
                for (std::size_t i = before; i < out.size(); ++i)
                    out[i].group = attention ? kAttentionGroup : std::uint8_t(group % 250 + 1);
        }
        return out;
    }

    void emit(const std::vector<int>& group, std::vector<NetworkOp>& out, bool fused)
    {
        const auto attention = std::ranges::find_if(group, [&](int k) { return m_attention.contains(k); });
        if (fused && attention != group.end())
            return emitAttention(group, m_attention.at(*attention), out);
        const Kernel& main = m_kernels[std::size_t(group.front())];
        if (main.what == Class::Recurrent)
            return emitRecurrent(stepOf(main), out);
        if (main.what == Class::Attention)
            return emitNamedAttention(stepOf(main), out);
        NetworkOp& op = out.emplace_back();
        op.name = nameOf(group);
        op.kind = kindOf(main, group);
        if (main.what == Class::Product)
            product(stepOf(main), op);
        Size flops;
        for (const int each : group)
            flops = sum(flops, workOf(m_kernels[std::size_t(each)]));
        finish(op, flops, traffic(group, op.weights));
    }
    /// Puts what grows with the batch and what does not where an operator has them.
    static void finish(NetworkOp& op, const Size& flops, const Size& values)
    {
        const auto some = [](const Count& c) { return c.fixed != 0 || c.perToken != 0 || c.perPair != 0; };
        op.batched = op.batched && (some(values.each) || some(flops.each));
        op.values = values.each;
        op.shared = values.shared;
        op.flops = op.batched ? flops.each : flops.shared;
    }
    static Size sum(const Size& a, const Size& b) { return {a.each + b.each, a.shared + b.shared}; }

    std::string nameOf(const std::vector<int>& group) const
    {
        std::string name = shownName(stepOf(m_kernels[std::size_t(group.front())]).name);
        for (std::size_t i = 1; i < group.size(); ++i) {
            if (i == 3 && group.size() > 4)
                return name + " + " + std::to_string(group.size() - i) + " more";
            name += " + " + stepOf(m_kernels[std::size_t(group[i])]).node->op;
        }
        return name;
    }
    OperatorKind kindOf(const Kernel& main, const std::vector<int>& group) const
    {
        switch (main.what) {
        case Class::Product:
            return OperatorKind::Matmul;
        case Class::Norm:
            return OperatorKind::Norm;
        case Class::Softmax:
            return OperatorKind::Softmax;
        case Class::Embedding:
            return OperatorKind::Embedding;
        default:
            break;
        }
        // A mean, its deviations and a root: a norm that the exporter wrote out.
        const auto has = [&](const char* op) {
            return std::ranges::any_of(group, [&](int k) { return stepOf(m_kernels[std::size_t(k)]).node->op == op; });
        };
        if (has("ReduceMean") && (has("Sqrt") || has("Reciprocal") || has("Pow")))
            return OperatorKind::Norm;
        if (has("Exp") && has("ReduceSum"))
            return OperatorKind::Softmax;
        return OperatorKind::Elementwise;
    }

    /// Everything but the products.
    Size workOf(const Kernel& kernel) const
    {
        const OnnxStep& step = stepOf(kernel);
        const std::string& op = step.node->op;
        const auto of = [&](int value, double each) {
            const Size size = countOf(value);
            return Size{size.each * each, size.shared * each};
        };
        switch (kernel.what) {
        case Class::Product: {
            static const std::map<std::string, std::size_t, std::less<>> biasAt{
                {"Gemm", 2},      {"Conv", 2},        {"ConvTranspose", 2},
                {"FusedConv", 2}, {"QLinearConv", 8}, {"MatMulNBits", 5}};
            const auto bias = biasAt.find(op);
            const bool has = bias != biasAt.end() && bias->second < step.in.size() && step.in[bias->second] >= 0;
            return of(step.out[0], has ? 1 : 0);
        }
        case Class::Reduction:
            if (op == "MaxPool" || op == "AveragePool" || op == "LpPool" || op == "QLinearAveragePool") {
                double area = 1;
                for (const std::int64_t each : integersOf(*step.node, "kernel_shape"))
                    area *= double(each);
                return of(step.out[0], area);
            }
            return of(step.in[0], 1);
        case Class::Move:
        case Class::Recurrent:
        case Class::Attention:
            return {};
        case Class::Embedding:
            return op == "Gather" ? Size{} : of(step.out[0], flopsPerValue(op));
        default: {
            double each = flopsPerValue(op);
            if (op == "Sum" || op == "Max" || op == "Min" || op == "Mean")
                each = std::max(1.0, double(step.in.size()) - 1);
            return of(step.out[0], each);
        }
        }
    }

    /// Values that a group reads and writes, each once; weights are counted apart.
    Size traffic(const std::vector<int>& group, double& weights)
    {
        std::set<int> inside;
        for (const int each : group)
            for (const int out : stepOf(m_kernels[std::size_t(each)]).out)
                inside.insert(out);
        std::map<int, std::set<int>> read; // views by what they are of
        double held = 0;
        for (const int each : group) {
            const OnnxStep& step = stepOf(m_kernels[std::size_t(each)]);
            const Class what = m_kernels[std::size_t(each)].what;
            for (std::size_t i = 0; i < step.in.size(); ++i) {
                const int in = step.in[i];
                if (in < 0 || inside.contains(rootOf(in)) || (sizes(in) && !state(in).weight))
                    continue;
                if (state(in).weight) {
                    double values = count(in, weightOf(step, what, i));
                    if (step.node->op == "MatMulNBits" && i == 1) // several in a byte
                        values = numberOf(*step.node, "N", 1) * numberOf(*step.node, "K", 1);
                    if (values <= 1 || (state(in).told && state(in).type == int(OnnxType::Int64)))
                        continue;                 // a number, axes or sizes, which stand in the kernel
                    if (what != Class::Embedding) // of a table the rows that are read are values
                        held += values;
                } else if (!(what == Class::Embedding)) {
                    read[rootOf(in)].insert(in);
                }
            }
        }
        weights = held;
        Size out;
        for (const auto& [root, views] : read) {
            // Parts of one value together are no more than it.
            out = sum(out, fit([&, root = root, &views = views](const Probe& probe) {
                          double all = 0;
                          for (const int view : views)
                              all += probe.states[std::size_t(view)].stored;
                          return std::min(all, probe.states[std::size_t(root)].count());
                      }));
        }
        for (const int each : group) {
            const OnnxStep& step = stepOf(m_kernels[std::size_t(each)]);
            for (const int value : step.out) {
                if (m_program.values[std::size_t(value)].empty())
                    continue;
                if (used(value, group))
                    out = sum(out, countOf(value));
            }
            if (m_kernels[std::size_t(each)].what == Class::Embedding)
                out = sum(out, countOf(step.out[0]));
        }
        return out;
    }
    /// Whether a value is read by another kernel or given out.
    bool used(int value, const std::vector<int>& group)
    {
        if (m_given.contains(value))
            return true;
        if (group.size() == 1)
            return m_readers[std::size_t(value)] > 0;
        int within = 0;
        for (const int each : group)
            for (const int in : stepOf(m_kernels[std::size_t(each)]).in)
                within += in >= 0 && rootOf(in) == value;
        return m_readers[std::size_t(value)] > within;
    }

    enum class Weight { Parameter, Buffer };
    static Weight weightOf(const OnnxStep& step, Class what, std::size_t input)
    {
        const std::string& op = step.node->op;
        if (op == "BatchNormalization" && input > 2)
            return Weight::Buffer; // statistics of the training set
        if (op == "QuantizeLinear" || op == "DequantizeLinear")
            return Weight::Buffer;
        if (op.starts_with("QLinear") && what == Class::Product)
            return input == 3 || input == 8 ? Weight::Parameter : Weight::Buffer;
        if (op == "QGemm")
            return input == 3 || input == 6 ? Weight::Parameter : Weight::Buffer;
        if (op.starts_with("QLinear"))
            return Weight::Buffer;
        if ((op == "MatMulInteger" || op == "ConvInteger") && input > 1)
            return Weight::Buffer;
        if (op == "MatMulNBits" && input > 1 && input != 5)
            return Weight::Buffer;
        return Weight::Parameter;
    }
    /// The values of a weight; those of a learned one are the model's parameters.
    double count(int value, Weight weight)
    {
        const OnnxState& held = state(value);
        static const std::set<int> numbers{1, 2, 3, 4, 5, 10, 11, 16, 17, 18, 19, 20, 21, 22, 23};
        if (weight == Weight::Parameter && numbers.contains(held.type) && held.stored > 1 && fixedSize(value))
            m_parameters.emplace(originOf(value), held.stored);
        return held.stored;
    }
    bool fixedSize(int value) const
    {
        const double count = state(value).count();
        return std::ranges::all_of(m_probes,
                                   [&](const Probe& p) { return p.states[std::size_t(value)].count() == count; });
    }
    /// The tensor of the file that a weight is made of: tied ones count once.
    int originOf(int value)
    {
        if (m_origin.empty()) {
            m_origin.resize(m_program.values.size());
            for (std::size_t i = 0; i < m_origin.size(); ++i)
                m_origin[i] = int(i);
            for (const OnnxStep& step : m_program.steps)
                if (!step.in.empty() && step.in[0] >= 0 && state(step.out[0]).weight)
                    m_origin[std::size_t(step.out[0])] = m_origin[std::size_t(step.in[0])];
        }
        return m_origin[std::size_t(value)];
    }

    void product(const OnnxStep& step, NetworkOp& op)
    {
        const std::string& name = step.node->op;
        if (name == "Einsum")
            return sums(step, op);
        const std::size_t second = name == "QLinearMatMul" || name == "QLinearConv" || name == "QGemm" ? 3 : 1;
        const auto dimsOf = [&](const Probe& p, int value) -> const std::vector<std::int64_t>& {
            return p.states[std::size_t(value)].dims;
        };
        const int a = step.in[0], b = step.in[second], y = step.out[0];
        const bool conv = name.find("Conv") != std::string::npos;
        const bool flipA = numberOf(*step.node, "transA", 0) != 0, flipB = numberOf(*step.node, "transB", 0) != 0;
        const auto area = [&](const Probe& p) {
            double all = 1;
            const auto& dims = dimsOf(p, b);
            for (std::size_t i = 2; i < dims.size(); ++i)
                all *= double(dims[i]);
            return all;
        };
        if (name == "ConvTranspose") {
            const Size n = fit([&](const Probe& p) { return double(dimsOf(p, b)[1]) * area(p); });
            return place(
                op, fit([&](const Probe& p) { return p.states[std::size_t(a)].count() / double(dimsOf(p, b)[0]); }),
                whole(n), whole(fit([&](const Probe& p) { return double(dimsOf(p, b)[0]); })), {});
        }
        if (conv)
            return place(op, fit([&](const Probe& p) {
                             return p.states[std::size_t(y)].count() / std::max(1.0, double(dimsOf(p, b)[0]));
                         }),
                         whole(fit([&](const Probe& p) { return double(dimsOf(p, b)[0]); })),
                         whole(fit([&](const Probe& p) { return double(dimsOf(p, b)[1]) * area(p); })), {});
        if (name == "MatMulNBits") {
            const double n = numberOf(*step.node, "N", 1), k = numberOf(*step.node, "K", 1);
            if (m_parameters.emplace(originOf(b), n * k).second)
                m_packed = true;
            return place(op, fit([&](const Probe& p) { return p.states[std::size_t(y)].count() / std::max(1.0, n); }),
                         {n, 0}, {k, 0}, {});
        }
        const auto depth = [&](const Probe& p) {
            const auto& dims = dimsOf(p, a);
            return double(dims[dims.size() > 1 && flipA ? dims.size() - 2 : dims.size() - 1]);
        };
        const auto columns = [&](const Probe& p) {
            const auto& dims = dimsOf(p, b);
            return dims.size() < 2 ? 1.0 : double(dims[flipB ? dims.size() - 2 : dims.size() - 1]);
        };
        const auto rowsEach = [&](const Probe& p) {
            const auto& dims = dimsOf(p, a);
            return dims.size() < 2 ? 1.0 : double(dims[flipA ? dims.size() - 1 : dims.size() - 2]);
        };
        const auto matricesOfB = [&](const Probe& p) {
            double all = 1;
            const auto& dims = dimsOf(p, b);
            for (std::size_t i = 0; i + 2 < dims.size(); ++i)
                all *= double(dims[i]);
            return all;
        };
        const double parts = matricesOfB(m_probes.front());
        const Count n = whole(fit(columns)), k = whole(fit(depth));
        if (parts == 1) // one matrix for all rows
            return place(
                op, fit([&](const Probe& p) { return p.states[std::size_t(y)].count() / std::max(1.0, columns(p)); }),
                n, k, {});
        place(op, fit(rowsEach), n, k, fit([&](const Probe& p) {
                  return p.states[std::size_t(y)].count() / std::max(1.0, columns(p) * rowsEach(p));
              }));
    }
    /// A size that no batch changes.
    Count whole(const Size& size) const { return m_batches ? size.shared + size.each * 2 : size.each * examples(); }
    void place(NetworkOp& op, const Size& rows, Count n, Count k, const Size& parts)
    {
        const auto some = [](const Count& c) { return c.fixed != 0 || c.perToken != 0 || c.perPair != 0; };
        op.n = n;
        op.k = k;
        if (some(parts.each) || some(parts.shared)) {
            op.rows = whole(rows);
            op.batched = some(parts.each);
            op.parts = op.batched ? parts.each : parts.shared;
        } else {
            op.batched = some(rows.each);
            op.rows = op.batched ? rows.each : rows.shared;
        }
    }
    /// Sums over products of two values by the letters of their axes.
    void sums(const OnnxStep& step, NetworkOp& op)
    {
        std::string equation = textOf(*step.node, "equation", "");
        std::erase(equation, ' ');
        const auto comma = equation.find(','), arrow = equation.find("->");
        if (comma == std::string::npos || arrow == std::string::npos || equation.find('.') != std::string::npos) {
            op.kind = OperatorKind::Elementwise;
            return;
        }
        const std::string a = equation.substr(0, comma), b = equation.substr(comma + 1, arrow - comma - 1),
                          y = equation.substr(arrow + 2);
        const auto over = [&](const Probe& p, auto wanted) {
            double all = 1;
            std::set<char> seen;
            const auto walk = [&](const std::string& letters, int value) {
                const auto& dims = p.states[std::size_t(value)].dims;
                for (std::size_t i = 0; i < letters.size() && i < dims.size(); ++i)
                    if (wanted(letters[i]) && seen.insert(letters[i]).second)
                        all *= double(dims[i]);
            };
            walk(a, step.in[0]);
            walk(b, step.in[1]);
            return all;
        };
        const auto in = [](const std::string& text, char c) { return text.find(c) != std::string::npos; };
        const bool shared = std::ranges::any_of(a, [&](char c) { return in(b, c) && in(y, c); });
        const auto part = [&](auto wanted) { return fit([&, wanted](const Probe& p) { return over(p, wanted); }); };
        place(op, part([&](char c) { return in(a, c) && in(y, c) && !in(b, c); }),
              whole(part([&](char c) { return in(b, c) && in(y, c) && !in(a, c); })),
              whole(part([&](char c) { return !in(y, c); })),
              shared ? part([&](char c) { return in(a, c) && in(b, c) && in(y, c); }) : Size{});
    }

    void emitRecurrent(const OnnxStep& step, std::vector<NetworkOp>& out)
    {
        const std::string& op = step.node->op;
        const double gates = op == "LSTM" ? 4 : op == "GRU" ? 3 : 1;
        const auto& again = state(step.in[2]).dims;
        const double ways = double(again[0]), h = double(again[2]), k = double(state(step.in[1]).dims.back());
        const bool first = numberOf(*step.node, "layout", 0) != 0;
        const Count steps =
            whole(fit([&](const Probe& p) { return double(p.states[std::size_t(step.in[0])].dims[first ? 1 : 0]); }));
        const bool bias = step.in.size() > 3 && step.in[3] >= 0;
        for (const std::size_t i : {1, 2, 3})
            if (i < step.in.size() && step.in[i] >= 0)
                count(step.in[i], Weight::Parameter);
        const std::string name = shownName(step.name);
        NetworkOp& inputs = out.emplace_back();
        inputs.name = name + ", inputs";
        inputs.kind = OperatorKind::Matmul;
        const Size rows = fit([&](const Probe& p) { return p.states[std::size_t(step.in[0])].count() / k; });
        place(inputs, rows, {gates * h, 0}, {k, 0}, {});
        inputs.flopsPerRow = bias ? gates * h : 0;
        inputs.values = inputs.rows * (k + gates * h);
        inputs.weights = k * gates * h + (bias ? gates * h : 0);
        inputs.count = {ways, 0};
        NetworkOp& loop = out.emplace_back();
        loop.name = name + ", recurrence";
        loop.kind = OperatorKind::Matmul;
        loop.rows = {1, 0};
        loop.n = {gates * h, 0};
        loop.k = {h, 0};
        loop.flopsPerRow = bias ? gates * h : 0;
        loop.values = {h + gates * h, 0};
        loop.weights = h * gates * h + (bias ? gates * h : 0);
        loop.count = steps * ways;
        NetworkOp& ends = out.emplace_back();
        ends.name = name + ", gates";
        ends.flops = {(op == "RNN" ? 5.0 : 6 * gates) * h, 0};
        ends.values = {(2 * gates + (op == "LSTM" ? 3 : op == "GRU" ? 2 : 1)) * h, 0};
        ends.count = steps * ways;
    }

    void emitAttention(const std::vector<int>& group, std::pair<int, int> ends, std::vector<NetworkOp>& out)
    {
        const OnnxStep& scores = stepOf(m_kernels[std::size_t(ends.first)]);
        const OnnxStep& values = stepOf(m_kernels[std::size_t(ends.second)]);
        NetworkOp asked, weighed;
        product(scores, asked);
        product(values, weighed);
        NetworkOp& op = out.emplace_back();
        op.name = shownName(values.name) + ", attention of " + std::to_string(group.size()) + " nodes";
        op.kind = OperatorKind::Attention;
        const double heads = asked.parts.fixed, stored = state(scores.in[1]).stored, all = state(scores.in[1]).count();
        op.attention.queryHeads = heads;
        const double kv = all > 0 ? heads * std::min(1.0, stored / all) : heads;
        op.attention.kvHeads = kv >= 1 && kv == std::floor(kv) ? kv : heads;
        op.attention.queryDim = asked.k.fixed;
        op.attention.valueDim = weighed.n.fixed;
        op.attention.causal = false;
        op.tokens = asked.rows;
        op.behind = asked.n + asked.rows * -1;
        op.group = kAttentionGroup;
    }

    void emitNamedAttention(const OnnxStep& step, std::vector<NetworkOp>& out)
    {
        const OnnxNode& node = *step.node;
        const bool packed = node.op == "Attention" && !node.domain.empty();
        const auto given = [&](std::size_t i) { return i < step.in.size() && step.in[i] >= 0; };
        if (packed) {
            NetworkOp& op = out.emplace_back();
            op.name = shownName(step.name) + ", queries, keys, values";
            op.kind = OperatorKind::Matmul;
            const auto& dims = state(step.in[1]).dims;
            const double k = double(dims[0]), n = double(dims[1]);
            place(op, fit([&](const Probe& p) { return p.states[std::size_t(step.in[0])].count() / k; }), {n, 0},
                  {k, 0}, {});
            op.flopsPerRow = given(2) ? n : 0;
            op.values = op.rows * (n + k);
            op.weights = count(step.in[1], Weight::Parameter) + (given(2) ? count(step.in[2], Weight::Parameter) : 0);
        }
        const std::vector<std::int64_t>& query = state(step.in[0]).dims;
        const bool separate = query.size() == 4; // [batch, heads, tokens, width]
        NetworkOp& op = out.emplace_back();
        op.name = shownName(step.name);
        op.kind = OperatorKind::Attention;
        Attention& a = op.attention;
        a.queryHeads = separate ? double(query[1])
                                : numberOf(node, packed || node.op != "Attention" ? "num_heads" : "q_num_heads", 1);
        a.queryHeads = std::max(1.0, a.queryHeads);
        const bool keys = given(1) && !packed;
        a.kvHeads = separate && keys && state(step.in[1]).dims.size() == 4
                        ? double(state(step.in[1]).dims[1])
                        : numberOf(node, "kv_num_heads", a.queryHeads);
        if (a.kvHeads < 1 || std::fmod(a.queryHeads, a.kvHeads) != 0)
            a.kvHeads = a.queryHeads;
        const double outWidth = double(state(step.out[0]).dims.back());
        a.valueDim = separate ? outWidth : outWidth / a.queryHeads;
        a.queryDim = separate          ? double(query.back())
                     : packed || !keys ? a.valueDim
                                       : double(query.back()) / a.queryHeads;
        a.causal = numberOf(node, "is_causal", 0) != 0 || numberOf(node, "unidirectional", 0) != 0 ||
                   node.op == "GroupQueryAttention";
        const std::size_t axis = separate ? 2 : 1;
        op.tokens = whole(fit([&](const Probe& p) { return double(p.states[std::size_t(step.in[0])].dims[axis]); }));
        if (keys) {
            const Count asked = whole(fit([&](const Probe& p) {
                const auto& dims = p.states[std::size_t(step.in[1])].dims;
                return double(dims[dims.size() == 4 ? 2 : dims.size() > 1 ? 1 : 0]);
            }));
            op.behind = asked + op.tokens * -1;
            const double tokens = double(m_probes.front().tokens);
            if (op.behind.at(tokens) < 0)
                op.behind = {};
        }
        op.group = kAttentionGroup;
    }

    // What is said of the whole.

    /// Positions end where a table of them does: slices of weights whose length is the sequence's.
    double mostTokens() const
    {
        double most = 0;
        if (!m_lengths)
            return most;
        for (const OnnxStep& step : m_program.steps) {
            if (step.node->op != "Slice" || step.in.empty() || step.in[0] < 0 || !state(step.in[0]).weight)
                continue;
            const auto& from = state(step.in[0]).dims;
            const auto& a = m_probes[0].states[std::size_t(step.out[0])].dims;
            const auto& b = m_probes[1].states[std::size_t(step.out[0])].dims;
            for (std::size_t i = 0; i < a.size() && i < b.size() && i < from.size(); ++i)
                if (a[i] != b[i] && from[i] > 0)
                    most = most > 0 ? std::min(most, double(from[i])) : double(from[i]);
        }
        return most;
    }
    std::string inputText() const
    {
        std::string all;
        for (const int input : m_program.inputs) {
            const OnnxValue* told = m_program.told[std::size_t(input)];
            std::string one;
            for (std::size_t i = 0; i < told->dims.size(); ++i)
                one += (i ? ", " : "") + (told->dims[i].size >= 0               ? std::to_string(told->dims[i].size)
                                          : told->dims[i].symbol.ends_with(']') ? std::string("?")
                                                                                : told->dims[i].symbol);
            all += (all.empty() ? "" : ", ") + told->name + " [" + one + "]";
            if (all.size() > 200)
                return all.substr(0, all.find_last_of(',', 200)) + ", …";
        }
        return all;
    }
    void tell()
    {
        std::vector<std::string>& told = m_out.assumed;
        told.insert(told.begin(), m_program.assumed.begin(), m_program.assumed.end());
        std::string batch, tokens;
        for (const auto& [name, meaning] : m_meaning) {
            std::string& into = meaning.first == Name::Batch ? batch : tokens;
            if ((meaning.first == Name::Batch || (meaning.first == Name::Tokens && m_lengths)) && !name.empty())
                into += (into.empty() ? "\"" : ", \"") + name + "\"";
        }
        if (!batch.empty())
            told.push_back("the batch is " + batch);
        if (!m_batches)
            told.push_back(m_fixedBatch > 1 ? "the file has a batch of " + std::to_string(m_fixedBatch) +
                                                  ": each example is its share of it"
                                            : "the file has one example: a batch is as many of it");
        if (!tokens.empty())
            told.push_back("the sequence is " + tokens);
        if (m_masked)
            told.push_back("masks are values of the graph: attention counts every score");
        if (m_turned)
            told.push_back("transposes and reshapes move nothing: the next kernel reads in another order");
        if (m_packed)
            told.push_back("packed weights are counted in the chosen format");
        std::map<std::string, int> unknown;
        for (const Kernel& kernel : m_kernels)
            if (const OnnxStep& step = stepOf(kernel); !step.known)
                ++unknown[step.node->domain.empty() ? step.node->op : step.node->domain + "." + step.node->op];
        std::string list;
        for (const auto& [name, times] : unknown)
            list += (list.empty() ? "" : ", ") + name + " (" + std::to_string(times) + ")";
        if (!list.empty())
            told.push_back("operators that are not known here: " + list +
                           ". Each is counted as reading its inputs and writing its outputs, without work");
    }

    static constexpr std::int64_t kOneLength = 512;
    const OnnxFile& m_file;
    const OnnxProgram& m_program;
    OnnxNetwork m_out;
    std::optional<Error> m_error;
    std::map<std::string, std::pair<Name, std::int64_t>> m_meaning;
    bool m_oneLength;
    bool m_batches = false, m_lengths = false, m_turned = false, m_masked = false, m_packed = false;
    std::int64_t m_fixedBatch = 0;
    std::string m_taken; ///< open sizes that are neither, in quotes
    std::vector<Probe> m_probes;
    std::vector<Kernel> m_kernels;
    std::vector<int> m_maker, m_group, m_readers, m_origin; ///< by value; m_group by kernel
    std::set<int> m_given;
    std::map<int, std::pair<int, int>> m_attention; ///< by the kernel of weighted values: scores and it
    std::map<int, double> m_parameters;
};

} // namespace

Result<OnnxNetwork> networkFromOnnx(const OnnxFile& file, const std::string& place)
{
    // Sizes decide some branches, as of "if this size is 1": each is corrected once it is known.
    OnnxChoices choices;
    bool oneLength = false;
    for (;;) {
        const auto program = programOf(file, place, choices);
        if (!program)
            return program.error();
        auto read = Kernels(file, *program, oneLength).read();
        if (read || read.error().code != kOtherBranch)
            return read;
        const std::string name = read.error().place;
        if (choices.contains(name) && !oneLength) {
            oneLength = true;
            choices.clear();
            continue;
        }
        if (choices.contains(name) || choices.size() > kMostBranches)
            return Error{"bad-onnx", "sizes decide this branch, and too many of its kind", place + ": " + name,
                         "export the model without branches"};
        for (const OnnxBranch& each : program->branches)
            if (each.name == name)
                choices[name] = !each.then;
    }
}

} // namespace ridge::workload
