/* SPDX-License-Identifier: Apache-2.0 */
/* LSTM, GRU and RNN beyond what PyTorch writes: gradients by differences with every option (values: ONNX's own tests
 * and the golden networks), and refusals. */
#include "operator_harness.h"

enum { T = 4, B = 2, I = 3, H = 2 };

typedef struct option_case {
    const char *op, *direction, *activations;
    int gates, directions, layout, peepholes, lengths, reset_after;
    float clip;
} option_case;

static void add(harness *h, int rank, const int64_t *dims, int constant)
{
    harness_real_input(h, rank, dims, NULL);
    if (constant) harness_constant(h);
}

static void begin(harness *h, const option_case *c)
{
    const int64_t D = c->directions, G = c->gates;
    harness_begin(h, c->op, 14);
    harness_int(h, "hidden_size", H);
    harness_int(h, "layout", c->layout);
    harness_string(h, "direction", c->direction);
    if (c->reset_after) harness_int(h, "linear_before_reset", 1);
    if (c->clip > 0) harness_real(h, "clip", c->clip);
    if (c->activations) {
        gig_attribute *names = harness_attribute(h, "activations", GIG_ATTRIBUTE_STRINGS);
        names->s = harness_text(h, c->activations);
        names->count = 1;
        for (const char *at = c->activations; *at; at++) names->count += *at == '\n';
    }
    add(h, 3, c->layout ? DIMS(B, T, I) : DIMS(T, B, I), 0);
    add(h, 3, DIMS(D, G * H, I), 1);
    add(h, 3, DIMS(D, G * H, H), 1);
    add(h, 2, DIMS(D, 2 * G * H), 1);
    if (c->lengths)
        harness_whole_input(h, 1, DIMS(B), WHOLES(2, T));
    else
        harness_no_input(h);
    add(h, 3, c->layout ? DIMS(B, D, H) : DIMS(D, B, H), 0);
    if (c->gates < 4) return;
    add(h, 3, c->layout ? DIMS(B, D, H) : DIMS(D, B, H), 0);
    if (c->peepholes) add(h, 2, DIMS(D, 3 * H), 1);
}

static void gradients_follow_every_option(void **state)
{
    (void)state;
    const option_case cases[] = {
        {"LSTM", "forward", NULL, 4, 1, 0, 0, 0, 0, 0},
        {"LSTM", "reverse", NULL, 4, 1, 1, 1, 1, 0, 0},
        {"LSTM", "bidirectional", NULL, 4, 2, 0, 1, 1, 0, 0},
        {"LSTM", "forward", "HardSigmoid\nSoftsign\nAffine", 4, 1, 0, 1, 0, 0, 5},
        {"GRU", "forward", NULL, 3, 1, 0, 0, 0, 0, 0},
        {"GRU", "bidirectional", NULL, 3, 2, 1, 0, 1, 1, 0},
        {"GRU", "reverse", "Sigmoid\nSoftplus", 3, 1, 0, 0, 1, 0, 0},
        {"RNN", "forward", NULL, 1, 1, 0, 0, 0, 0, 0},
        {"RNN", "bidirectional", "Elu\nScaledTanh", 1, 2, 1, 0, 1, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        harness h;
        begin(&h, &cases[i]);
        harness_run(&h, cases[i].gates == 4 ? 3 : 2);
        harness_expect_gradient(&h);
        harness_end(&h);
    }
}

/* One step by hand: i = f = o = 1/2 where weights are 0, u = tanh(1), C = c/2 + u/2. */
static void an_lstm_step_is_what_the_formulas_say(void **state)
{
    harness h;
    (void)state;
    float bias[8] = {0};
    bias[3] = 1;
    harness_begin(&h, "LSTM", 14);
    harness_real_input(&h, 3, DIMS(1, 1, 1), VALUES(3));
    harness_real_input(&h, 3, DIMS(1, 4, 1), VALUES(0, 0, 0, 0));
    harness_constant(&h);
    harness_real_input(&h, 3, DIMS(1, 4, 1), VALUES(0, 0, 0, 0));
    harness_constant(&h);
    harness_real_input(&h, 2, DIMS(1, 8), bias);
    harness_constant(&h);
    harness_no_input(&h);
    harness_real_input(&h, 3, DIMS(1, 1, 1), VALUES(0.5f));
    harness_real_input(&h, 3, DIMS(1, 1, 1), VALUES(2));
    harness_run(&h, 3);
    float c = (float)(1 + tanh(1) / 2), y = (float)(tanh(1 + tanh(1) / 2) / 2);
    harness_expect_real(&h, 0, 4, DIMS(1, 1, 1, 1), VALUES(y), 1e-6);
    harness_expect_real(&h, 2, 3, DIMS(1, 1, 1), VALUES(c), 1e-6);
    harness_end(&h);
}

static void what_is_not_run_is_refused(void **state)
{
    (void)state;
    const option_case plain = {"LSTM", "forward", NULL, 4, 1, 0, 0, 0, 0, 0};
    const option_case sideways = {"LSTM", "sideways", NULL, 4, 1, 0, 0, 0, 0, 0};
    const option_case unknown = {"GRU", "forward", "Sigmoid\nMystery", 3, 1, 0, 0, 0, 0, 0};
    const option_case few = {"GRU", "forward", "Sigmoid", 3, 1, 0, 0, 0, 0, 0};
    harness h;
    begin(&h, &sideways);
    assert_int_equal(harness_infer(&h, 1), GIG_EFORMAT);
    harness_end(&h);
    begin(&h, &unknown);
    assert_int_equal(harness_infer(&h, 1), GIG_EUNSUPPORTED);
    harness_end(&h);
    begin(&h, &few);
    assert_int_equal(harness_infer(&h, 1), GIG_EFORMAT);
    harness_end(&h);
    begin(&h, &plain);
    harness_int(&h, "input_forget", 1);
    assert_int_equal(harness_infer(&h, 1), GIG_EUNSUPPORTED);
    harness_end(&h);
    begin(&h, &plain);
    h.constant[1] = 0; /* weights that are computed */
    assert_int_equal(harness_infer(&h, 1), GIG_EUNSUPPORTED);
    harness_end(&h);
    begin(&h, &plain);
    h.in[2].dims[1] = 7;
    assert_int_equal(harness_infer(&h, 1), GIG_EFORMAT);
    h.in[2].dims[1] = 4 * H;
    harness_end(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_follow_every_option),
        cmocka_unit_test(an_lstm_step_is_what_the_formulas_say),
        cmocka_unit_test(what_is_not_run_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
