// SPDX-License-Identifier: GPL-3.0-or-later
// What the workload explorer knows: any model, a step of it on a chip, operator by operator with what bounds each and
// which lesson explains it. The experiment "workload" asks the same functions.
#pragma once

#include "workload/layered_network.h"

#include <filesystem>
#include <optional>
#include <variant>

namespace ridge::workload {

/// A model that can be explored: the shape of a large one, or the layers of a small one.
struct Subject {
    std::string id, title, source;
    std::variant<ModelShape, Network> what;
    std::vector<std::string> assumed; ///< what its file leaves open and what was taken
    const ModelShape* shape() const { return std::get_if<ModelShape>(&what); }
    const Network* network() const { return std::get_if<Network>(&what); }
};

/// assets/networks and assets/models of this installation, small ones first. Errors: those of their readers.
Result<std::vector<Subject>> shippedSubjects();
/// Errors: "unknown-model" with the nearest.
Result<Subject> findSubject(std::span<const Subject> subjects, std::string_view id);
/// A Hugging Face config.json, or a network in YAML or JSON; which of the two is told by "model_type". `place` is the
/// file's name. Errors: those of parseJsonOnce, parseSmallYaml, modelOfAnyKind and networkFromJson.
Result<Subject> subjectFromText(std::string_view text, const std::string& place);
/// Of a file of text: a config.json has some KiB, weights have GiB.
inline constexpr std::uint64_t kMostModelText = 1u << 20;
/// The same from a file, of which text has at most kMostModelText bytes; one whose name ends in .onnx is an ONNX graph.
/// Errors: also those of readFile, readOnnx and networkFromOnnx.
Result<Subject> subjectFromFile(const std::filesystem::path& path);

double parameters(const Subject& subject);
double activeParameters(const Subject& subject);
double kvBytesPerToken(const Subject& subject, double bytesPerValue);
double crossKvBytesPerToken(const Subject& subject, double bytesPerValue);
double stateBytesPerSequence(const Subject& subject, double bytesPerValue);
double mostTokens(const Subject& subject); ///< that it has positions for; 0: any number
Result<void> checkStep(const Subject& subject, const Step& step);
void listOperators(const Subject& subject, const Step& step, std::vector<Operator>& out);

/// What a kernel waits for. Launch: its arithmetic and bytes would be done before a launch is over.
enum class Bound { Compute, Memory, Launch, Link };
std::string_view toText(Bound bound);

struct Explored {
    Operator op;
    Bound bound = Bound::Memory;
    double seconds = 0;      ///< all its launches, as the kernel-time function has them
    double leastSeconds = 0; ///< the same by the datasheet
    double share = 0;        ///< of the kernels of the step
    double intensity = 0;    ///< FLOP/byte; 0 where it moves none
    double rate = 0;         ///< FLOP/s of one GPU
    int backwardOf = -1;     ///< the row of its forward pass
};

struct Exploration {
    std::vector<Explored> rows;
    Totals totals; ///< of one GPU
    double seconds = 0, leastSeconds = 0;
    double kernelSeconds = 0;   ///< all kernels one after another
    std::vector<Operator> list; ///< memory that is kept from call to call
};

/// The subject and the step have been checked. Names are views of the subject's own.
void explore(const Subject& subject, const Step& step, const Device& device, Exploration& out);

/// Which rows' results a row reads: pairs (from, to); from −1: the input of the step.
std::vector<std::pair<int, int>> flowOf(const Subject& subject, const Step& step, const Exploration& found);

/// "[4 × 4096] · [4096 × 6144]", "32 heads over 8 of 128, 1 new behind 1023".
std::string shapesOf(const Operator& op, const Step& step);
/// Kernels that are one, or could be: 1, 2, …; 0: a row alone.
std::vector<int> fusionGroups(const Exploration& found);

struct LessonLink {
    std::string_view lesson; ///< "4.6"
    std::string_view why;    ///< a sentence
};
LessonLink lessonOf(const Explored& row, const Step& step);

} // namespace ridge::workload
