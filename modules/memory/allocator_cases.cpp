// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory/allocator_cases.h"

#include <algorithm>
#include <array>

namespace ridge::memory {
namespace {

enum Category : std::uint32_t { Weights, Gradients, Optimizer, Activations, Temporary, Cache };

constexpr std::uint64_t kMostEvents = 2'000'000;

/// Writes the events of a program.
class Program {
public:
    Program(const StepModel& model, AllocatorHistory& history) : m_model(model), m_history(history)
    {
        history.categories = {"weights", "gradients", "optimizer", "activations", "temporary", "cache"};
        const std::uint64_t h = model.hidden;
        for (std::uint32_t layer = 0; layer < model.layers; ++layer)
            for (const auto& [name, count] : {std::pair{"norm 1", 2 * h},
                                              {"query, key, value", 3 * h * h},
                                              {"output", h * h},
                                              {"norm 2", 2 * h},
                                              {"up", 4 * h * h},
                                              {"down", 4 * h * h}})
                m_tensors.push_back({count, layer, text(layer, name)});
        m_tensors.push_back({std::uint64_t{model.vocabulary} * h, model.layers, add("embedding")});
        for (Tensor& each : m_tensors)
            each.weight = allocate(2 * each.count, Weights, each.text);
    }

    /// Forward and backward over one batch; gradients stay, and are made where there are none.
    void microBatch(std::uint64_t sequence, bool keepLast = false)
    {
        const std::uint64_t tokens = m_model.batch * sequence, h = m_model.hidden;
        std::vector<std::vector<Id>> kept(m_model.layers);
        Id input = allocate(2 * tokens * h, Activations, add("embedding"));
        std::vector<Id> inputs{input};
        for (std::uint32_t layer = 0; layer < m_model.layers; ++layer) {
            std::vector<Id> made = forward(layer, tokens);
            const Id output = allocate(2 * tokens * h, Activations, text(layer, "residual sum"));
            if (m_model.recompute)
                free(made);
            else
                kept[layer] = std::move(made);
            inputs.push_back(output);
        }
        const std::uint64_t v = m_model.vocabulary;
        const Id logits = allocate(2 * tokens * v, Activations, add("logits"));
        const Id full = allocate(4 * tokens * v, Activations, add("logits in fp32"));
        const Id loss = allocate(4, Activations, add("loss"));
        Id gradient = allocate(4 * tokens * v, Temporary, add("gradient of the logits in fp32"));
        free(full);
        const Id half = allocate(2 * tokens * v, Temporary, add("gradient of the logits"));
        free(gradient);
        free(logits);
        gradient = allocate(2 * tokens * h, Temporary, add("gradient of the last layer"));
        makeGradient(m_tensors.size() - 1);
        free(half);
        for (std::uint32_t layer = m_model.layers; layer-- > 0;) {
            if (m_model.recompute)
                kept[layer] = forward(layer, tokens);
            if (keepLast && layer + 1 == m_model.layers)
                kept[layer].back() = 0; // the list of losses still needs it
            gradient = backward(layer, tokens, kept[layer], gradient);
            if (!keepLast || layer + 1 < m_model.layers)
                free(inputs[layer + 1]);
        }
        free(gradient);
        free(inputs.front());
        if (!keepLast)
            free(loss);
    }

    /// The optimizer makes its state at its first step; gradients are set to none.
    void optimize()
    {
        for (Tensor& each : m_tensors) {
            if (each.state.empty())
                for (const char* name : {"weight in fp32", "first moment", "second moment"})
                    each.state.push_back(allocate(4 * each.count, Optimizer, add(name)));
            const Id update = allocate(4 * each.count, Temporary, add("update"));
            free(update);
        }
        for (Tensor& each : m_tensors) {
            free(each.gradient);
            each.gradient = 0;
        }
    }

    /// Token by token: of each layer a key and a value tensor of all tokens so far, made anew.
    void generate(std::uint64_t prompt, std::uint64_t tokens)
    {
        const std::uint64_t perToken = 2ull * m_model.batch * m_model.hidden;
        std::vector<Id> cache(2 * m_model.layers);
        for (std::uint64_t length = prompt; length <= prompt + tokens; ++length) {
            for (std::size_t i = 0; i < cache.size(); ++i) {
                const Id longer = allocate(perToken * length, Cache,
                                           text(static_cast<std::uint32_t>(i / 2), i % 2 ? "values" : "keys"));
                free(cache[i]);
                cache[i] = longer;
            }
            const Id logits = allocate(2ull * m_model.batch * m_model.vocabulary, Temporary, add("logits"));
            free(logits);
        }
    }

private:
    using Id = std::uint64_t; ///< 0: nothing
    struct Tensor {
        std::uint64_t count = 0; ///< values
        std::uint32_t layer = 0, text = 0;
        Id weight = 0, gradient = 0;
        std::vector<Id> state = {};
    };

    std::uint32_t add(std::string what)
    {
        const auto found = m_texts.find(what);
        if (found != m_texts.end())
            return found->second;
        const auto index = static_cast<std::uint32_t>(m_history.texts.size());
        m_history.texts.push_back(what);
        m_texts.emplace(std::move(what), index);
        return index;
    }
    std::uint32_t text(std::uint32_t layer, const char* what)
    {
        return add("layer " + std::to_string(layer) + ", " + what);
    }
    Id allocate(std::uint64_t bytes, Category category, std::uint32_t what)
    {
        AllocatorEvent event;
        event.id = ++m_last;
        event.bytes = bytes;
        event.category = category;
        event.what = what;
        m_history.events.push_back(event);
        return event.id;
    }
    void free(Id id)
    {
        if (id == 0)
            return;
        AllocatorEvent event;
        event.id = id;
        event.kind = AllocatorEvent::Kind::RequestFree;
        m_history.events.push_back(event);
        event.kind = AllocatorEvent::Kind::CompleteFree;
        m_history.events.push_back(event);
    }
    void free(const std::vector<Id>& ids)
    {
        for (const Id id : ids)
            free(id);
    }

    /// What a layer keeps besides its input, in 16 bits: its norms' outputs, Q, K, V, attention's output and sums, the
    /// wide part before and behind its activation (Korthikanti et al. 2023 without scores and masks).
    std::vector<Id> forward(std::uint32_t layer, std::uint64_t tokens)
    {
        const std::uint64_t bytes = 2 * tokens * m_model.hidden;
        std::vector<Id> made;
        for (const auto& [name, widths] : {std::pair{"norm 1", 1},
                                           {"queries, keys, values", 3},
                                           {"attention", 1},
                                           {"residual sum 1", 1},
                                           {"norm 2", 1},
                                           {"wide part", 4},
                                           {"activation function", 4}})
            made.push_back(allocate(bytes * static_cast<std::uint64_t>(widths), Activations, text(layer, name)));
        const Id projected = allocate(bytes, Temporary, text(layer, "projection")); // added to the sum, then gone
        free(projected);
        return made;
    }

    Id backward(std::uint32_t layer, std::uint64_t tokens, const std::vector<Id>& kept, Id gradient)
    {
        const std::uint64_t bytes = 2 * tokens * m_model.hidden;
        const std::size_t first = 6 * std::size_t{layer};
        const auto step = [&](std::uint64_t widths, const char* name, std::initializer_list<std::size_t> tensors,
                              std::initializer_list<std::size_t> done) {
            const Id next = allocate(bytes * widths, Temporary, text(layer, name));
            for (const std::size_t each : tensors)
                makeGradient(first + each);
            free(gradient);
            for (const std::size_t each : done)
                free(kept[each]);
            gradient = next;
        };
        step(4, "gradient of the activation function", {5}, {6});
        step(4, "gradient of the wide part", {}, {5});
        step(1, "gradient of norm 2", {4}, {4});
        step(1, "gradient of the residual sum", {3}, {3});
        step(1, "gradient of attention", {2}, {2});
        step(3, "gradient of queries, keys, values", {}, {1});
        step(1, "gradient of norm 1", {1, 0}, {0});
        return gradient;
    }

    void makeGradient(std::size_t tensor)
    {
        Tensor& each = m_tensors[tensor];
        const Id made = allocate(2 * each.count, Gradients, each.text);
        if (each.gradient != 0) // added to what is there
            free(made);
        else
            each.gradient = made;
    }

    const StepModel& m_model;
    AllocatorHistory& m_history;
    std::vector<Tensor> m_tensors;
    std::unordered_map<std::string, std::uint32_t> m_texts;
    Id m_last = 0;
};

} // namespace

const std::vector<std::string>& memoryCaseNames()
{
    static const std::vector<std::string> names{"healthy", "fragmentation", "activation_peak", "leak", "kv_growth"};
    return names;
}

std::uint64_t memoryOfCase(MemoryCase which)
{
    static constexpr std::array<std::uint64_t, 5> kMemory{8192, 9216, 16384, 7680, 1024}; // MiB
    return kMemory[static_cast<std::size_t>(which)] * kMiB;
}

std::uint32_t stepsOfCase(MemoryCase which)
{
    static constexpr std::array<std::uint32_t, 5> kSteps{6, 6, 6, 40, 3000};
    return kSteps[static_cast<std::size_t>(which)];
}

Result<AllocatorHistory> makeHistory(MemoryCase which, const StepModel& model)
{
    const auto bad = [](std::string message, const char* place, std::string fix) {
        return Error{"bad-case", std::move(message), place, std::move(fix)};
    };
    const std::uint32_t sizes[] = {model.layers, model.hidden,   model.vocabulary,
                                   model.batch,  model.sequence, model.steps};
    for (const std::uint32_t each : sizes)
        if (each == 0)
            return bad("a model with 0 of something does nothing", "steps", "take at least 1 of everything");
    const double widest = 16.0 * model.batch * model.sequence * std::max(model.vocabulary, 4 * model.hidden);
    const double most = 4.0 * model.hidden * std::max(model.vocabulary, 4 * model.hidden);
    if (std::max(widest, most) > double(std::uint64_t{1} << 50) / 16)
        return bad("a tensor of this model has more bytes than any GPU", "sequence",
                   "take a shorter sequence or batch");
    const double perStep = which == MemoryCase::KvGrowth ? 6.0 * model.layers + 3 : 130.0 * model.layers + 60;
    if (perStep * model.steps > kMostEvents)
        return bad("the history would have more than two million events", "steps", "take fewer steps or layers");

    AllocatorHistory history;
    Program program(model, history);
    for (std::uint32_t step = 0; step < model.steps && which != MemoryCase::KvGrowth; ++step) {
        std::uint64_t sequence = model.sequence;
        if (which ==
            MemoryCase::Fragmentation) // a quarter of the first longer each time, and one optimizer step at the end
            sequence += sequence * step / 4;
        if (which == MemoryCase::ActivationPeak && step == model.steps / 2)
            sequence *= 4;
        program.microBatch(sequence, which == MemoryCase::Leak);
        if (which != MemoryCase::Fragmentation || step + 1 == model.steps)
            program.optimize();
    }
    if (which == MemoryCase::KvGrowth)
        program.generate(model.sequence, model.steps);
    return history;
}

} // namespace ridge::memory
