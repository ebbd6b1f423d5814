#include "options.h"
#include "gig/number.h"
#include "report.h"
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(options, field)

const option_row option_table[] = {
    {"tensor", 0, "[NAME=]X.npy", KIND_FILES, GROUP_WHAT, FOR_GRADIENT | FOR_EXPLAIN, AT(tensors), NULL, NULL, 0, 0,
     "The points: an array [n,...] as the model takes it, or NAME of a model with several inputs. May be repeated: the "
     "first floating-point one holds the points, the others stay fixed. An .npz file with one array will do."},
    {"class", 'c', "K", KIND_TEXT, GROUP_WHAT, FOR_GRADIENT | FOR_EXPLAIN | FOR_COMPARE | FOR_PATH | FOR_SCORE,
     AT(of_class), NULL, NULL, 0, 0, "The class whose score is differentiated, counted from 0."},
    {"of", 0, "SCALAR", KIND_CHOICE, GROUP_WHAT, FOR_GRADIENT | FOR_EXPLAIN | FOR_COMPARE | FOR_PATH, AT(of),
     "softmax|logit|logprob|sigmoid", "softmax", 0, 0,
     "Which number of the class: its softmax probability, its logit, its log-probability, or its sigmoid. A model that "
     "ends in one of these is used as such."},
    {"at", 0, "NAME", KIND_TEXT, GROUP_WHAT, FOR_GRADIENT | FOR_EXPLAIN | FOR_COMPARE, AT(at), NULL, "the input", 0, 0,
     "Differentiate with respect to this tensor of the graph, at the value the input gives it: with --tensor, also "
     "where "
     "the model takes whole numbers only, such as a text's. For grad-cam: the layer."},
    {"output", 0, "NAME", KIND_TEXT, GROUP_WHAT,
     FOR_MODEL | FOR_GRADIENT | FOR_BENCH | FOR_EXPLAIN | FOR_COMPARE | FOR_PATH | FOR_SCORE, AT(output), NULL,
     "the first", 0, 0, "The model's output that holds the classes."},
    {"shape", 0, "NAME=D,D,...", KIND_LIST, GROUP_WHAT,
     FOR_MODEL | FOR_GRADIENT | FOR_BENCH | FOR_EXPLAIN | FOR_COMPARE | FOR_PATH | FOR_SCORE, AT(shapes), NULL, NULL, 0,
     0, "The shape of an input whose file leaves it open, such as input=1,3,224,224. May be repeated."},
    {"batch", 'b', "B", KIND_COUNT, GROUP_RUNNING,
     FOR_MODEL | FOR_GRADIENT | FOR_BENCH | FOR_EXPLAIN | FOR_COMPARE | FOR_PATH | FOR_SCORE, AT(batch), NULL, "1", 1,
     4096, "Points computed in one call. A CPU is rarely faster with more than 1."},
    {"threads", 'j', "J", KIND_COUNT, GROUP_RUNNING,
     FOR_GRADIENT | FOR_EXPLAIN | FOR_COMPARE | FOR_PATH | FOR_SCORE | FOR_STUDY, AT(threads), NULL, "all cores", 1,
     1024,
     "Workers that the work is dealt to: threads, or processes of a study. Results have the same bits for any number."},
    {"precision", 0, "P", KIND_CHOICE, GROUP_RUNNING,
     FOR_MODEL | FOR_GRADIENT | FOR_BENCH | FOR_EXPLAIN | FOR_COMPARE | FOR_PATH | FOR_SCORE, AT(precision),
     "f32|mixed|split|bf16", "f32", 0, 0,
     "f32; mixed: backward in bf16; split: forward by three products of bf16 halves, backward in bf16; bf16: both, "
     "where ReLUs flip. The last three need a CPU with AMX."},
    {"pixels", 0, "X.npy", KIND_FILE, GROUP_WHAT, FOR_EXPLAIN | FOR_COMPARE | FOR_PATH, AT(pixels), NULL, NULL, 0, 0,
     "Pictures as an array [n,H,W,3] with values in [0,1], at the model's size."},
    {"method", 'm', "NAME", KIND_TEXT, GROUP_HOW, FOR_EXPLAIN | FOR_PATH, AT(method), NULL, "gig:20", 0, 0,
     "[xrai+][smooth+]BASE[:K][/option=value...]; BASE is gradients, gradients-x-input, edge, ig, blur-ig, gig, "
     "grad-cam, "
     "guided-backprop or occlusion. Options in the name override the flags below."},
    {"methods", 0, "A,B,...", KIND_TEXT, GROUP_HOW, FOR_COMPARE | FOR_STUDY, AT(methods), NULL,
     "gradients, ig, blur-ig, gig:0, gig:20, smooth+gig:20/samples=5, xrai+gig:20, grad-cam; of a table all", 0, 0,
     "Methods to compare, named as for explain, with commas between. study table: the rows that are wanted."},
    {"steps", 0, "N", KIND_TEXT, GROUP_HOW, FOR_EXPLAIN | FOR_COMPARE | FOR_PATH, AT(steps), NULL, "200", 0, 0,
     "Steps of the whole path."},
    {"steps-per-segment", 0, "N", KIND_TEXT, GROUP_HOW, FOR_EXPLAIN | FOR_COMPARE, AT(steps_per_segment), NULL, NULL, 0,
     0, "Steps of each of the K+1 segments of gig:K, instead of --steps."},
    {"fraction", 0, "P", KIND_TEXT, GROUP_HOW, FOR_EXPLAIN | FOR_COMPARE | FOR_PATH, AT(fraction), NULL, "0.1", 0, 0,
     "Share of the features that a Guided IG step may move: those of least gradient."},
    {"fraction-of", 0, "WHAT", KIND_TEXT, GROUP_HOW, FOR_EXPLAIN | FOR_COMPARE | FOR_PATH, AT(fraction_of), NULL, "all",
     0, 0, "Of all features (the paper's pseudocode) or of those remaining (its text)."},
    {"max-dist", 0, "M", KIND_TEXT, GROUP_HOW, FOR_EXPLAIN | FOR_COMPARE | FOR_PATH, AT(max_dist), NULL, "none", 0, 0,
     "Bounded Guided IG: no feature is further than M, in shares of its way, from the straight line."},
    {"rule", 0, "RULE", KIND_TEXT, GROUP_HOW, FOR_EXPLAIN | FOR_COMPARE, AT(rule), NULL, "the method's", 0, 0,
     "How gradients are summed: left, right, trapezoid, midpoint, idgi; for ig and blur-ig also gauss-legendre, pair "
     "and "
     "captum-trapezoid."},
    {"tolerance", 0, "E", KIND_TEXT, GROUP_HOW, FOR_EXPLAIN | FOR_COMPARE, AT(tolerance), NULL, "none", 0, 0,
     "Spend more gradients where steps are worst, until the sum is within E of what it should be."},
    {"max-evaluations", 0, "N", KIND_TEXT, GROUP_HOW, FOR_EXPLAIN | FOR_COMPARE, AT(max_evaluations), NULL,
     "10 x steps", 0, 0, "Most gradients that --tolerance may spend on a path."},
    {"close", 0, NULL, KIND_FLAG, GROUP_HOW, FOR_EXPLAIN | FOR_COMPARE, AT(close), NULL, NULL, 0, 0,
     "Give what is still missing in each step to the features it moved, so that the map adds up."},
    {"baseline", 0, "B", KIND_TEXT, GROUP_HOW, FOR_EXPLAIN | FOR_COMPARE | FOR_PATH | FOR_STUDY, AT(baseline), NULL,
     "black", 0, 0,
     "Where paths start: black, white, black+white, random:N, blur:SIGMA, mean, or an array FILE.npy. study: those "
     "whose "
     "scores are wanted."},
    {"samples", 0, "N", KIND_TEXT, GROUP_HOW, FOR_EXPLAIN | FOR_COMPARE, AT(samples), NULL, "10", 0, 0,
     "Noisy samples of smooth+."},
    {"noise", 0, "R", KIND_TEXT, GROUP_HOW, FOR_EXPLAIN | FOR_COMPARE, AT(noise), NULL, "0.15", 0, 0,
     "Their spread, as a share of the picture's range."},
    {"smooth", 0, "KIND", KIND_TEXT, GROUP_HOW, FOR_EXPLAIN | FOR_COMPARE, AT(smooth), NULL, "mean", 0, 0,
     "What smooth+ takes over samples: mean, squares or variance."},
    {"sigma", 0, "S", KIND_TEXT, GROUP_HOW, FOR_EXPLAIN | FOR_COMPARE, AT(sigma), NULL, "35", 0, 0,
     "Largest blur of blur-ig, in pixels."},
    {"xrai", 0, "KIND", KIND_TEXT, GROUP_HOW, FOR_EXPLAIN | FOR_COMPARE, AT(xrai), NULL, "full", 0, 0,
     "Algorithm of xrai+: full or fast."},
    {"segments", 0, "FILE.npy", KIND_FILE, GROUP_HOW, FOR_EXPLAIN | FOR_COMPARE, AT(segments), NULL, "its own", 0, 0,
     "Regions for xrai+: a whole number per pixel, [H,W]."},
    {"seed", 0, "S", KIND_COUNT, GROUP_RUNNING, FOR_EXPLAIN | FOR_COMPARE | FOR_SCORE | FOR_STUDY, AT(seed), NULL, "0",
     0, INT64_MAX, "Of noise, random baselines and whatever else is drawn; the same seed gives the same bits."},
    {"operator-threads", 0, "T", KIND_COUNT, GROUP_RUNNING, FOR_EXPLAIN | FOR_COMPARE | FOR_PATH, AT(operator_threads),
     NULL, "1", 1, 1024, "Threads inside each operator. Rarely worth it, and bits may then differ."},
    {"no-orient", 0, NULL, KIND_FLAG, GROUP_WHAT, FOR_EXPLAIN | FOR_COMPARE | FOR_PATH | FOR_SCORE, AT(no_orient), NULL,
     NULL, 0, 0, "Leave pictures as stored, whatever their EXIF orientation says."},
    {"csv", 0, "FILE", KIND_FILE, GROUP_OUT, FOR_PATH, AT(csv), NULL, NULL, 0, 0,
     "Write the numbers behind the plots: one row per method and step."},
    {"film", 0, "FILE.webp", KIND_FILE, GROUP_OUT, FOR_PATH, AT(film), NULL, NULL, 0, 0,
     "Write an animation of the guided path."},
    {"npy", 0, "FILE", KIND_FILE, GROUP_OUT, FOR_EXPLAIN, AT(npy), NULL, NULL, 0, 0,
     "Write the attributions of all inputs as one array: [n,H,W,3] for pictures, [n,H,W,1] where a method has one "
     "value per "
     "pixel, the tensor's own shape for --tensor."},
    {"npz", 0, "FILE", KIND_FILE, GROUP_OUT, FOR_EXPLAIN, AT(npz), NULL, NULL, 0, 0, "The same as an archive."},
    {"map", 0, "X.npy", KIND_FILE, GROUP_WHAT, FOR_SCORE, AT(map), NULL, NULL, 0, 0,
     "The maps, as explain --npy writes them: [H,W], [H,W,3], [n,H,W,3] or [n,H,W,1]."},
    {"mask", 0, "FILE", KIND_FILE, GROUP_WHAT, FOR_SCORE, AT(mask), NULL, NULL, 0, 0,
     "Where the object is: a picture, white (255) inside, black outside, grey where it is unsure; or a folder with one "
     "for each map, sorted by name. Brought to the map's size as the model's pictures are."},
    {"boxes", 0, "BOXES", KIND_TEXT, GROUP_WHAT, FOR_SCORE, AT(boxes), NULL, NULL, 0, 0,
     "Instead of --mask: \"x0 y0 x1 y1;...\", corners included, in pixels of --picture, or of the map where there is "
     "none."},
    {"model", 0, "FILE", KIND_FILE, GROUP_WHAT, FOR_SCORE | FOR_STUDY, AT(model), NULL, NULL, 0, 0,
     "The model, for insertion, deletion, sic, aic and infidelity. study show: its name in the manifest."},
    {"picture", 0, "FILE", KIND_FILE, GROUP_WHAT, FOR_SCORE, AT(picture), NULL, NULL, 0, 0,
     "What the map explains: a picture, or a folder with one for each map."},
    {"metrics", 0, "A,B,...", KIND_TEXT, GROUP_HOW, FOR_SCORE, AT(metrics), NULL, "all that can be computed", 0, 0,
     "auc, pointing (with --mask or --boxes), gini, insertion, deletion, sic, aic, infidelity (with --model and "
     "--picture), each with /option=value."},
    {"reduce", 0, "HOW", KIND_TEXT, GROUP_HOW, FOR_SCORE, AT(reduce), NULL, "abs-sum", 0, 0,
     "Channels to one value per pixel: abs-sum (absolute value of the sum), sum-abs, max or sum."},
    {"store", 0, "FILE", KIND_FILE, GROUP_WHAT, FOR_STUDY, AT(store), NULL, "the manifest's name with .db", 0, 0,
     "run: where scores are kept."},
    {"dry-run", 0, NULL, KIND_FLAG, GROUP_RUNNING, FOR_STUDY, AT(dry_run), NULL, NULL, 0, 0,
     "run: only print how many maps, scores and gradients are missing, and how many hours of one core they take."},
    {"like", 0, "TABLE", KIND_CHOICE, GROUP_HOW, FOR_STUDY, AT(like), "plain|paper1|paper2|paper3|paper4", "plain", 0,
     0, "table: one row per method, or one of the paper's: 1 closed paths, 2 ROC area, 3 baselines, 4 SIC area."},
    {"format", 0, "F", KIND_CHOICE, GROUP_OUT, FOR_STUDY, AT(format), "md|csv|latex|json", "md", 0, 0,
     "table: how it is written."},
    {"metric", 0, "METRIC", KIND_TEXT, GROUP_HOW, FOR_STUDY, AT(metric), NULL, "the table's, else auc", 0, 0,
     "table, show: the score that counts, as in the manifest."},
    {"mean", 0, NULL, KIND_FLAG, GROUP_HOW, FOR_STUDY, AT(mean), NULL, NULL, 0, 0,
     "table: of information curves the mean over pictures, not the median."},
    {"against", 0, "METHOD", KIND_TEXT, GROUP_HOW, FOR_STUDY, AT(against), NULL, "ig", 0, 0,
     "table: the method that differences are taken from."},
    {"plot", 0, "FILE", KIND_FILE, GROUP_OUT, FOR_STUDY, AT(plot), NULL, NULL, 0, 0,
     "table: draw its ROC, SIC or AIC curves too (.png, .svg, .pdf)."},
    {"better", 0, "METHOD", KIND_TEXT, GROUP_HOW, FOR_STUDY, AT(better), NULL, NULL, 0, 0,
     "show: pictures where this method's score is above its mean and above that of --than."},
    {"than", 0, "A,B,...", KIND_TEXT, GROUP_HOW, FOR_STUDY, AT(than), NULL, NULL, 0, 0, "show: the others."},
    {"n", 'n', "N", KIND_COUNT, GROUP_HOW, FOR_STUDY, AT(count), NULL, "6", 1, 1000,
     "show: pictures, drawn at random among those."},
    {"set", 0, "NAME", KIND_TEXT, GROUP_WHAT, FOR_STUDY, AT(set), NULL, "the first", 0, 0,
     "show: the set of pictures, by its name in the manifest."},
    {"runs", 0, "N", KIND_COUNT, GROUP_RUNNING, FOR_BENCH, AT(runs), NULL, "20", 1, 100000,
     "Gradients to time; the fastest counts."},
    {"memory", 0, "SIZE", KIND_SIZE, GROUP_RUNNING,
     FOR_MODEL | FOR_GRADIENT | FOR_BENCH | FOR_EXPLAIN | FOR_COMPARE | FOR_PATH | FOR_SCORE, AT(memory), NULL,
     "no limit", 0, 0, "Most memory to use, such as 2G; what does not fit is refused."},
    {"out", 'o', "FILE", KIND_FILE, GROUP_OUT, FOR_GRADIENT | FOR_EXPLAIN | FOR_COMPARE | FOR_PATH | FOR_STUDY, AT(out),
     NULL, NULL, 0, 0,
     "gradient: write the gradients here, an .npy array of the shape of the points. explain: the picture to draw "
     "(.png, "
     ".svg, .pdf), or a folder for several."},
    {"json", 0, NULL, KIND_FLAG, GROUP_OUT,
     FOR_MODEL | FOR_GRADIENT | FOR_BENCH | FOR_EXPLAIN | FOR_COMPARE | FOR_SCORE | FOR_STUDY, AT(json), NULL, NULL, 0,
     0, "Print one JSON object instead of text."},
    {"force", 'f', NULL, KIND_FLAG, GROUP_OUT, FOR_GRADIENT | FOR_EXPLAIN | FOR_COMPARE | FOR_PATH | FOR_STUDY,
     AT(force), NULL, NULL, 0, 0,
     "Overwrite files that exist. Without it they are left alone and nothing is computed."},
    {"quiet", 'q', NULL, KIND_FLAG, GROUP_OUT, FOR_GRADIENT | FOR_EXPLAIN | FOR_COMPARE | FOR_PATH | FOR_STUDY,
     AT(quiet), NULL, NULL, 0, 0, "No progress bar (there is none in a pipe either)."},
    {"help", 'h', NULL, KIND_HELP, GROUP_OUT, (unsigned)FOR_ALL, AT(help), NULL, NULL, 0, 0, "Show this help."},
    {0},
};

const char *options_split_name(const char *text, size_t *name_bytes)
{
    const char *sign = strchr(text, '=');
    *name_bytes = sign ? (size_t)(sign - text) : 0;
    return sign ? sign + 1 : text;
}

/* Where a value is kept. */
static void *field(options *out, const option_row *row)
{
    return (char *)out + row->offset;
}

/* Index of `text` in "a|b|c", or -1. */
static int find_choice(const char *choices, const char *text)
{
    size_t length = strlen(text);
    int index = 0;
    for (const char *at = choices; *at; index++) {
        size_t bytes = strcspn(at, "|");
        if (bytes == length && memcmp(at, text, bytes) == 0) return index;
        at += bytes + (at[bytes] == '|');
    }
    return -1;
}

static const option_row *find_row(const char *name, size_t bytes)
{
    for (const option_row *row = option_table; row->name; row++)
        if (strlen(row->name) == bytes && memcmp(row->name, name, bytes) == 0) return row;
    return NULL;
}

static const option_row *find_letter(char letter)
{
    for (const option_row *row = option_table; row->name; row++)
        if (row->letter && row->letter == letter) return row;
    return NULL;
}

static int takes_argument(const option_row *row)
{
    return row->kind != KIND_FLAG && row->kind != KIND_HELP;
}

/* Whether a value was seen before is told by a bit per row, so that a repeated option is an error and not a surprise.
 */
static int set_value(options *out, const option_row *row, const char *command, const char *value, uint64_t *seen)
{
    uint64_t bit = (uint64_t)1 << (row - option_table);
    int repeats = row->kind == KIND_LIST || row->kind == KIND_FILES || !takes_argument(row);
    if ((*seen & bit) && !repeats) return usage("%s: --%s is given twice", command, row->name);
    *seen |= bit;
    void *place = field(out, row);
    switch (row->kind) {
    case KIND_FLAG:
    case KIND_HELP: *(int *)place = 1; return 0;
    case KIND_TEXT:
    case KIND_FILE: *(const char **)place = value; break;
    case KIND_LIST:
    case KIND_FILES: ((texts *)place)->items[((texts *)place)->count++] = value; break;
    case KIND_COUNT:
        if (gig_parse_int(place, value, row->least, row->most) != GIG_OK)
            return usage("%s: --%s: %s", command, row->name, gig_message());
        break;
    case KIND_SIZE:
        if (gig_parse_size(place, value) != GIG_OK) return usage("%s: --%s: %s", command, row->name, gig_message());
        break;
    case KIND_CHOICE:
        *(int *)place = find_choice(row->choices, value);
        if (*(int *)place < 0)
            return usage("%s: --%s is one of %s, not \"%s\"", command, row->name, row->choices, value);
        break;
    }
    return *value ? 0 : usage("%s: --%s needs a value", command, row->name);
}

/* One argument that begins with '-'; *next is the argument after it, moved on when it is the value. */
static int read_option(options *out, const char *command, unsigned bit, char ***next, char **end, uint64_t *seen)
{
    const char *text = *(*next)++;
    const option_row *row;
    const char *value = NULL;
    if (text[1] == '-') {
        size_t bytes = strcspn(text + 2, "=");
        row = find_row(text + 2, bytes);
        if (text[2 + bytes] == '=') value = text + 3 + bytes;
    } else {
        row = find_letter(text[1]);
        if (text[2]) value = text + 2;
    }
    if (!row) return usage("%s: unknown option %s; see gig %s --help", command, text, command);
    if (!(row->commands & bit)) return usage("%s: --%s is not an option of this command", command, row->name);
    if (!takes_argument(row) && value) return usage("%s: --%s takes no value", command, row->name);
    if (takes_argument(row) && !value) {
        if (*next == end) return usage("%s: --%s needs a value", command, row->name);
        value = *(*next)++;
    }
    return set_value(out, row, command, value, seen);
}

/* Every list could be as long as the command line. */
static int make_lists(options *out, size_t most)
{
    texts *lists[] = {&out->operands, &out->tensors, &out->shapes};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        lists[i]->items = calloc(most + 1, sizeof *lists[i]->items);
        if (!lists[i]->items) return usage("out of memory");
    }
    return 0;
}

int options_parse(options *out, const char *command, unsigned bit, int count, char **arguments)
{
    *out = (options){0};
    if (make_lists(out, (size_t)count) != 0) return -1;
    char **next = arguments, **end = arguments + count;
    int options_end = 0;
    while (next != end) {
        if (!options_end && strcmp(*next, "--") == 0) {
            options_end = 1;
            next++;
        } else if (options_end || (*next)[0] != '-' || (*next)[1] == 0) {
            out->operands.items[out->operands.count++] = *next++;
        } else if (read_option(out, command, bit, &next, end, &out->seen) != 0) {
            return -1;
        }
    }
    return 0;
}

int options_given(const options *given, const char *name)
{
    const option_row *row = find_row(name, strlen(name));
    return row && (given->seen >> (row - option_table) & 1);
}

void options_clear(options *given)
{
    free(given->operands.items);
    free(given->tensors.items);
    free(given->shapes.items);
    *given = (options){0};
}
