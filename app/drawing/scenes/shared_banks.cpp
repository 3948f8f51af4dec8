// SPDX-License-Identifier: GPL-3.0-or-later
// Shared memory: which bank each lane's word lies in, and how many passes (wavefronts) the 32 banks need.
//
// Passes run downwards below the banks, so a conflict hangs down as a long column and a conflict-free request is one
// row. 8- and 16-byte accesses are served in two or four phases; each phase starts a new group of rows.
#include "app/drawing/scenes/scene_builder.h"
#include "app/drawing/scenes/scene_text.h"
#include "app/drawing/scenes/warp_access.h"
#include "gpu/access.h"

#include <QCoreApplication>
#include <algorithm>
#include <bit>
#include <cmath>

namespace ridge::app {
namespace {

constexpr double kGap = 2;
constexpr double kPhaseGap = 10;

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::SharedBanks", text);
}

/// One word served in one pass, with all lanes that share it.
struct Cell {
    std::uint32_t pass = 0;
    std::uint32_t bank = 0;
    std::uint64_t word = 0;
    std::uint32_t lanes = 0; ///< mask
};

struct Service {
    const MemoryTrace* trace = nullptr;
    const MemoryRequest* request = nullptr;
    gpu::BankService banks;
    std::vector<Cell> cells;      ///< by pass, then bank
    std::vector<int> phaseOfPass; ///< for each wavefront
    std::uint32_t busiest = 0;    ///< most cells in one bank and phase
    std::uint32_t busiestBank = 0;
    bool shared = false; ///< some word goes to several lanes
    std::size_t served = 0;

    std::uint32_t passOf(int lane) const { return banks.wavefrontOfLane[static_cast<std::size_t>(lane)]; }
    std::uint64_t firstWord(int lane) const
    {
        return request->addresses[static_cast<std::size_t>(lane)] / trace->bankBytes;
    }
    std::uint64_t lastWord(int lane) const
    {
        return (request->addresses[static_cast<std::size_t>(lane)] + request->accessBytes - 1) / trace->bankBytes;
    }
    int phases() const { return phaseOfPass.empty() ? 0 : phaseOfPass.back() + 1; }
};

int lanesPerPhase(const MemoryRequest& request)
{
    return request.accessBytes <= 4 ? kWarpSize : request.accessBytes == 8 ? kWarpSize / 2 : kWarpSize / 4;
}

void collectCells(Service& s)
{
    for (int lane = 0; lane < kWarpSize; ++lane) {
        if (!laneActive(*s.request, lane))
            continue;
        for (std::uint64_t word = s.firstWord(lane); word <= s.lastWord(lane); ++word) {
            const std::uint32_t pass = s.passOf(lane);
            const auto same = std::find_if(s.cells.begin(), s.cells.end(),
                                           [&](const Cell& c) { return c.pass == pass && c.word == word; });
            if (same != s.cells.end())
                same->lanes |= 1U << lane;
            else
                s.cells.push_back({pass, static_cast<std::uint32_t>(word % s.trace->banks), word, 1U << lane});
        }
    }
    std::sort(s.cells.begin(), s.cells.end(), [](const Cell& a, const Cell& b) {
        return std::tie(a.pass, a.bank, a.word) < std::tie(b.pass, b.bank, b.word);
    });
}

Service serviceOf(const MemoryTrace& trace, const MemoryRequest& request, double progress)
{
    Service s;
    s.trace = &trace;
    s.request = &request;
    s.banks = gpu::serveBanks(request, trace.banks, trace.bankBytes);
    collectCells(s);
    s.phaseOfPass.assign(s.banks.wavefronts, 0);
    for (int lane = 0; lane < kWarpSize; ++lane)
        if (laneActive(request, lane))
            s.phaseOfPass[s.passOf(lane)] = lane / lanesPerPhase(request);
    std::map<std::pair<int, std::uint32_t>, std::uint32_t> perBank;
    for (const Cell& cell : s.cells) {
        s.shared = s.shared || std::popcount(cell.lanes) > 1;
        const std::uint32_t count = ++perBank[{s.phaseOfPass[cell.pass], cell.bank}];
        if (count > s.busiest) {
            s.busiest = count;
            s.busiestBank = cell.bank;
        }
    }
    s.served = stepsDone(progress, s.banks.wavefronts);
    return s;
}

QString laneText(const Service& s, int lane)
{
    if (!laneActive(*s.request, lane))
        return tr("lane %1: inactive").arg(lane);
    const std::uint64_t first = s.firstWord(lane) % s.trace->banks;
    const std::uint64_t last = s.lastWord(lane) % s.trace->banks;
    const QString banks = first == last ? tr("bank %1").arg(first) : tr("banks %1 to %2").arg(first).arg(last);
    return tr("lane %1: %2, %3, wavefront %4")
        .arg(lane)
        .arg(addressText(*s.trace, MemorySpace::Shared, s.request->addresses[static_cast<std::size_t>(lane)]), banks)
        .arg(s.passOf(lane) + 1);
}

QString lanesText(std::uint32_t mask)
{
    QStringList names;
    for (int lane = 0; lane < kWarpSize; ++lane)
        if (mask >> lane & 1U)
            names << QString::number(lane);
    return names.size() == 1 ? tr("lane %1").arg(names.front()) : tr("lanes %1").arg(names.join(QStringLiteral(", ")));
}

class Picture {
public:
    Picture(const Service& service, const SceneState& state, SceneBuilder& builder)
        : m_s(service), m_state(state), m_b(builder)
    {
    }
    double draw();

private:
    void counters();
    void lanes();
    void bankHeads();
    void rows();
    void cell(const Cell& cell);
    void cellText(const Cell& cell, QRectF rect);
    void links();
    void footer();
    QString sentence() const;
    QList<SceneBuilder::Key> keys() const;
    double footerHeight() const { return m_b.footerHeight(m_left + m_row - m_edge, keys(), sentence()); }
    QRectF column(std::uint32_t bank, double top, double height) const
    {
        return {m_left + bank * m_pitch, top, m_pitch - kGap, height};
    }
    bool holdsSelected(std::uint32_t mask) const { return m_state.lane >= 0 && (mask >> m_state.lane & 1U); }

    const Service& m_s;
    const SceneState& m_state;
    SceneBuilder& m_b;
    double m_edge = 0, m_left = 0, m_pitch = 20, m_row = 0, m_cell = 18, m_y = 0;
    double m_lanesBottom = 0, m_headTop = 0;
    std::vector<double> m_rowTop;   ///< of each pass
    std::vector<double> m_dividers; ///< between phases
};

double Picture::draw()
{
    const double margin = m_b.textWidth(QStringLiteral("pass 00")) + space::s;
    const auto columns = std::max<std::uint32_t>(kWarpSize, m_s.trace->banks);
    m_pitch = std::max(8.0, std::floor((m_b.width() - margin) / columns));
    m_row = m_pitch * columns - kGap;
    m_edge = m_b.left();
    m_left = m_edge + margin + std::floor(std::max(0.0, (m_b.width() - margin - m_row) / 2));
    m_y = m_b.top();
    counters();
    lanes();
    bankHeads();
    rows();
    links();
    footer();
    return m_y;
}

void Picture::counters()
{
    const bool partial = m_s.served < m_s.banks.wavefronts;
    const QString passes =
        partial ? tr("%1 of %2").arg(m_s.served).arg(m_s.banks.wavefronts) : QString::number(m_s.banks.wavefronts);
    const QString busiest = m_s.busiest > 1 ? tr("conflict, worst in bank %1").arg(m_s.busiestBank)
                            : m_s.shared    ? tr("no conflict: words are shared")
                                            : tr("no bank is asked twice");
    m_y = m_b.counters(
              {m_edge, m_y}, m_left + m_row - m_edge,
              {{QStringLiteral("wavefronts"), passes,
                m_s.banks.wavefronts == 1 ? tr("wavefront for this request") : tr("wavefronts for this request"), 1},
               {QStringLiteral("minimum"), QString::number(m_s.banks.minimumWavefronts), tr("without conflicts"), 1},
               {QStringLiteral("busiest"), tr("%1-way").arg(m_s.busiest), busiest, 1}}) +
          space::l;
}

void Picture::lanes()
{
    QString who =
        tr("warp %1 of block %2: %3").arg(m_s.request->warp).arg(m_s.request->block).arg(operationText(*m_s.request));
    if (lanesPerPhase(*m_s.request) < kWarpSize)
        who += tr(" · served in phases of %1 lanes").arg(lanesPerPhase(*m_s.request));
    m_b.label(QRectF(m_left, m_y, m_row, m_b.text(16)), who, TextStyle::Caption, Role::Text2,
              Qt::AlignLeft | Qt::AlignVCenter);
    m_y += m_b.text(16) + space::xs;
    const double height = m_b.text(22);
    m_b.label(QRectF(m_edge, m_y, m_left - m_edge - space::s, height), tr("lane"), TextStyle::Caption, Role::Text3,
              Qt::AlignRight | Qt::AlignVCenter);
    for (int lane = 0; lane < kWarpSize; ++lane) {
        auto chip = SceneBuilder::Chip::Idle;
        if (laneActive(*m_s.request, lane))
            chip = m_s.passOf(lane) < m_s.served ? SceneBuilder::Chip::Done : SceneBuilder::Chip::Waiting;
        if (lane == m_state.lane)
            chip = SceneBuilder::Chip::Selected;
        m_b.lane(column(static_cast<std::uint32_t>(lane), m_y, height), lane, chip, laneText(m_s, lane));
    }
    m_lanesBottom = m_y + height;
    m_y = m_lanesBottom + 64;
}

void Picture::bankHeads()
{
    m_headTop = m_y;
    const double height = m_b.text(16);
    m_b.label(QRectF(m_edge, m_y, m_left - m_edge - space::s, height), tr("bank"), TextStyle::Caption, Role::Text3,
              Qt::AlignRight | Qt::AlignVCenter);
    for (std::uint32_t bank = 0; bank < m_s.trace->banks; ++bank) {
        const QRectF rect = column(bank, m_y, height);
        const bool used =
            std::any_of(m_s.cells.begin(), m_s.cells.end(), [&](const Cell& c) { return c.bank == bank; });
        if (rect.width() >= m_b.textWidth(QStringLiteral("00"), 11) || bank % 4 == 0)
            m_b.label(rect.adjusted(-6, 0, 6, 0), QString::number(bank), TextStyle::Caption,
                      used ? Role::Text : Role::Text3);
        m_b.item(QStringLiteral("bank.%1").arg(bank), tr("bank %1").arg(bank), rect);
    }
    m_y += height + 2;
}

void Picture::rows()
{
    const std::size_t passes = m_s.banks.wavefronts;
    const double room = m_b.bottom() - m_y - footerHeight() - space::s - kPhaseGap * std::max(0, m_s.phases() - 1);
    m_cell = std::clamp(std::floor(room / static_cast<double>(std::max<std::size_t>(1, passes))), 8.0, m_b.text(22));
    int phase = 0;
    const std::size_t labelEvery =
        m_cell >= m_b.text(14) ? 1 : static_cast<std::size_t>(std::ceil(m_b.text(14) / m_cell));
    const double top = m_y;
    for (std::size_t pass = 0; pass < passes; ++pass) {
        if (m_s.phaseOfPass[pass] != phase) {
            phase = m_s.phaseOfPass[pass];
            m_y += kPhaseGap;
            m_dividers.push_back(m_y - kPhaseGap / 2 - 1);
        }
        m_rowTop.push_back(m_y);
        if (pass % labelEvery == 0)
            m_b.label(QRectF(m_edge, m_y, m_left - m_edge - space::s, m_cell - kGap), tr("pass %1").arg(pass + 1),
                      TextStyle::Caption, pass < m_s.served ? Role::Text2 : Role::Text3,
                      Qt::AlignRight | Qt::AlignVCenter);
        m_y += m_cell;
    }
    // Banks reach down to the foot of the picture whatever the request: what stays empty is what a conflict would cost.
    const double foot = std::max(m_y - kGap, m_b.bottom() - footerHeight() - space::s);
    for (std::uint32_t bank = 0; bank < m_s.trace->banks; ++bank)
        m_b.fill(column(bank, top, foot - top), Role::Surface2, 1, 2);
    for (const double divider : m_dividers)
        m_b.fill(QRectF(m_edge, std::round(divider), m_left + m_row - m_edge, 1), Role::BorderStrong);
    for (const Cell& c : m_s.cells)
        cell(c);
    m_y = foot + space::s;
}

void Picture::cell(const Cell& cell)
{
    const QRectF rect = column(cell.bank, m_rowTop[cell.pass], m_cell - kGap);
    const bool selected = holdsSelected(cell.lanes);
    const bool served = cell.pass < m_s.served;
    const bool firstOfPhase = cell.pass == 0 || m_s.phaseOfPass[cell.pass - 1] != m_s.phaseOfPass[cell.pass];
    const Role role = selected ? Role::Series2 : firstOfPhase ? Role::Series1 : Role::Error;
    m_b.fill(rect, Role::Surface, 1, 2);
    if (served)
        m_b.fill(rect, role, selected ? 0.4 : firstOfPhase ? 0.25 : 0.3, 2);
    m_b.outline(rect, served || selected ? role : Role::BorderStrong, selected ? 2 : 1, 2);
    const int sharing = std::popcount(cell.lanes);
    if (sharing > 1)
        m_b.fill(QRectF(rect.left() + 2, rect.bottom() - 3, rect.width() - 4, 2), served ? role : Role::BorderStrong);
    if (m_cell >= m_b.text(15))
        cellText(cell, rect);
    m_b.item(QStringLiteral("cell.%1.%2").arg(cell.pass + 1).arg(cell.bank),
             tr("bank %1, wavefront %2: word %3 for %4")
                 .arg(cell.bank)
                 .arg(cell.pass + 1)
                 .arg(cell.word)
                 .arg(lanesText(cell.lanes)),
             rect);
}

void Picture::cellText(const Cell& cell, QRectF rect)
{
    const int sharing = std::popcount(cell.lanes);
    const QString text =
        sharing == 1 ? QString::number(std::countr_zero(cell.lanes)) : QStringLiteral("×%1").arg(sharing);
    if (m_b.textWidth(text, 11) <= rect.width() + 2)
        return m_b.label(rect.adjusted(-4, 0, 4, 0), text, TextStyle::Caption, Role::Text);
    const bool free = std::none_of(m_s.cells.begin(), m_s.cells.end(), [&](const Cell& other) {
        return other.pass == cell.pass && other.bank == cell.bank + 1;
    });
    if (free)
        m_b.label(rect.translated(rect.width() + 4, 0), text, TextStyle::Caption, Role::Text,
                  Qt::AlignLeft | Qt::AlignVCenter);
}

void Picture::links()
{
    for (int lane = 0; lane < kWarpSize; ++lane) {
        if (!laneActive(*m_s.request, lane))
            continue;
        const bool selected = lane == m_state.lane;
        const bool served = m_s.passOf(lane) < m_s.served;
        const auto first = static_cast<std::uint32_t>(m_s.firstWord(lane) % m_s.trace->banks);
        const auto last = static_cast<std::uint32_t>(m_s.lastWord(lane) % m_s.trace->banks);
        const QPointF from(column(static_cast<std::uint32_t>(lane), 0, 0).center().x(), m_lanesBottom + 2);
        const QPointF to((column(first, 0, 0).center().x() + column(std::max(first, last), 0, 0).center().x()) / 2,
                         m_headTop - 2);
        m_b.link(from, to,
                 selected ? Role::Series2
                 : served ? Role::Series1
                          : Role::BorderStrong,
                 selected ? 2.5 : 1.25,
                 selected ? 1
                 : served ? 0.7
                          : 0.35);
    }
}

QString Picture::sentence() const
{
    const bool selected = m_state.lane >= 0 && m_state.lane < kWarpSize;
    return selected ? laneText(m_s, m_state.lane) : tr("arrow keys choose a lane");
}

QList<SceneBuilder::Key> Picture::keys() const
{
    QList<SceneBuilder::Key> list = {{SceneBuilder::Look::Tint, Role::Series1, tr("first pass")},
                                     {SceneBuilder::Look::Tint, Role::Error, tr("extra pass: conflict")}};
    if (m_s.shared)
        list.append({SceneBuilder::Look::Outline, Role::BorderStrong, tr("×n: one word for n lanes")});
    return list;
}

void Picture::footer()
{
    m_b.footer({m_edge, m_y}, m_left + m_row - m_edge, keys(), sentence(),
               m_state.lane >= 0 ? Role::Text : Role::Text3);
    m_y += footerHeight();
}

class SharedBanks : public Scene {
public:
    QString id() const override { return QStringLiteral("shared_banks"); }
    QString title() const override { return tr("Shared-memory banks"); }
    bool supports(const SceneFrame& frame) const override { return hasRequests(frame, MemorySpace::Shared); }

    SceneDrawing draw(const std::vector<SceneFrame>& frames, const SceneState& state, QSizeF size,
                      double textScale) const override
    {
        SceneBuilder builder(size, textScale);
        const SceneFrame* frame = shownFrame(frames, state);
        const MemoryRequest* request = shownRequest(frames, state);
        if (!request)
            return builder.empty(tr("The 32 banks and the passes they need appear here once the experiment has run."));
        const Service service = serviceOf(frame->trace, *request, state.progress);
        const double used = Picture(service, state, builder).draw();
        return builder.finish(summary(*frame, service), used + SceneBuilder::kMargin);
    }

    std::size_t steps(const std::vector<SceneFrame>& frames, const SceneState& state) const override
    {
        const MemoryRequest* request = shownRequest(frames, state);
        if (!request)
            return 0;
        const MemoryTrace& trace = shownFrame(frames, state)->trace;
        return gpu::serveBanks(*request, trace.banks, trace.bankBytes).wavefronts;
    }

    double preferredHeight(const std::vector<SceneFrame>& frames, double textScale) const override
    {
        std::uint32_t most = 4;
        for (const SceneFrame& frame : frames)
            for (const MemoryRequest& request : frame.trace.requests)
                most = std::max(most, gpu::serveBanks(request, frame.trace.banks, frame.trace.bankBytes).wavefronts);
        const double cell = most > 16 ? 9 : most > 8 ? 16 : 20;
        return 130 + (130 + (textScale > 1.25 ? 52 : 0)) * textScale +
               std::max(4U, std::min(most, 32U)) * cell * (most > 16 ? 1 : textScale);
    }

    std::vector<QStringList> table(const std::vector<SceneFrame>& frames, const SceneState& state) const override
    {
        std::vector<QStringList> rows = {{tr("Lane"), tr("Offset"), tr("Bytes"), tr("Bank"), tr("Wavefront")}};
        const MemoryRequest* request = shownRequest(frames, state);
        if (!request)
            return rows;
        const Service s = serviceOf(shownFrame(frames, state)->trace, *request, 1);
        for (int lane = 0; lane < kWarpSize; ++lane) {
            if (!laneActive(*request, lane)) {
                rows.push_back({QString::number(lane), tr("inactive"), QStringLiteral("0"), {}, {}});
                continue;
            }
            const std::uint64_t first = s.firstWord(lane) % s.trace->banks;
            const std::uint64_t last = s.lastWord(lane) % s.trace->banks;
            rows.push_back(
                {QString::number(lane),
                 addressText(*s.trace, MemorySpace::Shared, request->addresses[static_cast<std::size_t>(lane)]),
                 QString::number(request->accessBytes),
                 first == last ? QString::number(first) : QStringLiteral("%1–%2").arg(first).arg(last),
                 QString::number(s.passOf(lane) + 1)});
        }
        return rows;
    }

private:
    static QString summary(const SceneFrame& frame, const Service& s)
    {
        const QString passes =
            s.banks.wavefronts == 1 ? tr("1 wavefront") : tr("%1 wavefronts").arg(s.banks.wavefronts);
        const QString conflict = s.busiest > 1
                                     ? tr("a %1-way conflict, worst in bank %2").arg(s.busiest).arg(s.busiestBank)
                                     : tr("no conflict");
        return headText(frame) + tr("%1 lanes (%2) need %3, at least %4 without conflicts: %5.")
                                     .arg(activeLanes(*s.request))
                                     .arg(operationText(*s.request), passes)
                                     .arg(s.banks.minimumWavefronts)
                                     .arg(conflict);
    }
};

} // namespace

std::unique_ptr<Scene> makeSharedBanksScene()
{
    return std::make_unique<SharedBanks>();
}

} // namespace ridge::app
