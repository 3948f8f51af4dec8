// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lower/lower_module.h"
#include "gpu/simt/lower/call_graph.h"
#include "gpu/simt/lower/lower_body.h"
#include "gpu/simt/lower/lower_call.h"
#include "gpu/simt/ptx/token_stream.h"
#include "gpu/simt/run/thread_team.h"

#include <algorithm>
#include <atomic>
#include <set>

namespace ridge::gpu::simt {

namespace {

constexpr std::size_t kManyStatements = 1000; ///< that are worth the start of threads

struct LoweredKernel {
    KernelImage image;
    std::optional<Error> problem; ///< in the PTX, which ends all
    std::optional<Error> refused; ///< this kernel alone
};

void bindParameters(KernelBuilder& builder)
{
    KernelImage& image = builder.image();
    std::uint64_t offset = 0;
    for (const Variable& parameter : builder.kernel().parameters) {
        offset = alignUp(offset, parameter.align);
        if (offset + parameter.bytes > 32764 || parameter.bytes == 0)
            throw SyntaxError{badPtx(parameter.place, "the parameters of '" + image.name + "' exceed 32764 bytes")};
        Symbol symbol;
        symbol.kind = Symbol::Kind::EntryParam;
        symbol.space = Space::Param;
        symbol.address = offset;
        symbol.elementBytes = parameter.elementBytes;
        builder.inside().scopes->declare(parameter.name, symbol, parameter.place);
        image.params.push_back({std::string(parameter.name), static_cast<std::uint32_t>(offset),
                                static_cast<std::uint32_t>(parameter.bytes)});
        offset += parameter.bytes;
    }
    image.paramBytes = static_cast<std::uint32_t>(offset);
}

/// The kernel's body with everything it calls.
void lowerWhole(KernelBuilder& builder)
{
    const Module& module = builder.module();
    const Function& kernel = builder.kernel();
    KernelImage& image = builder.image();
    CalledFunctions& called = builder.called();
    Scopes scopes;
    scopes.open();
    builder.inside().scopes = &scopes;
    called.functions = functionsOutOfLine(module, kernel);
    const auto count = static_cast<std::uint32_t>(called.functions.size());
    if (movesStack(kernel) ||
        std::any_of(module.functions.begin(), module.functions.end(),
                    [](const Function& function) { return !function.isEntry && movesStack(function); })) {
        builder.makeStack();
        image.allocaBytes = kAllocaBytes;
    }
    Instruction start;
    start.opcode = "bra";
    start.place = kernel.place;
    const std::uint32_t body = builder.labels().make();
    if (count != 0) {
        // Functions come first: lanes in them have the lowest positions and go first, so that those that did not call
        // wait for them.
        PendingOp& jump = builder.emitEnd(start, EndKind::Branch);
        jump.label = body;
        jump.counted = false;
    }
    for (std::uint32_t at = 0; at < count; ++at)
        called.entries.push_back(builder.labels().make());
    image.functions.resize(count);
    for (std::uint32_t at = 0; at < count; ++at)
        lowerCalled(builder, at);
    bindParameters(builder);
    if (count != 0)
        builder.placeLabel(body);
    if (builder.stackPlane() != kNone)
        moveStack(builder, start, builder.stackPlane(), builder.constant(0, 8)); // registers: of the block before
    lowerBody(builder, kernel);
    Instruction end; // running past the last instruction ends the thread
    end.opcode = "exit";
    end.place = kernel.place;
    builder.emitEnd(end, EndKind::Exit).counted = false;
    // Nothing stands behind the last array: an access past it is seen.
    const bool alone = count == 0 && image.allocaBytes == 0;
    const auto frame = static_cast<std::uint32_t>(alignUp(builder.layout().frameBytes(), alone ? 4 : 16));
    image.localBytes = frame + (count == 0 ? 0 : kCallStackBytes) + image.allocaBytes;
    for (const auto& [at, function] : called.frameUsers)
        builder.pending()[at].op.imm += function == kNone ? frame : image.functions[function].frameBytes;
    builder.inside().scopes = nullptr;
}

LoweredKernel lowerKernel(const Module& module, const VariableAddresses& addresses, const Function& function,
                          int computeCapability)
{
    LoweredKernel made;
    try {
        KernelBuilder builder(module, addresses, function, computeCapability);
        lowerWhole(builder);
        if (builder.refusals().empty())
            made.image = builder.finish();
        else
            made.refused = refusalError(std::string(function.name), std::move(builder.refusals()));
    } catch (const SyntaxError& problem) {
        made.problem = problem.error;
    }
    return made;
}

} // namespace

Result<LoweredModule> lowerModule(const Module& module, const VariableAddresses& addresses, int computeCapability)
{
    std::vector<const Function*> kernels;
    std::set<std::string_view> names;
    std::size_t statements = 0;
    for (const Function& function : module.functions) {
        statements += function.body.size();
        if (!function.isEntry || !function.hasBody)
            continue;
        if (!names.insert(function.name).second)
            return badPtx(function.place, "the kernel '" + std::string(function.name) + "' is defined twice");
        kernels.push_back(&function);
    }
    // A kernel knows nothing of the others.
    std::vector<LoweredKernel> made(kernels.size());
    ThreadTeam team(statements < kManyStatements ? 1 : simulationThreads(0, static_cast<unsigned>(kernels.size())));
    std::atomic<std::size_t> next{0};
    team.run([&](unsigned) {
        for (std::size_t at = next++; at < kernels.size(); at = next++)
            made[at] = lowerKernel(module, addresses, *kernels[at], computeCapability);
    });
    LoweredModule lowered;
    for (std::size_t at = 0; at < kernels.size(); ++at) {
        if (made[at].problem)
            return *std::move(made[at].problem);
        if (made[at].refused)
            lowered.refused.emplace(kernels[at]->name, *std::move(made[at].refused));
        else
            lowered.kernels.push_back(std::move(made[at].image));
    }
    return lowered;
}

} // namespace ridge::gpu::simt
