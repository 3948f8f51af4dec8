// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace ridge::app {

/// A small expression over one lane of a warp: "lane == 5 && r4 > 3". Numbers (decimal, 0x, 1.5), names, + - * / %,
/// comparisons, && || !, brackets. `&&` and `||` need no second side where the first decides.
class WatchExpression {
public:
    /// The value of a name, none where it has none yet. Which names there are is up to whoever asks: "lane", "warp",
    /// "%r4".
    using Lookup = std::function<std::optional<double>(const std::string& name)>;

    /// Errors: "bad-expression", naming the place. `known`: which names there are.
    static Result<WatchExpression> parse(const std::string& text, const std::function<bool(const std::string&)>& known);

    const std::string& text() const { return m_text; }
    /// None where a name it needs has no value, or the value is none (a division by zero).
    std::optional<double> value(const Lookup& lookup) const;
    bool holds(const Lookup& lookup) const { return value(lookup).value_or(0) != 0; }

    struct Node;

private:
    std::string m_text;
    std::shared_ptr<const Node> m_root;
};

} // namespace ridge::app
