/* Operators of the family "search". */
#include "network/operator.h"

const gig_operator gig_operators_search[] = {{0}};
