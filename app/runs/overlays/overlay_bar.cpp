// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/runs/overlays/overlay_bar.h"

#include "app/ui/facts.h"
#include "app/ui/flow_layout.h"
#include "app/ui/panels.h"

#include <QBoxLayout>
#include <QCheckBox>

namespace ridge::app {
namespace {

constexpr std::size_t kMostSeries = 8; ///< as many as the palette tells apart

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

} // namespace

OverlayBar::OverlayBar(AppContext& context, bool tellNone, QWidget* parent)
    : QWidget(parent), m_context(context), m_tellNone(tellNone), m_boxes(new FlowLayout),
      m_ofRoofline(new QCheckBox(tr("% of own roofline"))),
      m_none(makeText(context.theme(), tr("No other machine has recorded this metric over this parameter."),
                      TextStyle::Caption, QStringLiteral("hint"))),
      m_problems(makeText(context.theme(), {}, TextStyle::Caption, QStringLiteral("warn"))), m_cards(new QVBoxLayout)
{
    setAccessibleName(tr("Recorded on other machines"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::s);
    column->addLayout(m_boxes);
    column->addWidget(m_none);
    m_cards->setSpacing(space::s);
    column->addLayout(m_cards);
    column->addWidget(m_problems);
    m_boxes->addWidget(makeLabel(context.theme(), tr("Recorded elsewhere"), TextStyle::Body, QStringLiteral("muted")));
    m_ofRoofline->setToolTip(tr("Every value as percent of the physical limit of its own machine, so that a laptop and "
                                "a data centre GPU stand on one scale"));
    connect(m_ofRoofline, &QCheckBox::toggled, this, &OverlayBar::changed);
    m_boxes->addWidget(m_ofRoofline);
    hide();
}

void OverlayBar::setChart(const ExperimentInfo& info, const ChartSpec& chart, std::vector<const record::RunRow*> runs)
{
    m_info = info;
    m_chart = chart;
    m_own.reset();
    offer(runs.empty() ? std::vector<MachineOverlay>() : overlaysFor(m_context.baselines(), info, chart, runs),
          !runs.empty());
}

void OverlayBar::setPoint(const ExperimentInfo& info, const record::RunRow* run)
{
    m_info = info;
    m_own = run ? std::optional(*run) : std::nullopt;
    offer(run ? overlaysAt(m_context.baselines(), info, *run) : std::vector<MachineOverlay>(), run);
    rebuildCards(); // another run has other values beside the same machines'
    m_ofRoofline->hide();
}

void OverlayBar::offer(std::vector<MachineOverlay> found, bool withRuns)
{
    const auto ids = [](const std::vector<MachineOverlay>& overlays) {
        QStringList all;
        for (const MachineOverlay& overlay : overlays)
            all << text(overlay.baseline->id) + QString::number(overlay.points.size()) +
                       overlay.differs.join(QLatin1Char('\n'));
        return all;
    };
    const bool same = ids(found) == ids(m_overlays);
    m_overlays = std::move(found);
    if (!same)
        rebuild();
    tellProblems();
    m_none->setVisible(m_overlays.empty() && m_tellNone);
    setVisible(withRuns && (!m_overlays.empty() || m_tellNone || !m_problems->text().isEmpty()));
}

SweepChartData OverlayBar::applied(SweepChartData data)
{
    for (const MachineOverlay& overlay : m_overlays)
        if (m_wanted.contains(text(overlay.baseline->id)) && data.series.size() < kMostSeries)
            addOverlay(data, *m_info, m_chart, overlay);
    const bool possible = hasLimits(data);
    m_ofRoofline->setEnabled(possible);
    m_ofRoofline->setVisible(possible || !m_overlays.empty());
    m_ofRoofline->setAccessibleDescription(possible ? m_ofRoofline->toolTip()
                                                    : tr("None of these values came with a physical limit"));
    return possible && m_ofRoofline->isChecked() ? ofOwnRoofline(std::move(data)) : data;
}

void OverlayBar::rebuild()
{
    qDeleteAll(m_machineBoxes);
    m_machineBoxes.clear();
    m_boxes->removeWidget(m_ofRoofline);
    for (const MachineOverlay& overlay : m_overlays) {
        const QString id = text(overlay.baseline->id);
        auto* box = new QCheckBox(text(overlay.baseline->machine));
        box->setObjectName(id);
        box->setChecked(m_wanted.contains(id));
        box->setToolTip(sourceText(*overlay.baseline));
        box->setAccessibleName(tr("Show what %1 gave").arg(box->text()));
        connect(box, &QCheckBox::toggled, this, [this, id](bool on) {
            m_wanted.removeAll(id);
            if (on)
                m_wanted << id;
            rebuildCards();
            Q_EMIT changed();
        });
        m_boxes->addWidget(box);
        m_machineBoxes << box;
    }
    m_boxes->addWidget(m_ofRoofline);
    rebuildCards();
}

void OverlayBar::rebuildCards()
{
    qDeleteAll(m_cardWidgets);
    m_cardWidgets.clear();
    for (const MachineOverlay& overlay : m_overlays)
        if (m_wanted.contains(text(overlay.baseline->id))) {
            m_cardWidgets << makeCard(overlay);
            m_cards->addWidget(m_cardWidgets.back());
        }
}

QWidget* OverlayBar::makeCard(const MachineOverlay& overlay)
{
    Theme& theme = m_context.theme();
    const record::Baseline& baseline = *overlay.baseline;
    auto* card = new Card(tr("Recorded on %1").arg(text(baseline.machine)));
    QVBoxLayout* column = card->column();
    column->setContentsMargins(space::m, space::s, space::m, space::s);
    column->setSpacing(0);
    auto* head = new QHBoxLayout;
    head->setSpacing(space::s);
    auto* badge = new ProvenanceBadge(theme);
    badge->setProvenance(Provenance::Recorded);
    head->addWidget(badge);
    QLabel* name = makeLabel(theme, text(baseline.machine), TextStyle::Strong);
    name->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    head->addWidget(name, 1);
    QPushButton* pinned = makeButton(tr("Pin"), tr("Puts these points aside to be compared (Ctrl+Shift+C)"));
    pinned->setAccessibleName(tr("Pin what %1 gave").arg(text(baseline.machine)));
    connect(pinned, &QPushButton::clicked, this, [this, overlay] { pin(overlay); });
    head->addWidget(pinned);
    column->addLayout(head);
    if (m_own) {
        auto* values = new FactTable(theme, tr("What %1 gave").arg(text(baseline.machine)));
        for (const BesideMetric& line : besideOwn(*m_info, overlay.points.front()->run, *m_own))
            values->addRow(line.title, line.recorded, line.own);
        column->addWidget(values);
    }
    auto* facts = new FactTable(theme, tr("Fingerprint of %1").arg(text(baseline.machine)));
    facts->addRow(tr("Source"), sourceText(baseline));
    facts->addRow(tr("Machine"), machineText(baseline));
    if (!baseline.unknown.empty()) {
        QStringList unknown;
        for (const std::string& each : baseline.unknown)
            unknown << text(each);
        facts->addRow(tr("Not known"), unknown.join(QStringLiteral("; ")));
    }
    if (!overlay.differs.isEmpty())
        facts->addRow(tr("Differs"), overlay.differs.join(QStringLiteral("; ")));
    if (!overlay.notes.isEmpty())
        facts->addRow(tr("Points"), overlay.notes.join(QStringLiteral(" ")));
    column->addWidget(facts);
    return card;
}

void OverlayBar::pin(const MachineOverlay& overlay)
{
    Pin pin;
    pin.key = QStringLiteral("baseline:%1/%2").arg(text(overlay.baseline->id), text(m_info->id));
    pin.name = tr("%1, %2 (recorded)").arg(text(m_info->title), text(overlay.baseline->machine));
    for (const record::BaselinePoint* point : record::pointsOf(*overlay.baseline, *m_info))
        pin.runs.push_back(point->run);
    const QString key = pin.key;
    if (auto pinned = m_context.pins().add(std::move(pin)); !pinned) {
        Q_EMIT m_context.notice(text(toText(pinned.error())), true);
        return;
    }
    for (const Pin& each : m_context.pins().pins())
        if (each.key == key)
            Q_EMIT m_context.notice(tr("Pinned as %1; Ctrl+Shift+C compares.").arg(each.letter), false);
}

void OverlayBar::tellProblems()
{
    QStringList lines;
    for (const Error& problem : m_context.baselines().problems)
        lines << tr("A recorded baseline cannot be read. %1").arg(text(toText(problem)));
    m_problems->setText(lines.join(QLatin1Char('\n')));
    m_problems->setVisible(!lines.isEmpty());
}

std::vector<QString> OverlayBar::offered() const
{
    std::vector<QString> ids;
    for (const MachineOverlay& overlay : m_overlays)
        ids.push_back(text(overlay.baseline->id));
    return ids;
}

std::vector<QString> OverlayBar::shown() const
{
    std::vector<QString> ids = offered();
    std::erase_if(ids, [this](const QString& id) { return !m_wanted.contains(id); });
    return ids;
}

void OverlayBar::setShown(const QString& id, bool on)
{
    for (QCheckBox* box : std::as_const(m_machineBoxes))
        if (box->objectName() == id)
            box->setChecked(on);
}

void OverlayBar::setOfRoofline(bool on)
{
    m_ofRoofline->setChecked(on);
}

} // namespace ridge::app

#include "moc_overlay_bar.cpp"
