// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/lesson_column.h"

#include "app/lesson/reader/code_view.h"
#include "app/lesson/reader/lesson_end.h"
#include "app/lesson/reader/page_parts.h"

#include <QDeadlineTimer>
#include <QPainter>

namespace ridge::app {

namespace {

/// By how much a card that holds a picture or code may be wider than the text's own measure, in px at 100 %.
constexpr int kWideExtra = 160;
constexpr int kWholeMs = -1;
constexpr int kPauseMs = 10; ///< before the next turn of filling, after one that took twice its time

bool isWide(const std::string& kind)
{
    return kind == "kernel" || kind == "rtl" || kind == "scene" || kind == "sweep" || kind == "chart" ||
           kind == "explore";
}

bool isScene(const lessons::Segment& segment)
{
    const auto* block = std::get_if<lessons::Block>(&segment);
    return block && (block->kind == "scene" || block->kind == "explore");
}

} // namespace

LessonColumn::LessonColumn(const ReaderContext& context, QWidget* parent)
    : QWidget(parent), m_context(context), m_column(new QVBoxLayout(this)),
      m_storeNotice(new ErrorCard(context.theme(), this)), m_workerNotice(new ErrorCard(context.theme(), this))
{
    setObjectName(QStringLiteral("lessonColumn"));
    m_hidden = context.state.hiddenQuestions();
    m_column->setSpacing(0);
    connect(&context.theme(), &Theme::changed, this, [this] {
        center(width());
        update();
    });
}

void LessonColumn::fill()
{
    addRow(new PageHeader(m_context, this), 0, 0, false);
    m_column->addSpacing(space::l);
    m_storeNotice->setObjectName(QStringLiteral("storeNotice"));
    m_workerNotice->setObjectName(QStringLiteral("workerNotice"));
    addRow(m_storeNotice, 0, 0, false);
    addRow(m_workerNotice, 0, 0, false);
    connect(&m_context.state, &LessonState::abilityChanged, this, &LessonColumn::refreshNotices);
    connect(m_workerNotice, &ErrorCard::retry, &m_context.app, &AppContext::loadCatalogue);
    refreshNotices();
    connect(&m_fillTimer, &QTimer::timeout, this, [this] { fillFor(m_sliceMs); });
    m_fillTimer.start(0);
    fillFor(0);
}

void LessonColumn::fillFor(int milliseconds)
{
    const QDeadlineTimer until(milliseconds);
    bool worked = false;
    const auto& sections = m_context.state.lesson().sections;
    while (!m_filled) {
        if (m_nextSection == sections.size()) {
            addChecks();
            m_column->addStretch();
            m_filled = true;
            m_fillTimer.stop();
            Q_EMIT filled();
            return;
        }
        const auto& section = sections[m_nextSection];
        // A scene may be the first that asks for OpenGL, which loads a driver: it gets a turn of its own.
        if (worked && milliseconds >= 0 && m_nextSegment < section.segments.size() &&
            isScene(section.segments[m_nextSegment]))
            return;
        worked = true;
        if (m_nextSegment == 0)
            addTitle(section);
        if (m_nextSegment < section.segments.size())
            addSegment(section.segments[m_nextSegment++]);
        if (m_nextSegment == section.segments.size()) {
            endSection(section);
            ++m_nextSection;
            m_nextSegment = 0;
        }
        if (until.hasExpired()) {
            // After a long turn everybody else comes first.
            m_fillTimer.setInterval(until.deadline() + kSliceMs < QDeadlineTimer::current().deadline() ? kPauseMs : 0);
            return;
        }
    }
}

const std::vector<BlockWidget*>& LessonColumn::blocks()
{
    fillFor(kWholeMs);
    return m_blocks;
}

QWidget* LessonColumn::sectionTitle(int index)
{
    if (std::size_t(index) >= m_sections.size())
        fillFor(kWholeMs);
    return m_sections[std::size_t(index)];
}

int LessonColumn::preferredWidth() const
{
    return textMeasure(m_context.theme()) + 2 * kTextInset;
}

void LessonColumn::setReserved(int reserved)
{
    if (m_reserved == reserved)
        return;
    m_reserved = reserved;
    center(width());
}

/// A scroll area asks before it resizes: with the margins of the old width every text would be laid out once more.
int LessonColumn::heightForWidth(int width) const
{
    const_cast<LessonColumn*>(this)->center(width);
    return QWidget::heightForWidth(width);
}

QSize LessonColumn::sizeHint() const
{
    return {preferredWidth(), preferredWidth()};
}
QSize LessonColumn::minimumSizeHint() const
{
    return {preferredWidth() / 2, space::xxxl};
}

void LessonColumn::center(int width)
{
    int room = width - m_reserved - 2 * space::s;
    const int notes = m_notesWidth > 0 ? m_notesWidth + space::l : 0;
    m_notesFit = notes > 0 && room >= preferredWidth() + notes;
    if (m_notesFit)
        room -= notes;
    const int narrow = std::min(preferredWidth(), room);
    const int wide = std::min(narrow + m_context.theme().scaled(kWideExtra), room);
    const int side = space::s + (room - wide) / 2, extra = (wide - narrow) / 2;
    const QMargins margins(side, space::xxxl, side + m_reserved + (m_notesFit ? notes : 0), space::xxxl * 2);
    if (m_column->contentsMargins() == margins && m_extra == extra)
        return;
    m_extra = extra;
    m_column->setContentsMargins(margins);
    for (const Row& row : m_rows) {
        const int inset = row.inset + (row.wide ? 0 : extra);
        row.layout->setContentsMargins(inset, row.above, inset, 0);
    }
}

void LessonColumn::resizeEvent(QResizeEvent* event)
{
    if (event->oldSize().width() != width())
        center(width());
    QWidget::resizeEvent(event);
}

void LessonColumn::paintEvent(QPaintEvent* event)
{
    QPainter(this).fillRect(event->rect(), m_context.theme().color(Role::Surface));
}

void LessonColumn::addRow(QWidget* widget, int above, int inset, bool wide)
{
    auto* row = new QHBoxLayout;
    row->addWidget(widget);
    const int side = inset + (wide ? 0 : std::max(0, m_extra));
    row->setContentsMargins(side, above, side, 0);
    m_column->addLayout(row);
    m_rows.push_back({row, inset, above, wide});
}

void LessonColumn::addTitle(const lessons::Section& section)
{
    auto* title =
        new ThemedLabel(m_context.theme(), QString::fromStdString(section.title), TextStyle::ReadH2, "", this);
    title->setFocusPolicy(Qt::ClickFocus);
    title->setObjectName(QStringLiteral("section:") + QString::fromStdString(section.title));
    m_sections.push_back(title);
    m_piece = 0;
    addInset(title, space::xxxl);
    m_afterBlock = false;
}

void LessonColumn::addSegment(const lessons::Segment& segment)
{
    if (const auto* prose = std::get_if<lessons::Prose>(&segment))
        return addProse(*prose);
    if (m_hidden.contains(std::get<lessons::Block>(segment).id))
        return; // recalls what this learner has not met
    BlockWidget* block = makeBlock(m_context, std::get<lessons::Block>(segment), this);
    m_blocks.push_back(block);
    m_parts.push_back({m_context.state.lesson().sections[m_nextSection].title, block->block().id, block});
    addRow(block, space::xl, 0, isWide(block->block().kind));
    m_afterBlock = true;
}

void LessonColumn::addProse(const lessons::Prose& prose)
{
    const std::string& section = m_context.state.lesson().sections[m_nextSection].title;
    for (const lessons::ProsePiece& piece : lessons::splitFences(prose.markdown)) {
        Part part{section, lessons::pieceAnchor(section, m_piece++), nullptr};
        if (piece.code) {
            const QString language = QString::fromStdString(piece.language);
            part.widget =
                new CodeView(m_context.theme(), QString::fromStdString(piece.text), languageOf(language), this);
        } else {
            part.widget = new ProseView(m_context, piece.text, ProseLook::Reading, this);
        }
        addInset(part.widget, m_afterBlock && !piece.code ? space::xl : space::l);
        m_parts.push_back(part);
        m_afterBlock = false;
    }
}

void LessonColumn::endSection(const lessons::Section& section)
{
    auto* end = new QVBoxLayout;
    end->setSpacing(space::s);
    auto* row = new QHBoxLayout;
    row->addLayout(end);
    const int side = kTextInset + std::max(0, m_extra);
    row->setContentsMargins(side, 0, side, 0);
    m_column->addLayout(row);
    m_rows.push_back({row, kTextInset, 0, false});
    m_ends.emplace_back(section.title, end);
}

std::vector<LessonColumn::Text> LessonColumn::texts()
{
    fillFor(kWholeMs);
    std::vector<Text> all;
    for (const Part& part : m_parts) {
        if (auto* prose = qobject_cast<ProseView*>(part.widget)) {
            all.push_back({part.section, {}, part.anchor, prose});
        } else if (qobject_cast<BlockWidget*>(part.widget)) {
            for (ProseView* inside : part.widget->findChildren<ProseView*>())
                if (inside->isVisibleTo(this)) // what is hidden cannot be noted, and its words are not yet to be read
                    all.push_back({part.section, part.anchor, {}, inside});
        }
    }
    return all;
}

QWidget* LessonColumn::widgetAt(const QString& anchor)
{
    fillFor(kWholeMs);
    const auto found = std::ranges::find(m_parts, anchor.toStdString(), &Part::anchor);
    return found == m_parts.end() ? nullptr : found->widget;
}

QVBoxLayout* LessonColumn::sectionEnd(const std::string& section)
{
    fillFor(kWholeMs);
    const auto found = std::ranges::find(m_ends, section, &std::pair<std::string, QVBoxLayout*>::first);
    return found != m_ends.end() ? found->second : m_ends.empty() ? nullptr : m_ends.back().second;
}

bool LessonColumn::reserveNotes(int notesWidth)
{
    if (m_notesWidth != notesWidth) {
        m_notesWidth = notesWidth;
        center(width());
    }
    return m_notesFit;
}

int LessonColumn::notesLeft() const
{
    return width() - m_column->contentsMargins().right() + space::l;
}

void LessonColumn::addChecks()
{
    if (m_context.state.lesson().checks.empty())
        return;
    auto* checks = new ChecksView(m_context, true, this);
    checks->setObjectName(QStringLiteral("checks"));
    addInset(checks, space::xxl);
    addInset(new LessonEnd(m_context, LessonEnd::Place::Page, this), space::xl);
}

void LessonColumn::refreshNotices()
{
    const auto& store = m_context.app.storeError();
    if (store)
        m_storeNotice->showError(*store, false);
    else
        m_storeNotice->clear();
    const auto& worker = m_context.app.catalogueError();
    if (worker)
        m_workerNotice->showError(*worker, true);
    else
        m_workerNotice->clear();
}

} // namespace ridge::app

#include "moc_lesson_column.cpp"
