// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/cuda/vendor_libraries.h"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace ridge::gpu::cuda {

namespace {

/// How a library tells its version.
enum class Says { Property, Nccl, Cupti };

struct Known {
    const char* id;
    const char* title;
    const char* variable;
    std::vector<std::string> names; ///< newest first
    Says says;
    const char* symbol;
    const char* install;
};

const std::vector<Known>& known()
{
    static const std::vector<Known> kAll = {
        {"cublas",
         "cuBLAS",
         "RIDGE_LIBCUBLAS",
         {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "/usr/local/cuda/lib64/libcublas.so"},
         Says::Property,
         "cublasGetProperty",
         "install the CUDA toolkit or the wheel nvidia-cublas"},
        {"cublaslt",
         "cuBLASLt",
         "RIDGE_LIBCUBLASLT",
         {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11", "/usr/local/cuda/lib64/libcublasLt.so"},
         Says::Property,
         "cublasLtGetProperty",
         "install the CUDA toolkit or the wheel nvidia-cublas"},
        {"cudnn",
         "cuDNN",
         "RIDGE_LIBCUDNN",
         {"libcudnn.so.9", "/usr/local/cuda/lib64/libcudnn.so.9", "libcudnn.so.8"},
         Says::Property,
         "cudnnGetProperty",
         "install cuDNN 9 from NVIDIA, or its wheel nvidia-cudnn-cu13 with that one's lib folder in LD_LIBRARY_PATH"},
        {"nccl",
         "NCCL",
         "RIDGE_LIBNCCL",
         {"libnccl.so.2", "/usr/local/cuda/lib64/libnccl.so.2"},
         Says::Nccl,
         "ncclGetVersion",
         "install NCCL from NVIDIA, or its wheel nvidia-nccl-cu13 with that one's lib folder in LD_LIBRARY_PATH"},
        {"cupti",
         "CUPTI",
         "RIDGE_LIBCUPTI",
         {"libcupti.so.13", "libcupti.so.12", "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so"},
         Says::Cupti,
         "cuptiGetVersion",
         "install the CUDA toolkit"}};
    return kAll;
}

/// libraryPropertyType: 0 major, 1 minor, 2 patch level.
std::optional<std::string> byProperty(int (*property)(int type, int* value))
{
    std::string text;
    for (int type = 0; type < 3; ++type) {
        int value = 0;
        if (property(type, &value) != 0)
            return std::nullopt;
        text += (type > 0 ? "." : "") + std::to_string(value);
    }
    return text;
}

/// 130001 is 13.0.1.
std::string inPairs(std::uint32_t version)
{
    return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
           std::to_string(version % 100);
}

/// NCCL_VERSION: two digits each for minor version and patch level since 2.9, before that 2804 for 2.8.4.
std::optional<std::string> ofNccl(int (*ask)(int* version))
{
    int version = 0;
    if (ask(&version) != 0)
        return std::nullopt;
    if (version >= 10000)
        return inPairs(static_cast<std::uint32_t>(version));
    return std::to_string(version / 1000) + "." + std::to_string(version / 100 % 10) + "." +
           std::to_string(version % 100);
}

/// Counted up by one with every change of the interface until CUDA 12, six digits since.
std::optional<std::string> ofCupti(int (*ask)(std::uint32_t* version))
{
    std::uint32_t version = 0;
    if (ask(&version) != 0)
        return std::nullopt;
    return version >= 10000 ? inPairs(version) : std::to_string(version);
}

template<class Function, class Read>
std::optional<std::string> asked(const Library& library, const char* symbol, Function entry, Read read, bool& found)
{
    found = findEntry(library, symbol, entry);
    return found ? read(entry) : std::nullopt;
}

VendorLibrary look(const Known& one, const Library& library)
{
    VendorLibrary out{one.id, one.title, false, "", "", "", ""};
    out.path = library.path;
    const char* chosen = std::getenv(one.variable);
    out.fix = chosen != nullptr && *chosen != '\0'
                  ? std::string(one.variable) + " names it: correct or unset that variable"
                  : std::string(one.install) + ", or name the file in " + one.variable;
    if (library.handle == nullptr) {
        out.reason = library.failure;
        return out;
    }
    bool found = false;
    std::optional<std::string> version;
    switch (one.says) {
    case Says::Property:
        version = asked(library, one.symbol, static_cast<int (*)(int, int*)>(nullptr), byProperty, found);
        break;
    case Says::Nccl:
        version = asked(library, one.symbol, static_cast<int (*)(int*)>(nullptr), ofNccl, found);
        break;
    case Says::Cupti:
        version = asked(library, one.symbol, static_cast<int (*)(std::uint32_t*)>(nullptr), ofCupti, found);
        break;
    }
    if (!version) {
        out.reason = found ? std::string(one.symbol) + " does not answer"
                           : "it has no entry point " + std::string(one.symbol) + ": too old, or not " + one.title;
        return out;
    }
    out.available = true;
    out.version = *version;
    out.fix.clear();
    return out;
}

} // namespace

std::vector<VendorLibrary> listVendorLibraries()
{
    std::vector<VendorLibrary> all;
    for (const Known& one : known())
        all.push_back(look(one, openLibrary(one.variable, one.names)));
    return all;
}

Result<OpenVendorLibrary> openVendorLibrary(const std::string& id)
{
    const auto one = std::find_if(known().begin(), known().end() - 1, [&](const Known& each) { return id == each.id; });
    OpenVendorLibrary out;
    out.library = openLibrary(one->variable, one->names);
    out.facts = look(*one, out.library);
    if (!out.facts.available)
        return Error{"no-reference", out.facts.title + " cannot be used: " + out.facts.reason, out.facts.path,
                     out.facts.fix};
    return out;
}

} // namespace ridge::gpu::cuda
