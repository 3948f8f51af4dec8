// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/parameters.h"

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
    std::string ask; ///< what the reader should find in it
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
    std::string explains;                      ///< after an attempt
    std::vector<Misconception> misconceptions; ///< for numeric questions: explained when given
};

/// Steps to be put in order; `steps` is the right order, the view shuffles it by a fixed seed.
struct OrderBlock {
    std::string question;
    std::vector<std::string> steps;
    std::string explains;
};

/// Source of a shipped kernel, shown read-only in this version, with the lines that matter marked.
struct KernelBlock {
    std::string file; ///< below kernels/
    std::vector<int> highlight;
    std::string caption;
};

/// A goal to reach by running: `check` names one of the lesson's checks.
struct ChallengeBlock {
    std::string question;
    std::string experiment;
    std::vector<std::string> controls;
    ParamSet set;
    std::string check;
    std::string explains;
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

/// A glossary entry introduced here (its text stands in curriculum/glossary.yaml).
struct TermBlock {
    std::string term;
};

using BlockBody = std::variant<PredictBlock, RunBlock, SweepBlock, ChartBlock, SceneBlock, ExploreBlock, QuizBlock,
                               OrderBlock, KernelBlock, ChallengeBlock, ArtifactBlock, TermBlock>;

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
    std::string title; ///< one of the seven
    std::vector<Segment> segments;
};

/// A predicate over stored runs and answers. Exactly the keys of its kind are set.
struct CheckSpec {
    std::string id;
    std::string title;
    std::string kind; ///< metric_formula, metric_ratio, predicted, answered, shipped
    std::string experiment;
    std::string metric;
    std::string formula;            ///< metric_formula: over parameters, "gcd(stride, 32)"
    double tolerance = 0;           ///< metric_formula: relative
    int points = 1;                 ///< metric_formula: least number of different parameter points
    ParamSet where;                 ///< metric_formula: only runs with these values
    ParamSet at, over;              ///< metric_ratio: metric(at) / metric(over)
    std::optional<double> min, max; ///< metric_ratio: bounds
    std::string block;              ///< predicted, answered
    SourceSpan span;
};

struct Lesson {
    std::string id; ///< "2.4"
    std::string title;
    int module = 0;
    int minutes = 0;
    std::vector<std::string> objectives, prerequisites, layers, roles, exitCriteria;
    std::string question; ///< the one question that holds the lesson together
    std::vector<CheckSpec> checks;
    std::vector<Section> sections; ///< the seven, in order
    SourceSpan at;

    /// In reading order.
    std::vector<const Block*> blocks() const;
    const Block* block(std::string_view id) const;
    /// Experiment ids used by any block, in order of first use.
    std::vector<std::string> experiments() const;
    const ArtifactBlock* artifact() const;
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

} // namespace ridge::lessons
