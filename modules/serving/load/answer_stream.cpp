// SPDX-License-Identifier: GPL-3.0-or-later
#include "serving/load/answer_stream.h"

#include "base/json.h"
#include "base/json_guard.h"
#include "serving/requests.h"

namespace ridge::serving {
namespace {

constexpr int kDepth = 32;
constexpr std::size_t kShown = 200;
constexpr std::string_view kMark = "[DONE]", kByteOrder = "\xef\xbb\xbf";

Error malformed(const std::string& message)
{
    return {"malformed", message, "", "check that the URL is that of an OpenAI-compatible server"};
}

/// Field `key` of an object, or null.
const Json* fieldOf(const Json& object, const char* key)
{
    if (!object.is_object())
        return nullptr;
    const auto found = object.find(key);
    return found == object.end() || found->is_null() ? nullptr : &*found;
}

bool hasText(const Json& object, const char* key)
{
    const Json* text = fieldOf(object, key);
    return text && text->is_string() && !text->get_ref<const std::string&>().empty();
}

/// Text of a completion, or of a chat what it says, thinks or calls.
bool bringsText(const Json& choice)
{
    if (hasText(choice, "text"))
        return true;
    const Json* delta = fieldOf(choice, "delta");
    if (!delta)
        return false;
    const Json* calls = fieldOf(*delta, "tool_calls");
    return hasText(*delta, "content") || hasText(*delta, "reasoning_content") || hasText(*delta, "reasoning") ||
           (calls && calls->is_array() && !calls->empty());
}

/// What the server says went wrong: a text, or an object with a message.
Error serverError(const Json& error)
{
    const Json* message = fieldOf(error, "message");
    const Json& told = message ? *message : error;
    const std::string text =
        told.is_string() ? told.get<std::string>() : told.dump(-1, ' ', false, Json::error_handler_t::replace);
    return {"server-error", "the server ended the answer with an error: " + text.substr(0, kShown), "",
            "read the server's log"};
}

Result<std::optional<std::uint64_t>> countIn(const Json& usage, const char* key)
{
    const Json* count = fieldOf(usage, key);
    if (!count)
        return std::optional<std::uint64_t>();
    if (!count->is_number_unsigned() || count->get<std::uint64_t>() > kMostTokens)
        return malformed(std::string("usage tells ") + key + " that is no count of tokens");
    return std::optional(count->get<std::uint64_t>());
}

} // namespace

Result<void> AnswerStream::feed(std::string_view bytes, double seconds)
{
    if (m_error)
        return *m_error;
    if (m_beginning.size() < kShown)
        m_beginning += bytes.substr(0, kShown - m_beginning.size());
    for (const char c : bytes) {
        if (m_answer.done)
            break;
        const bool secondOfPair = m_afterReturn && c == '\n';
        m_afterReturn = c == '\r';
        if (secondOfPair)
            continue;
        Result<void> result;
        if (c == '\n' || c == '\r')
            result = endLine(seconds);
        else if (m_line.size() + m_data.size() >= kMostLine)
            result = malformed("an event has more than " + std::to_string(kMostLine) + " bytes");
        else
            m_line += c;
        if (!result) {
            m_error = result.error();
            return result;
        }
    }
    return {};
}

Result<void> AnswerStream::endLine(double seconds)
{
    std::string line;
    line.swap(m_line);
    if (m_atStart && line.starts_with(kByteOrder))
        line.erase(0, kByteOrder.size());
    m_atStart = false;
    if (line.empty())
        return endEvent(seconds);
    const std::size_t colon = line.find(':');
    const std::string_view name = std::string_view(line).substr(0, colon);
    std::string_view value = colon == std::string::npos ? std::string_view() : std::string_view(line).substr(colon + 1);
    if (value.starts_with(' '))
        value.remove_prefix(1);
    if (name == "data") {
        if (m_hasData)
            m_data += '\n';
        m_data += value;
        m_hasData = true;
    } else if (name == "error") { // llama.cpp's server wrote errors as a field of their own
        const auto error = parseUntrustedJson(value, kDepth, "");
        return serverError(error ? *error : Json(std::string(value)));
    } else if (line.front() == '{' || line.front() == '<') {
        return malformed("a document came in place of events: " + line.substr(0, kShown));
    }
    return {};
}

Result<void> AnswerStream::endEvent(double seconds)
{
    if (!m_hasData)
        return {};
    std::string data;
    data.swap(m_data);
    m_hasData = false;
    return take(data, seconds);
}

Result<void> AnswerStream::take(std::string_view data, double seconds)
{
    if (data == kMark) {
        m_answer.done = true;
        return {};
    }
    const auto json = parseUntrustedJson(data, kDepth, "");
    if (!json)
        return malformed("an event is no JSON: " + std::string(data.substr(0, kShown)));
    if (const Json* error = fieldOf(*json, "error"))
        return serverError(*error);
    const Json *choices = fieldOf(*json, "choices"), *usage = fieldOf(*json, "usage");
    if ((!choices && !usage) || (choices && !choices->is_array()) || (usage && !usage->is_object()))
        return malformed("an event is no piece of a completion: " + std::string(data.substr(0, kShown)));
    if (usage) {
        const auto prompt = countIn(*usage, "prompt_tokens"), output = countIn(*usage, "completion_tokens");
        if (!prompt || !output)
            return prompt ? output.error() : prompt.error();
        if (*prompt)
            m_answer.promptTokens = *prompt;
        if (*output)
            m_answer.outputTokens = *output;
    }
    if (!choices || choices->empty())
        return {};
    const Json& choice = choices->front();
    if (!choice.is_object())
        return malformed("a choice is no object: " + std::string(data.substr(0, kShown)));
    if (bringsText(choice))
        m_answer.at.push_back(seconds);
    if (const Json* why = fieldOf(choice, "finish_reason"); why && why->is_string())
        m_answer.finish = why->get<std::string>();
    return {};
}

Result<void> AnswerStream::finish() const
{
    if (m_error)
        return *m_error;
    // Some end the last line and not the event.
    const bool marked = m_answer.done || (m_hasData && m_data == kMark) || m_line == "data: [DONE]";
    if (!marked && m_line.starts_with('{'))
        return malformed("a document came in place of events: " + m_line.substr(0, kShown));
    if (!marked && m_answer.finish.empty())
        return Error{"closed-early",
                     "the answer ended after " + std::to_string(m_answer.at.size()) +
                         " pieces, without the mark of its end",
                     "", "read the server's log"};
    if (m_answer.at.empty())
        return malformed("the answer has no text");
    return {};
}

} // namespace ridge::serving
