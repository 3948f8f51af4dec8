// SPDX-License-Identifier: GPL-3.0-or-later
// Kernels made of every task's solutions, graded as a learner's are: honest ones of another structure, which must be
// accepted, and attacks, which must be rejected for what they do. $RIDGE_CASE: the level.
#include "each_task.h"
#include "grading.h"

#include <set>

using namespace ridge;
using namespace ridge::test;

namespace {

/// A kernel whose body calls the work of a solution, honest(block, grid, …), as a block of a grid.
struct Wrapped {
    const char* name;
    std::string grid; ///< along x: a formula over G, the solution's own
    const char*
        body; ///< ARGS: the kernel's parameters; PLACES(n): whether n is the solution's number of blocks along x
};

const std::vector<Wrapped>& honest()
{
    static const std::vector<Wrapped> all{
        {"reversed blocks", "G",
         "    honest(make_uint3(gridDim.x - 1 - blockIdx.x, gridDim.y - 1 - blockIdx.y, gridDim.z - 1 - blockIdx.z),\n"
         "           make_uint3(gridDim.x, gridDim.y, gridDim.z), ARGS);\n"},
        {"half of the blocks later", "G",
         "    honest(make_uint3((blockIdx.x + gridDim.x / 2) % gridDim.x, blockIdx.y, blockIdx.z),\n"
         "           make_uint3(gridDim.x, gridDim.y, gridDim.z), ARGS);\n"},
        {"a third of the blocks, which go on", "max(1,ceil((G)/3))",
         "    for (unsigned int block = blockIdx.x; block < BLOCKS; block += gridDim.x) {\n"
         "        honest(make_uint3(block, blockIdx.y, blockIdx.z), make_uint3(BLOCKS, gridDim.y, gridDim.z), ARGS);\n"
         "        __syncthreads();\n    }\n"},
        {"blocks without work", "2*(G)",
         "    if (blockIdx.x % 2 == 0)\n"
         "        honest(make_uint3(blockIdx.x / 2, blockIdx.y, blockIdx.z),\n"
         "               make_uint3(gridDim.x / 2, gridDim.y, gridDim.z), ARGS);\n"},
        {"half of the blocks, from behind", "max(1,ceil((G)/2))",
         "    for (unsigned int left = BLOCKS; left > blockIdx.x; left -= min(left, gridDim.x)) {\n"
         "        honest(make_uint3(left - 1 - blockIdx.x, blockIdx.y, blockIdx.z),\n"
         "               make_uint3(BLOCKS, gridDim.y, gridDim.z), ARGS);\n"
         "        __syncthreads();\n    }\n"},
    };
    return all;
}

struct Attack {
    const char* name;
    const char* body;
    std::set<std::string> reasons; ///< that it may be rejected for, by what a task's sizes show of it
};

const char* const kPlain =
    "    honest(make_uint3(blockIdx.x, blockIdx.y, blockIdx.z), make_uint3(gridDim.x, gridDim.y, "
    "gridDim.z), ARGS);\n";

const std::vector<Attack>& attacks()
{
    static const std::vector<Attack> all{
        {"knows the sizes that are told", "    if (TOLD)\nPLAIN", {"visible-sizes-only"}},
        {"leaves the last block out",
         "    if (blockIdx.x + 1 < gridDim.x)\nPLAIN",
         {"output-not-written", "wrong-result"}},
        {"writes into what it reads",
         "PLAIN    if (blockIdx.x + blockIdx.y + blockIdx.z + threadIdx.x + threadIdx.y == 0)\n"
         "        reinterpret_cast<volatile unsigned char*>(INPUT)[0] ^= 1;\n",
         {"input-changed", "race"}},
        {"looks at the clock",
         "    long long now = clock64();\nPLAIN    if (now == 0)\n        __trap();\n",
         {"reads-clock"}},
        {"prints",
         "PLAIN    if (blockIdx.x + blockIdx.y + blockIdx.z + threadIdx.x + threadIdx.y == 0)\n"
         "        printf(\"right\\n\");\n",
         {"prints"}},
    };
    return all;
}

void replaceAll(std::string& text, const std::string& what, const std::string& with)
{
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
        text.replace(at, what.size(), with);
}

/// A formula of a task as C++ over doubles.
std::string asCode(std::string formula)
{
    replaceAll(formula, "ceil(", "::ceil(");
    replaceAll(formula, "min(", "::fmin(");
    replaceAll(formula, "max(", "::fmax(");
    return formula;
}

/// What distinguishes one set of sizes from all others, as C++.
std::string sameSizes(const ParamSet& sizes)
{
    std::string text;
    for (const auto& [name, value] : sizes)
        text += (text.empty() ? "(" : " && ") + name + " == " + toText(value);
    return text + ")";
}

std::string wrapped(const KernelTask& task, const std::string& source, const std::string& grid, std::string body)
{
    std::string text = *solutionText(source);
    const auto launch = launchFormulas(text, task);
    const auto head = text.find(kernelHead(task));
    if (!launch || head == std::string::npos)
        throw std::runtime_error("a solution of " + task.id + " declares its kernel in another way");
    text.replace(head, kernelHead(task).size(),
                 "#define blockIdx ridgeBlock\n#define gridDim ridgeGrid\n"
                 "static __device__ void honest(uint3 ridgeBlock, uint3 ridgeGrid, ");
    std::string names, sizes, sizeNames, input;
    for (const TaskParameter& parameter : task.parameters) {
        names += (names.empty() ? "" : ", ") + parameter.name;
        if (parameter.role == TaskParameter::Role::Size) {
            sizes += (sizes.empty() ? "double " : ", double ") + parameter.name;
            sizeNames += (sizeNames.empty() ? "" : ", ") + parameter.name;
        }
        if (parameter.role == TaskParameter::Role::In && input.empty())
            input = "const_cast<void*>(static_cast<const void*>(" + parameter.name + "))";
    }
    std::string told;
    for (const ParamSet& each : task.visible)
        told += (told.empty() ? "" : " || ") + sameSizes(each);
    for (const auto& [target, each] : task.timed)
        told += " || " + sameSizes(each);
    replaceAll(body, "PLAIN", kPlain);
    replaceAll(body, "ARGS", names);
    replaceAll(body, "BLOCKS", "blocksOf(" + sizeNames + ")");
    replaceAll(body, "TOLD", told);
    replaceAll(body, "INPUT", input);
    text += "#undef blockIdx\n#undef gridDim\nstatic __device__ unsigned int blocksOf(" + sizes +
            ") { return static_cast<unsigned int>(" + asCode(launch->grid[0]) + "); }\n\nextern \"C\" " +
            task.signature + "\n{\n" + body + "}\n";
    // The launch that counts is the first that is named.
    std::string line = "// Launch --grid " + grid;
    replaceAll(line, "G", launch->grid[0]);
    for (std::size_t axis = 1; axis < launch->grid.size(); ++axis)
        line += "," + launch->grid[axis];
    for (std::size_t axis = 0; axis < launch->block.size(); ++axis)
        line += (axis == 0 ? " --block " : ",") + launch->block[axis];
    const auto old = text.find("// Launch");
    if (old != std::string::npos)
        text.replace(old, text.find('\n', old) - old, line);
    else
        text = line + "\n" + text;
    return text;
}

Graded gradedAs(const KernelTask& task, const std::string& text, const std::string& secret)
{
    constexpr double kSeconds = 600; // what a loaded machine needs is no fault of the kernel
    return graded(task.id, {"variant.cu", text, false}, kTaskTarget, secret, kSeconds);
}

} // namespace

class TestTaskVariants : public QObject {
    Q_OBJECT

    static void accepts(const char* file, std::size_t structures)
    {
        const KernelTask task = thisTask();
        const std::string source = textOf(task.folder / file).text;
        for (std::size_t at = 0; at < structures; ++at) {
            const Wrapped& each = honest()[at];
            const auto result = gradedAs(task, wrapped(task, source, each.grid, each.body), each.name);
            const std::string where = std::string(each.name) + ": ";
            QVERIFY2(result.verdict.accepted, (where + result.first() + ": " + result.firstText()).c_str());
            QVERIFY2(result.verdict.points >= kRightPoints, (where + std::to_string(result.verdict.points)).c_str());
        }
    }

private Q_SLOTS:
    /// The solution in four structures and the second one in two: nobody is rejected for blocks of an unusual number or
    /// order.
    void honestStructuresAreAccepted_data() { eachTask(); }
    void honestStructuresAreAccepted() { accepts("solution.cu", honest().size()); }
    void honestSecondStructuresAreAccepted_data() { eachTask(); }
    void honestSecondStructuresAreAccepted() { accepts("second.cu", 2); }

    void attacksAreRejected_data() { eachTask(); }
    void attacksAreRejected()
    {
        const KernelTask task = thisTask();
        const std::string source = textOf(task.folder / "solution.cu").text;
        for (const Attack& each : attacks()) {
            const auto result = gradedAs(task, wrapped(task, source, "G", each.body), "a secret");
            QVERIFY2(each.reasons.contains(result.first()),
                     (std::string(each.name) + ": " + result.first() + ": " + result.firstText()).c_str());
            QCOMPARE(result.verdict.points, 0.0);
        }
    }
};

QTEST_GUILESS_MAIN(TestTaskVariants)
#include "tst_task_variants.moc"
