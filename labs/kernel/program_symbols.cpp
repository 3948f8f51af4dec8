// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/kernel/program_symbols.h"

#include "base/paths.h"
#include "base/struct_argument.h"
#include "gpu/program_variables.h"
#include "gpu/simt/ptx/module.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <set>

namespace ridge::labs {
namespace {

using gpu::simt::Function;
using gpu::simt::Instruction;
using gpu::simt::Module;
using gpu::simt::Operand;
using gpu::simt::Space;
using gpu::simt::Variable;

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 32;

/// Where the name of NAME=SPEC ends; npos: it is an argument. Colons of a name come in twos.
std::size_t symbolNameEnd(const std::string& text)
{
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '=')
            return at;
        if (text[at] == '{' || (text[at] == ':' && text.substr(at, 2) != "::"))
            break;
        at += text[at] == ':' ? 1 : 0;
    }
    return std::string::npos;
}

bool isFilledByHost(const Variable& variable)
{
    return (variable.space == Space::Global || variable.space == Space::Const) && !variable.isExternal;
}

/// "taps" of "ns::taps", and of what compilers put around the name of a static variable.
std::string lastName(const std::string& plain)
{
    const auto at = plain.rfind("::");
    return at == std::string::npos ? plain : plain.substr(at + 2);
}

std::string listed(const Module& module)
{
    std::string text;
    for (const Variable& variable : module.variables)
        if (isFilledByHost(variable))
            text += (text.empty() ? "" : ", ") + demangled(std::string(variable.name)) + " (" +
                    std::to_string(variable.bytes) + " bytes)";
    return text;
}

Result<const Variable*> find(const Module& module, const std::string& name, const std::string& spec)
{
    std::vector<const Variable*> fitting;
    for (const Variable& variable : module.variables) {
        if (!isFilledByHost(variable))
            continue;
        const std::string plain = demangled(std::string(variable.name));
        if (variable.name == name)
            return &variable;
        if (plain == name || lastName(plain) == name)
            fitting.push_back(&variable);
    }
    if (fitting.size() == 1)
        return fitting.front();
    const std::string all = listed(module);
    if (fitting.empty())
        return Error{"bad-argument", "the program has no variable '" + name + "' that could be filled",
                     "'" + name + "=" + spec + "'",
                     all.empty() ? "it has none; a variable that no kernel uses is left out by compilers"
                                 : "it has " + all};
    return Error{"bad-argument", "'" + name + "' fits " + std::to_string(fitting.size()) + " variables",
                 "'" + name + "=" + spec + "'", "name one of them whole: " + all};
}

Error noValue(const std::string& text, const std::string& name)
{
    return {"bad-argument", "'" + text + "' is a buffer, and the variable '" + name + "' takes values",
            "'" + name + "=" + text + "'",
            "give TYPE:VALUE, in:TYPE:COUNT:FILL for an array, or struct:{SPEC,…} of values"};
}

Result<std::vector<std::byte>> bytesOf(const KernelArgument& argument, const std::string& name)
{
    std::vector<std::byte> bytes;
    if (argument.role == KernelArgument::Role::Scalar) {
        bytes.resize(sizeOf(argument.type));
        std::memcpy(bytes.data(), &argument.bits, bytes.size());
        return bytes;
    }
    if (argument.role != KernelArgument::Role::In || !argument.outFile.empty() || argument.bytes() > kMostBytes)
        return noValue(argument.text, name);
    if (argument.fill != KernelArgument::Fill::File)
        return fillElements(argument, 0, static_cast<std::size_t>(argument.count));
    const auto text = readFile(argument.inFile);
    if (!text)
        return text.error();
    if (text->size() != argument.bytes())
        return Error{"bad-argument",
                     "'" + argument.inFile + "' has " + std::to_string(text->size()) + " bytes, '" + argument.text +
                         "' asks for " + std::to_string(argument.bytes()),
                     "'" + name + "=" + argument.text + "'",
                     "let COUNT x the size of " + std::string(toText(argument.type)) + " be the size of the file"};
    bytes.resize(text->size());
    std::memcpy(bytes.data(), text->data(), bytes.size());
    return bytes;
}

Result<std::vector<std::byte>> valueOf(const std::string& spec, const std::string& name)
{
    if (!isStructArgument(spec)) {
        const auto argument = parseKernelArgument(spec, 1);
        if (argument)
            return bytesOf(*argument, name);
        Error error = argument.error();
        error.place = "'" + name + "=" + spec + "'";
        return error;
    }
    const auto argument = parseStructArgument(spec, 1);
    if (!argument) {
        Error error = argument.error();
        error.place = "'" + name + "=" + spec + "'";
        return error;
    }
    std::vector<std::byte> bytes(argument->bytes);
    for (const StructArgument::Field& field : argument->fields) {
        if (field.value.isBuffer())
            return noValue(field.value.text, name);
        std::memcpy(bytes.data() + field.offset, &field.value.bits, sizeOf(field.value.type));
    }
    return bytes;
}

/// What a function does with the address of a variable.
struct Use {
    const Instruction* read = nullptr; ///< the first load
    bool escapes = false;              ///< it may be written through, or handed to somebody
};

void eachName(const Operand& operand, const std::function<void(std::string_view)>& see)
{
    if (operand.kind == Operand::Kind::Name || operand.kind == Operand::Kind::Memory)
        if (!operand.text.empty())
            see(operand.text);
    for (const Operand& part : operand.parts)
        eachName(part, see);
}

/// Follows the address through registers until nothing new holds it.
Use useOf(const Function& function, std::string_view variable)
{
    static const std::set<std::string_view> kPass{"mov", "add", "sub", "mad",  "cvta",
                                                  "cvt", "or",  "and", "selp", "shl"};
    Use use;
    std::set<std::string_view> holders{variable};
    for (std::size_t before = 0; before != holders.size();) {
        before = holders.size();
        for (const auto& statement : function.body) {
            const auto* instruction = std::get_if<Instruction>(&statement);
            if (instruction == nullptr || instruction->operands.empty())
                continue;
            bool isNamed = false;
            for (std::size_t at = 1; at < instruction->operands.size(); ++at)
                eachName(instruction->operands[at], [&](std::string_view name) { isNamed |= holders.contains(name); });
            bool isFirst = false;
            if (instruction->operands.front().kind != Operand::Kind::Name)
                eachName(instruction->operands.front(),
                         [&](std::string_view name) { isFirst |= holders.contains(name); });
            if (!isNamed && !isFirst)
                continue;
            if ((instruction->opcode == "ld" || instruction->opcode == "ldu") && isNamed) {
                if (use.read == nullptr || instruction->place.line < use.read->place.line)
                    use.read = instruction;
            } else if (kPass.contains(instruction->opcode) && isNamed) {
                eachName(instruction->operands.front(), [&](std::string_view name) { holders.insert(name); });
            } else if (instruction->opcode != "setp" && instruction->opcode != "prefetch") {
                use.escapes = true;
            }
        }
    }
    return use;
}

} // namespace

Result<std::vector<ProgramSymbol>> takeSymbols(std::vector<std::string>& specs, const gpu::Program& program)
{
    std::vector<ProgramSymbol> symbols;
    std::vector<std::string> arguments;
    std::vector<std::pair<std::string, std::string>> given;
    for (std::string& spec : specs) {
        const auto equals = symbolNameEnd(spec);
        if (equals == std::string::npos) {
            arguments.push_back(std::move(spec));
            continue;
        }
        given.emplace_back(spec.substr(0, equals), spec.substr(equals + 1));
    }
    specs = std::move(arguments);
    if (given.empty())
        return symbols;
    const auto module = gpu::simt::parsePtx(program.ptx);
    if (!module)
        return module.error();
    for (const auto& [name, spec] : given) {
        const auto variable = find(*module, name, spec);
        if (!variable)
            return variable.error();
        auto bytes = valueOf(spec, name);
        if (!bytes)
            return bytes.error();
        if (bytes->size() != (*variable)->bytes)
            return Error{"bad-argument",
                         "'" + spec + "' has " + std::to_string(bytes->size()) + " bytes, the variable '" + name +
                             "' has " + std::to_string((*variable)->bytes),
                         "'" + name + "=" + spec + "'", "give all of it: in:TYPE:COUNT:FILL or struct:{SPEC,…}"};
        if (std::ranges::any_of(
                symbols, [&, found = *variable](const ProgramSymbol& other) { return other.variable == found->name; }))
            return Error{"bad-argument", "the variable '" + name + "' is filled twice", "'" + name + "=" + spec + "'",
                         "leave one of them out"};
        symbols.push_back({name, std::string((*variable)->name), std::move(*bytes)});
    }
    return symbols;
}

Result<void> fillSymbols(gpu::Device& device, const gpu::LoadedProgram& program,
                         const std::vector<ProgramSymbol>& symbols)
{
    if (symbols.empty())
        return {};
    const auto* variables = dynamic_cast<const gpu::ProgramVariables*>(&program);
    if (variables == nullptr)
        return Error{"unsupported-target", "a program's variables cannot be filled there",
                     "target " + device.info().target, "take another target, or pass the values as arguments"};
    for (const ProgramSymbol& symbol : symbols) {
        const auto address = variables->variableAddress(symbol.variable);
        if (!address)
            return address.error();
        if (auto copied = device.copyToDevice(*address, symbol.bytes); !copied)
            return copied;
    }
    return {};
}

std::vector<gpu::Report> unfilledVariables(const gpu::Program& program, const KernelSignature& kernel,
                                           const std::vector<ProgramSymbol>& symbols)
{
    std::vector<gpu::Report> reports;
    const auto module = gpu::simt::parsePtx(program.ptx);
    if (!module)
        return reports;
    for (const Variable& variable : module->variables) {
        const bool isSet =
            std::ranges::any_of(symbols, [&](const ProgramSymbol& symbol) { return symbol.variable == variable.name; });
        if (!isFilledByHost(variable) || isSet || !variable.initializers.empty() || variable.bytes == 0)
            continue;
        Use use;
        bool isWritten = false;
        for (const Function& function : module->functions) {
            const Use own = useOf(function, variable.name);
            // Another kernel of the file may be the one that fills it.
            isWritten = isWritten || own.escapes;
            if (own.read != nullptr && use.read == nullptr && (function.name == kernel.name || !function.isEntry))
                use.read = own.read;
        }
        // Nothing but the host may write constant memory, wherever its address goes.
        if (use.read == nullptr || (variable.space != Space::Const && isWritten))
            continue;
        // An initial value elsewhere may name it: who follows pointers through memory is not looked for.
        const std::string plain = demangled(std::string(variable.name));
        gpu::Report report;
        report.code = "unfilled-variable";
        report.kernel = kernel.plain;
        report.place.sourceLine = use.read->sourceLine;
        report.place.ptxLine = use.read->place.line;
        report.place.instruction = use.read->text();
        report.message = std::string(variable.space == Space::Const ? "the constant" : "the device") + " variable '" +
                         plain + "' (" + std::to_string(variable.bytes) +
                         " bytes) is read, but it has no first value and nobody filled it: it is zero";
        report.lookFor = "The host fills it with cudaMemcpyToSymbol(), and a kernel that runs alone has no host: give "
                         "--set-symbol '" +
                         lastName(plain) + "=in:f32:" + std::to_string(std::max<std::uint64_t>(variable.bytes / 4, 1)) +
                         ":ones' or what it is to hold; zeros, where they are meant.";
        reports.push_back(std::move(report));
    }
    return reports;
}

} // namespace ridge::labs
