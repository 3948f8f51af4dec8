// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/block_widget.h"

#include <QKeyEvent>
#include <QPainter>

namespace ridge::app {

BlockWidget::BlockWidget(const ReaderContext& context, const lessons::Block& block, const QString& kindTitle,
                         QWidget* parent)
    : QFrame(parent), m_context(context), m_block(block), m_body(new QVBoxLayout(this)), m_header(new QHBoxLayout)
{
    setObjectName(QStringLiteral("block:") + blockId());
    setFocusPolicy(Qt::ClickFocus);
    setAccessibleName(kindTitle);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    m_body->setContentsMargins(kTextInset, space::l, kTextInset, kTextInset - space::xs);
    m_body->setSpacing(space::m);
    auto* kind = new ThemedLabel(context.theme(), kindTitle, TextStyle::Caption, "hint", this);
    kind->setWordWrap(false);
    m_header->setSpacing(space::s);
    m_header->addWidget(kind);
    m_header->addStretch();
    m_body->addLayout(m_header);
    connect(&context.theme(), &Theme::changed, this, qOverload<>(&QWidget::update));
}

QSize BlockWidget::sizeHint() const
{
    const int width = textMeasure(theme()) + 2 * kTextInset;
    return {width, width / 2};
}

void BlockWidget::focusInput()
{
    for (QWidget* child : findChildren<QWidget*>()) {
        if ((child->focusPolicy() & Qt::TabFocus) && child->isVisible() && child->isEnabled() &&
            !qobject_cast<ProseView*>(child)) {
            child->setFocus(Qt::ShortcutFocusReason);
            return;
        }
    }
    setFocus(Qt::ShortcutFocusReason);
}

ProseView* BlockWidget::addText(const std::string& markdown, ProseLook look)
{
    if (markdown.empty())
        return nullptr;
    auto* view = new ProseView(m_context, markdown, look, this);
    m_body->addWidget(view);
    return view;
}

ThemedLabel* BlockWidget::addLabel(const QString& text, TextStyle style, const char* tone)
{
    auto* label = new ThemedLabel(theme(), text, style, tone, this);
    m_body->addWidget(label);
    return label;
}

void BlockWidget::addCaption(const std::string& markdown, Caption when)
{
    m_caption = addText(markdown, ProseLook::Card);
    if (!m_caption)
        return;
    m_caption->setObjectName(QStringLiteral("caption"));
    m_caption->setVisible(when == Caption::Always);
}

void BlockWidget::setCaptionShown(bool shown)
{
    if (m_caption)
        m_caption->setVisible(shown);
}

void BlockWidget::addHeld()
{
    m_held = addLabel({}, TextStyle::Body, "muted");
    m_held->setObjectName(QStringLiteral("held"));
    m_held->setVisible(false);
}

void BlockWidget::setHeld(const QString& stored, const QString& why)
{
    if (!m_held)
        return; // the block is still being built, and will be asked again
    m_held->setText((stored + QLatin1Char(' ') + why).trimmed());
    m_held->setVisible(!why.isEmpty());
}

void BlockWidget::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(theme().color(Role::Border));
    painter.setBrush(theme().color(Role::Surface));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), kCardRadius, kCardRadius);
}

void BlockWidget::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape) {
        if (runningJobs() > 0)
            return cancel();
        if (!hasFocus())
            return setFocus(Qt::OtherFocusReason); // out of the field: single-letter keys work again
    }
    const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (enter && event->modifiers().testFlag(Qt::ControlModifier) && canActivate())
        return activate();
    QFrame::keyPressEvent(event);
}

} // namespace ridge::app

#include "moc_block_widget.cpp"
