// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json.h"
#include "lessons/lesson_evidence.h"
#include "record/store.h"

#include <span>

namespace ridge::app {

/// What a learner did in a lesson, read from the store: the finished runs that are valid, or whose only fault is that
/// the processor was contended or the machine on battery; predictions, answers and number of artifacts. Shared by the
/// program and `ridge`, so that both see the same checks pass.
Result<lessons::Evidence> evidenceFromStore(const record::Store& store, const std::string& lessonId);

/// The same with what checks of this lesson look at besides: graded kernels, figures that were imported, and which
/// predictions were made when their result was known. Checks are to be evaluated with this one.
Result<lessons::Evidence> evidenceFromStore(const record::Store& store, const lessons::Lesson& lesson);

/// Adds them, where a check asks for them, to evidence that was made otherwise.
Result<void> addWork(lessons::Evidence& evidence, const record::Store& store, const lessons::Lesson& lesson);
/// Of these artifacts alone, a class's for one.
void addWork(lessons::Evidence& evidence, const std::vector<record::ArtifactRow>& artifacts);

/// Marks the predictions whose result the store held when they were made, from whatever run: the lesson's, the Lab's,
/// the command line's, a demonstration. A run older than lessons::kCountsAgainAfter spoils nothing. `rows`: the
/// predictions of `evidence`, in its order.
Result<void> markKnown(lessons::Evidence& evidence, const record::Store& store,
                       const std::vector<record::PredictionRow>& rows, const lessons::Lesson& lesson);

/// The same among rows that were read elsewhere.
void markKnown(lessons::Evidence& evidence, const std::vector<record::RunRow>& runs,
               const std::vector<record::PredictionRow>& rows, const lessons::Lesson& lesson);

/// Whether the store holds a finished run of the experiment at this point, from wherever. Errors: those of the store.
Result<bool> holdsResult(const record::Store& store, const std::string& experiment, const ParamSet& point);

/// Whether the lesson has a run that counts. Reads no further than to the first one.
Result<bool> hasCountingRun(const record::Store& store, const std::string& lessonId);

/// The runs that count, as far as the lesson's checks can tell them apart: of a hundred thousand that repeat a few
/// points only the newest of each, and those that answer a prediction. The checks come to the same states with them as
/// with all of evidenceFromStore(). `predictions`: those of the lesson.
Result<std::vector<lessons::EvidenceRun>> runsForChecks(const record::Store& store, const lessons::Lesson& lesson,
                                                        const std::vector<lessons::EvidencePrediction>& predictions);

/// How many of them somebody wrote: a file that was imported for a lesson is not yet what the lesson asks to ship.
std::size_t shippedArtifacts(const std::vector<record::ArtifactRow>& rows);

/// Evidence from rows that were read elsewhere, a class's for one. `artifacts`: shippedArtifacts().
lessons::Evidence evidenceFromRows(const std::vector<record::RunRow>& runs,
                                   const std::vector<record::PredictionRow>& predictions,
                                   const std::vector<record::AnswerRow>& answers, std::size_t artifacts);

/// An answer as the store keeps it, what is given under its name: {"number": 12}, {"choice": 1}, {"order": [0, 2, 1]},
/// {"shown": true}, {"text": "…", "rating": "partly"}, {"curve": [[1, 4], [2, 8]], "held": [1]}, {"cell": "all",
/// "number": 9, "cells": {"all": 9}} or {"item": "bank.3"}; to an instance of a question with "vars" and, from 1 on,
/// "variant"; of a curve and a worksheet with "instance" from 1 on. What is none of these reads as nothing given.
Json toJson(const lessons::AnswerGiven& given);

/// x of a drawn curve of which the record holds the result already, from whichever lesson, the Lab or the command line.
/// Errors: of the store.
Result<std::vector<double>> heldOfCurve(const record::Store& store, const lessons::DrawBlock& block,
                                        const lessons::AnswerGiven& curve);

lessons::AnswerGiven answerFromJson(const Json& json);

/// The source of a kernel, with its name below kernels/.
struct KernelSource {
    std::string name, text;
};
/// Of all kernels of the experiments. Errors: "unknown-experiment", those of files.
Result<std::vector<KernelSource>> kernelSources(std::span<const std::string> experiments,
                                                const std::vector<ExperimentInfo>& catalogue);

/// The source of the experiments' kernels, put into the store's files. Errors: "unknown-experiment", those of files and
/// of the store.
Result<std::vector<record::ArtifactCode>> storeKernels(record::Store& store, std::span<const std::string> experiments,
                                                       const std::vector<ExperimentInfo>& catalogue);

/// Where runs were made and whose numbers they are, each once: "sim:h100-sxm, SIMULATED"; a reader of a title sees it.
/// From four targets on how many they are.
std::string originText(std::span<const record::RunRow> runs);
/// The provenance that may stand for all of them: the one farthest from a measurement.
Provenance provenanceOfAll(std::span<const record::RunRow> runs);

/// The artifact that `lesson` ships from what the store holds: claim filled from runs, prediction and run ids, charts,
/// kernel code (put into the store's files), fingerprint of the newest run. Title and claim say where the runs were
/// made and whose numbers they are.
/// Errors: "artifact-incomplete" (names the block that has no run yet), and those of the store.
Result<record::ArtifactRow> composeArtifact(record::Store& store, const lessons::Lesson& lesson,
                                            const std::vector<ExperimentInfo>& experiments,
                                            const std::string& reflection);

} // namespace ridge::app
