/* Operators of the family "softmax". */
#include "network/operator.h"

const gig_operator gig_operators_softmax[] = {{0}};
