// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/blocks/worksheet_block.h"

#include "app/theme/announce.h"
#include "base/units.h"
#include "evidence/evidence.h"

#include <QGridLayout>
#include <QLineEdit>
#include <QPushButton>

namespace ridge::app {
namespace {

constexpr int kFieldWidth = 140; ///< px at 100 %

QString shownNumber(double value, const std::string& unit)
{
    return QString::fromStdString(unit.empty() ? formatNumber(value) : formatQuantity(value, unit));
}

} // namespace

WorksheetBlockWidget::WorksheetBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent)
    : BlockWidget(context, block, tr("Worksheet"), parent), m_sheet(std::get<lessons::WorksheetBlock>(block.body)),
      m_title(new AuthorLabel(context, {}, TextStyle::Strong, "", this)), m_grid(new QGridLayout)
{
    body()->addWidget(m_title);
    addRows();
    m_missing = addLabel({}, TextStyle::Body, "hint");
    m_missing->setObjectName(QStringLiteral("missing"));
    m_verdict = addLabel({}, TextStyle::Strong);
    m_verdict->setObjectName(QStringLiteral("verdict"));
    m_hint = new AuthorLabel(context, {}, TextStyle::Body, "", this);
    m_hint->setObjectName(QStringLiteral("hint"));
    body()->addWidget(m_hint);
    addHeld();
    addButtons();
    addCaption(m_sheet.caption, Caption::After);
    connect(&context.state, &LessonState::answersChanged, this, [this](const QString& id) {
        if (id == blockId())
            refresh();
    });
    connect(&context.state, &LessonState::runsChanged, this, &WorksheetBlockWidget::refresh);
    m_started = progress().instance;
    refresh();
}

void WorksheetBlockWidget::addRows()
{
    m_grid->setHorizontalSpacing(space::m);
    m_grid->setVerticalSpacing(space::s);
    m_grid->setColumnStretch(0, 1);
    int row = 0;
    for (const lessons::WorksheetGiven& given : m_sheet.given) {
        auto* label = new AuthorLabel(this->context(), given.label, TextStyle::Body, "muted", this);
        auto* value = new ThemedLabel(theme(), {}, TextStyle::Body, "", this);
        value->setObjectName(QStringLiteral("given:") + QString::fromStdString(given.name));
        value->setTextInteractionFlags(Qt::TextSelectableByMouse);
        m_grid->addWidget(label, row, 0);
        m_grid->addWidget(value, row++, 1, 1, 2);
        m_given.push_back({label, value});
    }
    for (const lessons::WorksheetCell& cell : m_sheet.cells) {
        auto* label = new AuthorLabel(this->context(), cell.label, TextStyle::Body, "", this);
        auto* field = new QLineEdit(this);
        const QString unit = cell.unit.empty() ? QString() : QString::fromStdString(cell.unit);
        field->setObjectName(QStringLiteral("cell:") + QString::fromStdString(cell.name));
        field->setAlignment(Qt::AlignRight);
        field->setFixedWidth(theme().scaled(kFieldWidth));
        field->setPlaceholderText(takesPrefix(cell.unit) ? tr("in %1").arg(unit) : unit);
        field->setAccessibleName(unit.isEmpty() ? label->plain() : tr("%1, in %2").arg(label->plain(), unit));
        auto* mark = new ThemedLabel(theme(), {}, TextStyle::Body, "", this);
        mark->setWordWrap(false);
        mark->setMinimumWidth(theme().scaled(kFieldWidth) / 2);
        m_grid->addWidget(label, row, 0);
        m_grid->addWidget(field, row, 1);
        m_grid->addWidget(mark, row++, 2);
        m_cells.push_back({label, field, mark});
        connect(field, &QLineEdit::returnPressed, this, &WorksheetBlockWidget::activate);
        connect(field, &QLineEdit::textChanged, this, [this] { m_check->setEnabled(canActivate()); });
    }
    body()->addLayout(m_grid);
}

void WorksheetBlockWidget::addButtons()
{
    m_check = new QPushButton(tr("Check"), this);
    m_show = new QPushButton(tr("Show me"), this);
    m_new = new QPushButton(tr("New numbers"), this);
    m_check->setObjectName(QStringLiteral("checkButton"));
    m_show->setObjectName(QStringLiteral("showMe"));
    m_new->setObjectName(QStringLiteral("newNumbers"));
    m_check->setAccessibleName(tr("Check this cell"));
    m_show->setAccessibleName(m_show->text());
    m_new->setAccessibleName(m_new->text());
    m_show->setToolTip(tr("Fills the sheet; with these numbers it then no longer counts"));
    auto* row = new QHBoxLayout;
    row->setSpacing(space::s);
    for (QPushButton* button : {m_check, m_show, m_new})
        row->addWidget(button);
    row->addStretch();
    body()->addLayout(row);
    connect(m_check, &QPushButton::clicked, this, &WorksheetBlockWidget::activate);
    connect(m_show, &QPushButton::clicked, this, &WorksheetBlockWidget::showAll);
    connect(m_new, &QPushButton::clicked, this, &WorksheetBlockWidget::restart);
}

lessons::SheetProgress WorksheetBlockWidget::progress() const
{
    std::vector<lessons::AnswerGiven> answers;
    for (const record::AnswerRow* row : state().answersOf(block().id))
        answers.push_back(answerFromJson(*row->answer));
    return lessons::sheetProgress(m_sheet, answers);
}

int WorksheetBlockWidget::instance() const
{
    return std::max(progress().instance, m_started);
}

Result<std::map<std::string, double>> WorksheetBlockWidget::solved() const
{
    const lessons::Evidence& evidence = state().evidence();
    return lessons::solveSheet(m_sheet, instance(), lessons::givenLookup(app().curriculum(), evidence));
}

std::size_t WorksheetBlockWidget::openCell(const lessons::SheetProgress& progress) const
{
    if (progress.instance != instance())
        return 0;
    std::size_t cell = 0;
    while (cell < m_sheet.cells.size() && progress.right.contains(m_sheet.cells[cell].name))
        ++cell;
    return cell;
}

void WorksheetBlockWidget::refresh()
{
    const lessons::SheetProgress now = progress();
    const int shownInstance = instance();
    const bool current = now.instance == shownInstance;
    m_title->setMarkdown(lessons::withVars(m_sheet.title, m_sheet, shownInstance));
    const lessons::Evidence& evidence = state().evidence();
    const auto lookup = lessons::givenLookup(app().curriculum(), evidence);
    for (std::size_t i = 0; i < m_given.size(); ++i) {
        const lessons::WorksheetGiven& given = m_sheet.given[i];
        const auto value = given.value ? given.value : lookup(given.from);
        m_given[i].label->setMarkdown(lessons::withVars(given.label, m_sheet, shownInstance));
        m_given[i].value->setText(value ? shownNumber(*value, given.unit) : tr("not run yet"));
    }
    const auto numbers = solved();
    m_missing->setVisible(!numbers);
    if (!numbers)
        m_missing->setText(numbers.error().code == "not-run"
                               ? tr("A number of this sheet comes from a run that is still to be made.")
                               : QString::fromStdString(toText(numbers.error())));
    const QString held = now.right.empty() && now.wrong == 0 ? QString() : state().heldAnswer(block().id);
    const bool finished = current && (now.shown || now.right.size() == m_sheet.cells.size());
    refreshCells(numbers ? *numbers : std::map<std::string, double>(), numbers && !finished && held.isEmpty());
    setHeld(tr("Your numbers are stored."), held);
    const bool wrong = current && now.wrong > 0 && !finished;
    m_show->setVisible(wrong && held.isEmpty());
    m_new->setVisible(finished && held.isEmpty() && lessons::instancesOf(m_sheet) > 1);
    m_check->setVisible(!finished);
    setCaptionShown(finished && held.isEmpty());
    m_check->setEnabled(canActivate());
    if (const auto obstacle = state().storeObstacle())
        m_check->setToolTip(obstacle->line());
}

void WorksheetBlockWidget::refreshCells(const std::map<std::string, double>& numbers, bool open)
{
    const lessons::SheetProgress now = progress();
    const bool current = now.instance == instance(), tells = state().heldAnswer(block().id).isEmpty();
    const std::size_t at = openCell(now);
    const auto answers = state().answersOf(block().id);
    const auto last = answers.empty() ? lessons::AnswerGiven() : answerFromJson(*answers.back()->answer);
    for (std::size_t i = 0; i < m_cells.size(); ++i) {
        const lessons::WorksheetCell& cell = m_sheet.cells[i];
        const CellRow& row = m_cells[i];
        row.label->setMarkdown(lessons::withVars(cell.label, m_sheet, instance()));
        const auto right = now.right.find(cell.name);
        const bool filled = current && right != now.right.end();
        row.field->setEnabled(open && i == at);
        if (filled || (current && now.shown && numbers.contains(cell.name)))
            row.field->setText(shownNumber(filled ? right->second : numbers.at(cell.name), cell.unit));
        else if (i > at)
            row.field->clear();
        row.mark->setText(!tells ? QString() : filled ? tr("right") : current && now.shown ? tr("shown") : QString());
        row.mark->setTone(filled ? "ok" : "hint");
    }
    const bool wrong = current && tells && at < m_cells.size() && !now.shown && last.cell == m_sheet.cells[at].name &&
                       !last.cells.contains(last.cell) && last.instance == instance();
    const bool done = current && tells && at == m_cells.size() && !now.shown;
    m_hint->setVisible(wrong && !m_sheet.cells[at].hint.empty());
    if (wrong) {
        m_cells[at].mark->setText(tr("not yet"));
        m_cells[at].mark->setTone("warn");
        m_hint->setMarkdown(m_sheet.cells[at].hint);
    }
    m_verdict->setVisible(done || (current && now.shown));
    m_verdict->setText(done ? tr("All cells are right.")
                            : tr("The sheet is filled for you. Take new numbers to do it yourself."));
    m_verdict->setTone(done ? "ok" : "warn");
}

bool WorksheetBlockWidget::canActivate() const
{
    const std::size_t at = openCell(progress());
    return !m_pending && !state().storeObstacle() && at < m_cells.size() && m_cells[at].field->isEnabled() &&
           !m_cells[at].field->text().trimmed().isEmpty();
}

void WorksheetBlockWidget::focusInput()
{
    const std::size_t at = openCell(progress());
    if (at < m_cells.size() && m_cells[at].field->isEnabled())
        return m_cells[at].field->setFocus(Qt::ShortcutFocusReason);
    BlockWidget::focusInput();
}

void WorksheetBlockWidget::activate()
{
    const auto numbers = solved();
    if (!canActivate() || !numbers)
        return;
    const lessons::SheetProgress now = progress();
    const std::size_t at = openCell(now);
    const lessons::WorksheetCell& cell = m_sheet.cells[at];
    const auto value = parseQuantity(m_cells[at].field->text().toStdString(), cell.unit);
    if (!value) {
        m_verdict->setText(QString::fromStdString(toText(value.error())));
        m_verdict->setTone("error");
        return m_verdict->setVisible(true);
    }
    lessons::AnswerGiven given;
    given.instance = instance();
    given.hasInstance = true;
    given.vars = lessons::varsOf(m_sheet, given.instance);
    given.cell = cell.name;
    given.number = *value;
    if (now.instance == given.instance)
        given.cells = now.right;
    if (lessons::isCellRight(cell, numbers->at(cell.name), *value))
        given.cells[cell.name] = *value;
    store(std::move(given));
}

void WorksheetBlockWidget::showAll()
{
    const auto numbers = solved();
    if (!numbers || m_pending)
        return;
    lessons::AnswerGiven given;
    given.instance = instance();
    given.hasInstance = true;
    given.vars = lessons::varsOf(m_sheet, given.instance);
    given.shown = true;
    store(std::move(given));
}

void WorksheetBlockWidget::restart()
{
    m_started = instance() + 1;
    for (const CellRow& row : m_cells)
        row.field->clear();
    refresh();
    focusInput();
}

void WorksheetBlockWidget::store(lessons::AnswerGiven given)
{
    record::AnswerRow row;
    row.block = block().id;
    row.correct = !given.shown && !progress().shown && given.cells.size() == m_sheet.cells.size();
    const bool right = given.cells.contains(given.cell);
    row.answer = toJson(given);
    m_pending = true;
    state().commit(std::move(row), this, [this, right](const Result<std::string>& stored) {
        m_pending = false;
        refresh();
        if (!stored) {
            m_verdict->setText(QString::fromStdString(toText(stored.error())));
            m_verdict->setTone("error");
            return m_verdict->setVisible(true);
        }
        if (state().heldAnswer(block().id).isEmpty())
            announce(m_verdict, right ? tr("Right.") : tr("Not yet. %1").arg(m_hint->plain()));
        focusInput();
    });
}

} // namespace ridge::app

#include "moc_worksheet_block.cpp"
