/* SPDX-License-Identifier: Apache-2.0 */
/* Einsum, by its definition: walk all values of all labels, multiply, add. The gradient of an operand is the einsum
 * whose output is that operand and whose factors are the output's gradient and the other operands. */
#include "network/operators/einsum.h"
#include "base/interrupt.h"
#include <inttypes.h>
#include <string.h>

enum { LETTERS = GIG_EINSUM_LETTERS, LABELS = GIG_EINSUM_LABELS, PORTS = GIG_EINSUM_PORTS, LOOK = 1 << 22 };

typedef gig_einsum einsum;

/* ---- the equation ---- */

/* The label of a letter, upper case first; -1 for other characters. */
static int label_of(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? 26 + c - 'a' : -1;
}

/* One term, up to `end`: letters and at most one "..." that stands for `rest` axes (-1: as many as are seen). Ellipsis
 * axes are aligned at their end: the last one is label LABELS - 1. */
static gig_status read_term(einsum *e, int port, const char *text, const char *end, int rest)
{
    int seen = 0;
    e->rank[port] = 0;
    while (text < end) {
        int first, count = 1;
        if (*text == ' ') {
            text++;
            continue;
        }
        if (label_of(*text) >= 0) {
            first = label_of(*text++);
        } else if (end - text >= 3 && !strncmp(text, "...", 3) && !seen++) {
            count = rest;
            first = LABELS - rest;
            text += 3;
        } else {
            return gig_fail(GIG_EFORMAT, "the equation has a '%c' out of place", *text);
        }
        if (e->rank[port] + count > GIG_MAX_RANK) return gig_fail(GIG_EFORMAT, "a term has too many labels");
        for (int i = 0; i < count; i++) e->labels[port][e->rank[port]++] = first + i;
    }
    return GIG_OK;
}

/* Letters of a term; *dots tells whether it has an ellipsis. */
static int count_letters(int *dots, const char *text, const char *end)
{
    int letters = 0;
    *dots = 0;
    for (; text < end; text++) {
        letters += label_of(*text) >= 0;
        *dots |= *text == '.';
    }
    return letters;
}

/* Input terms; *widest receives the most axes that an ellipsis stands for, *behind where the inputs' part ends. */
static gig_status read_inputs(einsum *e, const gig_op *op, const char *equation, int *widest, const char **behind)
{
    const char *text = equation, *arrow = strstr(equation, "->");
    const char *end = arrow ? arrow : equation + strlen(equation);
    *widest = 0;
    *behind = arrow ? arrow + 2 : NULL;
    for (size_t i = 0; i < op->in_count; i++) {
        const char *comma = memchr(text, ',', (size_t)(end - text)), *stop = comma ? comma : end;
        int dots, letters = count_letters(&dots, text, stop), rest = op->in[i]->rank - letters;
        if (rest < 0 || (rest > 0 && !dots))
            return gig_fail(GIG_EFORMAT, "term %zu has %d labels for rank %d", i, letters, op->in[i]->rank);
        GIG_TRY(read_term(e, 1 + (int)i, text, stop, rest));
        if (rest > *widest) *widest = rest;
        if (!comma != (i + 1 == op->in_count))
            return gig_fail(GIG_EFORMAT, "the equation is not for %zu inputs", op->in_count);
        text = stop + 1;
    }
    return GIG_OK;
}

/* Without "->" the output has the ellipsis and the letters that stand once, in order. */
static gig_status imply_output(einsum *e, int widest)
{
    e->rank[0] = 0;
    for (int i = 0; i < widest; i++) e->labels[0][e->rank[0]++] = LABELS - widest + i;
    for (int label = 0; label < LETTERS; label++) {
        if (e->used[label] != 1) continue;
        if (e->rank[0] == GIG_MAX_RANK) return gig_fail(GIG_ELIMIT, "an output of rank above %d", GIG_MAX_RANK);
        e->labels[0][e->rank[0]++] = label;
    }
    return GIG_OK;
}

/* ---- sizes and strides ---- */

static gig_status measure(einsum *e, const gig_op *op)
{
    for (int port = 1; port < e->ports; port++)
        for (int i = 0; i < e->rank[port]; i++) {
            int label = e->labels[port][i];
            int64_t have = op->in[port - 1]->dims[i], *size = &e->size[label];
            if (e->used[label]++ && have != *size && have != 1 && *size != 1)
                return gig_fail(GIG_EFORMAT, "a label has both size %" PRId64 " and %" PRId64 " cells", *size, have);
            if (e->used[label] == 1 || *size == 1) *size = have;
        }
    return GIG_OK;
}

static void set_strides(einsum *e, int port, const int64_t *dims)
{
    int64_t stride = 1;
    for (int i = e->rank[port] - 1; i >= 0; i--) {
        if (dims[i] != 1) e->stride[port][e->labels[port][i]] += stride; /* a repeated label walks the diagonal */
        stride *= dims[i];
    }
}

static gig_status check_output(const einsum *e)
{
    int seen[LABELS] = {0};
    for (int i = 0; i < e->rank[0]; i++) {
        int label = e->labels[0][i];
        if (!e->used[label] || seen[label]++)
            return gig_fail(GIG_EFORMAT, "an output label is missing from the inputs or appears twice");
    }
    return GIG_OK;
}

static void count_products(einsum *e)
{
    e->products = 1;
    for (int label = 0; label < LABELS; label++) {
        if (!e->used[label]) continue;
        e->products *= (double)e->size[label];
        e->empty |= e->size[label] == 0;
    }
}

double gig_einsum_products(const gig_op *op)
{
    return ((const einsum *)op->params)->products;
}

gig_status gig_einsum_infer(gig_op *op)
{
    GIG_TRY(gig_op_expect_inputs(op, 1, PORTS - 1));
    for (size_t i = 0; i < op->in_count; i++) {
        if (!op->in[i]) return gig_fail(GIG_EFORMAT, "input %zu is left out", i);
        if (op->in[i]->type != GIG_FLOAT32) return gig_fail(GIG_EUNSUPPORTED, "an Einsum of integers");
    }
    einsum *e = op->params = gig_alloc_zero(1, sizeof *e);
    if (!e) return gig_alloc_status();
    const char *behind;
    int widest;
    e->ports = 1 + (int)op->in_count;
    GIG_TRY(read_inputs(e, op, gig_node_string(op->node, "equation", ""), &widest, &behind));
    GIG_TRY(measure(e, op));
    if (behind)
        GIG_TRY(read_term(e, 0, behind, behind + strlen(behind), widest));
    else
        GIG_TRY(imply_output(e, widest));
    GIG_TRY(check_output(e));
    count_products(e);
    int64_t dims[GIG_MAX_RANK];
    for (int i = 0; i < e->rank[0]; i++) dims[i] = e->size[e->labels[0][i]];
    GIG_TRY(gig_op_set_output(op, 0, GIG_FLOAT32, e->rank[0], dims));
    set_strides(e, 0, dims);
    for (int port = 1; port < e->ports; port++) set_strides(e, port, op->in[port - 1]->dims);
    return GIG_OK;
}

/* ---- the walk ---- */

/* One loop nest: labels of the target outside, the summed ones inside. */
typedef struct nest {
    int count, outer; /* loops, and how many of them belong to the target */
    int64_t size[LABELS];
    int factors;
    const float *factor[PORTS];
    int64_t step[PORTS][LABELS], to[LABELS]; /* what one step of a loop moves each factor and the target by */
} nest;

/* Loops over the labels that move the target (inside 0), or those that do not (1). */
static void add_loops(nest *n, const einsum *e, int target, const int *ports, int inside)
{
    for (int label = 0; label < LABELS; label++) {
        if (!e->used[label] || e->size[label] == 1 || (e->stride[target][label] == 0) != inside) continue;
        n->size[n->count] = e->size[label];
        n->to[n->count] = e->stride[target][label];
        for (int f = 0; f < n->factors; f++) n->step[f][n->count] = e->stride[ports[f]][label];
        n->count++;
    }
}

/* Advances loops [first, last), the last fastest; 0 if they are through. */
static int advance(int64_t *index, int64_t *at, int64_t *place, const nest *n, int first, int last)
{
    for (int l = last - 1; l >= first; l--) {
        int more = ++index[l] < n->size[l];
        int64_t steps = more ? 1 : 1 - n->size[l];
        for (int f = 0; f < n->factors; f++) at[f] += steps * n->step[f][l];
        *place += steps * n->to[l];
        if (more) return 1;
        index[l] = 0;
    }
    return 0;
}

/* The sum over the innermost loop (all of it) of the product of the factors. */
static double sum_inner(const nest *n, const int64_t *at)
{
    int last = n->count - 1;
    int64_t size = n->count > n->outer ? n->size[last] : 1;
    double sum = 0;
    if (n->factors == 2 && n->count > n->outer) {
        const float *a = n->factor[0] + at[0], *b = n->factor[1] + at[1];
        int64_t a_step = n->step[0][last], b_step = n->step[1][last];
        for (int64_t i = 0; i < size; i++) sum += (double)a[i * a_step] * b[i * b_step];
        return sum;
    }
    for (int64_t i = 0; i < size; i++) {
        double product = 1;
        for (int f = 0; f < n->factors; f++)
            product *= n->factor[f][at[f] + (n->count > n->outer ? i * n->step[f][last] : 0)];
        sum += product;
    }
    return sum;
}

/* target (zeroed) [place] = sum of products. */
static gig_status sum_products(float *target, const nest *n)
{
    int64_t index[LABELS] = {0}, at[PORTS] = {0}, place = 0, none = 0;
    int inner_end = n->count > n->outer ? n->count - 1 : n->outer; /* sum_inner takes the last loop */
    int64_t inner = n->count > n->outer ? n->size[n->count - 1] : 1, since = 0;
    do {
        double sum = 0;
        do {
            sum += sum_inner(n, at);
            if ((since += inner) > LOOK) {
                GIG_TRY(gig_interrupt_check());
                since = 0;
            }
        } while (advance(index, at, &none, n, n->outer, inner_end));
        target[place] = (float)sum;
    } while (advance(index, at, &place, n, 0, n->outer));
    return GIG_OK;
}

/* Factors: every port but the target, the output's own place taken by `d` when the target is an input. */
static gig_status compute(float *target, const einsum *e, int port, const gig_tensor *const *in, const float *d)
{
    nest n = {0};
    int ports[PORTS];
    for (int p = 0; p < e->ports; p++) {
        if (p == port) continue;
        ports[n.factors] = p;
        n.factor[n.factors++] = p ? in[p - 1]->real : d;
    }
    add_loops(&n, e, port, ports, 0);
    n.outer = n.count;
    add_loops(&n, e, port, ports, 1);
    return sum_products(target, &n);
}

gig_status gig_einsum_forward(const gig_op *op, const gig_tensor *const *in, gig_tensor *const *out)
{
    const einsum *e = op->params;
    memset(out[0]->data, 0, gig_tensor_bytes(out[0]));
    return e->empty ? GIG_OK : compute(out[0]->real, e, 0, in, NULL);
}

gig_status gig_einsum_backward(const gig_op *op, const gig_tensor *const *in, const gig_tensor *const *out,
                               const gig_tensor *const *d_out, gig_tensor *const *d_in)
{
    (void)out;
    const einsum *e = op->params;
    for (int i = 0; i + 1 < e->ports; i++) {
        if (!d_in[i]) continue;
        memset(d_in[i]->data, 0, gig_tensor_bytes(d_in[i]));
        if (!e->empty) GIG_TRY(compute(d_in[i]->real, e, 1 + i, in, d_out[0]->real));
    }
    return GIG_OK;
}
