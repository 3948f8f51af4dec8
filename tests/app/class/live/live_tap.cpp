// SPDX-License-Identifier: GPL-3.0-or-later
// A program for tst_live_wire: what passes an interface, as it passes. Writes a line "listening" once it sees, then for
// each packet one byte (1: it went out), its length as 32 bits, and the packet from its Ethernet header on. Ends with
// standard input.
#include <arpa/inet.h>
#include <cstdint>
#include <cstdio>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

int main(int argc, char** argv)
{
    const int tap = argc == 2 ? socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL)) : -1;
    sockaddr_ll place{};
    place.sll_family = AF_PACKET;
    place.sll_protocol = htons(ETH_P_ALL);
    place.sll_ifindex = argc == 2 ? static_cast<int>(if_nametoindex(argv[1])) : 0;
    if (tap < 0 || place.sll_ifindex == 0 || bind(tap, reinterpret_cast<sockaddr*>(&place), sizeof place) != 0)
        return 1;
    std::puts("listening");
    std::fflush(stdout);
    std::vector<char> packet(1 << 17);
    for (;;) {
        pollfd ready[] = {{tap, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
        poll(ready, 2, -1);
        if (ready[0].revents & POLLIN) {
            sockaddr_ll from{};
            socklen_t size = sizeof from;
            const ssize_t got =
                recvfrom(tap, packet.data(), packet.size(), 0, reinterpret_cast<sockaddr*>(&from), &size);
            if (got > 0) {
                const auto length = static_cast<std::uint32_t>(got);
                std::fputc(from.sll_pkttype == PACKET_OUTGOING, stdout);
                std::fwrite(&length, sizeof length, 1, stdout);
                std::fwrite(packet.data(), 1, length, stdout);
                std::fflush(stdout);
            }
        } else if (ready[1].revents != 0) {
            return 0; // everything that had come is written
        }
    }
}
