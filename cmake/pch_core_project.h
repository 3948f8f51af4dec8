// SPDX-License-Identifier: GPL-3.0-or-later
// As pch_engine_project.h, for what stands on Qt Core.
#pragma once
#include "lessons/curriculum.h"
#include "lessons/evidence.h"
#include "lessons/lesson.h"
#include "record/recorder.h"
#include "record/rows.h"
#include "record/school.h"
