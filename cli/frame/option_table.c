/* SPDX-License-Identifier: Apache-2.0 */
/* The table of options. An option with different meanings in different commands has a row for each. */
#include "frame/options.h"

#define AT(field) offsetof(options, field)
#define DRAWINGS  ".png, .svg, .pdf, .html, .webp"
#define BASES     "{methods}|gig:20|auto|paper|smooth+gradients|smooth+gig:20|xrai+gig:20" /* frame/row_names.h */
#define BASELINES "black|white|black+white|random:2|blur:20|mean"
#define BASELINE_HELP                                                                                                  \
    "Start of the paths: black, white, black+white, random:N, blur:SIGMA, mean, an array FILE.npy, a picture file, "   \
    "or "                                                                                                              \
    "pictures:DIR:N (N pictures drawn from a folder)."

enum {
    NETWORKS = FOR_MODEL | FOR_GRADIENT | FOR_BENCH | FOR_EXPLAIN | FOR_COMPARE | FOR_PATH | FOR_SCORE,
    PICTURES = FOR_EXPLAIN | FOR_COMPARE | FOR_PATH, /* commands that explain them */
    METHODS = FOR_EXPLAIN | FOR_COMPARE,
    WRITERS = FOR_GRADIENT | PICTURES
};

const option_row option_table[] = {
    /* ---- what ---- */
    {"class", 'c', "K|NAME", KIND_TEXT, GROUP_WHAT, PICTURES, AT(target.of_class), .standard = "the model's best class",
     .help = "The class to explain: its number, counted from 0, its name, or a part of the name that "
             "only one class has; case is ignored."},
    {"class", 'c', "K|NAME", KIND_TEXT, GROUP_WHAT, FOR_GRADIENT, AT(target.of_class),
     .help = "The class to differentiate: its number, counted from 0, or its name. Required."},
    {"class", 'c', "K|NAME", KIND_TEXT, GROUP_WHAT, FOR_SCORE, AT(target.of_class),
     .standard = "the model's best class",
     .help = "The class that the map explains, for metrics that need the model: its number or its name."},
    {"of", 0, "SCALAR", KIND_CHOICE, GROUP_WHAT, FOR_GRADIENT | PICTURES, AT(target.of),
     .choices = "softmax|logit|logprob|sigmoid|value", .standard = "softmax; sigmoid if the model ends in one",
     .help = "The scalar to explain: softmax probability, logit, log-probability or sigmoid of the class, or the "
             "output value as it is. If the model ends in a softmax or sigmoid, no second one is added."},
    {"of", 0, "SCALAR", KIND_CHOICE, GROUP_WHAT, FOR_SCORE, AT(target.of),
     .choices = "softmax|logit|logprob|sigmoid|value", .standard = "softmax; sigmoid if the model ends in one",
     .help = "The scalar that the map explains, for completeness, infidelity and mufidelity. Other metrics use the "
             "probability."},
    {"preset", 0, "NAME", KIND_TEXT, GROUP_WHAT, PICTURES | FOR_SCORE, AT(preset), .standard = "the description's",
     .help = "Preprocessing of pixels: imagenet (ImageNet mean and standard deviation), caffe (BGR, 0 to 255 minus the "
             "mean), minus-one (-1 to 1), zero-one (0 to 1) or raw (0 to 255)."},
    {"region", 0, "REGION", KIND_TEXT, GROUP_WHAT, PICTURES | FOR_SCORE, AT(target.region),
     .help = "For an output with a value per pixel [n,C,H,W]: explain the mean of the class over a region. REGION is "
             "predicted (the pixels predicted as the class), a box x0,y0,x1,y1 in pixels at the model's size, or a "
             "mask file (a picture that is not black inside the region)."},
    {"index", 0, "I,J,...", KIND_TEXT, GROUP_WHAT, PICTURES | FOR_SCORE, AT(target.index),
     .help = "For an output of any rank: explain one of its values, without the batch index, such as 13,2. A colon "
             "marks the class axis, such as :,12,40 for one pixel of [n,C,H,W]."},
    {"weights", 0, "W.npy", KIND_FILE, GROUP_WHAT, PICTURES | FOR_SCORE, AT(target.weights),
     .help = "Explain the weighted sum of the output; one weight per value, without the batch axis."},
    {"tensor", 0, "[NAME=]X.npy", KIND_FILES, GROUP_WHAT, FOR_GRADIENT | FOR_EXPLAIN | FOR_PATH, AT(tensors),
     .help =
         "Raw model input: an array [n,...], for the input NAME if the model has several. May be repeated: the "
         "first floating-point array is explained, the others are fixed (those with as many rows: row by row). An .npz "
         "file with one array works too."},
    {"explain-inputs", 0, "A,B", KIND_TEXT, GROUP_WHAT, FOR_EXPLAIN, AT(explain_inputs), .standard = "one input",
     .help = "Explain these floating-point inputs of the model together: a map for each, and all of them add up. A "
             "picture is one of them; the others are given by --tensor NAME=X.npy."},
    {"tokens", 0, "FILE", KIND_FILE, GROUP_WHAT, FOR_EXPLAIN, AT(drawing.tokens),
     .help =
         "With --tensor and -o: the text of each position of the input's first axis, one per line, drawn as coloured "
         "words."},
    {"columns", 0, "FILE", KIND_FILE, GROUP_WHAT, FOR_EXPLAIN, AT(drawing.columns),
     .help = "With --tensor and -o: the name of each value of the input, one per line, drawn as a table of bars."},
    {"pixels", 0, "X.npy", KIND_FILE, GROUP_WHAT, PICTURES, AT(pixels),
     .help = "Use an array [n,H,W,3] with values in [0,1], at the model's size, instead of picture files."},
    {"at", 0, "NAME", KIND_TEXT, GROUP_WHAT, FOR_GRADIENT, AT(at), .standard = "the input",
     .help = "Differentiate with respect to this tensor of the graph, at the value that the input gives it. Use it for "
             "models with integer inputs, such as text."},
    {"at", 0, "NAME", KIND_TEXT, GROUP_WHAT, FOR_EXPLAIN, AT(at),
     .standard = "the input; for grad-cam the description's layer",
     .help = "With --tensor: explain this tensor of the graph, at the value that the input gives it. Use it for models "
             "with integer inputs, such as text. For grad-cam: the layer."},
    {"at", 0, "NAME", KIND_TEXT, GROUP_WHAT, FOR_PATH, AT(at), .standard = "the input",
     .help = "With --tensor: follow the path of this tensor of the graph, which ends at the value that the input gives "
             "it. Use it for models with integer inputs, such as text."},
    {"at", 0, "NAME", KIND_TEXT, GROUP_WHAT, FOR_COMPARE | FOR_SERVE, AT(at),
     .standard = "the description's, else the last rank-4 tensor", .help = "The layer for grad-cam."},
    {"output", 0, "NAME", KIND_TEXT, GROUP_WHAT, NETWORKS | FOR_SERVE, AT(target.output), .standard = "the first",
     .help = "The model output that holds the classes."},
    {"operators", 0, NULL, KIND_ALONE, GROUP_WHAT, FOR_MODEL, AT(operators),
     .help = "List the supported ONNX operators with their opsets, instead of reading a file."},
    {"tensors", 0, NULL, KIND_FLAG, GROUP_WHAT, FOR_MODEL, AT(list_tensors),
     .help = "List every computed tensor with its shape and type, and mark those that --at and grad-cam can take."},
    {"describe", 0, NULL, KIND_FLAG, GROUP_WHAT, FOR_MODEL, AT(describe),
     .help = "Print a model description to complete, as JSON: gig model net.onnx --describe > net.json."},
    {"shape", 0, "NAME=D,D,...", KIND_LIST, GROUP_WHAT, NETWORKS, AT(shapes),
     .help = "Shape of an input with free dimensions, such as input=1,3,224,224. May be repeated."},
    {"no-orient", 0, NULL, KIND_FLAG, GROUP_WHAT, PICTURES | FOR_SCORE, AT(no_orient),
     .help = "Ignore the EXIF orientation of pictures."},
    {"map", 0, "X.npy", KIND_FILE, GROUP_WHAT, FOR_SCORE, AT(score.map),
     .help = "The maps, as written by explain --npy: [H,W], [H,W,3], [n,H,W,3] or [n,H,W,1]. Required."},
    {"mask", 0, "FILE", KIND_FILE, GROUP_WHAT, FOR_SCORE, AT(score.mask),
     .help = "Ground truth: a picture that is white (255) on the object, black elsewhere, grey where unknown; or a "
             "folder with one per map, sorted by name. Resized like the pictures of --model, or squashed without one."},
    {"boxes", 0, "BOXES", KIND_TEXT, GROUP_WHAT, FOR_SCORE, AT(score.boxes),
     .help = "Ground truth as boxes instead of --mask: \"x0 y0 x1 y1;...\", corners included, in pixels of --picture, "
             "or of the map without one. Boxes are clipped with a warning; a box completely outside is an error."},
    {"model", 0, "FILE", KIND_FILE, GROUP_WHAT, FOR_SCORE, AT(score.model),
     .help = "The model, for metrics that need one (with --picture), and for the resizing of --mask."},
    {"picture", 0, "FILE", KIND_FILE, GROUP_WHAT, FOR_SCORE, AT(score.picture),
     .help = "The explained picture, or a folder with one per map. Requires --model."},
    {"store", 0, "FILE", KIND_FILE, GROUP_WHAT, FOR_STUDY, AT(study.store), .standard = "the manifest's name with .db",
     .help = "run: the file that keeps the scores."},
    {"take", 0, "FILE", KIND_FILES, GROUP_WHAT, FOR_STUDY, AT(study.take),
     .help = "run: import the scores of another store, or of a CSV file written by study export, instead of computing "
             "them again. May be repeated."},
    {"model", 0, "NAME", KIND_TEXT, GROUP_WHAT, FOR_STUDY, AT(score.model), .standard = "the first",
     .help = "show: name of the model in the manifest."},
    {"set", 0, "NAME", KIND_TEXT, GROUP_WHAT, FOR_STUDY, AT(study.set), .standard = "the first",
     .help = "show: name of the picture set in the manifest."},

    /* ---- how: texts that gig_method_set understands, except the first ---- */
    {"method", 'm', "NAME", KIND_TEXT, GROUP_HOW, FOR_EXPLAIN, AT(how.method), .choices = BASES, .standard = "auto",
     .help = "[xrai+][smooth+]BASE[:K][/option=value...]; BASE is one of {methods}. auto stands for {auto} "
             "(docs/default.md), whose options the flags below change; paper for "
             "gig:20 as published, whatever flags say but --baseline. Options that you write in a name override the "
             "flags. Some have no flag: occlusion takes "
             "/window=15 or 2x3, /stride=1, /value=0 and /overlap=average or sum, samp /moves=100 and /sigma=5, sig "
             "/basis=svd or dct and /blend=0.4, xrai+ /min-pixels=50."},
    {"method", 'm', "NAME", KIND_TEXT, GROUP_HOW, FOR_PATH, AT(how.method), .choices = "gig|gig:20", .standard = "gig",
     .help = "The path to show next to the straight line: gig or gig:K, with /fraction, /fraction-of, /max-dist, "
             "/steps and /baseline. Both paths use the left rule."},
    {"methods", 0, "A,B,...", KIND_TEXT, GROUP_HOW, FOR_COMPARE, AT(how.methods), .standard = "{compared}",
     .help = "Methods to compare, separated by commas; names as for explain."},
    {"methods", 0, "A,B,...", KIND_TEXT, GROUP_HOW, FOR_STUDY, AT(how.methods), .standard = "all",
     .help = "table: only these methods, separated by commas."},
    {"steps", 0, "N", KIND_TEXT, GROUP_HOW, PICTURES, AT(how.steps),
     .standard = "what the method's name says (auto's too), else 200", .help = "Number of steps of the whole path."},
    {"steps-per-segment", 0, "N", KIND_TEXT, GROUP_HOW, METHODS, AT(how.steps_per_segment),
     .help = "Number of steps of each of the K+1 segments of gig:K, instead of --steps."},
    {"fraction", 0, "P", KIND_TEXT, GROUP_HOW, PICTURES, AT(how.fraction), .standard = "0.1",
     .help = "Fraction of the features that a Guided IG step may move: those with the smallest gradients."},
    {"fraction-of", 0, "WHAT", KIND_TEXT, GROUP_HOW, PICTURES, AT(how.fraction_of), .choices = "all|remaining",
     .standard = "all",
     .help = "Fraction of all features (the paper's pseudocode) or of the remaining ones (its text)."},
    {"max-dist", 0, "M", KIND_TEXT, GROUP_HOW, PICTURES, AT(how.max_dist), .standard = "none",
     .help = "Bounded Guided IG: no feature is more than M of its way ahead of or behind the straight line."},
    {"rule", 0, "RULE", KIND_TEXT, GROUP_HOW, METHODS, AT(how.rule),
     .choices = "left|right|trapezoid|midpoint|idgi|gauss-legendre|pair|captum-trapezoid|idg|random",
     .standard = "what the method's name says (auto's too), else ig midpoint, blur-ig right, sig and gig left",
     .help = "Integration rule: left, right, trapezoid, midpoint, idgi; for ig, blur-ig and sig also gauss-legendre, "
             "pair, captum-trapezoid, idg and random."},
    {"nodes", 0, "KIND", KIND_TEXT, GROUP_HOW, METHODS, AT(how.nodes), .choices = "even|adaptive", .standard = "even",
     .help = "For ig, and with --rule midpoint for blur-ig and sig: even nodes, or adaptive ones that are denser where "
             "the score changes, found by an extra pass of values."},
    {"until", 0, "P", KIND_TEXT, GROUP_HOW, METHODS, AT(how.until), .standard = "off",
     .help = "For ig, and with --rule midpoint, gauss-legendre, pair or captum-trapezoid for blur-ig and sig: use only "
             "the nodes before the score first exceeds this fraction of its maximum along the path. Does not add up."},
    {"tolerance", 0, "E", KIND_TEXT, GROUP_HOW, METHODS, AT(how.tolerance), .standard = "none",
     .help = "Spend more gradients on the steps with the largest errors until the sum is within this fraction of what "
             "it should be."},
    {"max-evaluations", 0, "N", KIND_TEXT, GROUP_HOW, METHODS, AT(how.max_evaluations), .standard = "10 x steps",
     .help = "Maximum number of gradients that --tolerance may spend on a path."},
    {"close", 0, NULL, KIND_FLAG, GROUP_HOW, METHODS, AT(how.close),
     .help =
         "Distribute the remaining error of each step over the features that moved in it, so that the map adds up."},
    {"repeat", 0, "M", KIND_TEXT, GROUP_HOW, METHODS, AT(how.repeat), .standard = "1",
     .help = "Average M walks from inputs that differ by a millionth of their range, and report how well their maps "
             "agree (stability): guided paths on ReLU networks amplify rounding differences. Costs M times as much; "
             "not for smooth+."},
    {"baseline", 0, "B", KIND_TEXT, GROUP_HOW, FOR_EXPLAIN, AT(how.baseline), .choices = BASELINES,
     .standard = "black; zeros with --tensor", .help = BASELINE_HELP},
    {"baseline", 0, "B", KIND_TEXT, GROUP_HOW, FOR_COMPARE, AT(how.baseline), .choices = BASELINES, .standard = "black",
     .help = BASELINE_HELP},
    {"baseline", 0, "B", KIND_TEXT, GROUP_HOW, FOR_PATH, AT(how.baseline), .choices = BASELINES,
     .standard = "black; zeros with --tensor; random:2 with --closed",
     .help = "Start of the paths, one point: black, white, random:1, blur:SIGMA, mean, an array (.npy) or a picture. "
             "With --closed two points: random:2, black+white or pictures:DIR:2."},
    {"closed", 0, NULL, KIND_FLAG, GROUP_HOW, FOR_PATH, AT(how.closed),
     .help = "Follow a closed path from the picture to the two points of --baseline and back to the picture. What a "
             "method attributes on it should cancel; the page shows each side, the sum and its mean square."},
    {"baseline", 0, "B", KIND_TEXT, GROUP_HOW, FOR_STUDY, AT(how.baseline),
     .standard = "black; paper3 all, paper4 black+white",
     .help = "table, show: only scores from this baseline, named as in the manifest; pictures as in the export, "
             "pictures:N#..."},
    {"samples", 0, "N", KIND_TEXT, GROUP_HOW, METHODS, AT(how.samples), .standard = "10",
     .help = "Number of noisy samples for smooth+."},
    {"noise", 0, "R", KIND_TEXT, GROUP_HOW, METHODS, AT(how.noise), .standard = "0.15",
     .help = "Standard deviation of the noise of smooth+, as a fraction of the picture's range."},
    {"smooth", 0, "KIND", KIND_TEXT, GROUP_HOW, METHODS, AT(how.smooth), .choices = "mean|squares|variance",
     .standard = "mean", .help = "Statistic of smooth+ over the samples: mean, mean of squares, or variance."},
    {"sigma", 0, "S", KIND_TEXT, GROUP_HOW, METHODS, AT(how.sigma), .standard = "35",
     .help = "Largest blur of blur-ig in pixels."},
    {"xrai", 0, "KIND", KIND_TEXT, GROUP_HOW, METHODS, AT(how.xrai), .choices = "full|fast", .standard = "full",
     .help = "Algorithm of xrai+: full or fast."},
    {"segments", 0, "FILE.npy", KIND_FILE, GROUP_HOW, METHODS, AT(how.segments), .standard = "its own segmentation",
     .help = "Regions for xrai+: an integer label per pixel, [H,W]."},
    {"metrics", 0, "A,B,...", KIND_TEXT, GROUP_HOW, FOR_SCORE, AT(score.metrics),
     .standard = "those of auc, pointing, gini, insertion, deletion, sic and aic that can be computed",
     .choices = "{metrics}",
     .help = "Some of {metrics}, each with /option=value. Metrics with a ground truth need --mask or --boxes, metrics "
             "with a model need --model and --picture; completeness, infidelity and mufidelity assume a map from "
             "black. Metrics that compute more maps, such as stability, are for studies only (docs/metrics.md)."},
    {"reduce", 0, "HOW", KIND_TEXT, GROUP_HOW, FOR_SCORE, AT(score.reduce), .choices = "abs-sum|sum-abs|max|sum",
     .standard = "abs-sum",
     .help = "Reduction of channels to one value per pixel: abs-sum (absolute value of the sum), sum-abs, max or sum."},
    {"like", 0, "TABLE", KIND_CHOICE, GROUP_HOW, FOR_STUDY, AT(study.like),
     .choices = "plain|paper1|paper2|paper3|paper4", .standard = "plain",
     .help = "table: one row per method, or one of the paper's tables: 1 closed paths, 2 ROC area, 3 baselines, 4 SIC "
             "area."},
    {"metric", 0, "METRIC", KIND_TEXT, GROUP_HOW, FOR_STUDY, AT(study.metric), .standard = "the table's, else auc",
     .help = "table, show: the metric to use, named as in the manifest."},
    {"mean", 0, NULL, KIND_FLAG, GROUP_HOW, FOR_STUDY, AT(study.mean),
     .help = "table: use the mean information curve over pictures, not the median."},
    {"against", 0, "METHOD", KIND_TEXT, GROUP_HOW, FOR_STUDY, AT(study.against), .standard = "ig",
     .help = "table: the reference method for differences."},
    {"better", 0, "METHOD", KIND_TEXT, GROUP_HOW, FOR_STUDY, AT(study.better),
     .help = "show: pictures where this method scores above its mean and better than --than."},
    {"than", 0, "A,B,...", KIND_TEXT, GROUP_HOW, FOR_STUDY, AT(study.than), .help = "show: the other methods."},
    {"n", 'n', "N", KIND_COUNT, GROUP_HOW, FOR_STUDY, AT(study.count), .least = 1, .most = 1000, .standard = "6",
     .help = "show: number of pictures, drawn at random from those that qualify."},

    /* ---- running ---- */
    {"batch", 'b', "B", KIND_COUNT, GROUP_RUNNING, NETWORKS, AT(run.batch), .least = 1, .most = 4096, .standard = "1",
     .help = "Batch size of the network. More than 1 is rarely faster on a CPU."},
    {"threads", 'j', "J", KIND_COUNT, GROUP_RUNNING, FOR_GRADIENT | PICTURES | FOR_SCORE | FOR_SERVE, AT(run.threads),
     .least = 1, .most = 1024, .standard = "all cores",
     .help = "Number of threads. Results have the same bits for any number."},
    {"threads", 'j', "J", KIND_COUNT, GROUP_RUNNING, FOR_STUDY, AT(run.threads), .least = 1, .most = 1024,
     .standard = "all cores", .help = "run: number of worker processes. Scores have the same bits for any number."},
    {"precision", 0, "P", KIND_CHOICE, GROUP_RUNNING, NETWORKS, AT(run.precision), .choices = "f32|mixed|split|bf16",
     .standard = "f32",
     .help = "f32; mixed: backward pass in bf16; split: forward as three products of bf16 halves, backward in bf16; "
             "bf16: both passes in bf16, which changes the sign of some ReLUs. mixed and bf16 need AVX-512 with bf16 "
             "or AMX, split needs AMX."},
    {"blocking", 0, "B", KIND_CHOICE, GROUP_RUNNING, NETWORKS, AT(run.blocking), .choices = "auto|8|16|any",
     .standard = "auto",
     .help =
         "Memory layout of f32 convolutions: blocks of 8 or 16 channels, or any (what oneDNN chooses for each). auto: "
         "8 with AVX2 or AVX-512, 16 with AMX. Another layout changes the last bits of results."},
    {"portable", 0, NULL, KIND_FLAG, GROUP_RUNNING, NETWORKS, AT(run.portable),
     .help =
         "Compute nothing that depends on CPU features beyond AVX2, for the same bits on every x86-64 CPU with AVX2 "
         "and the same versions of oneDNN and C library. Use it for maps that others should be able to reproduce."},
    {"blockings", 0, NULL, KIND_FLAG, GROUP_RUNNING, FOR_BENCH, AT(run.blockings),
     .help = "Time a gradient with each --blocking, to check auto on this CPU."},
    {"seed", 0, "S", KIND_COUNT, GROUP_RUNNING, PICTURES | FOR_SCORE, AT(seed), .least = 0, .most = INT64_MAX,
     .standard = "0", .help = "Seed of all random numbers; the same seed gives the same bits."},
    {"seed", 0, "S", KIND_COUNT, GROUP_RUNNING, FOR_STUDY, AT(seed), .least = 0, .most = INT64_MAX, .standard = "0",
     .help = "table, show: seed of the bootstrap and of the pictures drawn. Maps and scores use the manifest's seed."},
    {"operator-threads", 0, "T", KIND_COUNT, GROUP_RUNNING, PICTURES, AT(run.operator_threads), .least = 1,
     .most = 1024, .standard = "1",
     .help = "Number of threads inside each operator. Rarely faster, and may change the bits."},
    {"runs", 0, "N", KIND_COUNT, GROUP_RUNNING, FOR_BENCH, AT(run.runs), .least = 1, .most = 100000, .standard = "20",
     .help = "Number of gradients to time; the fastest counts."},
    {"memory", 0, "SIZE", KIND_SIZE, GROUP_RUNNING, NETWORKS, AT(run.memory),
     .standard = "4G per network, unlimited otherwise",
     .help = "Memory limit, such as 2G; work that needs more is an error."},
    {"memory", 0, "SIZE", KIND_SIZE, GROUP_RUNNING, FOR_SERVE, AT(run.memory), .standard = "4G",
     .help = "Memory limit of the worker process, such as 2G; a job that needs more fails."},
    {"port", 0, "N", KIND_COUNT, GROUP_RUNNING, FOR_SERVE, AT(port), .least = 1, .most = 65535,
     .standard = "any free port", .help = "Port of the page on 127.0.0.1."},
    {"dry-run", 0, NULL, KIND_FLAG, GROUP_RUNNING, METHODS, AT(dry_run),
     .help = "Only print the gradients, seconds and memory that the run would take; nothing is written."},
    {"dry-run", 0, NULL, KIND_FLAG, GROUP_RUNNING, FOR_STUDY, AT(dry_run),
     .help = "run: only print what is missing (maps, scores, gradients, values) and the estimated core-hours."},

    /* ---- out ---- */
    {"out", 'o', "FILE", KIND_FILE, GROUP_OUT, FOR_EXPLAIN, AT(out),
     .standard = "NAME.gig.png, unless --npy, --npz or --json is given",
     .help = "Output file (" DRAWINGS "); for several pictures a .html file, or a folder, in which they "
             "keep their "
             "relative paths."},
    {"out", 'o', "FILE", KIND_FILE, GROUP_OUT, FOR_COMPARE, AT(out),
     .standard = "NAME.compare.png, unless --json is given",
     .help = "Output sheet (" DRAWINGS "); for several pictures a .html file, or a folder, in which they "
             "keep their "
             "relative paths."},
    {"out", 'o', "FILE", KIND_FILE, GROUP_OUT, FOR_PATH, AT(out), .standard = "path.png",
     .help = "Output file (" DRAWINGS ")."},
    {"out", 'o', "FILE.npy", KIND_FILE, GROUP_OUT, FOR_GRADIENT, AT(out),
     .help = "Write the gradients to this file, in the shape of the input; without it only values are computed."},
    {"out", 'o', "FILE", KIND_FILE, GROUP_OUT, FOR_STUDY, AT(out),
     .help = "table, export: write to this file instead of standard output; a table as .html can be sorted. show: the "
             "sheet (" DRAWINGS ")."},
    {"title", 0, "TEXT", KIND_TEXT, GROUP_OUT, METHODS, AT(drawing.title), .standard = "the names of input and model",
     .help = "The title of the drawing."},
    {"display", 0, "RULE", KIND_CHOICE, GROUP_OUT, METHODS, AT(drawing.display),
     .choices = "auto|magnitude|signed|positive|negative|mass|range|pair",
     .standard = "magnitude; range for xrai+ and grad-cam's kin",
     .help = "How values are mapped to colours: magnitude, signed (blue below 0, red above), positive or negative "
             "values only, and others (docs/formats.md). Does not change arrays."},
    {"look", 0, "LOOK", KIND_CHOICE, GROUP_OUT, METHODS, AT(drawing.look), .choices = "auto|overlay|heat|mask|alpha",
     .standard = "overlay in explain, heat in compare but for xrai+ and grad-cam's kin",
     .help = "overlay: the map over the greyed picture; heat: the map alone; mask: the top 30 % of the picture, the "
             "rest black; alpha: the picture, fading to white where the map is weak."},
    {"draw-as", 0, "KIND", KIND_CHOICE, GROUP_OUT, FOR_EXPLAIN, AT(drawing.draw_as),
     .choices = "auto|signal|tokens|table|slices", .standard = "by the shape",
     .help = "What --tensor is drawn as: signal (lines coloured by attribution), tokens (coloured words), table (bars) "
             "or slices (of a volume or clip)."},
    {"bare", 0, NULL, KIND_FLAG, GROUP_OUT, FOR_EXPLAIN, AT(drawing.bare),
     .help = "Write only the map at the model's size, without title, legend or numbers, as .png."},
    {"npy", 0, "FILE", KIND_FILE, GROUP_OUT, FOR_EXPLAIN, AT(npy),
     .help = "Write the attributions of all inputs as one array: [n,H,W,3] for pictures, [n,H,W,1] for methods with "
             "one value per pixel, the tensor's shape for --tensor. Written only if all inputs succeed."},
    {"npz", 0, "FILE", KIND_FILE, GROUP_OUT, FOR_EXPLAIN, AT(npz), .help = "The same as an .npz archive."},
    {"csv", 0, "FILE", KIND_FILE, GROUP_OUT, FOR_PATH, AT(csv),
     .help = "Write the plotted numbers: one row per method and step."},
    {"film", 0, "FILE.webp", KIND_FILE, GROUP_OUT, FOR_PATH, AT(drawing.film),
     .help = "Write an animation of the guided path."},
    {"plot", 0, "FILE", KIND_FILE, GROUP_OUT, FOR_STUDY, AT(study.plot),
     .help = "table: also draw the ROC, SIC or AIC curves (" DRAWINGS ")."},
    {"format", 0, "F", KIND_CHOICE, GROUP_OUT, FOR_STUDY, AT(study.format), .choices = "md|csv|latex|json",
     .standard = "md", .help = "table: output format."},
    {"json", 0, NULL, KIND_FLAG, GROUP_OUT, FOR_MODEL | FOR_GRADIENT | FOR_BENCH | METHODS | FOR_SCORE, AT(json),
     .help = "Print one JSON object instead of text."},
    {"json", 0, NULL, KIND_FLAG, GROUP_OUT, FOR_STUDY, AT(json),
     .help = "run, status, export: print JSON instead of text (for table, use --format json)."},
    {"force", 'f', NULL, KIND_FLAG, GROUP_OUT, WRITERS, AT(force),
     .help = "Overwrite existing files. Without it an existing file is an error, and nothing is computed."},
    {"force", 'f', NULL, KIND_FLAG, GROUP_OUT, FOR_STUDY, AT(force),
     .help = "table, export, show: overwrite existing files."},
    {"quiet", 'q', NULL, KIND_FLAG, GROUP_OUT, WRITERS, AT(quiet),
     .help = "No progress bar. There is none in a pipe either."},
    {"quiet", 'q', NULL, KIND_FLAG, GROUP_OUT, FOR_STUDY, AT(quiet),
     .help = "run: no progress bar. There is none in a pipe either."},
    {"help", 'h', NULL, KIND_HELP, GROUP_OUT, (unsigned)FOR_ALL, AT(help), .help = "Show this help."},
    {0},
};

_Static_assert(sizeof option_table / sizeof *option_table <= MOST_OPTION_ROWS, "options.seen has a place per row");
