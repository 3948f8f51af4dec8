// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/cuda/vendor_dnn.h"

#include "gpu/cuda/library.h"

namespace ridge::gpu::cuda::dnn {

const char* missingEntry(const Library& library, Entries& api)
{
    EntryFinder find(library);
    find("cudnnCreate", api.create);
    find("cudnnDestroy", api.destroy);
    find("cudnnSetStream", api.setStream);
    find("cudnnGetErrorString", api.statusText);
    find("cudnnGetLastErrorString", api.lastError);
    find("cudnnBackendCreateDescriptor", api.descCreate);
    find("cudnnBackendDestroyDescriptor", api.descDestroy);
    find("cudnnBackendFinalize", api.finalise);
    find("cudnnBackendSetAttribute", api.set);
    find("cudnnBackendGetAttribute", api.get);
    find("cudnnBackendExecute", api.execute);
    return find.missing();
}

} // namespace ridge::gpu::cuda::dnn
