// SPDX-License-Identifier: GPL-3.0-or-later
// Texture and surface objects (CUDA C++ Programming Guide, "Texture Functions"): each becomes its PTX instruction, by whose name
// the simulator refuses the kernel and says what to write instead. Of a texel all four numbers are read as floats.
#pragma once

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;

#define RIDGE_TEXTURE(name, parameters, form, coordinates, ...)                                                        \
    template <class T>                                                                                                 \
    RIDGE_FN T name parameters                                                                                         \
    {                                                                                                                  \
        float4 texel;                                                                                                  \
        asm volatile("tex." form " {%0, %1, %2, %3}, [%4, " coordinates "];"                                          \
                     : "=f"(texel.x), "=f"(texel.y), "=f"(texel.z), "=f"(texel.w) : "l"(t), __VA_ARGS__);             \
        T value;                                                                                                       \
        __builtin_memcpy((void*)&value, &texel, sizeof(T) < 16 ? sizeof(T) : 16);                                      \
        return value;                                                                                                  \
    }
RIDGE_TEXTURE(tex1Dfetch, (cudaTextureObject_t t, int x), "1d.v4.f32.s32", "{%5}", "r"(x))
RIDGE_TEXTURE(tex1D, (cudaTextureObject_t t, float x), "1d.v4.f32.f32", "{%5}", "f"(x))
RIDGE_TEXTURE(tex2D, (cudaTextureObject_t t, float x, float y), "2d.v4.f32.f32", "{%5, %6}", "f"(x), "f"(y))
RIDGE_TEXTURE(tex3D, (cudaTextureObject_t t, float x, float y, float z), "3d.v4.f32.f32", "{%5, %6, %7, %7}", "f"(x),
              "f"(y), "f"(z))
RIDGE_TEXTURE(tex2DLayered, (cudaTextureObject_t t, float x, float y, int layer), "a2d.v4.f32.f32",
              "{%5, %6, %7, %7}", "r"(layer), "f"(x), "f"(y))

#define RIDGE_SURFACE(dimensions, parameters, coordinates, ...)                                                        \
    template <class T>                                                                                                 \
    RIDGE_FN void surf##dimensions##write parameters                                                                   \
    {                                                                                                                  \
        unsigned int word = 0;                                                                                         \
        __builtin_memcpy(&word, &value, sizeof(T) < 4 ? sizeof(T) : 4);                                                \
        asm volatile("sust.b." coordinates ", {%0};" ::"r"(word), "l"(s), __VA_ARGS__ : "memory");                   \
    }
RIDGE_SURFACE(1D, (T value, cudaSurfaceObject_t s, int x, int = 0), "1d.b32.trap [%1, {%2}]", "r"(x))
RIDGE_SURFACE(2D, (T value, cudaSurfaceObject_t s, int x, int y, int = 0), "2d.b32.trap [%1, {%2, %3}]", "r"(x), "r"(y))
RIDGE_SURFACE(3D, (T value, cudaSurfaceObject_t s, int x, int y, int z, int = 0), "3d.b32.trap [%1, {%2, %3, %4, %4}]",
              "r"(x), "r"(y), "r"(z))
#define RIDGE_SURFACE_READ(dimensions, parameters, coordinates, ...)                                                   \
    template <class T>                                                                                                 \
    RIDGE_FN T surf##dimensions##read parameters                                                                       \
    {                                                                                                                  \
        unsigned int word = 0;                                                                                         \
        asm volatile("suld.b." coordinates ";" : "=r"(word) : "l"(s), __VA_ARGS__ : "memory");                       \
        T value;                                                                                                       \
        __builtin_memcpy((void*)&value, &word, sizeof(T) < 4 ? sizeof(T) : 4);                                         \
        return value;                                                                                                  \
    }
RIDGE_SURFACE_READ(1D, (cudaSurfaceObject_t s, int x, int = 0), "1d.b32.trap {%0}, [%1, {%2}]", "r"(x))
RIDGE_SURFACE_READ(2D, (cudaSurfaceObject_t s, int x, int y, int = 0), "2d.b32.trap {%0}, [%1, {%2, %3}]", "r"(x), "r"(y))
