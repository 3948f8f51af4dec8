// SPDX-License-Identifier: GPL-3.0-or-later
// Copies of windows, the PTX ISA's im2col mode, against a convolution's own order of pixels.
#include "forms_lab.h"

#include "gpu/simt/image/tensor_map.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

using u16 = std::uint16_t;
using u32 = std::uint32_t;

constexpr u32 kRoomBytes = 32768;

/// One thread lets `copy` (of [s], [%rd0], [bar]) fill or read shared memory, of which all goes to pb and comes from
/// there before.
std::string aroundCopy(const std::string& copy, bool toGlobal, u32 bytes)
{
    const std::string size = std::to_string(bytes), room = std::to_string(kRoomBytes);
    std::string text = ".shared .align 1024 .b8 s[" + room +
                       "]; .shared .align 8 .b64 bar;"
                       "mbarrier.init.shared.b64 [bar], 1;"
                       "mbarrier.arrive.expect_tx.shared.b64 _, [bar], " +
                       room +
                       ";"
                       "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [s], [%rd1], " +
                       room + ", [bar];\nFIRST: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0; @!%p2 bra FIRST;\n";
    if (toGlobal)
        return text + copy + " cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;";
    return text + "mbarrier.arrive.expect_tx.shared.b64 _, [bar], " + size + ";" + copy +
           "\nSECOND: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 1; @!%p2 bra SECOND;"
           "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], " +
           room + "; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;";
}

std::string listed(const std::vector<int>& numbers)
{
    std::string text;
    for (const int number : numbers)
        text += (text.empty() ? "" : ", ") + std::to_string(number);
    return "{" + text + "}";
}

/// A convolution over images, of which one copy brings a filter's tap for some of the results. W first everywhere.
struct Convolution {
    std::vector<int> size; ///< of the image
    int images = 2, channels = 16;
    std::vector<int> filter, pad, stride, dilation;
    int pixels = 32, taken = 8; ///< channels
    int firstChannel = 4, firstResult = 3;
    std::vector<int> tap;

    std::size_t axes() const { return size.size(); }
    int lower(std::size_t axis) const { return -pad[axis]; }
    int upper(std::size_t axis) const { return pad[axis] - (filter[axis] - 1) * dilation[axis]; }
    int results(std::size_t axis) const
    {
        return (size[axis] + 2 * pad[axis] - dilation[axis] * (filter[axis] - 1) - 1) / stride[axis] + 1;
    }
    /// Where the filter's corner lies for a result, and which image; W fastest.
    std::vector<int> corner(int result) const
    {
        std::vector<int> at;
        for (std::size_t axis = 0; axis < axes(); ++axis) {
            at.push_back(result % results(axis) * stride[axis] - pad[axis]);
            result /= results(axis);
        }
        at.push_back(result);
        return at;
    }
    TensorMap map(DevicePtr tensor, bool fillsNan, TensorSwizzle swizzle) const
    {
        TensorMap made;
        made.address = tensor.address;
        made.rank = std::uint8_t(axes() + 2);
        made.elementBytes = 4;
        made.fillNan = fillsNan;
        made.swizzle = swizzle;
        made.mode = TensorMode::Windows;
        made.size[0] = u32(channels);
        made.stride[0] = u32(4 * channels);
        for (std::size_t axis = 0; axis < axes(); ++axis) {
            made.size[axis + 1] = u32(size[axis]);
            made.stride[axis + 1] = made.stride[axis] * u32(size[axis]);
            made.step[axis + 1] = std::uint8_t(stride[axis]);
            made.lower[axis] = std::int16_t(lower(axis));
            made.upper[axis] = std::int16_t(upper(axis));
        }
        made.size[axes() + 1] = u32(images);
        made.box = {u16(taken), u16(pixels), 1, 1, 1};
        return made;
    }
    std::size_t elements() const
    {
        std::size_t count = std::size_t(channels * images);
        for (const int axis : size)
            count *= std::size_t(axis);
        return count;
    }
};

} // namespace

class TestSimtWindows : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void convolutions_data()
    {
        QTest::addColumn<int>("axes");
        QTest::addColumn<int>("stride");
        QTest::addColumn<int>("dilation");
        QTest::addColumn<int>("pad");
        QTest::addColumn<int>("swizzle");
        QTest::addColumn<bool>("fillsNan");
        for (int axes = 1; axes <= 3; ++axes) {
            QTest::addRow("%d axes", axes) << axes << 1 << 1 << 1 << 0 << false;
            QTest::addRow("%d axes, no padding", axes) << axes << 1 << 1 << 0 << 1 << false;
            QTest::addRow("%d axes, every second", axes) << axes << 2 << 1 << 1 << 2 << true;
            QTest::addRow("%d axes, every third, dilated", axes) << axes << 3 << 2 << 2 << 3 << false;
        }
    }
    void convolutions()
    {
        QFETCH(int, axes);
        QFETCH(int, stride);
        QFETCH(int, dilation);
        QFETCH(int, pad);
        QFETCH(int, swizzle);
        QFETCH(bool, fillsNan);
        constexpr std::array<int, 3> sizes{9, 7, 5}, taps{2, 0, 1};
        Convolution conv;
        for (std::size_t axis = 0; axis < std::size_t(axes); ++axis) {
            conv.size.push_back(sizes[axis]);
            conv.filter.push_back(3);
            conv.pad.push_back(pad);
            conv.stride.push_back(axis == 1 ? 1 : stride); // one of them apart
            conv.dilation.push_back(axis == 1 ? 1 : dilation);
            conv.tap.push_back(taps[axis] * conv.dilation[axis]);
        }
        conv.images = axes == 1 ? 4 : 2;
        std::vector<u32> values(conv.elements());
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = u32(1000 + i);
        Lab lab({}, {}, 90);
        const auto made = encodeTensorMap(conv.map(lab.put(values), fillsNan, TensorSwizzle(swizzle)));
        QVERIFY2(made.ok(), made ? "" : made.error().message.c_str());
        const std::vector<int> corner = conv.corner(conv.firstResult);
        std::vector<int> coordinates{conv.firstChannel};
        coordinates.insert(coordinates.end(), corner.begin(), corner.end());
        const std::string body =
            aroundCopy("cp.async.bulk.tensor." + std::to_string(axes + 2) +
                           "d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [s], [%rd0, " +
                           listed(coordinates) + "], [bar], " + listed(conv.tap) + ";",
                       false, u32(4 * conv.taken * conv.pixels));
        const std::vector<std::byte> map(made->begin(), made->end());
        const DevicePtr out = lab.put(std::vector<u32>(kRoomBytes / 4, 7));
        QVERIFY2(run(lab, body, lab.put(map), out, 1), lab.why());
        const auto got = lab.get<u32>(out, kRoomBytes / 4);
        int outside = 0;
        for (int pixel = 0; pixel < conv.pixels; ++pixel) {
            const std::vector<int> at = conv.corner(conv.firstResult + pixel);
            std::size_t element = 0;
            bool isInside = at.back() < conv.images;
            for (std::size_t axis = std::size_t(axes); axis-- > 0;) {
                const int index = at[axis] + conv.tap[axis];
                isInside = isInside && index >= 0 && index < conv.size[axis];
                const int image = axis + 1 == std::size_t(axes) ? at.back() : 0;
                element = (element + std::size_t(image)) * std::size_t(conv.size[axis]) + std::size_t(index);
            }
            outside += isInside ? 0 : 1;
            for (int channel = 0; channel < conv.taken; ++channel) {
                const u32 byte = u32(4 * (pixel * conv.taken + channel));
                const u32 place = byte ^ (byte >> 3 & ((1u << swizzle) - 1) << 4);
                const u32 expected =
                    !isInside ? (fillsNan ? 0x7fffffffu : 0u)
                              : values[element * std::size_t(conv.channels) + std::size_t(conv.firstChannel + channel)];
                QCOMPARE(got[place / 4], expected);
            }
        }
        QVERIFY(pad == 0 ? outside < conv.pixels : outside > 0);
        QCOMPARE(got[std::size_t(conv.taken * conv.pixels)], 7u); // nothing behind them
    }

    /// The PTX ISA's first and third example: the corner's way through W, H and the images.
    void examplesOfTheManual()
    {
        Convolution conv;
        conv.size = {9, 14};
        conv.images = 64;
        conv.channels = 64;
        conv.pixels = 64;
        conv.taken = 8;
        std::vector<u32> values(conv.elements());
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = u32(i);
        const auto first = [&](bool isThird) {
            TensorMap map;
            map.mode = TensorMode::Windows;
            map.rank = 4;
            map.size = {64, isThird ? 8u : 9u, 14, 64, 1};
            map.stride = {256, 256 * map.size[1], 256 * map.size[1] * 14, 0};
            map.box = {u16(isThird ? 16 : 8), u16(isThird ? 32 : 64), 1, 1, 1};
            map.lower = map.upper = {-1, -1, 0};
            if (isThird)
                map.step = {1, 2, 2, 1, 1};
            return map;
        };
        for (const bool isThird : {false, true}) {
            Lab lab({}, {}, 90);
            TensorMap map = first(isThird);
            map.address = lab.put(values).address;
            const auto made = encodeTensorMap(map);
            QVERIFY(made.ok());
            const u32 bytes = 4u * map.box[0] * map.box[1];
            const std::string body = aroundCopy(
                std::string("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
                            "[s], [%rd0, {7, ") +
                    (isThird ? "7, 5" : "7, 4") + ", 0}], [bar], " + (isThird ? "{1, 1};" : "{0, 0};"),
                false, bytes);
            const DevicePtr out = lab.put(std::vector<u32>(kRoomBytes / 4));
            // The third example begins at W = 7, where the corner may go to 8 - 1 - 1 = 6 alone.
            const bool ran = run(lab, body, lab.put(std::vector<std::byte>(made->begin(), made->end())), out, 1);
            if (isThird) {
                QVERIFY2(!ran && lab.why().contains("begins at 7 in dimension 1"), lab.why());
                continue;
            }
            QVERIFY2(ran, lab.why());
            const auto got = lab.get<u32>(out, kRoomBytes / 4);
            int w = 7, h = 4, n = 0;
            for (u32 pixel = 0; pixel < 64; ++pixel) {
                const bool isInside = w >= 0 && h >= 0;
                const int element = ((n * 14 + h) * 9 + w) * 64 + 7;
                for (u32 channel = 0; channel < 8; ++channel)
                    QCOMPARE(got[pixel * 8 + channel], isInside ? u32(element) + channel : 0u);
                if (++w > 7) { // 9 - 1 - 1
                    w = -1;
                    if (++h > 12) {
                        h = -1;
                        ++n;
                    }
                }
            }
        }
    }

    /// Back to global memory: no offsets, and no corner outside.
    void windowsThatAreWritten()
    {
        Convolution conv;
        conv.size = {6, 5};
        conv.filter = {1, 1};
        conv.pad = {0, 0};
        conv.stride = {2, 1};
        conv.dilation = {1, 1};
        conv.tap = {0, 0};
        std::vector<u32> values(conv.elements()), room(kRoomBytes / 4);
        for (std::size_t i = 0; i < room.size(); ++i)
            room[i] = u32(5000 + i);
        for (const bool adds : {false, true}) {
            Lab lab({}, {}, 90);
            const DevicePtr tensor = lab.put(std::vector<u32>(values.size(), 9));
            TensorMap map = conv.map(tensor, false, TensorSwizzle::None);
            map.element = TensorElement::U32;
            const auto made = encodeTensorMap(map);
            QVERIFY(made.ok());
            const std::vector<int> corner = conv.corner(conv.firstResult);
            const std::string where = " [%rd0, " + listed({4, corner[0], corner[1], corner[2]}) + "], [s];";
            const std::string body =
                aroundCopy((adds ? "cp.reduce.async.bulk.tensor.4d.global.shared::cta.add.im2col_no_offs.bulk_group"
                                 : "cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group") +
                               where,
                           true, 0);
            QVERIFY2(run(lab, body, lab.put(std::vector<std::byte>(made->begin(), made->end())), lab.put(room), 1),
                     lab.why());
            auto expected = std::vector<u32>(values.size(), 9);
            for (int pixel = 0; pixel < conv.pixels; ++pixel) {
                const std::vector<int> at = conv.corner(conv.firstResult + pixel);
                for (int channel = 0; channel < conv.taken && at[2] < conv.images; ++channel)
                    expected[std::size_t(((at[2] * 5 + at[1]) * 6 + at[0]) * 16 + 4 + channel)] =
                        room[std::size_t(pixel * conv.taken + channel)] + (adds ? 9 : 0);
            }
            QCOMPARE(lab.get<u32>(tensor, expected.size()), expected);
            map.lower[0] = -1;
            const auto outside = encodeTensorMap(map);
            QVERIFY(
                !run(lab, body, lab.put(std::vector<std::byte>(outside->begin(), outside->end())), lab.put(room), 1));
            QVERIFY2(lab.why().contains("no corner outside the images"), lab.why());
        }
    }

    void mistakes()
    {
        Convolution conv;
        conv.size = {6, 5};
        conv.filter = conv.stride = conv.dilation = {1, 1};
        conv.pad = conv.tap = {0, 0};
        Lab lab({}, {}, 90);
        const TensorMap map = conv.map(lab.put(std::vector<u32>(conv.elements())), false, TensorSwizzle::None);
        const DevicePtr out = lab.put(std::vector<u32>(kRoomBytes / 4));
        const std::string tail = ".mbarrier::complete_tx::bytes [s], [%rd0, {0, 0, 0, 0}], [bar]";
        const auto why = [&](const TensorMap& one, const std::string& mode, const std::string& offsets) {
            const auto made = encodeTensorMap(one);
            if (!made)
                return QByteArray::fromStdString(made.error().message);
            const std::string body = aroundCopy(
                "cp.async.bulk.tensor.4d.shared::cluster.global." + mode + tail + offsets + ";", false, 1024);
            return run(lab, body, lab.put(std::vector<std::byte>(made->begin(), made->end())), out, 1)
                       ? QByteArray("it ran")
                       : lab.why();
        };
        QCOMPARE(why(map, "im2col", ", {0, 0}"), QByteArray("it ran"));
        QVERIFY(why(map, "tile", "").contains("the copy is of a tile"));
        QVERIFY(why(map, "im2col", ", {0, 0, 0}").contains("an offset for each dimension"));
        QVERIFY(why(map, "im2col::w", ", {0, 0}").contains("windows with a halo"));
        TensorMap tiled = map;
        tiled.mode = TensorMode::Tiled;
        QVERIFY(why(tiled, "im2col", ", {0, 0}").contains("it is tiled"));
        TensorMap other = map;
        other.lower[0] = -129;
        QVERIFY(why(other, "im2col", ", {0, 0}").contains("the corners of windows in dimension 1"));
        other = map;
        other.upper[1] = -5;
        QVERIFY(why(other, "im2col", ", {0, 0}").contains("the corners of windows in dimension 2"));
        other = map;
        other.box[1] = 1025;
        QVERIFY(why(other, "im2col", ", {0, 0}").contains("box 1025"));
        other = map;
        other.lower[0] = -1;
        other.step[1] = 2;
        QVERIFY(why(other, "im2col", ", {0, 0}").contains("in steps of 2"));
        other = map;
        other.rank = 2;
        QVERIFY(why(other, "im2col", ", {0, 0}").contains("windows of a tensor of 2 dimensions"));
    }
};

QTEST_APPLESS_MAIN(TestSimtWindows)
#include "tst_simt_windows.moc"
