/* SPDX-License-Identifier: Apache-2.0 */
/* Primitives from their descriptions, and primitives with their memory. */
#include "network/dnnl/version.h"
#include <string.h>

int gig_pd_is_slow(const_dnnl_primitive_desc_t pd)
{
    const char *name = "";
    dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &name);
    return strstr(name, "ref") != NULL;
}

const void *gig_pd_md(const_dnnl_primitive_desc_t pd, dnnl_query_t query)
{
    return dnnl_primitive_desc_query_md(pd, query, 0);
}

dnnl_status_t gig_attr_create(dnnl_primitive_attr_t *out)
{
    *out = NULL;
    dnnl_status_t status = dnnl_primitive_attr_create(out);
    if (!status) status = dnnl_primitive_attr_set_scratchpad_mode(*out, dnnl_scratchpad_mode_user);
    if (status && *out) dnnl_primitive_attr_destroy(*out);
    if (status) *out = NULL;
    return status;
}

/* ---- descriptions ---- */

static const struct {
    int argument;
    dnnl_query_t query;
} names[GIG_ARG_COUNT] = {[GIG_ARG_SRC] = {DNNL_ARG_SRC, dnnl_query_src_md},
                          [GIG_ARG_WEIGHTS] = {DNNL_ARG_WEIGHTS, dnnl_query_weights_md},
                          [GIG_ARG_BIAS] = {DNNL_ARG_BIAS, dnnl_query_undef},
                          [GIG_ARG_DST] = {DNNL_ARG_DST, dnnl_query_dst_md},
                          [GIG_ARG_WORKSPACE] = {DNNL_ARG_WORKSPACE, dnnl_query_workspace_md},
                          [GIG_ARG_DIFF_SRC] = {DNNL_ARG_DIFF_SRC, dnnl_query_diff_src_md},
                          [GIG_ARG_DIFF_DST] = {DNNL_ARG_DIFF_DST, dnnl_query_diff_dst_md}};

static gig_status layout_of(const gig_layout **out, gig_onednn *engine, const_dnnl_primitive_desc_t pd,
                            dnnl_query_t query)
{
    void *md;
    GIG_DNNL(gig_md_copy(&md, gig_pd_md(pd, query)));
    return gig_layout_adopt(out, engine, md);
}

gig_status gig_primitive_adopt(gig_primitive **out, gig_onednn *engine, dnnl_primitive_desc_t pd, size_t count,
                               const gig_argument *arguments)
{
    *out = NULL;
    gig_primitive *primitive = gig_alloc_zero(1, sizeof *primitive);
    if (!primitive || gig_grow((void **)&engine->primitives, &engine->primitive_capacity, engine->primitive_count + 1,
                               sizeof *engine->primitives) != GIG_OK) {
        gig_free(primitive);
        dnnl_primitive_desc_destroy(pd);
        return gig_alloc_status();
    }
    engine->primitives[engine->primitive_count++] = primitive;
    primitive->description = pd;
    const void *scratch = gig_pd_md(pd, dnnl_query_scratchpad_md);
    gig_md_facts facts = {0};
    if (scratch) gig_md_look(&facts, scratch);
    primitive->scratch_bytes = facts.bytes;
    for (size_t i = 0; i < count; i++)
        GIG_TRY(layout_of(&primitive->layouts[arguments[i]], engine, pd, names[arguments[i]].query));
    *out = primitive;
    return GIG_OK;
}

gig_status gig_primitive_compile(gig_primitive *primitive, const char *what)
{
    if (primitive->code) return GIG_OK;
    dnnl_primitive_t code = NULL;
    GIG_TRY(gig_dnnl_check(dnnl_primitive_create(&code, primitive->description), what));
    primitive->code = code;
    return GIG_OK;
}

/* ---- with memory ---- */

struct gig_binding {
    dnnl_primitive_t code;
    int count;
    dnnl_exec_arg_t arguments[GIG_ARG_COUNT + 1];
};

gig_status gig_binding_create(gig_binding **out, const gig_onednn *engine, const gig_primitive *primitive, size_t count,
                              const gig_argument *arguments, void *const *pointers, void *scratch)
{
    *out = NULL;
    gig_binding *binding = gig_alloc_zero(1, sizeof *binding);
    if (!binding) return gig_alloc_status();
    binding->code = primitive->code;
    dnnl_status_t status = dnnl_success;
    for (size_t i = 0; i < count && !status; i++) {
        dnnl_exec_arg_t *argument = &binding->arguments[binding->count++];
        argument->arg = names[arguments[i]].argument;
        status = dnnl_memory_create(&argument->memory, primitive->layouts[arguments[i]]->handle, engine->handle,
                                    pointers[i]);
    }
    if (!status && primitive->scratch_bytes) {
        const_dnnl_primitive_desc_t pd;
        dnnl_exec_arg_t *argument = &binding->arguments[binding->count++];
        argument->arg = DNNL_ARG_SCRATCHPAD;
        status = dnnl_primitive_get_primitive_desc(binding->code, &pd);
        if (!status)
            status =
                dnnl_memory_create(&argument->memory, gig_pd_md(pd, dnnl_query_scratchpad_md), engine->handle, scratch);
    }
    if (status) {
        gig_binding_free(binding);
        return gig_dnnl_check(status, "memory of a primitive");
    }
    *out = binding;
    return GIG_OK;
}

void gig_binding_free(gig_binding *binding)
{
    if (!binding) return;
    for (int i = 0; i < binding->count; i++)
        if (binding->arguments[i].memory) dnnl_memory_destroy(binding->arguments[i].memory);
    gig_free(binding);
}

gig_status gig_binding_run(const gig_binding *binding, const gig_stream *stream, const char *what)
{
    dnnl_stream_t handle = (dnnl_stream_t)(uintptr_t)stream;
    return gig_dnnl_check(dnnl_primitive_execute(binding->code, handle, binding->count, binding->arguments), what);
}

/* ---- reorders ---- */

gig_status gig_reorder(gig_primitive **out, gig_onednn *engine, const gig_layout *from, const gig_layout *to)
{
    *out = NULL;
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t pd = NULL;
    GIG_DNNL(gig_attr_create(&attr));
    dnnl_status_t status =
        dnnl_reorder_primitive_desc_create(&pd, from->handle, engine->handle, to->handle, engine->handle, attr);
    dnnl_primitive_attr_destroy(attr);
    GIG_TRY(gig_dnnl_check(status, "reorder"));
    GIG_TRY(gig_primitive_adopt(out, engine, pd, 0, NULL));
    (*out)->layouts[GIG_ARG_SRC] = from;
    (*out)->layouts[GIG_ARG_DST] = to;
    return GIG_OK;
}

gig_status gig_reorder_now(gig_onednn *engine, const gig_layout *from, const void *source, const gig_layout *to,
                           void *target)
{
    dnnl_memory_t memories[2] = {NULL, NULL};
    dnnl_primitive_desc_t pd = NULL;
    dnnl_primitive_t reorder = NULL;
    void *readable = (void *)(uintptr_t)source; /* oneDNN's memory has no const */
    dnnl_status_t status = dnnl_memory_create(&memories[0], from->handle, engine->handle, readable);
    if (!status) status = dnnl_memory_create(&memories[1], to->handle, engine->handle, target);
    if (!status)
        status =
            dnnl_reorder_primitive_desc_create(&pd, from->handle, engine->handle, to->handle, engine->handle, NULL);
    if (!status) status = dnnl_primitive_create(&reorder, pd);
    dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, memories[0]}, {DNNL_ARG_TO, memories[1]}};
    if (!status) status = dnnl_primitive_execute(reorder, engine->stream, 2, arguments);
    if (!status) status = dnnl_stream_wait(engine->stream);
    if (reorder) dnnl_primitive_destroy(reorder);
    if (pd) dnnl_primitive_desc_destroy(pd);
    for (int i = 0; i < 2; i++)
        if (memories[i]) dnnl_memory_destroy(memories[i]);
    return gig_dnnl_check(status, "packing weights");
}
