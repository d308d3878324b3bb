/** How the servers come onto a machine: a plan by platform, and the words for those that must be done by hand. Pure. */

/** Tried in this order; the first that the system's package lists hold. MariaDB's data script needs the client's part. */
const APT_CANDIDATES = {
  redis: [['redis-server'], ['valkey-server']],
  mariadb: [['mariadb-server-core', 'mariadb-client-core'], ['mysql-server-core-8.0'], ['mysql-server-core']],
};
const BREW_FORMULAS = { redis: 'redis', mariadb: 'mariadb' };

/**
 * @typedef {object} Machine
 * @property {string} platform as in `process.platform`
 * @property {boolean} aptGet whether there is an apt-get
 * @property {boolean} brew whether there is a Homebrew
 * @property {'root' | 'sudo' | 'none'} rights `sudo`: without a password
 *
 * @param {Machine} machine
 * @param {readonly ('redis' | 'mariadb')[]} missing
 * @returns {{kind: 'apt', sudo: boolean, script: string} | {kind: 'brew', formulas: string[]} | {kind: 'by-hand'}}
 */
export function installPlan(machine, missing) {
  if (machine.platform === 'linux' && machine.aptGet && machine.rights !== 'none') {
    return { kind: 'apt', sudo: machine.rights === 'sudo', script: aptScript(missing) };
  }
  if (machine.platform === 'darwin' && machine.brew) {
    return { kind: 'brew', formulas: missing.map((name) => BREW_FORMULAS[name]) };
  }
  return { kind: 'by-hand' };
}

/**
 * One script, so that it runs under one sudo and puts things back however it ends. While it installs, a policy forbids
 * the packages to start services (the interface is invoke-rc.d's); a policy that was there is put back, and a unit that
 * was not enabled before is not afterwards.
 * @param {readonly ('redis' | 'mariadb')[]} missing
 * @param {string} [sbin] where the policy lies
 */
export function aptScript(missing, sbin = '/usr/sbin') {
  const wanted = missing.map(
    (name) => `pick ${APT_CANDIDATES[name].map((set) => `'${set.join(' ')}'`).join(' ')}`,
  );
  return `set -eu
export DEBIAN_FRONTEND=noninteractive
policy='${sbin}/policy-rc.d'
saved="$policy.before-sworn"
mark='# sworn: no service is started while it installs'
restore() {
  if [ -f "$policy" ] && grep -qF "$mark" "$policy"; then rm -f "$policy"; fi
  if [ -e "$saved" ] || [ -L "$saved" ]; then mv -f "$saved" "$policy"; fi
}
units='redis-server valkey-server mysql mariadb'
enabled() { command -v systemctl >/dev/null 2>&1 && systemctl is-enabled --quiet "$1.service" 2>/dev/null; }
pick() {
  for set in "$@"; do
    if apt-get install -s -q --no-install-recommends $set >/dev/null 2>&1; then echo "$set"; return; fi
  done
  echo "this system's lists offer none of these: $*" >&2
  return 1
}
restore
before=''
for unit in $units; do if enabled "$unit"; then before="$before $unit "; fi; done
trap restore EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
apt-get update -q
packages=''
${wanted.map((command) => `packages="$packages $(${command})"`).join('\n')}
if [ -e "$policy" ] || [ -L "$policy" ]; then mv "$policy" "$saved"; fi
printf '#!/bin/sh\\n%s\\nexit 101\\n' "$mark" >"$policy"
chmod 755 "$policy"
apt-get install -q -y --no-install-recommends $packages
for unit in $units; do
  case "$before" in *" $unit "*) continue ;; esac
  if enabled "$unit"; then systemctl disable --quiet "$unit.service"; fi
done
`;
}

/** What to say where sworn cannot install by itself. */
export function byHandText(missing, notes) {
  const words = { redis: 'Redis ≥ 7 (or Valkey)', mariadb: 'MariaDB ≥ 10.11 (or MySQL ≥ 8)' };
  const rows = [
    [
      'Debian, Ubuntu',
      'sudo apt-get install --no-install-recommends',
      { redis: 'redis-server', mariadb: 'mariadb-server-core mariadb-client-core' },
    ],
    ['Fedora', 'sudo dnf install', { redis: 'valkey', mariadb: 'mariadb-server' }],
    ['Arch', 'sudo pacman -S', { redis: 'valkey', mariadb: 'mariadb' }],
    ['macOS', 'brew install', BREW_FORMULAS],
  ];
  return [
    `sworn needs ${missing.map((name) => words[name]).join(' and ')}, and cannot install by itself here.`,
    ...notes.map((note) => `  (${note})`),
    'Install with one of these, then run the same command again; no service has to run:',
    ...rows.map(
      ([system, command, names]) =>
        `  ${`${system}:`.padEnd(16)} ${command} ${missing.map((name) => names[name]).join(' ')}`,
    ),
    'Or use the servers of the Docker Compose file, for npm start and npm run demo:',
    '  docker compose -f deploy/compose.yaml up -d',
    '  export REDIS_URL=redis://127.0.0.1:6379/0',
    '  export DATABASE_URL=mysql://sworn:sworn@127.0.0.1:3306/sworn',
  ].join('\n');
}
