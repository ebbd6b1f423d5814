/* SPDX-License-Identifier: Apache-2.0 */
/* WebP by libwebp: still pictures, and the first frame of animations on a transparent canvas. */
#include "image/decode.h"
#include <string.h>

#include <webp/decode.h>
#include <webp/demux.h>

static gig_status status_of(VP8StatusCode code)
{
    switch (code) {
    case VP8_STATUS_OK: return GIG_OK;
    case VP8_STATUS_OUT_OF_MEMORY: return gig_fail(GIG_ENOMEM, "WebP: out of memory");
    case VP8_STATUS_UNSUPPORTED_FEATURE:
        return gig_fail(GIG_EUNSUPPORTED, "WebP: a feature that libwebp does not support");
    case VP8_STATUS_NOT_ENOUGH_DATA: return gig_fail(GIG_EFORMAT, "WebP: the file ends early");
    default: return gig_fail(GIG_EFORMAT, "WebP: damaged data");
    }
}

/* One still picture into pixels `stride` bytes per row, RGB or RGBA. */
static gig_status decode_still(uint8_t *pixels, size_t stride, size_t width, size_t height, size_t channels,
                               gig_reader bytes)
{
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config))
        return gig_fail(GIG_EINTERNAL, "WebP: the installed libwebp does not match the one gig was built with");
    config.output.colorspace = channels == 4 ? MODE_RGBA : MODE_RGB;
    config.output.is_external_memory = 1;
    config.output.u.RGBA.rgba = pixels;
    config.output.u.RGBA.stride = (int)stride;
    config.output.u.RGBA.size = stride * (height - 1) + width * channels;
    VP8StatusCode code = WebPDecode(bytes.at, bytes.left, &config);
    /* libwebp 1.5 reports a damaged alpha plane in the same way. */
    if (code == VP8_STATUS_OUT_OF_MEMORY && channels == 4)
        return gig_fail(GIG_EFORMAT, "WebP: damaged alpha plane, or out of memory");
    return status_of(code);
}

static gig_status decode_frame(gig_image *canvas, const WebPIterator *frame)
{
    if (frame->x_offset < 0 || frame->y_offset < 0 || frame->width < 1 || frame->height < 1 ||
        (size_t)frame->x_offset + (size_t)frame->width > canvas->width ||
        (size_t)frame->y_offset + (size_t)frame->height > canvas->height)
        return gig_fail(GIG_EFORMAT, "WebP: the first frame lies outside the canvas");
    WebPBitstreamFeatures features;
    GIG_TRY(status_of(WebPGetFeatures(frame->fragment.bytes, frame->fragment.size, &features)));
    if (features.width != frame->width || features.height != frame->height)
        return gig_fail(GIG_EFORMAT, "WebP: the first frame has the wrong size");
    size_t stride = canvas->width * canvas->channels;
    memset(canvas->pixels, 0, canvas->height * stride);
    uint8_t *corner = canvas->pixels + (size_t)frame->y_offset * stride + (size_t)frame->x_offset * canvas->channels;
    return decode_still(corner, stride, (size_t)frame->width, (size_t)frame->height, canvas->channels,
                        (gig_reader){frame->fragment.bytes, frame->fragment.size});
}

static gig_status decode_first_frame(gig_image *canvas, const WebPDemuxer *demuxer)
{
    WebPIterator frame;
    if (!WebPDemuxGetFrame(demuxer, 1, &frame)) return gig_fail(GIG_EFORMAT, "WebP: an animation without a frame");
    gig_status status = decode_frame(canvas, &frame);
    WebPDemuxReleaseIterator(&frame);
    return status;
}

static int find_orientation(const WebPDemuxer *demuxer)
{
    WebPChunkIterator chunk;
    int orientation = 1;
    if (WebPDemuxGetChunk(demuxer, "EXIF", 1, &chunk)) {
        orientation = gig_exif_orientation((gig_reader){chunk.chunk.bytes, chunk.chunk.size});
        WebPDemuxReleaseChunkIterator(&chunk);
    }
    return orientation;
}

gig_status gig_webp_decode(gig_stored *out, gig_reader bytes, const gig_image_options *options)
{
    WebPBitstreamFeatures features;
    GIG_TRY(status_of(WebPGetFeatures(bytes.at, bytes.left, &features)));
    size_t width = (size_t)features.width, height = (size_t)features.height;
    size_t channels = features.has_alpha || features.has_animation ? 4 : 3;
    GIG_TRY(gig_image_check_size("WebP", width, height, options));
    GIG_TRY(gig_image_reserve(&out->image, width, height, channels));
    WebPDemuxer *demuxer = WebPDemux(&(WebPData){bytes.at, bytes.left});
    if (demuxer) out->orientation = find_orientation(demuxer);
    gig_status status;
    if (features.has_animation)
        status =
            demuxer ? decode_first_frame(&out->image, demuxer) : gig_fail(GIG_EFORMAT, "WebP: a damaged animation");
    else
        status = decode_still(out->image.pixels, width * channels, width, height, channels, bytes);
    WebPDemuxDelete(demuxer);
    if (status != GIG_OK) gig_image_clear(&out->image);
    return status;
}
