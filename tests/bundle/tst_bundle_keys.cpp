// SPDX-License-Identifier: GPL-3.0-or-later
#include "bundle/signed.h"

#include <QtTest>

using namespace ridge;
using namespace ridge::bundle;

namespace {

std::string bytesOf(const char* hex, std::size_t size)
{
    return fromHex(hex, size).value();
}

} // namespace

class TestBundleKeys : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void publishedVectors();
    void signaturesFitOneMessageAndOneKey();
    void sealedIsReadByItsKeyAlone();
    void sealOfASeedIsTheSameBoxEveryTime();
    void signedEntries();
    void keysThatAreNone();
};

void TestBundleKeys::publishedVectors()
{
    // RFC 8032, section 7.1, tests 1 and 3.
    const auto empty =
        signKeyFromSeed(bytesOf("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60", 32)).value();
    QCOMPARE(empty.publicKey, std::string("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"));
    QCOMPARE(sign("", empty), std::string("e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a3"
                                          "3bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"));
    const auto two =
        signKeyFromSeed(bytesOf("c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7", 32)).value();
    QCOMPARE(two.publicKey, std::string("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025"));
    QCOMPARE(sign("\xaf\x82", two),
             std::string("6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b5"
                         "38d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"));
    // RFC 4231, test cases 2 and 6 (a key longer than a block).
    QCOMPARE(toHex(hmacSha256("Jefe", "what do ya want for nothing?")),
             std::string("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"));
    QCOMPARE(toHex(hmacSha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")),
             std::string("60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"));
    // RFC 7748, section 6.1.
    QCOMPARE(
        sealKeyFromSecret(bytesOf("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a", 32))->publicKey,
        std::string("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"));
}

void TestBundleKeys::signaturesFitOneMessageAndOneKey()
{
    const auto key = signKeyFromSeed(randomSecret().bytes()).value();
    const auto other = signKeyFromSeed(randomSecret().bytes()).value();
    const std::string signature = sign("message", key);
    QVERIFY(verify("message", signature, key.publicKey));
    QVERIFY(!verify("Message", signature, key.publicKey));
    QVERIFY(!verify("message", signature, other.publicKey));
    QVERIFY(!verify("message", signature.substr(2), key.publicKey));
    QVERIFY(!verify("message", "", key.publicKey));
    QVERIFY(!verify("message", signature, ""));
    QVERIFY(!verify("message", QString::fromStdString(signature).toUpper().toStdString(), key.publicKey));
    QVERIFY(!verify("message", std::string(128, '0'), std::string(64, '0')));
}

void TestBundleKeys::sealedIsReadByItsKeyAlone()
{
    const auto key = sealKeyFromSecret(randomSecret().bytes()).value();
    const auto other = sealKeyFromSecret(randomSecret().bytes()).value();
    const std::string plain = "rows and a name";
    const std::string sealed = seal(plain, key.publicKey).value();
    QVERIFY(sealed.find("name") == std::string::npos);
    QVERIFY(sealed != seal(plain, key.publicKey).value());
    QCOMPARE(unseal(sealed, key).value(), plain);
    QCOMPARE(unseal(sealed, other).error().code, std::string("sealed-to-another"));
    for (std::size_t at = 0; at < sealed.size(); ++at) {
        std::string changed = sealed;
        changed[at] = static_cast<char>(changed[at] ^ 1);
        QVERIFY(!unseal(changed, key).ok());
    }
    QVERIFY(!unseal(sealed.substr(0, 10), key).ok());
    QCOMPARE(unseal(seal("", key.publicKey).value(), key).value(), std::string());
    QCOMPARE(seal(plain, std::string(64, '0')).error().code, std::string("bad-key"));
}

void TestBundleKeys::sealOfASeedIsTheSameBoxEveryTime()
{
    const auto key = sealKeyFromSecret(randomSecret().bytes()).value();
    const std::string seed(32, 's');
    const std::string sealed = sealWithSeed("plain", key.publicKey, seed).value();
    QCOMPARE(sealWithSeed("plain", key.publicKey, seed).value(), sealed);
    QVERIFY(sealWithSeed("plain", key.publicKey, std::string(32, 't')).value() != sealed);
    QCOMPARE(unseal(sealed, key).value(), std::string("plain"));
    QCOMPARE(sealWithSeed("plain", key.publicKey, "short").error().code, std::string("bad-key"));
}

void TestBundleKeys::signedEntries()
{
    const auto key = signKeyFromSeed(std::string(32, 'k')).value();
    const std::vector<Entry> entries = withSignature({{"manifest.json", "{}"}, {"rows.jsonl", "row"}}, "kind 1", key);
    QVERIFY(checkSignature(entries, "kind 1", key.publicKey, "f").ok());
    const auto code = [&](std::vector<Entry> changed, const char* purpose = "kind 1") {
        const auto result = checkSignature(changed, purpose, key.publicKey, "drop/f.zip");
        return result ? std::string("ok") : result.error().code;
    };
    auto changed = entries;
    changed[0].bytes = "{ }";
    QCOMPARE(code(changed), std::string("signature-wrong"));
    changed = entries;
    changed[0].name = "manifest.jsoN";
    QCOMPARE(code(changed), std::string("signature-wrong"));
    changed = entries;
    changed.push_back({"more", ""});
    QCOMPARE(code(changed), std::string("signature-wrong"));
    changed = entries;
    changed.erase(changed.begin());
    QCOMPARE(code(changed), std::string("signature-wrong"));
    changed = {{"manifest.json", "{}"}, {"rows.jsonl", "row"}};
    QCOMPARE(code(changed), std::string("signature-missing"));
    QCOMPARE(code(entries, "kind 2"), std::string("signature-wrong"));
    auto reordered = entries;
    std::ranges::reverse(reordered);
    QCOMPARE(code(reordered), std::string("ok"));
    const Error error = checkSignature({}, "kind 1", key.publicKey, "drop/f.zip").error();
    QVERIFY(error.place.find("drop/f.zip") != std::string::npos && error.place.find("signature") != std::string::npos);
}

void TestBundleKeys::keysThatAreNone()
{
    QCOMPARE(signKeyFromSeed("short").error().code, std::string("bad-key"));
    QCOMPARE(sealKeyFromSecret(std::string(33, 'x')).error().code, std::string("bad-key"));
    QCOMPARE(fromHex("zz", 1).error().code, std::string("bad-key"));
    QCOMPARE(fromHex("AB", 1).error().code, std::string("bad-key"));
    QCOMPARE(fromHex("abc", 1).error().code, std::string("bad-key"));
    QCOMPARE(fromHex("00ff", 2).value(), std::string("\0\xff", 2));
    QVERIFY(randomSecret().bytes() != randomSecret().bytes());
}

QTEST_APPLESS_MAIN(TestBundleKeys)
#include "tst_bundle_keys.moc"
