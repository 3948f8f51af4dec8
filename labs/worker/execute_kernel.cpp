// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/worker/execute_kernel.h"

#include "labs/grade/grade_job.h"
#include "labs/kernel/kernel_job.h"

#include <chrono>
#include <new>
#include <system_error>

namespace ridge::labs {

bool executeKernel(const KernelRequest& request, const EventSink& sink, const gpu::StopRequested& stop,
                   const std::function<Error()>& stopReason, const GoOn& goOn)
{
    const auto begin = std::chrono::steady_clock::now();
    const auto failed = [&](Error error) {
        sink(FailedEvent{stop && stop() ? stopReason() : std::move(error)});
        return false;
    };
    try {
        const auto* run = std::get_if<KernelRunRequest>(&request);
        const auto* grade = std::get_if<KernelGradeRequest>(&request);
        const auto done = run     ? runKernel(*run, sink, stop, goOn)
                          : grade ? gradeKernel(*grade, sink, stop)
                                  : compileKernels(std::get<KernelCompileRequest>(request), sink, stop);
        if (!done)
            return failed(done.error());
    } catch (const std::bad_alloc&) {
        return failed(
            {"out-of-memory", "the worker ran out of memory", "", "take smaller buffers or raise --memory-mib"});
    } catch (const std::system_error& error) { // no thread to be had
        return failed({"out-of-memory", std::string("the worker has no room for its threads: ") + error.what(), "",
                       "raise --memory-mib"});
    } catch (const std::exception& error) {
        return failed({"internal", std::string("the kernel request broke a contract: ") + error.what(), "",
                       "this is a fault of Ridgepoint, please report it"});
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    sink(FinishedEvent{"valid", seconds.count()});
    return true;
}

} // namespace ridge::labs
