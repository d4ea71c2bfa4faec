#!/usr/bin/env bash
# server-filesystem and server-memory, on the SDK's first version, over stdio. One call at a time: the order counts.
set -u
# shellcheck source=tests/interop/kit.sh
. tests/interop/kit.sh
servers=$MODULES/node_modules/@modelcontextprotocol

mkdir "$work/files"
as_program ',"limit":1' "$servers/server-filesystem/dist/index.js" "$work/files"
tools filesystem read_file read_text_file read_media_file read_multiple_files write_file edit_file create_directory list_directory \
    list_directory_with_sizes directory_tree move_file search_files get_file_info list_allowed_directories
calls filesystem filesystem default
is 'filesystem: the file' "$(cat "$work/files/poem.txt")" $'Ein Gürteltier\nstand hier.'
is 'filesystem: nothing outside' "$([ -e "$work/outside.txt" ] || echo nothing)" nothing

variable="\"MEMORY_FILE_PATH\":\"$work/memory.jsonl\""
as_program ',"limit":1' "$servers/server-memory/dist/index.js"
tools memory create_entities create_relations add_observations delete_entities delete_observations delete_relations read_graph \
    search_nodes open_nodes
calls memory memory default
is 'memory: the file' "$(cat "$work/memory.jsonl")" \
    '{"type":"entity","name":"Zoë","entityType":"person","observations":["plays the cello","lives in Łódź"]}'
finish
