// SPDX-License-Identifier: GPL-3.0-or-later
// Tensor-core fragments: which lane holds which elements of A, B and C in one mma.sync. B stands above C and A beside
// it, as on paper, so that the chosen lane's rows and columns cross where its results lie.
#include "app/drawing/scenes/fragment_shape.h"

#include "app/drawing/scenes/launch_view.h"
#include "app/drawing/scenes/scene_builder.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace ridge::app {
namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("ridge::app::Fragments", text);
}

QString shapeName(MmaShape shape)
{
    const std::string_view name = nameOf(shape);
    return QString::fromLatin1(name.data(), static_cast<qsizetype>(name.size()));
}

QChar letterOf(MmaMatrix matrix)
{
    return QLatin1Char(matrix == MmaMatrix::A ? 'A' : matrix == MmaMatrix::B ? 'B' : 'C');
}

/// "a0 = A[3][4], a1 = A[3][5]"
QString holdings(MmaShape shape, MmaMatrix matrix, int lane)
{
    QStringList parts;
    int at = 0;
    for (const MmaPlace& place : fragmentOf(shape, matrix, lane))
        parts << QStringLiteral("%1%2 = %3[%4][%5]")
                     .arg(letterOf(matrix).toLower())
                     .arg(at++)
                     .arg(letterOf(matrix))
                     .arg(place.row)
                     .arg(place.column);
    return parts.join(QStringLiteral(", "));
}

void drawMatrix(SceneBuilder& b, MmaShape shape, MmaMatrix matrix, QPointF topLeft, QSizeF cell, int chosen)
{
    const MmaSize size = sizeOf(shape);
    std::vector<MmaOwner> owners(static_cast<std::size_t>(size.rows(matrix) * size.columns(matrix)));
    for (int lane = 0; lane < 32; ++lane) {
        const std::vector<MmaPlace> places = fragmentOf(shape, matrix, lane);
        for (std::size_t at = 0; at < places.size(); ++at)
            owners[static_cast<std::size_t>(places[at].row * size.columns(matrix) + places[at].column)] = {
                lane, static_cast<int>(at)};
    }
    const bool numbered = cell.width() >= b.textWidth(QStringLiteral("00"), 10) && cell.height() >= b.text(12);
    for (int row = 0; row < size.rows(matrix); ++row)
        for (int column = 0; column < size.columns(matrix); ++column) {
            const MmaOwner owner = owners[static_cast<std::size_t>(row * size.columns(matrix) + column)];
            const QRectF rect(topLeft.x() + column * cell.width(), topLeft.y() + row * cell.height(), cell.width() - 1,
                              cell.height() - 1);
            const bool mine = owner.lane == chosen;
            // Four strengths tell the lanes of a group apart, and neighbouring groups alternate.
            if (mine)
                b.fill(rect, Role::Series2, 0.55, 2);
            else
                b.fill(rect, owner.lane / 4 % 2 == 0 ? Role::Series1 : Role::Series7, 0.12 + 0.1 * (owner.lane % 4), 2);
            if (mine)
                b.outline(rect, Role::Series2, 2, 2);
            if (numbered)
                b.label(rect.adjusted(-4, -2, 4, 2), QString::number(owner.lane), TextStyle::Caption,
                        mine ? Role::Text : Role::Text2);
            b.item(QStringLiteral("%1.%2.%3").arg(letterOf(matrix)).arg(row).arg(column),
                   tr("%1[%2][%3]: lane %4, %5%6")
                       .arg(letterOf(matrix))
                       .arg(row)
                       .arg(column)
                       .arg(owner.lane)
                       .arg(letterOf(matrix).toLower())
                       .arg(owner.element),
                   rect);
        }
}

double drawPicture(MmaShape shape, const SceneState& state, SceneBuilder& b)
{
    const MmaSize size = sizeOf(shape);
    const int lane = std::max(0, state.lane);
    const double left = b.left(), width = b.width(), line = b.text(18);
    double y = b.top();
    b.label(QRectF(left, y, width, b.text(20)), tr("mma.sync %1: D = A·B + C").arg(shapeName(shape)), TextStyle::Strong,
            Role::Text, Qt::AlignLeft | Qt::AlignVCenter);
    y += b.text(26);
    const double below = 3 * line + 2 * space::s;
    const double gap = b.text(26);
    const double room = b.bottom() - y - below - gap - b.text(18);
    const double height = std::clamp(std::floor(room / (size.k + size.m)), 7.0, 26.0);
    const double cell = std::clamp(std::floor((width - gap - 40) / (size.k + size.n)), 8.0, 30.0);
    const QSizeF each(cell, height);
    const double all = cell * (size.k + size.n) + gap;
    const double x = left + std::floor(std::max(0.0, (width - all) / 2)), right = x + cell * size.k + gap;
    const auto name = [&](double at, double top, double room2, const QString& text) {
        b.label(QRectF(at, top, room2, b.text(18)), text, TextStyle::ChartLabel, Role::Text,
                Qt::AlignLeft | Qt::AlignVCenter);
    };
    name(right, y, 200, tr("B  %1 × %2").arg(size.k).arg(size.n));
    drawMatrix(b, shape, MmaMatrix::B, {right, y + b.text(18)}, each, lane);
    const double lower = y + b.text(18) + height * size.k + gap;
    name(x, lower - b.text(20), 200, tr("A  %1 × %2").arg(size.m).arg(size.k));
    name(right, lower - b.text(20), 200, tr("C, D  %1 × %2").arg(size.m).arg(size.n));
    drawMatrix(b, shape, MmaMatrix::A, {x, lower}, each, lane);
    drawMatrix(b, shape, MmaMatrix::C, {right, lower}, each, lane);
    // The 32 lanes fill the corner that paper leaves empty.
    const double chip = std::min(26.0, std::floor((cell * size.k - 4) / 4)),
                 tall = std::min(b.text(20), (lower - b.text(26) - y - b.text(18)) / 8);
    if (chip >= 14 && tall >= 9)
        for (int at = 0; at < 32; ++at)
            b.lane(QRectF(x + at % 4 * (chip + 2), y + b.text(18) + at / 4 * tall, chip, tall - 2), at,
                   at == lane ? SceneBuilder::Chip::Selected : SceneBuilder::Chip::Waiting,
                   tr("lane %1: group %2, place %3").arg(at).arg(at / 4).arg(at % 4));
    y = lower + height * size.m + space::s;
    QStringList said;
    for (const MmaMatrix matrix : {MmaMatrix::A, MmaMatrix::B, MmaMatrix::C})
        said << holdings(shape, matrix, lane);
    const QString words = tr("Lane %1 holds %2.").arg(lane).arg(said.join(QStringLiteral("; ")));
    b.paragraph(QRectF(left, y, width, 3 * line), words, TextStyle::Caption, Role::Text2);
    b.item(QStringLiteral("answer"), words, QRectF(left, y, width, 3 * line));
    return y + 3 * line;
}

class Fragments : public Scene {
public:
    QString id() const override { return QStringLiteral("fragments"); }
    QString title() const override { return tr("Tensor-core fragments"); }
    SceneTracks tracks(const Frames&, const SceneState&) const override { return {}; }
    std::size_t steps(const Frames&, const SceneState&) const override { return 32; }
    bool supports(const SceneFrame& frame) const override { return shapeOf(frame).has_value(); }
    double preferredHeight(const Frames&, double textScale) const override { return 300 + 320 * textScale; }

    /// Lane by lane.
    SceneState stepped(const Frames&, const SceneState& state, int delta) const override
    {
        SceneState next = state;
        next.lane = std::clamp(state.lane + delta, 0, 31);
        next.progress = 1;
        return next;
    }
    SceneState picked(const Frames& frames, const SceneState& state, const SceneItem& item, QPointF at) const override
    {
        const QStringList parts = item.id.split(QLatin1Char('.'));
        const SceneFrame* frame = shownFrame(frames, state);
        if (parts.size() != 3 || !frame)
            return Scene::picked(frames, state, item, at);
        const MmaMatrix matrix = parts[0] == QLatin1String("A")   ? MmaMatrix::A
                                 : parts[0] == QLatin1String("B") ? MmaMatrix::B
                                                                  : MmaMatrix::C;
        SceneState next = state;
        if (const auto shape = shapeOf(*frame))
            next.lane = ownerOf(*shape, matrix, {parts[1].toInt(), parts[2].toInt()}).lane;
        return next;
    }

    SceneDrawing draw(const Frames& frames, const SceneState& state, QSizeF size, double textScale) const override
    {
        SceneBuilder builder(size, textScale);
        const SceneFrame* frame = shownFrame(frames, state);
        const auto shape = frame ? shapeOf(*frame) : std::nullopt;
        if (!shape)
            return builder.empty(tr("This run issued no tensor-core instruction."));
        const double used = drawPicture(*shape, state, builder);
        const std::size_t each = fragmentOf(*shape, MmaMatrix::A, 0).size();
        return builder.finish(tr("In mma.sync %1 each lane holds %2 elements of A, %3 of B and %4 of C.")
                                  .arg(shapeName(*shape))
                                  .arg(each)
                                  .arg(fragmentOf(*shape, MmaMatrix::B, 0).size())
                                  .arg(fragmentOf(*shape, MmaMatrix::C, 0).size()),
                              used + SceneBuilder::kMargin);
    }

    std::vector<QStringList> table(const Frames& frames, const SceneState& state) const override
    {
        std::vector<QStringList> rows = {{tr("Lane"), tr("A"), tr("B"), tr("C and D")}};
        const SceneFrame* frame = shownFrame(frames, state);
        const auto shape = frame ? shapeOf(*frame) : std::nullopt;
        for (int lane = 0; shape && lane < 32; ++lane)
            rows.push_back({QString::number(lane), holdings(*shape, MmaMatrix::A, lane),
                            holdings(*shape, MmaMatrix::B, lane), holdings(*shape, MmaMatrix::C, lane)});
        return rows;
    }
};

} // namespace

std::optional<MmaShape> shapeOf(const SceneFrame& frame)
{
    if (const auto* shape = frame.payloads.get<MmaShape>())
        return *shape;
    const auto* view = frame.payloads.get<LaunchView>();
    if (!view)
        return std::nullopt;
    static const std::pair<std::string_view, MmaShape> names[] = {
        {"HMMA.16816", MmaShape::M16N8K16Half},        {"HMMA.1688.F32.TF32", MmaShape::M16N8K8Tf32},
        {"HMMA.1684.F32.TF32", MmaShape::M16N8K4Tf32}, {"HMMA.1688", MmaShape::M16N8K8Half},
        {"IMMA.16832", MmaShape::M16N8K32Byte},        {"IMMA.16816", MmaShape::M16N8K16Byte},
        {"DMMA.884", MmaShape::M8N8K4Double}};
    for (const TracedInstruction& machine : view->trace().machine)
        for (const auto& [name, shape] : names)
            if (std::string_view(machine.text).substr(0, name.size()) == name)
                return shape;
    return std::nullopt;
}

std::unique_ptr<Scene> makeFragmentsScene()
{
    return std::make_unique<Fragments>();
}

} // namespace ridge::app
