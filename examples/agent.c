/*
 * The loop of an agent: ask the model, run the calls that it makes, hand it the results, until it makes none. A failure
 * that a policy tells the host ends the loop: the model never reads of it, and whoever started the program gets the status.
 */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent.h"

#define TURNS_MAX 20u /* of the model, for one question */

struct agent {
    const struct provider *provider;
    const char *model_url;
    CURL *model; /* the host's own connection to its provider */
    struct recourse_runner *runner;
    struct recourse_run *run;
    struct text messages; /* of the conversation, set apart by commas */
};

static void take(struct text *text)
{
    free(text->data);
    *text = (struct text){NULL, 0};
}

static struct recourse_span span_of(const struct text *text)
{
    return (struct recourse_span){text->data, text->size};
}

/* ---- the model ---- */

static void put_request(const struct agent *agent, struct text *body)
{
    const struct provider *provider = agent->provider;
    struct recourse_tool_info tool;

    text_say(body, provider->request);
    for (size_t i = 0; recourse_runner_tool_info(agent->runner, i, &tool); i++) {
        text_say(body, i > 0 ? "," : "");
        text_say(body, provider->tool[0]);
        text_quote(body, tool.name);
        text_say(body, provider->tool[1]);
        text_quote(body, tool.description);
        text_say(body, provider->tool[2]);
        text_put(body, tool.schema.size > 0 ? tool.schema.data : "{}", tool.schema.size > 0 ? tool.schema.size : 2);
        text_say(body, provider->tool[3]);
    }
    text_say(body, "],\"messages\":[");
    text_put(body, agent->messages.data, agent->messages.size);
    text_say(body, "]}");
}

static size_t receive(char *data, size_t one, size_t size, void *user)
{
    text_put(user, data, one * size);
    return one * size;
}

/* The provider's own failure ends the run as a tool's would: one place to look for the status. */
static int ask_model(struct agent *agent, struct text *answer)
{
    struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
    struct recourse_run_failure failure = {.http = 0};
    struct text body = {NULL, 0};
    long status = 0;
    CURLcode sent;

    put_request(agent, &body);
    curl_easy_setopt(agent->model, CURLOPT_URL, agent->model_url);
    curl_easy_setopt(agent->model, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(agent->model, CURLOPT_POSTFIELDS, body.data);
    curl_easy_setopt(agent->model, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)body.size);
    curl_easy_setopt(agent->model, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(agent->model, CURLOPT_WRITEDATA, answer);
    sent = curl_easy_perform(agent->model);
    curl_easy_getinfo(agent->model, CURLINFO_RESPONSE_CODE, &status);
    curl_slist_free_all(headers);
    take(&body);
    if (sent == CURLE_OK && status == 200) {
        return 0;
    }
    failure.http = (uint16_t)status;
    failure.text = span_of(answer);
    if (sent != CURLE_OK) {
        failure.text = (struct recourse_span){curl_easy_strerror(sent), strlen(curl_easy_strerror(sent))};
    }
    return recourse_run_fail(agent->run, &failure);
}

/* ---- the tools ---- */

static int finish(struct agent *agent, struct recourse_turn *turn)
{
    int code = 0;

    while (code == 0 && !recourse_turn_done(turn)) {
        code = recourse_runner_step(agent->runner, 60000);
    }
    return code;
}

/* Results come as an array, or as one message: either goes behind the model's own. */
static void put_results(struct agent *agent, enum recourse_dialect dialect, const struct recourse_turn *turn)
{
    size_t size = recourse_results_write(dialect, turn, NULL, 0);
    char *results = malloc(size + 1);

    if (results == NULL) {
        perror("agent");
        exit(1);
    }
    recourse_results_write(dialect, turn, results, size + 1);
    text_say(&agent->messages, ",");
    text_put(&agent->messages, *results == '[' ? results + 1 : results, *results == '[' ? size - 2 : size);
    free(results);
}

static int run_calls(struct agent *agent, const struct recourse_calls *calls, struct recourse_error *error)
{
    struct recourse_turn_options options = {sizeof options, .calls = calls->requests, .call_count = calls->count};
    struct recourse_turn *turn;
    int code = recourse_turn_start(agent->run, &options, &turn, error);

    if (code == 0) {
        code = finish(agent, turn);
        if (code == 0 && recourse_run_status(agent->run) == RECOURSE_RUN_ANSWERED) {
            put_results(agent, calls->dialect, turn);
        }
        recourse_turn_free(turn);
    }
    return code;
}

/* One turn of the model; `*done` when it has nothing more to call. */
static int take_turn(struct agent *agent, bool *done, struct recourse_error *error)
{
    struct text answer = {NULL, 0}, reply = {NULL, 0}, message = {NULL, 0}, words = {NULL, 0};
    struct recourse_calls calls;
    int code = ask_model(agent, &answer);

    if (code == 0 && recourse_run_status(agent->run) != RECOURSE_RUN_FAILED) {
        if (!agent->provider->read(span_of(&answer), &reply, &message, &words)) {
            snprintf(error->text, sizeof error->text, "the model's answer can't be read");
            code = RECOURSE_E_SYNTAX;
        } else if ((code = recourse_calls_read(span_of(&reply), NULL, &calls, error)) == 0) {
            text_say(&agent->messages, ",");
            text_put(&agent->messages, message.data, message.size);
            *done = calls.count == 0;
            if (*done) {
                printf("%.*s\n", (int)words.size, words.data);
            } else {
                code = run_calls(agent, &calls, error);
            }
            recourse_calls_clear(&calls);
        }
    }
    take(&answer), take(&reply), take(&message), take(&words);
    return code;
}

/* A model that never comes to an end would go on at somebody's expense. */
static int end_without_answer(struct agent *agent)
{
    static const char text[] = "it still calls tools after 20 turns";
    const struct recourse_run_failure failure = {.text = {text, sizeof text - 1}};

    return recourse_run_fail(agent->run, &failure);
}

static int converse(struct agent *agent, const char *question, struct recourse_error *error)
{
    struct recourse_turn *listing;
    bool done = false;
    int code;

    if ((code = recourse_run_list_tools(agent->run, NULL, &listing, error)) == 0) {
        code = finish(agent, listing);
        recourse_turn_free(listing);
    }
    text_say(&agent->messages, "{\"role\":\"user\",\"content\":");
    text_quote(&agent->messages, (struct recourse_span){question, strlen(question)});
    text_say(&agent->messages, "}");
    for (unsigned turns = 0; code == 0 && !done && recourse_run_status(agent->run) != RECOURSE_RUN_FAILED; turns++) {
        code = turns < TURNS_MAX ? take_turn(agent, &done, error) : end_without_answer(agent);
    }
    return code;
}

/* ---- all of it together ---- */

/* A status only where there was one: who can't be reached has none. */
static void print_failure(const char *program, const struct recourse_run_failure *failure)
{
    const bool is_tool = failure->tool.size > 0;
    char status[32] = "";

    if (failure->http > 0) {
        snprintf(status, sizeof status, "status %u from ", failure->http);
    }
    fprintf(stderr, "%s: the run failed: %s%.*s: %.*s\n", program, status, is_tool ? (int)failure->tool.size : 9,
            is_tool ? failure->tool.data : "the model", (int)failure->text.size, failure->text.data);
}

static int serve(struct agent *agent, struct recourse_port *port, char **argv, struct recourse_error *error)
{
    struct recourse_runner_options options = {sizeof options, .port = port};
    struct recourse_mcp_server server = {.size = sizeof server, .name = "server", .url = argv[2]};
    int code;

    options.policy = recourse_policy_builtin("pageindex");
    if ((code = recourse_runner_new(&options, &agent->runner, error)) != 0) {
        return code;
    }
    if ((code = recourse_runner_add_mcp_server(agent->runner, &server, error)) == 0 &&
        (code = recourse_run_new(agent->runner, &agent->run)) == 0) {
        const struct recourse_run_failure *failure;

        code = converse(agent, argv[3], error);
        if (code == 0 && (failure = recourse_run_failure(agent->run)) != NULL) {
            print_failure(agent->provider->name, failure);
            code = 3;
        }
    }
    recourse_runner_free(agent->runner); /* with its run */
    return code;
}

int agent_main(int argc, char **argv, const struct provider *provider)
{
    struct recourse_port_options options = {.size = sizeof options};
    struct recourse_error error = {RECOURSE_OK, ""};
    struct agent agent = {.provider = provider, .model_url = argc > 1 ? argv[1] : NULL};
    struct recourse_port *port;
    int code;

    if (argc != 4) {
        fprintf(stderr, "usage: %s MODEL-URL MCP-URL QUESTION\n", provider->name);
        return 1;
    }
    if ((code = recourse_global_init()) == 0 && (code = recourse_port_new(&options, &port, &error)) == 0) {
        agent.model = curl_easy_init();
        code = agent.model != NULL ? serve(&agent, port, argv, &error) : RECOURSE_E_MEMORY;
        curl_easy_cleanup(agent.model);
        recourse_port_free(port);
    }
    recourse_global_cleanup();
    take(&agent.messages);
    if (code < 0) {
        fprintf(stderr, "%s: %s: %s\n", provider->name, recourse_code_name(code), error.text);
    }
    return code < 0 ? 1 : code;
}
