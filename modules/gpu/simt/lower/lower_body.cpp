// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lower/lower_body.h"
#include "gpu/simt/lower/instruction_record.h"
#include "gpu/simt/lower/needs.h"
#include "gpu/simt/ptx/token_stream.h"

namespace ridge::gpu::simt {

namespace {

[[noreturn]] void bad(Place place, std::string message)
{
    throw SyntaxError{badPtx(place, std::move(message))};
}

void declareRegisters(KernelBuilder& builder, const RegisterDeclaration& declaration)
{
    const unsigned bytes = sizeOf(declaration.type);
    if (declaration.type != ScalarType::Pred && bytes < 2)
        bad(declaration.place, "a register has at least 16 bits");
    Symbol symbol;
    symbol.type = declaration.type;
    if (declaration.count > 0) {
        symbol.kind = Symbol::Kind::Range;
        symbol.count = declaration.count;
    }
    builder.inside().scopes->declare(declaration.name, symbol, declaration.place);
}

void declareVariable(KernelBuilder& builder, const Variable& variable)
{
    if (variable.space == Space::Global || variable.space == Space::Const)
        bad(variable.place, "a ." + std::string(toText(variable.space)) + " variable inside a function");
    builder.inside().scopes->declare(variable.name, builder.layout().add(variable), variable.place);
}

void declareTargets(KernelBuilder& builder, const BranchTargets& targets)
{
    Symbol symbol;
    symbol.kind = Symbol::Kind::Targets;
    std::vector<std::uint32_t> labels;
    for (const std::string_view name : targets.labels) {
        Operand operand;
        operand.text = name;
        operand.place = targets.place;
        labels.push_back(builder.label(operand));
    }
    symbol.label = builder.labels().makeTable(std::move(labels));
    builder.inside().scopes->declare(targets.name, symbol, targets.place);
}

/// Labels may be used before they stand; those of the scope that opens at statement `open` are declared on entry.
void declareLabels(KernelBuilder& builder, const Function& function, std::size_t open)
{
    int depth = 0;
    for (std::size_t at = open; at < function.body.size() && depth >= 0; ++at) {
        const Statement& statement = function.body[at];
        if (std::holds_alternative<ScopeOpen>(statement)) {
            ++depth;
        } else if (std::holds_alternative<ScopeClose>(statement)) {
            --depth;
        } else if (const auto* declared = std::get_if<Label>(&statement); declared != nullptr && depth == 0) {
            Symbol symbol;
            symbol.kind = Symbol::Kind::Label;
            symbol.label = builder.labels().make();
            builder.inside().scopes->declare(declared->name, symbol, declared->place);
        }
    }
}

void lowerStatement(KernelBuilder& builder, const Instruction& instruction)
{
    OpenStatement outer = builder.begin(instruction);
    const std::size_t firstPending = builder.pending().size();
    try {
        lowerInstruction(builder, instruction);
        recordInstruction(builder, instruction, firstPending);
        const int computeCapability = builder.computeCapability();
        const auto need = computeCapability == 0 ? std::nullopt : unmetNeed(instruction, computeCapability);
        if (need)
            builder.refuse(instruction, need->text(computeCapability), true);
    } catch (const Unsupported& refused) {
        builder.refuse(instruction, refused.reason);
    }
    builder.end(std::move(outer));
}

} // namespace

void lowerBody(KernelBuilder& builder, const Function& function)
{
    Scopes& scopes = *builder.inside().scopes;
    scopes.open();
    declareLabels(builder, function, 0);
    for (std::size_t at = 0; at < function.body.size(); ++at) {
        const Statement& statement = function.body[at];
        if (const auto* instruction = std::get_if<Instruction>(&statement)) {
            lowerStatement(builder, *instruction);
        } else if (const auto* declared = std::get_if<Label>(&statement)) {
            builder.placeLabel(scopes.find(declared->name)->label);
        } else if (const auto* registers = std::get_if<RegisterDeclaration>(&statement)) {
            declareRegisters(builder, *registers);
        } else if (const auto* variable = std::get_if<Variable>(&statement)) {
            declareVariable(builder, *variable);
        } else if (const auto* targets = std::get_if<BranchTargets>(&statement)) {
            declareTargets(builder, *targets);
        } else if (const auto* prototype = std::get_if<CallPrototype>(&statement)) {
            Symbol symbol;
            symbol.kind = Symbol::Kind::Prototype;
            symbol.prototype = prototype;
            scopes.declare(prototype->name, symbol, prototype->place);
        } else if (std::holds_alternative<ScopeOpen>(statement)) {
            if (scopes.depth() > 64)
                bad(function.place, "scopes are nested more than 64 deep in '" + std::string(function.name) + "'");
            scopes.open();
            declareLabels(builder, function, at + 1);
        } else {
            scopes.close();
        }
    }
    scopes.close();
}

} // namespace ridge::gpu::simt
