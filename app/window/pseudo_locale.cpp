// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/pseudo_locale.h"

#include <QRegularExpression>

namespace ridge::app {
namespace {

QChar accented(QChar letter)
{
    static const QString plain = QStringLiteral("acdegijklnorstuwyzACDEGIJKLNORSTUWYZ");
    static const QString marked = QString::fromUtf8("áçďéğíĵķĺñóřšťúŵýžÁÇĎÉĞÍĴĶĹÑÓŘŠŤÚŴÝŽ");
    const auto at = plain.indexOf(letter);
    return at < 0 ? letter : marked[at];
}

} // namespace

QString pseudoText(const QString& text)
{
    static const QRegularExpression kept(
        QStringLiteral("</?[A-Za-z][^<>]*>|&[A-Za-z]+;|&#?[0-9A-Za-z]+;|%L?[0-9]{1,2}|%n|&[A-Za-z0-9]"));
    QString made;
    qsizetype letters = 0, from = 0;
    const auto mark = [&](qsizetype to) {
        for (; from < to; ++from) {
            letters += text[from].isLetter() ? 1 : 0;
            made += accented(text[from]);
        }
    };
    for (auto each = kept.globalMatch(text); each.hasNext();) {
        const auto match = each.next();
        mark(match.capturedStart());
        made += match.captured();
        from = match.capturedEnd();
    }
    mark(text.size());
    if (letters == 0)
        return text;
    // Words, so that a line breaks as one of a real language does.
    static const QString filler = QString::fromUtf8(" łøřém ípšûm đølør šíť");
    QString more;
    for (const qsizetype wanted = letters / 3 + 1; more.size() < wanted;)
        more += filler.left(wanted - more.size());
    return QChar(0xab) + made + more.trimmed().prepend(QLatin1Char(' ')) + QChar(0xbb);
}

QString PseudoLocale::translate(const char* context, const char* source, const char*, int) const
{
    // Names of keys: a sequence is read as it is written.
    return qstrcmp(context, "QShortcut") == 0 ? QString() : pseudoText(QString::fromUtf8(source));
}

} // namespace ridge::app
