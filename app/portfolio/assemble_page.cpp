// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/portfolio/assemble_page.h"
#include "app/portfolio/artifact_bundle.h"

#include "app/portfolio/assemble_list.h"
#include "app/portfolio/assemble_privacy.h"
#include "app/portfolio/assemble_sample.h"
#include "app/session/background.h"
#include "app/theme/announce.h"
#include "app/ui/fields.h"
#include "app/ui/panels.h"
#include "record/clock.h"

#include <QCheckBox>
#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QStackedWidget>
#include <QStandardPaths>
#include <QTimer>
#include <QUrl>
#include <QVBoxLayout>

namespace ridge::app {
namespace {

/// Typing asks for a preview when it pauses.
constexpr int kPreviewMs = 300;

QString freeFolder(const QString& parent)
{
    const QString base = parent + QStringLiteral("/portfolio-") + record::timeStamp().left(7);
    QString name = base;
    for (int n = 2; QFileInfo::exists(name); ++n)
        name = base + QStringLiteral("-%1").arg(n);
    return QDir::toNativeSeparators(name);
}

} // namespace

AssemblePage::AssemblePage(AppContext& context, QWidget* parent)
    : Page(parent), m_context(context), m_stack(new QStackedWidget),
      m_scroll(new ColumnScroll(1100, tr("New portfolio"))), m_sample(new AssembleSample(context)),
      m_wait(new QTimer(this))
{
    setAccessibleName(tr("New portfolio"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_stack);
    m_stack->addWidget(m_scroll);
    m_stack->addWidget(m_sample);
    Theme& theme = context.theme();
    QVBoxLayout* column = m_scroll->column();
    column->setSpacing(space::l);
    m_heading = makeLabel(theme, {}, TextStyle::ReadH1);
    m_purpose = makeText(theme, {}, TextStyle::Body, QStringLiteral("muted"));
    column->addWidget(m_heading);
    column->addWidget(m_purpose);
    auto* halves = new QHBoxLayout;
    halves->setSpacing(space::l);
    auto* left = new QVBoxLayout;
    left->setSpacing(space::l);
    left->addWidget(makeWhat());
    left->addWidget(makeWords());
    left->addStretch(1);
    m_privacy = new AssemblePrivacy(theme);
    halves->addLayout(left, 3);
    halves->addWidget(m_privacy, 2, Qt::AlignTop);
    column->addLayout(halves);
    column->addWidget(makeWhere());
    column->addStretch(1);

    m_wait->setSingleShot(true);
    m_wait->setInterval(kPreviewMs);
    connect(m_wait, &QTimer::timeout, this, &AssemblePage::preview);
    connect(m_privacy, &AssemblePrivacy::changed, this, &AssemblePage::look);
    connect(m_list, &AssembleList::choiceChanged, this, &AssemblePage::look);
    for (QLineEdit* field : {m_author, m_contact})
        connect(field, &QLineEdit::textEdited, this, [this] {
            // Who types a name wants it seen; the switch shows that it is.
            m_privacy->setShown(folio::Detail::Name, !m_author->text().isEmpty() || !m_contact->text().isEmpty());
            look();
        });
    connect(this, &AssemblePage::openFolderRequested, this,
            [](const QString& path) { QDesktopServices::openUrl(QUrl::fromLocalFile(path)); });
    connect(&context, &AppContext::catalogueReady, this, &AssemblePage::look);
    connect(&context.feedback(), &FeedbackWatch::changed, this, &AssemblePage::reload);
    if (record::Store* store = context.store())
        connect(store, &record::Store::changed, this, [this](const QString& kind) {
            if (kind == QLatin1String("artifact"))
                reload();
        });
    reload();
}

QWidget* AssemblePage::makeWhat()
{
    auto* card = new Card(tr("Artifacts"));
    auto* head = new QHBoxLayout;
    head->addWidget(makeLabel(m_context.theme(), tr("Artifacts"), TextStyle::ReadH3));
    head->addStretch(1);
    m_count = makeLabel(m_context.theme(), {}, TextStyle::Body, QStringLiteral("muted"));
    head->addWidget(m_count);
    card->column()->addLayout(head);
    m_list = new AssembleList(m_context.theme());
    m_list->setMinimumHeight(m_context.theme().scaled(210));
    card->column()->addWidget(m_list);
    auto* row = new QHBoxLayout;
    const auto mover = [&](const QString& words, const QString& help, int by) {
        QPushButton* button = makeButton(words, help);
        connect(button, &QPushButton::clicked, this, [this, by] { m_list->moveCurrent(by); });
        row->addWidget(button);
    };
    mover(tr("Move up"), tr("Moves the marked artifact towards the front (Alt+Up)"), -1);
    mover(tr("Move down"), tr("Moves the marked artifact towards the end (Alt+Down)"), 1);
    row->addStretch(1);
    card->column()->addLayout(row);
    return card;
}

QWidget* AssemblePage::makeWords()
{
    auto* card = new Card(tr("Title and words"));
    Theme& theme = m_context.theme();
    m_titleEdit = addField(card->column(), theme, QStringLiteral("portfolio-title"), tr("Title"),
                           tr("What I measured, and how to run it again"));
    QLabel* words = makeLabel(theme, tr("Introduction, about three lines"), TextStyle::Strong);
    m_intro = new QPlainTextEdit;
    m_intro->setObjectName(QStringLiteral("portfolio-intro"));
    m_intro->setAccessibleName(tr("Introduction"));
    m_intro->setTabChangesFocus(true);
    m_intro->setPlaceholderText(tr("What you can do, and which page shows it."));
    m_intro->setFixedHeight(theme.lineHeight(TextStyle::Body) * 4 + space::m);
    words->setBuddy(m_intro);
    card->column()->addWidget(words);
    card->column()->addWidget(m_intro);
    m_author = addField(card->column(), theme, QStringLiteral("portfolio-author"), tr("Your name"), tr("Left out"));
    m_contact = addField(card->column(), theme, QStringLiteral("portfolio-contact"), tr("Contact"), tr("Left out"));
    m_courseRow = new QWidget;
    auto* courseColumn = new QVBoxLayout(m_courseRow);
    courseColumn->setContentsMargins(0, 0, 0, 0);
    m_course = addField(courseColumn, theme, QStringLiteral("portfolio-course"), tr("Course"), {});
    card->column()->addWidget(m_courseRow);
    return card;
}

QWidget* AssemblePage::makeWhere()
{
    auto* card = new Card(tr("Export"));
    Theme& theme = m_context.theme();
    m_folder = addField(card->column(), theme, QStringLiteral("portfolio-folder"), tr("Into the new folder"), {});
    m_folder->setText(freeFolder(QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation)));
    // What went wrong stands where it is mended, and where the button was pressed.
    m_banner = new Banner(theme);
    m_banner->hide();
    connect(m_banner, &Banner::closed, m_banner, &QWidget::hide);
    card->column()->addWidget(m_banner);
    auto* formats = new QHBoxLayout;
    m_pdf = new QCheckBox(tr("PDF"));
    m_pdf->setChecked(true);
    m_pdf->setAccessibleDescription(tr("portfolio.pdf beside the pages"));
    formats->addWidget(m_pdf);
    formats->addWidget(makeText(theme, tr("with the pages (HTML), manifest.json, data, code, rows and SHA256SUMS"),
                                TextStyle::Body, QStringLiteral("muted")),
                       1);
    card->column()->addLayout(formats);
    auto* row = new QHBoxLayout;
    row->setSpacing(space::s);
    m_export = makeButton(tr("Export"), tr("Writes the portfolio into the folder"), true);
    m_export->setObjectName(QStringLiteral("portfolio-export"));
    m_look = makeButton(tr("Preview"), tr("Shows the pages in the browser as they would be, from a temporary folder"));
    m_look->setObjectName(QStringLiteral("portfolio-preview"));
    m_openFolder = makeButton(tr("Open folder"), tr("Shows the exported folder"));
    m_openFolder->setObjectName(QStringLiteral("portfolio-open"));
    QPushButton* choose = makeButton(tr("Choose…"), tr("Another place for the folder"));
    m_busy = new QProgressBar;
    m_busy->setRange(0, 0);
    m_busy->setAccessibleName(tr("Export in progress"));
    m_busy->setFixedWidth(theme.scaled(120));
    m_busy->hide();
    m_state = makeText(theme, {}, TextStyle::Body, QStringLiteral("muted"));
    for (QWidget* widget : {static_cast<QWidget*>(m_look), static_cast<QWidget*>(m_export),
                            static_cast<QWidget*>(m_openFolder), static_cast<QWidget*>(choose)})
        row->addWidget(widget);
    row->addWidget(m_busy);
    row->addWidget(m_state, 1);
    card->column()->addLayout(row);
    connect(m_look, &QPushButton::clicked, this, &AssemblePage::showInBrowser);
    connect(m_export, &QPushButton::clicked, this,
            [this] { start(QDir::fromNativeSeparators(m_folder->text().trimmed()), true); });
    connect(m_openFolder, &QPushButton::clicked, this,
            [this] { Q_EMIT openFolderRequested(QString::fromStdString(m_last.string())); });
    connect(m_folder, &QLineEdit::textEdited, this, &AssemblePage::look);
    connect(choose, &QPushButton::clicked, this, [this] {
        auto* dialog = new QFileDialog(this, tr("A place for the portfolio's new folder"));
        dialog->setFileMode(QFileDialog::Directory);
        dialog->setOption(QFileDialog::ShowDirsOnly);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& parent) {
            m_folder->setText(freeFolder(parent));
            look();
        });
        dialog->open();
    });
    return card;
}

void AssemblePage::reload()
{
    std::vector<record::ArtifactRow> rows;
    if (const record::Store* store = m_context.store()) {
        auto all = store->artifacts();
        if (all)
            rows = std::move(*all);
        else
            Q_EMIT m_context.notice(QString::fromStdString(toText(all.error())), true);
    }
    const record::Withholding held = withholdingNow(m_context.feedback());
    std::vector<record::RunRow> noRuns;
    std::vector<record::ReproductionRow> noReproductions;
    for (record::ArtifactRow& row : rows)
        record::withhold(held, row, noRuns, noReproductions);
    m_list->setArtifacts(rows);
    look();
}

void AssemblePage::look()
{
    const std::size_t chosen = m_list->chosen().size();
    m_count->setText(tr("%1 of %2 ticked").arg(chosen).arg(m_list->count()));
    const bool can = chosen > 0 && !m_exporting && m_context.hasCatalogue();
    m_look->setEnabled(can);
    m_export->setEnabled(can && !m_folder->text().trimmed().isEmpty());
    m_openFolder->setEnabled(!m_last.empty() && !m_exporting);
    m_busy->setVisible(m_exporting);
    if (!m_exporting && m_last.empty())
        m_state->setText(m_list->count() == 0        ? tr("Nothing was shipped yet.")
                         : chosen == 0               ? tr("Tick at least one artifact.")
                         : !m_context.hasCatalogue() ? tr("Waiting for the list of experiments …")
                                                     : QString());
    if (chosen > 0 && m_context.hasCatalogue())
        m_wait->start();
    Q_EMIT commandsChanged();
}

AssembleRequest AssemblePage::request(const QString& out) const
{
    AssembleRequest request;
    request.record = m_context.store()->folder();
    request.data = m_context.dataFolder();
    request.out = out.toStdString();
    request.experiments = m_context.experiments();
    request.options.style = m_style;
    request.options.title = m_titleEdit->text().trimmed().toStdString();
    request.options.intro = m_intro->toPlainText().trimmed().toStdString();
    request.options.author = m_author->text().trimmed().toStdString();
    request.options.contact = m_contact->text().trimmed().toStdString();
    request.options.course =
        m_style == folio::Template::HandIn ? m_course->text().trimmed().toStdString() : std::string();
    request.options.artifacts = m_list->chosen();
    request.options.shown = m_privacy->shown();
    request.options.held = withholdingNow(m_context.feedback());
    request.pdf = m_pdf->isChecked();
    if (const auto rows = m_context.store()->artifacts())
        for (const record::ArtifactRow& row : *rows) {
            const std::string title = m_context.curriculum().titleOf(row.lesson);
            if (title != row.lesson)
                request.lessonTitles[row.lesson] = title;
        }
    return request;
}

void AssemblePage::preview()
{
    if (!m_context.store() || m_list->chosen().empty())
        return;
    const int asked = ++m_asked;
    Background::of(m_context).run(
        this, [request = request({})] { return assemble(request); },
        [this, asked](const Result<Assembled>& result) {
            if (asked == m_asked && result)
                m_privacy->setPreview(result->privacy);
        });
}

void AssemblePage::showInBrowser()
{
    const QString parent =
        QStandardPaths::writableLocation(QStandardPaths::TempLocation) + QStringLiteral("/ridgepoint-preview");
    QDir(parent).removeRecursively();
    QDir().mkpath(parent);
    start(freeFolder(parent), false);
}

void AssemblePage::start(const QString& folder, bool keep)
{
    if (m_exporting || !m_context.store() || m_list->chosen().empty())
        return;
    m_banner->hide();
    m_exporting = true;
    m_state->setText(keep ? tr("Exporting …") : tr("Making the preview …"));
    look();
    QDir().mkpath(QFileInfo(folder).path());
    Background::of(m_context).run(
        this, [request = request(folder)] { return assemble(request); },
        [this, keep](const Result<Assembled>& result) { finish(result, keep); });
}

void AssemblePage::finish(const Result<Assembled>& result, bool keep)
{
    m_exporting = false;
    if (!result) {
        m_banner->setError(result.error());
        m_banner->show();
        m_state->clear();
        announce(m_banner, m_banner->text());
        look();
        if (keep) {
            m_folder->setFocus(Qt::OtherFocusReason);
            m_folder->selectAll();
        }
        QTimer::singleShot(0, m_banner, [this] { m_scroll->ensureWidgetVisible(m_banner); });
        return;
    }
    const QString folder = QString::fromStdString(result->written.folder.string());
    if (keep) {
        m_last = result->written.folder;
        m_state->setText(tr("%1 files in %2").arg(result->written.files).arg(QDir::toNativeSeparators(folder)));
        // The next export goes beside this one.
        m_folder->setText(freeFolder(QFileInfo(folder).path()));
        announce(m_state, tr("The portfolio is exported"));
        Q_EMIT exported(folder);
    } else {
        m_state->setText(tr("The preview is open in the browser."));
        Q_EMIT openFolderRequested(folder + QStringLiteral("/index.html"));
    }
    look();
    if (keep)
        m_openFolder->setFocus(Qt::OtherFocusReason);
}

Result<void> AssemblePage::open(const QString& part)
{
    if (part == QLatin1String("sample")) {
        if (auto shown = m_sample->load(); !shown)
            return shown;
        m_stack->setCurrentWidget(m_sample);
    } else {
        const auto style = folio::templateFromKey(part.isEmpty() ? "job" : part.toStdString());
        if (!style)
            return Error{"unknown-page", "There is no template " + part.toStdString() + ".", "assemble",
                         "Templates are job, handin and notebook."};
        m_style = *style;
        m_heading->setText(tr("New portfolio: %1").arg(QString::fromStdString(folio::titleOf(*style))));
        m_purpose->setText(QString::fromStdString(folio::purposeOf(*style)));
        m_courseRow->setVisible(*style == folio::Template::HandIn);
        m_stack->setCurrentWidget(m_scroll);
        reload();
    }
    m_part = part.isEmpty() ? QStringLiteral("job") : part;
    Q_EMIT titleChanged();
    Q_EMIT commandsChanged();
    return {};
}

QString AssemblePage::title() const
{
    return m_part == QLatin1String("sample") ? tr("Sample portfolio") : tr("New portfolio");
}

bool AssemblePage::can(Command command) const
{
    return command == Command::Export && m_stack->currentWidget() == m_scroll && m_export->isEnabled();
}

void AssemblePage::perform(Command command)
{
    if (command == Command::Export && can(command))
        m_export->click();
}

QList<QWidget*> AssemblePage::panes() const
{
    if (m_stack->currentWidget() == m_sample)
        return {m_sample->pane()};
    return {m_list};
}

double AssemblePage::scrollFraction() const
{
    return m_stack->currentWidget() == m_scroll ? app::scrollFraction(m_scroll) : 0;
}

void AssemblePage::setScrollFraction(double fraction)
{
    if (m_stack->currentWidget() == m_scroll)
        app::setScrollFraction(m_scroll, fraction);
}

} // namespace ridge::app

#include "moc_assemble_page.cpp"
