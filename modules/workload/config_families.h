// SPDX-License-Identifier: GPL-3.0-or-later
// What the architectures of transformers differ in: a row for each, and no branch.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ridge::workload {

/// LayerNorm has a scale and a shift, RMSNorm a scale; a bare one has no weights.
enum class NormKind : std::uint8_t { Rms, Layer, LayerNoShift, Bare };
/// Norms of queries and keys: one vector of a head for each, the same with a shift, or one as wide as all heads.
enum class HeadNorms : std::uint8_t { None, Head, HeadWithShift, Whole };
/// Layers with a window where "layer_types" is not given: all, those from "max_window_layers" on, every other one
/// before it, all but every n-th, or all but the first of every n.
enum class Window : std::uint8_t { None, All, From, EvenBefore, Every, AfterFirst };
/// Which key has the width of an expert: "moe_intermediate_size" or "intermediate_size".
enum class ExpertWidth : std::uint8_t { None, Own, Ffn };

/// What says whether a part has biases: a key of the file, or two names of it ("bias|mlp_bias"), kYes for always, and
/// nothing for never.
inline constexpr std::string_view kYes = "yes";

struct Family {
    std::string_view type;     ///< "model_type"
    std::string_view defaults; ///< of its class, by the first of otherKeys()
    NormKind norm = NormKind::Rms;
    std::uint8_t norms = 2;          ///< of a layer
    std::string_view oneNormIf = {}; ///< the key that says that attention and feed-forward part read the same norm
    HeadNorms headNorms = HeadNorms::None;
    std::string_view headNormsIf = kYes;
    std::string_view biasQkv = "attention_bias", biasOut = "attention_bias", biasFfn = "mlp_bias", biasLogits = {};
    bool gated = true;
    Window window = Window::None;
    std::uint8_t every = 0; ///< n of the window
    ExpertWidth experts = ExpertWidth::None;
    bool sharedGate = false;
    bool correction = false; ///< a number an expert, in the router
    bool expertBiases = false;
    bool sinks = false;                 ///< a number a head, beside the scores
    std::uint8_t activationNumbers = 0; ///< of a layer, in its activation
    bool latent = false;
    bool encoder = false;
    std::int8_t positions = -1; ///< learned ones: rows beyond the longest context; -1: none
    bool embeddingNorm = false, finalNorm = true, pooler = false;
};

std::span<const Family> configFamilies();
const Family* findFamily(std::string_view type);

/// An encoder and a decoder.
struct PairFamily {
    std::string_view type;
    std::string_view defaults;
    bool distances = false;     ///< T5: numbers of distances, RMSNorm, no biases
    bool everyLayer = false;    ///< and each layer has numbers of its own
    bool sound = false;         ///< Whisper
    std::int8_t positions = -1; ///< tables of them: rows beyond the longest context; -1: none
    bool embeddingNorm = false, finalNorm = true;
};
std::span<const PairFamily> configPairFamilies();
const PairFamily* findPairFamily(std::string_view type);

/// State spaces in place of attention.
struct StateFamily {
    std::string_view type;
    std::string_view defaults;
    bool heads = false; ///< Mamba-2
    bool norms = false; ///< StateSpace::norms
};
std::span<const StateFamily> configStateFamilies();
const StateFamily* findStateFamily(std::string_view type);

/// What is known by name and not counted.
struct RefusedFamily {
    std::string_view type, why;
};
const RefusedFamily* findRefusedFamily(std::string_view type);

/// A model of pictures or sound and words: the text part is counted, which has this type where the file names none.
struct TextPart {
    std::string_view type, text;
};
std::span<const TextPart> configTextParts();

/// The names of one key, the first of which this program uses.
std::span<const std::string_view> otherKeys(std::string_view key);

} // namespace ridge::workload
