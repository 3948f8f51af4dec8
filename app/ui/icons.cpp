// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/icons.h"

#include "app/theme/restyler.h"
#include "base/json.h"
#include "base/paths.h"

#include <QAbstractButton>
#include <QPainter>
#include <QSvgRenderer>

namespace ridge::app {
namespace {

QByteArray iconSource(const QString& name)
{
    static QHash<QString, QByteArray> cache;
    const auto known = cache.constFind(name);
    if (known != cache.constEnd())
        return *known;
    QByteArray bytes;
    if (const auto data = dataFolder())
        if (const auto file = readFile(*data / "assets" / "icons" / (name.toStdString() + ".svg")))
            bytes = QByteArray::fromStdString(*file);
    cache.insert(name, bytes);
    return bytes;
}

} // namespace

QPixmap iconPixmap(const QString& name, const QColor& color, int size, double devicePixelRatio)
{
    QByteArray source = iconSource(name);
    if (source.isEmpty())
        return {};
    source.replace("currentColor", color.name().toLatin1());
    QPixmap pixmap(QSize(size, size) * devicePixelRatio);
    pixmap.setDevicePixelRatio(devicePixelRatio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    QSvgRenderer(source).render(&painter, QRectF(0, 0, size, size));
    return pixmap;
}

QIcon themedIcon(const Theme& theme, const QString& name, Role role)
{
    // Many buttons share a picture, and each asks again when the theme changes.
    static auto& known = *new QHash<QString, QIcon>; // never taken down: after the application it could not be
    const QColor ink = theme.color(role), faint = theme.color(Role::Text3);
    QIcon& icon = known[name + ink.name(QColor::HexArgb) + faint.name(QColor::HexArgb)];
    if (!icon.isNull())
        return icon;
    // 16 px is the size of a control's icon at 100 %; the others serve larger text and denser screens.
    for (const int size : {16, 20, 24, 32, 48, 64}) {
        icon.addPixmap(iconPixmap(name, ink, size));
        icon.addPixmap(iconPixmap(name, faint, size), QIcon::Disabled);
    }
    return icon;
}

void setThemedIcon(Theme& theme, QAbstractButton* button, const QString& name, Role role)
{
    const auto apply = [&theme, button, name, role] {
        button->setIcon(themedIcon(theme, name, role));
        button->setIconSize(QSize(theme.scaled(16), theme.scaled(16)));
    };
    apply();
    followTheme(theme, button, apply);
}

QIcon programIcon(const Theme& theme)
{
    QIcon icon;
    for (const int size : {16, 24, 32, 48, 64, 128, 256}) {
        QPixmap pixmap(size, size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(theme.color(Role::Accent));
        painter.drawRoundedRect(QRectF(0, 0, size, size), size * 0.2, size * 0.2);
        const int inner = size * 7 / 8;
        painter.drawPixmap((size - inner) / 2, (size - inner) / 2,
                           iconPixmap(QStringLiteral("ridgepoint"), theme.color(Role::OnAccent), inner));
        icon.addPixmap(pixmap);
    }
    return icon;
}

QStringList iconNames()
{
    return QStringLiteral("home learn lab runs portfolio class back forward search run stop export check warning error "
                          "info chip theme close copy filter outline folder term sweep live ridgepoint")
        .split(QLatin1Char(' '));
}

} // namespace ridge::app
