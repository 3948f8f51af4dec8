// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/report.h"

#include <cstdio>

namespace ridge::gpu {
namespace {

Json lineOrNull(std::uint32_t line)
{
    return line == 0 ? Json() : Json(line);
}

Json textOrNull(const std::string& text)
{
    return text.empty() ? Json() : Json(text);
}

void addPlace(Json& json, const ReportPlace& place)
{
    json["source_line"] = lineOrNull(place.sourceLine);
    json["source_text"] = textOrNull(place.sourceText);
    json["ptx_line"] = lineOrNull(place.ptxLine);
    json["instruction"] = textOrNull(place.instruction);
}

void addThread(Json& json, const std::optional<ReportThread>& thread)
{
    json["block"] = thread ? Json(thread->block) : Json();
    json["thread"] = thread ? Json(thread->thread) : Json();
    json["warp"] = thread ? Json(thread->warp) : Json();
    json["lane"] = thread ? Json(thread->lane) : Json();
}

std::string hex(std::uint64_t value)
{
    std::array<char, 24> text{};
    std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(value));
    return text.data();
}

} // namespace

Json toJson(const Report& report)
{
    Json json{{"code", report.code},        {"message", report.message},
              {"look_for", report.lookFor}, {"cuda", textOrNull(report.cuda)},
              {"fatal", report.fatal},      {"kernel", report.kernel}};
    addPlace(json, report.place);
    addThread(json, report.thread);
    const ReportAccess* access = report.access ? &*report.access : nullptr;
    json["space"] = access ? Json(access->space) : Json();
    json["access"] = access ? Json(access->kind) : Json();
    json["bytes"] = access ? Json(access->bytes) : Json();
    json["address"] = access ? Json(hex(access->address)) : Json();
    const bool near = access && !access->allocation.empty();
    json["allocation"] = near ? Json{{"label", access->allocation},
                                     {"begin", hex(access->allocationBegin)},
                                     {"bytes", access->allocationBytes},
                                     {"distance", access->distance},
                                     {"freed", access->freed}}
                              : Json();
    if (report.otherPlace) {
        Json other = Json::object();
        addPlace(other, *report.otherPlace);
        addThread(other, report.other);
        json["other"] = std::move(other);
    } else {
        json["other"] = nullptr;
    }
    json["count"] = report.count;
    return json;
}

} // namespace ridge::gpu
