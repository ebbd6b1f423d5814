/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands. */
#include "commands.h"

const command command_table[] = {
    {"explain",
     FOR_EXPLAIN,
     "MODEL [PICTURE...]",
     "What a classifier looks at in a picture",
     "Attributes the score of a class to the pixels of each picture, by Integrated Gradients, Guided IG or another "
     "method, and draws the map over the picture. Pictures are JPEG, PNG or WebP files, or folders of them. "
     "A JSON file next to the model describes its input (docs/formats.md).\n\n"
     "Each result shows the class, its score, the sum of the attributions and what that sum should be.",
     {"gig explain model.onnx photo.jpg -o map.png",
      "gig explain model.onnx photos/ -m ig --baseline black+white -o maps/",
      "gig explain model.onnx photo.jpg --class tabby -m gig:20 --tolerance 0.01 --json"},
     1,
     1000000,
     run_explain},
    {"compare",
     FOR_COMPARE,
     "MODEL PICTURE...",
     "Several methods side by side",
     "Explains each picture with several methods and draws one sheet per picture, with the score, the sum of each map "
     "and what it should be, the number of gradients and the time. Prints the expected time first.",
     {"gig compare model.onnx photo.jpg -o sheet.png",
      "gig compare model.onnx photo.jpg --methods ig,gig:0,gig:20/rule=idgi -o sheet.pdf"},
     1,
     1000000,
     run_compare},
    {"path",
     FOR_PATH,
     "MODEL PICTURE | --tensor X.npy",
     "The score, the picture and the gradient along the path",
     "Follows the paths of Integrated Gradients and Guided IG from the baseline to the picture, and draws on one page: "
     "the score along the path; the picture and the attribution so far at three points; the distance to the straight "
     "line; the directional derivative and the norm of the gradient; the cosine of the gradient with the direction of "
     "travel and with gradients elsewhere on the path; and points close to the line with very low and very high "
     "scores. For a tensor, only the curves are drawn. --closed draws a path that returns to the picture instead.",
     {"gig path model.onnx photo.jpg -o path.png", "gig path model.onnx photo.jpg --closed -o closed.png",
      "gig path model.onnx photo.jpg -m gig:20 --csv path.csv --film path.webp"},
     1,
     2,
     run_path},
    {"score",
     FOR_SCORE,
     "--map X.npy",
     "Scores of existing maps",
     "Scores maps written by explain --npy: against a mask or boxes of the object (area under the ROC curve, pointing "
     "game), by themselves (Gini index, sum), and with the model and the picture (insertion, deletion, areas under the "
     "softmax and accuracy information curves).",
     {"gig score --map maps.npy --mask masks/",
      "gig score --map map.npy --boxes \"10 20 90 80\" --reduce sum-abs --json",
      "gig score --map map.npy --model model.onnx --picture photo.jpg"},
     0,
     0,
     run_score},
    {"study",
     FOR_STUDY,
     "run MANIFEST | status|table|export|show STORE",
     "Scores of many pictures, methods and models; resumable",
     "run computes every map and score that the manifest asks for and the store does not have, in worker processes; it "
     "can be killed and restarted at any time. status shows progress and failed cells; table prints a table with "
     "confidence intervals, optionally in the form of the paper's tables; export writes every score; show draws "
     "pictures where one method scores better than others. Under mpirun all processes share the work. docs/studies.md "
     "describes the manifest.",
     {"gig study run study.json --dry-run", "gig study table study.db --like paper2 --plot roc.svg",
      "gig study show study.db --better gig:20 --than ig -o better.png"},
     1,
     2,
     run_study},
    {"model",
     FOR_MODEL,
     "FILE",
     "What is in an ONNX file, whether it runs, what it costs",
     "Prints inputs, outputs and operators, names unsupported ones, and shows the number of parameters, the "
     "floating-point operations of a forward pass, and the memory of a batch.",
     {"gig model resnet50.onnx", "gig model text.onnx --shape ids=1,128 --json", "gig model --operators"},
     1,
     1,
     run_model},
    {"gradient",
     FOR_GRADIENT,
     "FILE",
     "Value and gradient of a model at given points",
     "Reads inputs from an array file, prints the score of a class for each, and writes the gradients of that score "
     "with respect to the inputs.\n\n"
     "The array holds n raw model inputs: [n,3,224,224] for most image models, already scaled and normalised. Results "
     "have the same bits for any number of threads.",
     {"gig gradient resnet50.onnx --tensor x.npy --class 281 --of logit -o g.npy",
      "gig gradient net.onnx --tensor image=x.npy --tensor mask=m.npy --at features --class 1 -o g.npy"},
     1,
     1,
     run_gradient},
    {"bench",
     FOR_BENCH,
     "FILE",
     "Time per gradient and per operator, against the machine's limit",
     "Times gradients of a model on one thread, operator by operator, and compares them with the same convolutions run "
     "alone and with the fastest matrix product measured on this machine.",
     {"gig bench resnet50.onnx", "gig bench resnet50.onnx --precision split --batch 8 --json"},
     1,
     1,
     run_bench},
#ifdef GIG_SERVE
    {"serve",
     FOR_SERVE,
     "MODEL [PICTURE...]",
     "A page in the browser: explain pictures and watch the path",
     "Prints the address of a page on this machine and serves it until Ctrl-C. On the page: choose or drop a picture, "
     "see the best classes, explain any class with any method, watch the picture and the map along the path, compare "
     "methods, save the results. Only this machine can reach the page, and only with the printed address. See "
     "docs/page.md.",
     {"gig serve model.onnx", "gig serve model.onnx photos/ --port 8080"},
     1,
     1000000,
     run_serve},
#endif
    {0},
};
