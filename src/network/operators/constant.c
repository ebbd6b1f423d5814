/* Operators of the family "constant". */
#include "network/operator.h"

const gig_operator gig_operators_constant[] = {{0}};
