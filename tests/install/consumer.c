/* A host far from the source tree: compiled as C and as C++ against what was installed, and linked both ways. */
#include <stdio.h>
#include <string.h>

#include <recourse/call.h>
#include <recourse/dialect.h>
#include <recourse/policies/lightspeed.h>
#include <recourse/runner.h>

/* Begins a call by the policy's machine; returns the row that allows it. */
static const char *first_row(const struct recourse_policy *policy)
{
    struct recourse_call call;
    struct recourse_input input;
    struct recourse_decision decision;

    memset(&input, 0, sizeof input);
    input.event = RECOURSE_EVENT_READY;
    if (recourse_call_init(&call, policy, 0, RECOURSE_FOREVER, false) != 0 ||
        recourse_call_step(&call, policy, &input, &decision) != 0 || decision.action != RECOURSE_ACTION_ATTEMPT) {
        return "none";
    }
    return policy->rows[decision.trace[0].row].id;
}

/* A runner and a port, made and freed: that takes the whole library, and libcurl. */
static int make_runner(const struct recourse_policy *policy)
{
    struct recourse_port_options port_options;
    struct recourse_runner_options options;
    struct recourse_port *port = NULL;
    struct recourse_runner *runner = NULL;
    int code;

    memset(&port_options, 0, sizeof port_options);
    memset(&options, 0, sizeof options);
    port_options.size = sizeof port_options;
    code = recourse_port_new(&port_options, &port, NULL);
    if (code != 0) {
        return code;
    }
    options.size = sizeof options;
    options.port = port;
    options.policy = policy;
    code = recourse_runner_new(&options, &runner, NULL);
    recourse_runner_free(runner);
    recourse_port_free(port);
    return code;
}

int main(void)
{
    const struct recourse_policy *policy = recourse_policy_builtin("lightspeed");
    int code = recourse_global_init();

    if (code != 0 || policy != &recourse_policy_lightspeed) {
        puts("the policy of the header is not the one of that name");
        return 1;
    }
    code = make_runner(policy);
    printf("%s begins by row %s; a runner: %s\n", policy->name, first_row(policy), recourse_code_name(code));
    recourse_global_cleanup();
    return code == 0 ? 0 : 1;
}
