// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstring>
#include <elf.h>
#include <string>

namespace fake {

/// The bytes of an ELF image, which does not end at the first zero as PTX does; empty for anything else.
inline std::string machineCode(const void* image)
{
    Elf64_Ehdr head;
    if (std::memcmp(image, ELFMAG, SELFMAG) != 0)
        return {};
    std::memcpy(&head, image, sizeof head);
    // Whichever of the two tables lies last ends the file.
    const std::size_t sections = head.e_shoff + std::size_t{head.e_shnum} * head.e_shentsize;
    const std::size_t segments = head.e_phoff + std::size_t{head.e_phnum} * head.e_phentsize;
    return std::string(static_cast<const char*>(image), sections > segments ? sections : segments);
}

} // namespace fake
