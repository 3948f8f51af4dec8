// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"

namespace ridge::app {

/// Lets lessons of `context` show a bench in their page: the learner's own kernel for the task, or the own copy of the
/// file, with source, launch, results and grade. A grade goes into the record by itself.
void offerLessonKernels(AppContext& context);

} // namespace ridge::app
