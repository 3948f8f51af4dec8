// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"
#include "lessons/companions.h"

class QVBoxLayout;

namespace ridge::app {

/// Buttons that open the lessons something belongs to, each with why.
void addLessons(QVBoxLayout* column, AppContext& context, const std::vector<lessons::LessonLink>& links);

/// A card for each project, chapter or lab, into the column of a page.
void addProjects(QVBoxLayout* column, AppContext& context, const lessons::Companions& all);
/// `explores`: there is a page "explorer/<model>" on which the models of a chapter open.
void addChapters(QVBoxLayout* column, AppContext& context, const lessons::Companions& all, bool explores);
void addLabs(QVBoxLayout* column, AppContext& context, const lessons::Companions& all);

/// The matrix products of a chapter, a line each: what they compute, move, and which job is the longer one on an H100.
struct WorkLine {
    QString title, flop, bytes, intensity, bound;
};
std::vector<WorkLine> workLines(const lessons::Curriculum& curriculum, const lessons::BookChapter& chapter);

} // namespace ridge::app
