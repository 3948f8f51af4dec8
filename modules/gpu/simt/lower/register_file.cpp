// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lower/register_file.h"
#include "gpu/simt/ptx/token_stream.h"

#include <algorithm>

namespace ridge::gpu::simt {

namespace {

constexpr std::uint32_t kMaxRegisterBytes = 16u << 20; ///< of one warp
constexpr std::uint32_t kWord = 4;                     ///< no plane begins between two
constexpr std::uint8_t kOther = 4;                     ///< the width of what is no plane

} // namespace

RegisterFile::RegisterFile(const Function& kernel) : m_kernel(kernel)
{
    m_true = makePredicate();
    m_fills.push_back({PlaneFill::Kind::Word, 0, 4, m_true, ~std::uint32_t{0}, 0, false});
}

std::uint32_t RegisterFile::make(unsigned bytes)
{
    const std::uint32_t at = makeShared(bytes);
    if (m_function != nullptr)
        m_function->planes.push_back({at, bytes});
    return at;
}

std::uint32_t RegisterFile::makeShared(unsigned bytes)
{
    const std::uint32_t at = m_next;
    m_next += bytes * kWarpSize;
    if (m_next > kMaxRegisterBytes)
        throw SyntaxError{badPtx(m_kernel.place, "the kernel '" + std::string(m_kernel.name) +
                                                     "' uses more registers than the simulator holds (" +
                                                     std::to_string(kMaxRegisterBytes >> 20) + " MiB a warp)")};
    noteWidth(at, static_cast<std::uint8_t>(bytes));
    return at;
}

void RegisterFile::noteWidth(std::uint32_t plane, std::uint8_t bytes)
{
    if (m_width.size() < m_next / kWord)
        m_width.resize(m_next / kWord, kOther);
    m_width[plane / kWord] = bytes;
}

std::uint32_t RegisterFile::makePredicate()
{
    if (m_predicatesLeft == 0) {
        m_predicatePage = makeShared(4);
        if (m_function != nullptr)
            m_function->predicatePages.push_back(m_predicatePage);
        m_predicatesLeft = kWarpSize;
    }
    const std::uint32_t at = m_predicatePage + 4 * (kWarpSize - m_predicatesLeft--);
    noteWidth(at, 0);
    return at;
}

std::uint32_t RegisterFile::carryPredicate()
{
    if (m_carry == kNone)
        m_carry = makeShared(4);
    return m_carry;
}

std::uint32_t RegisterFile::constant(std::uint64_t bits, unsigned bytes)
{
    if (bytes < 8)
        bits &= (std::uint64_t{1} << (8 * bytes)) - 1;
    const auto [at, isNew] = m_constants.try_emplace({bits, bytes}, 0);
    if (isNew) {
        at->second = makeShared(bytes);
        m_fills.push_back({PlaneFill::Kind::Constant, 0, static_cast<std::uint8_t>(bytes), at->second, bits, 0, false});
    }
    return at->second;
}

std::uint32_t RegisterFile::fill(PlaneFill fill)
{
    const std::array<std::uint64_t, 5> key{static_cast<std::uint64_t>(fill.kind), fill.axis, fill.bytes, fill.value,
                                           fill.paramBytes | (fill.paramSigned ? 256u : 0u)};
    const auto [at, isNew] = m_fillPlanes.try_emplace(key, 0);
    if (isNew) {
        at->second = fill.offset = makeShared(fill.bytes);
        m_fills.push_back(fill);
    }
    return at->second;
}

std::uint8_t RegisterFile::widthOf(std::uint32_t plane) const
{
    return plane % kWord == 0 && plane / kWord < m_width.size() ? m_width[plane / kWord] : kOther;
}

const PlaneFill* RegisterFile::fillOf(std::uint32_t plane) const
{
    const auto found =
        std::find_if(m_fills.begin(), m_fills.end(), [&](const PlaneFill& fill) { return fill.offset == plane; });
    return found == m_fills.end() ? nullptr : &*found;
}

void RegisterFile::beginFunction(FunctionImage& function)
{
    m_function = &function;
    m_predicatesLeft = 0;
}

void RegisterFile::endFunction()
{
    m_function = nullptr;
    m_predicatesLeft = 0;
}

} // namespace ridge::gpu::simt
