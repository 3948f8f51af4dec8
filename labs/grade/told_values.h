// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json.h"
#include "labs/grade/earlier_outputs.h"
#include "labs/grade/task_reference.h"

namespace ridge::labs {

/// Elements of each output of one launch beside what they must be: [{argument, sizes, elements, wrong, values: [{index,
/// before, after, expected, right}]}]. The first elements, and wrong ones that lie behind them.
Json toldValues(const KernelTask& task, const TaskData& data, const std::map<std::string, Expected>& expected,
                std::uint64_t roundings, const Outputs& found);

} // namespace ridge::labs
