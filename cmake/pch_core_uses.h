// SPDX-License-Identifier: GPL-3.0-or-later
// As pch_engine_uses.h, of Qt's containers and of the standard ones over Qt's values.
#pragma once
#include "pch_engine_uses.h"

#include <QtCore>
#include <QtSql>

namespace ridge::precompiled {

inline void useQt(const QString& text, QObject* object)
{
    useVector(text);
    useVector(std::vector<QString>{});
    useVector(std::pair<QString, QString>{});
    useOptional(text);
    useOptional(QByteArray());
    useOptional(QDateTime());
    useMap(text, text);
    useSet(text);
    useValue(QMap<QString, QString>{{text, text}});
    useValue(QHash<QString, int>{{text, 1}});
    useValue(QVariantMap{{text, 1}});
    useValue(QStringList{text, text});
    useValue(QVariantList{text, 1});
    useValue(QSet<QString>{text});
    useValue(std::function<void(const QString&)>([](const QString&) {}));
    useValue(std::function<void(bool)>([](bool) {}));
    QSqlQuery query;
    query.prepare(text);
    query.addBindValue(text);
    useValue(query.value(0).toString() + QStringLiteral("%1 %2").arg(text).arg(1) + QLatin1String("x"));
    useValue(QString::fromStdString(text.toStdString()));
    QTimer timer;
    QObject::connect(object, &QObject::destroyed, object, [] {});
    QObject::connect(&timer, &QTimer::timeout, object, [] {});
}

} // namespace ridge::precompiled
