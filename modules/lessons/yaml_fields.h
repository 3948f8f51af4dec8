// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/lesson.h"

#include <yaml-cpp/yaml.h>

namespace ridge::lessons {

/// Where a piece of YAML stands in its file, and where what is wrong with it is told.
struct YamlPlace {
    std::string file;
    int firstLine = 1; ///< line of the file on which the YAML begins
    std::vector<Problem>* problems = nullptr;

    void problem(int line, std::string message) const { problems->push_back({{file, line}, std::move(message)}); }
    int lineOf(const YAML::Node& node) const { return firstLine + std::max(0, node.Mark().line); }
};

/// Parses one document. Refuses what authored text never needs and what could blow up a reader: aliases, anchors,
/// tabs as indentation, nesting beyond 16, more than 20 000 nodes, a second document. Problems are named `what`.
std::optional<YAML::Node> parseYaml(const std::string& text, const std::string& what, const YamlPlace& place);

/// Of one question; a linter tries all of them out.
inline constexpr std::size_t kMostInstances = 512;

enum class Need { Required, Optional };

/// A YAML mapping with a fixed vocabulary. Every getter reports what is missing or of the wrong type and returns an
/// empty value, so that one mistake does not hide the next.
class Fields {
public:
    Fields(const YAML::Node& node, std::string what, const YamlPlace& place, std::vector<std::string> known);

    bool has(const std::string& key) const { return m_values.contains(key); }
    int line() const { return m_line; }
    int line(const std::string& key) const;
    void problem(const std::string& key, const std::string& message) const;

    std::string text(const std::string& key, Need need = Need::Required) const;
    std::string oneOf(const std::string& key, std::span<const std::string_view> choices,
                      std::string_view fallback) const;
    double number(const std::string& key, Need need = Need::Required, double fallback = 0) const;
    std::optional<double> optionalNumber(const std::string& key) const;
    int integer(const std::string& key, Need need = Need::Required, int fallback = 0) const;
    bool flag(const std::string& key, bool fallback) const;
    /// A list of texts; a single text counts as a list of one.
    std::vector<std::string> texts(const std::string& key, Need need = Need::Required) const;
    std::vector<int> integers(const std::string& key) const;
    ParamSet params(const std::string& key, Need need = Need::Required) const;
    /// A list of settings of parameters; an empty list is a problem.
    std::vector<ParamSet> paramSets(const std::string& key) const;
    /// Instances of a question: a list of settings as they are, or a mapping from names to values, all combinations of
    /// which are meant. Values are lists or, as in a sweep, ranges ("1..33:2"). At most kMostInstances.
    std::vector<ParamSet> instances(const std::string& key) const;
    /// A list of mappings.
    std::vector<YAML::Node> items(const std::string& key, Need need = Need::Required) const;

private:
    const YAML::Node* find(const std::string& key, Need need, const char* expected) const;
    ParamSet paramsOf(const std::string& key, const YAML::Node& node) const;
    std::optional<double> numberOf(const std::string& key, const YAML::Node& node, bool whole) const;

    std::string m_what;
    const YamlPlace& m_place;
    int m_line = 1;
    std::map<std::string, YAML::Node> m_values;
    std::map<std::string, int> m_lines; ///< of the keys
};

} // namespace ridge::lessons
