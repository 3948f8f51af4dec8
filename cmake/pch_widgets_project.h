// SPDX-License-Identifier: GPL-3.0-or-later
// As pch_core_project.h, for pages.
#pragma once
#include "app/charts/chart_text.h"
#include "app/charts/sweep_chart.h"
#include "app/classroom/report.h"
#include "app/evidence/progress.h"
#include "app/reader/block_widget.h"
#include "app/scenes/launch_view.h"
#include "app/scenes/scene.h"
#include "app/session/app_context.h"
#include "app/session/run_controller.h"
#include "app/shell/ui/page.h"
#include "pch_core_project.h"
