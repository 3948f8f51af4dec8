// SPDX-License-Identifier: GPL-3.0-or-later
//
// Two blocks of a cluster share the sum over k.
//
// Launch    --grid 2*ceil(n/16),ceil(m/16) --block 16,16

#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void __cluster_dims__(2, 1, 1)
    matmul(unsigned int m, unsigned int n, unsigned int k, const float* a, const float* b, float* c)
{
    __shared__ float part[16][16];
    auto cluster = cg::this_cluster();
    unsigned int rank = cluster.block_rank(), column = blockIdx.x / 2 * 16 + threadIdx.x,
                 row = blockIdx.y * 16 + threadIdx.y;
    float own = 0;
    if (row < m && column < n)
        for (unsigned int j = rank; j < k; j += 2)
            own += a[row * k + j] * b[j * n + column];
    part[threadIdx.y][threadIdx.x] = own;
    cluster.sync();
    if (rank == 0 && row < m && column < n)
        c[row * n + column] = own + cluster.map_shared_rank(&part[0][0], 1)[threadIdx.y * 16 + threadIdx.x];
    cluster.sync();
}
