// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/formula_index.h"

namespace ridge::lessons {

Result<std::map<std::string, FormulaAsset>> loadFormulaIndex(const std::filesystem::path& dataRoot)
{
    const std::filesystem::path path = dataRoot / "assets" / "formulas" / "index.json";
    std::map<std::string, FormulaAsset> index;
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored))
        return index;
    const Result<std::string> text = readFile(path);
    if (!text.ok())
        return text.error();
    const Result<Json> json = parseJson(text.value(), path.string());
    if (!json.ok())
        return json.error();
    const Error bad{"bad-formula-index", "the index of formulas cannot be used", path.string(),
                    "run tools/render-formulas"};
    if (!json.value().is_object())
        return bad;
    for (const auto& [asset, entry] : json.value().items()) {
        const auto has = [&, &e = entry](const char* key, bool number) {
            return e.is_object() && e.contains(key) && (number ? e[key].is_number() : e[key].is_string());
        };
        if (!has("tex", false) || !has("spoken", false) || !has("width", true) || !has("height", true) ||
            !has("baseline", true))
            return Error{bad.code, "entry '" + asset + "' lacks tex, spoken, width, height or baseline", bad.place,
                         bad.fix};
        index[asset] = {entry["tex"], entry["spoken"], entry["width"], entry["height"], entry["baseline"]};
    }
    return index;
}

} // namespace ridge::lessons
