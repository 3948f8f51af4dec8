// SPDX-License-Identifier: GPL-3.0-or-later
// How libFuzzer changes a kernel that is run: what it addresses, with which register and displacement, by which
// instruction. Bytes at random seldom parse.
#include <array>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

/// R, D, F, H, P: a register of 32 or 64 bits, a single, of 16 bits, a predicate; N: a number; A, B: an address with a
/// displacement of 32 and 64 bits.
constexpr std::array kInstructions{
    "ld.shared.u32 R, A;",
    "ld.shared.u8 R, A;",
    "ld.shared.v2.u32 {R, R}, A;",
    "ld.shared.v4.u32 {R, R, R, R}, A;",
    "ld.shared.v2.u64 {D, D}, A;",
    "ld.volatile.shared.u32 R, A;",
    "st.shared.u32 A, R;",
    "st.shared.u16 A, H;",
    "st.shared.v4.f32 A, {F, F, F, F};",
    "st.volatile.shared.u32 A, R;",
    "atom.shared.add.u32 R, A, R;",
    "atom.shared.cas.b64 D, A, D, D;",
    "red.shared.max.u32 A, R;",
    "ld.local.u32 R, A;",
    "ld.local.v2.u64 {D, D}, A;",
    "st.local.u32 A, R;",
    "st.local.v4.u32 A, {R, R, R, R};",
    "ld.shared.u32 R, B;",
    "st.local.u64 B, D;",
    "ld.u32 R, B;",
    "st.u32 B, R;",
    "st.v2.u64 B, {D, D};",
    "atom.add.u32 R, B, R;",
    "ld.global.u32 R, B;",
    "st.global.v4.u32 B, {R, R, R, R};",
    "red.global.add.f32 B, F;",
    "st.volatile.global.u32 B, R;",
    "ld.const.u32 R, A;",
    "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {R, R, R, R}, A;",
    "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {R}, A;",
    "stmatrix.sync.aligned.m8n8.x2.shared.b16 A, {R, R};",
    "cp.async.ca.shared.global A, B, 4;",
    "cp.async.cg.shared.global A, B, 16, R;",
    "cp.async.commit_group;",
    "cp.async.wait_group 0;",
    "cp.async.wait_all;",
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes A, B, R, A;",
    "cp.async.bulk.global.shared::cta.bulk_group B, A, R;",
    "mbarrier.init.shared.b64 A, R;",
    "mbarrier.arrive.shared.b64 D, A;",
    "mbarrier.arrive.expect_tx.shared.b64 D, A, R;",
    "mbarrier.test_wait.shared.b64 P, A, D;",
    "mbarrier.inval.shared.b64 A;",
    "cp.async.mbarrier.arrive.shared.b64 A;",
    "mbarrier.pending_count.b64 R, D;",
    "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 A, R, A;",
    "mapa.shared::cluster.u32 R, R, R;",
    "mapa.u64 D, D, R;",
    "cvta.shared.u64 D, D;",
    "cvta.to.shared.u64 D, D;",
    "cvta.local.u64 D, D;",
    "isspacep.shared P, D;",
    "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {R, R, R, R, R, R, R, R}, A, R;",
    "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 A, {F, F, F, F, F, F, F, F}, R;",
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {F, F, F, F}, D, D, 1, 1, 1, 0, 0;",
    "bar.sync 0;",
    "bar.warp.sync 0xffffffff;",
    "barrier.cluster.arrive.aligned;",
    "barrier.cluster.wait.aligned;",
    "shfl.sync.idx.b32 R, R, R, 31, 0xffffffff;",
    "mov.u32 R, N;",
    "mov.u64 D, N;",
    "mov.u32 R, %laneid;",
    "mov.u32 R, tile;",
    "mov.u64 D, loc;",
    "add.u32 R, R, N;",
    "sub.u32 R, R, R;",
    "mad.lo.u32 R, R, R, R;",
    "shl.b32 R, R, 4;",
    "and.b32 R, R, N;",
    "add.u64 D, D, N;",
    "sub.u64 D, D, D;",
    "mul.wide.u32 D, R, R;",
    "cvt.u64.u32 D, R;",
    "cvt.u32.u64 R, D;",
    "setp.lt.u32 P, R, R;",
    "selp.b32 R, R, R, P;",
    "div.u32 R, R, R;",
    "@P ld.shared.u32 R, A;",
    "@!P st.local.u32 A, R;",
    "@P exit;",
};

constexpr std::array<const char*, 34> kNumbers{"0",
                                               "1",
                                               "4",
                                               "8",
                                               "15",
                                               "16",
                                               "31",
                                               "32",
                                               "64",
                                               "255",
                                               "256",
                                               "2048",
                                               "4080",
                                               "4096",
                                               "8188",
                                               "8192",
                                               "16368",
                                               "16380",
                                               "16383",
                                               "16384",
                                               "16777216",
                                               "16777220",
                                               "33554432",
                                               "2147483647",
                                               "4294965248",
                                               "-1",
                                               "-4",
                                               "-16",
                                               "-2048",
                                               "-8192",
                                               "-16384",
                                               "-2147483648",
                                               "139637976727552",
                                               "138538465099776"};

class Mutator {
public:
    explicit Mutator(unsigned seed) : m_random(seed) {}

    std::string operator()(std::string text)
    {
        for (std::size_t left = 1 + below(4); left != 0; --left) {
            switch (below(7)) {
            case 0:
                replaceAddress(text);
                break;
            case 1:
                replaceNumber(text);
                break;
            case 2:
                replaceRegister(text);
                break;
            case 3:
                removeInstruction(text);
                break;
            default:
                insertInstruction(text);
            }
        }
        return text;
    }

private:
    std::size_t below(std::size_t count) { return count < 2 ? 0 : m_random() % count; }
    std::string number()
    {
        return below(8) == 0 ? std::to_string(below(20000)) : std::string(kNumbers[below(kNumbers.size())]);
    }
    std::string registerOf(const char* prefix) { return prefix + std::to_string(below(8)); }
    std::string address(const char* prefix)
    {
        const std::string base = below(6) == 0 ? std::string(below(2) == 0 ? "tile" : "loc") : registerOf(prefix);
        const std::string shift = number();
        return "[" + base + (shift[0] == '-' ? "" : "+") + shift + "]";
    }

    std::string instruction()
    {
        std::string made;
        for (const std::string_view word(kInstructions[below(kInstructions.size())]); const char letter : word) {
            switch (letter) {
            case 'R':
                made += registerOf("%r");
                break;
            case 'D':
                made += registerOf("%rd");
                break;
            case 'F':
                made += registerOf("%f");
                break;
            case 'H':
                made += registerOf("%rs");
                break;
            case 'P':
                made += registerOf("%p");
                break;
            case 'N':
                made += number();
                break;
            case 'A':
                made += address("%r");
                break;
            case 'B':
                made += address("%rd");
                break;
            default:
                made += letter;
            }
        }
        return made;
    }

    /// Behind one of the instructions of the text, with a chance that grows towards its end: declarations come first.
    std::size_t endOfInstruction(const std::string& text)
    {
        std::vector<std::size_t> ends;
        for (std::size_t at = text.find(';'); at != std::string::npos; at = text.find(';', at + 1))
            ends.push_back(at + 1);
        return ends.empty() ? std::string::npos : ends[std::max(below(ends.size()), below(ends.size()))];
    }
    void insertInstruction(std::string& text)
    {
        if (const std::size_t at = endOfInstruction(text); at != std::string::npos)
            text.insert(at, "\n" + instruction());
    }
    void removeInstruction(std::string& text)
    {
        const std::size_t end = endOfInstruction(text);
        if (end == std::string::npos || end < 2)
            return;
        const std::size_t before = text.find_last_of(";{}", end - 2);
        if (before != std::string::npos)
            text.erase(before + 1, end - before - 1);
    }
    void replaceAddress(std::string& text)
    {
        std::vector<std::size_t> opens;
        for (std::size_t at = text.find("[%"); at != std::string::npos; at = text.find("[%", at + 1))
            opens.push_back(at);
        if (opens.empty())
            return insertInstruction(text);
        const std::size_t at = opens[below(opens.size())];
        const std::size_t end = text.find(']', at);
        if (end != std::string::npos)
            text.replace(at, end + 1 - at, address(text.compare(at, 4, "[%rd") == 0 ? "%rd" : "%r"));
    }
    void replaceNumber(std::string& text)
    {
        std::vector<std::size_t> starts;
        for (std::size_t at = 1; at < text.size(); ++at)
            if (std::isdigit(static_cast<unsigned char>(text[at])) != 0 && std::strchr(" ,+[", text[at - 1]) != nullptr)
                starts.push_back(at);
        if (starts.empty())
            return;
        const std::size_t at = starts[below(starts.size())];
        std::size_t end = at;
        while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end])) != 0)
            ++end;
        text.replace(at, end - at, number());
    }
    void replaceRegister(std::string& text)
    {
        std::vector<std::size_t> starts;
        for (std::size_t at = text.find('%'); at != std::string::npos; at = text.find('%', at + 1))
            starts.push_back(at);
        if (starts.empty())
            return;
        std::size_t at = starts[below(starts.size())] + 1;
        while (at < text.size() && std::isalpha(static_cast<unsigned char>(text[at])) != 0)
            ++at;
        std::size_t end = at;
        while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0)
            ++end;
        if (end != at)
            text.replace(at, end - at, std::to_string(below(10)));
    }

    std::minstd_rand m_random;
};

} // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed)
{
    if (seed % 32 == 0)
        return LLVMFuzzerMutate(data, size, most);
    const std::string text = Mutator(seed + 1)(std::string(reinterpret_cast<char*>(data), size));
    if (text.size() > most)
        return LLVMFuzzerMutate(data, size, most);
    std::memcpy(data, text.data(), text.size());
    return text.size();
}
