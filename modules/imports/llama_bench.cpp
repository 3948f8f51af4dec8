// SPDX-License-Identifier: GPL-3.0-or-later
#include "imports/csv_table.h"
#include "imports/lines.h"
#include "imports/readers.h"

#include "base/json.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>

namespace ridge::imports {

namespace {

constexpr const char* kHow = "Make it with llama-bench -o csv, json, jsonl, md or sql";

/// One test in whatever form it was written: asks for a field by its name in the CSV and JSON forms.
struct Test {
    std::function<std::string(const char*)> field;
    int line = 0;
    std::vector<std::pair<std::string, std::string>> settings; ///< how it ran, by llama-bench's short names
};

struct Kept {
    std::string of; ///< "demo 7B Q4_0, pp512"
    int line = 0;
    std::vector<std::pair<std::string, std::string>> settings;
    std::vector<std::tuple<std::string, double, const char*>> figures;
};

struct Seen {
    std::set<std::string> models, gpus, backends;
    std::vector<Kept> tests;
    int announced = 0; ///< "benchmark 1/3": how many the tool was to run
};

/// What a field is called in the tool's own tables; empty: it says nothing about how the test ran.
std::string settingName(std::string_view field)
{
    static const std::map<std::string_view, const char*> kShort = {
        {"n_gpu_layers", "ngl"}, {"n_threads", "threads"}, {"flash_attn", "fa"},
        {"split_mode", "sm"},    {"main_gpu", "mg"},       {"tensor_split", "ts"},
        {"use_mmap", "mmap"},    {"embeddings", "embd"},   {"no_kv_offload", "nkvo"}};
    static const std::set<std::string_view> kOther = {"model_type", "n_prompt", "n_gen",     "n_depth",
                                                      "test_time",  "test",     "t/s",       "model",
                                                      "avg_ns",     "avg_ts",   "stddev_ns", "stddev_ts"};
    if (kOther.contains(field) || field.starts_with("samples") || field.starts_with("build_"))
        return {};
    const auto found = kShort.find(field);
    return found != kShort.end() ? found->second : std::string(field);
}

void addSetting(Test& test, std::string_view field, std::string value)
{
    if (value == "true" || value == "false")
        value = value == "true" ? "1" : "0";
    if (std::string name = settingName(field); !name.empty())
        test.settings.emplace_back(std::move(name), std::move(value));
}

std::string valueOf(const std::vector<std::pair<std::string, std::string>>& settings, const std::string& name)
{
    const auto found = std::ranges::find(settings, name, [](const auto& setting) { return setting.first; });
    return found == settings.end() ? std::string("–") : found->second;
}

/// Tests of one name are told apart by what they do not have in common; where that is nothing, they are counted.
void addFigures(const Seen& seen, FigureList& figures)
{
    std::map<std::string, std::vector<const Kept*>> alike;
    for (const Kept& test : seen.tests)
        alike[test.of].push_back(&test);
    std::map<std::string, int> numbers;
    for (const Kept& test : seen.tests) {
        std::string of = test.of;
        const auto& same = alike[test.of];
        std::vector<std::string> names;
        for (const Kept* each : same)
            for (const auto& setting : each->settings)
                if (std::ranges::find(names, setting.first) == names.end())
                    names.push_back(setting.first);
        for (const std::string& name : names)
            if (std::ranges::any_of(same, [&](const Kept* each) {
                    return valueOf(each->settings, name) != valueOf(same.front()->settings, name);
                }))
                of += ", " + name + " " + valueOf(test.settings, name);
        if (const int number = ++numbers[of]; number > 1)
            of += ", test " + std::to_string(number);
        for (const auto& [figure, value, unit] : test.figures)
            figures.add(figure, value, unit, of, test.line);
    }
}

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

Result<void> take(const Test& test, const std::string& file, Seen& seen)
{
    const auto rate = numberIn(test.field("avg_ts"));
    const std::string name = testName(test);
    if (!rate || name.empty())
        return badImport(file, test.line, "A test without its tokens (n_prompt, n_gen) or its rate (avg_ts)", kHow);
    const std::string model = test.field("model_type");
    Kept kept{model.empty() ? name : model + ", " + name, test.line, test.settings, {}};
    kept.figures.emplace_back("rate", *rate, "tokens/s");
    for (const auto& [field, figure, unit] :
         {std::tuple("stddev_ts", "rate, standard deviation", "tokens/s"), std::tuple("avg_ns", "time", "ns"),
          std::tuple("stddev_ns", "time, standard deviation", "ns")})
        if (const auto value = numberIn(test.field(field)))
            kept.figures.emplace_back(figure, *value, unit);
    seen.tests.push_back(std::move(kept));
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
    return found->is_number() || found->is_boolean() ? found->dump() : std::string();
}

Result<void> takeJson(const Json& object, int line, const std::string& file, Seen& seen)
{
    if (!object.is_object())
        return badImport(file, line, "A test is not a JSON object", kHow);
    Test test{[&object](const char* key) { return jsonField(object, key); }, line, {}};
    for (const auto& [key, value] : object.items())
        if (value.is_string() || value.is_number() || value.is_boolean())
            addSetting(test, key, jsonField(object, key.c_str()));
    return take(test, file, seen);
}

Result<void> readJson(std::string_view bytes, const std::string& file, Seen& seen)
{
    auto document = parseJson(bytes, file);
    if (!document)
        return document.error();
    if (!document->is_array())
        return badImport(file, 0, "The document is not a list of tests", kHow);
    for (const Json& object : *document)
        if (auto taken = takeJson(object, 0, file, seen); !taken)
            return taken;
    return {};
}

Result<void> readJsonLines(std::string_view bytes, const std::string& file, Seen& seen)
{
    for (const Line& line : linesOf(bytes)) {
        if (!trimmed(line.text).starts_with('{'))
            continue;
        auto object = parseJson(line.text, file + ":" + std::to_string(line.number));
        if (!object)
            return object.error();
        if (auto taken = takeJson(*object, line.number, file, seen); !taken)
            return taken;
    }
    return {};
}

Result<void> readCsv(const Line& heads, std::string_view bytes, const std::string& file, Seen& seen)
{
    auto table = readTable(bytes.substr(heads.begin), file, heads.number);
    if (!table)
        return table.error();
    for (const CsvRow& row : table->rows) {
        if (row.cells.size() != table->heads.size())
            continue; // a line of the library's log between two tests
        const auto field = [&](const char* key) { return table->cell(row, key); };
        Test test{field, row.line, {}};
        for (std::size_t at = 0; at < row.cells.size(); ++at)
            addSetting(test, table->heads[at], std::string(trimmed(row.cells[at])));
        if (auto taken = take(test, file, seen); !taken)
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

Result<void> readMarkdown(std::string_view bytes, const std::string& file, Seen& seen)
{
    std::vector<std::string_view> heads;
    for (const Line& line : linesOf(bytes)) {
        const auto cells = tableCells(line.text, '|');
        if (cells.empty()) {
            // --progress writes between the rows; the heads stand once.
            if (const std::size_t at = line.text.find("benchmark "); at != std::string_view::npos)
                if (const auto words = wordsOf(line.text.substr(at + 10)); !words.empty())
                    if (const std::size_t slash = words.front().find('/'); slash != std::string_view::npos)
                        if (std::string_view all = words.front().substr(slash + 1); !all.empty())
                            seen.announced = std::max(
                                seen.announced, static_cast<int>(numberIn(all.substr(0, all.find(':'))).value_or(0)));
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
        Test test{{}, line.number, {}};
        for (std::size_t at = 0; at < cells.size(); ++at)
            addSetting(test, heads[at], std::string(cells[at]));
        Kept kept{of, line.number, std::move(test.settings), {{"rate", *rate, "tokens/s"}}};
        if (spread)
            kept.figures.emplace_back("rate, standard deviation", *spread, "tokens/s");
        seen.tests.push_back(std::move(kept));
        keep(seen.models, model);
        keep(seen.backends, std::string(cell("backend")));
    }
    return {};
}

/// The strings of "('a', 'b''c', 3)".
std::vector<std::string> sqlList(std::string_view text)
{
    std::vector<std::string> values;
    std::string value;
    bool quoted = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (c == '\'' && quoted && at + 1 < text.size() && text[at + 1] == '\'') {
            value += c;
            ++at;
        } else if (c == '\'') {
            quoted = !quoted;
        } else if (c == ',' && !quoted) {
            values.emplace_back(trimmed(value));
            value.clear();
        } else {
            value += c;
        }
    }
    values.emplace_back(trimmed(value));
    return values;
}

/// -o sql: a line "INSERT INTO test (columns) VALUES (values);" a test.
Result<void> readSql(std::string_view bytes, const std::string& file, Seen& seen)
{
    for (const Line& line : linesOf(bytes)) {
        const std::string_view text = trimmed(line.text);
        if (!text.starts_with("INSERT INTO"))
            continue;
        const std::size_t open = text.find('('), close = text.find(')'), values = text.find("VALUES", close),
                          first = text.find('(', values), last = text.rfind(')');
        if (last == std::string_view::npos || first == std::string_view::npos || last < first || close < open)
            return badImport(file, line.number, "The INSERT has no list of columns and one of values", kHow);
        const auto names = sqlList(text.substr(open + 1, close - open - 1));
        const auto cells = sqlList(text.substr(first + 1, last - first - 1));
        if (names.size() != cells.size())
            return badImport(file, line.number,
                             "The INSERT names " + counted(names.size(), "column") + " and has " +
                                 counted(cells.size(), "value"),
                             kHow);
        Test test{[&](const char* key) {
                      const auto found = std::ranges::find(names, key);
                      return found == names.end() ? std::string() : cells[std::size_t(found - names.begin())];
                  },
                  line.number,
                  {}};
        for (std::size_t at = 0; at < names.size(); ++at)
            addSetting(test, names[at], cells[at]);
        if (auto taken = take(test, file, seen); !taken)
            return taken;
    }
    return {};
}

bool isCsvHead(std::string_view line)
{
    return line.find("avg_ts") != std::string_view::npos && line.find("n_prompt") != std::string_view::npos &&
           line.find('{') == std::string_view::npos;
}

Result<void> readAny(std::string_view bytes, const std::string& file, Seen& seen)
{
    // The libraries' own remarks may stand before and after what the tool wrote.
    for (const Line& line : linesOf(bytes)) {
        const std::string_view text = trimmed(line.text);
        if (text == "[" || text.starts_with("[{"))
            return readJson(bytes.substr(line.begin, bytes.rfind(']') + 1 - line.begin), file, seen);
        if (text.starts_with('{'))
            return readJsonLines(bytes, file, seen);
        if (text.starts_with("CREATE TABLE") || text.starts_with("INSERT INTO"))
            return readSql(bytes, file, seen);
        if (isCsvHead(text))
            return readCsv(line, bytes, file, seen);
    }
    return readMarkdown(bytes, file, seen);
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
    if (auto read = readAny(bytes, name, seen); !read)
        return read.error();
    if (seen.tests.empty())
        return badImport(name, 0, "The file holds no test", kHow);
    {
        FigureList figures(imported);
        addFigures(seen, figures);
    }
    if (seen.announced > static_cast<int>(seen.tests.size()))
        imported.notes.push_back("The tool was to run " + std::to_string(seen.announced) + " tests, the file has " +
                                 std::to_string(seen.tests.size()) + ".");
    for (const std::string& gpu : seen.gpus)
        imported.machine.emplace_back("gpu", gpu);
    for (const std::string& backend : seen.backends)
        imported.machine.emplace_back("backend", backend);
    imported.title = counted(seen.tests.size(), "test") + " of " +
                     (seen.models.size() == 1 ? *seen.models.begin() : counted(seen.models.size(), "model")) +
                     " with llama-bench";
    return imported;
}

} // namespace ridge::imports
