// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/blocks/explore_model.h"

#include "app/drawing/charts/figure_plot.h"
#include "app/lesson/reader/blocks/explore_parts.h"
#include "base/paths.h"
#include "lessons/explore_models.h"
#include "silicon/kernel_profile.h"
#include "silicon/published_latency.h"
#include "silicon/transfer.h"
#include "workload/gpu_choice.h"

#include <QCoreApplication>
#include <QSet>
#include <cmath>

namespace ridge::app {

namespace {

/// What people call a choice; empty where its value says it.
std::string titleOf(const ParamSpec& spec, const std::string& value)
{
    if (spec.name == "precision")
        return std::string(
            precisionName(silicon::precisionFromText(value).value_or(silicon::Precision::Fp32)).toStdString());
    if (const silicon::PublishedLatency* chip = silicon::publishedLatency(value))
        return chip->name;
    if (const silicon::KernelProfile* profile = silicon::kernelProfile(value))
        return profile->title;
    if (const silicon::TransferLink* link = silicon::transferLink(value))
        return link->name;
    if (const workload::Workload* work = workload::workload(value))
        return work->title;
    if (const auto chip = chipTable().ok() ? chipTable()->find(value) : Result<silicon::Chip>(chipTable().error()))
        return chip->name;
    return {};
}

/// Names for the people; the ids stay in lessons and in what is stored.
void nameChoices(ParamSpec& spec)
{
    if (spec.type != ParamType::Choice)
        return;
    bool named = false;
    for (const ParamValue& choice : spec.choices) {
        const std::string title = titleOf(spec, toText(choice));
        named = named || !title.empty();
        spec.choiceTitles.push_back(title.empty() ? toText(choice) : title);
    }
    if (!named)
        spec.choiceTitles.clear();
}

std::map<std::string, ExploreModel> makeModels()
{
    std::map<std::string, ExploreModel> models = accessModels();
    models.merge(chipModels());
    models.merge(timeModels());
    models.merge(choiceModels());
    const Result<std::filesystem::path> data = dataFolder();
    const Result<lessons::ChipIds> chips = data.ok() ? lessons::chipIds(*data) : Result<lessons::ChipIds>(data.error());
    for (lessons::ExploreModelInfo& info : lessons::exploreModels(chips.ok() ? *chips : lessons::ChipIds{}))
        if (const auto found = models.find(info.name); found != models.end())
            found->second.parameters = std::move(info.parameters);
    for (auto& [name, model] : models)
        for (ParamSpec& spec : model.parameters)
            nameChoices(spec);
    return models;
}

ParamSet completed(const ExploreModel& model, const ParamSet& given)
{
    ParamSet params;
    for (const ParamSpec& spec : model.parameters) {
        const auto found = given.find(spec.name);
        const auto value =
            found == given.end() ? Result<ParamValue>(spec.defaultValue) : checkValue(spec, found->second);
        params[spec.name] = value.ok() ? *value : spec.defaultValue;
    }
    return params;
}

} // namespace

const ExploreModel* exploreModel(const std::string& name)
{
    static const std::map<std::string, ExploreModel> models = makeModels();
    const auto found = models.find(name);
    return found == models.end() ? nullptr : &found->second;
}

SceneFrame explore(const std::string& model, const ParamSet& params)
{
    const ExploreModel* found = exploreModel(model);
    return found && found->frame ? found->frame(completed(*found, params)) : SceneFrame{};
}

std::shared_ptr<Plot> explorePlot(const std::string& model, const ParamSet& params)
{
    const ExploreModel* found = exploreModel(model);
    return found && found->plot ? found->plot(completed(*found, params)) : nullptr;
}

std::int64_t integerOf(const ParamSet& params, const char* name)
{
    return static_cast<std::int64_t>(realOf(params, name));
}

double realOf(const ParamSet& params, const char* name)
{
    const auto found = params.find(name);
    return found == params.end() ? 0 : asNumber(found->second).value_or(0);
}

std::string textOf(const ParamSet& params, const char* name)
{
    const auto found = params.find(name);
    return found == params.end() ? std::string() : toText(found->second);
}

const Result<silicon::Catalogue>& chipTable()
{
    static const Result<silicon::Catalogue> table = silicon::shippedCatalogue();
    return table;
}

Result<silicon::Chip> chipOf(const ParamSet& params, const char* name)
{
    if (!chipTable().ok())
        return chipTable().error();
    return chipTable()->find(textOf(params, name));
}

QString precisionName(silicon::Precision precision)
{
    return QString::fromUtf8(silicon::toText(precision).data()).toUpper();
}

/// What a source is called, without how it was read: "TechPowerUp GPU database".
static QString shortTitle(QString title)
{
    for (const char* end : {" (", ": ", ", via", ", raw"})
        if (const qsizetype at = title.indexOf(QLatin1String(end)); at > 0)
            title.truncate(at);
    return title;
}

QString sourcesText(const QString& what, const std::vector<const std::vector<std::string>*>& keys)
{
    QStringList titles;
    if (chipTable().ok())
        for (const std::vector<std::string>* some : keys)
            for (const std::string& key : *some)
                if (const auto source = chipTable()->sources().find(key); source != chipTable()->sources().end())
                    if (const QString title = shortTitle(QString::fromStdString(source->second.title));
                        !titles.contains(title))
                        titles << title;
    return QCoreApplication::translate("ridge::app::Explore", "MODELLED from %1: %2.")
        .arg(what, titles.join(QStringLiteral("; ")));
}

QString binarySize(double bytes)
{
    static constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    while (bytes >= 1024 && unit + 1 < std::size(kUnits)) {
        bytes /= 1024;
        ++unit;
    }
    return QStringLiteral("%1 %2").arg(QString::number(bytes, 'g', 4), QString::fromLatin1(kUnits[unit]));
}

QString powerOfTwo(int exponent)
{
    static const QString kDigits = QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹");
    QString text = QStringLiteral("2");
    for (const QChar digit : QString::number(exponent))
        text += kDigits[digit.digitValue()];
    return text;
}

std::vector<Tick> binaryTicks(int from, int to, int step, bool bytes)
{
    std::vector<Tick> ticks;
    for (int exponent = from; exponent <= to; exponent += step) {
        const double value = std::exp2(exponent);
        ticks.push_back({value, bytes ? binarySize(value) : powerOfTwo(exponent)});
    }
    return ticks;
}

ChartTable exploreTable(const QString& kind, std::vector<ChartColumn> columns, std::vector<std::vector<ChartCell>> rows)
{
    ChartTable table;
    table.kind = kind;
    table.columns = std::move(columns);
    table.rows = std::move(rows);
    return table;
}

std::shared_ptr<Plot> refusal(const QString& title, const Error& error)
{
    FigureData data;
    data.title = title;
    const QString message = QString::fromStdString(error.message), fix = QString::fromStdString(error.fix);
    const auto sentence = [](const QString& text) { return text.left(1).toUpper() + text.mid(1) + QLatin1Char('.'); };
    data.emptyText = sentence(message) + (fix.isEmpty() ? QString() : QLatin1Char(' ') + sentence(fix));
    return std::make_shared<FigurePlot>(std::move(data));
}

} // namespace ridge::app
