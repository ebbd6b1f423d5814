/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN seen from the rest of network/: statuses, memory layouts, and the thread settings it runs under. */
#include "network/plan.h"
#include <stdio.h>
#include <string.h>
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

/* From libgomp, which oneDNN brings; not every compiler finds its header. */
extern void omp_set_num_threads(int threads);
extern int omp_get_max_threads(void);

gig_status gig_dnnl_check(dnnl_status_t status, const char *what)
{
    switch (status) {
    case dnnl_success: return GIG_OK;
    case dnnl_out_of_memory: return gig_fail(GIG_ENOMEM, "oneDNN ran out of memory in %.80s", what);
    case dnnl_unimplemented: return gig_fail(GIG_EUNSUPPORTED, "oneDNN has no implementation for %.80s", what);
    default: return gig_fail(GIG_EINTERNAL, "oneDNN status %d in %.80s", (int)status, what);
    }
}

gig_status gig_md_plain(dnnl_memory_desc_t *out, const gig_tensor *tensor)
{
    dnnl_dims_t dims = {1}, strides = {1};
    int rank = tensor->rank ? tensor->rank : 1;
    for (int i = 0; i < tensor->rank; i++) dims[i] = tensor->dims[i];
    strides[rank - 1] = 1;
    for (int i = rank - 1; i > 0; i--) strides[i - 1] = strides[i] * (dims[i] ? dims[i] : 1);
    GIG_DNNL(dnnl_memory_desc_init_by_strides(out, rank, dims, dnnl_f32, strides));
    return GIG_OK;
}

size_t gig_md_bytes(const dnnl_memory_desc_t *md)
{
    return dnnl_memory_desc_get_size(md);
}

int gig_md_is_plain(const dnnl_memory_desc_t *md)
{
    const dnnl_blocking_desc_t *blocking = &md->format_desc.blocking;
    if (blocking->inner_nblks) { /* blocks of channels over 1 x 1 pixels are the same bytes as none */
        if (!gig_md_channel_block(md)) return 0;
        for (int i = 2; i < md->ndims; i++)
            if (md->dims[i] != 1) return 0;
        return 1;
    }
    dnnl_dim_t stride = 1;
    for (int i = md->ndims - 1; i >= 0; i--) {
        if (md->dims[i] != 1 && blocking->strides[i] != stride) return 0;
        stride *= md->dims[i] ? md->dims[i] : 1;
    }
    return 1;
}

int gig_md_same(const dnnl_memory_desc_t *a, const dnnl_memory_desc_t *b)
{
    return dnnl_memory_desc_equal(a, b) ||
           (gig_md_is_plain(a) && gig_md_is_plain(b) && gig_md_bytes(a) == gig_md_bytes(b));
}

int gig_md_has_padding(const dnnl_memory_desc_t *md)
{
    return memcmp(md->dims, md->padded_dims, sizeof md->dims[0] * (size_t)md->ndims) != 0;
}

int gig_md_channel_block(const dnnl_memory_desc_t *md)
{
    const dnnl_blocking_desc_t *blocking = &md->format_desc.blocking;
    if (md->format_kind != dnnl_blocked || md->ndims < 3 || blocking->inner_nblks != 1 || blocking->inner_idxs[0] != 1)
        return 0;
    return gig_md_has_padding(md) ? 0 : (int)blocking->inner_blks[0];
}

int gig_pd_is_slow(const_dnnl_primitive_desc_t pd)
{
    const char *name = "";
    dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &name);
    return strstr(name, "ref") != NULL;
}

gig_status gig_attr_create(dnnl_primitive_attr_t *out)
{
    GIG_DNNL(dnnl_primitive_attr_create(out));
    dnnl_status_t status = dnnl_primitive_attr_set_scratchpad_mode(*out, dnnl_scratchpad_mode_user);
    if (status != dnnl_success) dnnl_primitive_attr_destroy(*out);
    return gig_dnnl_check(status, "scratchpad mode");
}

const char *gig_network_engine(char *text, size_t bytes)
{
    static const struct {
        dnnl_cpu_isa_t isa;
        const char *name;
    } names[] = {{dnnl_cpu_isa_avx512_core_amx, "avx512-amx"},
                 {dnnl_cpu_isa_avx512_core_bf16, "avx512-bf16"},
                 {dnnl_cpu_isa_avx512_core_vnni, "avx512-vnni"},
                 {dnnl_cpu_isa_avx512_core, "avx512"},
                 {dnnl_cpu_isa_avx2, "avx2"},
                 {dnnl_cpu_isa_avx, "avx"}};
    const unsigned isa = (unsigned)dnnl_get_effective_cpu_isa();
    const dnnl_version_t *version = dnnl_version();
    size_t i = 0;
    while (i < sizeof names / sizeof *names && (isa & (unsigned)names[i].isa) != (unsigned)names[i].isa) i++;
    snprintf(text, bytes, "oneDNN %d.%d.%d (%s)", version->major, version->minor, version->patch,
             i < sizeof names / sizeof *names ? names[i].name : "plain");
    return text;
}

int gig_cpu_has_amx(void)
{
    unsigned isa = (unsigned)dnnl_get_effective_cpu_isa(), amx = (unsigned)dnnl_cpu_isa_avx512_core_amx;
    return (isa & amx) == amx;
}

/* Denormals make saturated softmax gradients a hundred times slower: flush them to zero while we run. */
void gig_guard_enter(gig_guard *guard, int threads)
{
    gig_signals_hold(&guard->held);
    guard->threads = omp_get_max_threads();
    omp_set_num_threads(threads);
#if defined(__x86_64__)
    guard->flags = _mm_getcsr();
    _mm_setcsr(guard->flags | 0x8040); /* flush-to-zero, denormals-are-zero */
#else
    guard->flags = 0;
#endif
}

void gig_guard_leave(const gig_guard *guard)
{
    omp_set_num_threads(guard->threads);
#if defined(__x86_64__)
    _mm_setcsr(guard->flags);
#endif
    gig_signals_release(&guard->held);
}
