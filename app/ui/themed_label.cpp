// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/themed_label.h"

#include "app/theme/restyler.h"

#include <QPainter>

namespace ridge::app {

ThemedLabel::ThemedLabel(Theme& theme, const QString& text, TextStyle style, const char* tone, QWidget* parent)
    : SizedLabel(parent), m_theme(theme), m_style(style)
{
    setWordWrap(true);
    setTextFormat(Qt::PlainText);
    setText(text);
    setProperty("tone", QString::fromLatin1(tone));
    applyFont();
    followTheme(theme, this, [this] { applyFont(); });
}

void ThemedLabel::setTone(const char* tone)
{
    const QString wanted = QString::fromLatin1(tone);
    if (property("tone").toString() == wanted)
        return;
    setProperty("tone", wanted);
    style()->unpolish(this);
    style()->polish(this);
}

void ThemedLabel::setWeight(QFont::Weight weight)
{
    m_weight = weight;
    applyFont();
}

void ThemedLabel::applyFont()
{
    QFont font = m_theme.font(m_style);
    if (m_weight)
        font.setWeight(*m_weight);
    setFont(font);
}

Badge::Badge(Theme& theme, const QString& text, Look look, Role role, const QString& help, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_text(text), m_look(look), m_role(role)
{
    setToolTip(help);
    setAccessibleName(text);
    setAccessibleDescription(help);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(&theme, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

QSize Badge::sizeHint() const
{
    const QFontMetrics metrics(m_theme.font(TextStyle::Caption));
    return {metrics.horizontalAdvance(m_text) + 2 * space::s, metrics.height() + space::xs};
}

void Badge::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF pill = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    const QColor ink = m_theme.color(m_role);
    const bool filled = m_look == Look::Filled;
    painter.setPen(QPen(ink, 1, m_look == Look::Dotted ? Qt::DotLine : Qt::SolidLine));
    painter.setBrush(filled ? QBrush(ink) : QBrush(Qt::NoBrush));
    painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2);
    painter.setPen(filled ? m_theme.color(Role::Surface) : ink);
    painter.setFont(m_theme.font(TextStyle::Caption));
    painter.drawText(rect(), Qt::AlignCenter, m_text);
}

Badge* provenanceBadge(Theme& theme, Provenance provenance, QWidget* parent)
{
    struct Entry {
        Badge::Look look;
        QString help;
    };
    const auto entry = [&]() -> Entry {
        switch (provenance) {
        case Provenance::Measured:
            return {Badge::Look::Filled, Badge::tr("Measured on real hardware in this run")};
        case Provenance::Simulated:
            return {Badge::Look::Open, Badge::tr("Counted while a simulator executed the same kernel")};
        case Provenance::Modelled:
            return {Badge::Look::Dotted, Badge::tr("Computed from a formula and a table of parameters")};
        case Provenance::Recorded:
            break;
        }
        return {Badge::Look::Open, Badge::tr("Measured earlier, on another machine")};
    }();
    const auto text = ridge::toText(provenance);
    return new Badge(theme, QString::fromUtf8(text.data(), qsizetype(text.size())), entry.look, Role::Text2, entry.help,
                     parent);
}

Badge* validityBadge(Theme& theme, const std::string& validity, QWidget* parent)
{
    const bool valid = validity == "valid";
    return new Badge(theme, valid ? Badge::tr("VALID") : QString::fromStdString(validity).toUpper(), Badge::Look::Open,
                     valid ? Role::Ok : Role::Warn,
                     valid ? Badge::tr("Nothing spoiled this number")
                           : Badge::tr("Something spoiled this number: %1").arg(QString::fromStdString(validity)),
                     parent);
}

} // namespace ridge::app

#include "moc_themed_label.cpp"
