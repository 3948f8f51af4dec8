// SPDX-License-Identifier: GPL-3.0-or-later
// The lab's own language models and the texts beside them (assets/models-small).
#pragma once

#include "base/parameters.h"
#include "transformer/small_model.h"

namespace ridge::labs {

/// "small" or "draft". Errors: those of reading; "bad-model"; "changed" where the file is not that of its manifest.
Result<transformer::Model> smallModel(const std::string& name);

/// Text that no model was trained on, and some that they were, as the model's tokens. Errors: those of reading.
Result<std::vector<transformer::Token>> heldOutText(const transformer::Model& model);
Result<std::vector<transformer::Token>> calibrationText(const transformer::Model& model);

} // namespace ridge::labs
