#include "tests/unit/child.h"

#include <dirent.h>
#include <errno.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct recourse_port *child_port;
static unsigned open_before;
static char ready_path[64];

static unsigned count_descriptors(void)
{
    DIR *directory = opendir("/proc/self/fd");
    unsigned count = 0;

    while (directory != NULL && readdir(directory) != NULL) {
        count++;
    }
    closedir(directory);
    return count;
}

void child_open(const struct recourse_port_options *options)
{
    struct recourse_error error;

    snprintf(ready_path, sizeof ready_path, P_tmpdir "/recourse-child-%ld", (long)getpid());
    unlink(ready_path);
    prctl(PR_SET_CHILD_SUBREAPER, 1L); /* what a process leaves behind becomes ours, so that its end can be seen */
    open_before = count_descriptors();
    if (recourse_port_new(options, &child_port, &error) != 0) {
        fprintf(stderr, "no port: %s\n", error.text);
        exit(2);
    }
}

void child_close(void)
{
    recourse_port_free(child_port);
    child_port = NULL;
    RCS_EQUAL(count_descriptors(), open_before);
    RCS_EQUAL(waitpid(-1, NULL, WNOHANG), -1);
    RCS_EQUAL(errno, ECHILD);
    unlink(ready_path);
}

void child_init(struct child *child, const char *script)
{
    *child = (struct child){.done = 0};
    snprintf(child->script, sizeof child->script, "%s", script);
    child->words[0] = "sh";
    child->words[1] = "-c";
    child->words[2] = child->script;
    child->words[3] = "sh";
    child->words[4] = ready_path;
    child->request = (struct recourse_process_request){
        .arguments = child->words,
        .output_max = OUTPUT_MAX,
        .errors_max = ERRORS_MAX,
        .deadline_ms = child_port->now_ms(child_port->self) + LONG_MS,
        .grace_ms = GRACE_MS,
    };
}

static void on_done(void *user, const struct recourse_process_result *result)
{
    struct child *child = user;

    child->done++;
    child->result = *result;
    child->output = malloc(result->output.size + 1);
    if (child->output == NULL || result->errors.size > ERRORS_MAX) {
        exit(2);
    }
    if (result->output.size > 0) {
        memcpy(child->output, result->output.data, result->output.size);
    }
    child->output[result->output.size] = '\0';
    snprintf(child->errors, sizeof child->errors, "%.*s", (int)result->errors.size,
             result->errors.size > 0 ? result->errors.data : "");
    snprintf(child->detail, sizeof child->detail, "%s", result->detail);
    child->took_ms = child_port->now_ms(child_port->self) - child->took_ms;
    if (child->then != NULL) {
        child->then(child);
    }
}

int child_start(struct child *child)
{
    child->took_ms = child_port->now_ms(child_port->self);
    return child_port->process_start(child_port->self, &child->request, on_done, child, &child->process);
}

void child_finish(struct child *child)
{
    while (child->done == 0) {
        RCS_EQUAL(child_port->poll(child_port->self, RECOURSE_FOREVER), 0);
    }
    RCS_EQUAL(child->done, 1);
}

void child_run(struct child *child)
{
    RCS_EQUAL(child_start(child), 0);
    RCS_EQUAL(child->done, 0);
    child_finish(child);
}

bool child_has_file(void)
{
    return access(ready_path, F_OK) == 0;
}

void child_remove_file(void)
{
    unlink(ready_path);
}

void child_ready(void)
{
    while (!child_has_file()) {
        RCS_EQUAL(child_port->poll(child_port->self, 2), 0);
    }
    child_remove_file();
}

void child_clear(struct child *child)
{
    free(child->output);
    child->output = NULL;
}

int child_number(const struct child *child)
{
    int number = child->output != NULL ? atoi(child->output) : 0;

    CU_ASSERT_TRUE_FATAL(number > 1);
    return number;
}

int child_orphan_signal(int number)
{
    int status = 0;

    RCS_EQUAL(waitpid(number, &status, 0), number);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}
