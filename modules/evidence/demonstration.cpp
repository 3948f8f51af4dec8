// SPDX-License-Identifier: GPL-3.0-or-later
#include "evidence/demonstration.h"

namespace ridge::app {
namespace {

constexpr std::string_view kPrefix = "demonstration:";

} // namespace

std::string demonstrationBlock(const std::string& block)
{
    return std::string(kPrefix) + block;
}

bool isDemonstrationBlock(std::string_view block)
{
    return block.starts_with(kPrefix);
}

bool isDemonstration(const record::RunRow& run)
{
    return isDemonstrationBlock(run.block);
}

std::string lessonBlockOf(const record::RunRow& run)
{
    return isDemonstration(run) ? run.block.substr(kPrefix.size()) : run.block;
}

} // namespace ridge::app
