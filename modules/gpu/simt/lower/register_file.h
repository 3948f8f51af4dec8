// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/image/kernel_image.h"
#include "gpu/simt/ptx/module.h"

#include <array>
#include <map>
#include <unordered_map>

namespace ridge::gpu::simt {

/// The register file of a warp while a kernel is lowered. A plane is one value of each lane, named by its offset in
/// bytes; a predicate takes one word for all lanes.
class RegisterFile {
public:
    explicit RegisterFile(const Function& kernel);

    /// Throws SyntaxError where the kernel needs more than the simulator holds.
    std::uint32_t make(unsigned bytes);
    std::uint32_t makeShared(unsigned bytes); ///< one that holds the same in every function
    std::uint32_t makePredicate();

    // Those that are made once.
    std::uint32_t constant(std::uint64_t bits, unsigned bytes);
    std::uint32_t fill(PlaneFill fill);
    std::uint32_t carryPredicate();
    std::uint32_t truePredicate() const { return m_true; }

    std::uint8_t widthOf(std::uint32_t plane) const;                ///< bytes of a lane; 0: a predicate
    const PlaneFill* fillOf(std::uint32_t plane) const;             ///< null: instructions give its content
    std::uint32_t bytes() const { return (m_next + 63) / 64 * 64; } ///< of the whole file

    /// What make() and makePredicate() give from here on is of this function, which is called rather than inlined.
    void beginFunction(FunctionImage& function);
    void endFunction();

    std::vector<PlaneFill> takeFills() { return std::move(m_fills); } ///< the first is the true predicate's

private:
    void noteWidth(std::uint32_t plane, std::uint8_t bytes);

    const Function& m_kernel;
    std::uint32_t m_next = 0;
    std::vector<std::uint8_t> m_width; ///< of each plane, a word of the file an element
    std::vector<PlaneFill> m_fills;
    std::map<std::pair<std::uint64_t, unsigned>, std::uint32_t> m_constants;
    std::map<std::array<std::uint64_t, 5>, std::uint32_t> m_fillPlanes;
    std::uint32_t m_predicatePage = 0;
    std::uint32_t m_predicatesLeft = 0; ///< on the page
    std::uint32_t m_true = kNone;
    std::uint32_t m_carry = kNone;
    FunctionImage* m_function = nullptr;
};

} // namespace ridge::gpu::simt
