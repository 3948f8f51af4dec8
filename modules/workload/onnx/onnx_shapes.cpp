// SPDX-License-Identifier: GPL-3.0-or-later
// Sizes of what operators make, as the operators' documents have them (onnx.ai, Operators.md; onnxruntime,
// ContribOperators.md), and the values of those small tensors that hold sizes.
#include "workload/onnx/onnx_program.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace ridge::workload {
namespace {

using Dims = std::vector<std::int64_t>;

constexpr double kMostValues = 1e15;
constexpr std::size_t kMostData = 4096;
constexpr std::size_t kMostRank = 16;

enum class Rule {
    Same,      ///< as the first input
    Broadcast, ///< as all inputs together
    Named      ///< by its name, below
};

const std::map<std::string, Rule, std::less<>>& rules()
{
    static const std::map<std::string, Rule, std::less<>> all = [] {
        std::map<std::string, Rule, std::less<>> out;
        for (const char* name : {"Abs",
                                 "Acos",
                                 "Acosh",
                                 "Asin",
                                 "Asinh",
                                 "Atan",
                                 "Atanh",
                                 "BitwiseNot",
                                 "Cast",
                                 "CastLike",
                                 "Ceil",
                                 "Celu",
                                 "Clip",
                                 "Cos",
                                 "Cosh",
                                 "CumSum",
                                 "Dropout",
                                 "Elu",
                                 "Erf",
                                 "Exp",
                                 "Floor",
                                 "Gelu",
                                 "HardSigmoid",
                                 "HardSwish",
                                 "Hardmax",
                                 "Identity",
                                 "IsInf",
                                 "IsNaN",
                                 "LRN",
                                 "LeakyRelu",
                                 "Log",
                                 "LogSoftmax",
                                 "LpNormalization",
                                 "MeanVarianceNormalization",
                                 "Mish",
                                 "Neg",
                                 "Not",
                                 "Reciprocal",
                                 "Relu",
                                 "ReverseSequence",
                                 "Round",
                                 "ScatterElements",
                                 "ScatterND",
                                 "Scatter",
                                 "Selu",
                                 "Shrink",
                                 "Sigmoid",
                                 "Sign",
                                 "Sin",
                                 "Sinh",
                                 "Softmax",
                                 "Softplus",
                                 "Softsign",
                                 "Sqrt",
                                 "Swish",
                                 "Tan",
                                 "Tanh",
                                 "ThresholdedRelu",
                                 "Trilu",
                                 "QuantizeLinear",
                                 "DequantizeLinear",
                                 "DynamicQuantizeLinear",
                                 "BatchNormalization",
                                 "LayerNormalization",
                                 "InstanceNormalization",
                                 "GroupNormalization",
                                 "RMSNormalization",
                                 "SimplifiedLayerNormalization",
                                 "BiasGelu",
                                 "FastGelu",
                                 "QuickGelu",
                                 "RotaryEmbedding",
                                 "SkipLayerNormalization",
                                 "SkipSimplifiedLayerNormalization",
                                 "EyeLike",
                                 "Bernoulli",
                                 "RandomNormalLike",
                                 "RandomUniformLike",
                                 "QLinearSigmoid",
                                 "QLinearSoftmax",
                                 "QLinearLeakyRelu",
                                 "TensorScatter"})
            out.emplace(name, Rule::Same);
        for (const char* name : {"Add",        "And",         "BitShift", "BitwiseAnd", "BitwiseOr",
                                 "BitwiseXor", "Div",         "Equal",    "Greater",    "GreaterOrEqual",
                                 "Less",       "LessOrEqual", "Max",      "Mean",       "Min",
                                 "Mod",        "Mul",         "Or",       "PRelu",      "Pow",
                                 "Sub",        "Sum",         "Where",    "Xor",        "QLinearAdd",
                                 "QLinearMul"})
            out.emplace(name, Rule::Broadcast);
        for (const char* name : {"ArgMax",
                                 "ArgMin",
                                 "Attention",
                                 "AveragePool",
                                 "Concat",
                                 "Constant",
                                 "ConstantOfShape",
                                 "Conv",
                                 "ConvInteger",
                                 "ConvTranspose",
                                 "DepthToSpace",
                                 "Einsum",
                                 "Expand",
                                 "Flatten",
                                 "FusedConv",
                                 "FusedMatMul",
                                 "GRU",
                                 "Gather",
                                 "GatherElements",
                                 "GatherND",
                                 "Gemm",
                                 "GlobalAveragePool",
                                 "GlobalLpPool",
                                 "GlobalMaxPool",
                                 "GroupQueryAttention",
                                 "LSTM",
                                 "LpPool",
                                 "MatMul",
                                 "MatMulInteger",
                                 "MatMulNBits",
                                 "MaxPool",
                                 "MultiHeadAttention",
                                 "OneHot",
                                 "Pad",
                                 "QGemm",
                                 "QLinearConv",
                                 "QLinearGlobalAveragePool",
                                 "QLinearAveragePool",
                                 "QLinearMatMul",
                                 "QLinearConcat",
                                 "RNN",
                                 "Range",
                                 "ReduceL1",
                                 "ReduceL2",
                                 "ReduceLogSum",
                                 "ReduceLogSumExp",
                                 "ReduceMax",
                                 "ReduceMean",
                                 "ReduceMin",
                                 "ReduceProd",
                                 "ReduceSum",
                                 "ReduceSumSquare",
                                 "Reshape",
                                 "Resize",
                                 "Shape",
                                 "Size",
                                 "Slice",
                                 "SpaceToDepth",
                                 "Split",
                                 "Squeeze",
                                 "Tile",
                                 "TopK",
                                 "Transpose",
                                 "Unsqueeze",
                                 "Upsample",
                                 "EmbedLayerNormalization"})
            out.emplace(name, Rule::Named);
        return out;
    }();
    return all;
}

/// Sizes of one step after the other.
class Sizer {
public:
    Sizer(const OnnxProgram& program, const std::map<std::string, std::int64_t>& symbols)
        : m_program(program), m_symbols(symbols), m_states(program.values.size())
    {
    }

    Result<std::vector<OnnxState>> run()
    {
        for (std::size_t i = 0; i < m_states.size(); ++i) {
            m_states[i].root = static_cast<int>(i);
            if (const OnnxTensor* tensor = m_program.tensors[i]) {
                takeTensor(m_states[i], *tensor);
                settle(static_cast<int>(i), m_program.values[i]);
            }
        }
        for (const int input : m_program.inputs) {
            OnnxState& state = at(input);
            const OnnxValue* told = m_program.told[static_cast<std::size_t>(input)];
            state.type = told->type;
            for (const OnnxDim& dim : told->dims)
                state.dims.push_back(sizeOf(dim).value_or(1));
            settle(input, "the input " + told->name);
        }
        std::size_t branch = 0;
        for (std::size_t i = 0; i < m_program.steps.size() && !m_error; ++i) {
            for (; branch < m_program.branches.size() && m_program.branches[branch].step <= i; ++branch) {
                const OnnxBranch& taken = m_program.branches[branch];
                const OnnxState* decides = taken.condition < 0 ? nullptr : &at(taken.condition);
                if (decides && decides->told && decides->data.size() == 1 && (decides->data[0] != 0) != taken.then)
                    return Error{kOtherBranch, "sizes decide for the other branch", taken.name, {}};
            }
            m_step = &m_program.steps[i];
            work();
        }
        if (m_error)
            return *m_error;
        return std::move(m_states);
    }

private:
    OnnxState& at(int value) { return m_states[static_cast<std::size_t>(value)]; }
    bool has(std::size_t i) const { return i < m_step->in.size() && m_step->in[i] >= 0; }
    const OnnxState& in(std::size_t i)
    {
        static const OnnxState none;
        if (has(i))
            return at(m_step->in[i]);
        fail("its input " + std::to_string(i + 1) + " is missing");
        return none;
    }
    const OnnxNode& node() const { return *m_step->node; }
    OnnxState& out(std::size_t i = 0)
    {
        static thread_local OnnxState beyond;
        if (i < m_step->out.size())
            return at(m_step->out[i]);
        beyond = {};
        return beyond;
    }
    void fail(const std::string& what, const std::string& fix = "export the model again, and see that "
                                                                "onnx.checker.check_model takes it")
    {
        if (!m_error)
            m_error =
                Error{"bad-onnx", what,
                      m_program.place + ": " + (m_step ? m_step->name + " (" + node().op + ")" : std::string()), fix};
    }
    static std::string text(const Dims& dims)
    {
        std::string all;
        for (const std::int64_t each : dims)
            all += (all.empty() ? "" : ", ") + std::to_string(each);
        return "[" + all + "]";
    }
    std::optional<std::int64_t> sizeOf(const OnnxDim& dim) const
    {
        if (dim.size >= 0)
            return dim.size;
        const auto found = m_symbols.find(dim.symbol);
        return found == m_symbols.end() ? std::nullopt : std::optional(found->second);
    }

    void takeTensor(OnnxState& state, const OnnxTensor& tensor)
    {
        state.dims = tensor.dims;
        state.type = tensor.type;
        state.weight = true;
        if (tensor.known) {
            state.told = true;
            state.data = tensor.values;
        }
    }
    void settle(int value, const std::string& name)
    {
        OnnxState& state = at(value);
        double count = 1;
        for (const std::int64_t each : state.dims) {
            if (each < 0)
                return fail(name + " has a negative size in " + text(state.dims));
            count *= static_cast<double>(each);
        }
        if (!(count < kMostValues) || state.dims.size() > kMostRank)
            return fail(name + " would have " + text(state.dims) + " values, more than any memory holds");
        if (state.stored <= 0)
            state.stored = count;
        if (state.told && double(state.data.size()) != count) {
            state.told = false;
            state.data.clear();
        }
    }
    /// An axis counted from the end where it is negative.
    std::size_t axisOf(double given, std::size_t rank)
    {
        const double axis = given < 0 ? given + double(rank) : given;
        if (axis < 0 || axis >= double(std::max<std::size_t>(rank, 1)) || rank == 0) {
            fail("axis " + std::to_string(static_cast<long long>(given)) + " is none of " + std::to_string(rank));
            return 0;
        }
        return static_cast<std::size_t>(axis);
    }
    static std::int64_t whole(double value) { return static_cast<std::int64_t>(std::clamp(value, -9.2e18, 9.2e18)); }

    // Views, weights and values that hold sizes.

    void work()
    {
        const std::string& op = node().op;
        const auto rule = rules().find(op);
        bool weight = !m_step->in.empty();
        for (const int each : m_step->in)
            weight = weight && (each < 0 || at(each).weight);
        if (op.starts_with("Random") && !op.ends_with("Like"))
            weight = false;
        const bool sizes = m_step->known && rule != rules().end();
        if (!sizes)
            unknown();
        else if (rule->second == Rule::Same)
            same();
        else if (rule->second == Rule::Broadcast)
            out().dims = broadcast();
        else
            named();
        if (m_error)
            return;
        if (!m_step->in.empty() && m_step->in[0] >= 0 && out().type == 0)
            out().type = at(m_step->in[0]).type;
        if (op == "Cast")
            out().type = static_cast<int>(numberOf(node(), "to", 0));
        for (std::size_t i = 0; i < m_step->out.size(); ++i)
            out(i).weight = out(i).weight || weight;
        if (sizes)
            data();
        if (isView(*m_step, m_states)) {
            const OnnxState& from = at(m_step->in[0]);
            for (const int each : m_step->out) {
                at(each).root = from.root;
                const bool part = op == "Slice" || op == "Split" || op == "Gather";
                at(each).stored = part ? std::min(at(each).count(), from.stored) : from.stored;
            }
        }
        for (const int each : m_step->out)
            settle(each, m_program.values[static_cast<std::size_t>(each)]);
    }

    void unknown()
    {
        for (std::size_t i = 0; i < m_step->out.size(); ++i) {
            const OnnxValue* told = m_program.told[static_cast<std::size_t>(m_step->out[i])];
            bool all = told && told->shaped;
            Dims dims;
            for (std::size_t d = 0; all && d < told->dims.size(); ++d) {
                const auto size = sizeOf(told->dims[d]);
                all = size.has_value();
                dims.push_back(size.value_or(0));
            }
            if (all) {
                out(i).dims = dims;
                out(i).type = told->type;
            } else if (i == 0 && has(0)) {
                out(i).dims = in(0).dims;
            } else if (i == 0) {
                fail("the operator is not known here, and the file does not tell the sizes of what it makes",
                     "write them into the file: onnx.shape_inference.infer_shapes");
            }
        }
    }

    void same()
    {
        const std::string& op = node().op;
        out().dims = in(0).dims;
        if (m_step->out.size() > 1) {
            if (op == "Dropout" || op == "MaxPool")
                out(1).dims = in(0).dims;
            if ((op == "SkipLayerNormalization" || op == "SkipSimplifiedLayerNormalization") && m_step->out.size() > 3)
                out(3).dims = in(0).dims; // the sum
        }
    }

    Dims broadcast()
    {
        Dims all;
        const bool quantized = node().op.starts_with("QLinear");
        for (std::size_t i = 0; i < m_step->in.size(); ++i) {
            if (!has(i) || (quantized && i != 0 && i != 3))
                continue;
            merge(all, in(i).dims);
        }
        return all;
    }
    void merge(Dims& into, const Dims& other)
    {
        Dims all(std::max(into.size(), other.size()), 1);
        for (std::size_t i = 0; i < all.size(); ++i) {
            const std::int64_t a = i < into.size() ? into[into.size() - 1 - i] : 1,
                               b = i < other.size() ? other[other.size() - 1 - i] : 1;
            if (a != b && a != 1 && b != 1)
                return fail("sizes " + text(into) + " and " + text(other) + " do not go together");
            all[all.size() - 1 - i] = a == 1 ? b : a;
        }
        into = std::move(all);
    }

    // Sizes by name.

    void named()
    {
        const std::string& op = node().op;
        if (op == "MatMul" || op == "MatMulInteger" || op == "FusedMatMul")
            return product(in(0).dims, in(1).dims);
        if (op == "QLinearMatMul")
            return product(in(0).dims, in(3).dims);
        if (op == "MatMulNBits") {
            Dims dims = in(0).dims;
            if (dims.empty())
                return fail("its first input has no sizes");
            dims.back() = whole(numberOf(node(), "N", 0));
            out().dims = std::move(dims);
            return;
        }
        if (op == "Gemm" || op == "QGemm")
            return gemm();
        if (op == "Conv" || op == "ConvInteger" || op == "FusedConv")
            return convolution(in(0).dims, in(1).dims);
        if (op == "QLinearConv")
            return convolution(in(0).dims, in(3).dims);
        if (op == "ConvTranspose")
            return transposed();
        if (op == "MaxPool" || op == "AveragePool" || op == "LpPool" || op == "QLinearAveragePool") {
            const Dims kernel = integersOf(node(), "kernel_shape");
            if (kernel.empty())
                return fail("\"kernel_shape\" is missing");
            windows(in(0).dims, kernel, in(0).dims.size() > 1 ? in(0).dims[1] : 1);
            if (m_step->out.size() > 1)
                out(1).dims = out().dims;
            return;
        }
        if (op.find("Global") != std::string::npos) {
            Dims dims = in(0).dims;
            for (std::size_t i = 2; i < dims.size(); ++i)
                dims[i] = 1;
            out().dims = std::move(dims);
            return;
        }
        if (op.starts_with("Reduce"))
            return reduce();
        if (op == "ArgMax" || op == "ArgMin") {
            Dims dims = in(0).dims;
            const std::size_t axis = axisOf(numberOf(node(), "axis", 0), dims.size());
            if (m_error)
                return;
            if (numberOf(node(), "keepdims", 1) != 0)
                dims[axis] = 1;
            else
                dims.erase(dims.begin() + std::ptrdiff_t(axis));
            out().dims = std::move(dims);
            out().type = static_cast<int>(OnnxType::Int64);
            return;
        }
        if (op == "TopK") {
            Dims dims = in(0).dims;
            const std::size_t axis = axisOf(numberOf(node(), "axis", -1), dims.size());
            if (m_error)
                return;
            const double count = has(1) && in(1).told && !in(1).data.empty() ? in(1).data[0] : double(dims[axis]);
            dims[axis] = std::min(dims[axis], whole(count));
            out().dims = dims;
            out(1).dims = dims;
            return;
        }
        if (op == "Reshape")
            return reshape();
        if (op == "Flatten") {
            const Dims& dims = in(0).dims;
            const double axis = numberOf(node(), "axis", 1);
            const auto cut =
                std::size_t(std::clamp(axis < 0 ? axis + double(dims.size()) : axis, 0.0, double(dims.size())));
            Dims two{1, 1};
            for (std::size_t i = 0; i < dims.size(); ++i)
                two[i < cut ? 0 : 1] *= dims[i];
            out().dims = two;
            return;
        }
        if (op == "Squeeze" || op == "Unsqueeze")
            return squeeze(op == "Unsqueeze");
        if (op == "Transpose") {
            const Dims dims = in(0).dims, order = integersOf(node(), "perm");
            if (order.empty()) {
                out().dims = Dims(dims.rbegin(), dims.rend());
                return;
            }
            Dims turned;
            std::set<std::int64_t> seen;
            for (const std::int64_t each : order) {
                if (each < 0 || each >= std::int64_t(dims.size()) || order.size() != dims.size() ||
                    !seen.insert(each).second)
                    return fail("perm " + text(order) + " is no order of the axes of " + text(dims));
                turned.push_back(dims[std::size_t(each)]);
            }
            out().dims = turned;
            return;
        }
        if (op == "Expand") {
            Dims dims = in(0).dims;
            merge(dims, sizesFrom(1));
            out().dims = std::move(dims);
            return;
        }
        if (op == "Slice")
            return slice();
        if (op == "Split")
            return split();
        if (op == "Concat" || op == "QLinearConcat")
            return concat(op == "Concat");
        if (op == "Gather")
            return gather();
        if (op == "GatherElements") {
            out().dims = in(1).dims;
            return;
        }
        if (op == "GatherND") {
            const Dims from = in(0).dims, at = in(1).dims;
            const double batch = numberOf(node(), "batch_dims", 0);
            if (at.empty() || at.back() + batch > double(from.size()))
                return fail("indices " + text(at) + " do not go with " + text(from));
            Dims dims(at.begin(), at.end() - 1);
            dims.insert(dims.end(), from.begin() + std::ptrdiff_t(at.back() + std::int64_t(batch)), from.end());
            out().dims = std::move(dims);
            return;
        }
        if (op == "Pad")
            return pad();
        if (op == "Tile") {
            Dims dims = in(0).dims;
            const Dims times = sizesFrom(1);
            if (times.size() != dims.size())
                return fail("its repeats do not go with " + text(dims));
            for (std::size_t i = 0; i < dims.size(); ++i)
                dims[i] = bounded(double(dims[i]) * double(times[i]));
            out().dims = std::move(dims);
            return;
        }
        if (op == "Resize" || op == "Upsample")
            return resize();
        if (op == "DepthToSpace" || op == "SpaceToDepth") {
            Dims dims = in(0).dims;
            const std::int64_t block = whole(numberOf(node(), "blocksize", 0));
            if (dims.size() != 4 || block < 1 || block > 1 << 20)
                return fail("it takes an image and a blocksize of 1 or more");
            const bool deep = op == "SpaceToDepth";
            if (deep ? dims[2] % block != 0 || dims[3] % block != 0 : dims[1] % (block * block) != 0)
                return fail("blocksize " + std::to_string(block) + " does not divide " + text(dims));
            dims[1] = deep ? dims[1] * block * block : dims[1] / (block * block);
            for (const std::size_t i : {2, 3})
                dims[i] = deep ? dims[i] / block : dims[i] * block;
            out().dims = std::move(dims);
            return;
        }
        if (op == "Constant")
            return constant();
        if (op == "ConstantOfShape") {
            out().dims = sizesFrom(0);
            const OnnxAttribute* value = node().attribute("value");
            out().type = value && value->tensor ? value->tensor->type : static_cast<int>(OnnxType::Float);
            out().data.assign(std::size_t(std::min(countOf(out().dims), double(kMostData))),
                              value && value->tensor && value->tensor->known && !value->tensor->values.empty()
                                  ? value->tensor->values.front()
                                  : 0);
            out().told = countOf(out().dims) <= double(kMostData);
            return;
        }
        if (op == "Shape") {
            const Dims& dims = in(0).dims;
            const auto place = [&](const char* key, double otherwise) {
                const double given = numberOf(node(), key, otherwise);
                return std::size_t(
                    std::clamp(given < 0 ? given + double(dims.size()) : given, 0.0, double(dims.size())));
            };
            const std::size_t from = place("start", 0), to = place("end", double(dims.size()));
            OnnxState& made = out();
            for (std::size_t i = from; i < to; ++i)
                made.data.push_back(double(dims[i]));
            made.dims = {std::int64_t(made.data.size())};
            made.told = true;
            made.type = static_cast<int>(OnnxType::Int64);
            return;
        }
        if (op == "Size") {
            out().data = {in(0).count()};
            out().told = true;
            out().type = static_cast<int>(OnnxType::Int64);
            return;
        }
        if (op == "Range") {
            if (!in(0).told || !in(1).told || !in(2).told || in(0).data.empty() || in(1).data.empty() ||
                in(2).data.empty() || in(2).data[0] == 0)
                return unknownSizes();
            const double first = in(0).data[0], step = in(2).data[0];
            const double count = std::max(0.0, std::ceil((in(1).data[0] - first) / step));
            out().dims = {bounded(count)};
            if (count <= double(kMostData)) {
                out().told = true;
                for (double i = 0; i < count; ++i)
                    out().data.push_back(first + i * step);
            }
            return;
        }
        if (op == "OneHot") {
            Dims dims = in(0).dims;
            if (!in(1).told || in(1).data.empty())
                return unknownSizes();
            const double axis = numberOf(node(), "axis", -1);
            const double place = axis < 0 ? axis + double(dims.size()) + 1 : axis;
            if (place < 0 || place > double(dims.size()))
                return fail("axis " + std::to_string(whole(axis)) + " is none of " + text(dims));
            dims.insert(dims.begin() + std::ptrdiff_t(place), bounded(in(1).data[0]));
            out().dims = std::move(dims);
            return;
        }
        if (op == "Einsum")
            return einsum();
        if (op == "LSTM" || op == "GRU" || op == "RNN")
            return recurrent();
        if (op == "Attention" || op == "MultiHeadAttention" || op == "GroupQueryAttention")
            return attention();
        if (op == "EmbedLayerNormalization") {
            Dims dims = in(0).dims;
            if (in(2).dims.size() != 2)
                return fail("its table of words has sizes " + text(in(2).dims));
            dims.push_back(in(2).dims[1]);
            out().dims = std::move(dims);
            out().type = static_cast<int>(OnnxType::Float);
            return;
        }
        unknown();
    }
    void unknownSizes() { unknown(); }

    static double countOf(const Dims& dims)
    {
        double count = 1;
        for (const std::int64_t each : dims)
            count *= double(each);
        return count;
    }
    std::int64_t bounded(double size)
    {
        if (!(size >= 0 && size < kMostValues)) {
            fail("a size of " + std::to_string(size) + " is none");
            return 1;
        }
        return std::int64_t(size);
    }
    /// The values of an input that holds sizes.
    Dims sizesFrom(std::size_t i)
    {
        Dims dims;
        const OnnxState& state = in(i);
        if (m_error)
            return dims;
        if (!state.told) {
            const OnnxValue* told = m_program.told[std::size_t(m_step->out[0])];
            if (told && told->shaped) {
                for (const OnnxDim& dim : told->dims)
                    dims.push_back(sizeOf(dim).value_or(-1));
                if (std::ranges::find(dims, -1) == dims.end())
                    return dims;
            }
            fail("the sizes that it is given are known only when the model runs",
                 "write the sizes of all values into the file: onnx.shape_inference.infer_shapes with data_prop=True");
            return {};
        }
        if (state.data.size() > kMostRank) {
            fail("it is given " + std::to_string(state.data.size()) + " sizes");
            return {};
        }
        for (const double each : state.data)
            dims.push_back(whole(each));
        return dims;
    }

    void product(Dims a, Dims b)
    {
        if (numberOf(node(), "transA", 0) != 0 && a.size() > 1)
            std::swap(a[a.size() - 1], a[a.size() - 2]);
        if (numberOf(node(), "transB", 0) != 0 && b.size() > 1)
            std::swap(b[b.size() - 1], b[b.size() - 2]);
        if (a.empty() || b.empty())
            return fail("a scalar cannot be multiplied as a matrix");
        const bool vectorA = a.size() == 1, vectorB = b.size() == 1;
        if (vectorA)
            a.insert(a.begin(), 1);
        if (vectorB)
            b.push_back(1);
        const std::int64_t m = a[a.size() - 2], k = a.back(), k2 = b[b.size() - 2], n = b.back();
        if (k != k2)
            return fail("[" + std::to_string(m) + " x " + std::to_string(k) + "] cannot be multiplied with [" +
                        std::to_string(k2) + " x " + std::to_string(n) + "]");
        Dims dims(a.begin(), a.end() - 2);
        merge(dims, Dims(b.begin(), b.end() - 2));
        if (!vectorA)
            dims.push_back(m);
        if (!vectorB)
            dims.push_back(n);
        out().dims = std::move(dims);
    }
    void gemm()
    {
        const bool quantized = node().op == "QGemm";
        const Dims a = in(0).dims, b = in(quantized ? 3 : 1).dims;
        if (a.size() != 2 || b.size() != 2)
            return fail("it multiplies two matrices and is given " + text(a) + " and " + text(b));
        const bool ta = numberOf(node(), "transA", 0) != 0, tb = numberOf(node(), "transB", 0) != 0;
        if (a[ta ? 0 : 1] != b[tb ? 1 : 0])
            return fail(text(a) + " and " + text(b) + " cannot be multiplied");
        out().dims = {a[ta ? 1 : 0], b[tb ? 0 : 1]};
    }

    void convolution(const Dims& image, const Dims& weight)
    {
        if (weight.size() < 3 || image.size() != weight.size())
            return fail("an image " + text(image) + " does not go with a kernel " + text(weight));
        const std::int64_t groups = whole(numberOf(node(), "group", 1));
        if (groups < 1 || weight[1] * groups != image[1] || weight[0] % groups != 0)
            return fail(std::to_string(groups) + " groups of a kernel " + text(weight) + " do not go with " +
                        std::to_string(image[1]) + " channels");
        windows(image, Dims(weight.begin() + 2, weight.end()), weight[0]);
    }
    /// What windows of a kernel over the last sizes leave.
    void windows(const Dims& image, const Dims& kernel, std::int64_t channels)
    {
        const std::size_t rank = kernel.size();
        if (image.size() != rank + 2)
            return fail("an image " + text(image) + " does not go with a kernel " + text(kernel));
        Dims strides = integersOf(node(), "strides"), pads = integersOf(node(), "pads"),
             dilations = integersOf(node(), "dilations");
        strides.resize(rank, 1);
        dilations.resize(rank, 1);
        const std::string automatic = textOf(node(), "auto_pad", "NOTSET");
        pads.resize(2 * rank, 0);
        const bool up = numberOf(node(), "ceil_mode", 0) != 0;
        Dims dims{image[0], channels};
        for (std::size_t i = 0; i < rank; ++i) {
            const std::int64_t stride = strides[i], reach = dilations[i] * (kernel[i] - 1) + 1;
            if (stride < 1 || kernel[i] < 1 || dilations[i] < 1 || reach > std::int64_t{1} << 40)
                return fail("kernel, strides and dilations must be 1 or more");
            const std::int64_t size = image[i + 2];
            if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
                dims.push_back((size + stride - 1) / stride);
                continue;
            }
            if (std::abs(double(pads[i])) > 1e12 || std::abs(double(pads[i + rank])) > 1e12)
                return fail("pads are " + text(pads));
            const std::int64_t padded = size + (automatic == "VALID" ? 0 : pads[i] + pads[i + rank]) - reach;
            if (padded < 0)
                return fail("a kernel " + text(kernel) + " does not fit on " + text(image),
                            "take a larger image or a longer sequence, or export the model again");
            std::int64_t made = (padded + (up ? stride - 1 : 0)) / stride + 1;
            if (up && (made - 1) * stride >= size + pads[i])
                --made; // no window begins in the padding
            dims.push_back(made);
        }
        out().dims = std::move(dims);
    }
    void transposed()
    {
        const Dims image = in(0).dims, weight = in(1).dims;
        const std::size_t rank = weight.size() < 3 ? 0 : weight.size() - 2;
        const std::int64_t groups = whole(numberOf(node(), "group", 1));
        if (rank == 0 || image.size() != weight.size() || image[1] != weight[0] || groups < 1)
            return fail("an image " + text(image) + " does not go with a kernel " + text(weight));
        Dims strides = integersOf(node(), "strides"), pads = integersOf(node(), "pads"),
             dilations = integersOf(node(), "dilations"), more = integersOf(node(), "output_padding"),
             wanted = integersOf(node(), "output_shape");
        strides.resize(rank, 1);
        dilations.resize(rank, 1);
        more.resize(rank, 0);
        pads.resize(2 * rank, 0);
        const bool same = textOf(node(), "auto_pad", "NOTSET").starts_with("SAME");
        Dims dims{image[0], bounded(double(weight[1]) * double(groups))};
        for (std::size_t i = 0; i < rank; ++i) {
            if (wanted.size() == rank)
                dims.push_back(bounded(double(wanted[i])));
            else if (same)
                dims.push_back(bounded(double(image[i + 2]) * double(strides[i])));
            else
                dims.push_back(bounded(double(strides[i]) * double(image[i + 2] - 1) + double(more[i]) +
                                       double(dilations[i]) * double(weight[i + 2] - 1) + 1 - double(pads[i]) -
                                       double(pads[i + rank])));
        }
        out().dims = std::move(dims);
    }

    void reduce()
    {
        Dims dims = in(0).dims, axes = integersOf(node(), "axes");
        if (axes.empty() && has(1)) {
            if (!in(1).told)
                return unknownSizes();
            axes = sizesFrom(1);
        }
        const bool keep = numberOf(node(), "keepdims", 1) != 0;
        if (axes.empty()) {
            if (numberOf(node(), "noop_with_empty_axes", 0) == 0)
                dims = keep ? Dims(dims.size(), 1) : Dims{};
            out().dims = std::move(dims);
            return;
        }
        std::set<std::size_t, std::greater<>> which;
        for (const std::int64_t each : axes)
            which.insert(axisOf(double(each), dims.size()));
        if (m_error)
            return;
        for (const std::size_t axis : which) {
            if (keep)
                dims[axis] = 1;
            else
                dims.erase(dims.begin() + std::ptrdiff_t(axis));
        }
        out().dims = std::move(dims);
    }

    void reshape()
    {
        const Dims from = in(0).dims;
        Dims dims = has(1) ? sizesFrom(1) : integersOf(node(), "shape");
        if (m_error)
            return;
        const double count = countOf(from);
        int open = -1;
        double known = 1;
        for (std::size_t i = 0; i < dims.size(); ++i) {
            if (dims[i] == 0 && numberOf(node(), "allowzero", 0) == 0) {
                if (i >= from.size())
                    return fail("it keeps size " + std::to_string(i) + " of " + text(from) + ", which has none");
                dims[i] = from[i];
            }
            if (dims[i] == -1 && open < 0)
                open = int(i);
            else if (dims[i] < 0)
                return fail("it is given the sizes " + text(dims));
            else
                known *= double(dims[i]);
        }
        if (open >= 0) {
            if (known == 0 ? count != 0 : std::fmod(count, known) != 0)
                return fail(text(from) + " cannot become " + text(dims));
            dims[std::size_t(open)] = known == 0 ? 0 : bounded(count / known);
        } else if (known != count) {
            return fail(text(from) + " cannot become " + text(dims));
        }
        out().dims = std::move(dims);
    }
    void squeeze(bool add)
    {
        Dims dims = in(0).dims, axes = integersOf(node(), "axes");
        if (axes.empty() && has(1))
            axes = sizesFrom(1);
        if (m_error)
            return;
        if (add) {
            std::set<std::size_t> places;
            const std::size_t rank = dims.size() + axes.size();
            for (const std::int64_t each : axes)
                places.insert(axisOf(double(each), rank));
            if (m_error)
                return;
            for (const std::size_t place : places)
                dims.insert(dims.begin() + std::ptrdiff_t(std::min(place, dims.size())), 1);
        } else if (axes.empty()) {
            std::erase(dims, 1);
        } else {
            std::set<std::size_t, std::greater<>> places;
            for (const std::int64_t each : axes)
                places.insert(axisOf(double(each), dims.size()));
            if (m_error)
                return;
            for (const std::size_t place : places) {
                if (dims[place] != 1)
                    return fail("it takes size " + std::to_string(dims[place]) + " out of " + text(dims));
                dims.erase(dims.begin() + std::ptrdiff_t(place));
            }
        }
        out().dims = std::move(dims);
    }

    struct Cut {
        std::size_t axis = 0;
        std::int64_t from = 0, step = 1, count = 0;
    };
    std::optional<std::vector<Cut>> cuts()
    {
        const Dims& dims = in(0).dims;
        std::vector<double> starts, ends, axes, steps;
        const auto given = [&](const char* key, std::size_t input, std::vector<double>& into) {
            if (const OnnxAttribute* attribute = node().attribute(key)) {
                into = attribute->numbers;
                return true;
            }
            if (!has(input))
                return true;
            if (!in(input).told)
                return false;
            into = in(input).data;
            return true;
        };
        if (!given("starts", 1, starts) || !given("ends", 2, ends) || !given("axes", 3, axes) ||
            !given("steps", 4, steps))
            return std::nullopt;
        if (starts.size() != ends.size() || starts.size() > dims.size()) {
            fail("its starts and ends do not go with " + text(dims));
            return std::nullopt;
        }
        std::vector<Cut> out;
        for (std::size_t i = 0; i < starts.size(); ++i) {
            Cut cut;
            cut.axis = axisOf(i < axes.size() ? axes[i] : double(i), dims.size());
            const double step = i < steps.size() ? steps[i] : 1;
            if (m_error || step == 0) {
                fail("a step is 0");
                return std::nullopt;
            }
            const double size = double(dims[cut.axis]);
            const auto bound = [&](double value) {
                if (value < 0)
                    value += size;
                return step > 0 ? std::clamp(value, 0.0, size) : std::clamp(value, -1.0, size - 1);
            };
            const double first = bound(starts[i]), last = bound(ends[i]);
            cut.from = whole(first);
            cut.step = whole(step);
            cut.count = whole(std::max(0.0, std::ceil((last - first) / step)));
            out.push_back(cut);
        }
        return out;
    }
    void slice()
    {
        const auto all = cuts();
        if (m_error)
            return;
        if (!all)
            return unknownSizes();
        Dims dims = in(0).dims;
        for (const Cut& cut : *all)
            dims[cut.axis] = cut.count;
        out().dims = std::move(dims);
    }
    void split()
    {
        const Dims dims = in(0).dims;
        const std::size_t axis = axisOf(numberOf(node(), "axis", 0), dims.size()), parts = m_step->out.size();
        if (m_error)
            return;
        Dims sizes = integersOf(node(), "split");
        if (sizes.empty() && has(1) && in(1).told)
            for (const double each : in(1).data)
                sizes.push_back(whole(each));
        const std::int64_t each = (dims[axis] + std::int64_t(parts) - 1) / std::int64_t(parts);
        for (std::size_t i = 0; i < parts; ++i) {
            Dims part = dims;
            part[axis] = i < sizes.size() ? sizes[i] : std::min(each, dims[axis] - each * std::int64_t(i));
            if (part[axis] < 0 || part[axis] > dims[axis])
                return fail(text(dims) + " cannot be split into " + std::to_string(parts));
            out(i).dims = std::move(part);
            out(i).type = in(0).type;
        }
    }
    void concat(bool plain)
    {
        Dims dims;
        std::size_t axis = 0;
        // The quantized form has a scale and a zero point, then three inputs each.
        for (std::size_t i = plain ? 0 : 2; i < m_step->in.size(); i += plain ? 1 : 3) {
            const Dims& part = in(i).dims;
            if (m_error)
                return;
            if (dims.empty()) {
                axis = axisOf(numberOf(node(), "axis", 0), part.size());
                if (m_error)
                    return;
                dims = part;
                continue;
            }
            for (std::size_t d = 0; d < dims.size(); ++d)
                if (part.size() != dims.size() || (d != axis && part[d] != dims[d]))
                    return fail(text(dims) + " and " + text(part) + " cannot be joined along axis " +
                                std::to_string(axis));
            dims[axis] += part[axis];
        }
        if (dims.empty())
            return fail("it joins nothing");
        out().dims = std::move(dims);
    }
    void gather()
    {
        const Dims from = in(0).dims, at = in(1).dims;
        const std::size_t axis = axisOf(numberOf(node(), "axis", 0), from.size());
        if (m_error)
            return;
        Dims dims(from.begin(), from.begin() + std::ptrdiff_t(axis));
        dims.insert(dims.end(), at.begin(), at.end());
        dims.insert(dims.end(), from.begin() + std::ptrdiff_t(axis) + 1, from.end());
        out().dims = std::move(dims);
    }
    void pad()
    {
        Dims dims = in(0).dims, pads = integersOf(node(), "pads"), axes;
        if (pads.empty() && has(1)) {
            if (!in(1).told)
                return unknownSizes();
            for (const double each : in(1).data)
                pads.push_back(whole(each));
        }
        if (has(3) && in(3).told)
            for (const double each : in(3).data)
                axes.push_back(whole(each));
        if (axes.empty())
            for (std::size_t i = 0; i < dims.size(); ++i)
                axes.push_back(std::int64_t(i));
        if (pads.size() != 2 * axes.size())
            return fail("pads " + text(pads) + " do not go with " + text(dims));
        for (std::size_t i = 0; i < axes.size(); ++i) {
            const std::size_t axis = axisOf(double(axes[i]), dims.size());
            if (m_error)
                return;
            dims[axis] = bounded(double(dims[axis]) + double(pads[i]) + double(pads[i + axes.size()]));
        }
        out().dims = std::move(dims);
    }
    void resize()
    {
        Dims dims = in(0).dims;
        const bool older = node().op == "Upsample" || m_program.opset < 11;
        const std::size_t scalesAt = older ? 1 : 2;
        std::vector<double> scales;
        if (const OnnxAttribute* attribute = node().attribute("scales"))
            scales = attribute->numbers;
        else if (has(scalesAt) && in(scalesAt).told)
            scales = in(scalesAt).data;
        if (!older && has(3) && in(3).told && in(3).data.size() == dims.size()) {
            for (std::size_t i = 0; i < dims.size(); ++i)
                dims[i] = bounded(in(3).data[i]);
        } else if (scales.size() == dims.size()) {
            for (std::size_t i = 0; i < dims.size(); ++i)
                dims[i] = bounded(std::floor(double(dims[i]) * scales[i]));
        } else {
            return unknownSizes();
        }
        out().dims = std::move(dims);
    }
    void constant()
    {
        OnnxState& made = out();
        made.weight = true;
        if (const OnnxAttribute* value = node().attribute("value"); value && value->tensor)
            return takeTensor(made, *value->tensor);
        for (const char* key : {"value_float", "value_int"})
            if (node().attribute(key)) {
                made.data = {numberOf(node(), key, 0)};
                made.told = true;
                made.type = static_cast<int>(*key && key[6] == 'f' ? OnnxType::Float : OnnxType::Int64);
                return;
            }
        for (const char* key : {"value_floats", "value_ints"})
            if (const OnnxAttribute* value = node().attribute(key)) {
                made.dims = {std::int64_t(value->numbers.size())};
                made.told = value->numbers.size() <= kMostData;
                if (made.told)
                    made.data = value->numbers;
                made.type = static_cast<int>(key[6] == 'f' ? OnnxType::Float : OnnxType::Int64);
                return;
            }
        if (!node().attribute("value_string") && !node().attribute("value_strings"))
            fail("it has no value");
    }
    void einsum()
    {
        std::string equation = textOf(node(), "equation", "");
        std::erase(equation, ' ');
        const auto arrow = equation.find("->");
        std::map<char, std::int64_t> sizes;
        std::size_t input = 0, axis = 0;
        if (equation.find('.') != std::string::npos || arrow == std::string::npos)
            return unknownSizes();
        for (std::size_t i = 0; i < arrow && !m_error; ++i) {
            if (equation[i] == ',') {
                ++input;
                axis = 0;
                continue;
            }
            const Dims& dims = in(input).dims;
            if (m_error)
                return;
            if (axis >= dims.size())
                return fail("\"" + equation + "\" does not go with " + text(dims));
            sizes[equation[i]] = std::max(sizes[equation[i]], dims[axis++]);
        }
        Dims dims;
        for (const char each : equation.substr(arrow + 2))
            dims.push_back(sizes[each]);
        if (dims.size() > kMostRank)
            return fail("it makes more than 16 dimensions");
        out().dims = std::move(dims);
    }
    void recurrent()
    {
        const Dims input = in(0).dims, again = in(2).dims;
        if (input.size() != 3 || again.size() != 3)
            return fail("it is given " + text(input) + " and recurrent weights " + text(again));
        const std::int64_t ways = again[0], width = again[2];
        if (numberOf(node(), "layout", 0) != 0) {
            out().dims = {input[0], input[1], ways, width};
            out(1).dims = out(2).dims = {input[0], ways, width};
        } else {
            out().dims = {input[0], ways, input[1], width};
            out(1).dims = {ways, input[1], width};
            if (m_step->out.size() > 2)
                out(2).dims = out(1).dims;
        }
    }
    void attention()
    {
        const std::string& op = node().op;
        Dims query = in(0).dims;
        if (m_error)
            return;
        if (op == "Attention" && !node().domain.empty()) { // queries, keys and values by one product
            if (query.size() != 3 || in(1).dims.size() != 2)
                return fail("it is given " + text(query) + " and weights " + text(in(1).dims));
            const Dims parts = integersOf(node(), "qkv_hidden_sizes");
            query[2] = parts.size() == 3 ? bounded(double(parts[2])) : in(1).dims[1] / 3;
            out().dims = query;
            return;
        }
        if (query.size() != 3 && query.size() != 4)
            return fail("queries have sizes " + text(query));
        if (op == "GroupQueryAttention" && !has(1)) {
            const double heads = numberOf(node(), "num_heads", 1), kv = numberOf(node(), "kv_num_heads", 1);
            query[2] = bounded(std::floor(double(query[2]) / (heads + 2 * kv) * heads));
        } else if (has(2) && in(2).dims.size() == query.size()) {
            if (query.size() == 4)
                query[3] = in(2).dims[3];
            else if (op == "Attention")
                query[2] = bounded(double(in(2).dims[2]) / std::max(1.0, numberOf(node(), "kv_num_heads", 1)) *
                                   numberOf(node(), "q_num_heads", 1));
            else if (op == "MultiHeadAttention")
                query[2] = in(2).dims[2];
        }
        out().dims = query;
    }

    // Values that hold sizes.

    void data()
    {
        OnnxState& made = out();
        if (made.told || m_step->in.empty())
            return;
        const std::string& op = node().op;
        double count = 1;
        for (const std::int64_t each : made.dims)
            count *= double(each);
        if (count > double(kMostData))
            return;
        for (std::size_t i = 0; i < m_step->in.size(); ++i)
            if (m_step->in[i] >= 0 && !at(m_step->in[i]).told)
                return;
        if (!has(0))
            return;
        const std::vector<double>& a = in(0).data;
        const auto take = [&](std::vector<double> values) {
            made.data = std::move(values);
            made.told = true;
        };
        static const std::set<std::string, std::less<>> kept{"Identity",  "Reshape", "Flatten",  "Squeeze",
                                                             "Unsqueeze", "Cast",    "CastLike", "Dropout"};
        if (kept.contains(op)) {
            std::vector<double> values = a;
            const int to = op == "Cast" ? int(numberOf(node(), "to", 0)) : 0;
            if (to == 6 || to == 7)
                for (double& each : values)
                    each = std::trunc(each);
            if (to == 9)
                for (double& each : values)
                    each = each != 0;
            return take(std::move(values));
        }
        static const std::map<std::string, std::function<double(double)>, std::less<>> one{
            {"Neg", [](double x) { return -x; }},
            {"Abs", [](double x) { return std::abs(x); }},
            {"Floor", [](double x) { return std::floor(x); }},
            {"Ceil", [](double x) { return std::ceil(x); }},
            {"Sqrt", [](double x) { return std::sqrt(x); }},
            {"Not", [](double x) { return double(x == 0); }},
            {"Round", [](double x) { return std::nearbyint(x); }}};
        if (const auto found = one.find(op); found != one.end()) {
            std::vector<double> values = a;
            for (double& each : values)
                each = found->second(each);
            return take(std::move(values));
        }
        const bool integers =
            in(0).type == static_cast<int>(OnnxType::Int64) || in(0).type == static_cast<int>(OnnxType::Int32);
        const std::map<std::string, std::function<double(double, double)>, std::less<>> two{
            {"Add", [](double x, double y) { return x + y; }},
            {"Sub", [](double x, double y) { return x - y; }},
            {"Mul", [](double x, double y) { return x * y; }},
            {"Div", [&](double x, double y) { return y == 0     ? 0
                                                     : integers ? std::trunc(x / y)
                                                                : x / y; }},
            {"Mod", [](double x, double y) { return y == 0 ? 0 : x - y * std::floor(x / y); }},
            {"Pow", [](double x, double y) { return std::pow(x, y); }},
            {"Min", [](double x, double y) { return std::min(x, y); }},
            {"Max", [](double x, double y) { return std::max(x, y); }},
            {"Equal", [](double x, double y) { return double(x == y); }},
            {"Less", [](double x, double y) { return double(x < y); }},
            {"LessOrEqual", [](double x, double y) { return double(x <= y); }},
            {"Greater", [](double x, double y) { return double(x > y); }},
            {"GreaterOrEqual", [](double x, double y) { return double(x >= y); }},
            {"And", [](double x, double y) { return double(x != 0 && y != 0); }},
            {"Or", [](double x, double y) { return double(x != 0 || y != 0); }}};
        if (const auto found = two.find(op); found != two.end()) {
            std::vector<double> values = spread(0, made.dims);
            for (std::size_t i = 1; i < m_step->in.size(); ++i) {
                const std::vector<double> other = spread(i, made.dims);
                for (std::size_t v = 0; v < values.size(); ++v)
                    values[v] = found->second(values[v], other[v]);
            }
            return take(std::move(values));
        }
        if (op == "Where" && m_step->in.size() == 3) {
            const auto which = spread(0, made.dims), yes = spread(1, made.dims);
            auto values = spread(2, made.dims);
            for (std::size_t v = 0; v < values.size(); ++v)
                if (which[v] != 0)
                    values[v] = yes[v];
            return take(std::move(values));
        }
        if (op == "Expand")
            return take(spread(0, made.dims));
        if (op == "Concat" && (made.dims.size() == 1)) {
            std::vector<double> values;
            for (std::size_t i = 0; i < m_step->in.size(); ++i)
                values.insert(values.end(), in(i).data.begin(), in(i).data.end());
            return take(std::move(values));
        }
        if (op == "Gather" && in(0).dims.size() == 1) {
            std::vector<double> values;
            for (const double each : in(1).data) {
                const double place = each < 0 ? each + double(a.size()) : each;
                if (place < 0 || place >= double(a.size()))
                    return fail("it takes value " + std::to_string(whole(each)) + " of " + std::to_string(a.size()));
                values.push_back(a[std::size_t(place)]);
            }
            return take(std::move(values));
        }
        if (op == "Slice" && in(0).dims.size() == 1) {
            const auto all = cuts();
            if (!all || all->size() != 1)
                return;
            std::vector<double> values;
            for (std::int64_t i = 0; i < all->front().count; ++i)
                values.push_back(a[std::size_t(all->front().from + i * all->front().step)]);
            return take(std::move(values));
        }
        if (op == "Split" && in(0).dims.size() == 1) {
            std::size_t from = 0;
            for (std::size_t i = 0; i < m_step->out.size(); ++i) {
                const auto size = std::size_t(out(i).dims.empty() ? 0 : out(i).dims[0]);
                if (from + size > a.size())
                    return;
                out(i).data.assign(a.begin() + std::ptrdiff_t(from), a.begin() + std::ptrdiff_t(from + size));
                out(i).told = true;
                from += size;
            }
            return;
        }
        if (op == "Transpose" && made.dims.size() <= 1)
            return take(a);
        if (op == "ReduceProd" || op == "ReduceSum" || op == "ReduceMax" || op == "ReduceMin") {
            if (count != 1 || a.empty())
                return;
            double all = op == "ReduceProd" ? 1 : op == "ReduceSum" ? 0 : a[0];
            for (const double each : a)
                all = op == "ReduceProd"  ? all * each
                      : op == "ReduceSum" ? all + each
                      : op == "ReduceMax" ? std::max(all, each)
                                          : std::min(all, each);
            return take({all});
        }
    }
    /// The values of an input as they stand in an output of these sizes.
    std::vector<double> spread(std::size_t i, const Dims& dims)
    {
        const OnnxState& from = in(i);
        const double count = countOf(dims);
        if (double(from.data.size()) == count)
            return from.data;
        std::vector<double> values;
        std::vector<std::int64_t> place(dims.size(), 0);
        for (double v = 0; v < count; ++v) {
            std::size_t at = 0;
            for (std::size_t d = 0; d < dims.size(); ++d) {
                const std::size_t back = dims.size() - d;
                if (back > from.dims.size())
                    continue;
                const std::size_t own = from.dims.size() - back;
                at = at * std::size_t(from.dims[own]) + (from.dims[own] == 1 ? 0 : std::size_t(place[d]));
            }
            values.push_back(at < from.data.size() ? from.data[at] : 0);
            for (std::size_t d = dims.size(); d-- > 0;) {
                if (++place[d] < dims[d])
                    break;
                place[d] = 0;
            }
        }
        return values;
    }

    const OnnxProgram& m_program;
    const std::map<std::string, std::int64_t>& m_symbols;
    std::vector<OnnxState> m_states;
    const OnnxStep* m_step = nullptr;
    std::optional<Error> m_error;
};

} // namespace

double OnnxState::count() const
{
    double count = 1;
    for (const std::int64_t each : dims)
        count *= double(each);
    return count;
}

bool knownOperator(const OnnxNode& node)
{
    static const std::set<std::string, std::less<>> domains{"", "ai.onnx", "com.microsoft", "com.ms.internal.nhwc"};
    return domains.contains(node.domain) && rules().contains(node.op);
}

bool isView(const OnnxStep& step, std::span<const OnnxState> states)
{
    static const std::set<std::string, std::less<>> views{"Dropout", "Expand", "Flatten", "Identity",  "Reshape",
                                                          "Slice",   "Split",  "Squeeze", "Transpose", "Unsqueeze"};
    if (step.in.empty() || step.in[0] < 0 || !step.known)
        return false;
    const auto at = [&](int value) -> const OnnxState& { return states[std::size_t(value)]; };
    if (views.contains(step.node->op))
        return true;
    if (step.node->op == "Cast") // to what it is already
        return at(step.in[0]).type == int(numberOf(*step.node, "to", 0));
    // One row by its number, as the first token.
    return step.node->op == "Gather" && step.in.size() > 1 && step.in[1] >= 0 && at(step.in[1]).told &&
           at(step.in[1]).data.size() == 1 && !at(step.in[0]).weight;
}

Result<std::vector<OnnxState>> statesOf(const OnnxProgram& program, const std::map<std::string, std::int64_t>& symbols)
{
    return Sizer(program, symbols).run();
}

} // namespace ridge::workload
