/* SPDX-License-Identifier: Apache-2.0 */
/* oneDNN's engine and what it owns, its statuses, the CPU features it uses, and its runtime settings. */
#include "internal/network.h"
#include "network/dnnl/version.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#if defined(__GLIBC__)
#include <gnu/libc-version.h>
#endif
#if defined(__x86_64__)
#include <cpuid.h>
#include <xmmintrin.h>
#endif

/* From libgomp, which oneDNN depends on; not every compiler finds its header. */
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

gig_status gig_onednn_create(gig_onednn **out)
{
    *out = NULL;
    gig_onednn *engine = gig_alloc_zero(1, sizeof *engine);
    if (!engine) return gig_alloc_status();
    dnnl_status_t status = dnnl_engine_create(&engine->handle, dnnl_cpu, 0);
    if (!status) status = dnnl_stream_create(&engine->stream, engine->handle, dnnl_stream_default_flags);
    if (status) {
        gig_onednn_free(engine);
        return gig_dnnl_check(status, "making an engine");
    }
    *out = engine;
    return GIG_OK;
}

void gig_onednn_set_block(gig_onednn *engine, int block)
{
    engine->block = block;
}

static void forget_description(gig_primitive *primitive)
{
    if (primitive->description) dnnl_primitive_desc_destroy(primitive->description);
    primitive->description = NULL;
}

void gig_onednn_settle(gig_onednn *engine)
{
    for (size_t i = 0; i < engine->primitive_count; i++) forget_description(engine->primitives[i]);
}

void gig_onednn_free(gig_onednn *engine)
{
    if (!engine) return;
    for (size_t i = 0; i < engine->primitive_count; i++) {
        forget_description(engine->primitives[i]);
        if (engine->primitives[i]->code) dnnl_primitive_destroy(engine->primitives[i]->code);
        gig_free(engine->primitives[i]);
    }
    for (size_t i = 0; i < engine->layout_count; i++) {
        gig_md_free(engine->layouts[i]->handle);
        gig_free(engine->layouts[i]);
    }
    gig_free(engine->primitives);
    gig_free(engine->layouts);
    if (engine->stream) dnnl_stream_destroy(engine->stream);
    if (engine->handle) dnnl_engine_destroy(engine->handle);
    gig_free(engine);
}

gig_status gig_stream_create(gig_stream **out, const gig_onednn *engine)
{
    dnnl_stream_t stream = NULL;
    *out = NULL;
    GIG_DNNL(dnnl_stream_create(&stream, engine->handle, dnnl_stream_default_flags));
    *out = (gig_stream *)stream;
    return GIG_OK;
}

void gig_stream_free(gig_stream *stream)
{
    if (stream) dnnl_stream_destroy((dnnl_stream_t)stream);
}

/* ---- the CPU ---- */

static int runs(dnnl_cpu_isa_t wanted)
{
    return ((unsigned)dnnl_get_effective_cpu_isa() & (unsigned)wanted) == (unsigned)wanted;
}

enum { UNDECIDED, PORTABLE, OWN };
static atomic_int decision = UNDECIDED; /* of gig_cpu_set_portable */

/* oneDNN answers dnnl_invalid_arguments when it is too late, dnnl_unimplemented where it cannot be held to AVX2
 * (arm64). */
static gig_status hold_to_avx2(void)
{
    int late = dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx2) == dnnl_invalid_arguments;
    if (late && (gig_cpu_has_avx512() || !gig_cpu_has_avx2()))
        return gig_fail(GIG_EARG, "portable must be set before the first network of the process");
    if (!gig_cpu_has_avx2()) return gig_fail(GIG_EUNSUPPORTED, "portable results need a CPU with AVX2");
    if (gig_cpu_has_avx512())
        return gig_fail(GIG_EUNSUPPORTED, "portable results need a oneDNN that can be held to AVX2; this one cannot");
    return GIG_OK;
}

gig_status gig_cpu_set_portable(int portable)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    gig_status status = GIG_OK;
    pthread_mutex_lock(&lock);
    int decided = decision;
    if (decided == UNDECIDED) {
        if (portable) status = hold_to_avx2();
        if (status == GIG_OK) decision = portable ? PORTABLE : OWN;
    } else if (decided != (portable ? PORTABLE : OWN)) {
        status =
            gig_fail(GIG_EARG, decided == PORTABLE
                                   ? "this process computes portable results; it cannot stop"
                                   : "this process has computed without portable results; start another for these");
    }
    pthread_mutex_unlock(&lock);
    return status;
}

int gig_cpu_has_amx(void)
{
    return runs(dnnl_cpu_isa_avx512_core_amx);
}

int gig_cpu_has_bf16(void)
{
    return runs(dnnl_cpu_isa_avx512_core_bf16);
}

int gig_cpu_has_avx512(void)
{
    return runs(dnnl_cpu_isa_avx512_core);
}

int gig_cpu_is_portable(void)
{
    return decision == PORTABLE;
}

/* oneDNN reads its limit from these (portable replaces it by AVX2). Whoever sets one wants no wider vectors of ours
 * either. */
static int is_limited_from_outside(void)
{
    return getenv("ONEDNN_MAX_CPU_ISA") || getenv("DNNL_MAX_CPU_ISA");
}

static int has_wide_vectors(void)
{
#if defined(__x86_64__)
    int allowed = gig_cpu_has_avx512() || (gig_cpu_is_portable() && !is_limited_from_outside());
    return allowed && gig_cpu_has_avx2() && __builtin_cpu_supports("avx512f");
#else
    return 0;
#endif
}

int gig_cpu_has_wide_vectors(void)
{
    enum { UNKNOWN, NO, YES };
    static atomic_int known = UNKNOWN; /* portable is decided before the first network, and nothing asks earlier */
    if (known == UNKNOWN) known = has_wide_vectors() ? YES : NO;
    return known == YES;
}

int gig_cpu_has_avx2(void)
{
#if defined(__x86_64__)
    return runs(dnnl_cpu_isa_avx2) && __builtin_cpu_supports("fma");
#else
    return 0;
#endif
}

static const char *instructions(void)
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
    size_t i = 0;
    while (i < sizeof names / sizeof *names && !runs(names[i].isa)) i++;
    return i < sizeof names / sizeof *names ? names[i].name : "plain";
}

/* "AMD EPYC 9R14": three times 16 bytes that the CPU holds, padded with spaces. */
static void read_cpu(char *text, size_t bytes)
{
#if defined(__x86_64__)
    unsigned words[13] = {0}, *at = words;
    int told = 1;
    for (unsigned leaf = 0x80000002; leaf <= 0x80000004; leaf++, at += 4)
        told &= __get_cpuid(leaf, at, at + 1, at + 2, at + 3);
    const char *name = (const char *)words;
    name += strspn(name, " ");
    size_t length = strlen(name);
    while (length && name[length - 1] == ' ') length--;
    if (told && length) {
        snprintf(text, bytes, "%.*s", (int)length, name);
        return;
    }
#endif
    struct utsname about;
    snprintf(text, bytes, "%s", uname(&about) == 0 ? about.machine : "unknown");
}

void gig_machine_read(gig_machine *out)
{
    const dnnl_version_t *version = dnnl_version();
    snprintf(out->onednn, sizeof out->onednn, "%d.%d.%d", version->major, version->minor, version->patch);
    snprintf(out->instructions, sizeof out->instructions, "%s", instructions());
#if defined(__GLIBC__)
    snprintf(out->c_library, sizeof out->c_library, "glibc %s", gnu_get_libc_version());
#else
    snprintf(out->c_library, sizeof out->c_library, "unknown");
#endif
    read_cpu(out->cpu, sizeof out->cpu);
}

const char *gig_network_engine(char *text, size_t bytes)
{
    gig_machine machine;
    gig_machine_read(&machine);
    snprintf(text, bytes, "oneDNN %s (%s)", machine.onednn, machine.instructions);
    return text;
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
