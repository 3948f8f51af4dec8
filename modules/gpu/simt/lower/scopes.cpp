// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lower/scopes.h"
#include "gpu/simt/ptx/token_stream.h"

#include <charconv>

namespace ridge::gpu::simt {

void Scopes::declare(std::string_view name, const Symbol& symbol, Place place)
{
    if (!m_scopes.back().names.emplace(name, symbol).second)
        throw SyntaxError{badPtx(place, "the name '" + std::string(name) + "' is declared twice")};
    m_scopes.back().hasRanges = m_scopes.back().hasRanges || symbol.kind == Symbol::Kind::Range;
}

Symbol* Scopes::find(std::string_view name)
{
    for (auto scope = m_scopes.rbegin(); scope != m_scopes.rend(); ++scope) {
        const auto found = scope->names.find(name);
        if (found != scope->names.end() && found->second.kind != Symbol::Kind::Range)
            return &found->second;
        if (Symbol* one = scope->hasRanges ? ofRange(*scope, name) : nullptr)
            return one;
    }
    return nullptr;
}

Symbol* Scopes::ofRange(Scope& scope, std::string_view name)
{
    std::size_t digits = name.size();
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
        --digits;
    // A name may itself end in digits: %p1 declared as %p1<4> gives %p10 … %p13.
    for (; digits < name.size(); ++digits) {
        const std::string_view number = name.substr(digits);
        if (number.size() > 8 || (number.size() > 1 && number[0] == '0'))
            continue;
        std::uint32_t index = 0;
        std::from_chars(number.data(), number.data() + number.size(), index);
        const auto range = scope.names.find(name.substr(0, digits));
        if (range == scope.names.end() || range->second.kind != Symbol::Kind::Range || index >= range->second.count)
            continue;
        Symbol one;
        one.type = range->second.type;
        return &(scope.names[name] = one);
    }
    return nullptr;
}

} // namespace ridge::gpu::simt
