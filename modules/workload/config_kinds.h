// SPDX-License-Identifier: GPL-3.0-or-later
// Configs of models that are more than one stack of attention.
#pragma once

#include "workload/config_reader.h"
#include "workload/model.h"

namespace ridge::workload {

/// T5, BART and their kin, Whisper. The defaults of the family have been set.
void readEncoderDecoder(ConfigReader& r, ModelShape& m, const PairFamily& family);
/// Mamba and Mamba-2. The defaults of the family have been set.
void readStateSpace(ConfigReader& r, ModelShape& m, const StateFamily& family);

} // namespace ridge::workload
