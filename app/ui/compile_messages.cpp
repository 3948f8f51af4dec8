// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/compile_messages.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStringList>

namespace ridge::app {

std::vector<SourceNote> compileMessages(const QString& log, const QString& file)
{
    // The first line of a worker's error repeats the first message with the compiler's name: it has no "error:".
    static const QRegularExpression message(
        QStringLiteral("^(.+?)(?:\\((\\d+)\\)|:(\\d+)(?::(\\d+))?): (?:fatal |catastrophic )?(error|warning)"
                       "(?: #[\\w-]+)?: (.+)$"));
    std::vector<SourceNote> notes;
    const QStringList lines = log.split(QLatin1Char('\n'));
    for (qsizetype at = 0; at < lines.size(); ++at) {
        const auto match = message.match(lines[at].trimmed());
        if (!match.hasMatch())
            continue;
        SourceNote note;
        const bool isError = match.captured(5) == QLatin1String("error");
        note.kind = isError ? SourceNote::Kind::Error : SourceNote::Kind::Warning;
        note.title = isError ? QCoreApplication::translate("ridge::app", "Error")
                             : QCoreApplication::translate("ridge::app", "Warning");
        note.text = match.captured(6);
        note.line = (match.captured(2).isEmpty() ? match.captured(3) : match.captured(2)).toInt();
        note.column = match.captured(4).toInt();
        // NVIDIA's front end repeats the line indented by two and puts a caret below.
        if (note.column == 0 && at + 2 < lines.size() && lines[at + 2].trimmed() == QLatin1String("^") &&
            lines[at + 2].indexOf(QLatin1Char('^')) >= 2)
            note.column = int(lines[at + 2].indexOf(QLatin1Char('^'))) - 1;
        const QString where = match.captured(1);
        if (QFileInfo(where).fileName() != QFileInfo(file).fileName()) {
            note.text = QStringLiteral("%1:%2: %3").arg(where).arg(note.line).arg(note.text);
            note.line = note.column = 0;
        }
        notes.push_back(note);
    }
    return notes;
}

std::vector<SourceNote> verilogMessages(const QString& log, const QString& file)
{
    static const QRegularExpression message(QStringLiteral("([\\w.-]+):(\\d+): (?:(error|warning|sorry): )?(.+)$"));
    std::vector<SourceNote> notes;
    for (const QString& line : log.split(QLatin1Char('\n'))) {
        const auto match = message.match(line.trimmed());
        if (!match.hasMatch() || match.captured(1) != QFileInfo(file).fileName())
            continue;
        SourceNote note;
        const bool isError = match.captured(3) != QLatin1String("warning");
        note.kind = isError ? SourceNote::Kind::Error : SourceNote::Kind::Warning;
        note.title = isError ? QCoreApplication::translate("ridge::app", "Error")
                             : QCoreApplication::translate("ridge::app", "Warning");
        note.line = match.captured(2).toInt();
        note.text = match.captured(4);
        // One mistake is often said twice, first as "syntax error" and then in words.
        if (!notes.empty() && notes.back().line == note.line && notes.back().kind == note.kind) {
            if (notes.back().text == QLatin1String("syntax error"))
                notes.back().text = note.text;
            continue;
        }
        notes.push_back(note);
    }
    return notes;
}

} // namespace ridge::app
