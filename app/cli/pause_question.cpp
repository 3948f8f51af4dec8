// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/pause_question.h"

#include "cli/console.h"

#include <cstdio>
#include <unistd.h>

namespace ridge::cli {

PauseQuestion::PauseQuestion(std::function<void(bool)> answered)
    : m_answered(std::move(answered)), m_input(STDIN_FILENO, QSocketNotifier::Read)
{
    m_input.setEnabled(false);
    QObject::connect(&m_input, &QSocketNotifier::activated, &m_input, [this] { read(); });
}

void PauseQuestion::ask(const Error& why)
{
    tell(why.place.empty() ? why.message : why.message + " (" + why.place + ")");
    std::fputs("ridge: it stands still there. Go on with as much again? [y/N] ", stderr);
    std::fflush(stderr);
    m_input.setEnabled(true);
}

void PauseQuestion::read()
{
    char byte = 0;
    const ssize_t got = ::read(STDIN_FILENO, &byte, 1); // what follows the line is for the next question
    if (got > 0 && byte != '\n') {
        m_line += byte;
        return;
    }
    if (got <= 0)
        std::fputs("\n", stderr);
    m_input.setEnabled(false);
    const std::string line = std::exchange(m_line, {});
    m_answered(line == "y" || line == "Y" || line == "yes");
}

} // namespace ridge::cli
