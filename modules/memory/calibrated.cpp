// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory/calibrated.h"
#include "memory/dense.h"
#include "memory/rounder.h"
#include "memory/samples.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

namespace ridge::memory {
namespace {

constexpr std::size_t kGptqBlock = 128;    // columns of GPTQ between two products, as in its code
constexpr std::size_t kWidestBlock = 1024; // of a group whose scale is found on the way
constexpr double kLargestInput = 1e15;     // squares of it still add up in floats
constexpr std::size_t kMostFactors = 512;  // of drawn inputs
constexpr float kSmallestScale = 1e-4f;    // of AWQ's code
constexpr float kSmallestRange = 1e-5f;    // of SmoothQuant's code

Error badScheme(const std::string& what, const std::string& fix)
{
    return {"bad-scheme", what, "quantize", fix};
}

Error cancelled()
{
    return {"cancelled", "the run was cancelled", "quantizing", ""};
}

bool stopped(const CalibrationOptions& options)
{
    return options.stop && options.stop();
}

Result<void> check(std::span<const double> weights, const LayerInputs& inputs, const QuantScheme& scheme)
{
    if (scheme.format == nullptr || weights.empty() || inputs.columns == 0)
        return badScheme("there is nothing to quantize", "give a format, weights and inputs");
    const std::string columns = std::to_string(inputs.columns);
    if (weights.size() % inputs.columns != 0)
        return badScheme(std::to_string(weights.size()) + " weights are no whole rows of " + columns,
                         "take a multiple of " + columns);
    if (inputs.values.empty() || inputs.values.size() % inputs.columns != 0)
        return badScheme("the inputs are no whole rows of " + columns, "give one or more tokens");
    for (const float x : inputs.values)
        if (!(std::fabs(x) <= kLargestInput))
            return badScheme("an input is not a finite number up to 1e15", "scale the inputs");
    if (scheme.format->block == 0 && scheme.granularity == Granularity::Group && scheme.group == 0)
        return badScheme("a group of no elements", "give it one or more");
    const bool gptq = scheme.method == Method::Gptq || scheme.method == Method::GptqOrdered;
    if (gptq && scheme.format->kind == QuantKind::Gguf)
        return badScheme("GPTQ needs the scale of a group alone, and " + std::string(scheme.format->id) +
                             " finds scales and codes together",
                         "take an integer, floating-point or mx format");
    if (gptq && inputs.columns > kMostHessianColumns)
        return badScheme("the Hessian of " + columns + " inputs is too large",
                         "take " + std::to_string(kMostHessianColumns) + " columns or fewer");
    return {};
}

QuantScheme plainScheme(QuantScheme scheme)
{
    scheme.method = Method::Rtn;
    return scheme;
}

// ---- GPTQ -----------------------------------------------------------------------------------------------------------

/// Frantar et al. 2023 with Cholesky of H, not of its inverse: with U U^T = H, U upper, the rounding error e of the
/// columns before j moves weight j by sum of e[i] U[i][j] / U[j][j]. This is the same update (Babai's nearest plane on
/// U), and it costs a third.
class Gptq {
public:
    Gptq(std::span<const double> weights, const LayerInputs& inputs, const QuantScheme& scheme,
         const CalibrationOptions& options)
        : m_weights(weights), m_columns(inputs.columns), m_rows(weights.size() / inputs.columns), m_scheme(scheme),
          m_options(options)
    {
        m_group = std::min(groupOf(scheme, weights.size(), m_columns), weights.size());
        m_tensor = scheme.format->block == 0 && scheme.granularity == Granularity::Tensor;
        m_static = m_tensor || m_group >= m_columns || m_group > kWidestBlock || scheme.method == Method::GptqOrdered ||
                   (scheme.format->block == 0 && scheme.scaling == Scaling::None);
        m_block = m_static ? kGptqBlock : std::max<std::size_t>(1, kGptqBlock / m_group) * m_group;
    }

    Result<Quantized> run(const LayerInputs& inputs)
    {
        auto plain = quantize(m_weights, m_columns, plainScheme(m_scheme));
        if (!plain)
            return plain.error();
        m_out = std::move(*plain);
        m_out.scheme = m_scheme;
        hessian(inputs);
        if (stopped(m_options))
            return cancelled();
        if (!factorUpper(m_u, m_columns))
            return badScheme("the Hessian of the inputs cannot be factored", "raise the damping");
        for (std::size_t j = 0; j < m_columns; ++j) // U[i][j] / U[j][j]
            m_inverse.push_back(1 / m_u[j * m_columns + j]);
        for (std::size_t i = 0; i < m_columns; ++i)
            for (std::size_t j = i; j < m_columns; ++j)
                m_u[i * m_columns + j] *= m_inverse[j];
        const Rounder rounder(m_scheme, mostOf(m_weights.data(), m_weights.size()));
        m_errors.assign(m_weights.size(), 0.0f);
        for (std::size_t first = 0; first < m_columns; first += m_block) {
            if (stopped(m_options))
                return cancelled();
            block(rounder, first, std::min(first + m_block, m_columns));
        }
        return std::move(m_out);
    }

private:
    void hessian(const LayerInputs& inputs)
    {
        const std::size_t n = m_columns, tokens = inputs.tokens();
        std::vector<double> diagonal(n, 0.0);
        for (std::size_t t = 0; t < tokens; ++t)
            for (std::size_t j = 0; j < n; ++j)
                diagonal[j] += double{inputs.values[t * n + j]} * inputs.values[t * n + j];
        m_order.resize(n);
        std::iota(m_order.begin(), m_order.end(), std::size_t{0});
        if (m_scheme.method == Method::GptqOrdered)
            std::stable_sort(m_order.begin(), m_order.end(),
                             [&](std::size_t a, std::size_t b) { return diagonal[a] > diagonal[b]; });
        std::vector<float> columns(n * tokens); // X^T, in the order
        for (std::size_t j = 0; j < n; ++j)
            for (std::size_t t = 0; t < tokens; ++t)
                columns[j * tokens + t] = inputs.values[t * n + m_order[j]];
        m_u.assign(n * n, 0.0f);
        for (std::size_t first = 0; first < n; first += kGptqBlock) { // what is on and above the diagonal
            const std::size_t end = std::min(first + kGptqBlock, n);
            addProduct({columns.data(), end, tokens, tokens},
                       {columns.data() + first * tokens, end - first, tokens, tokens}, Transposed::Yes,
                       m_u.data() + first, n);
        }
        const double mean = std::accumulate(diagonal.begin(), diagonal.end(), 0.0) / static_cast<double>(n);
        const double more = mean > 0 ? std::max(m_options.damping, 1e-6) * mean : 1;
        for (std::size_t j = 0; j < n; ++j)
            m_u[j * n + j] += static_cast<float>(more);
    }

    void block(const Rounder& rounder, std::size_t first, std::size_t end)
    {
        const std::size_t width = end - first, n = m_columns;
        const dense::Loops& loop = dense::loops();
        std::vector<float> moved(m_rows * width, 0.0f), own(width * width);
        addProduct({m_errors.data(), m_rows, first, n}, {m_u.data() + first, first, width, n}, Transposed::No,
                   moved.data(), width);
        for (std::size_t i = 0; i < width; ++i)
            std::copy_n(m_u.data() + (first + i) * n + first, width, own.data() + i * width);
        const std::size_t groupsOfRow = (n + m_group - 1) / m_group;
        std::vector<double> ahead(width);
        std::vector<float> moves(width);
        for (std::size_t row = 0; row < m_rows; ++row) {
            float* move = moved.data() + row * width;
            GroupScale group;
            for (std::size_t c = 0; c < width; ++c) {
                const std::size_t column = m_order[first + c], at = row * n + column;
                const std::size_t number = m_tensor ? 0 : row * groupsOfRow + column / m_group;
                if (!m_static && column % m_group == 0) {
                    const std::size_t here = std::min(m_group, width - c);
                    // The group's weights if nothing of it were rounded: each then has the error that it moved by.
                    std::copy_n(move + c, here, moves.begin());
                    for (std::size_t d = 0; d < here; ++d) {
                        ahead[d] = m_weights[at + d] + double{moves[d]};
                        loop.axpy(moves.data() + d + 1, own.data() + (c + d) * width + c + d + 1, -moves[d],
                                  here - d - 1);
                    }
                    group = rounder.scaleOf(ahead.data(), here);
                    m_out.scales[number] = group.scale;
                    if (rounder.minmax())
                        m_out.zeros[number] = static_cast<std::int32_t>(group.zero);
                } else if (m_static) {
                    group = rounder.groupWith(m_out.scales[number], rounder.minmax() ? m_out.zeros[number] : 0);
                }
                const double wanted = m_weights[at] + double{move[c]};
                rounder.encode(&wanted, 1, group, &m_out.codes[at]);
                const auto error = static_cast<float>(m_weights[at] - rounder.decode(m_out.codes[at], group));
                m_errors[row * n + first + c] = error;
                loop.axpy(move + c + 1, own.data() + c * width + c + 1, error, width - c - 1);
            }
        }
    }

    const std::span<const double> m_weights;
    const std::size_t m_columns, m_rows;
    const QuantScheme m_scheme;
    const CalibrationOptions& m_options;
    std::size_t m_group = 0, m_block = 0;
    bool m_tensor = false, m_static = false;
    std::vector<std::size_t> m_order;            ///< columns as they are processed
    std::vector<float> m_u, m_inverse, m_errors; ///< in that order
    Quantized m_out;
};

// ---- scaled columns -------------------------------------------------------------------------------------------------

/// Rows `step` apart.
std::vector<double> scaledRows(std::span<const double> weights, std::size_t columns, std::size_t step,
                               std::span<const float> scales)
{
    std::vector<double> out;
    out.reserve(weights.size() / step + columns);
    for (std::size_t first = 0; first < weights.size(); first += step * columns)
        for (std::size_t j = 0; j < columns; ++j)
            out.push_back(scales.empty() ? weights[first + j] : weights[first + j] * double{scales[j]});
    return out;
}

Result<QuantizedLayer> scaledLayer(std::span<const double> weights, std::size_t columns, const QuantScheme& scheme,
                                   std::vector<float> scales, double exponent, std::size_t step = 1)
{
    auto quantized = quantize(scaledRows(weights, columns, step, scales), columns, plainScheme(scheme));
    if (!quantized)
        return quantized.error();
    quantized->scheme.method = scheme.method;
    return QuantizedLayer{std::move(*quantized), std::move(scales), exponent};
}

/// mean|x| of each column to the power `exponent`; largest times smallest is 1.
std::vector<float> awqScales(std::span<const float> means, double exponent)
{
    std::vector<float> scales;
    for (const float mean : means)
        scales.push_back(std::max(kSmallestScale, static_cast<float>(std::pow(double{mean}, exponent))));
    const auto [least, most] = std::minmax_element(scales.begin(), scales.end());
    const float middle = std::sqrt(*least) * std::sqrt(*most);
    for (float& scale : scales)
        scale /= middle;
    return scales;
}

Result<QuantizedLayer> awq(std::span<const double> weights, const LayerInputs& inputs, const QuantScheme& scheme,
                           const CalibrationOptions& options)
{
    const std::size_t columns = inputs.columns, rows = weights.size() / columns;
    std::vector<double> sums(columns, 0.0);
    for (std::size_t i = 0; i < inputs.values.size(); ++i)
        sums[i % columns] += std::fabs(double{inputs.values[i]});
    std::vector<float> means;
    for (const double sum : sums)
        means.push_back(static_cast<float>(sum / static_cast<double>(inputs.tokens())));
    const std::size_t step = std::max<std::size_t>(1, rows / std::max<std::size_t>(1, options.searchedRows));
    const std::vector<double> searched = scaledRows(weights, columns, step, {});
    std::vector<double> restored(searched.size());
    double best = 0, least = std::numeric_limits<double>::infinity();
    for (int i = 0; i < std::max(1, options.steps); ++i) {
        if (stopped(options))
            return cancelled();
        const double exponent = static_cast<double>(i) / options.steps;
        const auto layer = scaledLayer(searched, columns, scheme, awqScales(means, exponent), exponent);
        if (!layer)
            return layer.error();
        restoreWeights(*layer, restored);
        const double noise = outputErrorOf(searched, restored, inputs, inputs.values).noise;
        if (noise < least) {
            least = noise;
            best = exponent;
        }
    }
    return scaledLayer(weights, columns, scheme, awqScales(means, best), best);
}

Result<QuantizedLayer> smoothQuant(std::span<const double> weights, const LayerInputs& inputs,
                                   const QuantScheme& scheme, const CalibrationOptions& options)
{
    const std::size_t columns = inputs.columns;
    std::vector<float> x(columns, 0.0f), w(columns, 0.0f), scales;
    for (std::size_t i = 0; i < inputs.values.size(); ++i)
        x[i % columns] = std::max(x[i % columns], std::fabs(inputs.values[i]));
    for (std::size_t i = 0; i < weights.size(); ++i)
        w[i % columns] = std::max(w[i % columns], static_cast<float>(std::fabs(weights[i])));
    for (std::size_t j = 0; j < columns; ++j) {
        const double down = std::pow(double{std::max(w[j], kSmallestRange)}, 1 - options.migration);
        const double scale = std::pow(double{std::max(x[j], kSmallestRange)}, options.migration) / down;
        scales.push_back(std::max(kSmallestRange, static_cast<float>(scale)));
    }
    return scaledLayer(weights, columns, scheme, std::move(scales), options.migration);
}

} // namespace

Result<QuantizedLayer> quantizeLayer(std::span<const double> weights, const LayerInputs& inputs,
                                     const QuantScheme& scheme, const CalibrationOptions& options)
{
    if (auto good = check(weights, inputs, scheme); !good)
        return good.error();
    switch (scheme.method) {
    case Method::Rtn:
        break;
    case Method::Gptq:
    case Method::GptqOrdered: {
        auto quantized = Gptq(weights, inputs, scheme, options).run(inputs);
        return quantized ? QuantizedLayer{std::move(*quantized), {}, 0} : Result<QuantizedLayer>(quantized.error());
    }
    case Method::Awq:
        return awq(weights, inputs, scheme, options);
    case Method::SmoothQuant:
        return smoothQuant(weights, inputs, scheme, options);
    }
    return scaledLayer(weights, inputs.columns, scheme, {}, 0);
}

void restoreWeights(const QuantizedLayer& layer, std::span<double> out)
{
    dequantize(layer.weights, out);
    const std::size_t columns = layer.channelScales.size();
    for (std::size_t first = 0; columns > 0 && first < out.size(); first += columns)
        for (std::size_t j = 0; j < columns; ++j)
            out[first + j] /= double{layer.channelScales[j]};
}

Result<std::vector<float>> quantizedInputs(const LayerInputs& inputs, std::span<const float> channelScales,
                                           const QuantScheme& scheme)
{
    std::vector<double> scaled(inputs.values.begin(), inputs.values.end());
    if (!channelScales.empty())
        for (std::size_t i = 0; i < scaled.size(); ++i)
            scaled[i] /= double{channelScales[i % inputs.columns]};
    const auto quantized = quantize(scaled, inputs.columns, plainScheme(scheme));
    if (!quantized)
        return quantized.error();
    dequantize(*quantized, scaled);
    std::vector<float> out(scaled.size());
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<float>(channelScales.empty() ? scaled[i]
                                                          : scaled[i] * double{channelScales[i % inputs.columns]});
    return out;
}

QuantError outputErrorOf(std::span<const double> weights, std::span<const double> restored, const LayerInputs& inputs,
                         std::span<const float> quantized)
{
    // y' - y = x' (W' - W) + (x' - x) W: no difference of large numbers.
    constexpr std::size_t rowsAtOnce = 256;
    const std::size_t columns = inputs.columns, tokens = inputs.tokens(), rows = weights.size() / columns;
    std::vector<float> rounded(inputs.values.size());
    for (std::size_t i = 0; i < rounded.size(); ++i)
        rounded[i] = quantized[i] - inputs.values[i];
    const bool exactInputs = std::all_of(rounded.begin(), rounded.end(), [](float x) { return x == 0; });
    const Matrix x{inputs.values.data(), tokens, columns, columns}, given{quantized.data(), tokens, columns, columns};
    const Matrix lost{rounded.data(), tokens, columns, columns};
    QuantError error;
    std::vector<float> w, off, y, noise;
    for (std::size_t first = 0; first < rows; first += rowsAtOnce) {
        const std::size_t here = std::min(rowsAtOnce, rows - first);
        w.resize(here * columns);
        off.resize(here * columns);
        for (std::size_t i = 0; i < w.size(); ++i) {
            w[i] = static_cast<float>(weights[first * columns + i]);
            off[i] = static_cast<float>(restored[first * columns + i] - weights[first * columns + i]);
        }
        y.assign(tokens * here, 0.0f);
        noise.assign(tokens * here, 0.0f);
        addProduct(x, {w.data(), here, columns, columns}, Transposed::Yes, y.data(), here);
        addProduct(given, {off.data(), here, columns, columns}, Transposed::Yes, noise.data(), here);
        if (!exactInputs)
            addProduct(lost, {w.data(), here, columns, columns}, Transposed::Yes, noise.data(), here);
        for (std::size_t i = 0; i < y.size(); ++i) {
            error.signal += double{y[i]} * y[i];
            error.noise += double{noise[i]} * noise[i];
            error.most = std::max(error.most, std::fabs(double{noise[i]}));
        }
    }
    return error;
}

std::vector<float> drawInputs(std::size_t tokens, std::size_t columns, double shared, double share, double factor,
                              std::uint64_t seed)
{
    NumpyRng rng(seed);
    const std::size_t factors = std::clamp<std::size_t>(columns / 32, 1, kMostFactors);
    std::vector<float> loadings(factors * columns), common(tokens * factors), out(tokens * columns, 0.0f);
    const double size = std::sqrt(shared / static_cast<double>(factors)), rest = std::sqrt(1 - shared);
    for (float& loading : loadings)
        loading = static_cast<float>(rng.normal() * size);
    for (float& value : common)
        value = static_cast<float>(rng.normal());
    addProduct({common.data(), tokens, factors, factors}, {loadings.data(), factors, columns, columns}, Transposed::No,
               out.data(), columns);
    const std::size_t apart =
        share > 0 ? std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(1 / share))) : columns;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const std::size_t column = i % columns;
        const bool outlier = share > 0 && column % apart == apart / 2;
        out[i] = static_cast<float>((double{out[i]} + rng.normal() * rest) * (outlier ? factor : 1));
    }
    return out;
}

} // namespace ridge::memory
