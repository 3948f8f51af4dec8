// SPDX-License-Identifier: GPL-3.0-or-later
// Finding in a lesson, opening a place in it, and notes in its margin.
#include "reader_support.h"

#include "app/lesson/reader/code_view.h"
#include "app/lesson/reader/flat_text.h"
#include "app/lesson/reader/lesson_column.h"
#include "app/lesson/reader/lesson_places.h"
#include "app/lesson/reader/prose_view.h"
#include "tests/golden/golden.h"

#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QToolButton>
#include <fstream>

using namespace ridge;
using namespace ridge::app;
using test::Bench;

namespace {

QString q(const char* text)
{
    return QString::fromUtf8(text);
}

LessonPlaces& placesOf(Bench& bench)
{
    return *bench.page().places();
}

LessonColumn& columnOf(Bench& bench)
{
    return *bench.page().findChild<LessonColumn*>();
}

/// The text of the lesson that holds these words.
ProseView* viewWith(Bench& bench, const char* words)
{
    for (const LessonColumn::Text& text : columnOf(bench).texts())
        if (flatText(*text.view->document()).text.contains(q(words)))
            return text.view;
    return nullptr;
}

bool select(ProseView* view, const char* words)
{
    const FlatText flat = flatText(*view->document());
    const auto at = flat.text.indexOf(q(words));
    if (at < 0)
        return false;
    view->setTextCursor(flat.cursor(view->document(), int(at), int(q(words).size())));
    view->setFocus();
    return view->textCursor().hasSelection();
}

/// A note on these words as a person makes it. Null where it did not come.
NoteCard* makeNote(Bench& bench, const char* words, const char* text)
{
    ProseView* view = viewWith(bench, words);
    if (!view || !select(view, words))
        return nullptr;
    QSignalSpy made(&placesOf(bench).notes(), &NotesLayer::noteMade);
    placesOf(bench).addNote();
    if (!QTest::qWaitFor([&] { return !made.isEmpty(); }, 5000))
        return nullptr;
    NoteCard* card = placesOf(bench).notes().card(made.first().first().toString());
    if (QApplication::focusWidget() != card->field())
        return nullptr;
    QTest::keyClicks(card->field(), q(text));
    return card;
}

std::vector<record::NoteRow> stored(Bench& bench)
{
    bench.store().flush();
    return bench.store().notes("2.1").value();
}

void rewriteLesson(Bench& bench, const QString& before, const QString& after)
{
    std::ifstream in(bench.lessonFile(), std::ios::binary);
    QString text = QString::fromStdString({std::istreambuf_iterator<char>(in), {}});
    in.close();
    if (!text.contains(before))
        qFatal("the lesson has no such words");
    std::ofstream(bench.lessonFile(), std::ios::binary | std::ios::trunc) << text.replace(before, after).toStdString();
}

QRect inColumn(Bench& bench, const QWidget* widget)
{
    return {widget->mapTo(&columnOf(bench), QPoint(0, 0)), widget->size()};
}

} // namespace

class TestLessonPlaces : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void flatTextSpeaksFormulasAndKeepsPlaces()
    {
        Bench bench;
        bench.openPage();
        ProseView* view = viewWith(bench, "For aligned 4-byte loads");
        QVERIFY(view);
        const FlatText flat = flatText(*view->document());
        QVERIFY2(!flat.text.contains(QChar::ObjectReplacementCharacter), qPrintable(flat.text));
        QVERIFY(flat.text.endsWith(q("no more.")));
        const int at = int(flat.text.indexOf(q("aligned")));
        QCOMPARE(flat.cursor(view->document(), at, 7).selectedText(), q("aligned"));
        QCOMPARE(flat.indexOf(flat.positions[std::size_t(at)]), at);
    }

    void findCountsStepsAndComesRound()
    {
        Bench bench;
        bench.openPage();
        placesOf(bench).find();
        FindBar& bar = placesOf(bench).findBar();
        QVERIFY(bar.isOpen() && bar.field()->hasFocus());
        QTest::keyClicks(bar.field(), q("SECTORS a req"));
        QVERIFY(bar.count() >= 1);
        bench.page().setScrollFraction(0); // it begins where one reads
        bar.field()->selectAll();
        QTest::keyClicks(bar.field(), q("sector"));
        const int all = bar.count();
        QVERIFY(all > 8);
        const auto* label = bar.findChild<QLabel*>();
        QCOMPARE(label->text(), QStringLiteral("1 of %1").arg(all));
        QTest::keyClick(bar.field(), Qt::Key_Return, Qt::ShiftModifier); // round to the last
        QCOMPARE(bar.current(), all - 1);
        QTest::keyClick(bar.field(), Qt::Key_Return);
        QCOMPARE(bar.current(), 0);
        // Every place comes into view, in code too.
        const auto* scroll = bench.page().findChild<QScrollArea*>();
        QSignalSpy shown(&bar, &FindBar::shown);
        int last = -1;
        for (int i = 1; i < all; ++i) {
            QTest::keyClick(bar.field(), Qt::Key_Return);
            const QRect area = shown.last().first().toRect();
            QVERIFY2(area.top() >= last - 60, "the order is the one of reading");
            last = area.top();
            const int top = scroll->verticalScrollBar()->value();
            QVERIFY(area.top() >= top && area.bottom() <= top + scroll->viewport()->height());
        }
        bar.field()->selectAll();
        QTest::keyClicks(bar.field(), q("last byte touched   31")); // blanks are as wide as they like
        QCOMPARE(bar.count(), 1);
        const auto codes = bench.page().findChildren<CodeView*>();
        QVERIFY(std::ranges::any_of(codes, [](const CodeView* code) { return !code->extraSelections().isEmpty(); }));
        bar.field()->selectAll();
        QTest::keyClicks(bar.field(), q("no such words here"));
        QCOMPARE(bar.count(), 0);
        QCOMPARE(label->text(), q("Nothing"));
        QTest::keyClick(bar.field(), Qt::Key_Escape);
        QVERIFY(!bar.isOpen());
        // The kernel keeps its marked line.
        const auto* kernel = bench.block("kernel-1") ? bench.block("kernel-1")->findChild<CodeView*>() : nullptr;
        QVERIFY(kernel);
        QCOMPARE(kernel->extraSelections().size(), 1);
    }

    void findTakesWhatIsSelectedAndAnything()
    {
        Bench bench;
        bench.openPage();
        QVERIFY(select(viewWith(bench, "thrown away"), "thrown away"));
        placesOf(bench).find();
        FindBar& bar = placesOf(bench).findBar();
        QCOMPARE(bar.field()->text(), q("thrown away"));
        QCOMPARE(bar.count(), 1);
        for (const QString& text : {q("("), q("\\"), q("😀"), q(".*"), QString(5000, QLatin1Char('x')), q("   ")}) {
            bar.field()->setText(text);
            QVERIFY(bar.count() >= 0);
        }
        bar.field()->clear();
        QCOMPARE(bar.count(), 0);
    }

    void placesOpenWhereTheyAreAndFlash()
    {
        Bench bench;
        bench.openPage();
        QSignalSpy notices(&bench.app(), &AppContext::notice);
        const auto* scroll = bench.page().findChild<QScrollArea*>();
        const auto seen = [&](const QRect& area) {
            const int top = scroll->verticalScrollBar()->value();
            return area.top() >= top && area.top() < top + scroll->viewport()->height();
        };
        bench.page().openPlace(q("choose"));
        QVERIFY(placesOf(bench).flash().isFlashing());
        QVERIFY(seen(inColumn(bench, bench.block("choose"))));
        // The very paragraph of a piece of prose.
        bench.page().openPlace(q("why-it-matters:0?thrown"));
        ProseView* view = viewWith(bench, "thrown away");
        QRect flash = placesOf(bench).flash().geometry();
        QVERIFY(flash.height() < view->height() / 2);
        const FlatText flat = flatText(*view->document());
        const QRect paragraph =
            view->paragraphRect(flat.cursor(view->document(), int(flat.text.indexOf(q("thrown"))), 6));
        QVERIFY(flash.contains(QRect(view->viewport()->mapTo(&columnOf(bench), paragraph.topLeft()), QSize(8, 8))));
        bench.page().openPlace(q("mental-model:1"));
        QVERIFY(qobject_cast<CodeView*>(columnOf(bench).widgetAt(q("mental-model:1"))));
        bench.page().openPlace(q("term=sector"));
        QVERIFY(placesOf(bench).flash().isFlashing());
        QCOMPARE(notices.count(), 0);
        bench.page().openPlace(q("nowhere"));
        QCOMPARE(notices.count(), 1);
        bench.page().openPlace(q("note=unknown"));
        QCOMPARE(notices.count(), 2);
    }

    void claimShowsItsSourceUnderThePointer()
    {
        Bench bench;
        bench.openPage();
        ProseView* view = viewWith(bench, "On a T4 a stride of 1 read");
        QVERIFY(view);
        const FlatText flat = flatText(*view->document());
        QTextCursor claim = flat.cursor(view->document(), int(flat.text.indexOf(q("206 GB/s"))) + 2, 1);
        QTest::mouseMove(view->viewport(), view->cursorRect(claim).center() - QPoint(2, 0));
        auto* card = bench.page().findChild<InfoCard*>();
        QTRY_VERIFY(card->isVisible());
        QCOMPARE(card->link(), QUrl(q("claim:t4.read_stride1")));
        QVERIFY(card->accessibleName().contains(q("PUBLISHED")));
    }

    void noteIsMadeEditedAndKept()
    {
        Bench bench;
        bench.openPage();
        NoteCard* card = makeNote(bench, "pay for one of their own", "why a whole one?");
        QVERIFY(card);
        QTest::keyClick(card->field(), Qt::Key_Escape); // saves, and the focus is in the text again
        QTRY_COMPARE(stored(bench).size(), std::size_t{1});
        QTRY_COMPARE(stored(bench).front().text, std::string("why a whole one?"));
        QCOMPARE(stored(bench).front().quote, std::string("pay for one of their own"));
        QCOMPARE(stored(bench).front().section, std::string("Why it matters"));
        QVERIFY(!card->field()->hasFocus());
        // Another start: it stands there, and is edited in place.
        bench.stop();
        bench.start();
        bench.openPage();
        const auto cards = placesOf(bench).notes().cards();
        QCOMPARE(cards.size(), std::size_t{1});
        QCOMPARE(cards[0]->field()->toPlainText(), q("why a whole one?"));
        QVERIFY(cards[0]->isVisible() && !cards[0]->isOrphan());
        QVERIFY(cards[0]->accessibleName().contains(q("pay for one")));
        QVERIFY(!viewWith(bench, "pay for one")->extraSelections().isEmpty());
        cards[0]->field()->setFocus();
        cards[0]->field()->moveCursor(QTextCursor::End);
        QTest::keyClicks(cards[0]->field(), q(" Ask."));
        bench.stop(); // the page goes while it is being typed
        bench.start();
        QCOMPARE(stored(bench).front().text, std::string("why a whole one? Ask."));
        QCOMPARE(bench.store().texts(q("note"), 0, 100)->size(), std::size_t{3}); // each version is a row
    }

    void noteInTypingSurvivesAPowerCut()
    {
        Bench bench;
        bench.openPage();
        NoteCard* card = makeNote(bench, "pay for one of their own", "half a thou");
        QVERIFY(card);
        const auto file = bench.storeFolder() / "drafts/2.1" / ("note-" + card->noteId() + ".json");
        QTRY_VERIFY_WITH_TIMEOUT(std::filesystem::exists(file), 2500);
        const std::string draft = readFile(file).value();
        QCOMPARE(stored(bench).front().text, std::string()); // not left yet, so no row
        bench.stop();
        bench.start();
        // As after a cut: the row of the last version is not there, the draft is.
        record::NoteRow row = stored(bench).front();
        row.id.clear();
        row.createdAt.clear();
        row.origin.clear();
        row.seq = 0;
        row.text.clear();
        (void)bench.store().append(row);
        bench.store().flush();
        QVERIFY(writeFile(file, draft).ok());
        bench.openPage();
        QCOMPARE(placesOf(bench).notes().cards().front()->field()->toPlainText(), q("half a thou"));
    }

    void withoutSelectionTheParagraphIsNoted()
    {
        Bench bench;
        bench.openPage();
        bench.page().openPlace(q("mental-model:2"));
        columnOf(bench).widgetAt(q("mental-model:2"))->setFocus();
        QSignalSpy made(&placesOf(bench).notes(), &NotesLayer::noteMade);
        placesOf(bench).addNote();
        QTRY_COMPARE(made.count(), 1);
        QVERIFY(!stored(bench).front().quote.empty());
        QVERIFY(stored(bench).front().quote.size() <= 1200);
    }

    void secondOccurrenceAndQuestionsHaveTheirOwnNotes()
    {
        Bench bench;
        bench.openPage();
        // "of" stands many times; the second of its text is meant.
        ProseView* view = viewWith(bench, "Lanes that fall");
        const FlatText flat = flatText(*view->document());
        const auto hits = occurrences(flat.text, q("Lanes that"), Qt::CaseSensitive);
        QVERIFY(hits.size() >= 2);
        view->setTextCursor(flat.cursor(view->document(), hits[1], 10));
        view->setFocus();
        QSignalSpy made(&placesOf(bench).notes(), &NotesLayer::noteMade);
        placesOf(bench).addNote();
        QTRY_COMPARE(made.count(), 1);
        QCOMPARE(stored(bench).front().occurrence, 1);
        const NotePlace place = placeOf(columnOf(bench), stored(bench).front());
        QCOMPARE(place.start, flat.positions[std::size_t(hits[1])]);
        NoteCard* inBlock = makeNote(bench, "How many distinct sectors", "of a question");
        QVERIFY(inBlock);
        QCOMPARE(inBlock->note().block, std::string("guess"));
    }

    /// As the claim of an artifact, which is told anew with each of its runs.
    void marksAreSetAnewWithTheirText()
    {
        Bench bench;
        bench.openPage();
        const char* words = "pay for one of their own";
        QVERIFY(makeNote(bench, words, "mine"));
        FindBar& find = placesOf(bench).findBar();
        find.open();
        find.field()->setText(q("one of their"));
        QCOMPARE(find.count(), 1);
        ProseView* view = viewWith(bench, words);
        QCOMPARE(view->extraSelections().size(), 2);
        view->setMarkdownText("Some words before, and one of their own kind. " + view->markdownText());
        QVERIFY(view->extraSelections().isEmpty()); // they belonged to the document of before
        const auto noteMark = [&] {
            for (const QTextEdit::ExtraSelection& mark : view->extraSelections())
                if (mark.cursor.document() == view->document() && mark.cursor.selectedText() == q(words))
                    return true;
            return false;
        };
        QTRY_VERIFY(noteMark());
        find.next();
        QCOMPARE(find.count(), 2);
        for (const QTextEdit::ExtraSelection& mark : view->extraSelections())
            QCOMPARE(mark.cursor.document(), view->document());
    }

    void notesSurviveAnEditedLesson()
    {
        Bench bench;
        bench.openPage();
        QVERIFY(makeNote(bench, "pay for one of their own", "first"));
        QVERIFY(makeNote(bench, "The picture is wrong in one place", "second"));
        bench.stop();
        // New words before it, other lines, and a section of another length: it still stands at its words.
        rewriteLesson(bench, q("- Lanes that do not each pay"),
                      q("- A new point of the list.\n- And lanes that do not, each\n  of them,\n  pay"));
        rewriteLesson(bench, q("The picture is wrong in one place."), q("The drawing is right."));
        bench.start();
        bench.openPage();
        const auto cards = placesOf(bench).notes().cards();
        QCOMPARE(cards.size(), std::size_t{2});
        QVERIFY(!cards[0]->isOrphan());
        QVERIFY(!placesOf(bench).notes().placeArea(QString::fromStdString(cards[0]->noteId())).isEmpty());
        // The other's words are gone: it stands at the end of its section, with them.
        QVERIFY(cards[1]->isOrphan() && cards[1]->isVisible());
        QVERIFY(cards[1]->findChild<QLabel*>()->text().contains(q("The picture is wrong in one place")));
        QCOMPARE(cards[1]->field()->toPlainText(), q("second"));
        const int y = inColumn(bench, cards[1]).top();
        QVERIFY(y > inColumn(bench, bench.block("guess")).bottom());
        QVERIFY(y < inColumn(bench, columnOf(bench).sectionTitle(1)).top());
        bench.page().openPlace(q("note=") + QString::fromStdString(cards[1]->noteId()));
        QVERIFY(cards[1]->field()->hasFocus());
    }

    void removedNoteCanBeBroughtBack()
    {
        Bench bench;
        bench.openPage();
        NoteCard* card = makeNote(bench, "pay for one of their own", "keep me");
        QVERIFY(card);
        card->leave();
        QTRY_COMPARE(stored(bench).front().text, std::string("keep me"));
        auto* button = card->findChild<QToolButton*>();
        QTest::mouseClick(button, Qt::LeftButton);
        QTRY_VERIFY(stored(bench).empty());
        QVERIFY(card->isRemoved() && !card->field()->isVisible());
        QVERIFY(viewWith(bench, "pay for one")->extraSelections().isEmpty());
        QTest::mouseClick(button, Qt::LeftButton);
        QTRY_COMPARE(stored(bench).size(), std::size_t{1});
        QCOMPARE(stored(bench).front().text, std::string("keep me"));
        QVERIFY(!card->isRemoved());
    }

    void besideTheTextOrBelowIt()
    {
        Bench bench;
        bench.openPage(QSize(1500, 900));
        NoteCard* card = makeNote(bench, "pay for one of their own", "where do I stand?");
        QVERIFY(card);
        ProseView* view = viewWith(bench, "pay for one");
        const QString id = QString::fromStdString(card->noteId());
        const auto settled = [&] {
            const QRect words = placesOf(bench).notes().placeArea(id), note = inColumn(bench, card);
            return placesOf(bench).notes().inMargin()
                       ? note.left() > inColumn(bench, view).right() && note.top() == words.top()
                       : note.top() > words.bottom() && note.left() == words.left();
        };
        QTRY_VERIFY(placesOf(bench).notes().inMargin());
        QTRY_VERIFY(settled());
        QTRY_VERIFY(inColumn(bench, card).left() > inColumn(bench, columnOf(bench).widgetAt(q("kernel-1"))).right());
        QVERIFY(inColumn(bench, card).right() < columnOf(bench).width());
        QTRY_VERIFY(settled());
        placesOf(bench).find();
        placesOf(bench).findBar().field()->setText(q("sector"));
        bench.shoot(q("notes_margin"));
        placesOf(bench).findBar().close();
        const int tall = view->height();
        bench.page().resize(760, 900);
        QTRY_VERIFY(!placesOf(bench).notes().inMargin());
        QTRY_VERIFY(settled());
        QTRY_VERIFY(view->height() > tall); // room was made for it
        // Nothing of the lesson is covered: what comes next begins below.
        QWidget* below = columnOf(bench).widgetAt(q("guess"));
        QTRY_VERIFY(inColumn(bench, below).top() >= inColumn(bench, card).bottom());
        bench.shoot(q("notes_below"));
        bench.page().resize(1500, 900);
        QTRY_VERIFY(placesOf(bench).notes().inMargin());
        QTRY_COMPARE(view->height(), tall);
        QTRY_VERIFY(settled());
    }

    void readOnlyStoreSaysWhyThereIsNoNote()
    {
        Bench bench;
        bench.start(false);
        bench.openPage();
        QSignalSpy notices(&bench.app(), &AppContext::notice);
        placesOf(bench).addNote();
        QCOMPARE(notices.count(), 1);
        QVERIFY(!notices.first().first().toString().isEmpty());
    }

    void pictures_data()
    {
        QTest::addColumn<QString>("theme");
        QTest::addColumn<double>("scale");
        for (const char* theme : {"light", "dark"})
            for (const double scale : {1.0, 2.0})
                QTest::addRow("%s %.0fx", theme, scale) << q(theme) << scale;
    }
    void pictures()
    {
        if (const QString why = golden::whyNotComparable(); !why.isEmpty())
            QSKIP(qPrintable(why));
        QFETCH(QString, theme);
        QFETCH(double, scale);
        Theme colours;
        QVERIFY(colours.load(theme).ok());
        QWidget sheet;
        sheet.setFixedSize(260, 250);
        sheet.setFocusPolicy(Qt::StrongFocus); // no cursor blinks in the picture
        QPalette palette = sheet.palette();
        palette.setColor(QPalette::Window, colours.color(Role::Surface));
        sheet.setPalette(palette);
        sheet.setAutoFillBackground(true);
        record::NoteRow row;
        row.noteId = "01890000-0000-7000-8000-000000000000";
        row.lesson = "2.1";
        row.quote = "pay for one of their own";
        row.text = "A sector is the least that moves, so a lane that is alone pays for eight words.";
        NoteCard card(colours, row, {}, &sheet), orphan(colours, row, {}, &sheet);
        orphan.setOrphan(true);
        int y = 8;
        for (NoteCard* each : {&card, &orphan}) {
            each->setGeometry(8, y, 240, each->heightForWidth(240));
            y += each->height() + 8;
        }
        sheet.show();
        QVERIFY(QTest::qWaitForWindowExposed(&sheet));
        sheet.setFocus();
        QImage image(sheet.size() * scale, QImage::Format_ARGB32_Premultiplied);
        image.setDevicePixelRatio(scale);
        sheet.render(&image);
        const QString wrong = golden::checkImage(QStringLiteral("note_card_%1_%2x").arg(theme).arg(scale), image);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }
};

QTEST_MAIN(TestLessonPlaces)
#include "tst_lesson_places.moc"
