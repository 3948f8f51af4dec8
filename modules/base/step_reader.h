// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/step_calls.h"

namespace ridge {

/// Where a warp stands among the others of its block.
struct WarpStanding {
    enum class Kind {
        Next,      ///< it takes the next step
        Ready,     ///< nothing holds it; another warp's step comes first in this recording
        AtBarrier, ///< it has come to a barrier of the whole block, and others have not
        Ended,
    };
    Kind kind = Kind::Ended;
    std::uint32_t barrier = 0;          ///< AtBarrier: index into StepTrace::code
    std::vector<std::uint16_t> missing; ///< AtBarrier: the warps that it waits for
    bool operator==(const WarpStanding&) const = default;
};

/// Walks a StepTrace forwards and backwards: at position n the first n steps have been taken. Every question is
/// answered from an index, in time that does not depend on the position, so that a scrub bar may go anywhere.
/// The trace must outlive it.
class StepReader {
public:
    explicit StepReader(const StepTrace& trace);

    const StepTrace& trace() const { return *m_trace; }
    std::size_t size() const { return m_trace->steps.size(); }
    std::size_t position() const { return m_at; }
    bool atEnd() const { return m_at == size(); }
    void seek(std::size_t position); ///< beyond the end: the end
    bool step();                     ///< false at the end
    bool back();                     ///< false at the start
    /// The step that comes next, and the one that was taken last; null where there is none.
    const TracedStep* next() const { return atEnd() ? nullptr : &m_trace->steps[m_at]; }
    const TracedStep* last() const { return m_at == 0 ? nullptr : &m_trace->steps[m_at - 1]; }

    /// Goes on, at least one step, until `stops` holds for the step that comes next, or to the end: false.
    bool runTo(const std::function<bool(const TracedStep&)>& stops);
    /// Goes back, at least one step, until `stops` holds for the step that comes next, or to the start: false.
    bool runBackTo(const std::function<bool(const TracedStep&)>& stops);
    // The ways of a debugger's keys. Each moves at least one step, if there is one, and answers false at the end.
    bool toNextOf(std::uint16_t warp);     ///< until that warp's next instruction
    bool toPreviousOf(std::uint16_t warp); ///< back to that warp's instruction before
    bool toBarrier();                      ///< until a barrier of the block is next
    // By lines: of the source, or of the PTX where no instruction has one of a source. They begin at the warp's next
    // step; false: it has none, or has ended, and the place is behind its last step.
    /// Until the warp comes to another line, or lanes of it return to their caller. Functions that are called meanwhile
    /// are passed. Lanes that run together may be at different depths: the first of them that has come stops.
    bool overLine(std::uint16_t warp);
    bool intoLine(std::uint16_t warp); ///< the same, but a function that is called stops at its first line
    /// Until lanes that take the warp's next step are back in what called the function. It does not move where the warp
    /// is in the kernel itself.
    bool out(std::uint16_t warp);
    bool hasCaller(std::uint16_t warp) const; ///< whether the warp's next step is in a function that was called
    /// Calls around a step, of all its active lanes; 0: the kernel itself.
    std::uint32_t deepestOf(std::size_t step) const;
    std::uint32_t shallowestOf(std::size_t step) const;
    const StepCalls& calls() const { return m_calls; }

    /// The last step of `warp` that has been taken, and the one that it takes next; none: before its first, at its end.
    std::optional<std::size_t> lastOf(std::uint16_t warp) const;
    std::optional<std::size_t> nextOf(std::uint16_t warp) const;

    /// Why a warp goes on or waits. Barriers that only some threads take part in are not reckoned: a warp that stands
    /// there is told to be ready.
    WarpStanding standingOf(std::uint16_t warp) const;

    /// The last access to memory of `warp` that has been made: its step; none: it has made none.
    std::optional<std::size_t> lastAccessOf(std::uint16_t warp) const;
    /// Whether some lane of the warp has a value in the register.
    bool isWritten(std::uint16_t warp, std::uint32_t reg) const;

    /// A register in one lane; none: not written yet (kernel parameters and built-in values are written by the
    /// instructions that read them).
    std::optional<std::uint64_t> value(std::uint16_t warp, std::uint32_t reg, std::uint32_t lane) const;
    /// Lanes in which the step that was taken last wrote the register.
    std::uint32_t changed(std::uint32_t reg) const;
    /// 4 bytes of the block's shared memory; `offset` is a multiple of 4. None: nobody wrote there.
    std::optional<std::uint32_t> sharedWord(std::uint32_t offset) const;
    /// The address that a lane used; none: it did not take part, or the step has no access.
    std::optional<std::uint64_t> address(const TracedStep& step, std::uint32_t lane) const;
    /// "in + 128", or the address in hexadecimal where no buffer holds it.
    std::string addressText(const StepAccess& access, std::uint64_t address) const;

private:
    /// Of a warp before a step: how deep each lane is, and which lanes take the step.
    struct Stand {
        StepCalls::Depths depths{};
        std::uint32_t active = 0;
    };
    Stand standOf(std::uint16_t warp, std::size_t next) const;
    std::uint32_t sourceOf(std::size_t step) const;
    bool leaveLine(std::uint16_t warp, bool intoCalls);
    /// From the warp's next step to the first one after it where `stops` holds, which is given the depths before it.
    bool toStepOf(std::uint16_t warp, const std::function<bool(std::size_t, const StepCalls::Depths&)>& stops);

    const StepTrace* m_trace;
    StepCalls m_calls;
    bool m_hasSource = false; ///< some instruction has a line of a source
    std::size_t m_at = 0;
    std::uint32_t writesTaken() const; ///< of the steps that have been taken
    std::vector<std::vector<std::uint32_t>> m_ofWarp, m_accessesOfWarp, m_barriersOfWarp; ///< steps
    bool m_barriersAreWhole = true;           ///< every barrier is one of all threads, and warps came to it as a whole
    NewestWith m_ofRegister;                  ///< [warp * registers + register]: writes, with their lanes …
    std::vector<std::uint32_t> m_stepOfWrite; ///< … and their steps
    NewestWith m_ofShared;                    ///< [offset / 4]: steps, with the bytes of the word that they wrote
};

/// A register's bits as the learner reads them: a whole number with sign, a float, or true and false.
std::string registerText(const StepRegister& reg, std::uint64_t bits);

} // namespace ridge
