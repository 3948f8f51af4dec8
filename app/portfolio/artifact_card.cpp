// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/portfolio/artifact_card.h"

#include "app/drawing/charts/prediction_mark.h"
#include "app/theme/kept_units.h"
#include "app/ui/panels.h"
#include "base/units.h"

#include <QApplication>
#include <QMouseEvent>
#include <QPainter>
#include <QTextLayout>
#include <cmath>

namespace ridge::app {
namespace {

constexpr int kMarkHeight = 44;
constexpr int kTitleLines = 2, kClaimLines = 6;

/// At most `most` lines, the last one elided.
QStringList wrapped(const QFont& font, const QString& text, double width, int most)
{
    QStringList lines;
    QTextLayout layout(text, font);
    layout.beginLayout();
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(width);
        const bool cut = lines.size() == most - 1 && line.textStart() + line.textLength() < text.size();
        lines << (cut ? QFontMetricsF(font).elidedText(text.mid(line.textStart()), Qt::ElideRight, width)
                      : text.mid(line.textStart(), line.textLength()).trimmed());
        if (lines.size() == most)
            break;
    }
    layout.endLayout();
    return lines;
}

double heightOf(const QFont& font, const QStringList& lines)
{
    return lines.size() * (QFontMetricsF(font).lineSpacing() + 1);
}

/// Gives the height that they took.
double draw(QPainter& painter, const QRectF& area, const QStringList& lines)
{
    const QFontMetricsF metrics(painter.font());
    double y = area.top();
    for (const QString& line : lines) {
        painter.drawText(QRectF(area.left(), y, area.width(), metrics.height()), Qt::AlignLeft | Qt::AlignVCenter,
                         line);
        y += metrics.lineSpacing() + 1;
    }
    return y - area.top();
}

} // namespace

std::optional<ArtifactCard::Mark> markOf(const ArtifactBundle& bundle)
{
    if (bundle.predictions.empty())
        return {};
    // The first that has a result: a diamond alone compares nothing.
    const record::PredictionRow* shown = nullptr;
    const record::RunRow* run = nullptr;
    for (const record::PredictionRow& prediction : bundle.predictions) {
        run = bundle.predictionHeld.isEmpty() ? answerTo(prediction, bundle.runs) : nullptr;
        if (run || !shown)
            shown = &prediction;
        if (run)
            break;
    }
    if (!run && !(shown->low < shown->high))
        return {}; // one dot, and nothing that it could be held against
    ArtifactCard::Mark mark{shown->point, shown->low, shown->high, {}, QString::fromStdString(shown->unit)};
    if (run)
        mark.result = run->metrics.at(shown->metric).value;
    return mark;
}

ArtifactCard::ArtifactCard(Theme& theme, const record::ArtifactRow& row, std::optional<Mark> mark, QWidget* parent)
    : QAbstractButton(parent), m_theme(theme), m_row(row), m_mark(std::move(mark))
{
    setText(QString::fromStdString(row.title));
    QString said = QString::fromStdString(row.title + ". " + row.claim);
    if (m_mark)
        said += m_mark->result ? tr(" Predicted %1, result %2.").arg(m_mark->point).arg(*m_mark->result)
                               : tr(" Predicted %1.").arg(m_mark->point);
    setAccessibleName(said);
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    QSizePolicy fills(QSizePolicy::Expanding, QSizePolicy::Preferred);
    fills.setHeightForWidth(true);
    setSizePolicy(fills);
    connect(&theme, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

QSize ArtifactCard::sizeHint() const
{
    const int width = m_theme.scaled(kWidth);
    return {width, heightForWidth(width)};
}

int ArtifactCard::heightForWidth(int width) const
{
    const double room = width - 2 * space::l;
    const QFont title = m_theme.font(TextStyle::Strong), body = m_theme.font(TextStyle::Body);
    return static_cast<int>(
        std::ceil(2 * space::l + headingHeight() + heightOf(title, wrapped(title, text(), room, kTitleLines)) +
                  space::s + (m_mark ? m_theme.scaled(kMarkHeight) + space::s : 0) +
                  heightOf(body, wrapped(body, keptUnits(QString::fromStdString(m_row.claim)), room, kClaimLines)) +
                  space::m + m_theme.lineHeight(TextStyle::Caption)));
}

void ArtifactCard::setHeading(const QString& heading)
{
    m_heading = heading;
    updateGeometry();
    update();
}

int ArtifactCard::headingHeight() const
{
    return m_heading.isEmpty() ? 0 : m_theme.lineHeight(TextStyle::Caption) + space::xs;
}

void ArtifactCard::mousePressEvent(QMouseEvent* event)
{
    QAbstractButton::mousePressEvent(event);
    if (event->button() == Qt::LeftButton)
        m_pressedAt = event->position().toPoint();
}

void ArtifactCard::mouseMoveEvent(QMouseEvent* event)
{
    if (!m_pressedAt || !event->buttons().testFlag(Qt::LeftButton) ||
        (event->position().toPoint() - *m_pressedAt).manhattanLength() < QApplication::startDragDistance())
        return QAbstractButton::mouseMoveEvent(event);
    m_pressedAt.reset();
    setDown(false); // pulled away, it is not opened
    Q_EMIT pulled();
}

void ArtifactCard::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_theme.color(underMouse() ? Role::BorderStrong : Role::Border), 1));
    painter.setBrush(m_theme.color(isDown() ? Role::Surface2 : Role::Surface));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), kCardRadius, kCardRadius);

    QRectF area = QRectF(rect()).adjusted(space::l, space::l, -space::l, -space::l);
    if (!m_heading.isEmpty()) {
        painter.setFont(m_theme.font(TextStyle::Caption));
        painter.setPen(m_theme.color(Role::Text3));
        painter.drawText(area, Qt::AlignLeft | Qt::AlignTop, m_heading);
        area.setTop(area.top() + headingHeight());
    }
    painter.setFont(m_theme.font(TextStyle::Strong));
    painter.setPen(m_theme.color(Role::Text));
    area.setTop(area.top() + draw(painter, area, wrapped(painter.font(), text(), area.width(), kTitleLines)) +
                space::s);
    if (m_mark) {
        const double mark = m_theme.scaled(kMarkHeight);
        paintMark(painter, QRectF(area.left(), area.top(), area.width(), mark));
        area.setTop(area.top() + mark + space::s);
    }

    const int caption = m_theme.lineHeight(TextStyle::Caption);
    painter.setFont(m_theme.font(TextStyle::Body));
    painter.setPen(m_theme.color(Role::Text2));
    draw(painter, area,
         wrapped(painter.font(), keptUnits(QString::fromStdString(m_row.claim)), area.width(), kClaimLines));

    const QRectF foot(area.left(), rect().bottom() - space::l - caption, area.width(), caption);
    painter.setFont(m_theme.font(TextStyle::Caption));
    painter.setPen(m_theme.color(Role::Text3));
    const auto label = shortLabel(m_row.provenance);
    painter.drawText(
        foot, Qt::AlignLeft | Qt::AlignVCenter,
        QStringLiteral("%1 · %2").arg(QString::fromLatin1(label.data(), static_cast<qsizetype>(label.size())),
                                      QString::fromStdString(m_row.trust)));
    painter.drawText(foot, Qt::AlignRight | Qt::AlignVCenter, readableTime(m_row.createdAt));
}

void ArtifactCard::paintMark(QPainter& painter, const QRectF& area) const
{
    double low = std::min(m_mark->low, m_mark->point);
    double high = std::max(m_mark->high, m_mark->point);
    if (m_mark->result) {
        low = std::min(low, *m_mark->result);
        high = std::max(high, *m_mark->result);
    }
    const bool log = low > 0;
    const auto scale = [log](double v) { return log ? std::log2(v) : v; };
    const double span = std::max(scale(high) - scale(low), 1e-9);
    const double inset = m_theme.scaled(28);
    const auto x = [&](double v) {
        return area.left() + inset + (scale(v) - scale(low)) / span * (area.width() - 2 * inset);
    };
    const double y = area.top() + m_theme.scaled(12);
    const double size = m_theme.scaled(12);
    painter.setPen(QPen(m_theme.color(Role::BorderStrong), 1));
    painter.drawLine(QPointF(x(m_mark->low), y), QPointF(x(m_mark->high), y));
    for (const double end : {m_mark->low, m_mark->high})
        painter.drawLine(QPointF(x(end), y - 4), QPointF(x(end), y + 4));
    painter.setFont(m_theme.font(TextStyle::Caption));
    const auto words = [&](double value) {
        return QString::fromStdString(formatQuantity(value, m_mark->unit.toStdString()));
    };
    // Below its mark, as far as the card's edges let it.
    const auto place = [&](double value) {
        const double width = QFontMetricsF(painter.font()).horizontalAdvance(words(value)) + 4;
        const double left = std::clamp(x(value) - width / 2, area.left(), std::max(area.left(), area.right() - width));
        return QRectF(left, y + size * 0.8, width, m_theme.lineHeight(TextStyle::Caption));
    };
    const auto label = [&](double value, Role role) {
        painter.setPen(m_theme.color(role));
        painter.drawText(place(value), Qt::AlignCenter, words(value));
    };
    if (m_mark->result) {
        painter.setPen(QPen(m_theme.color(Role::Text), 1.5));
        painter.drawLine(QPointF(x(m_mark->point), y), QPointF(x(*m_mark->result), y));
    }
    painter.setBackground(m_theme.color(Role::Surface));
    paintDiamond(painter, {x(m_mark->point), y}, size, m_theme.color(Role::Text));
    if (m_mark->result) {
        paintResult(painter, {x(*m_mark->result), y}, size * 0.85, m_theme.color(Role::Accent), m_row.provenance);
        // Where both numbers would overlap, the result is the one worth reading.
        if (!place(m_mark->point).intersects(place(*m_mark->result)))
            label(m_mark->point, Role::Text3);
        label(*m_mark->result, Role::Text);
    } else {
        label(m_mark->point, Role::Text3);
    }
}

} // namespace ridge::app

#include "moc_artifact_card.cpp"
