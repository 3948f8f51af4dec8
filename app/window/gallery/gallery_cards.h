// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/kernels/task_shelf.h"
#include "record/run_heads.h"

#include <QStringList>
#include <set>

namespace ridge::app {

/// One thing of the Lab that can be opened: an experiment, a task that is graded, or a kernel that ships.
struct GalleryCard {
    enum class Kind { Experiment, Task, Kernel };
    Kind kind = Kind::Experiment;
    QString id; ///< "coalescing", "pooling", "transpose/04_tile"
    QString title;
    QString about;                   ///< one sentence
    int module = 0;                  ///< of the curriculum; 0: none
    QString lesson;                  ///< of a task; empty: none
    QString chartKind;               ///< of an experiment's first chart (kChartKinds); empty: it has none
    QStringList lines;               ///< a task's drawing, a kernel's text
    std::filesystem::path file = {}; ///< of a kernel

    QString key() const; ///< "experiment/coalescing": what favourites are kept by
};

QString kindWords(GalleryCard::Kind kind); ///< "Experiment"

/// What the record has of an experiment.
struct CardRuns {
    std::vector<record::RunHead> latest; ///< at most kLatestRuns, the newest first, at most one a point and target
    std::vector<double> curve; ///< the summary metric over the newest sweep, in the order it was run; empty: none
    Provenance provenance = Provenance::Simulated; ///< of the curve
};
inline constexpr std::size_t kLatestRuns = 4, kCurvePoints = 128;

/// By experiment, from heads in any order. Failed runs and those of the lessons in `withheld` are left out: what they
/// gave is not shown now.
std::map<std::string, CardRuns> cardRuns(std::vector<record::RunHead> heads, const std::set<std::string>& withheld);

/// Experiments as the worker lists them, tasks easy first, kernels by family.
std::vector<GalleryCard> galleryCards(const std::vector<ExperimentInfo>& experiments,
                                      const std::filesystem::path& data);

} // namespace ridge::app
