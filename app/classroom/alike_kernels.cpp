// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/classroom/alike_kernels.h"

#include "base/json.h"

#include <algorithm>
#include <map>

namespace ridge::classroom {
namespace {

using How = AlikeKernels::How;

void add(std::vector<AlikeKernels>& all, const std::string& lesson, const std::string& title, How how,
         const std::vector<const HandedInShape*>& of)
{
    AlikeKernels alike{lesson, title, how, {}, of.front()->shape.ownWords};
    for (const HandedInShape* each : of)
        alike.who.push_back(each->who);
    std::sort(alike.who.begin(), alike.who.end(), [](const Person& a, const Person& b) {
        return std::tie(a.name, a.learner) < std::tie(b.name, b.learner);
    });
    all.push_back(std::move(alike));
}

} // namespace

const char* toText(How how)
{
    return how == How::SameText ? "same-text" : how == How::SameWords ? "same-words" : "same-solution";
}

const char* inWords(How how)
{
    return how == How::SameText    ? "the same text"
           : how == How::SameWords ? "the same but for names, comments and white space"
                                   : "the solution that ships, but for names, comments and white space";
}

std::vector<AlikeKernels> alikeKernels(const std::string& lesson, const std::string& title,
                                       const std::vector<HandedInShape>& kernels)
{
    std::map<std::string, std::vector<const HandedInShape*>> byShape;
    for (const HandedInShape& kernel : kernels)
        if (kernel.shape.ownWords > 0)
            byShape[kernel.shape.shape].push_back(&kernel);
    std::vector<AlikeKernels> all;
    for (const auto& [shape, same] : byShape) {
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
              {"who", Json::array()}};
    for (const Person& person : alike.who)
        json["who"].push_back(toJson(person));
    return json;
}

} // namespace ridge::classroom
