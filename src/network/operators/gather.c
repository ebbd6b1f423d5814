/* Operators of the family "gather". */
#include "network/operator.h"

const gig_operator gig_operators_gather[] = {{0}};
