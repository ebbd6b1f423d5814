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
    {"gradient",
     FOR_GRADIENT,
     "FILE",
     "Value and gradient of a model at given points",
     "Takes points from an array file, prints the score of one class at each, and writes the gradients of that score "
     "with respect to the points.\n\n"
     "The array holds n points as the model takes them: [n,3,224,224] for most picture models, already scaled and "
     "normalised. Points are dealt to workers; the numbers have the same bits for any number of workers.",
     {"gig gradient resnet50.onnx --tensor x.npy --class 281 --of logit -o g.npy",
      "gig gradient bert.onnx --tensor ids=ids.npy --at embeddings --class 1 -o g.npy --json"},
     1,
     1,
     run_gradient},
    {"bench",
     FOR_BENCH,
     "FILE",
     "Time per gradient and per operator, against the machine's limit",
     "Times gradients of a model on one thread, operator by operator, and compares them with the same convolutions run "
     "alone, and with the fastest matrix product seen on this machine.",
     {"gig bench resnet50.onnx", "gig bench resnet50.onnx --precision split --batch 8 --json"},
     1,
     1,
     run_bench},
    {0},
};
