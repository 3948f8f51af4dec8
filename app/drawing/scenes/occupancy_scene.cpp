// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks filling the SMs wave by wave: an SM a row, as many storeys as blocks may live on it at a time.
#include "app/drawing/scenes/launch_view.h"
#include "app/drawing/scenes/scene_builder.h"
#include "app/drawing/scenes/scene_text.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace ridge::app {
namespace {

constexpr std::array<Role, 4> kWaveRoles = {Role::Series1, Role::Series7, Role::Series3, Role::Series6};

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::Occupancy", text);
}

double perWave(const LaunchTrace& trace)
{
    return std::max(1.0, static_cast<double>(trace.chip.sms) * std::max(1U, trace.occupancy.blocksPerSm));
}

/// The cycle after which no block started: from there on the chip only empties.
std::uint64_t lastStart(const LaunchTrace& trace)
{
    std::uint64_t last = 0;
    for (const TracedBlock& block : trace.blocks)
        last = std::max(last, block.begin);
    return last;
}

QString limiterText(const LaunchTrace& trace)
{
    const TracedOccupancy& o = trace.occupancy;
    if (o.limiter == "registers")
        return tr("limited by registers: %1 a thread").arg(o.registersPerThread);
    if (o.limiter == "shared memory")
        return tr("limited by shared memory: %1 B a block").arg(o.sharedBytesPerBlock);
    if (o.limiter == "warps")
        return tr("limited by warp slots: %1 an SM").arg(trace.chip.warpSlots);
    if (o.limiter == "blocks")
        return tr("limited by the blocks an SM can hold: %1").arg(o.blocksPerSm);
    if (o.limiter == "grid")
        return tr("limited by the grid: it has fewer blocks than the chip could hold");
    return tr("limited by %1").arg(QString::fromStdString(o.limiter));
}

double drawPicture(const LaunchView& view, const SceneState& state, SceneBuilder& b)
{
    const LaunchTrace& trace = view.trace();
    const TracedOccupancy& o = trace.occupancy;
    const double left = b.left(), width = b.width();
    double y = b.top();
    const double waves = static_cast<double>(trace.blocksInAll) / perWave(trace);
    y = b.counters(
            {left, y}, width,
            {{QStringLiteral("achieved"), tr("%1 %").arg(100 * o.achieved, 0, 'f', 1),
              tr("occupancy achieved; %1 % is possible").arg(100 * o.theoretical, 0, 'f', 1), 1.1},
             {QStringLiteral("blocks"), QString::number(o.blocksPerSm),
              tr("blocks an SM at a time, %1").arg(limiterText(trace)), 1.5},
             {QStringLiteral("waves"), QString::number(waves, 'f', waves < 10 ? 2 : 0),
              tr("waves: %1 blocks, %2 at a time").arg(trace.blocksInAll).arg(perWave(trace), 0, 'f', 0), 1.1}}) +
        space::m;
    const double plotLeft = std::round(left + b.textWidth(QStringLiteral("SM 000")) + space::s);
    const int columns = static_cast<int>(left + width - plotLeft);
    const auto sms = static_cast<int>(trace.chip.sms);
    const double room = b.bottom() - y - b.text(62);
    const int pitch = std::clamp(static_cast<int>(room / sms), 2, 24);
    const int rows = pitch > 4 ? pitch - 1 : pitch;
    const double perPixel = (state.to - state.from) * view.cycles() / columns, begin = state.from * view.cycles();

    // Storey by storey: a block keeps the lowest one that is free when it starts.
    std::vector<std::vector<const TracedBlock*>> bySm(trace.chip.sms);
    for (const TracedBlock& block : trace.blocks)
        bySm[block.sm].push_back(&block);
    Raster raster;
    raster.columns = columns;
    raster.rows = sms * pitch;
    raster.rect = QRectF(plotLeft, y, columns, raster.rows);
    for (const Role role : kWaveRoles)
        for (const double alpha : {0.3, 0.5, 0.7, 0.9})
            raster.tones.push_back({role, alpha});
    raster.cells.assign(static_cast<std::size_t>(columns) * raster.rows, 0);
    const auto storeys = static_cast<int>(std::max(1U, o.blocksPerSm));
    const bool tall = rows >= 2 * storeys; // else a row's strength says how many blocks there are
    std::vector<int> living(static_cast<std::size_t>(columns));
    for (int sm = 0; sm < sms; ++sm) {
        std::vector<std::uint64_t> busyUntil(static_cast<std::size_t>(storeys), 0);
        std::stable_sort(bySm[sm].begin(), bySm[sm].end(),
                         [](const TracedBlock* p, const TracedBlock* q) { return p->begin < q->begin; });
        std::fill(living.begin(), living.end(), 0);
        for (const TracedBlock* block : bySm[sm]) {
            auto free = std::find_if(busyUntil.begin(), busyUntil.end(),
                                     [&](std::uint64_t until) { return until <= block->begin; });
            free = free == busyUntil.end() ? std::min_element(busyUntil.begin(), busyUntil.end()) : free;
            const auto storey = static_cast<int>(free - busyUntil.begin());
            *free = block->end;
            const auto wave = static_cast<std::size_t>(static_cast<double>(block->block) / perWave(trace));
            const auto role = static_cast<int>(wave % kWaveRoles.size()) * 4;
            const int from = std::max(0, static_cast<int>((static_cast<double>(block->begin) - begin) / perPixel));
            const int to = static_cast<int>(
                std::min<double>(columns, std::ceil((static_cast<double>(block->end) - begin) / perPixel)));
            const int low = tall ? rows * storey / storeys : 0, high = tall ? rows * (storey + 1) / storeys : rows;
            for (int x = from; x < to; ++x) {
                ++living[static_cast<std::size_t>(x)];
                const int strength = tall ? 2 + static_cast<int>(block->block % 2) // neighbours differ
                                          : std::min(3, (4 * living[static_cast<std::size_t>(x)] - 1) / storeys);
                for (int row = low; row < high; ++row)
                    raster.cells[static_cast<std::size_t>(sm * pitch + rows - 1 - row) * columns + x] =
                        static_cast<std::uint8_t>(1 + role + strength);
            }
        }
        const QRectF rect(plotLeft, y + sm * pitch, columns, pitch);
        b.item(QStringLiteral("sm.%1").arg(sm), tr("SM %1: %2 blocks").arg(sm).arg(bySm[sm].size()), rect);
        const int every = std::max(1, static_cast<int>(std::ceil(b.text(15) / pitch)));
        if (sm % every == 0)
            b.label(
                QRectF(left, rect.top() - b.text(2), plotLeft - left - space::s, std::max<double>(pitch, b.text(14))),
                tr("SM %1").arg(sm), TextStyle::Caption, sm == state.row ? Role::Text : Role::Text3,
                Qt::AlignRight | Qt::AlignVCenter);
        if (sm == state.row)
            b.outline(rect.adjusted(-2, -2, 2, 2), Role::Text, 1, 2);
    }
    const QRectF plot = raster.rect;
    b.raster(std::move(raster));
    b.plot(plot);
    const auto xOf = [&](double cycle) { return plotLeft + (cycle - begin) / perPixel; };
    const bool cut = trace.blocks.size() < trace.extrapolation.simulatedBlocks;
    const double tail = xOf(static_cast<double>(lastStart(trace)));
    if (tail > plotLeft && tail < plot.right()) {
        if (cut)
            b.hatch(QRectF(tail, plot.top(), plot.right() - tail, plot.height()), Role::Text3);
        else
            b.fill(QRectF(std::round(tail), plot.top() - 4, 1.5, plot.height() + 8), Role::Warn);
    }
    const double cursor = xOf(state.progress * view.cycles());
    if (cursor >= plotLeft && cursor <= plot.right())
        b.fill(QRectF(std::min(std::round(cursor), plot.right() - 2), plot.top(), 2, plot.height()), Role::Text);
    y = plot.bottom() + space::s;
    const double tailShare = 100 * (view.cycles() - static_cast<double>(lastStart(trace))) / view.cycles();
    const QString sentence =
        cut ? tr("The first %1 of %2 blocks are kept; hatched is what came after them.")
                  .arg(groupedText(static_cast<double>(trace.blocks.size())),
                       groupedText(static_cast<double>(trace.blocksInAll)))
        : lastStart(trace) == 0
            ? tr("All blocks start at once, so the chip only empties.")
            : tr("From cycle %1 on no block starts any more and the chip only empties: %2 % of the time.")
                  .arg(groupedText(static_cast<double>(lastStart(trace))))
                  .arg(tailShare, 0, 'f', 0);
    b.paragraph(QRectF(left, y, width, b.text(34)), sentence, TextStyle::Body, Role::Text2);
    b.item(QStringLiteral("answer"), sentence, QRectF(left, y, width, b.text(34)));
    y += b.text(36);
    QList<SceneBuilder::Key> keys;
    const auto shown = static_cast<std::size_t>(std::clamp(std::ceil(waves), 1.0, 4.0));
    for (std::size_t wave = 0; wave < shown; ++wave)
        keys.append({SceneBuilder::Look::Fill, kWaveRoles[wave],
                     waves > 4 ? tr("wave %1, %2 …").arg(wave + 1).arg(wave + 5) : tr("wave %1").arg(wave + 1)});
    y = std::max(y, b.bottom() - b.footerHeight(width, keys, {}));
    b.footer({left, y}, width, keys, {}, Role::Text3);
    return y + b.footerHeight(width, keys, {});
}

class Occupancy : public Scene {
public:
    QString id() const override { return QStringLiteral("occupancy"); }
    QString title() const override { return tr("Occupancy, wave by wave"); }
    bool timed() const override { return true; }
    bool supports(const SceneFrame& frame) const override { return frame.payloads.get<LaunchView>() != nullptr; }
    SceneTracks tracks(const Frames&, const SceneState&) const override { return {}; }
    std::size_t steps(const Frames& frames, const SceneState& state) const override
    {
        return shownLaunch(frames, state) ? 200 : 0;
    }
    double preferredHeight(const Frames& frames, double textScale) const override
    {
        double sms = 108;
        for (const SceneFrame& frame : frames)
            if (const auto* view = frame.payloads.get<LaunchView>())
                sms = view->trace().chip.sms;
        return std::clamp(sms * 2, 140.0, 320.0) + 40 + (150 + (textScale > 1.25 ? 60 : 0)) * textScale;
    }
    SceneState moved(const Frames& frames, const SceneState& state, int dx, int dy) const override
    {
        const LaunchView* view = shownLaunch(frames, state);
        if (!view || dy == 0)
            return panned(state, dx * 0.1);
        SceneState next = state;
        next.row = std::clamp(state.row + dy, 0, static_cast<int>(view->trace().chip.sms) - 1);
        return next;
    }
    SceneState picked(const Frames&, const SceneState& state, const SceneItem& item, QPointF at) const override
    {
        SceneState next = state;
        if (!item.id.startsWith(QLatin1String("sm.")))
            return next;
        next.row = item.id.mid(3).toInt();
        next.progress = std::clamp(
            state.from + (at.x() - item.rect.left()) / item.rect.width() * (state.to - state.from), 0.0, 1.0);
        return next;
    }

    SceneDrawing draw(const Frames& frames, const SceneState& state, QSizeF size, double textScale) const override
    {
        SceneBuilder builder(size, textScale);
        const LaunchView* view = shownLaunch(frames, state);
        if (!view)
            return builder.empty(noLaunchText(frames, state));
        const double used = drawPicture(*view, state, builder);
        const LaunchTrace& trace = view->trace();
        return builder.finish(headText(frames[state.frame]) +
                                  tr("%1 blocks on %2 SMs, %3 at a time on each (%4); %5 % of the warp slots are used.")
                                      .arg(trace.blocksInAll)
                                      .arg(trace.chip.sms)
                                      .arg(trace.occupancy.blocksPerSm)
                                      .arg(limiterText(trace))
                                      .arg(100 * trace.occupancy.achieved, 0, 'f', 1),
                              used + SceneBuilder::kMargin);
    }

    std::vector<QStringList> table(const Frames& frames, const SceneState& state) const override
    {
        std::vector<QStringList> rows = {{tr("SM"), tr("Blocks"), tr("First block starts"), tr("Last block ends"),
                                          tr("Warp-cycles used"), tr("Warp-cycles empty")}};
        const LaunchView* view = shownLaunch(frames, state);
        if (!view)
            return rows;
        const LaunchTrace& trace = view->trace();
        for (std::uint32_t sm = 0; sm < trace.chip.sms; ++sm) {
            std::uint64_t blocks = 0, first = ~std::uint64_t{0}, last = 0;
            for (const TracedBlock& block : trace.blocks) {
                if (block.sm != sm)
                    continue;
                ++blocks;
                first = std::min(first, block.begin);
                last = std::max(last, block.end);
            }
            const GroupCycles cycles = view->ofSm(sm, 0, view->cycles());
            double used = 0;
            for (std::size_t group = 0; group < kLivingGroups; ++group)
                used += cycles[group];
            rows.push_back({QString::number(sm), QString::number(blocks), blocks ? QString::number(first) : QString(),
                            blocks ? QString::number(last) : QString(), QString::number(used, 'f', 0),
                            QString::number(cycles[static_cast<std::size_t>(StateGroup::Idle)], 'f', 0)});
        }
        return rows;
    }
};

} // namespace

std::unique_ptr<Scene> makeOccupancyScene()
{
    return std::make_unique<Occupancy>();
}

} // namespace ridge::app
