// SPDX-License-Identifier: GPL-3.0-or-later
// Lesson 5.6: what becomes of a number in a format, bit by bit.
#include "base/grid_trace.h"
#include "base/target_choice.h"
#include "labs/catalogue.h"
#include "labs/harness/declare.h"
#include "memory/formats.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace ridge::labs {
namespace {

using namespace memory;

constexpr const char* kOwn = "own";
constexpr const char* kUsual = "usual";
const std::vector<std::string> kRoundings{"nearest_even", "nearest_away", "toward_zero", "up", "down", "stochastic"};
const std::vector<std::string> kOverflows{"saturate", "infinity", "nan"};                        // as Overflow
const std::vector<std::string> kSpecials{"none", "ieee", "last_is_nan", "negative_zero_is_nan"}; // as Specials

template<class E>
E chosen(const ParamSet& params, const char* name, const std::vector<std::string>& words)
{
    return static_cast<E>(std::find(words.begin(), words.end(), choice(params, name)) - words.begin());
}

ParamSpec formatParam()
{
    std::vector<std::string> ids, titles;
    for (const NumberFormat& format : numberFormats()) {
        ids.emplace_back(format.id);
        titles.emplace_back(format.title);
    }
    for (const char* word : {"fp8", "fp4"}) { // as GPU tables say it
        ids.emplace_back(word);
        titles.push_back(fmt::format("{}, as {}", word, findFormat(word)->id));
    }
    ids.emplace_back(kOwn);
    titles.emplace_back("Own: bits, bias and special patterns below");
    auto spec = choiceParam("format", "Format", ids, "e4m3",
                            "Name of the format: eXmY has X exponent and Y fraction bits; e4m3 is that of OCP, without "
                            "infinities.");
    spec.choiceTitles = titles;
    return spec;
}

ParamSpec valueParam()
{
    ParamSpec spec;
    spec.name = "value";
    spec.title = "Value";
    spec.type = ParamType::Real;
    spec.min = -1e300;
    spec.max = 1e300;
    spec.scale = ParamScale::Linear;
    spec.defaultValue = 0.1;
    spec.help = "The number that is cast, a double.";
    return spec;
}

std::vector<ParamSpec> formParameters()
{
    std::vector<std::string> overflows = kOverflows;
    overflows.insert(overflows.begin(), kUsual);
    return {
        formatParam(),
        choiceParam("rounding", "Rounding", kRoundings, "nearest_even",
                    "Which neighbour a number between two becomes; stochastic draws it with the run's seed."),
        valueParam(),
        choiceParam("overflow", "Overflow", overflows, kUsual,
                    "What a number past the largest becomes. usual: infinity where a format of more than 8 bits has "
                    "one, else the largest number, as PTX casts to 8 bits and fewer do."),
        integerParam("exponent_bits", "Exponent bits", "bits", 1, 11, 6, ParamScale::Linear, "Of the own format."),
        integerParam("fraction_bits", "Fraction bits", "bits", 0, 52, 5, ParamScale::Linear, "Of the own format."),
        integerParam("bias", "Bias", "", 0, 1100, 31, ParamScale::Linear,
                     "Of the own format: taken from the exponent field."),
        choiceParam("specials", "Special patterns", kSpecials, "ieee",
                    "Of the own format: none, the largest exponent, the last pattern, or that of -0.")};
}

std::vector<MetricSpec> formMetrics()
{
    return {
        {"bits", "Bits", "1", "The pattern, read as a whole number; none above 52 bits, where the fields tell it."},
        {"decoded", "Decoded", "1", "The number that the pattern stands for; none of infinity and NaN."},
        {"error", "Error", "1", "Decoded less the value; 0 where the format has the value."},
        {"relative_error", "Relative error", "1", "Size of the error over the value's."},
        {"below", "Below", "1", "The next smaller number of the format; none at its end."},
        {"above", "Above", "1", "The next larger number of the format; none at its end."},
        {"spacing", "Spacing", "1", "What the last bit counts here: the gap to the next number of the same exponent."},
        {"sign", "Sign bit", "1", "1 of a negative number."},
        {"exponent_field", "Exponent field", "1", "As it is stored, with the bias; 0 of an integer."},
        {"fraction_field", "Fraction field", "1", "As it is stored; of an integer all bits but the sign."},
        {"class", "Kind of number", "1", "0 zero, 1 subnormal, 2 normal, 3 infinity, 4 NaN."},
        {"overflow", "Past the largest", "1", "1 where the value did not fit."},
        {"largest", "Largest", "1", "Finite number of the format."},
        {"smallest_normal", "Smallest normal", "1", "Below it the spacing no longer shrinks."},
        {"smallest", "Smallest", "1", "Above 0."}};
}

enum class Kind { Zero, Subnormal, Normal, Infinity, Nan };

Kind kindOfNumber(const NumberFormat& format, double decoded)
{
    if (std::isnan(decoded))
        return Kind::Nan;
    if (std::isinf(decoded))
        return Kind::Infinity;
    return decoded == 0 ? Kind::Zero : std::fabs(decoded) < format.smallestNormal() ? Kind::Subnormal : Kind::Normal;
}

Result<NumberFormat> formatOf(const ParamSet& params)
{
    if (choice(params, "format") != kOwn)
        return *findFormat(choice(params, "format"));
    NumberFormat own;
    own.id = own.title = kOwn;
    own.exponentBits = static_cast<int>(integer(params, "exponent_bits"));
    own.fractionBits = static_cast<int>(integer(params, "fraction_bits"));
    own.bias = static_cast<int>(integer(params, "bias"));
    own.specials = chosen<Specials>(params, "specials", kSpecials);
    if (auto good = checkFormat(own); !good)
        return good.error();
    return own;
}

/// The pattern field by field, then those of the neighbours: below, the number, above; the highest bit on the left.
std::string bitsPicture(const NumberFormat& format, double value, std::uint64_t bits)
{
    constexpr std::uint32_t below = 2, here = 1, above = 0; // rows from the top: as on an axis
    const auto width = static_cast<std::uint32_t>(format.bits());
    const double decoded = decode(format, bits);
    GridTraceBuilder grid(fmt::format("{} as {}", value, format.title), 3, width);
    std::vector<std::string> names;
    for (std::uint32_t bit = width; bit-- > 0;)
        names.push_back(std::to_string(bit));
    grid.axes("number", "bit").rowNames({"above", "the number", "below"}).columnNames(names).square();
    grid.state("not yet", TraceColor::Idle);
    const std::uint8_t sign = grid.state("sign", TraceColor::Series1);
    const std::uint8_t exponent = grid.state("exponent", TraceColor::Series2);
    const std::uint8_t fraction = grid.state(format.integer ? "integer" : "fraction", TraceColor::Series3);
    const auto fieldOf = [&](std::uint32_t bit) {
        const auto low = static_cast<std::uint32_t>(format.fractionBits);
        return bit < low ? fraction : bit < low + static_cast<std::uint32_t>(format.exponentBits) ? exponent : sign;
    };
    const auto show = [&](std::uint32_t row, std::uint64_t pattern, std::optional<std::uint8_t> only,
                          const std::string& note) {
        for (std::uint32_t bit = 0; bit < width; ++bit)
            if (!only || *only == fieldOf(bit))
                grid.set(row, width - 1 - bit,
                         {.state = fieldOf(bit), .text = pattern >> bit & 1 ? "1" : "0", .note = note});
    };
    const std::uint64_t size = bits & ((std::uint64_t{1} << (format.exponentBits + format.fractionBits)) - 1);
    const std::uint64_t field = size >> format.fractionBits,
                        low = size & ((std::uint64_t{1} << format.fractionBits) - 1);
    const auto step = [&](std::uint8_t which, const std::string& caption) {
        grid.step(caption);
        show(here, bits, which, caption);
    };
    if (format.hasSign)
        step(sign, std::signbit(decoded) ? "sign 1: below zero" : "sign 0: zero or above");
    if (format.exponentBits > 0) {
        const bool normal = field > 0 || !format.subnormals;
        step(exponent, !std::isfinite(decoded) ? fmt::format("exponent field {}: no number", field)
                       : normal ? fmt::format("exponent field {} less bias {}: times 2^{}", field, format.bias,
                                              static_cast<int>(field) - format.bias)
                                : fmt::format("exponent field 0: subnormal, times 2^{} without a leading one",
                                              format.minExponent()));
    }
    if (format.fractionBits > 0)
        step(fraction, format.integer ? fmt::format("the integer: {}", decoded)
                                      : fmt::format("fraction {} of {}: the number is {}", low,
                                                    std::uint64_t{1} << format.fractionBits, decoded));
    const auto down = neighbour(format, bits, false), up = neighbour(format, bits, true);
    grid.step(fmt::format("{} lies between {} and {}", decoded,
                          down ? fmt::format("{}", decode(format, *down)) : "no number",
                          up ? fmt::format("{}", decode(format, *up)) : "no number"));
    if (down)
        show(below, *down, {}, fmt::format("below: {}", decode(format, *down)));
    if (up)
        show(above, *up, {}, fmt::format("above: {}", decode(format, *up)));
    return encodeGridTrace(grid.take());
}

/// Held to the neighbours: a second way to say what a rounding is.
bool followsTheRule(double value, double decoded, std::optional<double> below, std::optional<double> above,
                    Rounding rounding)
{
    const bool inside = (!below || *below < value) && (!above || value < *above);
    const double off = std::fabs(value - decoded);
    switch (rounding) {
    case Rounding::NearestEven:
    case Rounding::NearestAway:
        return (!below || off <= value - *below) && (!above || off <= *above - value);
    case Rounding::TowardZero:
        return inside && std::fabs(decoded) <= std::fabs(value);
    case Rounding::Up:
        return inside && decoded >= value;
    case Rounding::Down:
        return inside && decoded <= value;
    case Rounding::Stochastic:
        break;
    }
    return inside;
}

class NumberFormatExperiment : public Experiment {
public:
    NumberFormatExperiment()
    {
        m_info.id = "number_format";
        m_info.title = "A number in a format";
        m_info.module = 5;
        m_info.summary =
            "Casts a number to a format and shows its bits, what they stand for and the numbers beside it.";
        m_info.parameters = formParameters();
        m_info.targets = {kModelTarget};
        m_info.metrics = formMetrics();
        m_info.charts = {
            {"relative_error_over_format", "Relative error of the formats", "format", "relative_error",
             ParamScale::List},
            {"decoded_over_value", "Decoded over value", "value", "decoded"},
            {"spacing_over_value", "Spacing over value", "value", "spacing", ParamScale::Linear, ParamScale::Log2}};
        m_info.limits = {{"relative_error", "half a spacing", "upper",
                          "2^-(fraction bits + 1), twice that if not to nearest",
                          "Goldberg 1991, theorem 2: of normal numbers"}};
        m_info.scene = "grid";
    }
    const ExperimentInfo& info() const override { return m_info; }
    Result<void> run(const ParamSet& params, RunContext& context) const override;

private:
    ExperimentInfo m_info;
};

Result<void> NumberFormatExperiment::run(const ParamSet& params, RunContext& context) const
{
    const auto made = formatOf(params);
    if (!made)
        return made.error();
    const NumberFormat& format = *made;
    const auto rounding = chosen<Rounding>(params, "rounding", kRoundings);
    const Overflow overflow =
        choice(params, "overflow") == kUsual ? usualOverflow(format) : chosen<Overflow>(params, "overflow", kOverflows);
    if (auto good = checkOverflow(format, overflow); !good)
        return good.error();
    const double value = std::get<double>(params.at("value"));
    Rng rng(context.rng().next());
    const Encoded encoded = encode(format, value, rounding, overflow, &rng);
    const double decoded = decode(format, encoded.bits);
    const Kind kind = kindOfNumber(format, decoded);
    const auto tell = [&](const char* name, double number) { context.metric(name, number, Provenance::Modelled); };
    if (format.bits() <= 52)
        tell("bits", static_cast<double>(encoded.bits));
    const int magnitude = format.exponentBits + format.fractionBits;
    const std::uint64_t size = encoded.bits & ((std::uint64_t{1} << magnitude) - 1);
    tell("sign", format.hasSign ? static_cast<double>(encoded.bits >> magnitude & 1) : 0);
    tell("exponent_field", static_cast<double>(size >> format.fractionBits));
    tell("fraction_field", static_cast<double>(size & ((std::uint64_t{1} << format.fractionBits) - 1)));
    tell("class", static_cast<double>(kind));
    tell("overflow", encoded.overflow ? 1 : 0);
    tell("largest", format.largest());
    tell("smallest_normal", format.smallestNormal());
    tell("smallest", format.smallest());
    if (std::isfinite(decoded)) {
        std::optional<double> beside[2];
        for (const bool above : {false, true})
            if (const auto next = neighbour(format, encoded.bits, above)) {
                beside[above ? 1 : 0] = decode(format, *next);
                tell(above ? "above" : "below", *beside[above ? 1 : 0]);
            }
        tell("decoded", decoded);
        tell("error", decoded - value);
        tell("spacing", spacingAt(format, encoded.bits));
        if (value != 0)
            tell("relative_error", std::fabs((decoded - value) / value));
        const bool toNearest = rounding == Rounding::NearestEven || rounding == Rounding::NearestAway;
        if (kind == Kind::Normal && !format.integer && !encoded.overflow && std::fabs(value) >= format.smallestNormal())
            context.limit("relative_error", std::ldexp(1.0, -format.fractionBits - (toNearest ? 1 : 0)));
        if (!encoded.overflow && (format.subnormals || value >= format.smallest()))
            context.check("the rounding's rule", followsTheRule(value, decoded, beside[0], beside[1], rounding),
                          fmt::format("{} became {}", value, decoded));
    } else {
        context.log(fmt::format("{} becomes {} in {}", value, decoded, format.title));
    }
    if (context.wantsTrace())
        context.trace(GridTrace::kKind, bitsPicture(format, value, encoded.bits));
    return {};
}

} // namespace

std::unique_ptr<Experiment> makeNumberFormat()
{
    return std::make_unique<NumberFormatExperiment>();
}

} // namespace ridge::labs
