// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/command_palette.h"

#include "app/ui/panels.h"
#include "app/window/list_keys.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTimer>
#include <QVBoxLayout>

namespace ridge::app {
namespace {

constexpr int kRecentRuns = 30;

/// Kind, name, and the shortcut at the right edge, on one line.
class EntryDelegate : public QStyledItemDelegate {
public:
    EntryDelegate(Theme& theme, bool (*enabled)(AppContext&, const QModelIndex&), AppContext& context, QObject* parent)
        : QStyledItemDelegate(parent), m_theme(theme), m_enabled(enabled), m_context(context)
    {
    }

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override { return {200, m_theme.scaled(34)}; }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        if (option.state & QStyle::State_Selected) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(m_theme.color(Role::Selection));
            painter->drawRoundedRect(QRectF(option.rect).adjusted(0, 1, 0, -1), kControlRadius, kControlRadius);
        }
        const QRect area = option.rect.adjusted(space::m, 0, -space::m, 0);
        const int kind = m_theme.scaled(92);
        const QString hint = index.data(PaletteModel::HintRole).toString();
        painter->setFont(m_theme.font(TextStyle::Caption));
        const int right = painter->fontMetrics().horizontalAdvance(hint);
        painter->setPen(m_theme.color(Role::Text3));
        painter->drawText(area.adjusted(0, 0, -(area.width() - kind), 0), Qt::AlignLeft | Qt::AlignVCenter,
                          index.data(PaletteModel::KindRole).toString());
        painter->drawText(area, Qt::AlignRight | Qt::AlignVCenter, hint);
        painter->setFont(m_theme.font(TextStyle::Body));
        painter->setPen(m_theme.color(m_enabled(m_context, index) ? Role::Text : Role::Text3));
        const QRect text = area.adjusted(kind, 0, -right - space::m, 0);
        painter->drawText(text, Qt::AlignLeft | Qt::AlignVCenter,
                          painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideRight, text.width()));
        painter->restore();
    }

private:
    Theme& m_theme;
    bool (*m_enabled)(AppContext&, const QModelIndex&);
    AppContext& m_context;
};

bool canChoose(AppContext& context, const QModelIndex& index)
{
    const auto* model = static_cast<const PaletteModel*>(index.model());
    const PaletteEntry* entry = model->entry(index);
    if (!entry || entry->kind != PaletteEntry::Kind::Action)
        return entry != nullptr;
    const QAction* action = context.actions().find(entry->target);
    return action && action->isEnabled();
}

} // namespace

CommandPalette::CommandPalette(AppContext& context, QWidget* window)
    : Overlay(context.theme(), tr("Command palette"), QSize(680, 480), window), m_context(context),
      m_model(new PaletteModel(this)), m_field(new QLineEdit), m_list(new QListView),
      m_detail(makeText(context.theme(), {}, TextStyle::Caption, QStringLiteral("muted")))
{
    m_field->setAccessibleName(tr("Search commands, lessons, terms, experiments, kernels and runs"));
    m_field->setPlaceholderText(tr("Search or do …"));
    m_field->installEventFilter(this);
    m_list->setModel(m_model);
    m_list->setItemDelegate(new EntryDelegate(context.theme(), &canChoose, context, m_list));
    m_list->setAccessibleName(tr("What was found"));
    m_list->setFocusPolicy(Qt::NoFocus); // the field drives it, so that typing never stops
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setStyleSheet(QStringLiteral("QListView { border: none; background: transparent; }"));
    m_list->setUniformItemSizes(true);
    m_detail->setMinimumHeight(context.theme().scaled(34));
    m_detail->setAlignment(Qt::AlignTop);
    column()->addWidget(m_field);
    column()->addWidget(m_list, 1);
    column()->addWidget(m_detail);
    connect(m_field, &QLineEdit::textChanged, this, &CommandPalette::search);
    connect(m_list, &QListView::clicked, this, &CommandPalette::choose);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this, &CommandPalette::showDetail);
}

QWidget* CommandPalette::firstFocus()
{
    return m_field;
}

void CommandPalette::aboutToOpen()
{
    std::vector<record::RunRow> runs;
    if (const record::Store* store = m_context.store()) {
        record::RunFilter newest;
        newest.limit = kRecentRuns;
        if (auto found = store->runs(newest))
            runs = std::move(found.value());
    }
    m_model->setEntries(paletteEntries(m_context, runs));
    m_field->clear();
    search();
}

void CommandPalette::openWith(const QString& pattern)
{
    open();
    m_field->setText(pattern);
}

void CommandPalette::search()
{
    m_model->setPattern(m_field->text());
    if (m_model->rowCount() > 0)
        m_list->setCurrentIndex(m_model->index(0));
    else
        m_detail->setText(tr("Nothing is called that."));
}

void CommandPalette::showDetail()
{
    const PaletteEntry* entry = m_model->entry(m_list->currentIndex());
    m_detail->setText(entry ? entry->detail : QString());
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_field && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            choose();
            return true;
        }
        if (moveInList(*m_list, *key, 10))
            return true;
    }
    return Overlay::eventFilter(watched, event);
}

void CommandPalette::choose()
{
    const QModelIndex index = m_list->currentIndex();
    const PaletteEntry* entry = m_model->entry(index);
    if (!entry || !canChoose(m_context, index) || entry->target.isEmpty())
        return;
    const PaletteEntry chosen = *entry;
    close();
    if (chosen.kind == PaletteEntry::Kind::Action)
        m_context.actions().find(chosen.target)->trigger();
    else
        Q_EMIT m_context.openRequested(chosen.target);
}

} // namespace ridge::app

#include "moc_command_palette.cpp"
