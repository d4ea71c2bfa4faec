#!/usr/bin/env bash
# `make install` into a folder of its own: what is there, that a program finds it by pkg-config, in C and in C++, shared and
# static, and that `make uninstall` leaves nothing. Builds nothing of the project.
# shellcheck disable=SC2012,SC2016 # names that we gave, texts with dollars
set -u
cd "$(dirname "$0")/../.." || exit 1
B=${B:-build}
CC=${CC:-cc}
CXX=${CXX:-c++}
passed=0
failed=0
skipped=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

note() { # note WHETHER NAME [DETAIL]
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'install: FAILED: %s\n' "$2"
        [ -z "${3-}" ] || printf '%s\n' "$3" | sed 's/^/    /'
    fi
}
is() { # is NAME ACTUAL EXPECTED
    [ "$2" = "$3" ]
    note $? "$1" "is:  $2
not: $3"
}
# Of its own, whatever make runs this.
run_make() { MAKEFLAGS='' MAKELEVEL='' make --no-print-directory B="$B" "$@" >"$work/log" 2>&1 || cat "$work/log"; }

for built in recourse librecourse.a librecourse.so man/recourse.1; do
    [ -e "$B/$built" ] || {
        echo "install: there is no $B/$built: \`make\` builds it"
        echo 'install: 0 passed, 1 failed'
        exit 1
    }
done
version=$(sed -n 's/^VERSION := //p' Makefile)
policies=$(cd spec && ls ./*.policy.md | sed 's|^./||; s/\.policy\.md$//')
pages=$(cd "$B/man" && ls)

# ---- what is there ----

touch "$work/before"
run_make install DESTDIR="$work/root" PREFIX=/opt/recourse
# The command is run for its completions: where coverage is measured it counts its lines, and that is no building.
is 'nothing is built again' "$(find "$B" -newer "$work/before" -type f ! -name '*.gcda')" ''
top=$work/root/opt/recourse
expected=$({
    echo "755 bin/recourse"
    echo "644 lib/librecourse.a"
    echo "755 lib/librecourse.so.$version"
    echo "644 lib/pkgconfig/recourse.pc"
    (cd include && find recourse -name '*.h') | sed 's|^|644 include/|'
    for name in $policies; do
        echo "644 include/recourse/policies/$name.h"
        echo "644 share/recourse/$name.policy.md"
    done
    for page in $pages; do echo "644 share/man/man1/$page"; done
    echo '644 share/bash-completion/completions/recourse'
    echo '644 share/zsh/site-functions/_recourse'
} | LC_ALL=C sort)
is 'the files' "$(cd "$top" && find . -type f -printf '%m %P\n' | LC_ALL=C sort)" "$expected"
is 'the links' "$(cd "$top" && find . -type l -printf '%P -> %l\n' | LC_ALL=C sort)" \
    "lib/librecourse.so -> librecourse.so.0
lib/librecourse.so.0 -> librecourse.so.$version"
is 'nothing outside of the prefix' "$(find "$work/root" -type f -not -path "$top/*")" ''
is 'soname' "$(readelf -d "$top/lib/librecourse.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')" librecourse.so.0
is 'the command' "$("$top/bin/recourse" --version | cut -d' ' -f1,2)" "recourse $version"
is 'DESTDIR is in no file' "$(grep -rlF "$work" "$work/root")" ''
for name in $policies; do
    cmp -s "$top/share/recourse/$name.policy.md" "spec/$name.policy.md"
    note $? "the policy $name is the one that is built in"
done

# ---- pkg-config ----

export PKG_CONFIG_PATH=$top/lib/pkgconfig
is 'version' "$(pkg-config --modversion recourse)" "$version"
# Without what the packages that are required want to have said themselves.
flags() { "$@" recourse | sed 's|-I/usr/include[^ ]* ||; s/ *$//'; }
is 'as installed' "$(flags pkg-config --cflags --libs)" '-I/opt/recourse/include -L/opt/recourse/lib -lrecourse'
is 'policydir' "$(pkg-config --variable=policydir recourse)" /opt/recourse/share/recourse
moved="pkg-config --define-variable=prefix=$top"
# shellcheck disable=SC2086 # a command
is 'moved' "$(flags $moved --cflags --libs)" "-I$top/include -L$top/lib -lrecourse"
static=" $(pkg-config --static --libs recourse) "
for library in -lrecourse -lcurl -lssl -lcrypto -pthread; do
    case $static in *" $library "*) ;; *) false ;; esac
    note $? "--static names $library" "$static"
done

# ---- a program elsewhere ----

said='lightspeed begins by row P1; a runner: RECOURSE_OK'
cp tests/install/consumer.c "$work"
strict='-Wall -Wextra -Werror'
# builds NAME COMMAND...: compiles a program in another folder, and runs it
builds() {
    local name=$1
    shift
    (cd "$work" && "$@" -o program) >"$work/log" 2>&1
    note $? "$name: is compiled" "$(cat "$work/log")"
    is "$name: runs" "$(LD_LIBRARY_PATH=$top/lib "$work/program" 2>&1)" "$said"
}
needs() { readelf -d "$work/program" | sed -n 's/.*NEEDED.*\[\(librecourse.*\)\]/\1/p'; }

if nm "$B/recourse" | grep -Eq '__(asan|ubsan|tsan|msan|sanitizer|gcov|llvm)'; then
    echo 'install: skipped, since this build is instrumented: programs elsewhere'
    skipped=$((skipped + 5))
else
    # shellcheck disable=SC2086,SC2046 # lists of words
    {
        builds 'C, shared' $CC -std=c11 -Wpedantic $strict consumer.c $($moved --cflags --libs recourse)
        is 'C, shared: needs' "$(needs)" librecourse.so.0
        if command -v "$CXX" >/dev/null; then
            builds 'C++, shared' $CXX $strict -x c++ consumer.c -x none $($moved --cflags --libs recourse)
            is 'C++, shared: needs' "$(needs)" librecourse.so.0
        else
            echo "install: skipped, since there is no $CXX: C++"
            skipped=$((skipped + 2))
        fi
        builds 'C, the archive by name' $CC -std=c11 $strict consumer.c $($moved --cflags recourse) \
            "$($moved --variable=libdir recourse)/librecourse.a" $(pkg-config --libs libcurl libssl libcrypto) -pthread
        is 'C, the archive by name: needs' "$(needs)" ''
        # A static library alone. What libcurl would need to be static as well is not our matter, and not always installed.
        mkdir "$work/pc"
        sed '/^\(Libs\|Requires\)\.private:/d' "$(pkg-config --variable=pcfiledir libcurl)/libcurl.pc" >"$work/pc/libcurl.pc"
        export PKG_CONFIG_PATH=$work/pc:$PKG_CONFIG_PATH
        mkdir "$work/static"
        mv "$top"/lib/librecourse.so* "$work/static"
        builds 'C, static' $CC -std=c11 -Wpedantic $strict consumer.c $($moved --static --cflags --libs recourse)
        is 'C, static: needs' "$(needs)" ''
        if command -v "$CXX" >/dev/null; then
            builds 'C++, static' $CXX $strict -x c++ consumer.c -x none $($moved --static --cflags --libs recourse)
            is 'C++, static: needs' "$(needs)" ''
        fi
        mv "$work"/static/* "$top/lib"
    }
fi

# ---- the command, away from the source ----

if command -v ragel >/dev/null; then
    cp tests/unit/policies/plain.policy.md "$work"
    (cd "$work" && "$top/bin/recourse" compile plain.policy.md -o made --shared) >"$work/log" 2>&1
    note $? 'the installed command finds the installed headers' "$(cat "$work/log")"
    is 'and compiles a policy' "$(echo '{}' | "$top/bin/recourse" classify --policy "$work/made/plain.so" 2>&1 | cut -c1-14)" \
        '{"failure":"ok'
else
    echo 'install: skipped, since ragel is not in PATH: a policy compiled by the installed command'
    skipped=$((skipped + 2))
fi

# ---- again, elsewhere, and away ----

run_make install DESTDIR="$work/root" PREFIX=/opt/recourse
is 'twice is as good as once' "$(cd "$top" && find . -type f -printf '%m %P\n' | LC_ALL=C sort)" "$expected"
touch "$top/include/recourse/host.h"
run_make uninstall DESTDIR="$work/root" PREFIX=/opt/recourse
is 'uninstall takes what is ours' "$(cd "$work/root" && find . -not -type d)" ./opt/recourse/include/recourse/host.h
is 'and our folders' "$(find "$top/share" -name recourse)" ''
run_make uninstall DESTDIR="$work/root" PREFIX=/opt/recourse
is 'once more, and nothing is said' "$(cat "$work/log")" ''

run_make install DESTDIR="$work/a place" PREFIX=/usr LIBDIR=/usr/lib64 INCLUDEDIR=/srv/include BINDIR=/usr/sbin \
    DATADIR=/srv/share MANDIR=/usr/man
is 'every folder can be another' "$(cd "$work/a place" && ls -d usr/lib64/librecourse.so usr/sbin/recourse \
    usr/lib64/pkgconfig/recourse.pc srv/include/recourse/call.h srv/share/recourse/lightspeed.policy.md usr/man/man1/recourse.1 |
    wc -l)" 6
is 'and stands in the package' "$(sed -n '/dir=/p' "$work/a place/usr/lib64/pkgconfig/recourse.pc")" \
    'libdir=${prefix}/lib64
includedir=/srv/include
policydir=/srv/share/recourse'

[ "$skipped" = 0 ] && skips= || skips=", $skipped skipped"
printf 'install: %d passed, %d failed%s\n' "$passed" "$failed" "$skips"
[ "$failed" = 0 ]
