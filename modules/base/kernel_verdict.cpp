// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/kernel_verdict.h"

#include "base/grade_words.h"
#include "base/json_read.h"
#include "base/median.h"
#include "base/ratio_credit.h"
#include "base/units.h"

#include <algorithm>
#include <cmath>

namespace ridge {
namespace {

/// Of a product of two factors with 3 bits of fraction (FP8 E4M3), each off by half an ulp.
constexpr double kCoarsestError = 1.0 / 8;

std::string caseText(const GradeCase& c)
{
    std::string text;
    for (const auto& [name, value] : c.sizes)
        text += (text.empty() ? "" : ", ") + name + " = " + toText(value);
    return text + (c.hidden ? " (a hidden case)" : "");
}

bool isAligned(const GradeCase& c)
{
    return std::all_of(c.sizes.begin(), c.sizes.end(), [](const auto& size) {
        return static_cast<std::int64_t>(asNumber(size.second).value_or(0)) % 32 == 0;
    });
}

/// A field of a report; they are null where they are not known.
std::string reportText(const Json& report, const char* key)
{
    const auto found = report.find(key);
    return found != report.end() && found->is_string() ? found->get<std::string>() : std::string();
}

int reportLine(const Json& report)
{
    const auto found = report.find("source_line");
    return found != report.end() && found->is_number_integer() ? found->get<int>() : 0;
}

/// Looks through the facts of one grading, the gravest first.
class Judge {
public:
    Judge(const KernelTask& task, const GradeFacts& facts, const std::optional<GradeRoof>& roof)
        : m_task(task), m_facts(facts)
    {
        m_verdict.roof = roof.value_or(facts.roof);
    }

    GradeVerdict run()
    {
        faults();
        results();
        replay();
        // Whoever can tell that it is timed can leave out then what the detectors would miss.
        if (m_facts.readsClock)
            reject("reads-clock", "the program reads a clock, which no result of the task depends on");
        times();
        // A launch short of the plan proves nothing, whatever came before it.
        if (m_verdict.reasons.empty() && (m_facts.launches.empty() || !m_facts.stopped.empty() || !coversAllCases()))
            reject("not-graded", m_facts.stopped.empty() ? "not all cases were run" : m_facts.stopped);
        m_verdict.accepted = m_verdict.reasons.empty();
        score();
        return std::move(m_verdict);
    }

private:
    void reject(const std::string& id, const std::string& text, const std::string& advice = {}, int line = 0)
    {
        const bool known = std::any_of(m_verdict.reasons.begin(), m_verdict.reasons.end(),
                                       [&](const GradeReason& reason) { return reason.id == id; });
        if (!known)
            m_verdict.reasons.push_back({id, text, advice.empty() ? reasonWords(id).advice : advice, line});
    }

    std::string place(const LaunchFacts& launch) const
    {
        return launch.at < m_facts.cases.size() ? "at " + caseText(m_facts.cases[launch.at]) : std::string("somewhere");
    }

    /// Which data were so, for whoever tries the size out on those of the example.
    std::string dataText(const LaunchFacts& launch) const
    {
        const bool floats =
            std::any_of(m_task.parameters.begin(), m_task.parameters.end(), [](const TaskParameter& parameter) {
                return parameter.role == TaskParameter::Role::In && isFloat(parameter.type);
            });
        if (launch.data == "wide")
            return floats ? ", on numbers of very different size with zeros among them"
                          : ", on numbers that are not spread evenly";
        if (launch.data == "altered")
            return floats ? ", on data with a few large and a few negative numbers"
                          : ", on data of which a part changed";
        return {};
    }

    bool coversAllCases() const
    {
        const auto ran = [&](std::size_t at, bool timed) {
            return std::any_of(m_facts.launches.begin(), m_facts.launches.end(),
                               [&](const LaunchFacts& launch) { return launch.at == at && launch.timed == timed; });
        };
        for (std::size_t at = 0; at < m_facts.cases.size(); ++at)
            if (!ran(at, false) || (m_facts.cases[at].timed && !ran(at, true)))
                return false;
        return !m_facts.cases.empty();
    }

    void faults()
    {
        for (const LaunchFacts& launch : m_facts.launches)
            for (const JsonValue& report : launch.reports) {
                std::string code = reportText(*report, "code"), text = reportText(*report, "message");
                if (code.empty())
                    code = "launch-failed";
                const int line = reportLine(*report);
                if (const std::string written = reportText(*report, "source_text"); line > 0 && !written.empty())
                    text += "; line " + std::to_string(line) + ": " + written;
                reject(code == "shared-race" || code == "global-race" ? "race" : code, text + "; " + place(launch),
                       reportText(*report, "look_for"), line);
            }
        for (const LaunchFacts& launch : m_facts.launches)
            for (const std::string& name : launch.inputsChanged)
                reject("input-changed", "the kernel wrote into its input " + name + " " + place(launch));
        for (const LaunchFacts& launch : m_facts.launches)
            if (launch.pastEnd)
                reject("out-of-bounds", "bytes beside a buffer were changed " + place(launch));
        for (const LaunchFacts& launch : m_facts.launches)
            if (!launch.printed.empty())
                reject("prints", "a graded kernel must not print: \"" + launch.printed.substr(0, 80) + "\"");
    }

    /// Whether it did less on data that came before than on new ones.
    bool sparesWork() const
    {
        return m_facts.replay &&
               static_cast<double>(m_facts.replay->again) < kReplayShare * static_cast<double>(m_facts.replay->fresh);
    }

    /// All may be right: what it kept fits the data, and only the work tells.
    void replay()
    {
        if (sparesWork())
            reject("replayed-output", "on data that came before it executed " + std::to_string(m_facts.replay->again) +
                                          " warp instructions, on new data " + std::to_string(m_facts.replay->fresh) +
                                          ": it hands out results that it kept");
    }

    void results()
    {
        const auto bad = std::find_if(m_facts.launches.begin(), m_facts.launches.end(), [](const LaunchFacts& launch) {
            return !launch.right() && launch.reports.empty();
        });
        if (bad == m_facts.launches.end())
            return;
        const std::string example = bad->example.empty() ? "" : ": " + bad->example;
        const std::string where = place(*bad) + example;
        const GradeProbes& probes = m_facts.probes;
        if (probes.alone == true)
            return bad->repeatsEarlier || sparesWork()
                       ? reject("replayed-output", "a launch on new data gave the results of an earlier one " + where)
                       : reject("skips-later-launches",
                                "the same launch is right when the program is loaded afresh, and wrong after others " +
                                    where);
        if (bad->timed && probes.untimed == true)
            return reject("differs-when-timed",
                          "the same launch is right without the clock, and wrong with it " + where);
        if (isCoarse())
            return reject("precision-too-low", "every error is as small as fewer bits would make it, and larger than "
                                               "the task allows " +
                                                   where);
        if (visibleWrong() && probes.publicData == true && probes.secretData != true)
            return reject("known-data-only",
                          "right on the data that anybody can have, wrong on data from a secret " + where);
        // Right on ordinary data as well: then it is the range of the numbers, and not that they differ.
        if (visibleWrong() && probes.constantData == true && probes.secretData != true &&
            2 * bad->wrong >= bad->elements)
            return reject("constant-input-only", "right where all elements are alike, wrong on others " + where);
        bySize(where);
        if (!m_verdict.reasons.empty())
            return;
        if (bad->unwritten > 0)
            return reject("output-not-written", std::to_string(bad->unwritten) + " of " +
                                                    std::to_string(bad->elements) + " results were never written " +
                                                    where);
        reject("wrong-result", std::to_string(bad->wrong) + " of " + std::to_string(bad->elements) +
                                   " results are wrong " + place(*bad) + dataText(*bad) + example);
    }

    /// The sizes that `task show` tells, at which it can be tried out: the timed one is none of them.
    static bool shown(const GradeCase& c) { return !c.hidden && !c.timed; }

    bool visibleWrong() const
    {
        return std::any_of(m_facts.launches.begin(), m_facts.launches.end(), [&](const LaunchFacts& launch) {
            return !launch.right() && launch.at < m_facts.cases.size() && shown(m_facts.cases[launch.at]);
        });
    }

    /// Which cases came out right, over all of their launches.
    void bySize(const std::string& where)
    {
        bool alignedRight = true, unalignedWrong = true, shownRight = true, timedRight = true;
        int right = 0, wrong = 0, hiddenRight = 0, hiddenWrong = 0;
        for (std::size_t at = 0; at < m_facts.cases.size(); ++at) {
            bool ran = false, allRight = true;
            for (const LaunchFacts& launch : m_facts.launches)
                if (launch.at == at) {
                    ran = true;
                    allRight = allRight && launch.right();
                }
            if (!ran)
                continue;
            ++(allRight ? right : wrong);
            alignedRight = alignedRight && (!allRight || isAligned(m_facts.cases[at]));
            unalignedWrong = unalignedWrong && (allRight || !isAligned(m_facts.cases[at]));
            shownRight = shownRight && (allRight || !shown(m_facts.cases[at]));
            timedRight = timedRight && (allRight || !m_facts.cases[at].timed);
            if (m_facts.cases[at].hidden)
                ++(allRight ? hiddenRight : hiddenWrong);
        }
        if (right > 0 && wrong > 0 && alignedRight && unalignedWrong)
            return reject("aligned-sizes-only", "right at multiples of 32, wrong " + where);
        // A hidden size may come out right by chance where all others that are known do, the timed one too.
        if (right > 0 && shownRight && hiddenWrong > 0 && (timedRight || hiddenRight == 0))
            return reject("visible-sizes-only", "right at the sizes that the task shows, wrong " + where);
    }

    /// Small errors alone may also be terms that are left out; those are missed where no bit is lost, too. Who is
    /// exactly right there may have as few bits as numbers of 8 bits have.
    bool isCoarse() const
    {
        const double most = m_facts.probes.fewBits == true ? kCoarsestError : kCoarseError;
        if (m_facts.probes.fewBits == false)
            return false;
        bool any = false;
        for (const LaunchFacts& launch : m_facts.launches) {
            if (launch.right())
                continue;
            const bool small = launch.unwritten == 0 && launch.worstRelative <= most;
            if (!small && launch.data != "wide") // whose numbers leave the range of a small format
                return false;
            any = any || small;
        }
        return any;
    }

    void times()
    {
        std::vector<double> ratios;
        std::optional<double> leastExcess;
        std::uint64_t counted = 0, countedReference = 0;
        bool referenceBeatsFloor = false;
        for (const LaunchFacts& launch : m_facts.launches) {
            if (!launch.timed)
                continue;
            if (launch.instructions && launch.referenceInstructions) {
                counted += *launch.instructions;
                countedReference += *launch.referenceInstructions;
            }
            if (!launch.seconds || launch.at >= m_facts.cases.size())
                continue;
            const double floor = floorSeconds(m_task, m_facts.cases[launch.at].sizes, m_verdict.roof);
            m_verdict.floorSeconds = floor;
            const bool measures = launch.referenceSeconds && *launch.referenceSeconds < floor;
            referenceBeatsFloor = referenceBeatsFloor || measures;
            if (!(*launch.seconds > 0) || !std::isfinite(*launch.seconds))
                reject("impossible-time", "a launch that took no time " + place(launch));
            else if (!measures && *launch.seconds < floor)
                reject("impossible-time", formatQuantity(*launch.seconds, "s") + " are less than the " +
                                              formatQuantity(floor, "s") + " that " + m_verdict.roof.source +
                                              " allows for the bytes and operations of the task " + place(launch));
            if (launch.wallSeconds) {
                const double excess = *launch.wallSeconds - *launch.seconds;
                leastExcess = std::min(leastExcess.value_or(excess), excess);
                if (excess > std::max(kLaunchOverheadSeconds, *launch.seconds))
                    ++m_late;
                ++m_clocked;
            }
            if (launch.referenceSeconds && *launch.referenceSeconds > 0 && *launch.seconds > 0)
                ratios.push_back(*launch.seconds / *launch.referenceSeconds);
        }
        // One launch may be held up by anything; work on another stream goes on after each of them.
        if (m_clocked > 0 && m_late == m_clocked)
            reject("clocks-disagree", "the GPU was busy for " + formatQuantity(*leastExcess, "s") +
                                          " longer than the events around the launch say, every time");
        if (leastExcess && *leastExcess < -kClockResolutionSeconds)
            reject("clocks-disagree", "the events around a launch say more time than passed by the host's clock");
        if (referenceBeatsFloor)
            m_verdict.notes.push_back("the reference is faster than " + m_verdict.roof.source +
                                      " allows, so no floor was applied: run ridge calibrate again");
        if (!ratios.empty())
            m_verdict.timeRatio = medianOf(std::move(ratios));
        if (countedReference > 0)
            m_verdict.instructionRatio = static_cast<double>(counted) / static_cast<double>(countedReference);
    }

    void score()
    {
        if (!m_verdict.accepted)
            return;
        if (!m_verdict.timeRatio) {
            m_verdict.outOf = kRightPoints + (m_verdict.instructionRatio ? kCountPoints : 0);
            m_verdict.timeNotGraded =
                m_facts.target + " has no clock; grade on " +
                (m_facts.clockTarget.empty() ? "a chip that has one"
                                             : m_facts.clockTarget + ", the nearest chip that has one");
            m_verdict.notes.push_back("time not graded: " + m_verdict.timeNotGraded);
        }
        double earned = 0, possible = 0;
        const auto add = [&](const std::optional<double>& ratio, double points) {
            if (!ratio)
                return;
            earned += points * ratioCredit(*ratio);
            possible += points;
        };
        add(m_verdict.instructionRatio, kCountPoints);
        add(m_verdict.timeRatio, kTimePoints);
        // What is not counted is told by the time; nothing tells the time but a clock.
        const double rest = m_verdict.outOf - kRightPoints;
        m_verdict.points = possible > 0 ? kRightPoints + rest * earned / possible : kRightPoints;
    }

    static constexpr double kClockResolutionSeconds = 5e-6; ///< of events, 0.5 us, and of looking at two clocks
    const KernelTask& m_task;
    const GradeFacts& m_facts;
    GradeVerdict m_verdict;
    int m_clocked = 0, m_late = 0;
};

} // namespace

double floorSeconds(const KernelTask& task, const ParamSet& sizes, const GradeRoof& roof)
{
    const auto at = [&](const std::string& formula) {
        const auto value = wholeAt(formula, sizes);
        return value ? static_cast<double>(*value) : 0.0;
    };
    const double bytes = at(task.bytesRead) + std::max(0.0, at(task.bytesWritten) - roof.l2Bytes);
    const double memory = roof.bytesPerSecond > 0 ? bytes / roof.bytesPerSecond : 0;
    const double arithmetic = roof.flopsPerSecond > 0 ? at(task.flops) / roof.flopsPerSecond : 0;
    return kFloorShare * std::max(memory, arithmetic);
}

GradeVerdict judge(const KernelTask& task, const GradeFacts& facts, const std::optional<GradeRoof>& roof)
{
    return Judge(task, facts, roof).run();
}

} // namespace ridge
