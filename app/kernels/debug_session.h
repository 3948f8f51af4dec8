// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/kernels/watch_expression.h"
#include "base/step_reader.h"

#include <map>
#include <memory>
#include <set>

namespace ridge::app {

/// Where a run through the steps stops.
struct Breakpoint {
    std::string condition; ///< as typed; empty: always
    std::optional<WatchExpression> expression;
};

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

    /// Names of expressions: lane, warp, thread (in the block, by linear index), line, active (lanes), passes, least
    /// (of the access that the next step makes) and the registers, with or without their %.
    bool knows(const std::string& name) const;
    std::optional<double> lookup(const std::string& name, std::uint16_t warp, std::uint32_t lane,
                                 const TracedStep* step) const;
    Result<WatchExpression> expression(const std::string& text) const;

    /// Errors: "bad-expression"; the breakpoint is then not set.
    Result<void> setBreakpoint(int line, const std::string& condition = {});
    void removeBreakpoint(int line) { m_breakpoints.erase(line); }
    const std::map<int, Breakpoint>& breakpoints() const { return m_breakpoints; }
    bool stopAtDivergence = false; ///< a warp's lanes part
    bool stopAtConflicts = false;  ///< an access to shared memory needs more passes than its bytes do
    /// Whether a run stops before the step, which is the one that comes next.
    bool stops(const TracedStep& step) const;
    bool runOn();   ///< to the next stop; false: the end
    bool runBack(); ///< to the stop before; false: the start

    std::string divergenceText(const TracedStep& step) const; ///< "12 of 32 lanes"

private:
    StepTrace m_trace;
    StepReader m_reader;
    std::uint16_t m_warp = 0;
    std::map<std::string, std::uint32_t> m_registers;
    std::map<int, Breakpoint> m_breakpoints;
};

/// A register's bits as the number that expressions calculate with.
double numberOf(const StepRegister& reg, std::uint64_t bits);

} // namespace ridge::app
