// SPDX-License-Identifier: GPL-3.0-or-later
#include "accelerator/scalesim.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <string>
#include <vector>

namespace ridge::accelerator {
namespace {

using Words = std::uint64_t;

/// Addresses of an operand: first[i] + second[j], for row i and column j of a matrix.
struct Operand {
    std::vector<std::uint32_t> first, second;
    std::size_t addresses = 0;
    /// A convolution whose last windows reach over the edge: those places are not asked for.
    std::vector<std::uint32_t> row, col, windowRow, windowCol;
    std::uint32_t inH = 0, inW = 0;
    bool ragged = false;

    /// Distinct addresses that the layer asks for.
    std::size_t asked = 0;
    bool there(std::size_t i, std::size_t j) const
    {
        return !ragged || (row[i] + windowRow[j] < inH && col[i] + windowCol[j] < inW);
    }
};

Operand inputOf(const Conv& conv)
{
    Operand operand;
    operand.inH = conv.inH;
    operand.inW = conv.inW;
    operand.ragged = (conv.inH - conv.kernelH) % conv.strideH != 0 || (conv.inW - conv.kernelW) % conv.strideW != 0;
    const std::uint64_t outW = conv.outW(), pixels = conv.outH() * outW;
    operand.first.resize(pixels);
    operand.row.resize(operand.ragged ? pixels : 0);
    operand.col = operand.row;
    for (std::uint64_t i = 0; i < pixels; ++i) {
        const std::uint64_t row = i / outW * conv.strideH, col = i % outW * conv.strideW;
        operand.first[i] = static_cast<std::uint32_t>((row * conv.inW + col) * conv.channels);
        if (operand.ragged) {
            operand.row[i] = static_cast<std::uint32_t>(row);
            operand.col[i] = static_cast<std::uint32_t>(col);
        }
    }
    operand.second.resize(conv.window());
    operand.windowRow.resize(operand.ragged ? conv.window() : 0);
    operand.windowCol = operand.windowRow;
    for (std::uint64_t j = 0; j < conv.window(); ++j) {
        const std::uint64_t line = std::uint64_t{conv.kernelW} * conv.channels;
        operand.second[j] = static_cast<std::uint32_t>(j / line * conv.inW * conv.channels + j % line);
        if (operand.ragged) {
            operand.windowRow[j] = static_cast<std::uint32_t>(j / line);
            operand.windowCol[j] = static_cast<std::uint32_t>(j % line / conv.channels);
        }
    }
    // Places over the edge have addresses too, which nobody fetches.
    operand.addresses = std::max<std::size_t>(std::size_t{conv.inH} * conv.inW * conv.channels,
                                              std::size_t{operand.first.back()} + operand.second.back() + 1);
    const auto touched = [](std::uint64_t out, std::uint32_t stride, std::uint32_t kernel, std::uint32_t in) {
        return std::min<std::uint64_t>(in, (out - 1) * stride + kernel) -
               (stride > kernel ? (out - 1) * (stride - kernel) : 0);
    };
    operand.asked = touched(conv.outH(), conv.strideH, conv.kernelH, conv.inH) *
                    touched(outW, conv.strideW, conv.kernelW, conv.inW) * conv.channels;
    return operand;
}

/// Filters as first: n, second: k.
Operand filterOf(const Gemm& gemm)
{
    Operand operand;
    operand.first.resize(gemm.n);
    operand.second.resize(gemm.k);
    for (std::size_t i = 0; i < gemm.n; ++i)
        operand.first[i] = static_cast<std::uint32_t>(i * gemm.k);
    for (std::size_t j = 0; j < gemm.k; ++j)
        operand.second[j] = static_cast<std::uint32_t>(j);
    operand.addresses = operand.asked = gemm.n * gemm.k;
    return operand;
}

/// What one cycle asks of an operand: the elements (i + di c, j + dj c) for c from `from` to `to` - 1.
struct Row {
    std::int64_t i = 0, j = 0;
    int di = 0, dj = 0;
    std::int64_t from = 0, to = 0;
};

/// Which elements each cycle of a fold asks for.
class Schedule {
public:
    Schedule(const Array& array, Dataflow dataflow, const Gemm& gemm)
        : m_flow(dataflow), m_folding(foldingOf(array, dataflow, gemm)), m_rows(array.rows), m_cols(array.cols)
    {
    }
    const Folding& folding() const { return m_folding; }
    void fold(std::uint64_t number)
    {
        const std::uint64_t column = number / m_folding.rowFolds, row = number % m_folding.rowFolds;
        m_row0 = static_cast<std::int64_t>(row * m_rows);
        m_col0 = static_cast<std::int64_t>(column * m_cols);
        m_usedRows = std::min<std::int64_t>(m_rows, static_cast<std::int64_t>(m_folding.rows) - m_row0);
        m_usedCols = std::min<std::int64_t>(m_cols, static_cast<std::int64_t>(m_folding.cols) - m_col0);
    }
    std::int64_t used() const { return m_usedRows * m_usedCols; }
    /// Cycles t of a fold in which something may be asked for: before, none.
    Row input(std::int64_t t) const
    {
        switch (m_flow) {
        case Dataflow::OutputStationary:
            return diagonal(t, m_row0, m_usedRows, true);
        case Dataflow::WeightStationary:
            return diagonal(t - m_rows, m_row0, m_usedRows, false);
        case Dataflow::InputStationary:
            break;
        }
        return loaded(t);
    }
    Row filter(std::int64_t t) const
    {
        switch (m_flow) {
        case Dataflow::OutputStationary:
            return diagonal(t, m_col0, m_usedCols, true);
        case Dataflow::WeightStationary:
            return loaded(t);
        case Dataflow::InputStationary:
            break;
        }
        return diagonal(t - m_rows, m_row0, m_usedRows, false);
    }
    /// Words that leave the bottom edge in this cycle.
    std::int64_t written(std::int64_t t) const
    {
        std::int64_t low, high; // of t - column
        if (m_flow == Dataflow::OutputStationary) {
            const std::int64_t begin = static_cast<std::int64_t>(m_folding.stream) - 1;
            low = begin + m_rows - m_usedRows;
            high = begin + m_rows - 1;
        } else {
            low = 2 * m_rows - 1;
            high = low + static_cast<std::int64_t>(m_folding.stream) - 1;
        }
        const std::int64_t from = std::max<std::int64_t>(0, t - high), to = std::min(m_usedCols - 1, t - low);
        return std::max<std::int64_t>(0, to - from + 1);
    }

private:
    /// Element (first + c, t - c) or, where the stream is the matrix's row, (t - c, first + c).
    Row diagonal(std::int64_t t, std::int64_t first, std::int64_t used, bool streamIsSecond) const
    {
        Row row;
        row.from = std::max<std::int64_t>(0, t - static_cast<std::int64_t>(m_folding.stream) + 1);
        row.to = std::min(used, t + 1);
        row.i = streamIsSecond ? first : t;
        row.di = streamIsSecond ? 1 : -1;
        row.j = streamIsSecond ? t : first;
        row.dj = streamIsSecond ? -1 : 1;
        return row;
    }
    /// A row of what stays, the last one first.
    Row loaded(std::int64_t t) const
    {
        Row row;
        const std::int64_t k = m_rows - 1 - t;
        if (t >= m_rows || k >= m_usedRows)
            return row;
        row.i = m_col0;
        row.di = 1;
        row.j = m_row0 + k;
        row.to = m_usedCols;
        return row;
    }

    Dataflow m_flow;
    Folding m_folding;
    std::int64_t m_rows, m_cols, m_row0 = 0, m_col0 = 0, m_usedRows = 0, m_usedCols = 0;
};

/// The read buffer of CALC: a window over the order of first touches, in hundredths of the buffer. What has left the
/// window is fetched again.
class EstimatedReads {
public:
    EstimatedReads(const Operand& operand, Words bufferWords)
        : m_operand(operand), m_perSet(bufferWords / 100), m_setOf(operand.addresses, kNever)
    {
    }
    /// Whether each word is fetched once, so that nobody need ask: all `asked` words stay, or each of them is `read`
    /// once.
    bool once(Words asked, Words read) const { return m_perSet == 0 || asked < kHalf * m_perSet || asked == read; }
    void fetchOnce(Words asked) { m_fetched = asked; }
    void ask(const Row& row)
    {
        const std::uint32_t* first = m_operand.first.data();
        const std::uint32_t* second = m_operand.second.data();
        std::int32_t* setOf = m_setOf.data();
        std::int32_t start = m_windowStart;
        std::int64_t i = row.i + row.di * row.from, j = row.j + row.dj * row.from;
        for (std::int64_t c = row.from; c < row.to; ++c, i += row.di, j += row.dj) {
            std::int32_t& set = setOf[first[i] + second[j]];
            if (set >= start || !m_operand.there(static_cast<std::size_t>(i), static_cast<std::size_t>(j)))
                continue;
            fetch(set);
            start = m_windowStart;
        }
    }
    Words fetched() const { return m_fetched; }

private:
    static constexpr std::int32_t kNever = -1;
    static constexpr std::int32_t kHalf = 50; // sets that leave at once
    void fetch(std::int32_t& set)
    {
        set = m_set;
        ++m_fetched;
        if (++m_inSet != m_perSet)
            return;
        m_inSet = 0;
        if (++m_set == m_windowStart + kHalf)
            m_windowStart += kHalf;
    }

    const Operand& m_operand;
    Words m_perSet, m_inSet = 0, m_fetched = 0;
    std::int32_t m_set = 0, m_windowStart = 0;
    std::vector<std::int32_t> m_setOf;
};

/// The read buffer of USER: the operand in the order of its fetches, cut in lines of a hundredth of the buffer; half of
/// the buffer holds a window of lines that moves on, round and round, until the word is in it.
class UserReads {
public:
    UserReads(const Operand& operand, Words bufferWords, std::uint32_t wordsPerCycle)
        : m_operand(operand), m_wordsPerCycle(wordsPerCycle), m_active((bufferWords + 1) / 2),
          m_prefetch(bufferWords - m_active), m_perLine((bufferWords + 99) / 100)
    {
    }
    /// The order of fetches: `rows` x `cols` elements of which `place` gives (i, j), or false for none; along diagonals
    /// or row by row.
    template<class Place>
    void order(std::int64_t rows, std::int64_t cols, bool diagonal, const Place& place)
    {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> found; // address, line
        Words counted = 0;
        std::uint32_t line = 0;
        const auto take = [&](std::int64_t r, std::int64_t c) {
            std::size_t i = 0, j = 0;
            if (!place(r, c, i, j) || !m_operand.there(i, j))
                return;
            found.emplace_back(m_operand.first[i] + m_operand.second[j], line);
            if (++counted == m_perLine) {
                counted = 0;
                ++line;
            }
        };
        if (diagonal)
            for (std::int64_t d = 0; d < rows + cols - 1; ++d)
                for (std::int64_t r = std::min(d, rows - 1); r >= std::max<std::int64_t>(0, d - cols + 1); --r)
                    take(r, d - r);
        else
            for (std::int64_t r = 0; r < rows; ++r)
                for (std::int64_t c = 0; c < cols; ++c)
                    take(r, c);
        m_lines = line + 1;
        m_fetchRows = (static_cast<Words>(rows) * static_cast<Words>(cols) + m_wordsPerCycle - 1) / m_wordsPerCycle;
        const auto most = [&](Words words) {
            return static_cast<std::uint32_t>(std::min<Words>((words + m_perLine - 1) / m_perLine, 1u << 31));
        };
        m_activeLines = std::min(m_lines, most(m_active));
        m_step = std::min(m_lines - m_activeLines, most(m_prefetch));
        // Lines of each address, ascending.
        m_begin.assign(m_operand.addresses + 1, 0);
        for (const auto& [address, at] : found)
            ++m_begin[address + 1];
        for (std::size_t i = 1; i < m_begin.size(); ++i)
            m_begin[i] += m_begin[i - 1];
        m_lineOf.resize(found.size());
        std::vector<std::uint32_t> fill(m_begin.begin(), m_begin.end() - 1);
        for (const auto& [address, at] : found)
            m_lineOf[fill[address]++] = at;
        m_last.resize(m_operand.addresses);
        for (std::size_t a = 0; a < m_operand.addresses; ++a)
            m_last[a] = m_begin[a] < m_begin[a + 1] ? m_lineOf[m_begin[a]] : 0;
        // The half that is active is fetched before the first cycle.
        m_accesses = std::min((m_active + m_wordsPerCycle - 1) / m_wordsPerCycle, m_fetchRows) * m_wordsPerCycle;
        const Words lines = (m_prefetch + m_wordsPerCycle - 1) / m_wordsPerCycle;
        m_perFetch = lines * m_wordsPerCycle;
        m_fetchCycles = static_cast<std::int64_t>(lines) + 1;
    }
    /// The stall of the cycle that asks for a row. It may be negative: a fetch that ended before the request moves the
    /// answer forward.
    std::int64_t ask(const Row& row, std::int64_t cycle)
    {
        m_offset = 1;
        if (m_step == 0)
            return 0;
        const std::uint32_t* first = m_operand.first.data();
        const std::uint32_t* second = m_operand.second.data();
        const std::uint32_t* last = m_last.data();
        std::int64_t i = row.i + row.di * row.from, j = row.j + row.dj * row.from;
        for (std::int64_t c = row.from; c < row.to; ++c, i += row.di, j += row.dj) {
            const std::uint32_t address = first[i] + second[j];
            if (distance(last[address]) >= m_activeLines &&
                m_operand.there(static_cast<std::size_t>(i), static_cast<std::size_t>(j)))
                find(address, cycle);
        }
        return m_offset - 1;
    }
    Words fetched() const { return m_accesses; }

private:
    std::uint32_t distance(std::uint32_t line) const
    {
        return line >= m_start ? line - m_start : line + m_lines - m_start;
    }
    void find(std::uint32_t address, std::int64_t cycle)
    {
        // The nearest of its lines ahead of the window's start; it may have several.
        std::uint32_t nearest = ~0u;
        const auto begin = m_lineOf.begin() + m_begin[address], end = m_lineOf.begin() + m_begin[address + 1];
        const auto next = std::lower_bound(begin, end, m_start);
        m_last[address] = next != end ? *next : *begin;
        nearest = distance(m_last[address]);
        if (nearest < m_activeLines)
            return;
        fetchTimes((nearest - m_activeLines) / m_step + 1, cycle);
    }
    void fetchTimes(std::uint64_t times, std::int64_t cycle)
    {
        m_start = static_cast<std::uint32_t>((m_start + times % m_lines * m_step) % m_lines);
        m_accesses += times * m_perFetch;
        const auto once = [&] {
            m_lastFetch += m_fetchCycles;
            const std::int64_t wait = m_lastFetch - (cycle + m_offset);
            m_offset += wait;
            if (wait > 0) // SCALE-Sim adds a stall twice
                m_offset += wait;
        };
        // After two of them the offset repeats every second time, relative to the last fetch.
        for (int i = 0; i < 3 && times > 0; ++i, --times)
            once();
        const std::uint64_t skipped = times / 2 * 2;
        m_lastFetch += static_cast<std::int64_t>(skipped) * m_fetchCycles;
        m_offset += static_cast<std::int64_t>(skipped) * m_fetchCycles;
        if (times % 2 != 0)
            once();
    }

    const Operand& m_operand;
    Words m_wordsPerCycle, m_active, m_prefetch, m_perLine, m_fetchRows = 0, m_accesses = 0, m_perFetch = 0;
    std::uint32_t m_lines = 1, m_activeLines = 1, m_step = 0, m_start = 0;
    std::int64_t m_offset = 1, m_lastFetch = -1, m_fetchCycles = 1;
    std::vector<std::uint32_t> m_begin, m_lineOf, m_last;
};

/// The write buffer: rows of as many words as DRAM takes a cycle; once more than half is full, half is sent. A row that
/// was sent half-full counts whole, unless it is the last of its turn.
class Writes {
public:
    Writes(Words bufferWords, Words wordsPerCycle)
        : m_perRow(wordsPerCycle), m_active((bufferWords + 1) / 2), m_drain(bufferWords - m_active),
          m_free(static_cast<std::int64_t>(bufferWords))
    {
    }
    /// The cycle in which the array goes on.
    std::int64_t write(std::int64_t words, std::int64_t cycle)
    {
        while (words > 0) {
            const bool draining = cycle < m_drainEnd;
            // Up to the word at which something happens.
            const std::int64_t until = draining ? m_free : m_free - static_cast<std::int64_t>(m_active) + 1;
            const std::int64_t take = std::min(words, std::max<std::int64_t>(1, until));
            store(take);
            words -= take;
            if (take < until)
                continue;
            if (draining)
                cycle = m_drainEnd;
            else
                m_drainEnd = drain(cycle);
        }
        return cycle;
    }
    void finish()
    {
        flush();
        while (!m_rows.empty())
            drain(0);
    }
    Words sent() const { return m_sent; }

private:
    void store(std::int64_t words)
    {
        m_free -= words;
        Words left = static_cast<Words>(words);
        while (left > 0) {
            const Words take = std::min(left, m_perRow - m_inRow);
            m_inRow += take;
            left -= take;
            if (m_inRow == m_perRow)
                flush();
        }
    }
    void flush()
    {
        if (m_inRow > 0)
            m_rows.push_back(m_inRow);
        m_inRow = 0;
    }
    std::int64_t drain(std::int64_t cycle)
    {
        flush();
        const std::size_t rows = std::min<std::size_t>((m_drain + m_perRow - 1) / m_perRow, m_rows.size());
        if (rows == 0)
            return cycle;
        const Words sent = rows * m_perRow - (m_perRow - m_rows[rows - 1]);
        m_rows.erase(m_rows.begin(), m_rows.begin() + static_cast<std::ptrdiff_t>(rows));
        m_sent += sent;
        m_free += static_cast<std::int64_t>(sent);
        return cycle + static_cast<std::int64_t>(rows) - 1;
    }

    Words m_perRow, m_active, m_drain, m_inRow = 0, m_sent = 0;
    std::int64_t m_free, m_drainEnd = 0;
    std::deque<Words> m_rows;
};

/// The order in which SCALE-Sim fetches an operand: the folds below each other.
void orderFetches(UserReads& reads, bool input, const Array& array, Dataflow dataflow, const Gemm& gemm)
{
    const auto folds = [](std::uint64_t all, std::uint64_t side) {
        return static_cast<std::int64_t>((all + side - 1) / side);
    };
    // `stacked`: elements of the dimension that is cut in folds of `side`, `along` the other; the element is (stacked,
    // along) or (along, stacked) as (i, j).
    const auto stack = [&](std::uint64_t stacked, std::uint32_t side, std::uint64_t along, bool stackedIsFirst,
                           bool diagonal) {
        const auto length = static_cast<std::int64_t>(along);
        reads.order(folds(stacked, side) * length, side, diagonal,
                    [=](std::int64_t r, std::int64_t c, std::size_t& i, std::size_t& j) {
                        const std::uint64_t s =
                            static_cast<std::uint64_t>(r / length) * side + static_cast<std::uint64_t>(c);
                        const auto a = static_cast<std::size_t>(r % length);
                        i = stackedIsFirst ? s : a;
                        j = stackedIsFirst ? a : s;
                        return s < stacked;
                    });
    };
    const bool output = dataflow == Dataflow::OutputStationary;
    const bool weights = dataflow == Dataflow::WeightStationary;
    if (input) {
        if (weights)
            stack(gemm.k, array.rows, gemm.m, false, true);
        else
            stack(gemm.m, output ? array.rows : array.cols, gemm.k, true, output);
    } else if (dataflow == Dataflow::InputStationary)
        stack(gemm.k, array.rows, gemm.n, false, true);
    else
        stack(gemm.n, array.cols, gemm.k, true, output);
}

double usedShare(const Array& array, const Folding& folding)
{
    return static_cast<double>(folding.rows) * static_cast<double>(folding.cols) /
           (static_cast<double>(folding.folds()) * static_cast<double>(array.elements()));
}

} // namespace

ScaleSimRun scaleSimClosed(const ScaleSimSetup& setup, const Gemm& gemm)
{
    const Folding folding = foldingOf(setup.array, setup.dataflow, gemm);
    ScaleSimRun run;
    run.cycles = folding.cycles() - 1;
    run.overallUtilization =
        static_cast<double>(gemm.macs()) /
        (static_cast<double>(setup.array.elements()) * static_cast<double>(std::max<std::uint64_t>(run.cycles, 1)));
    run.mappingEfficiency = usedShare(setup.array, folding);
    run.sram = sramCounts(setup.array, setup.dataflow, gemm);
    if (setup.dataflow == Dataflow::OutputStationary)
        run.sram.writes += folding.folds() * (std::uint64_t{setup.array.rows} + setup.array.cols);
    return run;
}

Result<ScaleSimRun> scaleSim(const ScaleSimSetup& setup, const Conv& conv, const std::function<bool()>& keepOn)
{
    if (auto good = checkArray(setup.array); !good)
        return good.error();
    if (auto good = checkConv(conv); !good)
        return good.error();
    const Gemm gemm = gemmOf(conv);
    if (auto good = checkGemm(gemm); !good)
        return good.error();
    // Of the words that are followed one by one, of cycles, and of what is kept of an operand and of rows to write.
    constexpr std::uint64_t mostWords = std::uint64_t{1} << 32, mostCycles = std::uint64_t{1} << 31;
    const std::uint64_t mostKept = std::uint64_t{1} << (setup.user ? 25 : 27);
    ScaleSimRun run = scaleSimClosed(setup, gemm);
    Schedule schedule(setup.array, setup.dataflow, gemm);
    const Folding& folding = schedule.folding();
    // USER lists an operand in folds as wide as the array, empty places included.
    const std::uint64_t widest = std::max(setup.array.rows, setup.array.cols);
    const std::uint64_t listed = setup.user ? (std::max({gemm.m, gemm.n, gemm.k}) / widest + 1) * widest : 1;
    const std::uint64_t rowWords = std::max<std::uint64_t>(1, setup.user ? setup.writeWords : setup.array.cols);
    if (run.sram.a + run.sram.b > mostWords || folding.cycles() > mostCycles || gemm.m * gemm.k > mostKept ||
        gemm.k * gemm.n > mostKept || std::uint64_t{conv.inH} * conv.inW > mostKept / conv.channels ||
        listed > mostWords / std::max({gemm.m, gemm.n, gemm.k}) ||
        (run.sram.writes + folding.cycles()) / rowWords > std::uint64_t{1} << 27)
        return Error{"too-large", "the layer moves too many words to follow its DRAM accesses one by one", "m n k",
                     "take a smaller layer, a larger array, or mode=calibrated"};
    const auto wordsOf = [&](int which) { return setup.bufferBytes[which] / std::max<std::uint32_t>(1, setup.word); };
    for (int which = 0; which < 3; ++which)
        if (wordsOf(which) < 2 || (setup.user && (which < 2 ? setup.readWords[which] : setup.writeWords) == 0))
            return Error{"bad-buffer", "a buffer of less than two words, or a bandwidth of 0, moves nothing",
                         "sram_kb, bandwidth", "give at least 1"};

    const Operand input = inputOf(conv), filter = filterOf(gemm);
    const auto perFold = static_cast<std::int64_t>(folding.perFold);
    Writes writes(wordsOf(2), setup.user ? setup.writeWords : setup.array.cols);
    std::int64_t stalls = 0, last = 0;
    const auto stopped = [&](std::uint64_t fold) { return (fold & 15) == 0 && keepOn && !keepOn(); };
    const Error cancelled{"cancelled", "the run was stopped", {}, {}};
    if (setup.user) {
        UserReads a(input, wordsOf(0), setup.readWords[0]), b(filter, wordsOf(1), setup.readWords[1]);
        orderFetches(a, true, setup.array, setup.dataflow, gemm);
        orderFetches(b, false, setup.array, setup.dataflow, gemm);
        std::int64_t cycle = 0;
        for (std::uint64_t fold = 0; fold < folding.folds(); ++fold) {
            if (stopped(fold))
                return cancelled;
            schedule.fold(fold);
            for (std::int64_t t = 0; t < perFold; ++t, ++cycle) {
                const std::int64_t now = cycle + stalls;
                const std::int64_t ofA = a.ask(schedule.input(t), now), ofB = b.ask(schedule.filter(t), now);
                last = writes.write(schedule.written(t), now);
                stalls += std::max({ofA, ofB, last - now});
            }
        }
        run.dramA = a.fetched();
        run.dramB = b.fetched();
    } else {
        EstimatedReads a(input, wordsOf(0)), b(filter, wordsOf(1));
        const bool askA = !a.once(input.asked, run.sram.a), askB = !b.once(filter.asked, run.sram.b);
        if (!askA)
            a.fetchOnce(input.asked);
        if (!askB)
            b.fetchOnce(filter.asked);
        std::int64_t cycle = 0;
        for (std::uint64_t fold = 0; fold < folding.folds(); ++fold) {
            if (stopped(fold))
                return cancelled;
            schedule.fold(fold);
            for (std::int64_t t = 0; t < perFold; ++t, ++cycle) {
                if (askA)
                    a.ask(schedule.input(t));
                if (askB)
                    b.ask(schedule.filter(t));
                const std::int64_t now = cycle + stalls;
                last = writes.write(schedule.written(t), now);
                stalls += last - now;
            }
        }
        run.dramA = a.fetched();
        run.dramB = b.fetched();
    }
    writes.finish();
    run.dramWrites = writes.sent();
    run.cycles = static_cast<std::uint64_t>(last);
    run.stalls = static_cast<std::uint64_t>(stalls);
    run.overallUtilization =
        static_cast<double>(gemm.macs()) /
        (static_cast<double>(setup.array.elements()) * static_cast<double>(std::max<std::uint64_t>(run.cycles, 1)));
    return run;
}

} // namespace ridge::accelerator
