// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/harness/input.h"

#include "base/paths.h"
#include "base/plain_file.h"

#include <algorithm>

namespace ridge::labs {
namespace {

Error ofParameter(const std::string& name, const Error& error)
{
    return {error.code, "the file " + error.message, "parameter " + name + ", " + error.place, error.fix};
}

/// A file that comes with the program, wherever that is installed. Neither the path nor a link on its way may lead out
/// of the folder: a lesson from elsewhere must not read what is not its own.
Result<std::filesystem::path> shippedPath(const std::string& name, const std::string& path)
{
    namespace fs = std::filesystem;
    const Error outside{"bad-value", "\"" + path + "\" is no path below the program's assets", "parameter " + name,
                        "write assets: and a path without .. or a leading /, as assets:traces/azure.csv"};
    const std::string rest = path.substr(kAssets.size());
    const fs::path relative(rest);
    if (rest.empty() || rest.find('\\') != std::string::npos || rest.find('\0') != std::string::npos ||
        relative.is_absolute() || relative.has_root_name() ||
        std::ranges::find(relative, fs::path("..")) != relative.end())
        return outside;
    const auto data = dataFolder();
    if (!data)
        return data.error();
    std::error_code code;
    const fs::path root = fs::canonical(*data / "assets", code);
    if (code)
        return Error{"cannot-read", "the program's assets cannot be found: " + code.message(),
                     (*data / "assets").string(), "install the program again, or set RIDGE_DATA"};
    const fs::path whole = fs::weakly_canonical(root / relative, code);
    const auto [end, at] = std::mismatch(root.begin(), root.end(), whole.begin(), whole.end());
    if (code || end != root.end() || at == whole.end())
        return outside;
    return whole;
}

Result<std::filesystem::path> wholePath(const std::string& name, const std::string& path)
{
    if (path.starts_with(kAssets))
        return shippedPath(name, path);
    std::filesystem::path whole(path);
    if (whole.is_absolute())
        return whole;
    return Error{"bad-value", "\"" + path + "\" is not an absolute path", "parameter " + name,
                 "give the path from / on; ridge run does that for a file of the folder it is started in"};
}

} // namespace

bool given(const ParamSet& params, const char* name)
{
    return !std::get<std::string>(params.at(name)).empty();
}

Result<std::filesystem::path> inputPath(const ParamSet& params, const std::string& name)
{
    return wholePath(name, std::get<std::string>(params.at(name)));
}

Result<std::string> readInput(const ParamSet& params, const std::string& name, std::uint64_t mostBytes)
{
    const auto path = inputPath(params, name);
    if (!path)
        return path.error();
    auto bytes = readFile(*path, mostBytes);
    return bytes ? std::move(bytes) : Result<std::string>(ofParameter(name, bytes.error()));
}

Result<std::string> inputDigest(const std::string& name, const std::string& path)
{
    const auto whole = wholePath(name, path);
    if (!whole)
        return whole.error();
    auto digest = sha256OfFile(*whole);
    return digest ? std::move(digest) : Result<std::string>(ofParameter(name, digest.error()));
}

} // namespace ridge::labs
