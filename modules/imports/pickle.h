// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string_view>
#include <vector>

namespace ridge::imports {

/// Plain values of a Python pickle (protocols 2 to 5): none, booleans, integers, floats, text, bytes, lists, tuples and
/// dictionaries. Whatever would call code (GLOBAL, REDUCE, BUILD …) is refused, so that reading one is safe; Python's
/// own reader is not. Opcodes: Lib/pickletools.py of CPython.
class Pickle {
public:
    using Id = std::uint32_t;
    enum class Kind : std::uint8_t { None, Boolean, Integer, Real, Text, List, Dict };

    /// Text and bytes stay views into `bytes`, which must outlive the value. Errors: "bad-pickle" with the byte offset.
    static Result<Pickle> parse(std::string_view bytes, const std::string& name);

    Id root() const { return m_root; }
    Kind kind(Id id) const { return m_nodes[id].kind; }
    /// Integers, reals and booleans; 0 for anything else.
    double number(Id id) const { return m_nodes[id].number; }
    std::string_view text(Id id) const { return m_nodes[id].text; }
    /// Items of a list or tuple; keys and values in turn of a dictionary.
    const std::vector<Id>& items(Id id) const { return m_nodes[id].items; }
    /// The value of a text key; `none()` where the dictionary has no such key or `id` is no dictionary.
    Id at(Id id, std::string_view key) const;
    static constexpr Id none() { return 0; }

private:
    struct Node {
        Kind kind = Kind::None;
        double number = 0;
        std::string_view text;
        std::vector<Id> items;
    };
    friend class PickleReader;
    std::vector<Node> m_nodes;
    Id m_root = 0;
};

} // namespace ridge::imports
