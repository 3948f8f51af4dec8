// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/simt/lower/scopes.h"
#include "gpu/simt/ptx/token_stream.h"

#include <charconv>

namespace ridge::gpu::simt {

void Scopes::declare(std::string_view name, const Symbol& symbol, Place place)
{
    if (!m_scopes.back().emplace(name, symbol).second)
        throw SyntaxError{badPtx(place, "the name '" + std::string(name) + "' is declared twice")};
}

Symbol* Scopes::find(std::string_view name)
{
    for (auto scope = m_scopes.rbegin(); scope != m_scopes.rend(); ++scope) {
        const auto found = scope->find(name);
        if (found != scope->end() && found->second.kind != Symbol::Kind::Range)
            return &found->second;
    }
    return nullptr;
}

Scopes::Ranged Scopes::findRange(std::string_view name)
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
        for (std::size_t scope = m_scopes.size(); scope-- > 0;) {
            const auto found = m_scopes[scope].find(name.substr(0, digits));
            if (found != m_scopes[scope].end() && found->second.kind == Symbol::Kind::Range &&
                index < found->second.count)
                return {&found->second, scope};
        }
    }
    return {};
}

} // namespace ridge::gpu::simt
