// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/stack.h"

#include "lessons/curriculum_read.h"

#include <algorithm>

namespace ridge::lessons {
namespace {

const char* const kFile = "stack.yaml";

StackLayer layerOf(const YAML::Node& item, const YamlPlace& place)
{
    const Fields fields(item, "layer", place, {"id", "title", "about", "hosted", "parts"});
    StackLayer layer{fields.text("id"), fields.text("title"), fields.text("about"), fields.flag("hosted", false), {}};
    for (const auto& [id, title] : fields.params("parts")) {
        if (id.size() != 3 || !id.starts_with(layer.id))
            fields.problem("parts",
                           "'" + id + "' is no part of " + layer.id + "; write " + layer.id + "a, " + layer.id + "b …");
        layer.parts.emplace_back(id, toText(title));
    }
    return layer;
}

} // namespace

const StackLayer* Stack::layer(std::string_view id) const
{
    const auto found = std::ranges::find(layers, id.substr(0, 2), &StackLayer::id);
    return found == layers.end() ? nullptr : &*found;
}

bool Stack::hasPart(std::string_view id) const
{
    const StackLayer* one = layer(id);
    return one && std::ranges::any_of(one->parts, [&](const auto& part) { return part.first == id; });
}

std::string Stack::partTitle(std::string_view id) const
{
    if (const StackLayer* one = layer(id))
        for (const auto& [part, title] : one->parts)
            if (part == id)
                return title;
    return std::string(id);
}

const PathFit* Stack::fit(std::string_view path) const
{
    const auto found = std::ranges::find(fits, path, &PathFit::path);
    return found == fits.end() ? nullptr : &*found;
}

LoadedStack loadStack(const Curriculum& curriculum)
{
    LoadedStack loaded;
    std::error_code ignored;
    if (!std::filesystem::exists(curriculum.root / kFile, ignored))
        return loaded;
    YamlPlace place{kFile, 1, &loaded.problems};
    const std::optional<YAML::Node> root = readYaml(curriculum.root, kFile, place);
    if (!root)
        return loaded;
    const Fields file(*root, kFile, place, {"layers", "paths", "roles", "audiences"});
    Stack& stack = loaded.stack;
    for (const YAML::Node& item : file.items("layers"))
        stack.layers.push_back(layerOf(item, place));
    for (const YAML::Node& item : file.items("paths")) {
        const Fields fields(item, "path", place, {"id", "primary", "adjacent", "hardware"});
        stack.fits.push_back({fields.text("id"),
                              fields.text("primary"),
                              fields.text("adjacent"),
                              fields.text("hardware"),
                              {kFile, place.lineOf(item)}});
    }
    for (const YAML::Node& item : file.items("roles")) {
        const Fields fields(item, "role", place, {"title", "layers", "path", "lacks"});
        stack.roles.push_back({fields.text("title"),
                               fields.texts("layers"),
                               fields.text("path"),
                               fields.text("lacks", Need::Optional),
                               {kFile, place.lineOf(item)}});
    }
    stack.audiences = file.texts("audiences", Need::Optional);
    return loaded;
}

} // namespace ridge::lessons
