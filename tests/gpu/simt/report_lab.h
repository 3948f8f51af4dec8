// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of detectors share: launches that are watched, and reports as text.
#pragma once

#include "simt_lab.h"

namespace ridge::gpu::simt {

inline LaunchOptions watching(bool global = false)
{
    LaunchOptions options;
    options.faultsAsReports = options.check = true;
    options.checkGlobalRaces = global;
    return options;
}

inline std::string told(const std::vector<Report>& reports)
{
    std::string text = "reports:";
    for (const Report& report : reports)
        text += "\n  " + toJson(report).dump();
    return text;
}

inline const Report* find(const std::vector<Report>& reports, const std::string& code)
{
    const auto found =
        std::find_if(reports.begin(), reports.end(), [&](const Report& report) { return report.code == code; });
    return found == reports.end() ? nullptr : &*found;
}

} // namespace ridge::gpu::simt
