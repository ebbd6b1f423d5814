/* The table of commands. */
#include "command.h"

const command command_table[] = {
    {"model",
     FOR_MODEL,
     "FILE",
     "What is in an ONNX file, whether it runs, what it costs",
     "Prints inputs, outputs and operators, names what is not supported, and gives the parameters, the "
     "floating-point operations of a forward pass, and the memory planned for a batch.",
     {"gig model resnet50.onnx", "gig model text.onnx --shape ids=1,128 --json"},
     1,
     1,
     run_model},
    {0},
};
