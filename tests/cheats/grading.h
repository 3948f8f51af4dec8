// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/kernel_request.h"
#include "base/kernel_verdict.h"
#include "base/target_choice.h"
#include "labs/worker/execute_kernel.h"

#include <stdexcept>

namespace ridge::test {

struct Graded {
    GradeFacts facts;
    GradeVerdict verdict;

    std::string first() const { return verdict.reasons.empty() ? "accepted" : verdict.reasons.front().id; }
    std::string firstText() const { return verdict.reasons.empty() ? "" : verdict.reasons.front().text; }
};

/// Grades as `ridge kernel grade` does, in this process. Throws what a learner would be told instead of a verdict.
inline Graded graded(const std::string& taskId, const KernelText& source, const std::string& target,
                     const std::string& secret, double seconds = 120)
{
    const auto task = shippedTask(taskId);
    if (!task)
        throw std::runtime_error(toText(task.error()));
    KernelGradeRequest request;
    request.source = source;
    request.task = taskId;
    request.target = target;
    request.secret = secret;
    request.cases = gradeCases(*task, kindOfTarget(target), secret);
    request.limits.seconds = seconds;
    Graded result;
    std::optional<Error> failed;
    labs::executeKernel(
        request,
        [&](const Event& event) {
            if (const auto* kernel = std::get_if<KernelEvent>(&event)) {
                auto facts = gradeAnswer(*kernel->document, request.task, request.cases);
                if (facts)
                    result.facts = std::move(*facts);
                else
                    failed = facts.error();
            } else if (const auto* failure = std::get_if<FailedEvent>(&event)) {
                failed = failure->error;
            }
        },
        {},
        [] {
            return Error{"cancelled", "cancelled", "", ""};
        });
    if (failed)
        throw std::runtime_error(failed->code + ": " + toText(*failed));
    result.verdict = judge(*task, result.facts);
    return result;
}

} // namespace ridge::test
