// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json.h"
#include "lessons/evidence.h"
#include "record/store.h"

#include <span>

namespace ridge::app {

/// What a learner did in a lesson, read from the store: the finished runs that are valid, or whose only fault is that
/// the processor was contended or the machine on battery; predictions, answers and number of artifacts. Shared by the
/// program and `ridge`, so that both see the same checks pass.
Result<lessons::Evidence> evidenceFromStore(const record::Store& store, const std::string& lessonId);

/// The same from rows that were read elsewhere, a class's for one.
lessons::Evidence evidenceFromRows(const std::vector<record::RunRow>& runs,
                                   const std::vector<record::PredictionRow>& predictions,
                                   const std::vector<record::AnswerRow>& answers, std::size_t artifacts);

/// An answer as the store keeps it: {"number": 12}, {"choice": 1} or {"order": [0, 2, 1]}. What is none of these reads
/// as an answer with nothing given.
Json toJson(const lessons::AnswerGiven& given);
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

/// The artifact that `lesson` ships from what the store holds: claim filled from runs, prediction and run ids, charts,
/// kernel code (put into the store's files), fingerprint and provenance of the newest run.
/// Errors: "artifact-incomplete" (names the block that has no run yet), and those of the store.
Result<record::ArtifactRow> composeArtifact(record::Store& store, const lessons::Lesson& lesson,
                                            const std::vector<ExperimentInfo>& experiments,
                                            const std::string& reflection);

} // namespace ridge::app
