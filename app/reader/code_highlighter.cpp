// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/reader/code_highlighter.h"

#include <QRegularExpression>
#include <QSet>

namespace ridge::app {

namespace {

QSet<QString> words(const char* text)
{
    const auto list = QString::fromLatin1(text).split(QLatin1Char(' '), Qt::SkipEmptyParts);
    return QSet<QString>(list.begin(), list.end());
}

struct Vocabulary {
    QSet<QString> keywords, types, qualifiers;
    QString lineComment;
    bool blockComment = false, preprocessor = false;
};

const Vocabulary& vocabulary(CodeLanguage language)
{
    static const Vocabulary cuda{
        words(
            "if else for while do switch case default break continue return goto sizeof static_cast reinterpret_cast "
            "const_cast new delete namespace using template typename class struct enum union public private protected "
            "constexpr const volatile static inline extern auto true false nullptr operator this"),
        words("void bool char short int long float double unsigned signed half __half float2 float4 int2 int4 uint2 "
              "uint4 dim3 size_t uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t"),
        words("__global__ __device__ __host__ __shared__ __constant__ __restrict__ __launch_bounds__ __syncthreads "
              "__syncwarp __shfl_sync __shfl_down_sync __shfl_xor_sync __ballot_sync __forceinline__ __noinline__ "
              "threadIdx blockIdx blockDim gridDim warpSize atomicAdd __ldg"),
        QStringLiteral("//"),
        true,
        true};
    static const Vocabulary ptx{words("ld st add sub mul mad fma mov cvt setp bra ret bar shl shr and or xor neg"),
                                words("u8 u16 u32 u64 s8 s16 s32 s64 b8 b16 b32 b64 f16 f32 f64 pred"),
                                words("global shared local param const reg visible entry func"),
                                QStringLiteral("//"),
                                true,
                                false};
    static const Vocabulary python{
        words("def class return if elif else for while in not and or import from as with try except raise pass lambda "
              "None True False yield break continue assert"),
        words("int float str list dict tuple bool"),
        {},
        QStringLiteral("#"),
        false,
        false};
    static const Vocabulary shell{
        words("if then else fi for do done while case esac export"), {}, {}, QStringLiteral("#"), false, false};
    static const Vocabulary none;
    switch (language) {
    case CodeLanguage::Cuda:
        return cuda;
    case CodeLanguage::Ptx:
        return ptx;
    case CodeLanguage::Python:
        return python;
    case CodeLanguage::Shell:
        return shell;
    case CodeLanguage::None:
        break;
    }
    return none;
}

bool isWordStart(QChar c)
{
    return c.isLetter() || c == QLatin1Char('_');
}
bool isWordPart(QChar c)
{
    return c.isLetterOrNumber() || c == QLatin1Char('_');
}

int quotedLength(const QString& line, int start)
{
    const QChar quote = line[start];
    int at = start + 1;
    while (at < line.size() && line[at] != quote)
        at += line[at] == QLatin1Char('\\') ? 2 : 1;
    return std::min<int>(at + 1, int(line.size())) - start;
}

int numberLength(const QString& line, int start)
{
    static const QRegularExpression number(
        QStringLiteral("0[xX][0-9a-fA-F]+[uUlL]*|[0-9]+(\\.[0-9]*)?([eE][+-]?[0-9]+)?[fFuUlL]*"));
    const auto match =
        number.match(line, start, QRegularExpression::NormalMatch, QRegularExpression::AnchorAtOffsetMatchOption);
    return match.hasMatch() ? int(match.capturedLength()) : 1;
}

std::optional<Role> wordRole(const Vocabulary& known, const QString& word)
{
    if (known.keywords.contains(word))
        return Role::SyntaxKeyword;
    if (known.types.contains(word))
        return Role::SyntaxType;
    if (known.qualifiers.contains(word))
        return Role::SyntaxQualifier;
    return std::nullopt;
}

} // namespace

CodeLanguage languageOf(const QString& name)
{
    const QString word = name.section(QLatin1Char('.'), -1).toLower();
    static const QHash<QString, CodeLanguage> known{
        {QStringLiteral("cuda"), CodeLanguage::Cuda},     {QStringLiteral("cu"), CodeLanguage::Cuda},
        {QStringLiteral("cuh"), CodeLanguage::Cuda},      {QStringLiteral("cpp"), CodeLanguage::Cuda},
        {QStringLiteral("c++"), CodeLanguage::Cuda},      {QStringLiteral("c"), CodeLanguage::Cuda},
        {QStringLiteral("h"), CodeLanguage::Cuda},        {QStringLiteral("ptx"), CodeLanguage::Ptx},
        {QStringLiteral("python"), CodeLanguage::Python}, {QStringLiteral("py"), CodeLanguage::Python},
        {QStringLiteral("bash"), CodeLanguage::Shell},    {QStringLiteral("sh"), CodeLanguage::Shell},
        {QStringLiteral("console"), CodeLanguage::Shell}};
    return known.value(word, CodeLanguage::None);
}

std::vector<CodeToken> tokenize(const QString& line, CodeLanguage language, bool& inComment)
{
    std::vector<CodeToken> tokens;
    const Vocabulary& known = vocabulary(language);
    int at = 0;
    const int size = int(line.size());
    const auto comment = [&](int from) {
        const int end = int(line.indexOf(QLatin1String("*/"), inComment ? from : from + 2));
        const int stop = end < 0 ? size : end + 2;
        inComment = end < 0;
        tokens.push_back({from, stop - from, Role::SyntaxComment});
        at = stop;
    };
    if (inComment)
        comment(0);
    if (!inComment && known.preprocessor && line.trimmed().startsWith(QLatin1Char('#')) && at == 0)
        tokens.push_back({0, size, Role::SyntaxPreprocessor});
    while (at < size && !inComment) {
        const QChar c = line[at];
        if (!known.lineComment.isEmpty() && QStringView(line).mid(at).startsWith(known.lineComment)) {
            tokens.push_back({at, size - at, Role::SyntaxComment});
            break;
        }
        if (known.blockComment && QStringView(line).mid(at).startsWith(QLatin1String("/*"))) {
            comment(at);
        } else if (language != CodeLanguage::None && (c == QLatin1Char('"') || c == QLatin1Char('\''))) {
            const int length = quotedLength(line, at);
            tokens.push_back({at, length, Role::SyntaxString});
            at += length;
        } else if (isWordStart(c)) {
            int end = at;
            while (end < size && isWordPart(line[end]))
                ++end;
            if (const auto role = wordRole(known, line.mid(at, end - at)))
                tokens.push_back({at, end - at, *role});
            at = end;
        } else if (c.isDigit() && language != CodeLanguage::None) {
            const int length = numberLength(line, at);
            tokens.push_back({at, length, Role::SyntaxNumber});
            at += length;
        } else {
            ++at;
        }
    }
    return tokens;
}

CodeHighlighter::CodeHighlighter(QTextDocument* document, Theme& theme, CodeLanguage language)
    : QSyntaxHighlighter(document), m_theme(theme), m_language(language)
{
}

void CodeHighlighter::highlightBlock(const QString& text)
{
    bool inComment = previousBlockState() == 1;
    for (const CodeToken& token : tokenize(text, m_language, inComment)) {
        QTextCharFormat format;
        format.setForeground(m_theme.color(token.role));
        setFormat(token.start, token.length, format);
    }
    setCurrentBlockState(inComment ? 1 : 0);
}

} // namespace ridge::app
