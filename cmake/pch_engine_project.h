// SPDX-License-Identifier: GPL-3.0-or-later
// Headers of the project that most engine files include. Only in release builds, which start from nothing on every
// machine: a change to one of these compiles all of them again, which a developer's build must not.
#pragma once
#include "gpu/device.h"
#include "labs/gpu_experiment.h"
#include "labs/harness/buffers.h"
#include "labs/harness/declare.h"
#include "silicon/chip_catalogue.h"
