// SPDX-License-Identifier: GPL-3.0-or-later
// As pch_engine_project.h, for what stands on Qt Core.
#pragma once
#include "classroom/record/school.h"
#include "lessons/curriculum.h"
#include "lessons/lesson.h"
#include "lessons/lesson_evidence.h"
#include "record/recorder.h"
#include "record/rows.h"
