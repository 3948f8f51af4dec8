// SPDX-License-Identifier: GPL-3.0-or-later
#include "tile_program/tile_check.h"

#include "base/experiment_info.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>

namespace ridge::tile {
namespace {

/// Thrown within this file alone: the first mistake ends the check.
struct Mistake {
    Error error;
};

const char* wordOf(ValueKind kind)
{
    switch (kind) {
    case ValueKind::Int:
        return "int";
    case ValueKind::Float:
        return "float";
    case ValueKind::Bool:
        return "bool";
    default:
        return "pointer";
    }
}

std::string shapeText(const std::vector<int>& shape)
{
    std::string text;
    for (const int each : shape)
        text += (text.empty() ? "[" : ", ") + std::to_string(each);
    return text.empty() ? "" : text + "]";
}

bool isNumber(ValueKind kind)
{
    return kind == ValueKind::Int || kind == ValueKind::Float;
}

class Checker {
public:
    explicit Checker(CheckedProgram& made) : m(made) { m_scopes.emplace_back(); }

    void run()
    {
        parameters();
        for (const Syntax& size : m.syntax.grid)
            requireSize(size);
        m.body = statements(m.syntax.body);
    }

private:
    // ---- names and errors -------------------------------------------------------------------------------------------

    [[noreturn]] void fail(const char* code, Place place, const std::string& what, const std::string& fix) const
    {
        throw Mistake{{code, what, placeText(m.syntax.file, place), fix}};
    }
    std::string text(const ValueType& type) const { return toText(type, m.syntax.parameters); }

    void parameters()
    {
        for (const SyntaxParameter& each : m.syntax.parameters) {
            if (std::ranges::count(m.syntax.parameters, each.name, &SyntaxParameter::name) > 1)
                fail("unknown-name", each.place, "two parameters are called " + each.name, "rename one");
            if (each.kind != ParameterKind::Const)
                continue;
            if (!m.constants.contains(each.name)) {
                if (!each.hasDefault)
                    fail("missing-constant", each.place, "nobody gave the constant " + each.name + " a value",
                         "give it a default: " + each.name + ": const = 64");
                m.constants[each.name] = static_cast<std::int64_t>(each.defaultValue);
            }
        }
        for (const SyntaxParameter& each : m.syntax.parameters)
            for (const Syntax& length : each.length)
                requireSize(length);
        m.loaded.assign(m.syntax.parameters.size(), false);
        m.stored.assign(m.syntax.parameters.size(), false);
    }

    /// Lengths and grids are over ints and constants.
    void requireSize(const Syntax& size) const
    {
        Sizes ones;
        for (const SyntaxParameter& each : m.syntax.parameters)
            if (each.kind == ParameterKind::Int)
                ones[each.name] = 1;
        for (const auto& [name, value] : m.constants)
            ones[name] = value;
        const auto known = sizeOf(m.syntax, size, ones);
        if (!known && known.error().code != "bad-size" && known.error().code != "division-by-zero")
            throw Mistake{known.error()};
    }

    std::optional<int> slotOf(const std::string& name, bool* outer = nullptr) const
    {
        for (std::size_t at = m_scopes.size(); at-- > 0;)
            if (const auto found = m_scopes[at].find(name); found != m_scopes[at].end()) {
                if (outer != nullptr)
                    *outer = at + 1 < m_scopes.size();
                return found->second;
            }
        return {};
    }

    std::vector<std::string> knownNames() const
    {
        std::vector<std::string> names{"inf"};
        for (const SyntaxParameter& each : m.syntax.parameters)
            names.push_back(each.name);
        for (const auto& scope : m_scopes)
            for (const auto& [name, slot] : scope)
                names.push_back(name);
        return names;
    }

    std::string nearest(const std::string& name, const std::vector<std::string>& known, const char* otherwise) const
    {
        const auto near = nearestNames(name, known);
        return near.empty() ? otherwise : "did you mean " + near.front() + "?";
    }

    // ---- nodes ------------------------------------------------------------------------------------------------------

    const Node& at(int node) const { return m.node(node); }
    const ValueType& type(int node) const { return m.node(node).type; }
    int add(Op op, ValueType type, Place place, std::vector<int> args = {}, std::int64_t integer = 0, double number = 0)
    {
        m.nodes.push_back({op, std::move(type), place, std::move(args), integer, number});
        return static_cast<int>(m.nodes.size()) - 1;
    }
    int constant(std::int64_t value, Place place)
    {
        if (value < std::numeric_limits<std::int32_t>::min() || value > std::numeric_limits<std::int32_t>::max())
            fail("type", place, std::to_string(value) + " is no int of 32 bits", "take a smaller one");
        return add(Op::ConstInt, {ValueKind::Int}, place, {}, value);
    }
    std::optional<std::int64_t> constantOf(int node) const
    {
        if (at(node).op == Op::ConstInt)
            return at(node).integer;
        return {};
    }

    int toFloat(int node)
    {
        const ValueType from = type(node);
        if (from.kind == ValueKind::Float)
            return node;
        const Place place = at(node).place;
        if (from.kind != ValueKind::Int)
            fail("type", place, text(from) + " where a number belongs",
                 from.kind == ValueKind::Bool ? "choose with where(mask, 1, 0)" : "load() what it points to");
        if (at(node).op == Op::ConstInt)
            return add(Op::ConstFloat, {ValueKind::Float}, place, {}, 0, static_cast<double>(at(node).integer));
        return add(Op::ToFloat, {ValueKind::Float, from.shape}, place, {node});
    }

    int broadcast(int node, const std::vector<int>& shape)
    {
        if (type(node).shape == shape)
            return node;
        ValueType wide = type(node);
        wide.shape = shape;
        return add(Op::Broadcast, wide, at(node).place, {node});
    }

    /// The shape that both grow to.
    std::vector<int> common(const std::vector<int>& a, const std::vector<int>& b, Place place) const
    {
        if (a.empty() || b.empty())
            return a.empty() ? b : a;
        if (a.size() != b.size())
            fail("shape", place, "the shapes " + shapeText(a) + " and " + shapeText(b) + " do not fit",
                 "give the shorter one an axis: x[:, None] for a column, x[None, :] for a row");
        std::vector<int> both;
        for (std::size_t i = 0; i < a.size(); ++i) {
            if (a[i] != b[i] && a[i] != 1 && b[i] != 1)
                fail("shape", place, "the shapes " + shapeText(a) + " and " + shapeText(b) + " do not fit",
                     "sizes along an axis must be equal, or one of them 1");
            both.push_back(std::max(a[i], b[i]));
        }
        requireSizeOf(both, place);
        return both;
    }

    // ---- expressions ------------------------------------------------------------------------------------------------

    int value(const Syntax& s)
    {
        switch (s.kind) {
        case SyntaxKind::Integer:
            return constant(s.integer, s.place);
        case SyntaxKind::Decimal:
            return add(Op::ConstFloat, {ValueKind::Float}, s.place, {}, 0, s.number);
        case SyntaxKind::Name:
            return named(s);
        case SyntaxKind::Unary:
            return unary(s);
        case SyntaxKind::Binary:
            return binary(s);
        case SyntaxKind::Expand:
            return expand(s);
        case SyntaxKind::Call:
            return call(s);
        }
        return -1;
    }

    int named(const Syntax& s)
    {
        if (const auto slot = slotOf(s.text))
            return add(Op::Variable, m.slots[static_cast<std::size_t>(*slot)].type, s.place, {}, *slot);
        for (std::size_t i = 0; i < m.syntax.parameters.size(); ++i) {
            const SyntaxParameter& parameter = m.syntax.parameters[i];
            if (parameter.name != s.text)
                continue;
            const auto index = static_cast<std::int64_t>(i);
            if (parameter.kind == ParameterKind::Const)
                return constant(m.constants.at(s.text), s.place);
            if (parameter.isBuffer())
                return add(Op::Base, {ValueKind::Pointer, {}, static_cast<int>(i)}, s.place, {}, index);
            const auto kind = parameter.kind == ParameterKind::Int ? ValueKind::Int : ValueKind::Float;
            return add(Op::Parameter, {kind}, s.place, {}, index);
        }
        if (s.text == "inf")
            return add(Op::ConstFloat, {ValueKind::Float}, s.place, {}, 0, std::numeric_limits<double>::infinity());
        if (std::ranges::count(m_gone, s.text) > 0)
            fail("unknown-name", s.place, "'" + s.text + "' was made inside of a loop and ends with it",
                 "give it a value before the loop");
        fail("unknown-name", s.place, "there is no '" + s.text + "' here",
             nearest(s.text, knownNames(), "give it a value first, or make it a parameter"));
    }

    int unary(const Syntax& s)
    {
        const int inner = value(s.parts[0]);
        const ValueType t = type(inner);
        if (s.text == "~") {
            if (t.kind != ValueKind::Bool)
                fail("type", s.place, "~ of " + text(t), "~ turns a mask round; write -x for the negative");
            return add(Op::Not, t, s.place, {inner});
        }
        if (!isNumber(t.kind))
            fail("type", s.place, "minus " + text(t), "only numbers have a negative");
        if (at(inner).op == Op::ConstInt)
            return constant(-at(inner).integer, s.place);
        if (at(inner).op == Op::ConstFloat)
            return add(Op::ConstFloat, t, s.place, {}, 0, -at(inner).number);
        return add(Op::Minus, t, s.place, {inner});
    }

    int binary(const Syntax& s)
    {
        const int a = value(s.parts[0]), b = value(s.parts[1]);
        return combine(s.text, a, b, s.place);
    }

    int combine(const std::string& op, int a, int b, Place place)
    {
        const ValueType ta = type(a), tb = type(b);
        const std::string both = text(ta) + " " + op + " " + text(tb);
        if (op == "&" || op == "|") {
            if (ta.kind != ValueKind::Bool || tb.kind != ValueKind::Bool)
                fail("type", place, both + " is no mask",
                     op + " joins masks and binds tighter than a comparison: write (a < b) " + op + " (c < d)");
            return paired(op == "&" ? Op::And : Op::Or, ValueKind::Bool, a, b, place);
        }
        if (ta.kind == ValueKind::Pointer || tb.kind == ValueKind::Pointer)
            return pointed(op, a, b, place);
        if (ta.kind == ValueKind::Bool || tb.kind == ValueKind::Bool)
            fail("type", place, both + " computes with a mask", "make numbers of it: where(mask, 1, 0)");
        if (op == "/") {
            const int fa = toFloat(a), fb = toFloat(b);
            return paired(Op::Divide, ValueKind::Float, fa, fb, place);
        }
        if (op == "//" || op == "%") {
            if (ta.kind != ValueKind::Int || tb.kind != ValueKind::Int)
                fail("type", place, both + ": " + op + " divides ints", "write / for floats");
            if (constantOf(a) && constantOf(b) && *constantOf(b) != 0)
                return constant(op == "//" ? *constantOf(a) / *constantOf(b) : *constantOf(a) % *constantOf(b), place);
            return paired(op == "//" ? Op::Quotient : Op::Remainder, ValueKind::Int, a, b, place);
        }
        const bool floats = ta.kind == ValueKind::Float || tb.kind == ValueKind::Float;
        const int x = floats ? toFloat(a) : a, y = floats ? toFloat(b) : b;
        if (op == "<")
            return paired(Op::Less, ValueKind::Bool, x, y, place);
        if (op == ">")
            return paired(Op::Less, ValueKind::Bool, y, x, place);
        if (op == "<=")
            return paired(Op::LessEqual, ValueKind::Bool, x, y, place);
        if (op == ">=")
            return paired(Op::LessEqual, ValueKind::Bool, y, x, place);
        if (op == "==")
            return paired(Op::Equal, ValueKind::Bool, x, y, place);
        if (op == "!=")
            return paired(Op::Unequal, ValueKind::Bool, x, y, place);
        const Op arithmetic = op == "+" ? Op::Add : op == "-" ? Op::Subtract : Op::Multiply;
        if (!floats && constantOf(x) && constantOf(y)) {
            const std::int64_t p = *constantOf(x), q = *constantOf(y);
            return constant(op == "+" ? p + q : op == "-" ? p - q : p * q, place);
        }
        return paired(arithmetic, floats ? ValueKind::Float : ValueKind::Int, x, y, place);
    }

    int paired(Op op, ValueKind kind, int a, int b, Place place)
    {
        const auto shape = common(type(a).shape, type(b).shape, place);
        const int x = broadcast(a, shape), y = broadcast(b, shape);
        return add(op, {kind, shape}, place, {x, y});
    }

    /// Pointer arithmetic.
    int pointed(const std::string& op, int a, int b, Place place)
    {
        if (op == "+" && type(a).kind != ValueKind::Pointer)
            std::swap(a, b);
        const ValueType ta = type(a), tb = type(b);
        if ((op != "+" && op != "-") || tb.kind != ValueKind::Int || ta.kind != ValueKind::Pointer)
            fail("type", place, text(ta) + " " + op + " " + text(tb) + " is no address",
                 tb.kind == ValueKind::Float ? "an offset is an int: int(x)"
                                             : "add ints to a pointer, and load() before you compute");
        const auto shape = common(ta.shape, tb.shape, place);
        const int x = broadcast(a, shape), y = broadcast(b, shape);
        return add(op == "+" ? Op::Add : Op::Subtract, {ValueKind::Pointer, shape, ta.buffer}, place, {x, y});
    }

    int expand(const Syntax& s)
    {
        const int inner = value(s.parts[0]);
        ValueType t = type(inner);
        if (t.shape.size() != 1)
            fail("shape", s.place, text(t) + " cannot get a further axis",
                 t.shape.empty() ? "one number fits every shape as it is" : "blocks have at most two axes");
        t.shape.insert(t.shape.begin() + s.integer, 1);
        return add(Op::Expand, t, s.place, {inner}, s.integer);
    }

    // ---- calls ------------------------------------------------------------------------------------------------------

    /// The arguments in the order of `names`; a name that begins with '?' may be left out (-1 in the answer).
    std::vector<const Syntax*> arguments(const Syntax& s, const std::vector<std::string>& names) const
    {
        std::vector<const Syntax*> found(names.size(), nullptr);
        const auto plain = [](const std::string& name) { return name.substr(name[0] == '?' ? 1 : 0); };
        std::string form;
        for (const std::string& name : names)
            form += (form.empty() ? s.text + "(" : ", ") + plain(name) + (name[0] == '?' ? "=…" : "");
        form += form.empty() ? s.text + "()" : ")";
        for (std::size_t i = 0; i < s.parts.size(); ++i) {
            std::size_t to = i;
            if (!s.keywords[i].empty())
                for (to = 0; to < names.size() && plain(names[to]) != s.keywords[i];)
                    ++to;
            if (to >= names.size() || found[to] != nullptr)
                fail("type", s.parts[i].place,
                     s.keywords[i].empty() ? s.text + "() has no such argument"
                                           : s.text + "() has no argument " + s.keywords[i] + " here",
                     "it is written " + form);
            found[to] = &s.parts[i];
        }
        for (std::size_t i = 0; i < names.size(); ++i)
            if (found[i] == nullptr && names[i][0] != '?')
                fail("type", s.place, s.text + "() lacks its argument " + names[i], "it is written " + form);
        return found;
    }

    std::int64_t constantArgument(const Syntax& s, const std::string& of)
    {
        const int node = value(s);
        if (const auto known = constantOf(node))
            return *known;
        fail("type", s.place, of + " must be known before the program runs",
             "take a number or a parameter of type const");
    }

    int dimension(const Syntax& s)
    {
        const std::int64_t size = constantArgument(s, "the size of a block");
        if (size < 1 || size > kMostElements)
            fail("shape", s.place, "a block of " + std::to_string(size) + " elements", "it has 1 to 1048576");
        if (!std::has_single_bit(static_cast<std::uint64_t>(size))) {
            const auto next = std::bit_ceil(static_cast<std::uint64_t>(size));
            fail("not-a-power-of-two", s.place,
                 "a block of " + std::to_string(size) + " elements, which is no power of two",
                 "take " + std::to_string(next) + " and mask what is too much: offsets < " + std::to_string(size));
        }
        return static_cast<int>(size);
    }

    void requireSizeOf(const std::vector<int>& shape, Place place) const
    {
        const std::int64_t all = ValueType{ValueKind::Int, shape}.size();
        if (all > kMostElements)
            fail("shape", place, "a block of " + shapeText(shape) + " has " + std::to_string(all) + " elements",
                 "it has at most 1048576");
    }

    int floats1(const Syntax& s, Op op)
    {
        const auto given = arguments(s, {"x"});
        const int x = value(*given[0]);
        if (op == Op::Abs && type(x).kind == ValueKind::Int)
            return add(op, type(x), s.place, {x});
        const int f = toFloat(x);
        return add(op, type(f), s.place, {f});
    }

    int call(const Syntax& s)
    {
        static const std::vector<std::string> kFunctions = {
            "program_id", "arange", "zeros", "full",  "load", "store",   "exp",     "sqrt",  "abs", "sum",
            "max",        "min",    "dot",   "where", "fma",  "maximum", "minimum", "float", "int", "cdiv"};
        const std::string& f = s.text;
        if (f == "program_id")
            return programId(s);
        if (f == "arange")
            return arange(s);
        if (f == "zeros" || f == "full")
            return filled(s);
        if (f == "load")
            return load(s);
        if (f == "exp")
            return floats1(s, Op::Exp);
        if (f == "sqrt")
            return floats1(s, Op::Sqrt);
        if (f == "abs")
            return floats1(s, Op::Abs);
        if (f == "sum" || f == "max" || f == "min")
            return reduction(s);
        if (f == "dot")
            return dot(s);
        if (f == "where")
            return where(s);
        if (f == "fma")
            return fma(s);
        if (f == "maximum" || f == "minimum")
            return extreme(s);
        if (f == "float") {
            const int x = value(*arguments(s, {"x"})[0]);
            return toFloat(x);
        }
        if (f == "int") {
            const int x = value(*arguments(s, {"x"})[0]);
            if (type(x).kind == ValueKind::Int)
                return x;
            if (type(x).kind != ValueKind::Float)
                fail("type", s.place, "int() of " + text(type(x)), "write where(mask, 1, 0) for a mask");
            return add(Op::ToInt, {ValueKind::Int, type(x).shape}, s.place, {x});
        }
        if (f == "cdiv") {
            const auto given = arguments(s, {"a", "b"});
            const int a = value(*given[0]), b = value(*given[1]);
            const int up = combine("-", combine("+", a, b, s.place), constant(1, s.place), s.place);
            return combine("//", up, b, s.place);
        }
        if (f == "store" || f == "range")
            fail("type", s.place, f + "() has no value",
                 f == "store" ? "write it as a statement of its own" : "it belongs behind 'for … in'");
        fail("unknown-name", s.place, "there is no function " + f + "()",
             nearest(f, kFunctions,
                     "functions: program_id, arange, zeros, full, load, store, exp, sqrt, abs, sum, max, "
                     "min, dot, where, fma, maximum, minimum, float, int, cdiv"));
    }

    int programId(const Syntax& s)
    {
        const auto given = arguments(s, {"axis"});
        const std::int64_t axis = constantArgument(*given[0], "the axis");
        if (axis < 0 || axis >= static_cast<std::int64_t>(m.syntax.grid.size()))
            fail("type", s.place, "the grid has no axis " + std::to_string(axis),
                 "it has " + std::to_string(m.syntax.grid.size()) + ", counted from 0");
        return add(Op::ProgramId, {ValueKind::Int}, s.place, {}, axis);
    }

    int arange(const Syntax& s)
    {
        if (s.parts.size() == 2) // as Triton writes it
            if (constantArgument(s.parts[0], "the beginning") != 0)
                fail("type", s.parts[0].place, "arange() begins at 0", "add what is missing: 4 + arange(8)");
        if (s.parts.empty() || s.parts.size() > 2)
            fail("type", s.place, "arange() takes the size of the block", "write arange(BLOCK)");
        const int size = dimension(s.parts.back());
        return add(Op::Arange, {ValueKind::Int, {size}}, s.place);
    }

    int filled(const Syntax& s)
    {
        const std::size_t first = s.text == "full" ? 1 : 0;
        if (s.parts.size() < first + 1 || s.parts.size() > first + 2)
            fail("type", s.place, s.text + "() takes " + (first == 1 ? "a value and " : "") + "one or two sizes",
                 first == 1 ? "write full(-inf, BLOCK)" : "write zeros(BLOCK) or zeros(BM, BN)");
        std::vector<int> shape;
        for (std::size_t i = first; i < s.parts.size(); ++i)
            shape.push_back(dimension(s.parts[i]));
        requireSizeOf(shape, s.place);
        int what = first == 1 ? value(s.parts[0]) : add(Op::ConstFloat, {ValueKind::Float}, s.place);
        if (!isNumber(type(what).kind) || !type(what).shape.empty())
            fail("type", s.place, "full() of " + text(type(what)), "take one number");
        return broadcast(what, shape);
    }

    int maskOf(const Syntax& s, const std::vector<int>& shape)
    {
        const int mask = value(s);
        if (type(mask).kind != ValueKind::Bool)
            fail("type", s.place, "a mask of type " + text(type(mask)), "compare: mask=offsets < n");
        if (common(type(mask).shape, shape, s.place) != shape)
            fail("shape", s.place,
                 "the mask " + shapeText(type(mask).shape) + " is larger than what it masks, " + shapeText(shape),
                 "give the address the same shape");
        return broadcast(mask, shape);
    }

    int load(const Syntax& s)
    {
        const auto given = arguments(s, {"address", "?mask", "?other"});
        const int address = value(*given[0]);
        const ValueType t = type(address);
        if (t.kind != ValueKind::Pointer)
            fail("type", given[0]->place, "load() from " + text(t), "take a pointer: x + offsets");
        std::vector<int> args{address};
        if (given[1] != nullptr) {
            args.push_back(maskOf(*given[1], t.shape));
            if (given[2] == nullptr)
                fail("type", s.place, "load() has a mask and does not say what masked lanes get",
                     "add other=0, or other=-inf before a max; in Triton such lanes would be undefined");
            const int other = toFloat(value(*given[2]));
            if (common(type(other).shape, t.shape, given[2]->place) != t.shape)
                fail("shape", given[2]->place, "other is larger than what is loaded", "take one number");
            args.push_back(broadcast(other, t.shape));
        } else if (given[2] != nullptr) {
            fail("type", s.place, "load() has an other and no mask", "add mask=offsets < n");
        }
        m.loaded[static_cast<std::size_t>(t.buffer)] = true;
        return add(Op::Load, {ValueKind::Float, t.shape}, s.place, args);
    }

    int reduction(const Syntax& s)
    {
        if (s.parts.size() == 2 && s.keywords[1].empty() && (s.text != "sum"))
            if (const int second = value(s.parts[1]); !type(second).shape.empty() || !constantOf(second))
                fail("type", s.place, s.text + "() of two values",
                     "write " + std::string(s.text == "max" ? "maximum" : "minimum") + "(a, b) lane by lane");
        const auto given = arguments(s, {"x", "?axis"});
        const int x = value(*given[0]);
        const ValueType t = type(x);
        if (!isNumber(t.kind))
            fail("type", s.place, s.text + "() of " + text(t), "count a mask with sum(where(mask, 1, 0))");
        if (t.shape.empty())
            fail("shape", s.place, s.text + "() of one number", "take a block");
        if (t.shape.size() == 2 && given[1] == nullptr)
            fail("shape", s.place, s.text + "() of " + text(t) + " without an axis",
                 "axis=1 goes along each row, axis=0 down each column");
        const std::int64_t axis = given[1] == nullptr ? 0 : constantArgument(*given[1], "the axis");
        if (axis < 0 || axis >= static_cast<std::int64_t>(t.shape.size()))
            fail("shape", s.place, text(t) + " has no axis " + std::to_string(axis), "axes are counted from 0");
        std::vector<int> shape = t.shape;
        shape.erase(shape.begin() + axis);
        return add(s.text == "sum"   ? Op::Sum
                   : s.text == "max" ? Op::Max
                                     : Op::Min,
                   {t.kind, shape}, s.place, {x}, axis);
    }

    int dot(const Syntax& s)
    {
        const auto given = arguments(s, {"a", "b"});
        const int a = toFloat(value(*given[0])), b = toFloat(value(*given[1]));
        const auto &sa = type(a).shape, &sb = type(b).shape;
        if (sa.size() != 2 || sb.size() != 2 || sa[1] != sb[0])
            fail("shape", s.place, "dot() of " + text(type(a)) + " and " + text(type(b)),
                 "it takes [m, k] and [k, n]: the columns of the first are the rows of the second");
        const std::vector<int> shape{sa[0], sb[1]};
        requireSizeOf(shape, s.place);
        return add(Op::Dot, {ValueKind::Float, shape}, s.place, {a, b});
    }

    int where(const Syntax& s)
    {
        const auto given = arguments(s, {"mask", "a", "b"});
        const int mask = value(*given[0]);
        int a = value(*given[1]), b = value(*given[2]);
        if (type(mask).kind != ValueKind::Bool)
            fail("type", given[0]->place, "where() by " + text(type(mask)), "compare: where(x > 0, x, 0)");
        if (type(a).kind != type(b).kind)
            a = toFloat(a), b = toFloat(b);
        if (type(a).kind == ValueKind::Pointer)
            fail("type", s.place, "where() of pointers", "choose between offsets");
        const auto shape = common(common(type(mask).shape, type(a).shape, s.place), type(b).shape, s.place);
        const ValueKind kind = type(a).kind;
        const int x = broadcast(mask, shape), y = broadcast(a, shape), z = broadcast(b, shape);
        return add(Op::Where, {kind, shape}, s.place, {x, y, z});
    }

    int fma(const Syntax& s)
    {
        const auto given = arguments(s, {"a", "b", "c"});
        const int a = toFloat(value(*given[0])), b = toFloat(value(*given[1])), c = toFloat(value(*given[2]));
        const auto shape = common(common(type(a).shape, type(b).shape, s.place), type(c).shape, s.place);
        const int x = broadcast(a, shape), y = broadcast(b, shape), z = broadcast(c, shape);
        return add(Op::Fma, {ValueKind::Float, shape}, s.place, {x, y, z});
    }

    int extreme(const Syntax& s)
    {
        const auto given = arguments(s, {"a", "b"});
        int a = value(*given[0]), b = value(*given[1]);
        if (type(a).kind != ValueKind::Int || type(b).kind != ValueKind::Int)
            a = toFloat(a), b = toFloat(b);
        return paired(s.text == "maximum" ? Op::Larger : Op::Smaller, type(a).kind, a, b, s.place);
    }

    // ---- statements -------------------------------------------------------------------------------------------------

    std::vector<CheckedStatement> statements(const std::vector<SyntaxStatement>& all)
    {
        std::vector<CheckedStatement> made;
        for (const SyntaxStatement& each : all)
            made.push_back(statement(each));
        return made;
    }

    std::vector<CheckedStatement> loopBody(const SyntaxStatement& s)
    {
        auto made = statements(s.body);
        for (const auto& [name, slot] : m_scopes.back())
            m_gone.push_back(name);
        m_scopes.pop_back();
        return made;
    }

    CheckedStatement statement(const SyntaxStatement& s)
    {
        CheckedStatement made{s.kind, s.place};
        switch (s.kind) {
        case StatementKind::Assign:
            made.args = {value(s.parts[0])};
            made.slot = assigned(s, made.args);
            break;
        case StatementKind::Store:
            store(s, made);
            break;
        case StatementKind::Assert:
            made.args = {condition(s.parts[0], false)};
            made.text = s.name;
            break;
        case StatementKind::While:
            made.args = {condition(s.parts[0], true)};
            m_scopes.emplace_back();
            made.body = loopBody(s);
            break;
        case StatementKind::For:
            for (const Syntax& part : s.parts) {
                const int bound = value(part);
                if (type(bound) != ValueType{ValueKind::Int})
                    fail("type", part.place, "range() over " + text(type(bound)), "take single ints");
                made.args.push_back(bound);
            }
            if (const auto step = constantOf(made.args[2]); step && *step < 1)
                fail("type", s.parts[2].place, "a loop with the step " + std::to_string(*step) + " never ends",
                     "take a step of 1 or more");
            m_scopes.emplace_back();
            requireFree(s.name, s.place);
            made.slot = newSlot(s.name, {ValueKind::Int});
            m_loopSlots.push_back(made.slot);
            made.body = loopBody(s);
            break;
        }
        return made;
    }

    int condition(const Syntax& s, bool single)
    {
        const int node = value(s);
        if (type(node).kind != ValueKind::Bool)
            fail("type", s.place, text(type(node)) + " is no condition", "compare: a < b");
        if (single && !type(node).shape.empty())
            fail("shape", s.place, "a loop cannot go on for some lanes alone",
                 "make one bool of the block: max(where(mask, 1, 0)) > 0");
        return node;
    }

    void requireFree(const std::string& name, Place place) const
    {
        if (std::ranges::count(m.syntax.parameters, name, &SyntaxParameter::name) > 0)
            fail("unknown-name", place, "'" + name + "' is a parameter and keeps its value", "take another name");
        if (name == "inf" || name == "None" || name == "range")
            fail("unknown-name", place, "'" + name + "' has its meaning already", "take another name");
    }

    int newSlot(const std::string& name, ValueType type)
    {
        m.slots.push_back({name, std::move(type)});
        const int slot = static_cast<int>(m.slots.size()) - 1;
        m_scopes.back()[name] = slot;
        return slot;
    }

    int assigned(const SyntaxStatement& s, std::vector<int>& args)
    {
        requireFree(s.name, s.place);
        bool outer = false;
        const auto known = slotOf(s.name, &outer);
        if (known && std::ranges::count(m_loopSlots, *known) > 0)
            fail("type", s.place, "the loop's variable " + s.name + " is assigned", "take another name");
        if (!known || !outer)
            return newSlot(s.name, type(args[0]));
        Slot& slot = m.slots[static_cast<std::size_t>(*known)];
        if (slot.type.kind == ValueKind::Float && type(args[0]).kind == ValueKind::Int)
            args[0] = toFloat(args[0]);
        if (slot.type != type(args[0]))
            fail("type", s.place,
                 s.name + " is " + text(slot.type) + " before the loop and " + text(type(args[0])) + " in it",
                 slot.type.kind == type(args[0]).kind && slot.type.shape.empty()
                     ? "begin with a block: " + s.name + " = zeros(…)"
                     : "give it the same type and shape before the loop");
        slot.carried = true;
        return *known;
    }

    void store(const SyntaxStatement& s, CheckedStatement& made)
    {
        const Syntax& written = s.parts[0];
        if (written.kind != SyntaxKind::Call)
            fail("type", s.place, "store is a call", "write store(address, value, mask=mask)");
        const auto given = arguments(written, {"address", "value", "?mask"});
        const int address = value(*given[0]);
        const ValueType t = type(address);
        if (t.kind != ValueKind::Pointer)
            fail("type", given[0]->place, "store() to " + text(t), "take a pointer: y + offsets");
        const int what = toFloat(value(*given[1]));
        if (common(type(what).shape, t.shape, given[1]->place) != t.shape)
            fail("shape", given[1]->place,
                 "the value " + shapeText(type(what).shape) + " is larger than its address " + shapeText(t.shape),
                 "give the address a block of offsets");
        made.args = {address, broadcast(what, t.shape)};
        if (given[2] != nullptr)
            made.args.push_back(maskOf(*given[2], t.shape));
        m.stored[static_cast<std::size_t>(t.buffer)] = true;
    }

    CheckedProgram& m;
    std::vector<std::map<std::string, int>> m_scopes;
    std::vector<int> m_loopSlots;
    std::vector<std::string> m_gone; ///< names of loops that have ended
};

} // namespace

std::string toText(const ValueType& type, const std::vector<SyntaxParameter>& parameters)
{
    std::string text = wordOf(type.kind) + shapeText(type.shape);
    if (type.kind == ValueKind::Pointer)
        text += " into " + parameters[static_cast<std::size_t>(type.buffer)].name;
    return text;
}

Result<CheckedProgram> checkProgram(const SyntaxProgram& syntax, const std::map<std::string, std::int64_t>& constants)
{
    CheckedProgram made;
    made.syntax = syntax;
    for (const SyntaxParameter& each : syntax.parameters)
        if (const auto found = constants.find(each.name); each.kind == ParameterKind::Const && found != constants.end())
            made.constants[each.name] = found->second;
    try {
        Checker(made).run();
    } catch (const Mistake& mistake) {
        return mistake.error;
    }
    return made;
}

Result<std::int64_t> sizeOf(const SyntaxProgram& program, const Syntax& s, const Sizes& sizes)
{
    const auto fault = [&](const char* code, const std::string& what, const std::string& fix) {
        return Error{code, what, placeText(program.file, s.place), fix};
    };
    const auto bounded = [&](std::int64_t value) -> Result<std::int64_t> {
        if (value < 0 || value > std::numeric_limits<std::int32_t>::max())
            return fault("bad-size", "the size comes to " + std::to_string(value), "it is between 0 and 2147483647");
        return value;
    };
    if (s.kind == SyntaxKind::Integer)
        return bounded(s.integer);
    if (s.kind == SyntaxKind::Name) {
        const auto found = sizes.find(s.text);
        if (found == sizes.end())
            return fault("unknown-name", "'" + s.text + "' is no int and no constant of the program",
                         "lengths and grids are over these alone");
        return bounded(found->second);
    }
    const bool rounds = s.kind == SyntaxKind::Call && s.text == "cdiv" && s.parts.size() == 2;
    if (!rounds && s.kind != SyntaxKind::Binary)
        return fault("type", "a length or a grid is made of ints", "use + - * // and cdiv(a, b)");
    const auto a = sizeOf(program, s.parts[0], sizes), b = sizeOf(program, s.parts[1], sizes);
    if (!a || !b)
        return a ? b.error() : a.error();
    if ((rounds || s.text == "//" || s.text == "%") && *b == 0)
        return fault("division-by-zero", "a division by zero", "take a size above 0");
    if (rounds)
        return bounded((*a + *b - 1) / *b);
    if (s.text == "+")
        return bounded(*a + *b);
    if (s.text == "-")
        return bounded(*a - *b);
    if (s.text == "*")
        return bounded(*a * *b);
    if (s.text == "//")
        return bounded(*a / *b);
    if (s.text == "%")
        return bounded(*a % *b);
    return fault("type", "'" + s.text + "' makes no size", "use + - * // and cdiv(a, b)");
}

} // namespace ridge::tile
