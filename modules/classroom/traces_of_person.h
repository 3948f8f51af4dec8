// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ridge::classroom {

/// What tells who sits at a computer, as far as it knows: home folder, account, host.
struct Tells {
    std::string home, account, host; ///< empty: not known, or one that everybody has
};
Tells tellsHere();

/// One plain sentence for each of them that stands in the rows (a line each) or in a file: "The name of your account
/// …". A name counts as a word of its own, in any case; rows carry digests, so that none can be taken out of them.
std::vector<std::string> traceSentences(const Tells& tells, std::string_view rows,
                                        const std::map<std::string, std::string>& files);

} // namespace ridge::classroom
