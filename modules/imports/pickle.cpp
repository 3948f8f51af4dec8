// SPDX-License-Identifier: GPL-3.0-or-later
#include "imports/pickle.h"

#include <bit>
#include <string>

namespace ridge::imports {

namespace {

/// A long history has some millions of values; each takes 64 bytes here.
constexpr std::size_t kMostValues = 8'000'000;

} // namespace

class PickleReader {
public:
    PickleReader(std::string_view bytes, const std::string& name) : m_bytes(bytes), m_name(name)
    {
        m_pickle.m_nodes.emplace_back();
    }

    Result<Pickle> read()
    {
        while (!m_stopped && !m_error) {
            if (m_at >= m_bytes.size())
                fail("ends in the middle", "It was cut off; copy it again");
            else
                step(static_cast<unsigned char>(m_bytes[m_at++]));
        }
        if (m_error)
            return *m_error;
        if (m_stack.size() != 1)
            return error("leaves " + std::to_string(m_stack.size()) + " values", "It is damaged; make it again");
        m_pickle.m_root = m_stack.front();
        return std::move(m_pickle);
    }

private:
    using Id = Pickle::Id;
    using Kind = Pickle::Kind;

    Error error(const std::string& what, const std::string& fix) const
    {
        return {"bad-pickle", "The pickle " + what, m_name + ", byte " + std::to_string(m_at), fix};
    }
    void fail(const std::string& what, const std::string& fix = "It is damaged; make it again")
    {
        if (!m_error)
            m_error = error(what, fix);
    }

    std::string_view take(std::uint64_t count)
    {
        if (count > m_bytes.size() - m_at) {
            fail("ends in the middle", "It was cut off; copy it again");
            return {};
        }
        const std::string_view taken = m_bytes.substr(m_at, count);
        m_at += count;
        return taken;
    }
    std::uint64_t unsignedOf(std::size_t count)
    {
        std::uint64_t value = 0;
        const std::string_view raw = take(count);
        for (std::size_t i = 0; i < raw.size(); ++i)
            value |= std::uint64_t(static_cast<unsigned char>(raw[i])) << (8 * i);
        return value;
    }

    void push(Kind kind, double number = 0, std::string_view text = {}, std::vector<Id> items = {})
    {
        if (m_pickle.m_nodes.size() >= kMostValues)
            return fail("holds more than " + std::to_string(kMostValues) + " values", "Record a shorter history");
        m_stack.push_back(static_cast<Id>(m_pickle.m_nodes.size()));
        m_pickle.m_nodes.push_back({kind, number, text, std::move(items)});
    }
    void pushText(std::uint64_t length) { push(Kind::Text, 0, take(length)); }

    Id pop()
    {
        if (m_stack.size() <= (m_marks.empty() ? 0 : m_marks.back())) {
            fail("takes more values than it has");
            return Pickle::none();
        }
        const Id id = m_stack.back();
        m_stack.pop_back();
        return id;
    }
    std::vector<Id> popToMark()
    {
        if (m_marks.empty()) {
            fail("ends a group it never began");
            return {};
        }
        std::vector<Id> items(m_stack.begin() + static_cast<std::ptrdiff_t>(m_marks.back()), m_stack.end());
        m_stack.resize(m_marks.back());
        m_marks.pop_back();
        return items;
    }
    void tuple(std::size_t count)
    {
        std::vector<Id> items(count);
        for (std::size_t i = count; i > 0; --i)
            items[i - 1] = pop();
        push(Kind::List, 0, {}, std::move(items));
    }
    void extend(Kind kind, const std::vector<Id>& items)
    {
        if (m_stack.empty() || m_pickle.m_nodes[m_stack.back()].kind != kind ||
            (kind == Kind::Dict && items.size() % 2 != 0))
            return fail("adds to a value that is no list or dictionary");
        std::vector<Id>& into = m_pickle.m_nodes[m_stack.back()].items;
        into.insert(into.end(), items.begin(), items.end());
    }
    void remember(std::uint64_t slot)
    {
        if (m_stack.empty() || slot > kMostValues)
            return fail("remembers a value it does not have");
        if (m_memo.size() <= slot)
            m_memo.resize(slot + 1, Pickle::none());
        m_memo[slot] = m_stack.back();
        ++m_remembered;
    }
    void recall(std::uint64_t slot)
    {
        if (slot >= m_memo.size())
            return fail("recalls a value it never remembered");
        m_stack.push_back(m_memo[slot]);
    }

    void step(unsigned char op)
    {
        switch (op) {
        case 0x80: // PROTO
            if (const auto protocol = unsignedOf(1); protocol > 5)
                fail("is of protocol " + std::to_string(protocol), "Write it with protocol 4 or 5");
            return;
        case 0x95: // FRAME
            take(8);
            return;
        case '.':
            m_stopped = true;
            return;
        case '(':
            m_marks.push_back(m_stack.size());
            return;
        case '0':
            pop();
            return;
        case '1':
            popToMark();
            return;
        case 'N':
            return push(Kind::None);
        case 0x88:
            return push(Kind::Boolean, 1);
        case 0x89:
            return push(Kind::Boolean, 0);
        case 'J':
            return push(Kind::Integer, static_cast<std::int32_t>(unsignedOf(4)));
        case 'K':
            return push(Kind::Integer, static_cast<double>(unsignedOf(1)));
        case 'M':
            return push(Kind::Integer, static_cast<double>(unsignedOf(2)));
        case 0x8a:
            return longInteger();
        case 'G':
            return real();
        case 0x8c:
            return pushText(unsignedOf(1));
        case 'X':
            return pushText(unsignedOf(4));
        case 0x8d:
            return pushText(unsignedOf(8));
        case 'U':
        case 'C':
            return pushText(unsignedOf(1));
        case 'T':
        case 'B':
            return pushText(unsignedOf(4));
        case ']':
            return push(Kind::List);
        case '}':
            return push(Kind::Dict);
        case ')':
            return push(Kind::List);
        case 't': {
            auto items = popToMark();
            return push(Kind::List, 0, {}, std::move(items));
        }
        case 0x85:
            return tuple(1);
        case 0x86:
            return tuple(2);
        case 0x87:
            return tuple(3);
        case 'a':
            return extend(Kind::List, {pop()});
        case 'e':
            return extend(Kind::List, popToMark());
        case 's': {
            const Id value = pop();
            const Id key = pop();
            return extend(Kind::Dict, {key, value});
        }
        case 'u':
            return extend(Kind::Dict, popToMark());
        case 'q':
            return remember(unsignedOf(1));
        case 'r':
            return remember(unsignedOf(4));
        case 0x94:
            return remember(m_remembered);
        case 'h':
            return recall(unsignedOf(1));
        case 'j':
            return recall(unsignedOf(4));
        default:
            return refuse(op);
        }
    }

    void refuse(unsigned char op)
    {
        static constexpr std::string_view calling = "cioRb\x81\x82\x83\x84\x92\x93PQ";
        if (calling.find(static_cast<char>(op)) != std::string_view::npos)
            return fail("wants to run code of its maker, which is refused",
                        "Save only what torch.cuda.memory._dump_snapshot writes: numbers, texts, lists, dictionaries");
        static constexpr std::string_view digits = "0123456789abcdef";
        fail(std::string("has the unknown instruction 0x") + digits[op >> 4] + digits[op & 15],
             "Write it with protocol 4 or 5 of Python's pickle");
    }

    void longInteger()
    {
        const std::uint64_t count = unsignedOf(1);
        const std::string_view raw = take(count);
        // PyTorch writes the line of a frame that has none as 2^64 - 1, in nine bytes
        const bool positive = count == 9 && raw.size() == 9 && raw.back() == 0;
        if (count > 8 && !positive)
            return fail("holds an integer beyond 64 bits");
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < std::min<std::size_t>(raw.size(), 8); ++i)
            bits |= std::uint64_t(static_cast<unsigned char>(raw[i])) << (8 * i);
        if (positive)
            return push(Kind::Integer, static_cast<double>(bits));
        if (!raw.empty() && count < 8 && (static_cast<unsigned char>(raw.back()) & 0x80) != 0)
            bits |= ~std::uint64_t(0) << (8 * count);
        push(Kind::Integer, static_cast<double>(static_cast<std::int64_t>(bits)));
    }
    void real()
    {
        const std::string_view raw = take(8);
        std::uint64_t bits = 0;
        for (const char c : raw)
            bits = bits << 8 | static_cast<unsigned char>(c);
        push(Kind::Real, std::bit_cast<double>(bits));
    }

    std::string_view m_bytes;
    const std::string& m_name;
    std::size_t m_at = 0;
    Pickle m_pickle;
    std::vector<Id> m_stack, m_memo;
    std::vector<std::size_t> m_marks;
    std::uint64_t m_remembered = 0;
    bool m_stopped = false;
    std::optional<Error> m_error;
};

Result<Pickle> Pickle::parse(std::string_view bytes, const std::string& name)
{
    return PickleReader(bytes, name).read();
}

Pickle::Id Pickle::at(Id id, std::string_view key) const
{
    const Node& node = m_nodes[id];
    if (node.kind != Kind::Dict)
        return none();
    for (std::size_t i = 0; i + 1 < node.items.size(); i += 2)
        if (m_nodes[node.items[i]].kind == Kind::Text && m_nodes[node.items[i]].text == key)
            return node.items[i + 1];
    return none();
}

} // namespace ridge::imports
