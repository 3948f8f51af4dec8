// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/cuda/vendor_libraries.h"

#include <QtTest>

using namespace ridge::gpu::cuda;

namespace {

constexpr const char* kVariables[] = {"RIDGE_LIBCUBLAS", "RIDGE_LIBCUBLASLT", "RIDGE_LIBCUDNN", "RIDGE_LIBNCCL",
                                      "RIDGE_LIBCUPTI"};

void nameAll(const QByteArray& file)
{
    for (const char* variable : kVariables)
        qputenv(variable, QCoreApplication::applicationDirPath().toUtf8() + "/" + file);
}

std::map<std::string, VendorLibrary> all()
{
    std::map<std::string, VendorLibrary> found;
    for (VendorLibrary& library : listVendorLibraries())
        found[library.id] = std::move(library);
    return found;
}

} // namespace

/// NVIDIA's optional libraries as stand-ins: what is there says its version, what is not says why and what helps.
class TestVendorLibraries : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cleanup();
    void versionsAreTheirOwn();
    void numbersOfSeveralKinds();
    void absentOnesSayWhy();
    void strangersAreNotTaken();
    void oneThatFailsIsNotAvailable();
};

void TestVendorLibraries::cleanup()
{
    for (const char* variable : kVariables)
        qunsetenv(variable);
    qunsetenv("RIDGE_FAKE_VENDOR");
}

void TestVendorLibraries::versionsAreTheirOwn()
{
    nameAll("fake_vendor.so");
    qputenv("RIDGE_FAKE_VENDOR", "major=12,minor=9,patch=1");
    const auto found = all();
    QCOMPARE(found.size(), std::size_t{5});
    for (const auto& [id, library] : found)
        QVERIFY2(library.available && library.reason.empty() && library.fix.empty(), id.c_str());
    for (const char* id : {"cublas", "cublaslt", "cudnn"})
        QCOMPARE(found.at(id).version, std::string("12.9.1"));
    QCOMPARE(found.at("nccl").version, std::string("2.27.3"));
    QCOMPARE(found.at("cupti").version, std::string("28"));
    QVERIFY(found.at("cudnn").path.ends_with("/fake_vendor.so"));
}

void TestVendorLibraries::numbersOfSeveralKinds()
{
    nameAll("fake_vendor.so");
    qputenv("RIDGE_FAKE_VENDOR", "nccl=2804,cupti=130001");
    QCOMPARE(all().at("cupti").version, std::string("13.0.1"));
    QCOMPARE(all().at("nccl").version, std::string("2.8.4")); // NCCL_VERSION(2, 8, 4) before 2.9
}

void TestVendorLibraries::absentOnesSayWhy()
{
    for (const char* variable : kVariables)
        qputenv(variable, "/nowhere/lib.so");
    for (const auto& [id, library] : all()) {
        QVERIFY2(!library.available && library.version.empty(), id.c_str());
        QVERIFY2(library.reason.find("/nowhere/lib.so") != std::string::npos, library.reason.c_str());
        QVERIFY2(library.fix.find("unset that variable") != std::string::npos, library.fix.c_str());
    }
}

void TestVendorLibraries::strangersAreNotTaken()
{
    nameAll("fake_nvml.so"); // loads, but is none of them
    for (const auto& [id, library] : all()) {
        QVERIFY2(!library.available, id.c_str());
        QVERIFY2(library.reason.find("no entry point") != std::string::npos, library.reason.c_str());
    }
}

void TestVendorLibraries::oneThatFailsIsNotAvailable()
{
    nameAll("fake_vendor.so");
    qputenv("RIDGE_FAKE_VENDOR", "fails=1");
    for (const auto& [id, library] : all())
        QVERIFY2(!library.available && library.reason.ends_with("does not answer"), id.c_str());
}

QTEST_GUILESS_MAIN(TestVendorLibraries)
#include "tst_vendor_libraries.moc"
