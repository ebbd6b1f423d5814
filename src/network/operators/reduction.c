/* Operators of the family "reduction". */
#include "network/operator.h"

const gig_operator gig_operators_reduction[] = {{0}};
