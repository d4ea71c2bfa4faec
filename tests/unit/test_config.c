/* The file of tools. */
#include "src/cli/config.h"
#include "tests/unit/unit.h"

static struct rcs_arena arena;
static struct rcs_config config;
static char message[1024];

static bool read_sized(const char *json, size_t size)
{
    struct rcs_policies policies = {.command = "test", .no_cache = true};
    bool good;

    rcs_arena_clear(&arena);
    message[0] = '\0';
    good = rcs_config_read(&arena, "t.json", json, size, &policies, &config, message, sizeof message);
    rcs_policies_clear(&policies);
    return good;
}

static bool read(const char *json)
{
    return read_sized(json, strlen(json));
}

static void expect_refused(const char *json, const char *text)
{
    RCS_EQUAL(read(json), false);
    RCS_TEXT_EQUAL(message, text);
}

/* The inside of one tool that has a name and a URL. */
static void expect_tool_refused(const char *members, const char *text)
{
    char json[1024];

    snprintf(json, sizeof json, "{\"tools\":[{\"name\":\"a\",\"http\":{\"url\":\"http://h/\"}%s}]}", members);
    expect_refused(json, text);
}

static void expect_http_refused(const char *members, const char *text)
{
    char json[1024];

    snprintf(json, sizeof json, "{\"tools\":[{\"name\":\"a\",\"http\":{\"url\":\"http://h/\"%s}}]}", members);
    expect_refused(json, text);
}

static void test_a_whole_one(void)
{
    const struct recourse_tool *tool;

    RCS_EQUAL(setenv("RCS_TEST_KEY", "s3cret", 1), 0);
    RCS_EQUAL(read("{\"tools\":[{\"name\":\"look up\",\"description\":\"finds\",\"http\":{\"url\":\"https://h/x\","
                   "\"method\":\"PUT\",\"headers\":{\"X-Key\":\"Bearer ${RCS_TEST_KEY}/${RCS_TEST_KEY}.\",\"X\":\"\"},"
                   "\"connect_timeout\":\"2s\",\"read_timeout\":\"500ms\",\"ca_file\":\"c.pem\","
                   "\"proxy\":\"http://u:${RCS_TEST_KEY}@p\"},"
                   "\"timeout\":\"2m\",\"replay\":\"safe\",\"policy\":\"lightspeed\",\"approval\":\"annotation\","
                   "\"read_only\":true,\"limit\":4,\"server\":\"crm\"}]} \n"),
              true);
    RCS_TEXT_EQUAL(message, "");
    RCS_EQUAL(config.count, 1);
    tool = &config.tools[0];
    RCS_EQUAL(tool->size, sizeof *tool);
    RCS_EQUAL(tool->kind, RECOURSE_TOOL_HTTP);
    RCS_TEXT_EQUAL(tool->name, "look up");
    RCS_TEXT_EQUAL(tool->description, "finds");
    RCS_TEXT_EQUAL(tool->url, "https://h/x");
    RCS_TEXT_EQUAL(tool->method, "PUT");
    RCS_TEXT_EQUAL(tool->headers[0], "X-Key: Bearer s3cret/s3cret.");
    RCS_TEXT_EQUAL(tool->headers[1], "X: ");
    CU_ASSERT_PTR_NULL(tool->headers[2]);
    RCS_EQUAL(tool->connect_timeout_ms, 2000);
    RCS_EQUAL(tool->read_timeout_ms, 500);
    RCS_EQUAL(tool->timeout_ms, 120000);
    RCS_TEXT_EQUAL(tool->ca_file, "c.pem");
    RCS_TEXT_EQUAL(tool->proxy, "http://u:s3cret@p");
    RCS_EQUAL(tool->approval, RECOURSE_APPROVE_BY_ANNOTATION);
    RCS_EQUAL(tool->read_only, true);
    RCS_EQUAL(tool->limit, 4);
    RCS_TEXT_EQUAL(tool->server, "crm");
    RCS_EQUAL(tool->declared_safe, true);
    RCS_EQUAL(tool->declared_unsafe, false);
    CU_ASSERT_PTR_EQUAL(tool->policy, recourse_policy_builtin("lightspeed"));
}

static void test_what_is_left_out_is_none(void)
{
    const struct recourse_tool *tool;

    RCS_EQUAL(read("{\"tools\":[{\"http\":{\"url\":\"http://h/\"},\"name\":\"a\"},"
                   "{\"name\":\"b\",\"http\":{\"url\":\"http://h/\"},\"replay\":\"unsafe\"}]}"),
              true);
    RCS_EQUAL(config.count, 2);
    tool = &config.tools[0];
    CU_ASSERT_PTR_NULL(tool->description);
    CU_ASSERT_PTR_NULL(tool->method);
    CU_ASSERT_PTR_NULL(tool->headers);
    CU_ASSERT_PTR_NULL(tool->policy);
    CU_ASSERT_PTR_NULL(tool->proxy);
    CU_ASSERT_PTR_NULL(tool->ca_file);
    RCS_EQUAL(tool->timeout_ms, 0);
    RCS_EQUAL(tool->connect_timeout_ms, 0);
    RCS_EQUAL(tool->read_timeout_ms, 0);
    RCS_EQUAL(tool->declared_safe, false);
    RCS_EQUAL(tool->declared_unsafe, false);
    RCS_EQUAL(tool->approval, RECOURSE_APPROVE_DEFAULT);
    RCS_EQUAL(tool->read_only, false);
    RCS_EQUAL(tool->limit, 0);
    CU_ASSERT_PTR_NULL(tool->server);
    RCS_EQUAL(config.tools[1].declared_unsafe, true);
    RCS_EQUAL(read("{\"tools\":[]}"), true);
    RCS_EQUAL(config.count, 0);
}

static void test_the_text_itself(void)
{
    expect_refused("", "t.json:1:1: this is not JSON");
    expect_refused("{\n  \"tools\": [}", "t.json:2:13: this is not JSON");
    expect_refused("{\"tools\":[]} x", "t.json:1:14: this is not JSON");
    expect_refused("{\"tools\":[]}{}", "t.json:1:13: this is not JSON");
    expect_refused("{\"tools\":[],}", "t.json:1:13: this is not JSON");
    expect_refused("{\"tools\":[{\"name\":\"a\\u0000b\"}]}", "t.json:1:21: a NUL in a string");
    RCS_EQUAL(read("{\"tools\":[{\"name\":\"a\\\\u0000b\",\"http\":{\"url\":\"http://h/\"}}]}"), true);
    RCS_TEXT_EQUAL(config.tools[0].name, "a\\u0000b");
    RCS_EQUAL(read_sized("{\"tools\":[]}\0", 13), false);
    RCS_TEXT_EQUAL(message, "t.json:1:13: this is not JSON");
    RCS_EQUAL(read("{\"tools\":[{\"name\":\"\\ud800\"}]}"), false);
    RCS_TEXT_EQUAL(strchr(message, ' '), " this can't be read as text");
}

static void test_the_top(void)
{
    expect_refused("[]", "t.json: wants an object, such as {\"tools\":[...]}");
    expect_refused("{}", "t.json: \"tools\" is missing, or \"mcpServers\"");
    expect_refused("{\"tool\":[]}", "t.json: unknown key \"tool\": did you mean \"tools\"?");
    expect_refused("{\"Tools\":[]}", "t.json: unknown key \"Tools\": did you mean \"tools\"?");
    expect_refused("{\"servers\":[]}", "t.json: unknown key \"servers\"");
    expect_refused("{\"tools\":[],\"tools\":[]}", "t.json: \"tools\" is there twice");
    expect_refused("{\"tools\":{}}", "t.json: tools: wants a list");
    expect_refused("{\"mcpServers\":{},\"mcpServers\":{}}", "t.json: \"mcpServers\" is there twice");
    expect_refused("{\"tools\":[7]}", "t.json: tools[0]: wants an object");
}

static void test_servers(void)
{
    static const char json[] =
        "{\"mcpServers\":{\"crm\":{\"url\":\"http://h/mcp\",\"type\":\"http\",\"headers\":{\"A\":\"b\"},"
        "\"timeout\":\"5s\",\"connect_timeout\":\"2s\",\"read_timeout\":\"3s\",\"replay\":\"safe\",\"trusted\":true,"
        "\"limit\":4,\"approval\":\"annotation\",\"elicitation\":\"defaults\",\"tools\":[\"a\",\"b\"],\"prefix\":\"crm_\"},"
        "\"plain\":{\"url\":\"https://h/\"}}}";
    const struct recourse_mcp_server *server;

    CU_ASSERT_TRUE_FATAL(read(json));
    RCS_EQUAL(config.count, 0);
    RCS_EQUAL(config.server_count, 2);
    server = &config.servers[0];
    RCS_TEXT_EQUAL(server->name, "crm");
    RCS_TEXT_EQUAL(server->url, "http://h/mcp");
    RCS_TEXT_EQUAL(server->headers[0], "A: b");
    RCS_EQUAL(server->timeout_ms, 5000);
    RCS_EQUAL(server->connect_timeout_ms, 2000);
    RCS_EQUAL(server->read_timeout_ms, 3000);
    CU_ASSERT_TRUE(server->declared_safe);
    CU_ASSERT_FALSE(server->declared_unsafe);
    CU_ASSERT_TRUE(server->trusted);
    CU_ASSERT_TRUE(server->elicit_defaults);
    RCS_EQUAL(server->limit, 4);
    RCS_EQUAL(server->approval, RECOURSE_APPROVE_BY_ANNOTATION);
    RCS_TEXT_EQUAL(server->tools[1], "b");
    CU_ASSERT_PTR_NULL(server->tools[2]);
    RCS_TEXT_EQUAL(server->prefix, "crm_");
    server = &config.servers[1];
    RCS_TEXT_EQUAL(server->name, "plain");
    CU_ASSERT_PTR_NULL(server->tools);
    CU_ASSERT_PTR_NULL(server->prefix);
    CU_ASSERT_FALSE(server->trusted);
    CU_ASSERT_FALSE(server->elicit_defaults);
}

static void test_wrong_servers(void)
{
    expect_refused("{\"mcpServers\":[]}", "t.json: mcpServers: wants an object of names and servers");
    expect_refused("{\"mcpServers\":{\"a\":7}}", "t.json: mcpServers.a: wants an object");
    expect_refused("{\"mcpServers\":{\"a\":{}}}",
                   "t.json: mcpServers.a: \"url\" or \"command\" is missing: where is this server?");
    expect_refused("{\"mcpServers\":{\"\":{}}}",
                   "t.json: mcpServers: a server's name can't be empty, nor have control characters in it");
    expect_refused("{\"mcpServers\":{\"a\":{\"url\":\"http://h/\"},\"a\":{}}}", "t.json: mcpServers: \"a\" is there twice");
    expect_refused("{\"mcpServers\":{\"a\":{\"type\":\"sse\"}}}",
                   "t.json: mcpServers.a.type: wants \"http\", \"streamable-http\" or \"stdio\"");
    expect_refused("{\"mcpServers\":{\"a\":{\"trusted\":1}}}", "t.json: mcpServers.a.trusted: wants true or false");
    expect_refused("{\"mcpServers\":{\"a\":{\"era\":\"new\"}}}",
                   "t.json: mcpServers.a.era: wants \"auto\", \"legacy\" or \"modern\"");
    expect_refused("{\"mcpServers\":{\"a\":{\"era\":1}}}",
                   "t.json: mcpServers.a.era: wants \"auto\", \"legacy\" or \"modern\"");
    expect_refused("{\"mcpServers\":{\"a\":{\"elicitation\":true}}}",
                   "t.json: mcpServers.a.elicitation: wants \"defaults\", or to be left out");
    expect_refused("{\"mcpServers\":{\"a\":{\"tools\":\"x\"}}}",
                   "t.json: mcpServers.a.tools: wants a list of names: the tools that are taken");
    expect_refused("{\"mcpServers\":{\"a\":{\"tools\":[7]}}}", "t.json: mcpServers.a.tools: wants a string that is not empty");
    expect_refused("{\"mcpServers\":{\"a\":{\"ulr\":\"x\"}}}", "t.json: mcpServers.a: unknown key \"ulr\": did you mean \"url\"?");
    expect_refused("{\"mcpServers\":{\"a\":{\"url\":\"http://u:p@h/\"}}}",
                   "t.json: mcpServers.a.url: no password here, since a URL is shown: put it into a header, as ${NAME}");
}

static void test_programs(void)
{
    static const char json[] =
        "{\"mcpServers\":{\"files\":{\"type\":\"stdio\",\"command\":\"${RECOURSE_TEST}/npx\",\"args\":[\"-y\",\"\","
        "\"--key=${RECOURSE_TEST}\"],\"env\":{\"A\":\"<${RECOURSE_TEST}>\"},\"cwd\":\"/${RECOURSE_TEST}\",\"limit\":2,\"read_timeout\":\"7s\"},"
        "\"plain\":{\"command\":\"srv\"}}}";
    const struct recourse_mcp_server *server;

    setenv("RECOURSE_TEST", "a b", 1);
    CU_ASSERT_TRUE_FATAL(read(json));
    unsetenv("RECOURSE_TEST");
    server = &config.servers[0];
    CU_ASSERT_PTR_NULL(server->url);
    RCS_TEXT_EQUAL(server->command[0], "a b/npx");
    RCS_TEXT_EQUAL(server->command[1], "-y");
    RCS_TEXT_EQUAL(server->command[2], "");
    RCS_TEXT_EQUAL(server->command[3], "--key=a b");
    CU_ASSERT_PTR_NULL(server->command[4]);
    RCS_TEXT_EQUAL(server->environment[0], "A=<a b>");
    CU_ASSERT_PTR_NULL(server->environment[1]);
    RCS_TEXT_EQUAL(server->directory, "/a b");
    RCS_TEXT_EQUAL(server->shown_command, "${RECOURSE_TEST}/npx");
    RCS_TEXT_EQUAL(server->shown_directory, "/${RECOURSE_TEST}");
    RCS_EQUAL(server->limit, 2);
    RCS_EQUAL(server->read_timeout_ms, 7000);
    server = &config.servers[1];
    RCS_TEXT_EQUAL(server->command[0], "srv");
    CU_ASSERT_PTR_NULL(server->command[1]);
    CU_ASSERT_PTR_NULL(server->environment);
    CU_ASSERT_PTR_NULL(server->directory);
}

static void test_wrong_programs(void)
{
    static const struct {
        const char *members;
        const char *text;
    } wrong[] = {
        {"\"command\":[\"npx\"]", ".command: wants a string"},
        {"\"command\":\"\"", ".command: wants the name of a program; its words stand in \"args\""},
        {"\"command\":\"${\"", ".command: a variable is written ${NAME} or ${NAME:-default}, with letters, digits and _"},
        {"\"args\":\"-y\"", ".args: wants a list: the program's words, fewer than 1000"},
        {"\"args\":[7]", ".args: wants a string"},
        {"\"args\":[\"${RECOURSE_UNSET}\"]", ".args: the variable RECOURSE_UNSET is not set in the environment"},
        {"\"env\":{\"A\":7}", ".env.A: wants a string"},
        {"\"env\":{\"A=\":\"\"}", ".env: \"A=\" can't be the name of a variable"},
        {"\"cwd\":\"\"", ".cwd: wants the path of a directory"},
        {"\"args\":[]", ": \"url\" or \"command\" is missing: where is this server?"},
        {"\"command\":\"a\",\"url\":\"http://h/\"", ": has \"url\" and \"command\": choose one"},
        {"\"command\":\"a\",\"type\":\"http\"", ": this \"type\" is for servers with a \"url\""},
        {"\"command\":\"a\",\"headers\":{}", ": this \"headers\" is for servers with a \"url\""},
        {"\"command\":\"a\",\"proxy\":\"http://p/\"", ": this \"proxy\" is for servers with a \"url\""},
        {"\"command\":\"a\",\"ca_file\":\"x\"", ": this \"ca_file\" is for servers with a \"url\""},
        {"\"command\":\"a\",\"connect_timeout\":\"1s\"", ": this \"connect_timeout\" is for servers with a \"url\""},
        {"\"url\":\"http://h/\",\"type\":\"stdio\"", ": this \"type\" is for servers with a \"command\""},
        {"\"url\":\"http://h/\",\"args\":[]", ": this \"args\" is for servers with a \"command\""},
        {"\"url\":\"http://h/\",\"env\":{}", ": this \"env\" is for servers with a \"command\""},
        {"\"url\":\"http://h/\",\"cwd\":\"/\"", ": this \"cwd\" is for servers with a \"command\""},
    };
    char json[256];
    char text[256];

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        snprintf(json, sizeof json, "{\"mcpServers\":{\"a\":{%s}}}", wrong[i].members);
        snprintf(text, sizeof text, "t.json: mcpServers.a%s", wrong[i].text);
        expect_refused(json, text);
    }
}

static void test_tools(void)
{
    expect_refused("{\"tools\":[{\"name\":\"a\"}]}",
                   "t.json: tools[0]: \"http\" or \"command\" is missing: what is this tool?");
    expect_tool_refused(",\"command\":[\"ls\"]", "t.json: tools[0]: has \"http\" and \"command\": choose one");
    expect_tool_refused(",\"env\":{}", "t.json: tools[0]: \"env\" is for commands");
    expect_tool_refused(",\"cwd\":\"/\"", "t.json: tools[0]: \"cwd\" is for commands");
    expect_refused("{\"tools\":[{\"http\":{\"url\":\"http://h/\"}}]}", "t.json: tools[0]: \"name\" is missing");
    expect_refused("{\"tools\":[{\"name\":\"\"}]}", "t.json: tools[0].name: wants a string that is not empty");
    expect_refused("{\"tools\":[{\"name\":5}]}", "t.json: tools[0].name: wants a string that is not empty");
    expect_refused("{\"tools\":[{\"name\":\"a\\nb\"}]}", "t.json: tools[0].name: has a control character in it");
    expect_tool_refused(",\"name\":\"b\"", "t.json: tools[0]: \"name\" is there twice");
    expect_tool_refused(",\"na\\u006de\":\"b\"", "t.json: tools[0]: \"name\" is there twice");
    expect_tool_refused(",\"timeuot\":\"5s\"", "t.json: tools[0]: unknown key \"timeuot\": did you mean \"timeout\"?");
    expect_tool_refused(",\"colour\":1", "t.json: tools[0]: unknown key \"colour\"");
    expect_tool_refused(",\"description\":1", "t.json: tools[0].description: wants a string");
    expect_tool_refused(",\"timeout\":5", "t.json: tools[0].timeout: wants a duration such as \"500ms\", \"5s\" or "
                                          "\"2m\", at most 30 days");
    expect_tool_refused(",\"timeout\":\"5\"", "t.json: tools[0].timeout: wants a duration such as \"500ms\", \"5s\" or "
                                              "\"2m\", at most 30 days");
    expect_tool_refused(",\"replay\":\"maybe\"", "t.json: tools[0].replay: wants \"safe\" or \"unsafe\"");
    expect_tool_refused(",\"replay\":true", "t.json: tools[0].replay: wants \"safe\" or \"unsafe\"");
    expect_tool_refused(",\"policy\":\"lightsped\"",
                        "t.json: tools[0].policy: there is no built-in policy 'lightsped': did you mean 'lightspeed'?");
    expect_tool_refused(",\"policy\":\"./none.policy.md\"", "t.json: tools[0].policy: ./none.policy.md: the file can't "
                                                            "be read: No such file or directory");
    expect_tool_refused(",\"policy\":1", "t.json: tools[0].policy: wants a string that is not empty");
}

static void test_http(void)
{
    expect_refused("{\"tools\":[{\"name\":\"a\",\"http\":{}}]}", "t.json: tools[0].http: \"url\" is missing");
    expect_refused("{\"tools\":[{\"name\":\"a\",\"http\":\"u\"}]}", "t.json: tools[0].http: wants an object");
    expect_refused("{\"tools\":[{\"name\":\"a\",\"http\":{\"url\":\"file:///etc/passwd\"}}]}",
                   "t.json: tools[0].http.url: wants a URL that begins with http:// or https://");
    expect_refused("{\"tools\":[{\"name\":\"a\",\"http\":{\"url\":\"http://${HOST}/\"}}]}",
                   "t.json: tools[0].http.url: no variables here, since a URL is shown: put them into headers");
    expect_refused("{\"tools\":[{\"name\":\"a\",\"http\":{\"url\":1}}]}",
                   "t.json: tools[0].http.url: wants a string that is not empty");
    expect_http_refused(",\"method\":\"get\"",
                        "t.json: tools[0].http.method: wants one of GET, POST, PUT, PATCH, DELETE");
    expect_http_refused(",\"urls\":1", "t.json: tools[0].http: unknown key \"urls\": did you mean \"url\"?");
    expect_http_refused(",\"ca_file\":\"\"", "t.json: tools[0].http.ca_file: wants a string that is not empty");
    expect_http_refused(",\"proxy\":null", "t.json: tools[0].http.proxy: wants a string that is not empty");
    expect_http_refused(",\"read_timeout\":\"soon\"", "t.json: tools[0].http.read_timeout: wants a duration such as "
                                                      "\"500ms\", \"5s\" or \"2m\", at most 30 days");
}

static void test_approval_and_limits(void)
{
    static const struct {
        const char *value;
        uint8_t mode;
    } modes[] = {{"never", RECOURSE_APPROVE_NEVER}, {"always", RECOURSE_APPROVE_ALWAYS},
                 {"annotation", RECOURSE_APPROVE_BY_ANNOTATION}};
    static const char *const bad_limits[] = {"0", "-1", "1.5", "100001", "1e300", "\"4\"", "null", "true"};
    char text[256];

    for (size_t i = 0; i < RCS_COUNT(modes); i++) {
        snprintf(text, sizeof text, "{\"tools\":[{\"name\":\"a\",\"http\":{\"url\":\"http://h/\"},\"approval\":\"%s\"}]}",
                 modes[i].value);
        RCS_EQUAL(read(text), true);
        RCS_EQUAL(config.tools[0].approval, modes[i].mode);
    }
    expect_tool_refused(",\"approval\":\"sometimes\"",
                        "t.json: tools[0].approval: wants \"never\", \"always\" or \"annotation\"");
    expect_tool_refused(",\"approval\":true", "t.json: tools[0].approval: wants \"never\", \"always\" or \"annotation\"");
    expect_tool_refused(",\"aproval\":true", "t.json: tools[0]: unknown key \"aproval\": did you mean \"approval\"?");
    expect_tool_refused(",\"read_only\":1", "t.json: tools[0].read_only: wants true or false");
    expect_tool_refused(",\"readonly\":true", "t.json: tools[0]: unknown key \"readonly\": did you mean \"read_only\"?");
    expect_tool_refused(",\"server\":\"\"", "t.json: tools[0].server: wants a string that is not empty");
    for (size_t i = 0; i < RCS_COUNT(bad_limits); i++) {
        snprintf(text, sizeof text, ",\"limit\":%s", bad_limits[i]);
        expect_tool_refused(text, "t.json: tools[0].limit: wants a whole number from 1 to 100000: how many tries at once");
    }
}

/* What is refused about a secret does not show it. */
static void test_secrets(void)
{
    static const char *const urls[] = {"http://u:s3cret@h/", "https://s3cret@h", "http://u:s3cret@h:8/x?y#z"};
    static const char *const good[] = {"http://h/a@b", "http://h?a@b", "http://h/u:p@x"};
    char json[256];

    for (size_t i = 0; i < RCS_COUNT(urls); i++) {
        snprintf(json, sizeof json, "{\"tools\":[{\"name\":\"a\",\"http\":{\"url\":\"%s\"}}]}", urls[i]);
        expect_refused(json, "t.json: tools[0].http.url: no password here, since a URL is shown: put it into a header, as "
                             "${NAME}");
    }
    for (size_t i = 0; i < RCS_COUNT(good); i++) {
        snprintf(json, sizeof json, "{\"tools\":[{\"name\":\"a\",\"http\":{\"url\":\"%s\"}}]}", good[i]);
        RCS_EQUAL(read(json), true);
    }
    RCS_EQUAL(setenv("RCS_TEST_BAD", "s3cret\r\nX: y", 1), 0);
    expect_http_refused(",\"proxy\":\"http://u:${RCS_TEST_BAD}@p\"",
                        "t.json: tools[0].http.proxy: the variable RCS_TEST_BAD has a control character in it");
    expect_http_refused(",\"proxy\":\"http://u:${RCS_TEST_BAD\"",
                        "t.json: tools[0].http.proxy: a variable is written ${NAME} or ${NAME:-default}, with letters, digits and _");
}

static void test_headers(void)
{
    char many[4096] = ",\"headers\":{\"a0\":\"\"";

    RCS_EQUAL(unsetenv("RCS_TEST_UNSET"), 0);
    RCS_EQUAL(setenv("RCS_TEST_BAD", "s3cret\r\nX: y", 1), 0);
    expect_http_refused(",\"headers\":[]", "t.json: tools[0].http.headers: wants an object of names and values");
    expect_http_refused(",\"headers\":{\"a b\":\"\"}",
                        "t.json: tools[0].http.headers: \"a b\" can't be the name of a header");
    expect_http_refused(",\"headers\":{\"\":\"\"}",
                        "t.json: tools[0].http.headers: \"\" can't be the name of a header");
    expect_http_refused(",\"headers\":{\"a\":\"1\",\"a\":\"2\"}",
                        "t.json: tools[0].http.headers: \"a\" is there twice");
    expect_http_refused(",\"headers\":{\"a\":1}",
                        "t.json: tools[0].http.headers.a: wants a string without control characters");
    expect_http_refused(",\"headers\":{\"a\":\"x\\ny\"}",
                        "t.json: tools[0].http.headers.a: wants a string without control characters");
    expect_http_refused(",\"headers\":{\"a\":\"x ${RCS_TEST_UNSET}\"}",
                        "t.json: tools[0].http.headers.a: the variable RCS_TEST_UNSET is not set in the environment");
    expect_http_refused(",\"headers\":{\"a\":\"${RCS_TEST_BAD}\"}",
                        "t.json: tools[0].http.headers.a: the variable RCS_TEST_BAD has a control character in it");
    expect_http_refused(",\"headers\":{\"a\":\"${RCS\"}",
                        "t.json: tools[0].http.headers.a: a variable is written ${NAME} or ${NAME:-default}, with letters, digits and _");
    expect_http_refused(",\"headers\":{\"a\":\"${}\"}",
                        "t.json: tools[0].http.headers.a: a variable is written ${NAME} or ${NAME:-default}, with letters, digits and _");
    for (unsigned i = 1; i <= 100; i++) {
        size_t used = strlen(many);

        snprintf(many + used, sizeof many - used, ",\"a%u\":\"\"", i);
    }
    {
        char json[4500];

        snprintf(json, sizeof json, "{\"tools\":[{\"name\":\"a\",\"http\":{\"url\":\"http://h/\"%s}}}]}", many);
        expect_refused(json, "t.json: tools[0].http.headers: more than 100 headers");
    }
}

/* The inside of one tool that has a name. */
static void expect_command_refused(const char *members, const char *text)
{
    char json[1024];

    snprintf(json, sizeof json, "{\"tools\":[{\"name\":\"a\",%s}]}", members);
    expect_refused(json, text);
}

static void test_commands(void)
{
    const struct recourse_tool *tool;

    RCS_EQUAL(setenv("RCS_TEST_KEY", "s3\ncret", 1), 0);
    RCS_EQUAL(setenv("RCS_TEST_SHELL", "sh", 1), 0);
    RCS_EQUAL(read("{\"tools\":[{\"name\":\"a\",\"command\":[\"${RCS_TEST_SHELL}\",\"-c\",\"echo $${HOME}${RCS_TEST_SHELL}\\n\",\"\"],"
                   "\"env\":{\"K\":\"<${RCS_TEST_KEY}>\",\"EMPTY\":\"\"},\"cwd\":\"/${RCS_TEST_SHELL}\",\"timeout\":\"5s\","
                   "\"replay\":\"unsafe\",\"policy\":\"lightspeed\"},{\"name\":\"b\",\"command\":[\"ls\"]}]}"),
              true);
    RCS_TEXT_EQUAL(message, "");
    tool = &config.tools[0];
    RCS_EQUAL(tool->kind, RECOURSE_TOOL_COMMAND);
    RCS_TEXT_EQUAL(tool->command[0], "sh");
    RCS_TEXT_EQUAL(tool->command[1], "-c");
    RCS_TEXT_EQUAL(tool->command[2], "echo ${HOME}sh\n"); /* the shell's business, and ours */
    RCS_TEXT_EQUAL(tool->shown_command, "${RCS_TEST_SHELL}");
    RCS_TEXT_EQUAL(tool->shown_directory, "/${RCS_TEST_SHELL}");
    RCS_TEXT_EQUAL(tool->command[3], "");
    CU_ASSERT_PTR_NULL(tool->command[4]);
    RCS_TEXT_EQUAL(tool->environment[0], "K=<s3\ncret>");
    RCS_TEXT_EQUAL(tool->environment[1], "EMPTY=");
    CU_ASSERT_PTR_NULL(tool->environment[2]);
    RCS_TEXT_EQUAL(tool->directory, "/sh");
    RCS_EQUAL(tool->timeout_ms, 5000);
    RCS_EQUAL(tool->declared_unsafe, true);
    tool = &config.tools[1];
    CU_ASSERT_PTR_NULL(tool->environment);
    CU_ASSERT_PTR_NULL(tool->directory);
}

/* As shells have it. */
static void test_defaults_of_variables(void)
{
    static const struct {
        const char *text;
        const char *value;
    } cases[] = {
        {"${RCS_TEST_UNSET:-a b}", "a b"},  {"<${RCS_TEST_UNSET:-}>", "<>"},
        {"${RCS_TEST_EMPTY:-other}", "other"}, {"${RCS_TEST_EMPTY}", ""},
        {"$${RCS_TEST_KEY}", "${RCS_TEST_KEY}"}, {"a$${b}${RCS_TEST_KEY}$${", "a${b}key${"}, {"$$${RCS_TEST_UNSET}", "$${RCS_TEST_UNSET}"},
        {"${RCS_TEST_KEY:-other}", "key"},  {"${RCS_TEST_KEY:-}/${RCS_TEST_UNSET:-:-$}", "key/:-$"},
    };
    char json[256];

    RCS_EQUAL(unsetenv("RCS_TEST_UNSET"), 0);
    RCS_EQUAL(setenv("RCS_TEST_EMPTY", "", 1), 0);
    RCS_EQUAL(setenv("RCS_TEST_KEY", "key", 1), 0);
    for (size_t i = 0; i < RCS_COUNT(cases); i++) {
        char line[64];

        snprintf(json, sizeof json, "{\"mcpServers\":{\"a\":{\"command\":\"a\",\"env\":{\"K\":\"%s\"}}}}", cases[i].text);
        snprintf(line, sizeof line, "K=%s", cases[i].value);
        RCS_EQUAL(read(json), true);
        RCS_TEXT_EQUAL(config.servers[0].environment[0], line);
    }
    expect_command_refused("\"env\":{\"a\":\"${RCS_TEST_KEY:-x\"}", "t.json: tools[0].env.a: a variable is written ${NAME} or "
                                                                    "${NAME:-default}, with letters, digits and _");
    expect_command_refused("\"env\":{\"a\":\"${:-x}\"}", "t.json: tools[0].env.a: a variable is written ${NAME} or "
                                                         "${NAME:-default}, with letters, digits and _");
}

static void test_commands_that_are_refused(void)
{
    static const char list[] = "t.json: tools[0].command: wants a list: the program and its words, at most 1000";
    static const char strings[] = "t.json: tools[0].command: wants strings, and the first one names a program";
    char many[4100] = "{\"tools\":[{\"name\":\"a\",\"command\":[\"a\"";

    RCS_EQUAL(unsetenv("RCS_TEST_UNSET"), 0);
    expect_command_refused("\"command\":\"ls\"", list);
    expect_command_refused("\"command\":{\"a\":\"b\"}", list);
    expect_command_refused("\"command\":[]", list);
    expect_command_refused("\"command\":[\"\"]", strings);
    expect_command_refused("\"command\":[\"a\",1]", strings);
    expect_command_refused("\"cwd\":\"\"", "t.json: tools[0].cwd: wants the path of a directory");
    expect_command_refused("\"env\":[]", "t.json: tools[0].env: wants an object of names and values");
    expect_command_refused("\"env\":{\"\":\"\"}", "t.json: tools[0].env: \"\" can't be the name of a variable");
    expect_command_refused("\"env\":{\"a=b\":\"\"}", "t.json: tools[0].env: \"a=b\" can't be the name of a variable");
    expect_command_refused("\"env\":{\"a\":\"\",\"a\":\"\"}", "t.json: tools[0].env: \"a\" is there twice");
    expect_command_refused("\"env\":{\"a\":1}", "t.json: tools[0].env.a: wants a string");
    expect_command_refused("\"env\":{\"a\":\"${RCS_TEST_UNSET}\"}",
                           "t.json: tools[0].env.a: the variable RCS_TEST_UNSET is not set in the environment");
    expect_command_refused("\"comand\":[\"a\"]", "t.json: tools[0]: unknown key \"comand\": did you mean \"command\"?");
    for (unsigned i = 0; i < 1000; i++) {
        strcat(many, ",\"\"");
    }
    strcat(many, "]}]}");
    expect_refused(many, list);
}

static void test_places_are_those_of_the_tool(void)
{
    expect_refused("{\"tools\":[{\"name\":\"a\",\"http\":{\"url\":\"http://h/\",\"headers\":{\"x\":\"\"},"
                   "\"method\":\"GET\"},"
                   "\"timeout\":\"1s\"},{\"name\":\"b\",\"http\":{\"url\":\"http://h/\",\"method\":1}}]}",
                   "t.json: tools[1].http.method: wants one of GET, POST, PUT, PATCH, DELETE");
}

static const struct rcs_test tests[] = {
    {"a whole one", test_a_whole_one},
    {"what is left out is none", test_what_is_left_out_is_none},
    {"the text itself", test_the_text_itself},
    {"the top", test_the_top},
    {"servers", test_servers},
    {"wrong servers", test_wrong_servers},
    {"programs", test_programs},
    {"wrong programs", test_wrong_programs},
    {"tools", test_tools},
    {"http", test_http},
    {"approval and limits", test_approval_and_limits},
    {"secrets", test_secrets},
    {"headers", test_headers},
    {"commands", test_commands},
        {"defaults of variables", test_defaults_of_variables},
    {"commands that are refused", test_commands_that_are_refused},
    {"places are those of the tool", test_places_are_those_of_the_tool},
};

int main(void)
{
    int status = rcs_unit_main("config", tests, RCS_COUNT(tests));

    rcs_arena_clear(&arena);
    return status;
}
