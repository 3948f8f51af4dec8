// SPDX-License-Identifier: GPL-3.0-or-later
//
// Normalisation, rung 8: a cluster of blocks for a long row.
//
// Needs     sm_90
// Changed   over rung 6: a row may lie in the registers of up to eight blocks, which lie in one cluster. Each adds up
//           its part and writes the sum into the shared memory of all others.
// Frees     the second and third read of rows of 32769 to 262144 columns: the step in time over columns is gone.
// Costs     a barrier of the whole cluster for every sum. Rows that fit one block gain nothing, and lose nothing: their
//           cluster is one block.
// Gain      over rung 6 on long rows: open until run on a GPU. Published for softmax over rows of 131072
//           floats: 3.01 TB/s with clusters of four, 90 % of the pins (QuACK, H100).

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

// Element e of a vector: bf16 is the upper half of a float.
__device__ float element(uint4 v, unsigned int e)
{
    unsigned int word = e < 2 ? v.x : e < 4 ? v.y : e < 6 ? v.z : v.w;
    return __uint_as_float(e % 2 == 0 ? word << 16 : word & 0xffff0000u);
}

// bf16 to nearest even in the upper half; the numbers here are finite.
__device__ unsigned int rounded(float value)
{
    unsigned int bits = __float_as_uint(value);
    return bits + 0x7fff + (bits >> 16 & 1);
}

__device__ unsigned int packed(float low, float high)
{
    return rounded(low) >> 16 | (rounded(high) & 0xffff0000u);
}

// Vector j of a row, zeros beyond its end. Rows that are no multiple of 16 bytes are read element by element.
template<bool kWhole>
__device__ uint4 load(const unsigned short* row, unsigned int j, unsigned int columns)
{
    if constexpr (kWhole) {
        return 8 * j < columns ? ((const uint4*)row)[j] : make_uint4(0, 0, 0, 0);
    } else {
        unsigned int part[8];
#pragma unroll
        for (unsigned int e = 0; e < 8; ++e)
            part[e] = 8 * j + e < columns ? row[8 * j + e] : 0;
        return make_uint4(part[0] | part[1] << 16, part[2] | part[3] << 16, part[4] | part[5] << 16,
                          part[6] | part[7] << 16);
    }
}

template<bool kWhole>
__device__ void store(unsigned short* row, unsigned int j, unsigned int columns, uint4 v)
{
    if constexpr (kWhole) {
        if (8 * j < columns)
            ((uint4*)row)[j] = v;
    } else {
        unsigned int word[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (unsigned int e = 0; e < 8; ++e)
            if (8 * j + e < columns)
                row[8 * j + e] = word[e / 2] >> e % 2 * 16;
    }
}

__device__ float added(float sum, uint4 v)
{
#pragma unroll
    for (unsigned int e = 0; e < 8; ++e)
        sum += element(v, e);
    return sum;
}

// Squared distances from the mean; beyond the row there is none.
template<bool kWhole>
__device__ float distances(float squares, uint4 v, float mean, unsigned int j, unsigned int columns)
{
#pragma unroll
    for (unsigned int e = 0; e < 8; ++e) {
        float d = element(v, e) - mean;
        if (kWhole ? 8 * j < columns : 8 * j + e < columns)
            squares += d * d;
    }
    return squares;
}

template<bool kLayer>
__device__ uint4 normalised(uint4 v, uint4 weight, uint4 bias, float mean, float scale)
{
    float out[8];
#pragma unroll
    for (unsigned int e = 0; e < 8; ++e) {
        out[e] = (element(v, e) - mean) * scale * element(weight, e);
        if (kLayer)
            out[e] += element(bias, e);
    }
    return make_uint4(packed(out[0], out[1]), packed(out[2], out[3]), packed(out[4], out[5]), packed(out[6], out[7]));
}

// In every lane.
__device__ float warpSum(float v)
{
    for (int s = 16; s > 0; s /= 2)
        v += __shfl_xor_sync(0xffffffffu, v, s);
    return v;
}

// In every thread.
__device__ float blockSum(float v)
{
    __shared__ float part[32];
    unsigned int lane = threadIdx.x % 32;
    v = warpSum(v);
    __syncthreads(); // whoever still reads the sums of before
    if (lane == 0)
        part[threadIdx.x / 32] = v;
    __syncthreads();
    return warpSum(lane < blockDim.x / 32 ? part[lane] : 0.0f);
}

__device__ unsigned int clusterRank()
{
    unsigned int rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

__device__ unsigned int clusterSize()
{
    unsigned int size;
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    return size;
}

// Writes to `at`, an address of this block's shared memory, as it lies in block `rank` of the cluster.
__device__ void storeIn(unsigned int rank, float* at, float value)
{
    unsigned int mine, theirs;
    asm("{ .reg .u64 s; cvta.to.shared.u64 s, %1; cvt.u32.u64 %0, s; }" : "=r"(mine) : "l"(at));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(theirs) : "r"(mine), "r"(rank));
    asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(theirs), "f"(value) : "memory");
}

__device__ void clusterBarrier()
{
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}

// In every thread of the cluster, the same bits everywhere: all add in the order of ranks. `sums` is used once, so that
// no block writes the next sum while another reads this one.
__device__ float clusterSum(float v, float* sums)
{
    unsigned int size = clusterSize();
    v = blockSum(v);
    if (threadIdx.x < size)
        storeIn(threadIdx.x, &sums[clusterRank()], v);
    clusterBarrier();
    float sum = sums[0];
    for (unsigned int rank = 1; rank < size; ++rank)
        sum += sums[rank];
    return sum;
}

constexpr unsigned int kOwn = 4; // vectors of a thread

template<bool kLayer, bool kWhole>
__device__ void normCluster(const unsigned short* __restrict__ x, const unsigned short* __restrict__ weight,
                            const unsigned short* __restrict__ bias, unsigned short* __restrict__ y, unsigned int rows,
                            unsigned int columns, float epsilon)
{
    __shared__ float sums[2][8];
    unsigned int at = blockIdx.x / clusterSize();
    if (at >= rows) // a whole cluster leaves
        return;
    const unsigned short* row = x + (unsigned long long)at * columns;
    unsigned short* out = y + (unsigned long long)at * columns;
    unsigned int slice = ((columns + 7) / 8 + clusterSize() - 1) / clusterSize(); // vectors of a block
    unsigned int first = clusterRank() * slice;
    unsigned int end = min(columns, 8 * (first + slice)); // elements of the row up to the end of this block's part
    unsigned int rest = first + kOwn * blockDim.x + threadIdx.x;
    uint4 own[kOwn];
#pragma unroll
    for (unsigned int k = 0; k < kOwn; ++k) // all loads start before the first is used
        own[k] = load<kWhole>(row, first + k * blockDim.x + threadIdx.x, end);
    float mean = 0.0f;
    if (kLayer) {
        float sum = 0.0f;
#pragma unroll
        for (unsigned int k = 0; k < kOwn; ++k)
            sum = added(sum, own[k]);
        for (unsigned int j = rest; 8 * j < end; j += blockDim.x)
            sum = added(sum, load<kWhole>(row, j, end));
        mean = clusterSum(sum, sums[0]) / (float)columns;
    }
    float squares = 0.0f;
#pragma unroll
    for (unsigned int k = 0; k < kOwn; ++k)
        squares = distances<kWhole>(squares, own[k], mean, first + k * blockDim.x + threadIdx.x, end);
    for (unsigned int j = rest; 8 * j < end; j += blockDim.x)
        squares = distances<kWhole>(squares, load<kWhole>(row, j, end), mean, j, end);
    float scale = 1.0f / sqrtf(clusterSum(squares, sums[1]) / (float)columns + epsilon);
#pragma unroll
    for (unsigned int k = 0; k < kOwn; ++k) {
        unsigned int j = first + k * blockDim.x + threadIdx.x;
        uint4 w = load<kWhole>(weight, j, end), b = kLayer ? load<kWhole>(bias, j, end) : w;
        store<kWhole>(out, j, end, normalised<kLayer>(own[k], w, b, mean, scale));
    }
    for (unsigned int j = rest; 8 * j < end; j += blockDim.x) {
        uint4 w = load<kWhole>(weight, j, end), b = kLayer ? load<kWhole>(bias, j, end) : w;
        store<kWhole>(out, j, end, normalised<kLayer>(load<kWhole>(row, j, end), w, b, mean, scale));
    }
}

extern "C" __global__ void __launch_bounds__(1024)
    norm_cluster_rms(const unsigned short* __restrict__ x, const unsigned short* __restrict__ weight,
                     unsigned short* __restrict__ y, unsigned int rows, unsigned int columns, float epsilon)
{
    if (columns % 8 == 0)
        normCluster<false, true>(x, weight, weight, y, rows, columns, epsilon);
    else
        normCluster<false, false>(x, weight, weight, y, rows, columns, epsilon);
}

extern "C" __global__ void __launch_bounds__(1024)
    norm_cluster_layer(const unsigned short* __restrict__ x, const unsigned short* __restrict__ weight,
                       const unsigned short* __restrict__ bias, unsigned short* __restrict__ y, unsigned int rows,
                       unsigned int columns, float epsilon)
{
    if (columns % 8 == 0)
        normCluster<true, true>(x, weight, bias, y, rows, columns, epsilon);
    else
        normCluster<true, false>(x, weight, bias, y, rows, columns, epsilon);
}

#endif
