#include "gig/status.h"
#include <stdio.h>

int main(void)
{
    printf("gig %s\n", gig_version());
    return 0;
}
