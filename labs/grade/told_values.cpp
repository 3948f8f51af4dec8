// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/grade/told_values.h"

#include "labs/grade/task_inputs.h"
#include "labs/kernel/buffer_contents.h"

#include <fmt/core.h>

namespace ridge::labs {

Json toldValues(const KernelTask& task, const TaskData& data, const std::map<std::string, Expected>& expected,
                std::uint64_t roundings, const Outputs& found)
{
    constexpr std::size_t kFirst = kToldElements / 2;
    Json all = Json::array();
    for (std::size_t i = 0; i < task.parameters.size(); ++i) {
        const TaskParameter& output = task.parameters[i];
        if (output.role != TaskParameter::Role::Out)
            continue;
        const Expected& must = expected.at(output.name);
        const std::vector<std::byte>&before = data.values[i], &after = found.at(output.name);
        const unsigned size = sizeOf(output.type);
        const double allowed = allowedError(output.type, roundings);
        std::size_t wrong = 0;
        Json values = Json::array();
        for (std::size_t at = 0; at < must.values.size(); ++at) {
            const bool right = isRight(valueAt(output.type, after, at), must, at, allowed);
            wrong += right ? 0 : 1;
            if (at >= kFirst && (right || values.size() >= kToldElements))
                continue;
            const auto element = [&](const std::vector<std::byte>& bytes) {
                return elementText(output.type, std::span(bytes).subspan(at * size, size));
            };
            values.push_back(Json{{"index", at},
                                  {"before", element(before)},
                                  {"after", element(after)},
                                  {"expected", fmt::format("{:.9g}", must.values[at])},
                                  {"right", right}});
        }
        all.push_back(Json{{"argument", output.name},
                           {"sizes", toJson(data.sizes)},
                           {"elements", must.values.size()},
                           {"wrong", wrong},
                           {"values", std::move(values)}});
    }
    return all;
}

} // namespace ridge::labs
