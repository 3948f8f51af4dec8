// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/result.h"

namespace ridge {

std::string toText(const Error& error)
{
    std::string text;
    if (!error.place.empty())
        text += error.place + ": ";
    text += error.message;
    if (!error.fix.empty()) {
        if (!text.empty() && text.back() != '.' && text.back() != '?' && text.back() != '!')
            text += '.';
        text += ' ' + error.fix;
    }
    return text;
}

} // namespace ridge
