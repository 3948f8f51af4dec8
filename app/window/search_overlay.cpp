// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/search_overlay.h"

#include "app/ui/panels.h"
#include "app/window/list_keys.h"
#include "app/window/search_model.h"

#include <QAccessible>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QTimer>
#include <QVBoxLayout>

namespace ridge::app {

SearchOverlay::SearchOverlay(AppContext& context, QWidget* window)
    : Overlay(context.theme(), tr("Search everywhere"), QSize(760, 560), window), m_context(context),
      m_model(new SearchModel(this)), m_field(new QLineEdit), m_list(new QListView),
      m_count(makeLabel(context.theme(), {}, TextStyle::Caption, QStringLiteral("hint")))
{
    m_field->setAccessibleName(tr("Search lessons, terms, runs, notes and artifacts"));
    m_field->setPlaceholderText(tr("Search in lessons, terms, runs, notes and artifacts …"));
    m_field->installEventFilter(this);
    m_list->setModel(m_model);
    m_list->setItemDelegate(new SearchDelegate(context.theme(), m_list));
    m_list->setAccessibleName(tr("What was found"));
    m_list->setFocusPolicy(Qt::NoFocus); // the field drives it, so that typing never stops
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setStyleSheet(QStringLiteral("QListView { border: none; background: transparent; }"));
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setUniformItemSizes(true);
    column()->addWidget(m_field);
    column()->addWidget(m_list, 1);
    column()->addWidget(m_count);
    connect(m_field, &QLineEdit::textChanged, this, &SearchOverlay::ask);
    connect(m_list, &QListView::clicked, this, &SearchOverlay::choose);
    connect(&context.feedback(), &FeedbackWatch::changed, this, [this] {
        if (isOpen())
            ask();
    });
}

SearchService& SearchOverlay::service()
{
    if (!m_service) {
        const record::Store* store = m_context.store();
        m_service = std::make_unique<SearchService>(m_context.curriculum().root, m_context.dataFolder(),
                                                    store ? store->folder() : std::filesystem::path());
        connect(m_service.get(), &SearchService::answered, this, &SearchOverlay::show);
        connect(m_service.get(), &SearchService::updated, this, &SearchOverlay::ask);
        connect(m_service.get(), &SearchService::failed, this, [this](const Error& error) {
            m_answered = m_field->text();
            m_count->setText(asSentence(QString::fromStdString(error.message)));
            Q_EMIT settledChanged();
        });
    }
    return *m_service;
}

void SearchOverlay::prepareSoon(std::int64_t many, int afterMs)
{
    QTimer::singleShot(afterMs, this, [this, many] {
        const record::Store* store = m_context.store();
        if (m_service || !store)
            return;
        const auto beyond = store->texts(QStringLiteral("run"), many, 1);
        if (beyond && !beyond->empty())
            service().refresh();
    });
}

QWidget* SearchOverlay::firstFocus()
{
    return m_field;
}

void SearchOverlay::aboutToOpen()
{
    m_field->selectAll(); // the last search is one key away from coming back or going
    service().refresh();
    ask();
}

void SearchOverlay::openWith(const QString& typed)
{
    m_field->setText(typed);
    open();
}

bool SearchOverlay::settled() const
{
    return !m_answered.isNull() && m_answered == m_field->text();
}

void SearchOverlay::ask()
{
    // An empty string that is not null: null means that nothing was answered yet.
    HeldLessons held;
    for (const std::string& lesson : m_context.feedback().withheld(Outcome::Result))
        held[lesson] = m_context.feedback().why(lesson, Outcome::Result);
    service().ask(m_field->text().isNull() ? QStringLiteral("") : m_field->text(), held);
}

void SearchOverlay::show(const SearchAnswer& answer)
{
    if (answer.typed != m_field->text())
        return;
    const QString before = m_count->text();
    const int shown = int(answer.hits.size()), total = answer.total();
    const bool empty = parseQuery(answer.typed).empty();
    m_answered = answer.typed;
    m_model->setAnswer(answer);
    if (shown > 0)
        m_list->setCurrentIndex(m_model->index(0));
    if (empty)
        m_count->setText(answer.typed.trimmed().isEmpty()
                             ? tr("Words may go on: coal finds coalescing. Quotes keep words together.")
                             : tr("There is no letter or digit to look for."));
    else if (shown == 0)
        m_count->setText(tr("Nothing was found. Fewer or shorter words find more."));
    else if (shown < total)
        m_count->setText(tr("%1 places, the best %2 of them here").arg(total).arg(shown));
    else
        m_count->setText(shown == 1 ? tr("1 place") : tr("%1 places").arg(shown));
    if (isOpen() && m_count->text() != before) {
        // Said, and not shown a second time in the status bar: it changes with every key.
        QAccessibleEvent event(m_count, QAccessible::NameChanged);
        QAccessible::updateAccessibility(&event);
    }
    Q_EMIT settledChanged();
}

bool SearchOverlay::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_field && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            choose();
            return true;
        }
        if (moveInList(*m_list, *key, 6))
            return true;
    }
    return Overlay::eventFilter(watched, event);
}

void SearchOverlay::choose()
{
    const SearchHit* hit = m_model->hit(m_list->currentIndex());
    if (!hit || !settled() || hit->target.isEmpty()) // a term of a lesson that is not written: its text is here
        return;
    QString target = hit->target;
    if (hit->kind == SearchKind::Lesson && target.contains(QLatin1Char('#')))
        target += QStringLiteral("?") + m_field->text(); // so that the very words are shown
    close();
    Q_EMIT m_context.openRequested(target);
}

} // namespace ridge::app

#include "moc_search_overlay.cpp"
