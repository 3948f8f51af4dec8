// SPDX-License-Identifier: GPL-3.0-or-later
#include "classroom/live/message.h"

#include "base/json.h"

#include <cmath>

namespace ridge::live {
namespace {

constexpr std::string_view kFrameMark = "RIDGELV1", kAckMark = "RIDGEAK1";
constexpr std::string_view kPurpose = "ridgepoint-live 1\n", kAckPurpose = "ridgepoint-live-ack 1\n";
constexpr std::size_t kSignature = 64;
constexpr std::size_t kSeal = 48; ///< what libsodium's sealed box adds: a public key and a tag
constexpr std::size_t kText = kFrameBytes - kFrameMark.size() - kSeal - kSignature;
constexpr std::size_t kAckSigned = kAckBytes - kSignature;
constexpr std::size_t kCode = 16, kLesson = 32, kBlock = 64, kUnit = 32; ///< bytes at most
constexpr std::uint64_t kMostCounter = std::uint64_t{1} << 53;

Error garbage(const char* what)
{
    return {"live-garbage", std::string("This is no message to the class: ") + what, "live view", {}};
}

Json toJson(const Note& note)
{
    if (const auto* step = std::get_if<StepNote>(&note)) {
        Json done = Json::array(), kept = Json::array();
        for (std::size_t i = 0; i < step->done.size(); ++i)
            if (step->done[i])
                done.push_back(classroom::steps()[i]);
        if (step->passedHeldBack)
            kept.push_back("passed");
        return {{"step", {{"lesson", step->lesson}, {"done", done}, {"kept", kept}, {"here", step->here}}}};
    }
    const auto& prediction = std::get<PredictionNote>(note);
    return {{"prediction",
             {{"lesson", prediction.lesson},
              {"block", prediction.block},
              {"unit", prediction.unit},
              {"point", prediction.point},
              {"low", prediction.low},
              {"high", prediction.high}}}};
}

/// Fields of an object from a stranger; remembers whether one was not as it has to be.
class Fields {
public:
    explicit Fields(const Json& json) : m_json(json), m_good(json.is_object()) {}

    std::string text(const char* key, std::size_t longest, bool mayBeEmpty = false)
    {
        const Json* field = find(key);
        if (!field || !field->is_string())
            return fail();
        const auto& text = field->get_ref<const std::string&>();
        return text.size() > longest || (text.empty() && !mayBeEmpty) ? fail() : text;
    }
    double number(const char* key)
    {
        const Json* field = find(key);
        if (!field || !field->is_number() || !std::isfinite(field->get<double>()))
            m_good = false;
        return m_good ? field->get<double>() : 0;
    }
    std::uint64_t counter(const char* key)
    {
        const Json* field = find(key);
        if (!field || !field->is_number_unsigned())
            m_good = false;
        return m_good ? field->get<std::uint64_t>() : 0;
    }
    bool flag(const char* key)
    {
        const Json* field = find(key);
        if (!field || !field->is_boolean())
            m_good = false;
        return m_good && field->get<bool>();
    }
    /// Which steps a list of step names has.
    std::array<bool, 5> steps(const char* key)
    {
        std::array<bool, 5> found{};
        const Json* list = find(key);
        if (!list || !list->is_array())
            m_good = false;
        for (const Json& one : m_good ? *list : Json::array()) {
            bool known = false;
            for (std::size_t i = 0; i < found.size(); ++i)
                if (one.is_string() && one.get_ref<const std::string&>() == classroom::steps()[i])
                    known = found[i] = true;
            m_good = m_good && known;
        }
        return found;
    }
    bool good() const { return m_good; }
    bool has(const char* key) const { return m_good && m_json.contains(key); }
    const Json& at(const char* key) const { return m_json.at(key); }

private:
    const Json* find(const char* key)
    {
        const auto found = m_good ? m_json.find(key) : m_json.end();
        return m_good && found != m_json.end() ? &*found : nullptr;
    }
    std::string fail()
    {
        m_good = false;
        return {};
    }
    const Json& m_json;
    bool m_good;
};

Result<Note> noteFrom(const Fields& message)
{
    if (message.has("step")) {
        Fields fields(message.at("step"));
        StepNote note;
        note.lesson = fields.text("lesson", kLesson);
        note.done = fields.steps("done");
        note.passedHeldBack = fields.steps("kept")[2];
        note.here = fields.flag("here");
        if (fields.good() && !(note.passedHeldBack && note.done[2]))
            return Note(std::move(note));
    } else if (message.has("prediction")) {
        Fields fields(message.at("prediction"));
        PredictionNote note;
        note.lesson = fields.text("lesson", kLesson);
        note.block = fields.text("block", kBlock);
        note.unit = fields.text("unit", kUnit, true);
        note.point = fields.number("point");
        note.low = fields.number("low");
        note.high = fields.number("high");
        if (fields.good() && note.low <= note.high)
            return Note(std::move(note));
    }
    return garbage("it tells neither a step nor a prediction");
}

std::string ackHead(const Ack& ack)
{
    std::string head(kAckMark);
    head += static_cast<char>(ack.status);
    head.append(7, '\0');
    for (int shift = 56; shift >= 0; shift -= 8)
        head += static_cast<char>(ack.counter >> shift & 0xff);
    return head;
}

/// What is signed: for whom and in which session, then the acknowledgement's own bytes.
std::string signedAck(const std::string& head, const AckFor& to)
{
    return std::string(kAckPurpose) + to.code + "\n" + to.publicKey + "\n" + head;
}

std::string rawSignature(std::string_view text, const bundle::SignKey& key)
{
    return bundle::fromHex(bundle::sign(text, key), kSignature).value();
}

} // namespace

std::string keyOf(const Note& note)
{
    if (const auto* step = std::get_if<StepNote>(&note))
        return "step " + step->lesson;
    const auto& prediction = std::get<PredictionNote>(note);
    return "prediction " + prediction.lesson + " " + prediction.block;
}

Result<std::string> writeFrame(const Message& message, const classroom::Identity& identity, const std::string& sealKey)
{
    Json json = toJson(message.note);
    json["assignment"] = message.assignment;
    json["code"] = message.code;
    json["key"] = identity.key.publicKey;
    json["counter"] = message.counter;
    std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (text.size() > kText)
        return Error{"live-too-long", "The names in this message are too long for the live view", keyOf(message.note),
                     "Hand the work in as a file instead"};
    text.resize(kText, ' ');
    auto sealed = bundle::seal(rawSignature(std::string(kPurpose) + text, identity.key) + text, sealKey);
    if (!sealed)
        return sealed.error();
    return std::string(kFrameMark) + *sealed;
}

Result<Message> readFrame(std::string_view bytes, const bundle::SealKey& key)
{
    if (bytes.size() != kFrameBytes || !bytes.starts_with(kFrameMark))
        return garbage("it does not begin as one");
    const auto plain = bundle::unseal(bytes.substr(kFrameMark.size()), key);
    if (!plain || plain->size() != kSignature + kText)
        return garbage("it is not sealed to this class");
    const std::string_view text = std::string_view(*plain).substr(kSignature);
    const auto json = parseJson(text, "live view");
    if (!json)
        return garbage("it is not JSON");
    Fields fields(*json);
    Message message;
    message.assignment = fields.text("assignment", 64);
    message.code = fields.text("code", kCode);
    message.publicKey = fields.text("key", 64);
    message.counter = fields.counter("counter");
    if (!fields.good() || message.counter == 0 || message.counter > kMostCounter)
        return garbage("a field is missing or has another form");
    if (!bundle::verify(std::string(kPurpose) + std::string(text),
                        bundle::toHex(std::string_view(*plain).substr(0, kSignature)), message.publicKey))
        return Error{"live-forged", "The message is not signed by the learner it names", "live view", {}};
    auto note = noteFrom(fields);
    if (!note)
        return note.error();
    message.note = std::move(*note);
    return message;
}

std::string writeAck(const Ack& ack, const AckFor& to, const bundle::SignKey& key)
{
    const std::string head = ackHead(ack);
    return head + rawSignature(signedAck(head, to), key);
}

Result<Ack> readAck(std::string_view bytes, const AckFor& to, const std::string& signKey)
{
    const Error no{"live-no-ack", "What answers there is not this class's session", "live view",
                   "Compare the address with what your teacher shows"};
    if (bytes.size() != kAckBytes || !bytes.starts_with(kAckMark))
        return no;
    Ack ack;
    const auto status = static_cast<unsigned char>(bytes[kAckMark.size()]);
    if (status > static_cast<unsigned char>(AckStatus::Ended))
        return no;
    ack.status = static_cast<AckStatus>(status);
    for (std::size_t i = kAckSigned - 8; i < kAckSigned; ++i)
        ack.counter = ack.counter << 8 | static_cast<unsigned char>(bytes[i]);
    const std::string head = ackHead(ack);
    if (bytes.substr(0, kAckSigned) != head ||
        !bundle::verify(signedAck(head, to), bundle::toHex(bytes.substr(kAckSigned)), signKey))
        return no;
    return ack;
}

} // namespace ridge::live
