// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/error_card.h"

#include <QAccessible>
#include <QBoxLayout>
#include <QPainter>
#include <QPushButton>

namespace ridge::app {

ErrorCard::ErrorCard(Theme& theme, QWidget* parent)
    : QFrame(parent), m_theme(theme), m_message(new ThemedLabel(theme, {}, TextStyle::Strong, "error", this)),
      m_place(new ThemedLabel(theme, {}, TextStyle::Caption, "hint", this)),
      m_fix(new ThemedLabel(theme, {}, TextStyle::Body, "", this)), m_retry(new QPushButton(tr("Retry"), this))
{
    setObjectName(QStringLiteral("errorCard"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(space::l, space::m, space::m, space::m);
    row->setSpacing(space::m);
    auto* column = new QVBoxLayout;
    column->setSpacing(2);
    for (ThemedLabel* label : {m_message, m_place, m_fix}) {
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        column->addWidget(label);
    }
    row->addLayout(column, 1);
    row->addWidget(m_retry, 0, Qt::AlignTop);
    m_retry->setAccessibleName(tr("Retry"));
    connect(m_retry, &QPushButton::clicked, this, &ErrorCard::retry);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
    hide();
}

void ErrorCard::showError(const Error& error, bool canRetry)
{
    const auto fill = [](ThemedLabel* label, const std::string& text) {
        label->setText(QString::fromStdString(text));
        label->setVisible(!text.empty());
    };
    fill(m_message, error.message);
    fill(m_place, error.place);
    fill(m_fix, error.fix);
    m_retry->setVisible(canRetry);
    setAccessibleName(QString::fromStdString(toText(error)));
    show();
    QAccessibleEvent event(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
}

void ErrorCard::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF box = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.setPen(m_theme.color(Role::Error));
    painter.setBrush(m_theme.color(Role::Surface));
    painter.drawRoundedRect(box, kControlRadius, kControlRadius);
    painter.fillRect(QRectF(0, 4, 3, height() - 8), m_theme.color(Role::Error));
}

} // namespace ridge::app

#include "moc_error_card.cpp"
