/* Operators of the family "convolution". */
#include "network/operator.h"

const gig_operator gig_operators_convolution[] = {{0}};
