/* Operators of the family "shape". */
#include "network/operator.h"

const gig_operator gig_operators_shape[] = {{0}};
