// SPDX-License-Identifier: GPL-3.0-or-later
// Complex numbers as pairs under the names of CUDA's cuComplex.h; sizes and quotients are computed in double precision, or by
// hypot(), so that they neither overflow nor vanish too early.
#pragma once

typedef float2 cuFloatComplex;
typedef cuFloatComplex cuComplex;
typedef double2 cuDoubleComplex;

#define RIDGE_COMPLEX(C, T, f, wide)                                                                                   \
    RIDGE_FN C make_cu##wide##Complex(T re, T im) { return C{re, im}; }                                                \
    RIDGE_FN T cuCreal##f(C a) { return a.x; }                                                                         \
    RIDGE_FN T cuCimag##f(C a) { return a.y; }                                                                         \
    RIDGE_FN C cuConj##f(C a) { return C{a.x, -a.y}; }                                                                 \
    RIDGE_FN C cuCadd##f(C a, C b) { return C{a.x + b.x, a.y + b.y}; }                                                 \
    RIDGE_FN C cuCsub##f(C a, C b) { return C{a.x - b.x, a.y - b.y}; }                                                 \
    RIDGE_FN C cuCmul##f(C a, C b) { return C{a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; }                         \
    RIDGE_FN C cuCdiv##f(C a, C b)                                                                                     \
    {                                                                                                                  \
        const T scale = (T)1 / (T)(fabs((double)b.x) + fabs((double)b.y));                                             \
        const T ar = a.x * scale, ai = a.y * scale, br = b.x * scale, bi = b.y * scale;                                \
        const T over = (T)1 / (br * br + bi * bi);                                                                     \
        return C{(ar * br + ai * bi) * over, (ai * br - ar * bi) * over};                                              \
    }                                                                                                                  \
    RIDGE_FN C cuCfma##f(C a, C b, C c) { return cuCadd##f(cuCmul##f(a, b), c); }                                      \
    RIDGE_FN T cuCabs##f(C a) { return (T)hypot((double)a.x, (double)a.y); }
RIDGE_COMPLEX(cuFloatComplex, float, f, Float)
RIDGE_COMPLEX(cuDoubleComplex, double, , Double)
RIDGE_FN cuComplex make_cuComplex(float re, float im) { return cuComplex{re, im}; }
RIDGE_FN cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) { return cuDoubleComplex{a.x, a.y}; }
RIDGE_FN cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) { return make_cuFloatComplex((float)a.x, (float)a.y); }
