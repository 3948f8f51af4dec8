// SPDX-License-Identifier: GPL-3.0-or-later
// How an author's Markdown becomes a document of the design.
#include "reader_support.h"

#include "app/lesson/reader/flat_text.h"
#include "app/lesson/reader/inline_html.h"
#include "app/lesson/reader/prose_document.h"
#include "app/theme/kept_units.h"
#include "app/ui/code_highlighter.h"
#include "lessons/inline.h"

#include <QTextTable>

using namespace ridge;
using namespace ridge::app;
using test::Bench;

class TestProse : public QObject {
    Q_OBJECT

private:
    struct Built {
        QTextDocument document;
        std::unique_ptr<FormulaLibrary> library;
        std::unique_ptr<FormulaObject> object;
    };
    std::unique_ptr<Built> build(Bench& bench, const std::string& markdown)
    {
        auto built = std::make_unique<Built>();
        Theme& theme = bench.app().theme();
        built->library = std::make_unique<FormulaLibrary>(theme, bench.data());
        built->object = std::make_unique<FormulaObject>(*built->library, theme, nullptr);
        buildProse(built->document, *built->object, markdown, ProseLook::Reading,
                   {theme, *built->library, bench.app().curriculum()});
        built->document.documentLayout()->registerHandler(FormulaObject::kType, built->object.get());
        return built;
    }
    static QTextCharFormat formatAt(const QTextDocument& document, const QString& text)
    {
        QTextCursor found = document.find(text);
        return found.charFormat();
    }

private Q_SLOTS:
    void fencesBecomeBoxes();
    void unclosedFenceLosesNothing();
    void claimsBecomeLinksWithTheirNumber();
    void boldTermsLinkAndOtherBoldDoesNot();
    void typeFollowsTheTheme();
    void tablesHaveRulesAndRoom();
    void formulasSitOnTheBaseline();
    void missingFormulaShowsItsText();
    void formulaIsReadAloud();
    void aTextIsLaidOutOnce();
    void inkIsReplaced();
    void picturesAreWords();
    void inlineHtmlEscapesAndMarks();
    void unitJoints_data();
    void unitJoints();
    void noLineEndsInsideAQuantity();
    void keptUnitsAreReadAndFoundAsWritten();
    void tokens_data();
    void tokens();
    void blockCommentSpansLines();
    void tokensOfEveryLanguage_data();
    void tokensOfEveryLanguage();
    void tripleQuotesSpanLines();
};

void TestProse::fencesBecomeBoxes()
{
    const auto pieces = lessons::splitFences("One.\n\n```cuda\nint x; // ```\n```\n\nTwo `a`.\n");
    QCOMPARE(pieces.size(), 3u);
    QVERIFY(!pieces[0].code && pieces[1].code && !pieces[2].code);
    QCOMPARE(pieces[1].language, std::string("cuda"));
    QCOMPARE(pieces[1].text, std::string("int x; // ```\n"));
}

void TestProse::unclosedFenceLosesNothing()
{
    const auto pieces = lessons::splitFences("A\n```\ncode\nmore");
    QCOMPARE(pieces.size(), 2u);
    QVERIFY(pieces[1].code);
    QCOMPARE(pieces[1].text, std::string("code\nmore\n"));
    QVERIFY(lessons::splitFences("").empty());
}

void TestProse::claimsBecomeLinksWithTheirNumber()
{
    Bench bench;
    const auto built = build(bench, "It reads {{claim:t4.read_stride1}} and {{claim:nobody}}.");
    QVERIFY(spokenText(built->document).contains(QStringLiteral("It reads 206 GB/s and")));
    const auto format = formatAt(built->document, QStringLiteral("206 GB/"));
    QCOMPARE(format.anchorHref(), QStringLiteral("claim:t4.read_stride1"));
    QCOMPARE(format.underlineStyle(), QTextCharFormat::DotLine);
    QVERIFY(built->document.toPlainText().contains(QStringLiteral("nobody"))); // named, not swallowed
}

void TestProse::boldTermsLinkAndOtherBoldDoesNot()
{
    Bench bench;
    const auto built = build(bench, "## A **warp** here\n\nThe **warps** are **stubborn**, see [x](lesson:2.1).");
    QCOMPARE(formatAt(built->document, QStringLiteral("warps")).anchorHref(), QStringLiteral("term:warps"));
    QVERIFY(!formatAt(built->document, QStringLiteral("stubborn")).isAnchor());
    QVERIFY(formatAt(built->document, QStringLiteral("stubborn")).fontWeight() > QFont::Normal);
    QCOMPARE(formatAt(built->document, QStringLiteral("x")).anchorHref(), QStringLiteral("lesson:2.1"));
    QVERIFY(!formatAt(built->document, QStringLiteral("A warp here")).isAnchor());
}

void TestProse::typeFollowsTheTheme()
{
    Bench bench;
    Theme& theme = bench.app().theme();
    const auto built = build(bench, "### Head\n\nBody with `code`.\n\n- one\n- two\n");
    const auto point = [&](const char* text) { return formatAt(built->document, QLatin1String(text)).font(); };
    QCOMPARE(point("Head").pointSizeF(), theme.font(TextStyle::ReadH3).pointSizeF());
    QCOMPARE(point("Body").pointSizeF(), theme.font(TextStyle::ReadBody).pointSizeF());
    QVERIFY(point("code").families().contains(QStringLiteral("JetBrains Mono")));
    QCOMPARE(formatAt(built->document, QStringLiteral("code")).background().color(), theme.color(Role::CodeBackground));
    const QTextBlock body = built->document.find(QStringLiteral("Body")).block();
    QCOMPARE(body.blockFormat().lineHeight(), double(theme.lineHeight(TextStyle::ReadBody)));
    const auto tall = build(bench, "wonderful wonderful");
    tall->document.setTextWidth(120); // room for one of the two
    QCOMPARE(tall->document.size().height(), 2.0 * theme.lineHeight(TextStyle::ReadBody));
}

void TestProse::tablesHaveRulesAndRoom()
{
    Bench bench;
    const auto built = build(bench, "| A | B |\n|---:|:--|\n| 1 | {{claim:t4.read_stride1}} |\n| 2 | x |\n");
    const auto frames = built->document.rootFrame()->childFrames();
    QCOMPARE(frames.size(), 1);
    auto* table = qobject_cast<QTextTable*>(frames.front());
    QVERIFY(table);
    QCOMPARE(table->rows(), 3);
    const auto cell = table->cellAt(1, 0).format().toTableCellFormat();
    QVERIFY(cell.topPadding() >= 4);
    QCOMPARE(cell.bottomBorder(), 1.0);
    QCOMPARE(table->cellAt(1, 0).firstCursorPosition().blockFormat().alignment() & Qt::AlignHorizontal_Mask,
             Qt::Alignment(Qt::AlignRight));
    QVERIFY(formatAt(built->document, QStringLiteral("206")).isAnchor());
}

void TestProse::formulasSitOnTheBaseline()
{
    Bench bench;
    const std::string tex = "\\mathrm{passes} = \\gcd(\\mathrm{stride},\\ 32)";
    const auto built = build(bench, "The teeth obey $" + tex + "$ here.");
    const auto* asset = built->library->find(lessons::formulaAsset(tex));
    QVERIFY(asset);
    QVERIFY(asset->asset.baseline > 0);
    int at = built->document.toPlainText().indexOf(QChar::ObjectReplacementCharacter);
    QVERIFY(at > 0);
    QTextCursor cursor(&built->document);
    cursor.setPosition(at + 1);
    QCOMPARE(cursor.charFormat().objectType(), int(FormulaObject::kType));
    const QSizeF size = built->object->intrinsicSize(&built->document, at, cursor.charFormat());
    const double em = QFontInfo(cursor.charFormat().font()).pixelSize();
    QCOMPARE(size.width(), asset->asset.width * em);
    QCOMPARE(size.height(), (asset->asset.height - asset->asset.baseline) * em); // what hangs below is not declared
}

void TestProse::missingFormulaShowsItsText()
{
    Bench bench;
    const auto built = build(bench, "So $never + drawn$ stands here.");
    QVERIFY(spokenText(built->document).contains(QStringLiteral("never + drawn")));
    QImage image(300, 60, QImage::Format_ARGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    built->document.drawContents(&painter); // draws text in its place, and does not crash
    QVERIFY(!image.isNull());
}

void TestProse::formulaIsReadAloud()
{
    Bench bench;
    const auto built = build(bench, "$\\mathrm{passes} = \\gcd(\\mathrm{stride},\\ 32)$");
    QVERIFY2(spokenText(built->document).contains(QStringLiteral("greatest common divisor")),
             qPrintable(spokenText(built->document)));
}

/// A lesson's text may come from anybody, and a path in it may be a device that never ends.
void TestProse::picturesAreWords()
{
    Bench bench;
    const auto built = build(bench, "Before ![a small drawing](/dev/zero) and <img src=\"/dev/zero\"> behind.");
    for (QTextBlock block = built->document.begin(); block.isValid(); block = block.next())
        for (auto it = block.begin(); !it.atEnd(); ++it)
            QVERIFY(!it.fragment().charFormat().isImageFormat());
    QVERIFY2(built->document.toPlainText().contains(QStringLiteral("Before [a small drawing] and")),
             qPrintable(built->document.toPlainText()));
    built->document.setTextWidth(400); // lays it out, which is when pictures are loaded
    QVERIFY(built->document.size().height() > 0);
}

/// A formula is asked for its size each time its text is laid out.
void TestProse::aTextIsLaidOutOnce()
{
    class Counting : public FormulaObject {
    public:
        using FormulaObject::FormulaObject;
        int asked = 0;
        QSizeF intrinsicSize(QTextDocument* document, int position, const QTextFormat& format) override
        {
            ++asked;
            return FormulaObject::intrinsicSize(document, position, format);
        }
    };
    Bench bench;
    Theme& theme = bench.app().theme();
    FormulaLibrary library(theme, bench.data());
    Counting formulas(library, theme, nullptr);
    QTextEdit view;
    view.setLineWrapMode(QTextEdit::FixedPixelWidth);
    view.setLineWrapColumnOrWidth(400);
    auto* document = new QTextDocument(&view);
    document->setTextWidth(400);
    buildProse(*document, formulas, "A warp is $32$ threads.\n\nIt has four of these.", ProseLook::Reading,
               {theme, library, bench.app().curriculum()});
    QCOMPARE(formulas.asked, 0);
    showProse(view, *document, formulas);
    QCOMPARE(view.document(), document);
    QCOMPARE(formulas.asked, 1);
    // All of it, and in the view's width.
    for (QTextBlock block = document->begin(); block.isValid(); block = block.next())
        QVERIFY(block.layout()->lineCount() > 0);
    QCOMPARE(document->textWidth(), 400.0);
    const QSizeF size = document->size();
    document->markContentsDirty(0, document->characterCount());
    QCOMPARE(document->size(), size);
}

void TestProse::inkIsReplaced()
{
    const QByteArray out =
        recoloured("<svg viewBox='0 0 1 1'><path fill=\"#000000\" d='M0 0h1v1z'/><path d='M0 0'/></svg>",
                   QColor(0x12, 0x34, 0x56));
    QVERIFY(!out.contains("#000000"));
    QCOMPARE(out.count("#123456"), 2); // the path that was black, and the root for those that say nothing
}

void TestProse::inlineHtmlEscapesAndMarks()
{
    Bench bench;
    const auto html = [&](const char* text) { return inlineHtml(text, bench.app().theme(), bench.app().curriculum()); };
    QCOMPARE(html("a < b & c"), QStringLiteral("a &lt; b &amp; c"));
    QVERIFY(html("`a[*p] * 2` and *so*").contains(QStringLiteral("a[*p] * 2")));
    QVERIFY(html("*so*").contains(QStringLiteral("<i>so</i>")));
    QCOMPARE(html("2 * 3 * 4"), QStringLiteral("2 * 3 * 4")); // no emphasis
    QCOMPARE(inlinePlain("**Yes**: `x` {{claim:t4.read_stride1}}", bench.app().curriculum()),
             QStringLiteral("Yes: x 206 GB/s"));
}

void TestProse::unitJoints_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("kept"); ///< "~" a no-break space, "^" a word joiner
    const auto row = [](const char* text, const char* kept) {
        QTest::newRow(text) << QString::fromUtf8(text) << QString::fromUtf8(kept);
    };
    row("reads 3,350 GB/s, or", "reads 3,350~GB/^s, or");
    row("66.9 TFLOP/s at 1.98 GHz", "66.9~TFLOP/^s at 1.98~GHz");
    row("62.9 % of 256 KiB", "62.9~% of 256~KiB");
    row("takes 32 cycles and 7 µs.", "takes 32~cycles and 7~µs.");
    row("20 FLOP/B is the ridge, in FLOP/B", "20~FLOP/^B is the ridge, in FLOP/^B");
    row("128 B/clk and 12 bytes/lane", "128~B/^clk and 12~bytes/^lane");
    row("12 so 4 Bytes 3 big 2 warps", "12 so 4 Bytes 3 big 2 warps");
    row("and/or, src/B, https://host/GB/s", "and/or, src/B, https://host/GB/s");
    row("x GB and no 4, s", "x GB and no 4, s");
}

void TestProse::unitJoints()
{
    QFETCH(QString, text);
    QFETCH(QString, kept);
    kept.replace(QLatin1Char('~'), kNoBreakSpace).replace(QLatin1Char('^'), kWordJoiner);
    QCOMPARE(keptUnits(text), kept);
    QCOMPARE(withoutJoiners(kept), text);
}

void TestProse::noLineEndsInsideAQuantity()
{
    Bench bench;
    const auto built = build(bench, "A stride of 1 read {{claim:t4.read_stride1}} and a clock of 1.98\nGHz allows "
                                    "3,350 GB/s or **66.9 TFLOP/s**, at 62.9 % of 20 FLOP/B in 256 KiB.\n");
    const QTextBlock block = built->document.begin();
    const QString text = block.text();
    std::vector<std::pair<int, int>> quantities; // [first, last] character
    static const QRegularExpression form(QStringLiteral("[\\d.,]+.(GB/.s|GHz|TFLOP/.s|%|FLOP/.B|KiB)"));
    for (auto found = form.globalMatch(text); found.hasNext();) {
        const auto match = found.next();
        quantities.emplace_back(match.capturedStart(), match.capturedEnd() - 1);
    }
    QCOMPARE(quantities.size(), 7u);
    int ends = 0;
    for (int width = 160; width < 700; width += 3) { // from the widest of them on
        built->document.setTextWidth(width);
        for (int i = 0; i + 1 < block.layout()->lineCount(); ++i, ++ends) {
            const QTextLine line = block.layout()->lineAt(i);
            const int next = line.textStart() + line.textLength();
            for (const auto& [first, last] : quantities)
                QVERIFY2(next <= first || next > last,
                         qPrintable(QStringLiteral("%1 px: %2").arg(width).arg(text.mid(line.textStart(), 60))));
        }
    }
    QVERIFY(ends > 300);
}

void TestProse::keptUnitsAreReadAndFoundAsWritten()
{
    Bench bench;
    const auto built = build(bench, "It moves 12 GB/s; `int a = 4 s` stays, and {{claim:t4.read_stride1}} too.");
    const QString written = QStringLiteral("It moves 12 GB/s; int a = 4 s stays, and 206 GB/s too.");
    QCOMPARE(spokenText(built->document), written);
    const FlatText flat = flatText(built->document);
    QCOMPARE(flat.text, written);
    QVERIFY(built->document.begin().text().contains(QStringLiteral("a = 4 s"))); // code is shown as it is
    // A place behind a joiner is where the document has it.
    const auto too = int(flat.text.indexOf(QStringLiteral("too")));
    QCOMPARE(flat.cursor(&built->document, too, 3).selectedText(), QStringLiteral("too"));
    QCOMPARE(flat.indexOf(flat.positions[std::size_t(too)]), too);
    const auto number = int(flat.text.indexOf(QStringLiteral("206")));
    for (int i = 0; i < 8; ++i) { // all of it is the claim's link
        QTextCursor at(&built->document);
        at.setPosition(flat.positions[std::size_t(number + i)] + 1);
        QCOMPARE(at.charFormat().anchorHref(), QStringLiteral("claim:t4.read_stride1"));
    }
    const auto html = [&](const char* text) { return inlineHtml(text, bench.app().theme(), bench.app().curriculum()); };
    QCOMPARE(html("12 GB/s"), keptUnits(QStringLiteral("12 GB/s")));
    QCOMPARE(html("{{claim:t4.read_stride1}}."), keptUnits(QStringLiteral("206 GB/s.")));
    QVERIFY(html("`4 s`").contains(QStringLiteral(">4 s<")));
    QCOMPARE(inlinePlain("12 GB/s", bench.app().curriculum()), QStringLiteral("12 GB/s"));
}

void TestProse::tokens_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("word");
    QTest::addColumn<int>("role");
    const auto row = [](const char* line, const char* word, Role role) {
        QTest::newRow(word) << QString::fromLatin1(line) << QString::fromLatin1(word) << int(role);
    };
    row("__global__ void f(float* p)", "__global__", Role::SyntaxQualifier);
    row("  return 0x1Fu + x;", "return", Role::SyntaxKeyword);
    row("  return 0x1Fu + x;", "0x1Fu", Role::SyntaxNumber);
    row("const float y = 1.5e-3f;", "float", Role::SyntaxType);
    row("const float y = 1.5e-3f;", "1.5e-3f", Role::SyntaxNumber);
    row("#include <x> // y", "#include <x> ", Role::SyntaxPreprocessor);
    row("f(\"a \\\" b\"); // c", "\"a \\\" b\"", Role::SyntaxString);
    row("int a; // if (x)", "// if (x)", Role::SyntaxComment);
    row("int a = threadIdx.x;", "threadIdx", Role::SyntaxQualifier);
}

void TestProse::tokensOfEveryLanguage_data()
{
    QTest::addColumn<QString>("language");
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("tokens"); // "word:role", as many as there are
    const auto row = [](const char* language, const char* line, const char* tokens) {
        QTest::addRow("%s %s", language, line)
            << QString::fromLatin1(language) << QString::fromLatin1(line) << QString::fromLatin1(tokens);
    };
    row("cuda", "#define N 4 // four", "#define N 4 :pre // four:comment");
    row("cuda", "atomicAdd(&out[i], 1.0f);", "atomicAdd:qualifier 1.0f:number");
    row("ptx", ".visible .entry add(.param .u64 p) {",
        "visible:qualifier entry:qualifier add:keyword param:qualifier u64:type");
    row("ptx", "@%p1 ld.global.nc.v4.f32 {%f1}, [%rd4+16]; // load",
        "%p1:pre ld:keyword global:qualifier nc:qualifier v4:qualifier f32:type %f1:pre %rd4:pre 16:number "
        "// load:comment");
    row("ptx", "mov.u32 %r1, %tid.x;", "mov:keyword u32:type %r1:pre %tid.x:pre");
    row("sass", "LDG.E.128 R4, [R2.64] ;", "LDG:keyword E:qualifier 128:number 64:number");
    row("triton", "@triton.jit", "@triton.jit:pre");
    row("triton", "x = tl.load(p + 4, mask=m, other=0.0)  # guarded",
        "tl:type load:qualifier 4:number 0.0:number # guarded:comment");
    row("python", "def f(a: int = 3): return f'{a}'", "def:keyword int:type 3:number return:keyword '{a}':string");
    row("verilog", "always_ff @(posedge clk) acc <= acc + 8'hFF; // go",
        "always_ff:keyword posedge:keyword 8'hFF:number // go:comment");
    row("verilog", "`timescale 1ns / 1ps", "`timescale:pre 1:number 1:number");
    row("verilog", "input wire signed [7:0] a = 'd12;",
        "input:qualifier wire:type signed:type 7:number 0:number 'd12:number");
    row("sv", "$display(\"%d\", a);", "$display:pre \"%d\":string");
    row("json", "{\"a\": \"b\", \"n\": 1.5, \"t\": true}",
        "\"a\":type \"b\":string \"n\":type 1.5:number \"t\":type true:keyword");
    row("yaml", "stop-at: 4 # never", "stop-at:type 4:number # never:comment");
    row("bash", "for f in $FILES; do", "for:keyword in:keyword $FILES:pre do:keyword");
    row("text", "int x = 1;", "");
}

void TestProse::tokensOfEveryLanguage()
{
    QFETCH(QString, language);
    QFETCH(QString, line);
    QFETCH(QString, tokens);
    static const QHash<int, QString> names{{int(Role::SyntaxKeyword), QStringLiteral("keyword")},
                                           {int(Role::SyntaxType), QStringLiteral("type")},
                                           {int(Role::SyntaxQualifier), QStringLiteral("qualifier")},
                                           {int(Role::SyntaxString), QStringLiteral("string")},
                                           {int(Role::SyntaxNumber), QStringLiteral("number")},
                                           {int(Role::SyntaxPreprocessor), QStringLiteral("pre")},
                                           {int(Role::SyntaxComment), QStringLiteral("comment")}};
    CodeState state = CodeState::Plain;
    QStringList found;
    int end = 0;
    for (const CodeToken& token : tokenize(line, languageOf(language), state)) {
        QVERIFY2(token.start >= end && token.length > 0, "tokens overlap");
        end = token.start + token.length;
        QVERIFY(end <= line.size());
        found << line.mid(token.start, token.length) + QLatin1Char(':') + names.value(int(token.role));
    }
    QCOMPARE(found.join(QLatin1Char(' ')), tokens);
    QVERIFY(state == CodeState::Plain);
}

void TestProse::tripleQuotesSpanLines()
{
    CodeState state = CodeState::Plain;
    QCOMPARE(tokenize(QStringLiteral("x = \"\"\"one # no comment"), CodeLanguage::Python, state).back().length, 19);
    QVERIFY(state == CodeState::TripleDouble);
    QCOMPARE(tokenize(QStringLiteral("def ''' not the end"), CodeLanguage::Python, state).size(), 1u);
    QVERIFY(state == CodeState::TripleDouble);
    const auto last = tokenize(QStringLiteral("end\"\"\" + 1"), CodeLanguage::Python, state);
    QVERIFY(state == CodeState::Plain);
    QCOMPARE(last.size(), 2u);
}

void TestProse::tokens()
{
    QFETCH(QString, line);
    QFETCH(QString, word);
    QFETCH(int, role);
    CodeState inComment = CodeState::Plain;
    const auto all = tokenize(line, CodeLanguage::Cuda, inComment);
    const auto found =
        std::ranges::find_if(all, [&](const CodeToken& token) { return line.mid(token.start, token.length) == word; });
    QVERIFY(found != all.end());
    QCOMPARE(int(found->role), role);
    QVERIFY(inComment == CodeState::Plain);
}

void TestProse::blockCommentSpansLines()
{
    CodeState inComment = CodeState::Plain;
    QCOMPARE(tokenize(QStringLiteral("int a; /* begins"), CodeLanguage::Cuda, inComment).size(), 2u);
    QVERIFY(inComment == CodeState::Comment);
    const auto middle = tokenize(QStringLiteral("int b;"), CodeLanguage::Cuda, inComment);
    QCOMPARE(middle.size(), 1u);
    QCOMPARE(int(middle[0].role), int(Role::SyntaxComment));
    const auto last = tokenize(QStringLiteral("ends */ int c;"), CodeLanguage::Cuda, inComment);
    QVERIFY(inComment == CodeState::Plain);
    QCOMPARE(last.size(), 2u);
    QCOMPARE(int(last[1].role), int(Role::SyntaxType));
    QVERIFY(tokenize(QStringLiteral("int x = 1;"), CodeLanguage::None, inComment).empty());
}

QTEST_MAIN(TestProse)
#include "tst_prose.moc"
