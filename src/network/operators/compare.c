/* Operators of the family "compare". */
#include "network/operator.h"

const gig_operator gig_operators_compare[] = {{0}};
