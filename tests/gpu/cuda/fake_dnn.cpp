// SPDX-License-Identifier: GPL-3.0-or-later
// A stand-in for cuDNN's graph interface, as far as a forward norm of rows of bf16 and a forward attention need it. It
// takes attributes of the right name, type and count alone, and only before a descriptor is final; what a graph is made
// of must be final and fit together; and it computes on what lies in the memory of the stand-in for libcuda by what it
// was told.
//
// $RIDGE_FAKE_DNN: major, minor (version, 9.28), attention, mask, create, stream, tensor, norm, graph, heuristics,
// plan, pack, execute (statuses of that stage), engines (that mode A names, 3), refuses (bits: engines without a plan),
// dnn_us (time of engine 1, three times that of 0, twice that of the others), workspace (bytes of each plan), wrong=1
// (one element is).
#include "fake_above.h"
#include "fake_attention.h"
#include "fake_norm.h"
#include "fake_settings.h"

#include <map>
#include <string>

namespace {

constexpr int kBad = 2000, kNull = 2002, kNotFinal = 2004, kShape = 2008, kType = 2010, kUnsupported = 3000;

enum Kind {
    Config = 3,
    Heuristics = 4,
    Plan = 5,
    Graph = 15,
    Pack = 16,
    Tensor = 17,
    Norm = 29,
    Attention = 41,
    Mask = 44
};
enum Type {
    Handle = 0,
    DataType = 1,
    Boolean = 2,
    Int64 = 3,
    Pointer = 6,
    HeurMode = 8,
    Pointwise = 14,
    Desc = 15,
    Mode = 27,
    Phase = 28
};

int g_live = 0;
std::string g_words;

int setting(const char* key, int fallback = 0)
{
    return static_cast<int>(fakeSetting("RIDGE_FAKE_DNN", key, fallback));
}

int fails(int status, const std::string& words)
{
    g_words = "stand-in: " + words;
    return status;
}

int stage(const char* name)
{
    const int status = setting(name);
    return status == 0 ? 0 : fails(status, name);
}

struct HandleState {
    void* stream = nullptr;
};

struct Descriptor {
    int kind = 0;
    bool final = false;
    std::map<int, std::vector<std::uint8_t>> values;
    int engine = -1; ///< of a configuration that heuristics filled in
    const Descriptor* graph = nullptr;

    template<class T>
    std::vector<T> all(int name) const
    {
        const auto it = values.find(name);
        std::vector<T> out(it == values.end() ? 0 : it->second.size() / sizeof(T));
        if (!out.empty())
            std::memcpy(out.data(), it->second.data(), it->second.size());
        return out;
    }
    template<class T>
    T one(int name, T fallback = T{}) const
    {
        const auto it = values.find(name);
        if (it != values.end() && it->second.size() == sizeof(T))
            std::memcpy(&fallback, it->second.data(), sizeof(T));
        return fallback;
    }
    const Descriptor* part(int name, int wanted) const
    {
        const auto* found = one<const Descriptor*>(name);
        return found != nullptr && found->kind == wanted && found->final ? found : nullptr;
    }
};

struct Rule {
    int kind, type;
    std::int64_t least, most;
};

/// What may be set: of which descriptor, with which type, how many.
const std::map<int, Rule>& rules()
{
    static const std::map<int, Rule> all = {
        {200, {Heuristics, HeurMode, 1, 1}}, {201, {Heuristics, Desc, 1, 1}}, {400, {Plan, Handle, 1, 1}},
        {401, {Plan, Desc, 1, 1}},           {800, {Graph, Handle, 1, 1}},    {801, {Graph, Desc, 1, 1}},
        {900, {Tensor, Int64, 1, 1}},        {901, {Tensor, DataType, 1, 1}}, {902, {Tensor, Int64, 1, 8}},
        {903, {Tensor, Int64, 1, 8}},        {906, {Tensor, Int64, 1, 1}},    {908, {Tensor, Boolean, 1, 1}},
        {1000, {Pack, Int64, 1, 16}},        {1001, {Pack, Pointer, 1, 16}},  {1003, {Pack, Pointer, 1, 1}},
        {2000, {Norm, Mode, 1, 1}},          {2001, {Norm, Phase, 1, 1}},     {2002, {Norm, Desc, 1, 1}},
        {2005, {Norm, Desc, 1, 1}},          {2006, {Norm, Desc, 1, 1}},      {2007, {Norm, Desc, 1, 1}},
        {2013, {Norm, Desc, 1, 1}},          {907, {Tensor, Boolean, 1, 1}},  {2800, {Attention, Desc, 1, 1}},
        {2801, {Attention, Desc, 1, 1}},     {2802, {Attention, Desc, 1, 1}}, {2803, {Attention, Desc, 1, 1}},
        {2805, {Attention, Desc, 1, 1}},     {2811, {Attention, Desc, 1, 1}}, {2812, {Attention, Int64, 1, 1}},
        {2813, {Attention, Int64, 1, 1}},    {3000, {Mask, Desc, 1, 1}},      {3005, {Mask, Desc, 1, 1}},
        {3006, {Mask, Desc, 1, 1}},          {3007, {Mask, Pointwise, 1, 1}}};
    return all;
}

std::size_t sizeOf(int type)
{
    return type == Boolean ? sizeof(bool) : type == Int64 || type == Pointer || type == Handle || type == Desc ? 8 : 4;
}

bool isRows(const Descriptor* tensor, std::int64_t rows, std::int64_t columns)
{
    return tensor != nullptr && tensor->one<int>(901) == 9 && !tensor->one<bool>(908) &&
           tensor->all<std::int64_t>(902) == std::vector<std::int64_t>{rows, columns, 1, 1} &&
           tensor->all<std::int64_t>(903)[0] == columns && tensor->all<std::int64_t>(903)[1] == 1;
}

int finaliseTensor(const Descriptor& it)
{
    const auto sizes = it.all<std::int64_t>(902), strides = it.all<std::int64_t>(903);
    const std::int64_t element = it.one<int>(901, -1) == 9 || it.one<int>(901, -1) == 2 ? 2 : 4;
    if (it.one<std::int64_t>(906, -1) < 0 || it.one<int>(901, -1) < 0 || it.one<std::int64_t>(900) <= 0)
        return fails(kNull, "a tensor without name, type or alignment");
    if (sizes.size() < 3 || sizes.size() != strides.size() || it.one<std::int64_t>(900) % element != 0)
        return fails(kBad, "a tensor's sizes and strides");
    for (std::size_t i = 0; i < sizes.size(); ++i)
        if (sizes[i] <= 0 || strides[i] <= 0)
            return fails(kBad, "a tensor's sizes and strides");
    return 0;
}

int finaliseNorm(const Descriptor& it)
{
    const Descriptor* x = it.part(2002, Tensor);
    const Descriptor* epsilon = it.part(2007, Tensor);
    const int mode = it.one<int>(2000, -1);
    if (x == nullptr || epsilon == nullptr || (mode != 0 && mode != 4) || it.one<int>(2001, -1) != 0)
        return fails(kNull, "a norm without mode, phase, x or epsilon");
    const auto sizes = x->all<std::int64_t>(902);
    if (!isRows(x, sizes[0], sizes[1]) || !isRows(it.part(2013, Tensor), sizes[0], sizes[1]) ||
        !isRows(it.part(2005, Tensor), 1, sizes[1]))
        return fails(kShape, "a norm's x, y and scale");
    if (mode == 0 ? !isRows(it.part(2006, Tensor), 1, sizes[1]) : it.values.contains(2006))
        return fails(kShape, "a norm's bias");
    if (!epsilon->one<bool>(908) || epsilon->one<int>(901, -1) != 0)
        return fails(kBad, "epsilon is not by value");
    return 0;
}

bool isNumber(const Descriptor* tensor)
{
    return tensor != nullptr && tensor->one<bool>(908) && tensor->one<int>(901, -1) == 0 &&
           tensor->all<std::int64_t>(902) == std::vector<std::int64_t>{1, 1, 1, 1};
}

bool isDense(const Descriptor* tensor, std::vector<std::int64_t> sizes, int type)
{
    return tensor != nullptr && tensor->one<int>(901, -1) == type && tensor->all<std::int64_t>(902) == sizes &&
           tensor->all<std::int64_t>(903) ==
               std::vector<std::int64_t>{sizes[1] * sizes[2] * sizes[3], sizes[2] * sizes[3], sizes[3], 1};
}

int finaliseMask(const Descriptor& it)
{
    const Descriptor* x = it.part(3000, Tensor);
    const Descriptor* y = it.part(3006, Tensor);
    if (setting("minor", 28) < 20)
        return fails(kUnsupported, "no such operation");
    if (x == nullptr || y == nullptr || !x->one<bool>(907) || !y->one<bool>(907) || !isNumber(it.part(3005, Tensor)))
        return fails(kNull, "a mask without scores, result or number");
    if (x->all<std::int64_t>(902) != y->all<std::int64_t>(902) || it.one<int>(3007, -1) != 303)
        return fails(kShape, "a mask's sizes or comparison");
    return 0;
}

int finaliseAttention(const Descriptor& it)
{
    const Descriptor* q = it.part(2800, Tensor);
    const Descriptor* k = it.part(2801, Tensor);
    if (q == nullptr || k == nullptr || !isNumber(it.part(2805, Tensor)))
        return fails(kNull, "an attention without q, k or scale");
    const auto sizes = q->all<std::int64_t>(902), keys = k->all<std::int64_t>(902);
    const int type = q->one<int>(901, -1);
    if ((type != 2 && type != 9) || keys[1] == 0 || sizes[1] % keys[1] != 0 || keys[3] != sizes[3] || sizes[0] != 1 ||
        !isDense(q, sizes, type) || !isDense(it.part(2803, Tensor), sizes, type) || !isDense(k, keys, type) ||
        !isDense(it.part(2802, Tensor), keys, type))
        return fails(kShape, "an attention's q, k, v and out");
    if (!it.values.contains(2811))
        return 0;
    const Descriptor* graph = it.part(2811, Graph);
    const Descriptor* mask = graph != nullptr ? graph->part(801, Mask) : nullptr;
    if (setting("minor", 28) < 21 || mask == nullptr)
        return fails(kUnsupported, "an attention's subgraph");
    const Descriptor* x = mask->part(3000, Tensor);
    if (it.one<std::int64_t>(2812, -1) != x->one<std::int64_t>(906) ||
        it.one<std::int64_t>(2813, -1) != mask->part(3006, Tensor)->one<std::int64_t>(906) ||
        !isDense(x, {1, sizes[1], sizes[2], keys[2]}, 0))
        return fails(kShape, "an attention's subgraph");
    return 0;
}

int finaliseGraph(const Descriptor& it)
{
    const bool hasHandle = it.one<HandleState*>(800) != nullptr;
    const bool isWork = it.part(801, Norm) != nullptr || it.part(801, Attention) != nullptr;
    return (isWork && hasHandle) || it.part(801, Mask) != nullptr ? 0 : fails(kNotFinal, "a graph");
}

int finalisePlan(const Descriptor& it)
{
    const Descriptor* config = it.part(401, Config);
    if (it.one<HandleState*>(400) == nullptr || config == nullptr || config->engine < 0)
        return fails(kNull, "a plan without handle or configuration");
    if ((setting("refuses") >> config->engine & 1) != 0)
        return fails(kUnsupported, "engine " + std::to_string(config->engine) + " refuses");
    return 0;
}

int finalisePart(const Descriptor& it)
{
    switch (it.kind) {
    case Tensor:
        return finaliseTensor(it);
    case Norm:
        return finaliseNorm(it);
    case Attention:
        return finaliseAttention(it);
    case Mask:
        return finaliseMask(it);
    case Graph:
        return finaliseGraph(it);
    case Heuristics:
        return it.part(201, Graph) != nullptr && (it.one<int>(200) == 3 || it.one<int>(200) == 2)
                   ? 0
                   : fails(kNotFinal, "heuristics");
    case Plan:
        return finalisePlan(it);
    case Pack:
        return it.all<std::int64_t>(1000).size() == it.all<void*>(1001).size() && it.all<void*>(1003).size() == 1
                   ? 0
                   : fails(kBad, "a variant pack");
    default:
        return fails(kBad, "a configuration is made final by heuristics alone");
    }
}

} // namespace

#define FAKE extern "C" __attribute__((visibility("default")))

/// Handles and descriptors that are there.
FAKE int fakeDnnLive()
{
    return g_live;
}

FAKE int cudnnGetProperty(int type, int* value)
{
    *value = type == 0 ? setting("major", 9) : type == 1 ? setting("minor", 28) : 1;
    return 0;
}

FAKE int cudnnCreate(HandleState** handle)
{
    if (const int status = stage("create"); status != 0)
        return status;
    *handle = new HandleState;
    ++g_live;
    return 0;
}

FAKE int cudnnDestroy(HandleState* handle)
{
    delete handle;
    --g_live;
    return 0;
}

FAKE int cudnnSetStream(HandleState* handle, void* stream)
{
    handle->stream = stream;
    return stage("stream");
}

FAKE const char* cudnnGetErrorString(int status)
{
    return status == 0          ? "CUDNN_STATUS_SUCCESS"
           : status / 1000 == 3 ? "CUDNN_STATUS_NOT_SUPPORTED"
                                : "CUDNN_STATUS_BAD_PARAM";
}

FAKE void cudnnGetLastErrorString(char* text, std::size_t bytes)
{
    std::strncpy(text, g_words.c_str(), bytes);
}

FAKE int cudnnBackendCreateDescriptor(int kind, Descriptor** descriptor)
{
    *descriptor = new Descriptor;
    (*descriptor)->kind = kind;
    ++g_live;
    return 0;
}

FAKE int cudnnBackendDestroyDescriptor(Descriptor* descriptor)
{
    delete descriptor;
    --g_live;
    return 0;
}

FAKE int cudnnBackendSetAttribute(Descriptor* it, int name, int type, std::int64_t count, const void* values)
{
    const auto rule = rules().find(name);
    if (it->final || rule == rules().end() || rule->second.kind != it->kind)
        return fails(kBad, "attribute " + std::to_string(name));
    if (rule->second.type != type || count < rule->second.least || count > rule->second.most)
        return fails(kType, "type or count of attribute " + std::to_string(name));
    const auto* bytes = static_cast<const std::uint8_t*>(values);
    it->values[name].assign(bytes, bytes + sizeOf(type) * static_cast<std::size_t>(count));
    return 0;
}

FAKE int cudnnBackendFinalize(Descriptor* it)
{
    static const std::map<int, const char*> kStages = {
        {Tensor, "tensor"}, {Norm, "norm"}, {Graph, "graph"}, {Heuristics, "heuristics"},
        {Plan, "plan"},     {Pack, "pack"}, {Mask, "mask"},   {Attention, "attention"}};
    const auto name = kStages.find(it->kind);
    if (const int status = name == kStages.end() ? 0 : stage(name->second); status != 0)
        return status;
    const int status = finalisePart(*it);
    it->final = status == 0;
    return status;
}

FAKE int cudnnBackendGetAttribute(const Descriptor* it, int name, int type, std::int64_t wanted, std::int64_t* count,
                                  void* values)
{
    if (!it->final)
        return fails(kNotFinal, "asked before it is final");
    if (it->kind == Plan && name == 402 && type == Int64 && wanted == 1) {
        const std::int64_t bytes = setting("workspace", 4096);
        std::memcpy(values, &bytes, sizeof bytes);
        *count = 1;
        return 0;
    }
    if (it->kind != Heuristics || name != 202 || type != Desc)
        return fails(kBad, "attribute " + std::to_string(name));
    const bool first = it->one<int>(200) == 3;
    const std::int64_t engines = setting("engines", 3);
    *count = first ? engines : engines > 0 ? 1 : 0;
    if (wanted == 0)
        ++*count; // as cuDNN: how many there are at most, of which fewer may fit
    for (std::int64_t i = 0; i < std::min(wanted, *count); ++i) {
        auto* config = static_cast<Descriptor**>(values)[i];
        if (config == nullptr || config->kind != Config)
            return fails(kBad, "results are no configurations");
        config->engine = static_cast<int>(first ? i : engines);
        config->graph = it->part(201, Graph);
        config->final = true;
    }
    return 0;
}

namespace {

/// The data of a tensor of an operation, in a pack.
std::uint8_t* dataOf(const Descriptor* tensor, const Descriptor* pack)
{
    const auto ids = pack->all<std::int64_t>(1000);
    const auto data = pack->all<std::uint8_t*>(1001);
    for (std::size_t i = 0; tensor != nullptr && i < ids.size(); ++i)
        if (ids[i] == tensor->one<std::int64_t>(906))
            return data[i];
    return nullptr;
}

bool isMine(const std::uint8_t* memory, std::int64_t elements)
{
    return reinterpret_cast<std::uint64_t>(memory) % 16 == 0 &&
           fake::owns(memory, static_cast<std::size_t>(2 * elements));
}

float numberOf(const Descriptor* tensor, const Descriptor* pack)
{
    float number = NAN;
    if (const std::uint8_t* at = dataOf(tensor, pack); at != nullptr)
        std::memcpy(&number, at, sizeof number);
    return number;
}

int runNorm(const Descriptor* norm, const Descriptor* pack)
{
    const auto of = [&](int attribute) { return dataOf(norm->part(attribute, Tensor), pack); };
    const bool layer = norm->one<int>(2000) == 0;
    const auto sizes = norm->part(2002, Tensor)->all<std::int64_t>(902);
    const std::int64_t rows = sizes[0], columns = sizes[1];
    const fake::NormBuffers at{of(2002), of(2005), layer ? of(2006) : nullptr, of(2013)};
    const float epsilon = numberOf(norm->part(2007, Tensor), pack);
    if (std::isnan(epsilon) || !isMine(at.x, rows * columns) || !isMine(at.y, rows * columns) ||
        !isMine(at.scale, columns) || (layer && !isMine(at.bias, columns)))
        return fails(kNull, "a pointer of the pack");
    fake::normalise(at, static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(columns),
                    static_cast<double>(epsilon), setting("wrong") != 0);
    return 0;
}

int runAttention(const Descriptor* attention, const Descriptor* pack)
{
    const auto of = [&](int attribute) { return dataOf(attention->part(attribute, Tensor), pack); };
    const auto sizes = attention->part(2800, Tensor)->all<std::int64_t>(902);
    const auto keys = attention->part(2801, Tensor)->all<std::int64_t>(902);
    const Descriptor* graph = attention->part(2811, Graph);
    const auto count = [](std::int64_t of) { return static_cast<std::uint64_t>(of); };
    fake::AttentionWork work{count(sizes[1]), count(keys[1]), count(sizes[2]), count(sizes[3])};
    work.bf16 = attention->part(2800, Tensor)->one<int>(901) == 9;
    work.causal = graph != nullptr;
    work.scale = static_cast<double>(numberOf(attention->part(2805, Tensor), pack));
    work.nothing = work.causal ? static_cast<double>(numberOf(graph->part(801, Mask)->part(3005, Tensor), pack)) : 0;
    const fake::AttentionBuffers at{of(2800), of(2801), of(2802), of(2803)};
    const std::int64_t elements = sizes[1] * sizes[2] * sizes[3], keyElements = keys[1] * keys[2] * keys[3];
    if (std::isnan(work.scale) || std::isnan(work.nothing) || !isMine(at.q, elements) || !isMine(at.out, elements) ||
        !isMine(at.k, keyElements) || !isMine(at.v, keyElements))
        return fails(kNull, "a pointer of the pack");
    fake::attend(at, work, setting("wrong") != 0);
    return 0;
}

} // namespace

FAKE int cudnnBackendExecute(HandleState* handle, const Descriptor* plan, const Descriptor* pack)
{
    if (const int status = stage("execute"); status != 0)
        return status;
    if (!plan->final || !pack->final || plan->one<HandleState*>(400) != handle || handle->stream == nullptr)
        return fails(kNotFinal, "a plan or a pack");
    const Descriptor* config = plan->part(401, Config);
    if (const int bytes = setting("workspace", 4096); bytes > 0) {
        auto* workspace = pack->one<std::uint8_t*>(1003);
        if (!fake::owns(workspace, static_cast<std::size_t>(bytes)))
            return fails(kNull, "the workspace");
        std::memset(workspace, 0xab, static_cast<std::size_t>(bytes)); // it is the library's to use
    }
    const Descriptor* norm = config->graph->part(801, Norm);
    const int status = norm != nullptr ? runNorm(norm, pack) : runAttention(config->graph->part(801, Attention), pack);
    if (status != 0)
        return status;
    fake::takeTime(handle->stream, setting("dnn_us", 20) * (config->engine == 1 ? 1 : config->engine == 0 ? 3 : 2));
    return 0;
}
