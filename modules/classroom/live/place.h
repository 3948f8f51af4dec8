// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Where a session is and what it is called: what a teacher reads out and a learner types.
namespace ridge::live {

/// Tried first by a session; where another program has it, any free one.
inline constexpr std::uint16_t kPort = 50505;

/// Eight letters and digits of 32 that are not mistaken for one another (no I, L, O, U): 40 random bits.
std::string newCode();
/// "K7QM3XRP" as "K7QM-3XRP".
std::string codeForPeople(const std::string& code);
/// What somebody typed: case, spaces and dashes do not matter, O is 0, I and L are 1. Error "live-code".
Result<std::string> readCode(std::string_view typed);

struct SessionPlace {
    std::string address; ///< IPv4 or IPv6, numeric
    std::uint16_t port = kPort;
    bool operator==(const SessionPlace&) const = default;
};
/// "192.168.1.20:50505"; IPv6 in brackets; without a port kPort. Names are refused, since looking them up would ask
/// another computer. Error "live-address".
Result<SessionPlace> readPlace(std::string_view typed);
std::string placeForPeople(const SessionPlace& place);

/// The addresses by which others in the room may reach this computer: of interfaces that are up, without loopback and
/// link-local ones, IPv4 first. Asks the system for its interfaces, so call it only in an open session.
std::vector<std::string> ownAddresses();

} // namespace ridge::live
