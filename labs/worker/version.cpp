// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/worker/version.h"

#include "base/hash.h"
#include "base/paths.h"
#include "base/protocol.h"
#include "silicon/fingerprint.h"

#include <algorithm>
#include <sys/utsname.h>

namespace ridge::labs {
namespace {

namespace fs = std::filesystem;

/// What experiments, compilers and simulators read below the data folder.
constexpr const char* kRead[] = {"assets/chips",    "assets/cuda",  "assets/machines",   "assets/ptx.zip",
                                 "assets/ptx.json", "assets/tasks", "assets/references", "kernels"};

std::vector<std::string> filesOf(const fs::path& data)
{
    std::vector<std::string> files;
    std::error_code ignored;
    for (const char* read : kRead) {
        if (fs::is_regular_file(data / read, ignored))
            files.push_back(read);
        for (const auto& entry : fs::recursive_directory_iterator(data / read, ignored))
            if (entry.is_regular_file(ignored))
                files.push_back(entry.path().lexically_relative(data).generic_string());
    }
    std::ranges::sort(files);
    return files;
}

std::string digestOf(const fs::path& file)
{
    const auto bytes = readFile(file);
    return bytes ? sha256Hex(*bytes) : "unreadable";
}

} // namespace

Json versionDocument()
{
    std::error_code ignored;
    const fs::path self = fs::read_symlink("/proc/self/exe", ignored);
    std::string all = digestOf("/proc/self/exe") + " ridge-worker\n";
    Json files = Json::array();
    const auto data = dataFolder();
    if (data)
        for (const std::string& file : filesOf(*data)) {
            all += digestOf(*data / file) + ' ' + file + '\n';
            files.push_back(file);
        }
    utsname names{};
    uname(&names);
    return Json{{"program", silicon::appVersion()},
                {"protocol", kProtocolVersion},
                {"digest", sha256Hex(all)},
                {"arch", names.machine},
                {"executable", self.string()},
                {"data", data ? fs::absolute(*data, ignored).string() : std::string()},
                {"files", files}};
}

} // namespace ridge::labs
