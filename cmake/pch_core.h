// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "pch_engine.h"
#include <QtCore>
#include <QtSql>

#ifdef __clang__ // g++ instantiates again whatever a precompiled header holds
#include "pch_core_uses.h"
#endif
