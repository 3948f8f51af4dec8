// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "../cuda/std/complex"
namespace thrust {
template <class T>
using complex = cuda::std::complex<T>;
using cuda::std::polar;
} // namespace thrust
