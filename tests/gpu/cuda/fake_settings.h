// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdlib>
#include <string>

/// What the stand-ins are told through an environment variable: "init=803,devices=2,kernel_us=50".
inline double fakeSetting(const char* variable, const std::string& key, double fallback)
{
    const char* all = std::getenv(variable);
    const std::string text = std::string(",") + (all != nullptr ? all : "") + ",";
    const std::size_t at = text.find("," + key + "=");
    return at == std::string::npos ? fallback : std::strtod(text.c_str() + at + key.size() + 2, nullptr);
}
