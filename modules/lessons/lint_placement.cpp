// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/lint_rules.h"

#include "lessons/placement.h"
#include "lessons/text.h"

#include "base/json.h"

namespace ridge::lessons {

void lintPlacement(const LintContext& context)
{
    const LoadedPlacement loaded = loadPlacement(context.curriculum);
    context.problems.insert(context.problems.end(), loaded.problems.begin(), loaded.problems.end());
    if (!loaded.placement)
        return;
    const Lesson lesson = placementLesson(*loaded.placement);
    const Result<std::string> raw = readFile(context.curriculum.root / lesson.at.file);
    if (!raw.ok())
        return; // loadPlacement said so
    const LintLesson file{lesson, normalisedText(raw.value())};
    lintNumbers(context, file.text, lesson.at.file, false);
    lintWords(context, file);
    lintAssets(context, file);
}

} // namespace ridge::lessons
