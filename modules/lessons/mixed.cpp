// SPDX-License-Identifier: GPL-3.0-or-later
#include "lessons/mixed.h"

#include "lessons/curriculum_read.h"
#include "lessons/instances.h"

#include <algorithm>

namespace ridge::lessons {
namespace {

const char* const kFile = "mixed.yaml";

std::vector<MixedQuestion> metOf(const MixedSet& set, const std::set<std::string>& met)
{
    std::vector<MixedQuestion> questions;
    std::ranges::copy_if(set.questions, std::back_inserter(questions),
                         [&](const MixedQuestion& one) { return met.contains(one.asks); });
    return questions;
}

} // namespace

LoadedMixed loadMixed(const Curriculum& curriculum)
{
    LoadedMixed loaded;
    std::error_code ignored;
    if (!std::filesystem::exists(curriculum.root / kFile, ignored))
        return loaded;
    YamlPlace place{kFile, 1, &loaded.problems};
    const std::optional<YAML::Node> root = readYaml(curriculum.root, kFile, place);
    if (!root)
        return loaded;
    const Fields file(*root, kFile, place, {"sets"});
    for (const YAML::Node& item : file.items("sets")) {
        const Fields fields(item, "set", place, {"id", "title", "about", "questions"});
        MixedSet set{fields.text("id"), fields.text("title"), fields.text("about"), {}, {kFile, place.lineOf(item)}};
        for (const YAML::Node& node : fields.items("questions")) {
            const Fields one(node, "question", place, {"lesson", "block", "asks"});
            MixedQuestion question{
                one.text("lesson"), one.text("block"), one.text("asks", Need::Optional), {kFile, place.lineOf(node)}};
            if (question.asks.empty())
                question.asks = question.lesson;
            set.questions.push_back(std::move(question));
        }
        loaded.sets.push_back(std::move(set));
    }
    return loaded;
}

namespace {

constexpr std::string_view kPrefix = "mixed:";

} // namespace

std::string mixedBlock(const std::string& block, int nth)
{
    return std::string(kPrefix) + block + ":" + std::to_string(nth);
}

std::string askedIn(const std::string& mixedBlock)
{
    const std::size_t end = mixedBlock.rfind(':');
    if (!mixedBlock.starts_with(kPrefix) || end < kPrefix.size())
        return {};
    return mixedBlock.substr(kPrefix.size(), end - kPrefix.size());
}

std::vector<MixedQuestion> drawMixed(const MixedSet& set, const std::set<std::string>& met,
                                     const std::map<std::string, MixedHistory>& history, std::size_t count,
                                     std::uint64_t seed)
{
    const std::vector<MixedQuestion> questions = metOf(set, met);
    struct Ranked {
        const MixedQuestion* question;
        std::pair<int, std::int64_t> rank;
    };
    std::vector<Ranked> ranked;
    for (const std::size_t i : drawOrder(questions.size(), seed)) {
        const auto before = history.find(questions[i].lesson + "#" + questions[i].block);
        const bool never = before == history.end() || before->second.last == 0;
        const int group = never ? 0 : before->second.missed ? 1 : 2;
        ranked.push_back({&questions[i], {group, never ? 0 : before->second.last}});
    }
    std::ranges::stable_sort(ranked, {}, &Ranked::rank);
    // Of those that come equally early, the module that has the fewest goes first.
    std::vector<Ranked> chosen;
    std::map<char, int> taken;
    while (!ranked.empty() && chosen.size() < count) {
        const auto end = std::ranges::find_if(ranked, [&](const Ranked& one) { return one.rank != ranked[0].rank; });
        const auto next = std::ranges::min_element(ranked.begin(), end, {},
                                                   [&](const Ranked& one) { return taken[one.question->asks[0]]; });
        ++taken[next->question->asks[0]];
        chosen.push_back(*next);
        ranked.erase(next);
    }
    // Another module than the one before it, as long as there is one.
    std::vector<MixedQuestion> order;
    while (!chosen.empty()) {
        auto next = chosen.begin();
        if (!order.empty())
            if (const auto other = std::ranges::find_if(
                    chosen, [&](const Ranked& one) { return one.question->asks[0] != order.back().asks[0]; });
                other != chosen.end())
                next = other;
        order.push_back(*next->question);
        chosen.erase(next);
    }
    return order;
}

MixedOffer offerOf(const MixedSet& set, const std::set<std::string>& met)
{
    std::set<char> modules;
    const std::vector<MixedQuestion> questions = metOf(set, met);
    for (const MixedQuestion& one : questions)
        modules.insert(one.asks[0]);
    return {questions.size(), modules.size()};
}

} // namespace ridge::lessons
