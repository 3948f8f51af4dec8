// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <QSocketNotifier>
#include <functional>
#include <string>

namespace ridge::cli {

/// Asks on standard error and reads a line of standard input from the event loop: y or yes is yes, everything else and
/// the end of the input is no.
class PauseQuestion {
public:
    explicit PauseQuestion(std::function<void(bool)> answered);
    void ask(const Error& why);

private:
    void read();

    std::function<void(bool)> m_answered;
    std::string m_line;
    QSocketNotifier m_input;
};

} // namespace ridge::cli
