// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/seed.h"
#include "cluster/flow.h"
#include "cluster/links.h"
#include "cluster/topology.h"

#include <QtTest>

using namespace ridge;
using namespace ridge::cluster;

namespace {

Topology made(TopologyKind kind, const std::function<void(TopologyShape&)>& change = {})
{
    TopologyShape shape;
    shape.kind = kind;
    if (change)
        change(shape);
    auto topology = makeTopology(shape);
    if (!topology)
        throw std::runtime_error(toText(topology.error()));
    return *topology;
}

double pairFlow(const Topology& t, std::size_t a, std::size_t b)
{
    return maxFlow(t, t.ranks[a], t.ranks[b]);
}

double routed(const Topology& t, std::size_t a, std::size_t b)
{
    return pairwiseRates(t, 0)[a * t.ranks.size() + b];
}

} // namespace

class TestTopology : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void handAnswers()
    {
        const Topology node = made(TopologyKind::Switch); // DGX H100: 8 GPUs of 450 GB/s
        QCOMPARE(routed(node, 0, 7), 450e9);
        QCOMPARE(pairFlow(node, 0, 7), 450e9);
        QCOMPARE(bisection(node).rate, 4 * 450e9);

        const Topology xgmi = made(TopologyKind::FullMesh, [](TopologyShape& s) { s.rate = 64e9; });
        QCOMPARE(routed(xgmi, 0, 5), 64e9); // what one peer gets
        QCOMPARE(pairFlow(xgmi, 0, 5), 448e9);
        QCOMPARE(bisection(xgmi).rate, 16 * 64e9);
        QVERIFY(bisection(xgmi).exact);

        const auto threeLong = [](TopologyShape& s) {
            s.gpus = 3;
            s.rate = 50e9;
        };
        const Topology chain = made(TopologyKind::Chain, threeLong), ring = made(TopologyKind::Ring, threeLong);
        QCOMPARE(pairFlow(chain, 0, 2), 50e9);
        QCOMPARE(pairFlow(ring, 0, 2), 100e9);
        QCOMPARE(bisection(chain).rate, 50e9);
        QCOMPARE(bisection(ring).rate, 100e9);

        const Topology cube = made(TopologyKind::CubeMesh, [](TopologyShape& s) { s.rate = 25e9; });
        for (std::size_t b = 1; b < 8; ++b)
            QCOMPARE(pairFlow(cube, 0, b), 150e9); // six NVLinks
        QCOMPARE(routed(cube, 0, 3), 50e9);        // two of them
        QCOMPARE(bisection(cube).rate, 6 * 25e9);  // 0-4 and 1-5 twice, 2-6 and 3-7 once

        const Topology pcie = made(TopologyKind::PcieTree, [](TopologyShape& s) { s.hostRate = 20e9; });
        QCOMPARE(routed(pcie, 0, 1), 25e9);
        QCOMPARE(routed(pcie, 0, 7), 20e9); // between the processors
        QCOMPARE(bisection(pcie).rate, 20e9);

        const Topology pairs = made(TopologyKind::Pairwise, [](TopologyShape& s) { s.rate = 300e9; });
        QCOMPARE(routed(pairs, 0, 1), 300e9);
        QCOMPARE(routed(pairs, 0, 2), 25e9);
        QCOMPARE(pairFlow(pairs, 0, 1), 325e9);
    }

    void tori()
    {
        const Topology two = made(TopologyKind::Torus, [](TopologyShape& s) { s.dims = {4, 4, 1}; });
        QCOMPARE(bisection(two).rate, 2 * 4 * 450e9);
        QCOMPARE(pairFlow(two, 0, 10), 4 * 450e9);
        const Topology three = made(TopologyKind::Torus, [](TopologyShape& s) { s.dims = {4, 4, 8}; });
        QCOMPARE(bisection(three).rate, 2 * 16 * 450e9); // across the long axis
        QCOMPARE(pairFlow(three, 0, 100), 6 * 450e9);
        const Topology line = made(TopologyKind::Torus, [](TopologyShape& s) { s.dims = {2, 2, 1}; });
        QCOMPARE(line.links.size(), std::size_t{8}); // an axis of two has one cable a pair
    }

    void fabrics()
    {
        for (const double blocked : {1.0, 2.0, 4.0, 8.0}) {
            const Topology tree = made(TopologyKind::FatTree, [&](TopologyShape& s) {
                s.gpus = 8;
                s.nodes = 4;
                s.oversubscription = blocked;
            });
            QCOMPARE(bisection(tree).rate, 16 * 50e9 / blocked);
        }
        const Topology nodes = made(TopologyKind::Switch, [](TopologyShape& s) { s.nodes = 4; });
        QCOMPARE(nodes.ranks.size(), std::size_t{32});
        QCOMPARE(routed(nodes, 0, 8), 50e9); // the ninth of what it is inside: the cliff at the node's edge
        QCOMPARE(routed(nodes, 0, 1), 450e9);
        QCOMPARE(bisection(nodes).rate, 16 * 50e9);
        // Four routers a group, two hosts and two cables each: nine groups of eight hosts, and between two groups one.
        const Topology fly = made(TopologyKind::Dragonfly, [](TopologyShape& s) { s.dims = {4, 2, 2}; });
        QCOMPARE(fly.ranks.size(), std::size_t{72});
        QCOMPARE(fly.links.size(), std::size_t{2 * (72 + 9 * 6 + 36)});
        Router router(fly);
        std::vector<std::uint32_t> path;
        for (std::size_t a = 0; a < 72; a += 5)
            for (std::size_t b = 0; b < 72; ++b) {
                router.path(fly.ranks[a], fly.ranks[b], a, b, path);
                QVERIFY(path.size() <= 5); // host, at most three hops of routers, host
            }
    }

    /// The least cut over all of them is the most flow (Ford, Fulkerson 1956).
    void maxFlowIsMinCut()
    {
        Rng rng(7);
        for (int round = 0; round < 300; ++round) {
            Topology t;
            const std::uint32_t n = 2 + rng.nextU32() % 7;
            for (std::uint32_t i = 0; i < n; ++i)
                t.ranks.push_back(t.add(VertexKind::Gpu, std::to_string(i)));
            for (std::uint32_t e = 0; e < 3 * n; ++e)
                t.links.push_back({rng.nextU32() % n, rng.nextU32() % n, 1.0 + rng.nextU32() % 100, 0});
            double least = 1e30;
            for (std::uint32_t set = 0; set < 1u << n; ++set) {
                if (!(set & 1) || (set >> (n - 1) & 1))
                    continue;
                double cut = 0;
                for (const Link& link : t.links)
                    cut += (set >> link.from & 1) && !(set >> link.to & 1) ? link.rate : 0;
                least = std::min(least, cut);
            }
            QCOMPARE(maxFlow(t, 0, n - 1), least);
        }
    }

    void badShapes()
    {
        const auto code = [](const std::function<void(TopologyShape&)>& change) {
            TopologyShape s;
            change(s);
            const auto topology = makeTopology(s);
            return topology ? std::string() : topology.error().code;
        };
        for (const std::function<void(TopologyShape&)>& change : std::vector<std::function<void(TopologyShape&)>>{
                 [](TopologyShape& s) { s.gpus = 0; }, [](TopologyShape& s) { s.nodes = 0; },
                 [](TopologyShape& s) { s.gpus = s.nodes = 0xffffffff; }, [](TopologyShape& s) { s.rate = 0; },
                 [](TopologyShape& s) { s.rate = std::nan(""); }, [](TopologyShape& s) { s.latency = -1; },
                 [](TopologyShape& s) { s.oversubscription = 0.5; },
                 [](TopologyShape& s) {
                     s.nodes = 2;
                     s.nics = 3;
                 },
                 [](TopologyShape& s) {
                     s.kind = TopologyKind::CubeMesh;
                     s.gpus = 6;
                 },
                 [](TopologyShape& s) {
                     s.kind = TopologyKind::Torus;
                     s.dims = {4096, 4096, 4096};
                 },
                 [](TopologyShape& s) {
                     s.kind = TopologyKind::Dragonfly;
                     s.dims = {4096, 4096, 4096};
                 }})
            QCOMPARE(code(change), std::string("bad-topology"));
        QCOMPARE(code([](TopologyShape& s) { s.gpus = 1; }), std::string());
    }

    void files()
    {
        const char* good = R"({"title": "chain", "vertices": [{"id": "a", "kind": "gpu"}, {"id": "b", "kind": "switch"},
            {"id": "c", "kind": "gpu"}], "links": [{"from": "a", "to": "b", "rate": 1e9, "latency": 1e-6},
            {"from": "b", "to": "c", "rate": 5e8, "both": true}]})";
        const auto topology = parseTopology(good, "chain.json");
        QVERIFY(topology.ok());
        QCOMPARE(topology->ranks.size(), std::size_t{2});
        QCOMPARE(pairFlow(*topology, 0, 1), 5e8);
        for (const char* bad :
             {"", "[]", "{}", R"({"vertices": [], "links": []})",
              R"({"vertices": [{"id": "a", "kind": "gpu"}, {"id": "a", "kind": "gpu"}], "links": []})",
              R"({"vertices": [{"id": "a", "kind": "gpu"}, {"id": "b", "kind": "gpu"}], "links": []})",
              R"({"vertices": [{"id": "a", "kind": "gpu"}, {"id": "b", "kind": "gpu"}],
                  "links": [{"from": "a", "to": "b", "rate": 1e9, "both": false}]})",
              R"({"vertices": [{"id": "a", "kind": "moon"}], "links": []})",
              R"({"vertices": [{"id": "a", "kind": "gpu"}], "links": [{"from": "a", "to": "z", "rate": 1}]})",
              R"({"vertices": [{"id": "a", "kind": "gpu"}], "links": [{"from": "a", "to": "a", "rate": 1}]})",
              R"({"vertices": [{"id": "a", "kind": "gpu"}, {"id": "b", "kind": "gpu"}],
                  "links": [{"from": "a", "to": "b", "rate": -1}]})",
              R"({"vertices": [{"id": "a", "kind": "gpu"}, {"id": "b", "kind": "gpu"}],
                  "links": [{"from": "a", "to": "b", "rate": 1e300}]})"}) {
            const auto refused = parseTopology(bad, "x.json");
            QVERIFY2(!refused.ok(), bad);
            QCOMPARE(refused.error().code, std::string("bad-topology"));
            QVERIFY2(refused.error().place.starts_with("x.json"), refused.error().place.c_str());
            QVERIFY(!refused.error().fix.empty());
        }
    }

    /// Max-min fairness: every transfer has a link that is full and on which nobody is quicker.
    void fairShares()
    {
        Rng rng(11);
        for (int round = 0; round < 100; ++round) {
            const Topology t = made(TopologyKind::FatTree, [&](TopologyShape& s) {
                s.gpus = 4;
                s.nodes = 4;
                s.oversubscription = 1 + rng.nextU32() % 3;
            });
            Router router(t);
            Transfers transfers;
            std::vector<std::uint32_t> path, active;
            for (std::uint32_t i = 0; i < 40; ++i) {
                const auto a = rng.nextU32() % 16, b = (a + 1 + rng.nextU32() % 15) % 16;
                router.path(t.ranks[a], t.ranks[b], i, 3, path);
                transfers.add(1e6, 0, path, {});
                active.push_back(i);
            }
            const auto rates = maxMinRates(t, transfers, active);
            std::vector<double> load(t.links.size(), 0), quickest(t.links.size(), 0);
            for (std::size_t i = 0; i < rates.size(); ++i)
                for (auto l = transfers.firstLink[i]; l < transfers.firstLink[i + 1]; ++l) {
                    load[transfers.links[l]] += rates[i];
                    quickest[transfers.links[l]] = std::max(quickest[transfers.links[l]], rates[i]);
                }
            for (std::size_t l = 0; l < load.size(); ++l)
                QVERIFY(load[l] <= t.links[l].rate * (1 + 1e-9));
            for (std::size_t i = 0; i < rates.size(); ++i) {
                bool bottleneck = false;
                for (auto l = transfers.firstLink[i]; l < transfers.firstLink[i + 1]; ++l) {
                    const auto link = transfers.links[l];
                    bottleneck = bottleneck || (load[link] >= t.links[link].rate * (1 - 1e-9) &&
                                                rates[i] >= quickest[link] * (1 - 1e-9));
                }
                QVERIFY(bottleneck);
            }
        }
    }

    /// Two levels of detail of the same transfers, and what goes over links is what was sent.
    void packetsAgreeWithFlows()
    {
        Rng rng(5);
        for (int round = 0; round < 8; ++round) {
            const Topology t = made(TopologyKind::FatTree, [&](TopologyShape& s) {
                s.gpus = 4;
                s.nodes = 3;
                s.oversubscription = 1 + round % 3;
                s.netLatency = 1e-8;
            });
            Router router(t);
            Transfers transfers;
            std::vector<std::uint32_t> path;
            double sent = 0;
            for (std::uint32_t i = 0; i < 16; ++i) {
                const auto a = rng.nextU32() % 12, b = (a + 1 + rng.nextU32() % 11) % 12;
                router.path(t.ranks[a], t.ranks[b], i, 1, path);
                std::vector<std::uint32_t> after;
                if (i >= 8)
                    after.push_back(i - 8);
                const double bytes = 1e6 * (1 + rng.nextU32() % 4);
                transfers.add(bytes, 1e-6, path, after);
                sent += bytes * static_cast<double>(path.size());
            }
            const auto flows = simulateFlows(t, transfers);
            PacketOptions options;

            options.packet = 2048;
            const auto packets = simulatePackets(t, transfers, options);
            QVERIFY(flows.ok());
            QVERIFY(packets.ok());
            QVERIFY2(std::abs(packets->seconds / flows->seconds - 1) < 0.01,
                     qPrintable(QString::number(packets->seconds / flows->seconds)));
            for (const auto& one : {*flows, *packets})
                QCOMPARE(std::accumulate(one.carried.begin(), one.carried.end(), 0.0), sent);
        }
    }

    void circles()
    {
        const Topology t = made(TopologyKind::Ring);
        Transfers transfers;
        const std::uint32_t path[] = {0}, first[] = {1}, second[] = {0};
        transfers.add(1, 0, path, first);
        transfers.add(1, 0, path, second);
        QCOMPARE(simulateFlows(t, transfers).error().code, std::string("bad-transfers"));
        QCOMPARE(simulatePackets(t, transfers).error().code, std::string("bad-transfers"));
    }
};

QTEST_APPLESS_MAIN(TestTopology)
#include "tst_topology.moc"
