// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/home/hardware_card.h"

#include "app/runs/table/run_data.h"
#include "app/ui/facts.h"
#include "app/ui/targets.h"
#include "app/window/home/gpu_facts.h"
#include "base/json.h"
#include "base/target_choice.h"
#include "base/target_kind.h"
#include "base/units.h"

#include <QCoreApplication>
#include <QHBoxLayout>
#include <QMenu>
#include <QRegularExpression>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>

namespace ridge::app {
namespace {

/// Of all that a calibration knows, what a card has room for.
constexpr const char* kShownFigures[] = {"copy_bandwidth", "l2_bandwidth",  "dram_latency", "fma_fp32",
                                         "mma_bf16",       "launch_stream", "link_up"};

/// Where memory and multiply-adds meet, in words; empty where one of them is not known.
QString ridgeSentence(const MachineCalibration& known)
{
    const CalibrationFigure* bytes = known.find("copy_bandwidth");
    const CalibrationFigure* operations = known.find("fma_fp32");
    if (!bytes || !operations || !(bytes->value.value > 0))
        return {};
    // Both in 10^9 a second.
    const double ridge = operations->value.value / bytes->value.value;
    return QCoreApplication::translate("HardwareCard",
                                       "It computes %1 FP32 operations in the time that it moves a byte: a kernel that "
                                       "does less with each waits for memory.")
        .arg(QString::fromStdString(formatNumber(ridge)));
}

} // namespace

HardwareCard::HardwareCard(AppContext& context, QWidget* parent) : Card(tr("This machine"), parent), m_context(context)
{
    column()->setContentsMargins(space::xl, space::l, space::xl, space::l);
    connect(&context, &AppContext::catalogueReady, this, &HardwareCard::rebuild);
    connect(&context, &AppContext::catalogueFailed, this, &HardwareCard::rebuild);
    connect(&context, &AppContext::targetChanged, this, &HardwareCard::rebuild);
    connect(&context.calibration(), &CalibrationRun::changed, this, &HardwareCard::showCalibration);
    rebuild();
}

void HardwareCard::rebuild()
{
    if (m_body) {
        column()->removeWidget(m_body);
        m_body->hide();
        m_body->deleteLater();
    }
    m_calibrate = nullptr;
    m_calibrating = nullptr;
    m_body = new QWidget;
    m_body->setAccessibleName(tr("This machine"));
    m_rows = new QVBoxLayout(m_body);
    m_rows->setContentsMargins(0, 0, 0, 0);
    m_rows->setSpacing(space::s);
    column()->addWidget(m_body);
    m_rows->addWidget(makeLabel(m_context.theme(), tr("This machine"), TextStyle::Caption, QStringLiteral("hint")));
    if (m_context.catalogueError())
        return addFailed(*m_context.catalogueError());
    if (!m_context.hasCatalogue())
        return addWaiting();
    addTargets();
    addCalibration();
    addCompilers();
    addMachine();
    m_rows->addStretch(1);
}

void HardwareCard::addWaiting()
{
    m_headline = tr("Looking at your hardware …");
    m_rows->addWidget(makeText(m_context.theme(), m_headline, TextStyle::ReadH3));
    m_rows->addStretch(1);
}

void HardwareCard::addFailed(const Error& error)
{
    m_headline = tr("Experiments cannot run");
    m_rows->addWidget(makeText(m_context.theme(), m_headline, TextStyle::ReadH3));
    m_rows->addWidget(makeText(m_context.theme(), QString::fromStdString(error.message)));
    m_rows->addWidget(
        makeText(m_context.theme(), QString::fromStdString(error.fix), TextStyle::Body, QStringLiteral("muted")));
    m_rows->addWidget(
        makeText(m_context.theme(), tr("Lessons can be read all the same."), TextStyle::Body, QStringLiteral("muted")));
    m_rows->addStretch(1);
}

void HardwareCard::addTargets()
{
    Theme& theme = m_context.theme();
    // Those that can run, else the one that says why none can.
    std::vector<AppContext::Target> gpus = targetsOf(m_context);
    std::erase_if(gpus, [](const AppContext::Target& target) {
        const std::string id = target.id.toStdString();
        return !isLocal(id) || !measuresKernels(id);
    });
    const auto runs = [](const AppContext::Target& target) { return target.available; };
    const bool measured = std::any_of(gpus.begin(), gpus.end(), runs);
    if (measured)
        std::erase_if(gpus, std::not_fn(runs));
    else if (gpus.size() > 1)
        gpus.resize(1);
    const AppContext::Target* gpu = gpus.empty() ? nullptr : &gpus.front();
    const bool several = gpus.size() > 1;
    m_headline = several ? tr("%1 GPUs").arg(gpus.size()) : measured ? gpu->title : tr("Simulator mode");
    m_rows->addWidget(makeText(theme, m_headline, TextStyle::ReadH3));
    m_rows->addWidget(makeText(
        theme, several ? tr("Experiments run on the GPU that is chosen below and their numbers are marked MEAS. The "
                            "simulator stays one choice away and counts what the hardware does not show.")
               : measured
                   ? tr("Experiments run on this GPU and their numbers are marked MEAS. The simulator stays one choice "
                        "away and counts what the hardware does not show.")
                   : tr("Every lesson works. Experiments run on a simulator that executes the same kernels: its counts "
                        "are exact, its times come from a timing model. Its numbers are marked SIM; what a formula "
                        "alone gives is marked MODEL.")));
    if (gpu && !measured) {
        // What the loader said, and what targets are called in commands, stand on the page of what works here.
        static const QRegularExpression aside(QStringLiteral(" \\([^)]*<[^)]*\\)"));
        const QString plain = asSentence(gpu->reason.section(QStringLiteral(": "), 0, 0)) + QLatin1Char(' ') +
                              asSentence(QString(gpu->fix).remove(aside));
        QLabel* why = makeText(theme, tr("Nothing can be measured here yet. %1").arg(plain.trimmed()), TextStyle::Body,
                               QStringLiteral("muted"));
        why->setObjectName(QStringLiteral("whyNoGpu"));
        why->setToolTip(whyNot(*gpu));
        m_rows->addWidget(why);
    }
    for (const AppContext::Target& each : gpus) {
        if (several)
            m_rows->addWidget(makeLabel(theme, QStringLiteral("%1 · %2").arg(each.id, each.title), TextStyle::Strong));
        addGpu(each.id);
    }
    auto* row = new QHBoxLayout;
    auto* badge = new ProvenanceBadge(theme);
    badge->setProvenance(provenanceOf(m_context, m_context.target()));
    row->addWidget(badge);
    const AppContext::Target chosen = m_context.targetInfo(m_context.target());
    row->addWidget(makeLabel(m_context.theme(), chosen.title, TextStyle::Body));
    QPushButton* choose = makeButton(tr("Change…"), tr("Choose what executes the experiments"));
    choose->setAccessibleName(tr("Change the target, now %1").arg(chosen.title));
    auto* menu = new QMenu(choose);
    menu->setAccessibleName(tr("Targets"));
    connect(choose, &QPushButton::clicked, this, [this, menu, choose] {
        fillTargetMenu(menu, m_context);
        menu->popup(choose->mapToGlobal(QPoint(0, choose->height())));
    });
    row->addWidget(choose);
    row->addStretch(1);
    // The chip that plays the GPU stands in the catalogue under the target's own name.
    const QString chip = QString::fromStdString(chipOfTarget(m_context.target().toStdString()));
    QPushButton* sheet = makeButton(tr("Data sheet"), tr("Its published figures in the GPU catalogue"));
    const QString page = chip.isEmpty() ? QStringLiteral("catalogue") : QStringLiteral("catalogue/") + chip;
    sheet->setAccessibleName(tr("Published figures of GPUs"));
    connect(sheet, &QPushButton::clicked, this, [this, page] { Q_EMIT m_context.openRequested(page); });
    row->addWidget(sheet);
    m_rows->addSpacing(space::xs);
    m_rows->addLayout(row);
}

/// What the driver tells of a GPU, with what each means.
void HardwareCard::addGpu(const QString& target)
{
    const auto rows = m_context.targets().find("targets");
    if (rows == m_context.targets().end() || !rows->is_array())
        return;
    const auto row = std::find_if(rows->begin(), rows->end(),
                                  [&](const Json& one) { return one.value("id", "") == target.toStdString(); });
    const auto told = row != rows->end() ? row->find("gpu") : rows->end();
    if (row == rows->end() || told == row->end())
        return;
    const std::vector<GpuFact> known = gpuFacts(*told);
    if (known.empty())
        return;
    auto* facts = new FactTable(m_context.theme(), tr("Facts of %1").arg(target));
    for (const GpuFact& fact : known)
        facts->addRow(fact.name, fact.value, fact.meaning);
    m_rows->addWidget(facts);
    if (countersForbidden(*told)) {
        QPushButton* mend = makeButton(tr("What permits counters"), tr("Opens the page of what works here"));
        mend->setObjectName(QStringLiteral("permitCounters"));
        connect(mend, &QPushButton::clicked, this,
                [this] { Q_EMIT m_context.openRequested(QStringLiteral("doctor")); });
        m_rows->addWidget(mend, 0, Qt::AlignLeft);
    }
}

/// What the chosen target reaches, and the button that finds it out.
void HardwareCard::addCalibration()
{
    Theme& theme = m_context.theme();
    const QString target = m_context.target();
    if (!m_context.calibration().possible(target))
        return;
    const MachineCalibration& known = m_context.calibration().known(target);
    m_rows->addSpacing(space::s);
    m_rows->addWidget(makeLabel(theme, tr("What it reaches"), TextStyle::Caption, QStringLiteral("hint")));
    if (!known.figures.empty()) {
        auto* facts = new FactTable(theme, tr("What the target reaches"));
        for (const char* quantity : kShownFigures)
            if (const CalibrationFigure* figure = known.find(quantity)) {
                auto* badge = new ProvenanceBadge(theme);
                badge->setProvenance(figure->value.provenance);
                const QString spoilt =
                    figure->validity == "valid" ? QString() : QString::fromStdString(figure->validity);
                facts->addRow(QString::fromStdString(figure->step.title), QString::fromStdString(figureText(*figure)),
                              spoilt, badge, tr("Experiment %1").arg(QString::fromStdString(figure->step.experiment)));
            }
        m_rows->addWidget(facts);
        if (const QString sentence = ridgeSentence(known); !sentence.isEmpty())
            m_rows->addWidget(makeText(theme, sentence));
    } else {
        m_rows->addWidget(makeText(theme,
                                   tr("Nobody has measured it yet: bandwidth and latency of every memory level, "
                                      "peak rates, what a launch costs. It takes about a minute and you can go "
                                      "on reading."),
                                   TextStyle::Body, QStringLiteral("muted")));
    }
    auto* row = new QHBoxLayout;
    m_calibrate = makeButton({}, {});
    connect(m_calibrate, &QPushButton::clicked, this, [this] {
        CalibrationRun& calibration = m_context.calibration();
        calibration.running() ? calibration.cancel() : calibration.start(m_context.target());
    });
    row->addWidget(m_calibrate);
    m_calibrating = makeLabel(theme, {}, TextStyle::Body, QStringLiteral("hint"));
    row->addWidget(m_calibrating, 1);
    m_rows->addLayout(row);
    showCalibration();
}

void HardwareCard::showCalibration()
{
    if (!m_calibrate)
        return;
    CalibrationRun& calibration = m_context.calibration();
    const bool running = calibration.running();
    if (m_wasCalibrating && !running) {
        m_wasCalibrating = false;
        return rebuild();
    }
    m_wasCalibrating = running;
    const bool known = !calibration.known(m_context.target()).figures.empty();
    m_calibrate->setText(running ? tr("Stop") : known ? tr("Measure again") : tr("Measure"));
    m_calibrate->setAccessibleName(running ? tr("Stop the calibration")
                                   : known ? tr("Measure again what the target reaches")
                                           : tr("Measure what the target reaches"));
    m_calibrate->setToolTip(running ? tr("What is measured by now is kept")
                                    : tr("Runs the same as ridge calibrate; the runs are kept"));
    QString line;
    if (running)
        line = tr("%1 of %2 points").arg(calibration.finished()).arg(calibration.all());
    else if (!calibration.skipped().isEmpty() && calibration.target() == m_context.target())
        line = calibration.skipped().size() == 1 ? tr("1 figure could not be had")
                                                 : tr("%1 figures could not be had").arg(calibration.skipped().size());
    m_calibrating->setText(line);
    m_calibrating->setToolTip(calibration.skipped().join(QLatin1Char('\n')));
}

void HardwareCard::addCompilers()
{
    const std::vector<CompilerInfo> compilers = compilersOf(m_context);
    QStringList found;
    for (const CompilerInfo& compiler : compilers)
        if (compiler.available && compiler.id != QLatin1String("shipped")) // what comes with us compiles nothing here
            found << (compiler.id + QLatin1Char(' ') + compiler.version).trimmed();
    auto* facts = new FactTable(m_context.theme(), tr("Compilers"));
    facts->addRow(tr("Kernel compiler"), found.isEmpty() ? tr("none found") : found.join(QStringLiteral(", ")));
    facts->addRow(tr("What that means"), found.isEmpty()
                                             ? tr("Shipped kernels run in the compiled form that comes with them.")
                                             : tr("Kernels are compiled here, from the source you see."));
    m_rows->addWidget(facts);
}

void HardwareCard::addMachine()
{
    const auto machine = m_context.targets().find("machine");
    if (machine == m_context.targets().end() || !machine->is_object())
        return;
    const std::string power = machine->value("power", std::string());
    if (power == "ac" || power == "battery") { // desktops and servers tell nothing, and need not
        auto* facts = new FactTable(m_context.theme(), tr("Power"));
        facts->addRow(tr("Power"), power == "ac" ? tr("plugged in") : tr("on battery"));
        if (power == "battery")
            facts->addRow(tr("What that means"), tr("Clocks are lowered: what is measured now is marked “on battery”. "
                                                    "Plug in the charger first."));
        m_rows->addWidget(facts);
    }
    QStringList parts;
    const auto say = [&parts](const std::string& said) { parts << QString::fromStdString(said); };
    if (const std::string cpu = machine->value("cpu", std::string()); !cpu.empty())
        say(cpu);
    if (const int cores = machine->value("cores", 0); cores > 0)
        parts << (cores == 1 ? tr("1 core") : tr("%1 cores").arg(cores));
    if (const double ram = machine->value("ram_gib", 0.0); ram > 0)
        say(formatQuantity(ram, "GiB"));
    if (const std::string os = machine->value("os", std::string()); !os.empty())
        say(os);
    if (!parts.isEmpty())
        m_rows->addWidget(
            makeText(m_context.theme(), parts.join(QStringLiteral(" · ")), TextStyle::Caption, QStringLiteral("hint")));
}

} // namespace ridge::app

#include "moc_hardware_card.cpp"
