// SPDX-License-Identifier: GPL-3.0-or-later
// A ladder of fp32 matrix products, C = A·B, row-major, as the well-known public ladder has its rungs, written afresh.
// Sizes must be multiples of the tiles.
#define KERNEL extern "C" __global__ void

// 1: neighbouring threads take neighbouring rows, so every load of A and C touches a line of its own.
KERNEL naive(const float* a, const float* b, float* c, int n, int k)
{
    const int row = blockIdx.x * 32 + threadIdx.x, column = blockIdx.y * 32 + threadIdx.y;
    float sum = 0;
    for (int i = 0; i < k; ++i)
        sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}

// 2: neighbouring threads take neighbouring columns.
KERNEL coalesced(const float* a, const float* b, float* c, int n, int k)
{
    const int row = blockIdx.x * 32 + threadIdx.x / 32, column = blockIdx.y * 32 + threadIdx.x % 32;
    float sum = 0;
    for (int i = 0; i < k; ++i)
        sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}

// 3: tiles of 32 × 32 in shared memory.
KERNEL shared_tile(const float* a, const float* b, float* c, int n, int k)
{
    __shared__ float as[32 * 32], bs[32 * 32];
    const int y = threadIdx.x / 32, x = threadIdx.x % 32;
    const int row = blockIdx.x * 32 + y, column = blockIdx.y * 32 + x;
    float sum = 0;
    for (int at = 0; at < k; at += 32) {
        as[y * 32 + x] = a[row * k + at + x];
        bs[y * 32 + x] = b[(at + y) * n + column];
        __syncthreads();
        for (int i = 0; i < 32; ++i)
            sum += as[y * 32 + i] * bs[i * 32 + x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

// 4: a thread computes eight results of a column; tiles 64 × 64 × 8, 512 threads.
KERNEL column_tile(const float* a, const float* b, float* c, int n, int k)
{
    __shared__ float as[64 * 8], bs[8 * 64];
    const int x = threadIdx.x % 64, y = threadIdx.x / 64;
    const float* aTile = a + blockIdx.y * 64 * k;
    const float* bTile = b + blockIdx.x * 64;
    float sums[8] = {};
    for (int at = 0; at < k; at += 8) {
        as[threadIdx.x] = aTile[(threadIdx.x / 8) * k + at + threadIdx.x % 8];
        bs[threadIdx.x] = bTile[(at + y) * n + x];
        __syncthreads();
        for (int i = 0; i < 8; ++i) {
            const float value = bs[i * 64 + x];
            for (int r = 0; r < 8; ++r)
                sums[r] += as[(y * 8 + r) * 8 + i] * value;
        }
        __syncthreads();
    }
    for (int r = 0; r < 8; ++r)
        c[(blockIdx.y * 64 + y * 8 + r) * n + blockIdx.x * 64 + x] = sums[r];
}

// 5: a thread computes 8 × 8 results; tiles 128 × 128 × 8, 256 threads.
KERNEL square_tile(const float* a, const float* b, float* c, int n, int k)
{
    __shared__ float as[128 * 8], bs[8 * 128];
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    const float* aTile = a + blockIdx.y * 128 * k;
    const float* bTile = b + blockIdx.x * 128;
    float sums[8][8] = {};
    for (int at = 0; at < k; at += 8) {
        for (int part = 0; part < 4; ++part) {
            const int i = part * 256 + threadIdx.x;
            as[i] = aTile[(i / 8) * k + at + i % 8];
            bs[i] = bTile[(at + i / 128) * n + i % 128];
        }
        __syncthreads();
        for (int i = 0; i < 8; ++i) {
            float left[8], right[8];
            for (int r = 0; r < 8; ++r)
                left[r] = as[(y * 8 + r) * 8 + i];
            for (int r = 0; r < 8; ++r)
                right[r] = bs[i * 128 + x * 8 + r];
            for (int r = 0; r < 8; ++r)
                for (int s = 0; s < 8; ++s)
                    sums[r][s] += left[r] * right[s];
        }
        __syncthreads();
    }
    for (int r = 0; r < 8; ++r)
        for (int s = 0; s < 8; ++s)
            c[(blockIdx.y * 128 + y * 8 + r) * n + blockIdx.x * 128 + x * 8 + s] = sums[r][s];
}

// 6: the same with loads and stores of sixteen bytes; A stands transposed in shared memory.
KERNEL vectorised(const float* a, const float* b, float* c, int n, int k)
{
    __shared__ float as[8 * 128], bs[8 * 128];
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    const float* aTile = a + blockIdx.y * 128 * k;
    const float* bTile = b + blockIdx.x * 128;
    const int aRow = threadIdx.x / 2, aColumn = threadIdx.x % 2 * 4;
    const int bRow = threadIdx.x / 32, bColumn = threadIdx.x % 32 * 4;
    float sums[8][8] = {};
    for (int at = 0; at < k; at += 8) {
        const float4 left4 = *(const float4*)(aTile + aRow * k + at + aColumn);
        as[(aColumn + 0) * 128 + aRow] = left4.x;
        as[(aColumn + 1) * 128 + aRow] = left4.y;
        as[(aColumn + 2) * 128 + aRow] = left4.z;
        as[(aColumn + 3) * 128 + aRow] = left4.w;
        *(float4*)(bs + bRow * 128 + bColumn) = *(const float4*)(bTile + (at + bRow) * n + bColumn);
        __syncthreads();
        for (int i = 0; i < 8; ++i) {
            float left[8], right[8];
            for (int r = 0; r < 8; ++r)
                left[r] = as[i * 128 + y * 8 + r];
            for (int r = 0; r < 8; ++r)
                right[r] = bs[i * 128 + x * 8 + r];
            for (int r = 0; r < 8; ++r)
                for (int s = 0; s < 8; ++s)
                    sums[r][s] += left[r] * right[s];
        }
        __syncthreads();
    }
    for (int r = 0; r < 8; ++r)
        for (int s = 0; s < 8; s += 4)
            *(float4*)(c + (blockIdx.y * 128 + y * 8 + r) * n + blockIdx.x * 128 + x * 8 + s) =
                make_float4(sums[r][s], sums[r][s + 1], sums[r][s + 2], sums[r][s + 3]);
}
