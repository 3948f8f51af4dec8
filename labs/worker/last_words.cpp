// SPDX-License-Identifier: GPL-3.0-or-later
#include "labs/worker/last_words.h"

#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <unistd.h>

namespace ridge::labs {

namespace {

constexpr std::size_t kReserve = std::size_t{1} << 20; ///< for the text of the last event

// Of the process, as std::set_terminate is: a handler takes no argument.
WorkerOutput* output = nullptr;
std::unique_ptr<char[]> reserve;

Error reason()
{
    try {
        std::rethrow_exception(std::current_exception());
    } catch (const std::bad_alloc&) {
        return {"out-of-memory", "the worker ran out of memory", "",
                "take smaller parameters or buffers, or raise --memory-mib"};
    } catch (const std::exception& error) {
        return {"internal", std::string("the request broke a contract: ") + error.what(), "",
                "this is a fault of Ridgepoint, please report it"};
    } catch (...) {
        return {"internal", "the request broke a contract", "", "this is a fault of Ridgepoint, please report it"};
    }
}

[[noreturn]] void end()
{
    if (std::current_exception() == nullptr) // std::terminate() by itself: a crash, for whoever looks at it
        std::abort();
    reserve.reset();
    output->failIfOpen(reason());
    _exit(1);
}

} // namespace

void speakBeforeTheEnd(WorkerOutput& to)
{
    output = &to;
    reserve = std::make_unique<char[]>(kReserve);
    std::set_terminate(end);
}

} // namespace ridge::labs
