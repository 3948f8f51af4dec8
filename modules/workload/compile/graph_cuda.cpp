// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/compile/graph_cuda.h"

#include "workload/compile/kernel_walk.h"

#include <fmt/ranges.h>

#include <cctype>

namespace ridge::graphs {
namespace {

constexpr int kThreads = 256;

/// Writes a kernel down. An index is an expression, a value the name of a variable or an expression.
class Writer {
public:
    using Index = std::string;
    using Value = std::string;

    explicit Writer(const Graph& graph) : m_graph(graph) {}

    static Index number(std::int64_t n) { return std::to_string(n); }
    Index sum(const Index& a, const Index& b)
    {
        if (a == "0")
            return b;
        return b == "0" ? a : named(a + " + " + b);
    }
    Index product(const Index& a, const Index& b)
    {
        if (a == "0" || b == "0")
            return "0";
        if (a == "1")
            return b;
        return b == "1" ? a : named(a + " * " + b);
    }
    Index quotient(const Index& a, const Index& b) { return a == "0" || b == "1" ? a : named(a + " / " + b); }
    Index rest(const Index& a, const Index& b) { return a == "0" ? a : b == "1" ? number(0) : named(a + " % " + b); }

    Value load(int node, const Index& i) { return value(fmt::format("{}[{}]", nameOf(node), i)); }
    Value times(const Value& a, const Value& b) { return a + " * " + b; }
    Value apply(const Node& node, const std::vector<Value>& of)
    {
        const std::string x = of[0];
        const std::string y = node.hasValue ? constant(node.value) : of.size() > 1 ? of[1] : "";
        return value(expression(node.op, x, y, of.size() > 2 ? of[2] : ""), node.name);
    }
    void store(int node, const Index& i, const Value& v) { line(fmt::format("{}[{}] = {};", nameOf(node), i, v)); }

    template<class F>
    void elements(std::int64_t count, F f)
    {
        line("const int i = blockIdx.x * blockDim.x + threadIdx.x;");
        line(fmt::format("if (i >= {})", count));
        line("    return;");
        f("i");
        blocks = (count + kThreads - 1) / kThreads;
    }
    template<class F>
    void rows(std::int64_t count, F f)
    {
        line("const int row = blockIdx.x;");
        f("row");
        blocks = count;
    }
    template<class F>
    void columns(std::int64_t length, F f)
    {
        const auto scope = open(fmt::format("for (int c = threadIdx.x; c < {}; c += blockDim.x) {{", length));
        f("c");
        close(scope);
    }
    template<class F>
    void once(F f)
    {
        const auto scope = open("if (threadIdx.x == 0) {");
        f();
        close(scope);
    }
    template<class F>
    Value fold(Op op, std::int64_t length, bool shared, F f)
    {
        const std::string sum = fmt::format("a{}", m_next++), k = fmt::format("k{}", m_next++);
        line(fmt::format("float {} = {};", sum, op == Op::Amax ? "__int_as_float(0xff800000)" : "0.0f"));
        const auto scope =
            open(shared ? fmt::format("for (int {0} = threadIdx.x; {0} < {1}; {0} += blockDim.x) {{", k, length)
                        : fmt::format("for (int {0} = 0; {0} < {1}; ++{0}) {{", k, length));
        const Value each = f(k);
        line(op == Op::Amax ? fmt::format("{0} = fmaxf({0}, {1});", sum, each) : fmt::format("{} += {};", sum, each));
        close(scope);
        if (shared) {
            line(fmt::format("{0} = {1}({0});", sum, op == Op::Amax ? "largest_of_block" : "sum_of_block"));
            usesBlock = true;
        }
        if (op == Op::Mean)
            line(fmt::format("{} /= {}.0f;", sum, length));
        return sum;
    }

    std::string body;
    std::int64_t blocks = 1;
    bool usesBlock = false;

    std::string nameOf(int node) const
    {
        std::string name;
        for (const char c : m_graph.nodes[static_cast<std::size_t>(node)].name)
            name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
        return fmt::format("{}_{}",
                           name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) ? "v" + name : name, node);
    }

private:
    static std::string constant(double value)
    {
        const auto text = fmt::format("{:.9g}", value);
        return "(" + text + (text.find_first_of(".e") == std::string::npos ? ".0f" : "f") + ")";
    }

    static std::string expression(Op op, const std::string& x, const std::string& y, const std::string& z)
    {
        switch (op) {
        case Op::Neg:
            return "-" + x;
        case Op::Abs:
            return "fabsf(" + x + ")";
        case Op::Exp:
            return "expf(" + x + ")";
        case Op::Log:
            return "logf(" + x + ")";
        case Op::Sqrt:
            return "sqrtf(" + x + ")";
        case Op::Rsqrt:
            return "rsqrtf(" + x + ")";
        case Op::Recip:
            return "1.0f / " + x;
        case Op::Square:
            return x + " * " + x;
        case Op::Relu:
            return "fmaxf(" + x + ", 0.0f)";
        case Op::Sigmoid:
            return "1.0f / (1.0f + expf(-" + x + "))";
        case Op::Silu:
            return x + " / (1.0f + expf(-" + x + "))";
        case Op::Tanh:
            return "tanhf(" + x + ")";
        case Op::Gelu:
            return fmt::format("0.5f * {0} * (1.0f + tanhf(0.797884561f * ({0} + 0.044715f * {0} * {0} * {0})))", x);
        case Op::Add:
            return x + " + " + y;
        case Op::Sub:
            return x + " - " + y;
        case Op::Mul:
            return x + " * " + y;
        case Op::Div:
            return x + " / " + y;
        case Op::Max:
            return "fmaxf(" + x + ", " + y + ")";
        case Op::Min:
            return "fminf(" + x + ", " + y + ")";
        case Op::Greater:
            return x + " > " + y + " ? 1.0f : 0.0f";
        case Op::Where:
            return x + " != 0.0f ? " + y + " : " + z;
        default:
            return "0.0f";
        }
    }

    /// A variable that holds the index, one for each expression in reach.
    Index named(const std::string& expression)
    {
        for (const auto& [known, name] : m_indices)
            if (known == expression)
                return name;
        const std::string name = fmt::format("i{}", m_next++);
        line(fmt::format("const int {} = {};", name, expression));
        m_indices.emplace_back(expression, name);
        return name;
    }
    Value value(const std::string& expression, const std::string& about = {})
    {
        const std::string name = fmt::format("v{}", m_next++);
        line(fmt::format("const float {} = {};{}", name, expression, about.empty() ? "" : " // " + about));
        return name;
    }
    void line(const std::string& text) { body += std::string(4 * m_depth, ' ') + text + "\n"; }
    std::size_t open(const std::string& text)
    {
        line(text);
        ++m_depth;
        return m_indices.size();
    }
    void close(std::size_t scope)
    {
        --m_depth;
        m_indices.resize(scope);
        line("}");
    }

    const Graph& m_graph;
    std::size_t m_depth = 1;
    int m_next = 0;
    std::vector<std::pair<std::string, std::string>> m_indices;
};

constexpr const char* kBlockFolds = R"(
// The sum, or the largest, of a value of each thread of a block of 256; all threads get it.
__device__ float sum_of_block(float x)
{
    __shared__ float part[256];
    __syncthreads();
    part[threadIdx.x] = x;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
    }
    __syncthreads();
    return part[0];
}

__device__ float largest_of_block(float x)
{
    __shared__ float part[256];
    __syncthreads();
    part[threadIdx.x] = x;
    for (int half = 128; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + half]);
    }
    __syncthreads();
    return part[0];
}
)";

const char* kindOf(const Kernel& kernel)
{
    switch (kernel.kind) {
    case KernelKind::Matmul:
        return "matmul";
    case KernelKind::Reduction:
        return "reduction";
    default:
        return "elementwise";
    }
}

} // namespace

CudaSource writeCuda(const Graph& graph, const Schedule& schedule)
{
    CudaSource source;
    std::string kernels;
    bool usesBlock = false;
    for (std::size_t k = 0; k < schedule.kernels.size(); ++k) {
        const Kernel& kernel = schedule.kernels[k];
        Writer writer(graph);
        KernelWalk<Writer>(graph, kernel, writer).run();
        usesBlock |= writer.usesBlock;
        CudaKernel made;
        made.name = fmt::format("k{}_{}", k + 1, kindOf(kernel));
        made.blocks = writer.blocks;
        made.threads = kThreads;
        std::vector<std::string> parameters;
        for (const int n : kernel.reads) {
            parameters.push_back("const float* " + writer.nameOf(n));
            made.arguments.push_back(n);
        }
        for (const int n : kernel.stores) {
            parameters.push_back("float* " + writer.nameOf(n));
            made.arguments.push_back(n);
        }
        std::vector<std::string> names;
        for (const int n : kernel.nodes)
            names.push_back(graph.nodes[static_cast<std::size_t>(n)].name);
        kernels += fmt::format("\n// {}\nextern \"C\" __global__ void {}({})\n{{\n{}}}\n", fmt::join(names, ", "),
                               made.name, fmt::join(parameters, ", "), writer.body);
        source.kernels.push_back(std::move(made));
    }
    source.text = fmt::format("// {}\n// Made by Ridgepoint's graph compiler: {} kernel{}.\n{}{}", graph.title,
                              source.kernels.size(), source.kernels.size() == 1 ? "" : "s",
                              usesBlock ? kBlockFolds : "", kernels);
    return source;
}

} // namespace ridge::graphs
