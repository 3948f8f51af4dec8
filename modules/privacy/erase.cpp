// SPDX-License-Identifier: GPL-3.0-or-later
#include "privacy/erase.h"

#include "record/erase_record.h"
#include "record/files/content_files.h"

namespace ridge::personal {

namespace fs = std::filesystem;

namespace {

fs::path markOf(const fs::path& home)
{
    return home / "erasing";
}

/// Innermost first. Links are removed and not followed.
Result<void> removeAll(const fs::path& path)
{
    std::error_code ec;
    fs::remove_all(path, ec);
    if (ec)
        return record::fileError(ec, path, "It cannot be deleted");
    return {};
}

Result<Erased> removeParts(const Places& places)
{
    const Inventory all = inventory(places);
    for (const Part& part : all.parts)
        for (const fs::path& path : part.paths)
            if (auto removed = removeAll(path); !removed)
                return removed.error();
    std::error_code ec;
    if (places.settings.parent_path().filename() == "ridgepoint")
        fs::remove(places.settings.parent_path(), ec); // only where it is empty now
    if (auto synced = record::syncPath(places.home); !synced)
        return synced.error();
    if (auto removed = removeAll(markOf(places.home)); !removed)
        return removed.error();
    return Erased{all.files(), all.bytes()};
}

} // namespace

bool erasureOrdered(const fs::path& home)
{
    std::error_code ec;
    return fs::exists(markOf(home), ec);
}

Result<void> orderErasure(const fs::path& home)
{
    if (auto made = record::makeFolder(home); !made)
        return made;
    return record::writeDurably(markOf(home), "Everything of its owner in this folder is to be deleted. Ridgepoint "
                                              "does so when it starts; without this file it does not.\n");
}

Result<Erased> finishErasure(const Places& places)
{
    const auto held = record::holdStore(places.home);
    return held ? removeParts(places) : Result<Erased>(held.error());
}

Result<Erased> eraseNow(const Places& places)
{
    const auto held = record::holdStore(places.home);
    if (!held)
        return held.error();
    if (auto ordered = orderErasure(places.home); !ordered)
        return ordered.error();
    return removeParts(places);
}

} // namespace ridge::personal
