// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/class_folder.h"

namespace ridge::classroom {

/// The class that ships with the program (assets/samples/class: a generated assignment, its roster and submissions),
/// collected into `scratch`, a folder that the caller throws away. The shipped files are only read, so whatever is
/// tried with the class is gone afterwards. Errors: "cannot-read", and those of adoptAssignment and collect.
Result<OpenClass> openSample(const std::filesystem::path& samples, const std::filesystem::path& scratch,
                             const lessons::Curriculum& curriculum);

} // namespace ridge::classroom
