/* One call of gig_explain on a closed form, by the method's name. */
#ifndef GIG_TESTS_EXPLAINING_H
#define GIG_TESTS_EXPLAINING_H

#include "closed_form.h"
#include "gig/saliency.h"
#include "support.h"

/* Explains `form` at `input` with the method called `name`, on one worker. */
static inline gig_status try_explaining(gig_explanation *out, const char *name, closed_form form, size_t features,
                                        const float *input, const gig_explain_options *options)
{
    gig_method method;
    closed model = {.form = form, .features = features};
    gig_function function = closed_function(&model, 1);
    size_t target = 0;
    assert_ok(gig_method_parse(&method, name, NULL));
    gig_status status = gig_explain(out, 1, &input, &target, 1, &function, &method, options);
    if (status == GIG_OK) {
        assert_int_equal(model.gradients, out->evaluations);
        assert_int_equal(model.values, out->values);
    }
    return status;
}

/* Attributions within `bound` of those expected, relative to what is larger than 1. */
static inline void expect_explanation(const char *name, closed_form form, size_t features, const float *input,
                                      const gig_explain_options *options, const double *expected, size_t count,
                                      double bound)
{
    gig_explanation got;
    assert_ok(try_explaining(&got, name, form, features, input, options));
    assert_int_equal(got.count, count);
    for (size_t i = 0; i < count; i++) {
        double gap = fabs((double)got.attributions[i] - expected[i]);
        if (gap <= bound * fmax(1, fabs(expected[i]))) continue;
        print_error("%s: [%zu] = %.9g, not %.12g\n", name, i, (double)got.attributions[i], expected[i]);
        fail();
    }
    gig_explanation_clear(&got);
}

#endif
