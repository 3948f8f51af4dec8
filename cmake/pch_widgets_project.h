// SPDX-License-Identifier: GPL-3.0-or-later
// As pch_core_project.h, for pages.
#pragma once
#include "app/drawing/charts/chart_text.h"
#include "app/drawing/charts/sweep_chart.h"
#include "app/drawing/scenes/launch_view.h"
#include "app/drawing/scenes/scene.h"
#include "app/lesson/reader/block_widget.h"
#include "app/session/app_context.h"
#include "app/session/run_controller.h"
#include "app/ui/page.h"
#include "classroom/class_report.h"
#include "evidence/progress.h"
#include "pch_core_project.h"
