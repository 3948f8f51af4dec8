// SPDX-License-Identifier: GPL-3.0-or-later
// A kernel of a test, compiled by a named compiler and run once on a simulated A100 with the detectors on.
#pragma once

#include "gpu/program.h"
#include "labs/worker/execute_kernel.h"

#include <QFile>
#include <QTemporaryDir>

#include <algorithm>
#include <bit>
#include <cstring>

namespace ridge::test {

struct Answer {
    std::string codes;
    std::vector<float> out;
    std::string why;
    std::string fix;
};

inline Answer run(const std::string& compiler, const std::string& source, std::uint64_t threads, std::uint64_t count,
                  const std::string& fill = "rand(5)")
{
    const QTemporaryDir folder;
    const std::string path = folder.filePath(QStringLiteral("out.bin")).toStdString();
    qputenv("RIDGE_COMPILER", compiler.c_str());
    KernelRunRequest request;
    request.source = {"file.cu", source, false};
    request.kernel = "k";
    request.grid = {1, 1, 1};
    request.block = {threads, 1, 1};
    request.args = {"in:i32:512:" + fill, "inout:f32:" + std::to_string(count) + ":zeros>" + path};
    request.target = "sim:a100-sxm-80";
    request.check = request.functional = request.exact = true;
    Answer answer;
    labs::executeKernel(
        request,
        [&](const Event& event) {
            if (const auto* kernel = std::get_if<KernelEvent>(&event))
                for (const Json& report : kernel->document->value("reports", Json::array()))
                    answer.codes += report.at("code").get<std::string>() + " ";
            if (const auto* failed = std::get_if<FailedEvent>(&event)) {
                answer.why = failed->error.message;
                answer.fix = failed->error.fix;
            }
        },
        {},
        [] {
            return Error{"cancelled", "", "", ""};
        });
    qunsetenv("RIDGE_COMPILER");
    QFile file(QString::fromStdString(path));
    if (file.open(QIODevice::ReadOnly)) {
        const QByteArray bytes = file.readAll();
        answer.out.resize(static_cast<std::size_t>(bytes.size()) / sizeof(float));
        std::memcpy(answer.out.data(), bytes.constData(), answer.out.size() * sizeof(float));
    }
    return answer;
}

inline bool has(const char* compiler)
{
    const auto all = gpu::listCompilers();
    return std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.id == compiler && one.available; });
}

inline std::uint32_t bitsOf(float value)
{
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

} // namespace ridge::test
