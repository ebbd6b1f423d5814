/* What the counts of a study do not show. */
#include "base/memory.h"
#include "gig/work.h"
#include "work/store.h"
#include "work/text.h"

gig_status gig_study_remarks(char **text, const char *path)
{
    gig_store *store;
    gig_text out = {0};
    char *planned = NULL;
    *text = NULL;
    GIG_TRY(gig_store_open(&store, path, GIG_STORE_READ));
    gig_status status = gig_store_get_fact(&planned, store, "remarks");
    if (status == GIG_OK && planned) gig_text_add(&out, "%s", planned);
    gig_store_close(store);
    gig_free(planned);
    if (status == GIG_OK) return gig_text_take(text, &out);
    gig_free(out.text);
    return status;
}
