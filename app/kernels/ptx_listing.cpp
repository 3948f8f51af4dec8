// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/ptx_listing.h"

#include "base/json.h"

#include <QCoreApplication>
#include <algorithm>

namespace ridge::app {
namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(ridge::app::PtxListing)
};

std::size_t lineIn(const Json& json, const char* key)
{
    const auto found = json.find(key);
    return found != json.end() && found->is_number_unsigned() ? found->get<std::size_t>() : 0;
}

const Json& listIn(const Json& json, const char* key)
{
    static const Json none = Json::array();
    const auto found = json.find(key);
    return found != json.end() && found->is_array() ? *found : none;
}

} // namespace

std::vector<PtxLine> ptxListing(const Json& document, bool isPtx)
{
    std::vector<PtxLine> lines;
    const auto text = document.find("ptx");
    if (text == document.end() || !text->is_string())
        return lines;
    for (QString line : QString::fromStdString(text->get<std::string>()).split(QLatin1Char('\n'))) {
        PtxLine made;
        made.text = line.remove(QLatin1Char('\r'));
        lines.push_back(std::move(made));
    }
    while (!lines.empty() && lines.back().text.trimmed().isEmpty())
        lines.pop_back();
    const auto at = [&lines](std::size_t number) {
        return number > 0 && number <= lines.size() ? &lines[number - 1] : nullptr;
    };
    for (const Json& line : listIn(document, "lines"))
        for (const Json& number : listIn(line, "ptx_lines"))
            if (PtxLine* made = at(number.is_number_unsigned() ? number.get<std::size_t>() : 0)) {
                made->sourceLine = isPtx ? int(made - lines.data()) + 1 : int(lineIn(line, "source_line"));
                made->copies = 1;
            }
    std::vector<int> seen(lines.size());
    for (const Json& kernel : listIn(document, "kernels"))
        for (const Json& entry : listIn(kernel, "listing"))
            if (PtxLine* made = at(lineIn(entry, "ptx_line"))) {
                const Json& machine = listIn(entry, "machine");
                made->copies = ++seen[std::size_t(made - lines.data())];
                made->allMachine += int(machine.size());
                if (made->copies == 1)
                    for (const Json& instruction : machine)
                        if (instruction.is_string())
                            made->machine << QString::fromStdString(instruction.get<std::string>());
            }
    return lines;
}

std::vector<PtxLine> sassListing(const Json& document)
{
    std::vector<PtxLine> lines;
    const auto sass = document.find("sass");
    if (sass == document.end() || !sass->is_object())
        return lines;
    for (const Json& kernel : listIn(*sass, "kernels")) {
        PtxLine name;
        name.text = QString::fromStdString(kernel.value("kernel", std::string()));
        lines.push_back(std::move(name));
        for (const Json& line : listIn(kernel, "lines")) {
            PtxLine made;
            made.text = QStringLiteral("\t%1  %2")
                            .arg(lineIn(line, "address"), 4, 16, QLatin1Char('0'))
                            .arg(QString::fromStdString(line.value("sass", std::string())));
            made.sourceLine = int(lineIn(line, "source_line"));
            made.copies = 1;
            lines.push_back(std::move(made));
        }
    }
    return lines;
}

QString sassOrigin(const Json& document)
{
    const auto text = [](const Json& json, const char* key) {
        return QString::fromStdString(json.value(key, std::string()));
    };
    if (const auto sass = document.find("sass"); sass != document.end() && sass->is_object())
        return Words::tr("SASS for %1 by %2 and %3: what NVIDIA's assembler makes of this PTX. A driver may make other "
                         "code of it.")
            .arg(text(*sass, "arch"), text(*sass, "ptxas"), text(*sass, "nvdisasm"));
    if (const auto missing = document.find("sass_missing"); missing != document.end() && missing->is_object())
        return Words::tr("No SASS: %1. To see it, %2.").arg(text(*missing, "message"), text(*missing, "fix"));
    return {};
}

QString ptxSentence(const std::vector<PtxLine>& lines, int sourceLine)
{
    int instructions = 0, machine = 0, most = 0;
    for (const PtxLine& line : lines)
        if (line.sourceLine == sourceLine && line.copies > 0) {
            ++instructions;
            machine += line.allMachine;
            most = std::max(most, line.copies);
        }
    if (instructions == 0)
        return Words::tr("Line %1 became no instruction.").arg(sourceLine);
    const QString counted =
        Words::tr("Line %1: %2 in PTX, %3 of the machine")
            .arg(sourceLine)
            .arg(instructions == 1 ? Words::tr("1 instruction") : Words::tr("%1 instructions").arg(instructions))
            .arg(machine);
    return most > 1 ? Words::tr("%1; unrolled, some stand %2 times.").arg(counted).arg(most)
                    : Words::tr("%1.").arg(counted);
}

} // namespace ridge::app
