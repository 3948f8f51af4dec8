// SPDX-License-Identifier: GPL-3.0-or-later
// As pch_engine_project.h, for the simulator.
#pragma once
#include "gpu/device.h"
#include "gpu/simt/lower/kernel_builder.h"
#include "gpu/simt/machine/draft.h"
#include "gpu/simt/run/state.h"
