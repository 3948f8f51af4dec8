// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory/kv.h"

#include "base/csv.h"
#include "base/number_text.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ridge::memory {
namespace {

constexpr std::size_t kMostRequests = 1'000'000;
constexpr double kMostTokens = 1 << 24; // of a prompt or an output

const std::array<const char*, 5> kColumns{"arrival", "prompt", "output", "group", "shared"};
constexpr std::size_t kNeeded = 3;

std::string lowered(std::string text)
{
    const auto first = text.find_first_not_of(" \t");
    const auto last = text.find_last_not_of(" \t");
    text = first == std::string::npos ? "" : text.substr(first, last - first + 1);
    for (char& c : text)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return text;
}

} // namespace

Result<std::vector<KvRequest>> parseRequests(std::string_view text, const std::string& place)
{
    constexpr const char* kFix =
        "write a first line \"arrival,prompt,output\" and a request a line, as \"0.5,161,338\"";
    const auto bad = [&](int line, std::string message, std::string fix) {
        return Error{"bad-trace", std::move(message), line ? place + ":" + std::to_string(line) : place,
                     std::move(fix)};
    };
    const auto rows = parseCsv(text, place, csvSeparator(text));
    if (!rows)
        return rows.error();
    if (rows->empty())
        return bad(0, "the trace is empty", kFix);
    std::array<std::optional<std::size_t>, kColumns.size()> at;
    for (std::size_t cell = 0; cell < rows->front().cells.size(); ++cell) {
        const std::string name = lowered(rows->front().cells[cell]);
        for (std::size_t i = 0; i < kColumns.size(); ++i)
            if (name == kColumns[i]) {
                if (at[i])
                    return bad(rows->front().line, "there are two columns \"" + name + "\"", "leave one of them out");
                at[i] = cell;
            }
    }
    for (std::size_t i = 0; i < kNeeded; ++i)
        if (!at[i])
            return bad(rows->front().line, std::string("there is no column \"") + kColumns[i] + "\"", kFix);
    std::vector<KvRequest> requests;
    for (std::size_t r = 1; r < rows->size(); ++r) {
        const CsvRow& row = (*rows)[r];
        std::array<double, kColumns.size()> values{};
        for (std::size_t i = 0; i < kColumns.size(); ++i) {
            if (!at[i])
                continue;
            const std::string cell = *at[i] < row.cells.size() ? lowered(row.cells[*at[i]]) : std::string();
            if (cell.empty() && i >= kNeeded)
                continue;
            const auto value = numberIn(cell);
            const bool whole = value && std::floor(*value) == *value && *value <= kMostTokens;
            if (!value || !std::isfinite(*value) || *value < 0 || (i > 0 && !whole))
                return bad(row.line, "\"" + cell.substr(0, 24) + "\" is no " + (i > 0 ? "count of tokens" : "time"),
                           i > 0 ? "write a whole number from 0 to 16777216" : "write seconds, from 0 on");
            values[i] = *value;
        }
        if (values[1] < 1)
            return bad(row.line, "a prompt of 0 tokens asks for nothing", "write at least 1");
        if (!requests.empty() && values[0] < requests.back().arrival)
            return bad(row.line, "it arrives before the request above it", "sort the trace by arrival");
        if (requests.size() == kMostRequests)
            return bad(row.line, "the trace has more than a million requests", "cut it");
        KvRequest request;
        request.arrival = values[0];
        request.prompt = static_cast<std::uint32_t>(values[1]);
        request.output = static_cast<std::uint32_t>(values[2]);
        request.group = static_cast<std::uint32_t>(values[3]);
        request.shared = static_cast<std::uint32_t>(std::min(values[4], values[1]));
        requests.push_back(request);
    }
    if (requests.empty())
        return bad(0, "the trace has no request", kFix);
    return requests;
}

std::vector<KvRequest> makeRequests(const RequestMix& mix, Rng& rng)
{
    std::vector<KvRequest> requests(mix.count);
    const auto exponential = [&](double mean) { return -mean * std::log1p(-rng.uniform()); };
    const auto tokens = [&](double mean, double most) {
        // A geometric number of tokens from 1 on with this mean.
        const double p = 1 / std::max(1.0, mean);
        const double drawn = p >= 1 ? 1 : 1 + std::floor(std::log1p(-rng.uniform()) / std::log1p(-p));
        return static_cast<std::uint32_t>(std::clamp(drawn, 1.0, std::max(1.0, most)));
    };
    double now = 0;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        KvRequest& request = requests[i];
        if (mix.rate > 0)
            now += exponential(1 / mix.rate);
        request.arrival = now;
        request.shared = std::min(mix.shared, mix.longest > 2 ? mix.longest - 2 : 0);
        request.group = mix.groups > 1 ? static_cast<std::uint32_t>(rng.next() % mix.groups) : 0;
        const double most = mix.longest - 1.0 - request.shared;
        request.prompt = request.shared + tokens(mix.prompt, most);
        request.output = tokens(mix.output, std::max(1.0, double(mix.longest) - request.prompt));
    }
    return requests;
}

} // namespace ridge::memory
