// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json_value.h"

#include <string>
#include <string_view>
#include <vector>

namespace ridge::folio {

struct SchemaFault {
    std::string pointer; ///< JSON pointer of the value, "/artifacts/0/level"
    std::string message; ///< what is there and what is wanted
};

/// Checks a document against a JSON Schema (draft 2020-12) of the words this project uses: type, required, properties,
/// additionalProperties false, items, enum, const, pattern, minimum, maximum, minLength, maxLength, minItems,
/// uniqueItems and $ref into #/$defs. At most 50 faults. A schema with another word is itself a fault, so that nothing
/// is passed unchecked.
std::vector<SchemaFault> checkSchema(const Json& document, const Json& schema);

/// Line (from 1) on which the value of a JSON pointer begins; 1 where it is not there.
int lineOfPointer(std::string_view text, const std::string& pointer);

} // namespace ridge::folio
