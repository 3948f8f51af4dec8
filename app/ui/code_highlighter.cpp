// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ui/code_highlighter.h"

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
    bool blockComment = false, preprocessor = false, tripleQuotes = false;
    QString marks = {}; ///< characters that begin a word beside letters, with what follows them
    Role marked = Role::SyntaxPreprocessor;
    bool basedNumbers = false; ///< 8'hFF
    bool keys = false;         ///< a word or text before a colon is a name
    bool charQuotes = true;    ///< ' opens a text
};

const Vocabulary& vocabulary(CodeLanguage language)
{
    static const Vocabulary cuda{
        .keywords = words(
            "if else for while do switch case default break continue return goto sizeof alignof static_cast "
            "reinterpret_cast const_cast dynamic_cast new delete namespace using template typename class struct enum "
            "union public private protected constexpr consteval const volatile static inline extern auto decltype true "
            "false nullptr operator this typedef noexcept static_assert asm __asm__ requires concept"),
        .types =
            words("void bool char short int long float double unsigned signed half half2 __half __half2 __nv_bfloat16 "
                  "__nv_bfloat162 __nv_fp8_e4m3 __nv_fp8_e5m2 float2 float3 float4 double2 int2 int3 int4 uint2 uint3 "
                  "uint4 char4 uchar4 short2 dim3 size_t ptrdiff_t uint8_t uint16_t uint32_t uint64_t int8_t int16_t "
                  "int32_t int64_t cudaStream_t cudaEvent_t cudaError_t cudaGraph_t cudaGraphExec_t"),
        .qualifiers = words(
            "__global__ __device__ __host__ __shared__ __constant__ __managed__ __restrict__ __launch_bounds__ "
            "__grid_constant__ __cluster_dims__ __syncthreads __syncthreads_count __syncthreads_or __syncthreads_and "
            "__syncwarp __activemask __shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync __ballot_sync "
            "__any_sync __all_sync __match_any_sync __reduce_add_sync __forceinline__ __noinline__ __align__ threadIdx "
            "blockIdx blockDim gridDim warpSize atomicAdd atomicSub atomicMax atomicMin atomicCAS atomicExch atomicAnd "
            "atomicOr atomicXor __ldg __ldcs __ldca __stcs __threadfence __threadfence_block __threadfence_system "
            "__popc __ffs __clz __brev __fmaf_rn __expf __logf clock64"),
        .lineComment = QStringLiteral("//"),
        .blockComment = true,
        .preprocessor = true};
    // Opcodes, then types, then state spaces and directives of the PTX manual, each without its dot.
    static const Vocabulary ptx{
        .keywords = words(
            "abs activemask add addc and atom bar barrier bfe bfi bfind bra brev brkpt call clz cnot copysign cos cp "
            "createpolicy cvt cvta discard div dp2a dp4a elect ex2 exit fence fma getctarank griddepcontrol isspacep "
            "ld ldmatrix ldu lg2 lop3 mad mad24 madc mapa match max mbarrier membar min mma mov movmatrix mul mul24 "
            "multimem nanosleep neg not or pmevent popc prefetch prefetchu prmt rcp red redux rem ret rsqrt sad selp "
            "set "
            "setmaxnreg setp shf shfl shl shr sin slct sqrt st stmatrix sub subc suld suq sured sust szext tanh "
            "tensormap "
            "testp tex tld4 trap txq vote wgmma wmma xor"),
        .types = words(
            "u8 u16 u32 u64 s8 s16 s32 s64 b8 b16 b32 b64 b128 f16 f16x2 bf16 bf16x2 tf32 e4m3 e5m2 f32 f64 pred"),
        .qualifiers = words(
            "global shared local param const reg sreg visible extern weak entry func version target address_size align "
            "maxntid reqntid minnctapersm maxnreg pragma loc file section volatile relaxed acquire release acq_rel gpu "
            "cta "
            "cluster sys sync aligned uni wide lo hi sat ftz rn rz rm rp rna approx full v2 v4 async commit_group "
            "wait_group to nc ca cg cs lu cv wb wt"),
        .lineComment = QStringLiteral("//"),
        .blockComment = true,
        .marks = QStringLiteral("%$@"),
        .charQuotes = false};
    static const Vocabulary sass{
        .keywords = words(
            "ATOM ATOMG ATOMS BAR BMMA BRA BRX BSSY BSYNC CALL CCTL CS2R DADD DEPBAR DFMA DMUL DSETP ERRBAR EXIT F2F "
            "F2I "
            "FADD FCHK FFMA FMNMX FMUL FSEL FSET FSETP HADD2 HFMA2 HMMA HMUL2 HGMMA I2F IADD3 IMAD IMMA IMNMX ISETP "
            "JMP "
            "LD LDC LDG LDGDEPBAR LDGSTS LDL LDS LDSM LEA LOP3 MATCH MEMBAR MOV MUFU NANOSLEEP NOP P2R PLOP3 POPC PRMT "
            "QSPC R2P R2UR RED REDUX RET S2R S2UR SEL SETCTAID SHF SHFL ST STG STL STS SYNCS UIADD3 UIMAD ULDC ULEA "
            "ULOP3 "
            "UMOV USEL USHF UTMALDG VOTE VOTEU WARPSYNC YIELD"),
        .types = words("U8 S8 U16 S16 U32 S32 64 128 F16 F32 F64 BF16"),
        .qualifiers = words("E CONSTANT STRONG GPU CTA SYS SYNC WIDE X HI LO SAT FTZ"),
        .lineComment = QStringLiteral("//"),
        .blockComment = true,
        .marks = QStringLiteral("@"),
        .charQuotes = false};
    static const Vocabulary python{
        .keywords =
            words("def class return if elif else for while in not and or is import from as with try except finally "
                  "raise pass lambda None True False yield break continue assert del global nonlocal async await "
                  "match case"),
        .types = words("int float str list dict tuple set bool bytes torch triton tl np numpy Tensor constexpr float16 "
                       "bfloat16 float32 float64 int8 int16 int32 int64"),
        // The language of Triton's kernels (https://triton-lang.org/main/python-api/triton.language.html).
        .qualifiers =
            words("jit autotune program_id num_programs arange load store dot dot_scaled zeros full where maximum "
                  "minimum reduce associative_scan cdiv multiple_of max_contiguous make_block_ptr advance "
                  "atomic_add atomic_cas atomic_max static_range static_assert num_warps num_stages"),
        .lineComment = QStringLiteral("#"),
        .tripleQuotes = true,
        .marks = QStringLiteral("@")};
    static const Vocabulary verilog{
        .keywords = words(
            "module endmodule begin end if else case casez casex endcase default for while repeat forever generate "
            "endgenerate function endfunction task endtask return always always_ff always_comb always_latch initial "
            "assign "
            "deassign force release posedge negedge or and not edge wait disable fork join package endpackage import "
            "interface endinterface modport class endclass property endproperty assert assume cover unique priority "
            "inside "
            "specify endspecify primitive endprimitive table endtable"),
        .types = words("wire reg logic bit byte shortint int longint integer real realtime time tri tri0 tri1 wand wor "
                       "supply0 supply1 signed unsigned struct union enum typedef packed void string genvar"),
        .qualifiers =
            words("input output inout ref parameter localparam defparam const static automatic var virtual extern"),
        .lineComment = QStringLiteral("//"),
        .blockComment = true,
        .marks = QStringLiteral("`$"),
        .basedNumbers = true,
        .charQuotes = false};
    static const Vocabulary shell{
        .keywords = words("if then else elif fi for do done while until case esac in export function return local set"),
        .lineComment = QStringLiteral("#"),
        .marks = QStringLiteral("$")};
    static const Vocabulary data{
        .keywords = words("true false null"), .lineComment = QStringLiteral("#"), .keys = true};
    static const Vocabulary none;
    switch (language) {
    case CodeLanguage::Cuda:
        return cuda;
    case CodeLanguage::Ptx:
        return ptx;
    case CodeLanguage::Sass:
        return sass;
    case CodeLanguage::Python:
        return python;
    case CodeLanguage::Verilog:
        return verilog;
    case CodeLanguage::Shell:
        return shell;
    case CodeLanguage::Data:
        return data;
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

/// A Verilog literal with size and base, from its size on; 0 where there is none.
int basedLength(const QString& line, int start)
{
    static const QRegularExpression based(QStringLiteral("[0-9]*'[sS]?[bBoOdDhH][0-9a-fA-FxXzZ_?]+"));
    const auto match =
        based.match(line, start, QRegularExpression::NormalMatch, QRegularExpression::AnchorAtOffsetMatchOption);
    return match.hasMatch() ? int(match.capturedLength()) : 0;
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
        {QStringLiteral("console"), CodeLanguage::Shell}, {QStringLiteral("triton"), CodeLanguage::Python},
        {QStringLiteral("sass"), CodeLanguage::Sass},     {QStringLiteral("verilog"), CodeLanguage::Verilog},
        {QStringLiteral("v"), CodeLanguage::Verilog},     {QStringLiteral("sv"), CodeLanguage::Verilog},
        {QStringLiteral("json"), CodeLanguage::Data},     {QStringLiteral("yaml"), CodeLanguage::Data},
        {QStringLiteral("yml"), CodeLanguage::Data}};
    return known.value(word, CodeLanguage::None);
}

namespace {

/// One line on its way through the tokenizer.
class Line {
public:
    Line(const QString& line, const Vocabulary& known, CodeState& state)
        : m_line(line), m_known(known), m_state(state), m_size(int(line.size()))
    {
    }

    std::vector<CodeToken> take()
    {
        if (m_state == CodeState::Comment)
            comment(0);
        else if (m_state != CodeState::Plain)
            triple(0);
        if (m_at == 0 && m_known.preprocessor && m_line.trimmed().startsWith(QLatin1Char('#')))
            directive();
        while (m_at < m_size)
            step();
        return std::move(m_tokens);
    }

private:
    bool here(QStringView text) const { return QStringView(m_line).mid(m_at).startsWith(text); }
    void add(int length, Role role)
    {
        m_tokens.push_back({m_at, length, role});
        m_at += length;
    }
    void comment(int opening)
    {
        const int end = int(m_line.indexOf(QLatin1String("*/"), m_at + opening));
        m_state = end < 0 ? CodeState::Comment : CodeState::Plain;
        add((end < 0 ? m_size : end + 2) - m_at, Role::SyntaxComment);
    }
    void triple(int opening)
    {
        const QString mark(3, m_state == CodeState::TripleSingle ? QLatin1Char('\'') : QLatin1Char('"'));
        const int end = int(m_line.indexOf(mark, m_at + opening));
        if (end >= 0)
            m_state = CodeState::Plain;
        add((end < 0 ? m_size : end + 3) - m_at, Role::SyntaxString);
    }
    /// A preprocessor line up to the comment that may end it.
    void directive()
    {
        int end = m_size;
        for (const auto& mark : {QLatin1String("//"), QLatin1String("/*")})
            if (const int found = int(m_line.indexOf(mark)); found >= 0)
                end = std::min(end, found);
        add(end, Role::SyntaxPreprocessor);
    }
    void step()
    {
        const QChar c = m_line[m_at];
        if (!m_known.lineComment.isEmpty() && here(m_known.lineComment))
            return add(m_size - m_at, Role::SyntaxComment);
        if (m_known.blockComment && here(u"/*"))
            return comment(2);
        if (m_known.tripleQuotes && (here(u"\"\"\"") || here(u"'''"))) {
            m_state = c == QLatin1Char('"') ? CodeState::TripleDouble : CodeState::TripleSingle;
            return triple(3);
        }
        if (m_known.basedNumbers && (c.isDigit() || c == QLatin1Char('\'')))
            if (const int length = basedLength(m_line, m_at))
                return add(length, Role::SyntaxNumber);
        if (!m_known.lineComment.isEmpty() && (c == QLatin1Char('"') || (m_known.charQuotes && c == QLatin1Char('\''))))
            return quoted();
        if (!c.isNull() && m_known.marks.contains(c))
            return marked();
        if (isWordStart(c))
            return word();
        if (c.isDigit() && !m_known.lineComment.isEmpty())
            return add(numberLength(m_line, m_at), Role::SyntaxNumber);
        ++m_at;
    }
    bool beforeColon(int end) const
    {
        while (end < m_size && m_line[end].isSpace())
            ++end;
        return m_known.keys && end < m_size && m_line[end] == QLatin1Char(':');
    }
    void quoted()
    {
        const int length = quotedLength(m_line, m_at);
        add(length, beforeColon(m_at + length) ? Role::SyntaxType : Role::SyntaxString);
    }
    void marked()
    {
        int end = m_at + 1;
        while (end < m_size && (isWordPart(m_line[end]) || m_line[end] == QLatin1Char('.')))
            ++end;
        if (end == m_at + 1)
            ++m_at; // a lone mark is an operator
        else
            add(end - m_at, m_known.marked);
    }
    void word()
    {
        int end = m_at;
        while (end < m_size && (isWordPart(m_line[end]) || (m_known.keys && m_line[end] == QLatin1Char('-'))))
            ++end;
        const auto role =
            beforeColon(end) ? std::optional(Role::SyntaxType) : wordRole(m_known, m_line.mid(m_at, end - m_at));
        if (role)
            add(end - m_at, *role);
        else
            m_at = end;
    }

    const QString& m_line;
    const Vocabulary& m_known;
    CodeState& m_state;
    int m_size, m_at = 0;
    std::vector<CodeToken> m_tokens;
};

} // namespace

std::vector<CodeToken> tokenize(const QString& line, CodeLanguage language, CodeState& state)
{
    if (language == CodeLanguage::None)
        return {};
    return Line(line, vocabulary(language), state).take();
}

CodeHighlighter::CodeHighlighter(QTextDocument* document, Theme& theme, CodeLanguage language)
    : QSyntaxHighlighter(document), m_theme(theme), m_language(language)
{
}

void CodeHighlighter::highlightBlock(const QString& text)
{
    CodeState state = previousBlockState() < 0 ? CodeState::Plain : CodeState(previousBlockState());
    for (const CodeToken& token : tokenize(text, m_language, state)) {
        QTextCharFormat format;
        format.setForeground(m_theme.color(token.role));
        setFormat(token.start, token.length, format);
    }
    setCurrentBlockState(int(state));
}

} // namespace ridge::app

#include "moc_code_highlighter.cpp"
