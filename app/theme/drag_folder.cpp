// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/theme/drag_folder.h"

#include <QDir>
#include <QTemporaryDir>

namespace ridge::app {

QString newDragFolder()
{
    static const QTemporaryDir all(QDir::tempPath() + QStringLiteral("/ridgepoint-drag-XXXXXX"));
    static int number = 0;
    if (!all.isValid())
        return {};
    const QString folder = all.filePath(QString::number(++number));
    return QDir().mkpath(folder) ? folder : QString();
}

} // namespace ridge::app
