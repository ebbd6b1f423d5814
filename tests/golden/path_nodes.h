/* SPDX-License-Identifier: Apache-2.0 */
/* By tools/golden/path_nodes.py: numpy 1.24.2. */
static const double golden_adaptive_20[] = {
    1.16231212506, 0.449999982119, 0.780000021756, -0.492556114212, -2.74029218743, -0,
};
static const double golden_idg_20[] = {
    -0.984166639496, -0.41156491897, -0.682951199046, 0.466656925261, 2.34400506937, 0,
};
static const double golden_adaptive_64[] = {
    1.16221616676, 0.449999982119, 0.780000021756, -0.492760002177, -2.74038580268, -0,
};
static const double golden_idg_64[] = {
    -0.975215465968, -0.388211504311, -0.663922489818, 0.438339971614, 2.32015912441, 0,
};
static const double golden_until_50[] = {
    -0.855718795879, -0.207506238948, -0.489412513171, 0.198195409873, 1.9733621293, 0,
};
enum { GOLDEN_KEPT_50 = 31 };
static const double golden_until_90[] = {
    -1.12757809098, -0.419006232958, -0.744412520696, 0.452713046098, 2.64994510883, 0,
};
enum { GOLDEN_KEPT_90 = 39 };
static const float golden_other_start[] = {
    -0.5f, 0.8999999761581421f, 0.25f, 1.0f, 0.125f, -2.0f,
};
static const double golden_drawn[] = {
    1.23725458597, 0.691179492057, 0.976516669688, -0.810669697619, -2.99918168278, -0,
};
static const double golden_expected_gradients[] = {
    1.76401680808, 0.0650093002458, 0.464460786118, -0.349713231732, -2.59187274476, -0.60000000149,
};
