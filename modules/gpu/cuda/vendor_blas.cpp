// SPDX-License-Identifier: GPL-3.0-or-later
#include "gpu/cuda/vendor_blas.h"

#include "gpu/cuda/library.h"

namespace ridge::gpu::cuda::blas {

bool findEntries(const Library& library, LtEntries& api)
{
    return findEntry(library, "cublasLtCreate", api.create) && findEntry(library, "cublasLtDestroy", api.destroy) &&
           findEntry(library, "cublasLtMatmulDescCreate", api.descCreate) &&
           findEntry(library, "cublasLtMatmulDescDestroy", api.descDestroy) &&
           findEntry(library, "cublasLtMatmulDescSetAttribute", api.descSet) &&
           findEntry(library, "cublasLtMatrixLayoutCreate", api.layoutCreate) &&
           findEntry(library, "cublasLtMatrixLayoutDestroy", api.layoutDestroy) &&
           findEntry(library, "cublasLtMatmulPreferenceCreate", api.preferenceCreate) &&
           findEntry(library, "cublasLtMatmulPreferenceDestroy", api.preferenceDestroy) &&
           findEntry(library, "cublasLtMatmulPreferenceSetAttribute", api.preferenceSet) &&
           findEntry(library, "cublasLtMatmulAlgoGetHeuristic", api.heuristics) &&
           findEntry(library, "cublasLtMatmul", api.multiply);
}

} // namespace ridge::gpu::cuda::blas
