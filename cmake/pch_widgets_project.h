// SPDX-License-Identifier: GPL-3.0-or-later
// As pch_core_project.h, for pages.
#pragma once
#include "app/evidence/progress.h"
#include "app/scenes/scene.h"
#include "app/session/app_context.h"
#include "lessons/curriculum.h"
#include "pch_core_project.h"
