// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lessons/curriculum.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

namespace ridge::test {

/// Words in an order that a seed decides: nothing here may depend on one lucky text.
inline std::string words(int seed, int count)
{
    static const std::array list = {"warp",    "lane",   "sector",  "bank",  "stride", "memory", "bandwidth", "latency",
                                    "cache",   "tile",   "tensor",  "core",  "queue",  "kernel", "register",  "spill",
                                    "barrier", "thread", "pointer", "fetch", "load",   "store",  "roofline",  "batch"};
    std::string out;
    unsigned state = unsigned(seed) * 2654435761u + 1;
    for (int i = 0; i < count; ++i) {
        state = state * 1664525u + 1013904223u;
        out += list[(state >> 16) % list.size()];
        out += i % 12 == 11 ? ".\n\n" : " ";
    }
    return out;
}

inline void write(const std::filesystem::path& file, const std::string& text)
{
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
}

inline constexpr const char* kQuiz = R"(
```quiz
id: ask
question: How many zebras stand there?
number: 4
explains: Because giraffes were counted.
```

After the quiz the okapi stands at once.
)";

inline constexpr const char* kExperiment = R"(
```predict
id: guess
question: How many?
experiment: coalescing
metric: sectors_per_request
unit: sectors/request
at: {stride: 2}
min: 1
max: 128
mechanism: Giraffes share.
misconceptions:
  - {id: a, says: I counted lines, value: 2, explains: Giraffes.}
  - {id: b, says: I counted bytes, value: 4, explains: No.}
  - {id: c, says: I counted lanes, value: 32, explains: No.}
```

```run
id: once
experiment: coalescing
after: guess
set: {stride: 2}
caption: One run.
```
)";

inline constexpr const char* kArtifact = R"(
```artifact
title: A result
kind: profile
level: 1
question: What did it cost?
claim: >-
  It cost {{run:once.sectors_per_request}} sectors.
requires: [once]
prompts:
  - What surprised you?
  - What else?
```
)";

/// A lesson in which every section has the same prose.
inline std::string lessonText(int module, int number, const std::string& prose)
{
    const std::string id = std::to_string(module) + "." + std::to_string(number);
    std::string text = "---\nid: \"" + id + "\"\ntitle: Lesson " + id + "\nmodule: " + std::to_string(module) +
                       "\nminutes: 10\nquestion: What does it cost?\nobjectives: [\"You can say what it costs.\"]\n"
                       "layers: [L1]\nexit_criteria: [\"Why?\"]\n"
                       "checks:\n  - id: asked\n    title: Asked\n    kind: answered\n    block: ask\n---\n";
    for (const auto section : lessons::kSectionTitles) {
        text += "\n## " + std::string(section) + "\n\n" + prose + "\n";
        if (section == "Mental model")
            text += kQuiz;
        if (section == "Measure it")
            text += kExperiment;
        if (section == "Ship it")
            text += kArtifact;
    }
    return text;
}

} // namespace ridge::test
