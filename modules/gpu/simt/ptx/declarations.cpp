// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/ptx/declarations.h"

#include "gpu/simt/ptx/names.h"
#include "gpu/simt/ptx/token_stream.h"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <utility>

namespace ridge::gpu::simt {

namespace {

constexpr std::uint32_t kMostExpanded = 1u << 16; ///< of a range beside a register of its name

[[noreturn]] void bad(Place place, std::string message)
{
    throw SyntaxError{badPtx(place, std::move(message))};
}

/// The place of a component among the elements of a vector: x y z w, or r g b a.
std::optional<unsigned> axisOf(std::string_view component)
{
    constexpr std::string_view first = "xyzw", second = "rgba";
    if (component.size() != 1)
        return std::nullopt;
    for (const std::string_view names : {first, second})
        if (const auto at = names.find(component[0]); at != names.npos)
            return static_cast<unsigned>(at);
    return std::nullopt;
}

bool isElement(std::string_view name)
{
    return name.find('.') != std::string_view::npos;
}

/// What a body has of all this, so that most bodies are left alone.
bool needsSettling(const Operand& operand)
{
    return (operand.kind == Operand::Kind::Name && (operand.offset != 0 || !operand.parts.empty())) ||
           std::any_of(operand.parts.begin(), operand.parts.end(), needsSettling);
}

bool needsSettling(const Function& function)
{
    NameSet singles, ranges;
    for (const Statement& statement : function.body) {
        if (const auto* instruction = std::get_if<Instruction>(&statement)) {
            if (std::any_of(instruction->operands.begin(), instruction->operands.end(),
                            [](const Operand& operand) { return needsSettling(operand); }))
                return true;
        } else if (const auto* declared = std::get_if<RegisterDeclaration>(&statement)) {
            (declared->count == 0 ? singles : ranges).insert(declared->name);
            if (isElement(declared->name) || (declared->count == 0 ? ranges : singles).count(declared->name) != 0)
                return true;
        } else if (const auto* variable = std::get_if<Variable>(&statement)) {
            if (variable->space == Space::Global || variable->space == Space::Const)
                return true;
        }
    }
    return false;
}

class Settler {
public:
    Settler(Module& module, Function& function)
        : m_module(module), m_function(function), m_names(*module.madeNames), m_scopes(1)
    {
    }

    void run()
    {
        for (const Statement& statement : m_function.body)
            if (const auto* declared = std::get_if<RegisterDeclaration>(&statement); declared && declared->count == 0)
                m_singles.insert(declared->name);
        std::vector<Statement> body = std::move(m_function.body);
        m_function.body.clear();
        m_function.body.reserve(body.size());
        for (Statement& statement : body) {
            if (std::holds_alternative<ScopeOpen>(statement))
                m_scopes.emplace_back();
            else if (std::holds_alternative<ScopeClose>(statement) && m_scopes.size() > 1)
                m_scopes.pop_back();
            if (const auto* array = std::get_if<Variable>(&statement); array != nullptr && array->isArray)
                m_scopes.back().elementBytes[array->name] = elementBytes(*array);
            if (const auto* declared = std::get_if<RegisterDeclaration>(&statement)) {
                declare(*declared);
            } else if (auto* variable = std::get_if<Variable>(&statement);
                       variable != nullptr && (variable->space == Space::Global || variable->space == Space::Const)) {
                hoist(std::move(*variable));
            } else {
                if (auto* instruction = std::get_if<Instruction>(&statement))
                    settle(*instruction);
                m_function.body.push_back(std::move(statement));
            }
        }
    }

private:
    struct Scope {
        NameMap<ScalarType> registers;       ///< one by one
        NameMap<RegisterDeclaration> ranges; ///< by the name before the number
        NameMap<unsigned> vectors;           ///< elements
        NameMap<std::string_view> variables; ///< of this function: its name in the module
        NameMap<std::uint64_t> elementBytes; ///< of its arrays
    };

    std::string_view made(std::string name) { return m_names.emplace_back(std::move(name)); }

    void declare(const RegisterDeclaration& declared)
    {
        Scope& scope = m_scopes.back();
        if (declared.count == 0) {
            if (!scope.registers.emplace(declared.name, declared.type).second)
                bad(declared.place, "the name '" + std::string(declared.name) + "' is declared twice");
            if (const auto dot = declared.name.find('.'); dot != std::string_view::npos)
                ++scope.vectors[declared.name.substr(0, dot)];
            m_function.body.emplace_back(declared);
            return;
        }
        if (!scope.ranges.emplace(declared.name, declared).second)
            bad(declared.place, "the name '" + std::string(declared.name) + "' is declared twice");
        // The two live side by side under one name; written out, each register has a name of its own.
        for (std::uint32_t at = 0; at < std::min(declared.count, kMostExpanded) && isSingleToo(declared); ++at) {
            RegisterDeclaration one = declared;
            one.name = made(std::string(declared.name) + std::to_string(at));
            one.count = 0;
            m_function.body.emplace_back(one);
        }
        if (!isSingleToo(declared) || declared.count > kMostExpanded)
            m_function.body.emplace_back(declared);
    }

    /// Whether there is also a register called as the range is; it may stand behind it.
    bool isSingleToo(const RegisterDeclaration& range) const { return m_singles.count(range.name) != 0; }

    void hoist(Variable variable)
    {
        const bool isTaken = std::any_of(m_module.variables.begin(), m_module.variables.end(),
                                         [&](const Variable& other) { return other.name == variable.name; });
        const std::string_view plain = variable.name;
        if (isTaken) {
            std::string name = std::string(m_function.name) + "::" + std::string(plain);
            while (std::any_of(m_module.variables.begin(), m_module.variables.end(),
                               [&](const Variable& other) { return other.name == name; }))
                name += '\'';
            variable.name = made(std::move(name));
        }
        for (Initializer& value : variable.initializers)
            if (const std::string_view* known = variableNamed(value.symbol))
                value.symbol = *known;
        if (!m_scopes.back().variables.emplace(plain, variable.name).second)
            bad(variable.place, "the name '" + std::string(plain) + "' is declared twice");
        m_module.variables.push_back(std::move(variable));
    }

    const std::string_view* variableNamed(std::string_view name) const
    {
        for (auto scope = m_scopes.rbegin(); scope != m_scopes.rend(); ++scope)
            if (const auto found = scope->variables.find(name); found != scope->variables.end())
                return &found->second;
        return nullptr;
    }

    unsigned elementsOf(std::string_view name) const
    {
        for (auto scope = m_scopes.rbegin(); scope != m_scopes.rend(); ++scope)
            if (const auto found = scope->vectors.find(name); found != scope->vectors.end())
                return found->second;
        return 0;
    }

    std::optional<ScalarType> typeOf(std::string_view name) const
    {
        for (auto scope = m_scopes.rbegin(); scope != m_scopes.rend(); ++scope) {
            if (const auto found = scope->registers.find(name); found != scope->registers.end())
                return found->second;
            if (scope->variables.count(name) != 0)
                return std::nullopt;
            for (std::size_t end = name.size(); end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9'; --end)
                if (const auto range = scope->ranges.find(name.substr(0, end - 1)); range != scope->ranges.end())
                    return range->second.type;
        }
        return std::nullopt;
    }

    /// "mov.v4.u32 q, %ntid": the elements of a special register are written out; the fourth is 0.
    static void spread(Instruction& instruction)
    {
        const unsigned lanes = instruction.has("v4") ? 4 : instruction.has("v2") ? 2 : 1;
        if (lanes == 1 || instruction.opcode != "mov" || instruction.operands.size() != 2)
            return;
        Operand& from = instruction.operands[1];
        if (from.kind != Operand::Kind::Name || !from.text.starts_with('%') || !from.component.empty())
            return;
        constexpr std::array<std::string_view, 3> axes{"x", "y", "z"};
        Operand vector;
        vector.kind = Operand::Kind::Vector;
        vector.place = from.place;
        for (unsigned axis = 0; axis < lanes; ++axis) {
            Operand part = from;
            if (axis < axes.size())
                part.component = axes[axis];
            else
                part.kind = Operand::Kind::Integer;
            vector.parts.push_back(std::move(part));
        }
        from = std::move(vector);
    }

    void settle(Instruction& instruction)
    {
        if (instruction.operands.size() == 2 && elementsOf(instruction.operands[1].text) == 0)
            spread(instruction);
        for (std::size_t at = 0; at < instruction.operands.size(); ++at)
            settle(instruction, instruction.operands[at], at == 0, false);
    }

    void settle(Instruction& instruction, Operand& operand, bool isFirst, bool inAddress)
    {
        for (Operand& part : operand.parts)
            settle(instruction, part, isFirst, inAddress || operand.kind == Operand::Kind::Memory);
        if (operand.kind != Operand::Kind::Name)
            return;
        if (!operand.parts.empty())
            index(instruction, operand, inAddress);
        if (operand.kind != Operand::Kind::Name)
            return settle(instruction, operand.parts.front(), isFirst, true);
        if (const std::string_view* known = variableNamed(operand.text); known != nullptr && !typeOf(operand.text))
            operand.text = *known;
        if (const unsigned elements = elementsOf(operand.text))
            element(operand, elements);
        if (operand.kind == Operand::Kind::Name && operand.offset != 0 && !inAddress)
            addConstant(instruction, operand, isFirst);
    }

    /// "v[2]" is the address of an element: in a load or store as "[v+8]", in mov and cvta as "v+8".
    void index(const Instruction& instruction, Operand& operand, bool inAddress)
    {
        const std::uint64_t bytes = typeOf(operand.text) ? 0 : elementBytesOf(operand.text);
        if (bytes == 0 || operand.parts.size() != 1 || inAddress)
            bad(operand.place, "an index stands behind the name of an array, once, and outside [ ]");
        operand.offset += static_cast<std::int64_t>(operand.parts.front().bits * bytes);
        operand.parts.clear();
        constexpr std::array<std::string_view, 3> access{"ld", "ldu", "st"};
        if (instruction.opcode == "mov" || instruction.opcode == "cvta")
            return;
        if (std::find(access.begin(), access.end(), instruction.opcode) == access.end())
            bad(operand.place, "an element of an array is an operand of mov, cvta, ld, ldu and st alone");
        Operand memory;
        memory.kind = Operand::Kind::Memory;
        memory.place = operand.place;
        memory.offset = std::exchange(operand.offset, 0);
        memory.parts.push_back(std::move(operand));
        operand = std::move(memory);
    }

    /// Of the array in this function or the module that has the name; 0: there is none.
    std::uint64_t elementBytesOf(std::string_view name) const
    {
        for (auto scope = m_scopes.rbegin(); scope != m_scopes.rend(); ++scope)
            if (const auto found = scope->elementBytes.find(name); found != scope->elementBytes.end())
                return found->second;
        for (const Variable& variable : m_module.variables)
            if (variable.name == name)
                return variable.isArray ? elementBytes(variable) : 0;
        return 0;
    }

    static std::uint64_t elementBytes(const Variable& variable)
    {
        return std::uint64_t{sizeOf(variable.type)} * variable.lanes;
    }

    void element(Operand& operand, unsigned elements)
    {
        if (operand.component.empty()) {
            const std::string_view vector = operand.text;
            operand.kind = Operand::Kind::Vector;
            for (unsigned axis = 0; axis < elements; ++axis) {
                Operand part;
                part.place = operand.place;
                part.text = made(elementName(vector, axis));
                operand.parts.push_back(std::move(part));
            }
            return;
        }
        const auto axis = axisOf(operand.component);
        if (!axis || *axis >= elements)
            bad(operand.place, "'" + std::string(operand.text) + "' has " + std::to_string(elements) +
                                   " elements and no ." + std::string(operand.component));
        operand.text = made(elementName(operand.text, *axis));
        operand.component = {};
    }

    /// As ptxas does: an add of its own before the instruction.
    void addConstant(const Instruction& instruction, Operand& operand, bool isFirst)
    {
        const auto type = typeOf(operand.text);
        if (!type)
            return; // an address
        // A first operand is written, but for those of stores and of what has no result.
        constexpr std::array<std::string_view, 6> noResult{"st", "red", "bar", "barrier", "brx", "nanosleep"};
        if (isFirst && std::find(noResult.begin(), noResult.end(), instruction.opcode) == noResult.end())
            bad(operand.place, "a result is a register alone, not '" + std::string(operand.text) + "' plus a constant");
        const unsigned bytes = sizeOf(*type);
        if (isFloat(*type) || bytes < 2 || bytes > 8)
            bad(operand.place, "a constant can be added to an integer register, and '" + std::string(operand.text) +
                                   "' is of type ." + std::string(toText(*type)));
        RegisterDeclaration sum;
        sum.type = bytes == 2 ? ScalarType::B16 : bytes == 4 ? ScalarType::B32 : ScalarType::B64;
        sum.name = made(std::string(operand.text) + "+" + std::to_string(operand.offset) + "@" +
                        std::to_string(m_names.size()));
        sum.place = operand.place;
        Instruction add;
        add.guard = instruction.guard;
        add.opcode = "add";
        add.modifiers = {bytes == 2 ? "s16" : bytes == 4 ? "s32" : "s64"};
        add.place = instruction.place;
        add.sourceLine = instruction.sourceLine;
        Operand result, value, constant;
        result.text = sum.name;
        value.text = operand.text;
        result.place = value.place = constant.place = operand.place;
        constant.kind = Operand::Kind::Integer;
        constant.bits = static_cast<std::uint64_t>(operand.offset);
        add.operands = {std::move(result), std::move(value), std::move(constant)};
        m_function.body.emplace_back(sum);
        m_function.body.emplace_back(std::move(add));
        operand.text = sum.name;
        operand.offset = 0;
    }

    Module& m_module;
    Function& m_function;
    std::deque<std::string>& m_names;
    std::vector<Scope> m_scopes;
    NameSet m_singles; ///< registers of the function that are declared one by one
};

} // namespace

std::string elementName(std::string_view vector, unsigned axis)
{
    return std::string(vector) + '.' + "xyzw"[axis];
}

void settleDeclarations(Module& module)
{
    for (Function& function : module.functions)
        if (needsSettling(function))
            Settler(module, function).run();
}

} // namespace ridge::gpu::simt
