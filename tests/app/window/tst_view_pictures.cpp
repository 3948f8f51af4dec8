// SPDX-License-Identifier: GPL-3.0-or-later
// Views that no other test takes a picture of: the grid of artifacts and one of them, the search, the docks, the empty
// states, a dialog. tests/golden/views.json says where the picture of every view is.
#include "shell_fixture.h"

#include "app/portfolio/reproduce_panel.h"
#include "app/portfolio/run_picker.h"
#include "app/ui/learner_choices.h"
#include "app/window/log_panel.h"
#include "app/window/search_overlay.h"
#include "app/window/settler.h"
#include "app/window/window_docks.h"
#include "tests/golden/golden.h"

#include <QDockWidget>
#include <QLineEdit>

using namespace ridge;
using namespace ridge::app;

namespace {

QString s(const char* text)
{
    return QString::fromUtf8(text);
}

/// A prediction, three runs and the artifact made of them, all with ids and dates of their own.
QString storeArtifact(Workplace& place)
{
    record::PredictionRow prediction;
    prediction.lesson = "1.1";
    prediction.block = "guess";
    prediction.experiment = "coalescing";
    prediction.metric = "sectors_per_request";
    prediction.unit = "sectors/request";
    prediction.params = {{"stride", std::int64_t{2}}};
    prediction.point = 16;
    prediction.low = 8;
    prediction.high = 32;
    prediction.createdAt = "2026-01-02T03:04:00.000Z";
    record::ArtifactRow artifact;
    const std::string predictionId = place.store(prediction);
    artifact.predictionIds = {predictionId};
    for (const int stride : {1, 2, 4, 8}) {
        record::RunRow row = Workplace::run(stride, "s1", "1.1");
        row.id = "019b0000-0000-7000-8000-00000000001" + std::to_string(stride);
        row.predictionId = stride == 2 ? predictionId : std::string();
        artifact.runIds.push_back(place.store(row));
    }
    artifact.id = "019b0000-0000-7000-8000-000000000002";
    artifact.lesson = "1.1";
    artifact.kind = "profile";
    artifact.title = "Sectors over stride";
    artifact.question = "How many sectors does one load of a warp touch?";
    artifact.claim = "Eight sectors at stride 2, thirty-two from stride 8 on.";
    artifact.reflection = "I had counted lines.";
    artifact.level = 3;
    artifact.charts = Json::array({Json{{"experiment", "coalescing"}, {"chart", ""}, {"caption", "All runs."}}});
    artifact.fingerprint = Json{{"chip", "h100-sxm"}, {"build", "test"}};
    artifact.createdAt = "2026-01-02T03:10:05.000Z";
    return QString::fromStdString(place.store(artifact));
}

} // namespace

class TestViewPictures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void pictures_data()
    {
        QTest::addColumn<QString>("theme");
        for (const char* theme : {"light", "dark"})
            QTest::newRow(theme) << s(theme);
    }
    void pictures()
    {
        if (const QString why = golden::whyNotComparable(); !why.isEmpty())
            QSKIP(qPrintable(why));
        QFETCH(QString, theme);
        Workplace place(true, Workplace::Lessons::Small);
        noteLearnerAsked();
        QVERIFY(place.theme.load(theme).ok());
        QVERIFY(place.loadCatalogue());
        MainWindow& window = place.makeWindow();
        window.resize(1180, 720);
        QStringList wrong;
        const auto settle = [&] {
            if (QWidget* focused = QApplication::focusWidget())
                focused->clearFocus(); // a focus ring is no part of the picture
            Settler settler(window, false, 20000);
            QSignalSpy settled(&settler, &Settler::settled);
            settler.start();
            return settled.wait(60000);
        };
        const auto check = [&](const char* name, QWidget& widget) {
            const QString found = golden::checkView(s("view_%1_%2").arg(s(name), theme), widget);
            if (!found.isEmpty())
                wrong << found;
        };
        const auto show = [&](const char* name, const QString& page) {
            QVERIFY2(window.open(page).ok(), qPrintable(page));
            QTRY_VERIFY2_WITH_TIMEOUT(window.page()->ready(), qPrintable(page), 20000);
            QVERIFY2(settle(), qPrintable(page));
            check(name, *window.page());
        };
        for (const char* empty : {"runs", "compare", "portfolio", "journal", "lab"})
            show(qPrintable(s("empty_") + s(empty)), s(empty));
        const QString artifact = storeArtifact(place);
        show("portfolio", s("portfolio"));
        show("artifact", s("artifact/") + artifact);
        check("reproduce", *window.page()->findChild<ReproducePanel*>());
        const QString key = s("run:019b0000-0000-7000-8000-00000000001");
        show("compare_runs", s("compare/") + key + s("1,") + key + s("2"));

        window.searchOverlay()->openWith(s("sectors"));
        QTRY_VERIFY_WITH_TIMEOUT(window.searchOverlay()->settled(), 10000);
        check("search", *window.searchOverlay());
        window.searchOverlay()->close();

        auto* picker = new RunPicker(*place.context, s("Runs of the entry"), &window); // deleted when it closes
        picker->show();
        QTRY_COMPARE(picker->model()->rowCount(), 1); // one sweep
        QVERIFY(settle());
        check("run_picker", *picker);
        picker->close();

        QVERIFY(window.open(s("lesson/1.1")).ok());
        window.setLayoutName(s("lab"));
        window.docks()->pins()->show();
        for (QDockWidget* dock : {window.docks()->bench(), window.docks()->pins()})
            dock->setFixedWidth(400); // whatever share of the window it would take
        window.docks()->log()->show();
        window.docks()->logPanel()->add(s("Coalescing, stride 2: finished."), false);
        window.docks()->logPanel()->add(s("Coalescing, stride 16: there is no room for 8 GiB of input."), true);
        QTRY_VERIFY_WITH_TIMEOUT(window.page()->ready(), 20000);
        QVERIFY(settle());
        check("dock_bench", *window.docks()->bench());
        check("dock_pins", *window.docks()->pins());
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join(QLatin1Char('\n'))));
    }
};

QTEST_MAIN(TestViewPictures)
#include "tst_view_pictures.moc"
