// SPDX-License-Identifier: GPL-3.0-or-later
// Part of the precompiled header of every test. What QTRY_… waits for comes at once on a quiet machine; CI's computes
// at a third of its speed while others wait beside it. Waiting longer costs nothing where the answer comes.
#pragma once
#include <QtTest>

#undef QTRY_IMPL
/// As in qtestcase.h, with four times the patience: 20 s where no timeout is given.
#define QTRY_IMPL(expr, timeout)                                                                                       \
    const int qt_test_step = (timeout) < 350 ? (timeout) / 7 + 1 : 50;                                                 \
    const int qt_test_timeoutValue = 4 * (timeout);                                                                    \
    {QTRY_LOOP_IMPL(expr, qt_test_timeoutValue, qt_test_step)} QTRY_TIMEOUT_DEBUG_IMPL(expr, qt_test_timeoutValue,     \
                                                                                       qt_test_step)
