// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/image/kernel_image.h"
#include "gpu/simt/ptx/module.h"
#include "gpu/simt/ptx/names.h"

namespace ridge::gpu::simt {

/// What a name stands for.
struct Symbol {
    enum class Kind : std::uint8_t { Register, Range, Address, EntryParam, Label, Targets, Prototype };
    Kind kind = Kind::Register;
    ScalarType type = ScalarType::None; ///< registers
    std::uint32_t plane = kNone;        ///< registers
    std::uint32_t count = 0;            ///< Range
    Space space = Space::Global;        ///< Address; also of an EntryParam
    std::uint64_t address = 0;          ///< in `space`; EntryParam: offset
    std::uint32_t elementBytes = 0;     ///< Address and EntryParam: of an array; 0: no array
    std::uint32_t variable = kNone;     ///< Address in shared memory: index into KernelImage::sharedVariables
    bool dynamic = false;               ///< Address past the start of dynamic shared memory
    std::uint32_t label = kNone;        ///< Label: id; Targets: table
    const CallPrototype* prototype = nullptr;
};

/// Names of one function instance, innermost scope last. Every inlined call has its own.
class Scopes {
public:
    void open() { m_scopes.emplace_back(); }
    void close() { m_scopes.pop_back(); }
    std::size_t depth() const { return m_scopes.size(); }
    void declare(std::string_view name, const Symbol& symbol, Place place); ///< throws SyntaxError if taken
    /// Null where the name is unknown. %r12 of a range %r<20> is `range` with its number in `index`.
    Symbol* find(std::string_view name);
    struct Ranged {
        Symbol* range = nullptr;
        std::size_t scope = 0;
    };
    Ranged findRange(std::string_view name);
    void declareAt(std::size_t scope, std::string_view name, const Symbol& symbol) { m_scopes[scope][name] = symbol; }

private:
    std::vector<NameMap<Symbol>> m_scopes;
};

} // namespace ridge::gpu::simt
