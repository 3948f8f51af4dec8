// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/rail.h"

#include "app/ui/icons.h"

#include <QPainter>
#include <QVBoxLayout>

namespace ridge::app {

RailButton::RailButton(Theme& theme, const QString& icon, const QString& text, const QString& help, QWidget* parent)
    : QAbstractButton(parent), m_theme(theme), m_icon(icon)
{
    setText(text);
    setCheckable(true);
    setAutoExclusive(true);
    setAccessibleName(text);
    setAccessibleDescription(help);
    setToolTip(help);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(&theme, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

QSize RailButton::sizeHint() const
{
    return {m_theme.scaled(76), m_theme.scaled(60)};
}

void RailButton::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF pill = QRectF(rect()).adjusted(space::s, space::xs, -space::s, -space::xs);
    if (isChecked() || underMouse()) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(m_theme.color(isChecked() ? Role::Selection : Role::Surface2));
        painter.drawRoundedRect(pill, kCardRadius, kCardRadius);
    }
    const QColor ink = m_theme.color(isChecked() ? Role::Text : Role::Text2);
    if (isChecked())
        painter.fillRect(QRectF(0, pill.top() + space::s, 3, pill.height() - 2 * space::s),
                         m_theme.color(Role::Accent));
    const int size = m_theme.scaled(20);
    const QPixmap icon = iconPixmap(m_icon, ink, size, devicePixelRatioF());
    const int caption = m_theme.lineHeight(TextStyle::Caption);
    const double top = pill.center().y() - (size + 2 + caption) / 2.0;
    painter.drawPixmap(QPointF(width() / 2.0 - size / 2.0, top), icon);
    painter.setPen(ink);
    QFont font = m_theme.font(TextStyle::Caption);
    font.setWeight(isChecked() ? QFont::DemiBold : QFont::Normal);
    painter.setFont(font);
    painter.drawText(QRectF(0, top + size + 2, width(), caption), Qt::AlignCenter, text());
}

Rail::Rail(Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme)
{
    setAccessibleName(tr("Destinations"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, space::s, 1, space::s);
    column->setSpacing(0);
    column->addStretch(1);
    connect(&theme, &Theme::changed, this, [this] { update(); });
}

void Rail::addDestination(const QString& page, const QString& icon, const QString& text, const QString& help)
{
    auto* button = new RailButton(m_theme, icon, text, help);
    auto* column = static_cast<QVBoxLayout*>(layout());
    column->insertWidget(column->count() - 1, button);
    m_buttons.insert(page, button);
    connect(button, &RailButton::clicked, this, [this, page] { Q_EMIT chosen(page); });
}

void Rail::setShown(const QString& page, bool shown)
{
    if (RailButton* const button = m_buttons.value(page))
        button->setVisible(shown);
}

bool Rail::isShown(const QString& page) const
{
    const RailButton* const button = m_buttons.value(page);
    return button && !button->isHidden();
}

void Rail::setCurrent(const QString& page)
{
    RailButton* const button = m_buttons.value(page);
    if (!button)
        return;
    button->setChecked(true);
    // Qt leaves Tab with the button of the group that had the focus last, which need not be the one that is shown.
    for (RailButton* each : std::as_const(m_buttons))
        each->setFocusPolicy(each == button ? Qt::StrongFocus : Qt::ClickFocus);
    m_current = button;
}

void Rail::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(width() - 1, 0, 1, height(), m_theme.color(Role::Border));
}

} // namespace ridge::app

#include "moc_rail.cpp"
