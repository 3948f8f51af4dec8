// SPDX-License-Identifier: GPL-3.0-or-later
#include "serving/requests.h"

#include "base/csv.h"
#include "base/number_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

namespace ridge::serving {
namespace {

struct Knot {
    double share, tokens;
};
// Read off the trace, the least and the most included; straight lines between them have the means that it has within
// 2 %, and makeRequests scales to the mean that is asked for.
constexpr std::array<Knot, 15> kPrompts{{{0, 2},
                                         {.05, 181},
                                         {.1, 207},
                                         {.2, 387},
                                         {.3, 403},
                                         {.4, 703},
                                         {.5, 1020},
                                         {.6, 1071},
                                         {.7, 1130},
                                         {.8, 1315},
                                         {.9, 2734},
                                         {.95, 4083},
                                         {.99, 4142},
                                         {.999, 6212},
                                         {1, 14050}}};
constexpr std::array<Knot, 15> kOutputs{{{0, 7},
                                         {.05, 41},
                                         {.1, 54},
                                         {.2, 77},
                                         {.3, 91},
                                         {.4, 103},
                                         {.5, 129},
                                         {.6, 177},
                                         {.7, 384},
                                         {.8, 400},
                                         {.9, 424},
                                         {.95, 451},
                                         {.99, 601},
                                         {.999, 954},
                                         {1, 1000}}};

template<std::size_t N>
double between(const std::array<Knot, N>& knots, double share)
{
    share = std::clamp(share, 0.0, 1.0);
    std::size_t i = 1;
    while (i + 1 < N && knots[i].share < share)
        ++i;
    const Knot &a = knots[i - 1], &b = knots[i];
    return a.tokens + (share - a.share) / (b.share - a.share) * (b.tokens - a.tokens);
}

template<std::size_t N>
double meanOf(const std::array<Knot, N>& knots)
{
    double sum = 0;
    for (std::size_t i = 1; i < N; ++i)
        sum += (knots[i].share - knots[i - 1].share) * (knots[i].tokens + knots[i - 1].tokens) / 2;
    return sum;
}

/// Exponential lengths up to `most` that still have `mean` on average: the ones beyond are not there to be drawn.
struct Exponential {
    double scale = 1;
    double share = 1; ///< of the distribution without an end

    Exponential(double mean, double most) : scale(mean)
    {
        if (!(most > 0))
            return;
        const double wanted = std::min(mean, 0.49 * most); // an even spread has half of it
        double low = wanted, high = 50 * most;
        for (int i = 0; i < 100; ++i) {
            scale = (low + high) / 2;
            (scale - most / std::expm1(most / scale) < wanted ? low : high) = scale;
        }
        share = -std::expm1(-most / scale);
    }
    double draw(Rng& rng) const { return -scale * std::log1p(-share * rng.uniform()); }
};

std::uint32_t wholeTokens(double tokens)
{
    return static_cast<std::uint32_t>(std::clamp(std::round(tokens), 1.0, double(kMostTokens)));
}

/// Days from 1970-01-01 of the Gregorian calendar.
double daysOf(int year, int month, int day)
{
    const int y = month <= 2 ? year - 1 : year;
    const int era = (y >= 0 ? y : y - 399) / 400;
    const int ofEra = y - era * 400;
    const int ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return double(era) * 146097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719468;
}

std::optional<int> digits(std::string_view text, std::size_t at, std::size_t count)
{
    int value = 0;
    for (std::size_t i = at; i < at + count; ++i) {
        if (i >= text.size() || text[i] < '0' || text[i] > '9')
            return {};
        value = value * 10 + (text[i] - '0');
    }
    return value;
}

/// "2023-11-16 18:15:46.6805900" in whole seconds and the rest, so that no digit of the rest is lost.
std::optional<std::pair<double, double>> dateTime(std::string_view text)
{
    if (text.size() < 19 || text[4] != '-' || text[7] != '-' || (text[10] != ' ' && text[10] != 'T') ||
        text[13] != ':' || text[16] != ':')
        return {};
    const auto year = digits(text, 0, 4), month = digits(text, 5, 2), day = digits(text, 8, 2),
               hour = digits(text, 11, 2), minute = digits(text, 14, 2), second = digits(text, 17, 2);
    if (!year || !month || !day || !hour || !minute || !second || *month < 1 || *month > 12)
        return {};
    double rest = 0;
    if (text.size() > 19) {
        const auto part = text[19] == '.' ? numberIn("0" + std::string(text.substr(19))) : std::nullopt;
        if (!part)
            return {};
        rest = *part;
    }
    return std::pair{daysOf(*year, *month, *day) * 86400 + *hour * 3600 + *minute * 60 + *second, rest};
}

std::optional<std::uint32_t> tokensIn(std::string_view text)
{
    const auto value = numberIn(text);
    if (!value || !(*value >= 1 && *value <= kMostTokens) || *value != std::floor(*value))
        return {};
    return static_cast<std::uint32_t>(*value);
}

} // namespace

Result<std::vector<Request>> parseTrace(std::string_view text, const std::string& file)
{
    const auto rows = parseCsv(text, file, csvSeparator(text));
    if (!rows)
        return rows.error();
    std::vector<Request> requests;
    std::optional<std::pair<double, double>> first;
    double before = 0;
    for (const CsvRow& row : *rows) {
        const std::string place = file + ":" + std::to_string(row.line);
        const auto bad = [&](const std::string& message, const std::string& fix) {
            return Error{"bad-trace", message, place, fix};
        };
        if (row.cells.size() < 3)
            return bad("the line has " + std::to_string(row.cells.size()) + " values",
                       "write seconds, tokens of the prompt, tokens of the output");
        const auto date = dateTime(row.cells[0]);
        const auto seconds = date ? std::nullopt : numberIn(row.cells[0]);
        if (!date && !seconds) {
            if (requests.empty() && &row == &rows->front())
                continue; // names
            return bad("\"" + row.cells[0].substr(0, 40) + "\" is no time",
                       "write seconds, or a time as 2023-11-16 18:15:46.68");
        }
        Request request;
        if (date) {
            if (!first)
                first = date;
            request.arrival = (date->first - first->first) + (date->second - first->second);
        } else {
            request.arrival = *seconds;
        }
        if (!(request.arrival >= 0 && request.arrival < 1e12))
            return bad("the time is not between 0 and 10^12 s", "count from the begin of the trace");
        if (request.arrival < before)
            return bad("the request arrives before the one of the line above", "sort the lines by time");
        before = request.arrival;
        const auto prompt = tokensIn(row.cells[1]), output = tokensIn(row.cells[2]);
        if (!prompt || !output)
            return bad("\"" + (prompt ? row.cells[2] : row.cells[1]).substr(0, 40) + "\" is no count of tokens",
                       "write a whole number from 1 to " + std::to_string(kMostTokens));
        request.prompt = *prompt;
        request.output = *output;
        if (requests.size() == kMostRequests)
            return bad("the trace has more than " + std::to_string(kMostRequests) + " requests", "cut it");
        requests.push_back(request);
    }
    if (requests.empty())
        return Error{"bad-trace", "the trace has no request", file,
                     "write a line a request: seconds, tokens of the prompt, tokens of the output"};
    return requests;
}

double exponential(Rng& rng, double mean)
{
    return -mean * std::log1p(-rng.uniform());
}

double gammaDraw(Rng& rng, double shape, double scale)
{
    if (shape < 1) // a power of a uniform number takes one off the shape
        return gammaDraw(rng, shape + 1, scale) * std::pow(1 - rng.uniform(), 1 / shape);
    const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
    for (;;) {
        const double x = std::sqrt(-2 * std::log1p(-rng.uniform())) * std::cos(2 * std::numbers::pi * rng.uniform());
        const double v = (1 + c * x) * (1 + c * x) * (1 + c * x);
        if (v > 0 && std::log1p(-rng.uniform()) < 0.5 * x * x + d - d * v + d * std::log(v))
            return d * v * scale;
    }
}

double conversationPrompt(double share)
{
    return between(kPrompts, share);
}

double conversationOutput(double share)
{
    return between(kOutputs, share);
}

std::vector<Request> makeRequests(const Workload& w, Rng& rng)
{
    std::vector<Request> requests(std::min(w.requests, kMostRequests));
    static const double promptMean = meanOf(kPrompts), outputMean = meanOf(kOutputs);
    const double prompt = w.prompt > 0 ? w.prompt : kConversationPrompt;
    const double output = w.output > 0 ? w.output : kConversationOutput;
    // rounding up adds half a token
    const Exponential prompts(std::max(0.5, prompt - 0.5), w.most), outputs(std::max(0.5, output - 0.5), w.most);
    double now = 0;
    for (Request& r : requests) {
        if (w.rate > 0) {
            const double mean = 1 / w.rate;
            switch (w.arrivals) {
            case Arrivals::Poisson:
                now += exponential(rng, mean);
                break;
            case Arrivals::Constant:
                now += mean;
                break;
            case Arrivals::Gamma:
                now += gammaDraw(rng, 1 / (w.cv * w.cv), mean * w.cv * w.cv);
                break;
            }
        }
        r.arrival = now;
        switch (w.lengths) {
        case Lengths::Fixed:
            r.prompt = wholeTokens(prompt);
            r.output = wholeTokens(output);
            break;
        case Lengths::Exponential:
            r.prompt = wholeTokens(std::ceil(prompts.draw(rng)));
            r.output = wholeTokens(std::ceil(outputs.draw(rng)));
            break;
        case Lengths::Uniform:
            r.prompt = wholeTokens(prompt * (w.spread + (1 - w.spread) * rng.uniform()));
            r.output = wholeTokens(output * (w.spread + (1 - w.spread) * rng.uniform()));
            break;
        case Lengths::Conversation:
            r.prompt = wholeTokens(conversationPrompt(rng.uniform()) * prompt / promptMean);
            r.output = wholeTokens(conversationOutput(rng.uniform()) * output / outputMean);
            break;
        }
        if (w.groups > 0)
            r.group = static_cast<std::uint32_t>(rng.next() % w.groups);
    }
    return requests;
}

} // namespace ridge::serving
