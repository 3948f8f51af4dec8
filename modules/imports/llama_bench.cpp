// SPDX-License-Identifier: GPL-3.0-or-later
#include "imports/csv_table.h"
#include "imports/lines.h"
#include "imports/readers.h"

#include "base/json.h"

#include <algorithm>
#include <functional>
#include <set>

namespace ridge::imports {

namespace {

constexpr const char* kHow = "Make it with llama-bench -o csv, json, jsonl or md";

/// One test in whatever form it was written: asks for a field by its name in the CSV and JSON forms.
struct Test {
    std::function<std::string(const char*)> field;
    int line = 0;
};

struct Seen {
    std::set<std::string> models, gpus, backends;
    std::size_t tests = 0;
};

/// "pp512", "tg128", "pp512+tg128", with the context that was there before as "@ d4096": llama-bench's own names.
std::string testName(const Test& test)
{
    const double prompt = numberIn(test.field("n_prompt")).value_or(0);
    const double generated = numberIn(test.field("n_gen")).value_or(0);
    const double depth = numberIn(test.field("n_depth")).value_or(0);
    std::string name;
    if (prompt > 0)
        name = "pp" + std::to_string(static_cast<long long>(prompt));
    if (generated > 0)
        name += (name.empty() ? "tg" : "+tg") + std::to_string(static_cast<long long>(generated));
    if (depth > 0)
        name += " @ d" + std::to_string(static_cast<long long>(depth));
    return name;
}

void keep(std::set<std::string>& set, const std::string& value)
{
    if (!value.empty())
        set.insert(value);
}

Result<void> take(const Test& test, const std::string& file, FigureList& figures, Seen& seen)
{
    const auto rate = numberIn(test.field("avg_ts"));
    const std::string name = testName(test);
    if (!rate || name.empty())
        return badImport(file, test.line, "A test without its tokens (n_prompt, n_gen) or its rate (avg_ts)", kHow);
    const std::string model = test.field("model_type");
    const std::string of = model.empty() ? name : model + ", " + name;
    figures.add("rate", *rate, "tokens/s", of, test.line);
    if (const auto spread = numberIn(test.field("stddev_ts")))
        figures.add("rate, standard deviation", *spread, "tokens/s", of, test.line);
    if (const auto time = numberIn(test.field("avg_ns")))
        figures.add("time", *time, "ns", of, test.line);
    if (const auto spread = numberIn(test.field("stddev_ns")))
        figures.add("time, standard deviation", *spread, "ns", of, test.line);
    ++seen.tests;
    keep(seen.models, model);
    keep(seen.gpus, test.field("gpu_info"));
    keep(seen.backends, test.field("backends").empty() ? test.field("backend") : test.field("backends"));
    return {};
}

std::string jsonField(const Json& object, const char* key)
{
    const auto found = object.find(key);
    if (found == object.end() || found->is_null())
        return {};
    if (found->is_string())
        return found->get<std::string>();
    return found->is_number() ? found->dump() : std::string();
}

Result<void> takeJson(const Json& object, int line, const std::string& file, FigureList& figures, Seen& seen)
{
    if (!object.is_object())
        return badImport(file, line, "A test is not a JSON object", kHow);
    return take({[&object](const char* key) { return jsonField(object, key); }, line}, file, figures, seen);
}

Result<void> readJson(std::string_view bytes, const std::string& file, FigureList& figures, Seen& seen)
{
    auto document = parseJson(bytes, file);
    if (!document)
        return document.error();
    if (!document->is_array())
        return badImport(file, 0, "The document is not a list of tests", kHow);
    for (const Json& object : *document)
        if (auto taken = takeJson(object, 0, file, figures, seen); !taken)
            return taken;
    return {};
}

Result<void> readJsonLines(std::string_view bytes, const std::string& file, FigureList& figures, Seen& seen)
{
    for (const Line& line : linesOf(bytes)) {
        if (!trimmed(line.text).starts_with('{'))
            continue;
        auto object = parseJson(line.text, file + ":" + std::to_string(line.number));
        if (!object)
            return object.error();
        if (auto taken = takeJson(*object, line.number, file, figures, seen); !taken)
            return taken;
    }
    return {};
}

Result<void> readCsv(const Line& heads, std::string_view bytes, const std::string& file, FigureList& figures,
                     Seen& seen)
{
    auto table = readTable(bytes.substr(heads.begin), file, heads.number);
    if (!table)
        return table.error();
    for (const CsvRow& row : table->rows) {
        if (row.cells.size() != table->heads.size())
            continue; // a line of the library's log between two tests
        const auto field = [&](const char* key) { return table->cell(row, key); };
        if (auto taken = take({field, row.line}, file, figures, seen); !taken)
            return taken;
    }
    return {};
}

/// "1323.29 ± 10.55", also with "+/-".
std::pair<std::optional<double>, std::optional<double>> rateAndSpread(std::string_view cell)
{
    for (const std::string_view sign : {std::string_view("±"), std::string_view("+/-")})
        if (const std::size_t at = cell.find(sign); at != std::string_view::npos)
            return {numberIn(cell.substr(0, at)), numberIn(cell.substr(at + sign.size()))};
    return {numberIn(cell), std::nullopt};
}

Result<void> readMarkdown(std::string_view bytes, const std::string& file, FigureList& figures, Seen& seen)
{
    std::vector<std::string_view> heads;
    for (const Line& line : linesOf(bytes)) {
        const auto cells = tableCells(line.text, '|');
        if (cells.empty()) {
            heads.clear();
            continue;
        }
        if (std::find(cells.begin(), cells.end(), "t/s") != cells.end()) {
            heads = cells;
            continue;
        }
        const bool rule = cells.front().find_first_not_of("-: ") == std::string_view::npos;
        if (heads.empty() || rule || cells.size() != heads.size())
            continue;
        const auto cell = [&](std::string_view head) {
            const auto found = std::find(heads.begin(), heads.end(), head);
            return found == heads.end() ? std::string_view() : cells[static_cast<std::size_t>(found - heads.begin())];
        };
        const auto [rate, spread] = rateAndSpread(cell("t/s"));
        if (!rate)
            return badImport(file, line.number, "The cell under t/s holds no number", kHow);
        const std::string model(cell("model"));
        const std::string of = model + (model.empty() ? "" : ", ") + std::string(cell("test"));
        figures.add("rate", *rate, "tokens/s", of, line.number);
        if (spread)
            figures.add("rate, standard deviation", *spread, "tokens/s", of, line.number);
        ++seen.tests;
        keep(seen.models, model);
        keep(seen.backends, std::string(cell("backend")));
    }
    return {};
}

bool isCsvHead(std::string_view line)
{
    return line.find("avg_ts") != std::string_view::npos && line.find("n_prompt") != std::string_view::npos &&
           line.find('{') == std::string_view::npos;
}

Result<void> readAny(std::string_view bytes, const std::string& file, FigureList& figures, Seen& seen)
{
    // The libraries' own remarks may stand before and after what the tool wrote.
    for (const Line& line : linesOf(bytes)) {
        const std::string_view text = trimmed(line.text);
        if (text == "[" || text.starts_with("[{"))
            return readJson(bytes.substr(line.begin, bytes.rfind(']') + 1 - line.begin), file, figures, seen);
        if (text.starts_with('{'))
            return readJsonLines(bytes, file, figures, seen);
        if (isCsvHead(text))
            return readCsv(line, bytes, file, figures, seen);
    }
    return readMarkdown(bytes, file, figures, seen);
}

} // namespace

bool looksLikeLlamaBench(std::string_view bytes)
{
    const std::string_view start = bytes.substr(0, 64 << 10);
    if (start.find("avg_ts") != std::string_view::npos && start.find("n_prompt") != std::string_view::npos)
        return true;
    const auto lines = linesOf(start);
    return std::any_of(lines.begin(), lines.end(), [](const Line& line) {
        const auto cells = tableCells(line.text, '|');
        return std::find(cells.begin(), cells.end(), "t/s") != cells.end() &&
               std::find(cells.begin(), cells.end(), "test") != cells.end();
    });
}

Result<Imported> readLlamaBench(std::string_view bytes, const std::string& name)
{
    Imported imported;
    imported.kind = "benchmark report";
    Seen seen;
    {
        FigureList figures(imported);
        if (auto read = readAny(bytes, name, figures, seen); !read)
            return read.error();
    }
    if (seen.tests == 0)
        return badImport(name, 0, "The file holds no test", kHow);
    for (const std::string& gpu : seen.gpus)
        imported.machine.emplace_back("gpu", gpu);
    for (const std::string& backend : seen.backends)
        imported.machine.emplace_back("backend", backend);
    imported.title = counted(seen.tests, "test") + " of " +
                     (seen.models.size() == 1 ? *seen.models.begin() : counted(seen.models.size(), "model")) +
                     " with llama-bench";
    return imported;
}

} // namespace ridge::imports
