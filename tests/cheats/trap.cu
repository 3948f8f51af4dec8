// SPDX-License-Identifier: GPL-3.0-or-later
//
// Brings the device down in the hope that the one who reads the results takes no answer for a good one.
// Launch    --grid 1 --block 32

extern "C" __global__ void transpose(unsigned int, unsigned int, const float*, float*)
{
    asm volatile("trap;");
}
