// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/collect.h"

namespace ridge::classroom {

/// A file's name as rows and documents can hold it: U+FFFD where it is no UTF-8, as names from old media are.
std::string fileNameOf(const std::filesystem::path& file);

/// A file that a collection of this class could not take.
struct Refused {
    std::string file, digest; ///< SHA-256 of its bytes; empty: it could not be read at all
    std::string reason;       ///< what is wrong and what to do
    std::string since;        ///< ISO 8601 UTC
    Person who;               ///< as far as file or name tell it
    bool operator==(const Refused&) const = default;
};

/// Those that wait for a better file or for the instructor's word, oldest first. Errors: those of the database.
Result<std::vector<Refused>> refusedFiles(OpenClass& open);

/// Takes files off that list; what they were stays in the class's rows. `which`: a file's name, or the beginning (8
/// digits at least) of its digest. Gives how many. Errors: "unknown-file" (nothing on the list is called so), those of
/// the database.
Result<int> dismissRefused(OpenClass& open, const std::string& which);

/// What a collection refuses and what it takes, as rows of the class. Owned by a collection.
class RefusalBook {
public:
    explicit RefusalBook(std::vector<record::RefusalRow> known) : m_known(std::move(known)) {}
    /// `bytes` null: it could not be read. Nothing new where this very file was refused, or dismissed, for the same
    /// reason before.
    void refused(const std::filesystem::path& file, const std::string* bytes, const std::string& reason,
                 std::string learner, const std::vector<record::MemberRow>& members);
    /// Whatever was refused of the same bytes, learner or member is replaced.
    void taken(const std::filesystem::path& file, const std::string& bytes, const std::string& learner,
               const std::vector<record::MemberRow>& members);
    /// Rows to be stored; the book has none afterwards.
    std::vector<record::RefusalRow> take() { return std::exchange(m_fresh, {}); }

private:
    void note(record::RefusalRow row);

    std::vector<record::RefusalRow> m_known; ///< newest of each content and name
    std::vector<record::RefusalRow> m_fresh;
};

Json toJson(const Refused& refused);

} // namespace ridge::classroom
