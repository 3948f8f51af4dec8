// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/cuda/cuda_program.h"

#include "gpu/argument_pieces.h"
#include "gpu/cuda/driver_errors.h"

namespace ridge::gpu::cuda {

namespace {

constexpr std::size_t kLogBytes = 16384;

// CUresult values that a module load can answer with.
constexpr CuResult kNoBinary = 209;
constexpr CuResult kInvalidPtx = 218;
constexpr CuResult kNoJitCompiler = 221;
constexpr CuResult kUnsupportedPtxVersion = 222;
constexpr CuResult kNotFound = 500;

std::string versionText(int major, int minor)
{
    return std::to_string(major) + "." + std::to_string(minor);
}

Error tooNew(const Session& session, const Program& program, const PtxFacts& facts)
{
    const std::optional<PtxNeeds> needs = needsOfPtx(facts.versionMajor, facts.versionMinor);
    const std::string accepts = cudaVersionText(session.facts().driverCudaVersion);
    std::string message = "the driver accepts code of CUDA " + accepts + " and older; '" + program.name +
                          "' was compiled to PTX " + versionText(facts.versionMajor, facts.versionMinor);
    std::string fix = "install a newer driver";
    if (needs) {
        message += " (CUDA " + needs->cuda + ")";
        fix = "install driver " + std::to_string(needs->driver) + " or newer";
    }
    fix += ", or point RIDGE_NVRTC at the library of CUDA " + accepts + " or older";
    return Error{"ptx-too-new", message, session.place(), fix};
}

Error loadError(Session& session, CuResult code, const Program& program, const PtxFacts& facts, const std::string& log)
{
    const std::string words = log.empty() ? codeText(session.driver(), code) : log;
    switch (code) {
    case kUnsupportedPtxVersion:
        return tooNew(session, program, facts);
    case kNoBinary:
        return Error{"arch-mismatch",
                     "'" + program.name + "' was compiled for " + program.arch + ", this GPU is compute capability " +
                         versionText(session.facts().computeMajor, session.facts().computeMinor),
                     session.place(), "compile it for this GPU"};
    case kInvalidPtx:
        return Error{"bad-ptx", "the driver cannot translate '" + program.name + "': " + words, program.name,
                     "the lines named are those of the PTX"};
    case kNoJitCompiler:
        return Error{"driver-failed", "the driver's PTX compiler is missing", session.place(),
                     "install libnvidia-ptxjitcompiler (Debian: libnvidia-ptxjitcompiler1)"};
    default:
        return session.failed(code, "'" + program.name + "' cannot be loaded");
    }
}

Error badLaunch(const Launch& launch, const std::string& what, std::uint64_t given, std::uint64_t max)
{
    return Error{"bad-launch", "kernel '" + launch.kernel + "': " + what + " is " + std::to_string(given),
                 launch.kernel, "1 to " + std::to_string(max) + " is legal on this GPU"};
}

std::size_t argumentBytes(const KernelArg& argument)
{
    return std::visit([](const auto& value) { return sizeof value; }, argument);
}

std::string sizesText(const std::vector<std::size_t>& sizes)
{
    std::string out;
    for (const std::size_t size : sizes)
        out += (out.empty() ? "" : ", ") + std::to_string(size);
    return std::to_string(sizes.size()) + " of " + (out.empty() ? "no" : out) + " bytes";
}

} // namespace

CudaProgram::CudaProgram(std::shared_ptr<Session> session, const Program& program)
    : m_session(std::move(session)), m_program(program), m_facts(readPtxFacts(program.ptx))
{
}

CudaProgram::~CudaProgram()
{
    if (m_module != nullptr && m_session->usable().ok())
        m_session->driver().moduleUnload(m_module);
}

Result<std::unique_ptr<CudaProgram>> CudaProgram::load(std::shared_ptr<Session> session, const Program& program)
{
    if (const Result<void> usable = session->usable(); !usable.ok())
        return usable.error();
    std::unique_ptr<CudaProgram> loaded(new CudaProgram(std::move(session), program));
    Session& open = *loaded->m_session;
    const int capability = open.facts().computeMajor * 10 + open.facts().computeMinor;
    const PtxFacts& facts = loaded->m_facts;
    if (facts.targetArch > capability || (facts.architectureSpecific && facts.targetArch != capability))
        return loadError(open, kNoBinary, program, facts, {});

    if (loaded->loadMachineCode())
        return loaded;
    std::string errors(kLogBytes, '\0');
    std::array<JitOption, 2> names{JitOption::ErrorLog, JitOption::ErrorLogBytes};
    // The option's value is passed in place of a pointer.
    std::array<void*, 2> values{errors.data(), reinterpret_cast<void*>(kLogBytes)};
    const CuResult code =
        open.driver().moduleLoadData(&loaded->m_module, program.ptx.c_str(), names.size(), names.data(), values.data());
    if (code != kCuSuccess) {
        loaded->m_module = nullptr;
        errors.resize(errors.find('\0') == std::string::npos ? errors.size() : errors.find('\0'));
        return loadError(open, code, program, facts, errors);
    }
    return loaded;
}

/// False: it is not for this GPU, or of a toolkit that this driver does not know. The PTX then decides, whose error
/// says more.
bool CudaProgram::loadMachineCode()
{
    if (m_program.cubin.empty())
        return false;
    const DeviceFacts& facts = m_session->facts();
    const std::string own = "sm_" + std::to_string(facts.computeMajor) + std::to_string(facts.computeMinor);
    const bool fits = m_program.cubinArch == own || m_program.cubinArch == own + "a";
    if (fits &&
        m_session->driver().moduleLoadData(&m_module, m_program.cubin.data(), 0, nullptr, nullptr) == kCuSuccess)
        return true;
    m_module = nullptr;
    m_program.cubin.clear();
    m_program.cubinArch.clear();
    return false;
}

Result<CudaProgram::Kernel*> CudaProgram::kernel(const std::string& name) const
{
    if (const auto it = m_kernels.find(name); it != m_kernels.end())
        return &it->second;
    const Driver& driver = m_session->driver();
    Kernel out;
    const CuResult code = driver.moduleFunction(&out.function, m_module, name.c_str());
    if (code == kNotFound) {
        std::string known;
        for (const auto& [entry, sizes] : m_facts.entries)
            known += (known.empty() ? "" : ", ") + entry;
        return Error{"kernel-not-found", "'" + m_program.name + "' has no kernel '" + name + "'", m_program.name,
                     known.empty() ? "it has none: mark one with extern \"C\" __global__" : "it has " + known};
    }
    if (code != kCuSuccess)
        return m_session->failed(code, "kernel '" + name + "' cannot be found");
    const auto get = [&](FunctionAttribute which) {
        int value = 0;
        return driver.functionGetAttribute(&value, which, out.function) == kCuSuccess
                   ? static_cast<std::uint32_t>(value)
                   : 0u;
    };
    out.maxThreads = get(FunctionAttribute::MaxThreadsPerBlock);
    out.staticShared = get(FunctionAttribute::SharedBytes);
    out.registers = get(FunctionAttribute::Registers);
    const std::uint32_t limit = m_session->facts().sharedPerBlock;
    out.dynamicShared = limit > out.staticShared ? limit - out.staticShared : 0;
    return &m_kernels.emplace(name, out).first->second;
}

Result<DevicePtr> CudaProgram::variableAddress(const std::string& name) const
{
    const Driver& driver = m_session->driver();
    if (driver.moduleGlobal == nullptr)
        return Error{"driver-too-old", "the driver does not tell where a program's variables lie", m_program.name,
                     "install a newer NVIDIA driver, or pass the values as arguments"};
    CuPointer address{};
    std::size_t bytes = 0;
    const CuResult code = driver.moduleGlobal(&address, &bytes, m_module, name.c_str());
    if (code == kNotFound)
        return Error{"no-variable", "the program has no variable '" + name + "'", m_program.name, {}};
    if (code != kCuSuccess)
        return m_session->failed(code, "variable '" + name + "' cannot be found");
    return DevicePtr{address};
}

Result<void> CudaProgram::checkArguments(const Launch& launch) const
{
    const auto declared = m_facts.entries.find(launch.kernel);
    if (declared == m_facts.entries.end())
        return {};
    std::vector<std::size_t> given;
    for (const KernelArg& argument : launch.args)
        given.push_back(argumentBytes(argument));
    if (given == declared->second || parameterBytes(declared->second, launch.args))
        return {};
    return Error{"bad-launch",
                 "kernel '" + launch.kernel + "' takes " + sizesText(declared->second) + "; given are " +
                     sizesText(given),
                 launch.kernel, "pass arguments of the declared number and sizes"};
}

Result<void> CudaProgram::check(const Kernel& kernel, const Launch& launch) const
{
    const DeviceFacts& facts = m_session->facts();
    struct Dimension {
        const char* name;
        std::uint32_t given, max;
    };
    const std::array<Dimension, 6> dimensions{{{"grid.x", launch.grid.x, facts.maxGrid.x},
                                               {"grid.y", launch.grid.y, facts.maxGrid.y},
                                               {"grid.z", launch.grid.z, facts.maxGrid.z},
                                               {"block.x", launch.block.x, facts.maxBlock.x},
                                               {"block.y", launch.block.y, facts.maxBlock.y},
                                               {"block.z", launch.block.z, facts.maxBlock.z}}};
    for (const Dimension& dimension : dimensions)
        if (dimension.given == 0 || dimension.given > dimension.max)
            return badLaunch(launch, dimension.name, dimension.given, dimension.max);
    if (launch.block.count() > facts.maxThreadsPerBlock)
        return badLaunch(launch, "threads per block", launch.block.count(), facts.maxThreadsPerBlock);
    if (kernel.maxThreads > 0 && launch.block.count() > kernel.maxThreads)
        return badLaunch(launch, "threads per block (the kernel's registers allow fewer than the GPU)",
                         launch.block.count(), kernel.maxThreads);
    const std::uint64_t shared = std::uint64_t{kernel.staticShared} + launch.dynamicSharedBytes;
    if (shared > facts.sharedPerBlockOptin)
        return badLaunch(launch, "shared memory per block in bytes", shared, facts.sharedPerBlockOptin);
    return checkArguments(launch);
}

Result<void> CudaProgram::allowDynamicShared(Kernel& kernel, const Launch& launch) const
{
    if (launch.dynamicSharedBytes <= kernel.dynamicShared)
        return {};
    const CuResult code = m_session->driver().functionSetAttribute(kernel.function, FunctionAttribute::MaxDynamicShared,
                                                                   static_cast<int>(launch.dynamicSharedBytes));
    if (code != kCuSuccess)
        return m_session->failed(code, "kernel '" + launch.kernel + "' cannot have " +
                                           std::to_string(launch.dynamicSharedBytes) + " B of shared memory");
    kernel.dynamicShared = launch.dynamicSharedBytes;
    return {};
}

Result<CudaProgram::Prepared> CudaProgram::prepare(const Launch& launch) const
{
    const Result<Kernel*> found = kernel(launch.kernel);
    if (!found.ok())
        return found.error();
    Kernel& entry = **found;
    if (const Result<void> legal = check(entry, launch); !legal.ok())
        return legal.error();
    if (const Result<void> allowed = allowDynamicShared(entry, launch); !allowed.ok())
        return allowed.error();
    const Driver& driver = m_session->driver();
    if (launch.cluster.x != 0 && driver.launchKernelEx == nullptr)
        return Error{"driver-too-old", "the NVIDIA driver cannot launch clusters", driver.path,
                     "install driver 525 or newer"};
    if (launch.cluster.x != 0 && launch.nonPortableCluster)
        if (const CuResult code = driver.functionSetAttribute(entry.function, FunctionAttribute::NonPortableCluster, 1);
            code != kCuSuccess)
            return m_session->kernelFailed(code, launch.kernel);
    Prepared out{entry.function, launch, {}, {}};
    // The driver takes one address for each parameter; the fields of a struct are put together first.
    const auto declared = m_facts.entries.find(launch.kernel);
    if (declared != m_facts.entries.end() && launch.args.size() > declared->second.size())
        if (auto parameters = parameterBytes(declared->second, launch.args))
            out.structs = std::move(*parameters);
    for (std::vector<std::byte>& parameter : out.structs)
        out.arguments.push_back(parameter.data());
    if (!out.structs.empty())
        return out;
    for (KernelArg& value : out.launch.args)
        out.arguments.push_back(std::visit([](auto& held) { return static_cast<void*>(&held); }, value));
    return out;
}

Result<void> CudaProgram::submit(Prepared& prepared, CuStream stream) const
{
    const Driver& driver = m_session->driver();
    const Launch& launch = prepared.launch;
    CuResult code = kCuSuccess;
    if (launch.cluster.x == 0) {
        code = driver.launchKernel(prepared.function, launch.grid.x, launch.grid.y, launch.grid.z, launch.block.x,
                                   launch.block.y, launch.block.z, launch.dynamicSharedBytes, stream,
                                   prepared.arguments.data(), nullptr);
    } else {
        CuClusterAttribute cluster;
        cluster.x = launch.cluster.x;
        cluster.y = launch.cluster.y;
        cluster.z = launch.cluster.z;
        const CuLaunchConfig config{launch.grid.x,
                                    launch.grid.y,
                                    launch.grid.z,
                                    launch.block.x,
                                    launch.block.y,
                                    launch.block.z,
                                    launch.dynamicSharedBytes,
                                    stream,
                                    &cluster,
                                    1};
        code = driver.launchKernelEx(&config, prepared.function, prepared.arguments.data(), nullptr);
    }
    if (code != kCuSuccess)
        return m_session->kernelFailed(code, launch.kernel);
    return {};
}

std::uint32_t CudaProgram::registers(const std::string& name) const
{
    const auto found = kernel(name);
    return found ? (*found)->registers : 0;
}

std::uint32_t CudaProgram::residentBlocks(const Launch& launch) const
{
    const auto found = m_kernels.find(launch.kernel);
    const Driver& driver = m_session->driver();
    int blocks = 0;
    if (found == m_kernels.end() || driver.residentBlocks == nullptr ||
        driver.residentBlocks(&blocks, found->second.function, static_cast<int>(launch.block.count()),
                              launch.dynamicSharedBytes) != kCuSuccess)
        return 0;
    return static_cast<std::uint32_t>(blocks);
}

Result<void> CudaProgram::enqueue(const Launch& launch) const
{
    Result<Prepared> prepared = prepare(launch);
    if (!prepared.ok())
        return prepared.error();
    return submit(*prepared, m_session->stream());
}

} // namespace ridge::gpu::cuda
