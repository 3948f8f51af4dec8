// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json.h"

#include "base/plain_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace ridge {

Result<Json> parseJson(std::string_view text, const std::string& place)
{
    try {
        return Json::parse(text);
    } catch (const nlohmann::json::parse_error& error) {
        const std::size_t end = std::min<std::size_t>(error.byte == 0 ? 0 : error.byte - 1, text.size());
        std::size_t line = 1;
        std::size_t column = 1;
        for (std::size_t i = 0; i < end; ++i) {
            if (text[i] == '\n') {
                ++line;
                column = 1;
            } else {
                ++column;
            }
        }
        return Error{"bad-json", "not valid JSON here",
                     place + ":" + std::to_string(line) + ":" + std::to_string(column),
                     "look for a missing comma, quote or bracket just before this place"};
    } catch (const nlohmann::json::exception& error) {
        const std::string_view what(error.what()); // "[json.exception.out_of_range.406] number overflow …"
        const auto mark = what.find("] ");
        return Error{"bad-json",
                     "a value here cannot be read: " +
                         std::string(mark == std::string_view::npos ? what : what.substr(mark + 2)),
                     place, "correct it"};
    }
}

Result<std::string> readFile(const std::filesystem::path& path)
{
    return readFile(path, kAnyLength);
}

Result<void> writeFile(const std::filesystem::path& path, std::string_view bytes)
{
    const auto temporary = std::filesystem::path(path.string() + ".part");
    const auto failed = [&](const std::string& what) {
        std::error_code ignored;
        std::filesystem::remove(temporary, ignored);
        return Error{"cannot-write", what, path.string(), "check that the folder exists, is writable and has space"};
    };
    {
        std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
        if (!out)
            return failed(std::string("cannot be written: ") + std::strerror(errno));
        out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
        out.flush();
        if (!out)
            return failed("writing stopped in the middle");
    }
    std::error_code ec;
    std::filesystem::rename(temporary, path, ec);
    if (ec)
        return failed("cannot be put in place: " + ec.message());
    return {};
}

Json toJson(const Error& error)
{
    return Json{{"code", error.code}, {"message", error.message}, {"place", error.place}, {"fix", error.fix}};
}

Error errorFromJson(const Json& json)
{
    const auto text = [&](const char* key) {
        const auto it = json.is_object() ? json.find(key) : json.end();
        return json.is_object() && it != json.end() && it->is_string() ? it->get<std::string>() : std::string();
    };
    return {text("code"), text("message"), text("place"), text("fix")};
}

} // namespace ridge
