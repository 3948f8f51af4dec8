// SPDX-License-Identifier: GPL-3.0-or-later
// Graphs of the stand-in for libcuda: what was captured is called again, call by call.
#include "fake_timeline.h"

#ifndef OLD_DRIVER
namespace {

using fake::Graph;
using fake::Stream;

std::list<Graph> g_graphs;

} // namespace

FAKE int cuStreamBeginCapture_v2(void* stream, int)
{
    fake::streamOf(stream).capture = &g_graphs.emplace_back();
    return 0;
}

FAKE int cuStreamEndCapture(void* stream, Graph** graph)
{
    *graph = fake::streamOf(stream).capture;
    for (Stream& one : fake::streams())
        one.capture = nullptr;
    return 0;
}

FAKE int cuGraphInstantiateWithFlags(Graph** exec, Graph* graph, unsigned long long)
{
    *exec = graph;
    return 0;
}

FAKE int cuGraphLaunch(Graph* exec, void*)
{
    for (const auto& node : exec->nodes)
        if (const int result = node(); result != 0)
            return result;
    return 0;
}

FAKE int cuGraphExecDestroy(Graph*)
{
    return 0;
}

FAKE int cuGraphDestroy(Graph*)
{
    return 0;
}
#endif
