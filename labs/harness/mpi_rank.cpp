// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/harness/mpi_rank.h"

#include "base/json.h"
#include "base/seed.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <iostream>
#include <sys/prctl.h>
#include <unistd.h>

namespace ridge::labs {
namespace {

using cluster::Schedule;
using cluster::Transfer;

/// Elements of blocks first … first + count of `elements` cut into `blocks`.
std::pair<std::uint64_t, std::uint64_t> rangeOf(std::uint64_t elements, std::uint32_t blocks, const Transfer& t)
{
    const auto at = [&](std::uint64_t block) { return elements / blocks * block + std::min(elements % blocks, block); };
    return {at(t.first), at(t.first + t.count)};
}

/// libmpi of Open MPI, opened at run time: nothing of it is needed to build. Handles are addresses of its objects, the
/// status that nobody wants is null (ompi/include/mpi.h.in).
struct Mpi {
    int (*init)(int*, char***) = nullptr;
    int (*rank)(void*, int*) = nullptr;
    int (*size)(void*, int*) = nullptr;
    int (*isend)(const void*, int, void*, int, int, void*, void**) = nullptr;
    int (*irecv)(void*, int, void*, int, int, void*, void**) = nullptr;
    int (*waitAll)(int, void**, void*) = nullptr;
    int (*allReduce)(const void*, void*, int, void*, void*, void*) = nullptr;
    int (*barrier)(void*) = nullptr;
    int (*finalize)() = nullptr;
    double (*time)() = nullptr;
    void *world = nullptr, *floats = nullptr, *doubles = nullptr, *sum = nullptr, *most = nullptr, *least = nullptr;

    /// Empty: all there; else what is missing.
    std::string open()
    {
        void* library = ::dlopen("libmpi.so.40", RTLD_NOW | RTLD_GLOBAL);
        if (library == nullptr)
            return ::dlerror();
        std::string missing;
        const auto find = [&](auto& to, const char* name) {
            void* symbol = ::dlsym(library, name);
            if (symbol == nullptr)
                missing = name;
            to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(symbol);
        };
        find(init, "MPI_Init");
        find(rank, "MPI_Comm_rank");
        find(size, "MPI_Comm_size");
        find(isend, "MPI_Isend");
        find(irecv, "MPI_Irecv");
        find(waitAll, "MPI_Waitall");
        find(allReduce, "MPI_Allreduce");
        find(barrier, "MPI_Barrier");
        find(finalize, "MPI_Finalize");
        find(time, "MPI_Wtime");
        find(world, "ompi_mpi_comm_world");
        find(floats, "ompi_mpi_float");
        find(doubles, "ompi_mpi_double");
        find(sum, "ompi_mpi_op_sum");
        find(most, "ompi_mpi_op_max");
        find(least, "ompi_mpi_op_min");
        return missing;
    }
    double maxOf(double mine) const
    {
        double all = 0;
        allReduce(&mine, &all, 1, doubles, most, world);
        return all;
    }
};

std::uint64_t hashOf(const std::vector<float>& data)
{
    std::uint64_t h = 0xcbf29ce484222325ull;
    for (const float each : data)
        h = (h ^ std::bit_cast<std::uint32_t>(each)) * 0x100000001b3ull;
    return h >> 12; // exact as a double
}

class Rank {
public:
    Rank(const Mpi& mpi, const MpiJob& job, const Schedule& schedule, std::uint32_t rank)
        : m_mpi(mpi), m_job(job), m_schedule(schedule), m_rank(rank)
    {
    }
    void reduce(std::vector<float>& data)
    {
        for (std::uint32_t step = 0; step < m_schedule.steps(); ++step) {
            if (m_rank + 1 == m_job.shape.ranks && step == m_schedule.steps() / 2) {
                if (m_job.fault == "killed")
                    ::raise(SIGKILL);
                while (m_job.fault == "absent")
                    ::pause();
            }
            m_requests.clear();
            const auto from = m_schedule.firstOfStep[step], to = m_schedule.firstOfStep[step + 1];
            for (const bool sends : {false, true})
                for (auto k = from; k < to; ++k) {
                    const Transfer& t = m_schedule.transfers[k];
                    if ((sends ? t.from : t.to) != m_rank)
                        continue;
                    const auto [begin, end] = rangeOf(m_job.elements, m_schedule.blocks, t);
                    const int count = static_cast<int>(end - begin), tag = static_cast<int>((k - from) & 0x7fff);
                    void* request = nullptr;
                    if (sends)
                        m_mpi.isend(data.data() + begin, count, m_mpi.floats, static_cast<int>(t.to), tag, m_mpi.world,
                                    &request);
                    else
                        m_mpi.irecv(got(k - from, count), count, m_mpi.floats, static_cast<int>(t.from), tag,
                                    m_mpi.world, &request);
                    m_requests.push_back(request);
                }
            m_mpi.waitAll(static_cast<int>(m_requests.size()), m_requests.data(), nullptr);
            for (auto k = from; k < to; ++k) {
                const Transfer& t = m_schedule.transfers[k];
                if (t.to != m_rank)
                    continue;
                const auto [begin, end] = rangeOf(m_job.elements, m_schedule.blocks, t);
                const float* came = got(k - from, static_cast<int>(end - begin));
                for (std::uint64_t i = begin; i < end; ++i)
                    data[i] = t.adds ? data[i] + came[i - begin] : came[i - begin];
            }
        }
    }

private:
    /// A buffer for each transfer of a step that comes here.
    float* got(std::uint32_t transfer, int count)
    {
        auto& buffer = m_got[transfer % m_got.size()];
        if (buffer.size() < static_cast<std::size_t>(count))
            buffer.resize(static_cast<std::size_t>(count));
        return buffer.data();
    }
    const Mpi& m_mpi;
    const MpiJob& m_job;
    const Schedule& m_schedule;
    const std::uint32_t m_rank;
    std::vector<std::vector<float>> m_got = std::vector<std::vector<float>>(1024);
    std::vector<void*> m_requests;
};

} // namespace

float mpiValue(std::uint32_t rank, std::uint64_t i, std::uint64_t seed)
{
    Rng rng(seed ^ rank * 0x9e3779b97f4a7c15ull ^ i * 0xbf58476d1ce4e5b9ull);
    const auto bits = rng.nextU32();
    const float size = std::ldexp(1.0f, static_cast<int>(bits & 15) - 8);
    return (static_cast<float>(bits >> 8) / 16777216.0f - 0.5f) * size;
}

std::vector<std::string> argumentsOf(const MpiJob& job)
{
    return {std::to_string(static_cast<int>(job.shape.algorithm)),
            std::to_string(job.shape.ranks),
            std::to_string(job.shape.nodes),
            std::to_string(job.shape.pieces),
            std::to_string(job.elements),
            std::to_string(job.repeats),
            std::to_string(job.seed),
            job.fault};
}

Result<MpiJob> mpiJobOf(std::span<const std::string> arguments)
{
    std::uint64_t numbers[7] = {};
    bool good = arguments.size() == 8;
    for (std::size_t i = 0; good && i < 7; ++i) {
        const std::string& text = arguments[i];
        const auto read = std::from_chars(text.data(), text.data() + text.size(), numbers[i]);
        good = read.ec == std::errc() && read.ptr == text.data() + text.size() && (i == 6 || numbers[i] < 1ull << 31);
    }
    if (!good || numbers[0] >= cluster::algorithmNames().size())
        return Error{"bad-argument", "these are no arguments of a rank", "mpi-rank",
                     "mpirun starts ranks for the experiment collective"};
    MpiJob job;
    job.shape.algorithm = static_cast<cluster::Algorithm>(numbers[0]);
    job.shape.ranks = static_cast<std::uint32_t>(numbers[1]);
    job.shape.nodes = static_cast<std::uint32_t>(numbers[2]);
    job.shape.pieces = static_cast<std::uint32_t>(numbers[3]);
    job.elements = numbers[4];
    job.repeats = static_cast<std::uint32_t>(numbers[5]);
    job.seed = numbers[6];
    job.fault = arguments[7];
    return job;
}

std::vector<float> replaySchedule(const Schedule& schedule, std::uint64_t elements, std::uint64_t seed, bool& same)
{
    const std::uint32_t n = schedule.shape.ranks;
    std::vector<std::vector<float>> data(n, std::vector<float>(elements));
    for (std::uint32_t r = 0; r < n; ++r)
        for (std::uint64_t i = 0; i < elements; ++i)
            data[r][i] = mpiValue(r, i, seed);
    std::vector<float> sent;
    for (std::uint32_t step = 0; step < schedule.steps(); ++step) {
        sent.clear();
        const auto from = schedule.firstOfStep[step], to = schedule.firstOfStep[step + 1];
        for (auto k = from; k < to; ++k) {
            const auto [begin, end] = rangeOf(elements, schedule.blocks, schedule.transfers[k]);
            const auto& source = data[schedule.transfers[k].from];
            sent.insert(sent.end(), source.begin() + static_cast<std::ptrdiff_t>(begin),
                        source.begin() + static_cast<std::ptrdiff_t>(end));
        }
        std::size_t place = 0;
        for (auto k = from; k < to; ++k) {
            const Transfer& t = schedule.transfers[k];
            const auto [begin, end] = rangeOf(elements, schedule.blocks, t);
            for (std::uint64_t i = begin; i < end; ++i, ++place)
                data[t.to][i] = t.adds ? data[t.to][i] + sent[place] : sent[place];
        }
    }
    same = std::all_of(data.begin(), data.end(), [&](const auto& each) {
        return elements == 0 || std::memcmp(each.data(), data[0].data(), elements * sizeof(float)) == 0;
    });
    return std::move(data[0]);
}

int runMpiRank(const MpiJob& job)
{
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // whatever ends mpirun ends its ranks
    ::alarm(600);
    Mpi mpi;
    if (const std::string missing = mpi.open(); !missing.empty()) {
        std::cerr << kMpiMark << "no libmpi: " << missing << std::endl;
        return 2;
    }
    if (mpi.init(nullptr, nullptr) != 0)
        return 3;
    int rank = 0, size = 0;
    mpi.rank(mpi.world, &rank);
    mpi.size(mpi.world, &size);
    const auto schedule = cluster::makeSchedule(job.shape);
    if (!schedule || size != static_cast<int>(job.shape.ranks)) {
        std::cerr << kMpiMark << (schedule ? "other ranks than asked for" : toText(schedule.error())) << std::endl;
        return 4;
    }
    const auto me = static_cast<std::uint32_t>(rank);
    std::vector<float> mine(job.elements), data, theirs(job.elements);
    for (std::uint64_t i = 0; i < job.elements; ++i)
        mine[i] = mpiValue(me, i, job.seed);
    Rank worker(mpi, job, *schedule, me);
    std::vector<double> seconds, vendor;
    for (std::uint32_t repeat = 0; repeat <= job.repeats; ++repeat) { // the first one warms up
        data = mine;
        mpi.barrier(mpi.world);
        double begin = mpi.time();
        worker.reduce(data);
        const double own = mpi.maxOf(mpi.time() - begin);
        mpi.barrier(mpi.world);
        begin = mpi.time();
        mpi.allReduce(mine.data(), theirs.data(), static_cast<int>(job.elements), mpi.floats, mpi.sum, mpi.world);
        const double other = mpi.maxOf(mpi.time() - begin);
        if (repeat > 0) {
            seconds.push_back(own);
            vendor.push_back(other);
        }
    }
    double hash = static_cast<double>(hashOf(data)), least = 0, most = 0;
    mpi.allReduce(&hash, &least, 1, mpi.doubles, mpi.least, mpi.world);
    mpi.allReduce(&hash, &most, 1, mpi.doubles, mpi.most, mpi.world);
    if (rank == 0) {
        bool same = false;
        const auto expected = replaySchedule(*schedule, job.elements, job.seed, same);
        std::uint64_t wrong = 0, otherBits = 0;
        for (std::uint64_t i = 0; i < job.elements; ++i) {
            wrong += std::bit_cast<std::uint32_t>(data[i]) != std::bit_cast<std::uint32_t>(expected[i]);
            otherBits += std::bit_cast<std::uint32_t>(data[i]) != std::bit_cast<std::uint32_t>(theirs[i]);
        }
        std::cout << kMpiMark
                  << Json{{"seconds", seconds},
                          {"vendor_seconds", vendor},
                          {"wrong", wrong},
                          {"same", least == most},
                          {"other_bits", otherBits}}
                         .dump()
                  << std::endl;
    }
    mpi.finalize();
    return 0;
}

} // namespace ridge::labs
