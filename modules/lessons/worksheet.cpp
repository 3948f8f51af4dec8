// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/worksheet.h"

#include "lessons/instances.h"
#include "lessons/placeholders.h"

#include "base/number_text.h"
#include "base/units.h"

#include <algorithm>
#include <cmath>

namespace ridge::lessons {

GivenLookup givenLookup(const Curriculum& curriculum, const Evidence& evidence)
{
    return [&](const std::string& from) -> std::optional<double> {
        if (!from.starts_with("run:")) {
            const Claim* claim = curriculum.claim(from.starts_with("claim:") ? from.substr(6) : from);
            return claim ? std::optional(claim->value) : std::nullopt;
        }
        const Result<RunReference> reference = parseRunReference(from);
        const EvidenceRun* run = reference.ok() ? newestRun(reference.value(), evidence) : nullptr;
        return run ? std::optional(run->metrics.at(reference.value().metric).value) : std::nullopt;
    };
}

int instancesOf(const WorksheetBlock& sheet)
{
    return static_cast<int>(std::max<std::size_t>(1, sheet.vars.size()));
}

ParamSet varsOf(const WorksheetBlock& sheet, int instance)
{
    return sheet.vars.empty() ? ParamSet()
                              : sheet.vars[static_cast<std::size_t>(std::max(0, instance)) % sheet.vars.size()];
}

std::string withVars(const std::string& text, const WorksheetBlock& sheet, int instance)
{
    return filledText(text, varsOf(sheet, instance));
}

Result<std::map<std::string, double>> solveSheet(const WorksheetBlock& sheet, int instance, const GivenLookup& lookup)
{
    ParamSet known = varsOf(sheet, instance);
    std::map<std::string, double> numbers;
    for (const auto& [name, value] : known)
        numbers[name] = asNumber(value).value_or(0);
    for (const WorksheetGiven& given : sheet.given) {
        const std::optional<double> value = given.value ? given.value : lookup ? lookup(given.from) : std::nullopt;
        if (!value)
            return Error{"not-run", "'" + given.label + "' has no value yet", "worksheet row '" + given.name + "'",
                         "make the run that " + given.from + " names"};
        known[given.name] = numbers[given.name] = *value;
    }
    for (const WorksheetCell& cell : sheet.cells) {
        const Result<double> value = evaluateFormula(cell.formula, known);
        if (!value)
            return Error{value.error().code, value.error().message, "worksheet cell '" + cell.name + "'",
                         value.error().fix};
        if (!std::isfinite(*value))
            return Error{"not-finite", "the formula gives no number", "worksheet cell '" + cell.name + "'",
                         "see that nothing is divided by zero"};
        known[cell.name] = numbers[cell.name] = *value;
    }
    return numbers;
}

bool isCellRight(const WorksheetCell& cell, double right, double given)
{
    // Rounding of a typed decimal must not fail an exact answer.
    return std::isfinite(given) && std::abs(given - right) <= (cell.tolerance + 1e-9) * std::abs(right);
}

std::string sheetCsv(const WorksheetBlock& sheet, const SheetProgress& progress, const GivenLookup& lookup)
{
    const auto field = [](const std::string& text) {
        if (text.find_first_of(",\"\n") == std::string::npos)
            return text;
        std::string quoted = "\"";
        for (const char c : text)
            quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
        return quoted + "\"";
    };
    std::string csv = "row,label,value,unit,from\r\n";
    const auto line = [&](const std::string& name, const std::string& label, std::optional<double> value,
                          const std::string& unit, const std::string& from) {
        csv += name + "," + field(withVars(label, sheet, progress.instance)) + "," +
               (value ? shortText(*value, 12) : std::string()) + "," + field(unit) + "," + field(from) + "\r\n";
    };
    for (const auto& [name, value] : varsOf(sheet, progress.instance))
        line(name, name, asNumber(value), "", "question");
    for (const WorksheetGiven& given : sheet.given)
        line(given.name, given.label, given.value ? given.value : lookup(given.from), given.unit,
             given.value ? "given" : given.from);
    for (const WorksheetCell& cell : sheet.cells) {
        const auto filled = progress.right.find(cell.name);
        line(cell.name, cell.label, filled == progress.right.end() ? std::nullopt : std::optional(filled->second),
             cell.unit, cell.formula);
    }
    return csv;
}

SheetProgress sheetProgress(const WorksheetBlock& sheet, const std::vector<AnswerGiven>& answers)
{
    SheetProgress progress;
    for (const AnswerGiven& answer : answers) {
        if (answer.instance != progress.instance) {
            const bool done = progress.done;
            progress = {};
            progress.done = done;
            progress.instance = answer.instance;
        }
        for (const auto& [name, value] : answer.cells)
            progress.right[name] = value;
        progress.shown = progress.shown || answer.shown;
        progress.wrong += !answer.cell.empty() && !answer.cells.contains(answer.cell) ? 1 : 0;
        progress.done = progress.done || (!progress.shown && std::ranges::all_of(sheet.cells, [&](const auto& cell) {
                            return progress.right.contains(cell.name);
                        }));
    }
    return progress;
}

} // namespace ridge::lessons
