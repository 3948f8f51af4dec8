// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/harness/model_params.h"

#include "labs/harness/chip_params.h"
#include "labs/harness/declare.h"
#include "labs/harness/input.h"
#include "workload/model_config.h"

#include <algorithm>

namespace ridge::labs {

namespace {

constexpr std::uint64_t kMostConfig = 1u << 20;

template<class Model>
ParamSpec choiceOf(const Result<std::vector<Model>>& models, std::string defaultModel, std::string help)
{
    std::vector<std::string> ids, titles;
    if (models)
        for (const Model& model : *models) {
            ids.push_back(model.id);
            titles.push_back(model.title);
        }
    if (std::find(ids.begin(), ids.end(), defaultModel) == ids.end()) {
        ids.push_back(defaultModel);
        titles.push_back(defaultModel);
    }
    ParamSpec spec = choiceParam("model", "Model", ids, std::move(defaultModel), std::move(help));
    spec.choiceTitles = std::move(titles);
    return spec;
}

} // namespace

ParamSpec modelParam(std::string defaultModel, std::string help)
{
    return choiceOf(workload::shippedModels(), std::move(defaultModel), std::move(help));
}

ParamSpec subjectParam(std::string defaultModel, std::string help)
{
    return choiceOf(workload::shippedSubjects(), std::move(defaultModel), std::move(help));
}

ParamSpec networkParam()
{
    return fileParam("config", "Config", "Models (*.json *.onnx *.yaml *.yml)",
                     "A Hugging Face config.json, an ONNX graph, or layers in YAML, in place of the model.");
}

Result<workload::Subject> subjectOf(const ParamSet& params)
{
    if (given(params, "config")) {
        const auto path = inputPath(params, "config");
        if (!path)
            return path.error();
        auto read = workload::subjectFromFile(*path);
        if (read)
            return read;
        Error error = read.error();
        error.place = "parameter config, " + error.place;
        return error;
    }
    static const auto subjects = workload::shippedSubjects();
    if (!subjects)
        return subjects.error();
    return workload::findSubject(*subjects, choice(params, "model"));
}

ParamSpec configParam()
{
    return fileParam("config", "Config", "Models (*.json)", "A Hugging Face config.json, in place of the model.");
}

Result<workload::ModelShape> modelOf(const ParamSet& params)
{
    if (params.contains("config") && given(params, "config")) {
        const auto text = readInput(params, "config", kMostConfig);
        if (!text)
            return text.error();
        auto read = workload::modelFromConfigText(*text, std::get<std::string>(params.at("config")));
        if (!read)
            return read.error();
        read->shape.id = read->shape.title = "config.json";
        return read->shape;
    }
    // Tables of thousands of rows ask for the same few files; they do not change while a worker runs.
    static const auto models = workload::shippedModels();
    if (!models)
        return models.error();
    return workload::findModel(*models, choice(params, "model"));
}

ParamSpec dtypeParam(std::string help)
{
    const auto names = workload::dtypeNames();
    return choiceParam("dtype", "Format", {names.begin(), names.end()}, "bf16", std::move(help));
}

Result<workload::Device> deviceOf(const ParamSet& params)
{
    static const auto catalogue = silicon::shippedCatalogue();
    if (!catalogue)
        return catalogue.error();
    const auto chip = chipOf(*catalogue, params, "chip");
    if (!chip)
        return chip.error();
    return workload::deviceOf(*catalogue, *chip, workload::dtypeNamed(choice(params, "dtype")));
}

ParamSpec switchParam(std::string name, std::string title, bool on, std::string help)
{
    ParamSpec spec = integerParam(std::move(name), std::move(title), "", 0, 1, on, ParamScale::List, std::move(help));
    spec.choices = {std::int64_t{0}, std::int64_t{1}};
    return spec;
}

ParamSpec amountParam(std::string name, std::string title, std::string unit, double max, double defaultValue,
                      std::string help)
{
    ParamSpec spec;
    spec.name = std::move(name);
    spec.title = std::move(title);
    spec.type = ParamType::Real;
    spec.unit = std::move(unit);
    spec.max = max;
    spec.defaultValue = defaultValue;
    spec.help = std::move(help);
    return spec;
}

} // namespace ridge::labs
