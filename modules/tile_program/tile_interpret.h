// SPDX-License-Identifier: GPL-3.0-or-later
// Carries out a block program on the CPU, instance by instance, and watches what each of them touches.
#pragma once

#include "tile_program/tile_check.h"

#include <array>
#include <functional>

namespace ridge::tile {

/// Of a buffer parameter. Elements are floats, rounded to bf16 where the parameter says so.
struct TileBuffer {
    std::vector<float> values{};
    std::vector<bool> loaded{}, written{}; ///< by an instance that ran; filled by interpret()
};

struct TileArguments {
    Sizes ints{};                          ///< of int parameters
    std::map<std::string, float> floats{}; ///< of float parameters; those with a default may be left out
    std::vector<TileBuffer> buffers{};     ///< one a parameter, empty for all that are no buffer
};

struct InterpretOptions {
    /// Instances to run, by their number (axis 0 first); empty: all of them.
    std::vector<std::int64_t> instances{};
    /// Of one instance: lanes that statements worked on, each value as at least 16. The default is some seconds.
    std::uint64_t mostSteps = std::uint64_t{1} << 28;
    /// Two instances that touch one element, one of them storing, are an error.
    bool watchRaces = true;
    std::function<bool()> stop{}; ///< asked now and then; true ends it: "cancelled". May be empty
};

struct TileCounts {
    std::uint64_t instances = 0;
    std::uint64_t lanes = 0;  ///< of loads and stores of blocks
    std::uint64_t masked = 0; ///< of these, switched off
    std::uint64_t steps = 0;  ///< lanes that were worked on
};

/// The grid of a program: one to three numbers, filled up with ones. Errors: those of sizeOf, "bad-size" where there is
/// no instance or more than a GPU can number.
Result<std::array<std::int64_t, 3>> gridOf(const CheckedProgram& program, const Sizes& ints);

/// Elements of a buffer parameter. Errors: those of sizeOf.
Result<std::int64_t> lengthOf(const CheckedProgram& program, int parameter, const Sizes& ints);

/// Runs the instances in order; stores go to `arguments`. Errors, each with line, instance and fix: "out-of-range",
/// "endless-loop", "overflow", "division-by-zero", "race", "assertion", "missing-argument", "cancelled".
Result<TileCounts> interpret(const CheckedProgram& program, TileArguments& arguments, const InterpretOptions& options);

} // namespace ridge::tile
