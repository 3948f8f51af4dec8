// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/curriculum.h"
#include "lessons/yaml_fields.h"

namespace ridge::lessons {

/// A YAML file of the curriculum; `place` gets its name. A missing file is a problem of its own.
std::optional<YAML::Node> readYaml(const std::filesystem::path& root, const std::string& name, YamlPlace& place);

/// Claims and glossary are a file, "claims.yaml", and a folder of files, "claims/*.yaml", a module each: those that
/// there are, the single one first, then in the order of their names. The single one alone where there is none.
std::vector<std::string> splitFiles(const std::filesystem::path& root, const std::string& name);

/// Internal readers of the files beside the lessons. Each adds what is wrong to `problems` and keeps the rest.
std::vector<ModuleInfo> readModules(const std::filesystem::path& root, std::vector<Problem>& problems);
std::map<std::string, Claim> readClaims(const std::filesystem::path& root, std::vector<Problem>& problems);
std::vector<Term> readGlossary(const std::filesystem::path& root, std::vector<Problem>& problems);

/// paths.yaml into `curriculum`, whose modules and heads are read already.
void readPaths(Curriculum& curriculum, std::vector<Problem>& problems);

/// Lesson files of one module folder in order, as paths below the root; names that are not "NN-slug.md" are problems.
std::vector<std::string> lessonFiles(const std::filesystem::path& root, const ModuleInfo& module,
                                     std::vector<Problem>& problems);

/// The capstone of a module ("1-gpu-architecture/capstone.md"), when it is written.
std::optional<std::string> capstoneFile(const std::filesystem::path& root, const ModuleInfo& module);

/// Maps the key of a claim to its file and line, for messages of the linter.
std::map<std::string, SourceSpan> claimPlaces(const std::filesystem::path& root);

} // namespace ridge::lessons
