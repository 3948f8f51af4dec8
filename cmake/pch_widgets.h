// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "pch_core.h"
#include <QtWidgets>

#ifdef __clang__ // g++ instantiates again whatever a precompiled header holds
#include "pch_widgets_uses.h"
#endif
