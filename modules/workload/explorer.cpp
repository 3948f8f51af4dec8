// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/explorer.h"

#include "base/experiment_info.h"
#include "base/json.h"
#include "base/json_guard.h"
#include "base/paths.h"
#include "base/plain_file.h"
#include "workload/model_config.h"
#include "workload/onnx_network.h"
#include "workload/small_yaml.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ridge::workload {
namespace {

std::string whole(double value)
{
    return std::to_string(static_cast<long long>(std::llround(value)));
}

Subject subjectOf(Network network)
{
    Subject out;
    out.id = network.id;
    out.title = network.title;
    out.source = network.source;
    out.what = std::move(network);
    return out;
}

/// A vision transformer's config as layers: an image in patches, a token for its class (DeiT: and one that learns from
/// a teacher), blocks of attention. A key that the file leaves out is as in the class of transformers.
Result<Subject> visionTransformer(const Json& given, const std::string& place)
{
    std::vector<std::string> assumed;
    Json config = given;
    std::string taken;
    for (const auto& [key, value] : {std::pair{"hidden_size", 768},
                                     {"num_hidden_layers", 12},
                                     {"num_attention_heads", 12},
                                     {"intermediate_size", 3072},
                                     {"image_size", 224},
                                     {"patch_size", 16},
                                     {"num_channels", 3}}) {
        if (!config.contains(key)) {
            config[key] = value;
            if (std::string_view(key) != "num_channels")
                taken += (taken.empty() ? "" : ", ") + std::string(key) + ' ' + std::to_string(value);
        }
        const double number = config[key].is_number() ? config[key].get<double>() : 0;
        if (number != std::floor(number) || number < 1 || number > 1 << 20)
            return Error{"bad-config",
                         std::string("\"") + key + "\" is " + config[key].dump().substr(0, 60) +
                             " and must be a whole number",
                         place + ": " + key, "give 1 to 1048576"};
    }
    if (!taken.empty())
        assumed.push_back("not given, and so as in the class of transformers: " + taken);
    const auto size = [&](const char* key) { return static_cast<std::int64_t>(config[key].get<double>()); };
    const std::int64_t hidden = size("hidden_size"), patch = size("patch_size"), image = size("image_size");
    if (image % patch != 0)
        return Error{"bad-config",
                     "image_size " + std::to_string(image) + " is no multiple of patch_size " + std::to_string(patch),
                     place + ": patch_size", "correct one of the two"};
    const bool bias = !config.contains("qkv_bias") || config["qkv_bias"] == true;
    if (!bias)
        return Error{"bad-config", "a vision transformer without biases is not known here", place + ": qkv_bias",
                     "take qkv_bias true"};
    std::int64_t classes = 1000;
    if (config.contains("num_labels") && config["num_labels"].is_number_unsigned() && config["num_labels"] != 0)
        classes = std::min<std::int64_t>(config["num_labels"].get<std::int64_t>(), 1 << 20);
    else if (config.contains("id2label") && config["id2label"].is_object() && !config["id2label"].empty())
        classes = static_cast<std::int64_t>(config["id2label"].size());
    else
        assumed.emplace_back("neither num_labels nor id2label is given: 1000 classes, those of ImageNet");
    const bool distilled = config["model_type"] == "deit";
    const std::int64_t tokens = image / patch * (image / patch) + (distilled ? 2 : 1);
    const Json block = Json::array({"save",
                                    {{"norm", "layer"}},
                                    {{"attention", size("num_attention_heads")}},
                                    "add",
                                    "save",
                                    {{"norm", "layer"}},
                                    {{"linear", size("intermediate_size")}, {"name", "up"}},
                                    "gelu",
                                    {{"linear", hidden}, {"name", "down"}},
                                    "add"});
    Json layers = Json::array(
        {{{"conv", hidden}, {"kernel", patch}, {"stride", patch}, {"name", "patches"}}, "tokens", "class_token"});
    if (distilled)
        layers.push_back("class_token");
    for (const Json& layer : Json::array({{{"positions", tokens}},
                                          {{"repeat", size("num_hidden_layers")}, {"layers", block}},
                                          {{"norm", "layer"}},
                                          "first",
                                          {{"linear", classes}, {"name", "classes"}}}))
        layers.push_back(layer);
    const Json network = {
        {"title", place}, {"input", {size("num_channels"), image, image}}, {"layers", std::move(layers)}};
    auto read = networkFromJson(network, place);
    if (!read)
        return read.error();
    Subject out = subjectOf(std::move(*read));
    out.assumed = std::move(assumed);
    return out;
}

} // namespace

Result<Subject> subjectFromText(std::string_view text, const std::string& place)
{
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos)
        return Error{"bad-network", "the file is empty", place,
                     "give a config.json with a model_type, or a network with title, input and layers"};
    auto json = text[first] == '{' ? parseJsonOnce(text, place) : parseSmallYaml(text, place);
    if (!json)
        return json.error();
    if (json->is_object() && !json->contains("model_type") && !json->contains("layers") &&
        json->contains("hidden_size"))
        return Error{"bad-config", "\"model_type\" is missing", place + ": model_type",
                     "add it, as \"model_type\": \"llama\"; the model's page shows its whole config.json"};
    if (!json->is_object() || !json->contains("model_type")) {
        auto read = networkFromJson(*json, place);
        return read ? Result<Subject>(subjectOf(std::move(*read))) : Result<Subject>(read.error());
    }
    if ((*json)["model_type"] == "vit" || (*json)["model_type"] == "deit")
        return visionTransformer(*json, place);
    auto read = modelOfAnyKind(*json, place);
    if (!read)
        return read.error();
    Subject out;
    out.title = place;
    read->shape.title = read->shape.id = place;
    out.what = std::move(read->shape);
    out.assumed = std::move(read->assumed);
    return out;
}

Result<Subject> subjectFromFile(const std::filesystem::path& path)
{
    std::string suffix = path.extension().string();
    std::ranges::transform(suffix, suffix.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const std::string place = path.filename().string();
    if (suffix != ".onnx") {
        const auto text = readFile(path, kMostModelText);
        if (!text && text.error().code == "too-large")
            return Error{"too-large", "the file is larger than 1 MiB", place,
                         "give the config.json or the layers, not the weights"};
        return text ? subjectFromText(*text, place) : Result<Subject>(text.error());
    }
    const auto file = readOnnx(path);
    if (!file)
        return file.error();
    auto read = networkFromOnnx(*file, place);
    if (!read)
        return read.error();
    Subject out = subjectOf(std::move(read->network));
    out.assumed = std::move(read->assumed);
    return out;
}

Result<std::vector<Subject>> shippedSubjects()
{
    const auto data = dataFolder();
    if (!data)
        return data.error();
    std::vector<Subject> out;
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator(*data / "assets" / "networks", failed)) {
        if (entry.path().extension() != ".json" && entry.path().extension() != ".yaml")
            continue;
        const auto text = readFile(entry.path());
        if (!text)
            return text.error();
        auto subject = subjectFromText(*text, entry.path().filename().string());
        if (!subject)
            return subject.error();
        if (subject->id.empty())
            subject->id = entry.path().stem().string();
        out.push_back(std::move(*subject));
    }
    if (failed)
        return Error{"cannot-read", "the folder of networks cannot be read: " + failed.message(),
                     (*data / "assets" / "networks").string(), "install the program again"};
    std::ranges::sort(out, {}, [](const Subject& each) { return parameters(each); });
    auto models = shippedModels();
    if (!models)
        return models.error();
    for (ModelShape& model : *models) {
        Subject subject;
        subject.id = model.id;
        subject.title = model.title;
        subject.source = model.source;
        subject.what = std::move(model);
        out.push_back(std::move(subject));
    }
    return out;
}

Result<Subject> findSubject(std::span<const Subject> subjects, std::string_view id)
{
    std::vector<std::string> known;
    for (const Subject& subject : subjects) {
        if (subject.id == id)
            return subject;
        known.push_back(subject.id);
    }
    const auto near = nearestNames(id, known);
    return Error{"unknown-model", "there is no model \"" + std::string(id) + "\"", "model",
                 near.empty() ? "see the list of the parameter" : "did you mean " + near.front() + "?"};
}

double parameters(const Subject& subject)
{
    return subject.shape() ? parameters(*subject.shape()) : subject.network()->parameters;
}

double activeParameters(const Subject& subject)
{
    return subject.shape() ? activeParameters(*subject.shape()) : subject.network()->parameters;
}

double kvBytesPerToken(const Subject& subject, double bytesPerValue)
{
    return subject.shape() ? kvBytesPerToken(*subject.shape(), bytesPerValue) : 0;
}

double crossKvBytesPerToken(const Subject& subject, double bytesPerValue)
{
    return subject.shape() ? crossKvBytesPerToken(*subject.shape(), bytesPerValue) : 0;
}

double stateBytesPerSequence(const Subject& subject, double bytesPerValue)
{
    return subject.shape() ? stateBytesPerSequence(*subject.shape(), bytesPerValue) : 0;
}

double mostTokens(const Subject& subject)
{
    if (const Network* network = subject.network())
        return network->mostTokens;
    return subject.shape()->positions ? subject.shape()->context : 0;
}

Result<void> checkStep(const Subject& subject, const Step& step)
{
    return subject.shape() ? checkStep(*subject.shape(), step) : checkStep(*subject.network(), step);
}

void listOperators(const Subject& subject, const Step& step, std::vector<Operator>& out)
{
    subject.shape() ? listOperators(*subject.shape(), step, out) : listOperators(*subject.network(), step, out);
}

std::string_view toText(Bound bound)
{
    switch (bound) {
    case Bound::Compute:
        return "compute";
    case Bound::Memory:
        return "memory";
    case Bound::Launch:
        return "launch";
    case Bound::Link:
        return "link";
    }
    return "memory";
}

void explore(const Subject& subject, const Step& step, const Device& device, Exploration& out)
{
    listOperators(subject, step, out.list);
    out.rows.resize(out.list.size());
    out.totals = totalsOf(out.list);
    out.kernelSeconds = out.leastSeconds = 0;
    const std::size_t forward = step.phase == Phase::Training ? (out.list.size() - 1) / 2 : out.list.size();
    for (std::size_t i = 0; i < out.list.size(); ++i) {
        const Operator& op = out.list[i];
        Explored& row = out.rows[i];
        row.op = op;
        row.backwardOf = i >= forward && i < 2 * forward ? static_cast<int>(i - forward) : -1;
        const double bytes = op.bytes();
        const double compute = op.flops / device.flopsPerSecond, memory = bytes / device.bytesPerSecond;
        const double least = std::max(compute, memory);
        const bool link = op.kind == OperatorKind::Collective;
        // One of a forward pass takes as long as each of its backward pass: the same sizes.
        const double one = link                  ? allReduceTime(device, op.m, step.gpus)
                           : row.backwardOf >= 0 ? out.rows[static_cast<std::size_t>(row.backwardOf)].seconds /
                                                       out.rows[static_cast<std::size_t>(row.backwardOf)].op.count
                                                 : operatorSeconds(device, op, step);
        row.seconds = op.count * one;
        row.leastSeconds = op.count * least;
        row.bound = link                           ? Bound::Link
                    : least < device.family.launch ? Bound::Launch
                    : compute > memory             ? Bound::Compute
                                                   : Bound::Memory;
        row.intensity = bytes > 0 ? op.flops / bytes : 0;
        row.rate = one > 0 ? op.flops / one : 0;
        out.kernelSeconds += row.seconds;
        out.leastSeconds += row.leastSeconds;
    }
    for (Explored& row : out.rows)
        row.share = out.kernelSeconds > 0 ? row.seconds / out.kernelSeconds : 0;
    out.seconds = std::max(out.kernelSeconds, out.totals.launches * (step.fused ? kGraphLaunch : kEagerLaunch));
}

std::vector<std::pair<int, int>> flowOf(const Subject& subject, const Step& step, const Exploration& found)
{
    std::vector<std::pair<int, int>> out;
    const int rows = static_cast<int>(found.rows.size());
    const int forward = step.phase == Phase::Training ? (rows - 1) / 2 : rows;
    if (const Network* network = subject.network()) {
        // Attention that is not fused has three rows.
        const auto& ops = step.fused ? network->fused : network->eager;
        std::vector<int> first, last;
        int at = 0;
        for (const NetworkOp& op : ops) {
            first.push_back(at);
            at += op.kind == OperatorKind::Attention && !step.fused ? 3 : 1;
            last.push_back(at - 1);
        }
        for (std::size_t i = 0; i < ops.size(); ++i) {
            for (const int from : ops[i].of)
                out.emplace_back(from < 0 ? -1 : last[static_cast<std::size_t>(from)], first[i]);
            for (int inner = first[i]; inner < last[i]; ++inner)
                out.emplace_back(inner, inner + 1);
        }
    } else {
        // A chain, with siblings that read the same (queries, keys and values; gate and up; a shortcut) and the sums
        // that read what was before a part of the layer as well.
        int residual = -1, block = -1; // where the running sum, and a block's input, are made
        int beside = -1, norm = -1;    // what a shortcut runs beside, and the norm that both parts of a layer read
        bool inside = false;           // between the two convolutions of a basic block
        std::vector<int> before{-1};
        std::vector<int> encoded{-1}; // the end of an encoder, whose states the decoder's layers read
        const auto& list = found.rows;
        for (int i = 0; i < forward;) {
            const Operator& op = list[static_cast<std::size_t>(i)].op;
            const std::string_view name = withoutPart(op.name);
            int end = i + 1;
            const auto siblings = [&](std::string_view a, std::string_view b) {
                return name == a && end < forward && withoutPart(list[static_cast<std::size_t>(end)].op.name) == b;
            };
            if (siblings("queries", "keys") || siblings("cross queries", "cross keys"))
                end += 2;
            else if (siblings("gate", "up") || siblings("cross queries", "cross keys and values"))
                end += 1;
            if (op.name == "embedding" && i > 0) { // the decoder begins with words of its own
                encoded = std::exchange(before, {-1});
                residual = norm = -1;
            }
            bool begins = op.name == "1 x 1 narrow"; // a block
            if (subject.shape()->basicBlocks && op.name == "3 x 3")
                begins = inside = !inside;
            if (beside >= 0 && (begins || op.name == "classes"))
                before.push_back(std::exchange(beside, -1));
            if (subject.shape()->layerNorms == 1 && norm >= 0 && (name == "up" || name == "gate and up"))
                before = {norm};
            if (op.kind == OperatorKind::Norm)
                norm = i;
            std::vector<int> made;
            for (int each = i; each < end; ++each) {
                for (const int from : name == "cross queries" && each > i ? encoded : before)
                    out.emplace_back(from, each);
                made.push_back(each);
            }
            if (name == "residual sum" || name == "residual sum and norm") {
                if (residual >= 0 && std::ranges::find(before, residual) == before.end())
                    out.emplace_back(residual, i);
                residual = i;
            } else if (name == "embedding" || name == "positions") {
                residual = i;
            } else if (begins) {
                block = before.front();
            } else if (op.name == "1 x 1 shortcut") {
                beside = before.front();
                out.erase(std::remove(out.begin(), out.end(), std::pair(before.front(), i)), out.end());
                out.emplace_back(block, i);
            }
            before = std::move(made);
            i = end;
        }
    }
    if (step.phase == Phase::Training) {
        // Gradients go the other way, and each backward kernel reads what its forward kernel kept.
        const std::vector<std::pair<int, int>> ahead = out;
        for (int i = 0; i < forward; ++i)
            out.emplace_back(i, forward + i);
        for (const auto& [from, to] : ahead)
            if (from >= 0)
                out.emplace_back(forward + to, forward + from);
        out.emplace_back(forward, rows - 1);
    }
    return out;
}

std::string shapesOf(const Operator& op, const Step& step)
{
    switch (op.kind) {
    case OperatorKind::Matmul: {
        const std::string parts = op.parts > 1 ? whole(op.parts) + " of " : "";
        return parts + "[" + whole(op.m) + " × " + whole(op.k) + "] · [" + whole(op.k) + " × " + whole(op.n) + "]";
    }
    case OperatorKind::Attention: {
        const Attention& a = op.attention;
        const std::string heads = whole(a.queryHeads) + (a.queryHeads == 1 ? " head" : " heads") +
                                  (a.kvHeads != a.queryHeads ? " over " + whole(a.kvHeads) : "") + " of " +
                                  whole(a.queryDim) + (a.valueDim != a.queryDim ? " and " + whole(a.valueDim) : "");
        return whole(a.batch) + " × " + heads + ", " + whole(a.fresh) + " new" +
               (a.others > 0    ? " over " + whole(a.others) + " of the encoder"
                : a.context > 0 ? " behind " + whole(a.context)
                                : "");
    }
    case OperatorKind::Collective:
        return whole(op.m) + " bytes over " + whole(step.gpus) + " GPUs";
    default:
        if (op.activationBytes <= 0 && op.kvBytes > 0)
            return whole(op.kvBytes / step.kvBytes) + " cached values";
        if (op.activationBytes <= 0)
            return whole(op.weightBytes) + " bytes of state";
        return whole(op.activationBytes / activationBytes(step.dtype)) + " values moved";
    }
}

std::vector<int> fusionGroups(const Exploration& found)
{
    std::vector<int> out(found.rows.size(), 0);
    int number = 0;
    for (std::size_t i = 0; i + 1 < found.rows.size(); ++i) {
        if (found.rows[i].backwardOf >= 0 || found.rows[i + 1].backwardOf >= 0)
            break;
        const auto group = found.rows[i].op.group;
        if (group == 0 || found.rows[i + 1].op.group != group)
            continue;
        if (out[i] == 0)
            out[i] = ++number;
        out[i + 1] = out[i];
    }
    return out;
}

LessonLink lessonOf(const Explored& row, const Step& step)
{
    const Operator& op = row.op;
    switch (op.kind) {
    case OperatorKind::Collective:
        return {"6.3", "GPUs that share a layer sum its results: an all-reduce."};
    case OperatorKind::Embedding:
        return {"2.4", "It gathers rows by their number: how loads coalesce decides its speed."};
    case OperatorKind::Softmax:
        return {"2.8", "Each row needs its largest value and its sum: two reductions."};
    case OperatorKind::Attention:
        if (op.attention.others > 0 && step.phase == Phase::Decode)
            return {"5.5", "One new token reads the keys and values that were made of the encoder's output."};
        return step.phase == Phase::Decode
                   ? LessonLink{"5.5", "One new token reads the keys and values of all before it."}
                   : LessonLink{"4.6", "It keeps the scores on the chip: FlashAttention."};
    case OperatorKind::Norm:
        return {"4.5", "It reads and writes every value for a few operations: fusing saves the passes."};
    case OperatorKind::Matmul:
        if (const auto name = withoutPart(op.name);
            name == "scores" || name == "weighted values" || name == "cross scores" || name == "cross weighted values")
            return {"4.6", "Its scores go through memory; FlashAttention keeps them on the chip."};
        if (row.bound == Bound::Launch)
            return {"4.1", "It is done before its launch is over: what a kernel costs."};
        if (row.bound == Bound::Memory)
            return {"5.4", "Each weight is read for few rows: it waits for memory."};
        return {"4.4", "Its tiles are reused enough for tensor cores to set the pace."};
    case OperatorKind::Elementwise:
        if (op.name == "optimizer")
            return {"6.6", "Gradients, moments and weights are read and written: the state that ZeRO shares out."};
        if (op.name == "cross cache write")
            return {"5.5", "It writes the keys and values of the encoder's output into the cache, once a sequence."};
        for (const std::string_view state :
             {"scan", "state update", "states from chunk to chunk", "convolution", "convolution and activation"})
            if (op.name == state)
                return {"5.5", "It takes a state from token to token, which does not grow as a cache does."};
        if (op.kvBytes > 0)
            return {"5.5", "It writes the token's keys and values into the cache."};
        if (op.name == "send to experts" || op.name == "gather from experts")
            return {"2.4", "It moves rows to where they are used: a gather, as fast as its loads coalesce."};
        return {"4.5", "It reads and writes every value for a few operations: fusing saves the passes."};
    }
    return {"4.1", "What a kernel costs."};
}

} // namespace ridge::workload
