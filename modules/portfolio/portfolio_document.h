// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "portfolio/figure.h"
#include "portfolio/privacy.h"
#include "record/store.h"
#include "record/withholding.h"

namespace ridge::folio {

enum class Template { Job, HandIn, Notebook };
std::string keyOf(Template style); ///< "job", "handin", "notebook"
std::optional<Template> templateFromKey(std::string_view key);
std::string titleOf(Template style); ///< "Job application"
std::string purposeOf(Template style);

struct PortfolioOptions {
    Template style = Template::Job;
    std::string title;                  ///< empty: one that fits the template
    std::string intro;                  ///< a few lines, as proseHtml() reads them
    std::string author, contact;        ///< left out unless Detail::Name is shown
    std::string course;                 ///< for a hand-in
    std::vector<std::string> artifacts; ///< ids in the order in which they are to appear; empty: all, newest first
    Shown shown;
    record::Withholding held; ///< what an assignment's feedback policy does not let out yet
};

/// One prediction of an artifact beside what came of it.
struct PredictionPart {
    RevealFigure figure;
    std::string metric, setting, reason; ///< reason: what the prediction had assumed, in the learner's words
    std::string time;
};

struct FigurePart {
    SweepFigure figure;
    std::string name; ///< of its files: charts/<slug>-<name>.svg
};

struct FilePart {
    std::string name, bytes; ///< below the portfolio's folder
    std::string title;       ///< as its author called it
    bool redacted = false;
};

struct JournalPart {
    std::string kind, title, text, time;
};

/// What the author wrote in the margin of the artifact's lesson; no text: the words were highlighted.
struct NotePart {
    std::string section, quote, text, time;
};

struct TrustPart {
    std::string level, meaning, why; ///< level empty: held back, which `meaning` says
};

/// A figure read from a file that was made elsewhere.
struct ImportedPart {
    std::string name, value, source;
};

/// An artifact with everything its page tells, details already taken out. Texts are as their authors wrote them: a
/// writer escapes them.
struct ArtifactPart {
    std::string id, slug, lesson, lessonTitle, kind, title, question, claim, reflection, time;
    std::string name, origin; ///< of the title: "Roofline report", "sim:h100-sxm, SIMULATED"; the latter may be empty
    int level = 1;
    Provenance provenance = Provenance::Simulated;
    std::map<std::string, std::string> sections;
    std::vector<PredictionPart> predictions;
    std::vector<FigurePart> figures;
    std::string heldCharts; ///< why charts of the runs are not among them
    std::vector<ImportedPart> imported;
    bool graded = false; ///< a kernel of a task: `imported` is what its grading found, `commands` grades it again
    std::string machine; ///< one line
    std::vector<std::pair<std::string, std::string>> facts; ///< of the machine, in words
    std::vector<std::string> commands;                      ///< `ridge run …`
    std::string app;                                        ///< version of Ridgepoint that made the runs
    std::vector<record::RunRow> runs;                       ///< oldest first, details taken out
    std::size_t failedRuns = 0;
    TrustPart trust;
    bool held = false;                      ///< a feedback policy keeps some of it back
    std::vector<std::string> reproductions; ///< a sentence each
    std::vector<JournalPart> journal;
    std::vector<NotePart> notes; ///< with the first artifact of their lesson, and only where Detail::Notes is shown
    std::vector<FilePart> code, files;
    FilePart data; ///< CSV of its runs; no name where there are none
};

struct PortfolioDocument {
    Template style = Template::Job;
    std::string title, intro, author, contact, course, made; ///< made: month or day of the export
    std::vector<ArtifactPart> artifacts;
    std::vector<JournalPart> journal; ///< of a notebook: entries that belong to no artifact
    std::string rows;                 ///< rows.jsonl
    std::size_t rowCount = 0, redactedRows = 0;
    std::vector<std::string> redactedColumns;
    Shown shown;
    std::string catalogue; ///< SHA-256 of the experiments whose words and charts it uses
    std::vector<PrivacyItem> preview;
};

/// So many artifacts that a reader looks for one: they are listed by module, and on paper with their pages.
constexpr bool isLongList(std::size_t artifacts)
{
    return artifacts > 6;
}
/// Artifacts of one module, by their places; no title where there is one group.
struct ModuleParts {
    std::string title;
    std::vector<std::size_t> parts;
};
/// From place `from` on, modules in their order, within a module in the author's. One group where the list is short or
/// all belong to one module; what belongs to none is last.
std::vector<ModuleParts> byModule(const std::vector<ArtifactPart>& parts, std::size_t from);

/// What a lesson is called, for those who know; an empty answer is fine.
using LessonTitle = std::function<std::string(const std::string& lesson)>;

/// Collects everything from the record. Reads only, and from the thread that owns the store or with one of its own.
/// Errors: "unknown-artifact" (names it), "nothing-shipped", those of the store.
Result<PortfolioDocument> makePortfolio(const record::Store& store, std::span<const ExperimentInfo> experiments,
                                        const LessonTitle& lessonTitle, const PortfolioOptions& options,
                                        const Person& person);

/// "0.1.0 simulator of the H100 SXM on an AMD EPYC", one line that says what made the numbers; and the same as facts.
std::string machineLine(const Json& fingerprint);
std::vector<std::pair<std::string, std::string>> machineFacts(const Json& fingerprint);

/// RFC 4180, one line a run, units in the head.
std::string runsCsv(const std::vector<record::RunRow>& runs);

} // namespace ridge::folio
