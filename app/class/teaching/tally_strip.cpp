// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/teaching/tally_strip.h"

#include "app/ui/flow_layout.h"

#include <QPainter>

namespace ridge::app {

TallyButton::TallyButton(Theme& theme, const QString& word, Role role, QWidget* parent)
    : QAbstractButton(parent), m_theme(theme), m_role(role)
{
    setText(word);
    setFocusPolicy(Qt::StrongFocus);
    setCursor(Qt::PointingHandCursor);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAccessibleDescription(tr("Lists them"));
    connect(&theme, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
    setCount(0);
}

QString TallyButton::number() const
{
    return m_of < 0 ? QString::number(m_count) : tr("%1 of %2").arg(m_count).arg(m_of);
}

void TallyButton::setCount(int count, int of)
{
    m_count = count;
    m_of = of;
    setAccessibleName(QStringLiteral("%1 %2").arg(number(), text()));
    updateGeometry();
    update();
}

QSize TallyButton::sizeHint() const
{
    const int big = QFontMetrics(m_theme.font(TextStyle::ReadH2)).horizontalAdvance(number());
    const int small = QFontMetrics(m_theme.font(TextStyle::Caption)).horizontalAdvance(text());
    return {std::max({big, small, m_theme.scaled(72)}) + 2 * space::l,
            m_theme.lineHeight(TextStyle::ReadH2) + m_theme.lineHeight(TextStyle::Caption) + 2 * space::s};
}

void TallyButton::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_theme.color(underMouse() ? Role::BorderStrong : Role::Border), 1));
    painter.setBrush(m_theme.color(isDown() ? Role::Surface2 : Role::Surface));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), kCardRadius, kCardRadius);
    QRectF area = QRectF(rect()).adjusted(space::l, space::s, -space::l, -space::s);
    painter.setFont(m_theme.font(TextStyle::ReadH2));
    painter.setPen(m_theme.color(m_count == 0 ? Role::Text3 : m_role));
    const int high = m_theme.lineHeight(TextStyle::ReadH2);
    painter.drawText(QRectF(area.left(), area.top(), area.width(), high), Qt::AlignLeft | Qt::AlignVCenter, number());
    painter.setFont(m_theme.font(TextStyle::Caption));
    painter.setPen(m_theme.color(Role::Text2));
    painter.drawText(QRectF(area.left(), area.top() + high, area.width(), m_theme.lineHeight(TextStyle::Caption)),
                     Qt::AlignLeft | Qt::AlignVCenter, text());
}

TallyStrip::TallyStrip(Theme& theme, QWidget* parent)
    : QWidget(parent), m_in(new TallyButton(theme, tr("handed in"), Role::Text)),
      m_late(new TallyButton(theme, tr("late"), Role::Warn)),
      m_missing(new TallyButton(theme, tr("missing"), Role::Text)),
      m_odd(new TallyButton(theme, tr("odd files"), Role::Error))
{
    setAccessibleName(tr("Hand-ins in four numbers"));
    auto* row = new FlowLayout(this);
    const auto add = [&](TallyButton* button, std::optional<HandIn::State> state) {
        row->addWidget(button);
        connect(button, &TallyButton::clicked, this, [this, state] { Q_EMIT chosen(state); });
    };
    add(m_in, {});
    add(m_late, HandIn::State::Late);
    add(m_missing, HandIn::State::Missing);
    add(m_odd, HandIn::State::Odd);
    m_in->setObjectName(QStringLiteral("tally-in"));
    m_late->setObjectName(QStringLiteral("tally-late"));
    m_missing->setObjectName(QStringLiteral("tally-missing"));
    m_odd->setObjectName(QStringLiteral("tally-odd"));
}

QSize TallyStrip::sizeHint() const
{
    QSize size(-space::s, 0);
    for (const TallyButton* each : {m_in, m_late, m_missing, m_odd}) {
        const QSize one = each->sizeHint();
        size = QSize(size.width() + one.width() + space::s, std::max(size.height(), one.height()));
    }
    return size;
}

void TallyStrip::setState(const ClassState& state)
{
    const int late = state.count(HandIn::State::Late), missing = state.count(HandIn::State::Missing);
    const int in = state.count(HandIn::State::InTime) + late;
    m_in->setCount(in, state.members.empty() ? -1 : in + missing);
    m_late->setCount(late);
    m_missing->setCount(missing);
    m_odd->setCount(state.count(HandIn::State::Odd));
    updateGeometry();
}

} // namespace ridge::app

#include "moc_tally_strip.cpp"
