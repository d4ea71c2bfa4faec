/* What a case of the field runs against: its server, its ports, and the files that the command reads. */
#include "tests/run/field.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

uint64_t rcs_field_now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

void rcs_field_fault(struct rcs_field *field, const char *format, ...)
{
    char text[1024];
    va_list list;

    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    rcs_bytes_format(&field->faults, "    ");
    rcs_bytes_add(&field->faults, text, strlen(text));
    rcs_bytes_format(&field->faults, "\n");
}

const cJSON *rcs_field_member(const struct rcs_field *field, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(field->root, name);
}

char *rcs_field_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "r");
    struct rcs_bytes bytes = {0};
    char block[65536];
    size_t got;

    if (file == NULL) {
        return NULL;
    }
    rcs_bytes_add(&bytes, "", 0);
    while ((got = fread(block, 1, sizeof block, file)) > 0) {
        rcs_bytes_add(&bytes, block, got);
    }
    fclose(file);
    *size = bytes.size;
    return bytes.data;
}

const char *rcs_field_path(const struct rcs_field *field, const char *name, char path[96])
{
    snprintf(path, 96, "%s/%s", field->directory, name);
    return path;
}

/* ---- the server and the ports ---- */

static bool set_scripts(struct rcs_field *field)
{
    const cJSON *script;

    cJSON_ArrayForEach(script, rcs_field_member(field, "server")) {
        char why[256] = "it is no text";
        if (!cJSON_IsString(script) ||
            !rcs_faulty_script(field->server, script->string, script->valuestring, why, sizeof why)) {
            rcs_field_fault(field, "the script of %s: %s", script->string, why);
            return false;
        }
    }
    return true;
}

static bool open_server(struct rcs_field *field)
{
    field->server = rcs_faulty_new();
    if (field->server == NULL || !set_scripts(field) || !rcs_field_mcp_open(field)) {
        return false;
    }
    return rcs_faulty_start(field->server) == 0;
}

/* Takes a port and never listens, so that nobody else gets it and connecting is refused. */
static bool take_closed_port(struct rcs_field *field)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t size = sizeof address;

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    field->closed = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (field->closed < 0 || bind(field->closed, (struct sockaddr *)&address, sizeof address) != 0 ||
        getsockname(field->closed, (struct sockaddr *)&address, &size) != 0) {
        return false;
    }
    field->closed_port = ntohs(address.sin_port);
    return true;
}

/* ---- files ---- */

/* A placeholder's value; a port is opened when it is asked for. False if that can't be. */
static bool put_value(struct rcs_field *field, size_t which, struct rcs_bytes *out)
{
    switch (which) {
    case 0:
        rcs_bytes_format(out, "%u", rcs_faulty_port(field->server));
        return true;
    case 1:
        if (field->closed < 0 && !take_closed_port(field)) {
            return false;
        }
        rcs_bytes_format(out, "%u", field->closed_port);
        return true;
    case 2:
        if (field->deaf.listener < 0 && !rcs_deaf_open(&field->deaf)) {
            return false;
        }
        rcs_bytes_format(out, "%u", field->deaf.port);
        return true;
    case 3:
        rcs_field_mcp_program(out);
        return true;
    default:
        rcs_bytes_format(out, "%s", field->directory);
        return true;
    }
}

/* Copies `text` with its placeholders filled in. */
static bool fill_in(struct rcs_field *field, struct recourse_span text, struct rcs_bytes *out)
{
    static const char *const names[] = {"{port}", "{closed port}", "{deaf port}", "{mcp server}", "{directory}"};
    const size_t count = sizeof names / sizeof names[0];

    for (size_t at = 0; at < text.size;) {
        size_t which = 0;
        while (which < count && !(text.size - at >= strlen(names[which]) &&
                              memcmp(text.data + at, names[which], strlen(names[which])) == 0)) {
            which++;
        }
        if (which == count) {
            rcs_bytes_add(out, text.data + at++, 1);
        } else if (!put_value(field, which, out)) {
            return false;
        } else {
            at += strlen(names[which]);
        }
    }
    return true;
}

static bool write_file(const struct rcs_field *field, const char *name, const char *data, size_t size)
{
    char path[96];
    FILE *file = fopen(rcs_field_path(field, name, path), "w");
    bool good = file != NULL && fwrite(data, 1, size, file) == size;

    return file != NULL && fclose(file) == 0 && good;
}

static bool write_tools(struct rcs_field *field)
{
    struct recourse_span tools = rcs_json_member(field->text, "tools");
    struct rcs_bytes text = {0};
    bool good = tools.data != NULL && fill_in(field, tools, &text) && write_file(field, "tools", text.data, text.size);

    rcs_bytes_clear(&text);
    return good;
}

/* A reply goes to the command byte for byte as the line has it; one that stands there as a text is that text. */
static bool write_calls(const struct rcs_field *field)
{
    struct recourse_span calls = rcs_json_member(field->text, "calls");
    size_t size;
    char *text;
    bool good;

    if (calls.data == NULL || rcs_json_type_of(calls) != RCS_JSON_STRING) {
        return calls.data != NULL && write_file(field, "calls", calls.data, calls.size);
    }
    size = rcs_json_unescape(calls, NULL, 0);
    text = rcs_must_alloc(NULL, size);
    rcs_json_unescape(calls, text, size);
    good = write_file(field, "calls", text, size);
    free(text);
    return good;
}

bool rcs_field_open(struct rcs_field *field)
{
    field->errors = -1;
    field->closed = -1;
    field->deaf.listener = -1;
    snprintf(field->directory, sizeof field->directory, P_tmpdir "/recourse-case-XXXXXX");
    if (mkdtemp(field->directory) == NULL) {
        field->directory[0] = '\0';
        rcs_field_fault(field, "no directory under /tmp: %s", strerror(errno));
        return false;
    }
    if (!open_server(field)) {
        rcs_field_fault(field, "its server can't be started");
        return false;
    }
    if (!write_tools(field) || !write_calls(field)) {
        rcs_field_fault(field, "its tools or its calls can't be written");
        return false;
    }
    return true;
}

/* With the files that tools have made in it. */
static void remove_directory(const struct rcs_field *field)
{
    DIR *directory = field->directory[0] == '\0' ? NULL : opendir(field->directory);
    const struct dirent *entry;

    if (directory == NULL) {
        return;
    }
    while ((entry = readdir(directory)) != NULL) {
        unlinkat(dirfd(directory), entry->d_name, 0);
    }
    closedir(directory);
    rmdir(field->directory);
}

void rcs_field_close(struct rcs_field *field)
{
    remove_directory(field);
    if (field->errors >= 0) {
        close(field->errors);
    }
    if (field->closed >= 0) {
        close(field->closed);
    }
    if (field->deaf.listener >= 0) {
        rcs_deaf_close(&field->deaf);
    }
    rcs_mcp_free(field->mcp);
    rcs_faulty_free(field->server);
    field->mcp = NULL;
    field->server = NULL;
    rcs_bytes_clear(&field->log);
}
