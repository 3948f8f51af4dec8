// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <string>

namespace ridge::app {

/// Asked whether something about a lesson is told now: each gives the reason why it is not, empty when it is. None set:
/// everything is told. Made by classroom::FeedbackPolicy, the one place that knows the rules.
struct Discretion {
    using Ask = std::function<std::string(const std::string& lesson)>;
    Ask predictions; ///< how far predictions were off
    Ask checks;      ///< whether it is passed
    Ask explained;   ///< whether its exit questions are answered
    Ask standing;    ///< Met, Solid, Mastered

    static std::string reason(const Ask& ask, const std::string& lesson) { return ask ? ask(lesson) : std::string(); }
};

} // namespace ridge::app
