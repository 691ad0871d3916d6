#!/usr/bin/env bash
# Builds the image of the Dockerfile with podman, runs it the way an operator does, starts compose.yaml with podman-compose, and
# prints the results. Exits with status 1 if a check fails.
#
#   scripts/try-containers.sh               the base images come from a registry, packages from npm
#   sudo scripts/try-containers.sh --local  uses no registry; debootstrap creates stand-ins for the base images, from the
#                                           Node.js and npm of this machine and the PostgreSQL of Debian; packages come from the
#                                           npm cache of this machine, which `npm ci` fills. Only debootstrap needs a Debian mirror
#
# WORK names a folder that is kept for the next run, with the stand-ins and the images. STEPS="build image compose" selects parts.
set -euo pipefail
cd "$(dirname "$0")/.."

local_only=false
[ "${1:-}" = --local ] && local_only=true

# Runs in its own mount namespace, so that podman's mounts end with the script. crun refuses a machine with both control group
# versions, so version 2 is unmounted in this namespace.
if [ "$(id -u)" = 0 ] && [ -z "${IN_NAMESPACE:-}" ]; then exec env IN_NAMESPACE=1 unshare --mount "$0" "$@"; fi
[ -n "${IN_NAMESPACE:-}" ] && [ -d /sys/fs/cgroup/unified ] && umount /sys/fs/cgroup/unified 2>/dev/null

work=${WORK:-$(mktemp -d)}
mkdir -p "$work"
node_image=$(sed -n 's/^ARG NODE_IMAGE=//p' Dockerfile)
postgres_image=$(sed -n 's/^ *image: \(postgres:.*\)/\1/p' compose.yaml)
storage=(--root "$work/root" --runroot "$work/run" --storage-driver "${STORAGE_DRIVER:-vfs}" --cgroup-manager cgroupfs)
# The engine's defaults may be above what this user may allow.
limits=(--ulimit "nofile=4096:4096" --ulimit "nproc=4096:4096")
# Without systemd, podman warns that it cannot run health checks. The script runs them itself, so this warning is irrelevant.
podman() { command podman "${storage[@]}" "$@" 2> >(grep -v "systemd connection" >&2); }

failed=0
seen() { echo "seen:     $*"; }
broken() { echo "BROKEN:   $*"; failed=1; }
unseen() { echo "NOT SEEN: $*"; }
must() { if "${@:2}" >"$work/output" 2>&1; then seen "$1"; else broken "$1: $(tail -3 "$work/output")"; fi; }
must_not() { if "${@:2}" >"$work/output" 2>&1; then broken "$1: $(tail -3 "$work/output")"; else seen "$1"; fi; }
step() { case " ${STEPS:-build image compose} " in *" $1 "*) return 0 ;; *) return 1 ;; esac; }
healthy() { # container
  for _ in $(seq 60); do
    podman healthcheck run "$1" >/dev/null 2>&1 && return 0
    sleep 1
  done
  podman logs "$1" 2>&1 | tail -5
  return 1
}
free_port() { node --eval 'require("node:net").createServer().listen(0, "127.0.0.1", function () { console.log(this.address().port); this.close(); })'; }
http() { # port, path, expected status
  local status
  status=$(curl --silent --output /dev/null --write-out '%{http_code}' "http://127.0.0.1:$1$2")
  [ "$status" = "$3" ] || { echo "$2 answers $status"; return 1; }
}

finish() {
  podman rm --all --force --time 5 >/dev/null 2>&1 || true
  podman volume rm --all --force >/dev/null 2>&1 || true
  podman secret rm asi-key >/dev/null 2>&1 || true
  podman network rm --force asi_default >/dev/null 2>&1 || true
  [ -n "${WORK:-}" ] || rm -rf "$work"
}
trap finish EXIT

# --- Stand-ins for the base images ---------------------------------------------------------------------------------------------

debian() { # folder
  [ -e "$work/debian/etc/debian_version" ] || debootstrap --variant=minbase bookworm "$work/debian" >"$work/debootstrap.log"
  cp --archive "$work/debian" "$1"
}

if $local_only && ! podman image exists "$node_image"; then
  root=$work/node
  debian "$root"
  mkdir -p "$root/usr/local/bin" "$root/usr/local/lib/node_modules"
  cp "$(readlink -f "$(command -v node)")" "$root/usr/local/bin/node"
  cp --archive "$(readlink -f "$(dirname "$(readlink -f "$(command -v npm)")")/..")" "$root/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  chroot "$root" useradd --uid 1000 --create-home node
  tar --directory "$root" --create . | podman import --quiet - "docker.io/library/$node_image" >/dev/null
  rm -r "$root"
fi
if $local_only && ! podman image exists "$postgres_image"; then
  root=$work/postgres
  debian "$root"
  cp /etc/resolv.conf "$root/etc/"
  chroot "$root" sh -c 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -qq --no-install-recommends postgresql >/dev/null && apt-get clean'
  cat >"$root/usr/local/bin/docker-entrypoint.sh" <<'SCRIPT'
#!/bin/sh
# Does what compose.yaml requires of the official image's script: creates the cluster, then runs PostgreSQL as process 1.
set -eu
export PGDATA=/var/lib/postgresql/data PATH="$(echo /usr/lib/postgresql/*/bin):$PATH"
if [ "$(id -u)" = 0 ]; then
  chown postgres "$PGDATA" /var/run/postgresql && chmod 700 "$PGDATA" && chmod 3777 /var/run/postgresql
  exec setpriv --reuid postgres --regid postgres --init-groups "$0" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb --username "$POSTGRES_USER" --auth "$POSTGRES_HOST_AUTH_METHOD" >/dev/null
  pg_ctl --wait --options "-c listen_addresses=" start >/dev/null
  createdb --username "$POSTGRES_USER" "$POSTGRES_DB"
  pg_ctl --wait stop >/dev/null
fi
exec "$@"
SCRIPT
  chmod 755 "$root/usr/local/bin/docker-entrypoint.sh"
  tar --directory "$root" --create . | podman import --quiet --change 'ENTRYPOINT ["docker-entrypoint.sh"]' \
    --change 'VOLUME /var/lib/postgresql/data' - "docker.io/library/$postgres_image" >/dev/null
  rm -r "$root"
fi
$local_only && unseen "the official images $node_image and $postgres_image: stand-ins with Node.js $(node --version) and the PostgreSQL of Debian"

# --- The image -----------------------------------------------------------------------------------------------------------------

if step build; then
  offline=()
  if $local_only; then
    printf 'offline=true\nomit-lockfile-registry-resolved=true\n' >"$work/npmrc"
    offline=(--pull=never --volume "$(npm config get cache 2>/dev/null):/root/.npm" --volume "$work/npmrc:/root/.npmrc:ro")
  fi
  # The Docker format, because the OCI format has no HEALTHCHECK.
  must "the Dockerfile builds, step by step" \
    podman build "${offline[@]}" "${limits[@]}" --network host --format docker --tag asi-server .
fi

if step image; then
  podman image exists asi-server || { broken "there is no image asi-server"; exit 1; }
  head --bytes 32 /dev/urandom | base64 | podman secret create asi-key - >/dev/null
  port=$(free_port)
  # Like compose.yaml, on the embedded database: only the volume is writable, not even /tmp.
  start=(run --detach --name asi-try "${limits[@]}" --read-only --read-only-tmpfs=false --cap-drop all
    --security-opt no-new-privileges --volume asi-try:/data --publish "127.0.0.1:$port:8080"
    --secret "asi-key,uid=1000,mode=0400" --env SERVER_KEY_FILE=/run/secrets/asi-key asi-server)
  podman "${start[@]}" >/dev/null
  inside() { podman exec asi-try "$@"; }
  status_of_account() { curl --silent --output /dev/null --write-out '%{http_code}' "http://127.0.0.1:$port/api/v1/account/" --header "Authorization: Bearer $token"; }
  converts() {
    curl --silent "http://127.0.0.1:$port/api/v2/files/asi-to-csv/" --header "Authorization: Bearer $token" \
      --form file=@fixtures/valid/match-hr.asi >"$work/converted.csv"
    [ "$(wc --lines <"$work/converted.csv")" -gt 1000 ]
  }
  must "it becomes healthy by its HEALTHCHECK" healthy asi-try
  must "it serves the page" http "$port" / 200
  must "it serves the API" http "$port" /api/schema/ 200
  must "it runs as the user node" test "$(inside id --user --name)" = node
  must "process 1 is Node.js, so that signals reach it" test "$(inside cat /proc/1/comm)" = node
  must "it has no capabilities" test "$(inside sed -n 's/^CapEff:\s*//p' /proc/1/status)" = 0000000000000000
  must_not "the root file system is read-only, even to root" podman exec --user root asi-try touch /opt/asi/file
  must_not "/tmp is read-only too" podman exec --user root asi-try touch /tmp/file
  must "the volume takes data, which its user alone can read" test "$(inside stat --format '%a %U' /data)" = '700 node'
  must_not "the key from the file SERVER_KEY_FILE is used, because the volume contains none" inside test -e /data/server.key
  must "the operator's commands work inside" inside asi-server app create --name Coach --json
  client=$(cat "$work/output")
  secret_of() { node --print "JSON.parse(process.argv[1])['$1']" "$client"; }
  curl --silent --output /dev/null "http://127.0.0.1:$port/api/v1/managers/" --header 'Content-Type: application/json' \
    --data '{"username": "ann", "email": "ann@example.org", "password": "a long passphrase"}'
  token=$(curl --silent "http://127.0.0.1:$port/oauth2/token/" --data "client_id=$(secret_of client_id)" --data "client_secret=$(secret_of client_secret)" \
    --data grant_type=password --data username=ann --data "password=a long passphrase" | sed 's/.*"access_token":"\([^"]*\)".*/\1/')
  must "a recording is converted, with its temporary file in the volume" converts
  podman stop --time 30 asi-try >/dev/null
  must "SIGTERM ends it with status 0" test "$(podman inspect asi-try --format '{{.State.ExitCode}}')" = 0
  says_stopped() { podman logs asi-try 2>&1 | grep '"msg":"stopped"'; }
  must "its log ends with \"stopped\"" says_stopped
  podman rm asi-try >/dev/null
  podman "${start[@]}" >/dev/null
  must "a new container on the same volume becomes healthy" healthy asi-try
  must "the data are preserved, because the earlier token works" test "$(status_of_account)" = 200
  podman rm --force --time 5 asi-try >/dev/null
  seen "the image takes $(podman image inspect asi-server --format '{{.Size}}' | awk '{ printf "%d MB", $1 / 1e6 }'), of which the base image $(podman image inspect "$node_image" --format '{{.Size}}' | awk '{ printf "%d MB", $1 / 1e6 }')"
fi

# --- compose.yaml --------------------------------------------------------------------------------------------------------------

if step compose && ! command -v podman-compose >/dev/null; then
  unseen "compose.yaml: podman-compose is not installed"
elif step compose; then
  # podman-compose 1.0 does not support an optional env_file, does not wait for health, and would build again.
  folder=$work/compose
  mkdir -p "$folder"
  sed -e '/^  env_file:$/,/required: false$/d' -e '/^    build: \.$/d' -e 's/^  image: asi-server$/  image: localhost\/asi-server/' compose.yaml >"$folder/compose.yaml"
  printf '#!/bin/sh\nexec podman %s "$@"\n' "${storage[*]}" >"$work/podman"
  chmod 755 "$work/podman"
  compose_port=$(free_port)
  up() {
    (cd "$folder" && PORT=$compose_port podman-compose --project-name asi --podman-path "$work/podman" \
      --podman-run-args "${limits[*]}" up --detach "$1") >"$work/compose.log" 2>&1 && healthy "asi_$1_1"
  }
  for service in database service worker; do must "compose.yaml: $service becomes healthy" up "$service"; done
  must "compose.yaml: the API is on the port PORT of this machine" http "$compose_port" /health/ready/ 200
  tables() { podman exec asi_database_1 psql -h /var/run/postgresql -U asi -At -c '\dt' asi | grep accounts; }
  must "compose.yaml: the tables are in PostgreSQL" tables
  must "compose.yaml: commands run in the service" podman exec asi_service_1 asi-server app create --name Coach
  for service in worker service; do
    podman stop --time 40 "asi_${service}_1" >/dev/null
    must "compose.yaml: SIGTERM ends the $service with status 0" test "$(podman inspect "asi_${service}_1" --format '{{.State.ExitCode}}')" = 0
  done
  unseen "docker compose itself: depends_on was followed by this script, and the optional env_file was left out"
fi
exit "$failed"
