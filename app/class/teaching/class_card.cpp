// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/teaching/class_card.h"

#include "app/class/teaching/drop_field.h"

#include <QDateTime>
#include <QDropEvent>
#include <QLocale>
#include <QMimeData>
#include <QPainter>
#include <algorithm>

namespace ridge::app {
namespace {

constexpr int kBar = 6;

QString words(const std::string& value)
{
    return QString::fromStdString(value);
}

} // namespace

QString deadlineText(const std::string& iso)
{
    if (iso.empty())
        return QObject::tr("no deadline");
    const QDateTime time = QDateTime::fromString(words(iso), Qt::ISODateWithMs).toLocalTime();
    return QObject::tr("due %1").arg(QLocale().toString(time, QStringLiteral("ddd d MMM yyyy, HH:mm")));
}

ClassCard::ClassCard(Theme& theme, ClassHead head, QWidget* parent)
    : QAbstractButton(parent), m_theme(theme), m_head(std::move(head))
{
    setObjectName(QStringLiteral("class-") + words(m_head.slug));
    setText(words(m_head.title));
    setAccessibleName(QStringLiteral("%1. %2. %3").arg(words(m_head.title), about(), count()));
    setAccessibleDescription(tr("Opens the class; submissions dropped on it are collected"));
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    setAcceptDrops(!m_head.trouble);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&theme, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

QString ClassCard::about() const
{
    if (m_head.trouble)
        return tr("Cannot be opened: %1").arg(words(m_head.trouble->message));
    if (m_head.assignments == 0)
        return tr("No assignment yet");
    QString said = QStringLiteral("%1 · %2").arg(words(m_head.newest), deadlineText(m_head.deadline));
    if (m_head.assignments > 1)
        said += tr(" · %1 assignments").arg(m_head.assignments);
    return said;
}

QString ClassCard::count() const
{
    if (m_head.trouble)
        return words(m_head.trouble->fix);
    return m_head.people > 0
               ? tr("%1 of %2 handed in").arg(m_head.handedIn).arg(std::max(m_head.people, m_head.handedIn))
               : tr("%1 handed in").arg(m_head.handedIn);
}

QSize ClassCard::sizeHint() const
{
    const int lines = m_theme.lineHeight(TextStyle::ReadH3) + m_theme.lineHeight(TextStyle::Body) +
                      m_theme.lineHeight(TextStyle::Caption);
    return {m_theme.scaled(320), lines + m_theme.scaled(kBar) + 2 * space::l + 2 * space::s + space::xs};
}

QSize ClassCard::minimumSizeHint() const
{
    return {m_theme.scaled(160), sizeHint().height()};
}

void ClassCard::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_theme.color(m_over         ? Role::Accent
                                      : underMouse() ? Role::BorderStrong
                                                     : Role::Border),
                        m_over ? 2 : 1));
    painter.setBrush(m_theme.color(m_over ? Role::Selection : isDown() ? Role::Surface2 : Role::Surface));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), kCardRadius, kCardRadius);
    QRectF area = QRectF(rect()).adjusted(space::l, space::l, -space::l, -space::l);
    const auto line = [&](TextStyle style, Role role, const QString& what) {
        painter.setFont(m_theme.font(style));
        painter.setPen(m_theme.color(role));
        const int height = m_theme.lineHeight(style);
        painter.drawText(QRectF(area.left(), area.top(), area.width(), height), Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(what, Qt::ElideRight, int(area.width())));
        area.setTop(area.top() + height);
    };
    line(TextStyle::ReadH3, Role::Text, words(m_head.title));
    area.setTop(area.top() + space::xs);
    line(TextStyle::Body, m_head.trouble ? Role::Error : Role::Text2, about());
    area.setTop(area.top() + space::s);
    const QRectF bar(area.left(), area.top(), area.width(), m_theme.scaled(kBar));
    if (!m_head.trouble) {
        const double share = double(m_head.handedIn) / std::max({1, m_head.people, m_head.handedIn});
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_theme.color(Role::Border));
        painter.drawRoundedRect(bar, bar.height() / 2, bar.height() / 2);
        if (share > 0) {
            painter.setBrush(m_theme.color(Role::Accent));
            painter.drawRoundedRect(
                QRectF(bar.left(), bar.top(), std::max(bar.height(), bar.width() * share), bar.height()),
                bar.height() / 2, bar.height() / 2);
        }
        area.setTop(bar.bottom() + space::s);
    }
    line(TextStyle::Caption, Role::Text3, count());
}

void ClassCard::dragEnterEvent(QDragEnterEvent* event)
{
    const QStringList paths = droppedPaths(*event->mimeData());
    if (paths.isEmpty() || !std::all_of(paths.begin(), paths.end(), isSubmissionPath))
        return;
    m_over = true;
    update();
    event->acceptProposedAction();
}

void ClassCard::dragLeaveEvent(QDragLeaveEvent*)
{
    m_over = false;
    update();
}

void ClassCard::dropEvent(QDropEvent* event)
{
    m_over = false;
    update();
    event->acceptProposedAction();
    Q_EMIT dropped(droppedPaths(*event->mimeData()));
}

} // namespace ridge::app

#include "moc_class_card.cpp"
