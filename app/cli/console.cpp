// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli/console.h"

#include "base/json.h"

#include <QString>
#include <cmath>
#include <cstdio>
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

std::string table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& given)
{
    std::vector<std::vector<std::string>> rows = given;
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
    std::string out;
    const auto line = [&](const std::vector<std::string>& cells) {
        std::string text;
        for (std::size_t i = 0; i < cells.size() && i < widths.size(); ++i) {
            const std::string pad(widths[i] - width(cells[i]), ' ');
            text += (i ? "  " : "") + (numeric[i] ? pad + cells[i] : cells[i] + pad);
        }
        while (!text.empty() && text.back() == ' ')
            text.pop_back();
        out += text + '\n';
    };
    line(header);
    for (const auto& row : rows)
        line(row);
    return out;
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
