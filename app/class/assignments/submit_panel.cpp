// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/assignments/submit_panel.h"

#include "app/session/background.h"
#include "app/theme/announce.h"
#include "app/ui/flow_layout.h"

#include <QCheckBox>
#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QLineEdit>
#include <QSettings>
#include <QStandardPaths>
#include <QUrl>
#include <QVBoxLayout>

namespace ridge::app {
namespace {

/// Typing a name asks for another preview when it pauses.
constexpr int kPreviewMs = 250;
const QString kFolderKey = QStringLiteral("assignments/folder"); ///< where the last submission went

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

} // namespace

SubmitPanel::SubmitPanel(AppContext& context, classroom::Assignment assignment, QWidget* parent)
    : Card(tr("Hand in"), parent), m_context(context), m_assignment(std::move(assignment)), m_name(new QLineEdit),
      m_list(new QWidget), m_state(makeText(context.theme(), {}, TextStyle::Body, QStringLiteral("muted"))),
      m_banner(new Banner(context.theme())),
      m_submit(makeButton(tr("Submit…"), tr("Asks for a folder and writes the file that you hand in"), true)),
      m_open(makeButton(tr("Open folder"), tr("Shows the file that was written")))
{
    Theme& theme = context.theme();
    if (const record::Store* store = context.store())
        m_foreign = foreignOrigins(*store, m_assignment);
    column()->setSpacing(space::s);
    column()->addWidget(makeLabel(theme, tr("Hand in"), TextStyle::ReadH3));
    column()->addWidget(makeLabel(theme, tr("Your teacher will see"), TextStyle::Strong));
    m_list->setObjectName(QStringLiteral("contains"));
    auto* lines = new QGridLayout(m_list);
    lines->setContentsMargins(0, 0, 0, 0);
    lines->setHorizontalSpacing(space::s);
    lines->setVerticalSpacing(space::xs);
    lines->setColumnStretch(1, 1);
    column()->addWidget(m_list);
    column()->addSpacing(space::xs);
    column()->addWidget(makeLabel(theme, tr("Take along"), TextStyle::Strong));
    m_ticks = new QVBoxLayout;
    m_ticks->setSpacing(0);
    column()->addLayout(m_ticks);
    m_reasons = addTick("reasons", tr("Reasons of predictions"), tr("What you said your predictions assumed"), true);
    m_artifacts = addTick("artifacts", tr("Artifacts"), tr("With their texts and code"), true);
    m_journal = addTick("journal", tr("Journal"), tr("Failures and decisions that you noted"), false);
    m_notes = addTick("notes", tr("Margin notes"), tr("What you wrote beside the lessons"), false);
    m_traces = addTick("traces", tr("Timelines"), tr("Large; nothing is graded by them"), false);
    if (!m_foreign.empty())
        m_others = addTick("others", tr("Rows of my other computers"),
                           m_foreign.size() == 1
                               ? tr("This record holds rows that were merged from another one; tick it when they are "
                                    "yours")
                               : tr("This record holds rows that were merged from %1 others; tick it when they are "
                                    "yours")
                                     .arg(m_foreign.size()),
                           false);
    QLabel* nameLabel = makeLabel(theme, tr("Your name"), TextStyle::Strong);
    m_name->setObjectName(QStringLiteral("learnerName"));
    m_name->setAccessibleName(tr("Your name"));
    m_name->setPlaceholderText(tr("Left out: your teacher sees a code"));
    m_name->setMaxLength(200);
    nameLabel->setBuddy(m_name);
    column()->addSpacing(space::xs);
    column()->addWidget(nameLabel);
    column()->addWidget(m_name);
    connect(m_banner, &Banner::closed, m_banner, &QWidget::hide);
    column()->addWidget(m_banner);
    auto* buttons = new QWidget;
    buttons->setAccessibleName(tr("Hand in"));
    auto* row = new FlowLayout(buttons);
    m_submit->setObjectName(QStringLiteral("submit"));
    m_submit->setEnabled(false); // until it is known what would go along
    m_open->setObjectName(QStringLiteral("openFolder"));
    row->addWidget(m_submit);
    row->addWidget(m_open);
    m_open->hide();
    column()->addWidget(buttons);
    m_state->setObjectName(QStringLiteral("state"));
    column()->addWidget(m_state);
    say({});

    m_wait.setSingleShot(true);
    m_wait.setInterval(kPreviewMs);
    connect(&m_wait, &QTimer::timeout, this, &SubmitPanel::preview);
    connect(m_name, &QLineEdit::textEdited, this, &SubmitPanel::look);
    connect(m_submit, &QPushButton::clicked, this, &SubmitPanel::chooseFolder);
    connect(m_open, &QPushButton::clicked, this, &SubmitPanel::openFolder);
    if (record::Store* store = context.store())
        connect(store, &record::Store::changed, this, &SubmitPanel::look);
    preview();
}

QCheckBox* SubmitPanel::addTick(const char* name, const QString& words, const QString& help, bool on)
{
    auto* box = new QCheckBox(words);
    box->setObjectName(QLatin1String("take-") + QLatin1String(name));
    box->setToolTip(help);
    box->setAccessibleDescription(help);
    box->setChecked(on);
    connect(box, &QCheckBox::toggled, this, &SubmitPanel::preview);
    m_ticks->addWidget(box);
    return box;
}

classroom::Consent SubmitPanel::consent() const
{
    classroom::Consent consent;
    consent.name = m_name->text().trimmed().toStdString();
    consent.reasons = m_reasons->isChecked();
    consent.artifacts = m_artifacts->isChecked();
    consent.journal = m_journal->isChecked();
    consent.notes = m_notes->isChecked();
    consent.traces = m_traces->isChecked();
    if (m_others && m_others->isChecked())
        consent.otherOrigins = m_foreign;
    return consent;
}

void SubmitPanel::look()
{
    m_wait.start();
}

void SubmitPanel::preview()
{
    m_wait.stop();
    record::Store* store = m_context.store();
    if (!store) {
        m_submit->setEnabled(false);
        m_banner->setError(m_context.storeError().value_or(
            Error{"no-store", "Your record is not open.", {}, "Start Ridgepoint again"}));
        m_banner->show();
        return;
    }
    store->flush(); // the file is made by another connection
    const int asked = ++m_asked;
    ++m_pending;
    Background::of(m_context).run(
        this, [request = SubmitRequest{store->folder(), m_assignment, consent(), {}}] { return submit(request); },
        [this, asked](const Result<Submitted>& made) {
            --m_pending;
            if (asked == m_asked)
                show(made);
            Q_EMIT settled();
        });
}

void SubmitPanel::show(const Result<Submitted>& made)
{
    m_contains.clear();
    m_banner->hide();
    m_submit->setEnabled(made.ok());
    if (!made) {
        const bool nothing = made.error().code == "submission-empty";
        list({nothing ? whatIsWrong(made.error()) : tr("Nothing can be handed in yet.")}, false);
        if (!nothing) {
            m_banner->setError(made.error());
            m_banner->show();
        }
        return;
    }
    for (const std::string& line : made->written.contains)
        m_contains << text(line);
    list(m_contains, true);
}

void SubmitPanel::list(const QStringList& lines, bool marked)
{
    auto* grid = static_cast<QGridLayout*>(m_list->layout());
    while (QLayoutItem* item = grid->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    Theme& theme = m_context.theme();
    const auto add = [&](QLabel* label, int row, int at) {
        grid->addWidget(label, row, at, Qt::AlignTop);
        label->show(); // at once: a layout takes no room for what is still to be shown
    };
    for (int row = 0; row < lines.size(); ++row) {
        if (marked)
            add(makeLabel(theme, QStringLiteral("•"), TextStyle::Body, QStringLiteral("hint")), row, 0);
        add(makeText(theme, lines[row]), row, 1);
    }
    m_list->setAccessibleName(tr("Your teacher will see: %1").arg(lines.join(QLatin1Char(' '))));
}

void SubmitPanel::say(const QString& state)
{
    m_state->setText(state);
    m_state->setVisible(!state.isEmpty());
}

void SubmitPanel::chooseFolder()
{
    auto* dialog = new QFileDialog(this, tr("Folder for the file that you hand in"));
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setLabelText(QFileDialog::Accept, tr("Hand in here"));
    const QString last = QSettings().value(kFolderKey).toString();
    dialog->setDirectory(QFileInfo(last).isDir() ? last
                                                 : QStandardPaths::writableLocation(QStandardPaths::DesktopLocation));
    connect(dialog, &QFileDialog::fileSelected, this, &SubmitPanel::submitTo);
    dialog->open();
}

void SubmitPanel::submitTo(const QString& folder)
{
    record::Store* store = m_context.store();
    if (!store)
        return;
    store->flush();
    m_banner->hide();
    m_submit->setEnabled(false);
    say(tr("Writing …"));
    QSettings().setValue(kFolderKey, folder);
    ++m_pending;
    Background::of(m_context).run(
        this,
        [request = SubmitRequest{store->folder(), m_assignment, consent(), folder.toStdString()}] {
            return submit(request);
        },
        [this](const Result<Submitted>& made) {
            --m_pending;
            finish(made);
            Q_EMIT settled();
        });
}

void SubmitPanel::finish(const Result<Submitted>& made)
{
    m_submit->setEnabled(true);
    m_open->setVisible(made.ok());
    if (!made) {
        say({});
        m_banner->setError(made.error());
        m_banner->show();
        announce(m_banner, m_banner->text());
        return Q_EMIT failed(made.error());
    }
    const QString file = text(made->file.string());
    m_folder = QFileInfo(file).path();
    say(tr("Written: %1. Hand in this file: by USB, share, mail or your learning platform. Submitting again "
           "replaces it, and the newest counts.")
            .arg(QDir::toNativeSeparators(file)));
    announce(m_state, tr("The submission is written"));
    Q_EMIT submitted(file);
}

void SubmitPanel::openFolder()
{
    QDesktopServices::openUrl(QUrl::fromLocalFile(m_folder));
}

} // namespace ridge::app

#include "moc_submit_panel.cpp"
