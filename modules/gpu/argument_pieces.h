// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/device.h"

#include <cstring>
#include <optional>
#include <span>
#include <vector>

namespace ridge::gpu {

/// The bytes of a value as a kernel's parameters have them.
inline std::span<const std::byte> bytesOf(const KernelArg& argument)
{
    return std::visit([](const auto& value) { return std::as_bytes(std::span(&value, 1)); }, argument);
}

/// The bytes of each parameter of a launch. A launch has one value for each; a parameter that is passed by value as a
/// struct or an array is given in pieces instead, its fields and the padding between them, one behind the other. None
/// where they do not come out even.
inline std::optional<std::vector<std::vector<std::byte>>> parameterBytes(const std::vector<std::size_t>& sizes,
                                                                         const std::vector<KernelArg>& args)
{
    std::vector<std::vector<std::byte>> out;
    std::size_t next = 0;
    for (const std::size_t size : sizes) {
        std::vector<std::byte>& parameter = out.emplace_back();
        while (parameter.size() < size && next < args.size()) {
            const auto piece = bytesOf(args[next++]);
            parameter.insert(parameter.end(), piece.begin(), piece.end());
        }
        if (parameter.size() != size)
            return std::nullopt;
    }
    if (next != args.size())
        return std::nullopt;
    return out;
}

} // namespace ridge::gpu
