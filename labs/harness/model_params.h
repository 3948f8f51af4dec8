// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/parameters.h"
#include "workload/explorer.h"
#include "workload/kernel_time.h"
#include "workload/model.h"

namespace ridge::labs {

/// A choice among the models of assets/models; `defaultModel` alone where there are none.
ParamSpec modelParam(std::string defaultModel, std::string help);
/// A Hugging Face `config.json` in place of "model".
ParamSpec configParam();
/// The model of the file that a checked "config" names, where there is one, else the one that "model" names. Errors:
/// those of readInput and modelFromConfigText, those of shippedModels and findModel.
Result<workload::ModelShape> modelOf(const ParamSet& params);

/// The same for what the workload explorer shows: networks of layers, too, and "config" may be an ONNX graph or a YAML
/// file of layers.
ParamSpec subjectParam(std::string defaultModel, std::string help);
ParamSpec networkParam(); ///< "config"
/// Errors: those of inputPath, subjectFromFile, shippedSubjects and findSubject.
Result<workload::Subject> subjectOf(const ParamSet& params);

/// A choice among workload::dtypeNames().
ParamSpec dtypeParam(std::string help);
/// "chip" in the format of "dtype". Errors: those of the catalogue and of deviceOf.
Result<workload::Device> deviceOf(const ParamSet& params);

/// 1 for yes, 0 for no.
ParamSpec switchParam(std::string name, std::string title, bool on, std::string help);

/// A real number from 0 on.
ParamSpec amountParam(std::string name, std::string title, std::string unit, double max, double defaultValue,
                      std::string help);

} // namespace ridge::labs
