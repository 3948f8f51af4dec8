// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json.h"

#include <functional>
#include <random>

namespace ridge::fuzz {

/// Changes text in which every line is a JSON document, so that it stays one: a value is replaced by another of the
/// text, by one that is apt to be forgotten, by nothing or by a near one; a line is doubled, dropped or moved. Strings
/// that hold JSON are changed inside. `bytes` changes the bytes of a string as it likes.
class JsonMutator {
public:
    using Bytes = std::function<std::string(const std::string& text)>;
    JsonMutator(std::uint32_t seed, Bytes bytes) : m_random(seed), m_bytes(std::move(bytes)) {}

    std::string operator()(const std::string& text);

private:
    std::size_t below(std::size_t count);
    bool oneIn(std::size_t count) { return below(count) == 0; }
    Json oddValue();
    Json mutated(const Json& document, int level);
    Json replaced(const Json& value, int level);

    std::minstd_rand m_random;
    Bytes m_bytes;
    std::vector<Json> m_documents; ///< of the text: where values come from
};

} // namespace ridge::fuzz
