// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/blocks/answer_blocks.h"
#include "app/theme/drags.h"
#include "base/hash.h"
#include "base/seed.h"

#include <QKeyEvent>
#include <QListWidget>
#include <QPushButton>
#include <numeric>

namespace ridge::app {
namespace {

class StepList : public QListWidget {
public:
    using QListWidget::QListWidget;

protected:
    void startDrag(Qt::DropActions) override { startRowDrag(*this); }
};

} // namespace

std::vector<int> shuffledOrder(std::size_t count, const std::string& blockId)
{
    std::vector<int> order(count);
    std::iota(order.begin(), order.end(), 0);
    const std::string hash = sha256Hex(blockId);
    Rng rng(std::stoull(hash.substr(0, 15), nullptr, 16));
    for (std::size_t i = count; i > 1; --i)
        std::swap(order[i - 1], order[rng.nextU32() % i]);
    if (count > 1 && std::ranges::is_sorted(order))
        std::rotate(order.begin(), order.begin() + 1, order.end());
    return order;
}

OrderBlockWidget::OrderBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent)
    : BlockWidget(context, block, tr("Put in order"), parent), m_order(std::get<lessons::OrderBlock>(block.body)),
      m_list(new StepList(this)), m_up(new QPushButton(tr("Move up"), this)),
      m_down(new QPushButton(tr("Move down"), this)), m_check(new QPushButton(tr("Check"), this)),
      m_verdict(new ThemedLabel(context.theme(), {}, TextStyle::Strong, "", this))
{
    addText(m_order.question, ProseLook::Question);
    m_list->setObjectName(QStringLiteral("steps"));
    m_list->setAccessibleName(tr("Steps to put in order"));
    m_list->setAccessibleDescription(tr("Alt+Up and Alt+Down move the step under focus"));
    m_list->setDragDropMode(QAbstractItemView::InternalMove);
    m_list->setWordWrap(true);
    m_list->setStyleSheet(QStringLiteral("QListWidget::item { padding: 5px 8px; }"));
    m_list->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->installEventFilter(this);
    m_list->viewport()->installEventFilter(this);
    body()->addWidget(m_list);
    auto* row = new QHBoxLayout;
    row->setSpacing(space::s);
    for (QPushButton* button : {m_check, m_up, m_down}) {
        button->setAccessibleName(button->text());
        row->addWidget(button);
    }
    m_check->setObjectName(QStringLiteral("checkButton"));
    m_check->setAccessibleName(tr("Check the order"));
    m_up->setToolTip(tr("Move the selected step up (Alt+Up)"));
    m_down->setToolTip(tr("Move the selected step down (Alt+Down)"));
    row->addStretch();
    body()->addLayout(row);
    body()->addWidget(m_verdict);
    addHeld();
    m_verdict->setObjectName(QStringLiteral("verdict"));
    m_explains = addText(m_order.explains, ProseLook::Card);
    connect(m_up, &QPushButton::clicked, this, [this] { moveStep(-1); });
    connect(m_down, &QPushButton::clicked, this, [this] { moveStep(1); });
    connect(m_check, &QPushButton::clicked, this, &OrderBlockWidget::activate);
    connect(&context.state, &LessonState::answersChanged, this, [this](const QString& id) {
        if (id == blockId())
            refresh();
    });
    std::vector<int> first = shuffledOrder(m_order.steps.size(), block.id);
    if (const auto answers = state().answersOf(block.id); !answers.empty()) {
        const auto stored = answers.back()->answer->value("order", std::vector<int>());
        std::vector<int> sorted = stored, expected = first;
        std::ranges::sort(sorted);
        std::ranges::sort(expected);
        if (sorted == expected)
            first = stored;
    }
    fill(first);
    refresh();
}

void OrderBlockWidget::fill(const std::vector<int>& order)
{
    m_list->clear();
    for (const int step : order) {
        auto* item = new QListWidgetItem(QString::fromStdString(m_order.steps[std::size_t(step)]), m_list);
        item->setData(Qt::UserRole, step);
        item->setFlags(item->flags() & ~Qt::ItemIsDropEnabled); // between two steps, not in place of one
    }
    m_list->setCurrentRow(0);
    fitHeight();
}

void OrderBlockWidget::fitHeight()
{
    // sizeHintForRow takes a step for one line; only the layout knows where it is broken at this width.
    m_list->doItemsLayout();
    int height = 2 * m_list->frameWidth() + 2;
    for (int row = 0; row < m_list->count(); ++row)
        height += m_list->visualItemRect(m_list->item(row)).height();
    m_list->setFixedHeight(height);
}

std::vector<int> OrderBlockWidget::order() const
{
    std::vector<int> steps;
    for (int row = 0; row < m_list->count(); ++row)
        steps.push_back(m_list->item(row)->data(Qt::UserRole).toInt());
    return steps;
}

void OrderBlockWidget::moveStep(int delta)
{
    const int from = m_list->currentRow(), to = from + delta;
    if (from < 0 || to < 0 || to >= m_list->count())
        return;
    QListWidgetItem* item = m_list->takeItem(from);
    m_list->insertItem(to, item);
    m_list->setCurrentRow(to);
}

bool OrderBlockWidget::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_list && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->modifiers().testFlag(Qt::AltModifier) && (key->key() == Qt::Key_Up || key->key() == Qt::Key_Down)) {
            moveStep(key->key() == Qt::Key_Up ? -1 : 1);
            return true;
        }
    }
    if (watched == m_list->viewport() && event->type() == QEvent::Wheel) {
        event->ignore();
        return true;
    }
    if (watched == m_list && event->type() == QEvent::Resize)
        QMetaObject::invokeMethod(this, &OrderBlockWidget::fitHeight, Qt::QueuedConnection);
    return BlockWidget::eventFilter(watched, event);
}

bool OrderBlockWidget::canActivate() const
{
    return !m_pending && !state().storeObstacle();
}

void OrderBlockWidget::activate()
{
    if (!canActivate())
        return;
    record::AnswerRow row;
    row.block = block().id;
    const auto given = order();
    row.answer = Json{{"order", given}};
    row.correct = std::ranges::is_sorted(given);
    m_pending = true;
    state().commit(std::move(row), this, [this](const Result<std::string>& stored) {
        m_pending = false;
        refresh();
        if (!stored) {
            m_verdict->setText(QString::fromStdString(toText(stored.error())));
            m_verdict->setTone("error");
            m_verdict->setVisible(true);
        }
    });
}

void OrderBlockWidget::refresh()
{
    const auto answers = state().answersOf(block().id);
    m_check->setEnabled(canActivate());
    if (const auto obstacle = state().storeObstacle())
        m_check->setToolTip(obstacle->line());
    const QString held = answers.empty() ? QString() : state().heldAnswer(block().id);
    setHeld(tr("Your order is stored."), held);
    m_verdict->setVisible(!answers.empty() && held.isEmpty());
    if (m_explains)
        m_explains->setVisible(!answers.empty() && held.isEmpty() && answers.back()->correct);
    if (answers.empty() || !held.isEmpty())
        return;
    if (answers.back()->correct) {
        m_verdict->setText(tr("Right."));
        m_verdict->setTone("ok");
        return;
    }
    const auto given = answers.back()->answer->value("order", std::vector<int>());
    int inPlace = 0;
    for (std::size_t i = 0; i < given.size(); ++i)
        inPlace += given[i] == int(i);
    m_verdict->setText(tr("Not yet: %1 of %2 steps stand in their place.").arg(inPlace).arg(given.size()));
    m_verdict->setTone("warn");
}

} // namespace ridge::app
