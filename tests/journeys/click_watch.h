// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <array>
#include <csignal>
#include <cstring>
#include <execinfo.h>
#include <unistd.h>

/// Of the sanitizers, where the program has them: they end it without a signal.
extern "C" __attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)());

namespace ridge::app::clicking {

inline QString s(const char* text)
{
    return QString::fromUtf8(text);
}

/// The last actions, as bytes that a signal handler may write.
inline constexpr std::size_t kKept = 30, kLine = 240;
inline std::array<std::array<char, kLine>, kKept> g_lines;
inline std::size_t g_count = 0;
inline char g_head[kLine] = "";

inline void put(const char* text)
{
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, std::strlen(text));
}

inline void keep(const QString& action)
{
    const QByteArray bytes = (QString::number(g_count + 1) + s(". ") + action).toUtf8().left(kLine - 2) + '\n';
    auto& line = g_lines[g_count++ % kKept];
    std::memcpy(line.data(), bytes.constData(), std::size_t(bytes.size()) + 1);
}

inline void tellActions()
{
    put(g_head);
    for (std::size_t i = g_count > kKept ? g_count - kKept : 0; i < g_count; ++i)
        put(g_lines[i % kKept].data());
}

inline constexpr std::array kFatal = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTERM};
inline std::array<struct sigaction, kFatal.size()> g_before;

inline void onFatal(int number)
{
    for (std::size_t i = 0; i < kFatal.size(); ++i)
        ::sigaction(kFatal[i], &g_before[i], nullptr); // then it falls over once more, as it would have
    tellActions();
    void* frames[64];
    ::backtrace_symbols_fd(frames, ::backtrace(frames, 64), STDERR_FILENO);
    if (number == SIGTERM)
        ::raise(number);
}

inline void watchForCrashes()
{
    static std::array<char, 1 << 16> stack; // the program's own may be used up
    stack_t other{};
    other.ss_sp = stack.data();
    other.ss_size = stack.size();
    ::sigaltstack(&other, nullptr);
    struct sigaction action {};
    action.sa_handler = onFatal;
    action.sa_flags = SA_ONSTACK | SA_NODEFER;
    for (std::size_t i = 0; i < kFatal.size(); ++i)
        ::sigaction(kFatal[i], &action, &g_before[i]);
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(tellActions);
}

} // namespace ridge::app::clicking
