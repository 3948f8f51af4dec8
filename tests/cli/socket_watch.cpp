// SPDX-License-Identifier: GPL-3.0-or-later
// Loaded in front of the C library (LD_PRELOAD): notes every socket that is not between processes of one machine in the
// file that RIDGE_SOCKET_LOG names.
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <sys/socket.h>
#include <unistd.h>

extern "C" int socket(int domain, int type, int protocol) noexcept
{
    using Socket = int (*)(int, int, int);
    static const auto real = reinterpret_cast<Socket>(dlsym(RTLD_NEXT, "socket"));
    if (const char* log = std::getenv("RIDGE_SOCKET_LOG"); log != nullptr && domain != AF_UNIX)
        if (std::FILE* file = std::fopen(log, "a")) {
            std::fprintf(file, "%d opened a socket of family %d\n", int(::getpid()), domain);
            std::fclose(file);
        }
    return real(domain, type, protocol);
}
