/* Operators of the family "matrix". */
#include "network/operator.h"

const gig_operator gig_operators_matrix[] = {{0}};
