// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "imports/importer.h"

#include <optional>

namespace ridge::imports {

/// Internal: one pair of functions a format. `looksLike` is cheap and sees the whole file.
bool looksLikeNsightCompute(std::string_view bytes);
Result<Imported> readNsightCompute(std::string_view bytes, const std::string& name);

bool looksLikeNsightSystems(std::string_view bytes);
Result<Imported> readNsightSystems(std::string_view bytes, const std::string& name);

bool looksLikeNcclTests(std::string_view bytes);
Result<Imported> readNcclTests(std::string_view bytes, const std::string& name);

/// What NCCL_DEBUG=INFO writes, where no table of nccl-tests stands between its lines.
bool looksLikeNcclLog(std::string_view bytes);
Result<Imported> readNcclLog(std::string_view bytes, const std::string& name);

bool looksLikeRcclTests(std::string_view bytes);
Result<Imported> readRcclTests(std::string_view bytes, const std::string& name);

bool looksLikeLlamaBench(std::string_view bytes);
Result<Imported> readLlamaBench(std::string_view bytes, const std::string& name);

bool looksLikeFpgaTiming(std::string_view bytes);
Result<Imported> readFpgaTiming(std::string_view bytes, const std::string& name);

bool looksLikeTorchMemory(std::string_view bytes);
Result<Imported> readTorchMemory(std::string_view bytes, const std::string& name);

bool looksLikeNvbench(std::string_view bytes);
Result<Imported> readNvbench(std::string_view bytes, const std::string& name);

bool looksLikeTorchTrace(std::string_view bytes);
Result<Imported> readTorchTrace(std::string_view bytes, const std::string& name);

bool looksLikeYosysStat(std::string_view bytes);
Result<Imported> readYosysStat(std::string_view bytes, const std::string& name);

/// Files that people bring and that another program has to convert first: what it is, and the command.
std::optional<Error> knownButClosed(std::string_view bytes, const std::string& name);

} // namespace ridge::imports
