// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json_value.h"
#include "base/step_expression.h"

#include <chrono>
#include <map>
#include <set>

namespace ridge::app {

/// Where a run through the steps stops.
struct Breakpoint {
    std::string condition; ///< as typed; empty: always
    std::optional<StepExpression> expression;
};

/// A variable of the source, and the register that it is in while the PTX's lines from `begin` to before `end` run.
struct SourceVariable {
    enum class Kind { Signed, Unsigned, Float, Boolean, Pointer, Other };
    struct Place {
        std::uint32_t begin = 0, end = 0;
        std::string reg;
        std::uint32_t index = 0; ///< of StepTrace::registers
    };
    std::string name, function, type;
    Kind kind = Kind::Other;
    std::uint32_t bytes = 0;
    int line = 0; ///< where it is declared; 0: not known
    std::vector<Place> places;
};

/// "variables" of a run's document (docs/kernels.md). What is not whole is left out.
std::vector<SourceVariable> variablesOf(const Json& document);

/// A recorded block with the place in it, the warp that is looked at, and what stops a run. No widgets.
class DebugSession {
public:
    explicit DebugSession(StepTrace trace);
    DebugSession(const DebugSession&) = delete; // the reader points into the trace
    DebugSession& operator=(const DebugSession&) = delete;

    StepReader& reader() { return m_reader; }
    const StepReader& reader() const { return m_reader; }
    const StepTrace& trace() const { return m_reader.trace(); }
    std::uint16_t warp() const { return m_warp; }
    void setWarp(std::uint16_t warp);
    /// The warp of the step that comes next, or that was last where none comes.
    void followWarp();
    /// Source line (of the PTX where there is no other) of the next step of the warp that is looked at; 0: it has
    /// ended.
    int line() const;
    /// The step of that warp that was taken last; null before its first.
    const TracedStep* lastStep() const;
    const TracedStep* nextStep() const;

    /// Those that the recorded registers hold; the others are forgotten.
    void setVariables(std::vector<SourceVariable> variables);
    bool hasVariables() const { return !m_variables.empty(); }
    /// A variable that can be read where the warp stands. Of two with one name the inner one.
    struct Seen {
        const SourceVariable* variable = nullptr;
        std::uint32_t reg = 0;
    };
    std::vector<Seen> variables() const;
    /// Its value in a lane; none: nothing was written there yet.
    std::optional<std::string> text(const Seen& seen, std::uint32_t lane) const;
    /// Lanes in which the warp's last step wrote the register.
    std::uint32_t writtenLanes(std::uint32_t reg) const;

    /// Errors: "bad-expression".
    Result<StepExpression> expression(const std::string& text) const { return StepExpression::parse(text, m_trace); }

    /// Errors: "bad-expression"; the breakpoint is then not set.
    Result<void> setBreakpoint(int line, const std::string& condition = {});
    void removeBreakpoint(int line) { m_breakpoints.erase(line); }
    const std::map<int, Breakpoint>& breakpoints() const { return m_breakpoints; }
    bool stopAtDivergence = false; ///< a warp's lanes part
    bool stopAtConflicts = false;  ///< an access to shared memory needs more passes than its bytes do
    bool stopAtReports = false;    ///< a line that a detector named
    std::set<int> reportedLines;   ///< those, of a run of the same text
    /// Whether a run stops before the step, which is the one that comes next.
    bool stops(const TracedStep& step) const;
    bool runOn();   ///< to the next stop; false: the end
    bool runBack(); ///< to the stop before; false: the start
    /// The same in slices: what a condition costs at a million steps is more than a window may stand still for.
    enum class Run { Stopped, Ended, Goes };
    void beginRun(bool back);
    Run goOn(std::chrono::milliseconds budget);

private:
    StepTrace m_trace;
    StepReader m_reader;
    std::uint16_t m_warp = 0;
    std::vector<SourceVariable> m_variables;
    std::map<int, Breakpoint> m_breakpoints;
    struct {
        bool back = false, left = false; ///< left: the line where it began
        std::uint32_t line = 0;
        int warp = -1;
    } m_run;
};

} // namespace ridge::app
