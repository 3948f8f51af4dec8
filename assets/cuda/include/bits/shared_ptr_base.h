// SPDX-License-Identifier: GPL-3.0-or-later
// libstdc++ writes __attribute__((__noinline__)), and CUDA has a macro of that name.
#pragma once
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
