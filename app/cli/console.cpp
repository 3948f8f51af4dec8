// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/console.h"

#include "base/json.h"
#include "cli/fitted_table.h"

#include <QString>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <sys/ioctl.h>
#include <unistd.h>

namespace ridge::cli {
namespace {

std::size_t width(const std::string& text)
{
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

/// Text of others without what a terminal would act on.
std::string harmless(std::string_view text, bool oneLine)
{
    QString out = QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
    for (qsizetype i = 0; i < out.size(); ++i) {
        QChar& c = out[i];
        // A carriage return that ends no line would put what follows over what was there.
        const bool ends = c == QLatin1Char('\r') && i + 1 < out.size() && out[i + 1] == QLatin1Char('\n');
        const bool space =
            c == QLatin1Char('\n') || c == QLatin1Char('\t') || ends || (oneLine && c == QLatin1Char('\r'));
        const bool turns = (c >= QChar(0x202a) && c <= QChar(0x202e)) || (c >= QChar(0x2066) && c <= QChar(0x2069));
        if (space && oneLine)
            c = QLatin1Char(' ');
        else if (!space && (turns || c.category() == QChar::Other_Control))
            c = QChar::ReplacementCharacter;
    }
    return out.toStdString();
}

bool looksNumeric(const std::string& text)
{
    return !text.empty() &&
           (std::isdigit(static_cast<unsigned char>(text.front())) ||
            (text.size() > 1 && text.front() == '-' && std::isdigit(static_cast<unsigned char>(text[1]))));
}

} // namespace

ExitCode exitCodeOf(const Error& error)
{
    static const std::map<std::string, ExitCode, std::less<>> codes = {
        {"bad-config", Usage},
        {"bad-network", Usage},
        {"bad-onnx", Usage},
        {"bad-yaml", Usage},
        {"bad-step", Usage},
        {"unknown-model", Usage},
        {"unknown-baseline", Usage},
        {"unknown-experiment", Usage},
        {"unknown-parameter", Usage},
        {"out-of-range", Usage},
        {"bad-value", Usage},
        {"bad-argument", Usage},
        {"bad-sidecar", Usage},
        {"bad-sweep", Usage},
        {"bad-points", Usage},
        {"unknown-target", Usage},
        {"unknown-task", Usage},
        {"bad-launch-line", Usage},
        {"wrong-signature", Usage},
        {"not-self-contained", Usage},
        {"unknown-lesson", Usage},
        {"unknown-path", Usage},
        {"unknown-companion", Usage},
        {"unsupported-target", Usage},
        {"unknown-artifact", Usage},
        {"unknown-class", Usage},
        {"unknown-assignment", Usage},
        {"unknown-file", Usage},
        {"unknown-person", Usage},
        {"unknown-format", Usage},
        {"several-people", Usage},
        {"nothing-handed-in", Usage},
        {"remark-large", Usage},
        {"nothing-open", Usage},
        {"several-lessons", Usage},
        {"bad-name", Usage},
        {"bad-deadline", Usage},
        {"bad-csv", Usage},
        {"bad-trace", Usage},
        {"bad-format", Usage},
        {"bad-database", Usage},
        {"bad-import", Usage},
        {"bad-json", Usage},
        {"bad-pickle", Usage},
        {"bad-assignment", Usage},
        {"bad-submission", Usage},
        {"too-large", Usage},
        {"nothing-shipped", Usage},
        {"not-a-portfolio", Usage},
        {"cannot-write", Usage},
        {"cannot-read", Usage},
        {"kernel-not-found", Usage},
        {"unknown-compiler", Usage},
        {"bad-launcher", Usage},
        {"bad-settings", Usage},
        {"bad-target-name", Usage},
        {"target-unavailable", Unavailable},
        {"target-unreachable", Unavailable},
        {"endpoint-unreachable", Unavailable},
        {"link-lost", Unavailable},
        {"no-room", Unavailable},
        {"cannot-install", Unavailable},
        {"other-architecture", Unavailable},
        {"worker-newer", Unavailable},
        {"worker-older", Unavailable},
        {"worker-missing", Unavailable},
        {"no-compiler", Unavailable},
        {"no-data", Unavailable},
        {"driver-missing", Unavailable},
        {"shipped-mismatch", Unavailable},
        {"store-readonly", StoreTrouble},
        {"store-damaged", StoreTrouble},
        {"store-newer", StoreTrouble},
        {"store-locked", StoreTrouble},
        {"store-missing", StoreTrouble},
        {"bad-backup", StoreTrouble},
        {"older-backup", StoreTrouble},
        {"disk-full", StoreTrouble},
        {"bad-row", StoreTrouble},
        {"bad-key", StoreTrouble},
        {"key-missing", StoreTrouble},
        {"file-missing", StoreTrouble},
        {"file-damaged", StoreTrouble},
        {"store-error", StoreTrouble},
        {"cancelled", Cancelled},
    };
    // A file that somebody gave us is not what it should be, whatever it is exactly.
    for (const char* kind : {"archive-", "assignment-", "submission-", "signature-", "rows-"})
        if (error.code.starts_with(kind))
            return Usage;
    const auto it = codes.find(error.code);
    return it == codes.end() ? Failed : it->second;
}

void tell(const std::string& line)
{
    std::fprintf(stderr, "ridge: %s\n", harmless(line, false).c_str());
}

int report(const Error& error)
{
    tell(toText(error));
    return exitCodeOf(error);
}

void printJson(const Json& document)
{
    std::printf("%s\n", document.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
}

std::string plain(std::string_view text)
{
    return harmless(text, true);
}

std::string plainLines(std::string_view text)
{
    return harmless(text, false);
}

std::string counted(std::size_t count, const std::string& one, const std::string& many)
{
    return std::to_string(count) + ' ' + (count == 1 ? one : many);
}

std::size_t outputWidth()
{
    if (const char* columns = std::getenv("COLUMNS"); columns && *columns)
        return static_cast<std::size_t>(std::max(0, std::atoi(columns)));
    winsize size{};
    return isTerminal(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

namespace {

using Cells = std::vector<std::string>;

constexpr std::size_t kGap = 2;
constexpr std::size_t kLeastText = 24; ///< a column of text is not made narrower to fit a terminal

/// Lines of at most `most` characters, broken at blanks; a longer word is cut.
Cells broken(const std::string& text, std::size_t most)
{
    if (width(text) <= most)
        return {text};
    Cells lines;
    QString rest = QString::fromStdString(text);
    const auto limit = static_cast<qsizetype>(most);
    while (rest.size() > limit) {
        qsizetype at = rest.lastIndexOf(QLatin1Char(' '), limit);
        if (at <= 0)
            at = limit;
        lines.push_back(rest.first(at).toStdString());
        rest = rest.sliced(at).trimmed();
    }
    lines.push_back(rest.toStdString());
    return lines;
}

std::size_t sumOf(const std::vector<std::size_t>& widths)
{
    std::size_t sum = 0;
    for (const std::size_t each : widths)
        sum += each + kGap;
    return sum < kGap ? 0 : sum - kGap;
}

/// The widest column of text gives way first.
void narrow(std::vector<std::size_t>& widths, const std::vector<bool>& numeric, std::size_t limit)
{
    while (sumOf(widths) > limit) {
        std::optional<std::size_t> widest;
        for (std::size_t i = 0; i < widths.size(); ++i)
            if (!numeric[i] && widths[i] > kLeastText && (!widest || widths[i] > widths[*widest]))
                widest = i;
        if (!widest)
            return;
        --widths[*widest];
    }
}

/// Which columns stand beside one another: all, or as many as fit behind the first `keys`.
std::vector<std::vector<std::size_t>> dealt(const std::vector<std::size_t>& widths, std::size_t keys, std::size_t limit)
{
    std::vector<std::size_t> first;
    std::size_t head = 0;
    for (std::size_t i = 0; i < std::min(keys, widths.size()); ++i) {
        first.push_back(i);
        head += widths[i] + kGap;
    }
    std::vector<std::vector<std::size_t>> groups{first};
    std::size_t used = head;
    for (std::size_t i = first.size(); i < widths.size(); ++i) {
        if (limit > 0 && used + widths[i] > limit && groups.back().size() > first.size()) {
            groups.push_back(first);
            used = head;
        }
        groups.back().push_back(i);
        used += widths[i] + kGap;
    }
    return groups;
}

} // namespace

std::string fittedTable(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& given,
                        std::size_t keys, std::size_t limit)
{
    std::vector<Cells> rows = given;
    for (auto& row : rows)
        for (std::string& cell : row)
            cell = plain(cell);
    std::vector<std::size_t> widths;
    std::vector<bool> numeric(header.size(), !rows.empty());
    for (const std::string& cell : header)
        widths.push_back(width(cell));
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i) {
            widths[i] = std::max(widths[i], width(row[i]));
            numeric[i] = numeric[i] && (looksNumeric(row[i]) || row[i].empty() || row[i] == "–");
        }
    }
    if (limit > 0)
        narrow(widths, numeric, limit);
    std::string out;
    const auto add = [&](const Cells& cells, const std::vector<std::size_t>& columns) {
        std::vector<Cells> lines;
        std::size_t height = 1;
        for (const std::size_t i : columns) {
            lines.push_back(i < cells.size() ? broken(cells[i], widths[i]) : Cells{""});
            height = std::max(height, lines.back().size());
        }
        for (std::size_t at = 0; at < height; ++at) {
            std::string text;
            for (std::size_t c = 0; c < columns.size(); ++c) {
                const std::string& cell = at < lines[c].size() ? lines[c][at] : std::string();
                const std::string pad(widths[columns[c]] - std::min(widths[columns[c]], width(cell)), ' ');
                text += (c ? "  " : "") + (numeric[columns[c]] ? pad + cell : cell + pad);
            }
            while (!text.empty() && text.back() == ' ')
                text.pop_back();
            out += text + '\n';
        }
    };
    for (const auto& columns : dealt(widths, keys, limit)) {
        out += out.empty() ? "" : "\n";
        add(header, columns);
        for (const auto& row : rows)
            add(row, columns);
    }
    return out;
}

std::string table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows)
{
    return fittedTable(header, rows, 1);
}

bool isTerminal(int descriptor)
{
    return isatty(descriptor) == 1;
}

ProgressBar::ProgressBar(bool enabled) : m_enabled(enabled && isTerminal(STDERR_FILENO)) {}

ProgressBar::~ProgressBar()
{
    clear();
}

void ProgressBar::show(double fraction, const std::string& message)
{
    if (!m_enabled)
        return;
    constexpr int cells = 24;
    const int filled = static_cast<int>(std::lround(std::clamp(fraction, 0.0, 1.0) * cells));
    std::string bar;
    for (int i = 0; i < cells; ++i)
        bar += i < filled ? "━" : "─";
    std::fprintf(stderr, "\r\033[K%s %3d%%  %s", bar.c_str(), static_cast<int>(fraction * 100), message.c_str());
    std::fflush(stderr);
    m_drawn = true;
}

void ProgressBar::clear()
{
    if (m_drawn)
        std::fputs("\r\033[K", stderr);
    m_drawn = false;
}

} // namespace ridge::cli
