// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/target_kind.h"

#include "base/experiment_info.h"
#include "base/target_choice.h"

#include <algorithm>

namespace ridge {
namespace {

// The order in which `ridge targets` lists them: what measures, what simulates, what computes.
constexpr TargetKind kKinds[] = {
    {.id = "gpu",
     .title = "GPU",
     .plural = "GPUs",
     .name = TargetName::Index,
     .form = "gpu:<index>",
     .example = kFirstGpu,
     .provenance = Provenance::Measured,
     .deterministic = false,
     .hasDevice = true,
     .onHardware = true,
     .inLessons = false},
    {.id = "cpu",
     .title = "processor",
     .plural = "processors",
     .name = TargetName::None,
     .form = "cpu",
     .example = "cpu",
     .provenance = Provenance::Measured,
     .deterministic = false,
     .hasDevice = false,
     .onHardware = true,
     .inLessons = false},
    {.id = "mpi",
     .title = "processes of Open MPI",
     .plural = "processes of Open MPI",
     .name = TargetName::None,
     .form = "mpi",
     .example = "mpi",
     .provenance = Provenance::Measured,
     .deterministic = false,
     .hasDevice = false,
     .onHardware = true,
     .inLessons = false,
     .needsMpi = true},
    {.id = "sim",
     .title = "simulated GPU",
     .plural = "simulated chips",
     .name = TargetName::Chip,
     .form = "sim:<chip>",
     .example = kDefaultSimulator,
     .provenance = Provenance::Simulated,
     .deterministic = true,
     .hasDevice = true,
     .onHardware = false,
     .inLessons = true},
    {.id = "machine",
     .title = "simulated machine",
     .plural = "simulated machines",
     .name = TargetName::Machine,
     .form = "machine:<id>",
     .example = "machine:cache-teaching",
     .provenance = Provenance::Simulated,
     .deterministic = true,
     .hasDevice = false,
     .onHardware = false,
     .inLessons = true},
    {.id = kModelTarget,
     .title = "closed-form model",
     .plural = "closed-form models",
     .name = TargetName::None,
     .form = kModelTarget,
     .example = kModelTarget,
     .provenance = Provenance::Modelled,
     .deterministic = true,
     .hasDevice = false,
     .onHardware = false,
     .inLessons = false},
};

std::string nameOf(std::string_view target, TargetName wanted)
{
    const auto parsed = parseTarget(target);
    return parsed && parsed->kind->name == wanted ? parsed->name : std::string();
}

/// The first kind that takes such a name, with this one.
std::string textOf(TargetName wanted, std::string_view name)
{
    const auto kind = std::ranges::find(kKinds, wanted, &TargetKind::name);
    return std::string(kind->id).append(":").append(name);
}

} // namespace

std::span<const TargetKind> targetKinds()
{
    return kKinds;
}

const TargetKind* findTargetKind(std::string_view id)
{
    for (const TargetKind& kind : kKinds)
        if (kind.id == id)
            return &kind;
    return nullptr;
}

std::string targetForms()
{
    std::string all;
    for (const TargetKind& kind : kKinds)
        all.append(all.empty() ? "" : ", ").append(kind.form);
    return all;
}

Result<Target> parseTarget(std::string_view text)
{
    const TargetParts parts = splitTarget(std::string(text));
    const std::size_t colon = parts.local.find(':');
    const std::string id = parts.local.substr(0, colon);
    const TargetKind* kind = findTargetKind(id);
    const std::string whole(text);
    if (kind == nullptr) {
        std::vector<std::string> known;
        for (const TargetKind& each : kKinds)
            if (colon == std::string::npos || each.form.find(':') != std::string_view::npos)
                known.emplace_back(each.id);
        const std::string rest = colon == std::string::npos ? "" : parts.local.substr(colon);
        std::string near;
        for (const std::string& name : nearestNames(id, known))
            near += (near.empty() ? "did you mean " : ", ") + name + rest;
        return Error{"unknown-target", "there is no target '" + whole + "': '" + id + "' is no kind of target", whole,
                     (near.empty() ? "" : near + "? ") + "The kinds are " + targetForms() +
                         "; ridge targets lists the targets"};
    }
    Target target{parts.remote, kind, colon == std::string::npos ? "" : parts.local.substr(colon + 1)};
    const bool named = colon != std::string::npos;
    if (named != (kind->name != TargetName::None) || (named && target.name.empty()))
        return Error{
            "unknown-target",
            "there is no target '" + whole + "': " +
                (named && kind->name == TargetName::None ? "nothing follows " + id : "a name must follow " + id),
            whole, "write it as " + std::string(kind->form) + ", for example " + std::string(kind->example)};
    return target;
}

const TargetKind* kindOf(std::string_view target)
{
    return findTargetKind(kindOfTarget(std::string(target)));
}

bool runsKernels(std::string_view target)
{
    const TargetKind* kind = kindOf(target);
    return kind != nullptr && kind->hasDevice;
}

bool measuresKernels(std::string_view target)
{
    const TargetKind* kind = kindOf(target);
    return kind != nullptr && kind->measuresKernels();
}

bool simulatesKernels(std::string_view target)
{
    const TargetKind* kind = kindOf(target);
    return kind != nullptr && kind->simulatesKernels();
}

bool isRepeatableHere(std::string_view target)
{
    const TargetKind* kind = kindOf(target);
    return kind != nullptr && kind->deterministic && isLocal(target);
}

bool isLocal(std::string_view target)
{
    return splitTarget(std::string(target)).remote.empty();
}

Provenance provenanceOfTarget(std::string_view target)
{
    const TargetKind* kind = kindOf(target);
    return kind != nullptr ? kind->provenance : Provenance::Simulated;
}

std::string gpuTarget(int index)
{
    return textOf(TargetName::Index, std::to_string(index));
}

std::string simulatorTarget(std::string_view chip)
{
    return textOf(TargetName::Chip, chip);
}

std::string machineTarget(std::string_view id)
{
    return textOf(TargetName::Machine, id);
}

std::string chipOfTarget(std::string_view target)
{
    return nameOf(target, TargetName::Chip);
}

std::string machineOfTarget(std::string_view target)
{
    return nameOf(target, TargetName::Machine);
}

} // namespace ridge
