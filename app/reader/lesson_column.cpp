// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/reader/lesson_column.h"

#include "app/reader/code_view.h"
#include "app/reader/page_parts.h"

#include <QPainter>

namespace ridge::app {

LessonColumn::LessonColumn(const ReaderContext& context, QWidget* parent)
    : QWidget(parent), m_context(context), m_column(new QVBoxLayout(this)),
      m_storeNotice(new ErrorCard(context.theme(), this)), m_workerNotice(new ErrorCard(context.theme(), this))
{
    setObjectName(QStringLiteral("lessonColumn"));
    m_column->setSpacing(0);
    m_column->addWidget(new PageHeader(context, this));
    m_column->addSpacing(space::l);
    m_storeNotice->setObjectName(QStringLiteral("storeNotice"));
    m_workerNotice->setObjectName(QStringLiteral("workerNotice"));
    m_column->addWidget(m_storeNotice);
    m_column->addWidget(m_workerNotice);
    for (const auto& section : context.state.lesson().sections)
        addSection(section);
    addChecks();
    m_column->addStretch();
    connect(&context.state, &LessonState::abilityChanged, this, &LessonColumn::refreshNotices);
    connect(m_workerNotice, &ErrorCard::retry, &context.app, &AppContext::loadCatalogue);
    connect(&context.theme(), &Theme::changed, this, [this] {
        center();
        update();
    });
    refreshNotices();
}

int LessonColumn::preferredWidth() const
{
    // Seventy characters of ordinary prose; the mean width of a font's characters would count its rare wide ones too.
    static const QString seventy =
        QStringLiteral("When a warp executes a load, the memory system receives one request wi");
    const QFontMetricsF metrics(m_context.theme().font(TextStyle::ReadBody));
    return int(std::ceil(metrics.horizontalAdvance(seventy))) + 2 * kTextInset;
}

void LessonColumn::center()
{
    const int wanted = preferredWidth();
    const int side = std::max<int>(space::s, (width() - wanted) / 2);
    m_column->setContentsMargins(side, space::xxxl, side, space::xxxl * 2);
}

void LessonColumn::resizeEvent(QResizeEvent* event)
{
    if (event->oldSize().width() != width())
        center();
    QWidget::resizeEvent(event);
}

void LessonColumn::paintEvent(QPaintEvent* event)
{
    QPainter(this).fillRect(event->rect(), m_context.theme().color(Role::Surface));
}

void LessonColumn::addInset(QWidget* widget, int above)
{
    auto* row = new QHBoxLayout;
    row->setContentsMargins(kTextInset, above, kTextInset, 0);
    row->addWidget(widget);
    m_column->addLayout(row);
}

void LessonColumn::addSection(const lessons::Section& section)
{
    auto* title =
        new ThemedLabel(m_context.theme(), QString::fromStdString(section.title), TextStyle::ReadH2, "", this);
    title->setFocusPolicy(Qt::ClickFocus);
    title->setObjectName(QStringLiteral("section:") + QString::fromStdString(section.title));
    m_sections.push_back(title);
    addInset(title, space::xxxl);
    m_afterBlock = false;
    for (const auto& segment : section.segments) {
        if (const auto* prose = std::get_if<lessons::Prose>(&segment)) {
            addProse(*prose);
            continue;
        }
        BlockWidget* block = makeBlock(m_context, std::get<lessons::Block>(segment), this);
        m_blocks.push_back(block);
        m_column->addSpacing(space::xl);
        m_column->addWidget(block);
        m_afterBlock = true;
    }
}

void LessonColumn::addProse(const lessons::Prose& prose)
{
    for (const ProsePiece& piece : splitFences(prose.markdown)) {
        if (piece.code) {
            const QString language = QString::fromStdString(piece.language);
            addInset(new CodeView(m_context.theme(), QString::fromStdString(piece.text), languageOf(language), this),
                     space::l);
        } else {
            addInset(new ProseView(m_context, piece.text, ProseLook::Reading, this),
                     m_afterBlock ? space::xl : space::l);
        }
        m_afterBlock = false;
    }
}

void LessonColumn::addChecks()
{
    if (m_context.state.lesson().checks.empty())
        return;
    auto* checks = new ChecksView(m_context, true, this);
    checks->setObjectName(QStringLiteral("checks"));
    addInset(checks, space::xxl);
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
