// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/parameters.h"
#include "lessons/worked_blocks.h"

namespace ridge::lessons {

/// Where a thing stands in its file, for messages.
struct SourceSpan {
    std::string file; ///< path below curriculum/
    int line = 0;     ///< 1-based
};

/// An authored wrong prediction and what it assumed; offered in the reason picker and explained in the reveal.
struct Misconception {
    std::string id;
    std::string says;     ///< "My prediction assumed every lane costs its own sector"
    double value = 0;     ///< the prediction it leads to, in the block's unit
    std::string explains; ///< why that is not what happens, shown after the run
    std::string formula;  ///< in place of `value`: over the variables of the question or the parameters of the point
};

/// Point and 80 % interval, committed before the run.
struct PredictBlock {
    std::string question;
    std::string experiment;
    std::string metric;
    std::string unit;
    ParamSet at;             ///< the point it asks about
    double min = 0, max = 0; ///< range of the slider
    bool logScale = true;
    std::string first;     ///< "predict" or "example"
    std::string mechanism; ///< one sentence shown with the reveal
    std::vector<Misconception> misconceptions;
    std::vector<ParamSet> vary; ///< other points at which it may be asked, each laid over `at`
    std::string estimate;       ///< formula for what the page lets a reader work out; empty: nothing is said
};

/// One experiment at one point. `after` names the predict block that must be committed first.
struct RunBlock {
    std::string experiment;
    std::string after;
    ParamSet set;
    std::vector<std::string> controls; ///< at most three parameters the reader may change
    std::string caption;
};

struct SweepBlock {
    std::string experiment;
    std::string after;
    ParamSet set;
    std::vector<std::string> sweep; ///< "stride=1..128:log2", up to three
    std::vector<std::string> controls;
    std::string chart; ///< a chart id of the experiment
    std::string caption;
};

/// A chart over stored runs of this lesson.
struct ChartBlock {
    std::string experiment;
    std::string chart;
    std::string caption;
};

/// A scene over the trace of a run or sweep block of this lesson (`of`), one frame a swept point.
struct SceneBlock {
    std::string scene; ///< "lanes_sectors", "shared_banks"
    std::string of;
    std::string caption;
    std::string ask;                 ///< what the reader should find in it
    std::vector<std::string> answer; ///< things to point at, "bank.3", any of which is right; empty: nothing is asked
    ParamSet at;                     ///< the point of `of` at which it is asked
    std::string explains;            ///< after an attempt
};

/// Sliders over a pure function that answers within a frame, no run. `model` is "warp_access", "bank_access" or
/// "mma_fragments".
struct ExploreBlock {
    std::string model;
    ParamSet set;
    std::vector<std::string> controls;
    std::string caption;
};

struct QuizChoice {
    std::string text;
    bool correct = false;
    std::string explains; ///< shown after an attempt
};

/// One question. Either choices, or a number with a tolerance.
struct QuizBlock {
    std::string question;
    std::vector<QuizChoice> choices;
    std::optional<double> number;
    double tolerance = 0;
    std::string unit;
    std::string explains;                      ///< the solution: after a right answer, or when it was asked for
    std::vector<Misconception> misconceptions; ///< for numeric questions: explained when given
    std::string recalls;                       ///< the earlier lesson that this question brings back; may be empty
    std::string instead;          ///< the quiz that takes its place for whoever has not met that lesson; may be empty
    std::vector<ParamSet> vars;   ///< values of its variables, one set an instance; empty: its numbers are fixed
    std::string formula;          ///< in place of `number`: over the variables
    double tolerancePercent = 0;  ///< beside `tolerance`: of the right number
    std::string answer;           ///< choices: formula for the number of the right one, from 1
    std::vector<QuizBlock> again; ///< further instances in other words (without `again` of their own)
};

/// Steps to be put in order; `steps` is the right order, the view shuffles it by a fixed seed.
struct OrderBlock {
    std::string question;
    std::vector<std::string> steps;
    std::string explains;
};

/// Source of a shipped kernel with the lines that matter marked, or the task to write one.
struct KernelBlock {
    std::string file; ///< below kernels/; empty for a task
    std::vector<int> highlight;
    std::string caption;
    std::string task;  ///< folder of assets/tasks/; empty for a file
    bool edit = false; ///< the reader edits a copy and runs it in the page
};

/// A goal to reach by running: `check` names one of the lesson's checks.
struct ChallengeBlock {
    std::string question;
    std::string experiment;
    std::vector<std::string> controls;
    ParamSet set;
    std::string check;
    std::string explains;
    std::vector<ParamSet> solution; ///< what reaches the goal when run one after the other, each over `set`
};

/// What is shipped and how its fields are filled.
struct ArtifactBlock {
    std::string title;
    std::string kind; ///< "profile", "benchmark report" …
    int level = 3;    ///< artifact ladder 1..5
    std::string question;
    std::string claim;                  ///< template; {{run:block.metric@stride=8}} is filled from stored runs
    std::vector<std::string> requires_; ///< blocks that must have runs
    std::vector<std::string> prompts;   ///< reflection prompts, two lines expected
};

/// A drawing from the figures/ folder of the lesson's module. Its colours are roles of the theme in braces
/// ("{accent}"), which the reader of the file replaces.
struct FigureBlock {
    std::string file; ///< "sm.svg"
    std::string alt;  ///< what it shows, spoken
    std::string caption;
    std::string description; ///< all that can be seen in it, in reading order, for who does not see it
};

/// A glossary entry introduced here (its text is in curriculum/glossary/).
struct TermBlock {
    std::string term;
};

using BlockBody = std::variant<PredictBlock, RunBlock, SweepBlock, ChartBlock, SceneBlock, ExploreBlock, QuizBlock,
                               OrderBlock, KernelBlock, ChallengeBlock, ArtifactBlock, TermBlock, FigureBlock,
                               ExplainBlock, DrawBlock, WorksheetBlock, CompareBlock>;

struct Block {
    std::string kind; ///< "predict" …
    std::string id;   ///< unique in the lesson; made from kind and position where the author gave none
    SourceSpan at;
    BlockBody body;
};

/// Prose between blocks: GitHub Markdown with claims and formulas still marked up (see inline.h).
struct Prose {
    std::string markdown;
    SourceSpan at;
};

using Segment = std::variant<Prose, Block>;

struct Section {
    std::string title; ///< one of the seven, in a capstone of its four
    std::vector<Segment> segments;
};

/// One metric and what it has to lie between, of a `constraint`.
struct MetricBounds {
    std::string metric;
    std::optional<double> min, max;
};

/// A predicate over stored runs and answers. Exactly the keys of its kind are set.
struct CheckSpec {
    std::string id;
    std::string title;
    std::string kind; ///< one of kCheckKinds (docs/authoring.md says when each is passed)
    std::string experiment;
    std::string metric;
    ParamSet where;                 ///< only runs with these values count
    int points = 1;                 ///< least number of different points; answered: of right answers
    std::string formula;            ///< metric_formula: over parameters and metrics, "gcd(stride, 32)"
    double tolerance = 0;           ///< metric_formula, knee: relative
    ParamSet at, over;              ///< metric_ratio: metric(at) / metric(over)
    std::optional<double> min, max; ///< metric_ratio, metric_bound: bounds; linear_fit, drawn: `max` of the error
    std::vector<ParamSet> order;    ///< metric_order: smallest metric first
    double ratio = 1;               ///< metric_order: least factor from one to the next
    int distinct = 1;               ///< metric_count: different values; winners: different winners
    std::string along;              ///< plateaus, linear_fit, crossing, knee, step: what is on the x axis
    int count = 1;                  ///< plateaus: least number of flat stretches
    double rise = 1.25;             ///< plateaus: least factor between two of them; step: least height
    double level = 1;               ///< crossing: what the metric crosses
    int repeats = 2;                ///< crossing: sweeps that must show it
    double within = 2;              ///< crossing: factor within which they agree; step: how far from `size`
    ParamSet withinOn;              ///< step: class of target ("cpu") -> factor there in place of `within`
    std::string size;               ///< step: the metric of the runs that tells where it should be
    std::string among;              ///< winners: the parameter whose values compete
    std::vector<std::string> by;    ///< winners: a group of runs has the same values of these
    bool bestIsMax = true;          ///< winners
    int contestants = 3;            ///< winners: least number of values of `among` in a group
    std::vector<std::string> hold;  ///< winners: parameters that a value of `among` has the same of in every group
    std::string block; ///< predicted, estimated, answered, drawn; winners, constraint: only runs that it started
    std::vector<std::string> blocks;  ///< answered: instead of `block`
    double factor = 1;                ///< estimated: how far off a prediction may be
    std::vector<ParamSet> hidden;     ///< metric_formula, _ratio, _bound, _order: settings at which it holds as well
    std::string task;                 ///< graded: the kernel task; `min` is the least score in percent
    std::string format;               ///< imported: the log's format
    std::vector<MetricBounds> bounds; ///< constraint: what one run has to satisfy at once
    SourceSpan span;
};

enum class LessonKind { Lesson, Capstone };

struct Lesson {
    std::string id; ///< "2.4", of a capstone "1.capstone"
    LessonKind kind = LessonKind::Lesson;
    std::string title;
    int module = 0;
    int minutes = 0;
    std::vector<std::string> objectives, prerequisites, layers, roles, exitCriteria;
    std::string target;   ///< the one it is about, "sim:l40s"; empty: any
    std::string question; ///< the one question that holds the lesson together
    std::vector<CheckSpec> checks;
    std::vector<Section> sections; ///< those of its kind, in order
    SourceSpan at;

    /// In reading order.
    std::vector<const Block*> blocks() const;
    const Block* block(std::string_view id) const;
    /// Experiment ids used by any block, in order of first use.
    std::vector<std::string> experiments() const;
    const ArtifactBlock* artifact() const;

    // Once, in lesson.cpp: some forty files keep lessons, and each would compile what a lesson's members do.
    Lesson();
    Lesson(const Lesson&);
    Lesson(Lesson&&) noexcept;
    Lesson& operator=(const Lesson&);
    Lesson& operator=(Lesson&&) noexcept;
    ~Lesson();
};

struct Problem {
    SourceSpan at;
    std::string message; ///< names the thing and the fix
};

/// A lesson with every problem found in it. The lesson is present when it can be shown at all.
struct ParsedLesson {
    std::optional<Lesson> lesson;
    std::vector<Problem> problems;
};

ParsedLesson parseLesson(const std::string& text, const std::string& file);

inline constexpr std::array<std::string_view, 7> kSectionTitles = {
    "Why it matters", "Mental model", "Build it", "Use it in the real stack", "Measure it", "Ship it", "Exit criteria"};
inline constexpr std::array<std::string_view, 4> kCapstoneTitles = {"The task", "From the datasheet", "Measure it",
                                                                    "The memo"};
/// The section titles of a kind, in order.
std::span<const std::string_view> sectionTitles(LessonKind kind);

inline constexpr std::array<std::string_view, 19> kCheckKinds = {
    "metric_formula", "metric_ratio", "metric_bound", "metric_order", "metric_count", "plateaus",  "linear_fit",
    "crossing",       "knee",         "step",         "winners",      "constraint",   "predicted", "estimated",
    "answered",       "graded",       "imported",     "shipped",      "drawn"};

} // namespace ridge::lessons
