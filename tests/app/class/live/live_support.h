// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "classroom/live/board.h"

#include <algorithm>

namespace ridge::test {

using namespace live;

/// A class of one assignment with two lessons, each asking for one prediction.
struct LiveRoom {
    classroom::ClassKeys keys = classroom::classKeysFromSeed(std::string(32, 'k')).value();
    SessionPlan plan;

    LiveRoom()
    {
        classroom::Assignment wanted;
        wanted.title = "Week 3";
        wanted.teacher = "R. Hopper";
        wanted.lessons = {{"2.4", "Coalescing", "# Coalescing", {}}, {"2.5", "Banks", "# Banks", {}}};
        plan.assignment = classroom::createAssignment(wanted, keys)->assignment;
        plan.keys = keys;
        plan.code = "K7QM3XRP";
        plan.questions = {{"2.4", "guess", "sectors/request"}, {"2.5", "guess", "ways"}};
    }
    static classroom::Identity learner(int number)
    {
        std::string seed(32, 'l');
        seed[0] = static_cast<char>(number & 0xff);
        seed[1] = static_cast<char>(number >> 8);
        return classroom::identityFromSeed(seed).value();
    }
    Message message(const classroom::Identity& who, std::uint64_t counter, Note note) const
    {
        return {plan.assignment.id, plan.code, who.key.publicKey, counter, std::move(note)};
    }
    std::string frame(const classroom::Identity& who, std::uint64_t counter, Note note) const
    {
        return writeFrame(message(who, counter, std::move(note)), who, plan.assignment.sealKey).value();
    }
    /// A message as nobody's program writes it: any text, sealed to the class, signed by `who`.
    std::string forged(std::string text, const classroom::Identity& who,
                       const std::string& purpose = "ridgepoint-live 1") const
    {
        text.resize(kFrameBytes - 8 - 48 - 64, ' ');
        const std::string signature = bundle::sign(purpose + "\n" + text, who.key);
        return "RIDGELV1" + bundle::seal(bundle::fromHex(signature, 64).value() + text, keys.seal.publicKey).value();
    }
};

/// JSON with its quotation marks written as apostrophes: moc does not read raw strings.
inline std::string quoted(std::string text)
{
    std::replace(text.begin(), text.end(), '\'', '"');
    return text;
}

inline StepNote step(const std::string& lesson, std::array<bool, 5> done = {}, bool here = true)
{
    return {lesson, done, false, here};
}

} // namespace ridge::test
