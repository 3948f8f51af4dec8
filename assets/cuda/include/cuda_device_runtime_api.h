// SPDX-License-Identifier: GPL-3.0-or-later
// What this header declares for device code is always there (ridge_cuda.h).
#pragma once
