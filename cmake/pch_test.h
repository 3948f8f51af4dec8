// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "pch_core.h"
#include "tests/support/patience.h"
