// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/debug_build.h"
#include "gpu/compile/backend.h"
#include "gpu/compile/diagnostics.h"
#include "gpu/compile/ptx_text.h"
#include "gpu/compile/search.h"

#include <algorithm>
#include <dlfcn.h>
#include <fmt/core.h>

namespace ridge::gpu {
namespace fs = std::filesystem;
namespace {

// The few lines of nvrtc.h that are used, declared here so that building needs no toolkit (NVRTC documentation 13.0).
using NvrtcProgram = void*;
using NvrtcResult = int;
constexpr NvrtcResult kSuccess = 0;
constexpr NvrtcResult kCompilationError = 6;

struct Nvrtc {
    NvrtcResult (*version)(int*, int*) = nullptr;
    NvrtcResult (*archCount)(int*) = nullptr;
    NvrtcResult (*archs)(int*) = nullptr;
    NvrtcResult (*create)(NvrtcProgram*, const char*, const char*, int, const char* const*,
                          const char* const*) = nullptr;
    NvrtcResult (*compile)(NvrtcProgram, int, const char* const*) = nullptr;
    NvrtcResult (*ptxSize)(NvrtcProgram, std::size_t*) = nullptr;
    NvrtcResult (*ptx)(NvrtcProgram, char*) = nullptr;
    NvrtcResult (*cubinSize)(NvrtcProgram, std::size_t*) = nullptr;
    NvrtcResult (*cubin)(NvrtcProgram, char*) = nullptr;
    NvrtcResult (*logSize)(NvrtcProgram, std::size_t*) = nullptr;
    NvrtcResult (*log)(NvrtcProgram, char*) = nullptr;
    NvrtcResult (*destroy)(NvrtcProgram*) = nullptr;
    const char* (*text)(NvrtcResult) = nullptr;
};

Error unusable(const fs::path& library, const std::string& why)
{
    return Error{"unusable", fmt::format("{}: {}", library.string(), why), library.string(),
                 "install CUDA's NVRTC 11.2 or newer, or name the library in RIDGE_NVRTC"};
}

template<class Function>
bool bind(void* handle, const char* name, Function& into)
{
    into = reinterpret_cast<Function>(::dlsym(handle, name));
    return into != nullptr;
}

/// The library stays open for the life of the process: it is large, starts threads of its own and is opened again for
/// the next kernel.
Result<Nvrtc> open(const fs::path& library)
{
    void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return unusable(library, ::dlerror());
    Nvrtc api;
    const bool complete =
        bind(handle, "nvrtcVersion", api.version) && bind(handle, "nvrtcGetNumSupportedArchs", api.archCount) &&
        bind(handle, "nvrtcGetSupportedArchs", api.archs) && bind(handle, "nvrtcCreateProgram", api.create) &&
        bind(handle, "nvrtcCompileProgram", api.compile) && bind(handle, "nvrtcGetPTXSize", api.ptxSize) &&
        bind(handle, "nvrtcGetPTX", api.ptx) && bind(handle, "nvrtcGetCUBINSize", api.cubinSize) &&
        bind(handle, "nvrtcGetCUBIN", api.cubin) && bind(handle, "nvrtcGetProgramLogSize", api.logSize) &&
        bind(handle, "nvrtcGetProgramLog", api.log) && bind(handle, "nvrtcDestroyProgram", api.destroy) &&
        bind(handle, "nvrtcGetErrorString", api.text);
    if (!complete)
        return unusable(library, "not an NVRTC of 11.2 or newer");
    return api;
}

Result<std::string> versionOf(const Nvrtc& api, const fs::path& library)
{
    int major = 0, minor = 0;
    if (api.version(&major, &minor) != kSuccess)
        return unusable(library, "does not tell its version");
    return fmt::format("{}.{}", major, minor);
}

std::vector<int> architectures(const Nvrtc& api)
{
    int count = 0;
    if (api.archCount(&count) != kSuccess || count <= 0)
        return {};
    std::vector<int> known(static_cast<std::size_t>(count));
    if (api.archs(known.data()) != kSuccess)
        return {};
    return known;
}

/// A program of NVRTC's that is destroyed with its owner.
struct OwnedProgram {
    const Nvrtc& api;
    NvrtcProgram handle = nullptr;
    ~OwnedProgram()
    {
        if (handle)
            api.destroy(&handle);
    }
};

std::string bytesOf(NvrtcResult (*size)(NvrtcProgram, std::size_t*), NvrtcResult (*get)(NvrtcProgram, char*),
                    NvrtcProgram program)
{
    std::size_t bytes = 0;
    if (size(program, &bytes) != kSuccess || bytes == 0)
        return {};
    std::string out(bytes, '\0');
    if (get(program, out.data()) != kSuccess)
        return {};
    return out;
}

std::string textOf(NvrtcResult (*size)(NvrtcProgram, std::size_t*), NvrtcResult (*get)(NvrtcProgram, char*),
                   NvrtcProgram program)
{
    std::string text = bytesOf(size, get, program);
    text.resize(std::min(text.find('\0'), text.size()));
    return text;
}

Found find()
{
    Found found;
    if (const auto named = environment("RIDGE_NVRTC"); !named.empty()) {
        std::error_code ignored;
        if (fs::is_regular_file(named, ignored))
            found.tools.emplace_back(named);
        else
            found.whyNone = fmt::format("RIDGE_NVRTC names {}, which is not there; correct or unset it", named);
        return found;
    }
    std::vector<fs::path> folders = foldersOf(environment("LD_LIBRARY_PATH"));
    for (const auto& toolkit : toolkitFolders())
        folders.push_back(toolkit / "lib64");
    for (const auto& wheel : wheelLibraryFolders())
        folders.push_back(wheel);
    for (const char* system : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"})
        folders.emplace_back(system);
    for (const auto& folder : folders)
        for (const char* name :
             {"libnvrtc.so.14", "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"}) {
            std::error_code ignored;
            if (!fs::is_regular_file(folder / name, ignored))
                continue;
            found.tools.push_back(folder / name);
            break;
        }
    if (found.tools.empty())
        found.whyNone = "no libnvrtc found; install the CUDA toolkit (or pip install nvidia-cuda-nvrtc), or name the "
                        "library in RIDGE_NVRTC";
    return found;
}

Result<std::string> version(const fs::path& library)
{
    const auto api = open(library);
    if (!api)
        return api.error();
    return versionOf(*api, library);
}

/// CUDA's own headers (cuda_fp16.h, mma.h …), which NVRTC does not bring: beside the library in a toolkit, in a package
/// of their own where Python's packages installed it. Empty where there are none.
fs::path headersFor(const fs::path& library)
{
    std::error_code problem;
    const fs::path folder = fs::weakly_canonical(library, problem).parent_path();
    for (const char* way : {"../include", "../../include", "../../../include", "../../cuda_runtime/include"}) {
        const fs::path headers = (folder / way).lexically_normal();
        if (fs::exists(headers / "cuda_fp16.h", problem))
            return headers;
    }
    return {};
}

Result<Compiled> compileWith(const fs::path& library, const KernelSource& source, int sm, const CompileOptions& options)
{
    const auto api = open(library);
    if (!api)
        return api.error();
    const auto version = versionOf(*api, library);
    if (!version)
        return version.error();
    const auto arch = newestNotAbove(architectures(*api), sm);
    if (!arch)
        return unusable(library, fmt::format("NVRTC {} compiles for newer chips than sm_{}", *version, sm));

    OwnedProgram program{*api};
    if (const auto code = api->create(&program.handle, source.text.c_str(), source.name.c_str(), 0, nullptr, nullptr))
        return unusable(library, api->text(code));
    // With a real architecture NVRTC goes on to its assembler; the PTX is the same.
    const bool exactly = options.machineCode && *arch == sm;
    const std::string name = archName(source, *arch);
    const std::string archOption = fmt::format("--gpu-architecture={}_{}", exactly ? "sm" : "compute", name);
    std::vector<std::string> folderOptions;
    for (const fs::path& folder : wholeFileFolders(options))
        folderOptions.push_back("--include-path=" + folder.string());
    const fs::path headers = headersFor(library);
    const std::string headerOption = "--include-path=" + headers.string();
    const std::string libraryOption = headerOption + "/cccl"; // cuda::std, since CUDA 13
    std::vector<const char*> given{archOption.c_str(), "--std=c++17", wantsDebugBuild(source.text) ? "-G" : "-lineinfo",
                                   options.exact ? "--fmad=false" : "--fmad=true"};
    for (const std::string& option : folderOptions)
        given.push_back(option.c_str());
    if (version->substr(0, 3) != "11.") // older ones do not know the option
        given.push_back("--device-int128");
    if (!headers.empty()) {
        given.push_back(headerOption.c_str());
        given.push_back(libraryOption.c_str());
    }
    // Of a source whose head says so: it includes headers with functions that nothing marks, which are the host's else.
    if (source.text.find("\n// Unmarked  device\n") != std::string::npos)
        given.push_back("-default-device");
    const auto code = api->compile(program.handle, static_cast<int>(given.size()), given.data());
    if (code == kCompilationError) {
        const std::string log = textOf(api->logSize, api->log, program.handle);
        // A header that NVRTC lacks is no mistake of the source: a compiler that has it may be tried next.
        // "cannot open …", and "could not open … (no directories in search list)" where it has no headers at all.
        if (log.find("open source file") != std::string::npos)
            return unusable(library, "lacks a header that the kernel includes: " + log.substr(0, log.find('\n')));
        return compileFailed("nvrtc", *version, source.name, log);
    }
    if (code != kSuccess)
        return unusable(library, api->text(code));
    std::string ptx = textOf(api->ptxSize, api->ptx, program.handle);
    if (ptx.empty())
        return unusable(library, "gave no PTX");
    if (options.exact)
        ptx = withHalvesApart(ptx);
    Compiled compiled{withSourceName(ptx, source.name, source.name), targetOfPtx(ptx), *version, {}, {}};
    if (exactly) {
        compiled.cubin = bytesOf(api->cubinSize, api->cubin, program.handle);
        compiled.cubinArch = compiled.cubin.empty() ? std::string() : "sm_" + name;
    }
    return compiled;
}

std::string inputs(const fs::path& library, bool headers)
{
    return headers ? identityOfTree(headersFor(library)) : std::string();
}

} // namespace

const Backend kNvrtc{"nvrtc", CompilerChoice::Nvrtc, find, version, compileWith, inputs};

} // namespace ridge::gpu
