// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/session/app_context.h"

#include <QFrame>
#include <QPointer>
#include <QTimer>
#include <QUrl>

namespace ridge::app {

/// What a claim or term link points at, as text for the card and for a screen reader.
struct CardContent {
    QString title;     ///< "8 sectors", "Coalescing"
    QString text;      ///< definition, or the source
    QStringList facts; ///< "Source: …", "As of 2019-08-01", "PUBLISHED"
    QString action;    ///< page that reproduces or explains it ("lab/coalescing", "lesson/2.4"), may be empty
    QString actionText;
    QUrl url; ///< of the source
    QString plain() const;
};

/// Content for "claim:key" and "term:name"; no value for any other link or an unknown key.
std::optional<CardContent> cardFor(const lessons::Curriculum& curriculum, const QUrl& link);

/// The one card of a page: opens beside a link on hover (after a moment) or at once by keyboard, closes on Esc, on
/// scrolling and when pointer and focus have left. A child of the page, so that it is painted into screenshots.
class InfoCard : public QFrame {
    Q_OBJECT
public:
    InfoCard(AppContext& context, QWidget* page);

    /// `link` empty: closes soon, unless the pointer moves onto the card. `place` in coordinates of `source`.
    void hover(const QUrl& link, QWidget* source, const QRect& place);
    void open(const QUrl& link, QWidget* source, const QRect& place); ///< now, and stays until dismissed
    void dismiss();
    QUrl link() const { return m_link; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void show(const QUrl& link, QWidget* source, const QRect& place);
    void fill(const CardContent& content);

    AppContext& m_context;
    QUrl m_link, m_pendingLink;
    QPointer<QWidget> m_pendingSource, m_returnFocus;
    QRect m_pendingPlace;
    QTimer m_openTimer, m_closeTimer;
    QWidget* m_body = nullptr;
};

} // namespace ridge::app
