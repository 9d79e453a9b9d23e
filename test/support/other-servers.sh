#!/usr/bin/env bash
# Unpacks servers that are compatible with Redis below a folder, and installs nothing: Valkey 8.0 from the packages of
# Debian 12 (backports), Valkey 8.1 and Redis 8.0 from those of Debian 13. Each gets a folder with an executable
# `redis-server`, so the tests use it if this folder is first in PATH. Prints these folders. Needs apt-get and a mirror
# of Debian, about a minute, and 250 MB; a second call needs nothing.
# Usage: other-servers.sh FOLDER
set -euo pipefail
mkdir -p "${1:?name the folder to unpack into}"
folder=$(cd "$1" && pwd)

# Unpacks packages of a release with everything that they depend on, as if this machine had no packages.
unpack() { # ROOT SUITES PACKAGES
  local root=$folder/$1 apt=$folder/$1/apt
  [ ! -e "$root/complete" ] || return 0
  rm -rf "$root"
  mkdir -p "$apt/lists/partial" "$apt/archives/partial"
  touch "$apt/status"
  printf 'deb http://deb.debian.org/debian %s main\n' $2 > "$apt/sources"
  local options=(-qq -o Dir::State="$apt" -o Dir::State::status="$apt/status" -o Dir::Cache="$apt"
    -o Dir::Etc::sourcelist="$apt/sources" -o Dir::Etc::sourceparts=/dev/null -o Dir::Etc::preferencesparts=/dev/null
    -o APT::Default-Release="${2%% *}" -o APT::Sandbox::User=)
  apt-get "${options[@]}" update >&2
  apt-get "${options[@]}" install -y --download-only --no-install-recommends $3 >&2
  find "$apt/archives" -name '*.deb' -exec dpkg-deb --extract {} "$root" \;
  rm -r "$apt"
  touch "$root/complete"
}

# Makes a program of an unpacked release executable as redis-server. It runs with the C library of its own release.
offer() { # NAME ROOT PROGRAM
  local root=$folder/$2 libraries loader
  libraries=$(dirname "$(find "$root" -name libc.so.6 | head -1)")
  loader=$(find "$libraries/" -name 'ld-linux*' | head -1)
  mkdir -p "$folder/$1"
  printf '#!/bin/sh\nexec "%s" --library-path "%s" "%s" "$@"\n' \
    "$loader" "$libraries:$root/usr/lib/${libraries##*/}" "$root/usr/bin/$3" \
    > "$folder/$1/redis-server"
  chmod +x "$folder/$1/redis-server"
  "$folder/$1/redis-server" --version >&2
  echo "$folder/$1"
}

unpack debian-12 'bookworm-backports bookworm' valkey-server
unpack debian-13 trixie 'redis-server valkey-server'
offer valkey-8.0 debian-12 valkey-server
offer valkey-8.1 debian-13 valkey-server
offer redis-8.0 debian-13 redis-server
