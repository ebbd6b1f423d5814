/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions of 1 x 1 against the plain sum, both ways, for every rest of places, depth and columns; in wider vectors
 * against narrow ones, bit by bit; and in a network. */
#include "support.h"

#include "internal/profile.h"
#include "logit.h"
#include "model/wire_load.h"
#include "network/kernels/pointwise.h"
#include "random_numbers.h"
#include <math.h>
#include <string.h>

typedef struct sizes {
    int64_t batch, in, out, height, width, strides[2];
} sizes;

static const sizes cases[] = {
    {1, 8, 8, 1, 1, {1, 1}},    {2, 16, 24, 3, 5, {1, 1}},  {1, 8, 16, 2, 2, {1, 1}},   {1, 24, 40, 1, 7, {1, 1}},
    {3, 136, 32, 4, 3, {1, 1}}, {1, 72, 64, 5, 5, {1, 1}},  {1, 328, 56, 3, 3, {1, 1}}, {2, 64, 144, 1, 13, {1, 1}},
    {1, 40, 88, 60, 9, {1, 1}}, {1, 1024, 8, 9, 9, {1, 1}}, {1, 8, 1024, 1, 2, {1, 1}}, {1, 512, 48, 14, 14, {1, 1}},
    {2, 40, 24, 8, 8, {2, 2}},  {1, 16, 56, 9, 7, {2, 2}},  {2, 8, 8, 5, 11, {1, 3}},   {1, 200, 32, 7, 6, {4, 1}},
    {1, 16, 16, 1, 1, {2, 2}},
};
enum { CASES = sizeof cases / sizeof *cases, PLAIN, WITH_BIAS, WITH_ALL, FORMS };

static gig_geometry geometry(const sizes *s)
{
    return (gig_geometry){
        .rank = 4,
        .weights_rank = 4,
        .src = {s->batch, s->in, s->height, s->width},
        .weights = {s->out, s->in, 1, 1},
        .dst = {s->batch, s->out, (s->height - 1) / s->strides[0] + 1, (s->width - 1) / s->strides[1] + 1},
        .bias = {s->out},
        .strides = {s->strides[0], s->strides[1]}};
}

/* What a convolution reads and is given; own. */
typedef struct scene {
    gig_pointwise p;
    float *data, *weights, *packed, *bias, *before;
    size_t results;
} scene;

/* Of the convolution's results (near), or of its data. */
static size_t places_of(const gig_pointwise *p, int near)
{
    return near ? p->near[0] * p->near[1] : p->far[0] * p->far[1];
}

static scene open_scene(const sizes *s, int backward, int form)
{
    gig_geometry g = geometry(s);
    scene out = {0};
    assert_true(gig_pointwise_fits(&out.p, &g, backward));
    gig_pointwise *p = &out.p;
    out.results = p->batch * p->columns * places_of(p, !backward);
    out.data = draw(p->batch * p->depth * places_of(p, backward), 1);
    out.weights = draw(p->depth * p->columns, 2);
    out.packed = draw(p->depth * p->columns, 3);
    out.bias = draw(p->columns, 4);
    out.before = draw(out.results, 5);
    gig_pointwise_pack(out.packed, p, out.weights);
    p->weights = out.packed;
    if (form >= WITH_BIAS) p->bias = out.bias;
    p->add = p->relu = form >= WITH_ALL;
    return out;
}

static void close_scene(scene *s)
{
    float *const all[] = {s->data, s->weights, s->packed, s->bias, s->before};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) gig_free(all[i]);
}

/* The results; what was there before is `before`. */
static float *computed(const scene *s, int narrow)
{
    gig_pointwise p = s->p;
    p.narrow = narrow;
    float *out = draw(s->results, 6), *scratch = draw(gig_pointwise_scratch(&p) + 1, 7);
    memcpy(out, s->before, s->results * sizeof *out);
    assert_ok(gig_call_pointwise(&(gig_action){.self = &p}, (void *[]){out, s->data, scratch}));
    gig_free(scratch);
    return out;
}

/* Channel c of a place in nChw8c. */
static size_t at(size_t places, size_t channels, size_t n, size_t c, size_t place)
{
    return ((n * (channels / 8) + c / 8) * places + place) * 8 + c % 8;
}

/* Where the sum for a place of the results reads; 0: nowhere. */
static int reads_at(size_t *out, const gig_pointwise *p, size_t place)
{
    size_t width = p->backward ? p->far[1] : p->near[1], y = place / width, x = place % width;
    int between = p->backward && (y % p->strides[0] || x % p->strides[1] || y / p->strides[0] >= p->near[0] ||
                                  x / p->strides[1] >= p->near[1]);
    *out = p->backward ? y / p->strides[0] * p->near[1] + x / p->strides[1]
                       : y * p->strides[0] * p->far[1] + x * p->strides[1];
    return !between;
}

static double wanted(const scene *s, size_t n, size_t c, size_t place)
{
    const gig_pointwise *p = &s->p;
    double sum = p->bias ? (double)p->bias[c] : 0;
    size_t from;
    if (!reads_at(&from, p, place)) return 0;
    for (size_t k = 0; k < p->depth; k++)
        sum += (double)s->data[at(places_of(p, p->backward), p->depth, n, k, from)] *
               (double)s->weights[p->backward ? k * p->columns + c : c * p->depth + k];
    if (p->add) sum += (double)s->before[at(places_of(p, !p->backward), p->columns, n, c, place)];
    return p->relu && sum < 0 ? 0 : sum;
}

static void check_sum(const sizes *of, int backward, int form)
{
    scene s = open_scene(of, backward, form);
    float *got = computed(&s, 0);
    double difference = 0, size = 0;
    size_t places = places_of(&s.p, !backward);
    for (size_t n = 0; n < s.p.batch; n++)
        for (size_t c = 0; c < s.p.columns; c++)
            for (size_t place = 0; place < places; place++) {
                double value = wanted(&s, n, c, place);
                difference += pow(value - (double)got[at(places, s.p.columns, n, c, place)], 2);
                size += value * value;
            }
    if (!(sqrt(difference / size) <= 2e-6)) fail_msg("differs by %g", sqrt(difference / size));
    gig_free(got);
    close_scene(&s);
}

static void is_the_plain_sum(void **state)
{
    (void)state;
    if (!gig_cpu_has_avx2()) skip();
    for (int i = 0; i < CASES; i++)
        for (int backward = 0; backward < 2; backward++)
            for (int form = PLAIN; form < (backward ? WITH_BIAS : FORMS); form++) check_sum(&cases[i], backward, form);
}

static void check_bits(const sizes *of, int backward, int form)
{
    scene s = open_scene(of, backward, form);
    float *wide = computed(&s, 0), *narrow = computed(&s, 1);
    assert_memory_equal(wide, narrow, s.results * sizeof *wide);
    gig_free(wide);
    gig_free(narrow);
    close_scene(&s);
}

static void has_the_same_bits_in_wider_vectors(void **state)
{
    (void)state;
    if (!gig_cpu_has_wide_vectors()) skip();
    for (int i = 0; i < CASES; i++)
        for (int backward = 0; backward < 2; backward++)
            for (int form = PLAIN; form < (backward ? WITH_BIAS : FORMS); form++) check_bits(&cases[i], backward, form);
    for (int64_t width = 1; width <= 17; width++) check_bits(&(const sizes){1, 200, 56, 1, width, {1, 1}}, 0, WITH_ALL);
}

static void leaves_other_convolutions_alone(void **state)
{
    (void)state;
    gig_geometry usual = geometry(&cases[1]), other;
    gig_pointwise p;
    if (!gig_cpu_has_avx2()) skip();
    assert_true(gig_pointwise_fits(&p, &usual, 0));
    other = usual, other.weights[3] = 3;
    assert_false(gig_pointwise_fits(&p, &other, 0));
    other = usual, other.pad_begin[1] = 1;
    assert_false(gig_pointwise_fits(&p, &other, 0));
    other = usual, other.dst[3]++; /* padded at the end */
    assert_false(gig_pointwise_fits(&p, &other, 0));
    other = usual, other.weights_rank = 5;
    assert_false(gig_pointwise_fits(&p, &other, 0));
    other = usual, other.src[1] = 12;
    assert_false(gig_pointwise_fits(&p, &other, 0));
    assert_false(gig_pointwise_fits(&p, &other, 1));
}

/* ---- in a network: x [1, 16, 7, 5] -> 24 channels, ReLU -> 40 channels at stride 2, and a second path, added ---- */

enum { HIGH = 7, WIDE = 5, IN = 16, MIDDLE = 24, OUT = 40, ONNX_FLOAT = 1, POINT = IN * HIGH * WIDE };

static wire weights_of(const char *name, int64_t out, int64_t in, uint64_t stream)
{
    float *values = draw((size_t)(out * in), stream);
    wire tensor = wire_weight(name, 4, (const int64_t[]){out, in, 1, 1}, values);
    gig_free(values);
    return tensor;
}

static wire convolution(const char *in, const char *weights, const char *out, int64_t stride)
{
    wire node = wire_node("Conv", in, weights, out);
    wire_attribute_ints(&node, "strides", 2, (const int64_t[]){stride, stride});
    return node;
}

static gig_model *narrowing_network(void)
{
    wire graph = {0};
    wire_child(&graph, GRAPH_NODE, convolution("x", "w1", "a", 1));
    wire_child(&graph, GRAPH_NODE, wire_node("Relu", "a", NULL, "b"));
    wire_child(&graph, GRAPH_NODE, convolution("b", "w2", "c", 2));
    wire_child(&graph, GRAPH_NODE, convolution("x", "w3", "d", 2));
    wire_child(&graph, GRAPH_NODE, wire_node("Add", "c", "d", "e"));
    wire_child(&graph, GRAPH_NODE, wire_node("Relu", "e", NULL, "f"));
    wire_child(&graph, GRAPH_NODE, wire_node("Flatten", "f", NULL, "y"));
    wire_child(&graph, GRAPH_INITIALIZER, weights_of("w1", MIDDLE, IN, 11));
    wire_child(&graph, GRAPH_INITIALIZER, weights_of("w2", OUT, MIDDLE, 12));
    wire_child(&graph, GRAPH_INITIALIZER, weights_of("w3", OUT, IN, 13));
    wire_child(&graph, GRAPH_INPUT, wire_value("x", ONNX_FLOAT, 4, (const int64_t[]){1, IN, HIGH, WIDE}));
    wire_child(&graph, GRAPH_OUTPUT, wire_value("y", ONNX_FLOAT, 2, (const int64_t[]){1, OUT * 4 * 3}));
    return wire_load(wire_model(graph, 8, 13));
}

static void gives_plain_operators_gradient(void **state)
{
    (void)state;
    gig_model *model = narrowing_network();
    float *point = draw(POINT, 14);
    assert_plain_agrees(model, point, POINT, 17, 2e-6);
    gig_free(point);
    gig_model_free(model);
}

/* `gig bench` compares a gradient with its convolutions alone: none may be forgotten, whoever computes it. */
static void counts_among_the_convolutions(void **state)
{
    (void)state;
    gig_model *model = narrowing_network();
    gig_network *network;
    gig_session *session;
    gig_profile profile;
    assert_ok(gig_network_create(&network, model, NULL));
    assert_ok(gig_session_create(&session, network));
    assert_ok(gig_session_profile(&profile, session, 1));
    assert_true(profile.bare_seconds > 0);
    for (size_t i = 0; i < profile.count; i++)
        if (!strcmp(profile.rows[i].kind, "Conv")) {
            assert_int_equal(profile.rows[i].forward_count, 3);
            assert_int_equal(profile.rows[i].backward_count, 3);
        }
    gig_session_free(session);
    gig_network_free(network);
    gig_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_the_plain_sum),
        cmocka_unit_test(has_the_same_bits_in_wider_vectors),
        cmocka_unit_test(leaves_other_convolutions_alone),
        cmocka_unit_test(gives_plain_operators_gradient),
        cmocka_unit_test(counts_among_the_convolutions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
