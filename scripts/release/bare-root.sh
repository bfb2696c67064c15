#!/usr/bin/env bash
# bare-root.sh RELEASE: what was built, in a fresh Debian that has Python and neither Node nor a compiler, as an ordinary user, with nothing
# to write to but a home. Installs by pip, then by npm, each from its registry; then, without a network, the work of a first
# day (first-day.sh). Needs root and debootstrap, and three minutes; BARE_ROOT names a root that is there already and is kept.
set -euo pipefail
release=$(realpath "$1")
here=$(dirname "$(realpath "$0")")
for needed in debootstrap unshare ip chroot; do
  command -v $needed >/dev/null || { echo "bare-root: needs $needed"; exit 1; }
done
[ "$(id -u)" = 0 ] || { echo 'bare-root: needs root'; exit 1; }

root=${BARE_ROOT:-$(mktemp -d)/root}
[ -n "${BARE_ROOT:-}" ] || trap 'rm -rf --one-file-system "$(dirname "$root")"' EXIT
if [ ! -x "$root/usr/bin/python3" ]; then
  mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | grep -E '^(URIs:|deb )' | grep -oE 'https?://\S+/debian\b' | head -1) || true
  debootstrap --variant=minbase --include=python3,python3-venv,ca-certificates stable "$root" "${mirror:-http://deb.debian.org/debian}" >/dev/null
fi
mkdir -p "$root/home/user" "$root/release" "$root/trial"
cp "$release"/* "$root/release/"
cp "$here/first-day.sh" "$here"/../../test/fixtures/snapshots/what-if/lstm_varlen.pickle.gz "$root/trial/"
# The way to the registries is this machine's.
cp /etc/resolv.conf /etc/hosts "$root/etc/"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
[ ! -f /etc/pip.conf ] || cp /etc/pip.conf "$root/etc/"
registry=$(npm config get registry 2>/dev/null)

export root registry
unshare --mount --fork --pid bash -euo pipefail -c '
  mount --make-rprivate /
  mount --bind "$root" "$root"
  mount -t proc proc "$root/proc"
  mount --rbind /dev "$root/dev"
  mount -o remount,bind,ro "$root"
  mount -t tmpfs -o size=1g,mode=755,uid=1000,gid=1000 tmpfs "$root/home/user"
  inside() {
    chroot --userspec=1000:1000 "$root" env -i HOME=/home/user USER=user PATH=/usr/bin:/bin LANG=C.UTF-8 \
      SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt \
      npm_config_registry="$registry" sh /trial/first-day.sh "$@"
  }
  export -f inside
  inside install
  unshare --net bash -euc "ip link set lo up; inside work pip; inside work npm"
'
