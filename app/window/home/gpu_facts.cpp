// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/home/gpu_facts.h"

#include "base/json.h"
#include "base/units.h"

#include <QCoreApplication>
#include <QStringList>

namespace ridge::app {
namespace {

constexpr double kGib = 1024.0 * 1024.0 * 1024.0;

QString tr(const char* text)
{
    return QCoreApplication::translate("GpuFacts", text);
}

QString told(const Json& gpu, const char* key)
{
    const auto found = gpu.find(key);
    return found != gpu.end() && found->is_string() ? QString::fromStdString(found->get<std::string>()) : QString();
}

/// 0 where it is not told.
double number(const Json& gpu, const char* key)
{
    const auto found = gpu.find(key);
    return found != gpu.end() && found->is_number() ? found->get<double>() : 0;
}

QString inWatts(double value)
{
    return QString::fromStdString(formatQuantity(value, "W"));
}

GpuFact powerFact(const Json& gpu)
{
    const double limit = number(gpu, "power_limit_w"), usual = number(gpu, "power_limit_default_w");
    const double least = number(gpu, "power_limit_min_w"), most = number(gpu, "power_limit_max_w");
    QStringList aside;
    if (usual > 0)
        aside << tr("default %1").arg(inWatts(usual));
    if (least > 0)
        aside << tr("at least %1").arg(inWatts(least));
    if (most > 0)
        aside << tr("at most %1").arg(inWatts(most));
    const QString value =
        inWatts(limit) + (aside.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(aside.join(QStringLiteral(", "))));
    QString meaning = tr("Compare your times with others at %1.").arg(inWatts(limit));
    if (usual > limit)
        meaning = tr("Set below its default: under load the clock gives way sooner. ") + meaning;
    else if (usual > 0 && usual < limit)
        meaning = tr("Set above its default: under load the clock holds longer. ") + meaning;
    return {tr("Power limit"), value, meaning};
}

} // namespace

std::vector<GpuFact> gpuFacts(const Json& gpu)
{
    std::vector<GpuFact> facts;
    if (!gpu.is_object())
        return facts;
    const QString cuda = told(gpu, "cuda");
    QStringList driver;
    if (const QString version = told(gpu, "driver"); !version.isEmpty())
        driver << version;
    if (!cuda.isEmpty())
        driver << tr("up to CUDA %1").arg(cuda);
    if (!driver.isEmpty())
        facts.push_back({tr("Driver"), driver.join(QStringLiteral(", ")),
                         cuda.isEmpty() ? QString() : tr("PTX of toolkits up to CUDA %1 loads here.").arg(cuda)});
    if (const double bytes = number(gpu, "memory_bytes"); bytes > 0)
        facts.push_back({tr("GPU memory"), // binary, as makers count memory: a card of "8 GB" has 8 GiB
                         QStringLiteral("%1 GiB").arg(QString::fromStdString(formatNumber(bytes / kGib))),
                         tr("All buffers of an experiment together have to fit.")});
    if (number(gpu, "power_limit_w") > 0)
        facts.push_back(powerFact(gpu));
    const QString counters = told(gpu, "counters");
    if (counters == QLatin1String("allowed"))
        facts.push_back({tr("Counters"), tr("permitted"), tr("Your GPU's own counts can stand beside the simulated.")});
    else if (counters == QLatin1String("forbidden"))
        facts.push_back({tr("Counters"), tr("kept for administrators"),
                         tr("Times are measured all the same. What permits counters stands on the page of what works "
                            "here.")});
    else if (counters == QLatin1String("unknown"))
        facts.push_back({tr("Counters"), tr("the driver does not say"),
                         tr("The first run with counters shows whether they are permitted.")});
    return facts;
}

bool countersForbidden(const Json& gpu)
{
    return gpu.is_object() && told(gpu, "counters") == QLatin1String("forbidden");
}

} // namespace ridge::app
