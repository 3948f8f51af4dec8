// SPDX-License-Identifier: GPL-3.0-or-later
// Global memory: which lines and sectors a warp's addresses fetch, and how much of them it uses.
//
// All touched lines share one row as wide as the 32 lanes, so a warp that reads 128 adjacent bytes has every lane
// exactly above its own four bytes, and one that strides by a line has every lane above a line of its own. What a
// narrow line cannot show is drawn again, large, below.
#include "app/drawing/scenes/scene_builder.h"
#include "app/drawing/scenes/scene_text.h"
#include "app/drawing/scenes/warp_access.h"
#include "gpu/access.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace ridge::app {
namespace {

constexpr double kLaneGap = 2;
constexpr double kLineGap = 2;
constexpr double kMinimumMark = 1.5; ///< px: a lane's bytes never vanish

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::LanesSectors", text);
}

/// What one request fetches and uses.
struct Traffic {
    const MemoryTrace* trace = nullptr;
    const MemoryRequest* request = nullptr;
    std::vector<std::uint64_t> sectors, lines; ///< ascending granule numbers
    std::uint64_t usedBytes = 0;
    std::uint64_t movedBytes = 0;
    std::size_t served = 0; ///< sectors that have come

    bool fetched(std::uint64_t sector) const { return std::binary_search(sectors.begin(), sectors.end(), sector); }
    std::size_t order(std::uint64_t sector) const
    {
        return static_cast<std::size_t>(std::lower_bound(sectors.begin(), sectors.end(), sector) - sectors.begin());
    }
    bool arrived(std::uint64_t sector) const { return fetched(sector) && order(sector) < served; }
    std::uint64_t address(int lane) const { return request->addresses[static_cast<std::size_t>(lane)]; }
    std::uint64_t lastByte(int lane) const { return address(lane) + request->accessBytes - 1; }
};

/// Bytes that at least one lane asks for; lanes may overlap.
std::uint64_t countUsed(const MemoryRequest& request)
{
    std::vector<std::uint64_t> bytes;
    for (int lane = 0; lane < kWarpSize; ++lane)
        for (unsigned i = 0; laneActive(request, lane) && i < request.accessBytes; ++i)
            bytes.push_back(request.addresses[static_cast<std::size_t>(lane)] + i);
    std::sort(bytes.begin(), bytes.end());
    return static_cast<std::uint64_t>(std::unique(bytes.begin(), bytes.end()) - bytes.begin());
}

Traffic trafficOf(const MemoryTrace& trace, const MemoryRequest& request, double progress)
{
    Traffic t;
    t.trace = &trace;
    t.request = &request;
    t.sectors = gpu::touchedGranules(request, trace.sectorBytes);
    t.lines = gpu::touchedGranules(request, trace.lineBytes);
    t.usedBytes = countUsed(request);
    t.movedBytes = t.sectors.size() * trace.sectorBytes;
    t.served = stepsDone(progress, t.sectors.size());
    return t;
}

QString laneText(const Traffic& t, int lane)
{
    if (!laneActive(*t.request, lane))
        return tr("lane %1: inactive").arg(lane);
    const std::uint64_t first = t.address(lane);
    const std::uint64_t line = first / t.trace->lineBytes;
    const std::uint64_t sector = first / t.trace->sectorBytes - line * (t.trace->lineBytes / t.trace->sectorBytes);
    return tr("lane %1: %2, line %3, sector %4")
        .arg(lane)
        .arg(addressText(*t.trace, MemorySpace::Global, first))
        .arg(granuleInBuffer(*t.trace, line, t.trace->lineBytes))
        .arg(sector);
}

/// Draws one request into a builder, top to bottom.
class Picture {
public:
    Picture(const Traffic& traffic, const SceneState& state, SceneBuilder& builder)
        : m_t(traffic), m_state(state), m_b(builder)
    {
    }
    double draw();

private:
    void counters();
    void lanes();
    void lines();
    void breakMark(double x);
    void lineLabels();
    void links();
    void detail();
    std::uint64_t detailLine() const;
    void ruler(std::uint64_t line, QRectF rect);
    void line(std::uint64_t line, QRectF rect, bool large);
    void sector(std::uint64_t sector, QRectF rect, bool large);
    void usedBytes(std::uint64_t firstByte, std::uint64_t bytes, QRectF rect, bool served);
    void footer();
    QString sentence() const;
    static QList<SceneBuilder::Key> keys();
    double middleOf(int lane) const { return m_left + lane * m_pitch + (m_pitch - kLaneGap) / 2; }
    QPointF target(int lane) const;
    bool laneServed(int lane) const;
    std::size_t lineIndex(std::uint64_t line) const
    {
        return static_cast<std::size_t>(std::lower_bound(m_t.lines.begin(), m_t.lines.end(), line) - m_t.lines.begin());
    }

    const Traffic& m_t;
    const SceneState& m_state;
    SceneBuilder& m_b;
    double m_left = 0, m_pitch = 20, m_row = 0; ///< row: width of the 32 lanes
    double m_lanesTop = 0, m_lanesBottom = 0;
    double m_linesTop = 0, m_linesBottom = 0;
    double m_y = 0;
    std::vector<QRectF> m_lineRects;
};

double Picture::draw()
{
    m_pitch = std::max(10.0, std::floor(m_b.width() / kWarpSize));
    m_row = m_pitch * kWarpSize - kLaneGap;
    m_left = m_b.left() + std::floor(std::max(0.0, (m_b.width() - m_row) / 2));
    m_y = m_b.top();
    counters();
    lanes();
    lines();
    links();
    lineLabels();
    detail();
    footer();
    return m_y;
}

void Picture::counters()
{
    const bool partial = m_t.served < m_t.sectors.size();
    const QString sectors =
        partial ? tr("%1 of %2").arg(m_t.served).arg(m_t.sectors.size()) : QString::number(m_t.sectors.size());
    const QString useful = percentText(static_cast<double>(m_t.usedBytes), static_cast<double>(m_t.movedBytes));
    const double bottom =
        m_b.counters({m_left, m_y}, m_row,
                     {{QStringLiteral("sectors"), sectors, tr("sectors for this request"), 1},
                      {QStringLiteral("lines"), QString::number(m_t.lines.size()), tr("lines touched"), 1},
                      {QStringLiteral("useful"), useful,
                       tr("of the bytes moved are used: %1 of %2 B").arg(m_t.usedBytes).arg(m_t.movedBytes), 2}});
    const QRectF bar(m_left + m_row / 2 + m_b.textWidth(useful, 25) + space::m, m_y + m_b.text(16) - 5, 0, 10);
    QRectF moved = bar;
    moved.setRight(m_left + m_row);
    if (moved.width() > 40 && m_t.movedBytes > 0) {
        QRectF used = moved;
        used.setWidth(moved.width() * static_cast<double>(m_t.usedBytes) / static_cast<double>(m_t.movedBytes));
        QRectF wasted = moved;
        wasted.setLeft(used.right());
        if (wasted.width() > 0.5)
            m_b.hatch(wasted, Role::Text3);
        m_b.fill(used, Role::Series1);
        m_b.outline(moved, Role::BorderStrong, 1);
    }
    m_y = bottom + space::l;
}

bool Picture::laneServed(int lane) const
{
    for (std::uint64_t s = m_t.address(lane) / m_t.trace->sectorBytes; s <= m_t.lastByte(lane) / m_t.trace->sectorBytes;
         ++s)
        if (!m_t.arrived(s))
            return false;
    return true;
}

void Picture::lanes()
{
    const QString who =
        tr("warp %1 of block %2: %3").arg(m_t.request->warp).arg(m_t.request->block).arg(operationText(*m_t.request));
    m_b.label(QRectF(m_left, m_y, m_row, m_b.text(16)), who, TextStyle::Caption, Role::Text2,
              Qt::AlignLeft | Qt::AlignVCenter);
    m_y += m_b.text(16) + space::xs;
    m_lanesTop = m_y;
    const double height = m_b.text(22);
    for (int lane = 0; lane < kWarpSize; ++lane) {
        const QRectF rect(m_left + lane * m_pitch, m_lanesTop, m_pitch - kLaneGap, height);
        auto chip = SceneBuilder::Chip::Idle;
        if (laneActive(*m_t.request, lane))
            chip = laneServed(lane) ? SceneBuilder::Chip::Done : SceneBuilder::Chip::Waiting;
        if (lane == m_state.lane)
            chip = SceneBuilder::Chip::Selected;
        m_b.lane(rect, lane, chip, laneText(m_t, lane));
    }
    m_lanesBottom = m_lanesTop + height;
    m_y = m_lanesBottom;
}

void Picture::lines()
{
    const double below = 130 + m_b.text(32) + m_b.footerHeight(m_row, keys(), sentence()); // the rest of this picture
    const double air = std::clamp(m_b.bottom() - m_y - below, 36.0, 110.0);
    m_linesTop = m_y + air;
    m_linesBottom = m_linesTop + 40;
    // The row is one gap wider than the lanes: then a byte, a line and a lane that belong together have one middle.
    const std::size_t count = m_t.lines.size();
    const double gap = count > 1 ? kLineGap : 0;
    const double pitch = (m_row + kLaneGap) / static_cast<double>(std::max<std::size_t>(1, count));
    for (std::size_t i = 0; i < count; ++i) {
        const double x = m_left - kLaneGap / 2 + pitch * static_cast<double>(i);
        m_lineRects.push_back(QRectF(x + gap / 2, m_linesTop, pitch - gap, m_linesBottom - m_linesTop));
        line(m_t.lines[i], m_lineRects.back(), false);
        if (i > 0 && m_t.lines[i] != m_t.lines[i - 1] + 1)
            breakMark(x);
    }
    m_y = m_linesBottom;
}

/// Untouched lines lie between these two neighbours: three dots in the gap.
void Picture::breakMark(double x)
{
    for (int dot = 0; dot < 3; ++dot)
        m_b.fill(QRectF(x - 1, m_linesBottom + 2 + 3 * dot, 2, 2), Role::Text3, 1, 1);
}

void Picture::line(std::uint64_t number, QRectF rect, bool large)
{
    const std::uint64_t perLine = m_t.trace->lineBytes / m_t.trace->sectorBytes;
    m_b.outline(rect, Role::BorderStrong, 1, large || rect.width() > 30 ? 2 : 0);
    const QRectF inside = rect.adjusted(1, 1, -1, -1);
    const double width = inside.width() / static_cast<double>(perLine);
    for (std::uint64_t i = 0; i < perLine; ++i)
        sector(number * perLine + i,
               QRectF(inside.left() + width * static_cast<double>(i), inside.top(), width, inside.height()), large);
    if (!large)
        m_b.item(QStringLiteral("line.%1").arg(granuleInBuffer(*m_t.trace, number, m_t.trace->lineBytes)),
                 addressText(*m_t.trace, MemorySpace::Global, number * m_t.trace->lineBytes), rect);
}

void Picture::sector(std::uint64_t number, QRectF rect, bool large)
{
    const QString prefix = large ? QStringLiteral("detail.") : QStringLiteral("sector.");
    const std::uint64_t inBuffer = granuleInBuffer(*m_t.trace, number, m_t.trace->sectorBytes);
    const bool fetched = m_t.fetched(number);
    const bool served = m_t.arrived(number);
    if (served) {
        m_b.fill(rect, Role::Surface2);
        if (rect.width() >= 10)
            m_b.hatch(rect, Role::Text3);
        else // too narrow for lines to be told from bytes
            m_b.fill(rect, Role::Text3, 0.5);
    }
    if (rect.width() >= 10)
        m_b.fill(QRectF(std::round(rect.left()), rect.top(), 1, rect.height()), Role::BorderStrong);
    if (fetched)
        usedBytes(number * m_t.trace->sectorBytes, m_t.trace->sectorBytes, rect, served);
    m_b.item(prefix + QString::number(inBuffer),
             !fetched ? tr("not fetched")
             : served ? tr("fetched")
                      : tr("waiting"),
             rect);
}

void Picture::usedBytes(std::uint64_t firstByte, std::uint64_t bytes, QRectF rect, bool served)
{
    const double perByte = rect.width() / static_cast<double>(bytes);
    for (int pass = 0; pass < 2; ++pass) // the selected lane last, on top
        for (int lane = 0; lane < kWarpSize; ++lane) {
            const bool selected = lane == m_state.lane;
            if (!laneActive(*m_t.request, lane) || selected != (pass == 1))
                continue;
            const std::uint64_t from = std::max(firstByte, m_t.address(lane));
            const std::uint64_t to = std::min(firstByte + bytes, m_t.lastByte(lane) + 1);
            if (from >= to)
                continue;
            const double x = rect.left() + perByte * static_cast<double>(from - firstByte);
            const double width = std::max(kMinimumMark, perByte * static_cast<double>(to - from));
            const double gap = width > 6 ? 1 : 0;
            const QRectF mark(x + gap, rect.top(), width - gap, rect.height());
            if (served)
                m_b.fill(mark, selected ? Role::Series2 : Role::Series1);
            else
                m_b.outline(mark, selected ? Role::Series2 : Role::BorderStrong, 1);
        }
}

QPointF Picture::target(int lane) const
{
    const std::uint64_t lineBytes = m_t.trace->lineBytes;
    const std::size_t index = lineIndex(m_t.address(lane) / lineBytes);
    const QRectF& rect = m_lineRects[index];
    const double middle = static_cast<double>(m_t.address(lane) % lineBytes) + m_t.request->accessBytes / 2.0;
    const double x = rect.left() + rect.width() * std::min(1.0, middle / static_cast<double>(lineBytes));
    return {x, m_linesTop};
}

void Picture::links()
{
    for (int lane = 0; lane < kWarpSize; ++lane) {
        if (!laneActive(*m_t.request, lane))
            continue;
        const bool selected = lane == m_state.lane;
        const bool served = laneServed(lane);
        m_b.link({middleOf(lane), m_lanesBottom + 2}, target(lane) - QPointF(0, 2),
                 selected ? Role::Series2 : (served ? Role::Series1 : Role::BorderStrong), selected ? 2.5 : 1.25,
                 selected ? 1 : (served ? 0.75 : 0.35));
    }
}

void Picture::lineLabels()
{
    if (m_t.lines.empty())
        return;
    const double top = m_linesBottom + space::m;
    const double height = m_b.text(16);
    const auto name = [&](std::size_t i) {
        return tr("line %1").arg(granuleInBuffer(*m_t.trace, m_t.lines[i], m_t.trace->lineBytes));
    };
    const double need = m_b.textWidth(name(m_t.lines.size() - 1)) + space::m;
    const bool few = m_lineRects.front().width() >= need;
    const std::size_t shown = lineIndex(detailLine());
    double free = m_left - 1;
    for (std::size_t i = 0; i < m_lineRects.size(); ++i) {
        const double left = few ? m_lineRects[i].left() : m_lineRects[i].center().x() - need / 2;
        const double width = few ? m_lineRects[i].width() : need;
        const double x = std::clamp(left, m_left, m_left + m_row - width);
        const double marked = m_lineRects[shown].center().x();
        const bool hidesMarked = i != shown && !few && std::abs(x + width / 2 - marked) < width;
        if (x < free || hidesMarked)
            continue;
        free = x + width;
        m_b.label(QRectF(x, top, width, height), name(i), TextStyle::Caption,
                  i == shown && m_lineRects.size() > 1 ? Role::Text : Role::Text3);
    }
    m_y = top + height;
}

std::uint64_t Picture::detailLine() const
{
    const bool selected = m_state.lane >= 0 && laneActive(*m_t.request, m_state.lane);
    return selected ? m_t.address(m_state.lane) / m_t.trace->lineBytes : m_t.lines.front();
}

/// One line large: the selected lane's, else the first. With a single line the row above already is that picture.
void Picture::detail()
{
    if (m_t.lines.empty())
        return;
    const bool selected = m_state.lane >= 0 && laneActive(*m_t.request, m_state.lane);
    const std::uint64_t number = detailLine();
    QRectF rect(m_left, m_linesTop, m_row, m_linesBottom - m_linesTop);
    if (m_t.lines.size() > 1) {
        const QRectF& small = m_lineRects[lineIndex(number)];
        const double top = m_y + 2;
        const Role frame = selected ? Role::Series2 : Role::Text2;
        m_b.outline(small.adjusted(-2, -2, 2, 2), frame, 2, 2);
        rect = QRectF(m_left - kLaneGap / 2, top + 16, m_row + kLaneGap, 40);
        // The lens opens below the labels, so that no line crosses a word.
        const double middle = small.center().x();
        m_b.link({middle, m_linesBottom + 2}, {middle, m_linesBottom + 7}, frame, 2);
        for (const double corner : {rect.left(), rect.right()})
            m_b.link({middle, top}, {corner, rect.top() - 1}, frame, 1, 0.7);
        line(number, rect, true);
        m_y = rect.bottom();
    }
    ruler(number, rect);
}

void Picture::ruler(std::uint64_t number, QRectF rect)
{
    const std::uint64_t perLine = m_t.trace->lineBytes / m_t.trace->sectorBytes;
    const double width = rect.width() / static_cast<double>(perLine);
    const double top = m_t.lines.size() > 1 ? rect.bottom() + space::xs : m_y;
    for (std::uint64_t i = 0; i < perLine; ++i) {
        const std::uint64_t address = number * m_t.trace->lineBytes + i * m_t.trace->sectorBytes;
        const QString text = i == 0 ? addressText(*m_t.trace, MemorySpace::Global, address)
                                    : QStringLiteral("+ %1 B").arg(i * m_t.trace->sectorBytes);
        m_b.label(QRectF(rect.left() + width * static_cast<double>(i), top, width, m_b.text(16)), text,
                  TextStyle::Caption, i == 0 ? Role::Text : Role::Text3, Qt::AlignLeft | Qt::AlignVCenter);
    }
    m_y = top + m_b.text(16) + space::m;
}

QString Picture::sentence() const
{
    const bool selected = m_state.lane >= 0 && m_state.lane < kWarpSize;
    return selected ? laneText(m_t, m_state.lane) : tr("arrow keys choose a lane");
}

QList<SceneBuilder::Key> Picture::keys()
{
    return {{SceneBuilder::Look::Fill, Role::Series1, tr("used")},
            {SceneBuilder::Look::Hatch, Role::Text3, tr("fetched, not used")},
            {SceneBuilder::Look::Outline, Role::BorderStrong, tr("not fetched")}};
}

void Picture::footer()
{
    const double height = m_b.footerHeight(m_row, keys(), sentence());
    m_y = std::max(m_y, m_b.bottom() - height); // stands still while the picture above it changes
    m_b.footer({m_left, m_y}, m_row, keys(), sentence(), m_state.lane >= 0 ? Role::Text : Role::Text3);
    m_y += height;
}

class LanesSectors : public Scene {
public:
    QString id() const override { return QStringLiteral("lanes_sectors"); }
    QString title() const override { return tr("Lanes and sectors"); }
    bool supports(const SceneFrame& frame) const override { return hasRequests(frame, MemorySpace::Global); }

    SceneDrawing draw(const std::vector<SceneFrame>& frames, const SceneState& state, QSizeF size,
                      double textScale) const override
    {
        SceneBuilder builder(size, textScale);
        const SceneFrame* frame = shownFrame(frames, state);
        const MemoryRequest* request = shownRequest(frames, state);
        if (!request)
            return builder.empty(
                tr("The 32 lanes of a warp and the memory they fetch appear here once the experiment has run."));
        const Traffic traffic = trafficOf(frame->trace, *request, state.progress);
        const double used = Picture(traffic, state, builder).draw();
        return builder.finish(summary(*frame, traffic), used + SceneBuilder::kMargin);
    }

    std::size_t steps(const std::vector<SceneFrame>& frames, const SceneState& state) const override
    {
        const MemoryRequest* request = shownRequest(frames, state);
        return request ? gpu::touchedGranules(*request, shownFrame(frames, state)->trace.sectorBytes).size() : 0;
    }

    double preferredHeight(const std::vector<SceneFrame>&, double textScale) const override
    {
        return 240 + (170 + (textScale > 1.25 ? 52 : 0)) * textScale; // large words wrap
    }

    std::vector<QStringList> table(const std::vector<SceneFrame>& frames, const SceneState& state) const override
    {
        std::vector<QStringList> rows = {{tr("Lane"), tr("Address"), tr("Bytes"), tr("Line"), tr("Sector")}};
        const MemoryRequest* request = shownRequest(frames, state);
        if (!request)
            return rows;
        const MemoryTrace& trace = shownFrame(frames, state)->trace;
        for (int lane = 0; lane < kWarpSize; ++lane) {
            if (!laneActive(*request, lane)) {
                rows.push_back({QString::number(lane), tr("inactive"), QStringLiteral("0"), {}, {}});
                continue;
            }
            const std::uint64_t address = request->addresses[static_cast<std::size_t>(lane)];
            rows.push_back({QString::number(lane), addressText(trace, MemorySpace::Global, address),
                            QString::number(request->accessBytes),
                            QString::number(granuleInBuffer(trace, address / trace.lineBytes, trace.lineBytes)),
                            QString::number(granuleInBuffer(trace, address / trace.sectorBytes, trace.sectorBytes))});
        }
        return rows;
    }

private:
    static QString summary(const SceneFrame& frame, const Traffic& t)
    {
        const QString lines = t.lines.size() == 1 ? tr("1 line") : tr("%1 lines").arg(t.lines.size());
        const QString sectors = t.sectors.size() == 1 ? tr("1 sector") : tr("%1 sectors").arg(t.sectors.size());
        return headText(frame) +
               tr("%1 lanes (%2) fetch %3 in %4 and use %5 of %6 bytes, %7.")
                   .arg(activeLanes(*t.request))
                   .arg(operationText(*t.request), sectors, lines)
                   .arg(t.usedBytes)
                   .arg(t.movedBytes)
                   .arg(percentText(static_cast<double>(t.usedBytes), static_cast<double>(t.movedBytes)));
    }
};

} // namespace

std::unique_ptr<Scene> makeLanesSectorsScene()
{
    return std::make_unique<LanesSectors>();
}

} // namespace ridge::app
