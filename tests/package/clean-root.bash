# shellcheck shell=bash disable=SC2154
# Sourced after tests/root.bash, by what builds a package: the steps of a build in the clean root $root. With
# $SPARK_CCACHE, the root has that compiler cache.
source_inside=/build/spark-reconcile

# No -dev package for this machine beside those for the other one: not all of them can be installed
# together.
make_clean_root() { # SUITE ARCHITECTURE of the package
  local here compiler=build-essential architectures
  here=$(dpkg --print-architecture)
  architectures=$here
  if [[ $2 != "$here" ]]; then
    compiler=crossbuild-essential-$2
    architectures=$here,$2
  fi
  attend tests/bare-root "$1" "$root" --variant=buildd --architectures="$architectures" \
    --include="$compiler,debhelper,cmake,ninja-build${SPARK_CCACHE:+,ccache}"
}

# The source of the last commit, and none before it.
put_source() { # SUITE
  rm -rf "${root:?}/build"
  mkdir -p "$root$source_inside"
  git archive HEAD | tar --extract --directory "$root$source_inside"
  # The version of a package says which suite it is for, where a build for Debian 12 does not fit.
  [[ $1 != trixie ]] || sed -i '1s/)/+deb13)/' "$root$source_inside/debian/changelog"
}

# What the next two say is in $root/build/log.
install_what_it_needs() { # ARCHITECTURE
  run_inside "
    cd $source_inside
    export DEB_BUILD_PROFILES='cross nocheck'
    { apt-get update && apt-get build-dep --yes --no-install-recommends --host-architecture $1 .; } >>/build/log 2>&1 </dev/null"
}

# SPARK_DEBUG=no leaves the -dbgsym package out.
build_packages() { # ARCHITECTURE JOBS
  local options="nocheck parallel=$2"
  [[ ${SPARK_DEBUG-} != no ]] || options+=' noautodbgsym'
  run_inside "
    cd $source_inside
    export DEB_BUILD_PROFILES='cross nocheck' DEB_BUILD_OPTIONS='$options'
    export SPARK_COMMIT=$(git rev-parse --short=12 HEAD)
    dpkg-buildpackage --host-arch $1 --no-sign >>/build/log 2>&1 </dev/null"
}
