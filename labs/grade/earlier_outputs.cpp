// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/grade/earlier_outputs.h"

#include <algorithm>
#include <cstring>

namespace ridge::labs {
namespace {

constexpr double kRepeatedShare = 0.9;
constexpr std::size_t kKeptBytes = std::size_t{1} << 20;
constexpr std::size_t kPlace = 4; ///< bytes; a smaller or larger element agrees where its bytes do

bool isCopy(const std::vector<std::byte>& one, const std::vector<std::byte>& other)
{
    const std::size_t bytes = std::min({one.size(), other.size(), kKeptBytes});
    std::size_t same = 0, count = 0;
    for (std::size_t at = 0; at < bytes; at += kPlace, ++count)
        same += std::memcmp(one.data() + at, other.data() + at, std::min(kPlace, bytes - at)) == 0 ? 1 : 0;
    return count > 0 && static_cast<double>(same) >= kRepeatedShare * static_cast<double>(count);
}

} // namespace

void EarlierOutputs::add(Outputs outputs)
{
    if (outputs.empty())
        return;
    for (auto& [name, bytes] : outputs)
        bytes.resize(std::min(bytes.size(), kKeptBytes));
    m_all.push_back(std::move(outputs));
}

bool EarlierOutputs::repeatedIn(const Outputs& outputs) const
{
    return std::any_of(m_all.begin(), m_all.end(), [&](const Outputs& earlier) {
        return std::any_of(outputs.begin(), outputs.end(), [&](const auto& output) {
            const auto before = earlier.find(output.first);
            return before != earlier.end() && isCopy(output.second, before->second);
        });
    });
}

} // namespace ridge::labs
