// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <vector>

namespace ridge::gpu::cuda {

/// A shared object that stays loaded for the life of the process.
struct Library {
    void* handle = nullptr;
    std::string path;
    std::string failure; ///< the loader's own words when handle is null
};

/// $`variable` alone if it is set, else the first of `names` that loads.
inline Library openLibrary(const char* variable, std::vector<std::string> names)
{
    if (const char* chosen = std::getenv(variable); chosen != nullptr && *chosen != '\0')
        names = {chosen};
    Library out;
    for (const std::string& name : names) {
        out.path = name;
        out.handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (out.handle != nullptr)
            return out;
        const char* why = dlerror();
        if (out.failure.empty())
            out.failure = why != nullptr ? why : "unknown reason";
    }
    out.path = names.front();
    return out;
}

/// True when `entry` now points to the symbol.
template<class Function>
bool findEntry(const Library& library, const char* symbol, Function& entry)
{
    entry = reinterpret_cast<Function>(dlsym(library.handle, symbol));
    return entry != nullptr;
}

/// Finds entry points without which a library cannot be used, and keeps the name of the first that is missing.
class EntryFinder {
public:
    explicit EntryFinder(const Library& library) : m_library(library) {}
    template<class Function>
    void operator()(const char* symbol, Function& entry)
    {
        if (!findEntry(m_library, symbol, entry) && m_missing == nullptr)
            m_missing = symbol;
    }
    const char* missing() const { return m_missing; } ///< null: all are there

private:
    const Library& m_library;
    const char* m_missing = nullptr;
};

} // namespace ridge::gpu::cuda
