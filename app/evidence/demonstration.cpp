// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/evidence/demonstration.h"

namespace ridge::app {
namespace {

constexpr std::string_view kPrefix = "demonstration:";

} // namespace

std::string demonstrationBlock(const std::string& block)
{
    return std::string(kPrefix) + block;
}

bool isDemonstration(const record::RunRow& run)
{
    return run.block.starts_with(kPrefix);
}

std::string lessonBlockOf(const record::RunRow& run)
{
    return isDemonstration(run) ? run.block.substr(kPrefix.size()) : run.block;
}

} // namespace ridge::app
