// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/assignment.h"

#include <array>
#include <cstdint>
#include <variant>

// The messages of the live view, as docs/live.md says them. Pure functions over bytes; no socket, no clock.
namespace ridge::live {

/// Every message of a learner has this many bytes on the wire, whatever it says: who listens learns nothing from sizes,
/// and there is no length that could lie.
inline constexpr std::size_t kFrameBytes = 1024;
/// So has every acknowledgement, the only thing that a teacher's computer ever sends.
inline constexpr std::size_t kAckBytes = 88;

/// How far a learner is in one lesson.
struct StepNote {
    std::string lesson;
    std::array<bool, 5> done{};  ///< in the order of classroom::steps()
    bool passedHeldBack = false; ///< the feedback policy keeps the outcome of checks back: done[2] says nothing
    bool here = false;           ///< the lesson the learner worked on last
    bool operator==(const StepNote&) const = default;
};

/// The first prediction that was committed at a block.
struct PredictionNote {
    std::string lesson, block, unit;
    double point = 0, low = 0, high = 0;
    bool operator==(const PredictionNote&) const = default;
};

/// All that a learner's computer ever tells.
using Note = std::variant<StepNote, PredictionNote>;

/// "step 2.4" or "prediction 2.4 guess": a newer note of the same key takes the place of an older one.
std::string keyOf(const Note& note);

struct Message {
    std::string assignment;    ///< id
    std::string code;          ///< of the session, without the dash
    std::string publicKey;     ///< of the learner, 64 hex digits
    std::uint64_t counter = 0; ///< grows with every message of a learner, 1 to 2^53
    Note note;
};

/// The bytes of a message: signed by the learner, sealed to the class. Errors: "live-too-long" (a name that does not
/// fit), those of bundle::seal.
Result<std::string> writeFrame(const Message& message, const classroom::Identity& identity, const std::string& sealKey);

/// Opens it and checks seal, form, limits and signature. Whether it is for this session is for the board to say.
/// Errors: "live-garbage" (not sealed to this class, or no message), "live-forged" (the signature is not by that key).
Result<Message> readFrame(std::string_view bytes, const bundle::SealKey& key);

enum class AckStatus : std::uint8_t {
    Taken = 0,
    WrongCode = 1,
    OtherAssignment = 2,
    Full = 3,   ///< the session has as many learners as it takes
    Behind = 4, ///< the counter is not above the last one, which `counter` tells: go on from there
    Ended = 5,
};

struct Ack {
    AckStatus status = AckStatus::Taken;
    std::uint64_t counter = 0;
    bool operator==(const Ack&) const = default;
};

/// What an acknowledgement is bound to: it is worth nothing to another learner or in another session.
struct AckFor {
    std::string code, publicKey; ///< as the learner sent them
};
std::string writeAck(const Ack& ack, const AckFor& to, const bundle::SignKey& key);
/// Error "live-no-ack": not of that form, or not signed with the class's key `signKey` for this learner and session.
Result<Ack> readAck(std::string_view bytes, const AckFor& to, const std::string& signKey);

} // namespace ridge::live
