/* SPDX-License-Identifier: Apache-2.0 */
#include "frame/progress.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static progress *on_screen; /* the bar that is drawn from time to time, or NULL */

double seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

const char *progress_duration(char *text, size_t bytes, double seconds)
{
    const double days = 86400;
    long whole = seconds > 0 && seconds < 100 * days ? (long)(seconds + 0.5) : 0;
    if (seconds >= 100 * days)
        snprintf(text, bytes, "%.0f days", fmin(seconds / days, 1e6));
    else if (whole >= 3600)
        snprintf(text, bytes, "%ld:%02ld:%02ld", whole / 3600, whole / 60 % 60, whole % 60);
    else
        snprintf(text, bytes, "%ld:%02ld", whole / 60, whole % 60);
    return text;
}

static int columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

/* [########............] 40%  81/200 gradients  12.3/s  0:10 left */
static void draw(progress *bar, double time)
{
    enum { MOST = 30, LEAST = 5 };
    char cells[MOST + 1], left[32] = "", numbers[200];
    double passed = time - bar->start, rate = passed > 0 ? (double)bar->done / passed : 0;
    double share = bar->total ? (double)bar->done / (double)bar->total : 0;
    double rest = isnan(bar->left) && rate > 0 ? (double)(bar->total - bar->done) / rate : bar->left;
    if (!isnan(rest)) progress_duration(left, sizeof left, rest);
    int used = snprintf(numbers, sizeof numbers, "%3d%%  %zu/%zu %s  %.*f/s  %s left", (int)(share * 100), bar->done,
                        bar->total, bar->what,
                        rate < 10    ? 2
                        : rate < 100 ? 1
                                     : 0,
                        rate, isnan(rest) ? "?" : left);
    int width = columns() - used - 4; /* brackets, a blank, and one that stays free: else lines would wrap */
    width = width > MOST ? MOST : width < LEAST ? LEAST : width;
    int filled = (int)(share * width);
    memset(cells, '.', (size_t)width);
    memset(cells, '#', (size_t)(filled > width ? width : filled));
    cells[width] = 0;
    fprintf(stderr, "\r[%s] %s\033[K", cells, numbers);
    bar->drawn = time;
}

void progress_begin(progress *bar, const char *what, size_t total, int quiet)
{
    *bar = (progress){
        .what = what, .total = total, .start = seconds_now(), .left = NAN, .shown = !quiet && isatty(STDERR_FILENO)};
    pthread_mutex_init(&bar->lock, NULL);
    on_screen = bar;
}

static void move(progress *bar, size_t done, size_t total)
{
    const double pause = 0.1; /* seconds between drawings */
    bar->done = done;
    bar->total = total < done ? done : total;
    if (!bar->shown) return;
    double time = seconds_now();
    if (time - bar->drawn >= pause) draw(bar, time);
}

void progress_add(progress *bar, size_t more)
{
    pthread_mutex_lock(&bar->lock);
    move(bar, bar->done + more, bar->total);
    pthread_mutex_unlock(&bar->lock);
}

void progress_set(progress *bar, size_t done, size_t total)
{
    pthread_mutex_lock(&bar->lock);
    move(bar, done, total);
    pthread_mutex_unlock(&bar->lock);
}

void progress_expect(progress *bar, size_t done, size_t total, double left)
{
    pthread_mutex_lock(&bar->lock);
    bar->left = left;
    move(bar, done, total);
    pthread_mutex_unlock(&bar->lock);
}

static void wipe(progress *bar)
{
    if (bar->shown && bar->drawn > 0) fputs("\r\033[K", stderr);
    bar->drawn = 0;
}

void progress_make_way(void)
{
    if (!on_screen) return;
    pthread_mutex_lock(&on_screen->lock);
    wipe(on_screen);
    pthread_mutex_unlock(&on_screen->lock);
}

void progress_end(progress *bar)
{
    wipe(bar);
    if (on_screen == bar) on_screen = NULL;
    pthread_mutex_destroy(&bar->lock);
}
