// SPDX-License-Identifier: GPL-3.0-or-later
// What fits into one SM: its warp slots, registers and shared memory with the blocks of one kernel in them, and beside
// it how many blocks each resource allows.
#include "app/drawing/scenes/sm_limits.h"

#include "app/drawing/scenes/scene_builder.h"
#include "app/drawing/scenes/scene_text.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace ridge::app {
namespace {

constexpr double kSmShare = 0.54;  ///< of the width that the SM takes beside its limits
constexpr double kNarrow = 620;    ///< px at 100 %: below, the limits stand under the SM
constexpr int kMostNumbered = 100; ///< blocks with more digits than that would not fit into a slot

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::SmLimits", text);
}

QString limitersOf(const SmLimits& sm)
{
    QStringList names;
    for (const SmLimits::Resource& resource : sm.resources)
        if (resource.limits)
            names << resource.name;
    return names.join(tr(" and "));
}

QString summaryOf(const SmLimits& sm)
{
    if (!sm.problem.isEmpty())
        return tr("Such a block cannot run on %1: %2.").arg(sm.chip, sm.problem);
    return tr("%1 blocks of %2 warps live on one SM of %3 at a time: %4 of %5 warp slots are taken, and %6 allow no "
              "more.")
        .arg(sm.blocks)
        .arg(sm.warpsPerBlock)
        .arg(sm.chip)
        .arg(sm.warps())
        .arg(sm.warpSlots)
        .arg(limitersOf(sm));
}

/// A store of the SM: how much of it the blocks take, each with its own stretch.
void drawStore(SceneBuilder& b, QRectF rect, const QString& id, const QString& name, const QString& numbers, Role role,
               double used, double capacity, int blocks)
{
    const double line = b.text(16);
    b.label(QRectF(rect.left(), rect.top(), rect.width(), line), name, TextStyle::Caption, Role::Text,
            Qt::AlignLeft | Qt::AlignVCenter);
    b.label(QRectF(rect.left(), rect.top(), rect.width(), line), numbers, TextStyle::Caption, Role::Text2,
            Qt::AlignRight | Qt::AlignVCenter);
    const QRectF bar(rect.left(), rect.top() + line, rect.width(), rect.height() - line);
    b.fill(bar, Role::Surface, 1, 3);
    const double share = capacity > 0 ? std::min(1.0, used / capacity) : 0;
    const double each = blocks > 0 ? bar.width() * share / blocks : 0;
    const double gap = each > 4 ? 1 : 0;
    for (int block = 0; block < blocks && each > 0.2; ++block)
        b.fill(QRectF(bar.left() + block * each, bar.top(), each - gap, bar.height()), role, block % 2 ? 0.65 : 0.95,
               0);
    b.outline(bar, Role::BorderStrong, 1, 3);
    b.item(id, name + QStringLiteral(": ") + numbers, rect);
}

/// The SM: four sub-partitions as columns of warp slots, below them the registers of each and what all share.
void drawSm(SceneBuilder& b, const SmLimits& sm, QRectF rect)
{
    b.fill(rect, Role::Surface2, 1, 10);
    b.outline(rect, Role::BorderStrong, 1.5, 10);
    const double pad = space::m, line = b.text(16);
    const QRectF in = rect.adjusted(pad, pad - 2, -pad, -pad);
    b.label(QRectF(in.left(), in.top(), in.width(), line), tr("One SM of %1").arg(sm.chip), TextStyle::Strong,
            Role::Text, Qt::AlignLeft | Qt::AlignVCenter);
    const double storeTall = b.text(34), stores = 2 * storeTall + space::m;
    const double top = in.top() + line + space::s + line, bottom = in.bottom() - stores - space::m;
    const int columns = std::max(1, sm.subPartitions), rows = std::max(1, sm.warpSlots / columns);
    const double gap = space::s, wide = (in.width() - gap * (columns - 1)) / columns;
    // Two slots side by side where one under the other would be flat.
    const int across = (bottom - top) / rows < b.text(16) ? 2 : 1;
    const double tall = (bottom - top) / std::ceil(double(rows) / across);
    for (int column = 0; column < columns; ++column) {
        const double left = in.left() + column * (wide + gap);
        b.label(QRectF(left, top - line, wide, line), tr("sub-partition %1").arg(column), TextStyle::Caption,
                Role::Text3, Qt::AlignLeft | Qt::AlignVCenter);
        for (int row = 0; row < rows; ++row) {
            const QRectF slot(left + (row % across) * wide / across, top + (row / across) * tall,
                              wide / across - (across > 1 ? 2 : 0), tall - 2);
            const int warp = row * columns + column; // warps are dealt round the sub-partitions
            if (warp >= sm.warps()) {
                b.fill(slot, Role::Surface, 1, 2);
                b.outline(slot, Role::Border, 1, 2);
                continue;
            }
            const int block = warp / std::max(1, sm.warpsPerBlock);
            b.fill(slot, Role::Series8, block % 2 ? 0.14 : 0.3, 2);
            if (slot.height() >= b.text(13) && block < kMostNumbered)
                b.label(slot, QString::number(block), TextStyle::Caption, Role::Text);
        }
    }
    b.item(QStringLiteral("slots"), tr("Warp slots: %1 of %2 taken").arg(sm.warps()).arg(sm.warpSlots),
           QRectF(in.left(), top, in.width(), bottom - top));
    double y = bottom + space::m;
    drawStore(b, QRectF(in.left(), y, in.width(), storeTall), QStringLiteral("registers"), tr("registers"),
              tr("%1 of %2").arg(groupedText(sm.registersUsed), groupedText(sm.registers)), Role::Series1,
              sm.registersUsed, sm.registers, sm.blocks);
    y += storeTall + space::m;
    drawStore(b, QRectF(in.left(), y, in.width(), storeTall), QStringLiteral("shared"), tr("shared memory"),
              tr("%1 of %2 B").arg(groupedText(sm.sharedUsed), groupedText(sm.sharedBytes)), Role::Series2,
              sm.sharedUsed, sm.sharedBytes, sm.blocks);
}

/// Blocks that fit by each resource alone; the shortest bar decides.
void drawLimits(SceneBuilder& b, const SmLimits& sm, QRectF rect)
{
    const double line = b.text(18);
    b.label(QRectF(rect.left(), rect.top(), rect.width(), line), tr("Blocks that fit by each resource alone"),
            TextStyle::Strong, Role::Text, Qt::AlignLeft | Qt::AlignVCenter);
    int most = 1;
    for (const SmLimits::Resource& resource : sm.resources)
        most = std::max(most, resource.blocks);
    double y = rect.top() + line + space::s;
    const double numbers = b.textWidth(QStringLiteral("0000"), 16) + space::s;
    const double count = std::max<double>(1, static_cast<double>(sm.resources.size()));
    // The bars share the height that is there, as long as they look like bars.
    const double pitch = std::clamp((rect.bottom() - y) / count, line + b.text(24), line + b.text(54));
    const double barTall = std::min(pitch - line - b.text(14), b.text(20));
    for (const SmLimits::Resource& resource : sm.resources) {
        const QString name = resource.limits ? tr("%1: this limits").arg(resource.name) : resource.name;
        b.label(QRectF(rect.left(), y, rect.width() * 0.56, line), name,
                resource.limits ? TextStyle::Strong : TextStyle::Caption, Role::Text, Qt::AlignLeft | Qt::AlignVCenter);
        b.label(QRectF(rect.left() + rect.width() * 0.5, y, rect.width() * 0.5, line), resource.asks,
                TextStyle::Caption, Role::Text3, Qt::AlignRight | Qt::AlignVCenter);
        const QRectF bar(rect.left(), y + line, (rect.width() - numbers) * resource.blocks / most, barTall);
        b.fill(bar, resource.limits ? Role::Warn : Role::Text3, resource.limits ? 1 : 0.35, 2);
        b.label(QRectF(bar.right() + space::s, bar.top(), numbers, barTall), QString::number(resource.blocks),
                resource.limits ? TextStyle::Strong : TextStyle::Caption, Role::Text, Qt::AlignLeft | Qt::AlignVCenter);
        b.item(QStringLiteral("limit.") + resource.name,
               tr("%1: %2 blocks fit, a block takes %3").arg(name).arg(resource.blocks).arg(resource.asks),
               QRectF(rect.left(), y, rect.width(), line + barTall));
        y += pitch;
    }
}

class SmLimitsScene : public Scene {
public:
    QString id() const override { return QStringLiteral("sm_limits"); }
    QString title() const override { return tr("What fits into an SM"); }
    bool supports(const SceneFrame& frame) const override { return frame.payloads.get<SmLimits>() != nullptr; }
    SceneTracks tracks(const Frames&, const SceneState&) const override { return {}; }
    std::size_t steps(const Frames&, const SceneState&) const override { return 0; }
    double preferredHeight(const Frames& frames, double textScale) const override
    {
        const auto* sm = frames.empty() ? nullptr : frames.front().payloads.get<SmLimits>();
        return 210 + 230 * textScale + (sm && sm->resources.size() > 4 ? 20 * textScale : 0);
    }

    SceneDrawing draw(const Frames& frames, const SceneState& state, QSizeF size, double textScale) const override
    {
        SceneBuilder b(size, textScale);
        const SceneFrame* frame = shownFrame(frames, state);
        const auto* sm = frame ? frame->payloads.get<SmLimits>() : nullptr;
        if (!sm)
            return b.empty(tr("Nothing is known of this chip's SM."));
        double y = b.top();
        if (!sm->problem.isEmpty()) {
            b.paragraph(QRectF(b.left(), y, b.width(), b.text(40)), summaryOf(*sm), TextStyle::Body, Role::Error);
            b.item(QStringLiteral("answer"), summaryOf(*sm), QRectF(b.left(), y, b.width(), b.text(40)));
            y += b.text(44);
        } else {
            const double share = sm->warpSlots > 0 ? 100.0 * sm->warps() / sm->warpSlots : 0;
            y = b.counters({b.left(), y}, b.width(),
                           {{QStringLiteral("blocks"), QString::number(sm->blocks), tr("blocks on the SM"), 0.8},
                            {QStringLiteral("warps"), tr("%1 of %2").arg(sm->warps()).arg(sm->warpSlots),
                             tr("warp slots taken"), 1.1},
                            {QStringLiteral("occupancy"), tr("%1 %").arg(share, 0, 'f', share < 100 ? 1 : 0),
                             tr("occupancy, limited by %1").arg(limitersOf(*sm)), 1.3}}) +
                space::m;
        }
        const bool beside = b.width() >= kNarrow * std::max(1.0, textScale * 0.9);
        const double rows = static_cast<double>(sm->resources.size());
        const double limitsTall = b.text(18) + space::s + rows * (b.text(18) + b.text(14) + b.text(10));
        const double bottom = std::max(b.bottom(), y + b.text(260));
        if (beside) {
            const double wide = b.width() * kSmShare;
            drawSm(b, *sm, QRectF(b.left(), y, wide, bottom - y));
            drawLimits(b, *sm, QRectF(b.left() + wide + space::xl, y, b.width() - wide - space::xl, bottom - y));
        } else {
            const double tall = std::max(b.text(220), bottom - y - limitsTall - space::m);
            drawSm(b, *sm, QRectF(b.left(), y, b.width(), tall));
            drawLimits(b, *sm, QRectF(b.left(), y + tall + space::m, b.width(), limitsTall));
            return b.finish(summaryOf(*sm), y + tall + space::m + limitsTall + SceneBuilder::kMargin);
        }
        return b.finish(summaryOf(*sm), bottom + SceneBuilder::kMargin);
    }

    std::vector<QStringList> table(const Frames& frames, const SceneState& state) const override
    {
        std::vector<QStringList> rows = {{tr("Resource"), tr("A block takes"), tr("Blocks that fit"), tr("Limits")}};
        const SceneFrame* frame = shownFrame(frames, state);
        const auto* sm = frame ? frame->payloads.get<SmLimits>() : nullptr;
        if (!sm)
            return rows;
        for (const SmLimits::Resource& resource : sm->resources)
            rows.push_back({resource.name, resource.asks, QString::number(resource.blocks),
                            resource.limits ? tr("yes") : tr("no")});
        rows.push_back({tr("on the SM"), tr("%1 of %2 warp slots").arg(sm->warps()).arg(sm->warpSlots),
                        QString::number(sm->blocks), QString()});
        return rows;
    }
};

} // namespace

std::unique_ptr<Scene> makeSmLimitsScene()
{
    return std::make_unique<SmLimitsScene>();
}

} // namespace ridge::app
