/* SPDX-License-Identifier: Apache-2.0 */
#include "inner_points.h"
#include "frame/errors.h"
#include <string.h>

/* ---- rows ---- */

/* Is the array one row as it stands, not [n,...]? */
static int is_alone(const gig_tensor *array, const gig_summary_value *declared)
{
    if (array->rank == 0) return 1;
    if (!declared || declared->rank < 0) return 0;
    if (array->rank == declared->rank) return declared->dims[0] > 1; /* a model without a batch */
    return array->rank == declared->rank - 1;
}

/* [1,...], or without the leading 1 if the model declares none. */
static gig_tensor view_row(const gig_tensor *array, const gig_summary_value *declared, size_t row)
{
    gig_tensor view = *array;
    size_t dim = sizeof *view.dims, rank = (size_t)array->rank;
    if (is_alone(array, declared)) {
        if (!declared || declared->rank != array->rank + 1) return view;
        memmove(view.dims + 1, view.dims, rank * dim);
        view.dims[0] = 1;
        view.rank++;
        return view;
    }
    size_t size = gig_tensor_count(array) / (size_t)array->dims[0];
    if (array->type == GIG_FLOAT32)
        view.real = array->real + row * size;
    else
        view.whole = array->whole + row * size;
    view.dims[0] = 1;
    if (declared && declared->rank == array->rank - 1) {
        memmove(view.dims, view.dims + 1, (rank - 1) * dim);
        view.rank--;
    }
    return view;
}

int inner_points_count(size_t *rows, const char *command, const inputs *in, const gig_model_summary *about,
                       const char *at)
{
    int whole = in->points == in->count;
    if (in->count == 0 || in->count > INNER_POINTS_MOST) {
        complain("%s: --at takes 1 to %d --tensor", command, INNER_POINTS_MOST);
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < about->input_count; i++) {
        if (strcmp(about->inputs[i].name, at) != 0) continue;
        complain("%s: --at \"%s\" is an input, not a tensor inside the network", command, at);
        return EXIT_USAGE;
    }
    *rows = 0;
    for (size_t i = whole ? 0 : in->points; i < (whole ? in->count : in->points + 1); i++) {
        const gig_tensor *array = &in->tensors[i];
        size_t own = is_alone(array, inputs_declared(in, i, about)) ? 1 : (size_t)array->dims[0];
        if (own == 0 || (*rows && own != *rows)) {
            complain("%s: --at needs the same number of rows in every --tensor, at least one", command);
            return EXIT_USAGE;
        }
        *rows = own;
    }
    return EXIT_OK;
}

gig_input inner_points_input(inner_point *fixed, const inputs *in, const gig_model_summary *about, size_t row)
{
    if (in->points < in->count) {
        fixed->views[0] = view_row(&in->tensors[in->points], inputs_declared(in, in->points, about), row);
        return (gig_input){.tensor = &fixed->views[0]};
    }
    for (size_t i = 0; i < in->count; i++) {
        fixed->views[i] = view_row(&in->tensors[i], inputs_declared(in, i, about), row);
        fixed->bound[i] = (gig_input_value){in->names[i], &fixed->views[i]};
    }
    return (gig_input){.bound = fixed->bound, .bound_count = in->count};
}

int inner_points_uneven(const char *at)
{
    complain("tensor \"%.80s\" does not have the same shape for every row", at);
    return EXIT_USAGE;
}
