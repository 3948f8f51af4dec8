// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json_value.h"
#include "evidence/discretion.h"
#include "evidence/mastery.h"
#include "evidence/prediction_outcomes.h"

namespace ridge::app {

/// Calibration of the predictions of one module.
struct TopicCalibration {
    int module = 0; ///< 0: predictions made outside any lesson
    std::string title;
    Calibration calibration;
};

/// Everything that stored rows say about a learner's progress.
struct Progress {
    std::vector<LessonStanding> lessons;
    std::vector<LayerSkill> layers;
    std::vector<PredictionOutcome> outcomes; ///< oldest first
    Calibration calibration;
    std::vector<TopicCalibration> topics;
    std::size_t reviewsDue = 0;
    std::vector<std::string> held; ///< why predictions of some lessons are left out; each reason once
};

/// `now`: ISO 8601 UTC. What `discretion` keeps back is not in it. Errors: those of the store and of a lesson's file.
Result<Progress> progressOf(const record::Store& store, const lessons::Curriculum& curriculum, const std::string& now,
                            const Discretion& discretion = {});

/// {format: "ridgepoint-progress/1", lessons: [{id, title, module, predicted, ran, passed, shipped, explained, mastery,
/// passed_at}], layers: [{layer, lessons, met, solid, mastered}], calibration: {predictions, held, median_factor,
/// mean_interval_score, topics: [{module, title, …}]}, reviews_due, held: [reasons]}. Numbers without predictions are
/// null, and so is what is kept back.
Json progressJson(const Progress& progress);
/// A lesson a line.
std::string progressCsv(const Progress& progress);

} // namespace ridge::app
