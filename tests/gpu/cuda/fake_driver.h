// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtTest>

/// Points the program at the stand-ins beside the test and tells them how to behave.
inline void useFakes(const char* cuda, const char* nvml = "")
{
    const QByteArray folder = QCoreApplication::applicationDirPath().toUtf8();
    qputenv("RIDGE_LIBCUDA", folder + "/fake_cuda.so");
    qputenv("RIDGE_LIBNVML", folder + "/fake_nvml.so");
    qputenv("RIDGE_FAKE_CUDA", cuda);
    qputenv("RIDGE_FAKE_NVML", nvml);
}

/// PTX with the kernel that the stand-in executes.
inline constexpr const char* kPtx = R"(// a comment with .version 1.0 and .entry nothing()
.version 7.0
.target sm_80
.address_size 64
.visible .entry add(
    .param .u64 .ptr .global .align 4 data,
    .param .u32 count,
    .param .f32 step
)
{
    ret;
}
.visible .entry spin()
{
    ret;
}
)";
