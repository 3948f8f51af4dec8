// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/targets/target_list.h"
#include "point.h"
#include "tests/gpu/cuda/fake_driver.h"

namespace ridge::labs::test {

/// An experiment on the stand-in for libcuda: streams, graphs, gates and references of the real device code.
struct FakeRuns {
    std::unique_ptr<Experiment> experiment;
    std::unique_ptr<gpu::Device> device;

    FakeRuns(std::unique_ptr<Experiment> given, const char* fake, Regime regime = Regime::Quick)
        : experiment(std::move(given))
    {
        useFakes(fake);
        gpu::DeviceOptions options;
        options.regime = regime;
        auto opened = gpu::openDevice("gpu:0", options);
        if (!opened)
            qFatal("%s", toText(opened.error()).c_str());
        device = std::move(*opened);
    }
    Result<void> run(const ParamSet& given, Point& point) const
    {
        return experiment->run(complete(experiment->info(), given, "gpu"), point);
    }
    Point at(const ParamSet& given) const
    {
        Point point(*device, experiment->info(), gpu::CompilerChoice::Shipped);
        if (const auto result = run(given, point); !result)
            qFatal("%s", toText(result.error()).c_str());
        return point;
    }
};

/// The stand-in for cuBLAS and cuBLASLt, and how it behaves; or no library at all.
inline void useBlas(const char* settings, const char* file = "fake_blas.so")
{
    const QByteArray path = QCoreApplication::applicationDirPath().toUtf8() + "/" + file;
    qputenv("RIDGE_LIBCUBLAS", path);
    qputenv("RIDGE_LIBCUBLASLT", path);
    qputenv("RIDGE_FAKE_BLAS", settings);
}

/// The stand-ins for cuDNN and NCCL likewise.
inline void useDnn(const char* settings, const char* file = "fake_dnn.so")
{
    qputenv("RIDGE_LIBCUDNN", QCoreApplication::applicationDirPath().toUtf8() + "/" + file);
    qputenv("RIDGE_FAKE_DNN", settings);
}
inline void useNccl(const char* settings, const char* file = "fake_nccl.so")
{
    qputenv("RIDGE_LIBNCCL", QCoreApplication::applicationDirPath().toUtf8() + "/" + file);
    qputenv("RIDGE_FAKE_NCCL", settings);
}

} // namespace ridge::labs::test
