# SPDX-License-Identifier: GPL-3.0-or-later
"""The few calls of the CUDA driver API that the comparison needs, through ctypes: standard library only."""

import ctypes
import ctypes.util
import hashlib
import math
import pathlib
import struct

ATTRIBUTES = {"sms": 16, "clock_khz": 13, "memory_khz": 36, "bus_bits": 37, "l2_bytes": 38, "major": 75, "minor": 76}
SHARED_BYTES = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
REGISTERS = 4  # CU_FUNC_ATTRIBUTE_NUM_REGS
LOG_BUFFER, LOG_SIZE = 5, 6  # CU_JIT_ERROR_LOG_BUFFER, its size in bytes


class CudaFailed(Exception):
    """A driver call failed, or there is no driver."""


def scalar_bytes(spec):
    """The parameter that a scalar SPEC means ("f32:2.5")."""
    kind, text = spec.split(":")
    if kind in ("f32", "f64"):
        return struct.pack("<f" if kind == "f32" else "<d", float(text))
    bits = int(kind[1:])
    return (int(text, 0) & (1 << bits) - 1).to_bytes(bits // 8, "little")


def cubin_name(ptx, kernel):
    return hashlib.sha256(f"{kernel} {ptx}".encode()).hexdigest()[:24] + ".cubin"


class Gpu:
    """Device 0. Buffers are plain device addresses. `cubins`: a folder of kernels that ptxas compiled before (record.py --prepare)."""

    def __init__(self, library=None, cubins=None):
        self.cubins = pathlib.Path(cubins) if cubins else None
        try:
            self.cuda = ctypes.CDLL(library or "libcuda.so.1")
        except OSError as error:
            raise CudaFailed(f"no CUDA driver: {error}") from error
        self.call("cuInit", 0)
        device = ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        name = ctypes.create_string_buffer(128)
        self.call("cuDeviceGetName", name, 128, device)
        self.name = name.value.decode()
        self.facts = {}
        for key, number in ATTRIBUTES.items():
            value = ctypes.c_int()
            self.call("cuDeviceGetAttribute", ctypes.byref(value), number, device)
            self.facts[key] = value.value
        self.modules = {}
        self.allocated = []
        self.events = [self.event(), self.event()]

    def call(self, name, *arguments):
        function = getattr(self.cuda, name, None)
        if function is None:
            raise CudaFailed(f"this driver has no {name}")
        code = function(*arguments)
        if code != 0:
            text = ctypes.c_char_p()
            self.cuda.cuGetErrorName(code, ctypes.byref(text))
            raise CudaFailed(f"{name}: {(text.value or b'error').decode()} ({code})")

    def event(self):
        handle = ctypes.c_void_p()
        self.call("cuEventCreate", ctypes.byref(handle), 0)
        return handle

    def function(self, ptx, kernel):
        """Compiled once by the driver's ptxas for each text, or before by ours."""
        if self.cubins and (file := self.cubins / cubin_name(ptx, kernel)).exists():
            if file not in self.modules:
                module = ctypes.c_void_p()
                self.call("cuModuleLoadData", ctypes.byref(module), file.read_bytes())
                self.modules[file] = module
            return self.function_of(self.modules[file], kernel)
        if ptx not in self.modules:
            module = ctypes.c_void_p()
            log = ctypes.create_string_buffer(4096)
            options = (ctypes.c_int * 2)(LOG_BUFFER, LOG_SIZE)
            values = (ctypes.c_void_p * 2)(ctypes.cast(log, ctypes.c_void_p).value, 4096)
            try:
                self.call("cuModuleLoadDataEx", ctypes.byref(module), ptx.encode() + b"\0", 2, options, values)
            except CudaFailed as error:
                raise CudaFailed(f"{error}: {log.value.decode(errors='replace').strip()}") from error
            self.modules[ptx] = module
        return self.function_of(self.modules[ptx], kernel)

    def function_of(self, module, kernel):
        handle = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(handle), module, kernel.encode())
        return handle

    def registers(self, ptx, kernel):
        value = ctypes.c_int()
        self.call("cuFuncGetAttribute", ctypes.byref(value), REGISTERS, self.function(ptx, kernel))
        return value.value

    def allocate(self, size):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(size, 4)))
        self.allocated.append(address.value)
        return address.value

    def free_all(self):
        for address in self.allocated:
            self.call("cuMemFree_v2", ctypes.c_uint64(address))
        self.allocated = []

    def put(self, content):
        address = self.allocate(len(content))
        self.write(address, content)
        return address

    def write(self, address, content):
        self.call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), content, ctypes.c_size_t(len(content)))

    def copy(self, to, source, size):
        self.call("cuMemcpyDtoD_v2", ctypes.c_uint64(to), ctypes.c_uint64(source), ctypes.c_size_t(size))

    def fill(self, address, byte, size):
        self.call("cuMemsetD8_v2", ctypes.c_uint64(address), ctypes.c_ubyte(byte), ctypes.c_size_t(size))

    def read(self, address, size):
        content = ctypes.create_string_buffer(size)
        self.call("cuMemcpyDtoH_v2", content, ctypes.c_uint64(address), ctypes.c_size_t(size))
        return content.raw

    def launch(self, function, point, parameters, stream=None):
        """`parameters`: addresses (int) and the bytes of scalars, in order. Does not wait."""
        shared = point.get("smem", 0)
        if shared > 48 << 10:
            self.call("cuFuncSetAttribute", function, SHARED_BYTES, shared)
        held = [ctypes.create_string_buffer(value.to_bytes(8, "little") if isinstance(value, int) else value)
                for value in parameters]
        array = (ctypes.c_void_p * max(1, len(held)))(*[ctypes.cast(one, ctypes.c_void_p).value for one in held])
        self.call("cuLaunchKernel", function, *point["grid"], *point["block"], shared, stream, array, None)

    def graph(self, work):
        """The launches that `work(stream)` makes, as a graph ready to run."""
        stream, graph, ready = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuStreamCreate", ctypes.byref(stream), 1)
        self.call("cuStreamBeginCapture_v2", stream, 2)
        work(stream)
        self.call("cuStreamEndCapture", stream, ctypes.byref(graph))
        self.call("cuGraphInstantiateWithFlags", ctypes.byref(ready), graph, ctypes.c_ulonglong(0))
        self.call("cuGraphDestroy", graph)
        self.call("cuStreamDestroy_v2", stream)
        return ready

    def graph_seconds(self, graph):
        return self.seconds(lambda: self.call("cuGraphLaunch", graph, None))

    def wait(self):
        self.call("cuCtxSynchronize")

    def seconds(self, work):
        """GPU time between two events around `work()`."""
        self.call("cuEventRecord", self.events[0], None)
        work()
        self.call("cuEventRecord", self.events[1], None)
        self.call("cuEventSynchronize", self.events[1])
        milliseconds = ctypes.c_float()
        self.call("cuEventElapsedTime", ctypes.byref(milliseconds), *self.events)
        if not math.isfinite(milliseconds.value):
            raise CudaFailed("an event gave no time")
        return milliseconds.value * 1e-3


class GpuTarget:
    """Runs a point as simulator.Simulator does: same arguments, same answer, without counters."""

    def __init__(self, gpu, contents):
        self.gpu = gpu
        self.contents = contents  # SPECs -> bytes, as the simulator fills them

    def bind(self, point):
        """(parameters, {argument index: (address, initial bytes)})."""
        filled = [spec for spec in point["args"] if not isinstance(spec, bytes) and len(spec.split(":")) > 2]
        known = dict(zip(filled, self.contents(filled))) if filled else {}
        parameters, buffers = [], {}
        for at, spec in enumerate(point["args"]):
            content = spec if isinstance(spec, bytes) else known.get(spec)
            if content is None:
                parameters.append(scalar_bytes(spec))
                continue
            buffers[at] = (self.gpu.put(content), content)
            parameters.append(buffers[at][0])
        return parameters, buffers

    def run(self, ptx, point, timed=False):
        del timed  # cycles.py takes the time
        try:
            parameters, buffers = self.bind(point)
            self.gpu.launch(self.gpu.function(ptx, point["kernel"]), point, parameters)
            self.gpu.wait()
            return {}, {at: self.gpu.read(address, len(content)) for at, (address, content) in buffers.items()}
        finally:
            self.gpu.free_all()
