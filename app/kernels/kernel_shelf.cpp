// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/kernel_shelf.h"

#include "app/session/draft_file.h"

#include "base/json.h"
#include "base/kernel_sidecar.h"
#include "base/kernel_task.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <sstream>

namespace ridge::app {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 20;

fs::path draftFolder(const fs::path& folder)
{
    return folder / "drafts" / "kernels";
}

std::string text(const Json& json, const char* key)
{
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// None where no grading stands there, or none that there can be.
std::optional<GradePoints> bestOf(const Json& json)
{
    const auto best = json.find("best");
    if (best == json.end() || !best->is_object())
        return std::nullopt;
    const Json points = best->value("points", Json()), outOf = best->value("out_of", Json());
    if (!points.is_number() || !outOf.is_number())
        return std::nullopt;
    const GradePoints found{points.get<double>(), outOf.get<double>()};
    return found.points > 0 && found.points <= found.outOf && found.outOf <= 100 ? std::optional(found) : std::nullopt;
}

fs::path draftOf(const fs::path& folder, const std::string& name)
{
    return draftFolder(folder) / (name + ".json");
}

fs::path removedDraftOf(const fs::path& folder, const std::string& name)
{
    return draftFolder(folder) / "removed" / (name + ".json");
}

/// Whether a kernel of that name is there or was: its versions would become another's.
bool isTaken(const fs::path& folder, const std::string& name)
{
    std::error_code ignored;
    return hasKernel(folder, name) || fs::exists(removedDraftOf(folder, name), ignored) ||
           fs::exists(historyFile(folder, name), ignored);
}

std::string fileName(const std::string& wanted)
{
    std::string name;
    for (const char c : wanted)
        name += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' ? c : '_';
    return name.substr(0, 60);
}

Result<void> moveFile(const fs::path& from, const fs::path& to)
{
    std::error_code code;
    fs::create_directories(to.parent_path(), code);
    if (!code)
        fs::rename(from, to, code);
    if (code)
        return Error{"cannot-write", "the kernel could not be moved: " + code.message(), from.string(),
                     "free some space or mend the folder; nothing was changed"};
    return {};
}

/// "Vector add" of "vector_add", "Tile" of "04_tile".
std::string titleOf(const std::string& stem)
{
    std::string words = stem;
    if (words.size() > 3 && std::isdigit(static_cast<unsigned char>(words[0])) && words[2] == '_')
        words = words.substr(3);
    std::replace(words.begin(), words.end(), '_', ' ');
    if (!words.empty())
        words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(words[0])));
    return words;
}

/// The first sentence of a file's head, behind the licence.
std::string aboutOf(const std::string& source)
{
    std::istringstream lines(source);
    std::string about;
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind("//", 0) != 0)
            break;
        const auto first = line.find_first_not_of("/ \t");
        const std::string words = first == std::string::npos ? std::string() : line.substr(first);
        if (words.rfind("SPDX", 0) == 0 || (about.empty() && words.empty()))
            continue;
        if (words.empty())
            break;
        about += (about.empty() ? "" : " ") + words;
    }
    const auto end = about.find(". ");
    return end == std::string::npos ? about : about.substr(0, end + 1);
}

void addFiles(const fs::path& folder, const std::string& group, const std::string& prefix,
              std::vector<KernelExample>& into)
{
    std::error_code ignored;
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        if (entry.path().extension() == ".cu")
            files.push_back(entry.path());
    std::ranges::sort(files);
    for (const fs::path& file : files) {
        const auto source = readFile(file);
        into.push_back({prefix + file.stem().string(), titleOf(file.stem().string()),
                        source ? aboutOf(*source) : std::string(), group, file});
    }
}

} // namespace

Json toJson(const KernelDraft& draft)
{
    Json json{{"text", draft.text},         {"origin", draft.origin}, {"chosen", draft.chosen},
              {"launches", draft.launches}, {"task", draft.task},     {"ptx", draft.isPtx}};
    if (draft.best)
        json["best"] = Json{{"points", draft.best->points}, {"out_of", draft.best->outOf}};
    return json;
}

KernelDraft draftFromJson(const Json& json, const std::string& name)
{
    KernelDraft draft;
    draft.name = name;
    draft.text = text(json, "text");
    draft.origin = text(json, "origin");
    draft.chosen = text(json, "chosen");
    draft.task = text(json, "task");
    if (const auto launches = json.find("launches"); launches != json.end() && launches->is_object())
        draft.launches = *launches;
    if (const auto ptx = json.find("ptx"); ptx != json.end() && ptx->is_boolean())
        draft.isPtx = ptx->get<bool>();
    draft.best = bestOf(json);
    return draft;
}

std::vector<ShelfEntry> kernelsIn(const fs::path& folder)
{
    std::vector<ShelfEntry> entries;
    if (folder.empty())
        return entries;
    const QDir drafts(QString::fromStdString(draftFolder(folder).string()));
    for (const QFileInfo& file : drafts.entryInfoList({QStringLiteral("*.json")}, QDir::Files, QDir::Time)) {
        const auto bytes = readFile(file.filePath().toStdString());
        const auto json = bytes ? parseJson(*bytes, file.filePath().toStdString()) : Result<Json>(Json());
        if (!json || !json->is_object())
            continue;
        const std::string source = text(*json, "text");
        entries.push_back({file.completeBaseName().toStdString(),
                           file.lastModified().toUTC().toString(Qt::ISODateWithMs).toStdString(),
                           static_cast<int>(std::count(source.begin(), source.end(), '\n')) + 1, text(*json, "task"),
                           bestOf(*json)});
    }
    return entries;
}

bool hasKernel(const fs::path& folder, const std::string& name)
{
    std::error_code ignored;
    return !folder.empty() && fs::exists(draftFolder(folder) / (name + ".json"), ignored);
}

std::string freeKernelName(const fs::path& folder, const std::string& wanted)
{
    const std::string name = wanted.empty() ? std::string("kernel") : fileName(wanted);
    std::string free = name;
    for (int at = 2; !folder.empty() && isTaken(folder, free); ++at)
        free = name + "-" + std::to_string(at);
    return free;
}

Result<void> renameKernel(const fs::path& folder, const std::string& from, const std::string& to)
{
    if (to.empty() || fileName(to) != to || to == "new")
        return Error{"bad-name", "“" + to + "” cannot be a kernel's name", from,
                     "Use letters, digits, _ and -, at most 60 of them, and not the word new."};
    if (isTaken(folder, to))
        return Error{"name-taken", "there is or was a kernel called " + to, from, "Choose another name."};
    std::error_code ignored;
    const bool hasVersions = fs::exists(historyFile(folder, from), ignored);
    if (hasVersions)
        if (auto moved = moveFile(historyFile(folder, from), historyFile(folder, to)); !moved)
            return moved;
    auto moved = moveFile(draftOf(folder, from), draftOf(folder, to));
    if (!moved && hasVersions)
        (void)moveFile(historyFile(folder, to), historyFile(folder, from));
    return moved;
}

Result<void> removeKernel(const fs::path& folder, const std::string& name)
{
    return moveFile(draftOf(folder, name), removedDraftOf(folder, name));
}

Result<void> restoreKernel(const fs::path& folder, const std::string& name)
{
    return moveFile(removedDraftOf(folder, name), draftOf(folder, name));
}

fs::path historyFile(const fs::path& folder, const std::string& name)
{
    return folder.empty() ? fs::path() : folder / "kernels" / (name + ".jsonl");
}

std::vector<KernelExample> kernelExamples(const fs::path& data)
{
    std::vector<KernelExample> examples;
    addFiles(data / "assets" / "examples", QT_TRANSLATE_NOOP("kernels", "For learning"), "", examples);
    if (const auto tasks = shippedTasks())
        for (const KernelTask& task : *tasks)
            examples.push_back({task.id, task.title, task.about, QT_TRANSLATE_NOOP("kernels", "Tasks that are graded"),
                                task.folder / "starter.cu", task.id});
    std::error_code ignored;
    std::vector<fs::path> families;
    for (const auto& entry : fs::directory_iterator(data / "kernels", ignored))
        if (entry.is_directory())
            families.push_back(entry.path());
    std::ranges::sort(families);
    for (const fs::path& family : families)
        addFiles(family, titleOf(family.filename().string()), family.filename().string() + "/", examples);
    return examples;
}

namespace {

/// What the compiler wrote beside PTX: kernel, block, shared memory and cluster, and the scratch pointers behind the
/// kernel's own arguments, which the form fills in as for any kernel. Errors: those of sidecarFromJson() and
/// applySidecar().
Result<void> takeSidecar(const fs::path& file, KernelDraft& draft)
{
    constexpr std::uintmax_t kMostSidecarBytes = std::uintmax_t{1} << 20;
    constexpr std::size_t kMostArguments = 4096;
    constexpr std::uint64_t kPrograms = 64; // a grid to begin with
    const fs::path path = fs::path(file).replace_extension(".json");
    std::error_code code;
    if (!fs::is_regular_file(path, code) || fs::file_size(path, code) > kMostSidecarBytes)
        return {};
    const auto text = readFile(path);
    const auto json = text ? parseJson(*text, path.string()) : Result<Json>(text.error());
    if (!json || !isSidecar(*json)) // of something else
        return {};
    const auto sidecar = sidecarFromJson(*json, path.string());
    if (!sidecar)
        return sidecar.error();
    LaunchSettings launch;
    KernelRunRequest request;
    request.source = {file.string(), draft.text, true};
    request.grid = {kPrograms, 1, 1};
    request.args.resize(std::min(ownArguments(*sidecar, draft.text).value_or(0), kMostArguments));
    if (const auto applied = applySidecar(*sidecar, {}, request); !applied)
        return applied.error();
    launch.block = std::to_string(request.block[0]);
    launch.grid = std::to_string(request.grid[0]);
    launch.sharedBytes = request.dynamicSharedBytes;
    if (request.cluster[0] > 1)
        launch.cluster = std::to_string(request.cluster[0]);
    launch.args = request.args;
    draft.launches[request.kernel] = toJson(launch);
    draft.chosen = request.kernel;
    return {};
}

} // namespace

Result<KernelDraft> draftOfFile(const fs::path& file)
{
    std::error_code code;
    if (fs::file_size(file, code) > kMostBytes && !code)
        return Error{"too-large", "the file is larger than 1 MiB", file.string(), "split it"};
    auto source = readFile(file);
    if (!source)
        return source.error();
    KernelDraft draft;
    draft.name = file.stem().string();
    draft.text = std::move(*source);
    draft.origin = file.string();
    draft.isPtx = file.extension() == ".ptx";
    if (draft.isPtx)
        draft.text.resize(draft.text.find_last_not_of('\0') + 1); // some compilers end it in a zero byte
    if (const auto launch = launchInHead(draft.text))
        draft.launches[""] = toJson(*launch); // of whichever kernel is chosen first
    if (draft.isPtx && draft.launches.empty())
        if (auto taken = takeSidecar(file, draft); !taken)
            return taken.error();
    return draft;
}

Result<KernelDraft> draftOfTask(const std::string& id)
{
    const auto task = shippedTask(id);
    if (!task)
        return task.error();
    auto source = readFile(task->folder / "starter.cu");
    if (!source)
        return source.error();
    const ParamSet& sizes = task->visible.front();
    const auto at = launchAt(task->launch, sizes);
    if (!at)
        return at.error();
    auto arguments = publicArguments(*task, sizes);
    if (!arguments)
        return arguments.error();
    const auto dims = [](const std::array<std::uint64_t, 3>& size) {
        return std::to_string(size[0]) + "," + std::to_string(size[1]) + "," + std::to_string(size[2]);
    };
    LaunchSettings launch;
    launch.grid = dims(at->grid);
    launch.block = dims(at->block);
    launch.sharedBytes = at->sharedBytes;
    launch.args = std::move(*arguments);
    KernelDraft draft;
    draft.name = task->id;
    draft.text = std::move(*source);
    draft.task = task->id;
    draft.launches[""] = toJson(launch);
    return draft;
}

Result<std::string> ownKernelOfTask(const std::filesystem::path& folder, const std::string& task)
{
    for (const ShelfEntry& own : kernelsIn(folder))
        if (own.task == task)
            return own.name;
    auto draft = draftOfTask(task);
    if (!draft)
        return draft.error();
    draft->name = freeKernelName(folder, draft->name);
    DraftFile(folder, "kernels", draft->name).keep(toJson(*draft));
    return draft->name;
}

Result<std::string> ownKernelOfFile(const std::filesystem::path& folder, const std::filesystem::path& file)
{
    for (const ShelfEntry& own : kernelsIn(folder))
        if (draftFromJson(DraftFile(folder, "kernels", own.name).load(), own.name).origin == file.string())
            return own.name;
    auto draft = draftOfFile(file);
    if (!draft)
        return draft.error();
    draft->name = freeKernelName(folder, draft->name);
    DraftFile(folder, "kernels", draft->name).keep(toJson(*draft));
    return draft->name;
}

KernelDraft blankDraft()
{
    KernelDraft draft;
    draft.name = "kernel";
    draft.text = "// Launch   --grid 64 --block 256 --arg in:f32:16384:rand(1) --arg out:f32:16384 --arg i32:16384\n"
                 "\n"
                 "__global__ void kernel(const float* in, float* out, int n)\n"
                 "{\n"
                 "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                 "    if (i < n)\n"
                 "        out[i] = in[i];\n"
                 "}\n";
    draft.launches[""] = toJson(*launchInHead(draft.text));
    return draft;
}

} // namespace ridge::app
