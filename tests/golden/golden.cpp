// SPDX-License-Identifier: GPL-3.0-or-later
#include "golden.h"
#include "variants.h"

#include <QDir>
#include <QFile>
#include <QFontDatabase>
#include <QPixmap>
#include <QSysInfo>
#include <QWidget>

namespace ridge::golden {
namespace {

QString goldenPath(const QString& part)
{
    return QString::fromLocal8Bit(qgetenv("RIDGE_SOURCE")) + QStringLiteral("/tests/golden/") + part;
}

bool updating()
{
    return qgetenv("RIDGE_UPDATE_GOLDENS") == "1";
}

QString evidenceFolder(const QString& name)
{
    const QString folder = QDir::temp().filePath(QStringLiteral("ridge-goldens/") + name);
    QDir().mkpath(folder);
    return folder;
}

bool write(const QString& path, const QByteArray& bytes)
{
    QDir().mkpath(QFileInfo(path).absolutePath());
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
}

/// One element of an array a line, so that a change reads as a short difference.
QByteArray readable(const Json& json)
{
    QByteArray text = QByteArray::fromStdString(json.dump());
    text.replace("},{", "},\n{").replace(":[{", ":[\n{").replace("],\"", "],\n\"");
    return text + '\n';
}

/// Below the tolerance a picture may drift for months, until a change that is right takes it over.
void list(const QString& path, const QString& name, const Difference& difference)
{
    QFile file(path);
    if (file.open(QIODevice::WriteOnly | QIODevice::Append))
        file.write(QStringLiteral("%1\t%2\n").arg(100 * difference.share, 0, 'f', 3).arg(name).toUtf8());
}

QString writeEvidence(const QString& name, const QImage& expected, const QImage& actual, const QImage& difference)
{
    const QString folder = evidenceFolder(name);
    expected.save(folder + QStringLiteral("/expected.png"));
    actual.save(folder + QStringLiteral("/actual.png"));
    difference.save(folder + QStringLiteral("/difference.png"));
    QByteArray page = "<!doctype html><meta charset=utf-8><title>" + name.toUtf8() + "</title>";
    for (const char* picture : {"expected", "actual", "difference"})
        page += QByteArray("<h2>") + picture + "</h2><img src=" + picture + ".png>";
    write(folder + QStringLiteral("/index.html"), page);
    return folder;
}

QString pathOf(const QString& name)
{
    return goldenPath(QStringLiteral("images/%1.png").arg(name));
}

/// Against the picture that is kept, by edges (variants.h).
QString checkVariant(const QString& name, const QImage& actual)
{
    QString kept = keptPicture(name);
    if (!QFile::exists(pathOf(kept)))
        kept += QStringLiteral("_1x");
    const QImage expected(pathOf(kept));
    const VariantFit fit = fitOf(expected, actual, name.endsWith(QLatin1String("_2x")));
    if (fit.accepted())
        return {};
    const QString folder = writeEvidence(name, expected, actual, {});
    if (!fit.sameLayout)
        return QStringLiteral("%1: size %2×%3 beside %4×%5 of %6, see %7")
            .arg(name)
            .arg(actual.width())
            .arg(actual.height())
            .arg(expected.width())
            .arg(expected.height())
            .arg(kept, folder);
    return QStringLiteral("%1: %2 % of the edges of %3 cannot be seen and %4 % are new, see %5/index.html")
        .arg(name)
        .arg(fit.lost * 100)
        .arg(kept)
        .arg(fit.gained * 100)
        .arg(folder);
}

} // namespace

Difference compare(const QImage& expected, const QImage& actual)
{
    Difference result;
    result.sameSize = expected.size() == actual.size() && !expected.isNull();
    if (!result.sameSize)
        return result;
    const QImage a = expected.convertToFormat(QImage::Format_RGB32);
    const QImage b = actual.convertToFormat(QImage::Format_RGB32);
    result.picture = QImage(a.size(), QImage::Format_RGB32);
    result.picture.fill(Qt::black);
    qint64 different = 0;
    for (int y = 0; y < a.height(); ++y) {
        const auto* rowA = reinterpret_cast<const QRgb*>(a.constScanLine(y));
        const auto* rowB = reinterpret_cast<const QRgb*>(b.constScanLine(y));
        auto* out = reinterpret_cast<QRgb*>(result.picture.scanLine(y));
        for (int x = 0; x < a.width(); ++x) {
            const int delta =
                std::max({std::abs(qRed(rowA[x]) - qRed(rowB[x])), std::abs(qGreen(rowA[x]) - qGreen(rowB[x])),
                          std::abs(qBlue(rowA[x]) - qBlue(rowB[x]))});
            if (delta > kChannelTolerance) {
                ++different;
                out[x] = qRgb(255, 255, 255);
            }
        }
    }
    result.share = static_cast<double>(different) / (static_cast<double>(a.width()) * a.height());
    return result;
}

QString whyNotComparable()
{
    if (QSysInfo::productType() != QLatin1String("debian") ||
        !QSysInfo::productVersion().startsWith(QLatin1String("12")))
        return QStringLiteral("pictures are compared on Debian 12 only");
    if (!QFontDatabase::families().contains(QStringLiteral("Inter")))
        return QStringLiteral("the font Inter is not installed (fonts-inter)");
    return {};
}

QString checkImage(const QString& name, const QImage& actual)
{
    const QString path = pathOf(name);
    if (isVariant(name) && !QFile::exists(path))
        return updating() ? QString() : checkVariant(name, actual);
    if (updating()) {
        QDir().mkpath(QFileInfo(path).absolutePath());
        return actual.convertToFormat(QImage::Format_RGB888).save(path) ? QString()
                                                                        : QStringLiteral("cannot write ") + path;
    }
    const QImage expected(path);
    const Difference difference = compare(expected, actual);
    const QString drift = QString::fromLocal8Bit(qgetenv("RIDGE_GOLDEN_REPORT"));
    if (difference.accepted() && drift.isEmpty())
        return {};
    const QString folder = writeEvidence(name, expected, actual, difference.picture);
    if (!drift.isEmpty())
        list(drift, name, difference);
    if (difference.accepted())
        return {};
    if (!difference.sameSize)
        return QStringLiteral("%1: size %2×%3 in place of %4×%5, see %6")
            .arg(name)
            .arg(actual.width())
            .arg(actual.height())
            .arg(expected.width())
            .arg(expected.height())
            .arg(folder);
    return QStringLiteral("%1: %2 % of the pixels differ, see %3/index.html")
        .arg(name)
        .arg(difference.share * 100)
        .arg(folder);
}

QImage pictureOf(QWidget& widget, double scale)
{
    QPixmap picture(widget.size() * scale);
    picture.setDevicePixelRatio(scale);
    picture.fill(Qt::transparent);
    widget.render(&picture);
    QImage image = picture.toImage();
    image.setDevicePixelRatio(1);
    return image;
}

QString checkView(const QString& name, QWidget& widget)
{
    const QString once = checkImage(name, widget.grab().toImage());
    const QString twice = checkImage(name + QStringLiteral("_2x"), pictureOf(widget, 2));
    return once.isEmpty() || twice.isEmpty() ? once + twice : once + QLatin1Char('\n') + twice;
}

QString checkStructure(const QString& name, const Json& actual)
{
    const QString path = goldenPath(QStringLiteral("structure/%1.json").arg(name));
    const QByteArray now = readable(actual);
    if (updating())
        return write(path, now) ? QString() : QStringLiteral("cannot write ") + path;
    QFile file(path);
    if (file.open(QIODevice::ReadOnly) && file.readAll() == now)
        return {};
    const QString seen = evidenceFolder(name) + QStringLiteral("/actual.json");
    write(seen, now);
    return QStringLiteral("%1 differs: diff %2 %3").arg(name, path, seen);
}

} // namespace ridge::golden
