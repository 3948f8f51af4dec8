// SPDX-License-Identifier: GPL-3.0-or-later
#include "accelerator/mapping.h"

#include <algorithm>
#include <optional>

namespace ridge::accelerator {
namespace {

using Sizes = std::array<std::uint64_t, kDims>; ///< an extent, or a first index, of each dimension

std::size_t at(Dim dim)
{
    return static_cast<std::size_t>(dim);
}

/// A box of a tensor's words: begin and end along each of up to four axes.
struct Box {
    std::array<std::uint64_t, 4> begin{}, end{};
    std::uint64_t words() const
    {
        std::uint64_t product = 1;
        for (std::size_t i = 0; i < 4; ++i)
            product *= end[i] - begin[i];
        return product;
    }
    std::uint64_t shared(const Box& other) const
    {
        std::uint64_t product = 1;
        for (std::size_t i = 0; i < 4; ++i) {
            const std::uint64_t low = std::max(begin[i], other.begin[i]), high = std::min(end[i], other.end[i]);
            product *= high > low ? high - low : 0;
        }
        return product;
    }
    bool operator==(const Box&) const = default;
};

Box boxOf(Tensor tensor, const Sizes& first, const Sizes& extent)
{
    const auto whole = [&](Box& box, std::size_t axis, Dim dim) {
        box.begin[axis] = first[at(dim)];
        box.end[axis] = first[at(dim)] + extent[at(dim)];
    };
    const auto sum = [&](Box& box, std::size_t axis, Dim one, Dim other) {
        box.begin[axis] = first[at(one)] + first[at(other)];
        box.end[axis] = box.begin[axis] + extent[at(one)] + extent[at(other)] - 1;
    };
    Box box;
    switch (tensor) {
    case Tensor::Weights:
        whole(box, 0, Dim::R);
        whole(box, 1, Dim::S);
        whole(box, 2, Dim::C);
        whole(box, 3, Dim::K);
        break;
    case Tensor::Inputs:
        sum(box, 0, Dim::P, Dim::R);
        sum(box, 1, Dim::Q, Dim::S);
        whole(box, 2, Dim::C);
        box.end[3] = 1;
        break;
    case Tensor::Outputs:
        whole(box, 0, Dim::P);
        whole(box, 1, Dim::Q);
        whole(box, 2, Dim::K);
        box.end[3] = 1;
        break;
    }
    return box;
}

struct Step {
    Dim dim;
    std::uint64_t bound, stride;
    bool space;
};

/// What passes into the tiles below some loops while these run once: loops in space are walked too, but words that
/// several copies need at the same time are read once and sent to all.
struct Passed {
    std::uint64_t read = 0;   ///< of the level above the tiles
    std::uint64_t filled = 0; ///< into all copies
};

std::uint64_t walk(const std::vector<Step>& steps, const Sizes& tile, Tensor tensor, Passed& passed)
{
    std::vector<Step> time, space;
    for (const Step& step : steps)
        (step.space ? space : time).push_back(step);
    // Copies side by side: the box that they need together, and what they need apart.
    Sizes together = tile;
    std::uint64_t copies = 1;
    for (const Step& step : space) {
        together[at(step.dim)] += (step.bound - 1) * step.stride;
        copies *= step.bound;
    }
    std::vector<std::uint64_t> index(time.size(), 0);
    Sizes first{};
    std::optional<Box> lastTogether, lastTile;
    std::uint64_t walked = 0;
    for (;;) {
        ++walked;
        const Box whole = boxOf(tensor, first, together), own = boxOf(tensor, first, tile);
        passed.read += whole.words() - (lastTogether ? whole.shared(*lastTogether) : 0);
        passed.filled += (own.words() - (lastTile ? own.shared(*lastTile) : 0)) * copies;
        lastTogether = whole;
        lastTile = own;
        std::size_t i = time.size();
        while (i > 0) {
            --i;
            first[at(time[i].dim)] += time[i].stride;
            if (++index[i] < time[i].bound)
                break;
            first[at(time[i].dim)] -= time[i].bound * time[i].stride;
            index[i] = 0;
            if (i == 0)
                return walked;
        }
        if (time.empty())
            return walked;
    }
}

} // namespace

Result<MappingRun> runMapping(const std::vector<MappingLevel>& levels, double macEnergy)
{
    if (levels.empty() || levels.size() > 16)
        return Error{"bad-mapping", "a mapping has 1 to 16 levels", "levels", "name at least one"};
    for (const bool keeps : levels.front().keeps)
        if (!keeps)
            return Error{"bad-mapping", "the outermost level keeps every tensor", levels.front().name,
                         "bypass inner ones"};
    // Strides: how far a step of a loop goes, which is the product of the bounds inside it.
    std::vector<Step> steps;
    std::vector<std::size_t> ends;
    std::uint64_t computes = 1, cycles = 1;
    constexpr std::uint64_t most = std::uint64_t{1} << 24;
    for (const MappingLevel& level : levels) {
        for (const MappingLoop& loop : level.loops) {
            if (loop.bound < 1)
                return Error{"bad-mapping", "a loop with a bound of 0 never runs", level.name, "give 1 or more"};
            computes *= loop.bound;
            cycles *= loop.space ? 1 : loop.bound;
            if (computes > most)
                return Error{"too-large", "the nest has more than 2^24 steps to walk", level.name,
                             "make the layer smaller"};
            steps.push_back({loop.dim, loop.bound, 1, loop.space});
        }
        ends.push_back(steps.size());
    }
    Sizes inside;
    inside.fill(1);
    for (std::size_t i = steps.size(); i-- > 0;) {
        steps[i].stride = inside[at(steps[i].dim)];
        inside[at(steps[i].dim)] *= steps[i].bound;
    }
    MappingRun run;
    run.computes = computes;
    run.cycles = cycles;
    run.levels.resize(levels.size());
    for (std::size_t t = 0; t < 3; ++t) {
        const auto tensor = static_cast<Tensor>(t);
        // Levels that keep the tensor, and the multipliers below them.
        std::vector<std::size_t> keeping;
        for (std::size_t l = 0; l < levels.size(); ++l)
            if (levels[l].keeps[t])
                keeping.push_back(l);
        for (std::size_t k = 0; k < keeping.size(); ++k) {
            const bool multipliers = k + 1 == keeping.size();
            const std::size_t below = multipliers ? levels.size() : keeping[k + 1];
            // The tile below changes with every loop above it.
            const std::size_t outer = multipliers ? steps.size() : ends[below - 1];
            Sizes tile;
            tile.fill(1);
            for (std::size_t i = outer; i < steps.size(); ++i)
                tile[at(steps[i].dim)] *= steps[i].bound;
            const std::vector<Step> above(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(outer));
            LevelCounts& here = run.levels[keeping[k]];
            if (tensor != Tensor::Outputs && multipliers) {
                // A multiplier holds nothing: it is given its operands in every cycle.
                std::uint64_t reads = computes;
                Sizes first{}, together;
                together.fill(1);
                std::uint64_t copies = 1;
                for (const Step& step : above)
                    if (step.space) {
                        together[at(step.dim)] += (step.bound - 1) * step.stride;
                        copies *= step.bound;
                    }
                reads = computes / copies * boxOf(tensor, first, together).words();
                here.reads[t] = reads;
                continue;
            }
            if (multipliers) { // every product is added to a sum; the first finds none
                std::uint64_t apart = 1;
                for (const Step& step : above)
                    if (step.space && (step.dim == Dim::R || step.dim == Dim::S || step.dim == Dim::C))
                        apart *= step.bound;
                here.updates[t] = computes / apart;
                Sizes whole = inside;
                here.reads[t] += here.updates[t] - boxOf(tensor, Sizes{}, whole).words();
                continue;
            }
            Passed passed;
            walk(above, tile, tensor, passed);
            if (tensor == Tensor::Outputs) {
                Sizes whole = inside;
                const std::uint64_t words = boxOf(tensor, Sizes{}, whole).words();
                here.updates[t] += passed.read;
                here.reads[t] += passed.read - words;
                run.levels[below].fills[t] += passed.filled - std::min(passed.filled, words);
                run.levels[below].drains[t] += passed.filled;
            } else {
                here.reads[t] += passed.read;
                run.levels[below].fills[t] += passed.filled;
            }
        }
    }
    run.energy = macEnergy * static_cast<double>(computes);
    for (std::size_t l = 0; l < levels.size(); ++l)
        for (std::size_t t = 0; t < 3; ++t)
            run.energy +=
                static_cast<double>(run.levels[l].reads[t]) * levels[l].readEnergy +
                static_cast<double>(run.levels[l].fills[t] + run.levels[l].updates[t]) * levels[l].writeEnergy;
    return run;
}

} // namespace ridge::accelerator
