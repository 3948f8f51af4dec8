// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the machine under a test is steady enough for what it measures: a virtual machine shares its memory and its
// cores with others, and nothing that runs on it can change that.
#pragma once
#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace ridge::test {

/// How far the bandwidth of copying 64 MiB swings over half a second: nine tenths of the copies lie within this factor.
inline double memorySwing()
{
    constexpr std::size_t kBytes = 64U << 20U;
    const std::vector<char> from(kBytes, 1);
    std::vector<char> to(kBytes, 2); // touched once, so that no copy pays for its pages
    std::vector<double> seconds;
    const auto begin = std::chrono::steady_clock::now();
    while (seconds.size() < 20 || std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(500)) {
        const auto start = std::chrono::steady_clock::now();
        std::memcpy(to.data(), from.data(), kBytes);
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(seconds.begin(), seconds.end());
    return to[kBytes / 2] == 1 ? seconds[seconds.size() * 95 / 100] / seconds[seconds.size() * 5 / 100] : 0;
}

/// What the host gave to others while this object lived, from the first line of /proc/stat (proc(5): the eighth figure
/// is stolen time): 1 where nothing was stolen, 1.5 where a third of the time that was wanted was.
class StealClock {
public:
    StealClock() : m_begin(read()) {}

    double swing() const
    {
        const Ticks now = read();
        const double ran = now.ran - m_begin.ran, stolen = now.stolen - m_begin.stolen;
        return ran > 0 ? (ran + stolen) / ran : 1;
    }

private:
    struct Ticks {
        double ran = 0, stolen = 0;
    };
    static Ticks read()
    {
        std::ifstream stat("/proc/stat");
        std::string name;
        double user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, softirq = 0, steal = 0;
        stat >> name >> user >> nice >> system >> idle >> wait >> irq >> softirq >> steal;
        return {user + nice + system + irq + softirq, steal};
    }
    Ticks m_begin;
};

} // namespace ridge::test
