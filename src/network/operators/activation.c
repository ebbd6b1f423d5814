/* Operators of the family "activation". */
#include "network/operator.h"

const gig_operator gig_operators_activation[] = {{0}};
