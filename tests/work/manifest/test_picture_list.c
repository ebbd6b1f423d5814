/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of pictures, from CSV files and folders. */
#include "support.h"

#include "base/memory.h"
#include "work/manifest/picture_list.h"

static void reads_boxes(void **state)
{
    (void)state;
    gig_box *boxes;
    size_t count;
    assert_ok(gig_boxes_parse(&boxes, &count, "41 45 455 148;2 63 399 189"));
    const gig_box expected[] = {{41, 45, 455, 148}, {2, 63, 399, 189}};
    assert_true(count == 2);
    assert_memory_equal(boxes, expected, sizeof expected);
    gig_free(boxes);
    assert_ok(gig_boxes_parse(&boxes, &count, " 1  2 3 4 "));
    assert_true(count == 1 && boxes[0].ymax == 4);
    gig_free(boxes);
    assert_ok(gig_boxes_parse(&boxes, &count, ""));
    assert_true(count == 0 && !boxes);
    const char *wrong[] = {"1 2 3", "1 2 3 4;", "1 2 3 4 5", "1 2 3 x", "5 0 4 9", "1 2 3 99999999999999999999999999",
                           ";"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_status(gig_boxes_parse(&boxes, &count, wrong[i]), GIG_EFORMAT);
}

static void lists_pictures_of_a_csv_file(void **state)
{
    (void)state;
    const char text[] = "file,imagenet_class_index,boxes,mask,class_name\r\n"
                        "a.jpg,65,1 2 3 4,,\"sea snake, serpent\"\r\n"
                        "sub/b.png,,,b_mask.png,\r\n"
                        "/c.webp,0,1 1 2 2;3 3 4 4,,\r\n";
    const char *path = temporary_file("set.csv", text, sizeof text - 1);
    char expected[600];
    gig_picture_list set;
    assert_ok(gig_picture_list_read(&set, path));
    assert_true(set.count == 3 && set.all[0].label == 65 && set.all[1].label == -1 && set.all[2].label == 0);
    assert_true(set.all[0].box_count == 1 && set.all[1].box_count == 0 && set.all[2].box_count == 2);
    assert_true(!set.all[0].mask && set.all[1].mask);
    snprintf(expected, sizeof expected, "%.*s/sub/b.png", (int)(strrchr(path, '/') - path), path);
    assert_string_equal(set.all[1].file, expected);
    assert_string_equal(set.all[1].name, "sub/b.png");
    snprintf(expected, sizeof expected, "%.*s/b_mask.png", (int)(strrchr(path, '/') - path), path);
    assert_string_equal(set.all[1].mask, expected);
    assert_string_equal(set.all[2].file, "/c.webp");
    gig_picture_list_clear(&set);
}

static void says_where_a_list_is_wrong(void **state)
{
    (void)state;
    const struct {
        const char *text, *message;
    } cases[] = {
        {"name\nx\n", "missing column \"file\""},
        {"file,label\n", "no pictures in the list"},
        {"file,label\nx.jpg,cat\n", "line 2: label \"cat\" is not a class index"},
        {"file,label\nx.jpg,-1\n", "line 2: label \"-1\" is not a class index"},
        {"file,boxes\nx.jpg,\ny.jpg,1 2 3\n", "line 3: a box is four numbers"},
        {"file,label\n,3\n", "line 2: the file name is empty"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gig_picture_list set;
        const char *path = temporary_file("wrong.csv", cases[i].text, strlen(cases[i].text));
        assert_status(gig_picture_list_read(&set, path), GIG_EFORMAT);
        assert_message("wrong.csv");
        assert_message(cases[i].message);
    }
    gig_picture_list set;
    assert_status(gig_picture_list_read(&set, "/nowhere/at/all.csv"), GIG_EIO);
    assert_message("/nowhere/at/all.csv");
}

static void lists_pictures_of_a_folder_by_name(void **state)
{
    (void)state;
    char folder[512], file[600];
    snprintf(folder, sizeof folder, "%s", temporary_path("pictures"));
    assert_int_equal(mkdir(folder, 0700), 0);
    gig_picture_list set;
    assert_status(gig_picture_list_read(&set, folder), GIG_EFORMAT);
    const char *names[] = {"b.JPG", "a.png", "notes.txt", ".hidden.png", "c.webp", "jpg"};
    for (size_t i = 0; i < 6; i++) {
        snprintf(file, sizeof file, "pictures/%s", names[i]);
        temporary_file(file, "", 0);
    }
    assert_ok(gig_picture_list_read(&set, folder));
    assert_true(set.count == 3 && set.all[0].label == -1);
    assert_string_equal(set.all[0].name, "a.png");
    assert_string_equal(set.all[1].name, "b.JPG");
    assert_string_equal(set.all[2].name, "c.webp");
    snprintf(file, sizeof file, "%s/a.png", folder);
    assert_string_equal(set.all[0].file, file);
    gig_picture_list_clear(&set);
}

static void reads_the_lists_of_the_data_folder(void **state)
{
    (void)state;
    const char *path;
    gig_picture_list set;
    need_data(path, "ilsvrc/annotations.csv");
    assert_ok(gig_picture_list_read(&set, path));
    assert_true(set.count == 300 && set.all[1].box_count == 2 && set.all[2].label == 230);
    gig_picture_list_clear(&set);
    need_data(path, "pets/annotations.csv");
    assert_ok(gig_picture_list_read(&set, path));
    assert_true(set.count == 100 && set.all[0].mask);
    for (size_t i = 0; i < set.count; i++) assert_int_equal(access(set.all[i].file, R_OK), 0);
    gig_picture_list_clear(&set);
}

static void gives_back_memory_when_it_runs_out(void **state)
{
    (void)state;
    const char text[] = "file,label,boxes,mask\na,1,1 2 3 4,m\nb,2,,\n";
    const char *path = temporary_file("memory.csv", text, sizeof text - 1);
    size_t before = gig_memory_used(), at = 0;
    for (gig_status status = GIG_ENOMEM; status != GIG_OK; at++) {
        gig_picture_list set;
        gig_memory_fail_at(at, 0);
        status = gig_picture_list_read(&set, path);
        assert_true(status == GIG_OK || status == GIG_ENOMEM);
        gig_picture_list_clear(&set);
        assert_true(gig_memory_used() == before);
    }
    gig_memory_fail_at(SIZE_MAX, 0);
    assert_true(at > 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_boxes),
        cmocka_unit_test(lists_pictures_of_a_csv_file),
        cmocka_unit_test(says_where_a_list_is_wrong),
        cmocka_unit_test(lists_pictures_of_a_folder_by_name),
        cmocka_unit_test(reads_the_lists_of_the_data_folder),
        cmocka_unit_test(gives_back_memory_when_it_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
