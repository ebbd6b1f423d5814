/* Operators of the family "arithmetic". */
#include "network/operator.h"

const gig_operator gig_operators_arithmetic[] = {{0}};
