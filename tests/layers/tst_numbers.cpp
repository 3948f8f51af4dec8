// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers have a decimal point in every locale: nothing that follows LC_NUMERIC or QLocale writes or reads them.
#include <QDirIterator>
#include <QMap>
#include <QRegularExpression>
#include <QtTest>

namespace {

struct Rule {
    const char* what;
    const char* pattern;
    QStringList allowed; ///< files with a reason
};

const QList<Rule>& rules()
{
    static const QList<Rule> all = {
        {"writes or reads numbers as the C library's locale says; see base/number_text.h",
         "\\b(v?sn?printf|v?asprintf|strto(f|d|ld)|atof|[fs]?scanf)\\s*\\(|\\bstd::sto(f|d|ld)\\b",
         {
             QStringLiteral("modules/gpu/report.cpp"),               // hexadecimal
             QStringLiteral("modules/gpu/simt/run/memory.cpp"),      // hexadecimal
             QStringLiteral("modules/gpu/simt/run/system_ops.cpp"),  // a kernel's own format, under PlainNumbers
             QStringLiteral("modules/record/worker/worker_pack.cpp") // octal
         }},
        {"prints a number with a fraction as the C library's locale says; print fixedText() or shortText() with %s",
         "printf\\s*\\((?:(?!\\);)[\\s\\S])*?\"[^\"\\n]*%[-+#0]*[0-9*]*(\\.[0-9*]+)?L?[aefgAEFG](?![A-Za-z0-9_])",
         {}},
        {"changes the locale",
         "\\b(set|use|new)locale\\s*\\(|\\bstd::locale\\b|\\.imbue\\s*\\(|QLocale::setDefault",
         {QStringLiteral("modules/base/number_text.h"), QStringLiteral("modules/base/number_text.cpp")}},
        {"writes a number as the user's locale says", "%L\\d|QLocale::system\\s*\\(", {}},
        {"asks the user's locale, which is for days and hours on the screen alone",
         "\\bQLocale\\s*\\(\\s*\\)|\\bQLocale\\s+\\w+\\s*;",
         {QStringLiteral("app/class/teaching/class_card.cpp"), QStringLiteral("app/class/teaching/class_form.cpp"),
          QStringLiteral("app/ui/panels.cpp"), QStringLiteral("app/lesson/reader/blocks/predict_block.cpp"),
          QStringLiteral("app/lesson/reader/blocks/artifact_block.cpp"),
          QStringLiteral("app/class/dashboard/steps_model.cpp")}},
    };
    return all;
}

QString withoutComments(QString text)
{
    static const QRegularExpression comment(QStringLiteral("//[^\\n]*"));
    return text.remove(comment);
}

/// Empty, or what was found.
QString faultOf(const Rule& rule, const QString& code)
{
    const QRegularExpression pattern(QString::fromLatin1(rule.pattern));
    if (!pattern.isValid())
        return QStringLiteral("the pattern is none: ") + pattern.errorString();
    const auto match = pattern.match(code);
    return match.hasMatch() ? match.captured() : QString();
}

} // namespace

class TestNumbers : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nothingFollowsTheLocale()
    {
        const QString root = qEnvironmentVariable("RIDGE_SOURCE");
        QMap<QString, int> used;
        QStringList faults;
        int files = 0;
        for (const char* top : {"app", "modules", "labs"})
            for (QDirIterator it(root + QLatin1Char('/') + QLatin1String(top),
                                 {QStringLiteral("*.cpp"), QStringLiteral("*.h")}, QDir::Files,
                                 QDirIterator::Subdirectories);
                 it.hasNext();) {
                QFile in(it.next());
                QVERIFY(in.open(QIODevice::ReadOnly));
                ++files;
                const QString name = QDir(root).relativeFilePath(in.fileName());
                const QString code = withoutComments(QString::fromUtf8(in.readAll()));
                for (const Rule& rule : rules())
                    if (const QString found = faultOf(rule, code); !found.isEmpty()) {
                        if (rule.allowed.contains(name))
                            ++used[name];
                        else
                            faults << QStringLiteral("%1 %2: %3").arg(name, QLatin1String(rule.what), found);
                    }
            }
        QVERIFY(files > 500);
        QVERIFY2(faults.isEmpty(), qPrintable(faults.join(QLatin1Char('\n'))));
        for (const Rule& rule : rules())
            for (const QString& name : rule.allowed)
                QVERIFY2(used.value(name) > 0, qPrintable(name + QStringLiteral(" needs its exception no longer")));
    }

    void theRulesCanFail()
    {
        const auto faulty = [](int rule, const char* code) {
            return !faultOf(rules()[rule], QString::fromLatin1(code)).isEmpty();
        };
        QVERIFY(faulty(0, "std::snprintf(text, 8, \"%d\", n);") && faulty(0, "strtod(text, &end)"));
        QVERIFY(faulty(0, "std::stod(text)") && faulty(0, "sscanf(text, \"%d\", &n)"));
        QVERIFY(!faulty(0, "::strtod_l(text, &end, plain)") && !faulty(0, "std::strtoull(text, nullptr, 10)"));
        QVERIFY(faulty(1, "std::printf(\"%d of %.1f s\\n\", n, seconds);"));
        QVERIFY(faulty(1, "std::fprintf(stderr,\n    \"%s\"\n    \"%g\", text, n);"));
        QVERIFY(!faulty(1, "std::printf(\"%s %d%%\\n\", text, n); other(\"%f1\", \"%g\");"));
        QVERIFY(faulty(2, "std::setlocale(LC_ALL, \"\");") && faulty(2, "out.imbue(here)"));
        QVERIFY(faulty(3, "tr(\"%L1 runs\")") && !faulty(3, "tr(\"%1 runs\")"));
        QVERIFY(faulty(4, "QLocale().toString(n)") && faulty(4, "const QLocale locale;"));
        QVERIFY(!faulty(4, "QLocale(QLocale::English).toString(n)"));
    }
};

QTEST_APPLESS_MAIN(TestNumbers)
#include "tst_numbers.moc"
