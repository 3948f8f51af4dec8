// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "gpu/cuda/library.h"

namespace ridge::gpu::cuda {

/// One of NVIDIA's optional libraries. No number of ours needs one.
struct VendorLibrary {
    std::string id;    ///< "cublas", "cublaslt", "cudnn", "nccl", "cupti"
    std::string title; ///< "cuBLASLt"
    bool available = false;
    std::string version; ///< "13.0.2" as the library itself says; of CUPTI before 13 the number of its interface, "28"
    std::string path;    ///< name or file that was loaded, else the first that was tried
    std::string reason;  ///< why it is not available
    std::string fix;
};

/// Opens each ($RIDGE_LIBCUBLAS, RIDGE_LIBCUBLASLT, RIDGE_LIBCUDNN, RIDGE_LIBNCCL, RIDGE_LIBCUPTI, else the names by
/// which the loader knows them) and asks it for its version, which needs no GPU. The libraries are large and run code
/// of their own when they are loaded: call it in a process that may take its time, or end.
std::vector<VendorLibrary> listVendorLibraries();

/// A library by its id, to be called, with what listVendorLibraries() says of it. Errors: "no-reference" with reason
/// and fix; the id must be one of the five.
struct OpenVendorLibrary {
    Library library;
    VendorLibrary facts;
};
Result<OpenVendorLibrary> openVendorLibrary(const std::string& id);

} // namespace ridge::gpu::cuda
