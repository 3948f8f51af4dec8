// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gpu/simt/ptx/module.h"
#include "gpu/simt/ptx/token_stream.h"

namespace ridge::gpu::simt {

/// Follows .loc lines: which line of the kernel's own source (file 1 of the PTX) an instruction belongs to. What was
/// inlined from a header counts as the line that called it.
class LineTable {
public:
    /// `main`: the number of the kernel's own file.
    explicit LineTable(std::uint64_t main) : m_main(main) {}
    void startFunction() { m_line = 0; }
    void read(TokenStream& tokens);
    std::uint32_t line() const { return m_line; }

private:
    struct Location {
        std::uint64_t file = 0, line = 0, column = 0;
        auto operator<=>(const Location&) const = default;
    };
    static Location readLocation(TokenStream& tokens);

    std::map<Location, std::uint32_t> m_lines; ///< every location seen so far and its line in the kernel's own file
    std::uint64_t m_main;
    std::uint32_t m_line = 0;
};

/// Statements of one function from after its '{' to its '}', which is consumed. `names` keeps those that do not stand
/// in the text. Throws SyntaxError.
std::vector<Statement> parseBody(TokenStream& tokens, LineTable& lines, std::deque<std::string>& names);

/// ".reg .b32 %r<5>, %x;" after ".reg". A vector is declared element by element (declarations.h).
void parseRegisters(TokenStream& tokens, std::vector<Statement>& out, std::deque<std::string>& names);

/// Skips ".section name { … }" after ".section".
void skipSection(TokenStream& tokens);

/// ""nounroll", …;" after ".pragma": whether a text has that word.
bool parsePragma(TokenStream& tokens);

/// Skips to after the next ';'.
void skipStatement(TokenStream& tokens);

} // namespace ridge::gpu::simt
