// SPDX-License-Identifier: GPL-3.0-or-later
// `ridge doctor`: every part that has to be there, what is wrong with it and what mends it.
#include "cli/commands.h"
#include "doctor/doctor_findings.h"

#include "base/json.h"

#include <cstdio>

namespace ridge::cli {

int doctorCommand(bool json)
{
    const std::vector<doctor::Finding> findings = doctor::examine();
    const bool works = doctor::allWorks(findings);
    if (json) {
        printJson(doctor::toJson(findings));
        return works ? Done : Failed;
    }
    std::vector<std::vector<std::string>> rows;
    for (const doctor::Finding& finding : findings)
        rows.push_back({finding.part, std::string(toText(finding.health)),
                        finding.detail + (finding.fix.empty() ? "" : ". Fix: " + finding.fix)});
    std::printf("%s\n%s\n", table({"PART", "STATE", "DETAIL"}, rows).c_str(),
                works ? "Everything that has to work works. Absent parts are optional."
                      : "Something is broken: mend it as said above.");
    return works ? Done : Failed;
}

} // namespace ridge::cli
