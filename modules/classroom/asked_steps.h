// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/kernel_lesson.h"

namespace ridge::classroom {

/// Whether a step is one of the lesson's: of a kernel task nobody asks a prediction or an explanation.
inline bool hasStep(std::string_view lesson, std::string_view step)
{
    return !isKernelLesson(lesson) || (step != "predicted" && step != "explained");
}

} // namespace ridge::classroom
