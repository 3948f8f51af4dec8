// SPDX-License-Identifier: GPL-3.0-or-later
#include "tile_program/tile_cuda.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/core.h>
#include <functional>

namespace ridge::tile {
namespace {

/// Thrown within this file alone.
struct Refusal {
    Error error;
};

constexpr const char* kHead = R"(// The functions of block programs, operation by operation as the interpreter has them.
__device__ inline float tile_exp(float x)
{
    float n = rintf(fminf(fmaxf(x, -104.0f), 89.0f) * 1.44269504f);
    float r = fmaf(n, -0.693359375f, x);
    r = fmaf(n, 2.12194440e-4f, r);
    float p = 1.0f / 5040.0f;
    p = fmaf(p, r, 1.0f / 720.0f);
    p = fmaf(p, r, 1.0f / 120.0f);
    p = fmaf(p, r, 1.0f / 24.0f);
    p = fmaf(p, r, 1.0f / 6.0f);
    p = fmaf(p, r, 0.5f);
    p = fmaf(p, r, 1.0f);
    p = fmaf(p, r, 1.0f);
    int whole = (int)n, half = whole / 2;
    p = p * __int_as_float((half + 127) << 23) * __int_as_float((whole - half + 127) << 23);
    p = x > 89.0f ? __int_as_float(0x7f800000) : p;
    p = x < -104.0f ? 0.0f : p;
    return x != x ? x : p;
}
__device__ inline float tile_from_bf16(unsigned short bits) { return __uint_as_float((unsigned int)bits << 16); }
__device__ inline unsigned short tile_to_bf16(float x)
{
    unsigned int bits = __float_as_uint(x);
    return x != x ? 0x7fff : (unsigned short)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
__device__ inline int tile_abs(int a) { return a < 0 ? -a : a; }
struct TileSum {
    __device__ float operator()(float a, float b) const { return a + b; }
    __device__ int operator()(int a, int b) const { return a + b; }
};
struct TileMax {
    __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
    __device__ int operator()(int a, int b) const { return a > b ? a : b; }
};
struct TileMin {
    __device__ float operator()(float a, float b) const { return fminf(a, b); }
    __device__ int operator()(int a, int b) const { return a < b ? a : b; }
};
// v[0] of N values in halves: element i takes element i + N / 2.
template <int N> struct TileHalves {
    template <class V, class Both> static __device__ void fold(V* v, Both both)
    {
#pragma unroll
        for (int i = 0; i < N / 2; ++i)
            v[i] = both(v[i], v[i + N / 2]);
        TileHalves<N / 2>::fold(v, both);
    }
};
template <> struct TileHalves<1> {
    template <class V, class Both> static __device__ void fold(V*, Both) {}
};
// One value of each of `Lanes` threads, in halves: warps first, through shared memory, then lanes. Every thread gets it.
template <int Lanes, class V, class Both> __device__ V tile_fold(V v, V* scratch, Both both)
{
    constexpr int kWarps = Lanes > 32 ? Lanes / 32 : 1, kLast = kWarps > 8 ? 8 : kWarps, kMany = kWarps / kLast;
    if (kWarps > 1) {
        __syncthreads(); // whoever still reads the values of before
        if (threadIdx.x < Lanes)
            scratch[threadIdx.x] = v;
        __syncthreads();
        if (kMany > 1) { // the first eight warps fold what all would have to read
            if (threadIdx.x < 32 * kLast) {
                V some[kMany];
#pragma unroll
                for (int w = 0; w < kMany; ++w)
                    some[w] = scratch[32 * kLast * w + threadIdx.x];
                TileHalves<kMany>::fold(some, both);
                scratch[threadIdx.x] = some[0];
            }
            __syncthreads();
        }
        V warp[kLast];
#pragma unroll
        for (int w = 0; w < kLast; ++w)
            warp[w] = scratch[32 * w + threadIdx.x % 32];
        TileHalves<kLast>::fold(warp, both);
        v = warp[0];
    }
#pragma unroll
    for (int half = Lanes > 32 ? 16 : Lanes / 2; half > 0; half /= 2)
        v = both(v, __shfl_xor_sync(0xffffffffu, v, half));
    return v;
}
)";

/// An expression of more than this is written down where a name is given to it: names that use names would double it.
constexpr int kMostWeight = 64;

/// Where an expression is evaluated: the coordinates of an element, and the register that it has in its own thread.
struct At {
    std::string reg{}; ///< "i"; empty where the element may be another thread's
    std::vector<std::string> at{};
};

/// A value that has not been written down yet.
struct Lazy {
    /// An expression of any element can be made, not only of the thread's own.
    bool anywhere = true;
    /// Making it twice costs nothing to speak of.
    bool cheap = true;
    std::function<std::string(const At&)> text{};
    int weight = 1; ///< values and operations in the text
};

std::string floatText(double given)
{
    const auto value = static_cast<float>(given);
    if (std::isinf(value))
        return value > 0 ? "__int_as_float(0x7f800000)" : "__int_as_float(0xff800000)";
    std::string text = fmt::format("{:.9g}", static_cast<double>(value));
    if (text.find_first_of(".e") == std::string::npos)
        text += ".0";
    return value < 0 || std::signbit(value) ? "(" + text + "f)" : text + "f";
}

const char* cType(ValueKind kind)
{
    return kind == ValueKind::Float ? "float" : kind == ValueKind::Bool ? "bool" : "int";
}

class Writer {
public:
    Writer(const CheckedProgram& program, std::uint32_t threads)
        : m(program), m_threads(threads), m_env(program.slots.size())
    {
    }

    TileKernel kernel()
    {
        statements(m.body);
        TileKernel made;
        made.name = "tile_" + m.syntax.name;
        made.threads = m_threads;
        made.sharedBytes = 4 * static_cast<std::uint64_t>(m_leaves + m_scratch);
        made.mostPerThread = m_mostPerThread;
        made.text = fmt::format("// {}: the block program {} for {} threads a block.\n\n{}\n", m.syntax.file,
                                m.syntax.name, m_threads, kHead);
        for (const auto& [name, value] : m.constants)
            made.text += fmt::format("// {} = {}\n", name, value);
        made.text += fmt::format("extern \"C\" __global__ void __launch_bounds__({})\n    {}({})\n{{\n", m_threads,
                                 made.name, parameters());
        if (m_scratch > 0)
            made.text += fmt::format("    __shared__ int scratch[{}];\n", m_scratch);
        made.text += m_shared + "    const int thread = (int)threadIdx.x;\n" + m_text + "}\n";
        return made;
    }

private:
    // ---- text -------------------------------------------------------------------------------------------------------

    void line(const std::string& text) { m_text += std::string(4 * m_depth, ' ') + text + "\n"; }
    void open(const std::string& text)
    {
        line(text + " {");
        ++m_depth;
    }
    void close()
    {
        --m_depth;
        line("}");
    }
    /// No parameter is called so: their names begin with p_.
    std::string fresh(const std::string& of)
    {
        return (of.starts_with("p_") ? "v" : "") + of + "_" + std::to_string(m_names++);
    }
    void barrier() { line("__syncthreads();"); }

    std::string parameters() const
    {
        std::string text;
        for (std::size_t i = 0; i < m.syntax.parameters.size(); ++i) {
            const SyntaxParameter& each = m.syntax.parameters[i];
            if (each.kind == ParameterKind::Const)
                continue;
            text += text.empty() ? "" : ", ";
            if (each.isBuffer())
                text += std::string(m.stored[i] ? "" : "const ") +
                        (each.kind == ParameterKind::Float32 ? "float" : "unsigned short") + "* __restrict__ ";
            else
                text += each.kind == ParameterKind::Int ? "int " : "float ";
            text += parameterName(static_cast<int>(i));
        }
        return text;
    }
    std::string parameterName(int at) const { return "p_" + m.parameter(at).name; }

    // ---- layout -----------------------------------------------------------------------------------------------------

    std::int64_t perThread(const ValueType& type) const
    {
        return std::max<std::int64_t>(1, type.size() / static_cast<std::int64_t>(m_threads));
    }
    /// Fewer elements than threads: several threads hold the same.
    bool isRepeated(const ValueType& type) const { return type.size() < static_cast<std::int64_t>(m_threads); }

    void requireFits(const ValueType& type, Place place)
    {
        const std::int64_t own = perThread(type);
        m_mostPerThread = std::max(m_mostPerThread, own);
        if (own > kMostPerThread)
            throw Refusal{
                {"too-many-elements",
                 fmt::format("a block of {} elements gives each of {} threads {}", type.size(), m_threads, own),
                 placeText(m.syntax.file, place),
                 fmt::format("take more warps or a smaller block: at most {} a thread", kMostPerThread)}};
    }

    /// A loop over the thread's own elements; `body` gets where each is.
    void own(const ValueType& type, const std::function<void(const At&)>& body)
    {
        const std::int64_t each = perThread(type);
        line("#pragma unroll");
        open(fmt::format("for (int i = 0; i < {}; ++i)", each));
        At at{"i", {}};
        if (isRepeated(type))
            line(fmt::format("const int e = thread & {};", type.size() - 1));
        else
            line(fmt::format("const int e = i * {} + thread;", m_threads));
        if (type.shape.size() == 2) {
            const auto columns = static_cast<unsigned>(type.shape[1]);
            at.at = {fmt::format("(e >> {})", std::countr_zero(columns)), fmt::format("(e & {})", columns - 1)};
        } else {
            at.at = {"e"};
        }
        body(at);
        close();
    }

    /// A block in the thread's registers.
    Lazy registers(const std::string& name) const
    {
        return {false, true, [name](const At& at) { return name + "[" + at.reg + "]"; }};
    }
    Lazy single(const std::string& name) const
    {
        return {true, true, [name](const At&) { return name; }};
    }

    /// Writes a value down: a constant, or an array of registers.
    Lazy written(const Lazy& lazy, const ValueType& type, const std::string& name, Place place, bool changes)
    {
        if (type.shape.empty()) {
            line(std::string(changes ? "" : "const ") + cType(type.kind) + " " + name + " = " + lazy.text({}) + ";");
            return single(name);
        }
        requireFits(type, place);
        line(fmt::format("{} {}[{}];", cType(type.kind), name, perThread(type)));
        own(type, [&](const At& at) { line(name + "[i] = " + lazy.text(at) + ";"); });
        return registers(name);
    }

    /// Shared memory that keeps its values until the same place of the program comes again.
    std::string leaf(const ValueType& type)
    {
        const std::string name = fresh("shared");
        m_shared += fmt::format("    __shared__ {} {}[{}];\n", type.kind == ValueKind::Float ? "float" : "int", name,
                                type.size());
        m_leaves += type.size();
        return name;
    }
    Lazy shared(const std::string& name, const ValueType& type) const
    {
        const bool wide = type.shape.size() == 2;
        const int columns = wide ? type.shape[1] : 1;
        return {true, true, [=](const At& at) {
                    return wide ? fmt::format("{}[{} * {} + {}]", name, at.at[0], columns, at.at[1])
                                : name + "[" + at.at[0] + "]";
                }};
    }
    void toShared(const std::string& name, const Lazy& lazy, const ValueType& type)
    {
        own(type, [&](const At& at) {
            line((isRepeated(type) ? fmt::format("if (thread < {}) ", type.size()) : std::string()) + name +
                 "[e] = " + lazy.text(at) + ";");
        });
    }

    /// A value that may be asked for at any element.
    Lazy anywhere(const Lazy& lazy, const ValueType& type, Place place)
    {
        if (lazy.anywhere)
            return lazy;
        requireFits(type, place);
        const std::string name = leaf(type);
        barrier();
        toShared(name, lazy, type);
        barrier();
        return shared(name, type);
    }

    void scratch(std::int64_t words) { m_scratch = std::max(m_scratch, words); }

    // ---- expressions ------------------------------------------------------------------------------------------------

    Lazy value(int index)
    {
        const Node& node = m.node(index);
        switch (node.op) {
        case Op::ConstInt:
            return single(node.integer < 0 ? fmt::format("({})", node.integer) : std::to_string(node.integer));
        case Op::ConstFloat:
            return single(floatText(node.number));
        case Op::Parameter:
            return single(parameterName(static_cast<int>(node.integer)));
        case Op::Base:
            return single("0");
        case Op::ProgramId:
            return single(std::string("(int)blockIdx.") + "xyz"[node.integer]);
        case Op::Arange:
            return {true, true, [](const At& at) { return at.at[0]; }};
        case Op::Broadcast:
            return broadcast(node);
        case Op::Expand: {
            const Lazy inner = anywhere(value(node.args[0]), m.node(node.args[0]).type, node.place);
            const std::size_t kept = node.integer == 0 ? 1 : 0;
            return {true, inner.cheap,
                    [inner, kept](const At& at) {
                        return inner.text({"", {at.at[kept]}});
                    },
                    inner.weight};
        }
        case Op::Variable:
            return variable(node);
        case Op::Load:
            return load(node);
        case Op::Sum:
        case Op::Max:
        case Op::Min:
            return m.node(node.args[0]).type.shape.size() == 1 ? reducedWhole(node) : reducedAxis(node);
        case Op::Dot:
            return dot(node);
        default:
            return elementwise(node);
        }
    }

    Lazy broadcast(const Node& node)
    {
        const ValueType from = m.node(node.args[0]).type;
        Lazy inner = value(node.args[0]);
        if (from.shape.empty())
            return {true, inner.cheap, [inner](const At&) { return inner.text({}); }, inner.weight};
        inner = anywhere(inner, from, node.place);
        return {true, inner.cheap,
                [inner, from](const At& at) {
                    At narrow;
                    for (std::size_t i = 0; i < from.shape.size(); ++i)
                        narrow.at.push_back(from.shape[i] == 1 ? "0" : at.at[i]);
                    return inner.text(narrow);
                },
                inner.weight};
    }

    Lazy variable(const Node& node)
    {
        const auto slot = static_cast<std::size_t>(node.integer);
        if (m.slots[slot].carried && node.type.shape.empty()) { // a later statement may change it
            const std::string name = fresh(m.slots[slot].name);
            line(std::string("const ") + cType(node.type.kind) + " " + name + " = " + m_env[slot].text({}) + ";");
            return single(name);
        }
        return m_env[slot];
    }

    static std::string operation(Op op, ValueKind kind, const std::vector<std::string>& a)
    {
        const auto infix = [&](const char* mark) { return "(" + a[0] + " " + mark + " " + a[1] + ")"; };
        const auto call = [&](const std::string& name) {
            std::string text = name + "(";
            for (std::size_t i = 0; i < a.size(); ++i)
                text += (i == 0 ? "" : ", ") + a[i];
            return text + ")";
        };
        const bool floats = kind == ValueKind::Float;
        switch (op) {
        case Op::ToFloat:
            return "(float)" + a[0];
        case Op::ToInt:
            return call("__float2int_rz");
        case Op::Minus:
            return "(-" + a[0] + ")";
        case Op::Not:
            return "(!" + a[0] + ")";
        case Op::Exp:
            return call("tile_exp");
        case Op::Sqrt:
            return call("sqrtf");
        case Op::Abs:
            return call(floats ? "fabsf" : "tile_abs");
        case Op::Add:
            return a[0] == "0" ? a[1] : infix("+"); // an offset from the beginning of a buffer
        case Op::Subtract:
            return infix("-");
        case Op::Multiply:
            return infix("*");
        case Op::Divide:
        case Op::Quotient:
            return infix("/");
        case Op::Remainder:
            return infix("%");
        case Op::Less:
            return infix("<");
        case Op::LessEqual:
            return infix("<=");
        case Op::Equal:
            return infix("==");
        case Op::Unequal:
            return infix("!=");
        case Op::And:
            return infix("&&");
        case Op::Or:
            return infix("||");
        case Op::Larger:
            return call(floats ? "fmaxf" : "TileMax()");
        case Op::Smaller:
            return call(floats ? "fminf" : "TileMin()");
        case Op::Where:
            return "(" + a[0] + " ? " + a[1] + " : " + a[2] + ")";
        default: // Fma
            return call("fmaf");
        }
    }

    Lazy elementwise(const Node& node)
    {
        std::vector<Lazy> args;
        Lazy made{true, node.type.kind != ValueKind::Float, {}};
        for (const int arg : node.args) {
            args.push_back(value(arg));
            made.anywhere = made.anywhere && args.back().anywhere;
            made.cheap = made.cheap && args.back().cheap;
            made.weight += args.back().weight;
        }
        made.text = [args, op = node.op, kind = node.type.kind](const At& at) {
            std::vector<std::string> texts;
            for (const Lazy& arg : args)
                texts.push_back(arg.text(at));
            return operation(op, kind, texts);
        };
        if (node.type.shape.empty() && !made.cheap) { // computed once
            const std::string name = fresh("t");
            line(std::string("const ") + cType(node.type.kind) + " " + name + " = " + made.text({}) + ";");
            return single(name);
        }
        return made;
    }

    Lazy load(const Node& node)
    {
        const Node& address = m.node(node.args[0]);
        const Lazy offset = value(node.args[0]);
        const Lazy mask = node.args.size() > 1 ? value(node.args[1]) : Lazy{};
        const Lazy other = node.args.size() > 1 ? value(node.args[2]) : Lazy{};
        const std::string from = parameterName(address.type.buffer);
        const bool small = m.parameter(address.type.buffer).kind == ParameterKind::Bfloat16;
        const Lazy fetched{false, true, [&](const At& at) {
                               std::string text = from + "[" + offset.text(at) + "]";
                               if (small)
                                   text = "tile_from_bf16(" + text + ")";
                               return mask.text ? mask.text(at) + " ? " + text + " : " + other.text(at) : text;
                           }};
        return written(fetched, node.type, fresh("loaded"), node.place, false);
    }

    static std::string both(const Node& node)
    {
        return node.op == Op::Sum ? "TileSum()" : node.op == Op::Max ? "TileMax()" : "TileMin()";
    }

    Lazy reducedWhole(const Node& node)
    {
        const ValueType from = m.node(node.args[0]).type;
        const std::string name = fresh("fold"), result = fresh("all");
        const std::string type = cType(from.kind);
        (void)written(value(node.args[0]), from, name, node.place, true);
        for (std::int64_t half = perThread(from) / 2; half > 0; half /= 2) {
            line("#pragma unroll");
            line(fmt::format("for (int i = 0; i < {}; ++i)", half));
            line(fmt::format("    {0}[i] = {1}({0}[i], {0}[i + {2}]);", name, both(node), half));
        }
        const std::int64_t lanes = std::min<std::int64_t>(from.size(), m_threads);
        scratch(lanes > 32 ? lanes : 1);
        line(fmt::format("const {0} {1} = tile_fold<{2}>({3}[0], ({0}*)scratch, {4});", type, result, lanes, name,
                         both(node)));
        return single(result);
    }

    Lazy reducedAxis(const Node& node)
    {
        const ValueType from = m.node(node.args[0]).type;
        const int rows = from.shape[0], columns = from.shape[1];
        const bool along = node.integer == 1;
        const Lazy what = value(node.args[0]);
        requireFits(from, node.place);
        const std::string type = cType(from.kind), name = fresh("tile"), result = leaf(node.type);
        scratch(from.size());
        line(fmt::format("{0}* const {1} = ({0}*)scratch;", type, name));
        barrier();
        toShared(name, what, from);
        const int length = along ? columns : rows, others = along ? rows : columns;
        for (int half = length / 2; half > 0; half /= 2) {
            barrier();
            open(fmt::format("for (int j = thread; j < {}; j += {})", others * half, m_threads));
            if (along)
                line(fmt::format("const int a = j / {0} * {1} + j % {0}, b = a + {0};", half, columns));
            else
                line(fmt::format("const int a = j, b = a + {};", half * columns));
            line(fmt::format("{0}[a] = {1}({0}[a], {0}[b]);", name, both(node)));
            close();
        }
        barrier();
        line(fmt::format("for (int j = thread; j < {}; j += {})", others, m_threads));
        line(fmt::format("    {}[j] = {}[j{}];", result, name, along ? fmt::format(" * {}", columns) : ""));
        barrier();
        return shared(result, node.type);
    }

    Lazy dot(const Node& node)
    {
        const ValueType a = m.node(node.args[0]).type, b = m.node(node.args[1]).type;
        const Lazy left = value(node.args[0]), right = value(node.args[1]);
        requireFits(a, node.place);
        requireFits(b, node.place);
        requireFits(node.type, node.place);
        const std::string la = fresh("left"), lb = fresh("right"), result = fresh("dot");
        scratch(a.size() + b.size());
        line(fmt::format("float *const {} = (float*)scratch, *const {} = {} + {};", la, lb, la, a.size()));
        barrier();
        toShared(la, left, a);
        toShared(lb, right, b);
        barrier();
        line(fmt::format("float {}[{}];", result, perThread(node.type)));
        line("#pragma unroll");
        line(fmt::format("for (int i = 0; i < {}; ++i)", perThread(node.type)));
        line(fmt::format("    {}[i] = 0.0f;", result));
        open(fmt::format("for (int k = 0; k < {}; ++k)", a.shape[1]));
        own(node.type, [&](const At& at) {
            line(fmt::format("{0}[i] = fmaf({1}[{2} * {3} + k], {4}[k * {5} + {6}], {0}[i]);", result, la, at.at[0],
                             a.shape[1], lb, b.shape[1], at.at[1]));
        });
        close();
        return registers(result);
    }

    // ---- statements -------------------------------------------------------------------------------------------------

    void statements(const std::vector<CheckedStatement>& all)
    {
        for (const CheckedStatement& each : all) {
            if (each.kind != StatementKind::Assert)
                line(fmt::format("// line {}", each.place.line));
            statement(each);
        }
    }

    void statement(const CheckedStatement& s)
    {
        switch (s.kind) {
        case StatementKind::Assign:
            assign(s);
            break;
        case StatementKind::Store:
            store(s);
            break;
        case StatementKind::Assert: // the interpreter looks
            break;
        case StatementKind::While: {
            open("while (true)");
            line("if (!" + value(s.args[0]).text({}) + ")");
            line("    break;");
            statements(s.body);
            close();
            break;
        }
        case StatementKind::For: {
            const auto slot = static_cast<std::size_t>(s.slot);
            const std::string name = fresh(m.slots[slot].name);
            std::vector<std::string> bounds;
            for (const int arg : s.args) {
                const std::string text = value(arg).text({});
                bounds.push_back(fresh("bound"));
                line("const int " + bounds.back() + " = " + text + ";");
            }
            m_env[slot] = single(name);
            open(fmt::format("for (int {0} = {1}; {0} < {2}; {0} += {3})", name, bounds[0], bounds[1], bounds[2]));
            statements(s.body);
            close();
            break;
        }
        }
    }

    void assign(const CheckedStatement& s)
    {
        const auto index = static_cast<std::size_t>(s.slot);
        const Slot& slot = m.slots[index];
        const Lazy made = value(s.args[0]);
        if (slot.carried && m_env[index].text) { // in a loop: into what was there before
            if (slot.type.shape.empty())
                line(m_carried[s.slot] + " = " + made.text({}) + ";");
            else
                own(slot.type, [&](const At& at) { line(m_carried[s.slot] + "[i] = " + made.text(at) + ";"); });
            return;
        }
        const Op op = m.node(s.args[0]).op;
        if (!slot.carried && (op == Op::Load || op == Op::Dot || op == Op::Sum || op == Op::Max || op == Op::Min)) {
            m_env[index] = made; // written down already
            return;
        }
        const std::string name = fresh(slot.name);
        if (slot.carried) {
            m_carried[s.slot] = name;
            m_env[index] = written(made, slot.type, name, s.place, true);
        } else if (made.anywhere && made.cheap && made.weight <= kMostWeight && !slot.type.shape.empty()) {
            m_env[index] = made;
        } else {
            m_env[index] = written(made, slot.type, name, s.place, false);
        }
    }

    void store(const CheckedStatement& s)
    {
        const ValueType type = m.node(s.args[0]).type;
        const Lazy offset = value(s.args[0]), what = value(s.args[1]);
        const Lazy mask = s.args.size() > 2 ? value(s.args[2]) : Lazy{};
        const std::string to = parameterName(type.buffer);
        const bool small = m.parameter(type.buffer).kind == ParameterKind::Bfloat16;
        // What the program loads and stores: its own threads may hold one element in turns.
        const bool both = m.loaded[static_cast<std::size_t>(type.buffer)];
        if (both)
            barrier();
        const auto put = [&](const At& at, std::string guard) {
            if (mask.text)
                guard += (guard.empty() ? "" : " && ") + mask.text(at);
            const std::string written = small ? "tile_to_bf16(" + what.text(at) + ")" : what.text(at);
            line((guard.empty() ? "" : "if (" + guard + ") ") + to + "[" + offset.text(at) + "] = " + written + ";");
        };
        if (type.shape.empty())
            put({}, "thread == 0");
        else {
            requireFits(type, s.place);
            own(type, [&](const At& at) {
                put(at, isRepeated(type) ? fmt::format("thread < {}", type.size()) : std::string());
            });
        }
        if (both)
            barrier();
    }

    const CheckedProgram& m;
    const std::uint32_t m_threads;
    std::vector<Lazy> m_env;              ///< by slot
    std::map<int, std::string> m_carried; ///< by slot: its variable
    std::string m_text, m_shared;
    std::size_t m_depth = 1;
    int m_names = 0;
    std::int64_t m_leaves = 0, m_scratch = 0; ///< words of shared memory
    std::int64_t m_mostPerThread = 1;
};

} // namespace

Result<TileKernel> generateCuda(const CheckedProgram& program, int warps)
{
    if (warps < 1 || warps > 32 || !std::has_single_bit(static_cast<unsigned>(warps)))
        return Error{"bad-warps", fmt::format("{} warps", warps), program.syntax.file, "take 1, 2, 4, 8, 16 or 32"};
    try {
        TileKernel made = Writer(program, 32 * static_cast<std::uint32_t>(warps)).kernel();
        if (made.sharedBytes > kTileSharedBytes)
            return Error{"too-much-shared",
                         fmt::format("the program's blocks need {} bytes of shared memory, and an instance has {}",
                                     made.sharedBytes, kTileSharedBytes),
                         program.syntax.file, "take smaller blocks"};
        return made;
    } catch (const Refusal& refusal) {
        return refusal.error;
    }
}

} // namespace ridge::tile
