// SPDX-License-Identifier: GPL-3.0-or-later
//
// A warp for each row, with the widest vectors that its width allows.
//
// Launch    --grid ceil(tokens/8) --block 32,8

template<class T>
__device__ void copy(const float* from, float* to, unsigned int count)
{
    for (unsigned int i = threadIdx.x; i < count; i += 32)
        reinterpret_cast<T*>(to)[i] = __ldg(reinterpret_cast<const T*>(from) + i);
}
extern "C" __global__ void gather(unsigned int tokens, unsigned int width, unsigned int vocabulary,
                                  const unsigned int* ids, const float* table, float* out)
{
    unsigned int token = blockIdx.x * 8 + threadIdx.y;
    if (token >= tokens)
        return;
    unsigned int id = threadIdx.x == 0 ? ids[token] : 0;
    id = __shfl_sync(~0u, id, 0);
    const float* from = table + size_t(id) * width;
    float* to = out + size_t(token) * width;
    if (width % 4 == 0)
        copy<float4>(from, to, width / 4);
    else if (width % 2 == 0)
        copy<float2>(from, to, width / 2);
    else
        copy<float>(from, to, width);
}
