// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/portfolio/artifact_editor.h"

#include "app/ui/flow_layout.h"
#include "app/ui/panels.h"
#include "evidence/artifact_draft.h"
#include "record/worker/when_done.h"

#include <QComboBox>
#include <QLabel>
#include <QMessageBox>
#include <QTimer>
#include <QVBoxLayout>

namespace ridge::app {
namespace {

constexpr int kFormWidth = 760;
constexpr int kSideWidth = 300;
/// From this width on, at 100 %, the hints stand beside the form, else below it.
constexpr int kWide = 1000;

QString text(const std::string& value)
{
    return QString::fromStdString(value);
}

} // namespace

ArtifactEditor::ArtifactEditor(AppContext& context, QWidget* parent)
    : QWidget(parent), m_context(context), m_scroll(new ColumnScroll(kFormWidth, tr("Artifact being written"))),
      m_split(new QBoxLayout(QBoxLayout::LeftToRight, this)),
      m_side(new ColumnScroll(kFormWidth, tr("Level and hints"))), m_hints(new HintPanel(context.theme(), true)),
      m_hintsSoon(new QTimer(this))
{
    setAccessibleName(tr("Artifact editor"));
    m_split->setContentsMargins(0, 0, 0, 0);
    m_split->setSpacing(0);
    m_split->addWidget(m_scroll, 1);
    m_split->addWidget(m_side);
    m_side->widget()->layout()->setContentsMargins(space::m, space::l, space::l, space::l);
    m_side->column()->addWidget(m_hints);
    m_hintsSoon->setSingleShot(true);
    m_hintsSoon->setInterval(120); // not with every key
    connect(m_hintsSoon, &QTimer::timeout, this, &ArtifactEditor::updateHints);
    connect(m_hints, &HintPanel::fieldAsked, this, [this](const QString& name) {
        if (QWidget* wanted = field(name)) {
            m_scroll->ensureWidgetVisible(wanted);
            wanted->setFocus(Qt::OtherFocusReason);
        }
    });
    addHead();
    addText(QStringLiteral("question"), tr("Question"), tr("What did you want to know?"), 2);
    addText(QStringLiteral("claim"), tr("Claim"), tr("The answer in a sentence or two, with numbers and units."), 2);
    addPredictions();
    addRunTable();
    addCharts();
    addText(QStringLiteral("method"), tr("Method"), tr("What was run, on what, how often, against which baseline?"), 3);
    addText(QStringLiteral("result"), tr("Result"), tr("The numbers: median and spread, or percentiles."), 3);
    addText(QStringLiteral("bottleneck"), tr("Bottleneck"), tr("What limits it, and how do you know?"), 2);
    addText(QStringLiteral("failure_modes"), tr("Failure modes"), tr("When does this stop being true?"), 2);
    addText(QStringLiteral("reflection"), tr("Reflection"), tr("What did your prediction assume that was not so?"), 2);
    addText(QStringLiteral("next_experiment"), tr("Next experiment"), tr("What would settle the next question?"), 2);
    addJournal();
    addFiles();
    m_scroll->column()->addStretch(1);
    connect(&context.theme(), &Theme::changed, this, &ArtifactEditor::arrange);
    const auto again = [this] {
        if (m_document)
            showAll();
    };
    connect(&context, &AppContext::catalogueReady, this, again);
    connect(&context.feedback(), &FeedbackWatch::changed, this, again);
}

void ArtifactEditor::addHead()
{
    Theme& theme = m_context.theme();
    auto* head = new QWidget;
    head->setAccessibleName(tr("Draft"));
    auto* buttons = new FlowLayout(head);
    QPushButton* save =
        makeButton(tr("Save as a version"), tr("Puts this version into the portfolio (Ctrl+Shift+A)"), true);
    save->setObjectName(QStringLiteral("save"));
    connect(save, &QPushButton::clicked, this, [this] {
        if (const auto done = this->save(); !done)
            Q_EMIT m_context.notice(text(toText(done.error())), true);
    });
    buttons->addWidget(save);
    QPushButton* discard = makeButton(tr("Discard the draft…"), tr("Deletes what is not saved; versions stay"));
    connect(discard, &QPushButton::clicked, this, &ArtifactEditor::discard);
    buttons->addWidget(discard);
    m_state = makeLabel(theme, {}, TextStyle::Body, QStringLiteral("muted"));
    m_state->setMinimumHeight(theme.scaled(30));
    buttons->addWidget(m_state);
    m_scroll->column()->addWidget(head);
    addLine(QStringLiteral("title"), tr("Title"));

    auto* pickers = new QWidget;
    pickers->setAccessibleName(tr("Kind and level"));
    auto* row = new FlowLayout(pickers);
    m_kind = new QComboBox;
    m_kind->setAccessibleName(tr("Kind of artifact"));
    m_kind->setToolTip(m_kind->accessibleName());
    for (const char* kind : artifactKinds())
        m_kind->addItem(QLatin1String(kind), QLatin1String(kind));
    connect(m_kind, &QComboBox::activated, this, [this] {
        m_document->edit(tr("Kind of artifact"), QStringLiteral("kind"), [this](record::ArtifactRow& row) {
            row.kind = m_kind->currentData().toString().toStdString();
        });
    });
    row->addWidget(m_kind);
    m_level = new QComboBox;
    m_level->setAccessibleName(tr("Level of the artifact ladder"));
    m_level->setToolTip(m_level->accessibleName());
    const record::ArtifactRow none;
    for (const TrustRung& rung : ladder({none, {}, {}}))
        m_level->addItem(tr("%1 · %2").arg(rung.level).arg(text(rung.asks)), rung.level);
    m_level->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_level->setMinimumContentsLength(32);
    connect(m_level, &QComboBox::activated, this, [this] {
        m_document->edit(tr("Level"), QStringLiteral("level"),
                         [this](record::ArtifactRow& row) { row.level = m_level->currentData().toInt(); });
    });
    row->addWidget(m_level);
    m_scroll->column()->addWidget(pickers);
}

QVBoxLayout* ArtifactEditor::section(const QString& title, const QString& help)
{
    auto* part = new QWidget;
    part->setAccessibleName(title);
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(0, space::s, 0, 0);
    column->setSpacing(space::xs);
    column->addWidget(makeLabel(m_context.theme(), title, TextStyle::Strong));
    if (!help.isEmpty())
        column->addWidget(makeText(m_context.theme(), help, TextStyle::Caption, QStringLiteral("hint")));
    m_scroll->column()->addWidget(part);
    return column;
}

void ArtifactEditor::addLine(const QString& name, const QString& title)
{
    auto* line = new PlainLine(title);
    line->setObjectName(name);
    line->setPlaceholderText(tr("What it is called in the portfolio"));
    section(title)->addWidget(line);
    m_lines.insert(name, line);
    connect(line, &QLineEdit::textEdited, this, [this, name](const QString& typed) { setText(name, typed); });
    connect(line, &PlainLine::undoAsked, this, [this] { m_document->undoStack().undo(); });
    connect(line, &PlainLine::redoAsked, this, [this] { m_document->undoStack().redo(); });
}

void ArtifactEditor::addText(const QString& name, const QString& title, const QString& help, int lines)
{
    auto* edit = new GrowingEdit(m_context.theme(), title, lines);
    edit->setObjectName(name);
    edit->setAccessibleDescription(help);
    QVBoxLayout* column = section(title, help);
    column->addWidget(edit);
    if (name == QLatin1String("claim")) {
        m_heldClaim = makeText(m_context.theme(), {}, TextStyle::Body, QStringLiteral("hint"));
        m_heldClaim->setObjectName(QStringLiteral("heldClaim"));
        column->addWidget(m_heldClaim);
    }
    m_texts.insert(name, edit);
    connect(edit, &QPlainTextEdit::textChanged, this, [this, name, edit] {
        if (edit->toPlainText() != textOf(name))
            setText(name, edit->toPlainText());
    });
    connect(edit, &GrowingEdit::undoAsked, this, [this] { m_document->undoStack().undo(); });
    connect(edit, &GrowingEdit::redoAsked, this, [this] { m_document->undoStack().redo(); });
}

QString ArtifactEditor::textOf(const QString& name) const
{
    if (!m_document)
        return {};
    const record::ArtifactRow& row = m_document->row();
    if (name == QLatin1String("title"))
        return text(row.title);
    if (name == QLatin1String("question"))
        return text(row.question);
    if (name == QLatin1String("claim"))
        return text(row.claim);
    if (name == QLatin1String("reflection"))
        return text(row.reflection);
    const auto found = row.sections.find(name.toStdString());
    return found == row.sections.end() ? QString() : text(found->second);
}

void ArtifactEditor::setText(const QString& name, const QString& value)
{
    if (!m_document)
        return;
    m_document->edit(
        tr("Typing"), name,
        [&](record::ArtifactRow& row) {
            const std::string typed = value.toStdString();
            if (name == QLatin1String("title"))
                row.title = typed;
            else if (name == QLatin1String("question"))
                row.question = typed;
            else if (name == QLatin1String("claim"))
                row.claim = typed;
            else if (name == QLatin1String("reflection"))
                row.reflection = typed;
            else if (typed.empty())
                row.sections.erase(name.toStdString());
            else
                row.sections[name.toStdString()] = typed;
        },
        true);
}

Result<void> ArtifactEditor::open(const std::string& id)
{
    if (!m_context.store())
        return m_context.storeError().value_or(Error{"no-store", "The store is not open.", {}, {}});
    if (m_document && m_document->id() == id && m_document->undoStack().count() > 0)
        return {}; // with its steps
    const std::filesystem::path folder = m_context.store()->folder();
    auto row = readDraft(folder, id);
    if (!row) {
        const auto versions = m_context.store()->artifactVersions(id);
        if (!versions)
            return versions.error();
        if (!versions->empty()) {
            row = versions->front();
            row->artifactId = id;
        } else {
            row = draftFromJson({});
            row->kind = "benchmark report";
            row->trust = "T0";
        }
    }
    m_document.reset(); // its draft is on disk before another is opened
    m_ownClaim = row->claim.empty();
    m_document = std::make_unique<ArtifactDocument>(folder, id, std::move(*row));
    connect(m_document.get(), &ArtifactDocument::saveFailed, this,
            [this](const QString& message) { Q_EMIT m_context.notice(message, true); });
    connect(m_document.get(), &ArtifactDocument::changed, this, &ArtifactEditor::showField);
    connect(&m_document->undoStack(), &QUndoStack::indexChanged, this, &ArtifactEditor::changed);
    showAll();
    setScrollFraction(m_scroll, 0);
    Q_EMIT changed();
    return {};
}

QWidget* ArtifactEditor::field(const QString& name) const
{
    if (QWidget* line = m_lines.value(name))
        return line;
    if (QWidget* edit = m_texts.value(name))
        return edit;
    return name == QLatin1String("runs") ? findChild<QWidget*>(QStringLiteral("addRuns")) : nullptr;
}

void ArtifactEditor::showAll()
{
    loadLinked();
    for (const QString& name : m_lines.keys())
        m_lines.value(name)->setText(textOf(name));
    for (const QString& name : m_texts.keys())
        showText(name);
    const record::ArtifactRow& row = m_document->row();
    if (m_kind->findData(text(row.kind)) < 0 && !row.kind.empty())
        m_kind->addItem(text(row.kind), text(row.kind)); // of a later version of the program, or of a lesson
    m_kind->setCurrentIndex(std::max(0, m_kind->findData(text(row.kind))));
    m_level->setCurrentIndex(m_level->findData(row.level));
    m_state->setText(row.artifactId.empty() ? tr("New; kept as a draft while you write")
                                            : tr("A new version; the one that was shipped stays as it is"));
    showPredictions();
    showRuns();
    showCharts();
    showFiles();
    showJournal();
    updateHints();
    arrange();
}

void ArtifactEditor::showField(const QString& field)
{
    if (PlainLine* line = m_lines.value(field)) {
        if (line->text() != textOf(field))
            line->setText(textOf(field));
    } else if (m_texts.contains(field)) {
        showText(field);
    } else {
        showAll();
    }
    m_hintsSoon->start();
}

void ArtifactEditor::showText(const QString& name)
{
    GrowingEdit* edit = m_texts.value(name);
    if (name != QLatin1String("claim"))
        return edit->show(textOf(name));
    // A claim that came with the draft has numbers of the runs in it. One that is typed here is its author's own.
    const bool held = !m_linked.resultHeld.isEmpty() && !m_document->row().claim.empty() && !m_ownClaim;
    m_heldClaim->setVisible(held);
    m_heldClaim->setText(held ? text(record::heldClaim(m_linked.resultHeld.toStdString())) : QString());
    edit->setVisible(!held);
    if (!held)
        edit->show(textOf(name));
}

void ArtifactEditor::updateHints()
{
    if (!m_document)
        return;
    if (!m_linked.artifactHeld.isEmpty())
        return m_hints->showHeld(m_linked.artifactHeld);
    const ClaimBasis basis{m_document->row(), m_linked.runs, m_linked.reproductions, m_linked.predictions};
    m_hints->show(m_document->row().level, ladder(basis), weakClaims(basis));
}

Result<void> ArtifactEditor::save()
{
    if (!m_document || !m_context.store())
        return Error{"no-store", "The store is not open.", {}, {}};
    record::ArtifactRow row = m_document->row();
    if (QString::fromStdString(row.title).simplified().isEmpty()) {
        m_lines.value(QStringLiteral("title"))->setFocus(Qt::OtherFocusReason);
        return Error{"no-title", "The artifact has no title yet", "title", "Give it one, then save again"};
    }
    if (m_saving == m_document->id())
        return {}; // a second click, before the first is in the record
    m_saving = m_document->id();
    record::whenDone(m_context.store()->append(record::nextVersion(std::move(row))), this,
                     [this, draft = m_document->id()](const Result<std::string>& stored) {
                         m_saving.clear();
                         if (!stored)
                             return Q_EMIT m_context.notice(text(toText(stored.error())), true);
                         if (!m_document || m_document->id() != draft)
                             return; // meanwhile discarded, or another one is open
                         const std::string artifact = m_document->row().artifactId;
                         m_document->removeDraft();
                         m_document.reset();
                         Q_EMIT m_context.notice(tr("Saved as a version"), false);
                         Q_EMIT saved(text(artifact.empty() ? *stored : artifact));
                     });
    return {};
}

void ArtifactEditor::discard()
{
    auto* ask = new QMessageBox(QMessageBox::Question, tr("Discard the draft"),
                                tr("What you wrote since the last saved version is deleted. Versions stay."),
                                QMessageBox::Discard | QMessageBox::Cancel, this);
    ask->setDefaultButton(QMessageBox::Cancel);
    ask->setAttribute(Qt::WA_DeleteOnClose);
    connect(ask, &QMessageBox::buttonClicked, this, [this, ask](QAbstractButton* button) {
        if (ask->standardButton(button) != QMessageBox::Discard || !m_document)
            return;
        m_document->removeDraft();
        m_document.reset();
        Q_EMIT discarded();
    });
    ask->open();
}

void ArtifactEditor::arrange()
{
    const bool wide = width() >= m_context.theme().scaled(kWide);
    m_split->setDirection(wide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    if (wide) {
        m_side->setFixedWidth(m_context.theme().scaled(kSideWidth));
        m_side->setMaximumHeight(QWIDGETSIZE_MAX);
        m_side->setMinimumHeight(0);
    } else {
        m_side->setMinimumWidth(0);
        m_side->setMaximumWidth(QWIDGETSIZE_MAX);
        m_side->setFixedHeight(height() * 3 / 10);
    }
}

void ArtifactEditor::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

} // namespace ridge::app

#include "moc_artifact_editor.cpp"
