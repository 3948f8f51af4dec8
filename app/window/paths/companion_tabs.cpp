// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/paths/companion_tabs.h"

#include "app/ui/facts.h"
#include "app/ui/flow_layout.h"
#include "app/ui/panels.h"
#include "app/window/paths/lab_draft.h"
#include "base/hash.h"
#include "base/paths.h"
#include "base/units.h"
#include "evidence/artifact_draft.h"

#include <QCoreApplication>
#include <QDesktopServices>
#include <QHBoxLayout>
#include <QUrl>
#include <QVBoxLayout>

namespace ridge::app {
namespace {

constexpr double kBytesFp32 = 4;
const char* const kRidgeFp32 = "chip:h100-sxm.ridge_fp32";

QString qt(const std::string& text)
{
    return QString::fromStdString(text);
}

struct Tr {
    Q_DECLARE_TR_FUNCTIONS(ridge::app::CompanionTabs)
};

Card* addCard(QVBoxLayout* column, Theme& theme, const QString& title, const QString& hint)
{
    auto* card = new Card(title);
    card->column()->setContentsMargins(space::l, space::m, space::l, space::m);
    card->column()->addWidget(makeText(theme, title, TextStyle::ReadH3));
    if (!hint.isEmpty())
        card->column()->addWidget(makeText(theme, hint, TextStyle::Caption, QStringLiteral("hint")));
    column->addWidget(card);
    return card;
}

QPushButton* addOutside(QVBoxLayout* column, const std::string& url, const QString& what)
{
    auto* row = new QHBoxLayout;
    auto* button = makeButton(Tr::tr("Open in the browser"), qt(url));
    button->setAccessibleName(Tr::tr("Open %1 in the browser").arg(what));
    QObject::connect(button, &QPushButton::clicked, button,
                     [address = qt(url)] { QDesktopServices::openUrl(QUrl(address)); });
    row->addWidget(button);
    row->addStretch(1);
    column->addLayout(row);
    return button;
}

/// Those that come with the program: a chapter may name one that only a later version has.
void addModels(QVBoxLayout* column, AppContext& context, const std::vector<std::string>& models)
{
    auto* holder = new QWidget;
    auto* row = new FlowLayout(holder);
    const auto data = dataFolder();
    for (const std::string& model : models) {
        std::error_code ignored;
        const bool there =
            data.ok() && (std::filesystem::exists(*data / "assets" / "models" / (model + ".json"), ignored) ||
                          std::filesystem::exists(*data / "assets" / "networks" / (model + ".yaml"), ignored));
        if (!there)
            continue;
        auto* open =
            makeButton(Tr::tr("Explore %1").arg(qt(model)), Tr::tr("Every operator of it, with what it costs"));
        open->setObjectName(QStringLiteral("model-") + qt(model));
        QObject::connect(
            open, &QPushButton::clicked, &context,
            [&context, page = QStringLiteral("explorer/") + qt(model)] { Q_EMIT context.openRequested(page); });
        row->addWidget(open);
    }
    row->count() > 0 ? column->addWidget(holder) : delete holder;
}

} // namespace

void addLessons(QVBoxLayout* column, AppContext& context, const std::vector<lessons::LessonLink>& links)
{
    for (const lessons::LessonLink& link : links) {
        auto* row = new QHBoxLayout;
        row->setSpacing(space::m);
        auto* open = makeButton(qt(link.lesson), qt(context.curriculum().titleOf(link.lesson)));
        open->setObjectName(QStringLiteral("lesson-") + qt(link.lesson));
        open->setAccessibleName(
            Tr::tr("Lesson %1, %2").arg(qt(link.lesson), qt(context.curriculum().titleOf(link.lesson))));
        QObject::connect(
            open, &QPushButton::clicked, &context,
            [&context, page = QStringLiteral("lesson/") + qt(link.lesson)] { Q_EMIT context.openRequested(page); });
        row->addWidget(open);
        row->addWidget(makeText(context.theme(), qt(link.why)), 1);
        column->addLayout(row);
    }
}

std::vector<WorkLine> workLines(const lessons::Curriculum& curriculum, const lessons::BookChapter& chapter)
{
    const lessons::Claim* ridge = curriculum.claim(kRidgeFp32);
    std::vector<WorkLine> lines;
    for (const lessons::MatrixWork& work : chapter.work) {
        const double intensity = work.intensity(kBytesFp32);
        lines.push_back({qt(work.title), qt(formatQuantity(work.flop(), "FLOP")),
                         qt(formatQuantity(work.bytes(kBytesFp32), "B")), qt(formatQuantity(intensity, "FLOP/B")),
                         !ridge                     ? QString()
                         : intensity < ridge->value ? Tr::tr("memory-bound")
                                                    : Tr::tr("compute-bound")});
    }
    return lines;
}

void addProjects(QVBoxLayout* column, AppContext& context, const lessons::Companions& all)
{
    Theme& theme = context.theme();
    column->addWidget(makeText(theme,
                               Tr::tr("Code of others that is worth reading with a question in hand. Each belongs to "
                                      "lessons that give you the words for it."),
                               TextStyle::ReadBody, QStringLiteral("muted")));
    for (const lessons::ReferenceProject& project : all.projects) {
        Card* card = addCard(column, theme, qt(project.title), qt(project.url));
        card->column()->addWidget(makeText(theme, qt(project.question), TextStyle::ReadBody));
        card->column()->addWidget(makeText(theme, qt(project.look)));
        addLessons(card->column(), context, project.lessons);
        addOutside(card->column(), project.url, qt(project.title));
    }
}

void addChapters(QVBoxLayout* column, AppContext& context, const lessons::Companions& all, bool explores)
{
    Theme& theme = context.theme();
    column->addWidget(
        makeText(theme,
                 Tr::tr("You know the workload from %1; here is what it costs. Products are counted in FP32, "
                        "each operand read and each result written once, against the FP32 ridge of an H100.")
                     .arg(qt(all.book)),
                 TextStyle::ReadBody, QStringLiteral("muted")));
    for (const lessons::BookChapter& chapter : all.chapters) {
        Card* card = addCard(column, theme, qt(chapter.title), qt(chapter.workload));
        const std::vector<WorkLine> lines = workLines(context.curriculum(), chapter);
        if (!lines.empty()) {
            auto* facts = new FactTable(theme, Tr::tr("What the products of this chapter cost"));
            facts->setNameRoom(240);
            for (const WorkLine& line : lines)
                facts->addRow(line.title, QStringLiteral("%1 · %2 · %3").arg(line.flop, line.bytes, line.intensity),
                              line.bound);
            card->column()->addWidget(facts);
        }
        card->column()->addWidget(makeText(theme, qt(chapter.costs), TextStyle::ReadBody));
        if (explores)
            addModels(card->column(), context, chapter.models);
        addLessons(card->column(), context, chapter.lessons);
        addOutside(card->column(), chapter.url, qt(chapter.title));
    }
}

void addLabs(QVBoxLayout* column, AppContext& context, const lessons::Companions& all)
{
    Theme& theme = context.theme();
    column->addWidget(
        makeText(theme,
                 Tr::tr("Labs of the AI hardware roadmap that need tools or boards of your own. Do them there, "
                        "bring back what they left, and ship it from here."),
                 TextStyle::ReadBody, QStringLiteral("muted")));
    for (const lessons::OutsideLab& lab : all.labs) {
        Card* card = addCard(column, theme, qt(lab.title), qt(lab.tools));
        card->column()->addWidget(makeText(theme, qt(lab.why), TextStyle::Body, QStringLiteral("muted")));
        for (std::size_t i = 0; i < lab.steps.size(); ++i)
            card->column()->addWidget(makeText(theme, QStringLiteral("%1. %2").arg(i + 1).arg(qt(lab.steps[i]))));
        card->column()->addWidget(makeText(
            theme, lab.format.empty()
                       ? Tr::tr("Bring back: %1. Attach it to the artifact.").arg(qt(lab.bring))
                       : Tr::tr("Bring back: %1. File, Import reads it (%2).").arg(qt(lab.bring), qt(lab.format))));
        addLessons(card->column(), context, lab.lessons);
        auto* row = new QHBoxLayout;
        auto* begin = makeButton(Tr::tr("Begin the artifact"), qt(lab.question), true);
        begin->setObjectName(QStringLiteral("lab-") + qt(lab.id));
        begin->setAccessibleName(Tr::tr("Begin the artifact: %1").arg(qt(lab.artifact)));
        auto* told = makeText(theme, Tr::tr("%1: %2").arg(qt(lab.kind), qt(lab.artifact)), TextStyle::Caption,
                              QStringLiteral("hint"));
        begin->setEnabled(context.store() != nullptr);
        QObject::connect(begin, &QPushButton::clicked, begin, [&context, lab, told] {
            const std::string id = newUuid7();
            record::ArtifactRow row = draftOf(lab);
            row.artifactId.clear(); // the id of the draft alone: nothing is in the record yet
            if (const auto kept = writeDraft(context.store()->folder(), id, row); !kept) {
                told->setText(qt(toText(kept.error())));
                return setTone(told, QStringLiteral("error"));
            }
            Q_EMIT context.openRequested(QStringLiteral("portfolio/edit/") + qt(id));
        });
        row->addWidget(begin);
        row->addWidget(told, 1);
        card->column()->addLayout(row);
    }
}

} // namespace ridge::app
