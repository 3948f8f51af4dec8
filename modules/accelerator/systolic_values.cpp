// SPDX-License-Identifier: GPL-3.0-or-later
#include "accelerator/systolic_values.h"

#include "base/seed.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace ridge::accelerator {
namespace {

constexpr std::int64_t kStrip = 32; // columns whose sums stay in the nearest cache

std::int64_t inStrips(std::int64_t cols)
{
    return (cols + kStrip - 1) / kStrip * kStrip;
}

/// Of element (row, col) where each strip of columns is a matrix of its own.
std::size_t placeOf(std::int64_t row, std::int64_t col, std::int64_t rows)
{
    return static_cast<std::size_t>((col / kStrip * rows + row) * kStrip + col % kStrip);
}

/// Values a row: an odd number of lines of 64 bytes, so that rows do not share the sets of a cache.
std::int64_t strideOf(std::int64_t stream, std::int64_t cols)
{
    return ((stream + 2 * cols + 31) / 32 | 1) * 32;
}

/// sums[c] += left[c] * right[c]
[[gnu::always_inline]] inline void multiplyAdd(std::int32_t* __restrict sums, const std::int16_t* __restrict left,
                                               const std::int16_t* __restrict right, std::int64_t count)
{
    for (std::int64_t c = 0; c < count; ++c)
        sums[c] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[c]) +
                                            static_cast<std::uint32_t>(std::int32_t{left[c]} * right[c]));
}

/// One time of each row of PEs from `first` to `last`: the wave that entered row 0 in time - r sinks through row r.
/// `left` points at row 0's values of time 0; a row further is `stride` further, a time later one nearer.
struct Wave {
    std::int32_t* sums = nullptr;
    const std::int16_t* left = nullptr;
    const std::int16_t* weights = nullptr;
    std::int64_t rows = 0, stride = 0, used = 0;
};

__attribute__((target_clones("avx2", "default"))) void sink(const Wave& wave, std::int64_t time, std::int64_t first,
                                                            std::int64_t last)
{
    std::int64_t slot = (time - first) % wave.rows;
    for (std::int64_t r = first; r <= last; ++r) {
        std::int32_t* sums = wave.sums + slot * kStrip;
        slot = slot == 0 ? wave.rows - 1 : slot - 1;
        if (r == 0)
            std::fill_n(sums, kStrip, 0);
        if (r >= wave.used)
            continue;
        multiplyAdd(sums, wave.left + r * wave.stride - (time - r), wave.weights + r * kStrip, kStrip);
    }
}

/// sums[c] += left[c - t] * top[t][c] for a row of PEs and some times.
__attribute__((target_clones("avx2", "default"))) void stay(std::int32_t* sums, const std::int16_t* left,
                                                            const std::int16_t* top, std::int64_t from, std::int64_t to,
                                                            std::int64_t cols, std::int64_t used)
{
    for (std::int64_t c0 = 0; c0 < used; c0 += kStrip) {
        const std::int64_t count = std::min(kStrip, used - c0);
        for (std::int64_t t = from; t < to; ++t)
            if (count == kStrip)
                multiplyAdd(sums + c0, left - t + c0, top + t * cols + c0, kStrip);
            else
                multiplyAdd(sums + c0, left - t + c0, top + t * cols + c0, count);
    }
}

/// An array whose stationary operand is rows x cols and whose stream is stream x rows: ws as it is, is transposed. os:
/// m_stay is b as k x n, m_stream is a as m x k.
struct Laid {
    std::vector<std::int8_t> stay, stream;
};

Laid laid(Dataflow dataflow, Operands&& operands)
{
    const Gemm& gemm = operands.gemm;
    if (dataflow != Dataflow::InputStationary)
        return {std::move(operands.b), std::move(operands.a)};
    Laid result{std::vector<std::int8_t>(operands.a.size()), std::vector<std::int8_t>(operands.b.size())};
    for (std::size_t m = 0; m < gemm.m; ++m)
        for (std::size_t k = 0; k < gemm.k; ++k)
            result.stay[k * gemm.m + m] = operands.a[m * gemm.k + k];
    for (std::size_t k = 0; k < gemm.k; ++k)
        for (std::size_t n = 0; n < gemm.n; ++n)
            result.stream[n * gemm.k + k] = operands.b[k * gemm.n + n];
    return result;
}

Result<void> check(const Array& array, const Operands& operands)
{
    if (auto good = checkArray(array); !good)
        return good;
    if (auto good = checkGemm(operands.gemm); !good)
        return good;
    constexpr std::uint64_t most = std::uint64_t{1} << 28;
    const Gemm& gemm = operands.gemm;
    if (gemm.m * gemm.k > most || gemm.k * gemm.n > most || gemm.m * gemm.n > most || array.elements() > 1u << 22)
        return Error{
            "too-large",
            "an array of more than 2^22 PEs or a matrix of more than 2^28 values is not followed value by value",
            "rows cols m n k", "take fewer; the closed form has no such limit"};
    if (operands.a.size() != gemm.m * gemm.k || operands.b.size() != gemm.k * gemm.n)
        return Error{"bad-layer", "the operands have other sizes than the product", "m n k", {}};
    return {};
}

/// Per row of PEs: the stream's values, backwards, with `pad` zeros before and behind: that of time t - c is at
/// r stride + stream - 1 + pad - t + c.
std::vector<std::int16_t> backwards(const Array& array, const std::vector<std::int8_t>& values, std::int64_t stride,
                                    std::int64_t pad, std::int64_t stream, std::int64_t used, std::int64_t step,
                                    std::int64_t offset, std::int64_t perTime)
{
    std::vector<std::int16_t> left(static_cast<std::size_t>(array.rows * stride), 0);
    for (std::int64_t r = 0; r < used; ++r)
        for (std::int64_t s = 0; s < stream; ++s)
            left[static_cast<std::size_t>(r * stride + stream - 1 - s + pad)] =
                values[static_cast<std::size_t>(offset + r * step + s * perTime)];
    return left;
}

} // namespace

Operands randomOperands(const Gemm& gemm, std::uint64_t seed)
{
    Operands operands{gemm, std::vector<std::int8_t>(gemm.m * gemm.k), std::vector<std::int8_t>(gemm.k * gemm.n)};
    Rng rng(seed);
    for (auto* values : {&operands.a, &operands.b})
        for (std::size_t i = 0; i < values->size(); i += 8) {
            const std::uint64_t word = rng.next();
            std::memcpy(values->data() + i, &word, std::min<std::size_t>(8, values->size() - i));
        }
    return operands;
}

Operands operandsOf(const Conv& conv, std::span<const std::int8_t> image, std::span<const std::int8_t> filters)
{
    const Gemm gemm = gemmOf(conv);
    Operands operands{gemm, std::vector<std::int8_t>(gemm.m * gemm.k, 0), std::vector<std::int8_t>(gemm.k * gemm.n)};
    const std::uint64_t outW = conv.outW();
    for (std::uint64_t m = 0; m < gemm.m; ++m)
        for (std::uint64_t k = 0; k < gemm.k; ++k) {
            const std::uint64_t channel = k % conv.channels, place = k / conv.channels;
            const std::uint64_t row = m / outW * conv.strideH + place / conv.kernelW;
            const std::uint64_t col = m % outW * conv.strideW + place % conv.kernelW;
            if (row < conv.inH && col < conv.inW)
                operands.a[m * gemm.k + k] = image[(row * conv.inW + col) * conv.channels + channel];
        }
    for (std::uint64_t n = 0; n < gemm.n; ++n)
        for (std::uint64_t k = 0; k < gemm.k; ++k)
            operands.b[k * gemm.n + n] = filters[n * gemm.k + k];
    return operands;
}

std::vector<std::int32_t> plainProduct(const Operands& operands)
{
    const Gemm& gemm = operands.gemm;
    std::vector<std::int32_t> product(gemm.m * gemm.n, 0);
    for (std::size_t m = 0; m < gemm.m; ++m)
        for (std::size_t k = 0; k < gemm.k; ++k)
            for (std::size_t n = 0; n < gemm.n; ++n)
                product[m * gemm.n + n] = static_cast<std::int32_t>(
                    static_cast<std::uint32_t>(product[m * gemm.n + n]) +
                    static_cast<std::uint32_t>(operands.a[m * gemm.k + k] * operands.b[k * gemm.n + n]));
    return product;
}

Result<ArrayView> ArrayView::make(const Array& array, Dataflow dataflow, Operands operands)
{
    if (auto good = check(array, operands); !good)
        return good.error();
    ArrayView view;
    view.m_array = array;
    view.m_dataflow = dataflow;
    view.m_folding = foldingOf(array, dataflow, operands.gemm);
    Laid matrices = laid(dataflow, std::move(operands));
    view.m_stay = std::move(matrices.stay);
    view.m_stream = std::move(matrices.stream);
    return view;
}

void ArrayView::enter(std::uint64_t fold)
{
    if (fold == m_fold)
        return;
    m_fold = fold;
    const auto row0 = static_cast<std::int64_t>(fold % m_folding.rowFolds) * m_array.rows;
    const auto col0 = static_cast<std::int64_t>(fold / m_folding.rowFolds) * m_array.cols;
    const auto rows = static_cast<std::int64_t>(m_folding.rows), cols = static_cast<std::int64_t>(m_folding.cols);
    const auto stream = static_cast<std::int64_t>(m_folding.stream);
    m_usedRows = std::min<std::int64_t>(m_array.rows, rows - row0);
    m_usedCols = std::min<std::int64_t>(m_array.cols, cols - col0);
    const std::int64_t pad = m_array.cols;
    m_stride = stream + 2 * pad;
    const bool output = m_dataflow == Dataflow::OutputStationary;
    // os: a is m x k, row r streams its k. ws, is: stream x rows.
    m_left = output ? backwards(m_array, m_stream, m_stride, pad, stream, m_usedRows, stream, row0 * stream, 1)
                    : backwards(m_array, m_stream, m_stride, pad, stream, m_usedRows, 1, row0, rows);
    const std::int64_t held = output ? stream : m_array.rows;
    m_held.assign(static_cast<std::size_t>(held * m_array.cols), 0);
    for (std::int64_t r = 0; r < (output ? stream : m_usedRows); ++r)
        for (std::int64_t c = 0; c < m_usedCols; ++c)
            m_held[static_cast<std::size_t>(r * m_array.cols + c)] =
                m_stay[static_cast<std::size_t>(((output ? 0 : row0) + r) * cols + col0 + c)];
    if (!output)
        return;
    // Sums of the first 0, i, 2i … products of every PE.
    const auto elements = static_cast<std::int64_t>(m_array.elements());
    m_interval = 128;
    while (stream / m_interval * elements > 64 << 20)
        m_interval *= 2;
    m_checkpoints.assign(static_cast<std::size_t>((stream / m_interval + 1) * elements), 0);
    std::vector<std::int32_t> sums(static_cast<std::size_t>(elements), 0);
    std::vector<std::int16_t> same(m_array.cols);
    for (std::int64_t k = 0; k < stream; ++k) {
        if (k % m_interval == 0)
            std::copy(sums.begin(), sums.end(), m_checkpoints.begin() + k / m_interval * elements);
        for (std::int64_t r = 0; r < m_usedRows; ++r) {
            const std::int16_t value = m_left[static_cast<std::size_t>(r * m_stride + stream - 1 - k + m_array.cols)];
            if (value == 0)
                continue;
            std::fill(same.begin(), same.end(), value);
            multiplyAdd(sums.data() + r * m_array.cols, same.data(), m_held.data() + k * m_array.cols, m_usedCols);
        }
    }
    if (stream % m_interval == 0)
        std::copy(sums.begin(), sums.end(), m_checkpoints.begin() + stream / m_interval * elements);
}

void ArrayView::at(std::uint64_t cycle, ArrayMoment& moment)
{
    moment.cycle = cycle;
    moment.fold = cycle / m_folding.perFold;
    moment.inFold = cycle % m_folding.perFold;
    enter(moment.fold);
    const std::size_t elements = m_array.elements();
    moment.held.assign(elements, 0);
    moment.moving.assign(elements, 0);
    moment.sum.assign(elements, 0);
    moment.active.assign(elements, 0);
    moment.activeCount = 0;
    const auto t = static_cast<std::int64_t>(moment.inFold);
    if (m_dataflow == Dataflow::OutputStationary)
        outputs(t, moment);
    else
        stationary(t, moment);
}

void ArrayView::stationary(std::int64_t t, ArrayMoment& moment) const
{
    const std::int64_t rows = m_array.rows, cols = m_array.cols, stream = static_cast<std::int64_t>(m_folding.stream);
    for (std::int64_t r = 0; r < rows; ++r) {
        // While the array is being filled, PE row r has what was pushed in r cycles ago.
        const std::int64_t which = t >= rows ? r : rows - 1 - (t - r);
        if (which < rows)
            std::copy_n(m_held.begin() + which * cols, cols, moment.held.begin() + r * cols);
        // Column c sees the value of time t - R - r - c.
        const std::int64_t time = t - rows - r;
        const std::int64_t from = std::max<std::int64_t>(0, time - stream + 1);
        const std::int64_t to = std::min(cols, time + 1);
        if (from >= to)
            continue;
        const std::int64_t at = stream - 1 - time + cols; // of column 0
        std::copy_n(m_left.begin() + r * m_stride + at + from, to - from, moment.moving.begin() + r * cols + from);
        // Its sum is of rows 0 to r, all of that time.
        for (std::int64_t i = 0; i <= std::min(r, m_usedRows - 1); ++i)
            multiplyAdd(moment.sum.data() + r * cols + from, m_left.data() + i * m_stride + at + from,
                        m_held.data() + i * cols + from, std::min(to, m_usedCols) - from);
        if (r < m_usedRows)
            for (std::int64_t c = from; c < std::min(to, m_usedCols); ++c) {
                moment.active[static_cast<std::size_t>(r * cols + c)] = 1;
                ++moment.activeCount;
            }
    }
}

void ArrayView::outputs(std::int64_t t, ArrayMoment& moment) const
{
    const std::int64_t rows = m_array.rows, cols = m_array.cols, stream = static_cast<std::int64_t>(m_folding.stream);
    const std::int64_t elements = rows * cols;
    std::vector<std::int16_t> skewed(static_cast<std::size_t>(cols));
    for (std::int64_t r = 0; r < m_usedRows; ++r) {
        const std::int64_t time = t - r;
        // Products done by column c: time - c + 1, none at least and all at most.
        for (std::int64_t c = 0; c < cols; ++c) {
            const std::int64_t k = time - c;
            if (k < 0 || k >= stream)
                continue;
            const auto at = static_cast<std::size_t>(r * cols + c);
            moment.moving[at] = m_left[static_cast<std::size_t>(r * m_stride + stream - 1 - k + cols)];
            moment.held[at] = m_held[static_cast<std::size_t>(k * cols + c)];
            if (c < m_usedCols) {
                moment.active[at] = 1;
                ++moment.activeCount;
            }
        }
        // From the checkpoint before the diagonal on.
        for (std::int64_t c = 0; c < m_usedCols; ++c) {
            const std::int64_t have = std::clamp<std::int64_t>(time - c + 1, 0, stream);
            const std::int64_t base = have / m_interval * m_interval;
            moment.sum[static_cast<std::size_t>(r * cols + c)] =
                m_checkpoints[static_cast<std::size_t>(base / m_interval * elements + r * cols + c)];
        }
        for (std::int64_t c = 0; c < m_usedCols; ++c) {
            const std::int64_t have = std::clamp<std::int64_t>(time - c + 1, 0, stream);
            std::uint32_t sum = 0;
            const std::int16_t* left = m_left.data() + r * m_stride + stream - 1 + cols;
            for (std::int64_t k = have / m_interval * m_interval; k < have; ++k)
                sum +=
                    static_cast<std::uint32_t>(std::int32_t{left[-k]} * m_held[static_cast<std::size_t>(k * cols + c)]);
            auto& total = moment.sum[static_cast<std::size_t>(r * cols + c)];
            total = static_cast<std::int32_t>(static_cast<std::uint32_t>(total) + sum);
        }
    }
    // Below the last used row weights still pass.
    for (std::int64_t r = m_usedRows; r < rows; ++r)
        for (std::int64_t c = 0; c < cols; ++c)
            if (const std::int64_t k = t - r - c; k >= 0 && k < stream)
                moment.held[static_cast<std::size_t>(r * cols + c)] = m_held[static_cast<std::size_t>(k * cols + c)];
}

Result<ArrayEngine> ArrayEngine::make(const Array& array, Dataflow dataflow, Operands operands)
{
    if (auto good = check(array, operands); !good)
        return good.error();
    ArrayEngine engine;
    engine.m_array = array;
    engine.m_dataflow = dataflow;
    engine.m_gemm = operands.gemm;
    engine.m_folding = foldingOf(array, dataflow, operands.gemm);
    Laid matrices = laid(dataflow, std::move(operands));
    engine.m_stay = std::move(matrices.stay);
    engine.m_stream = std::move(matrices.stream);
    engine.m_results.assign(engine.m_gemm.m * engine.m_gemm.n, 0);
    engine.m_sums.assign(array.rows * static_cast<std::size_t>(inStrips(array.cols)), 0);
    return engine;
}

void ArrayEngine::enter(std::uint64_t fold)
{
    m_fold = fold;
    const auto row0 = static_cast<std::int64_t>(fold % m_folding.rowFolds) * m_array.rows;
    const auto col0 = static_cast<std::int64_t>(fold / m_folding.rowFolds) * m_array.cols;
    const auto rows = static_cast<std::int64_t>(m_folding.rows), cols = static_cast<std::int64_t>(m_folding.cols);
    const auto stream = static_cast<std::int64_t>(m_folding.stream);
    const std::int64_t width = m_array.cols;
    m_usedRows = std::min<std::int64_t>(m_array.rows, rows - row0);
    m_usedCols = std::min<std::int64_t>(width, cols - col0);
    const bool output = m_dataflow == Dataflow::OutputStationary;
    // A cycle too early or too late reads zeros: every row sees every cycle of the fold.
    const std::int64_t pad = inStrips(width);
    m_stride = strideOf(stream, pad);
    m_left = output ? backwards(m_array, m_stream, m_stride, pad, stream, m_usedRows, stream, row0 * stream, 1)
                    : backwards(m_array, m_stream, m_stride, pad, stream, m_usedRows, 1, row0, rows);
    std::fill(m_sums.begin(), m_sums.end(), 0);
    if (!output) {
        m_weights.assign(m_array.rows * static_cast<std::size_t>(pad), 0);
        for (std::int64_t r = 0; r < m_usedRows; ++r)
            for (std::int64_t c = 0; c < m_usedCols; ++c)
                m_weights[placeOf(r, c, m_array.rows)] = m_stay[static_cast<std::size_t>((row0 + r) * cols + col0 + c)];
        return;
    }
    // Column c of the row that enters in cycle s is b[s - c].
    m_top.assign(static_cast<std::size_t>((stream + width) * width), 0);
    for (std::int64_t k = 0; k < stream; ++k)
        for (std::int64_t c = 0; c < m_usedCols; ++c)
            m_top[static_cast<std::size_t>((k + c) * width + c)] =
                m_stay[static_cast<std::size_t>(k * cols + col0 + c)];
}

void ArrayEngine::step(std::uint64_t count)
{
    count = std::min(count, m_folding.cycles() - m_cycle);
    while (count > 0) {
        const std::uint64_t fold = m_cycle / m_folding.perFold, from = m_cycle % m_folding.perFold;
        if (fold != m_fold)
            enter(fold);
        const std::uint64_t now = std::min(count, m_folding.perFold - from);
        run(static_cast<std::int64_t>(from), static_cast<std::int64_t>(from + now));
        m_cycle += now;
        count -= now;
    }
}

void ArrayEngine::run(std::int64_t from, std::int64_t to)
{
    if (m_dataflow == Dataflow::OutputStationary)
        runOutputs(from, to);
    else
        runStationary(std::max<std::int64_t>(from, m_array.rows), to);
}

void ArrayEngine::runStationary(std::int64_t from, std::int64_t to)
{
    const std::int64_t rows = m_array.rows, cols = m_array.cols, stream = static_cast<std::int64_t>(m_folding.stream);
    // The sums that enter row 0 in cycle t sink one row a cycle: their slot is t modulo R all the way. Columns do not
    // meet, so that a strip of them stays in the nearest cache for a while.
    const auto row0 = static_cast<std::int64_t>(m_fold / m_folding.rowFolds) * cols;
    const auto width = static_cast<std::int64_t>(m_folding.cols);
    for (std::int64_t c0 = 0; c0 < m_usedCols; c0 += kStrip) {
        const std::int64_t count = std::min(kStrip, m_usedCols - c0);
        const std::size_t strip = placeOf(0, c0, rows);
        const Wave wave{m_sums.data() + strip,
                        m_left.data() + stream - 1 + inStrips(cols) + c0,
                        m_weights.data() + strip,
                        rows,
                        m_stride,
                        m_usedRows};
        for (std::int64_t t = from; t < to; ++t) {
            // Row r is busy while some column of the strip has a value: time t - R - r - c is one of the stream.
            const std::int64_t time = t - rows;
            const std::int64_t first = std::max<std::int64_t>(0, time - c0 - count + 1 - stream + 1);
            const std::int64_t last = std::min(rows - 1, time - c0);
            if (first <= last)
                sink(wave, time, first, last);
            // What leaves the last row.
            const std::int64_t leaving = time - (rows - 1);
            const std::int64_t begin = std::max(c0, leaving - stream + 1), end = std::min(c0 + count, leaving + 1);
            if (begin >= end)
                continue;
            const std::int32_t* sums = m_sums.data() + placeOf(leaving % rows, c0, rows) - c0;
            for (std::int64_t c = begin; c < end; ++c) {
                auto& result = m_results[static_cast<std::size_t>((leaving - c) * width + row0 + c)];
                result =
                    static_cast<std::int32_t>(static_cast<std::uint32_t>(result) + static_cast<std::uint32_t>(sums[c]));
            }
        }
    }
}

void ArrayEngine::runOutputs(std::int64_t from, std::int64_t to)
{
    const std::int64_t cols = m_array.cols, stream = static_cast<std::int64_t>(m_folding.stream);
    for (std::int64_t r = 0; r < m_usedRows; ++r) // rows do not meet: each takes all its cycles at once
        stay(m_sums.data() + r * cols, m_left.data() + r * m_stride + stream - 1 + inStrips(cols), m_top.data(),
             std::max<std::int64_t>(0, from - r), std::min(to - r, stream + m_usedCols - 1), cols, m_usedCols);
    if (to < static_cast<std::int64_t>(m_folding.perFold))
        return;
    const std::size_t row0 = m_fold % m_folding.rowFolds * m_array.rows,
                      col0 = m_fold / m_folding.rowFolds * m_array.cols;
    for (std::int64_t r = 0; r < m_usedRows; ++r)
        for (std::int64_t c = 0; c < m_usedCols; ++c)
            m_results[(row0 + static_cast<std::size_t>(r)) * m_gemm.n + col0 + static_cast<std::size_t>(c)] =
                m_sums[static_cast<std::size_t>(r * cols + c)];
}

std::int32_t ArrayEngine::sum(std::uint32_t row, std::uint32_t col) const
{
    if (m_cycle == 0)
        return 0;
    const auto t = static_cast<std::int64_t>((m_cycle - 1) % m_folding.perFold);
    if (m_dataflow == Dataflow::OutputStationary)
        return m_sums[std::size_t{row} * m_array.cols + col];
    const std::int64_t time = t - m_array.rows - row - std::int64_t{col};
    if (time < 0 || time >= static_cast<std::int64_t>(m_folding.stream))
        return 0;
    return m_sums[placeOf((t - m_array.rows - row) % m_array.rows, col, m_array.rows)];
}

std::int16_t ArrayEngine::held(std::uint32_t row, std::uint32_t col) const
{
    if (m_cycle == 0)
        return 0;
    const auto t = static_cast<std::int64_t>((m_cycle - 1) % m_folding.perFold);
    if (m_dataflow == Dataflow::OutputStationary) {
        const std::int64_t time = t - row;
        return time < 0 || time - std::int64_t{col} >= static_cast<std::int64_t>(m_folding.stream) || time < col
                   ? std::int16_t{0}
                   : m_top[static_cast<std::size_t>(time * m_array.cols + col)];
    }
    const std::int64_t which = t >= m_array.rows ? row : m_array.rows - 1 - (t - std::int64_t{row});
    return which >= m_array.rows ? std::int16_t{0} : m_weights[placeOf(which, col, m_array.rows)];
}

std::vector<std::int32_t> ArrayEngine::product() const
{
    if (m_dataflow != Dataflow::InputStationary)
        return m_results;
    std::vector<std::int32_t> product(m_results.size());
    for (std::size_t n = 0; n < m_gemm.n; ++n)
        for (std::size_t m = 0; m < m_gemm.m; ++m)
            product[m * m_gemm.n + n] = m_results[n * m_gemm.m + m];
    return product;
}

} // namespace ridge::accelerator
