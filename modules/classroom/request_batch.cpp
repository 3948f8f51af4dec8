// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/request_batch.h"

#include "base/seedless.h"

namespace ridge::classroom {
namespace {

constexpr double kSeconds = 600;

bool drawsNothing(const Json& fingerprint)
{
    return fingerprint.is_object() && fingerprint.value("data", Json()) == kSameForEverySeed;
}

} // namespace

void Batch::want(const Request& request)
{
    if (!m_outcomes.contains(request))
        m_wanted.insert(request);
}

bool Batch::run(const std::function<bool()>& step, RegradeReport& report)
{
    for (const Request& wanted : m_wanted) {
        const RunRequest request{wanted.experiment, wanted.target, wanted.seed, wanted.points, false, {kSeconds, 0}};
        auto executed = m_execute(request, wanted.compiler);
        // A compiler that is not on this machine: built with what there is, the new values count.
        if (!executed && !wanted.compiler.empty())
            executed = m_execute(request, {});
        if (executed && executed->samples.size() == wanted.points.size()) {
            m_outcomes[wanted] = {std::move(executed->samples), buildOf(*executed->started.fingerprint),
                                  executed->started.version, drawsNothing(*executed->started.fingerprint)};
        } else {
            const Error error =
                executed ? Error{"points-missing", "not all points came back", "", ""} : executed.error();
            m_failures.insert_or_assign(wanted, error);
            report.trouble.push_back(wanted.experiment + " on " + wanted.target + ": " + toText(error));
        }
        (executed && executed->remembered ? report.remembered : report.executed) +=
            static_cast<int>(wanted.points.size());
        if (!step())
            return false;
    }
    return true;
}

} // namespace ridge::classroom
