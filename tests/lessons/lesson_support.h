// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json.h"
#include "lessons/curriculum.h"

#include <QtTest>

namespace ridge::lessons::test {

inline std::filesystem::path sourceRoot()
{
    return std::filesystem::path(qgetenv("RIDGE_SOURCE").toStdString());
}

inline std::string read(const std::filesystem::path& path)
{
    const Result<std::string> text = readFile(path);
    return text.ok() ? text.value() : std::string();
}

/// What the worker declares, as a fixture, so that these tests need no engine.
inline std::vector<ExperimentInfo> catalogue()
{
    const Result<Json> json = parseJson(read(sourceRoot() / "tests" / "lessons" / "catalogue.json"), "catalogue.json");
    if (!json.ok())
        qFatal("%s", json.error().message.c_str());
    const Result<std::vector<ExperimentInfo>> list = catalogueFromJson(json.value());
    if (!list.ok())
        qFatal("%s", list.error().message.c_str());
    return list.value();
}

inline std::string shown(const std::vector<Problem>& problems)
{
    std::string text;
    for (const Problem& p : problems)
        text += p.at.file + ":" + std::to_string(p.at.line) + ": " + p.message + "\n";
    return text;
}

/// Problems on this line of this file whose message has this text in it.
inline int count(const std::vector<Problem>& problems, const std::string& file, int line, const std::string& part)
{
    return static_cast<int>(std::count_if(problems.begin(), problems.end(), [&](const Problem& p) {
        return p.at.file == file && p.at.line == line && p.message.find(part) != std::string::npos;
    }));
}

/// 1-based line on which `part` first stands.
inline int lineWith(const std::string& text, const std::string& part)
{
    const std::size_t at = text.find(part);
    if (at == std::string::npos)
        qFatal("the fixture has no '%s'", part.c_str());
    return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

inline std::string replaced(std::string text, const std::string& from, const std::string& to)
{
    const std::size_t at = text.find(from);
    if (at == std::string::npos)
        qFatal("the fixture has no '%s'", from.c_str());
    return text.replace(at, from.size(), to);
}

} // namespace ridge::lessons::test
