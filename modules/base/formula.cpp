// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/formula.h"

#include "base/experiment_info.h"

#include <cctype>
#include <charconv>
#include <cmath>
#include <numeric>

namespace ridge {
namespace {

constexpr int kMaxDepth = 64;
const std::vector<std::string> kFunctions = {"abs", "ceil", "floor", "gcd", "less",  "log2",
                                             "max", "min",  "mod",   "pow", "round", "sqrt"};

/// Recursive descent; the first error wins and the rest of the text is not read.
class Evaluator {
public:
    Evaluator(std::string_view text, const ParamSet* params) : m_text(text), m_params(params) {}

    Result<double> run()
    {
        const double value = sum();
        skipBlanks();
        if (!m_error && m_at < m_text.size())
            fail("bad-formula", "'" + std::string(m_text.substr(m_at, 1)) + "' is not expected here");
        if (!m_error && m_params && !std::isfinite(value))
            fail("bad-formula", "the result is not a finite number");
        if (m_error)
            return *m_error;
        return value;
    }

    std::vector<std::string> names;

private:
    double fail(const std::string& code, const std::string& message, const std::string& fix = {})
    {
        if (!m_error)
            m_error = Error{code, message,
                            "formula '" + std::string(m_text) + "', character " + std::to_string(m_at + 1), fix};
        return 0;
    }

    void skipBlanks()
    {
        while (m_at < m_text.size() && std::isspace(static_cast<unsigned char>(m_text[m_at])))
            ++m_at;
    }

    bool take(char wanted)
    {
        skipBlanks();
        if (m_error || m_at >= m_text.size() || m_text[m_at] != wanted)
            return false;
        ++m_at;
        return true;
    }

    double sum()
    {
        double value = product();
        while (!m_error) {
            if (take('+'))
                value += product();
            else if (take('-'))
                value -= product();
            else
                break;
        }
        return value;
    }

    double product()
    {
        double value = unary();
        while (!m_error) {
            if (take('*')) {
                value *= unary();
            } else if (take('/')) {
                const double divisor = unary();
                if (divisor == 0 && m_params && !m_error)
                    return fail("bad-formula", "division by zero");
                value /= divisor;
            } else {
                break;
            }
        }
        return value;
    }

    double unary()
    {
        if (++m_depth > kMaxDepth)
            return fail("bad-formula", "nested more than 64 deep");
        const double value = take('-') ? -unary() : primary();
        --m_depth;
        return value;
    }

    double primary()
    {
        skipBlanks();
        if (m_error)
            return 0;
        if (m_at >= m_text.size())
            return fail("bad-formula", "it ends where a number, a name or '(' is expected");
        if (take('(')) {
            const double value = sum();
            return take(')') ? value : fail("bad-formula", "')' is missing");
        }
        const char c = m_text[m_at];
        if (std::isdigit(static_cast<unsigned char>(c)) || c == '.')
            return number();
        if (std::isalpha(static_cast<unsigned char>(c)) || c == '_')
            return name();
        return fail("bad-formula", "'" + std::string(1, c) + "' is not expected here",
                    "use numbers, parameters, + - * / ( ) and the functions min max gcd pow mod less ceil floor round "
                    "abs sqrt log2");
    }

    double number()
    {
        double value = 0;
        const auto read = std::from_chars(m_text.data() + m_at, m_text.data() + m_text.size(), value);
        if (read.ec != std::errc())
            return fail("bad-formula", "a number cannot be read");
        m_at = static_cast<std::size_t>(read.ptr - m_text.data());
        return value;
    }

    double name()
    {
        const std::size_t begin = m_at;
        while (m_at < m_text.size() && (std::isalnum(static_cast<unsigned char>(m_text[m_at])) || m_text[m_at] == '_'))
            ++m_at;
        const std::string word(m_text.substr(begin, m_at - begin));
        if (take('('))
            return call(word);
        if (std::find(names.begin(), names.end(), word) == names.end())
            names.push_back(word);
        if (!m_params)
            return 1;
        const auto found = m_params->find(word);
        const std::optional<double> value = found == m_params->end() ? std::nullopt : asNumber(found->second);
        if (value)
            return *value;
        std::vector<std::string> known;
        for (const auto& [key, given] : *m_params)
            if (asNumber(given))
                known.push_back(key);
        m_at = begin;
        return fail("unknown-name", "'" + word + "' is no numeric parameter or metric" + didYouMean(word, known));
    }

    double call(const std::string& function)
    {
        std::vector<double> values{sum()};
        while (take(','))
            values.push_back(sum());
        if (!take(')'))
            return fail("bad-formula", "')' is missing after the arguments of '" + function + "'");
        return m_error ? 0 : apply(function, values);
    }

    double apply(const std::string& function, const std::vector<double>& values)
    {
        const bool several = function == "min" || function == "max" || function == "gcd";
        if (std::find(kFunctions.begin(), kFunctions.end(), function) == kFunctions.end())
            return fail("unknown-name", "'" + function + "' is no function" + didYouMean(function, kFunctions));
        const bool two = function == "pow" || function == "mod" || function == "less";
        if (several ? values.size() < 2 : values.size() != (two ? 2U : 1U))
            return fail("bad-formula", "'" + function + "' takes " +
                                           (several ? "two or more arguments"
                                            : two   ? "two arguments"
                                                    : "one argument"));
        if (function == "min")
            return *std::min_element(values.begin(), values.end());
        if (function == "max")
            return *std::max_element(values.begin(), values.end());
        if (function == "ceil")
            return std::ceil(values[0]);
        if (function == "floor")
            return std::floor(values[0]);
        if (function == "log2")
            return values[0] > 0 || !m_params ? std::log2(values[0])
                                              : fail("bad-formula", "log2 of a number that is not positive");
        if (function == "abs")
            return std::abs(values[0]);
        if (function == "round")
            return std::round(values[0]);
        if (function == "pow")
            return std::pow(values[0], values[1]); // run() refuses what is not finite
        if (function == "less")
            return values[0] < values[1] ? 1 : 0;
        if (function == "sqrt")
            return values[0] >= 0 || !m_params ? std::sqrt(std::abs(values[0]))
                                               : fail("bad-formula", "sqrt of a negative number");
        if (function == "mod") // of the sign of the divisor, as a rest of places in a buffer
            return values[1] != 0 ? values[0] - values[1] * std::floor(values[0] / values[1])
                   : m_params     ? fail("bad-formula", "mod by zero")
                                  : 1;
        std::int64_t divisor = 0;
        for (const double value : values) {
            if (value != std::floor(value) || std::abs(value) > 1e15)
                return m_params ? fail("bad-formula", "gcd of a number that is not whole") : 1;
            divisor = std::gcd(divisor, static_cast<std::int64_t>(value));
        }
        return static_cast<double>(divisor);
    }

    std::string_view m_text;
    const ParamSet* m_params;
    std::size_t m_at = 0;
    int m_depth = 0;
    std::optional<Error> m_error;
};

} // namespace

std::string didYouMean(std::string_view given, std::span<const std::string> known)
{
    std::string text;
    const std::vector<std::string> near = nearestNames(given, known);
    if (!near.empty()) {
        for (const std::string& name : near)
            text += (text.empty() ? "; did you mean '" : " or '") + name + "'";
        return text + "?";
    }
    for (const std::string& name : known)
        text += (text.empty() ? "; known: " : ", ") + name;
    return text.empty() ? std::string("; none are known") : text;
}

Result<double> evaluateFormula(std::string_view formula, const ParamSet& params)
{
    return Evaluator(formula, &params).run();
}

Result<std::vector<std::string>> formulaNames(std::string_view formula)
{
    Evaluator evaluator(formula, nullptr);
    const Result<double> outcome = evaluator.run();
    if (!outcome.ok())
        return outcome.error();
    return evaluator.names;
}

} // namespace ridge
