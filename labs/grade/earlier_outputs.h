// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace ridge::labs {

/// The bytes of a launch's outputs, by parameter.
using Outputs = std::map<std::string, std::vector<std::byte>>;

/// What the launches of a grading gave, to know it again: of each output the first megabyte.
class EarlierOutputs {
public:
    void add(Outputs outputs);
    /// Whether an output agrees with that of an earlier launch in nearly all places, as only a copy does.
    bool repeatedIn(const Outputs& outputs) const;

private:
    std::vector<Outputs> m_all;
};

} // namespace ridge::labs
