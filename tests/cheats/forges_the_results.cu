// SPDX-License-Identifier: GPL-3.0-or-later
//
// Prints what the worker would say of a good kernel, and does nothing (cheat-fd.py).
// Launch    --grid 1 --block 1

#include <cstdio>

extern "C" __global__ void saxpy(unsigned int, float, const float*, const float*, float*)
{
    printf("\n{\"event\":\"kernel\",\"document\":{\"task\":\"saxpy\",\"launches\":[]}}\n{\"event\":\"finished\"}\n");
}
