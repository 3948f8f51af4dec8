// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/curriculum.h"

namespace ridge::lessons {

/// A lesson that something outside belongs to, and why.
struct LessonLink {
    std::string lesson, why;
};

/// Code of others worth reading, with the question that it answers.
struct ReferenceProject {
    std::string id, title, url, question;
    std::string look; ///< where in it to look
    std::vector<LessonLink> lessons;
    SourceSpan at = {};
};

/// A matrix product: (m × k) times (k × n). A convolution is one, too: m positions, k inputs a position, n channels.
struct MatrixWork {
    std::string title;
    double m = 1, k = 1, n = 1, count = 1;

    double flop() const { return 2 * count * m * k * n; }
    /// Both operands read and the result written once.
    double bytes(double bytesPerNumber) const { return count * (m * k + k * n + m * n) * bytesPerNumber; }
    double intensity(double bytesPerNumber) const { return flop() / bytes(bytesPerNumber); }
};

/// A chapter of a book that teaches the workload, and what that workload costs.
struct BookChapter {
    std::string id, title, url;
    std::string workload; ///< the sizes that `work` is counted at
    std::vector<MatrixWork> work;
    std::string costs;               ///< what to notice
    std::vector<std::string> models; ///< of assets/models and assets/networks, to open in the explorer
    std::vector<LessonLink> lessons;
    SourceSpan at = {};
};

/// A laboratory of the roadmap that runs on somebody's own tools: done elsewhere, shipped from here.
struct OutsideLab {
    std::string id, title, tools;
    std::string layer; ///< a sub-layer, "L2a"
    std::string why;   ///< it is not hosted here
    std::vector<std::string> steps;
    std::string bring;  ///< what comes back
    std::string format; ///< of `ridge import`; empty: the file is attached as it is
    std::string kind, artifact, question;
    std::map<std::string, std::string> sections; ///< what to write below method, result, bottleneck …
    std::vector<LessonLink> lessons;
    SourceSpan at = {};
};

struct Companions {
    std::string book, bookUrl;
    std::vector<ReferenceProject> projects;
    std::vector<BookChapter> chapters;
    std::vector<OutsideLab> labs;

    const OutsideLab* lab(std::string_view id) const;
};

/// companions.yaml; empty and without problems where a curriculum has none.
struct LoadedCompanions {
    Companions companions;
    std::vector<Problem> problems;
};
LoadedCompanions loadCompanions(const Curriculum& curriculum);

} // namespace ridge::lessons
