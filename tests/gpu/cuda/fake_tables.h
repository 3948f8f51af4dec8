// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>

namespace fake {

inline const std::map<int, const char*>& errorNames()
{
    static const std::map<int, const char*> names{{2, "CUDA_ERROR_OUT_OF_MEMORY"},
                                                  {100, "CUDA_ERROR_NO_DEVICE"},
                                                  {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION"},
                                                  {700, "CUDA_ERROR_ILLEGAL_ADDRESS"},
                                                  {719, "CUDA_ERROR_LAUNCH_FAILED"},
                                                  {46, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
                                                  {801, "CUDA_ERROR_NOT_SUPPORTED"},
                                                  {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED"},
                                                  {999, "CUDA_ERROR_UNKNOWN"},
                                                  {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"}};
    return names;
}

/// CUdevice_attribute of an H200.
inline const std::map<int, int>& attributes()
{
    static const std::map<int, int> values{
        {1, 1024},     {2, 1024}, {3, 1024}, {4, 64}, {5, 2147483647}, {6, 65535}, {7, 65535},     {8, 49152},
        {13, 1980000}, {16, 132}, {17, 0},   {32, 1}, {36, 3201000},   {37, 6144}, {38, 62914560}, {97, 232448}};
    return values;
}

} // namespace fake
