/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The weight-stationary array of modules/accelerator for other languages: libridge_array.so. int8 operands, int32 sums,
 * everything by row. For one thread; a call that is refused changes nothing and says why in ridge_array_error(). */
#ifndef RIDGE_ARRAY_ABI_H
#define RIDGE_ARRAY_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Rows and columns of PEs, 8 x 8 to begin with; clears the counts. 0: done. */
int ridge_array_shape(uint32_t rows, uint32_t cols);

/* d[8][8] = c[8][8] + a[8][8] b[8][8], stepped cycle by cycle: what a compiler calls for one tile. 0: done. */
int ridge_array_mma(const int8_t* a, const int8_t* b, const int32_t* c, int32_t* d);

/* c[m][n] = a[m][k] b[k][n] fold by fold, the same mapping without a compiler above it. 0: done. */
int ridge_array_gemm(uint64_t m, uint64_t n, uint64_t k, const int8_t* a, const int8_t* b, int32_t* c);

/* Since the last call of ridge_array_shape. Cycles: one fold after the other, nothing overlapped. Bytes: operands and
 * sums that passed between the array and its caller. */
uint64_t ridge_array_products(void);
uint64_t ridge_array_cycles(void);
uint64_t ridge_array_macs(void);
uint64_t ridge_array_bytes(void);

/* Of the last call that was refused; "" if none was. Stands until the next one. */
const char* ridge_array_error(void);

#ifdef __cplusplus
}
#endif
#endif
