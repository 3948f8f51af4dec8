// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/explorer/workload_words.h"

#include "app/drawing/charts/chart_text.h"
#include "app/drawing/scenes/scene_text.h"

#include <QCoreApplication>
#include <QMap>

namespace ridge::app {
namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::Explorer", text);
}

QString text(std::string_view words)
{
    return QString::fromUtf8(words.data(), qsizetype(words.size()));
}

const QString kFlop = QStringLiteral("FLOP"), kByte = QStringLiteral("B"), kSecond = QStringLiteral("s"),
              kIntensity = QStringLiteral("FLOP/B"), kNone = QStringLiteral("–");

const workload::Explored& rowOf(const ExploredStep& what, int row)
{
    return what.found.rows[static_cast<std::size_t>(row)];
}

} // namespace

QString operatorName(const workload::Exploration& found, int row)
{
    const workload::Explored& one = found.rows[static_cast<std::size_t>(row)];
    if (one.backwardOf >= 0)
        return tr("backward of %1").arg(text(found.rows[static_cast<std::size_t>(one.backwardOf)].op.name));
    return text(one.op.name);
}

QString boundText(workload::Bound bound)
{
    switch (bound) {
    case workload::Bound::Compute:
        return tr("arithmetic");
    case workload::Bound::Memory:
        return tr("memory");
    case workload::Bound::Launch:
        return tr("launch");
    case workload::Bound::Link:
        return tr("link");
    }
    return {};
}

QString operatorTitle(OperatorColumn column)
{
    switch (column) {
    case OperatorColumn::Name:
        return tr("Operator");
    case OperatorColumn::Launches:
        return tr("Launches");
    case OperatorColumn::Shapes:
        return tr("Shapes");
    case OperatorColumn::Work:
        return tr("Work");
    case OperatorColumn::Traffic:
        return tr("Traffic");
    case OperatorColumn::Intensity:
        return tr("Intensity");
    case OperatorColumn::Bound:
        return tr("Bound by");
    case OperatorColumn::Time:
        return tr("Time");
    case OperatorColumn::Share:
        return tr("Share");
    case OperatorColumn::Fusion:
        return tr("Fusion");
    }
    return {};
}

double operatorNumber(const workload::Explored& row, OperatorColumn column)
{
    switch (column) {
    case OperatorColumn::Launches:
        return row.op.count * row.op.launches;
    case OperatorColumn::Work:
        return row.op.count * row.op.flops;
    case OperatorColumn::Traffic:
        return row.op.count * row.op.bytes();
    case OperatorColumn::Intensity:
        return row.intensity;
    case OperatorColumn::Time:
        return row.seconds;
    case OperatorColumn::Share:
        return row.share;
    default:
        return 0;
    }
}

QString operatorText(const ExploredStep& what, const std::vector<int>& groups, int row, OperatorColumn column)
{
    const workload::Explored& one = rowOf(what, row);
    const double value = operatorNumber(one, column);
    switch (column) {
    case OperatorColumn::Name:
        return operatorName(what.found, row);
    case OperatorColumn::Launches:
        return groupedText(value);
    case OperatorColumn::Shapes:
        return QString::fromStdString(workload::shapesOf(one.op, what.step));
    case OperatorColumn::Work:
        return value > 0 ? quantity(value, kFlop) : kNone;
    case OperatorColumn::Traffic:
        return value > 0 ? quantity(value, kByte) : kNone;
    case OperatorColumn::Intensity:
        return value > 0 ? quantity(value, kIntensity) : kNone;
    case OperatorColumn::Bound:
        return boundText(one.bound);
    case OperatorColumn::Time:
        return quantity(value, kSecond);
    case OperatorColumn::Share:
        return tr("%1 %").arg(100 * value, 0, 'f', 1);
    case OperatorColumn::Fusion: {
        const int group = groups[static_cast<std::size_t>(row)];
        return group > 0 ? tr("group %1").arg(group) : kNone;
    }
    }
    return {};
}

QString stepSentence(const ExploredStep& what)
{
    const workload::Step& step = what.step;
    const bool network = what.subject->network() != nullptr;
    const bool tokens = !network || what.subject->network()->sequence;
    const workload::ModelShape* shape = what.subject->shape();
    const bool image = shape && shape->kind == workload::ModelKind::Convolutional;
    const QString phase = step.phase == workload::Phase::Training ? tr("a training step")
                          : step.phase == workload::Phase::Decode ? tr("one decode step")
                                                                  : tr("a forward pass");
    QString size = tokens && !image ? tr("%1 × %2 tokens").arg(groupedText(step.batch), groupedText(step.context))
                                    : tr("%1 examples").arg(groupedText(step.batch));
    if (shape && shape->kind == workload::ModelKind::EncoderDecoder)
        size = tr("%1 over %2 of the encoder's input").arg(size, groupedText(workload::sourceTokens(*shape, step)));
    return tr("%1 of %2, %3, %4, on %5%6: %7 launches move %8 and compute %9.")
               .arg(asStart(phase), QString::fromStdString(what.subject->title), size, what.format,
                    step.gpus > 1 ? tr("each of %1 × ").arg(step.gpus) : QString(), what.chip,
                    groupedText(what.found.totals.launches), quantity(what.found.totals.bytes(), kByte),
                    quantity(what.found.totals.flops, kFlop)) +
           QLatin1Char(' ') +
           tr("By the datasheet at least %1, by the kernel-time model %2.")
               .arg(quantity(what.found.leastSeconds, kSecond), quantity(what.found.seconds, kSecond));
}

QString operatorSentence(const ExploredStep& what, int row)
{
    const workload::Explored& one = rowOf(what, row);
    const workload::Operator& op = one.op;
    const workload::ModelShape* shape = what.subject->shape();
    const bool state = shape && shape->kind == workload::ModelKind::StateSpace;
    QStringList bytes;
    for (const auto& [name, each] : {std::pair{tr("%1 of weights"), op.weightBytes},
                                     {tr("%1 of values between kernels"), op.activationBytes},
                                     {state ? tr("%1 of states") : tr("%1 of cached keys and values"), op.kvBytes}})
        if (each > 0)
            bytes << name.arg(quantity(op.count * each, kByte));
    QString bound;
    switch (one.bound) {
    case workload::Bound::Compute:
        bound = tr("Arithmetic bounds it: %1 is above the ridge of %2.");
        break;
    case workload::Bound::Memory:
        bound = one.intensity > 0 ? tr("Memory bounds it: %1 is below the ridge of %2.")
                                  : tr("Memory bounds it: it computes nothing.");
        break;
    case workload::Bound::Launch:
        bound = tr("Its launches bound it: at %1 (ridge %2) the datasheet would have it done before a launch is over.");
        break;
    case workload::Bound::Link:
        return tr("The links between the GPUs bound it: each of %1 launches sums %2 over %3 GPUs, %4 by the model.")
            .arg(groupedText(op.count), quantity(op.m, kByte), groupedText(what.step.gpus),
                 quantity(one.seconds, kSecond));
    }
    const double ridge = what.device.flopsPerSecond / what.device.bytesPerSecond;
    if (bound.contains(QLatin1String("%1")))
        bound = bound.arg(one.intensity > 0 ? quantity(one.intensity, kIntensity) : tr("no arithmetic"),
                          quantity(ridge, kIntensity));
    QString words =
        bound + QLatin1Char(' ') +
        tr("Least %1, by the model %2.").arg(quantity(one.leastSeconds, kSecond), quantity(one.seconds, kSecond));
    if (!bytes.isEmpty())
        words += QLatin1Char(' ') + tr("It moves %1.").arg(bytes.join(tr(", ")));
    return words;
}

ChartTable operatorTable(const ExploredStep& what)
{
    ChartTable table;
    table.kind = QStringLiteral("operators");
    table.title = tr("Operators of %1").arg(QString::fromStdString(what.subject->title));
    table.summary = stepSentence(what);
    table.caption = tr("MODELLED: counts are exact for the model's shape; times are those of the kernel-time model.");
    table.origin.where = QStringLiteral("model");
    const auto number = [](const char* key, const QString& title, const QString& unit) {
        return ChartColumn{QLatin1String(key), title, unit};
    };
    table.columns = {{QStringLiteral("operator"), tr("Operator"), {}, false},
                     {QStringLiteral("kind"), tr("Kind"), {}, false},
                     number("launches", tr("Launches"), {}),
                     {QStringLiteral("shapes"), tr("Shapes"), {}, false},
                     number("flop", tr("Work"), kFlop),
                     number("weight_bytes", tr("Traffic of weights"), kByte),
                     number("activation_bytes", tr("Traffic of values between kernels"), kByte),
                     number("kv_bytes", tr("Traffic of the cache"), kByte),
                     number("intensity", tr("Intensity"), kIntensity),
                     {QStringLiteral("bound"), tr("Bound by"), {}, false},
                     number("least_time", tr("Least time"), kSecond),
                     number("time", tr("Time"), kSecond),
                     number("share", tr("Share of the step"), {}),
                     number("fusion_group", tr("Fusion group"), {}),
                     {QStringLiteral("lesson"), tr("Explained in lesson"), {}, false}};
    const std::vector<int> groups = workload::fusionGroups(what.found);
    for (int i = 0; i < int(what.found.rows.size()); ++i) {
        const workload::Explored& one = rowOf(what, i);
        const workload::Operator& op = one.op;
        const int group = groups[static_cast<std::size_t>(i)];
        table.rows.push_back({operatorName(what.found, i), text(workload::toText(op.kind)), op.count * op.launches,
                              QString::fromStdString(workload::shapesOf(op, what.step)), op.count * op.flops,
                              op.count * op.weightBytes, op.count * op.activationBytes, op.count * op.kvBytes,
                              one.intensity > 0 ? ChartCell(one.intensity) : ChartCell(), boundText(one.bound),
                              one.leastSeconds, one.seconds, one.share,
                              group > 0 ? ChartCell(double(group)) : ChartCell(),
                              text(workload::lessonOf(one, what.step).lesson)});
    }
    return table;
}

std::vector<int> rowsWithDots(const workload::Exploration& found)
{
    std::vector<int> out;
    for (int i = 0; i < int(found.rows.size()); ++i) {
        const workload::Explored& one = found.rows[static_cast<std::size_t>(i)];
        if (one.backwardOf < 0 && one.intensity > 0 && one.rate > 0)
            out.push_back(i);
    }
    return out;
}

RooflineData operatorRoofline(const ExploredStep& what)
{
    RooflineData data;
    data.title = tr("Operators on the roofline of %1").arg(what.chip);
    const std::vector<int> rows = rowsWithDots(what.found);
    data.caption = tr("MODELLED: intensities are exact, rates are those of the kernel-time model, roofs those of the "
                      "datasheet. An operator that computes nothing has no dot.");
    data.origin.where = QStringLiteral("model");
    data.roofs.push_back({MemoryLevel::Hbm, what.device.bytesPerSecond, true, Provenance::Modelled, tr("datasheet")});
    data.ceilings.push_back(
        {what.format.toUpper(), what.device.flopsPerSecond, true, Provenance::Modelled, tr("datasheet, dense")});
    if (what.device.halfFlopsPerSecond > what.device.flopsPerSecond * 1.01)
        data.ceilings.push_back({tr("16 bits, for attention"), what.device.halfFlopsPerSecond, true,
                                 Provenance::Modelled, tr("datasheet, dense")});
    for (const int row : rows) {
        const workload::Explored& one = rowOf(what, row);
        data.kernels.push_back(
            {operatorName(what.found, row), {}, Provenance::Modelled, one.rate, {{MemoryLevel::Hbm, one.intensity}}});
    }
    data.emptyText = tr("No operator of this step computes anything.");
    return data;
}

CostData operatorCosts(const ExploredStep& what)
{
    CostData data;
    data.title = tr("Where time, traffic and work go");
    data.caption = tr("MODELLED. Operators of one name are added up.");
    data.origin.where = QStringLiteral("model");
    data.valueTitle = tr("share of the step");
    data.unit = QStringLiteral("%");
    QStringList names;
    std::vector<std::array<double, 3>> sums;
    std::array<double, 3> all{};
    for (int i = 0; i < int(what.found.rows.size()); ++i) {
        const workload::Explored& one = rowOf(what, i);
        const QString name = one.backwardOf >= 0 ? tr("backward") : operatorName(what.found, i);
        qsizetype at = names.indexOf(name);
        if (at < 0) {
            at = names.size();
            names << name;
            sums.push_back({});
        }
        const std::array<double, 3> each{one.seconds, one.op.count * one.op.bytes(), one.op.count * one.op.flops};
        for (std::size_t k = 0; k < 3; ++k) {
            sums[std::size_t(at)][k] += each[k];
            all[k] += each[k];
        }
    }
    data.parts.assign(names.begin(), names.end());
    const std::array<QString, 3> titles{tr("Time"), tr("Traffic"), tr("Work")};
    for (std::size_t k = 0; k < 3; ++k) {
        CostBar bar{titles[k], Provenance::Modelled, {}};
        for (const auto& each : sums)
            bar.values.push_back(all[k] > 0 ? 100 * each[k] / all[k] : 0);
        data.bars.push_back(std::move(bar));
    }
    return data;
}

} // namespace ridge::app
