// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/folder_memory.h"

#include <QCoreApplication>
#include <QEvent>
#include <QFileDialog>
#include <QLineEdit>
#include <QSettings>

namespace ridge::app {
namespace {

constexpr const char* kKnown = "folderMemory";
const QString kLast = QStringLiteral("folders/last");

/// Titles are words of a language, and a slash would begin a group.
QString keyOf(const QFileDialog& dialog)
{
    return QStringLiteral("folders/") + dialog.windowTitle().replace(QLatin1Char('/'), QLatin1Char('-'));
}

void beginWhereItEnded(QFileDialog& dialog)
{
    if (dialog.directory() != QDir::current()) // somebody knows better
        return;
    const QSettings settings;
    const QString folder = settings.value(keyOf(dialog), settings.value(kLast)).toString();
    if (folder.isEmpty() || !QDir(folder).exists())
        return;
    auto* name = dialog.findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
    const QString suggested = name ? name->text() : QString();
    dialog.setDirectory(folder);
    if (name && !suggested.isEmpty())
        name->setText(suggested);
}

} // namespace

FolderMemory::FolderMemory(QObject* parent) : QObject(parent)
{
    QCoreApplication::instance()->installEventFilter(this);
}

bool FolderMemory::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Show && watched->isWidgetType())
        if (auto* dialog = qobject_cast<QFileDialog*>(watched); dialog && !dialog->property(kKnown).toBool()) {
            dialog->setProperty(kKnown, true); // shown again, it stays where it is
            beginWhereItEnded(*dialog);
            connect(dialog, &QFileDialog::accepted, this, [dialog] {
                QSettings settings;
                const QString folder = dialog->directory().absolutePath();
                settings.setValue(keyOf(*dialog), folder);
                settings.setValue(kLast, folder);
            });
        }
    return QObject::eventFilter(watched, event);
}

} // namespace ridge::app
