// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "record/store.h"

#include <QTemporaryDir>
#include <QtTest>
#include <filesystem>
#include <fstream>

// Shows the error of a Result that should have been fine.
#define R_VERIFY(result)                                                                                               \
    do {                                                                                                               \
        const auto& verifiedResult = (result);                                                                         \
        QVERIFY2(verifiedResult.ok(), ridge::test::errorText(verifiedResult).constData());                             \
    } while (false)

namespace ridge::test {

namespace fs = std::filesystem;

template<class T>
QByteArray errorText(const Result<T>& result)
{
    return result.ok() ? QByteArray() : QByteArray::fromStdString(result.error().code + ": " + toText(result.error()));
}

template<class T>
QByteArray codeOf(const Result<T>& result)
{
    return result.ok() ? QByteArray("ok") : QByteArray::fromStdString(result.error().code);
}

/// Waits for a write.
inline Result<std::string> durable(QFuture<Result<std::string>> future)
{
    future.waitForFinished();
    return future.result();
}

inline fs::path pathOf(const QTemporaryDir& folder)
{
    return folder.path().toStdString();
}

inline record::PredictionRow somePrediction(const std::string& lesson = "2.4")
{
    record::PredictionRow row;
    row.lesson = lesson;
    row.block = "predict-stride";
    row.experiment = "coalescing";
    row.metric = "sectors_per_request";
    row.unit = "sectors/request";
    row.params = {{"stride", std::int64_t(8)}};
    row.point = 16;
    row.low = 8;
    row.high = 32;
    return row;
}

inline record::RunRow someRun(std::int64_t stride = 8, const std::string& predictionId = {})
{
    record::RunRow row;
    row.sweepId = "sweep";
    row.lesson = "2.4";
    row.block = "run-stride";
    row.predictionId = predictionId;
    row.experiment = "coalescing";
    row.version = 3;
    row.target = "sim:h100-sxm";
    row.seed = 18446744073709551615u;
    row.params = {{"stride", stride}, {"scale", 0.1}, {"mode", std::string("load")}};
    row.metrics = {{"sectors_per_request", {32.0, "sectors/request", Provenance::Simulated}}};
    row.limits = {{"sectors_per_request", {4.0, "lower"}}};
    row.checks = {{"matches_reference", true, "1 of 1"}};
    row.validity = "valid";
    row.fingerprint = Json{{"chip", "h100-sxm"}, {"build", "0.1 – größer"}};
    row.status = "finished";
    return row;
}

inline std::string bytesOf(const fs::path& file)
{
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

inline void writeBytes(const fs::path& file, const std::string& bytes)
{
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << bytes;
}

/// Every file below a folder with its content.
inline std::map<std::string, std::string> contentOf(const fs::path& folder)
{
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file())
            all[fs::relative(entry.path(), folder).string()] = bytesOf(entry.path());
    return all;
}

inline int sanitizerFactor()
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return 10;
#else
    return 1;
#endif
}

} // namespace ridge::test
