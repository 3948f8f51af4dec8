// SPDX-License-Identifier: GPL-3.0-or-later
#include "tile_program/tile_interpret.h"
#include "base/bfloat16.h"

#include "tile_program/tile_math.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/core.h>
#include <limits>

namespace ridge::tile {
namespace {

/// Thrown within this file alone: what ends the run.
struct Halt {
    Error error;
};

/// A value: floats, or ints (also bools and offsets of pointers), one a lane.
struct Lanes {
    std::vector<float> f;
    std::vector<std::int32_t> i;
};

constexpr std::uint32_t kMany = ~std::uint32_t{0}; // instances that loaded an element

/// Which instance touched an element, plus one; 0: none.
struct Touched {
    std::vector<std::uint32_t> writer, reader;
    std::vector<std::int32_t> lane; ///< that stored it, -1: several; of buffers that are never loaded
};

class Run {
public:
    Run(const CheckedProgram& program, TileArguments& arguments, const InterpretOptions& options,
        const std::array<std::int64_t, 3>& grid)
        : m(program), m_arguments(arguments), m_options(options), m_grid(grid), m_slots(program.slots.size()),
          m_touched(program.syntax.parameters.size())
    {
        for (std::size_t i = 0; i < arguments.buffers.size(); ++i) {
            TileBuffer& buffer = arguments.buffers[i];
            buffer.loaded.assign(buffer.values.size(), false);
            buffer.written.assign(buffer.values.size(), false);
            if (options.watchRaces && program.stored[i]) {
                m_touched[i].writer.assign(buffer.values.size(), 0);
                m_touched[i].reader.assign(program.loaded[i] ? buffer.values.size() : 0, 0);
                m_touched[i].lane.assign(program.loaded[i] ? 0 : buffer.values.size(), 0);
            }
        }
    }

    void instance(std::int64_t number)
    {
        m_instance = number;
        m_steps = 0;
        statements(m.body);
        ++m_counts.instances;
    }
    const TileCounts& counts() const { return m_counts; }

private:
    std::int64_t axis(std::size_t which) const
    {
        std::int64_t rest = m_instance;
        for (std::size_t i = 0; i < which; ++i)
            rest /= m_grid[i];
        return rest % m_grid[which];
    }
    std::string instanceText(std::int64_t number) const
    {
        std::string text = std::to_string(number % m_grid[0]);
        if (m.syntax.grid.size() > 1)
            text += ", " + std::to_string(number / m_grid[0] % m_grid[1]);
        if (m.syntax.grid.size() > 2)
            text += ", " + std::to_string(number / m_grid[0] / m_grid[1]);
        return "instance (" + text + ")";
    }
    [[noreturn]] void halt(const char* code, Place place, const std::string& what, const std::string& fix) const
    {
        throw Halt{{code, instanceText(m_instance) + ": " + what, placeText(m.syntax.file, place), fix}};
    }

    void step(std::int64_t lanes, Place place)
    {
        const auto work = static_cast<std::uint64_t>(std::max<std::int64_t>(16, lanes));
        m_steps += work;
        m_counts.steps += work;
        if (m_steps > m_options.mostSteps)
            halt("endless-loop", m_loops.empty() ? place : m_loops.back(),
                 "it has worked on " + std::to_string(m_options.mostSteps) + " lanes and is still in " +
                     (m_loops.empty() ? "its statements" : "the loop of line " + std::to_string(m_loops.back().line)),
                 "see that each round of the loop comes nearer to its end");
        m_sinceAsked += work;
        if (m_sinceAsked > (1u << 22)) {
            m_sinceAsked = 0;
            if (m_options.stop && m_options.stop())
                throw Halt{{"cancelled", "the run was cancelled", m.syntax.file, ""}};
        }
    }

    // ---- values -----------------------------------------------------------------------------------------------------

    std::int32_t whole(std::int64_t value, Place place) const
    {
        if (value < std::numeric_limits<std::int32_t>::min() || value > std::numeric_limits<std::int32_t>::max())
            halt("overflow", place, "an int comes to " + std::to_string(value) + ", which 32 bits do not hold",
                 "take smaller sizes, or divide before you multiply");
        return static_cast<std::int32_t>(value);
    }

    Lanes value(int at)
    {
        const Node& node = m.node(at);
        const std::int64_t size = node.type.size();
        step(size, node.place);
        switch (node.op) {
        case Op::ConstInt:
            return ofInt(static_cast<std::int32_t>(node.integer));
        case Op::ConstFloat:
            return ofFloat(static_cast<float>(node.number));
        case Op::Parameter: {
            const SyntaxParameter& parameter = m.parameter(static_cast<int>(node.integer));
            return parameter.kind == ParameterKind::Int
                       ? ofInt(static_cast<std::int32_t>(m_arguments.ints.at(parameter.name)))
                       : ofFloat(m_arguments.floats.at(parameter.name));
        }
        case Op::Base:
            return ofInt(0);
        case Op::ProgramId:
            return ofInt(static_cast<std::int32_t>(axis(static_cast<std::size_t>(node.integer))));
        case Op::Arange: {
            Lanes made;
            for (std::int32_t i = 0; i < static_cast<std::int32_t>(size); ++i)
                made.i.push_back(i);
            return made;
        }
        case Op::Broadcast:
            return broadcast(node);
        case Op::Expand:
            return value(node.args[0]);
        case Op::Variable:
            return m_slots[static_cast<std::size_t>(node.integer)];
        case Op::Load:
            return load(node);
        case Op::Sum:
        case Op::Max:
        case Op::Min:
            return reduced(node);
        case Op::Dot:
            return dot(node);
        case Op::Where: {
            const Lanes mask = value(node.args[0]);
            Lanes a = value(node.args[1]);
            const Lanes b = value(node.args[2]);
            for (std::size_t l = 0; l < mask.i.size(); ++l)
                if (mask.i[l] == 0) {
                    if (a.f.empty())
                        a.i[l] = b.i[l];
                    else
                        a.f[l] = b.f[l];
                }
            return a;
        }
        case Op::Fma: {
            Lanes a = value(node.args[0]);
            const Lanes b = value(node.args[1]), c = value(node.args[2]);
            for (std::size_t l = 0; l < a.f.size(); ++l)
                a.f[l] = std::fma(a.f[l], b.f[l], c.f[l]);
            return a;
        }
        default:
            return node.args.size() == 1 ? unary(node) : binary(node);
        }
    }

    static Lanes ofInt(std::int32_t value) { return {{}, {value}}; }
    static Lanes ofFloat(float value) { return {{value}, {}}; }

    Lanes broadcast(const Node& node)
    {
        const std::vector<int> from = m.node(node.args[0]).type.shape;
        const std::vector<int>& to = node.type.shape;
        const Lanes small = value(node.args[0]);
        Lanes made;
        const auto fill = [&](const auto& source, auto& target) {
            if (source.empty())
                return;
            const auto size = static_cast<std::size_t>(node.type.size());
            target.resize(size);
            if (from.size() < 2) {
                target.assign(size, source[0]);
                return;
            }
            const auto columns = static_cast<std::size_t>(to[1]);
            for (std::size_t l = 0; l < size; ++l) {
                const std::size_t r = from[0] == 1 ? 0 : l / columns, c = from[1] == 1 ? 0 : l % columns;
                target[l] = source[r * static_cast<std::size_t>(from[1]) + c];
            }
        };
        if (from.size() == 1 && from[0] != 1) // cannot be: equal sizes are no broadcast
            return small;
        fill(small.f, made.f);
        fill(small.i, made.i);
        return made;
    }

    Lanes unary(const Node& node)
    {
        Lanes a = value(node.args[0]);
        switch (node.op) {
        case Op::ToFloat: {
            Lanes made;
            for (const std::int32_t each : a.i)
                made.f.push_back(static_cast<float>(each));
            return made;
        }
        case Op::ToInt: {
            Lanes made;
            for (const float each : a.f)
                made.i.push_back(tileToInt(each));
            return made;
        }
        case Op::Minus:
            for (float& each : a.f)
                each = -each;
            for (std::int32_t& each : a.i)
                each = whole(-std::int64_t{each}, node.place);
            break;
        case Op::Not:
            for (std::int32_t& each : a.i)
                each = each == 0 ? 1 : 0;
            break;
        case Op::Exp:
            for (float& each : a.f)
                each = tileExp(each);
            break;
        case Op::Sqrt:
            for (float& each : a.f)
                each = std::sqrt(each);
            break;
        default: // Abs
            for (float& each : a.f)
                each = std::fabs(each);
            for (std::int32_t& each : a.i)
                each = whole(std::abs(std::int64_t{each}), node.place);
            break;
        }
        return a;
    }

    Lanes binary(const Node& node)
    {
        Lanes a = value(node.args[0]);
        const Lanes b = value(node.args[1]);
        if (node.type.kind == ValueKind::Bool)
            return compared(node, a, b);
        for (std::size_t l = 0; l < a.f.size(); ++l)
            a.f[l] = ofFloats(node.op, a.f[l], b.f[l]);
        for (std::size_t l = 0; l < a.i.size(); ++l)
            a.i[l] = whole(ofInts(node, a.i[l], b.i[l]), node.place);
        return a;
    }

    static float ofFloats(Op op, float a, float b)
    {
        switch (op) {
        case Op::Add:
        case Op::Sum:
            return a + b;
        case Op::Subtract:
            return a - b;
        case Op::Multiply:
            return a * b;
        case Op::Divide:
            return a / b;
        case Op::Larger:
        case Op::Max:
            return tileLarger(a, b);
        default:
            return tileSmaller(a, b);
        }
    }

    std::int64_t ofInts(const Node& node, std::int64_t a, std::int64_t b) const
    {
        switch (node.op) {
        case Op::Add:
        case Op::Sum:
            return a + b;
        case Op::Subtract:
            return a - b;
        case Op::Multiply:
            return a * b;
        case Op::Quotient:
        case Op::Remainder:
            if (b == 0)
                halt("division-by-zero", node.place, "an int is divided by zero", "take a divisor above 0");
            return node.op == Op::Quotient ? a / b : a % b;
        case Op::Larger:
        case Op::Max:
            return std::max(a, b);
        default:
            return std::min(a, b);
        }
    }

    static Lanes compared(const Node& node, const Lanes& a, const Lanes& b)
    {
        Lanes made;
        const auto by = [&](const auto& x, const auto& y) {
            for (std::size_t l = 0; l < x.size(); ++l)
                switch (node.op) {
                case Op::Less:
                    made.i.push_back(x[l] < y[l] ? 1 : 0);
                    break;
                case Op::LessEqual:
                    made.i.push_back(x[l] <= y[l] ? 1 : 0);
                    break;
                case Op::Equal:
                    made.i.push_back(x[l] == y[l] ? 1 : 0);
                    break;
                case Op::Unequal:
                    made.i.push_back(x[l] != y[l] ? 1 : 0);
                    break;
                case Op::And:
                    made.i.push_back(x[l] != 0 && y[l] != 0 ? 1 : 0);
                    break;
                default:
                    made.i.push_back(x[l] != 0 || y[l] != 0 ? 1 : 0);
                    break;
                }
        };
        by(a.f, b.f);
        by(a.i, b.i);
        return made;
    }

    /// In halves along the axis: element i takes element i + half, until one is left.
    Lanes reduced(const Node& node)
    {
        Lanes a = value(node.args[0]);
        const std::vector<int>& shape = m.node(node.args[0]).type.shape;
        const bool flat = shape.size() == 1;
        const auto rows = static_cast<std::size_t>(flat ? 1 : shape[0]),
                   columns = static_cast<std::size_t>(shape.back());
        const bool along = flat || node.integer == 1;
        const std::size_t length = along ? columns : rows, others = along ? rows : columns;
        const auto index = [&](std::size_t other, std::size_t at) {
            return along ? other * columns + at : at * columns + other;
        };
        Lanes made;
        for (std::size_t other = 0; other < others; ++other) {
            for (std::size_t half = length / 2; half > 0; half /= 2)
                for (std::size_t at = 0; at < half; ++at) {
                    const std::size_t x = index(other, at), y = index(other, at + half);
                    if (!a.f.empty())
                        a.f[x] = ofFloats(node.op, a.f[x], a.f[y]);
                    else
                        a.i[x] = whole(ofInts(node, a.i[x], a.i[y]), node.place);
                }
            if (!a.f.empty())
                made.f.push_back(a.f[index(other, 0)]);
            else
                made.i.push_back(a.i[index(other, 0)]);
        }
        return made;
    }

    Lanes dot(const Node& node)
    {
        const Lanes a = value(node.args[0]), b = value(node.args[1]);
        const auto depth = static_cast<std::size_t>(m.node(node.args[0]).type.shape[1]);
        const auto rows = static_cast<std::size_t>(node.type.shape[0]),
                   columns = static_cast<std::size_t>(node.type.shape[1]);
        step(node.type.size() * static_cast<std::int64_t>(depth), node.place);
        Lanes made;
        made.f.assign(rows * columns, 0.0f);
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t k = 0; k < depth; ++k) {
                const float left = a.f[r * depth + k];
                for (std::size_t c = 0; c < columns; ++c)
                    made.f[r * columns + c] = std::fma(left, b.f[k * columns + c], made.f[r * columns + c]);
            }
        return made;
    }

    // ---- memory -----------------------------------------------------------------------------------------------------

    std::size_t element(const char* verb, const Node& address, std::int32_t offset, std::size_t lane,
                        std::int64_t lanes, Place place) const
    {
        const auto& values = m_arguments.buffers[static_cast<std::size_t>(address.type.buffer)].values;
        if (offset >= 0 && static_cast<std::size_t>(offset) < values.size())
            return static_cast<std::size_t>(offset);
        const std::string name = m.parameter(address.type.buffer).name;
        halt("out-of-range", place,
             std::string(verb) + " element " + std::to_string(offset) + " of " + name + ", which has " +
                 std::to_string(values.size()) + (lanes > 1 ? " (lane " + std::to_string(lane) + ")" : ""),
             std::string(offset < 0 ? "switch off lanes before the beginning: mask=offsets >= 0"
                                    : "switch off lanes beyond the end: mask=offsets < n") +
                 (std::string_view(verb) == "it loads" ? ", other=0" : ""));
    }

    void count(std::size_t lanes, const std::vector<std::int32_t>& mask)
    {
        if (lanes < 2)
            return;
        m_counts.lanes += lanes;
        for (const std::int32_t each : mask)
            m_counts.masked += each == 0 ? 1 : 0;
    }

    Lanes load(const Node& node)
    {
        const Node& address = m.node(node.args[0]);
        const Lanes at = value(node.args[0]);
        const Lanes mask = node.args.size() > 1 ? value(node.args[1]) : Lanes{};
        Lanes made = node.args.size() > 1 ? value(node.args[2]) : Lanes{};
        made.f.resize(at.i.size());
        const auto buffer = static_cast<std::size_t>(address.type.buffer);
        Touched& touched = m_touched[buffer];
        for (std::size_t l = 0; l < at.i.size(); ++l) {
            if (!mask.i.empty() && mask.i[l] == 0)
                continue;
            const std::size_t e = element("it loads", address, at.i[l], l, node.type.size(), node.place);
            made.f[l] = m_arguments.buffers[buffer].values[e];
            m_arguments.buffers[buffer].loaded[e] = true;
            if (touched.reader.empty())
                continue;
            const auto own = static_cast<std::uint32_t>(m_instance + 1);
            if (touched.writer[e] != 0 && touched.writer[e] != own)
                race(node.place, buffer, e, touched.writer[e], "loads", "stored");
            touched.reader[e] = touched.reader[e] == 0 || touched.reader[e] == own ? own : kMany;
        }
        count(at.i.size(), mask.i);
        return made;
    }

    void store(const CheckedStatement& s)
    {
        const Node& address = m.node(s.args[0]);
        const Lanes at = value(s.args[0]), what = value(s.args[1]);
        const Lanes mask = s.args.size() > 2 ? value(s.args[2]) : Lanes{};
        const auto parameter = static_cast<std::size_t>(address.type.buffer);
        TileBuffer& buffer = m_arguments.buffers[parameter];
        const bool small = m.syntax.parameters[parameter].kind == ParameterKind::Bfloat16;
        Touched& touched = m_touched[parameter];
        if (m_options.watchRaces)
            requireOneLaneEach(s, parameter, at, what, mask);
        for (std::size_t l = 0; l < at.i.size(); ++l) {
            if (!mask.i.empty() && mask.i[l] == 0)
                continue;
            const std::size_t e = element("it stores", address, at.i[l], l, address.type.size(), s.place);
            const float stored = small ? fromBf16(toBf16(what.f[l])) : what.f[l];
            if (!touched.lane.empty()) {
                const auto lane = static_cast<std::int32_t>(l);
                const bool again = touched.writer[e] == static_cast<std::uint32_t>(m_instance + 1);
                const bool other = again && touched.lane[e] != lane;
                if (other && !sameBits(stored, buffer.values[e]))
                    halt("race", s.place,
                         fmt::format("lane {} stores element {} of {}, in which {} stored before", l, e,
                                     m.syntax.parameters[parameter].name,
                                     touched.lane[e] < 0 ? "other lanes have"
                                                         : fmt::format("lane {} has", touched.lane[e])),
                         "lanes do not wait for each other: store an element once, or from the same lane");
                touched.lane[e] = other ? -1 : lane;
            }
            buffer.values[e] = stored;
            buffer.written[e] = true;
            if (touched.writer.empty())
                continue;
            const auto own = static_cast<std::uint32_t>(m_instance + 1);
            if (touched.writer[e] != 0 && touched.writer[e] != own)
                race(s.place, parameter, e, touched.writer[e], "stores", "stored");
            if (!touched.reader.empty() && touched.reader[e] != 0 && touched.reader[e] != own)
                race(s.place, parameter, e, touched.reader[e], "stores", "loaded");
            touched.writer[e] = own;
        }
        count(at.i.size(), mask.i);
    }

    static bool sameBits(float a, float b)
    {
        return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
    }

    /// Of two lanes that store into one element either may be the last.
    void requireOneLaneEach(const CheckedStatement& s, std::size_t parameter, const Lanes& at, const Lanes& what,
                            const Lanes& mask) const
    {
        std::vector<std::size_t> lanes;
        bool rising = true;
        for (std::size_t l = 0; l < at.i.size(); ++l) {
            if (!mask.i.empty() && mask.i[l] == 0)
                continue;
            rising = rising && (lanes.empty() || at.i[lanes.back()] < at.i[l]);
            lanes.push_back(l);
        }
        if (rising)
            return;
        std::ranges::stable_sort(lanes, {}, [&](std::size_t l) { return at.i[l]; });
        for (std::size_t i = 1; i < lanes.size(); ++i)
            if (at.i[lanes[i - 1]] == at.i[lanes[i]] && !sameBits(what.f[lanes[i - 1]], what.f[lanes[i]]))
                halt("race", s.place,
                     fmt::format("lanes {} and {} store different values into element {} of {}", lanes[i - 1], lanes[i],
                                 at.i[lanes[i]], m.syntax.parameters[parameter].name),
                     "either may be the last: give each lane an element of its own, or add up first with sum()");
    }

    [[noreturn]] void race(Place place, std::size_t buffer, std::size_t element, std::uint32_t other, const char* does,
                           const char* did) const
    {
        halt("race", place,
             std::string("it ") + does + " element " + std::to_string(element) + " of " +
                 m.syntax.parameters[buffer].name + ", which " +
                 (other == kMany ? "other instances" : instanceText(std::int64_t{other} - 1)) + " " + did,
             "instances run in any order: give each its own elements, and mask what belongs to the next one");
    }

    // ---- statements -------------------------------------------------------------------------------------------------

    void statements(const std::vector<CheckedStatement>& all)
    {
        for (const CheckedStatement& each : all)
            statement(each);
    }

    void statement(const CheckedStatement& s)
    {
        switch (s.kind) {
        case StatementKind::Assign: {
            Lanes made = value(s.args[0]);
            m_slots[static_cast<std::size_t>(s.slot)] = std::move(made);
            break;
        }
        case StatementKind::Store:
            store(s);
            break;
        case StatementKind::Assert:
            for (const std::int32_t each : value(s.args[0]).i)
                if (each == 0)
                    halt("assertion", s.place, "the assertion does not hold" + (s.text.empty() ? "" : ": " + s.text),
                         "take sizes for which it holds");
            break;
        case StatementKind::While:
            m_loops.push_back(s.place);
            while (value(s.args[0]).i[0] != 0)
                statements(s.body);
            m_loops.pop_back();
            break;
        case StatementKind::For: {
            const std::int64_t from = value(s.args[0]).i[0], to = value(s.args[1]).i[0], by = value(s.args[2]).i[0];
            if (by < 1)
                halt("endless-loop", s.place, "the loop's step is " + std::to_string(by), "take a step of 1 or more");
            m_loops.push_back(s.place);
            for (std::int64_t i = from; i < to; i += by) {
                m_slots[static_cast<std::size_t>(s.slot)] = ofInt(static_cast<std::int32_t>(i));
                step(1, s.place);
                statements(s.body);
                (void)whole(i + by, s.place); // what the compiled loop compares with its end
            }
            m_loops.pop_back();
            break;
        }
        }
    }

    const CheckedProgram& m;
    TileArguments& m_arguments;
    const InterpretOptions& m_options;
    const std::array<std::int64_t, 3> m_grid;
    std::vector<Lanes> m_slots;
    std::vector<Touched> m_touched; ///< by parameter
    std::vector<Place> m_loops;
    std::int64_t m_instance = 0;
    std::uint64_t m_steps = 0, m_sinceAsked = 0;
    TileCounts m_counts;
};

/// Fills in defaults and refuses what is missing.
Result<void> complete(const CheckedProgram& program, TileArguments& arguments)
{
    arguments.buffers.resize(program.syntax.parameters.size());
    for (std::size_t i = 0; i < program.syntax.parameters.size(); ++i) {
        const SyntaxParameter& each = program.syntax.parameters[i];
        const Error missing{"missing-argument", "nobody gave " + each.name + " a value",
                            placeText(program.syntax.file, each.place),
                            each.kind == ParameterKind::Float ? "give it a default: " + each.name + ": float = 1.0"
                                                              : "rename it to something that is given"};
        if (each.kind == ParameterKind::Int) {
            const auto found = arguments.ints.find(each.name);
            if (found == arguments.ints.end() || found->second != static_cast<std::int32_t>(found->second))
                return missing;
        }
        if (each.kind == ParameterKind::Float && !arguments.floats.contains(each.name)) {
            if (!each.hasDefault)
                return missing;
            arguments.floats[each.name] = static_cast<float>(each.defaultValue);
        }
        if (!each.isBuffer())
            continue;
        const auto length = lengthOf(program, static_cast<int>(i), arguments.ints);
        if (!length)
            return length.error();
        if (arguments.buffers[i].values.size() != static_cast<std::size_t>(*length))
            return Error{"missing-argument",
                         each.name + " has " + std::to_string(arguments.buffers[i].values.size()) + " elements, and " +
                             std::to_string(*length) + " by its declaration",
                         placeText(program.syntax.file, each.place), "fill it as it is declared"};
    }
    return {};
}

Sizes allSizes(const CheckedProgram& program, const Sizes& ints)
{
    Sizes sizes = ints;
    for (const auto& [name, value] : program.constants)
        sizes[name] = value;
    return sizes;
}

} // namespace

Result<std::array<std::int64_t, 3>> gridOf(const CheckedProgram& program, const Sizes& ints)
{
    std::array<std::int64_t, 3> grid{1, 1, 1};
    for (std::size_t i = 0; i < program.syntax.grid.size(); ++i) {
        const Syntax& axis = program.syntax.grid[i];
        const auto size = sizeOf(program.syntax, axis, allSizes(program, ints));
        if (!size)
            return size.error();
        grid[i] = *size;
        if (*size < 1 || (i > 0 && *size > 65535))
            return Error{
                "bad-size", "the grid has " + std::to_string(*size) + " instances along axis " + std::to_string(i),
                placeText(program.syntax.file, axis.place), "take 1 or more, and at most 65535 along the axes 1 and 2"};
    }
    if (grid[0] * grid[1] > std::int64_t{1} << 31 || grid[0] * grid[1] * grid[2] > std::int64_t{1} << 31)
        return Error{"bad-size", "the grid has more than 2^31 instances", program.syntax.file, "give each more to do"};
    return grid;
}

Result<std::int64_t> lengthOf(const CheckedProgram& program, int parameter, const Sizes& ints)
{
    return sizeOf(program.syntax, program.parameter(parameter).length.at(0), allSizes(program, ints));
}

Result<TileCounts> interpret(const CheckedProgram& program, TileArguments& arguments, const InterpretOptions& options)
{
    if (auto done = complete(program, arguments); !done)
        return done.error();
    const auto grid = gridOf(program, arguments.ints);
    if (!grid)
        return grid.error();
    const std::int64_t all = (*grid)[0] * (*grid)[1] * (*grid)[2];
    Run run(program, arguments, options, *grid);
    try {
        if (options.instances.empty())
            for (std::int64_t i = 0; i < all; ++i)
                run.instance(i);
        for (const std::int64_t each : options.instances)
            run.instance(each);
    } catch (const Halt& halt) {
        return halt.error;
    }
    return run.counts();
}

} // namespace ridge::tile
