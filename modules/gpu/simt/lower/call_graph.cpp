// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lower/call_graph.h"

#include <algorithm>
#include <map>
#include <set>

namespace ridge::gpu::simt {

namespace {

/// What one function calls.
struct Calls {
    std::set<const Function*> direct;
    bool indirect = false;
};

class CallGraph {
public:
    explicit CallGraph(const Module& module) : m_module(module)
    {
        for (const Variable& variable : module.variables) {
            for (const Initializer& value : variable.initializers)
                takeAddress(value.symbol);
        }
        for (const Function& function : module.functions)
            read(function);
    }

    std::vector<const Function*> outOfLine(const Function& kernel)
    {
        std::set<const Function*> reached;
        std::vector<const Function*> open{&kernel};
        bool indirect = false;
        while (!open.empty()) {
            const Function* at = open.back();
            open.pop_back();
            const Calls& calls = m_calls[at];
            std::set<const Function*> next = calls.direct;
            if (calls.indirect && !indirect) {
                indirect = true;
                next.insert(m_taken.begin(), m_taken.end());
            }
            for (const Function* callee : next) {
                if (reached.insert(callee).second)
                    open.push_back(callee);
            }
        }
        std::vector<const Function*> found;
        for (const Function& function : m_module.functions) {
            if (!function.hasBody || function.isEntry || reached.count(&function) == 0)
                continue;
            if ((indirect && m_taken.count(&function) != 0) || reachesItself(function))
                found.push_back(&function);
        }
        return found;
    }

private:
    void takeAddress(std::string_view name)
    {
        const Function* function = name.empty() ? nullptr : m_module.function(name);
        if (function != nullptr && function->hasBody && !function->isEntry)
            m_taken.insert(function);
    }

    void takeAddresses(const Operand& operand)
    {
        if (operand.kind == Operand::Kind::Name)
            takeAddress(operand.text);
        for (const Operand& part : operand.parts)
            takeAddresses(part);
    }

    void read(const Function& function)
    {
        Calls& calls = m_calls[&function];
        for (const Statement& statement : function.body) {
            const auto* instruction = std::get_if<Instruction>(&statement);
            if (instruction == nullptr)
                continue;
            const Operand* callee = nullptr;
            if (instruction->opcode == "call") {
                for (const Operand& operand : instruction->operands) {
                    if (operand.kind == Operand::Kind::Name && callee == nullptr)
                        callee = &operand;
                }
            }
            for (const Operand& operand : instruction->operands) {
                if (&operand != callee)
                    takeAddresses(operand);
            }
            if (callee == nullptr)
                continue;
            const Function* target = m_module.function(callee->text);
            if (target != nullptr && target->hasBody)
                calls.direct.insert(target);
            else if (target == nullptr)
                calls.indirect = true;
        }
    }

    /// A call through a pointer may reach whatever has its address taken.
    bool reachesItself(const Function& start)
    {
        std::set<const Function*> seen;
        std::vector<const Function*> open{&start};
        while (!open.empty()) {
            const Calls& calls = m_calls[open.back()];
            open.pop_back();
            std::set<const Function*> next = calls.direct;
            if (calls.indirect)
                next.insert(m_taken.begin(), m_taken.end());
            if (next.count(&start) != 0)
                return true;
            for (const Function* callee : next) {
                if (seen.insert(callee).second)
                    open.push_back(callee);
            }
        }
        return false;
    }

    const Module& m_module;
    std::set<const Function*> m_taken; ///< functions whose address is taken
    std::map<const Function*, Calls> m_calls;
};

} // namespace

bool movesStack(const Function& function)
{
    return std::any_of(function.body.begin(), function.body.end(), [](const Statement& statement) {
        const auto* instruction = std::get_if<Instruction>(&statement);
        return instruction != nullptr && (instruction->opcode == "alloca" || instruction->opcode == "stacksave" ||
                                          instruction->opcode == "stackrestore");
    });
}

std::vector<const Function*> functionsOutOfLine(const Module& module, const Function& kernel)
{
    const bool calls = std::any_of(kernel.body.begin(), kernel.body.end(), [](const Statement& statement) {
        const auto* instruction = std::get_if<Instruction>(&statement);
        return instruction != nullptr && instruction->opcode == "call";
    });
    return calls ? CallGraph(module).outOfLine(kernel) : std::vector<const Function*>{};
}

} // namespace ridge::gpu::simt
