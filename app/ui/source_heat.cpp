// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/source_heat.h"

#include "base/json.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace ridge::app {
namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::SourceHeat", text);
}

double number(const Json& json, const char* key)
{
    const auto found = json.find(key);
    return found != json.end() && found->is_number() ? found->get<double>() : 0;
}

} // namespace

QString heatTitle(HeatMetric metric)
{
    switch (metric) {
    case HeatMetric::Instructions:
        return tr("Instructions issued");
    case HeatMetric::SectorsPerRequest:
        return tr("Sectors a request");
    case HeatMetric::BankConflicts:
        return tr("Bank-conflict wavefronts");
    case HeatMetric::StallCycles:
        return tr("Stall cycles");
    }
    return {};
}

QString heatHelp(HeatMetric metric)
{
    switch (metric) {
    case HeatMetric::Instructions:
        return tr("Machine instructions issued for the line, one for each warp.");
    case HeatMetric::SectorsPerRequest:
        return tr("32-byte sectors of global memory that one warp instruction of the line touches: 4 is the least for "
                  "32 lanes of 4 bytes.");
    case HeatMetric::BankConflicts:
        return tr("Passes through the banks of shared memory beyond those that the line would need if no two lanes met "
                  "in a bank.");
    case HeatMetric::StallCycles:
        return tr("Warp-cycles in which the line was the next to issue and could not.");
    }
    return {};
}

std::vector<HeatLine> heatOf(const Json& document)
{
    std::vector<HeatLine> lines;
    const auto rows = document.find("per_line");
    if (rows == document.end() || !rows->is_array())
        return lines;
    for (const Json& row : *rows) {
        HeatLine line;
        const auto source = row.find("source_line");
        const bool known = source != row.end() && source->is_number();
        line.line = known ? source->get<int>() : static_cast<int>(number(row, "ptx_line"));
        if (const auto text = row.find("source_text"); text != row.end() && text->is_string())
            line.text = QString::fromStdString(text->get<std::string>());
        line.values[int(HeatMetric::Instructions)] = number(row, "inst_issued");
        if (const double requests = number(row, "global_requests"); requests > 0)
            line.values[int(HeatMetric::SectorsPerRequest)] = number(row, "global_request_sectors") / requests;
        if (const double passes = number(row, "shared_wavefronts"); passes > 0)
            line.values[int(HeatMetric::BankConflicts)] = passes - number(row, "shared_minimum_wavefronts");
        double waited = 0, most = 0;
        if (const auto stalls = row.find("stalls"); stalls != row.end() && stalls->is_object())
            for (const auto& [reason, cycles] : stalls->items()) {
                if (reason == "selected" || !cycles.is_number())
                    continue;
                waited += cycles.get<double>();
                if (cycles.get<double>() > most) {
                    most = cycles.get<double>();
                    line.mainStall = QString::fromStdString(reason);
                }
            }
        line.values[int(HeatMetric::StallCycles)] = waited;
        lines.push_back(std::move(line));
    }
    std::ranges::stable_sort(lines, {}, &HeatLine::line);
    return lines;
}

int hottestLine(const std::vector<HeatLine>& lines, HeatMetric metric)
{
    int found = 0;
    double most = 0;
    for (const HeatLine& line : lines)
        if (const double value = line.value(metric).value_or(0); value > most) {
            most = value;
            found = line.line;
        }
    return found;
}

QString shortNumber(double value)
{
    const auto digits = [](double number, const char* suffix) {
        QString text = QString::number(number, 'f', number < 9.95 ? 2 : number < 99.95 ? 1 : 0);
        if (text.contains(QLatin1Char('.'))) {
            while (text.endsWith(QLatin1Char('0')))
                text.chop(1);
            if (text.endsWith(QLatin1Char('.')))
                text.chop(1);
        }
        return text + QLatin1String(suffix);
    };
    const double size = std::abs(value);
    if (size < 10000)
        return size == std::floor(size) ? QString::number(value, 'f', 0) : digits(value, "");
    return size < 999.5e3   ? digits(value / 1e3, "k")
           : size < 999.5e6 ? digits(value / 1e6, "M")
                            : digits(value / 1e9, "G");
}

} // namespace ridge::app
