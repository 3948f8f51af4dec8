// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge kernel run` and `ridge kernel compile`: a kernel of the learner's own.
#include "cli/commands.h"

#include "base/target_choice.h"

#include "base/kernel_sidecar.h"
#include "base/struct_argument.h"
#include "base/target_kind.h"
#include "cli/job.h"
#include "cli/kernel_file.h"
#include "cli/kernel_text.h"
#include "cli/step_text.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace ridge::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostSourceBytes = std::uintmax_t{16} << 20;
constexpr std::uintmax_t kMostSidecarBytes = std::uintmax_t{1} << 20;

/// The sidecar that is asked for, or lies beside the PTX under its name; a JSON of something else that lies there is
/// none of the kernel's.
Result<std::optional<KernelSidecar>> sidecarOf(const KernelRunOptions& options)
{
    fs::path path = options.sidecar;
    if (options.sidecar == "none" || (options.sidecar.empty() && fs::path(options.file).extension() != ".ptx"))
        return std::optional<KernelSidecar>();
    if (options.sidecar.empty())
        path = fs::path(options.file).replace_extension(".json");
    std::error_code code;
    if (options.sidecar.empty() && (!fs::is_regular_file(path, code) || fs::file_size(path, code) > kMostSidecarBytes))
        return std::optional<KernelSidecar>();
    const auto text = readFile(path);
    if (!text)
        return text.error();
    const auto json = parseJson(*text, path.string());
    const bool isOurs = json ? isSidecar(*json) : text->find("\"num_warps\"") != std::string::npos; // or was, once
    if (options.sidecar.empty() && !isOurs)
        return std::optional<KernelSidecar>();
    if (!json)
        return json.error();
    auto sidecar = sidecarFromJson(*json, path.string());
    if (!sidecar)
        return sidecar.error();
    return std::optional(std::move(*sidecar));
}

/// For the compilers that the worker starts: in front of what RIDGE_INCLUDE holds.
Result<void> addIncludes(const std::vector<std::string>& folders)
{
    const char* given = std::getenv("RIDGE_INCLUDE");
    std::string all;
    for (const std::string& folder : folders) {
        std::error_code code;
        if (!fs::is_directory(folder, code))
            return Error{"bad-argument", "there is no folder '" + folder + "'", "--include",
                         "name the folder that holds the header"};
        const std::string full = fs::absolute(folder, code).string();
        if (full.find(':') != std::string::npos)
            return Error{"bad-argument", "'" + full + "' has a colon in its name, which divides folders", "--include",
                         "give the folder another name, or a link to it"};
        all += (all.empty() ? "" : ":") + full;
    }
    if (folders.empty())
        return {};
    if (given != nullptr && *given != '\0')
        all += ":" + std::string(given);
    ::setenv("RIDGE_INCLUDE", all.c_str(), 1);
    return {};
}

Result<KernelRunRequest> requestOf(const KernelRunOptions& options)
{
    auto source = readKernelFile(options.file);
    if (!source)
        return source.error();
    const auto grid = dimensionsFromText(options.grid, "--grid");
    if (!grid)
        return grid.error();
    const auto sidecar = sidecarOf(options);
    if (!sidecar)
        return sidecar.error();
    if (options.block.empty() && !*sidecar)
        return Error{"bad-argument", "--block is required", "--block",
                     "give the threads of a block, or a sidecar that says it"};
    const auto block = dimensionsFromText(options.block.empty() ? "1" : options.block, "--block");
    if (!block)
        return block.error();
    std::array<std::uint64_t, 3> cluster{0, 0, 0};
    if (!options.cluster.empty()) {
        const auto given = dimensionsFromText(options.cluster, "--cluster");
        if (!given)
            return given.error();
        cluster = *given;
    }
    if (options.smem.value_or(0) > 0xffffffffu)
        return Error{"bad-argument", std::to_string(*options.smem) + " bytes are more than any SM has", "--smem",
                     "give the bytes of dynamic shared memory of one block"};
    for (std::size_t at = 0; at < options.args.size(); ++at)
        if (const auto read = checkArgumentText(options.args[at], at + 1); !read)
            return read.error();
    for (const std::string& symbol : options.symbols) {
        const auto equals = symbol.find('=');
        if (equals == std::string::npos || equals == 0)
            return Error{"bad-argument", "'" + symbol + "' is no NAME=SPEC", "--set-symbol",
                         "name the variable, as --set-symbol taps=in:f32:3:ones"};
        if (const auto read = checkArgumentText(symbol.substr(equals + 1), 1); !read)
            return Error{read.error().code, read.error().message, "--set-symbol " + symbol, read.error().fix};
    }
    if (auto included = addIncludes(options.includes); !included)
        return included.error();
    auto target = chooseKernelTarget(options.target);
    if (!target)
        return target.error();
    if (measuresKernels(*target) && (options.mostInstructions != 0 || options.mostCycles != 0))
        return Error{"bad-argument", "a GPU counts no budget of instructions or cycles while it runs",
                     options.mostInstructions != 0 ? "--instructions" : "--cycles", "use --seconds there"};
    if (options.functional && options.mostCycles != 0)
        return Error{"bad-argument", "no cycles pass without the clock", "--cycles",
                     "leave out --functional, or give --instructions"};
    if (!options.estimate.empty() && (options.functional || measuresKernels(*target)))
        return Error{"bad-argument", "nothing is estimated without a simulator's clock", "--estimate",
                     "leave it out there"};
    if (!options.estimate.empty())
        ::setenv("RIDGE_ESTIMATE", options.estimate.c_str(), 1); // read by the worker that runs it
    KernelRunRequest request;
    request.source = std::move(*source);
    request.kernel = options.kernel;
    request.grid = *grid;
    request.block = *block;
    request.cluster = cluster;
    request.nonPortableCluster = options.nonPortableCluster;
    request.dynamicSharedBytes = options.smem.value_or(0);
    request.args = options.args;
    request.target = std::move(*target);
    request.exact = options.exact;
    request.functional = options.functional;
    request.check = options.check;
    request.checkGlobal = options.checkGlobal;
    request.counters = options.counters;
    request.steps = options.steps;
    request.stepsBlock = options.stepsBlock;
    request.limits = {options.seconds, options.memoryMiB};
    request.mostInstructions = options.mostInstructions;
    request.mostCycles = options.mostCycles;
    request.pausable = options.pause || (!options.json && isTerminal(STDIN_FILENO) && isTerminal(STDERR_FILENO));
    if (*sidecar)
        if (auto applied = applySidecar(
                **sidecar, {!options.block.empty(), options.smem.has_value(), !options.cluster.empty()}, request);
            !applied)
            return applied.error();
    const std::size_t arguments = request.args.size();
    request.args.insert(request.args.end(), options.symbols.begin(), options.symbols.end());
    if (*sidecar && !options.json)
        std::fprintf(stderr,
                     "ridge: %s: kernel %s, %llu threads a block, %llu bytes of shared memory, %zu arguments added\n",
                     (*sidecar)->path.c_str(), request.kernel.c_str(),
                     static_cast<unsigned long long>(request.block[0] * request.block[1] * request.block[2]),
                     static_cast<unsigned long long>(request.dynamicSharedBytes), arguments - options.args.size());
    return request;
}

/// For people on standard error; for programs the same as {"error": {code, message, place, fix}} on standard output.
int refuse(const Error& error, bool json)
{
    if (json)
        printJson(Json{{"error", toJson(error)}});
    return report(error);
}

} // namespace

Result<KernelText> readKernelFile(const std::string& path)
{
    const std::string extension = fs::path(path).extension().string();
    if (extension != ".cu" && extension != ".ptx" && extension != ".cuh")
        return Error{"cannot-read", "'" + path + "' is neither .cu nor .ptx", "FILE",
                     "give CUDA C++ in a .cu file or PTX in a .ptx file"};
    std::error_code code;
    if (!fs::exists(path, code))
        return Error{"cannot-read", "there is no file '" + path + "'", "FILE", "check the name"};
    if (!fs::is_regular_file(path, code))
        return Error{"cannot-read", "'" + path + "' is not a file", "FILE", "name a .cu or .ptx file"};
    if (fs::file_size(path, code) > kMostSourceBytes)
        return Error{"cannot-read", "'" + path + "' is larger than 16 MiB", "FILE", "split it"};
    auto text = readFile(path);
    if (!text)
        return text.error();
    constexpr std::string_view kMark = "\xef\xbb\xbf"; // some editors put it before UTF-8; not all compilers take it
    if (text->starts_with(kMark))
        text->erase(0, kMark.size());
    if (extension == ".ptx") // some compilers end PTX in the zero byte of a string of C
        text->resize(text->find_last_not_of('\0') + 1);
    if (const auto nul = text->find('\0'); nul != std::string::npos)
        return Error{"cannot-read", "'" + path + "' has a zero byte",
                     "line " + std::to_string(1 + std::count(text->begin(), text->begin() + std::ptrdiff_t(nul), '\n')),
                     "give plain text in UTF-8"};
    return KernelText{path, std::move(*text), extension == ".ptx"};
}

int kernelRunCommand(const KernelRunOptions& options)
{
    const auto request = requestOf(options);
    if (!request)
        return refuse(request.error(), options.json);
    auto result = runKernelJob(*request, !options.json);
    if (!result)
        return refuse(result.error(), options.json);
    Json& document = result->document;
    if (options.json) {
        if (result->steps)
            document["steps"] = stepsToJson(*result->steps);
        printJson(document);
    } else {
        std::printf("%s", plainLines(kernelRunText(document)).c_str());
        if (result->steps)
            std::printf("%s", plainLines(stepsText(*result->steps)).c_str());
    }
    const std::size_t reports = document.value("reports", Json::array()).size();
    if (reports == 0)
        return Done;
    std::fprintf(stderr, "ridge: %zu detector report%s\n", reports, reports == 1 ? "" : "s");
    return Failed;
}

int kernelCompileCommand(const KernelCompileOptions& options)
{
    auto source = readKernelFile(options.file);
    if (!source)
        return refuse(source.error(), options.json);
    if (const auto sm = smFromText(options.arch); !sm)
        return refuse(sm.error(), options.json);
    if (auto included = addIncludes(options.includes); !included)
        return refuse(included.error(), options.json);
    const KernelCompileRequest request{std::move(*source), options.arch, options.exact, {}};
    const auto result = runKernelJob(request, !options.json);
    if (!result)
        return refuse(result.error(), options.json);
    const Json& document = result->document;
    if (options.show == "sass" && !document.contains("sass")) {
        const Json missing = document.value("sass_missing", Json::object());
        return refuse({"no-sass", missing.value("message", std::string("the worker sent no SASS")), options.file,
                       missing.value("fix", std::string())},
                      options.json);
    }
    // No compiler knows every architecture: PTX for an older one runs on a newer chip, but it is not what was asked
    // for.
    const std::string made = document.at("compilation").value("arch", Json()).is_string()
                                 ? document.at("compilation").at("arch").get<std::string>()
                                 : std::string();
    const auto wanted = smFromText(options.arch), got = smFromText(made);
    if (!request.source.isPtx && wanted && got && *got < *wanted)
        std::fprintf(stderr, "ridge: --arch: %s does not know %s; compiled for %s\n",
                     document.at("compiler").get<std::string>().c_str(), options.arch.c_str(), made.c_str());
    if (options.json) {
        Json json = document;
        // The whole text only where it is asked for.
        if (options.show != "ptx")
            json.erase("ptx");
        if (options.show != "lines")
            json.erase("lines");
        if (options.show != "lines")
            for (Json& kernel : json["kernels"])
                kernel.erase("listing");
        if (options.show != "sass") {
            json.erase("sass");
            json.erase("sass_missing");
        }
        printJson(json);
        return Done;
    }
    const std::string text = kernelCompileText(document, options.show);
    // PTX that goes into a file stays as the compiler wrote it.
    const bool exact = options.show == "ptx" && !isTerminal(STDOUT_FILENO);
    std::printf("%s", exact ? text.c_str() : plainLines(text).c_str());
    return Done;
}

} // namespace ridge::cli
