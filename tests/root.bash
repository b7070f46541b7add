# shellcheck shell=bash
# Sourced by scripts that work in a bare root: $root is the path of a folder that goes when the script
# ends, and with it what still runs in it.
#   . tests/root.bash NAME            NAME is the script's, for the folder's name
#   . tests/root.bash NAME FOLDER     $root is that folder, which stays
root=${2-$(mktemp -d "${TMPDIR:-/var/tmp}/spark-$1.XXXXXX")}
root_stays=${2-}
inside=

end_inside() {
  [[ -z $inside ]] || { kill -TERM "$inside" && wait "$inside"; } 2>/dev/null || true
}

clean_up_root() {
  end_inside
  [[ -n $root_stays ]] || rm -rf --one-file-system "$root"
}
trap clean_up_root EXIT
trap 'exit 130' INT TERM

# Runs a command in the background, since bash attends to a signal only between commands, and at once
# while it waits.
attend() {
  local code=0
  "$@" &
  inside=$!
  wait "$inside" || code=$?
  inside=
  return "$code"
}

# Runs a line of shell in the root.
run_inside() { attend tests/in-root "$root" "$1"; }
