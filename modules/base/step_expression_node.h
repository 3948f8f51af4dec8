// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/step_expression.h"

namespace ridge {

/// Of the tree that the parser makes and evaluation walks; nobody else looks inside.
struct StepExpression::Node {
    enum class Kind : std::uint8_t {
        Number,
        Register,
        Lane,
        Warp,
        Thread,
        Tid,
        BlockSize,
        Block,
        GridSize,
        Line,
        Active,
        Lanes,
        Passes,
        Least,
        Depth,
        Shared,
        SharedFloat,
        Unary,
        Binary
    };
    Kind kind = Kind::Number;
    StepValue number;
    std::uint32_t reg = 0;
    std::uint8_t axis = 0; ///< of Tid, BlockSize, Block and GridSize: x, y, z
    std::string_view op;   ///< of the operators that the parser knows
    std::shared_ptr<const Node> left, right;
};

} // namespace ridge
