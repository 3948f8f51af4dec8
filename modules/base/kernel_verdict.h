// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json_value.h"
#include "base/kernel_task.h"
#include "base/provenance.h"

namespace ridge {

/// What one graded launch of the learner's kernel did, as ridge-worker saw it. Times and counts of the reference are of
/// its own launch on the same data, directly before or after.
struct LaunchFacts {
    std::size_t at = 0; ///< index of the case
    bool timed = false; ///< else watched by the detectors where the target has them
    std::string data;   ///< how they were drawn: "plain", "biased", "wide"; "new", "again", "altered": see ReplayFacts
    std::uint64_t elements = 0;  ///< of all results
    std::uint64_t wrong = 0;     ///< beyond the tolerance, not numbers, or never written
    std::uint64_t unwritten = 0; ///< of those: still what stood there before the launch
    double worstRelative = 0;    ///< largest error ÷ sum of the magnitudes of the terms; infinite where no number
    std::string example;         ///< the first wrong result in words; empty: none
    bool repeatsEarlier = false; ///< the wrong results are those of an earlier launch, or right for its data
    std::vector<std::string> inputsChanged; ///< parameters
    bool pastEnd = false;                   ///< bytes before or behind a buffer were changed
    std::vector<JsonValue> reports;         ///< of the detectors, as docs/kernels.md has them
    std::string printed;
    std::optional<double> seconds, wallSeconds, referenceSeconds;
    std::optional<std::uint64_t> instructions, referenceInstructions;

    bool right() const { return elements > 0 && wrong == 0; }
};

/// What was tried after something was wrong; no value: not tried.
struct GradeProbes {
    std::optional<bool> alone;        ///< the first wrong launch, by a freshly loaded program, was right
    std::optional<bool> untimed;      ///< the same without the clock
    std::optional<bool> publicData;   ///< all visible sizes on the data that anybody can have
    std::optional<bool> secretData;   ///< the same, drawn in the same way from the secret
    std::optional<bool> constantData; ///< all visible sizes where all elements are alike
    std::optional<bool> fewBits; ///< exactly right where every format holds all numbers: at the sizes that were wrong
                                 ///< first, and at all visible ones
};

/// A right kernel's launches at the timed size by one loaded program: on "new" data, on the same "again", and on
/// "altered" ones, of which a thirty-second part is other than in the launch before. What it kept of one launch shows
/// in the next one: as wrong results where it looks at a part of the data only, else as work that it spares itself.
struct ReplayFacts {
    std::uint64_t fresh = 0; ///< warp instructions on data that no launch before had
    std::uint64_t again = 0; ///< on the same data, once more
};

/// What no kernel on this machine can beat.
struct GradeRoof {
    double bytesPerSecond = 0; ///< 0: unknown
    double flopsPerSecond = 0; ///< 0: unknown
    double l2Bytes = 0;        ///< results that may still be there when a kernel ends
    std::string source;        ///< in words
};

/// The document of a graded kernel, without the verdict.
struct GradeFacts {
    std::string task, target, device, compiler;
    Provenance provenance = Provenance::Simulated;
    std::vector<GradeCase> cases;
    std::vector<LaunchFacts> launches;
    GradeProbes probes;
    std::optional<ReplayFacts> replay; ///< where instructions are counted
    /// On a simulated chip that has no clock: the nearest one that has, as a target. Empty: times were taken.
    std::string clockTarget;
    bool readsClock = false; ///< the program has an instruction that reads one
    GradeRoof roof;          ///< the chip's published one
    std::string stopped;     ///< why not all cases ran, in words; empty: all did
    JsonValue fingerprint;
};

Json toJson(const GradeFacts& facts);
/// Errors: "bad-protocol".
Result<GradeFacts> gradeFactsFromJson(const Json& json);
/// The same as the answer to a request: it must be about that task and those cases. Errors: "bad-protocol".
Result<GradeFacts> gradeAnswer(const Json& json, const std::string& task, const std::vector<GradeCase>& cases);

/// Why a kernel is rejected. Ids, the same everywhere (docs/kernels.md): those of the detectors, with "race" for both
/// of its races, and input-changed, prints, replayed-output, skips-later-launches, differs-when-timed,
/// precision-too-low, known-data-only, constant-input-only, aligned-sizes-only, visible-sizes-only, output-not-written,
/// wrong-result, reads-clock, impossible-time, clocks-disagree, not-graded.
struct GradeReason {
    std::string id;
    std::string text;        ///< what was seen, and where
    std::string advice = {}; ///< what to do: the detector's own words, else reasonWords() (base/grade_words.h)
    int line = 0;            ///< of the source, where a detector names one; 0: none
    bool operator==(const GradeReason&) const = default;
};

struct GradeVerdict {
    bool accepted = false;
    std::vector<GradeReason> reasons;       ///< the one that counts first; empty where accepted
    double points = 0;                      ///< 0 to `outOf`
    double outOf = 100;                     ///< what could be graded; less where the target has no clock
    std::string timeNotGraded;              ///< why time has no points, and where it would; empty: it was graded
    std::optional<double> instructionRatio; ///< learner's ÷ reference's, over the timed launches
    std::optional<double> timeRatio;        ///< median over the timed launches
    double floorSeconds = 0;                ///< of a timed launch; 0: not known
    GradeRoof roof;                         ///< that the floor was made of
    std::vector<std::string> notes;         ///< what is odd and no reason to reject
};

/// Correctness first: a kernel that is rejected has no points. One that is right has kRightPoints; the rest goes by
/// the number of executed warp instructions (kCountPoints) and the time (kTimePoints), each by ratioCredit() of the
/// ratio to the reference. A GPU does not count: there the time has all of the rest. Where there is no time nobody
/// knows how fast a kernel is: its points are not given, and `outOf` is less by them.
/// Pure: this is where a grade is made, in the process that asked for it and not in the one that ran the kernel.
/// `roof`: what the machine was calibrated to reach, in place of the published roof.
GradeVerdict judge(const KernelTask& task, const GradeFacts& facts, const std::optional<GradeRoof>& roof = {});

inline constexpr double kRightPoints = 40, kCountPoints = 20, kTimePoints = 40;
/// Below this part of what the roofs allow, a time is impossible rather than excellent (control CK5).
inline constexpr double kFloorShare = 0.9;
/// Below this part of the instructions that new data take, a launch on data that came before spares itself the work.
inline constexpr double kReplayShare = 0.9;
/// Largest relative error of a result whose inputs were rounded to bfloat16, the coarsest format that passes for a
/// float: half an ulp of 8 bits for each of two factors, and as much again for sums and products.
inline constexpr double kCoarseError = 4.0 / 256;
/// By how much a clock of the host may exceed that of the GPU over one launch before they disagree: what starting and
/// noticing the end of a launch takes, ours with room (tests/gpu measures it where there is a GPU), and never less than
/// the launch itself.
inline constexpr double kLaunchOverheadSeconds = 200e-6;

/// The shortest time in which the least bytes and operations of the task can be done, × kFloorShare. Results count only
/// as far as they exceed the L2 cache: a kernel ends before they are written back. 0: not known.
double floorSeconds(const KernelTask& task, const ParamSet& sizes, const GradeRoof& roof);

Json toJson(const GradeVerdict& verdict);
/// Errors: "bad-protocol".
Result<GradeVerdict> gradeVerdictFromJson(const Json& json);

} // namespace ridge
