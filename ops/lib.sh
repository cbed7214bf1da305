# lib.sh - what the commands in ops/ share; sourced, not run
# shellcheck shell=sh disable=SC2034
#
# The caller sets `set -eu` and ROOT, the checkout.

# Needed to build and to run.
PACKAGES_RUN="gcc libc6-dev make pkg-config libfcgi-dev libjson-c-dev
    libseccomp-dev libpython3.11-dev nginx-light curl openssl"

# Needed to test, on top of that.
PACKAGES_TEST="check python3 clang-format clang-tidy cppcheck shellcheck
    prometheus libpython3.11-testsuite tzdata systemd dpkg-dev lintian
    python3-yaml python3-kubernetes docker-compose
    clang libclang-rt-14-dev gcovr valgrind nodejs npm"

# Needed for make check-deb, on top of the first.
PACKAGES_DEB="python3 dpkg-dev debootstrap"

# Needed for make check-image, on top of the first.
PACKAGES_IMAGE="python3 debootstrap buildah podman crun"

# Needed to measure it beside its peers, on top of the first.
PACKAGES_BENCH="python3 bubblewrap python3-fastapi python3-uvicorn"

say()
{
    printf '%s\n' "$*"
}

# One line on stderr, then the end.
die()
{
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

have()
{
    command -v "$1" >/dev/null 2>&1
}

is_root()
{
    [ "$(id -u)" -eq 0 ]
}

# Which of the named packages are not installed; one line, maybe empty.
packages_missing()
{
    missing=
    for package; do
        case $package in
        nginx-light) have nginx || [ -x /usr/sbin/nginx ] && continue ;;
        nodejs) have node && continue ;;
        npm) have npm && continue ;;
        esac
        # shellcheck disable=SC2016 # a format of dpkg-query's, not ours
        state=$(dpkg-query -W -f '${db:Status-Status}' "$package" \
            2>/dev/null) || state=
        [ "$state" = installed ] || missing="$missing $package"
    done
    printf '%s\n' "${missing# }"
}

# Install packages without starting any service that one of them brings:
# nginx is wanted as a program, not on port 80.
# shellcheck disable=SC2016 # expanded by the shell that runs it
PACKAGES_INSTALL='
    set -eu
    policy=/usr/sbin/policy-rc.d
    if [ ! -e "$policy" ]; then
        trap '\''rm -f "$policy"'\'' EXIT
        printf "#!/bin/sh\nexit 101\n" >"$policy"
        chmod 755 "$policy"
    fi
    export DEBIAN_FRONTEND=noninteractive
    apt-get -q update
    apt-get -q install -y --no-install-recommends "$@"
'

# Make sure that the named packages are installed, or say which are not.
packages_need()
{
    missing=$(packages_missing "$@")
    [ -n "$missing" ] || return 0
    if ! have apt-get; then
        die "please install what these Debian packages contain: $missing"
    fi
    say "installing: $missing"
    # shellcheck disable=SC2086 # a list
    if is_root; then
        sh -c "$PACKAGES_INSTALL" sh $missing >&2 ||
            die "could not install: $missing"
    elif have sudo && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
        sudo sh -c "$PACKAGES_INSTALL" sh $missing >&2 ||
            die "could not install: $missing"
    else
        die "please install as root: apt-get install $missing"
    fi
}

# Debian keeps nginx where an ordinary user's PATH does not look.
nginx_program()
{
    if have nginx; then
        command -v nginx
    else
        printf '%s\n' /usr/sbin/nginx
    fi
}

# setting KEY FILE: the value of KEY in what `gloveboxctl settings` printed.
setting()
{
    sed -n "s/^$1=//p" "$2" | tail -n 1
}

# Nobody in particular can reach the path (and run it, if it is a program).
# Asked as root only: others have nobody to hand files to.
is_reachable()
{
    is_root || return 0
    setpriv --reuid=65534 --regid=65534 --clear-groups test -x "$1" 2>/dev/null
}

# Something listens on the TCP port already.  /proc is asked, because no tool
# that shows sockets is there on every machine.
is_port_taken()
{
    hex=$(printf ':%04X' "$1")
    cat /proc/net/tcp /proc/net/tcp6 2>/dev/null |
        awk -v port="$hex" '
            $4 == "0A" && substr($2, length($2) - 4) == port { found = 1 }
            END { exit !found }'
}

# The process runs; a zombie of ours does not.
is_alive()
{
    # Without another process: some ask every second.
    while read -r is_alive_key is_alive_state _; do
        if [ "$is_alive_key" = State: ]; then
            [ "$is_alive_state" != Z ]
            return
        fi
    done 2>/dev/null <"/proc/$1/status"
    return 1
}

# 43 characters of base64url: 256 bits.
token_new()
{
    head -c 32 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=\n'
}
