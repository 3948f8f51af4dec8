// SPDX-License-Identifier: GPL-3.0-or-later
// Precompiled for every engine library: what nearly all of them include, and of the project's own what rarely changes.
// A file still includes what it uses.
#pragma once
#include "base/experiment_info.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/json_read.h"
#include "base/paths.h"
#include "base/protocol.h"
#include "base/result.h"
#include "base/target_choice.h"
#include "base/units.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fmt/core.h>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <variant>
#include <vector>

#ifdef __clang__ // g++ instantiates again whatever a precompiled header holds
#include "pch_engine_uses.h"
#endif
