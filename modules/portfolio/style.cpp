// SPDX-License-Identifier: GPL-3.0-or-later
#include "portfolio/style.h"

#include "base/json.h"

namespace ridge::folio {
namespace {

constexpr int kInks = static_cast<int>(Ink::Series8) + 1;

using Colors = std::map<std::string, std::string>;

Result<Colors> rolesOf(const std::filesystem::path& file)
{
    const auto text = readFile(file);
    if (!text)
        return text.error();
    const auto json = parseJson(*text, file.string());
    if (!json)
        return json.error();
    const Error bad{"bad-theme", "The theme has no roles with colours.", file.string(), "Restore the file."};
    if (!json->is_object() || !json->value("roles", Json()).is_object())
        return bad;
    Colors colors;
    for (const auto& [role, color] : (*json)["roles"].items()) {
        if (!color.is_string())
            return bad;
        colors[role] = color.get<std::string>();
    }
    for (int ink = 0; ink < kInks; ++ink)
        if (!colors.contains(roleOf(static_cast<Ink>(ink))))
            return bad;
    return colors;
}

void replaceAll(std::string& text, const std::string& what, const std::string& with)
{
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
        text.replace(at, what.size(), with);
}

/// The stylesheet of charts with one set of rules an ink, in these colours.
std::string chartCss(const std::string& source, const Colors& colors, bool coloursOnly)
{
    const std::string mark = "@each-ink{\n";
    const std::size_t begin = source.find(mark);
    const std::size_t end = source.rfind("}\n");
    std::string rules;
    for (int i = 0; i < kInks; ++i) {
        std::string rule = source.substr(begin + mark.size(), end - begin - mark.size());
        replaceAll(rule, "$ink", inkClass(static_cast<Ink>(i)));
        replaceAll(rule, "$color", colors.at(roleOf(static_cast<Ink>(i))));
        replaceAll(rule, "$surface", colors.at("surface"));
        rules += rule;
    }
    return (coloursOnly ? std::string() : source.substr(0, begin)) + rules;
}

/// The roles that the stylesheet uses.
std::string variables(const Colors& colors, const std::string& css)
{
    std::string out;
    for (const auto& [role, color] : colors)
        if (css.find("var(--" + role + ")") != std::string::npos)
            out += "--" + role + ":" + color + ";";
    return out;
}

} // namespace

std::string roleOf(Ink ink)
{
    switch (ink) {
    case Ink::Text:
        return "text";
    case Ink::Muted:
        return "text2";
    case Ink::Hint:
        return "text3";
    case Ink::Grid:
        return "grid";
    case Ink::Axis:
        return "borderStrong";
    case Ink::Limit:
        return "text2";
    case Ink::Prediction:
        return "text";
    case Ink::Result:
        return "accent";
    case Ink::Surface:
        return "surface";
    default:
        return "series" + std::to_string(static_cast<int>(ink) - static_cast<int>(Ink::Series1) + 1);
    }
}

Result<Style> loadStyle(const std::filesystem::path& data)
{
    auto light = rolesOf(data / "assets/themes/light.json");
    if (!light)
        return light.error();
    auto dark = rolesOf(data / "assets/themes/dark.json");
    if (!dark)
        return dark.error();
    const auto page = readFile(data / "assets/portfolio/portfolio.css");
    if (!page)
        return page.error();
    const auto chart = readFile(data / "assets/portfolio/chart.css");
    if (!chart)
        return chart.error();
    if (chart->find("@each-ink{\n") == std::string::npos)
        return Error{"bad-theme", "The stylesheet of charts has no rules for inks.",
                     (data / "assets/portfolio/chart.css").string(), "Restore the file."};
    Style style;
    style.chart = chartCss(*chart, *light, false) + "@media (prefers-color-scheme:dark){\n" +
                  chartCss(*chart, *dark, true) + "}\n";
    // On the page the same rules read the page's variables, so that they follow it into print as well.
    Colors named;
    for (const auto& [role, color] : *light)
        named[role] = "var(--" + role + ")";
    const std::string rules = *page + chartCss(*chart, named, false);
    const std::string day = variables(*light, rules);
    style.page = ":root{color-scheme:light dark;" + day + "}\n@media (prefers-color-scheme:dark){:root{" +
                 variables(*dark, rules) + "}}\n@media print{:root{color-scheme:light;" + day + "}}\n" + rules;
    style.light = std::move(*light);
    style.dark = std::move(*dark);
    return style;
}

} // namespace ridge::folio
