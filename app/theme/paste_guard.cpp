// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/theme/paste_guard.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QTextEdit>

namespace ridge::app {
namespace {

bool isText(const QObject* object)
{
    return qobject_cast<const QPlainTextEdit*>(object) || qobject_cast<const QTextEdit*>(object);
}

bool isEmpty(QClipboard::Mode mode)
{
    const QClipboard* clipboard = QGuiApplication::clipboard();
    if (mode == QClipboard::Selection && !clipboard->supportsSelection())
        return false;
    const QMimeData* data = clipboard->mimeData(mode);
    return data && data->formats().isEmpty();
}

} // namespace

PasteGuard::PasteGuard(QObject& owner) : QObject(&owner)
{
    QCoreApplication::instance()->installEventFilter(this);
}

bool PasteGuard::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::KeyPress)
        return static_cast<QKeyEvent*>(event)->matches(QKeySequence::Paste) && isText(watched) &&
               isEmpty(QClipboard::Clipboard);
    // A view has its mouse in its viewport.
    if (event->type() == QEvent::MouseButtonRelease)
        return static_cast<QMouseEvent*>(event)->button() == Qt::MiddleButton && isText(watched->parent()) &&
               isEmpty(QClipboard::Selection);
    return false;
}

} // namespace ridge::app
