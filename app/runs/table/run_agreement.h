// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"
#include "base/experiment_info.h"
#include "record/store.h"

#include <QString>
#include <vector>

namespace ridge::app {

/// Whether a simulated chip and a GPU say the same of a shipped kernel, by what this machine's store has of both.
struct RunAgreement {
    enum class State {
        NotCompared, ///< `sentence` says what is missing
        Agree,   ///< both results match the CPU's, as the checks hold them against it: bit for bit or to a tolerance
        Disagree ///< one of them does not
    };
    struct Figure {
        QString title, simulated, measured;
        QString difference; ///< of the simulator against the GPU: "13 % more"
    };

    State state = State::NotCompared;
    QString sentence;
    QString time;                ///< how far apart the times or rates are; empty: they cannot be compared
    std::vector<Figure> figures; ///< what both of them gave
    std::string other;           ///< id of the run on the other side
};

/// The runs that `run` may be held against: of this store's own, newest first, at most 300. Empty on any error.
std::vector<record::RunRow> runsOfTheOtherSide(const record::Store& store, const record::RunRow& run);

/// None for what is no run of a kernel on a GPU or a simulated chip, or did not finish. `noGpu`: why there is none on
/// this machine; empty: there is one. Of runs on several chips the one on the same chip counts before newer ones.
std::optional<RunAgreement> compareSides(const record::RunRow& run, const std::vector<record::RunRow>& others,
                                         const ExperimentInfo* info, const QString& noGpu);

/// The same of several runs in a sentence: "Simulator and GPU agree at 6 of 8 points. …"; empty: no kernel ran.
QString agreementOfRuns(const std::vector<record::RunRow>& runs, const record::Store& store,
                        const std::vector<ExperimentInfo>& experiments, const QString& noGpu);

/// Why there is no GPU on this machine, a sentence; empty: there is one.
QString whyNoGpu(const AppContext& context);

} // namespace ridge::app
