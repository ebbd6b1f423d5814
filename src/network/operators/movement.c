/* Operators of the family "movement". */
#include "network/operator.h"

const gig_operator gig_operators_movement[] = {{0}};
