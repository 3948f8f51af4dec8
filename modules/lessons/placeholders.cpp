// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/placeholders.h"

#include "lessons/inline_scan.h"
#include "lessons/text.h"

#include "base/units.h"

#include <charconv>

namespace ridge::lessons {
namespace {

ParamValue valueOf(std::string_view text)
{
    std::int64_t whole = 0;
    double real = 0;
    const char* end = text.data() + text.size();
    if (const auto read = std::from_chars(text.data(), end, whole); read.ec == std::errc() && read.ptr == end)
        return whole;
    if (const auto read = std::from_chars(text.data(), end, real); read.ec == std::errc() && read.ptr == end)
        return real;
    return std::string(text);
}

std::string pointText(const ParamSet& at)
{
    std::string text;
    for (const auto& [name, value] : at)
        text += (text.empty() ? " at " : ", ") + name + " = " + toText(value);
    return text;
}

} // namespace

const EvidenceRun* newestRun(const RunReference& reference, const Evidence& evidence)
{
    const EvidenceRun* newest = nullptr;
    for (const EvidenceRun& run : evidence.runs)
        if (run.block == reference.block && run.metrics.contains(reference.metric) &&
            matches(run.params, reference.at) && (!newest || run.seq >= newest->seq))
            newest = &run;
    return newest;
}

bool matches(const ParamSet& params, const ParamSet& wanted)
{
    return std::all_of(wanted.begin(), wanted.end(), [&](const auto& entry) {
        const auto found = params.find(entry.first);
        if (found == params.end())
            return false;
        const std::optional<double> a = asNumber(found->second);
        const std::optional<double> b = asNumber(entry.second);
        return a && b ? *a == *b : found->second == entry.second;
    });
}

Result<RunReference> parseRunReference(std::string_view inside)
{
    const Error bad{"bad-reference", "'{{" + std::string(inside) + "}}' is no reference to a run", "",
                    "write {{run:block.metric@parameter=value}}"};
    if (!inside.starts_with("run:"))
        return bad;
    std::string_view rest = inside.substr(4);
    RunReference reference;
    reference.text = "{{" + std::string(inside) + "}}";
    if (const std::size_t at = rest.find('@'); at != std::string_view::npos) {
        std::string_view list = rest.substr(at + 1);
        rest = rest.substr(0, at);
        while (!list.empty()) {
            const std::size_t comma = std::min(list.find(','), list.size());
            const std::string_view item = list.substr(0, comma);
            const std::size_t equals = item.find('=');
            if (equals == std::string_view::npos || equals == 0 || equals + 1 == item.size())
                return bad;
            reference.at[std::string(trimmed(item.substr(0, equals)))] = valueOf(trimmed(item.substr(equals + 1)));
            list.remove_prefix(std::min(comma + 1, list.size()));
        }
    }
    const std::size_t dot = rest.find('.');
    if (dot == std::string_view::npos || dot == 0 || dot + 1 >= rest.size())
        return bad;
    reference.block = std::string(trimmed(rest.substr(0, dot)));
    reference.metric = std::string(trimmed(rest.substr(dot + 1)));
    return reference;
}

std::vector<RunReference> runReferences(std::string_view text)
{
    std::vector<RunReference> list;
    for (const Piece& piece : scanInline(text))
        if (piece.kind == PieceKind::Placeholder)
            if (Result<RunReference> reference = parseRunReference(piece.content); reference.ok())
                list.push_back(std::move(*reference));
    return list;
}

std::string filledFromRuns(std::string_view formula, const Evidence& evidence)
{
    std::string out;
    for (const Piece& piece : scanInline(formula)) {
        const Result<RunReference> reference = piece.kind == PieceKind::Placeholder
                                                   ? parseRunReference(piece.content)
                                                   : Error{"bad-reference", "", "", ""};
        const EvidenceRun* run = reference.ok() ? newestRun(*reference, evidence) : nullptr;
        if (!run) {
            out.append(formula.substr(piece.begin, piece.end - piece.begin));
            continue;
        }
        std::array<char, 64> digits{};
        const double value = run->metrics.at(reference->metric).value;
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
        out += "(" + std::string(digits.data(), end.ptr) + ")";
    }
    return out;
}

FilledTemplate fillTemplate(std::string_view text, const Evidence& evidence)
{
    FilledTemplate filled;
    for (const Piece& piece : scanInline(text)) {
        const Result<RunReference> reference = piece.kind == PieceKind::Placeholder
                                                   ? parseRunReference(piece.content)
                                                   : Error{"bad-reference", "", "", ""};
        if (!reference.ok()) {
            filled.text.append(text.substr(piece.begin, piece.end - piece.begin));
            continue;
        }
        if (const EvidenceRun* run = newestRun(reference.value(), evidence)) {
            const MetricValue& metric = run->metrics.at(reference.value().metric);
            filled.text += formatQuantity(metric.value, metric.unit);
        } else {
            filled.text += "[" + reference.value().block + " " + reference.value().metric +
                           pointText(reference.value().at) + ": not run]";
            filled.missing.push_back(reference.value());
        }
    }
    return filled;
}

} // namespace ridge::lessons
