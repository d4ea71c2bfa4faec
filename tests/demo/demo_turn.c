/* What goes in: the server's scripts, the tools, and a model's reply with the calls. */
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "tests/demo/demo.h"

const struct rcs_demo_call rcs_demo_calls[] = {
    {"list_pods", "it answers 200", "200 body='Three pods, all of them ready.'", NULL, "{\"namespace\":\"shop\"}", "ok",
     1},
    {"search_logs", "429 twice, asking\n  for 7 s; then 200",
     "429 header='Retry-After: 7' times=2 | 200 body='12 lines match \"OOMKilled\".'", NULL, "{\"text\":\"OOMKilled\"}",
     "2 2 ok", 3},
    {"get_metrics", "503, then 200", "503 body='Temporarily overloaded' | 200 body='cpu 41 %, memory 63 %'", NULL,
     "{\"node\":\"worker-3\"}", "2 ok", 2},
    {"get_events", "reset, then 200", "reset=before | 200 body='Last event: Pulled image, 4 min ago.'", NULL,
     "{\"limit\":1}", "2 ok", 2},
    {"run_query", "slower than 300 ms", "wait=4000", "300ms", "{\"sql\":\"select 1\"}", "2 2 3b", 3},
    {"describe_pod", "400", "400 body='unknown field \"nmae\", did you mean \"name\"?'", NULL, "{\"nmae\":\"api-0\"}",
     "3a", 1},
    {"get_quota", "error inside a 200", "200 body='{\"error\":\"no quota is set\"}'", NULL, "{}", "ok", 1},
    {"list_nodes", "429 for ever", "429 body='Slow down.'", NULL, "{}", "2 2 3b", 3},
    {"read_config", "503, then 403",
     "503 body='Temporarily unavailable' | 403 body='no access to namespace kube-system'", NULL,
     "{\"namespace\":\"kube-system\"}", "2 3b", 2},
    {"reboot_node", "no such tool", NULL, NULL, "{\"node\":\"worker-3\"}", "1", 0},
    {NULL, "the model forgot it", NULL, NULL, "{}", "1", 0},
    {"find_docs", "a secret inside", "200", NULL, "{\"query\":\"rotate the root Secret\"}", "1", 0},
    {"set_label", "arguments cut short", "200", NULL, "{\"pod\":\"api-0\",\"label\":", "3a", 0},
    {"get_build", "it echoes", "200 echo", NULL, "{\"build\":9007199254740993,\"cost\":1.10}", "ok", 1},
};
const size_t rcs_demo_call_count = sizeof rcs_demo_calls / sizeof rcs_demo_calls[0];

bool rcs_demo_script(struct rcs_faulty *server)
{
    for (size_t i = 0; i < rcs_demo_call_count; i++) {
        const struct rcs_demo_call *call = &rcs_demo_calls[i];
        char path[64];
        char why[256];
        if (call->script == NULL) {
            continue;
        }
        snprintf(path, sizeof path, "/%s", call->tool);
        if (!rcs_faulty_script(server, path, call->script, why, sizeof why)) {
            fprintf(stderr, "demo: the script of %s: %s\n", path, why);
            return false;
        }
    }
    return true;
}

/* Writes `root`, which is freed, as a file. */
static bool write_json(const char *path, cJSON *root)
{
    char *text = cJSON_Print(root);
    FILE *file = text == NULL ? NULL : fopen(path, "w");
    bool good = file != NULL && fputs(text, file) >= 0;

    if (file != NULL) {
        good = fclose(file) == 0 && good;
    }
    if (!good) {
        fprintf(stderr, "demo: %s can't be written\n", path);
    }
    cJSON_free(text);
    cJSON_Delete(root);
    return good;
}

bool rcs_demo_write_tools(const char *path, unsigned port)
{
    cJSON *root = cJSON_CreateObject();
    cJSON *tools = cJSON_AddArrayToObject(root, "tools");

    for (size_t i = 0; i < rcs_demo_call_count; i++) {
        const struct rcs_demo_call *call = &rcs_demo_calls[i];
        cJSON *tool;
        cJSON *http;
        char url[128];
        if (call->script == NULL) {
            continue;
        }
        tool = cJSON_CreateObject();
        cJSON_AddStringToObject(tool, "name", call->tool);
        http = cJSON_AddObjectToObject(tool, "http");
        snprintf(url, sizeof url, "http://127.0.0.1:%u/%s", port, call->tool);
        cJSON_AddStringToObject(http, "url", url);
        if (call->timeout != NULL) {
            cJSON_AddStringToObject(tool, "timeout", call->timeout);
        }
        cJSON_AddItemToArray(tools, tool);
    }
    return write_json(path, root);
}

/* A whole response of a provider, as it comes over the wire: OpenAI's chat completions. */
bool rcs_demo_write_calls(const char *path)
{
    cJSON *root = cJSON_CreateObject();
    cJSON *choice = cJSON_CreateObject();
    cJSON *message;
    cJSON *calls;

    cJSON_AddStringToObject(root, "object", "chat.completion");
    cJSON_AddItemToArray(cJSON_AddArrayToObject(root, "choices"), choice);
    cJSON_AddNumberToObject(choice, "index", 0);
    message = cJSON_AddObjectToObject(choice, "message");
    cJSON_AddStringToObject(message, "role", "assistant");
    cJSON_AddNullToObject(message, "content");
    calls = cJSON_AddArrayToObject(message, "tool_calls");
    cJSON_AddStringToObject(choice, "finish_reason", "tool_calls");
    for (size_t i = 0; i < rcs_demo_call_count; i++) {
        cJSON *call = cJSON_CreateObject();
        cJSON *function;
        char id[32];
        snprintf(id, sizeof id, "call_%02zu", i + 1);
        cJSON_AddStringToObject(call, "id", id);
        cJSON_AddStringToObject(call, "type", "function");
        function = cJSON_AddObjectToObject(call, "function");
        if (rcs_demo_calls[i].tool != NULL) {
            cJSON_AddStringToObject(function, "name", rcs_demo_calls[i].tool);
        }
        cJSON_AddStringToObject(function, "arguments", rcs_demo_calls[i].arguments);
        cJSON_AddItemToArray(calls, call);
    }
    return write_json(path, root);
}
