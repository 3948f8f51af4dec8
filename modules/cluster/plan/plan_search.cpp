// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/plan/plan_search.h"

#include "cluster/plan/plan_software.h"

#include <algorithm>
#include <cmath>

namespace ridge::cluster {
namespace {

std::vector<double> divisors(double whole, double most)
{
    std::vector<double> found;
    for (double d = 1; d <= most && d <= whole; ++d)
        if (std::fmod(whole, d) == 0)
            found.push_back(d);
    return found;
}

class Search {
public:
    Search(const TrainingJob& job, const SearchLimits& limits, const std::function<bool()>& stop)
        : m_job(job), m_limits(limits), m_stop(stop)
    {
        if (!limits.recompute)
            return;
        if (!constantsOf(job).flash) // else scores are never kept, and there is nothing to select
            m_again.push_back(workload::Recompute::Selective);
        m_again.push_back(workload::Recompute::Full);
    }

    SearchResult run()
    {
        const double most = std::min(m_job.gpus, m_limits.mostTensor > 0 ? m_limits.mostTensor : m_job.system.nodeGpus);
        TrainingPlan plan;
        for (plan.tensor = 1; plan.tensor <= most; plan.tensor *= 2)
            if (std::fmod(m_job.model.heads, plan.tensor) == 0 && std::fmod(m_job.gpus, plan.tensor) == 0)
                contexts(plan);
        std::sort(m_out.best.begin(), m_out.best.end(), faster);
        if (m_out.best.size() > m_limits.keep)
            m_out.best.resize(m_limits.keep);
        return std::move(m_out);
    }

private:
    static bool faster(const FoundPlan& a, const FoundPlan& b) { return a.result.stepSeconds < b.result.stepSeconds; }

    void contexts(TrainingPlan plan)
    {
        // A part of a sequence of fewer than 2,048 tokens is not worth the ring.
        for (plan.context = 1; plan.context <= std::max(1.0, m_job.sequence / 2048); plan.context *= 2)
            if (std::fmod(m_job.sequence, plan.context) == 0 && std::fmod(m_job.gpus, plan.tensor * plan.context) == 0)
                micros(plan);
    }

    void micros(TrainingPlan plan)
    {
        for (plan.microBatch = 1; plan.microBatch <= m_limits.mostMicroBatch; plan.microBatch *= 2)
            for (int sequence = 0; sequence <= (plan.tensor > 1); ++sequence)
                for (const workload::Recompute again : m_again) {
                    plan.sequenceParallel = sequence != 0;
                    plan.recompute = again;
                    for (const double expert :
                         divisors(std::max(1u, m_job.model.moe.experts), m_job.model.moe.experts ? 64 : 1)) {
                        plan.expert = expert;
                        plan.pipeline = 1;
                        const PlanCosts alone = costsOf(m_job, plan);
                        plan.pipeline = 2;
                        const PlanCosts staged = costsOf(m_job, plan);
                        pipelines(plan, alone, staged);
                    }
                }
    }

    void pipelines(TrainingPlan plan, const PlanCosts& alone, const PlanCosts& staged)
    {
        const double rest = m_job.gpus / plan.tensor / plan.context;
        for (plan.pipeline = 1; plan.pipeline <= std::min<double>(rest, m_job.model.layers); ++plan.pipeline) {
            if (std::fmod(rest, plan.pipeline) != 0)
                continue;
            plan.data = rest / plan.pipeline;
            if (std::fmod(m_job.globalBatch, plan.data * plan.microBatch) != 0 ||
                std::fmod(plan.data * plan.context, plan.expert) != 0)
                continue;
            schedules(plan, plan.pipeline > 1 ? staged : alone);
            if (m_out.stopped)
                return;
        }
    }

    void schedules(TrainingPlan plan, const PlanCosts& costs)
    {
        const double micro = m_job.globalBatch / plan.data / plan.microBatch;
        plan.interleave = 1;
        plan.schedule = PipelineSchedule::OneForwardOneBackward;
        zeros(plan, costs);
        if (plan.pipeline < 2)
            return;
        plan.schedule = PipelineSchedule::ZeroBubble;
        zeros(plan, costs);
        if (micro >= 2 * plan.pipeline - 1) {
            plan.schedule = PipelineSchedule::ZeroBubble2;
            zeros(plan, costs);
        }
        plan.schedule = PipelineSchedule::Interleaved;
        if (std::fmod(micro, plan.pipeline) == 0)
            for (plan.interleave = 2; plan.interleave * plan.pipeline <= m_job.model.layers; ++plan.interleave)
                if (std::fmod(m_job.model.layers, plan.interleave * plan.pipeline) == 0)
                    zeros(plan, costs);
    }

    void zeros(TrainingPlan plan, const PlanCosts& costs)
    {
        for (plan.zero = 0; plan.zero <= (m_limits.zero ? 3 : 1); ++plan.zero) {
            if (plan.zero > 0 && plan.data * plan.context < 2)
                break;
            ++m_out.looked;
            const PlanResult result = evaluatePlan(m_job, plan, costs);
            if (result.fits) {
                ++m_out.fitting;
                keep({plan, result});
            } else if (m_out.looked == 1 || result.memory.total() < m_out.nearest.result.memory.total()) {
                m_out.nearest = {plan, result};
            }
            if ((m_out.looked & 0xfff) == 0 && m_stop && m_stop())
                m_out.stopped = true;
        }
    }

    void keep(const FoundPlan& found)
    {
        if (m_out.best.size() >= m_limits.keep && found.result.stepSeconds >= m_worst)
            return;
        m_out.best.push_back(found);
        if (m_out.best.size() >= 2 * m_limits.keep + 16) { // sorted now and then, not at every plan
            std::sort(m_out.best.begin(), m_out.best.end(), faster);
            m_out.best.resize(m_limits.keep);
            m_worst = m_out.best.empty() ? INFINITY : m_out.best.back().result.stepSeconds;
        }
    }

    const TrainingJob& m_job;
    const SearchLimits& m_limits;
    const std::function<bool()>& m_stop;
    std::vector<workload::Recompute> m_again{workload::Recompute::None};
    SearchResult m_out;
    double m_worst = INFINITY;
};

} // namespace

SearchResult searchPlans(const TrainingJob& job, const SearchLimits& limits, const std::function<bool()>& stop)
{
    return Search(job, limits, stop).run();
}

} // namespace ridge::cluster
