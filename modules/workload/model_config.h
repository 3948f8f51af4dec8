// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json_value.h"
#include "workload/model.h"

namespace ridge::workload {

struct ConfigModel {
    ModelShape shape;                 ///< without id, title and source
    std::vector<std::string> assumed; ///< what the config leaves open and what was taken, a sentence each
};

/// A model from a Hugging Face `config.json`: one stack of layers of attention with weights of their own, or a residual
/// network. Known values of "model_type": configArchitectures().
/// Errors: "bad-config" with the key as the place ("config.json: num_hidden_layers") and the fix: a key that is missing
/// or of another type, an architecture that is not known (with the nearest), keys that contradict each other.
/// Others are "bad-config", too: those of modelOfAnyKind.
Result<ConfigModel> modelFromConfig(const Json& config, const std::string& place = "config.json");
/// The same with an encoder before the decoder, state spaces, and layers that share their weights.
Result<ConfigModel> modelOfAnyKind(const Json& config, const std::string& place = "config.json");
/// modelFromConfig from text. Errors: also those of parseJsonOnce.
Result<ConfigModel> modelFromConfigText(std::string_view text, const std::string& place = "config.json");

std::span<const std::string> configArchitectures();

} // namespace ridge::workload
