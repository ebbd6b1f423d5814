/* SPDX-License-Identifier: Apache-2.0 */
/* What the page offers: every method with its options, as their rows describe them, and the colours of maps. */
#ifndef GIG_WEB_MENU_H
#define GIG_WEB_MENU_H

#include <jansson.h>

/* New; NULL if memory runs out. It never changes, so a server makes it once. */
json_t *web_menu(void);

#endif
