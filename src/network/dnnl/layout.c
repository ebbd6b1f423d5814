/* SPDX-License-Identifier: Apache-2.0 */
#include "network/dnnl/version.h"
#include <string.h>

dnnl_data_type_t gig_dnnl_type(gig_number type)
{
    return type == GIG_NUMBER_BF16 ? dnnl_bf16 : dnnl_f32;
}

/* 0: no blocks; of channels, their size; -1: others. */
static int block_of(const gig_md_facts *facts)
{
    if (!facts->blocked) return -1;
    if (!facts->inner_count) return 0;
    return facts->rank >= 3 && facts->inner_count == 1 && facts->inner_axis == 1 ? facts->inner_size : -1;
}

/* Blocks of channels over 1 x 1 pixels are the same bytes as none. */
static int is_plain(const gig_layout *layout)
{
    if (layout->block) {
        if (!layout->channel_block) return 0;
        for (int i = 2; i < layout->rank; i++)
            if (layout->dims[i] != 1) return 0;
        return 1;
    }
    int64_t stride = 1;
    for (int i = layout->rank - 1; i >= 0; i--) {
        if (layout->dims[i] != 1 && layout->strides[i] != stride) return 0;
        stride *= layout->dims[i] ? layout->dims[i] : 1;
    }
    return 1;
}

static void describe(gig_layout *out, void *md)
{
    gig_md_facts facts;
    gig_md_look(&facts, md);
    *out = (gig_layout){.rank = facts.rank, .bytes = facts.bytes, .handle = md, .block = block_of(&facts)};
    out->type = facts.type == dnnl_f32 ? GIG_NUMBER_F32 : facts.type == dnnl_bf16 ? GIG_NUMBER_BF16 : GIG_NUMBER_OTHER;
    memcpy(out->dims, facts.dims, sizeof out->dims);
    memcpy(out->strides, facts.strides, sizeof out->strides);
    out->padded = memcmp(facts.dims, facts.padded_dims, (size_t)facts.rank * sizeof facts.dims[0]) != 0;
    out->channel_block = out->block > 0 && !out->padded ? out->block : 0;
    out->plain = is_plain(out);
}

gig_status gig_layout_adopt(const gig_layout **out, gig_onednn *engine, void *md)
{
    *out = NULL;
    gig_layout *layout = gig_alloc(1, sizeof *layout);
    if (!layout || gig_grow((void **)&engine->layouts, &engine->layout_capacity, engine->layout_count + 1,
                            sizeof *engine->layouts) != GIG_OK) {
        gig_free(layout);
        gig_md_free(md);
        return gig_alloc_status();
    }
    describe(layout, md);
    engine->layouts[engine->layout_count++] = layout;
    *out = layout;
    return GIG_OK;
}

dnnl_status_t gig_md_any(void **out, int rank, const int64_t *dims, gig_number type)
{
    return gig_md_by_tag(out, rank, dims, gig_dnnl_type(type), dnnl_format_tag_any);
}

gig_status gig_layout_dense(const gig_layout **out, gig_onednn *engine, int rank, const int64_t *dims)
{
    int64_t sizes[GIG_LAYOUT_RANK] = {1}, strides[GIG_LAYOUT_RANK] = {1};
    for (int i = 0; i < rank; i++) sizes[i] = dims[i];
    if (!rank) rank = 1;
    strides[rank - 1] = 1;
    for (int i = rank - 1; i > 0; i--) strides[i - 1] = strides[i] * (sizes[i] ? sizes[i] : 1);
    void *md;
    GIG_DNNL(gig_md_by_strides(&md, rank, sizes, dnnl_f32, strides));
    return gig_layout_adopt(out, engine, md);
}

gig_status gig_layout_matrix(const gig_layout **out, gig_onednn *engine, int64_t rows, int64_t columns, int turned)
{
    const int64_t dims[GIG_LAYOUT_RANK] = {rows, columns},
                  strides[GIG_LAYOUT_RANK] = {turned ? 1 : columns, turned ? rows : 1};
    void *md;
    GIG_DNNL(gig_md_by_strides(&md, 2, dims, dnnl_f32, strides));
    return gig_layout_adopt(out, engine, md);
}

gig_status gig_layout_plain(const gig_layout **out, gig_onednn *engine, const gig_tensor *tensor)
{
    return gig_layout_dense(out, engine, tensor->rank, tensor->dims);
}

static gig_status blocked(const gig_layout **out, gig_onednn *engine, int rank, const int64_t *dims, int block,
                          gig_number type)
{
    static const dnnl_format_tag_t tags[2][3] = {{dnnl_nCw8c, dnnl_nChw8c, dnnl_nCdhw8c},
                                                 {dnnl_nCw16c, dnnl_nChw16c, dnnl_nCdhw16c}};
    int64_t sizes[GIG_LAYOUT_RANK] = {0};
    void *md;
    if (rank < 3 || rank > 5 || (block != 8 && block != 16))
        return gig_fail(GIG_EUNSUPPORTED, "no layout of %d dims in blocks of %d channels", rank, block);
    for (int i = 0; i < rank; i++) sizes[i] = dims[i];
    GIG_DNNL(gig_md_by_tag(&md, rank, sizes, gig_dnnl_type(type), tags[block == 16][rank - 3]));
    return gig_layout_adopt(out, engine, md);
}

gig_status gig_layout_blocked(const gig_layout **out, gig_onednn *engine, int rank, const int64_t *dims, int block)
{
    return blocked(out, engine, rank, dims, block, GIG_NUMBER_F32);
}

gig_status gig_layout_part(const gig_layout **out, gig_onednn *engine, const gig_layout *whole, int64_t first_channel,
                           int64_t channels)
{
    int64_t dims[GIG_LAYOUT_RANK], offsets[GIG_LAYOUT_RANK] = {0};
    memcpy(dims, whole->dims, sizeof dims);
    dims[1] = channels;
    offsets[1] = first_channel;
    void *md;
    GIG_DNNL(gig_md_part(&md, whole->handle, dims, offsets));
    return gig_layout_adopt(out, engine, md);
}

gig_status gig_layout_with_type(const gig_layout **out, gig_onednn *engine, const gig_layout *layout, gig_number type)
{
    *out = layout;
    if (layout->type == type) return GIG_OK;
    if (layout->block) return blocked(out, engine, layout->rank, layout->dims, layout->block, type);
    void *md;
    GIG_DNNL(gig_md_by_strides(&md, layout->rank, layout->dims, gig_dnnl_type(type), layout->strides));
    return gig_layout_adopt(out, engine, md);
}

int gig_layout_same(const gig_layout *a, const gig_layout *b)
{
    return a == b || dnnl_memory_desc_equal(a->handle, b->handle) || (a->plain && b->plain && a->bytes == b->bytes);
}
