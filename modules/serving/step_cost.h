// SPDX-License-Identifier: GPL-3.0-or-later
// How long one step of an engine takes: a batch of prompts, of single tokens, or of both, once through the model.
#pragma once

#include "workload/operators.h"

#include <vector>

namespace ridge::serving {

/// What a step works on.
struct StepLoad {
    double decodes = 0;       ///< sequences that get one token
    double decodeContext = 0; ///< tokens that they hold, all together
    double prompts = 0;       ///< sequences of whose prompt a part is processed
    double promptTokens = 0;  ///< of those parts
    double promptSquares = 0; ///< sum of n^2 over the parts
    double promptPast = 0;    ///< sum of n x (tokens of the sequence that were processed before)
    double tokens() const { return decodes + promptTokens; }
};

/// What a framework adds to the kernels, as constants of its own (frameworks.h).
struct StepOverheads {
    double launchShare = 1;          ///< of the launch constants of matrix products and streams that is left
    double attentionLaunchShare = 1; ///< of those of attention
    double step = 0;                 ///< s a step: scheduling, sampling, what the host does
    double sequence = 0;             ///< s a step and sequence
    double prefillToken = 0;         ///< s a token of a prompt beside the kernels
    double reduceLaunch = 0;         ///< s of an all-reduce that moves nothing
    double reduceGpu = 0;            ///< and s a further GPU
    double reduceShare = 1;          ///< of the link's one direction
    double oneShotBytes = 0;         ///< below so many of a sum each GPU reads it whole from every other one
    double memoryShare = 1;          ///< of the bandwidth that the kernel-time function reaches
    double computeShare = 1;         ///< of the arithmetic that it reaches
    double fused = 1;                ///< of elementwise kernels and norms that are left
    double expertShare = 1;          ///< of the arithmetic of products, what those of experts reach
};

/// A step's time as a function of its load. Copies are cheap enough; asking allocates nothing.
class StepCost {
public:
    /// The cost function of the exact scheduler oracle (docs/validation.md, "Serving"): 8 ms + 40 us a token + 80 ns a
    /// token that decoded sequences hold + 1 ns x sum of n x (n + tokens before) over parts of prompts.
    static StepCost oracle();
    /// The same a step, and the same a token: for queues with a closed form.
    static StepCost constant(double seconds, double perToken = 0);

    /// The model's kernels on `tensor` GPUs that share every layer, in `pipeline` stages: a batch is cut into as many
    /// micro-batches as there are stages, which are all under way, so a step takes as long as one of them takes through
    /// the whole model, and the hand-over between stages. Errors: those of workload::checkStep.
    static Result<StepCost> kernels(const workload::ModelShape& model, const workload::Device& device, double kvBytes,
                                    double tensor, double pipeline, const StepOverheads& overheads);

    double seconds(const StepLoad& load) const
    {
        if (m_kind == Kind::Constant)
            return m_constant + m_perToken * load.tokens();
        if (m_kind == Kind::Oracle)
            return 0.008 + 40e-6 * load.tokens() + 80e-9 * load.decodeContext +
                   1e-9 * (load.promptPast + load.promptSquares);
        return kernelSeconds(load);
    }
    double attentionSeconds(const StepLoad& load) const; ///< of a step, of Kernels alone

private:
    enum class Kind { Oracle, Constant, Kernels };
    double kernelSeconds(const StepLoad& load) const;
    double lookUp(const std::vector<double>& table, double at) const;

    Kind m_kind = Kind::Oracle;
    double m_constant = 0, m_perToken = 0;
    workload::Device m_device;
    StepOverheads m_overheads;
    double m_pipeline = 1, m_stageBytes = 0;
    std::vector<double> m_at;     ///< tokens of a step at which the tables have a value
    std::vector<double> m_layers; ///< s of everything but attention and logits
    std::vector<double> m_logits; ///< s of the logits of so many sequences
    struct Core {
        workload::Attention decode, prefill;
        double count = 0, window = 0;
        double latentBytes = 0; ///< a token of the cache, where all heads read the same; 0: by heads
    };
    std::vector<Core> m_cores;
};

} // namespace ridge::serving
