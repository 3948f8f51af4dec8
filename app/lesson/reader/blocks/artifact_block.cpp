// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/blocks/artifact_block.h"

#include "app/lesson/reader/lesson_end.h"
#include "app/theme/announce.h"
#include "app/theme/kept_units.h"
#include "app/ui/still_scroll.h"
#include "evidence/demonstration.h"
#include "evidence/evidence.h"
#include "lessons/placeholders.h"

#include <QKeyEvent>
#include <QLocale>
#include <QPlainTextEdit>
#include <QPushButton>

namespace ridge::app {

namespace {

/// Two lines of answer; Tab goes on to the next field, Esc leaves (the block takes it).
class ReflectionEdit : public QPlainTextEdit {
public:
    ReflectionEdit(Theme& theme, QWidget* parent) : QPlainTextEdit(parent)
    {
        setTabChangesFocus(true);
        setFixedHeight(2 * theme.lineHeight(TextStyle::Body) + 2 * space::s + 6);
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    }

protected:
    void wheelEvent(QWheelEvent* event) override { event->ignore(); }
    void keyPressEvent(QKeyEvent* event) override
    {
        const bool enter = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
        if (event->key() == Qt::Key_Escape || (enter && event->modifiers().testFlag(Qt::ControlModifier)))
            event->ignore();
        else
            QPlainTextEdit::keyPressEvent(event);
    }
};

QString inOneLine(const std::string& text)
{
    return QString::fromStdString(text).simplified();
}

constexpr int kLeastReflection = 8; ///< letters: less is no sentence

} // namespace

ArtifactBlockWidget::ArtifactBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent)
    : BlockWidget(context, block, tr("Artifact"), parent), m_artifact(std::get<lessons::ArtifactBlock>(block.body)),
      m_draft(new DraftFile(context.app.store() ? context.app.store()->folder() : std::filesystem::path(),
                            context.state.lesson().id, block.id, this)),
      m_form(new QWidget(this)), m_missing(new ThemedLabel(context.theme(), {}, TextStyle::Body, "hint", this)),
      m_ship(new QPushButton(tr("Ship"), this)), m_error(new ErrorCard(context.theme(), this)),
      m_shipped(new QWidget(this))
{
    auto* kind = new ThemedLabel(theme(), tr("%1 · level %2").arg(inOneLine(m_artifact.kind)).arg(m_artifact.level),
                                 TextStyle::Caption, "hint", this);
    kind->setWordWrap(false);
    header()->addWidget(kind);
    addLabel(QString::fromStdString(m_artifact.title), TextStyle::ReadH3);
    addText(m_artifact.question, ProseLook::Card);
    addShipped();
    auto* form = new QVBoxLayout(m_form);
    form->setContentsMargins(0, 0, 0, 0);
    form->setSpacing(space::s);
    form->addWidget(
        new ThemedLabel(theme(), tr("Your claim, filled from your runs"), TextStyle::Caption, "hint", this));
    m_claim = new ProseView(context, {}, ProseLook::Reading, m_form);
    m_claim->setObjectName(QStringLiteral("claim"));
    form->addWidget(m_claim);
    addPrompts();
    form->addWidget(m_missing);
    auto* row = new QHBoxLayout;
    row->addWidget(m_ship);
    row->addStretch();
    form->addLayout(row);
    form->addWidget(m_error);
    body()->addWidget(m_form);
    m_missing->setObjectName(QStringLiteral("missing"));
    m_ship->setObjectName(QStringLiteral("shipButton"));
    m_ship->setProperty("primary", true);
    m_ship->setAccessibleName(tr("Ship the artifact"));
    m_ship->setToolTip(tr("Store this artifact in your portfolio (Ctrl+Shift+A)"));
    connect(m_ship, &QPushButton::clicked, this, &ArtifactBlockWidget::ship);
    connect(m_error, &ErrorCard::retry, this, &ArtifactBlockWidget::ship);
    connect(&context.state, &LessonState::checksChanged, this, &ArtifactBlockWidget::refresh);
    connect(&context.state, &LessonState::abilityChanged, this, &ArtifactBlockWidget::refresh);
    connect(&context.state, &LessonState::artifactsChanged, this, [this] {
        m_again = false;
        refresh();
    });
    connect(m_draft, &DraftFile::saveFailed, this,
            [this](const QString& message) { Q_EMIT app().notice(message, true); });
    refresh();
}

void ArtifactBlockWidget::addPrompts()
{
    const Json draft = m_draft->load();
    const auto texts = draft.contains("answers") && draft["answers"].is_array() ? draft["answers"] : Json::array();
    for (const std::string& prompt : m_artifact.prompts) {
        auto* label = new ThemedLabel(theme(), QString::fromStdString(prompt), TextStyle::Body, "", m_form);
        auto* edit = new ReflectionEdit(theme(), m_form);
        edit->setObjectName(QStringLiteral("reflection:%1").arg(m_answers.size()));
        edit->setAccessibleName(QString::fromStdString(prompt));
        label->setBuddy(edit);
        const std::size_t index = m_answers.size();
        if (index < texts.size() && texts[index].is_string())
            edit->setPlainText(QString::fromStdString(texts[index].get<std::string>()));
        label->setContentsMargins(0, space::s, 0, 0);
        m_form->layout()->addWidget(label);
        m_form->layout()->addWidget(edit);
        m_answers.push_back(edit);
        connect(edit, &QPlainTextEdit::textChanged, this, [this] {
            Json answers = Json::array();
            for (const QPlainTextEdit* one : m_answers)
                answers.push_back(one->toPlainText().toStdString());
            m_draft->keep(Json{{"answers", std::move(answers)}});
            refreshForm();
        });
    }
}

void ArtifactBlockWidget::addShipped()
{
    auto* column = new QVBoxLayout(m_shipped);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::s);
    m_shippedTitle =
        new ThemedLabel(theme(), tr("Shipped. It is in your portfolio."), TextStyle::Strong, "ok", m_shipped);
    m_shippedTitle->setObjectName(QStringLiteral("shippedTitle"));
    column->addWidget(m_shippedTitle);
    m_shippedText = new ThemedLabel(theme(), {}, TextStyle::ReadBody, "", m_shipped);
    m_shippedText->setObjectName(QStringLiteral("shipped"));
    m_shippedFacts = new ThemedLabel(theme(), {}, TextStyle::Caption, "hint", m_shipped);
    column->addWidget(m_shippedText);
    column->addWidget(m_shippedFacts);
    auto* row = new QHBoxLayout;
    row->setSpacing(space::s);
    m_open = new QPushButton(tr("Open in portfolio"), m_shipped);
    m_open->setObjectName(QStringLiteral("openShipped"));
    m_open->setAccessibleName(m_open->text());
    auto* again = new QPushButton(tr("Ship a new version"), m_shipped);
    again->setAccessibleName(again->text());
    again->setToolTip(tr("A shipped artifact is never changed; a new version stands beside it"));
    row->addWidget(m_open);
    row->addWidget(again);
    row->addStretch();
    column->addLayout(row);
    column->addSpacing(space::s);
    column->addWidget(new LessonEnd(context(), LessonEnd::Place::Shipped, m_shipped));
    body()->addWidget(m_shipped);
    connect(m_open, &QPushButton::clicked, this,
            [this] { Q_EMIT app().openRequested(QStringLiteral("artifact/") + m_shippedId); });
    connect(again, &QPushButton::clicked, this, [this] {
        m_again = true;
        refresh();
        if (!m_answers.empty())
            m_answers.front()->setFocus(Qt::OtherFocusReason);
    });
}

QStringList ArtifactBlockWidget::missing() const
{
    QStringList open;
    if (const auto obstacle = state().storeObstacle())
        open += obstacle->line();
    for (const std::string& id : m_artifact.requires_) {
        const auto runs = state().runsOf(id);
        if (!std::ranges::all_of(runs, [](const record::RunRow* run) { return isDemonstration(*run); }))
            continue;
        const lessons::Block* needed = state().lesson().block(id);
        const QString kind = needed ? QString::fromStdString(needed->kind) : QString();
        open += tr("Run the %1 block “%2”.").arg(kind, QString::fromStdString(id));
    }
    if (!app().hasCatalogue())
        open += app().catalogueError() ? QString::fromStdString(app().catalogueError()->message)
                                       : tr("Asking the worker what it can run…");
    const auto empty = std::ranges::count_if(
        m_answers, [](const QPlainTextEdit* answer) { return answer->toPlainText().trimmed().isEmpty(); });
    if (empty == 1)
        open += tr("Answer the prompt that is still empty.");
    else if (empty > 1)
        open += tr("Answer the %1 prompts that are still empty.").arg(empty);
    else if (std::ranges::any_of(m_answers, [](const QPlainTextEdit* answer) {
                 return answer->toPlainText().trimmed().size() < kLeastReflection;
             }))
        open += tr("Answer each prompt in a sentence: one is shorter than %1 letters.").arg(kLeastReflection);
    return open;
}

bool ArtifactBlockWidget::canActivate() const
{
    return !m_shipping && m_form->isVisibleTo(this) && missing().isEmpty();
}

std::string ArtifactBlockWidget::reflection() const
{
    // With its prompts: an answer alone is a riddle to whoever reads the portfolio.
    std::string text;
    for (std::size_t i = 0; i < m_answers.size(); ++i)
        text += (text.empty() ? "" : "\n\n") + m_artifact.prompts[i] + "\n\n" +
                m_answers[i]->toPlainText().trimmed().toStdString();
    return text;
}

void ArtifactBlockWidget::refresh()
{
    const auto& artifacts = state().artifacts();
    m_shipped->setVisible(!artifacts.empty() && !m_again);
    m_form->setVisible(artifacts.empty() || m_again);
    if (!artifacts.empty())
        showShipped(artifacts.front());
    if (m_form->isVisibleTo(this)) {
        const lessons::Evidence& evidence = state().evidence();
        const QString held = state().held(Outcome::Result);
        // The words of the claim hold the results; they are filled in when it ships all the same.
        m_claim->setMarkdownText(held.isEmpty() ? lessons::fillTemplate(m_artifact.claim, evidence).text
                                                : tr("Your runs fill in the claim. %1").arg(held).toStdString());
        refreshForm();
    }
}

void ArtifactBlockWidget::refreshForm()
{
    const QStringList open = missing();
    m_missing->setText(open.isEmpty()
                           ? QString()
                           : tr("Before it ships:") + QStringLiteral("\n•  ") + open.join(QStringLiteral("\n•  ")));
    m_missing->setVisible(!open.isEmpty());
    m_ship->setEnabled(canActivate());
    m_ship->setAccessibleDescription(m_missing->text());
}

void ArtifactBlockWidget::showShipped(const record::ArtifactRow& row)
{
    m_shippedId = QString::fromStdString(row.id);
    const QString held = state().held(Outcome::Result);
    m_shippedText->setText(held.isEmpty() ? keptUnits(QString::fromStdString(row.claim))
                                          : tr("Your claim is stored. %1").arg(held));
    const QDateTime when =
        QDateTime::fromString(QString::fromStdString(row.createdAt), Qt::ISODateWithMs).toLocalTime();
    const auto provenance = ridge::toText(row.provenance);
    const QStringList facts{tr("Shipped %1").arg(QLocale().toString(when, QLocale::ShortFormat)),
                            QString::fromUtf8(provenance.data(), qsizetype(provenance.size())),
                            tr("trust %1").arg(QString::fromStdString(row.trust)),
                            tr("runs: %1").arg(row.runIds.size()),
                            tr("predictions: %1").arg(row.predictionIds.size()),
                            tr("source files: %1").arg(row.code.size())};
    m_shippedFacts->setText(facts.join(QStringLiteral(" · ")));
}

void ArtifactBlockWidget::ship()
{
    if (!canActivate())
        return;
    m_error->clear();
    auto row = composeArtifact(*app().store(), state().lesson(), app().experiments(), reflection());
    if (!row)
        return shipFailed(row.error());
    if (!state().artifacts().empty())
        row->artifactId = state().artifacts().front().artifactId; // shipped again: a further version
    m_shipping = true;
    m_ship->setEnabled(false);
    state().commit(std::move(*row), this, [this](const Result<std::string>& stored) {
        m_shipping = false;
        if (!stored)
            return shipFailed(stored.error());
        m_draft->remove();
        refresh();
        announce(m_shippedTitle, tr("Shipped: %1").arg(QString::fromStdString(m_artifact.title)));
        showOutcome(m_open, this);
    });
}

void ArtifactBlockWidget::shipFailed(const Error& error)
{
    m_error->showError(error, true);
    refreshForm();
}

} // namespace ridge::app

#include "moc_artifact_block.cpp"
