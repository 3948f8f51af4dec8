// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDirIterator>
#include <QRegularExpression>
#include <QtTest>

namespace {

struct Layer {
    QString folder;      ///< below the repository root
    QStringList include; ///< prefixes of quoted includes it may use, besides its own folder
    bool qt = false;
    bool widgets = false;
};

/// The table of docs/architecture.md, section "Who may include whom". The longest folder that matches a file counts.
QList<Layer> layers()
{
    const QStringList app = {QStringLiteral("app/"), QStringLiteral("base/"), QStringLiteral("lessons/"),
                             QStringLiteral("record/")};
    return {
        {QStringLiteral("modules/base"), {QStringLiteral("base/")}},
        {QStringLiteral("modules/silicon"), {QStringLiteral("base/"), QStringLiteral("silicon/")}},
        {QStringLiteral("modules/workload"),
         {QStringLiteral("base/"), QStringLiteral("silicon/"), QStringLiteral("workload/")}},
        {QStringLiteral("modules/gpu"), {QStringLiteral("base/"), QStringLiteral("silicon/"), QStringLiteral("gpu/")}},
        {QStringLiteral("modules/gpu/simt"), {QStringLiteral("base/"), QStringLiteral("gpu/")}},
        {QStringLiteral("modules/gpu/compile"), {QStringLiteral("base/"), QStringLiteral("gpu/")}},
        {QStringLiteral("modules/host"),
         {QStringLiteral("base/"), QStringLiteral("silicon/"), QStringLiteral("host/")}},
        {QStringLiteral("modules/bundle"), {QStringLiteral("base/"), QStringLiteral("bundle/")}},
        {QStringLiteral("modules/imports"), {QStringLiteral("base/"), QStringLiteral("imports/")}},
        {QStringLiteral("modules/lessons"), {QStringLiteral("base/"), QStringLiteral("lessons/")}, true},
        {QStringLiteral("modules/record"), {QStringLiteral("base/"), QStringLiteral("record/")}, true},
        {QStringLiteral("labs"),
         {QStringLiteral("base/"), QStringLiteral("silicon/"), QStringLiteral("workload/"), QStringLiteral("gpu/"),
          QStringLiteral("host/"), QStringLiteral("labs/")}},
        {QStringLiteral("app/cli"),
         {QStringLiteral("base/"), QStringLiteral("lessons/"), QStringLiteral("record/"), QStringLiteral("cli/"),
          QStringLiteral("app/evidence/"), QStringLiteral("app/search/"), QStringLiteral("app/folio/"),
          QStringLiteral("app/classroom/"), QStringLiteral("app/personal/"), QStringLiteral("app/doctor/"),
          QStringLiteral("imports/")},
         true},
        {QStringLiteral("app/doctor"),
         {QStringLiteral("base/"), QStringLiteral("lessons/"), QStringLiteral("record/"),
          QStringLiteral("app/doctor/")},
         true},
        {QStringLiteral("app/personal"),
         {QStringLiteral("base/"), QStringLiteral("record/"), QStringLiteral("app/personal/")},
         true},
        {QStringLiteral("app/folio"),
         {QStringLiteral("base/"), QStringLiteral("record/"), QStringLiteral("app/folio/")},
         true,
         true},
        {QStringLiteral("app/search"),
         {QStringLiteral("base/"), QStringLiteral("lessons/"), QStringLiteral("record/"),
          QStringLiteral("app/search/")},
         true},
        {QStringLiteral("app/classroom"),
         {QStringLiteral("base/"), QStringLiteral("lessons/"), QStringLiteral("record/"), QStringLiteral("bundle/"),
          QStringLiteral("app/evidence/"), QStringLiteral("app/classroom/")},
         true},
        {QStringLiteral("app/live/wire"),
         {QStringLiteral("base/"), QStringLiteral("lessons/"), QStringLiteral("record/"), QStringLiteral("bundle/"),
          QStringLiteral("app/classroom/"), QStringLiteral("app/live/wire/")},
         true},
        // A report as a value in, pictures out: no store, no engine.
        {QStringLiteral("app/dashboard"),
         {QStringLiteral("base/"), QStringLiteral("lessons/"), QStringLiteral("app/charts/"),
          QStringLiteral("app/classroom/"), QStringLiteral("app/dashboard/"), QStringLiteral("app/search/plain_text.h"),
          QStringLiteral("app/session/app_context.h"), QStringLiteral("app/shell/ui/"), QStringLiteral("app/theme/")},
         true,
         true},
        {QStringLiteral("app/evidence"),
         {QStringLiteral("base/"), QStringLiteral("lessons/"), QStringLiteral("record/"),
          QStringLiteral("app/evidence/"), QStringLiteral("imports/")},
         true},
        // Of the engines only pure functions that answer within a frame.
        {QStringLiteral("app"),
         app + QStringList{QStringLiteral("gpu/access.h"), QStringLiteral("silicon/catalogue.h"),
                           QStringLiteral("silicon/crossover.h"), QStringLiteral("silicon/kernel_profile.h"),
                           QStringLiteral("silicon/occupancy.h"), QStringLiteral("silicon/published_latency.h"),
                           QStringLiteral("silicon/roofline.h"), QStringLiteral("silicon/transfer.h"),
                           QStringLiteral("workload/gpu_choice.h"), QStringLiteral("imports/importer.h")},
         true, true},
    };
}

struct Include {
    QString file;
    int line = 0;
    QString name;
    bool angled = false;
};

QStringList sources(const QString& root, const QString& folder)
{
    QStringList files;
    QDirIterator it(root + QLatin1Char('/') + folder, {QStringLiteral("*.h"), QStringLiteral("*.cpp")}, QDir::Files,
                    QDirIterator::Subdirectories);
    while (it.hasNext())
        files << it.next().mid(root.size() + 1);
    files.sort();
    return files;
}

QList<Include> includesOf(const QString& root, const QString& file)
{
    static const QRegularExpression pattern(QStringLiteral("^\\s*#\\s*include\\s*([\"<])([^\">]+)[\">]"));
    QFile in(root + QLatin1Char('/') + file);
    QList<Include> out;
    if (!in.open(QIODevice::ReadOnly))
        return out;
    for (int line = 1; !in.atEnd(); ++line) {
        const auto match = pattern.match(QString::fromUtf8(in.readLine()));
        if (match.hasMatch())
            out.append({file, line, match.captured(2), match.captured(1) == QLatin1String("<")});
    }
    return out;
}

const Layer* layerOf(const QList<Layer>& all, const QString& file)
{
    const Layer* best = nullptr;
    for (const Layer& layer : all)
        if (file.startsWith(layer.folder + QLatin1Char('/')) && (!best || layer.folder.size() > best->folder.size()))
            best = &layer;
    return best;
}

bool isQt(const QString& name)
{
    return name.size() > 1 && name.startsWith(QLatin1Char('Q')) && (name[1].isUpper() || name[1] == QLatin1Char('t'));
}

bool isWidgets(const QString& name)
{
    static const QRegularExpression gui(QStringLiteral(
        "^(QtWidgets|QtGui|QtCharts|QtSvg|QtOpenGL|QWidget|QApplication|QGuiApplication|QPainter|QColor|QFont|QPixmap|"
        "QImage|QAction|QMainWindow|QDialog|QLabel|QOpenGL\\w*|QChart\\w*|QPalette)\\b"));
    return gui.match(name).hasMatch();
}

/// Empty when the include is allowed, else what is wrong with it.
QString fault(const QList<Layer>& all, const Include& include)
{
    const Layer* layer = layerOf(all, include.file);
    if (!layer)
        return QStringLiteral("stands in no layer");
    if (include.angled) {
        if (isQt(include.name) && !layer->qt)
            return QStringLiteral("Qt in a library that builds without it");
        if (isWidgets(include.name) && !layer->widgets)
            return QStringLiteral("Qt GUI classes outside app/");
        return {};
    }
    if (!include.name.contains(QLatin1Char('/')))
        return {};
    for (const QString& prefix : layer->include)
        if (include.name.startsWith(prefix))
            return {};
    return QStringLiteral("may include only ") + layer->include.join(QStringLiteral(", "));
}

} // namespace

class TestLayers : public QObject {
    Q_OBJECT
    const QString m_root = qEnvironmentVariable("RIDGE_SOURCE");

private Q_SLOTS:
    void everyIncludeStaysInItsLayer()
    {
        const auto all = layers();
        QStringList faults;
        int seen = 0;
        for (const char* top : {"modules", "labs", "app"})
            for (const QString& file : sources(m_root, QLatin1String(top)))
                for (const Include& include : includesOf(m_root, file)) {
                    ++seen;
                    const QString what = fault(all, include);
                    if (!what.isEmpty())
                        faults << QStringLiteral("%1:%2 includes %3: %4")
                                      .arg(file)
                                      .arg(include.line)
                                      .arg(include.name, what);
                }
        QVERIFY2(seen > 200, "the test found too few includes to mean anything");
        QVERIFY2(faults.isEmpty(), qPrintable(faults.join(QLatin1Char('\n'))));
    }

    /// Sockets that reach other computers are opened in one folder (Qt's between programs of one computer in another).
    void onlyTheLiveViewKnowsOfTheNetwork()
    {
        static const QRegularExpression network(QStringLiteral(
            "^(QtNetwork|QTcp\\w+|QUdp\\w+|QSsl\\w+|QAbstractSocket|QHost\\w+|QDns\\w+|QNetwork\\w+|sys/socket\\.h|"
            "netdb\\.h|netinet/.*|arpa/.*)$"));
        int seen = 0;
        for (const char* top : {"modules", "labs", "app"})
            for (const QString& file : sources(m_root, QLatin1String(top)))
                for (const Include& include : includesOf(m_root, file))
                    if (include.angled && network.match(include.name).hasMatch()) {
                        ++seen;
                        QVERIFY2(file.startsWith(QLatin1String("app/live/wire/")), qPrintable(file));
                    }
        QVERIFY(seen > 4);
    }

    void theRuleItselfCanFail()
    {
        const auto all = layers();
        const QString gpu = QStringLiteral("modules/gpu/x.cpp");
        QVERIFY(fault(all, {gpu, 1, QStringLiteral("base/json.h"), false}).isEmpty());
        QVERIFY(!fault(all, {gpu, 1, QStringLiteral("labs/experiment.h"), false}).isEmpty());
        QVERIFY(!fault(all, {gpu, 1, QStringLiteral("QString"), true}).isEmpty());
        QVERIFY(!fault(all, {QStringLiteral("modules/record/x.cpp"), 1, QStringLiteral("lessons/lesson.h"), false})
                     .isEmpty());
        QVERIFY(!fault(all, {QStringLiteral("modules/record/x.cpp"), 1, QStringLiteral("QPainter"), true}).isEmpty());
        QVERIFY(!fault(all, {QStringLiteral("app/cli/x.cpp"), 1, QStringLiteral("QWidget"), true}).isEmpty());
        QVERIFY(!fault(all, {QStringLiteral("app/reader/x.cpp"), 1, QStringLiteral("gpu/device.h"), false}).isEmpty());
        QVERIFY(fault(all, {QStringLiteral("app/reader/x.cpp"), 1, QStringLiteral("gpu/access.h"), false}).isEmpty());
        QVERIFY(!fault(all, {QStringLiteral("app/live/wire/x.cpp"), 1, QStringLiteral("QWidget"), true}).isEmpty());
    }

    /// A folder of labs/ that begins with a digit holds the experiments of one curriculum module. They may use the
    /// shared rooms, and of their own folder a header that carries the name of the experiment.
    void experimentsDoNotIncludeEachOther()
    {
        static const QRegularExpression shared(
            QStringLiteral("^labs/((harness|kernel|grade|worker)/|experiment|catalogue)"));
        static const QRegularExpression ofAnExperiment(QStringLiteral("^labs/(\\d-[a-z-]+/[a-z0-9]+)"));
        const auto experiment = [](const QString& path) { return ofAnExperiment.match(path).captured(1); };
        for (const QString& file : sources(m_root, QStringLiteral("labs")))
            for (const Include& include : includesOf(m_root, file)) {
                if (include.angled || !include.name.startsWith(QLatin1String("labs/")))
                    continue;
                const bool own = !experiment(file).isEmpty() && experiment(file) == experiment(include.name);
                QVERIFY2(own || shared.match(include.name).hasMatch(),
                         qPrintable(file + QStringLiteral(" includes ") + include.name));
            }
    }

    void noFileIsTooLongWithoutAReason()
    {
        // One table of oracles for every opcode reads best in one piece; so do the rare forms found by hand, and the
        // host sums of a corpus of kernels that is one file a compiler.
        const QStringList reasoned = {QStringLiteral("tests/gpu/simt/tst_simt_opcodes.cpp"),
                                      QStringLiteral("tests/gpu/simt/tst_simt_forms.cpp"),
                                      QStringLiteral("tests/gpu/simt/tst_simt_corpus.cpp")};
        QStringList faults;
        for (const char* top : {"modules", "labs", "app", "tests", "tools"})
            for (const QString& file : sources(m_root, QLatin1String(top))) {
                QFile in(m_root + QLatin1Char('/') + file);
                QVERIFY(in.open(QIODevice::ReadOnly));
                const auto lines = in.readAll().count('\n');
                if (lines > 500 && !reasoned.contains(file))
                    faults << QStringLiteral("%1 has %2 lines").arg(file).arg(lines);
            }
        QVERIFY2(faults.isEmpty(), qPrintable(faults.join(QLatin1Char('\n'))));
    }

    void everyFileNamesItsLicence()
    {
        for (const char* top : {"modules", "labs", "app", "tests", "kernels"})
            for (const QString& file : sources(m_root, QLatin1String(top))) {
                QFile in(m_root + QLatin1Char('/') + file);
                QVERIFY(in.open(QIODevice::ReadOnly));
                QVERIFY2(in.readLine().contains("SPDX-License-Identifier: GPL-3.0-or-later"), qPrintable(file));
            }
    }

    /// "80 %" as formatQuantity writes it, never "80%", in what the program and its lessons say.
    void percentagesAreWrittenOneWay()
    {
        // "%1%" is a number with its sign, "%1%2" are two arguments; "%%" and "%-8" belong to printf.
        static const QRegularExpression tight(
            QStringLiteral("(%\\d{1,2}|(?<![%\\w.-])\\d+(\\.\\d+)?)%(?![\\d%L.*+-])"));
        const auto faulty = [](const QString& text) { return tight.match(text).hasMatch(); };
        QVERIFY(faulty(QStringLiteral("reaches 50% of it")) && faulty(QStringLiteral("\"%1%\"")));
        QVERIFY(!faulty(QStringLiteral("reaches 50 % of it, \"%1 %\", \"%1%2\", \"%.1f%%\"")));
        static const QRegularExpression apart(QStringLiteral("\\d %(?!\\d)"));
        static const QRegularExpression literal(QStringLiteral("\"(?:[^\"\\\\]|\\\\.)*\""));
        int seen = 0;
        for (const char* top : {"app", "labs", "modules/base", "modules/lessons", "modules/record", "modules/silicon"})
            for (const QString& file : sources(m_root, QLatin1String(top))) {
                QFile in(m_root + QLatin1Char('/') + file);
                QVERIFY(in.open(QIODevice::ReadOnly));
                for (const QString& line : QString::fromUtf8(in.readAll()).split(QLatin1Char('\n'))) {
                    if (line.trimmed().startsWith(QLatin1String("//")))
                        continue;
                    for (auto found = literal.globalMatch(line); found.hasNext();) {
                        const QString text = found.next().captured();
                        seen += text.contains(apart) ? 1 : 0;
                        QVERIFY2(!faulty(text), qPrintable(file + QStringLiteral(" writes ") + text));
                    }
                }
            }
        QVERIFY2(seen > 50, "the test found too few percentages to mean anything");
        for (QDirIterator it(m_root + QStringLiteral("/curriculum"), {QStringLiteral("*.md")}, QDir::Files,
                             QDirIterator::Subdirectories);
             it.hasNext();) {
            QFile in(it.next());
            QVERIFY(in.open(QIODevice::ReadOnly));
            QVERIFY2(!faulty(QString::fromUtf8(in.readAll())), qPrintable(in.fileName()));
        }
    }

    /// No translation is loaded for English, so Qt's "%n line(s)" would be shown as it stands.
    void pluralsAreWrittenOut()
    {
        static const QRegularExpression open(QStringLiteral("tr\\(\"[^\"]*(%n|\\w\\(e?s\\))[^\"]*\""));
        QVERIFY(open.match(QStringLiteral("tr(\"%n line(s)\"")).hasMatch());
        int seen = 0;
        for (const QString& file : sources(m_root, QStringLiteral("app"))) {
            QFile in(m_root + QLatin1Char('/') + file);
            QVERIFY(in.open(QIODevice::ReadOnly));
            const QString text = QString::fromUtf8(in.readAll());
            seen += static_cast<int>(text.count(QLatin1String("tr(\"")));
            const auto match = open.match(text);
            QVERIFY2(!match.hasMatch(), qPrintable(file + QStringLiteral(" says ") + match.captured()));
        }
        QVERIFY(seen > 500);
    }

    void nothingPromisesInsteadOfDoing()
    {
        static const QRegularExpression promise(QStringLiteral("(//|#|<!--|\\*)\\s*(TO"
                                                               "DO|FIX"
                                                               "ME|XX"
                                                               "X)\\b"));
        for (const char* top : {"modules", "labs", "app", "kernels", "tools", "curriculum", "docs"}) {
            QDirIterator it(m_root + QLatin1Char('/') + QLatin1String(top), QDir::Files, QDirIterator::Subdirectories);
            while (it.hasNext()) {
                QFile in(it.next());
                QVERIFY(in.open(QIODevice::ReadOnly));
                if (in.fileName().endsWith(QLatin1String(".png")))
                    continue;
                const auto match = promise.match(QString::fromUtf8(in.readAll()));
                QVERIFY2(!match.hasMatch(), qPrintable(in.fileName() + QStringLiteral(" says ") + match.captured()));
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestLayers)
#include "tst_layers.moc"
