# shellcheck shell=bash
# Sourced by scripts that work in a bare root: $root is the path of a folder that goes when the script
# ends, and with it what still runs in it.
#   . tests/root.bash NAME     NAME is the script's, for the folder's name
root=$(mktemp -d "${TMPDIR:-/var/tmp}/spark-$1.XXXXXX")
inside=

clean_up_root() {
  [[ -z $inside ]] || { kill -TERM "$inside" && wait "$inside"; } 2>/dev/null || true
  rm -rf --one-file-system "$root"
}
trap clean_up_root EXIT
trap 'exit 130' INT TERM

# Runs a line of shell in the root. In the background, since bash attends to a signal only between
# commands, and at once while it waits.
run_inside() {
  local code=0
  tests/in-root "$root" "$1" &
  inside=$!
  wait "$inside" || code=$?
  inside=
  return "$code"
}
