// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/harness/small_models.h"

#include "base/hash.h"
#include "base/paths.h"
#include "base/plain_file.h"

namespace ridge::labs {
namespace {

constexpr std::uint64_t kMostBytes = 16u << 20;

Result<std::string> fileOf(const std::string& name)
{
    const auto data = dataFolder();
    if (!data)
        return data.error();
    return readFile(*data / "assets" / "models-small" / name, kMostBytes);
}

Result<std::vector<transformer::Token>> textOf(const transformer::Model& model, const std::string& name)
{
    const auto bytes = fileOf(name);
    if (!bytes)
        return bytes.error();
    return transformer::tokensOf(model, *bytes);
}

} // namespace

Result<transformer::Model> smallModel(const std::string& name)
{
    const auto bytes = fileOf(name + ".bin");
    if (!bytes)
        return bytes.error();
    const auto manifest = fileOf(name + ".json");
    if (!manifest)
        return manifest.error();
    if (manifest->find(sha256Hex(*bytes)) == std::string::npos)
        return Error{"changed", "the model is not the one that its manifest tells of",
                     "assets/models-small/" + name + ".bin", "install Ridgepoint again, or train both anew"};
    return transformer::parseModel(*bytes, "assets/models-small/" + name + ".bin");
}

Result<std::vector<transformer::Token>> heldOutText(const transformer::Model& model)
{
    return textOf(model, "held-out.txt");
}

Result<std::vector<transformer::Token>> calibrationText(const transformer::Model& model)
{
    return textOf(model, "calibration.txt");
}

} // namespace ridge::labs
