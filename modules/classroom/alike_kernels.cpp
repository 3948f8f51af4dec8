// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/alike_kernels.h"

#include "base/json.h"

#include <algorithm>
#include <map>

namespace ridge::classroom {
namespace {

using How = AlikeKernels::How;

void add(std::vector<AlikeKernels>& all, const std::string& lesson, const std::string& title, How how,
         const std::vector<const HandedInShape*>& of, double nearness = 1)
{
    AlikeKernels alike{lesson, title, how, {}, of.front()->shape.ownWords, nearness};
    for (const HandedInShape* each : of)
        alike.who.push_back(each->who);
    std::sort(alike.who.begin(), alike.who.end(), [](const Person& a, const Person& b) {
        return std::tie(a.name, a.learner) < std::tie(b.name, b.learner);
    });
    all.push_back(std::move(alike));
}

/// Groups of kernels that are near one another, one for each set that hangs together.
class Nearby {
public:
    /// One group of equal words after the other.
    void add(const std::vector<const HandedInShape*>& same)
    {
        if (same.front()->shape.ownWords >= kFewWords && !same.front()->shape.grams.empty())
            m_groups.push_back({same, m_groups.size(), 1});
    }
    void tell(std::vector<AlikeKernels>& all, const std::string& lesson, const std::string& title)
    {
        std::vector<const HandedInShape*> published;
        double least = 1;
        for (const Group& group : m_groups)
            if (const KernelShape& shape = group.of.front()->shape; nearSolution(shape) && !shape.solution) {
                published.insert(published.end(), group.of.begin(), group.of.end());
                least = std::min(least, shape.nearSolution);
            }
        if (!published.empty())
            classroom::add(all, lesson, title, How::NearSolution, published, least);
        join();
        for (std::size_t root = 0; root < m_groups.size(); ++root) {
            std::vector<const HandedInShape*> members;
            std::size_t groups = 0;
            for (std::size_t i = 0; i < m_groups.size(); ++i)
                if (rootOf(i) == root) {
                    members.insert(members.end(), m_groups[i].of.begin(), m_groups[i].of.end());
                    ++groups;
                }
            if (groups > 1)
                classroom::add(all, lesson, title, How::NearWords, members, m_groups[root].least);
        }
    }

private:
    struct Group {
        std::vector<const HandedInShape*> of;
        std::size_t parent;
        double least; ///< nearness by which any came in, at the root
    };

    static bool nearSolution(const KernelShape& shape) { return shape.solution || shape.nearSolution >= kNear; }
    std::size_t rootOf(std::size_t at) const
    {
        while (m_groups[at].parent != at)
            at = m_groups[at].parent;
        return at;
    }
    void join()
    {
        for (std::size_t a = 0; a < m_groups.size(); ++a)
            for (std::size_t b = a + 1; b < m_groups.size(); ++b) {
                const KernelShape &one = m_groups[a].of.front()->shape, &other = m_groups[b].of.front()->shape;
                if (nearSolution(one) || nearSolution(other) || rootOf(a) == rootOf(b))
                    continue;
                const double near = nearness(one, other);
                if (near < kNear)
                    continue;
                Group &root = m_groups[rootOf(a)], &leaf = m_groups[rootOf(b)];
                root.least = std::min({root.least, leaf.least, near});
                leaf.parent = root.parent;
            }
    }

    std::vector<Group> m_groups;
};

} // namespace

const char* toText(How how)
{
    switch (how) {
    case How::SameText:
        return "same-text";
    case How::SameWords:
        return "same-words";
    case How::SameSolution:
        return "same-solution";
    case How::NearWords:
        return "near-words";
    case How::NearSolution:
        break;
    }
    return "near-solution";
}

const char* inWords(How how)
{
    switch (how) {
    case How::SameText:
        return "the same text";
    case How::SameWords:
        return "the same but for names, comments and white space";
    case How::SameSolution:
        return "the solution that ships, but for names, comments and white space";
    case How::NearWords:
        return "much the same code, with statements moved, split or changed";
    case How::NearSolution:
        break;
    }
    return "much of the solution that ships, with statements moved, split or changed";
}

std::vector<AlikeKernels> alikeKernels(const std::string& lesson, const std::string& title,
                                       const std::vector<HandedInShape>& kernels)
{
    std::map<std::string, std::vector<const HandedInShape*>> byShape;
    for (const HandedInShape& kernel : kernels)
        if (kernel.shape.ownWords > 0)
            byShape[kernel.shape.shape].push_back(&kernel);
    std::vector<AlikeKernels> all;
    Nearby nearby;
    for (const auto& [shape, same] : byShape) {
        nearby.add(same);
        std::map<std::string, std::vector<const HandedInShape*>> byText;
        for (const HandedInShape* each : same)
            byText[each->shape.text].push_back(each);
        if (same.front()->shape.solution)
            add(all, lesson, title, How::SameSolution, same);
        else if (same.size() > 1 && byText.size() > 1)
            add(all, lesson, title, How::SameWords, same);
        for (const auto& [text, group] : byText)
            if (group.size() > 1)
                add(all, lesson, title, How::SameText, group);
    }
    nearby.tell(all, lesson, title);
    std::stable_sort(all.begin(), all.end(), [](const AlikeKernels& a, const AlikeKernels& b) {
        return a.who.size() != b.who.size() ? a.who.size() > b.who.size() : a.who.front().name < b.who.front().name;
    });
    return all;
}

Json toJson(const AlikeKernels& alike)
{
    Json json{{"lesson", alike.lesson},
              {"title", alike.title},
              {"how", toText(alike.how)},
              {"own_words", alike.ownWords},
              {"few_words", alike.ownWords < kFewWords},
              {"nearness", alike.nearness},
              {"who", Json::array()}};
    for (const Person& person : alike.who)
        json["who"].push_back(toJson(person));
    return json;
}

} // namespace ridge::classroom
