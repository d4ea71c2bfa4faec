/* Policies in shared objects: opened, refused, counted, unloaded. */
#include "tests/unit/policy_object.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "gen/cc.h"
#include "src/policy/object.h"
#include "tests/unit/toy_policy.h"

static unsigned made;

static bool no_memory_files;

/* In the place of the system's, which may be forbidden. */
int memfd_create(const char *name, unsigned flags)
{
    if (no_memory_files) {
        errno = EACCES;
        return -1;
    }
    return (int)syscall(SYS_memfd_create, name, flags);
}

/* Builds a shared object from C. */
static const char *build_c(const char *code)
{
    const char *source = in_directory(rcs_arena_format(&arena, "made%u.c", ++made));
    const char *object = in_directory(rcs_arena_format(&arena, "made%u.so", made));
    struct rcs_findings findings = {.arena = &arena};
    FILE *file = fopen(source, "w");

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    fputs(code, file);
    fclose(file);
    CU_ASSERT_TRUE_FATAL(rcs_cc_shared(&arena, source, object, INCLUDE, &findings));
    return object;
}

static void write_bytes(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");

    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    RCS_EQUAL(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static unsigned descriptors(void)
{
    unsigned count = 0;

    for (int i = 0; i < 256; i++) {
        count += fcntl(i, F_GETFD) >= 0;
    }
    return count;
}

/* ---- opening and closing ---- */

static void test_open(void)
{
    struct rcs_loaded_policy model;
    const struct recourse_policy *policy;
    unsigned before = descriptors();

    begin();
    CU_ASSERT_TRUE_FATAL(rcs_load_policy(&model, RCS_PLAIN, NULL));
    policy = open_policy(build_plain("one.so"));
    RCS_TEXT_EQUAL(policy->name, "plain");
    RCS_EQUAL(recourse_policy_check(policy), RECOURSE_OK);
    CU_ASSERT_EQUAL(memcmp(policy->file_sha256, model.policy->file_sha256, 32), 0);
    CU_ASSERT_EQUAL(memcmp(policy->behaviour_sha256, model.policy->behaviour_sha256, 32), 0);
    RCS_EQUAL(policy->state_count, model.policy->state_count);
    for (uint16_t state = 0; state < policy->state_count; state++) {
        for (unsigned symbol = 0; symbol < RECOURSE_SYMBOL_COUNT(policy->failure_count); symbol++) {
            struct recourse_move moved = policy->move(policy, state, (uint8_t)symbol);

            RCS_EQUAL(moved.row, model.policy->move(model.policy, state, (uint8_t)symbol).row);
        }
    }
    CU_ASSERT_TRUE(is_mapped("one.so"));
    recourse_policy_release(policy);
    CU_ASSERT_FALSE(is_mapped("one.so"));
    RCS_EQUAL(descriptors(), before);
    rcs_clear_policy(&model);
    end();
}

static void test_references(void)
{
    const struct recourse_policy *policy;

    begin();
    policy = open_policy(build_plain("one.so"));
    recourse_policy_retain(policy);
    recourse_policy_retain(policy);
    recourse_policy_release(policy);
    recourse_policy_release(policy);
    CU_ASSERT_TRUE(is_mapped("one.so"));
    RCS_TEXT_EQUAL(policy->name, "plain");
    recourse_policy_release(policy);
    CU_ASSERT_FALSE(is_mapped("one.so"));
    recourse_policy_retain(NULL);
    recourse_policy_release(NULL);
    recourse_policy_retain(&toy_policy);
    recourse_policy_release(&toy_policy);
    recourse_policy_release(&toy_policy);
    RCS_EQUAL(recourse_policy_check(&toy_policy), RECOURSE_OK);
    end();
}

static void retain_nothing(const struct recourse_policy *policy)
{
    (void)policy;
}

static void test_half_counted(void)
{
    struct recourse_policy policy = toy_policy;

    policy.retain = retain_nothing;
    RCS_EQUAL(recourse_policy_check(&policy), RECOURSE_E_ARGUMENT);
    policy.release = retain_nothing;
    RCS_EQUAL(recourse_policy_check(&policy), RECOURSE_OK);
    policy.retain = NULL;
    RCS_EQUAL(recourse_policy_check(&policy), RECOURSE_E_ARGUMENT);
}

/* The loader goes by names: what it has under one it would hand out again. */
static void test_same_path(void)
{
    const struct recourse_policy *one;
    const struct recourse_policy *two;
    const struct recourse_policy *three;
    const char *path;
    const char *why = NULL;
    char *bytes;
    size_t size;

    begin();
    path = build_plain("policy.so");
    one = open_policy(path);
    two = open_policy(path);
    CU_ASSERT_TRUE(one != two);
    CU_ASSERT_TRUE(one->rows != two->rows);
    recourse_policy_release(two);
    (void)build("policy.so", "| 1s |", "| 3s |");
    two = open_policy(path);
    RCS_EQUAL(one->waits[0].delays_ms[0], 1000);
    RCS_EQUAL(two->waits[0].delays_ms[0], 3000);
    bytes = rcs_file_read(&arena, build("other.so", "| 1s |", "| 5s |"), &size, &why);
    CU_ASSERT_PTR_NOT_NULL_FATAL(bytes);
    write_bytes(path, bytes, size); /* in place, under those that are loaded */
    three = open_policy(path);
    RCS_EQUAL(one->waits[0].delays_ms[0], 1000);
    RCS_EQUAL(two->waits[0].delays_ms[0], 3000);
    RCS_EQUAL(three->waits[0].delays_ms[0], 5000);
    write_bytes(path, "", 0);
    RCS_EQUAL(recourse_policy_check(two), RECOURSE_OK);
    recourse_policy_release(one);
    recourse_policy_release(three);
    RCS_EQUAL(two->waits[0].delays_ms[0], 3000);
    recourse_policy_release(two);
    CU_ASSERT_FALSE(is_mapped("policy.so"));
    end();
}

/* Somebody who loads in the same way, and closes the descriptor, leaves the name of its number behind. */
static void test_taken_number(void)
{
    const struct recourse_policy *policy;
    const char *path;
    const char *other;
    char name[32];
    void *object;
    int first;
    int second;

    begin();
    path = build_plain("one.so");
    other = build_c("int recourse_test_here = 7;\n");
    first = open(other, O_RDONLY | O_CLOEXEC);
    second = open(other, O_RDONLY | O_CLOEXEC); /* the file is opened as the first, and copied as the second */
    snprintf(name, sizeof name, "/proc/self/fd/%d", second);
    object = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(object);
    close(second);
    close(first);
    policy = open_policy(path);
    RCS_TEXT_EQUAL(policy->name, "plain");
    RCS_EQUAL(fcntl(second, F_GETFD), -1);
    recourse_policy_release(policy);
    RCS_EQUAL(*(int *)dlsym(object, "recourse_test_here"), 7);
    dlclose(object);
    end();
}

/* A program may have a policy of the same name, as the library has those that are built in. */
static void test_built_in_of_the_name(void)
{
    const struct recourse_policy *policy;
    const struct recourse_policy *other;
    void *global;
    const char *path;

    begin();
    path = build_c("#include <recourse/policy.h>\nextern const struct recourse_policy recourse_policy_plain;\n"
                   "const struct recourse_policy recourse_policy_plain = {.abi = 77};\n");
    global = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    CU_ASSERT_PTR_NOT_NULL_FATAL(global);
    other = dlsym(RTLD_DEFAULT, "recourse_policy_plain");
    CU_ASSERT_PTR_NOT_NULL_FATAL(other);
    RCS_EQUAL(other->abi, 77);
    policy = open_policy(build_plain("one.so"));
    RCS_EQUAL(policy->abi, RECOURSE_POLICY_ABI);
    recourse_policy_release(policy);
    dlclose(global);
    end();
}

/* Where there are no files in memory the loader gets the path, and has one object of a name at a time. */
static void test_without_memory_files(void)
{
    const struct recourse_policy *one;
    const struct recourse_policy *two = NULL;
    struct recourse_error error = {RECOURSE_OK, ""};
    const char *path;
    char *before = realpath(".", NULL);

    begin();
    path = build_plain("one.so");
    RCS_EQUAL(chdir(directory), 0);
    no_memory_files = true;
    one = open_policy("one.so");
    RCS_TEXT_EQUAL(one->name, "plain");
    RCS_EQUAL(recourse_policy_open("one.so", &two, &error), RECOURSE_E_SYSTEM);
    RCS_TEXT_EQUAL(error.text, "one.so: a policy of that name is still in use: give the new one another name");
    recourse_policy_release(one);
    recourse_policy_release(open_policy("./one.so"));
    recourse_policy_release(open_policy(path));
    no_memory_files = false;
    RCS_EQUAL(chdir(before), 0);
    free(before);
    end();
}

/* ---- what is refused ---- */

static const struct recourse_policy untouched;

/* Part of the text is asked for. */
static void refuse(const char *path, int code, const char *text)
{
    const struct recourse_policy *policy = &untouched;
    struct recourse_error error = {RECOURSE_OK, ""};
    unsigned before = descriptors();

    RCS_EQUAL(recourse_policy_open(path, &policy, &error), code);
    RCS_EQUAL(error.code, code);
    CU_ASSERT_PTR_EQUAL(policy, &untouched);
    if (strstr(error.text, text) == NULL) {
        RCS_TEXT_EQUAL(error.text, text);
    }
    RCS_EQUAL(recourse_policy_open(path, &policy, NULL), code);
    RCS_EQUAL(descriptors(), before);
}

static void test_refused_files(void)
{
    const struct recourse_policy *policy = NULL;
    const char *path;

    begin();
    RCS_EQUAL(recourse_policy_open(NULL, &policy, NULL), RECOURSE_E_ARGUMENT);
    RCS_EQUAL(recourse_policy_open("x.so", NULL, NULL), RECOURSE_E_ARGUMENT);
    refuse(in_directory("none.so"), RECOURSE_E_SYSTEM, "it can't be read: No such file or directory");
    refuse(directory, RECOURSE_E_SYNTAX, ": it is no file");
    path = in_directory("pipe.so");
    RCS_EQUAL(mkfifo(path, 0600), 0);
    refuse(path, RECOURSE_E_SYNTAX, ": it is no file");
    path = in_directory("text.so");
    write_bytes(path, "", 0);
    refuse(path, RECOURSE_E_SYNTAX, ": it is no shared object");
    write_bytes(path, "# plain\n", 8);
    refuse(path, RECOURSE_E_SYNTAX, ": it is no shared object");
    RCS_EQUAL(truncate(path, (off_t)RCS_OBJECT_MAX + 1), 0);
    refuse(path, RECOURSE_E_LIMIT, ": larger than 64 MiB");
    end();
}

/* Each length: the loader itself would die of most of them. */
static void test_cut_off(void)
{
    const struct recourse_policy *policy = &untouched;
    const char *why = NULL;
    unsigned char *bytes;
    size_t size;
    size_t refused = 0;

    begin();
    bytes = (unsigned char *)rcs_file_read(&arena, build_plain("one.so"), &size, &why);
    CU_ASSERT_PTR_NOT_NULL_FATAL(bytes);
    for (size_t length = 0; length < size; length++) {
        const char *fault = rcs_object_fault(bytes, length);

        if (fault == NULL) {
            break;
        }
        RCS_TEXT_EQUAL(fault, length < 4 ? "it is no shared object" : "the file is cut off");
        refused++;
    }
    CU_ASSERT_TRUE(refused > size / 2);
    CU_ASSERT_PTR_NULL(rcs_object_fault(bytes, refused)); /* what is behind the segments is for debuggers */
    RCS_EQUAL(rcs_shared_open("one.so", bytes, refused, &policy, NULL), RECOURSE_OK);
    recourse_policy_release(policy);
    end();
}

static void test_malformed(void)
{
    const char *why = NULL;
    unsigned char *bytes;
    size_t size;
    Elf64_Ehdr *header;
    Elf64_Phdr *segments;

    begin();
    bytes = (unsigned char *)rcs_file_read(&arena, build_plain("one.so"), &size, &why);
    CU_ASSERT_PTR_NOT_NULL_FATAL(bytes);
    if (bytes[EI_CLASS] == ELFCLASS64) {
        header = (Elf64_Ehdr *)(void *)bytes;
        segments = (Elf64_Phdr *)(void *)(bytes + header->e_phoff);
        header->e_type = ET_REL;
        RCS_TEXT_EQUAL(rcs_object_fault(bytes, size), "it is no shared object");
        header->e_type = ET_DYN;
        header->e_phentsize++;
        RCS_TEXT_EQUAL(rcs_object_fault(bytes, size), "it is no shared object");
        header->e_phentsize--;
        segments[0].p_filesz = UINT64_MAX;
        RCS_TEXT_EQUAL(rcs_object_fault(bytes, size), "the file is cut off");
        segments[0].p_filesz = 0;
        segments[0].p_offset = UINT64_MAX;
        RCS_TEXT_EQUAL(rcs_object_fault(bytes, size), "the file is cut off");
        segments[0].p_offset = 0;
        CU_ASSERT_PTR_NULL(rcs_object_fault(bytes, size));
        header->e_phoff = UINT64_MAX;
        RCS_TEXT_EQUAL(rcs_object_fault(bytes, size), "the file is cut off");
    }
    bytes[EI_CLASS] ^= ELFCLASS32 ^ ELFCLASS64;
    RCS_TEXT_EQUAL(rcs_object_fault(bytes, size), "it is for another kind of machine");
    end();
}

#define HEAD "#include <recourse/policy.h>\n"
#define ENTRY "const struct recourse_policy *const recourse_shared_policy = "

static void test_refused_objects(void)
{
    begin();
    refuse(build_c("int x = 1;\n"), RECOURSE_E_POLICY, ": it holds no policy (no recourse_shared_policy)");
    refuse(build_c(HEAD ENTRY "0;\n"), RECOURSE_E_POLICY, ": it holds no policy");
    /* One that was made for another version ends after what tells so: to read on would be wrong. */
    refuse(build_c("static const unsigned head[2] = {999, 8};\n"
                   "const void *const recourse_shared_policy = head;\n"),
           RECOURSE_E_ABI, "compiled for ABI 999 (8 bytes), and this is ABI ");
    refuse(build_c(HEAD "static const unsigned head[2] = {RECOURSE_POLICY_ABI, 8};\n"
                        "const void *const recourse_shared_policy = head;\n"),
           RECOURSE_E_ABI, " (8 bytes), and this is ABI ");
    refuse(build_c(HEAD "static const struct recourse_policy empty = {.abi = RECOURSE_POLICY_ABI, .size = sizeof empty};\n"
                        ENTRY "&empty;\n"),
           RECOURSE_E_POLICY, ": its tables can't be trusted");
    refuse(build_c("extern char **environ;\nconst void *const recourse_shared_policy = &environ;\n"), RECOURSE_E_POLICY,
           ": its policy is taken from another object of this process");
    refuse(build_c("extern const int recourse_test_nowhere;\nconst void *const recourse_shared_policy ="
                   " &recourse_test_nowhere;\n"),
           RECOURSE_E_SYSTEM, "recourse_test_nowhere");
    CU_ASSERT_FALSE(is_mapped("made1.so"));
    end();
}

int main(void)
{
    static const struct rcs_test tests[] = {
        {"open", test_open},
        {"references", test_references},
        {"half counted", test_half_counted},
        {"same path", test_same_path},
        {"taken number", test_taken_number},
        {"a policy of that name is there", test_built_in_of_the_name},
        {"without files in memory", test_without_memory_files},
        {"refused files", test_refused_files},
        {"cut off", test_cut_off},
        {"malformed", test_malformed},
        {"refused objects", test_refused_objects},
    };

    return rcs_unit_main_needs("ragel", "policy_file", tests, RCS_COUNT(tests));
}
