/* SPDX-License-Identifier: Apache-2.0 */
#include "base/status.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char message[GIG_MESSAGE_BYTES];

void gig_flatten(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c; c++)
        if (*c < 0x20 || *c == 0x7f) *c = '?';
}

void gig_set_message(const char *format, ...)
{
    char text[GIG_MESSAGE_BYTES]; /* arguments may point into `message` */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    gig_flatten(text);
    memcpy(message, text, sizeof message);
}

gig_status gig_fail_in(gig_status status, const char *format, ...)
{
    char text[GIG_MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    int used = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    gig_flatten(text);
    if (used > 0 && used < GIG_MESSAGE_BYTES && !strncmp(message, text, (size_t)used) && message[used] == ':')
        return status;
    if (used >= 0 && used < GIG_MESSAGE_BYTES) snprintf(text + used, sizeof text - (size_t)used, ": %s", message);
    memcpy(message, text, sizeof message);
    return status;
}

gig_status gig_fail_because(gig_status status, const char *text)
{
    gig_set_message("%s", text);
    return status;
}

const char *gig_message(void)
{
    return message;
}

const char *gig_status_name(gig_status status)
{
    switch (status) {
    case GIG_OK: return "GIG_OK";
    case GIG_EARG: return "GIG_EARG";
    case GIG_EFORMAT: return "GIG_EFORMAT";
    case GIG_ELIMIT: return "GIG_ELIMIT";
    case GIG_EUNSUPPORTED: return "GIG_EUNSUPPORTED";
    case GIG_EIO: return "GIG_EIO";
    case GIG_ENOMEM: return "GIG_ENOMEM";
    case GIG_ENUMERIC: return "GIG_ENUMERIC";
    case GIG_ECANCEL: return "GIG_ECANCEL";
    case GIG_EINTERNAL: return "GIG_EINTERNAL";
    }
    return "GIG_UNKNOWN";
}

const char *gig_version(void)
{
    return GIG_VERSION;
}
