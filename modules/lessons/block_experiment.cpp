// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/block_experiment.h"

namespace ridge::lessons {

std::string experimentOf(const Block& block)
{
    return std::visit(
        [](const auto& body) {
            if constexpr (requires { body.experiment; })
                return body.experiment;
            else
                return std::string();
        },
        block.body);
}

} // namespace ridge::lessons
