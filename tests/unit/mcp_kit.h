/* For the tests of the MCP server: messages, and a search. */
#ifndef RCS_MCP_KIT_H
#define RCS_MCP_KIT_H

#include "tests/unit/unit.h"

#define TEXT_MAX 8192

#define CALL "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"t\",\"arguments\":{}}}"
#define ANSWER(result) "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":" result "}"
#define FOUND ANSWER("{\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}")
#define INITIALIZE(version) \
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"" version "\"}}"
#define METHOD(id, method) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\"}"

static inline void has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL) {
        printf("    '%s' is not in '%s'\n", part, text);
        CU_FAIL("a text that is not there");
    }
}

#endif
