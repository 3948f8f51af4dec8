// SPDX-License-Identifier: GPL-3.0-or-later
// Speculative decoding: a draft proposes tokens, the target looks at all of them in one run (Leviathan et al. 2023,
// Chen et al. 2023).
#pragma once

#include "transformer/decoder.h"

#include <memory>

namespace ridge::transformer {

/// What proposes tokens: probabilities of the next one after `text`.
class Draft {
public:
    virtual ~Draft() = default;
    virtual Result<std::vector<double>> next(std::span<const Token> text, double temperature) = 0;
};

/// A smaller model with the same tokens; what it has read stays in its cache. The model must outlive it.
std::unique_ptr<Draft> makeModelDraft(const Model& model);
/// No model: what followed the longest run of at most `length` tokens that the text itself, or `known` before it, had
/// before. Sure of it; where there was none it says that all tokens are alike.
std::unique_ptr<Draft> makeTextDraft(std::uint32_t vocabulary, std::vector<Token> known, std::size_t length);

struct SpeculativeOptions {
    std::size_t draftLength = 4; ///< tokens that are proposed before the target looks
    double temperature = 0;      ///< 0: always the likeliest
};

struct Generated {
    std::vector<Token> tokens;    ///< without the prompt
    std::uint64_t targetRuns = 0; ///< after the prompt was read
    std::uint64_t draftRuns = 0;
    std::uint64_t proposed = 0; ///< that the target judged: those after a refused one are not
    std::uint64_t accepted = 0;
    double overlap = 0; ///< sum over judged tokens of what two distributions share, sum of min(p, q)
};

/// `count` tokens after `prompt` by the target alone. Errors: those of Decoder::run().
Result<Generated> generate(Decoder& target, std::span<const Token> prompt, std::size_t count, double temperature,
                           Rng& rng);
/// The same with a draft. At temperature 0 the tokens are those of generate(); above it they have the same
/// distribution. A proposed token is accepted with min(1, p / q); the first refused one is drawn anew from what p has
/// more than q.
Result<Generated> generateSpeculatively(Decoder& target, Draft& draft, std::span<const Token> prompt, std::size_t count,
                                        const SpeculativeOptions& options, Rng& rng);

/// Tokens of one run of the target where each proposed one is accepted with `acceptance`, whatever came before:
/// (1 - a^(g + 1)) / (1 - a) (Leviathan et al. 2023, eq. 1).
double expectedTokens(double acceptance, std::size_t draftLength);
/// How many times as fast, where a run of the draft costs `costRatio` of one of the target (eq. 3.8 of the same).
double expectedSpeedup(double acceptance, std::size_t draftLength, double costRatio);

/// Pearson's statistic of counts against probabilities, classes of fewer than 5 expected put together, and the chance
/// of one as large or larger where the counts were drawn from them.
struct ChiSquare {
    double statistic = 0;
    std::size_t freedom = 0;
    double chance = 1;
};
ChiSquare chiSquare(std::span<const std::uint64_t> counts, std::span<const double> probabilities);

} // namespace ridge::transformer
