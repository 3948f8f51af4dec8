// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/problem_list.h"

#include "app/ui/panels.h"
#include "app/ui/still_scroll.h"
#include "base/json.h"

#include <QLabel>
#include <QListWidget>
#include <QVBoxLayout>

namespace ridge::app {
namespace {

QString text(const Json& json, const char* key)
{
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? QString::fromStdString(found->get<std::string>()) : QString();
}

int lineOf(const Json& place)
{
    for (const char* key : {"source_line", "ptx_line"})
        if (const auto found = place.find(key); found != place.end() && found->is_number_integer())
            return found->get<int>();
    return 0;
}

/// "shared-race" -> "Shared race"
QString wordsOf(QString code)
{
    code.replace(QLatin1Char('-'), QLatin1Char(' '));
    return code.isEmpty() ? code : code.left(1).toUpper() + code.mid(1);
}

QString whoOf(const Json& report)
{
    const auto triple = [&](const char* key) {
        QStringList parts;
        if (const auto found = report.find(key); found != report.end() && found->is_array())
            for (const Json& value : *found)
                parts << QString::fromStdString(value.dump());
        return QStringLiteral("(%1)").arg(parts.join(QStringLiteral(", ")));
    };
    const auto number = [&](const char* key) {
        const auto found = report.find(key);
        return found != report.end() && found->is_number() ? QString::fromStdString(found->dump()) : QString();
    };
    if (!report.contains("block") || !report["block"].is_array())
        return {};
    return ProblemList::tr("Block %1, thread %2, warp %3, lane %4.")
        .arg(triple("block"), triple("thread"), number("warp"), number("lane"));
}

QString signOf(SourceNote::Kind kind)
{
    return kind == SourceNote::Kind::Warning ? QStringLiteral("!  ") : QStringLiteral("✗  ");
}

} // namespace

std::vector<SourceNote> detectorNotes(const Json& document)
{
    std::vector<SourceNote> notes;
    const auto reports = document.find("reports");
    if (reports == document.end() || !reports->is_array())
        return notes;
    for (const Json& report : *reports) {
        SourceNote note;
        note.kind = SourceNote::Kind::Report;
        note.line = lineOf(report);
        note.title = wordsOf(text(report, "code"));
        if (const auto times = report.value("count", std::uint64_t{1}); times > 1)
            note.title += ProblemList::tr(", %1 times").arg(times);
        note.text = asSentence(text(report, "message"));
        if (const QString who = whoOf(report); !who.isEmpty())
            note.text += QLatin1Char(' ') + who;
        if (const auto other = report.find("other"); other != report.end() && other->is_object()) {
            note.otherLine = lineOf(*other);
            note.text += QLatin1Char(' ') +
                         (note.otherLine > 0
                              ? ProblemList::tr("The other side is line %1: %2").arg(note.otherLine).arg(whoOf(*other))
                              : whoOf(*other));
        }
        note.advice = text(report, "look_for");
        notes.push_back(std::move(note));
    }
    return notes;
}

ProblemList::ProblemList(Theme& theme, QWidget* parent)
    : QWidget(parent), m_state(makeText(theme, {}, TextStyle::Body, QStringLiteral("muted"))), m_list(new QListWidget),
      m_text(makeText(theme, {}))
{
    setAccessibleName(tr("Problems"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(space::m, space::s, space::m, space::s);
    column->setSpacing(space::s);
    column->addWidget(m_state);
    m_list->setAccessibleName(tr("Problems; Enter goes to the line"));
    useRowHeight(theme, m_list);
    column->addWidget(m_list, 2);
    auto* scroll = new StillScroll;
    scroll->setAccessibleName(tr("The problem in words"));
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    m_text->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    scroll->setWidget(m_text);
    column->addWidget(scroll, 2);
    m_state->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    connect(m_list, &QListWidget::currentRowChanged, this, &ProblemList::showNote);
    connect(m_list, &QListWidget::itemActivated, this, [this] {
        const int row = m_list->currentRow();
        if (row >= 0 && row < int(m_notes.size()) && m_notes[std::size_t(row)].line > 0)
            Q_EMIT chosen(m_notes[std::size_t(row)].line, m_notes[std::size_t(row)].column);
    });
    setNotes({});
}

void ProblemList::setState(const QString& text)
{
    m_state->setText(text);
}

void ProblemList::setNotes(const std::vector<SourceNote>& notes)
{
    m_notes = notes;
    m_list->clear();
    for (const SourceNote& note : notes) {
        const QString first = note.text.section(QStringLiteral(". "), 0, 0);
        const QString where = note.line > 0 ? tr("line %1: ").arg(note.line) : QString();
        auto* item = new QListWidgetItem(signOf(note.kind) + where + note.title + QStringLiteral(" — ") + first);
        item->setToolTip(note.text);
        m_list->addItem(item);
    }
    m_list->setVisible(!notes.empty());
    m_text->parentWidget()->parentWidget()->setVisible(!notes.empty());
    m_state->setVisible(notes.empty());
    if (!notes.empty())
        m_list->setCurrentRow(0);
}

void ProblemList::showNote(int row)
{
    if (row < 0 || row >= int(m_notes.size()))
        return m_text->setText({});
    const SourceNote& note = m_notes[std::size_t(row)];
    m_text->setText(note.text +
                    (note.advice.isEmpty() ? QString() : QStringLiteral("\n") + tr("Look for: %1").arg(note.advice)));
}

QString ProblemList::shownText() const
{
    return m_list->isHidden() ? m_state->text() : m_text->text();
}

} // namespace ridge::app

#include "moc_problem_list.cpp"
