// SPDX-License-Identifier: GPL-3.0-or-later
// Files as people write them, through every compiler that is here: host code, groups, atomics with an order, calls
// through pointers, the heap. Their numbers are right and the detectors have nothing to say, or what they should.
#include "gpu/program.h"
#include "labs/worker/execute_kernel.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <cstring>
#include <numeric>

using namespace ridge;

namespace {

struct Asked {
    std::string compiler;
    std::string source;
    std::string kernel;
    std::uint64_t grid = 1, block = 32;
    std::vector<std::string> args; ///< the last one is the output
    bool check = false;
    bool functional = true;
};

struct Answer {
    Json document;
    std::vector<std::byte> out;

    template<class T>
    std::vector<T> values() const
    {
        std::vector<T> all(out.size() / sizeof(T));
        std::memcpy(all.data(), out.data(), all.size() * sizeof(T));
        return all;
    }
    std::string codes() const
    {
        std::string text;
        for (const Json& report : document.value("reports", Json::array()))
            text += report.at("code").get<std::string>() + " ";
        return text;
    }
};

Answer run(const Asked& asked)
{
    const QTemporaryDir folder;
    const std::string path = folder.filePath(QStringLiteral("out.bin")).toStdString();
    qputenv("RIDGE_COMPILER", asked.compiler.c_str());
    KernelRunRequest request;
    request.source = {"file.cu", asked.source, false};
    request.kernel = asked.kernel;
    request.grid = {asked.grid, 1, 1};
    request.block = {asked.block, 1, 1};
    request.args = asked.args;
    if (!request.args.empty())
        request.args.back() += ">" + path;
    request.target = "sim:a100-sxm-80";
    request.check = asked.check;
    request.functional = asked.functional;
    Answer answer;
    labs::executeKernel(
        request,
        [&](const Event& event) {
            if (const auto* kernel = std::get_if<KernelEvent>(&event))
                answer.document = *kernel->document;
            if (const auto* failed = std::get_if<FailedEvent>(&event))
                qWarning("%s", toText(failed->error).c_str());
        },
        {},
        [] {
            return Error{"cancelled", "", "", ""};
        });
    qunsetenv("RIDGE_COMPILER");
    QFile file(QString::fromStdString(path));
    if (file.open(QIODevice::ReadOnly)) {
        const QByteArray bytes = file.readAll();
        answer.out.resize(static_cast<std::size_t>(bytes.size()));
        std::memcpy(answer.out.data(), bytes.constData(), answer.out.size());
    }
    return answer;
}

/// What becomes of a file in a folder of its own, with headers beside it: the error, or one without a code.
Error errorOf(const QTemporaryDir& folder, const std::string& compiler, const std::string& text,
              const std::string& kernel = {})
{
    qputenv("RIDGE_COMPILER", compiler.c_str());
    KernelRunRequest request;
    request.source = {folder.filePath(QStringLiteral("a.cu")).toStdString(), text, false};
    request.kernel = kernel;
    request.args = {"out:f32:1"};
    request.target = "sim:a100-sxm-80";
    request.functional = true;
    Error error{"", "", "", ""};
    labs::executeKernel(
        request,
        [&](const Event& event) {
            if (const auto* failed = std::get_if<FailedEvent>(&event))
                error = failed->error;
        },
        {},
        [] {
            return Error{"cancelled", "", "", ""};
        });
    qunsetenv("RIDGE_COMPILER");
    return error;
}

std::vector<std::string> compilers(std::initializer_list<const char*> wanted)
{
    std::vector<std::string> here;
    for (const auto& compiler : gpu::listCompilers())
        if (compiler.available && std::find(wanted.begin(), wanted.end(), compiler.id) != wanted.end())
            here.push_back(compiler.id);
    return here;
}

const char* const kProgram = R"(
#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>
#include <cuda_runtime.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { \
    fprintf(stderr, "%s at %s:%d\n", cudaGetErrorString(e), __FILE__, __LINE__); exit(1); } } while (0)
template <int Block>
__global__ void rotate(const int* in, int n, int* out) {
    __shared__ alignas(16) int tile[Block];
    const dim3 where = blockIdx;
    const int i = where.x * Block + threadIdx.x;
    tile[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    if (i < n) out[i] = tile[(threadIdx.x + 1) % Block] + min(i, 3u);
}
int main() {
    std::vector<int> host(64, 1);
    auto shared = std::make_shared<int>(3);
    int *in = nullptr, *out = nullptr;
    CHECK(cudaMalloc(&in, 256));
    CHECK(cudaMalloc((void**)&out, 256));
    CHECK(cudaMemcpy(in, host.data(), 256, cudaMemcpyHostToDevice));
    dim3 grid(2), block(32);
    rotate<32><<<grid, block>>>(in, std::min(64, *shared * 32), out);
    CHECK(cudaDeviceSynchronize());
    printf("%f\n", sqrt(2.0));
}
)";

const char* const kAggregate = R"(
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ int next(int* counter) {
    auto group = cg::coalesced_threads();
    int first;
    if (group.thread_rank() == 0) first = atomicAdd(counter, group.size());
    return group.shfl(first, 0) + group.thread_rank();
}
__global__ void keep(const int* in, int* counter, int* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] % 3 == 0) out[next(counter)] = in[i];
}
)";

const char* const kGroups = R"(
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
__global__ void groups(int* half, int* out) {
    const auto grid = cg::this_grid();
    const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    const int i = grid.thread_rank();
    half[i] = i;
    grid.sync();
    const auto part = cg::labeled_partition(warp, i % 3);
    const int total = cg::reduce(warp, half[grid.size() - 1 - i], cg::plus<int>());
    out[i] = total * 10000 + part.size() * 100 + cg::exclusive_scan(part, 1);
}
)";

const char* const kOrdered = R"(
#include <cuda/atomic>
__global__ void chain(int* flags, int* out) {
    cuda::atomic_ref<int, cuda::thread_scope_device> mine(flags[2 * blockIdx.x]);
    if (threadIdx.x == 0) {
        int before = 0;
        if (blockIdx.x > 0) {
            cuda::atomic_ref<int, cuda::thread_scope_device> left(flags[2 * blockIdx.x - 2]);
            while (left.load(cuda::memory_order_acquire) == 0) {}
            before = flags[2 * blockIdx.x - 1];
        }
        flags[2 * blockIdx.x + 1] = before + blockIdx.x;
        mine.store(1, cuda::memory_order_release);
        out[blockIdx.x] = before;
    }
}
)";

const char* const kCalls = R"(
struct View { const int* at; int n; int stride; };
__device__ __noinline__ int sum(View a, View b) {
    int s = 0;
    for (int i = 0; i < a.n; ++i) s += a.at[i * a.stride] * b.at[i];
    return s;
}
__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ int twice(int a) { return 2 * a; }
__device__ int negated(int a) { return -a; }
__device__ int (*table[2])(int) = {twice, negated};
__device__ int calls = 100;
struct Node { int value; Node* next; __device__ Node(int v, Node* n) : value(v), next(n) {} };
__global__ void calling(const int* in, int n, int* out) {
    const int i = threadIdx.x;
    if (i == 0) calls += 1;
    __syncthreads();
    Node* list = nullptr;
    for (int k = 0; k < 3; ++k) list = new Node(i + k, list);
    int nodes = 0;
    while (list) { Node* gone = list; nodes += list->value; list = list->next; delete gone; }
    out[i] = sum(View{in, n, 2}, View{in, n, 1}) + table[i % 2](fib(i % 8)) + nodes + 1000 * calls;
}
)";

const char* const kWarp = R"(
__global__ void halve(const float* in, float* out) {
    __shared__ float s[32];
    const int t = threadIdx.x;
    s[t] = in[t];
    MEET
    for (int half = 16; half > 0; half /= 2) {
        float other = t < half ? s[t + half] : 0;
        MEET
        if (t < half)
            s[t] += other;
        MEET
    }
    out[t] = s[0];
}
)";

} // namespace

class TestKernelFiles : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void hostCodeIsReadOver()
    {
        for (const auto& compiler : compilers({"nvcc", "clang"})) {
            const Answer got = run({compiler, kProgram, "rotate", 2, 32, {"in:i32:64:iota", "i32:64", "out:i32:64"}});
            const auto values = got.values<int>();
            QCOMPARE(values.size(), std::size_t{64});
            for (int i = 0; i < 64; ++i)
                QCOMPARE(values[static_cast<std::size_t>(i)], i / 32 * 32 + (i + 1) % 32 + std::min(i, 3));
        }
    }

    /// A header beside the file is the learner's own: what is wrong in it is said with its line, and it is found.
    void headersBesideTheFile()
    {
        const QTemporaryDir folder;
        const auto header = [&](const char* name, const char* text) {
            QFile file(folder.filePath(QLatin1String(name)));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) > 0);
        };
        header("wrong.h", "\n__device__ float twice(int i) { return i * 2.0f }\n");
        header("lacking.h", "#include <not_here.h>\n");
        header("good.h", "__device__ float twice(int i) { return i * 2.0f; }\n");
        const std::string kernel = "\n__global__ void k(float* o) { o[threadIdx.x] = twice(threadIdx.x); }\n";
        for (const auto& compiler : compilers({"nvcc", "clang"})) {
            const Error wrong = errorOf(folder, compiler, "#include \"wrong.h\"" + kernel);
            QCOMPARE(wrong.code, std::string("compile-failed"));
            QVERIFY2(wrong.place.find("wrong.h:2") != std::string::npos, toText(wrong).c_str());
            const Error lacking = errorOf(folder, compiler, "#include \"lacking.h\"" + kernel);
            QCOMPARE(lacking.code, std::string("compile-failed"));
            QVERIFY2(lacking.place.find("lacking.h:1") != std::string::npos, toText(lacking).c_str());
            QCOMPARE(errorOf(folder, compiler, "#include <good.h>" + kernel).code, std::string());
        }
    }

    /// The name of an instance makes one; a name that makes none says why.
    void aTemplateIsInstantiated()
    {
        const QTemporaryDir folder;
        const std::string text =
            "template <int Factor, class T>\n__global__ void scale(T* x, int n) { x[n] *= Factor; }\n"
            "namespace a { template <class T> __global__ void twice(const T* x, T* y) { y[0] = x[0] * 2; } }\n"
            "__global__ void clear(float* x) { x[threadIdx.x] = 0; }\n";
        for (const auto& compiler : compilers({"nvrtc", "nvcc", "clang"})) {
            // There is a kernel: what is wrong is that nothing was given for it.
            for (const char* name : {"scale<32, float>", "scale<7,double>(double*, int)", "a::twice<float>"}) {
                const Error made = errorOf(folder, compiler, text, name);
                QVERIFY2(made.message.find("takes 2 arguments") != std::string::npos, toText(made).c_str());
            }
            const Error error = errorOf(folder, compiler, text, "scale<32, Unknown>");
            QVERIFY2(error.message.find("'scale' is a template") != std::string::npos &&
                         error.message.find("Unknown") != std::string::npos &&
                         error.fix.find("template __global__ void scale<32, Unknown>(T* x, int n);") !=
                             std::string::npos,
                     toText(error).c_str());
            QVERIFY(errorOf(folder, compiler, text, "scale").fix.find("--kernel 'scale<float>'") != std::string::npos);
            QVERIFY(errorOf(folder, compiler, text, "other").message.find("template") == std::string::npos);
        }
    }

    /// Folders of RIDGE_INCLUDE, which --include fills.
    void headersOfOtherFoldersAreFound()
    {
        const QTemporaryDir folder, first, second;
        const auto header = [](const QTemporaryDir& in, const char* name, const char* text) {
            QFile file(in.filePath(QLatin1String(name)));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write(text) > 0);
        };
        header(first, "mine.h", "#include <other.h>\n");
        header(second, "other.h", "__device__ float twice(int i) { return i * 2.0f; }\n");
        header(second, "mine.h", "#error of the second folder\n");
        header(first, "wrong.h", "__device__ float oops(int i) { return i }\n");
        const std::string kernel = "\n__global__ void k(float* o) { o[threadIdx.x] = twice(threadIdx.x); }\n";
        for (const auto& compiler : compilers({"nvrtc", "nvcc", "clang"})) {
            QVERIFY(!errorOf(folder, compiler, "#include <mine.h>" + kernel).code.empty());
            qputenv("RIDGE_INCLUDE", (first.path() + QLatin1Char(':') + second.path()).toUtf8());
            for (const char* form : {"#include <mine.h>", "#include \"mine.h\""}) {
                const Error error = errorOf(folder, compiler, form + kernel);
                QVERIFY2(error.code.empty(), toText(error).c_str());
            }
            if (compiler != "nvrtc") {
                const Error wrong = errorOf(folder, compiler, "#include <wrong.h>" + kernel);
                QVERIFY2(wrong.code == "compile-failed" && wrong.place.find("wrong.h:1") != std::string::npos,
                         toText(wrong).c_str());
            }
            qunsetenv("RIDGE_INCLUDE");
        }
    }

    /// Names that nvcc knows without a header, guards that helper headers ask for, and a group of any kind.
    void whatNvccKnowsOfItself()
    {
        for (const auto& compiler : compilers({"nvcc", "clang"})) {
            const Answer guarded =
                run({compiler,
                     "#include <cuda_runtime.h>\n#include <stdio.h>\n#ifdef __DRIVER_TYPES_H__\n"
                     "static void check(cudaError_t e) { if (e) printf(\"%s\", cudaGetErrorName(e)); }\n"
                     "#endif\n__global__ void k(clock_t* t) { clock_t a = clock(); t[0] = clock() - a > 0; }\n"
                     "int main() { k<<<1, 1>>>(nullptr); check(cudaGetLastError()); }\n",
                     "",
                     1,
                     1,
                     {"out:i64:1"}});
            QCOMPARE(guarded.values<qint64>(), (std::vector<qint64>{1}));
            const Answer groups =
                run({compiler,
                     "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;\n"
                     "__device__ int total(cg::thread_group g, int* room, int value) {\n"
                     "  const int rank = g.thread_rank();\n"
                     "  for (int half = g.size() / 2; half > 0; half /= 2) {\n"
                     "    room[rank] = value; g.sync(); if (rank < half) value += room[rank + half]; g.sync();\n"
                     "  }\n  return value;\n}\n"
                     "__global__ void k(const int* in, int* out) {\n  __shared__ int room[64];\n"
                     "  const cg::thread_block block = cg::this_thread_block();\n"
                     "  const int all = total(block, room, in[threadIdx.x]);\n"
                     "  const auto tile = cg::tiled_partition<16>(block);\n"
                     "  const int part = total(tile, room + threadIdx.x / 16 * 16, in[threadIdx.x]);\n"
                     "  if (threadIdx.x == 0) out[0] = all;\n"
                     "  if (tile.thread_rank() == 0) out[1 + threadIdx.x / 16] = part;\n}\n",
                     "",
                     1,
                     64,
                     {"in:i32:64:iota", "out:i32:5"},
                     true});
            QVERIFY2(groups.codes().empty(), groups.codes().c_str());
            QCOMPARE(groups.values<int>(), (std::vector<int>{2016, 120, 376, 632, 888}));
        }
    }

    /// Every lane but the leader passes on a variable that it never set: the pattern of NVIDIA's own guide.
    void aLeaderAddsForItsGroup()
    {
        for (const auto& compiler : compilers({"nvrtc", "clang"})) {
            const Answer got = run({compiler,
                                    kAggregate,
                                    "",
                                    4,
                                    96,
                                    {"in:i32:384:iota", "inout:i32:1:zeros", "inout:i32:384:zeros"},
                                    true});
            QVERIFY2(got.codes().empty(), got.codes().c_str());
            auto values = got.values<int>();
            QCOMPARE(values.size(), std::size_t{384});
            std::sort(values.begin(), values.begin() + 128);
            for (int i = 0; i < 384; ++i)
                QCOMPARE(values[static_cast<std::size_t>(i)], i < 128 ? 3 * i : 0);
        }
    }

    void groupsMeet()
    {
        for (const auto& compiler : compilers({"nvrtc", "clang"})) {
            const Answer got = run({compiler, kGroups, "", 4, 64, {"inout:i32:256:zeros", "out:i32:256"}, true});
            QVERIFY2(got.codes().empty(), got.codes().c_str());
            const auto values = got.values<int>();
            QCOMPARE(values.size(), std::size_t{256});
            for (int i = 0; i < 256; ++i) {
                int total = 0, peers = 0, before = 0;
                for (int j = i / 32 * 32; j < i / 32 * 32 + 32; ++j) {
                    total += 255 - j;
                    peers += j % 3 == i % 3;
                    before += j % 3 == i % 3 && j < i;
                }
                QCOMPARE(values[static_cast<std::size_t>(i)], total * 10000 + peers * 100 + before);
            }
        }
    }

    void atomicsWithAnOrder()
    {
        for (const auto& compiler : compilers({"nvrtc", "clang"})) {
            const Answer got = run({compiler, kOrdered, "", 9, 32, {"inout:i32:18:zeros", "out:i32:9"}, true});
            QVERIFY2(got.codes().empty(), got.codes().c_str());
            const auto values = got.values<int>();
            QCOMPARE(values.size(), std::size_t{9});
            for (int i = 0; i < 9; ++i)
                QCOMPARE(values[static_cast<std::size_t>(i)], i * (i - 1) / 2);
        }
    }

    /// Structs by value, recursion, pointers, the heap: nothing of it is undefined. And the second run, with the clock,
    /// sees the program's own variables as the first one did.
    void callsAreNoMistake()
    {
        for (const auto& compiler : compilers({"nvrtc", "nvcc", "clang"})) {
            const Answer got =
                run({compiler, kCalls, "", 1, 64, {"in:i32:64:iota", "i32:20", "out:i32:64"}, true, false});
            QVERIFY2(got.codes().empty(), got.codes().c_str());
            QCOMPARE(got.document.at("mode"), "timed");
            const auto values = got.values<int>();
            QCOMPARE(values.size(), std::size_t{64});
            const std::array<int, 8> fib{0, 1, 1, 2, 3, 5, 8, 13};
            for (int i = 0; i < 64; ++i) {
                const int f = fib[static_cast<std::size_t>(i % 8)];
                QCOMPARE(values[static_cast<std::size_t>(i)], 4940 + (i % 2 == 0 ? 2 * f : -f) + 3 * i + 3 + 101000);
            }
        }
    }

    void lanesOfAWarpRace()
    {
        for (const auto& compiler : compilers({"nvrtc", "clang"}))
            for (const bool meets : {false, true}) {
                std::string source = kWarp;
                for (auto at = source.find("MEET"); at != std::string::npos; at = source.find("MEET"))
                    source.replace(at, 4, meets ? "__syncwarp();" : ";");
                const Answer got = run({compiler, source, "", 1, 32, {"in:f32:32:iota", "out:f32:32"}, true});
                QCOMPARE(got.codes().empty(), meets);
                QVERIFY2(meets || got.codes().find("shared-race") != std::string::npos, got.codes().c_str());
                if (!meets)
                    QVERIFY(got.document.at("reports").at(0).at("message").get<std::string>().find("the same warp") !=
                            std::string::npos);
            }
    }

    void theHeapIsNotZero()
    {
        const char* const source =
            "__global__ void k(int* out) { int* p = (int*)malloc(64); if (threadIdx.x == 99) p[1] = 1;\n"
            "for (int i = 4; i < 8; ++i) p[i] = i;\nout[threadIdx.x] = p[READ]; free(p); }";
        for (const auto& compiler : compilers({"nvrtc", "clang"}))
            for (const bool known : {false, true}) {
                std::string text = source;
                text.replace(text.find("READ"), 4, known ? "4 + (threadIdx.x & 3)" : "threadIdx.x & 3");
                const Answer got = run({compiler, text, "", 1, 32, {"inout:i32:32:zeros"}, true});
                QCOMPARE(got.codes(), std::string(known ? "" : "uninitialised-read "));
            }
    }

    /// A word of a struct that is copied holds bytes that nobody writes.
    void paddingIsNoMistake()
    {
        const char* const source =
            "struct P { char c; int i; };\n__global__ void k(P* a, int* out) {\n"
            "__shared__ P s[32]; P p; p.c = 1; p.i = threadIdx.x; s[threadIdx.x] = p;\n"
            "__syncthreads(); P q = s[31 - threadIdx.x]; a[threadIdx.x] = q; out[threadIdx.x] = q.i; }";
        for (const auto& compiler : compilers({"nvrtc", "clang"})) {
            const Answer got = run({compiler, source, "", 1, 32, {"out:u8:256", "out:i32:32"}, true});
            QCOMPARE(got.codes(), std::string());
            QCOMPARE(got.values<int>().at(5), 26);
        }
    }

    /// Loops that never end are proved and named, also where the clock was wanted and ran out.
    void anEndlessLoopIsNamed()
    {
        for (const auto& compiler : compilers({"clang"})) {
            KernelRunRequest request;
            request.source = {"file.cu", "__global__ void wait(volatile int* flag) { while (*flag == 0) {} }", false};
            request.block = {32, 1, 1};
            request.args = {"inout:i32:1:zeros"};
            request.target = "sim:a100-sxm-80";
            request.limits.seconds = 0.5;
            qputenv("RIDGE_COMPILER", compiler.c_str());
            Json document;
            labs::executeKernel(
                request,
                [&](const Event& event) {
                    if (const auto* kernel = std::get_if<KernelEvent>(&event))
                        document = *kernel->document;
                },
                {},
                [] {
                    return Error{"cancelled", "", "", ""};
                });
            qunsetenv("RIDGE_COMPILER");
            QVERIFY(!document.is_null());
            QCOMPARE(document.at("reports").at(0).at("code"), "endless-loop");
        }
    }

    void ownMathInDouble_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("high");
        QTest::addColumn<double>("bound");
        const auto row = [](const char* name, double low, double high, double ulps) {
            QTest::addRow("%s from %g", name, low) << QString::fromLatin1(name) << low << high << ulps;
        };
        row("tan", -20, 20, 6);
        row("atan", -40, 40, 6);
        row("atan", -0.3, 0.3, 6);
        row("asin", -1, 1, 6);
        row("acos", -1, 1, 6);
        row("sinh", -50, 50, 6);
        row("cosh", -50, 50, 6);
        row("tanh", -5, 5, 6);
        row("expm1", -20, 80, 6);
        row("log1p", -0.9, 3, 6);
        row("cbrt", -1e6, 1e6, 6);
        row("erf", -4, 4, 20);
        row("erfc", -4, 26, 60);
        row("pow", -30, 30, 24);
    }
    void ownMathInDouble()
    {
        QFETCH(QString, name);
        QFETCH(double, low);
        QFETCH(double, high);
        QFETCH(double, bound);
        if (compilers({"clang"}).empty())
            QSKIP("no clang here");
        using Function = double (*)(double);
        const std::map<std::string, Function> exact{{"tan", std::tan},
                                                    {"atan", std::atan},
                                                    {"asin", std::asin},
                                                    {"acos", std::acos},
                                                    {"sinh", std::sinh},
                                                    {"cosh", std::cosh},
                                                    {"tanh", std::tanh},
                                                    {"expm1", std::expm1},
                                                    {"log1p", std::log1p},
                                                    {"cbrt", std::cbrt},
                                                    {"erf", std::erf},
                                                    {"erfc", std::erfc},
                                                    {"pow", [](double x) { return std::pow(1.75, x); }}};
        const std::string f = name.toStdString();
        constexpr int n = 2048;
        const auto number = [](double v) { return QString::number(v, 'g', 17).toStdString(); };
        const std::string source = "__global__ void f(double low, double step, double* out) {\n"
                                   "const int i = blockIdx.x * blockDim.x + threadIdx.x;\nout[i] = " +
                                   f + (f == "pow" ? "(1.75, " : "(") + "fma(step, (double)i, low)); }\n";
        const double step = (high - low) / n;
        const Answer got =
            run({"clang", source, "", n / 128, 128, {"f64:" + number(low), "f64:" + number(step), "out:f64:2048"}});
        const auto values = got.values<double>();
        QCOMPARE(values.size(), std::size_t{n});
        for (int i = 0; i < n; ++i) {
            const double x = std::fma(step, double(i), low), expected = exact.at(f)(x);
            const double ulp = std::nextafter(std::fabs(expected), HUGE_VAL) - std::fabs(expected);
            QVERIFY2(std::fabs(values[static_cast<std::size_t>(i)] - expected) <= bound * ulp,
                     qPrintable(QStringLiteral("%1(%2) = %3")
                                    .arg(name)
                                    .arg(x, 0, 'g', 17)
                                    .arg(values[static_cast<std::size_t>(i)], 0, 'g', 17)));
        }
    }
};

QTEST_GUILESS_MAIN(TestKernelFiles)
#include "tst_kernel_files.moc"
