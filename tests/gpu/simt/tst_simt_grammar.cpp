// SPDX-License-Identifier: GPL-3.0-or-later
// The grammar of PTX: some 500 small texts of our own (fixtures/grammar), each held against ptxas 13.5.37. What it
// takes is executed and what is stored is compared; what it refuses is refused with its line.
#include "simt_lab.h"

#include <QDir>
#include <QProcess>
#include <QTemporaryDir>

using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

/// "@ name ; options", then what is expected, then the text. Options:
///   8.8, sm_90a[,option]  version and target, where it is not these
///   raw, module, head     the text is all there is; all behind the head; "--" parts what stands between name and body
///   last                  the text closes the kernel itself and leaves a brace open
///   crlf, cr, cut, bom    how lines end; none ends the last line; a byte order mark stands first
///   here                  ptxas refuses it, and nothing is lost by taking it
///   gap                   ptxas takes it, and it is refused here by name
/// Else "--" parts what stands outside the kernel from its body. Expected: "= words stored", "loads", or "! what is
/// said".
struct Case {
    QByteArray name;
    QByteArrayList options;
    QByteArray want;
    QByteArray text;

    bool has(const char* option) const { return options.contains(option); }
};

std::vector<Case> allCases()
{
    std::vector<Case> cases;
    const QDir folder(QStringLiteral(RIDGE_SIMT_FIXTURES "/grammar"));
    for (const QString& name : folder.entryList({QStringLiteral("*.txt")}, QDir::Files, QDir::Name)) {
        QFile file(folder.filePath(name));
        if (!file.open(QIODevice::ReadOnly))
            return {};
        for (const QByteArray& line : file.readAll().split('\n')) {
            // A guard begins with @ as well.
            if (line.startsWith("@ ") && !line.startsWith("@ %") && !line.startsWith("@ !")) {
                const QByteArrayList parts = line.mid(2).split(';');
                cases.push_back({parts[0].trimmed(), parts.value(1).simplified().split(' '), {}, {}});
            } else if (cases.back().want.isEmpty()) {
                cases.back().want = line;
            } else {
                cases.back().text += line + '\n';
            }
        }
    }
    return cases;
}

QByteArray versionOf(const Case& one)
{
    for (const QByteArray& option : one.options)
        if (!option.isEmpty() && QChar::fromLatin1(option[0]).isDigit())
            return option;
    return "8.8";
}

QByteArray targetOf(const Case& one)
{
    for (const QByteArray& option : one.options)
        if (option.contains("sm_"))
            return QByteArray(option).replace(",", ", ");
    return "sm_90a";
}

QByteArray chipOf(const Case& one)
{
    const QByteArray target = targetOf(one);
    return target.mid(target.indexOf("sm_")).split(',')[0];
}

QByteArray textOf(const Case& one)
{
    const QByteArray head = ".version " + versionOf(one) + "\n.target " + targetOf(one) + "\n.address_size 64\n";
    QByteArray text = one.text;
    if (one.has("module"))
        text.prepend(head);
    if (!one.has("module") && !one.has("raw")) {
        const qsizetype at = text.startsWith("--\n") ? 0 : text.indexOf("\n--\n") + 1;
        const bool parted = at > 0 || text.startsWith("--\n");
        const QByteArray before = parted ? text.first(at) : QByteArray();
        const QByteArray body = parted ? text.mid(at + 3) : text;
        text = head + (one.has("head") ? QByteArray() : before) + "\n.visible .entry k (.param .u64 out)\n" +
               (one.has("head") ? before : QByteArray()) +
               "{\n.reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<16>; .reg .b64 %d<16>; .reg .f32 %f<8>; "
               ".reg .f64 %g<8>;\nld.param.u64 %d0, [out];\n" +
               body + (one.has("last") ? "}\n" : "\nret;\n}\n");
    }
    if (one.has("crlf"))
        text.replace("\n", "\r\n");
    if (one.has("cr"))
        text.replace("\n", "\r");
    if (one.has("cut"))
        text = text.trimmed();
    if (one.has("bom"))
        text.prepend("\xef\xbb\xbf");
    return text;
}

std::vector<std::uint32_t> wordsOf(const QByteArray& want)
{
    std::vector<std::uint32_t> words;
    for (const QByteArray& word : want.mid(1).simplified().split(' '))
        words.push_back(word.toUInt(nullptr, 0));
    return words;
}

} // namespace

class TestSimtGrammar : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void texts_data()
    {
        QTest::addColumn<std::size_t>("at");
        const std::vector<Case> cases = allCases();
        QVERIFY(cases.size() > 450);
        for (std::size_t at = 0; at < cases.size(); ++at)
            QTest::newRow(cases[at].name.constData()) << at;
    }

    void texts()
    {
        QFETCH(std::size_t, at);
        static const std::vector<Case> cases = allCases();
        const Case& one = cases[at];
        Lab lab({}, {}, chipOf(one).mid(3, 3).replace("a", "").toInt());
        const bool loaded = lab.load(textOf(one).toStdString());
        const bool isRun = loaded && !one.want.startsWith("loads") && !one.has("raw");
        const DevicePtr out = lab.put(std::vector<std::uint32_t>(8, 0xcdcdcdcd));
        const bool isDone = loaded && (!isRun || lab.run("k", {1}, {1}, {out}));
        if (one.want.startsWith('!')) {
            QVERIFY2(!isDone, "it was taken");
            const QByteArray said = one.want.mid(1).trimmed();
            QVERIFY2(lab.why().contains(said) && lab.why().contains("line ") && !lab.problem->fix.empty(), lab.why());
            return;
        }
        QVERIFY2(isDone, lab.why());
        if (!one.want.startsWith('='))
            return;
        const std::vector<std::uint32_t> expected = wordsOf(one.want);
        QCOMPARE(lab.get<std::uint32_t>(out, expected.size()), expected);
    }

    /// Cut, or with a character left out or another put in, a text is a program or is refused in words.
    void spoiltTexts()
    {
        constexpr std::string_view others = "{}[]()<>,;:.=+-!@\"/0%x";
        std::uint32_t state = 5;
        const auto below = [&](std::size_t limit) {
            state = state * 1664525u + 1013904223u;
            return std::size_t(state >> 8) % limit;
        };
        std::size_t refused = 0;
        for (const Case& one : allCases()) {
            const std::string text = textOf(one).toStdString();
            for (unsigned way = 0; way < 9 && text.size() > 1; ++way) {
                std::string spoilt = text;
                const std::size_t at = below(text.size());
                if (way % 3 == 0)
                    spoilt.resize(at);
                else if (way % 3 == 1)
                    spoilt.erase(at, 1);
                else
                    spoilt[at] = others[below(others.size())];
                Lab lab({}, {}, chipOf(one).mid(3, 3).replace("a", "").toInt());
                if (lab.load(spoilt))
                    continue;
                ++refused;
                QVERIFY2(!lab.problem->code.empty() && !lab.problem->message.empty() && !lab.problem->fix.empty(),
                         (spoilt + toText(*lab.problem)).c_str());
            }
        }
        QVERIFY(refused > 2000);
    }

    /// RIDGE_GRAMMAR_PTXAS=…/ptxas tst_simt_grammar ptxasAgrees: the verdicts again, by the program itself.
    void ptxasAgrees()
    {
        const QString ptxas = qEnvironmentVariable("RIDGE_GRAMMAR_PTXAS");
        if (ptxas.isEmpty())
            QSKIP("RIDGE_GRAMMAR_PTXAS names no ptxas");
        const QTemporaryDir folder;
        QByteArray wrong;
        for (const Case& one : allCases()) {
            QFile file(folder.filePath(QStringLiteral("text.ptx")));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(textOf(one));
            file.close();
            const QByteArray chip = chipOf(one);
            QProcess process;
            process.start(ptxas,
                          {QStringLiteral("-arch=") + QLatin1String(chip == "sm_70" ? "sm_75" : chip), file.fileName(),
                           QStringLiteral("-o"), folder.filePath(QStringLiteral("text.cubin"))});
            QVERIFY(process.waitForFinished(120'000));
            const bool isHere = !one.want.startsWith('!');
            const bool expected = one.has("here") ? false : one.has("gap") ? true : isHere;
            if ((process.exitCode() == 0) != expected)
                wrong += one.name + ": " + process.readAllStandardError().left(200) + '\n';
        }
        QVERIFY2(wrong.isEmpty(), wrong);
    }
};

QTEST_APPLESS_MAIN(TestSimtGrammar)
#include "tst_simt_grammar.moc"
