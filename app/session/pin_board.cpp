// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/session/pin_board.h"

#include <algorithm>

namespace ridge::app {

bool PinBoard::contains(const QString& key) const
{
    return std::any_of(m_pins.begin(), m_pins.end(), [&](const Pin& pin) { return pin.key == key; });
}

QString PinBoard::freeLetter() const
{
    for (char letter = 'A';; ++letter) {
        const QString name(QLatin1Char{letter});
        if (std::none_of(m_pins.begin(), m_pins.end(), [&](const Pin& pin) { return pin.letter == name; }))
            return name;
    }
}

Result<void> PinBoard::add(Pin pin)
{
    std::erase_if(pin.runs, [](const record::RunRow& run) { return run.status != "finished"; });
    if (pin.runs.empty())
        return Error{"nothing-to-pin", "There is no finished run to pin.", pin.name.toStdString(),
                     "Run it first, or choose a run that finished."};
    const auto known = std::find_if(m_pins.begin(), m_pins.end(), [&](const Pin& each) { return each.key == pin.key; });
    if (known != m_pins.end()) {
        pin.letter = known->letter;
        *known = std::move(pin);
        Q_EMIT changed();
        return {};
    }
    if (m_pins.size() >= kMaxPins)
        return Error{"pins-full", "Eight are pinned already, as many as a chart can tell apart.",
                     pin.name.toStdString(), "Unpin one of them first."};
    pin.letter = freeLetter();
    m_pins.push_back(std::move(pin));
    Q_EMIT changed();
    return {};
}

void PinBoard::remove(const QString& key)
{
    if (std::erase_if(m_pins, [&](const Pin& pin) { return pin.key == key; }) > 0)
        Q_EMIT changed();
}

void PinBoard::clear()
{
    if (m_pins.empty())
        return;
    m_pins.clear();
    Q_EMIT changed();
}

void PinBoard::setBaseline(const QString& key)
{
    const auto found = std::find_if(m_pins.begin(), m_pins.end(), [&](const Pin& pin) { return pin.key == key; });
    if (found == m_pins.end() || found == m_pins.begin())
        return;
    std::rotate(m_pins.begin(), found, found + 1);
    Q_EMIT changed();
}

} // namespace ridge::app

#include "moc_pin_board.cpp"
