// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/charts/chart_canvas.h"
#include "app/lesson/reader/block_widget.h"
#include "app/lesson/reader/lesson_page.h"
#include "app/ui/parameter_form.h"
#include "app/ui/several_values.h"
#include "app/window/learn/learn_page.h"
#include "app/window/main_window.h"
#include "base/paths.h"
#include "lessons/controls.h"
#include "lessons/instances.h"
#include "lessons/learner.h"
#include "lessons/pointing.h"

#include <QComboBox>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QtTest>
#include <cmath>

namespace ridge::app {

/// The program from start to quit on one learner's folder, and a hand that goes through any lesson as it is written.
class LessonDriver {
public:
    /// `runMs`: how long the slowest block of the lesson may take.
    LessonDriver(const QString& home, const QString& lessonId, const QString& target, int runMs)
        : m_id(lessonId), m_runMs(runMs)
    {
        if (!theme.load(QStringLiteral("light")))
            qFatal("no theme");
        auto store = record::Store::open(home.toStdString());
        if (!store)
            qFatal("%s", toText(store.error()).c_str());
        context = std::make_unique<AppContext>(theme, actions, std::move(*store), *dataFolder());
        window = std::make_unique<MainWindow>(*context, MainWindow::Options{false, true, QStringLiteral("light")});
        context->setTarget(target);
        context->loadCatalogue();
        window->resize(1440, 1000);
    }

    /// Empty, or what went wrong.
    QString open()
    {
        window->show();
        if (!QTest::qWaitForWindowExposed(window.get()))
            return QStringLiteral("the window does not show");
        if (!QTest::qWaitFor([this] { return context->hasCatalogue(); }, m_runMs))
            return QStringLiteral("the catalogue does not come");
        if (auto opened = window->open(QStringLiteral("lesson/") + m_id); !opened)
            return QString::fromStdString(toText(opened.error()));
        if (!QTest::qWaitFor([this] { return page() && page()->ready(); }, m_runMs))
            return QStringLiteral("the lesson does not become ready");
        auto read = lessons::loadLesson(context->curriculum(), m_id.toStdString());
        if (!read)
            return QString::fromStdString(toText(read.error()));
        text = std::move(*read);
        return {};
    }

    /// Goes through the blocks in reading order: predicts what the first authored misconception on the slider says (the
    /// middle of the slider without one), gives its reason, runs every run, sweep and challenge, answers questions,
    /// ships. Empty, or the first thing that could not be done as a reader would do it.
    QString goThrough()
    {
        for (const lessons::Block* block : text.blocks()) {
            const int before = clicks;
            if (const QString wrong = std::visit([&](const auto& body) { return doBlock(*block, body); }, block->body);
                !wrong.isEmpty())
                return QString::fromStdString(block->id) + QStringLiteral(": ") + wrong;
            if (QApplication::activeModalWidget())
                return QString::fromStdString(block->id) + QStringLiteral(": a dialog stands in the way");
            spent[block->id] = clicks - before;
        }
        return {};
    }

    /// Clicks from "continue" to the artifact by the shortest way: the first prediction, its reason, what waits for it,
    /// ship. Journey J2 has seven of them, with one to pin a reference and one to save in a dialog, which is not asked.
    int shortestWay() const
    {
        int sum = 1;
        std::string predict;
        for (const lessons::Block* block : text.blocks()) {
            if (predict.empty() && std::holds_alternative<lessons::PredictBlock>(block->body)) {
                predict = block->id;
                sum += spent.at(block->id);
            } else if (!predict.empty() && waitsFor(block->body, predict)) {
                sum += spent.at(block->id);
                predict = "-"; // the first that waits
            } else if (std::holds_alternative<lessons::ArtifactBlock>(block->body)) {
                sum += spent.at(block->id);
            }
        }
        return sum;
    }

    LessonPage* page() const
    {
        auto* learn = qobject_cast<LearnPage*>(window->page());
        return learn ? learn->lesson() : nullptr;
    }
    BlockWidget* block(const std::string& id) const
    {
        return page() ? qobject_cast<BlockWidget*>(page()->blockWidget(QString::fromStdString(id))) : nullptr;
    }
    std::vector<record::RunRow> runs(const std::string& blockId) const
    {
        record::RunFilter filter;
        filter.lesson = text.id;
        filter.block = blockId;
        auto rows = context->store()->runs(filter);
        return rows ? *rows : std::vector<record::RunRow>{};
    }

    Theme theme;
    ActionRegistry actions;
    std::unique_ptr<AppContext> context;
    std::unique_ptr<MainWindow> window;
    lessons::Lesson text;
    int clicks = 0;
    int answers = 0;                  ///< those of them that answer a question or give a reason
    std::map<std::string, int> spent; ///< clicks of each block that goThrough has done

private:
    template<class Body>
    QString doBlock(const lessons::Block&, const Body&)
    {
        return {}; // read, not done
    }

    QString doBlock(const lessons::Block& each, const lessons::PredictBlock& predict)
    {
        for (const lessons::Block* later : text.blocks())
            if (waitsFor(later->body, each.id) && isEnabled(later->id, "runButton"))
                return QString::fromStdString(later->id + " can be run before the number is committed");
        const double middle = predict.logScale && predict.min > 0 ? std::sqrt(predict.min * predict.max)
                                                                  : (predict.min + predict.max) / 2;
        const auto asked = lessons::filled(predict, predict.at); // values that are formulas worked out
        const auto wrong = std::ranges::find_if(asked.misconceptions, [&](const lessons::Misconception& one) {
            return predict.min <= one.value && one.value <= predict.max;
        });
        const bool known = wrong != asked.misconceptions.end();
        const double point = known ? wrong->value : middle;
        QTest::qWait(400); // a question whose point was just run elsewhere moves on
        if (!type(each.id, "point", QString::number(point, 'g', 6)))
            return QStringLiteral("there is no field to predict in");
        if (const QString trouble = runAndWait(each.id); !trouble.isEmpty())
            return trouble;
        const auto predictions = context->store()->predictions(text.id);
        if (!predictions || predictions->empty())
            return QStringLiteral("no prediction is stored");
        for (const record::RunRow& run : runs(each.id))
            if (run.predictionId == predictions->front().id && run.seq < predictions->front().seq)
                return QStringLiteral("the run came before its prediction");
        auto* factor = block(each.id)->findChild<QWidget*>(QStringLiteral("factor"));
        if (!QTest::qWaitFor([&] { return factor && factor->isVisible(); }, m_runMs))
            return QStringLiteral("nothing says how far off it was");
        if (!known)
            return {};
        return press(each.id, "reason:" + wrong->id) ? QString() : QStringLiteral("no reason can be given");
    }
    QString doBlock(const lessons::Block& each, const lessons::RunBlock&) { return runAndWait(each.id); }
    /// As often as the lesson asks for: a crossing counts when it is seen again. Where two lie apart, once more, as the
    /// lesson then says.
    QString doBlock(const lessons::Block& each, const lessons::SweepBlock& sweep)
    {
        QString wrong;
        const int times = lessons::timesToRun(text, sweep);
        for (int time = 0; time < times + lessons::kMoreSweeps && wrong.isEmpty(); ++time) {
            if (time >= times && !lessons::wantsAnotherSweep(text, sweep, context->evidence(text.id)))
                break;
            wrong = runAndWait(each.id);
        }
        return wrong;
    }
    QString doBlock(const lessons::Block& each, const lessons::ChallengeBlock& challenge)
    {
        for (const lessons::ChallengeTry& one : lessons::triesOf(challenge)) {
            auto* form = block(each.id)->findChild<ParameterForm*>();
            for (const auto& [name, value] : one.set)
                if (form)
                    form->setValue(name, value);
            for (auto* several : block(each.id)->findChildren<SeveralValues*>())
                several->setValues(one.several.at(several->name()));
            if (const QString wrong = runAndWait(each.id); !wrong.isEmpty())
                return wrong;
        }
        return {};
    }
    QString doBlock(const lessons::Block& each, const lessons::QuizBlock& authored)
    {
        if (!block(each.id) || block(each.id)->isHidden()) // recalls a lesson that this reader has not met
            return {};
        const auto seed = lessons::drawSeed(context->store()->origin(), text.id, each.id);
        const lessons::QuizBlock quiz = lessons::filled(authored, lessons::quizStanding(authored, {}, seed).instance);
        if (quiz.number) {
            if (!type(each.id, "number", QString::number(*quiz.number, 'g', 15)))
                return QStringLiteral("there is no field to answer in");
        } else {
            const auto right = std::find_if(quiz.choices.begin(), quiz.choices.end(),
                                            [](const lessons::QuizChoice& choice) { return choice.correct; });
            if (!press(each.id, "choice:" + std::to_string(right - quiz.choices.begin())))
                return QStringLiteral("the right choice cannot be taken");
        }
        return press(each.id, "checkButton") ? QString() : QStringLiteral("the answer cannot be checked");
    }
    QString doBlock(const lessons::Block& each, const lessons::OrderBlock& order)
    {
        page()->scrollToBlock(QString::fromStdString(each.id));
        auto* steps = block(each.id)->findChild<QListWidget*>(QStringLiteral("steps"));
        for (std::size_t place = 0; place < order.steps.size(); ++place) {
            int row = int(place);
            while (row < steps->count() && steps->item(row)->data(Qt::UserRole).toUInt() != place)
                ++row;
            if (row == steps->count())
                return QStringLiteral("a step is missing");
            steps->setCurrentRow(row);
            for (; row > int(place); --row)
                QTest::keyClick(steps, Qt::Key_Up, Qt::AltModifier);
        }
        return press(each.id, "checkButton") && isStored(each.id, 1) ? QString()
                                                                     : QStringLiteral("the order cannot be checked");
    }
    /// One point is pulled, the rest stays flat: what a lesson may demand of a curve is not looked at here.
    QString doBlock(const lessons::Block& each, const lessons::DrawBlock&)
    {
        page()->scrollToBlock(QString::fromStdString(each.id));
        if (!QTest::qWaitFor([&] { return button(each.id, "commitCurve")->isVisible(); }, m_runMs))
            return QStringLiteral("no curve can be drawn");
        block(each.id)->focusInput();
        QTest::keyClick(block(each.id)->findChild<ChartCanvas*>(), Qt::Key_Up);
        if (!press(each.id, "commitCurve"))
            return QStringLiteral("the curve cannot be committed");
        return isStored(each.id, 1) ? QString() : QStringLiteral("no curve is stored");
    }
    QString doBlock(const lessons::Block& each, const lessons::ExplainBlock&)
    {
        auto* edit = block(each.id)->findChild<QPlainTextEdit*>(QStringLiteral("explanation"));
        if (!edit)
            return QStringLiteral("there is no field to explain in");
        edit->setFocus();
        QTest::keyClicks(edit, QStringLiteral("The reason in my own words, with its numbers."));
        if (!press(each.id, "keepAnswer") || !press(each.id, "rate:yes"))
            return QStringLiteral("the explanation cannot be kept and rated");
        return isStored(each.id, 2) ? QString() : QStringLiteral("no explanation is stored");
    }
    QString doBlock(const lessons::Block& each, const lessons::WorksheetBlock& sheet)
    {
        const lessons::Evidence evidence = context->evidence(text.id);
        const auto right = lessons::solveSheet(sheet, 0, lessons::givenLookup(context->curriculum(), evidence));
        if (!right)
            return QString::fromStdString(toText(right.error()));
        std::size_t rows = 0;
        for (const lessons::WorksheetCell& cell : sheet.cells) {
            if (!type(each.id, ("cell:" + cell.name).c_str(), QString::number(right->at(cell.name), 'g', 15)))
                return QString::fromStdString(cell.name + " cannot be filled");
            if (!press(each.id, "checkButton") || !isStored(each.id, ++rows))
                return QString::fromStdString(cell.name + " cannot be checked");
        }
        return {};
    }
    QString doBlock(const lessons::Block& each, const lessons::SceneBlock& scene)
    {
        if (scene.answer.empty())
            return {};
        auto* things = block(each.id)->findChild<QComboBox*>(QStringLiteral("things"));
        if (!things)
            return QStringLiteral("nothing can be pointed at");
        things->setEditText(QString::fromStdString(lessons::pointedText(scene.answer.front())));
        return press(each.id, "answerButton") && isStored(each.id, 1) ? QString()
                                                                      : QStringLiteral("the answer cannot be given");
    }
    bool isStored(const std::string& id, std::size_t rows)
    {
        return QTest::qWaitFor(
            [&] {
                const auto all = context->store()->answers(text.id);
                return all && std::ranges::count(*all, id, &record::AnswerRow::block) >= std::ptrdiff_t(rows);
            },
            m_runMs);
    }
    QString doBlock(const lessons::Block& each, const lessons::ArtifactBlock& artifact)
    {
        for (std::size_t i = 0; i < artifact.prompts.size(); ++i) {
            auto* edit = block(each.id)->findChild<QPlainTextEdit*>(QStringLiteral("reflection:%1").arg(i));
            if (!edit)
                return QStringLiteral("a prompt has no field");
            edit->setFocus();
            QTest::keyClicks(edit, QStringLiteral("What I had assumed, and what I found."));
        }
        if (!press(each.id, "shipButton")) {
            const auto* missing = block(each.id)->findChild<QLabel*>(QStringLiteral("missing"));
            return QStringLiteral("it cannot be shipped: ") + (missing ? missing->text() : QString());
        }
        const bool stored = QTest::qWaitFor(
            [this] {
                const auto all = context->store()->artifacts(text.id);
                return all && !all->empty();
            },
            m_runMs);
        return stored ? QString() : QStringLiteral("no artifact is stored");
    }

    static bool waitsFor(const lessons::BlockBody& body, const std::string& predict)
    {
        if (const auto* run = std::get_if<lessons::RunBlock>(&body))
            return run->after == predict;
        const auto* sweep = std::get_if<lessons::SweepBlock>(&body);
        return sweep && sweep->after == predict;
    }
    QAbstractButton* button(const std::string& id, const std::string& name) const
    {
        BlockWidget* found = block(id);
        return found ? found->findChild<QAbstractButton*>(QString::fromStdString(name)) : nullptr;
    }
    bool isEnabled(const std::string& id, const char* name) const
    {
        const QAbstractButton* found = button(id, name);
        return found && found->isEnabled();
    }
    static bool isAnswer(const std::string& name)
    {
        return std::ranges::any_of(std::initializer_list<const char*>{"choice:", "reason:", "rate:", "checkButton",
                                                                      "keepAnswer", "answerButton"},
                                   [&name](const char* answer) { return name.starts_with(answer); });
    }
    bool press(const std::string& id, const std::string& name)
    {
        page()->scrollToBlock(QString::fromStdString(id));
        if (!QTest::qWaitFor(
                [&] {
                    const QAbstractButton* found = button(id, name);
                    return found && found->isVisible() && found->isEnabled();
                },
                m_runMs))
            return false;
        ++clicks;
        answers += isAnswer(name);
        QTest::mouseClick(button(id, name), Qt::LeftButton);
        return true;
    }
    bool type(const std::string& id, const char* name, const QString& words)
    {
        page()->scrollToBlock(QString::fromStdString(id));
        BlockWidget* found = block(id);
        auto* field = found ? found->findChild<QLineEdit*>(QString::fromLatin1(name)) : nullptr;
        if (!field || !QTest::qWaitFor([&] { return field->isEnabled(); }, m_runMs))
            return false;
        field->setFocus();
        field->selectAll();
        QTest::keyClicks(field, words);
        QTest::keyClick(field, Qt::Key_Tab);
        return true;
    }
    /// Until the runs are stored and nothing runs any more.
    /// The line below a run button.
    QString said(const std::string& id) const
    {
        const BlockWidget* found = block(id);
        auto* status = found ? found->findChild<QLabel*>(QStringLiteral("runStatus")) : nullptr;
        return status ? status->text() : QString();
    }
    QString runAndWait(const std::string& id)
    {
        const std::size_t before = runs(id).size();
        if (!press(id, "runButton"))
            return QStringLiteral("it cannot be run, the page says: ") + said(id);
        if (!QTest::qWaitFor([&] { return runs(id).size() > before; }, m_runMs))
            return QStringLiteral("no run is stored, the page says: ") + said(id);
        if (!QTest::qWaitFor([this] { return page()->runningJobs() == 0; }, m_runMs))
            return QStringLiteral("it does not come to an end");
        for (const record::RunRow& run : runs(id))
            if (run.status != "finished")
                return QString::fromStdString("a run ended as " + run.status);
        return {};
    }

    QString m_id;
    int m_runMs;
};

} // namespace ridge::app
