// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/compile/child_source.h"

#include "base/json.h"
#include "gpu/compile/child_process.h"
#include "gpu/compile/diagnostics.h"
#include "gpu/compile/ptx_text.h"
#include "gpu/compile/search.h"
#include "gpu/compile/temporary_folder.h"

#include <algorithm>
#include <fmt/core.h>
#include <unistd.h>

namespace ridge::gpu {
namespace fs = std::filesystem;
namespace {

// Names that occur nowhere in a kernel's own text, so that they can be replaced in messages.
constexpr const char* kSourceFile = "ridge-kernel-source.cu";
constexpr const char* kOutputFile = "ridge-kernel.ptx";
constexpr const char* kCubinFile = "ridge-kernel.cubin";
constexpr double kCompileSeconds = 60;

void replaceAll(std::string& text, const std::string& from, const std::string& to)
{
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

/// Empty where the tool has no assembler that starts. Errors: "compile-failed", with the assembler's own text.
Result<std::string> machineCode(std::string_view id, const fs::path& tool, const std::string& version,
                                const KernelSource& source, std::vector<std::string> args, const fs::path& folder,
                                const std::function<bool()>& stop)
{
    args.emplace_back(kCubinFile);
    args.emplace_back(kOutputFile);
    const auto child = runChild({tool, std::move(args), folder, kCompileSeconds, stop});
    if (!child && child.error().code == "cancelled")
        return child.error();
    if (!child)
        return std::string();
    if (child->exitCode == 0)
        return readFile(folder / kCubinFile);
    const std::string log = child->err + child->out;
    if (log.find("ptxas error") == std::string::npos)
        return std::string();
    return compileFailed(id, version, source.name, log);
}

} // namespace

Found findNamed(const char* variable, const std::vector<fs::path>& folders, const std::vector<std::string>& names,
                const std::string& whyNone)
{
    Found found;
    if (const auto named = environment(variable); !named.empty()) {
        if (::access(named.c_str(), X_OK) == 0)
            found.tools.emplace_back(named);
        else
            found.whyNone = fmt::format("{} names {}, which cannot be executed; correct or unset it", variable, named);
        return found;
    }
    for (const auto& name : names)
        for (auto& tool : executables(folders, name))
            found.tools.push_back(std::move(tool));
    if (found.tools.empty())
        found.whyNone = fmt::format("{}, or name it in {}", whyNone, variable);
    return found;
}

Result<Compiled> compileInChild(std::string_view id, const fs::path& tool, const std::string& version,
                                const KernelSource& source, ChildArgs args)
{
    const auto unusable = [&](const std::string& why) {
        return Error{"unusable", fmt::format("{}: {}", tool.string(), why), tool.string(), "choose another compiler"};
    };
    const auto folder = TemporaryFolder::make();
    if (!folder)
        return unusable(toText(folder.error()));
    if (const auto written = writeFile(folder->path() / kSourceFile, source.text); !written)
        return unusable(toText(written.error()));
    args.toPtx.emplace_back(kOutputFile);
    args.toPtx.emplace_back(kSourceFile);
    auto child = runChild({tool, std::move(args.toPtx), folder->path(), kCompileSeconds, args.stop});
    if (!child && child.error().code == "cancelled")
        return child.error();
    if (!child)
        return unusable(child.error().message);

    std::string log = child->err + child->out;
    replaceAll(log, (folder->path() / kSourceFile).string(), source.name);
    replaceAll(log, kSourceFile, source.name);
    if (child->exitCode != 0) {
        // A message about a line of the kernel is the learner's to mend; anything else is the installation's.
        const auto messages = parseDiagnostics(log);
        const bool aboutSource = std::ranges::any_of(messages, [&](const Diagnostic& message) {
            // A header beside it is the learner's as well.
            const bool isBeside = std::ranges::any_of(args.includeFolders, [&](const fs::path& folder) {
                return message.file.starts_with((folder / "").string());
            });
            return message.level == Diagnostic::Level::Error && (message.file == source.name || isBeside);
        });
        if (aboutSource)
            return compileFailed(id, version, source.name, log);
        return unusable(fmt::format("ended with status {}: {}", child->exitCode, log));
    }
    const auto ptx = readFile(folder->path() / kOutputFile);
    if (!ptx)
        return unusable(ptx.error().message);
    const std::string text = args.exact ? withHalvesApart(*ptx) : *ptx;
    Compiled compiled{withSourceName(text, kSourceFile, source.name), targetOfPtx(text), version, {}, {}};
    if (!args.toCubin.empty()) {
        auto cubin = machineCode(id, tool, version, source, std::move(args.toCubin), folder->path(), args.stop);
        if (!cubin)
            return cubin.error();
        compiled.cubin = std::move(*cubin);
        compiled.cubinArch = compiled.cubin.empty() ? std::string() : args.cubinArch;
    }
    return compiled;
}

} // namespace ridge::gpu
