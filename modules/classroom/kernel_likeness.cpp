// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/kernel_likeness.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/kernel_task.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <set>

namespace ridge::classroom {
namespace {

struct Word {
    std::string text;
    bool isName = false;
};

bool startsName(char c)
{
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool continuesName(char c)
{
    return startsName(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// Where a comment, text in quotes or number that begins at `at` ends; `at` where none does.
std::size_t endOfComment(std::string_view s, std::size_t at)
{
    if (s.substr(at, 2) == "//") {
        while (at < s.size() && s[at] != '\n')
            at += s[at] == '\\' && at + 1 < s.size() ? 2 : 1; // a line that goes on
        return std::min(at, s.size());
    }
    if (s.substr(at, 2) == "/*") {
        const auto end = s.find("*/", at + 2);
        return end == std::string_view::npos ? s.size() : end + 2;
    }
    return at;
}

std::size_t endOfText(std::string_view s, std::size_t at)
{
    const char quote = s[at];
    for (++at; at < s.size() && s[at] != quote && s[at] != '\n'; ++at)
        if (s[at] == '\\')
            ++at;
    return std::min(at + 1, s.size());
}

std::size_t endOfNumber(std::string_view s, std::size_t at)
{
    for (++at; at < s.size(); ++at) {
        const bool exponent = (s[at] == '+' || s[at] == '-') && std::string_view("eEpP").find(s[at - 1]) < 4;
        if (!continuesName(s[at]) && s[at] != '.' && s[at] != '\'' && !exponent)
            break;
    }
    return at;
}

std::vector<Word> wordsOf(std::string_view s)
{
    std::vector<Word> words;
    for (std::size_t at = 0; at < s.size();) {
        const char c = s[at];
        if (std::isspace(static_cast<unsigned char>(c)) != 0 || (c == '\\' && s.substr(at + 1, 1) == "\n")) {
            ++at;
            continue;
        }
        if (const std::size_t end = endOfComment(s, at); end != at) {
            at = end;
            continue;
        }
        std::size_t end = at + 1;
        const bool name = startsName(c);
        if (name)
            while (end < s.size() && continuesName(s[end]))
                ++end;
        else if (c == '"' || c == '\'')
            end = endOfText(s, at);
        else if (std::isdigit(static_cast<unsigned char>(c)) != 0 ||
                 (c == '.' && end < s.size() && std::isdigit(static_cast<unsigned char>(s[end])) != 0))
            end = endOfNumber(s, at);
        words.push_back({std::string(s.substr(at, end - at)), name});
        at = end;
    }
    return words;
}

const std::set<std::string, std::less<>>& languageNames()
{
    static const std::set<std::string, std::less<>> names{
        "alignas", "alignof", "auto", "bool", "break", "case", "char", "class", "const", "constexpr", "continue",
        "decltype", "default", "define", "delete", "do", "double", "elif", "else", "endif", "enum", "extern", "false",
        "float", "for", "goto", "if", "ifdef", "ifndef", "include", "inline", "int", "long", "namespace", "new",
        "nullptr", "once", "operator", "pragma", "private", "public", "reinterpret_cast", "return", "short", "signed",
        "sizeof", "static", "static_cast", "struct", "switch", "template", "this", "true", "typedef", "typename",
        "undef", "union", "unroll", "unsigned", "using", "void", "volatile", "while",
        // of CUDA and its headers
        "blockDim", "blockIdx", "gridDim", "threadIdx", "warpSize", "dim3", "half", "half2", "size_t",
        "cooperative_groups", "nvcuda", "wmma", "std", "cuda"};
    return names;
}

/// "float4", "uint8_t", "int2": types that a header defines.
bool isTypeName(const std::string& name)
{
    static const std::set<std::string, std::less<>> bases{
        "char",  "uchar",  "short", "ushort", "int",   "uint",   "long",  "ulong",  "longlong", "ulonglong",
        "float", "double", "int8",  "uint8",  "int16", "uint16", "int32", "uint32", "int64",    "uint64"};
    if (name.ends_with("_t"))
        return bases.contains(name.substr(0, name.size() - 2));
    return !name.empty() && name.back() >= '1' && name.back() <= '4' && bases.contains(name.substr(0, name.size() - 1));
}

constexpr std::size_t kNowhere = ~std::size_t{0};

/// For each opening parenthesis where it closes; kNowhere for all other words.
std::vector<std::size_t> closings(const std::vector<Word>& words)
{
    std::vector<std::size_t> closes(words.size(), kNowhere), open;
    for (std::size_t i = 0; i < words.size(); ++i)
        if (words[i].text == "(") {
            open.push_back(i);
        } else if (words[i].text == ")" && !open.empty()) {
            closes[open.back()] = i;
            open.pop_back();
        }
    return closes;
}

/// A file as its words, with what has to be known of the whole before names get numbers.
struct Code {
    std::vector<Word> words;
    std::vector<std::size_t> closes;
    std::set<std::string> functions; ///< and macros that the file defines itself

    explicit Code(std::string_view source) : words(wordsOf(source)), closes(closings(words))
    {
        for (std::size_t i = 0; i + 1 < words.size(); ++i)
            if (isDefinition(i) || (i > 0 && words[i].isName && words[i - 1].text == "define"))
                functions.insert(words[i].text);
    }
    /// Name, parentheses, and a body: a function's head.
    bool isDefinition(std::size_t at) const
    {
        static const std::set<std::string, std::less<>> statements{"if", "for", "while", "switch"};
        if (!words[at].isName || at + 1 >= words.size() || closes[at + 1] == kNowhere)
            return false;
        const std::size_t next = closes[at + 1] + 1;
        return next < words.size() && words[next].text == "{" && !statements.contains(words[at].text);
    }
    bool isMember(std::size_t at) const
    {
        return at > 0 &&
               (words[at - 1].text == "." || (at > 1 && words[at - 1].text == ">" && words[at - 2].text == "-"));
    }
    /// Whether the file chose the name itself.
    bool isFree(std::size_t at) const
    {
        const Word& word = words[at];
        if (!word.isName || word.text.starts_with("__") || languageNames().contains(word.text) || isTypeName(word.text))
            return false;
        if (isMember(at) && word.text.size() == 1 && std::string_view("xyzw").find(word.text) < 4)
            return false;
        const bool called = at + 1 < words.size() && words[at + 1].text == "(";
        return !called || functions.contains(word.text);
    }
};

/// Gives names their numbers; a name is forgotten where the block, for or function ends in which it came first.
class Numbers {
public:
    explicit Numbers(const Code& code) : m_code(code) {}

    std::string of(const std::string& name)
    {
        const auto [place, fresh] = m_live.emplace(name, m_next);
        if (fresh) {
            m_scopes.back().names.push_back(name);
            ++m_next;
        }
        return "#" + std::to_string(place->second);
    }

    /// Looks at every word in turn for what opens and closes.
    void pass(std::size_t at)
    {
        const std::string& word = m_code.words[at].text;
        const bool head = word == "(" && at > 0 && (m_code.words[at - 1].text == "for" || m_code.isDefinition(at - 1));
        if (head && m_code.closes[at] != kNowhere) {
            open(Ends::WithStatement, m_code.closes[at]);
        } else if (word == "{") {
            open(Ends::AtBrace, 0);
        } else if (word == "}") {
            statementEnds();
            close();
            statementEnds();
        } else if (word == ";" && (m_scopes.back().ends != Ends::WithStatement || at > m_scopes.back().headEnds)) {
            statementEnds();
        }
    }

private:
    enum class Ends { AtBrace, WithStatement };
    struct Scope {
        std::vector<std::string> names; ///< that came first in it
        Ends ends = Ends::AtBrace;
        std::size_t headEnds = 0; ///< of a for or function: the word that closes its head
        int first = 0;            ///< the number that is free again afterwards
    };

    void open(Ends ends, std::size_t headEnds) { m_scopes.push_back({{}, ends, headEnds, m_next}); }
    void close()
    {
        if (m_scopes.size() <= 1)
            return;
        for (const std::string& name : m_scopes.back().names)
            m_live.erase(name);
        m_next = m_scopes.back().first;
        m_scopes.pop_back();
    }
    void statementEnds()
    {
        while (m_scopes.back().ends == Ends::WithStatement)
            close();
    }

    const Code& m_code;
    std::vector<Scope> m_scopes{Scope{}};
    std::map<std::string, int> m_live;
    int m_next = 0;
};

int ownWordsOf(const std::vector<std::string>& words, const std::vector<std::string>& starter)
{
    const auto head = std::mismatch(words.begin(), words.end(), starter.begin(), starter.end());
    const auto same = head.first - words.begin();
    const auto tail = std::mismatch(words.rbegin(), words.rend() - same, starter.rbegin(), starter.rend() - same);
    return static_cast<int>(words.end() - words.begin() - same - (tail.first - words.rbegin()));
}

/// FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/), folded: it is kept in records, so it is the same everywhere.
std::uint32_t hashOfWords(const std::vector<std::string>& words, std::size_t first, std::size_t count)
{
    std::uint64_t hash = 14695981039346656037u;
    for (std::size_t i = first; i < first + count; ++i)
        for (const char c : words[i] + ' ')
            hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

/// Nobody writes more by hand; of a longer file the smallest hashes stand for all.
constexpr std::size_t kMostGrams = 4096;

std::vector<std::uint32_t> gramsOf(std::string_view source)
{
    const Code code(source);
    std::vector<std::string> words;
    for (std::size_t i = 0; i < code.words.size(); ++i)
        if (const std::string& word = code.words[i].text; word != "{" && word != "}")
            words.push_back(code.isFree(i) ? "#" : word);
    std::vector<std::uint32_t> grams;
    for (std::size_t i = 0; i + kGramWords <= words.size(); ++i)
        grams.push_back(hashOfWords(words, i, kGramWords));
    std::sort(grams.begin(), grams.end());
    return grams;
}

std::vector<std::uint32_t> ownGrams(std::string_view source, const std::vector<std::uint32_t>& starter)
{
    const auto all = gramsOf(source);
    std::vector<std::uint32_t> own;
    std::set_difference(all.begin(), all.end(), starter.begin(), starter.end(), std::back_inserter(own));
    own.resize(std::min(own.size(), kMostGrams));
    return own;
}

std::string hexOf(const std::vector<std::uint32_t>& grams)
{
    std::string text;
    for (const std::uint32_t gram : grams)
        text += fmt::format("{:08x}", gram);
    return text;
}

/// Empty where the text is none of hexOf's.
std::vector<std::uint32_t> gramsFromHex(std::string_view text)
{
    std::vector<std::uint32_t> grams;
    if (text.size() > 8 * kMostGrams || text.size() % 8 != 0)
        return grams;
    for (std::size_t at = 0; at < text.size(); at += 8) {
        std::uint32_t gram = 0;
        const char* const end = text.data() + at + 8;
        if (std::from_chars(text.data() + at, end, gram, 16).ptr != end)
            return {};
        grams.push_back(gram);
    }
    return std::is_sorted(grams.begin(), grams.end()) ? grams : std::vector<std::uint32_t>();
}

std::string hashOf(const std::vector<std::string>& words)
{
    std::string all;
    for (const std::string& word : words)
        all += word + '\n';
    return sha256Hex(all);
}

} // namespace

std::vector<std::string> normalisedCode(std::string_view source)
{
    const Code code(source);
    Numbers numbers(code);
    std::vector<std::string> normalised;
    for (std::size_t i = 0; i < code.words.size(); ++i) {
        numbers.pass(i);
        const std::string& word = code.words[i].text;
        if (word != "{" && word != "}")
            normalised.push_back(code.isFree(i) ? numbers.of(word) : word);
    }
    return normalised;
}

KernelShape kernelShape(const std::string& source, const std::string& starter, const std::string& solution)
{
    const auto words = normalisedCode(source);
    KernelShape shape{sha256Hex(source), hashOf(words), ownWordsOf(words, normalisedCode(starter)), false, {}, 0};
    shape.solution = shape.ownWords > 0 && words == normalisedCode(solution);
    const auto given = gramsOf(starter);
    shape.grams = ownGrams(source, given);
    KernelShape shipped;
    shipped.grams = ownGrams(solution, given);
    shape.nearSolution = nearness(shape, shipped);
    return shape;
}

double nearness(const KernelShape& one, const KernelShape& other)
{
    if (one.grams.empty() || other.grams.empty())
        return 0;
    std::size_t both = 0;
    for (auto a = one.grams.begin(), b = other.grams.begin(); a != one.grams.end() && b != other.grams.end();) {
        both += *a == *b;
        const bool first = *a <= *b, second = *b <= *a;
        a += first;
        b += second;
    }
    return 2 * static_cast<double>(both) / static_cast<double>(one.grams.size() + other.grams.size());
}

Result<KernelShape> kernelShapeFor(const std::string& source, const std::string& id)
{
    const auto task = shippedTask(id);
    if (!task)
        return task.error();
    const auto written = readFile(task->folder / "solution.cu");
    if (!written)
        return written.error();
    const auto starter = starterOf(*written), solution = solutionText(*written);
    if (!starter || !solution)
        return starter ? solution.error() : starter.error();
    return kernelShape(source, *starter, *solution);
}

Json toJson(const KernelShape& shape)
{
    return Json{{"text", shape.text},         {"shape", shape.shape},        {"own_words", shape.ownWords},
                {"solution", shape.solution}, {"grams", hexOf(shape.grams)}, {"near_solution", shape.nearSolution}};
}

std::optional<KernelShape> kernelShapeFromJson(const Json& json)
{
    const auto is = [&](const char* key, auto test) {
        const auto found = json.find(key);
        return found != json.end() && ((*found).*test)();
    };
    if (!json.is_object() || !is("text", &Json::is_string) || !is("shape", &Json::is_string) ||
        !is("own_words", &Json::is_number_integer) || !is("solution", &Json::is_boolean))
        return std::nullopt;
    KernelShape shape{json["text"].get<std::string>(),
                      json["shape"].get<std::string>(),
                      json["own_words"].get<int>(),
                      json["solution"].get<bool>(),
                      {},
                      0};
    // Grades from before these were are near nothing.
    if (is("grams", &Json::is_string) && is("near_solution", &Json::is_number)) {
        shape.grams = gramsFromHex(json["grams"].get_ref<const std::string&>());
        shape.nearSolution = json["near_solution"].get<double>();
    }
    return shape;
}

} // namespace ridge::classroom
