// SPDX-License-Identifier: GPL-3.0-or-later
// What a check of a portfolio proves and what it does not, in words.
#include "base/json.h"
#include "portfolio/verify.h"

namespace ridge::folio {

std::vector<std::string> VerifyReport::proofs() const
{
    if (!ok())
        return {};
    std::vector<std::string> all = {
        "every file is the one that SHA256SUMS and manifest.json name, and no other is in the folder"};
    all.push_back(redactedRows > 0 ? "the rows hang together: each has its digest, made on export, and names the one "
                                     "before it; what they refer to is there"
                                   : "the rows are as a record of Ridgepoint wrote them: digests, chain and references "
                                     "hold");
    if (compared)
        all.push_back("the manifest, the tables of runs, the code and the other files say what the rows say: claims, "
                      "provenance, predictions, results, levels, and no more trust than the rows give reason for");
    if (compared && pagesOpen.empty())
        all.push_back("pages and charts are, byte for byte, what this program makes of these rows");
    return all;
}

std::vector<std::string> VerifyReport::limits() const
{
    std::vector<std::string> all;
    if (pdf)
        all.push_back(
            "portfolio.pdf is held by its line in SHA256SUMS alone: nothing compares it with the pages and the "
            "rows. Read the pages.");
    if (!pagesOpen.empty())
        all.push_back("Pages and charts were not compared with the rows, only checked for what could run or be "
                      "torn: " +
                      pagesOpen +
                      " Of each artifact's page its claim, provenance and trust were; for all else read the manifest, "
                      "the tables in "
                      "data/ and the code, which were compared.");
    if (held > 0)
        all.push_back((held == 1 ? std::string("One artifact has") : std::to_string(held) + " artifacts have") +
                      " results that a feedback policy holds back: they are neither here nor checked.");
    if (reproduced > 0)
        all.push_back("Trust above T1 rests on rows that say somebody else ran it again; whether somebody did is not "
                      "in the folder.");
    all.push_back(
        "Title, introduction, names, margin notes, titles of lessons and the reason for a trust that is not a first T1 "
        "are words that no row has.");
    all.push_back(
        "Nobody signed it, and all of this is within the folder: whoever has the whole of it can write other rows and "
        "make sums, manifest, digests and pages anew. Get SHA256SUMS from the author on another way, or run the "
        "artifacts again.");
    return all;
}

Json toJson(const VerifyReport& report)
{
    Json findings = Json::array();
    for (const Error& finding : report.findings)
        findings.push_back(ridge::toJson(finding));
    return Json{{"ok", report.ok()},
                {"folder", report.folder.string()},
                {"files", report.files},
                {"artifacts", report.artifacts},
                {"rows", report.rows},
                {"redacted_rows", report.redactedRows},
                {"findings", findings},
                {"proved", report.proofs()},
                {"not_proved", report.limits()}};
}

} // namespace ridge::folio
