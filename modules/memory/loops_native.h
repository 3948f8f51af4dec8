// SPDX-License-Identifier: GPL-3.0-or-later
// The loops of loops.h executed on this processor, load by load as they are simulated.
#pragma once

#include "memory/loops.h"

#include <memory>

namespace ridge::memory {

/// Arrays of a checked loop, as far apart as forEachAccess has them, from a page's beginning on. They hold whole
/// numbers so small that sums are exact. Built without vector instructions, so that an element is a load, as it is
/// counted.
class NativeLoop {
public:
    /// Errors: "out-of-memory" with the bytes.
    static Result<NativeLoop> make(const LoopSpec& spec);
    std::uint64_t bytes() const { return m_bytes; }

    /// The loop once over: sums of strided and random loads, 0 of all others. Products are added to c.
    double pass();
    /// Clears what the loop writes, executes it once and compares with what it must give; products by Freivalds' test
    /// with whole numbers, all others element by element.
    bool right();

private:
    struct Free {
        void operator()(void* at) const;
    };
    template<class T>
    double passOf();
    template<class T>
    bool rightOf();
    template<class T>
    T* at(std::uint64_t address) const;

    LoopSpec m_spec;
    std::unique_ptr<void, Free> m_memory;
    std::uint64_t m_bytes = 0;
};

} // namespace ridge::memory
