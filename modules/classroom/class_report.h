// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/alike_kernels.h"
#include "classroom/collect.h"
#include "classroom/grade.h"
#include "classroom/open_work.h"
#include "classroom/refusal.h"

namespace ridge::classroom {

/// One row of the matrix of learners and steps.
struct LearnerLine {
    Person who;
    std::vector<std::string> hardware;
    std::string submittedAt;
    bool late = false;
    std::map<std::string, LessonSteps> steps; ///< by lesson
    std::map<std::string, double> points;     ///< by lesson, 0 to 100
    double grade = 0;                         ///< their mean; a lesson without work is worth nothing
    bool reexecuted = false;                  ///< every lesson was graded by running it again
};

/// The first thing that a learner has not done or not passed.
struct StuckLearner {
    Person who;
    std::string lesson, step;  ///< step as the feedback policy names them
    std::string check, detail; ///< the check that is open, if it is one
};

struct HistogramBin {
    double low = 0, high = 0;
    int count = 0;
};

/// What a class predicted before it knew. No names: a picture for everybody.
struct PredictionHistogram {
    std::string lesson, block, question, metric, unit;
    bool logScale = false;
    std::vector<HistogramBin> bins = {}; ///< over the whole slider; what lies outside counts into the end bins
    int learners = 0;
    std::optional<double> result = {}; ///< median over the class; none where nobody ran it
    /// Of what the class found, where anybody ran it: machines differ. "SIMULATED", or several with commas.
    std::optional<double> resultLow = {}, resultHigh = {};
    std::string provenance = {};
    std::string foundBy = {}; ///< who found the result, as a sentence begins; empty: the class
};
/// What a block asks, with the bins of its slider and nobody in them yet.
PredictionHistogram emptyHistogram(const std::string& lesson, const lessons::Block& block,
                                   const lessons::PredictBlock& predict);
void addPrediction(PredictionHistogram& histogram, double point);

struct MisconceptionCount {
    std::string lesson, block, id;
    std::string says; ///< in the words of the lesson's authors
    int learners = 0;
    std::string question = {}; ///< that was asked: an answer alone says little
};

struct HardwareCount {
    std::string name;
    int learners = 0;
};

/// Results at the same point on one kind of machine.
struct HardwareSpread {
    std::string lesson, block, metric, unit, target, provenance;
    int learners = 0;
    double low = 0, median = 0, high = 0;
    std::string hardware = {}; ///< in words; the target where it is not known
    double classMedian = 0;    ///< over all machines at this point
};

/// A result that is far off what the class has at the same point: a matter to talk about, not a fault.
struct Outlier {
    Person who;
    std::string lesson, block, metric, unit;
    double value = 0, median = 0, factor = 1;
    std::string hardware = {}, provenance = {}; ///< of the result
};

/// One learner's work on three axes, without a name and in no learner's place: in the order of the figures.
struct WorkPoint {
    double points = 0;                ///< the grade, 0 to 100
    std::optional<double> factor{};   ///< median over the first predictions: how far off, ≥ 1; none without a result
    std::optional<double> interval{}; ///< median of their intervals, high over low
    bool operator==(const WorkPoint&) const = default;
};

/// What learners wrote to an `explain` block, for the person who teaches.
struct ExplanationList {
    struct Line {
        Person who;
        std::string text;   ///< in the learner's own words
        std::string rating; ///< against the model answer, by the learner: "no", "partly", "yes"; empty: not rated
    };
    std::string lesson, block, question, model;
    std::vector<Line> lines; ///< in the order of the names
};

/// Everything about an assignment that the Class page and `ridge class report` show. There is no order of merit in it:
/// learners stand in the order of their names.
struct ClassReport {
    std::string classTitle, assignment, assignmentId, deadline;
    std::vector<std::string> lessons;
    std::vector<LearnerLine> learners;
    std::vector<Person> missing;
    std::vector<Refused> refused; ///< of the whole class; empty where names are hidden, for a file's name may be one
    /// What could not be run again and counts nothing until somebody decides, and what is decided; empty where names
    /// are hidden, since it is nobody's business but the instructor's and the learner's.
    std::vector<OpenLine> open;
    std::vector<StuckLearner> stuck;
    std::vector<PredictionHistogram> histograms;
    std::vector<MisconceptionCount> misconceptions; ///< most frequent first
    /// In the order of the lessons; empty where names are hidden, since own words tell who wrote them.
    std::vector<ExplanationList> explanations;
    std::vector<HardwareCount> hardware;
    std::vector<HardwareSpread> spread;
    std::vector<Outlier> outliers;
    std::vector<AlikeKernels> alike;  ///< kernels of tasks
    std::vector<HistogramBin> grades; ///< ten bins: how grades are distributed
    std::vector<WorkPoint> work;
    double seconds = 0;
};

struct ReportOptions {
    std::string assignment = {}; ///< as OpenClass::assignment
    bool hideNames = false;      ///< for a projector: neither names nor pseudonyms, "Learner 12" in a shuffled order
};

/// Reads grades and counts; runs nothing and reads no learner's rows, so that a thousand learners take well under a
/// second. Errors: those of the database and of loadLesson.
Result<ClassReport> report(OpenClass& open, const lessons::Curriculum& curriculum, const ReportOptions& options = {});

Json toJson(const ClassReport& report);

} // namespace ridge::classroom
