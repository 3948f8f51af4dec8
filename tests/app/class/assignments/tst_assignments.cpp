// SPDX-License-Identifier: GPL-3.0-or-later
// A learner and a .ridgeclass file: opened, looked at, accepted, worked on, handed in; and every way in which a file
// can be wrong. Through the real window.
#include "visit.h"

#include "app/class/assignments/assignments_view.h"
#include "app/portfolio/figures_table.h"
#include "app/ui/panels.h"
#include "app/window/file_bar.h"
#include "app/window/opened_files.h"
#include "app/window/single_instance.h"
#include "classroom/submission.h"
#include "tests/record/full_disk.h"

#include <QCheckBox>
#include <QLineEdit>
#include <QMimeDatabase>

using namespace ridge;
using namespace ridge::app;

namespace {

/// The entries of a file with a change, signed anew or, without keys, left as they are.
std::string changed(const std::string& bytes, const classroom::ClassKeys* keys,
                    const std::function<void(std::vector<bundle::Entry>&)>& change)
{
    auto entries = bundle::readArchive(bytes, {}, "x").value();
    change(entries);
    if (keys)
        entries = bundle::withSignature(entries, kAssignmentPurpose, keys->sign);
    return bundle::writeArchive(entries).value();
}

std::string withManifest(const std::string& bytes, const classroom::ClassKeys* keys,
                         const std::function<void(Json&)>& change)
{
    return changed(bytes, keys, [&](std::vector<bundle::Entry>& entries) {
        for (bundle::Entry& entry : entries)
            if (entry.name == "manifest.json") {
                Json manifest = Json::parse(entry.bytes);
                change(manifest);
                entry.bytes = manifest.dump();
            }
    });
}

} // namespace

class TestAssignments : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        // Read by Qt from the package alone where no cache was built.
        QVERIFY(m_data.isValid());
        QDir(m_data.path()).mkpath(s("mime/packages"));
        QVERIFY(QFile::copy(qEnvironmentVariable("RIDGE_SOURCE") + s("/packaging/linux/ridgepoint-mime.xml"),
                            m_data.path() + s("/mime/packages/ridgepoint-mime.xml")));
        qputenv("XDG_DATA_HOME", m_data.path().toLocal8Bit());
    }
    void cleanup() { test::freeDisk(); }

    void theStudentsPartOfTheClassTakesFourClicks();
    void everythingByKeyboard();
    void aPreviewSaysWhoAndWhat();
    void whatGoesAlongIsChosen();
    void wrongFilesSayWhatIsWrong_data();
    void wrongFilesSayWhatIsWrong();
    void anotherTeachersKeyIsRefused();
    void aLaterEditionReplacesAndAnOlderDoesNot();
    void aHomeThatCannotBeWrittenSaysSo();
    void aFullDiskSaysSo();
    void aLessonOfAnotherVersionSaysSo();
    void theListShowsThemAll();
    void filesOfOtherToolsBecomeArtifacts();
    void theDesktopKnowsTheFile();

private:
    QTemporaryDir m_data;
};

/// J3, the student: open the file, Accept, Submit, choose the folder.
void TestAssignments::theStudentsPartOfTheClassTakesFourClicks()
{
    Visit visit;
    const QString file = visit.file(visit.teacher.edition({{"passed", FeedbackWhen::Deadline}}));
    MainWindow& window = visit.open();

    // A double click starts the program a second time, which hands the file to the first.
    SingleInstance first;
    first.listen();
    connect(&first, &SingleInstance::fileRequested, &window,
            [&window](const QString& path) { window.openFiles({path}); });
    ++visit.clicks;
    QVERIFY(SingleInstance().handOver({}, file));
    QTRY_VERIFY(visit.page() && visit.page()->acceptButton());
    QVERIFY(visit.accepted().assignments.empty()); // nothing is taken before Accept

    QVERIFY(visit.click("accept"));
    QTRY_COMPARE(window.currentPage(), s("assignment/") + QString::fromStdString(kAssignmentId));
    QCOMPARE(visit.accepted().assignments.size(), 1u);

    workOn(visit.place, "1.1");
    QTRY_VERIFY(visit.page()->ready() && visit.page()->submitPanel()->submitButton()->isEnabled());
    QSignalSpy submitted(visit.page()->submitPanel(), &SubmitPanel::submitted);
    QVERIFY(visit.click("submit"));
    auto* dialog = visit.page()->findChild<QFileDialog*>();
    QVERIFY(dialog && dialog->isVisible());
    QCOMPARE(dialog->fileMode(), QFileDialog::Directory);
    ++visit.clicks;
    Q_EMIT dialog->fileSelected(visit.desk.path());
    dialog->close();
    QTRY_COMPARE(submitted.count(), 1);
    QVERIFY2(visit.clicks <= 4, qPrintable(QString::number(visit.clicks)));

    // The teacher can read it, and it is the learner's work.
    const QString handedIn = submitted.front().front().toString();
    const auto bytes = readFile(handedIn.toStdString());
    QVERIFY(bytes.ok());
    const auto read = classroom::readSubmission(*bytes, "a", visit.teacher.keys, visit.accepted().assignments,
                                                "2099-01-01T00:00:00.000Z");
    QVERIFY2(read.ok(), read ? "" : toText(read.error()).c_str());
    QCOMPARE(read->learner, classroom::ownIdentity(visit.place.home().toStdString())->learner);
    QVERIFY(read->name.empty());
    QCOMPARE(read->rows.size(), 3u);
    QVERIFY(visit.page()->findChild<QLabel*>(s("state"))->text().contains(QFileInfo(handedIn).fileName()));
}

void TestAssignments::everythingByKeyboard()
{
    Visit visit;
    const QString file = visit.file(visit.teacher.edition());
    MainWindow& window = visit.open();
    QAction* open = visit.place.actions->find(s("file.open"));
    QCOMPARE(open->shortcut(), QKeySequence(s("Ctrl+O")));
    open->trigger();
    auto* dialog = window.findChild<QFileDialog*>();
    QVERIFY(dialog);
    Q_EMIT dialog->filesSelected({file});
    dialog->close();
    QTRY_VERIFY(visit.page() && visit.page()->acceptButton());
    QApplication::setActiveWindow(&window);                // what a window manager does when a dialog closes
    QTRY_VERIFY(visit.page()->acceptButton()->hasFocus()); // the page opens on its one question
    QTest::keyClick(visit.page()->acceptButton(), Qt::Key_Return);
    QTRY_VERIFY(visit.page() && visit.page()->submitPanel());
    // From the page's first button to Submit by Tab alone, through every tick on the way.
    QStringList passed, seen;
    QWidget* const last = visit.page()->submitPanel()->submitButton();
    workOn(visit.place, "1.1");
    QTRY_VERIFY(last->isEnabled() && last->isVisible());
    window.activateWindow();
    QApplication::setActiveWindow(&window);
    for (int i = 0; i < 60 && QApplication::focusWidget() != last; ++i) {
        QTRY_VERIFY(QApplication::focusWidget());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        QTRY_VERIFY(QApplication::focusWidget());
        passed << QApplication::focusWidget()->objectName();
        seen << QString::fromLatin1(QApplication::focusWidget()->metaObject()->className()) + u':' +
                    QApplication::focusWidget()->accessibleName();
    }
    QVERIFY2(QApplication::focusWidget() == last, qPrintable(seen.join(u',')));
    for (const char* tick :
         {"take-reasons", "take-artifacts", "take-journal", "take-notes", "take-traces", "learnerName"})
        QVERIFY2(passed.contains(s(tick)), tick);
    QTest::keyClick(last, Qt::Key_Space);
    QVERIFY(visit.page()->findChild<QFileDialog*>());
}

void TestAssignments::aPreviewSaysWhoAndWhat()
{
    Visit visit;
    visit.open();
    visit.drop(
        {visit.file(visit.teacher.edition({{"passed", FeedbackWhen::Deadline}, {"explained", FeedbackWhen::Never}}))});
    QTRY_VERIFY2(visit.page(), qPrintable(visit.banner()));
    const QString words = wordsOf(visit.page());
    const QString key = QString::fromStdString(visit.teacher.keys.sign.publicKey).left(4).toUpper();
    for (const QString& part : {s("Dr. R. Hopper"), s("Due 8 March 2098, 18:00"), s("1.1  A warp and its sectors"),
                                s("1.2"), key, s("from 8 March 2098, 18:00 on"), s("not shown"), s("first time")})
        QVERIFY2(words.contains(part), qPrintable(part + s("\n") + words));
    QVERIFY(visit.accepted().assignments.empty());
    QVERIFY(visit.click("accept"));
    QTRY_VERIFY(visit.page()->submitPanel());
    // The very same file again: it is there already, so there is nothing to accept.
    visit.window().openFiles({visit.desk.path() + s("/week-1.ridgeclass")});
    QTRY_COMPARE(visit.window().currentPage(), s("assignment/") + QString::fromStdString(kAssignmentId));
    // Another edition by the same teacher is known by its key.
    visit.window().openFiles({visit.file(visit.teacher.edition(), "longer.ridgeclass")});
    QTRY_VERIFY(visit.page() && visit.page()->acceptButton());
    QVERIFY(visit.page()->findChild<QLabel*>(s("trust"))->text().contains(s("accepted before")));
}

void TestAssignments::whatGoesAlongIsChosen()
{
    Visit visit;
    visit.teacher.give(visit.place, {});
    MainWindow& window = visit.open();
    QVERIFY(window.open(s("assignment/") + QString::fromStdString(kAssignmentId)).ok());
    SubmitPanel* panel = visit.page()->submitPanel();
    auto* list = panel->findChild<QWidget*>(s("contains"));
    QTRY_VERIFY(panel->ready());
    QVERIFY(!panel->submitButton()->isEnabled());
    QVERIFY2(list->accessibleName().contains(s("nothing yet")), qPrintable(list->accessibleName()));
    workOn(visit.place, "1.1");
    QTRY_VERIFY(panel->submitButton()->isEnabled());
    QVERIFY2(list->accessibleName().contains(s("1 prediction, 1 run, 1 answer")), qPrintable(list->accessibleName()));
    QVERIFY(list->accessibleName().contains(s("Your name is not in it")));
    QVERIFY(list->accessibleName().contains(s("Failures and decisions of your journal stay here")));
    auto* name = panel->findChild<QLineEdit*>(s("learnerName"));
    QTest::keyClicks(name, s("Ada"));
    QTRY_VERIFY2(list->accessibleName().contains(s("Your name is in it: Ada.")), qPrintable(list->accessibleName()));
    auto* journal = panel->findChild<QCheckBox*>(s("take-journal"));
    journal->click();
    QTRY_VERIFY(!list->accessibleName().contains(s("journal stay here")));
    QSignalSpy submitted(panel, &SubmitPanel::submitted);
    panel->submitTo(visit.desk.path());
    QTRY_COMPARE(submitted.count(), 1);
    const auto read =
        classroom::readSubmission(*readFile(submitted.front().front().toString().toStdString()), "a",
                                  visit.teacher.keys, visit.accepted().assignments, "2099-01-01T00:00:00.000Z");
    QVERIFY(read.ok());
    QCOMPARE(read->name, std::string("Ada"));
    QVERIFY(read->consent.journal && !read->consent.notes);
    // A folder that is not there is told, and nothing is lost.
    QSignalSpy failed(panel, &SubmitPanel::failed);
    panel->submitTo(visit.desk.path() + s("/gone"));
    QTRY_COMPARE(failed.count(), 1);
    QVERIFY(panel->findChild<Banner*>()->isVisible());
    QVERIFY(panel->submitButton()->isEnabled());
}

void TestAssignments::wrongFilesSayWhatIsWrong_data()
{
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("said");
    QTest::newRow("cut short") << s("cut") << s("week-1.ridgeclass");
    QTest::newRow("changed on the way") << s("changed") << s("signature");
    QTest::newRow("forged signature") << s("forged") << s("signature");
    QTest::newRow("newer format") << s("newer") << s("pdate");
    QTest::newRow("lesson left out") << s("lesson") << s("lesson");
    QTest::newRow("no archive") << s("text") << s("week-1.ridgeclass");
    QTest::newRow("submission") << s("submission") << s("handed in");
    QTest::newRow("picture") << s("picture") << s(".ridgeclass");
    QTest::newRow("folder") << s("folder") << s("folder");
    QTest::newRow("gone") << s("gone") << s("no such file");
}

void TestAssignments::wrongFilesSayWhatIsWrong()
{
    QFETCH(QString, what);
    QFETCH(QString, said);
    Visit visit;
    const std::string good = visit.teacher.edition();
    const classroom::ClassKeys& keys = visit.teacher.keys;
    QString path;
    if (what == s("cut"))
        path = visit.file(good.substr(0, good.size() / 2));
    else if (what == s("changed"))
        path = visit.file(withManifest(good, nullptr, [](Json& manifest) { manifest["title"] = "Week 2"; }));
    else if (what == s("forged"))
        path = visit.file(changed(good, nullptr, [](std::vector<bundle::Entry>& entries) {
            for (bundle::Entry& entry : entries)
                if (entry.name == bundle::kSignatureEntry)
                    entry.bytes = std::string(128, 'a');
        }));
    else if (what == s("newer"))
        path = visit.file(withManifest(good, &keys, [](Json& manifest) { manifest["version"] = 99; }));
    else if (what == s("lesson"))
        path = visit.file(changed(good, &keys, [](std::vector<bundle::Entry>& entries) {
            std::erase_if(entries, [](const bundle::Entry& entry) { return entry.name == "lessons/1.2.md"; });
        }));
    else if (what == s("text"))
        path = visit.file("Dear all, the assignment is attached.");
    else if (what == s("submission"))
        path = visit.file(good, "L-AAAA.ridgesubmission");
    else if (what == s("picture"))
        path = visit.file("\x89PNG\r\n\x1a\n not a log", "a.png");
    else
        path = what == s("folder") ? visit.desk.path() : visit.desk.path() + s("/gone.ridgeclass");
    MainWindow& window = visit.open();
    visit.drop({path});
    QTRY_VERIFY2(visit.banner().contains(said), qPrintable(visit.banner()));
    QCOMPARE(window.currentPage(), s("home"));
    QVERIFY(visit.accepted().assignments.empty());
    QVERIFY(visit.place.context->store()->artifacts()->empty());
    // A good file after it, and the message is gone.
    visit.drop({visit.file(good, "good.ridgeclass")});
    QVERIFY(visit.banner().isEmpty());
    QTRY_VERIFY(visit.page() && visit.page()->acceptButton());
}

void TestAssignments::anotherTeachersKeyIsRefused()
{
    Visit visit;
    visit.teacher.give(visit.place, {});
    Teacher other(visit.place.context->curriculum());
    other.keys = classroom::classKeysFromSeed(std::string(32, 'x')).value();
    visit.open();
    visit.drop({visit.file(other.edition())});
    QTRY_VERIFY(visit.page() && visit.page()->acceptButton());
    QVERIFY(visit.page()->findChild<QLabel*>(s("trust"))->text().contains(s("first time")));
    QVERIFY(visit.click("accept"));
    auto* banner = visit.page()->findChild<Banner*>();
    QTRY_VERIFY(banner->isVisible());
    QVERIFY2(banner->text().contains(s("another teacher")), qPrintable(banner->text()));
    QCOMPARE(visit.accepted().assignments.front().signKey, visit.teacher.keys.sign.publicKey);
}

void TestAssignments::aLaterEditionReplacesAndAnOlderDoesNot()
{
    Visit visit;
    const QString older = visit.file(visit.teacher.edition(), "older.ridgeclass");
    const QString newer = visit.file(visit.teacher.edition({}, "2098-04-01T18:00:00.000Z"), "newer.ridgeclass");
    visit.open();
    for (const QString& file : {older, newer}) {
        visit.window().openFiles({file});
        QTRY_VERIFY(visit.click("accept"));
        QTRY_VERIFY(visit.page()->submitPanel());
    }
    QVERIFY(visit.page()->findChild<QLabel*>(s("deadline"))->text().contains(s("1 April 2098")));
    visit.window().openFiles({older});
    QTRY_VERIFY(visit.click("accept"));
    auto* banner = visit.page()->findChild<Banner*>();
    QTRY_VERIFY(banner->isVisible());
    QVERIFY2(banner->text().contains(s("later edition")), qPrintable(banner->text()));
    QCOMPARE(visit.accepted().assignments.front().deadline, std::string("2098-04-01T18:00:00.000Z"));
}

void TestAssignments::aHomeThatCannotBeWrittenSaysSo()
{
    Visit visit;
    // A file where the folder would be: what every user is refused, root too.
    writeTo(visit.place.home(), "assignments", "in the way");
    visit.open();
    visit.drop({visit.file(visit.teacher.edition())});
    QTRY_VERIFY(visit.click("accept"));
    auto* banner = visit.page()->findChild<Banner*>();
    QTRY_VERIFY(banner->isVisible());
    QVERIFY2(banner->text().contains(s("assignments")), qPrintable(banner->text()));
    QVERIFY(visit.page()->acceptButton()->isEnabled()); // it can be tried again
}

void TestAssignments::aFullDiskSaysSo()
{
    Visit visit;
    visit.open();
    visit.drop({visit.file(visit.teacher.edition())});
    QTRY_VERIFY(visit.page() && visit.page()->acceptButton());
    test::fillDisk((visit.place.home() + s("/assignments")).toStdString(), 100);
    QVERIFY(visit.click("accept"));
    auto* banner = visit.page()->findChild<Banner*>();
    QTRY_VERIFY(banner->isVisible());
    QVERIFY2(banner->text().contains(s("Free space")), qPrintable(banner->text()));
    QVERIFY(test::refusedWrites() > 0);
    QVERIFY(visit.accepted().assignments.empty());
    test::freeDisk();
    QVERIFY(visit.click("accept"));
    QTRY_COMPARE(visit.accepted().assignments.size(), 1u);
}

void TestAssignments::aLessonOfAnotherVersionSaysSo()
{
    Visit visit;
    visit.teacher.assignment.lessons.push_back({"7.9", "A lesson to come", "# Later", {}});
    visit.teacher.assignment.lessons[1].text += "\nOne more line.\n";
    visit.teacher.give(visit.place, {});
    MainWindow& window = visit.open();
    QVERIFY(window.open(s("assignment/") + QString::fromStdString(kAssignmentId)).ok());
    QStringList odd;
    for (const QLabel* label : visit.page()->findChildren<QLabel*>(s("odd")))
        odd << label->text();
    QCOMPARE(odd.size(), 2);
    QVERIFY2(odd[0].contains(s("not the one that was assigned")), qPrintable(odd[0]));
    QVERIFY2(odd[1].contains(s("Not in this version")), qPrintable(odd[1]));
    QVERIFY(!visit.page()->findChild<QPushButton*>(s("open-7.9"))->isEnabled());
    QVERIFY(visit.click("open-1.1"));
    QTRY_COMPARE(window.currentPage(), s("lesson/1.1"));
}

void TestAssignments::theListShowsThemAll()
{
    Visit visit;
    visit.open();
    AssignmentsView view(*visit.place.context);
    QCOMPARE(view.assignments(), 0);
    QVERIFY(view.findChild<QPushButton*>(s("openFile")));
    visit.teacher.give(visit.place, {});
    QCOMPARE(view.assignments(), 1);
    QVERIFY2(wordsOf(&view).contains(s("0 of 10 steps done")), qPrintable(wordsOf(&view)));
    workOn(visit.place, "1.1");
    view.refresh();
    QVERIFY2(!wordsOf(&view).contains(s("0 of 10 steps done")), qPrintable(wordsOf(&view)));
    writeTo(visit.place.home() + s("/assignments"), "damaged.ridgeclass", "no archive");
    view.refresh();
    QCOMPARE(view.assignments(), 1);
    QVERIFY(view.findChild<Banner*>()->text().contains(s("damaged.ridgeclass")));
    QPushButton* open = view.findChild<QPushButton*>(s("assignment-") + QString::fromStdString(kAssignmentId));
    open->click();
    QTRY_COMPARE(visit.window().currentPage(), s("assignment/") + QString::fromStdString(kAssignmentId));
}

/// What `ridge import` makes, made by dropping and by File > Import.
void TestAssignments::filesOfOtherToolsBecomeArtifacts()
{
    Visit visit;
    visit.open();
    const QString data = qEnvironmentVariable("RIDGE_SOURCE") + s("/tests/imports/data/");
    visit.drop({data + s("ncu.csv")});
    QTRY_VERIFY2(visit.window().currentPage().startsWith(s("artifact/")), qPrintable(visit.banner()));
    const auto artifacts = visit.place.context->store()->artifacts();
    QCOMPARE(artifacts->size(), 1u);
    QCOMPARE(artifacts->front().provenance, Provenance::Recorded);
    QVERIFY(artifacts->front().figures->size() > 0);
    const std::string name = artifacts->front().figures->front()["name"];
    auto* figures = visit.window().page()->findChild<FiguresModel*>();
    QVERIFY(figures);
    QCOMPARE(figures->index(0, FiguresModel::Name).data().toString(), QString::fromStdString(name));
    // JSON that is no run of ours may be what a tool wrote.
    visit.drop({data + s("nextpnr.json")});
    QTRY_COMPARE(visit.place.context->store()->artifacts()->size(), 2u);
    QTRY_VERIFY(!visit.window().files().bar()->isVisible());
    visit.place.actions->find(s("file.import"))->trigger();
    auto* dialog = visit.window().findChild<QFileDialog*>();
    QVERIFY(dialog);
    Q_EMIT dialog->filesSelected({data + s("all_reduce.log"), data + s("llama.csv")});
    dialog->close();
    QTRY_COMPARE(visit.place.context->store()->artifacts()->size(), 4u);
    QVERIFY(visit.banner().isEmpty());
}

void TestAssignments::theDesktopKnowsTheFile()
{
    const auto entry =
        readFile((qEnvironmentVariable("RIDGE_SOURCE") + s("/packaging/linux/ridgepoint.desktop")).toStdString());
    QVERIFY(entry.ok());
    const QString text = QString::fromStdString(*entry);
    QVERIFY(text.contains(s("\nExec=ridgepoint %f\n")));
    const QMimeType type = QMimeDatabase().mimeTypeForFile(s("week 1.ridgeclass"), QMimeDatabase::MatchExtension);
    QCOMPARE(type.name(), s("application/vnd.ridgepoint.assignment"));
    QVERIFY(text.contains(s("MimeType=") + type.name() + s(";")));
    QVERIFY(type.inherits(s("application/zip")));
}

QTEST_MAIN(TestAssignments)
#include "tst_assignments.moc"
