/* SPDX-License-Identifier: Apache-2.0 */
/* The table of options. An option that means another thing to another command has a row for each meaning. */
#include "frame/options.h"

#define AT(field) offsetof(options, field)
#define BASES                                                                                                          \
    "gradients|gradients-x-input|edge|ig|blur-ig|sig|gig|gig:20|paper|grad-cam|guided-backprop|occlusion|"             \
    "smooth+gradients|smooth+gig:20|xrai+gig:20"
#define BASELINES "black|white|black+white|random:2|blur:20|mean"
#define BASELINE_HELP                                                                                                  \
    "Where paths start: black, white, black+white, random:N, blur:SIGMA, mean, an array FILE.npy, a picture, "         \
    "brought to the model's size as the others are, or pictures:DIR:N, N pictures of a folder drawn by the seed."

enum {
    NETWORKS = FOR_MODEL | FOR_GRADIENT | FOR_BENCH | FOR_EXPLAIN | FOR_COMPARE | FOR_PATH | FOR_SCORE,
    PICTURES = FOR_EXPLAIN | FOR_COMPARE | FOR_PATH, /* commands that explain them */
    METHODS = FOR_EXPLAIN | FOR_COMPARE,
    WRITERS = FOR_GRADIENT | PICTURES
};

const option_row option_table[] = {
    /* ---- what ---- */
    {"class", 'c', "K|NAME", KIND_TEXT, GROUP_WHAT, PICTURES, AT(of_class),
     .standard = "the class that the model finds most likely",
     .help = "The class whose score is explained: its number, counted from 0, or one of its names, case ignored."},
    {"class", 'c', "K|NAME", KIND_TEXT, GROUP_WHAT, FOR_GRADIENT, AT(of_class),
     .help = "The class whose score is differentiated: its number, counted from 0, or one of its names. Needed."},
    {"class", 'c', "K|NAME", KIND_TEXT, GROUP_WHAT, FOR_SCORE, AT(of_class),
     .standard = "the class that the model finds most likely",
     .help = "The class that the map explains, for scores that need the model: its number or one of its names."},
    {"of", 0, "SCALAR", KIND_CHOICE, GROUP_WHAT, FOR_GRADIENT | PICTURES, AT(of),
     .choices = "softmax|logit|logprob|sigmoid|value", .standard = "softmax; sigmoid where the model ends in one",
     .help = "Which number of the class: its softmax probability, its logit, its log-probability, its sigmoid, or "
             "the number as the file gives it. A model that ends in one of these is used as such."},
    {"of", 0, "SCALAR", KIND_CHOICE, GROUP_WHAT, FOR_SCORE, AT(of), .choices = "softmax|logit|logprob|sigmoid|value",
     .standard = "softmax; sigmoid where the model ends in one",
     .help = "What the map was made of, for completeness and infidelity. The others look at the probability."},
    {"preset", 0, "NAME", KIND_TEXT, GROUP_WHAT, PICTURES | FOR_SCORE, AT(preset), .standard = "the description's",
     .help = "How pixels become the model's input: imagenet (mean and deviation of ImageNet), caffe (BGR from 0 to 255 "
             "minus its mean), minus-one (from -1 to 1), zero-one or raw (from 0 to 255)."},
    {"region", 0, "REGION", KIND_TEXT, GROUP_WHAT, PICTURES | FOR_SCORE, AT(region),
     .help = "For an output with a value per pixel [n,C,H,W]: explain the class's mean over a region, which is one of "
             "predicted (the pixels where the class is the best), x0,y0,x1,y1 in pixels of the model's picture, or a "
             "mask, a picture that is not black inside."},
    {"index", 0, "I,J,...", KIND_TEXT, GROUP_WHAT, PICTURES | FOR_SCORE, AT(index),
     .help = "For an output of any rank: explain one number of it, the batch left out, such as 13,2. A : on one axis "
             "makes that the classes, such as :,12,40 for one pixel of [n,C,H,W]."},
    {"weights", 0, "W.npy", KIND_FILE, GROUP_WHAT, PICTURES | FOR_SCORE, AT(weights),
     .help = "Explain the sum of the output times these weights, one for each of its numbers, the batch left out."},
    {"tensor", 0, "[NAME=]X.npy", KIND_FILES, GROUP_WHAT, FOR_GRADIENT | FOR_EXPLAIN, AT(tensors),
     .help =
         "The points: an array [n,...] as the model takes it, or NAME of a model with several inputs. May be repeated: "
         "the first floating-point one holds the points, the others stay fixed. An .npz file with one array will do."},
    {"pixels", 0, "X.npy", KIND_FILE, GROUP_WHAT, PICTURES, AT(pixels),
     .help = "Instead of pictures: an array [n,H,W,3] with values in [0,1], at the model's size."},
    {"at", 0, "NAME", KIND_TEXT, GROUP_WHAT, FOR_GRADIENT, AT(at), .standard = "the input",
     .help = "Differentiate with respect to this tensor of the graph, at the value the input gives it, also where the "
             "model takes whole numbers only, such as a text's."},
    {"at", 0, "NAME", KIND_TEXT, GROUP_WHAT, FOR_EXPLAIN, AT(at),
     .standard = "the input, and the layer that the description names",
     .help = "With --tensor: explain this tensor of the graph, at the value the input gives it, also where the model "
             "takes whole numbers only, such as a text's. For grad-cam: the layer."},
    {"at", 0, "NAME", KIND_TEXT, GROUP_WHAT, FOR_COMPARE | FOR_SERVE, AT(at),
     .standard = "the description's, else the last with rows and columns", .help = "The layer of grad-cam."},
    {"output", 0, "NAME", KIND_TEXT, GROUP_WHAT, NETWORKS | FOR_SERVE, AT(output), .standard = "the first",
     .help = "The model's output that holds the classes."},
    {"operators", 0, NULL, KIND_ALONE, GROUP_WHAT, FOR_MODEL, AT(operators),
     .help = "Instead of a file: list the ONNX operators that run, with their opsets."},
    {"shape", 0, "NAME=D,D,...", KIND_LIST, GROUP_WHAT, NETWORKS, AT(shapes),
     .help = "The shape of an input whose file leaves it open, such as input=1,3,224,224. May be repeated."},
    {"no-orient", 0, NULL, KIND_FLAG, GROUP_WHAT, PICTURES | FOR_SCORE, AT(no_orient),
     .help = "Leave pictures as stored, whatever their EXIF orientation says."},
    {"map", 0, "X.npy", KIND_FILE, GROUP_WHAT, FOR_SCORE, AT(map),
     .help = "The maps, as explain --npy writes them: [H,W], [H,W,3], [n,H,W,3] or [n,H,W,1]. Needed."},
    {"mask", 0, "FILE", KIND_FILE, GROUP_WHAT, FOR_SCORE, AT(mask),
     .help =
         "Where the object is: a picture, white (255) inside, black outside, grey where it is unsure; or a folder "
         "with one for each map, sorted by name. Brought to the map's size as the pictures of --model are; without it, "
         "squashed."},
    {"boxes", 0, "BOXES", KIND_TEXT, GROUP_WHAT, FOR_SCORE, AT(boxes),
     .help = "Instead of --mask: \"x0 y0 x1 y1;...\", corners included, in pixels of --picture, or of the map where "
             "there is none. What reaches outside is cut off with a warning; a box wholly outside is refused."},
    {"model", 0, "FILE", KIND_FILE, GROUP_WHAT, FOR_SCORE, AT(model),
     .help = "The model, for insertion, deletion, sic, aic, infidelity and completeness (with --picture), and for the "
             "way of --mask to the map's size."},
    {"picture", 0, "FILE", KIND_FILE, GROUP_WHAT, FOR_SCORE, AT(picture),
     .help = "What the map explains: a picture, or a folder with one for each map. Goes with --model."},
    {"store", 0, "FILE", KIND_FILE, GROUP_WHAT, FOR_STUDY, AT(store), .standard = "the manifest's name with .db",
     .help = "run: where scores are kept."},
    {"take", 0, "FILE", KIND_FILES, GROUP_WHAT, FOR_STUDY, AT(take),
     .help = "run: the store of another run, from another machine for one. What it has of this study is taken and not "
             "computed again. May be repeated."},
    {"model", 0, "NAME", KIND_TEXT, GROUP_WHAT, FOR_STUDY, AT(model), .standard = "the first",
     .help = "show: the model, by its name in the manifest."},
    {"set", 0, "NAME", KIND_TEXT, GROUP_WHAT, FOR_STUDY, AT(set), .standard = "the first",
     .help = "show: the set of pictures, by its name in the manifest."},

    /* ---- how: texts that gig_method_set understands, but for the first ---- */
    {"method", 'm', "NAME", KIND_TEXT, GROUP_HOW, FOR_EXPLAIN, AT(method), .choices = BASES, .standard = "gig:20",
     .help =
         "[xrai+][smooth+]BASE[:K][/option=value...]; BASE is gradients, gradients-x-input, edge, ig, blur-ig, "
         "sig, gig, grad-cam, guided-backprop or occlusion; paper is gig:20 as published. Options in the name override "
         "the flags below. Some have no flag: occlusion takes /window=15 or 2x3, /stride=1, /value=0 and "
         "/overlap=average or sum, sig /basis=svd or dct and /blend=0.4, xrai+ /min-pixels=50."},
    {"method", 'm', "NAME", KIND_TEXT, GROUP_HOW, FOR_PATH, AT(method), .choices = "gig|gig:20", .standard = "gig",
     .help = "The guided path beside the straight one: gig or gig:K; of the options it takes /fraction, /fraction-of, "
             "/max-dist, /steps and /baseline. Both paths are summed by the left rule."},
    {"methods", 0, "A,B,...", KIND_TEXT, GROUP_HOW, FOR_COMPARE, AT(methods),
     .standard = "gradients, ig, blur-ig, gig:0, gig:20, smooth+gig:20/samples=5, xrai+gig:20, grad-cam",
     .help = "Methods to compare, named as for explain, with commas between."},
    {"methods", 0, "A,B,...", KIND_TEXT, GROUP_HOW, FOR_STUDY, AT(methods), .standard = "all",
     .help = "table: the methods whose rows are wanted, with commas between."},
    {"steps", 0, "N", KIND_TEXT, GROUP_HOW, PICTURES, AT(steps), .standard = "200", .help = "Steps of the whole path."},
    {"steps-per-segment", 0, "N", KIND_TEXT, GROUP_HOW, METHODS, AT(steps_per_segment),
     .help = "Steps of each of the K+1 segments of gig:K, instead of --steps."},
    {"fraction", 0, "P", KIND_TEXT, GROUP_HOW, PICTURES, AT(fraction), .standard = "0.1",
     .help = "Share of the features that a Guided IG step may move: those of least gradient."},
    {"fraction-of", 0, "WHAT", KIND_TEXT, GROUP_HOW, PICTURES, AT(fraction_of), .choices = "all|remaining",
     .standard = "all", .help = "Of all features (the paper's pseudocode) or of those remaining (its text)."},
    {"max-dist", 0, "M", KIND_TEXT, GROUP_HOW, PICTURES, AT(max_dist), .standard = "none",
     .help = "Bounded Guided IG: no feature is further than M, in shares of its way, from the straight line."},
    {"rule", 0, "RULE", KIND_TEXT, GROUP_HOW, METHODS, AT(rule),
     .choices = "left|right|trapezoid|midpoint|idgi|gauss-legendre|pair|captum-trapezoid|idg|random",
     .standard = "ig midpoint, blur-ig right, sig and gig left",
     .help = "How gradients are summed: left, right, trapezoid, midpoint, idgi; for ig, blur-ig and sig also "
             "gauss-legendre, pair, captum-trapezoid, idg and random."},
    {"nodes", 0, "KIND", KIND_TEXT, GROUP_HOW, METHODS, AT(nodes), .choices = "even|adaptive", .standard = "even",
     .help = "Of ig, blur-ig and sig by rule midpoint: even nodes, or more of them where the score changes, which a "
             "pass of values finds out first."},
    {"until", 0, "P", KIND_TEXT, GROUP_HOW, METHODS, AT(until), .standard = "the end",
     .help = "Of ig, blur-ig and sig: only the nodes before the score exceeds this share of its most on the way. Does "
             "not add up."},
    {"tolerance", 0, "E", KIND_TEXT, GROUP_HOW, METHODS, AT(tolerance), .standard = "none",
     .help = "Spend more gradients where steps are worst, until the sum is within this share of what it should be."},
    {"max-evaluations", 0, "N", KIND_TEXT, GROUP_HOW, METHODS, AT(max_evaluations), .standard = "10 x steps",
     .help = "Most gradients that --tolerance may spend on a path."},
    {"close", 0, NULL, KIND_FLAG, GROUP_HOW, METHODS, AT(close),
     .help = "Give what is still missing in each step to the features it moved, so that the map adds up."},
    {"repeat", 0, "M", KIND_TEXT, GROUP_HOW, METHODS, AT(repeat), .standard = "1",
     .help = "Mean of M walks from inputs that differ by a millionth of their range, and how well their maps agree "
             "(stability): guided paths through ReLU networks multiply last digits. Costs M times as much; not for "
             "smooth+."},
    {"baseline", 0, "B", KIND_TEXT, GROUP_HOW, FOR_EXPLAIN, AT(baseline), .choices = BASELINES,
     .standard = "black; zeros with --tensor", .help = BASELINE_HELP},
    {"baseline", 0, "B", KIND_TEXT, GROUP_HOW, FOR_COMPARE, AT(baseline), .choices = BASELINES, .standard = "black",
     .help = BASELINE_HELP},
    {"baseline", 0, "B", KIND_TEXT, GROUP_HOW, FOR_PATH, AT(baseline), .standard = "black",
     .help = "Where paths start: black or white."},
    {"baseline", 0, "B", KIND_TEXT, GROUP_HOW, FOR_STUDY, AT(baseline),
     .standard = "black; paper3 all, paper4 black+white",
     .help = "table, show: the baseline whose scores are wanted, as in the manifest."},
    {"samples", 0, "N", KIND_TEXT, GROUP_HOW, METHODS, AT(samples), .standard = "10",
     .help = "Noisy samples of smooth+."},
    {"noise", 0, "R", KIND_TEXT, GROUP_HOW, METHODS, AT(noise), .standard = "0.15",
     .help = "Their spread, as a share of the picture's range."},
    {"smooth", 0, "KIND", KIND_TEXT, GROUP_HOW, METHODS, AT(smooth), .choices = "mean|squares|variance",
     .standard = "mean", .help = "What smooth+ takes over samples: mean, squares or variance."},
    {"sigma", 0, "S", KIND_TEXT, GROUP_HOW, METHODS, AT(sigma), .standard = "35",
     .help = "Largest blur of blur-ig, in pixels."},
    {"xrai", 0, "KIND", KIND_TEXT, GROUP_HOW, METHODS, AT(xrai), .choices = "full|fast", .standard = "full",
     .help = "Algorithm of xrai+: full or fast."},
    {"segments", 0, "FILE.npy", KIND_FILE, GROUP_HOW, METHODS, AT(segments), .standard = "its own",
     .help = "Regions for xrai+: a whole number per pixel, [H,W]."},
    {"metrics", 0, "A,B,...", KIND_TEXT, GROUP_HOW, FOR_SCORE, AT(metrics),
     .standard = "of auc, pointing, gini, insertion, deletion, sic and aic those that can be computed",
     .help = "auc, pointing, mass, rank (with --mask or --boxes), gini, insertion, deletion, sic, aic, diffid, road, "
             "mufidelity, infidelity, completeness "
             "(with --model and --picture; the last two assume a map from black), each with /option=value."},
    {"reduce", 0, "HOW", KIND_TEXT, GROUP_HOW, FOR_SCORE, AT(reduce), .choices = "abs-sum|sum-abs|max|sum",
     .standard = "abs-sum",
     .help = "Channels to one value per pixel: abs-sum (absolute value of the sum), sum-abs, max or sum."},
    {"like", 0, "TABLE", KIND_CHOICE, GROUP_HOW, FOR_STUDY, AT(like), .choices = "plain|paper1|paper2|paper3|paper4",
     .standard = "plain",
     .help = "table: one row per method, or one of the paper's: 1 closed paths, 2 ROC area, 3 baselines, 4 SIC area."},
    {"metric", 0, "METRIC", KIND_TEXT, GROUP_HOW, FOR_STUDY, AT(metric), .standard = "the table's, else auc",
     .help = "table, show: the score that counts, as in the manifest."},
    {"mean", 0, NULL, KIND_FLAG, GROUP_HOW, FOR_STUDY, AT(mean),
     .help = "table: of information curves the mean over pictures, not the median."},
    {"against", 0, "METHOD", KIND_TEXT, GROUP_HOW, FOR_STUDY, AT(against), .standard = "ig",
     .help = "table: the method that differences are taken from."},
    {"better", 0, "METHOD", KIND_TEXT, GROUP_HOW, FOR_STUDY, AT(better),
     .help = "show: pictures where this method's score is above its mean and above that of --than."},
    {"than", 0, "A,B,...", KIND_TEXT, GROUP_HOW, FOR_STUDY, AT(than), .help = "show: the others."},
    {"n", 'n', "N", KIND_COUNT, GROUP_HOW, FOR_STUDY, AT(count), .least = 1, .most = 1000, .standard = "6",
     .help = "show: pictures, drawn at random among those."},

    /* ---- running ---- */
    {"batch", 'b', "B", KIND_COUNT, GROUP_RUNNING, NETWORKS, AT(batch), .least = 1, .most = 4096, .standard = "1",
     .help = "Points computed in one call. A CPU is rarely faster with more than 1."},
    {"threads", 'j', "J", KIND_COUNT, GROUP_RUNNING, FOR_GRADIENT | PICTURES | FOR_SCORE | FOR_SERVE, AT(threads),
     .least = 1, .most = 1024, .standard = "all cores",
     .help = "Threads that the work is dealt to. Results have the same bits for any number."},
    {"threads", 'j', "J", KIND_COUNT, GROUP_RUNNING, FOR_STUDY, AT(threads), .least = 1, .most = 1024,
     .standard = "all cores", .help = "run: worker processes. Scores have the same bits for any number."},
    {"precision", 0, "P", KIND_CHOICE, GROUP_RUNNING, NETWORKS, AT(precision), .choices = "f32|mixed|split|bf16",
     .standard = "f32",
     .help = "f32; mixed: backward in bf16; split: forward by three products of bf16 halves, backward in bf16; bf16: "
             "both, where ReLUs flip. The last three need a CPU with AMX."},
    {"blocking", 0, "B", KIND_CHOICE, GROUP_RUNNING, NETWORKS, AT(blocking), .choices = "auto|8|16|any",
     .standard = "auto",
     .help = "Order of data in f32 convolutions: blocks of 8 or 16 channels, or any, each as oneDNN likes it. auto: 8 "
             "with AVX2 or AVX-512, 16 with AMX. Another order gives other last bits."},
    {"portable", 0, NULL, KIND_FLAG, GROUP_RUNNING, NETWORKS, AT(portable),
     .help =
         "Use no more of the CPU than AVX2: the same bits on every x86-64 CPU that has it, with the same oneDNN and C "
         "library. For maps that others are to check."},
    {"blockings", 0, NULL, KIND_FLAG, GROUP_RUNNING, FOR_BENCH, AT(blockings),
     .help = "Time a gradient with each --blocking, to judge auto on this CPU."},
    {"seed", 0, "S", KIND_COUNT, GROUP_RUNNING, METHODS | FOR_SCORE, AT(seed), .least = 0, .most = INT64_MAX,
     .standard = "0",
     .help = "Of noise, random baselines and whatever else is drawn; the same seed gives the same bits."},
    {"seed", 0, "S", KIND_COUNT, GROUP_RUNNING, FOR_STUDY, AT(seed), .least = 0, .most = INT64_MAX, .standard = "0",
     .help = "table, show: of the bootstrap, and of the pictures that are drawn. Maps and scores have the manifest's."},
    {"operator-threads", 0, "T", KIND_COUNT, GROUP_RUNNING, PICTURES, AT(operator_threads), .least = 1, .most = 1024,
     .standard = "1", .help = "Threads inside each operator. Rarely worth it, and bits may then differ."},
    {"runs", 0, "N", KIND_COUNT, GROUP_RUNNING, FOR_BENCH, AT(runs), .least = 1, .most = 100000, .standard = "20",
     .help = "Gradients to time; the fastest counts."},
    {"memory", 0, "SIZE", KIND_SIZE, GROUP_RUNNING, NETWORKS, AT(memory),
     .standard = "4G for a network at work, no limit for the rest",
     .help = "Most memory to use, such as 2G; what does not fit is refused."},
    {"memory", 0, "SIZE", KIND_SIZE, GROUP_RUNNING, FOR_SERVE, AT(memory), .standard = "4G",
     .help = "Most memory that the worker process may use, such as 2G; a job that needs more fails."},
    {"port", 0, "N", KIND_COUNT, GROUP_RUNNING, FOR_SERVE, AT(port), .least = 1, .most = 65535,
     .standard = "any that is free", .help = "The port of the page on 127.0.0.1."},
    {"dry-run", 0, NULL, KIND_FLAG, GROUP_RUNNING, FOR_STUDY, AT(dry_run),
     .help =
         "run: only print what is missing (maps, scores, gradients, values), and how many hours of one core it takes."},

    /* ---- out ---- */
    {"out", 'o', "FILE", KIND_FILE, GROUP_OUT, FOR_EXPLAIN, AT(out),
     .standard = "NAME.gig.png here, unless --npy, --npz or --json is given",
     .help = "The drawing (.png, .svg, .pdf, .html), or a folder for those of several pictures, which keep their paths "
             "below "
             "the folder that holds them all."},
    {"out", 'o', "FILE", KIND_FILE, GROUP_OUT, FOR_COMPARE, AT(out),
     .standard = "NAME.compare.png here, unless --json is given",
     .help =
         "The sheet (.png, .svg, .pdf, .html), or a folder for those of several pictures, which keep their paths below "
         "the folder that holds them all."},
    {"out", 'o', "FILE", KIND_FILE, GROUP_OUT, FOR_PATH, AT(out), .standard = "path.png",
     .help = "The page (.png, .svg, .pdf, .html)."},
    {"out", 'o', "FILE.npy", KIND_FILE, GROUP_OUT, FOR_GRADIENT, AT(out),
     .help = "Write the gradients here, an array of the shape of the points; without it only values are computed."},
    {"out", 'o', "FILE", KIND_FILE, GROUP_OUT, FOR_STUDY, AT(out),
     .help = "table, export: write the text here instead of printing it; table: a .html file sorts. show: the sheet "
             "(.png, .svg, .pdf, .html)."},
    {"display", 0, "RULE", KIND_CHOICE, GROUP_OUT, METHODS, AT(display),
     .choices = "auto|magnitude|signed|positive|negative|mass|range|pair",
     .standard = "magnitude; range for xrai+ and grad-cam",
     .help = "How values become colours: their magnitude, with their sign (blue below 0, red above), those above or "
             "below 0 alone, and others (docs/formats.md). Arrays are not affected."},
    {"look", 0, "LOOK", KIND_CHOICE, GROUP_OUT, METHODS, AT(look), .choices = "auto|overlay|heat|mask|alpha",
     .standard = "overlay in explain, heat in compare",
     .help = "The map over the greyed picture, alone, the picture's strongest 30 % with the rest black, or the picture "
             "faded to white where the map is weak."},
    {"bare", 0, NULL, KIND_FLAG, GROUP_OUT, FOR_EXPLAIN, AT(bare),
     .help = "Draw the map alone, one pixel for each of the model's, without title, legend and numbers; a .png."},
    {"npy", 0, "FILE", KIND_FILE, GROUP_OUT, FOR_EXPLAIN, AT(npy),
     .help = "Write the attributions of all inputs as one array: [n,H,W,3] for pictures, [n,H,W,1] where a method has "
             "one value per pixel, the tensor's own shape for --tensor. Only when all inputs were explained."},
    {"npz", 0, "FILE", KIND_FILE, GROUP_OUT, FOR_EXPLAIN, AT(npz), .help = "The same as an archive."},
    {"csv", 0, "FILE", KIND_FILE, GROUP_OUT, FOR_PATH, AT(csv),
     .help = "Write the numbers behind the plots: one row per method and step."},
    {"film", 0, "FILE.webp", KIND_FILE, GROUP_OUT, FOR_PATH, AT(film),
     .help = "Write an animation of the guided path."},
    {"plot", 0, "FILE", KIND_FILE, GROUP_OUT, FOR_STUDY, AT(plot),
     .help = "table: draw its ROC, SIC or AIC curves too (.png, .svg, .pdf, .html)."},
    {"format", 0, "F", KIND_CHOICE, GROUP_OUT, FOR_STUDY, AT(format), .choices = "md|csv|latex|json", .standard = "md",
     .help = "table: how it is written."},
    {"json", 0, NULL, KIND_FLAG, GROUP_OUT, FOR_MODEL | FOR_GRADIENT | FOR_BENCH | METHODS | FOR_SCORE, AT(json),
     .help = "Print one JSON object instead of text."},
    {"json", 0, NULL, KIND_FLAG, GROUP_OUT, FOR_STUDY, AT(json),
     .help = "run, status, export: print JSON instead of text. (A table's is --format json.)"},
    {"force", 'f', NULL, KIND_FLAG, GROUP_OUT, WRITERS, AT(force),
     .help = "Overwrite files that exist. Without it they are left alone and nothing is computed."},
    {"force", 'f', NULL, KIND_FLAG, GROUP_OUT, FOR_STUDY, AT(force),
     .help = "table, export, show: overwrite files that exist."},
    {"quiet", 'q', NULL, KIND_FLAG, GROUP_OUT, WRITERS, AT(quiet),
     .help = "No progress bar (there is none in a pipe either)."},
    {"quiet", 'q', NULL, KIND_FLAG, GROUP_OUT, FOR_STUDY, AT(quiet),
     .help = "run: no progress bar (there is none in a pipe either)."},
    {"help", 'h', NULL, KIND_HELP, GROUP_OUT, (unsigned)FOR_ALL, AT(help), .help = "Show this help."},
    {0},
};

_Static_assert(sizeof option_table / sizeof *option_table <= MOST_OPTION_ROWS, "options.seen has a place per row");
