// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/dashboard/explanations_view.h"

#include "app/class/dashboard/class_texts.h"
#include "app/class/dashboard/statement_list.h"
#include "app/ui/elided_box.h"
#include "app/ui/panels.h"

#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

namespace ridge::app {
namespace {

QString ratingText(const std::string& rating)
{
    return rating == "yes"      ? ExplanationsView::tr("rates it: says what the model answer says")
           : rating == "partly" ? ExplanationsView::tr("rates it: says a part of the model answer")
           : rating == "no"     ? ExplanationsView::tr("rates it: does not say what the model answer says")
                                : ExplanationsView::tr("has not rated it");
}

} // namespace

ExplanationsView::ExplanationsView(Theme& theme, QWidget* parent)
    : QWidget(parent), m_picker(new ElidedBox), m_overview(makeText(theme, {}, TextStyle::Strong)),
      m_model(makeText(theme, {}, TextStyle::Body, QStringLiteral("muted"))),
      m_list(new StatementList(theme, tr("What learners wrote")))
{
    setAccessibleName(tr("Explanations"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, space::m, 0, 0);
    column->setSpacing(space::s);
    m_picker->setAccessibleName(tr("Question"));
    m_picker->setToolTip(tr("The question whose answers are shown"));
    m_picker->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    for (QLabel* label : {m_overview, m_model})
        label->setTextFormat(Qt::PlainText);
    column->addWidget(m_picker);
    column->addWidget(m_overview);
    column->addWidget(m_model);
    column->addWidget(m_list, 1);
    connect(m_picker, &QComboBox::activated, this, &ExplanationsView::showQuestion);
}

void ExplanationsView::setReport(const classroom::ClassReport& report, const QStringList& titles)
{
    const QString shown = m_picker->currentData().toString();
    m_questions = report.explanations;
    m_picker->clear();
    for (const classroom::ExplanationList& one : m_questions) {
        const auto lesson = std::ranges::find(report.lessons, one.lesson) - report.lessons.begin();
        const QString title = lesson < titles.size() ? titles[lesson] : QString::fromStdString(one.lesson);
        m_picker->addItem(tr("%1: %2").arg(title, QString::fromStdString(one.question)),
                          QString::fromStdString(one.lesson + '/' + one.block));
    }
    m_picker->setCurrentIndex(std::max(0, m_picker->findData(shown)));
    m_picker->setVisible(!m_questions.empty());
    showQuestion();
}

QString ExplanationsView::overview() const
{
    return m_overview->text();
}

void ExplanationsView::showQuestion()
{
    const QString empty = tr("No learner has answered an exit question in their own words yet.");
    const int index = m_picker->currentIndex();
    const bool any = index >= 0 && static_cast<std::size_t>(index) < m_questions.size();
    m_overview->setVisible(any);
    m_model->setVisible(any);
    if (!any)
        return m_list->setStatements({}, empty);
    const classroom::ExplanationList& one = m_questions[static_cast<std::size_t>(index)];
    const auto rated = [&](const char* rating) {
        return std::ranges::count(one.lines, rating, &classroom::ExplanationList::Line::rating);
    };
    m_overview->setText(tr("%1 wrote. They rate theirs against the model answer: %2 yes, %3 partly, %4 no, %5 not yet.")
                            .arg(one.lines.size())
                            .arg(rated("yes"))
                            .arg(rated("partly"))
                            .arg(rated("no"))
                            .arg(rated("")));
    m_model->setText(tr("Model answer: %1").arg(QString::fromStdString(one.model)));
    std::vector<Statement> statements;
    for (const classroom::ExplanationList::Line& line : one.lines)
        statements.push_back({0, 0, isolated(QString::fromStdString(line.text)),
                              tr("%1, %2").arg(isolated(personName(line.who)), ratingText(line.rating)),
                              QString::fromStdString(one.lesson)});
    m_list->setStatements(std::move(statements), empty);
}

} // namespace ridge::app

#include "moc_explanations_view.cpp"
