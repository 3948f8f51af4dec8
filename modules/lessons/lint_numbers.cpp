// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/lint_rules.h"

#include "lessons/inline_scan.h"
#include "lessons/text.h"

#include <cctype>

namespace ridge::lessons {
namespace {

constexpr char kMask = '\1';

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

/// Rates and times and powers: what only a measurement, a data sheet or a model can know. Bytes, sectors, lanes,
/// requests and banks are counts that the reader derives, and stay allowed.
bool isPerformanceUnit(std::string_view word)
{
    constexpr std::array<std::string_view, 47> units = {
        "ns",     "us",      "µs",          "μs",           "ms",           "s",      "sec",
        "second", "seconds", "nanoseconds", "microseconds", "milliseconds", "cycle",  "cycles",
        "clock",  "clocks",  "Hz",          "kHz",          "MHz",          "GHz",    "W",
        "mW",     "kW",      "MW",          "watt",         "watts",        "J",      "mJ",
        "pJ",     "nJ",      "kWh",         "FLOPS",        "GFLOPS",       "TFLOPS", "PFLOPS",
        "MFLOPS", "TOPS",    "GOPS",        "POPS",         "bps",          "Gbps",   "Tbps",
        "Mbps",   "tok/s",   "dB",          "fps",          "QPS"};
    if (std::find(units.begin(), units.end(), word) != units.end())
        return true;
    for (const std::string_view per : {"/s", "/sec", "/second", "/clk", "/clock", "/cycle", "/W", "/J", "/h", "/hour"})
        if (word.size() > per.size() && word.ends_with(per))
            return true;
    return false;
}

bool startsWithAny(std::string_view text, std::initializer_list<std::string_view> heads)
{
    return std::any_of(heads.begin(), heads.end(), [&](std::string_view head) {
        return text.starts_with(head) &&
               (text.size() == head.size() || !std::isalpha(static_cast<unsigned char>(text[head.size()])));
    });
}

/// "faster", "slower", "the bandwidth", "speed-up" … after a factor or a percentage.
bool comparesPerformance(std::string_view rest)
{
    const std::string text = lowered(rest);
    return startsWithAny(text,
                         {"faster",          "slower",          "as fast",          "as slow",         "speed-up",
                          "speedup",         "speed up",        "slowdown",         "the speed",       "the bandwidth",
                          "the throughput",  "more throughput", "more bandwidth",   "less throughput", "less bandwidth",
                          "the performance", "the latency",     "quicker",          "longer",          "of peak",
                          "of the peak",     "of cublas",       "of the bandwidth", "of the roofline", "of its peak",
                          "utilisation",     "utilization"});
}

class NumberScan {
public:
    NumberScan(const LintContext& context, const std::string& text, std::string name, bool lessonFile)
        : m_context(context), m_masked(maskedText(text, lessonFile)), m_name(std::move(name))
    {
    }

    void run()
    {
        for (std::size_t i = 0; i < m_masked.size();) {
            if (isDigit(m_masked[i]) && startsNumber(i))
                i = check(i);
            else
                ++i;
        }
    }

private:
    /// Not the tail of a word, a version or a code ("L2", "sm_90", "2.4.1").
    bool startsNumber(std::size_t i) const
    {
        if (i == 0)
            return true;
        const char before = m_masked[i - 1];
        return !std::isalnum(static_cast<unsigned char>(before)) && before != '_' && before != '.' && before != kMask;
    }

    std::size_t endOfNumber(std::size_t i) const
    {
        while (i < m_masked.size() && (isDigit(m_masked[i]) || ((m_masked[i] == '.' || m_masked[i] == ',') &&
                                                                i + 1 < m_masked.size() && isDigit(m_masked[i + 1]))))
            ++i;
        return i;
    }

    /// Blanks, one line break with what quotes or indents the next line, no-break and thin spaces, a hyphen
    /// ("32-cycle").
    std::size_t skipGap(std::size_t i) const
    {
        constexpr std::array<std::string_view, 3> wide = {"\xC2\xA0", "\xE2\x80\xAF", "\xE2\x80\x89"};
        const std::string_view text = m_masked;
        bool moved = true;
        while (moved && i < text.size()) {
            moved = false;
            if (text[i] == ' ' || (text[i] == '\n' && !text.substr(i).starts_with("\n\n")) || text[i] == '-' ||
                text[i] == '~') {
                ++i;
                moved = true;
            }
            for (const std::string_view space : wide)
                if (text.substr(i).starts_with(space)) {
                    i += space.size();
                    moved = true;
                }
        }
        return i;
    }

    std::string_view unitAt(std::size_t i) const
    {
        std::size_t end = i;
        while (end < m_masked.size() && (std::isalpha(static_cast<unsigned char>(m_masked[end])) ||
                                         m_masked[end] == '/' || static_cast<unsigned char>(m_masked[end]) >= 0x80))
            ++end;
        return std::string_view(m_masked).substr(i, end - i);
    }

    std::size_t check(std::size_t begin)
    {
        const std::size_t end = endOfNumber(begin);
        const std::size_t at = skipGap(end);
        const std::string_view rest = std::string_view(m_masked).substr(at);
        const std::string_view unit = unitAt(at);
        if (isPerformanceUnit(unit)) {
            report(begin, end, std::string(unit));
        } else if (rest.starts_with("%") || rest.starts_with("×") ||
                   startsWithAny(rest, {"x", "times", "fold", "percent", "per cent"})) {
            const std::size_t word = rest.starts_with("%") ? 1 : unit.size();
            if (comparesPerformance(std::string_view(m_masked).substr(skipGap(at + word))))
                report(begin, end, rest.starts_with("%") ? "% of a performance" : "× of a performance");
        } else if (const std::string_view per = std::string_view(m_masked).substr(skipGap(at + unit.size()));
                   startsWithAny(per, {"per second", "per cycle", "per clock", "a second", "per watt", "per hour"})) {
            report(begin, end, std::string(unit) + " " + std::string(per.substr(0, per.find_first_of("\n.,;"))));
        }
        return end;
    }

    void report(std::size_t begin, std::size_t end, const std::string& unit)
    {
        m_context.problem({m_name, lineOfOffset(m_masked, begin)},
                          "bare performance number '" + m_masked.substr(begin, end - begin) + " " + unit.substr(0, 24) +
                              "'; make it a claim and write {{claim:key}}");
    }

    const LintContext& m_context;
    std::string m_masked;
    std::string m_name;
};

} // namespace

void lintNumbers(const LintContext& context, const std::string& text, const std::string& name, bool lessonFile)
{
    NumberScan(context, text, name, lessonFile).run();
}

} // namespace ridge::lessons
