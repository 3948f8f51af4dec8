// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "pch_widgets.h"
#include "tests/support/patience.h"
