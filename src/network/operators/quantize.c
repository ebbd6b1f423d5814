/* Operators of the family "quantize". */
#include "network/operator.h"

const gig_operator gig_operators_quantize[] = {{0}};
