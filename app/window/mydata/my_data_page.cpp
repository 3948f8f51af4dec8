// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/mydata/my_data_page.h"

#include "app/session/background.h"
#include "app/theme/announce.h"
#include "app/ui/facts.h"
#include "app/ui/fields.h"
#include "app/ui/flow_layout.h"
#include "app/ui/panels.h"
#include "base/units.h"
#include "privacy/erase.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QLineEdit>
#include <QStandardPaths>
#include <QUrl>
#include <QVBoxLayout>

namespace ridge::app {
namespace {

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

/// Decimal throughout: sizes that stand under one another have the same units.
QString sizeText(std::uintmax_t bytes)
{
    return text(bytes < 1000 ? formatQuantity(double(bytes), "B") : formatQuantity(double(bytes) / 1e3, "kB"));
}

QString fileText(int files)
{
    return files == 1 ? MyDataPage::tr("1 file") : MyDataPage::tr("%1 files").arg(files);
}

} // namespace

MyDataPage::MyDataPage(AppContext& context, QWidget* parent)
    : Page(parent), m_context(context), m_scroll(new ColumnScroll(860, tr("Your data"), this))
{
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_scroll);
}

Result<void> MyDataPage::open(const QString& part)
{
    if (!part.isEmpty())
        return Error{"unknown-page", "This page has no part " + part.toStdString() + ".", "--open", "Open data"};
    look();
    return {};
}

void MyDataPage::look()
{
    if (m_looking || m_exporting)
        return;
    m_looking = true;
    if (record::Store* store = m_context.store())
        store->flush();
    Background::of(m_context).run(
        this, [places = personal::placesHere()] { return personal::inventory(places); },
        [this](personal::Inventory all) {
            m_looking = false;
            m_inventory = std::move(all);
            rebuild();
            Q_EMIT readyChanged();
        });
}

void MyDataPage::rebuild()
{
    const bool hadFocus = m_export && m_export->hasFocus();
    m_scroll->clear();
    Theme& theme = m_context.theme();
    QVBoxLayout* column = m_scroll->column();
    column->addWidget(makeText(theme, tr("What is kept about you"), TextStyle::ReadH1));
    column->addWidget(makeText(theme,
                               tr("All of it lies in files of yours on this computer. It leaves it only when you "
                                  "hand it in, share it live in a class or save it elsewhere."),
                               TextStyle::ReadBody));
    column->addWidget(makeKept());
    column->addWidget(makeExport());
    column->addWidget(makeDelete());
    column->addStretch(1);
    if (hadFocus)
        m_export->setFocus();
}

QWidget* MyDataPage::makeKept()
{
    Theme& theme = m_context.theme();
    auto* card = new Card(tr("What there is"));
    card->column()->addWidget(makeLabel(theme, tr("What there is"), TextStyle::ReadH3));
    if (m_inventory->parts.empty()) {
        card->column()->addWidget(makeText(theme, tr("Nothing yet.")));
        return card;
    }
    if (!m_inventory->rows.empty()) {
        auto* rows = makeText(theme, tr("Rows of your record: %1.").arg(text(personal::rowsText(m_inventory->rows))));
        rows->setObjectName(QStringLiteral("rows"));
        card->column()->addWidget(rows);
    }
    auto* facts = new FactTable(theme, tr("Kept about you: what, how much, where"));
    facts->setObjectName(QStringLiteral("kept"));
    for (const personal::Part& part : m_inventory->parts) {
        QStringList paths;
        for (const std::filesystem::path& path : part.paths)
            paths << QDir::toNativeSeparators(text(path.string()));
        facts->addRow(text(part.title), text(part.what) + QLatin1Char('\n') + paths.join(QLatin1Char('\n')),
                      sizeText(part.bytes), nullptr, fileText(part.files));
    }
    card->column()->addWidget(facts);
    return card;
}

QWidget* MyDataPage::makeExport()
{
    Theme& theme = m_context.theme();
    auto* card = new Card(tr("Take it along"));
    QVBoxLayout* column = card->column();
    column->addWidget(makeLabel(theme, tr("Take it along"), TextStyle::ReadH3));
    column->addWidget(makeText(
        theme,
        tr("One folder with everything: artifacts to read, every row as a table (CSV, with a schema), the record "
           "as Ridgepoint takes it up again elsewhere, and checksums. It holds your key; keep it to yourself.")));
    m_banner = new Banner(theme);
    m_banner->hide();
    connect(m_banner, &Banner::closed, m_banner, &QWidget::hide);
    column->addWidget(m_banner);
    auto* buttons = new QWidget;
    buttons->setAccessibleName(tr("Take it along"));
    auto* row = new FlowLayout(buttons);
    m_export = makeButton(tr("Export everything…"), tr("Asks for a place and writes a new folder there"), true);
    m_export->setObjectName(QStringLiteral("exportData"));
    m_openFolder = makeButton(tr("Open folder"), tr("Shows what was written"));
    if (m_exported.isEmpty())
        m_openFolder->hide();
    row->addWidget(m_export);
    row->addWidget(m_openFolder);
    column->addWidget(buttons);
    m_state = makeText(theme, {}, TextStyle::Body, QStringLiteral("muted"));
    m_state->setObjectName(QStringLiteral("exportState"));
    m_state->hide();
    column->addWidget(m_state);
    connect(m_export, &QPushButton::clicked, this, &MyDataPage::chooseFolder);
    connect(m_openFolder, &QPushButton::clicked, this,
            [this] { QDesktopServices::openUrl(QUrl::fromLocalFile(m_exported)); });
    return card;
}

QWidget* MyDataPage::makeDelete()
{
    Theme& theme = m_context.theme();
    auto* card = new Card(tr("Delete everything"));
    QVBoxLayout* column = card->column();
    column->addWidget(makeLabel(theme, tr("Delete everything"), TextStyle::ReadH3));
    column->addWidget(makeText(
        theme, tr("All that is listed above goes for good: %1, %2. Ridgepoint closes what is open, "
                  "deletes, and begins afresh. Nobody can bring it back, and a teacher does not know you again "
                  "without your key.")
                   .arg(fileText(m_inventory->files()), sizeText(m_inventory->bytes()))));
    column->addWidget(
        makeText(theme,
                 tr("Why not single rows? Each row of a record holds the digest of the one before, which is what makes "
                    "it worth something to others. A record is kept whole or goes as a whole."),
                 TextStyle::Body, QStringLiteral("muted")));
    QStringList stays;
    for (const personal::Staying& one : m_inventory->stays)
        stays << QStringLiteral("• ") + text(one.what) + QStringLiteral(": ") + text(one.why) + QLatin1Char('.');
    column->addWidget(makeLabel(theme, tr("What stays"), TextStyle::Strong));
    auto* staying = makeText(theme, stays.join(QLatin1Char('\n')));
    staying->setObjectName(QStringLiteral("stays"));
    column->addWidget(staying);
    m_first = makeText(theme, tr("You have not exported it since Ridgepoint was started."), TextStyle::Strong,
                       QStringLiteral("warn"));
    m_first->setObjectName(QStringLiteral("exportFirst"));
    if (!m_exported.isEmpty())
        m_first->hide();
    column->addWidget(m_first);
    const QString word = tr("delete everything");
    m_word = addField(column, theme, QStringLiteral("confirmWord"), tr("To confirm, type: %1").arg(word), {});
    auto* buttons = new QWidget;
    buttons->setAccessibleName(tr("Delete everything"));
    auto* row = new FlowLayout(buttons);
    m_delete =
        makeButton(tr("Delete and begin afresh"), tr("Closes what is open and deletes all that is listed above"));
    m_delete->setObjectName(QStringLiteral("deleteData"));
    m_delete->setEnabled(false);
    row->addWidget(m_delete);
    column->addWidget(buttons);
    connect(m_word, &QLineEdit::textChanged, this, [this, word](const QString& typed) {
        m_delete->setEnabled(typed.trimmed().compare(word, Qt::CaseInsensitive) == 0 && !m_exporting);
    });
    connect(m_delete, &QPushButton::clicked, this, &MyDataPage::order);
    return card;
}

void MyDataPage::perform(Command command)
{
    if (command == Command::Export)
        chooseFolder();
}

QList<QWidget*> MyDataPage::panes() const
{
    return m_export ? QList<QWidget*>{m_export, m_word} : QList<QWidget*>{m_scroll};
}

double MyDataPage::scrollFraction() const
{
    return app::scrollFraction(m_scroll);
}

void MyDataPage::setScrollFraction(double fraction)
{
    app::setScrollFraction(m_scroll, fraction);
}

void MyDataPage::chooseFolder()
{
    auto* dialog = new QFileDialog(this, tr("A place for the new folder"));
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setLabelText(QFileDialog::Accept, tr("Export here"));
    dialog->setDirectory(QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& parent) {
        const QString day = QDateTime::currentDateTime().toString(QStringLiteral("yyyy-MM-dd-HHmmss"));
        exportTo(parent + QStringLiteral("/ridgepoint-data-") + day);
    });
    dialog->open();
}

void MyDataPage::exportTo(const QString& folder)
{
    if (m_exporting || !m_inventory)
        return;
    m_exporting = true;
    m_export->setEnabled(false);
    m_delete->setEnabled(false);
    m_banner->hide();
    m_state->setText(tr("Writing …"));
    m_state->show();
    if (record::Store* store = m_context.store())
        store->flush();
    const std::string version = QCoreApplication::applicationVersion().toStdString();
    Background::of(m_context).run(
        this,
        [places = personal::placesHere(), to = folder.toStdString(), version] {
            return personal::exportData(places, to, version);
        },
        [this, folder](const Result<personal::DataExport>& done) { showExported(done, folder); });
}

void MyDataPage::showExported(const Result<personal::DataExport>& done, const QString& folder)
{
    m_exporting = false;
    m_export->setEnabled(true);
    Q_EMIT m_word->textChanged(m_word->text()); // the word may stand there already
    if (!done) {
        m_state->hide();
        m_banner->setError(done.error());
        m_banner->show();
        announce(m_banner, m_banner->text());
    } else {
        m_exported = folder;
        m_first->hide();
        m_openFolder->show();
        QStringList lines{tr("%1, %2 in %3. Begin with README.txt.")
                              .arg(fileText(done->files), sizeText(done->bytes), QDir::toNativeSeparators(folder))};
        for (const std::string& notice : done->notices)
            lines << text(notice);
        m_state->setText(lines.join(QLatin1Char('\n')));
        announce(m_state, tr("The export is written"));
    }
    Q_EMIT readyChanged();
}

void MyDataPage::order()
{
    m_delete->setEnabled(false);
    if (auto ordered = personal::orderErasure(personal::placesHere().home); !ordered) {
        m_banner->setError(ordered.error());
        m_banner->show();
        announce(m_banner, m_banner->text());
        return;
    }
    Q_EMIT deletionOrdered();
    if (QAction* quit = m_context.actions().find(QStringLiteral("file.quit")))
        quit->trigger();
}

} // namespace ridge::app

#include "moc_my_data_page.cpp"
