// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/live/place.h"

#include "bundle/keys.h"

#include <QHostAddress>
#include <QNetworkInterface>

namespace ridge::live {
namespace {

constexpr std::string_view kLetters = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"; // Crockford's base 32
constexpr std::size_t kCodeLetters = 8;

} // namespace

std::string newCode()
{
    const bundle::Secret random = bundle::randomSecret();
    std::string code;
    for (std::size_t i = 0; i < kCodeLetters; ++i)
        code += kLetters[static_cast<unsigned char>(random.bytes()[i]) % kLetters.size()];
    return code;
}

std::string codeForPeople(const std::string& code)
{
    return code.substr(0, kCodeLetters / 2) + "-" + code.substr(std::min(code.size(), kCodeLetters / 2));
}

Result<std::string> readCode(std::string_view typed)
{
    std::string code;
    bool good = true;
    for (char letter : typed) {
        if (letter == '-' || letter == ' ')
            continue;
        if (letter >= 'a' && letter <= 'z')
            letter = static_cast<char>(letter - 'a' + 'A');
        letter = letter == 'O' ? '0' : letter == 'I' || letter == 'L' ? '1' : letter;
        good = good && kLetters.find(letter) != std::string_view::npos;
        code += letter;
    }
    if (!good || code.size() != kCodeLetters)
        return Error{"live-code", "A session's code has eight letters and digits", std::string(typed),
                     "Type it as your teacher shows it, for example K7QM-3XRP"};
    return code;
}

Result<SessionPlace> readPlace(std::string_view typed)
{
    const Error bad{"live-address", "This is not the address of a session", std::string(typed),
                    "Type numbers as your teacher shows them, for example 192.168.1.20:50505"};
    QString text = QString::fromUtf8(typed.data(), static_cast<qsizetype>(typed.size())).trimmed();
    QString port;
    if (text.startsWith(QLatin1Char('['))) {
        const qsizetype end = text.indexOf(QLatin1Char(']'));
        const QString rest = end < 0 ? QString() : text.mid(end + 1);
        if (end < 0 || (!rest.isEmpty() && !rest.startsWith(QLatin1Char(':'))))
            return bad;
        port = rest.isEmpty() ? QString() : rest.mid(1);
        if (!rest.isEmpty() && port.isEmpty())
            return bad;
        text = text.mid(1, end - 1);
    } else if (text.count(QLatin1Char(':')) == 1) {
        port = text.section(QLatin1Char(':'), 1);
        text = text.section(QLatin1Char(':'), 0, 0);
        if (port.isEmpty())
            return bad;
    }
    // QHostAddress takes "10.1" and "167772161" too, which people read otherwise than machines do.
    const bool dotted = text.contains(QLatin1Char(':')) || text.count(QLatin1Char('.')) == 3;
    QHostAddress address;
    if (!dotted || !address.setAddress(text) || address.isNull() || address.isMulticast() || address.isBroadcast() ||
        address == QHostAddress(QHostAddress::AnyIPv4) || address == QHostAddress(QHostAddress::AnyIPv6))
        return bad;
    bool isNumber = true;
    const uint number = port.isEmpty() ? kPort : port.toUInt(&isNumber);
    if (!isNumber || number == 0 || number > 65535)
        return bad;
    return SessionPlace{address.toString().toStdString(), static_cast<std::uint16_t>(number)};
}

std::string placeForPeople(const SessionPlace& place)
{
    const bool six = place.address.find(':') != std::string::npos;
    return (six ? "[" + place.address + "]" : place.address) + ":" + std::to_string(place.port);
}

std::vector<std::string> ownAddresses()
{
    std::vector<std::string> four, six;
    for (const QNetworkInterface& interface : QNetworkInterface::allInterfaces()) {
        const auto flags = interface.flags();
        if (!(flags & QNetworkInterface::IsUp) || !(flags & QNetworkInterface::IsRunning) ||
            (flags & QNetworkInterface::IsLoopBack))
            continue;
        for (const QNetworkAddressEntry& entry : interface.addressEntries()) {
            const QHostAddress address = entry.ip();
            if (!address.isLoopback() && !address.isLinkLocal())
                (address.protocol() == QAbstractSocket::IPv4Protocol ? four : six)
                    .push_back(address.toString().toStdString());
        }
    }
    four.insert(four.end(), six.begin(), six.end());
    return four;
}

} // namespace ridge::live
