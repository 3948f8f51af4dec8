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

/// The rooms of the window, each with what stands before it: a room may include from itself and from those on its left.
const QStringList kRooms = {QStringLiteral("theme"),     QStringLiteral("drawing"), QStringLiteral("session"),
                            QStringLiteral("ui"),        QStringLiteral("runs"),    QStringLiteral("chips"),
                            QStringLiteral("lesson"),    QStringLiteral("kernels"), QStringLiteral("explorer"),
                            QStringLiteral("portfolio"), QStringLiteral("class"),   QStringLiteral("window")};

QStringList prefixes(const char* words)
{
    QStringList list;
    for (const QString& word : QString::fromLatin1(words).split(QLatin1Char(' ')))
        list << (word.endsWith(QLatin1String(".h")) ? word : word + QLatin1Char('/'));
    return list;
}

/// The table of docs/architecture.md, section "Who may include whom". The longest folder that matches a file counts.
QList<Layer> layers()
{
    QList<Layer> all = {
        {QStringLiteral("modules/base"), prefixes("base")},
        {QStringLiteral("modules/silicon"), prefixes("base silicon")},
        {QStringLiteral("modules/workload"), prefixes("base silicon workload")},
        {QStringLiteral("modules/memory"), prefixes("base memory")},
        {QStringLiteral("modules/transformer"), prefixes("base memory transformer")},
        {QStringLiteral("modules/accelerator"), prefixes("base accelerator")},
        {QStringLiteral("modules/rtl"),
         prefixes("base accelerator rtl gpu/compile/child_process.h gpu/compile/temporary_folder.h")},
        {QStringLiteral("modules/cluster"), prefixes("base workload cluster")},
        {QStringLiteral("modules/serving"), prefixes("base silicon workload serving")},
        {QStringLiteral("modules/gpu"), prefixes("base silicon gpu")},
        {QStringLiteral("modules/gpu/simt"), prefixes("base gpu")},
        {QStringLiteral("modules/gpu/compile"), prefixes("base gpu")},
        {QStringLiteral("modules/host"), prefixes("base silicon host")},
        {QStringLiteral("modules/tile_program"), prefixes("base tile_program")},
        {QStringLiteral("modules/bundle"), prefixes("base bundle")},
        {QStringLiteral("modules/imports"), prefixes("base imports")},
        {QStringLiteral("modules/parity"), prefixes("base parity")},
        {QStringLiteral("labs"),
         prefixes("base silicon workload memory transformer serving cluster accelerator rtl gpu "
                  "host imports tile_program labs")},
        // Qt Core from here on.
        {QStringLiteral("modules/lessons"), prefixes("base lessons"), true},
        {QStringLiteral("modules/record"), prefixes("base record"), true},
        {QStringLiteral("modules/evidence"), prefixes("base lessons record imports evidence"), true},
        {QStringLiteral("modules/search"), prefixes("base lessons record search"), true},
        {QStringLiteral("modules/doctor"), prefixes("base lessons record doctor"), true},
        {QStringLiteral("modules/privacy"), prefixes("base record privacy"), true},
        {QStringLiteral("modules/classroom"), prefixes("base bundle lessons record evidence classroom"), true},
        {QStringLiteral("app/cli"),
         prefixes("base imports lessons record evidence search doctor privacy portfolio classroom cli serving/load "
                  "serving/requests.h workload/explorer.h"),
         true},
        {QStringLiteral("app/cli/load"), prefixes("base serving/load cli/load"), true},
        // Qt Gui for its PDF.
        {QStringLiteral("modules/portfolio"), prefixes("base record portfolio"), true, true},
    };
    // Of the engines only pure functions that answer within a frame.
    QStringList may = prefixes(
        "base lessons record evidence search doctor privacy portfolio classroom gpu/access.h accelerator/systolic.h "
        "rtl/design.h "
        "silicon/chip_catalogue.h silicon/crossover.h silicon/die.h silicon/kernel_profile.h silicon/occupancy.h "
        "silicon/published_latency.h silicon/roofline.h silicon/transfer.h workload/compile/fusion.h "
        "workload/compile/graph_cuda.h "
        "workload/compile/graph_file.h workload/explorer.h workload/gpu_choice.h "
        "imports/importer.h parity/parity.h");
    for (const QString& room : kRooms) {
        may << QStringLiteral("app/%1/").arg(room);
        all << Layer{QStringLiteral("app/") + room, may, true, true};
    }
    return all;
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

using Arrows = QMap<QString, QSet<QString>>;

/// A way from folder to folder that ends where it began; empty where there is none.
QStringList circleIn(const Arrows& arrows)
{
    QSet<QString> done;
    QStringList way;
    const auto go = [&](const auto& self, const QString& at) -> bool {
        if (way.contains(at)) {
            way = way.mid(way.indexOf(at)) << at;
            return true;
        }
        if (done.contains(at))
            return false;
        way << at;
        for (const QString& next : arrows.value(at))
            if (self(self, next))
                return true;
        way.removeLast();
        done.insert(at);
        return false;
    };
    for (auto it = arrows.keyBegin(); it != arrows.keyEnd(); ++it)
        if (go(go, *it))
            return way;
    return {};
}

QString folderOf(const QString& file)
{
    return file.left(file.lastIndexOf(QLatin1Char('/')));
}

/// Which folders of the tree include from which.
Arrows folderArrows(const QString& root)
{
    Arrows arrows;
    for (const char* top : {"modules", "labs", "app"})
        for (const QString& file : sources(root, QLatin1String(top)))
            for (const Include& include : includesOf(root, file)) {
                if (include.angled)
                    continue;
                for (const QString& path : {QStringLiteral("modules/") + include.name, include.name})
                    if (include.name.contains(QLatin1Char('/')) && QFile::exists(root + QLatin1Char('/') + path) &&
                        folderOf(path) != folderOf(file))
                        arrows[folderOf(file)].insert(folderOf(path));
            }
    return arrows;
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

    /// Whoever reads a folder needs only those below it.
    void noCircleOfFolders()
    {
        const Arrows arrows = folderArrows(m_root);
        QVERIFY2(arrows.size() > 50, "the test found too few folders to mean anything");
        const QStringList circle = circleIn(arrows);
        QVERIFY2(circle.isEmpty(), qPrintable(circle.join(QLatin1String(" includes "))));
        const auto name = [](const char* text) { return QString::fromLatin1(text); };
        QCOMPARE(circleIn({{name("a"), {name("b")}}, {name("b"), {name("c")}}, {name("c"), {name("b")}}}).size(), 3);
        QVERIFY(circleIn({{name("a"), {name("b"), name("c")}}, {name("b"), {name("c")}}}).isEmpty());
    }

    /// "Open file" of an editor finds one header by its name.
    void noTwoHeadersWithOneName()
    {
        QMap<QString, QString> first;
        QStringList twice;
        for (const char* top : {"modules", "labs", "app", "tests", "tools"})
            for (const QString& file : sources(m_root, QLatin1String(top)))
                if (file.endsWith(QLatin1String(".h"))) {
                    QString& known = first[file.mid(file.lastIndexOf(QLatin1Char('/')) + 1)];
                    if (!known.isEmpty())
                        twice << known + QStringLiteral(" and ") + file;
                    known = file;
                }
        QVERIFY2(twice.isEmpty(), qPrintable(twice.join(QLatin1Char('\n'))));
    }

    /// Two types with one name in one namespace are one type to the linker: whichever destructor comes first is called
    /// for both.
    void noTwoTypesWithOneName()
    {
        static const QRegularExpression space(QStringLiteral("^namespace (ridge[\\w:]*) \\{"),
                                              QRegularExpression::MultilineOption);
        static const QRegularExpression type(
            QStringLiteral("^(struct|class|enum class) (\\w+)( final)?( : [^;{]*)?\\s*\\{"),
            QRegularExpression::MultilineOption);
        static const QRegularExpression nested(QStringLiteral("^namespace \\w"), QRegularExpression::MultilineOption);
        QMap<QString, QString> first;
        QStringList twice;
        for (const char* top : {"modules", "labs", "app"})
            for (const QString& file : sources(m_root, QLatin1String(top))) {
                if (!file.endsWith(QLatin1String(".h")))
                    continue;
                QFile in(m_root + QLatin1Char('/') + file);
                QVERIFY(in.open(QIODevice::ReadOnly));
                const QString text = QString::fromUtf8(in.readAll());
                const auto name = space.match(text);
                if (!name.hasMatch() || text.count(nested) > 1)
                    continue;
                for (auto found = type.globalMatch(text); found.hasNext();) {
                    const QString whole = name.captured(1) + QStringLiteral("::") + found.next().captured(2);
                    QString& known = first[whole];
                    if (!known.isEmpty())
                        twice << whole + QStringLiteral(" in ") + known + QStringLiteral(" and ") + file;
                    known = file;
                }
            }
        QVERIFY2(first.size() > 500, "the test found too few types to mean anything");
        QVERIFY2(twice.isEmpty(), qPrintable(twice.join(QLatin1Char('\n'))));
    }

    /// What a kind of target is and does stands in modules/base/target_kind.cpp; nothing tests the text of a target.
    void kindsOfTargetsAreAskedOfTheirTable()
    {
        const QString kinds = QStringLiteral("(gpu|sim|cpu|machine|model):?");
        const QRegularExpression tested(
            QStringLiteral("(starts_with|startsWith|rfind|compare)\\((QLatin1String|QStringLiteral)?\\(?\"%1\"|"
                           "[!=]= ?(QLatin1String\\(|QStringLiteral\\()?\"%1\"|\"%1\"\\)? ?[!=]=|"
                           "\"(gpu|sim|machine):\" *\\+")
                .arg(kinds));
        QVERIFY(tested.isValid());
        for (const char* wrong :
             {"id.starts_with(\"sim:\")", "t.startsWith(QLatin1String(\"gpu:\"))", "kind == \"cpu\"", "side != \"sim\"",
              "\"model\" == kind", "target.rfind(\"sim:\", 0)", "\"sim:\" + chip", "k == QLatin1String(\"gpu\")"})
            QVERIFY2(tested.match(QLatin1String(wrong)).hasMatch(), wrong);
        for (const char* right : {"defaultFor = {{\"gpu\", 1}}", "row.find(\"gpu\")", "value(\"cpu\", std::string())",
                                  "targets = {\"gpu\", \"sim\"}"})
            QVERIFY2(!tested.match(QLatin1String(right)).hasMatch(), right);
        const QStringList allowed = {QStringLiteral("modules/base/target_kind.cpp")};
        QStringList faults;
        for (const char* top : {"modules", "labs", "app"})
            for (const QString& file : sources(m_root, QLatin1String(top))) {
                if (allowed.contains(file))
                    continue;
                QFile in(m_root + QLatin1Char('/') + file);
                QVERIFY(in.open(QIODevice::ReadOnly));
                for (int line = 1; !in.atEnd(); ++line) {
                    const QString text = QString::fromUtf8(in.readLine()).trimmed();
                    if (!text.startsWith(QLatin1String("//")) && tested.match(text).hasMatch())
                        faults << QStringLiteral("%1:%2 tests the text of a target: %3").arg(file).arg(line).arg(text);
                }
            }
        QVERIFY2(faults.isEmpty(),
                 qPrintable(faults.join(QLatin1Char('\n')) + QStringLiteral("\nask base/target_kind.h instead")));
    }

    /// An experiment that runs no kernel gets along without the GPU: its headers bring none.
    void anExperimentNeedsNoGpu()
    {
        QStringList open = {QStringLiteral("labs/experiment.h"), QStringLiteral("labs/catalogue.h")};
        QSet<QString> seen;
        while (!open.isEmpty()) {
            const QString file = open.takeLast();
            if (seen.contains(file))
                continue;
            seen.insert(file);
            for (const Include& include : includesOf(m_root, file)) {
                QVERIFY2(!include.name.startsWith(QLatin1String("gpu/")), qPrintable(file));
                for (const char* room : {"", "modules/"})
                    if (const QString path = QLatin1String(room) + include.name;
                        !include.angled && QFile::exists(m_root + QLatin1Char('/') + path))
                        open << path;
            }
        }
        QVERIFY(seen.contains(QStringLiteral("modules/base/target_kind.h")));
    }

    /// Sockets that reach other computers are opened in two folders (Qt's between programs of one computer in another).
    void onlyTheLiveViewAndTheLoadKnowOfTheNetwork()
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
                        QVERIFY2(file.startsWith(QLatin1String("modules/classroom/live/")) ||
                                     file.startsWith(QLatin1String("app/cli/load/")),
                                 qPrintable(file));
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
        QVERIFY(!fault(all, {QStringLiteral("app/lesson/reader/x.cpp"), 1, QStringLiteral("gpu/device.h"), false})
                     .isEmpty());
        QVERIFY(fault(all, {QStringLiteral("app/lesson/reader/x.cpp"), 1, QStringLiteral("gpu/access.h"), false})
                    .isEmpty());
        QVERIFY(!fault(all, {QStringLiteral("modules/classroom/live/x.cpp"), 1, QStringLiteral("QWidget"), true})
                     .isEmpty());
        QVERIFY(!fault(all, {QStringLiteral("app/ui/x.h"), 1, QStringLiteral("app/runs/table/run_data.h"), false})
                     .isEmpty());
        QVERIFY(fault(all, {QStringLiteral("app/runs/x.h"), 1, QStringLiteral("app/ui/panels.h"), false}).isEmpty());
    }

    /// A folder of labs/ that begins with a digit holds the experiments of one curriculum module. They may use the
    /// shared rooms, and of their own folder a header that carries the name of the experiment.
    void experimentsDoNotIncludeEachOther()
    {
        static const QRegularExpression shared(
            QStringLiteral("^labs/((harness|kernel|grade|worker)/|experiment|gpu_experiment|catalogue)"));
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
        for (const char* top : {"app", "labs", "modules"})
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
