/* Operators of the family "normalization". */
#include "network/operator.h"

const gig_operator gig_operators_normalization[] = {{0}};
