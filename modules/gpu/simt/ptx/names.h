// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace ridge::gpu::simt {

/// Of the short names that PTX is full of: eight characters at a time.
struct NameHash {
    std::size_t operator()(std::string_view name) const noexcept
    {
        std::uint64_t hash = name.size();
        while (name.size() > 8) {
            hash = mixed(hash, name, 8);
            name.remove_prefix(8);
        }
        return name.empty() ? hash : mixed(hash, name, name.size());
    }

private:
    static std::uint64_t mixed(std::uint64_t hash, std::string_view name, std::size_t size) noexcept
    {
        std::uint64_t word = 0;
        std::memcpy(&word, name.data(), size);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15; // 2^64 over the golden ratio: Knuth, TAOCP 3, 6.4
        return hash ^ hash >> 32;
    }
};

/// The names lie in the program's text, which outlives the map.
template<class T>
using NameMap = std::unordered_map<std::string_view, T, NameHash>;
using NameSet = std::unordered_set<std::string_view, NameHash>;

} // namespace ridge::gpu::simt
