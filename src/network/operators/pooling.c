/* Operators of the family "pooling". */
#include "network/operator.h"

const gig_operator gig_operators_pooling[] = {{0}};
