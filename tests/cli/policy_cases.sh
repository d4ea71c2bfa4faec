# shellcheck shell=bash disable=SC2154,SC2034,SC2086,SC2012,SC2010,SC2016 # read by test_cli.sh
# Policies that are compiled while the command runs: `compile --shared`, and the cache.

small=$work/small/plain.policy.md
mkdir "$work/small" "$work/bin"
cp tests/unit/policies/plain.policy.md "$small"
judged='{"failure":"away","effect":"none","row":"F1","line":'$(grep -n '^| F1 ' "$small" | cut -d: -f1)',"server_delay_ms":0}'
judge() { # judge POLICY [OPTION...]: by the row that it has to be
    in='{"network":"refused"}'
    try 0 classify --policy "$@"
    is stdout "$out" "$judged"
}
walks() { is stderr "$err" "recourse classify: $small is not compiled, its model is walked: $1"; }

# ---- compile --shared ----

objects=$work/objects
try 0 compile "$small" -o "$objects" --shared
is stdout "$out" "$objects/plain.rl
$objects/plain.c
$objects/plain.h
$objects/plain.so"
is stderr "$err" ''
is 'what is in the directory' "$(ls -A "$objects")" 'plain.c
plain.h
plain.rl
plain.so'
is 'exported names' "$(nm -D --defined-only "$objects/plain.so" | awk '{print $3}' | sort | tr '\n' ' ')" \
    'recourse_policy_plain recourse_shared_policy '
"$RECOURSE" compile "$small" -o "$work/sources" >/dev/null
cmp -s "$objects/plain.c" "$work/sources/plain.c"
note $? 'the C is the same with and without --shared'
is 'without --shared' "$(ls -A "$work/sources")" 'plain.c
plain.h
plain.rl'
try 0 compile "$small" -o "$work/included" --shared --include include
try 1 compile "$small" -o "$work/nothing" --shared --include "$work"
has stderr "$err" "$small:1:1: error[cc]: there is no recourse/policy.h in $work"
has stderr "$err" "recourse compile: $small: nothing was written"
try 1 compile "$small" -o "$work/nothing" --include include
says 'recourse compile: --include is for --shared: nothing else needs the headers'
CC=no-such-compiler try 1 compile "$small" -o "$work/nothing" --shared
has stderr "$err" "error[cc]: the C compiler \`no-such-compiler\` is not in PATH: install one, or name yours in CC"
is 'what is left' "$(ls -A "$work/nothing")" ''
(cd "$work" && "$RECOURSE" compile "$small" -o -odd --shared >/dev/null && [ -f ./-odd/plain.so ])
note $? 'compile into a directory with a dash'
cp "$RECOURSE" "$work/bin/recourse"
"$work/bin/recourse" compile "$small" -o "$work/nothing" --shared 2>"$work/err"
has 'stderr of a binary without headers' "$(cat "$work/err")" \
    'error[cc]: the headers of recourse are not beside the command: give their directory with --include'

# ---- shared objects ----

judge "$objects/plain.so"
is stderr "$err" ''
(cd "$objects" && echo '{"network":"refused"}' | "$RECOURSE" classify --policy plain.so) >"$work/out"
is 'by its name alone' "$(cat "$work/out")" "$judged"
in='[]'
try 0 run --policy "$objects/plain.so" --tools "$tools" --report "$report"
has report "$(cat "$report")" "{\"policy\":{\"name\":\"plain\",\"file_sha256\":\"$(sha256sum "$small" | cut -d' ' -f1)\""
try 1 classify --policy "$work/none.so"
says "recourse classify: $work/none.so: it can't be read: No such file or directory"
head -c 6000 "$objects/plain.so" >"$objects/cut.so"
try 1 classify --policy "$objects/cut.so"
says "recourse classify: $objects/cut.so: the file is cut off"
cp "$small" "$objects/text.so"
try 1 classify --policy "$objects/text.so"
says "recourse classify: $objects/text.so: it is no shared object"
echo 'static const unsigned head[2] = {1, 8}; const void *const recourse_shared_policy = head;' >"$work/old.c"
"${CC:-cc}" -shared -fPIC -o "$objects/old.so" "$work/old.c"
try 1 classify --policy "$objects/old.so"
has stderr "$err" "recourse classify: $objects/old.so: compiled for ABI 1 (8 bytes), and this is ABI "
has stderr "$err" ': compile it again'
is stdout "$out" ''

# ---- the cache ----

cache=$work/xdg/recourse
export XDG_CACHE_HOME=$work/xdg
rm -rf "$XDG_CACHE_HOME"
judge "$small"
is stderr "$err" ''
is 'mode of the cache' "$(stat -c %a "$cache")" 700
cached=$(ls "$cache"/plain-*.so)
is 'what is in the cache' "$(ls -A "$cache" | sed -E 's/-[0-9a-f]{64}/-KEY/')" plain-KEY.so
is 'mode of the object' "$(stat -c %a "$cached")" 600
inode=$(stat -c %i "$cached")
judge "$small"
in='[]'
try 0 run --policy "$small" --tools "$tools"
is stderr "$err" ''
is 'the object is used' "$(stat -c %i "$cached")" "$inode"
judge "$small" --no-cache
is stderr "$err" ''
RECOURSE_CACHE=off judge "$small"
is stderr "$err" ''
in='[]'
try 0 run --no-cache --policy "$small" --tools "$tools"
is stderr "$err" ''

# what is found warm needs no programs; what is not is walked, and says why
for program in cat cc sed; do ln -s "$(command -v "$program")" "$work/bin/$program"; done
PATH=$work/bin judge "$small"
is stderr "$err" ''
rm "$cached"
PATH=$work/bin judge "$small"
walks "\`ragel\` is not in PATH: install Ragel 6.10 (the package \`ragel\` of Debian, Ubuntu, Fedora and Homebrew)"
is 'what is in the cache' "$(ls -A "$cache")" ''
CC=no-such-compiler judge "$small"
walks "the C compiler \`no-such-compiler\` is not in PATH: install one, or name yours in CC"
CC=false judge "$small"
walks 'the C compiler `false` fails (exit 1): '
in='[]'
CC=false try 0 run --policy "$small" --tools "$tools"
is stderr "$err" "recourse run: $small is not compiled, its model is walked: the C compiler \`false\` fails (exit 1): "
echo '{"network":"refused"}' | "$work/bin/recourse" classify --policy "$small" >"$work/out" 2>"$work/err"
err=$(cat "$work/err")
what='classify without headers'
walks 'the headers of recourse are not beside the command'
is 'what is in the cache' "$(ls -A "$cache")" ''

# damage of each kind is found, and mended
judge "$small"
cp "$cached" "$work/whole.so"
spoil() { # spoil NAME: the object is spoilt; it is used no more, and built again
    judge "$small"
    what="a cached object that is $1"
    is stderr "$err" ''
    cmp -s "$cached" "$work/whole.so"
    note $? "$what is built again"
}
truncate -s 6000 "$cached"
spoil 'cut off'
truncate -s -1 "$cached"
spoil 'short of a byte'
: >"$cached"
spoil empty
printf 'x' | dd of="$cached" bs=1 seek=5000 conv=notrunc 2>/dev/null
spoil 'changed in a byte'
cp "$objects/old.so" "$cached"
spoil 'of another ABI'
cp "$objects/plain.so" "$cached"
spoil 'without its digest'
rm "$cached"
ln -s "$work/whole.so" "$cached"
spoil 'a symbolic link'
is 'the link is gone' "$(stat -c %F "$cached")" 'regular file'
# sealed, whole, and another policy
mkdir "$work/foreign"
sed 's/| 1s | tries/| 2s | tries/' "$small" >"$work/foreign/plain.policy.md"
judge "$work/foreign/plain.policy.md"
other=$(ls "$cache"/plain-*.so | grep -vF "$cached")
cp "$other" "$cached"
spoil 'that of another policy'
rm "$other"

# an edit is another policy, if only in its prose
sed 's/^# plain$/&\n\nA word of prose./' "$small" >"$work/foreign/plain.policy.md"
in='{"network":"refused"}'
try 0 classify --policy "$work/foreign/plain.policy.md"
is 'line of the row' "$out" "$(echo "$judged" | awk -F'"line":' '{split($2, rest, ","); printf "%s\"line\":%d%s", $1, rest[1] + 2, substr($2, length(rest[1]) + 1)}')"
is 'objects in the cache' "$(ls "$cache" | wc -l)" 2

# errors are errors, cache or not
try 1 classify --policy "$bad"
has stderr "$err" "recourse classify: $bad has errors"
is 'errors are shown once' "$(grep -c 'error\[overlap\]' "$work/err")" "$("$RECOURSE" check "$bad" | grep -c 'error\[overlap\]')"

# a directory that is not ours alone is not used
chmod 777 "$cache"
judge "$small"
walks "the cache $cache is open to others (mode 0777): chmod 700 it"
chmod 750 "$cache"
judge "$small"
walks "the cache $cache is open to others (mode 0750): chmod 700 it"
chmod 700 "$cache"
mv "$cache" "$work/elsewhere"
ln -s "$work/elsewhere" "$cache"
judge "$small"
walks "the cache $cache is a symbolic link"
rm "$cache"
echo >"$cache"
judge "$small"
walks "the cache $cache can't be used: Not a directory"
rm -rf "$XDG_CACHE_HOME"
echo >"$XDG_CACHE_HOME"
judge "$small"
walks "the cache $cache can't be made: Not a directory"
rm "$XDG_CACHE_HOME"
if [ "$(id -u)" = 0 ]; then
    mkdir -p "$cache"
    chmod 700 "$cache"
    chown 12345 "$cache"
    judge "$small"
    walks "the cache $cache belongs to somebody else"
    rm -rf "$XDG_CACHE_HOME"
fi

# where it is
XDG_CACHE_HOME=relative HOME=$work/home judge "$small"
is 'the cache under HOME' "$(ls -A "$work/home/.cache/recourse" | wc -l)" 1
is 'mode of .cache' "$(stat -c %a "$work/home/.cache")" 700
[ ! -e relative ]
note $? 'a relative XDG_CACHE_HOME is ignored'
XDG_CACHE_HOME='' HOME='' judge "$small"
walks 'there is no place for a cache: neither XDG_CACHE_HOME nor HOME is set'

# many at once, cold: each has the policy, and one object is left
for i in 1 2 3 4; do
    echo '{"network":"refused"}' | "$RECOURSE" classify --policy "$small" >"$work/at-once.$i" 2>&1 &
    at_once[i]=$!
done
for i in 1 2 3 4; do
    wait "${at_once[i]}"
    is "answer $i of four at once" "$(cat "$work/at-once.$i")" "$judged"
done
is 'what is in the cache' "$(ls -A "$cache" | sed -E 's/-[0-9a-f]{64}/-KEY/')" plain-KEY.so
