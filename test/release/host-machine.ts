// A machine for the documented commands, in one folder: its own PostgreSQL server as the packages of Debian set it up, and
// stand-ins for the programs that need root or an init system (sudo, systemctl, useradd, npm, install).

import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { TestContext } from 'node:test'
import { type Env, temporaryFolder } from '../commands/run-command.js'
import { freePort } from '../free-port.js'

const POSTGRESQL = '/usr/lib/postgresql'
const VERSION_MIN = 15
const IS_ROOT = process.getuid?.() === 0

export interface Machine {
  root: string
  /** Where commands run. */
  home: string
  env: Env
  ports: Record<'service' | 'https' | 'postgres' | 'restored' | 'smpp', number>
  /** Folder of pg_ctl and others. */
  binaries: string
}

/** The programs of an installed PostgreSQL, or null: the embedded one has no pg_dump. */
export function findPostgresql(): string | null {
  if (!existsSync(POSTGRESQL)) return null
  if (IS_ROOT && spawnSync('id', ['postgres']).status !== 0) return null
  const [newest] = readdirSync(POSTGRESQL)
    .map(Number)
    .filter((version) => version >= VERSION_MIN)
    .sort((a, b) => b - a)
  return newest === undefined ? null : path.join(POSTGRESQL, String(newest), 'bin')
}

export async function createMachine(t: TestContext, binaries: string): Promise<Machine> {
  let machine: Machine | null = null
  // First, because everything must have ended before the folder is removed.
  t.after(() => machine && spawnSync('bash', ['-c', 'systemctl stop-all'], { env: machine.env }))
  const root = temporaryFolder(t)
  const home = path.join(root, 'home')
  const shims = path.join(root, 'shims')
  for (const name of [
    'home',
    'shims',
    'etc/systemd/system',
    'etc/postgresql',
    'etc/nginx/conf.d',
    'usr/local/bin',
    'run',
  ]) {
    mkdirSync(path.join(root, name), { recursive: true })
  }
  for (const name of ['var/lib/postgresql', 'socket']) {
    mkdirSync(path.join(root, name), { recursive: true })
    chmodSync(path.join(root, name), 0o777)
  }
  const ports = {
    service: await freePort(),
    https: await freePort(),
    postgres: await freePort(),
    restored: await freePort(),
    smpp: await freePort(),
  }
  const env: Env = {
    PATH: [
      path.join(root, 'usr/local/bin'),
      shims,
      path.dirname(process.execPath),
      binaries,
      '/usr/sbin:/usr/bin:/bin',
    ].join(':'),
    HOME: home,
    ROOT: root,
    PROJECT: process.cwd(),
    PORT: String(ports.service),
    LONGCODE_SIP_PORT: 'off',
    LONGCODE_ENV_FILE: path.join(root, 'etc/longcode/longcode.env'),
    LONGCODE_PROGRAM: path.join(root, 'opt/longcode/lib/node_modules/longcode/bin/longcode.mjs'),
    PGHOST: path.join(root, 'socket'),
    PGPORT: String(ports.postgres),
  }
  for (const [name, text] of Object.entries(SHIMS)) {
    writeFileSync(path.join(shims, name), `#!/bin/bash\n${text}`, { mode: 0o755 })
  }
  machine = { root, home, env, ports, binaries }
  startPostgresql(machine)
  return machine
}

/** As Debian sets it up: settings outside the data folder, local users by name, everything over TCP with a password. */
function startPostgresql({ env, home, ports }: Machine): void {
  const script = `
set -e
data=$ROOT/var/lib/postgresql/main
sudo -u postgres initdb --auth=trust --username=postgres --pgdata=$data >/dev/null
mv $data/postgresql.conf $ROOT/etc/postgresql
rm $data/pg_hba.conf
tee $ROOT/etc/postgresql/pg_hba.conf >/dev/null <<HBA
local all postgres trust
host all all 127.0.0.1/32 scram-sha-256
host replication all 127.0.0.1/32 scram-sha-256
HBA
tee -a $ROOT/etc/postgresql/postgresql.conf >/dev/null <<CONF
port = ${ports.postgres}
listen_addresses = '127.0.0.1'
unix_socket_directories = '$ROOT/socket'
CONF
systemctl start postgresql`
  execFileSync('bash', ['-c', script], { env, cwd: home, stdio: 'pipe' })
}

const SHIMS: Record<string, string> = {
  // As another user if we are root, else as ourselves.
  sudo: `
user=root
if [ "$1" = -u ]; then user=$2; shift 2; fi
if [ $user = postgres ] && [ "$(id -u)" = 0 ]; then
  exec setpriv --reuid=postgres --regid=postgres --init-groups env PGUSER=postgres "$@"
fi
[ $user = postgres ] && export PGUSER=postgres
exec "$@"
`,
  useradd: 'exit 0\n',
  chown: 'exit 0\n',
  // The package has its own test. Here, the installed files are those of this tree.
  npm: `
mkdir -p "$ROOT/opt/longcode/lib/node_modules"
ln -sfn "$PROJECT" "$ROOT/opt/longcode/lib/node_modules/longcode"
`,
  // Without owners that do not exist here, except postgres.
  install: `
args=(); owner=
while [ $# -gt 0 ]; do
  case "$1" in
    -o) owner=$2; shift 2 ;;
    -g) shift 2 ;;
    *) args+=("$1"); shift ;;
  esac
done
/usr/bin/install "\${args[@]}"
if [ "$owner" = postgres ] && [ "$(id -u)" = 0 ]; then
  for one in "\${args[@]}"; do [ -d "$one" ] && /bin/chown postgres: "$one"; done
fi
exit 0
`,
  nginx: `
cat > "$ROOT/etc/nginx/nginx.conf" <<CONF
pid $ROOT/run/nginx.pid;
error_log $ROOT/run/nginx.log;
events {}
http {
  access_log off;
  client_body_temp_path $ROOT/run/body;
  proxy_temp_path $ROOT/run/proxy;
  fastcgi_temp_path $ROOT/run/fastcgi;
  uwsgi_temp_path $ROOT/run/uwsgi;
  scgi_temp_path $ROOT/run/scgi;
  include $ROOT/etc/nginx/conf.d/*.conf;
}
CONF
exec /usr/sbin/nginx -c "$ROOT/etc/nginx/nginx.conf" "$@"
`,
  // Starts what the unit says, and waits until it is ready.
  systemctl: `
set -e
data=$ROOT/var/lib/postgresql/main
start_longcode() {
  unit=$ROOT/etc/systemd/system/longcode.service
  line=$(sed -n "s#^ExecStart=/usr/bin/node#node#p" $unit | sed "s#/opt/#$ROOT/opt/#")
  grep -q '^Environment=LONGCODE_ENV_FILE=/etc/longcode/longcode.env$' $unit
  setsid nohup $line >$ROOT/run/longcode.log 2>&1 </dev/null &
  echo $! >$ROOT/run/longcode.pid
  for i in $(seq 600); do
    curl --silent --fail --output /dev/null http://127.0.0.1:$PORT/readyz && return 0
    kill -0 $(cat $ROOT/run/longcode.pid) || break
    sleep 0.1
  done
  cat $ROOT/run/longcode.log >&2
  exit 1
}
stop_longcode() {
  [ -f $ROOT/run/longcode.pid ] || return 0
  pid=$(cat $ROOT/run/longcode.pid); rm $ROOT/run/longcode.pid
  kill $pid || return 0
  for i in $(seq 200); do kill -0 $pid 2>/dev/null || return 0; sleep 0.1; done
}
case "$*" in
  daemon-reload) ;;
  'enable --now longcode') start_longcode ;;
  'restart longcode') stop_longcode; start_longcode ;;
  'stop longcode') stop_longcode ;;
  'start postgresql')
    conf=$ROOT/etc/postgresql
    sudo -u postgres pg_ctl -D $data -l $data/log -w -o "-c config_file=$conf/postgresql.conf -c hba_file=$conf/pg_hba.conf" start >/dev/null ;;
  'stop postgresql') sudo -u postgres pg_ctl -D $data -w -m fast stop >/dev/null ;;
  'restart postgresql') sudo -u postgres pg_ctl -D $data -l $data/log -w -m fast restart >/dev/null ;;
  'reload nginx') nginx ;;
  stop-all)
    set +e
    stop_longcode 2>/dev/null
    [ -f $ROOT/run/nginx.pid ] && kill $(cat $ROOT/run/nginx.pid)
    for one in main restored; do
      [ -d $ROOT/var/lib/postgresql/$one ] && sudo -u postgres pg_ctl -D $ROOT/var/lib/postgresql/$one -w -m immediate stop >/dev/null 2>&1
    done
    exit 0 ;;
  *) echo "systemctl $* has no stand-in" >&2; exit 1 ;;
esac
`,
}
