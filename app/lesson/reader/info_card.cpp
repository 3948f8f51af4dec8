// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/info_card.h"

#include "app/ui/themed_label.h"
#include "base/units.h"
#include "lessons/numbers.h"

#include <QAccessible>
#include <QApplication>
#include <QBoxLayout>
#include <QDesktopServices>
#include <QKeyEvent>
#include <QPushButton>

namespace ridge::app {

namespace {

constexpr int kCardWidth = 340, kOpenDelay = 350, kCloseDelay = 250;

CardContent claimCard(const lessons::Claim& claim)
{
    CardContent card;
    card.title = QString::fromStdString(lessons::claimText(claim));
    const QString exact = QString::fromStdString(formatNumber(claim.value) + ' ' + claim.unit).trimmed();
    if (exact != card.title)
        card.facts += InfoCard::tr("Value: %1").arg(exact);
    card.text = QString::fromStdString(claim.source);
    if (!claim.date.empty())
        card.facts += InfoCard::tr("As of %1").arg(QString::fromStdString(claim.date));
    card.facts += claim.provenance == "measured" && lessons::isTableKey(claim.key)
                      ? InfoCard::tr("MEASURED by this program")
                      : QString::fromStdString(claim.provenance).toUpper();
    card.url = QUrl(QString::fromStdString(claim.url));
    if (!claim.experiment.empty()) {
        card.action = QStringLiteral("lab/") + QString::fromStdString(claim.experiment);
        card.actionText = InfoCard::tr("Reproduce it in the Lab");
    }
    return card;
}

} // namespace

QString CardContent::plain() const
{
    return (QStringList{title, text} + facts).join(QStringLiteral(". "));
}

std::optional<CardContent> cardFor(const lessons::Curriculum& curriculum, const QUrl& link)
{
    const std::string key = link.path(QUrl::FullyDecoded).toStdString();
    if (link.scheme() == QLatin1String("claim")) {
        if (const auto* claim = curriculum.claim(key))
            return claimCard(*claim);
    } else if (link.scheme() == QLatin1String("term")) {
        if (const auto* term = curriculum.term(key)) {
            CardContent card;
            card.title = QString::fromStdString(term->name);
            card.text = QString::fromStdString(term->text);
            if (curriculum.head(term->lesson)) {
                card.action = QStringLiteral("lesson/") + QString::fromStdString(term->lesson);
                card.actionText = InfoCard::tr("Lesson %1").arg(QString::fromStdString(term->lesson));
            }
            return card;
        }
    }
    return std::nullopt;
}

InfoCard::InfoCard(AppContext& context, QWidget* page) : QFrame(page), m_context(context)
{
    setObjectName(QStringLiteral("infoCard"));
    setProperty("card", true);
    setFocusPolicy(Qt::NoFocus);
    setAttribute(Qt::WA_StyledBackground);
    hide();
    m_openTimer.setSingleShot(true);
    m_closeTimer.setSingleShot(true);
    connect(&m_openTimer, &QTimer::timeout, this, [this] {
        if (m_pendingSource)
            show(m_pendingLink, m_pendingSource, m_pendingPlace);
    });
    connect(&m_closeTimer, &QTimer::timeout, this, &InfoCard::dismiss);
}

void InfoCard::hover(const QUrl& link, QWidget* source, const QRect& place)
{
    if (link.isEmpty()) {
        m_openTimer.stop();
        if (isVisible())
            m_closeTimer.start(kCloseDelay);
        return;
    }
    m_closeTimer.stop();
    m_pendingLink = link;
    m_pendingSource = source;
    m_pendingPlace = place;
    m_openTimer.start(kOpenDelay);
}

void InfoCard::open(const QUrl& link, QWidget* source, const QRect& place)
{
    m_openTimer.stop();
    m_closeTimer.stop();
    m_returnFocus = source;
    show(link, source, place);
    if (auto* button = m_body ? m_body->findChild<QPushButton*>() : nullptr; button && isVisible())
        button->setFocus(Qt::OtherFocusReason);
}

void InfoCard::show(const QUrl& link, QWidget* source, const QRect& place)
{
    const auto content = cardFor(m_context.curriculum(), link);
    if (!content)
        return;
    m_link = link;
    fill(*content);
    // The body was just made: its wrapped labels know their height only for the real width.
    QWidget* page = parentWidget();
    const int wide = std::min(m_context.theme().scaled(kCardWidth), page->width() - 2 * space::s);
    setFixedWidth(wide);
    const int inner = wide - 2;
    resize(wide, m_body->heightForWidth(inner) + 2);
    m_body->setGeometry(1, 1, inner, height() - 2);
    const QRect target(source->mapTo(page, place.topLeft()), place.size());
    int x = std::clamp(target.left() - space::l, space::s, std::max(space::s, page->width() - width() - space::s));
    int y = target.bottom() + space::xs;
    if (y + height() > page->height() - space::s && target.top() - height() - space::xs > 0)
        y = target.top() - height() - space::xs;
    move(x, y);
    raise();
    QFrame::show();
    setAccessibleName(content->plain());
    QAccessibleEvent event(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
}

void InfoCard::fill(const CardContent& content)
{
    delete m_body;
    m_body = new QWidget(this);
    Theme& theme = m_context.theme();
    auto* column = new QVBoxLayout(m_body);
    column->setContentsMargins(space::l, space::m, space::l, space::m);
    column->setSpacing(space::s);
    column->addWidget(new ThemedLabel(theme, content.title, TextStyle::Strong));
    column->addWidget(new ThemedLabel(theme, content.text, TextStyle::Body));
    if (!content.facts.isEmpty())
        column->addWidget(new ThemedLabel(theme, content.facts.join(QLatin1Char('\n')), TextStyle::Caption, "hint"));
    auto* row = new QHBoxLayout;
    const auto addButton = [&](const QString& text, auto run) {
        auto* button = new QPushButton(text, m_body);
        button->setAccessibleName(text);
        connect(button, &QPushButton::clicked, this, run);
        row->addWidget(button);
    };
    if (!content.action.isEmpty())
        addButton(content.actionText, [this, page = content.action] {
            dismiss();
            Q_EMIT m_context.openRequested(page);
        });
    if (content.url.isValid() && !content.url.isEmpty())
        addButton(tr("Open source"), [url = content.url] { QDesktopServices::openUrl(url); });
    if (row->count() > 0) {
        row->addStretch();
        column->addLayout(row);
    } else {
        delete row;
    }
    for (QWidget* child : m_body->findChildren<QWidget*>())
        child->installEventFilter(this);
    m_body->show();
}

void InfoCard::dismiss()
{
    m_openTimer.stop();
    m_closeTimer.stop();
    const QWidget* focus = QApplication::focusWidget();
    const bool hadFocus = focus && isAncestorOf(focus);
    hide();
    m_link.clear();
    if (hadFocus && m_returnFocus)
        m_returnFocus->setFocus();
    m_returnFocus.clear();
}

bool InfoCard::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        dismiss();
        return true;
    }
    return QFrame::eventFilter(watched, event);
}

void InfoCard::enterEvent(QEnterEvent* event)
{
    m_closeTimer.stop();
    QFrame::enterEvent(event);
}

void InfoCard::leaveEvent(QEvent* event)
{
    m_closeTimer.start(kCloseDelay);
    QFrame::leaveEvent(event);
}

void InfoCard::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape)
        dismiss();
    else
        QFrame::keyPressEvent(event);
}

} // namespace ridge::app

#include "moc_info_card.cpp"
