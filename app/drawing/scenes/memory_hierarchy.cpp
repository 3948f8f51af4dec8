// SPDX-License-Identifier: GPL-3.0-or-later
// Where a launch's bytes went: registers, L1 and shared memory, L2, HBM. The same drawing in every lesson, so that what
// changes between two runs is what the eye finds.
#include "app/drawing/scenes/launch_view.h"
#include "app/drawing/scenes/scene_builder.h"
#include "app/drawing/scenes/scene_text.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace ridge::app {
namespace {

constexpr double kSectorBytes = 32;
constexpr double kBankRowBytes = 128; ///< a wavefront of shared memory moves at most this

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::MemoryHierarchy", text);
}

/// One way between two levels.
struct Flow {
    QString id, from, to;
    bool read = true; ///< towards the registers
    double bytes = 0;
    std::uint64_t requests = 0;
    double hitRate = -1; ///< of the level that it asks; −1: says nothing
    QString note;
};

struct Traffic {
    std::array<Flow, 7> flows;
    double seconds = 0;
    double rate(const Flow& flow) const { return seconds > 0 ? flow.bytes / seconds : 0; }
};

double hitRate(std::uint64_t hits, std::uint64_t misses)
{
    return hits + misses == 0 ? -1 : static_cast<double>(hits) / static_cast<double>(hits + misses);
}

Traffic trafficOf(const LaunchTrace& trace)
{
    const TracedCounters& c = trace.counters;
    const auto sectors = [](std::uint64_t count) { return kSectorBytes * static_cast<double>(count); };
    const std::uint64_t atL2 = c.l2SectorHits + c.l2SectorMisses;
    const std::uint64_t writes = atL2 > c.l1SectorMisses ? atL2 - c.l1SectorMisses : 0;
    const QString registers = tr("registers"), l1 = tr("L1"), shared = tr("shared memory"), l2 = tr("L2"),
                  hbm = tr("HBM");
    Traffic t;
    t.seconds =
        trace.chip.clockHz > 0 ? static_cast<double>(trace.extrapolation.simulatedCycles) / trace.chip.clockHz : 0;
    t.flows = {
        {{QStringLiteral("l1.read"), l1, registers, true, sectors(c.l1SectorHits + c.l1SectorMisses),
          c.globalLoadRequests, hitRate(c.l1SectorHits, c.l1SectorMisses),
          tr("lanes asked for %1").arg(scaledText(static_cast<double>(c.globalLoadBytes), QStringLiteral("B")))},
         {QStringLiteral("l1.write"), registers, l1, false, sectors(writes), c.globalStoreRequests, -1,
          tr("stores and atomics go through to the L2")},
         {QStringLiteral("shared"), shared, registers, true, kBankRowBytes * static_cast<double>(c.sharedWavefronts),
          c.sharedRequests, -1, tr("%1 wavefronts of at most 128 bytes").arg(c.sharedWavefronts)},
         {QStringLiteral("l2.read"), l2, l1, true, sectors(c.l1SectorMisses), c.l2Requests,
          hitRate(c.l2SectorHits, c.l2SectorMisses), tr("what the L1 missed")},
         {QStringLiteral("l2.write"), l1, l2, false, sectors(writes), 0, -1, tr("stores and atomics")},
         {QStringLiteral("hbm.read"), hbm, l2, true, static_cast<double>(c.dramReadBytes), 0, -1,
          tr("what the L2 missed")},
         {QStringLiteral("hbm.write"), l2, hbm, false, static_cast<double>(c.dramWriteBytes), 0, -1,
          tr("dirty lines that the L2 gave up; what stays in it is not written")}}};
    return t;
}

/// Width of a pipe: 3 px and 3 more for each factor of four above a kilobyte.
double pipeWidth(double bytes)
{
    return bytes <= 0 ? 0 : std::clamp(3 + 1.5 * std::log2(bytes / 1024), 2.0, 44.0);
}

class Picture {
public:
    Picture(const LaunchView& view, const SceneState& state, SceneBuilder& builder)
        : m_trace(view.trace()), m_state(state), m_b(builder), m_traffic(trafficOf(view.trace()))
    {
    }
    double draw();

private:
    void level(QRectF rect, const QString& id, const QString& name, const QString& size, double hit);
    void pipe(const Flow& flow, int index, double left, double right, double y);

    const LaunchTrace& m_trace;
    const SceneState& m_state;
    SceneBuilder& m_b;
    Traffic m_traffic;
    double m_y = 0;
};

void Picture::level(QRectF rect, const QString& id, const QString& name, const QString& size, double hit)
{
    m_b.fill(rect, Role::Surface2, 1, kCardRadius);
    m_b.outline(rect, Role::BorderStrong, 1, kCardRadius);
    double y = rect.center().y() - m_b.text(hit >= 0 ? 42 : 20);
    const auto line = [&](const QString& text, TextStyle style, Role role, double height) {
        m_b.label(QRectF(rect.left(), y, rect.width(), m_b.text(height)), text, style, role);
        y += m_b.text(height);
    };
    line(name, TextStyle::Strong, Role::Text, 20);
    line(size, TextStyle::Caption, Role::Text2, 20);
    QString said = name + QStringLiteral(", ") + size;
    if (hit >= 0) {
        const QRectF bar(rect.left() + space::m, y + 4, rect.width() - 2 * space::m, 6);
        m_b.fill(bar, Role::Border, 1, 3);
        m_b.fill(QRectF(bar.left(), bar.top(), bar.width() * hit, bar.height()), Role::Series3, 1, 3);
        y += 12;
        const QString rate = tr("%1 % hits").arg(100 * hit, 0, 'f', 1);
        line(rate, TextStyle::Caption, Role::Text, 20);
        said += QStringLiteral(", ") + rate;
    }
    m_b.item(QStringLiteral("level.") + id, said, rect);
}

void Picture::pipe(const Flow& flow, int index, double left, double right, double y)
{
    const double width = pipeWidth(flow.bytes);
    const QRectF body(left, y - width / 2, right - left, width);
    const Role role = flow.read ? Role::Series1 : Role::Series2;
    const bool chosen = m_state.row == index;
    if (width > 0) {
        m_b.fill(body, role, chosen ? 0.5 : 0.28);
        // Packets move as the run is played; they say which way, not how fast.
        const double spacing = 22, way = m_state.progress * 6;
        const double shift = spacing * (way - std::floor(way)), size = std::clamp(width * 0.4, 2.0, 7.0);
        for (double x = 0; x + size <= body.width(); x += spacing) {
            const double at = std::fmod(x + shift, body.width() - size);
            m_b.fill(QRectF(flow.read ? body.right() - at - size : body.left() + at, y - size / 2, size, size), role, 1,
                     1);
        }
    } else {
        m_b.fill(QRectF(left, std::round(y), right - left, 1), Role::Border);
    }
    const QString bytes = flow.bytes > 0 ? scaledText(flow.bytes, QStringLiteral("B")) : tr("nothing");
    const QString rate = flow.bytes > 0 ? scaledText(m_traffic.rate(flow), QStringLiteral("B/s")) : QString();
    const double line = m_b.text(16);
    const double top = y - std::max(width / 2, 4.0) - line - 2;
    const QString arrow = flow.read ? QStringLiteral("← ") : QStringLiteral("→ ");
    m_b.label(QRectF(left - 8, top, right - left + 16, line), arrow + bytes, TextStyle::Caption, Role::Text);
    m_b.label(QRectF(left - 8, y + std::max(width / 2, 4.0) + 2, right - left + 16, line), rate, TextStyle::Caption,
              Role::Text2);
    QString said = tr("%1 to %2: %3").arg(flow.from, flow.to, bytes);
    if (!rate.isEmpty())
        said += QStringLiteral(", ") + rate;
    if (flow.requests > 0)
        said += tr(", %1 requests").arg(flow.requests);
    m_b.item(QStringLiteral("flow.%1").arg(index), said + QStringLiteral("; ") + flow.note,
             QRectF(left, top, right - left, y - top + width / 2 + line + 2));
}

double Picture::draw()
{
    const double left = m_b.left(), width = m_b.width();
    m_y = m_b.top();
    const TracedCounters& c = m_trace.counters;
    const double dram = static_cast<double>(c.dramReadBytes + c.dramWriteBytes);
    const double asked = static_cast<double>(c.globalLoadBytes);
    const double l1 = hitRate(c.l1SectorHits, c.l1SectorMisses), l2 = hitRate(c.l2SectorHits, c.l2SectorMisses);
    const double pins = m_trace.chip.memoryBytesPerSecond;
    const QString share =
        pins > 0 && m_traffic.seconds > 0
            ? tr("through the pins of HBM: %1 % of what they can").arg(100 * dram / m_traffic.seconds / pins, 0, 'f', 1)
            : tr("through the pins of HBM");
    m_y = m_b.counters({left, m_y}, width,
                       {{QStringLiteral("asked"), scaledText(asked, QStringLiteral("B")), tr("that lanes loaded"), 1},
                        {QStringLiteral("dram"), scaledText(dram, QStringLiteral("B")), share, 1.4}}) +
          space::l;
    QString sentence = tr("pipe width: 3 px and 3 more for each factor of four above 1 KiB");
    if (m_trace.extrapolation.used)
        sentence = tr("the simulated %1 of %2 blocks")
                       .arg(m_trace.extrapolation.simulatedBlocks)
                       .arg(m_trace.extrapolation.blocks) +
                   QStringLiteral(" · ") + sentence;
    const QList<SceneBuilder::Key> keys = {{SceneBuilder::Look::Tint, Role::Series1, tr("read")},
                                           {SceneBuilder::Look::Tint, Role::Series2, tr("written")}};
    const double footer = m_b.footerHeight(width, keys, sentence);
    const double height = std::max(m_b.text(170), m_b.bottom() - m_y - space::m - footer);
    const double pipeLength = std::max(m_b.textWidth(QStringLiteral("← 999 MB")) + 12, width * 0.13);
    const double box = (width - 3 * pipeLength) / 4;
    const auto column = [&](int at) { return left + at * (box + pipeLength); };
    const double half = (height - space::m) / 2;
    level(QRectF(column(0), m_y, box, height), QStringLiteral("registers"), tr("Registers"),
          tr("%1 a thread").arg(m_trace.occupancy.registersPerThread), -1);
    const auto kib = [](std::uint64_t bytes) { return tr("%1 KiB an SM").arg(bytes / 1024); };
    level(QRectF(column(1), m_y, box, half), QStringLiteral("l1"), tr("L1"), kib(m_trace.occupancy.l1Bytes), l1);
    level(QRectF(column(1), m_y + half + space::m, box, half), QStringLiteral("shared"), tr("Shared"),
          kib(m_trace.occupancy.sharedCarveoutBytes), -1);
    level(QRectF(column(2), m_y, box, height), QStringLiteral("l2"), tr("L2"),
          m_trace.chip.l2Bytes > 0 ? tr("%1 MiB").arg(m_trace.chip.l2Bytes >> 20) : QString(), l2);
    level(QRectF(column(3), m_y, box, height), QStringLiteral("hbm"), tr("HBM"),
          pins > 0 ? scaledText(pins, QStringLiteral("B/s")) : QString(), -1);
    const std::array<double, 7> at = {m_y + half * 0.27, m_y + half * 0.75, m_y + half * 1.5 + space::m,
                                      m_y + half * 0.27, m_y + half * 0.75, m_y + half * 0.27,
                                      m_y + half * 0.75};
    const std::array<int, 7> from = {0, 0, 0, 1, 1, 2, 2};
    for (int flow = 0; flow < 7; ++flow)
        pipe(m_traffic.flows[static_cast<std::size_t>(flow)], flow, column(from[static_cast<std::size_t>(flow)]) + box,
             column(from[static_cast<std::size_t>(flow)] + 1), at[static_cast<std::size_t>(flow)]);
    m_y += height + space::m;
    m_b.footer({left, m_y}, width, keys, sentence, Role::Text3);
    return m_y + footer;
}

class MemoryHierarchy : public Scene {
public:
    QString id() const override { return QStringLiteral("memory_hierarchy"); }
    QString title() const override { return tr("Memory hierarchy"); }
    bool supports(const SceneFrame& frame) const override { return frame.payloads.get<LaunchView>() != nullptr; }
    SceneTracks tracks(const Frames&, const SceneState&) const override { return {}; }
    std::size_t steps(const Frames& frames, const SceneState& state) const override
    {
        return shownLaunch(frames, state) ? 120 : 0; // of the animation
    }
    double preferredHeight(const Frames&, double textScale) const override { return 150 + 290 * textScale; }

    SceneDrawing draw(const Frames& frames, const SceneState& state, QSizeF size, double textScale) const override
    {
        SceneBuilder builder(size, textScale);
        const LaunchView* view = shownLaunch(frames, state);
        if (!view)
            return builder.empty(noLaunchText(frames, state));
        const double used = Picture(*view, state, builder).draw();
        const Traffic t = trafficOf(view->trace());
        return builder.finish(headText(frames[state.frame]) +
                                  tr("the L1 gave the registers %1, the L2 gave the L1 %2, HBM moved %3.")
                                      .arg(scaledText(t.flows[0].bytes, QStringLiteral("B")),
                                           scaledText(t.flows[3].bytes, QStringLiteral("B")),
                                           scaledText(t.flows[5].bytes + t.flows[6].bytes, QStringLiteral("B"))),
                              used + SceneBuilder::kMargin);
    }

    SceneState moved(const Frames&, const SceneState& state, int dx, int dy) const override
    {
        SceneState next = state;
        next.row = std::clamp(state.row + dx + dy, 0, 6);
        return next;
    }

    SceneState picked(const Frames&, const SceneState& state, const SceneItem& item, QPointF) const override
    {
        SceneState next = state;
        if (item.id.startsWith(QLatin1String("flow.")))
            next.row = item.id.mid(5).toInt();
        return next;
    }

    std::vector<QStringList> table(const Frames& frames, const SceneState& state) const override
    {
        std::vector<QStringList> rows = {
            {tr("From"), tr("To"), tr("Bytes"), tr("Bytes per second"), tr("Requests"), tr("Hit rate"), tr("Note")}};
        const LaunchView* view = shownLaunch(frames, state);
        if (!view)
            return rows;
        const Traffic t = trafficOf(view->trace());
        for (const Flow& flow : t.flows)
            rows.push_back({flow.from, flow.to, QString::number(flow.bytes, 'f', 0),
                            QString::number(t.rate(flow), 'e', 3), QString::number(flow.requests),
                            flow.hitRate < 0 ? QString() : tr("%1 %").arg(100 * flow.hitRate, 0, 'f', 1), flow.note});
        return rows;
    }
};

} // namespace

std::unique_ptr<Scene> makeMemoryHierarchyScene()
{
    return std::make_unique<MemoryHierarchy>();
}

} // namespace ridge::app
