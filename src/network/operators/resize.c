/* Operators of the family "resize". */
#include "network/operator.h"

const gig_operator gig_operators_resize[] = {{0}};
