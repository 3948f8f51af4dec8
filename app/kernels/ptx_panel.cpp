// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/ptx_panel.h"

#include "app/ui/kernel_editor.h"
#include "app/ui/panels.h"
#include "app/ui/still_scroll.h"
#include "base/json.h"

#include <QAbstractTableModel>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QKeyEvent>
#include <QTreeView>
#include <QVBoxLayout>

namespace ridge::app {

/// A row for each line of the PTX, and below it one for each machine instruction that came of it.
class PtxModel : public QAbstractTableModel {
public:
    enum Column { Number, Source, Instruction, Columns };

    PtxModel(Theme& theme, QStringList heads, QObject* parent)
        : QAbstractTableModel(parent), m_theme(theme), m_heads(std::move(heads))
    {
    }

    void setLines(std::vector<PtxLine> lines)
    {
        beginResetModel();
        m_lines = std::move(lines);
        m_rows.clear();
        for (int line = 0; line < int(m_lines.size()); ++line)
            for (int machine = -1; machine < int(m_lines[std::size_t(line)].machine.size()); ++machine)
                m_rows.push_back({line, machine});
        m_marked = 0;
        endResetModel();
    }
    const std::vector<PtxLine>& lines() const { return m_lines; }
    const PtxLine& lineOf(int row) const { return m_lines[std::size_t(m_rows[std::size_t(row)].line)]; }
    bool isPtx(int row) const { return m_rows[std::size_t(row)].machine < 0; }
    int numberOf(int row) const { return m_rows[std::size_t(row)].line + 1; }
    bool isMarked(int row) const { return m_marked > 0 && lineOf(row).sourceLine == m_marked; }
    void mark(int sourceLine)
    {
        if (std::exchange(m_marked, sourceLine) != sourceLine && !m_rows.empty())
            Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, Columns - 1), {Qt::FontRole, Qt::DisplayRole});
    }
    std::vector<int> marked() const;
    int firstOf(int sourceLine) const
    {
        for (int row = 0; row < rowCount(); ++row)
            if (lineOf(row).sourceLine == sourceLine)
                return row;
        return -1;
    }

    int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : int(m_rows.size()); }
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : Columns; }
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override
    {
        if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
            return {};
        return m_heads.value(section);
    }
    QVariant data(const QModelIndex& at, int role) const override
    {
        if (!at.isValid())
            return {};
        const PtxLine& line = lineOf(at.row());
        switch (role) {
        case Qt::DisplayRole:
        case Qt::ToolTipRole:
            return text(at.row(), Column(at.column()));
        case Qt::AccessibleTextRole:
            return at.column() == Instruction ? spoken(at.row()) : text(at.row(), Column(at.column()));
        case Qt::FontRole: {
            QFont font = m_theme.font(TextStyle::Code);
            font.setBold(isMarked(at.row())); // beside its mark
            return font;
        }
        case Qt::ForegroundRole:
            return !isPtx(at.row())   ? QVariant(m_theme.color(Role::Text2))
                   : line.copies == 0 ? QVariant(m_theme.color(Role::Text3))
                                      : QVariant();
        default:
            return {};
        }
    }

private:
    struct Row {
        int line, machine; ///< machine −1: the line of PTX itself
    };

    QString instruction(int row) const
    {
        const PtxLine& line = lineOf(row);
        if (isPtx(row))
            return (line.text.startsWith(QLatin1Char('\t')) ? QStringLiteral("  ") : QString()) +
                   line.text.simplified();
        return line.machine[m_rows[std::size_t(row)].machine];
    }
    QString text(int row, Column column) const
    {
        const PtxLine& line = lineOf(row);
        switch (column) {
        case Number:
            return isPtx(row) ? QString::number(numberOf(row)) : QString();
        case Source:
            return line.sourceLine == 0 || !isPtx(row)
                       ? QString()
                       : (isMarked(row) ? QStringLiteral("▸ ") : QString()) + QString::number(line.sourceLine);
        default:
            break;
        }
        if (isPtx(row))
            return instruction(row);
        const bool many = line.copies > 1 && m_rows[std::size_t(row)].machine == 0;
        return QStringLiteral("      → ") +
               (many ? PtxPanel::tr("%1   × %2 copies").arg(instruction(row)).arg(line.copies) : instruction(row));
    }
    QString spoken(int row) const
    {
        const PtxLine& line = lineOf(row);
        if (!isPtx(row))
            return PtxPanel::tr("becomes %1").arg(instruction(row));
        return line.copies == 0 || line.sourceLine == 0 ? instruction(row).trimmed()
                                                        : PtxPanel::tr("%1; of line %2; %3 line %4")
                                                              .arg(instruction(row).trimmed())
                                                              .arg(line.sourceLine)
                                                              .arg(m_heads.front())
                                                              .arg(numberOf(row));
    }

    Theme& m_theme;
    QStringList m_heads;
    std::vector<PtxLine> m_lines;
    std::vector<Row> m_rows;
    int m_marked = 0;
};

PtxPanel::PtxPanel(Theme& theme, KernelEditor& editor, QWidget* parent)
    : QWidget(parent), m_editor(editor),
      m_model(new PtxModel(theme, {tr("PTX"), tr("Line"), tr("Instruction, → what it becomes")}, this)),
      m_sassModel(new PtxModel(theme, {tr("SASS"), tr("Line"), tr("Address and instruction")}, this)),
      m_table(new QTreeView), m_sass(new QTreeView),
      m_note(makeText(theme, {}, TextStyle::Caption, QStringLiteral("hint"))),
      m_sentence(makeText(theme, {}, TextStyle::Body, QStringLiteral("muted")))
{
    setAccessibleName(tr("PTX"));
    // Where table and notes do not fit below each other (large text), all of it scrolls.
    auto* scroll = new StillScroll;
    scroll->setAccessibleName(tr("PTX"));
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setFocusPolicy(Qt::NoFocus);
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(scroll);
    auto* page = new QWidget;
    page->setAccessibleName(tr("PTX"));
    scroll->setWidget(page);
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(space::m, space::m, space::m, space::m);
    column->setSpacing(space::s);
    column->addWidget(m_sentence);
    m_table->setAccessibleName(tr("PTX by line; Enter goes to the source line"));
    m_sass->setAccessibleName(tr("SASS by line; Enter goes to the source line"));
    addTable(theme, m_table, m_model);
    addTable(theme, m_sass, m_sassModel);
    m_sass->hide();
    column->addWidget(m_table, 1);
    column->addWidget(m_sass, 1);
    column->addWidget(m_note);
    QPushButton* all = makeButton(tr("Copy the PTX"), tr("The whole text, for an editor or a diff"));
    column->addWidget(all, 0, Qt::AlignLeft);
    connect(all, &QPushButton::clicked, this, &PtxPanel::copyAll);
    connect(&m_editor, &QPlainTextEdit::cursorPositionChanged, this, &PtxPanel::followSource);
    connect(&m_editor, &QPlainTextEdit::textChanged, this, [this] {
        m_stale = true;
        followSource();
    });
    say();
}

void PtxPanel::addTable(Theme& theme, QTreeView* table, PtxModel* model)
{
    table->setModel(model);
    table->header()->setAccessibleName(tr("Columns"));
    table->setRootIsDecorated(false);
    table->setUniformRowHeights(true);
    table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->header()->setStretchLastSection(true);
    useRowHeight(theme, table);
    const auto fit = [table, &theme] {
        const QFontMetrics metrics(theme.font(TextStyle::Code));
        const int digit = metrics.horizontalAdvance(QLatin1Char('0'));
        table->setColumnWidth(PtxModel::Number, 5 * digit + space::m);
        table->setColumnWidth(PtxModel::Source, 5 * digit + space::l);
        table->setMinimumHeight(4 * theme.scaled(28));
    };
    fit();
    connect(&theme, &Theme::changed, table, fit);
    connect(table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this, table, model] { followTable(table, model); });
    connect(table, &QTreeView::activated, this, [this, table, model] {
        followTable(table, model);
        m_editor.setFocus(Qt::OtherFocusReason);
    });
    table->installEventFilter(this);
}

void PtxPanel::setDocument(const Json& document, bool isPtx)
{
    m_compiled = m_editor.toPlainText();
    m_by = QStringLiteral("%1, %2").arg(QString::fromStdString(document.value("arch", std::string())),
                                        QString::fromStdString(document.value("compiler", std::string())));
    m_model->setLines(ptxListing(document, isPtx));
    // The first answer comes before NVIDIA's tools are through: the table waits empty where it was.
    m_sassModel->setLines(sassListing(document));
    if (document.contains("sass") || document.contains("sass_missing")) {
        m_sass->setVisible(!m_sassModel->lines().empty());
        m_sassBy = sassOrigin(document);
    }
    m_stale = false;
    followSource();
}

void PtxPanel::setFailed()
{
    m_stale = true;
    followSource();
}

void PtxPanel::showEvent(QShowEvent* event)
{
    QWidget::showEvent(event);
    followSource();
}

bool PtxPanel::eventFilter(QObject* watched, QEvent* event)
{
    if ((watched == m_table || watched == m_sass) && event->type() == QEvent::KeyPress &&
        static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy)) {
        copyChosen(static_cast<QTreeView*>(watched));
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

void PtxPanel::followSource()
{
    if (!isVisible())
        return; // looked at again when it is shown
    if (m_stale && m_editor.toPlainText() == m_compiled && !m_model->lines().empty())
        m_stale = false; // an edit was taken back
    const int line = m_stale ? 0 : m_editor.currentLine();
    for (const auto& [table, model] : {std::pair(m_table, m_model), std::pair(m_sass, m_sassModel)}) {
        model->mark(line);
        const int first = line > 0 ? model->firstOf(line) : -1;
        if (m_leading != table && first >= 0)
            table->scrollTo(model->index(first, 0), QAbstractItemView::PositionAtCenter);
    }
    say();
}

void PtxPanel::followTable(QTreeView* table, PtxModel* model)
{
    const QModelIndex at = table->currentIndex();
    if (m_stale || !at.isValid() || model->lineOf(at.row()).sourceLine == 0)
        return;
    m_leading = table;
    m_editor.goToLine(model->lineOf(at.row()).sourceLine);
    followSource();
    m_leading = nullptr;
}

QString PtxPanel::sentence() const
{
    return m_sentence->text();
}

std::vector<int> PtxModel::marked() const
{
    std::vector<int> rows;
    for (int row = 0; row < rowCount(); ++row)
        if (isPtx(row) && isMarked(row))
            rows.push_back(numberOf(row));
    return rows;
}

std::vector<int> PtxPanel::markedRows() const
{
    return m_model->marked();
}

std::vector<int> PtxPanel::markedSass() const
{
    return m_sassModel->marked();
}

void PtxPanel::say()
{
    const bool empty = m_model->lines().empty();
    m_sentence->setText(empty     ? tr("There is no PTX yet: it comes with the first text that compiles.")
                        : m_stale ? tr("The source has changed; this is the PTX of the last text that compiled.")
                                  : ptxSentence(m_model->lines(), m_editor.currentLine()));
    m_note->setText(
        empty ? QString()
              : tr("Made for %1. Lines by the compiler's .loc directives; one instruction may serve several. "
                   "Machine instructions behind arrows are MODELLED by the simulator's own lowering, not by ptxas. %2")
                    .arg(m_by, m_sassBy)
                    .trimmed());
}

void PtxPanel::copyAll()
{
    QStringList lines;
    for (const PtxLine& line : m_model->lines())
        lines << line.text;
    QApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

void PtxPanel::copyChosen(QTreeView* table)
{
    QStringList lines;
    QModelIndexList rows = table->selectionModel()->selectedRows();
    std::sort(rows.begin(), rows.end());
    for (const QModelIndex& row : rows) {
        QStringList cells;
        for (int column = 0; column < PtxModel::Columns; ++column)
            cells << row.siblingAtColumn(column).data().toString();
        lines << cells.join(QLatin1Char('\t'));
    }
    QApplication::clipboard()->setText(lines.join(QLatin1Char('\n')));
}

} // namespace ridge::app

#include "moc_ptx_panel.cpp"
