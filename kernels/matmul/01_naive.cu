// SPDX-License-Identifier: GPL-3.0-or-later
//
// Matmul, rung 1: one thread for each element of C, neighbours in a column.
//
// Shows     a product in which every operand comes from global memory, and neighbouring threads walk down a column.
// Resource  requests to the first cache: the 32 lanes of a warp read 32 rows of A, so that a load touches 32 sectors,
//           and a store of C as well. Each element of A is loaded N times, each of B M times.
// Gain      the base of the ladder. Published on an A6000: 1.3 % of cuBLAS at 4096.
//
// All rungs compute C = A B, row by row without gaps: A is m x k, B is k x n, C is m x n, of any size. Every element of
// C is one chain of fused multiply-adds, k ascending, so that all rungs give the same bits.

extern "C" __global__ void __launch_bounds__(1024)
    matmul_naive(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, unsigned int m,
                 unsigned int n, unsigned int k)
{
    unsigned int row = blockIdx.y * 32 + threadIdx.x % 32; // neighbouring lanes: neighbouring rows
    unsigned int column = blockIdx.x * 32 + threadIdx.x / 32;
    if (row >= m || column >= n)
        return;
    float sum = 0;
    for (unsigned int i = 0; i < k; ++i)
        sum = __fmaf_rn(a[(unsigned long long)row * k + i], b[(unsigned long long)i * n + column], sum);
    c[(unsigned long long)row * n + column] = sum;
}
