// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/layered_network.h"

#include "base/experiment_info.h"
#include "base/json.h"
#include "workload/operator_parts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace ridge::workload {
namespace {

constexpr std::uint8_t kAttentionGroup = 255;
constexpr double kMostSize = 1u << 24, kMostValues = 1e15;
constexpr std::size_t kMostOps = 20000;
constexpr int kMostDepth = 8;

const std::vector<std::string> kLayers{"add",       "attention",      "class_token", "concat",   "conv",
                                       "embedding", "first",          "flatten",     "gelu",     "global_pool",
                                       "gru",       "linear",         "lstm",        "max_pool", "norm",
                                       "pool",      "positions",      "relu",        "repeat",   "resblock",
                                       "rnn",       "save",           "sigmoid",     "silu",     "softmax",
                                       "tanh",      "time_embedding", "tokens",      "upsample"};

/// FLOP a value, as the lists of models count them.
double activationFlops(const std::string& name)
{
    return name == "relu" ? 1 : name == "sigmoid" || name == "tanh" ? 4 : name == "silu" ? 5 : 8;
}

/// What is handed from layer to layer: a vector, tokens of a width, or an image.
struct Value {
    enum Kind { Vector, Tokens, Image } kind = Vector;
    double width = 0; ///< channels of an image
    Count tokens{1, 0};
    double height = 0, across = 0;
    int of = -1;        ///< the kernel that makes it
    bool words = false; ///< numbers of words, before their embedding

    Count rows() const { return kind == Tokens ? tokens : kind == Image ? Count{height * across, 0} : Count{1, 0}; }
    Count values() const { return rows() * width; }
    bool fits(const Value& other) const
    {
        return kind == other.kind && width == other.width && tokens.fixed == other.tokens.fixed &&
               tokens.perToken == other.tokens.perToken && height == other.height && across == other.across;
    }
    std::string text() const
    {
        const auto n = [](double v) { return std::to_string(static_cast<long long>(std::min(v, 9e18))); };
        if (kind == Image)
            return "[" + n(width) + ", " + n(height) + ", " + n(across) + "]";
        if (kind == Tokens && words)
            return tokens.perToken > 0 ? "[sequence]" : "[" + n(tokens.fixed) + " words]";
        if (kind == Tokens)
            return "[" +
                   (tokens.perToken > 0 ? "sequence" + (tokens.fixed > 0 ? " + " + n(tokens.fixed) : "")
                                        : n(tokens.fixed)) +
                   ", " + n(width) + "]";
        return "[" + n(width) + "]";
    }
};

/// Runs through the layers once for kernels of each kind: fused or one by one.
class Builder {
public:
    Builder(std::string place, bool fused) : m_place(std::move(place)), m_fused(fused) {}

    std::optional<Error> error;
    std::vector<NetworkOp> ops;
    double parameters = 0, mostTokens = 0;
    Value at;

    void fail(const std::string& message, const std::string& fix)
    {
        if (!error)
            error = Error{"bad-network", message, m_place + ": " + m_layer, fix};
    }

    void input(const Json& given)
    {
        m_layer = "input";
        const std::string fix = "write [784] for a vector, [3, 224, 224] for an image, [sequence, 512] for tokens, "
                                "[sequence] for words";
        const Json list = given.is_array() ? given : Json::array({given});
        std::vector<double> sizes;
        bool sequence = false;
        for (std::size_t i = 0; i < list.size() && i < 4; ++i) {
            if (i == 0 && list[i].is_string() && list[i] == "sequence") {
                sequence = true;
                continue;
            }
            const double size = list[i].is_number() ? list[i].get<double>() : 0;
            if (size < 1 || size > kMostSize || size != std::floor(size))
                return fail("\"input\" has " + list[i].dump() + ", which is no size", fix);
            sizes.push_back(size);
        }
        if (sequence && sizes.size() <= 1) {
            at.kind = Value::Tokens;
            at.tokens = {0, 1};
            at.words = sizes.empty();
            at.width = sizes.empty() ? 1 : sizes[0];
        } else if (!sequence && sizes.size() == 1) {
            at.width = sizes[0];
        } else if (!sequence && sizes.size() == 2) {
            at.kind = Value::Tokens;
            at.tokens = {sizes[0], 0};
            at.width = sizes[1];
        } else if (!sequence && sizes.size() == 3) {
            at.kind = Value::Image;
            at.width = sizes[0];
            at.height = sizes[1];
            at.across = sizes[2];
        } else {
            fail("\"input\" has " + std::to_string(list.size()) + " sizes", fix);
        }
    }

    void layers(const Json& list, const std::string& place, int depth)
    {
        m_layer = place;
        if (!list.is_array() || list.empty())
            return fail("\"" + place + "\" has no layers", "give a list, as layers: [{linear: 256}, relu]");
        if (depth > kMostDepth)
            return fail("layers are nested more than 8 deep", "nest less");
        for (std::size_t i = 0; i < list.size() && !error; ++i) {
            m_layer = place + "[" + std::to_string(i) + "]";
            layer(list[i], depth);
        }
    }

private:
    // What a layer says.

    double size(const Json& spec, const char* key, std::optional<double> otherwise = {}, double least = 1)
    {
        if (!spec.contains(key) || spec[key].is_null()) {
            if (otherwise)
                return *otherwise;
            fail(std::string("\"") + key + "\" is missing", std::string("add ") + key + ", a whole number");
            return 1;
        }
        const double value = spec[key].is_number() ? spec[key].get<double>() : -1;
        if (value < least || value > kMostSize || value != std::floor(value)) {
            fail(std::string("\"") + key + "\" is " + spec[key].dump() + " and must be a whole number",
                 "give " + std::to_string(int(least)) + " to " + std::to_string(int(kMostSize)));
            return 1;
        }
        return value;
    }
    bool flag(const Json& spec, const char* key, bool otherwise)
    {
        if (!spec.contains(key))
            return otherwise;
        if (!spec[key].is_boolean()) {
            fail(std::string("\"") + key + "\" is " + spec[key].dump(), "write true or false");
            return otherwise;
        }
        return spec[key].get<bool>();
    }
    bool need(Value::Kind kind, const std::string& layerName)
    {
        static const char* const names[] = {"a vector", "tokens", "an image"};
        if (at.kind == kind)
            return true;
        fail(layerName + " takes " + names[kind] + " and is given " + at.text(),
             kind == Value::Tokens  ? "put tokens before it, or begin with input: [sequence, width]"
             : kind == Value::Image ? "put it before flatten, or begin with input: [channels, height, width]"
                                    : "put flatten, first or global_pool before it");
        return false;
    }
    bool noWords(const std::string& layerName)
    {
        if (!at.words)
            return true;
        fail(layerName + " takes values and is given words", "put an embedding before it");
        return false;
    }

    // Kernels.

    NetworkOp& add(const std::string& name, OperatorKind kind, std::vector<int> of)
    {
        NetworkOp& op = ops.emplace_back();
        if (ops.size() > kMostOps)
            fail("the network has more than 20,000 kernels", "repeat less");
        if (!(at.values().at(1) < kMostValues))
            fail(at.text() + " are more values than any memory holds", "take smaller sizes");
        op.name = name;
        op.kind = kind;
        op.of = std::move(of);
        return op;
    }
    int last() const { return static_cast<int>(ops.size()) - 1; }

    NetworkOp& product(const std::string& name, Count rows, double n, double k, bool bias, Count valuesIn,
                       double weights)
    {
        NetworkOp& op = add(name, OperatorKind::Matmul, {at.of});
        op.rows = rows;
        op.n = {n, 0};
        op.k = {k, 0};
        op.flopsPerRow = bias ? n : 0;
        op.values = valuesIn + rows * n;
        op.weights = weights + (bias ? n : 0);
        parameters += op.weights;
        at.of = last();
        return op;
    }
    /// A kernel that makes as many values as it reads, or the end of the one before where that may be.
    void elementwise(const std::string& name, double flopsPerValue, const Value* other = nullptr)
    {
        const Count values = at.values();
        const bool joins = at.of >= 0 && at.of == last() && !m_kept.contains(at.of) &&
                           ops.back().kind != OperatorKind::Attention && m_joinable;
        if (joins && m_fused) {
            NetworkOp& before = ops.back();
            before.name += " + " + name;
            before.flops = before.flops + values * flopsPerValue;
            if (other) {
                before.values = before.values + values;
                before.of.push_back(other->of);
            }
            if (before.group == 0)
                before.group = group(false);
            return;
        }
        const int from = at.of;
        NetworkOp& op = add(name, OperatorKind::Elementwise, {from});
        if (other)
            op.of.push_back(other->of);
        op.flops = values * flopsPerValue;
        op.values = values * (other ? 3 : 2);
        if (joins) {
            const std::uint8_t number = group(ops[ops.size() - 2].group != 0);
            ops[ops.size() - 2].group = op.group = number;
        }
        m_joinable = true;
        at.of = last();
    }
    std::uint8_t group(bool same)
    {
        if (!same)
            m_group = static_cast<std::uint8_t>(m_group % 250 + 1);
        return std::max<std::uint8_t>(m_group, 1);
    }
    void stream(const std::string& name, OperatorKind kind, Count flops, Count values, double weights,
                bool joinable = true)
    {
        NetworkOp& op = add(name, kind, {at.of});
        op.flops = flops;
        op.values = values;
        op.weights = weights;
        parameters += weights;
        at.of = last();
        m_joinable = joinable;
    }
    void norm(const std::string& name, const std::string& kind)
    {
        const double flops = kind == "rms" ? 4 : kind == "batch" ? 5 : 7;
        stream(name, OperatorKind::Norm, at.values() * flops, at.values() * 2, kind == "rms" ? at.width : 2 * at.width);
    }
    void linear(const std::string& name, double n, bool bias)
    {
        product(name, at.rows(), n, at.width, bias, at.values(), at.width * n);
        at.width = n;
        m_joinable = true;
    }
    bool conv(const std::string& name, double out, double kernel, double stride, double pad, double groups, bool bias)
    {
        const double height = std::floor((at.height + 2 * pad - kernel) / stride) + 1;
        const double across = std::floor((at.across + 2 * pad - kernel) / stride) + 1;
        if (height < 1 || across < 1) {
            fail("a kernel of " + std::to_string(int(kernel)) + " does not fit on " + at.text(),
                 "take a smaller kernel or more pad");
            return false;
        }
        if (std::fmod(at.width, groups) != 0 || std::fmod(out, groups) != 0) {
            fail(std::to_string(int(groups)) + " groups do not divide " + std::to_string(int(at.width)) + " and " +
                     std::to_string(int(out)) + " channels",
                 "take a number that divides both");
            return false;
        }
        const double depth = at.width / groups * kernel * kernel;
        product(name, {height * across, 0}, out, depth, bias, at.values(), depth * out);
        at.width = out;
        at.height = height;
        at.across = across;
        m_joinable = true;
        return true;
    }

    // Layers.

    void layer(const Json& item, int depth)
    {
        Json spec = item;
        if (item.is_string())
            spec = Json{{item.get<std::string>(), nullptr}};
        if (!spec.is_object() || spec.empty())
            return fail(item.dump() + " is no layer", "write relu or {linear: 256}");
        std::string kind;
        for (const auto& [key, value] : spec.items())
            if (std::ranges::find(kLayers, key) != kLayers.end()) {
                if (!kind.empty())
                    return fail("a layer is both " + kind + " and " + key, "begin a new item for each");
                kind = key;
            }
        if (kind.empty()) {
            const std::string named = spec.begin().key();
            const auto near = nearestNames(named, kLayers);
            std::string all;
            for (const std::string& each : kLayers)
                all += (all.empty() ? "" : ", ") + each;
            return fail("the layer \"" + named + "\" is not known",
                        (near.empty() ? std::string() : "did you mean " + near.front() + "? ") + "Layers are " + all);
        }
        std::string name = kind;
        if (spec.contains("name")) {
            if (!spec["name"].is_string())
                return fail("\"name\" is no text", "write name: classes");
            name = spec["name"].get<std::string>().substr(0, 60);
        }
        const Json& main = spec[kind];
        const char* key = kind.c_str();
        if (kind == "repeat") {
            const double times = size(spec, key);
            if (times > 1000)
                return fail("1000 repetitions are the most", "repeat less");
            const std::string here = m_layer;
            const Json inner = spec.contains("layers") ? spec["layers"] : Json();
            const Value before = at;
            const std::size_t first = ops.size(), saved = m_saved.size();
            const double counted = parameters;
            m_joinable = false; // what a layer ends with and the next begins with are kernels of their own
            layers(inner, here + ": layers", depth + 1);
            m_joinable = false;
            if (!error && at.fits(before) && m_saved.size() == saved) {
                // All are alike: each kernel stands for that of every one.
                for (std::size_t i = first; i < ops.size(); ++i)
                    ops[i].count = ops[i].count * times;
                parameters = counted + times * (parameters - counted);
            } else {
                for (int i = 1; i < int(times) && !error; ++i) {
                    layers(inner, here + ": layers", depth + 1);
                    m_joinable = false;
                }
            }
            m_layer = here;
            return;
        }
        if (kind == "save") {
            m_saved.push_back(at);
            if (at.of >= 0)
                m_kept.insert({at.of, true});
            return;
        }
        if (kind == "embedding")
            return embedding(spec, name);
        if (!noWords(kind))
            return;
        if (kind == "linear") {
            if (at.kind == Value::Image)
                return need(Value::Vector, kind), void();
            return linear(name, size(spec, key), flag(spec, "bias", true));
        }
        if (kind == "conv") {
            if (!need(Value::Image, kind))
                return;
            const double kernel = size(spec, "kernel");
            conv(name, size(spec, key), kernel, size(spec, "stride", 1), size(spec, "pad", 0, 0),
                 size(spec, "groups", 1), flag(spec, "bias", true));
            return;
        }
        if (kind == "pool" || kind == "max_pool" || kind == "global_pool")
            return pool(spec, kind, name);
        if (kind == "flatten") {
            if (at.kind != Value::Image)
                return need(Value::Image, kind), void();
            at.width *= at.height * at.across;
            at.kind = Value::Vector;
            return;
        }
        if (kind == "relu" || kind == "gelu" || kind == "silu" || kind == "sigmoid" || kind == "tanh")
            return elementwise(name, activationFlops(kind));
        if (kind == "softmax")
            return stream(name, OperatorKind::Softmax, at.values() * 5, at.values() * 2, 0);
        if (kind == "norm") {
            static const std::vector<std::string> kinds{"batch", "group", "layer", "rms"};
            const std::string which = main.is_string() ? main.get<std::string>() : "";
            if (std::ranges::find(kinds, which) == kinds.end())
                return fail("norm is " + main.dump(), "take batch, group, layer or rms");
            return norm(name == "norm" ? which + " norm" : name, which);
        }
        if (kind == "positions")
            return positions(spec, name);
        if (kind == "class_token") {
            if (!need(Value::Tokens, kind))
                return;
            const Count before = at.values();
            at.tokens.fixed += 1;
            return stream(name, OperatorKind::Elementwise, {}, before + at.values(), at.width, false);
        }
        if (kind == "tokens") {
            if (!need(Value::Image, kind))
                return;
            at.tokens = {at.height * at.across, 0};
            at.kind = Value::Tokens;
            return;
        }
        if (kind == "first") {
            if (!need(Value::Tokens, kind))
                return;
            at.kind = Value::Vector; // a view of the first token
            at.tokens = {1, 0};
            return;
        }
        if (kind == "rnn" || kind == "gru" || kind == "lstm")
            return recurrent(spec, kind, name);
        if (kind == "attention")
            return attention(spec, name);
        if (kind == "add" || kind == "concat")
            return join(kind, name);
        if (kind == "upsample") {
            if (!need(Value::Image, kind))
                return;
            const Count before = at.values();
            const double factor = size(spec, key, 2);
            at.height *= factor;
            at.across *= factor;
            return stream(name, OperatorKind::Elementwise, {}, before + at.values(), 0, false);
        }
        if (kind == "time_embedding")
            return timeEmbedding(spec);
        if (need(Value::Image, kind))
            resblock(size(spec, key), name);
    }

    void embedding(const Json& spec, const std::string& name)
    {
        if (!need(Value::Tokens, "embedding"))
            return;
        if (!at.words)
            return fail("embedding takes words and is given " + at.text(), "begin with input: [sequence]");
        const double words = size(spec, "embedding");
        at.width = size(spec, "width");
        at.words = false;
        stream(name, OperatorKind::Embedding, {}, at.values() * 2, 0, false); // the rows that are read, and written
        parameters += words * at.width;
    }

    void pool(const Json& spec, const std::string& kind, const std::string& name)
    {
        if (!need(Value::Image, kind))
            return;
        const Count before = at.values();
        if (kind == "global_pool") {
            const double area = at.height * at.across;
            at.kind = Value::Vector;
            return stream(name, OperatorKind::Elementwise, {at.width * area, 0}, before + at.values(), 0);
        }
        const double kernel = size(spec, kind.c_str()), stride = size(spec, "stride", kernel),
                     pad = size(spec, "pad", 0, 0);
        const double height = std::floor((at.height + 2 * pad - kernel) / stride) + 1;
        const double across = std::floor((at.across + 2 * pad - kernel) / stride) + 1;
        if (height < 1 || across < 1)
            return fail("a pool of " + std::to_string(int(kernel)) + " does not fit on " + at.text(),
                        "take a smaller one");
        at.height = height;
        at.across = across;
        stream(name, OperatorKind::Elementwise, at.values() * (kernel * kernel), before + at.values(), 0);
    }

    void positions(const Json& spec, const std::string& name)
    {
        if (!need(Value::Tokens, "positions"))
            return;
        const double most = size(spec, "positions");
        if (at.tokens.perToken == 0 && at.tokens.fixed > most)
            return fail("there are " + std::to_string(int(at.tokens.fixed)) + " tokens and " +
                            std::to_string(int(most)) + " positions",
                        "give as many positions as tokens");
        if (at.tokens.perToken > 0)
            mostTokens = mostTokens > 0 ? std::min(mostTokens, most - at.tokens.fixed) : most - at.tokens.fixed;
        // Its table is read as another operand is; an operand that no kernel makes.
        const double before = parameters;
        Value table = at;
        table.of = -1;
        const Value* other = &table;
        elementwise(name, 1, other);
        ops.back().of.pop_back();
        parameters = before + most * at.width;
    }

    void recurrent(const Json& spec, const std::string& kind, const std::string& name)
    {
        if (!need(Value::Tokens, kind))
            return;
        const double gates = kind == "lstm" ? 4 : kind == "gru" ? 3 : 1;
        const double h = size(spec, kind.c_str()), biases = size(spec, "biases", 2);
        const Count steps = at.tokens;
        product(name + ", inputs", at.rows(), gates * h, at.width, true, at.values(), at.width * gates * h);
        // Each token waits for the one before: a product and a kernel of gates each.
        NetworkOp& again = product(name + ", recurrence", {1, 0}, gates * h, h, biases > 1, {h, 0}, h * gates * h);
        again.count = steps;
        stream(name + ", gates", OperatorKind::Elementwise, {(kind == "rnn" ? 5.0 : 6 * gates) * h, 0},
               {(2 * gates + (kind == "lstm"  ? 3
                              : kind == "gru" ? 2
                                              : 1)) *
                    h,
                0},
               0, false);
        ops.back().count = steps;
        at.width = h;
    }

    void attention(const Json& spec, const std::string& name)
    {
        const bool image = at.kind == Value::Image; // then with its own norm and sum, as diffusion models have it
        if (!image && !need(Value::Tokens, "attention"))
            return;
        const double heads = size(spec, "attention"), kvHeads = size(spec, "kv_heads", heads);
        if (std::fmod(heads, kvHeads) != 0)
            return fail(std::to_string(int(heads)) + " heads cannot share " + std::to_string(int(kvHeads)) +
                            " KV heads evenly",
                        "take a number that divides the heads");
        if (!spec.contains("head_dim") && std::fmod(at.width, heads) != 0)
            return fail("a width of " + std::to_string(int(at.width)) + " is no multiple of " +
                            std::to_string(int(heads)) + " heads",
                        "correct one of the two, or give head_dim");
        const double dim = size(spec, "head_dim", std::floor(at.width / heads));
        const bool bias = flag(spec, "bias", true);
        const double width = at.width;
        const Value before = at;
        if (image) {
            if (at.of >= 0)
                m_kept.insert({at.of, true});
            norm(name + ", norm", "group");
        }
        const Value in = at;
        std::vector<int> of;
        if (m_fused) {
            linear(name + ", queries, keys, values", (heads + 2 * kvHeads) * dim, bias);
            of = {at.of};
        } else {
            for (const char* which : {"queries", "keys", "values"}) {
                at = in;
                linear(name + ", " + which, (*which == 'q' ? heads : kvHeads) * dim, bias);
                of.push_back(at.of);
            }
        }
        NetworkOp& op = add(name, OperatorKind::Attention, of);
        op.attention.queryHeads = heads;
        op.attention.kvHeads = kvHeads;
        op.attention.queryDim = op.attention.valueDim = dim;
        op.attention.causal = flag(spec, "causal", false);
        op.tokens = in.rows();
        op.group = kAttentionGroup;
        at = in;
        at.of = last();
        at.width = heads * dim;
        m_joinable = false;
        linear(name + ", output", width, bias);
        if (image)
            elementwise("sum", 1, &before);
    }

    void join(const std::string& kind, const std::string& name)
    {
        if (m_saved.empty())
            return fail(kind + " finds nothing that was saved", "put save before the layers that it skips");
        const Value other = m_saved.back();
        m_saved.pop_back();
        if (kind == "add") {
            if (!at.fits(other))
                return fail(at.text() + " and " + other.text() + " cannot be summed",
                            "give both the same sizes, or take concat");
            return elementwise(name == "add" ? "sum" : name, 1, &other);
        }
        if (at.kind != Value::Image || other.kind != Value::Image || at.height != other.height ||
            at.across != other.across)
            return fail(at.text() + " and " + other.text() + " cannot stand side by side",
                        "give both images the same height and width");
        at.width += other.width;
        stream(name, OperatorKind::Elementwise, {}, at.values() * 2, 0, false);
        ops.back().of.push_back(other.of);
    }

    void timeEmbedding(const Json& spec)
    {
        const double width = size(spec, "time_embedding"), from = size(spec, "from");
        const Value before = at;
        at = Value{};
        at.width = from;
        linear("time, up", width, true);
        elementwise("silu", 5);
        linear("time, out", width, true);
        elementwise("silu", 5);
        m_time = at;
        m_kept.insert({at.of, true});
        at = before;
    }

    /// Two convolutions of 3 x 3 with group norms, the time between them, and the sum with its input.
    void resblock(double out, const std::string& name)
    {
        if (m_time.width == 0)
            return fail("a resblock needs to know the time", "put time_embedding before it");
        const Value before = at;
        if (at.of >= 0)
            m_kept.insert({at.of, true});
        norm(name + ", norm", "group");
        elementwise("silu", 5);
        if (!conv(name + ", conv 1", out, 3, 1, 1, 1, true))
            return;
        m_kept.insert({at.of, true});
        Value features = at;
        at = m_time;
        linear(name + ", time", out, true);
        const Value time = at;
        at = features;
        m_joinable = false;
        // A number a channel is added to all of its pixels.
        add(name + ", sum with time", OperatorKind::Elementwise, {features.of, time.of});
        ops.back().flops = at.values();
        ops.back().values = at.values() * 2 + Count{out, 0};
        at.of = last();
        norm(name + ", norm", "group");
        elementwise("silu", 5);
        conv(name + ", conv 2", out, 3, 1, 1, 1, true);
        Value skip = before;
        if (before.width != out) {
            m_kept.insert({at.of, true});
            const Value kept = at;
            at = before;
            conv(name + ", shortcut", out, 1, 1, 0, 1, true);
            skip = kept;
        }
        elementwise("sum", 1, &skip);
    }

    std::string m_place, m_layer;
    bool m_fused;
    bool m_joinable = false;
    std::uint8_t m_group = 0;
    std::vector<Value> m_saved;
    std::map<int, bool> m_kept; ///< kernels whose results somebody else reads, too
    Value m_time;
};

} // namespace

Result<Network> networkFromJson(const Json& json, const std::string& place)
{
    if (!json.is_object())
        return Error{"bad-network", "a network is no map of keys", place, "give title, input and layers"};
    for (const char* key : {"input", "layers"})
        if (!json.contains(key))
            return Error{"bad-network", std::string("\"") + key + "\" is missing", place,
                         std::string("give title, input and layers, as assets/networks/mlp.yaml does")};
    static const std::vector<std::string> keys{"id", "title", "source", "input", "layers"};
    for (const auto& [key, value] : json.items())
        if (std::ranges::find(keys, key) == keys.end()) {
            const auto near = nearestNames(key, keys);
            return Error{"bad-network", "the key \"" + key + "\" is not known", place,
                         near.empty() ? "keys are title, source, input and layers"
                                      : "did you mean " + near.front() + "?"};
        }
    Network out;
    const auto text = [&](const char* key, std::string otherwise) {
        return json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : std::move(otherwise);
    };
    out.title = text("title", place);
    out.id = text("id", "");
    out.source = text("source", "");
    for (const bool fused : {false, true}) {
        Builder builder(place, fused);
        builder.input(json["input"]);
        out.input = builder.at.text();
        out.sequence = builder.at.tokens.perToken > 0;
        if (!builder.error)
            builder.layers(json["layers"], "layers", 0);
        if (!builder.error && builder.ops.empty())
            builder.fail("no layer computes anything", "add a linear or conv layer");
        if (builder.error)
            return *builder.error;
        out.parameters = builder.parameters;
        out.mostTokens = builder.mostTokens;
        (fused ? out.fused : out.eager) = std::move(builder.ops);
    }
    return out;
}

void listOperators(const Network& network, const Step& step, std::vector<Operator>& out)
{
    out.clear();
    const double weight = weightBytes(step.dtype), value = activationBytes(step.dtype);
    const double tokens = step.context, batch = step.batch;
    for (const NetworkOp& from : step.fused ? network.fused : network.eager) {
        const double count = from.count.at(tokens);
        if (from.kind == OperatorKind::Attention) {
            Attention a = from.attention;
            a.batch = batch;
            a.fresh = from.tokens.at(tokens);
            a.context = from.behind.at(tokens);
            a.kvBytes = value;
            appendAttention(out, a, step.fused, batch * a.fresh, value, count, from.group);
            continue;
        }
        Operator& op = out.emplace_back();
        op.name = from.name;
        op.kind = from.kind;
        op.group = from.group;
        op.count = count;
        const double examples = from.batched ? batch : 1;
        op.flops = examples * from.flops.at(tokens);
        op.activationBytes = (examples * from.values.at(tokens) + from.shared.at(tokens)) * value;
        op.weightBytes = from.weights * weight;
        if (from.kind == OperatorKind::Matmul) {
            const double parts = from.parts.at(tokens);
            op.m = (parts > 0 ? 1 : examples) * from.rows.at(tokens);
            op.n = from.n.at(tokens);
            op.k = from.k.at(tokens);
            op.parts = parts > 0 ? examples * parts : 1;
            op.flops += op.parts * (2 * op.m * op.n * op.k + op.m * from.flopsPerRow);
        }
    }
    if (step.phase == Phase::Training)
        appendBackward(out, network.parameters, step.recompute, kAttentionGroup);
}

Result<void> checkStep(const Network& network, const Step& step)
{
    if (step.phase == Phase::Decode)
        return Error{"bad-step", network.title + " has no decode phase: it keeps no keys and values", "phase",
                     "take prefill for one pass over its input, or training"};
    if (step.gpus > 1)
        return Error{"bad-step", network.title + " is not shared by GPUs here", "gpus", "take one GPU"};
    if (step.batch < 1 || step.context < 1)
        return Error{"bad-step", "a step needs an example and a token", "batch", "take 1 or more of each"};
    if (network.sequence && network.mostTokens > 0 && step.context > network.mostTokens)
        return Error{"bad-step",
                     network.title + " has positions for " +
                         std::to_string(static_cast<long long>(network.mostTokens)) + " tokens",
                     "context", "take at most " + std::to_string(static_cast<long long>(network.mostTokens))};
    return {};
}

} // namespace ridge::workload
