// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/portfolio/portfolio_page.h"

#include "app/portfolio/artifact_card.h"
#include "app/portfolio/artifact_view.h"
#include "app/shell/ui/panels.h"

#include <QFileDialog>
#include <QGridLayout>
#include <QScrollBar>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace ridge::app {
namespace {

enum View { Empty, Grid, Detail };

} // namespace

PortfolioPage::PortfolioPage(AppContext& context, QWidget* parent)
    : Page(parent), m_context(context), m_stack(new QStackedWidget), m_scroll(new ColumnScroll(1320, tr("Portfolio"))),
      m_view(new ArtifactView(context))
{
    setAccessibleName(tr("Portfolio"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_stack);
    const bool open = context.store() != nullptr;
    auto* empty = new EmptyState(
        context.theme(), open ? tr("Nothing shipped yet") : tr("The store is not open"),
        open ? tr("An artifact is a claim you can defend: your question, your prediction, the runs that answered it, "
                  "the code and the machine. Each lesson ends with one.")
             : tr("Artifacts cannot be read until the message above is dealt with. Lessons can still be read."),
        open ? tr("Go to the lessons") : QString());
    connect(empty, &EmptyState::clicked, this, [this] { Q_EMIT m_context.openRequested(QStringLiteral("learn")); });
    m_stack->addWidget(empty);

    m_scroll->column()->setSpacing(space::l);
    m_scroll->column()->addWidget(makeLabel(context.theme(), tr("Portfolio"), TextStyle::ReadH1));
    m_count = makeLabel(context.theme(), {}, TextStyle::Body, QStringLiteral("muted"));
    m_scroll->column()->addWidget(m_count);
    auto* holder = new QWidget;
    holder->setAccessibleName(tr("Artifacts"));
    m_grid = new QGridLayout(holder);
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(space::l);
    m_grid->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_scroll->column()->addWidget(holder);
    m_scroll->column()->addStretch(1);
    m_stack->addWidget(m_scroll);
    m_stack->addWidget(m_view);

    connect(m_view, &ArtifactView::exportRequested, this, &PortfolioPage::chooseExport);
    connect(&context, &AppContext::catalogueReady, this, [this] {
        if (!m_part.isEmpty() && !showArtifact())
            m_stack->setCurrentIndex(Grid);
    });
    if (record::Store* store = context.store())
        connect(store, &record::Store::changed, this, [this](const QString& kind) {
            if (kind == QLatin1String("artifact"))
                reload();
        });
    reload();
}

void PortfolioPage::reload()
{
    for (ArtifactCard* card : m_cards)
        card->deleteLater();
    m_cards.clear();
    m_columns = 0;
    if (const record::Store* store = m_context.store()) {
        const auto rows = store->artifacts();
        if (!rows)
            Q_EMIT m_context.notice(QString::fromStdString(toText(rows.error())), true);
        for (const record::ArtifactRow& row : rows ? *rows : std::vector<record::ArtifactRow>()) {
            const auto bundle = loadArtifact(*store, row.id);
            auto* card = new ArtifactCard(m_context.theme(), row,
                                          bundle ? markOf(*bundle) : std::optional<ArtifactCard::Mark>());
            connect(card, &ArtifactCard::clicked, this,
                    [this, card] { Q_EMIT m_context.openRequested(QStringLiteral("artifact/") + card->artifactId()); });
            m_cards.push_back(card);
        }
    }
    m_count->setText(m_cards.size() == 1 ? tr("1 artifact") : tr("%1 artifacts").arg(m_cards.size()));
    arrange();
    if (m_part.isEmpty())
        m_stack->setCurrentIndex(m_cards.empty() ? Empty : Grid);
    Q_EMIT commandsChanged();
}

void PortfolioPage::arrange()
{
    const int room = std::min(width(), 1320 + 2 * space::xl) - 2 * space::xl - space::l;
    const int each = m_context.theme().scaled(ArtifactCard::kWidth) + space::l;
    const int columns = std::max(1, (room + space::l) / each);
    if (columns == m_columns)
        return;
    m_columns = columns;
    for (std::size_t i = 0; i < m_cards.size(); ++i)
        m_grid->addWidget(m_cards[i], static_cast<int>(i) / columns, static_cast<int>(i) % columns);
}

void PortfolioPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    arrange();
}

Result<void> PortfolioPage::open(const QString& part)
{
    const QString before = m_part;
    m_part = part;
    if (part.isEmpty()) {
        m_stack->setCurrentIndex(m_cards.empty() ? Empty : Grid);
    } else if (auto shown = showArtifact(); !shown) {
        m_part = before;
        return shown;
    }
    Q_EMIT titleChanged();
    Q_EMIT commandsChanged();
    return {};
}

Result<void> PortfolioPage::showArtifact()
{
    if (!m_context.store())
        return m_context.storeError().value_or(Error{"no-store", "The store is not open.", {}, {}});
    auto bundle = loadArtifact(*m_context.store(), m_part.toStdString());
    if (!bundle)
        return bundle.error();
    m_view->setArtifact(std::move(bundle.value()));
    m_stack->setCurrentIndex(Detail);
    return {};
}

QString PortfolioPage::title() const
{
    return m_part.isEmpty() ? tr("Portfolio") : QString::fromStdString(m_view->bundle().row.title);
}

bool PortfolioPage::can(Command command) const
{
    return command == Command::Export && !m_part.isEmpty();
}

void PortfolioPage::perform(Command command)
{
    if (command == Command::Export)
        chooseExport();
}

QList<QWidget*> PortfolioPage::panes() const
{
    if (m_stack->currentIndex() == Detail)
        return {m_view->scroll()};
    return m_cards.empty() ? QList<QWidget*>() : QList<QWidget*>{m_cards.front()};
}

double PortfolioPage::scrollFraction() const
{
    return app::scrollFraction(m_stack->currentIndex() == Detail ? m_view->scroll() : m_scroll);
}

void PortfolioPage::setScrollFraction(double fraction)
{
    app::setScrollFraction(m_stack->currentIndex() == Detail ? m_view->scroll() : m_scroll, fraction);
}

void PortfolioPage::chooseExport()
{
    auto* dialog = new QFileDialog(this, tr("Export the artifact into a new folder below"));
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& folder) {
        const auto exported =
            exportArtifact(*m_context.store(), m_part.toStdString(), m_context.experiments(), folder.toStdString());
        Q_EMIT m_context.notice(exported ? tr("Exported to %1").arg(QString::fromStdString(exported->string()))
                                         : QString::fromStdString(toText(exported.error())),
                                !exported);
    });
    dialog->open();
}

} // namespace ridge::app
