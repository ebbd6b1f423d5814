/* Under the leak sanitizer: fontconfig keeps its caches to the end of the process. */
#ifndef VIEW_LEAKS_H
#define VIEW_LEAKS_H

const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig\n";
}

#endif
