/**
 * Makes a checkout ready to run: pnpm, the packages, the build. Each step is skipped when there is nothing to do. Needs
 * nothing but Node.js and npm, and says what to do when a step fails.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '../..')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const env = {
  ...process.env,
  TURBO_TELEMETRY_DISABLED: '1',
  NO_UPDATE_NOTIFIER: '1',
  npm_config_update_notifier: 'false',
}

checkNode()
installPnpm()
installPackages()
build()

function checkNode() {
  const wanted = /(\d+)\.(\d+)/.exec(manifest.engines.node)
  const [major, minor] = process.versions.node.split('.').map(Number)
  const [wantedMajor, wantedMinor] = [Number(wanted[1]), Number(wanted[2])]
  if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return
  fail(`Parley needs Node.js ${wanted[0]} or newer, this is ${process.versions.node}. Get it from https://nodejs.org`)
}

function installPnpm() {
  const wanted = manifest.packageManager.split('@')[1]
  if (majorOf(versionOfPnpm()) === majorOf(wanted)) return
  say(`installing pnpm ${wanted}`)
  const command = ['install', '--global', '--no-fund', '--no-audit', `pnpm@${wanted}`]
  run('npm', command, `pnpm ${wanted} could not be installed. Try: sudo npm install --global pnpm@${wanted}`)
  if (majorOf(versionOfPnpm()) === majorOf(wanted)) return
  fail(
    `pnpm ${wanted} was installed, but PATH finds ${versionOfPnpm() ?? 'none'}: put the folder bin of "npm prefix --global" first`,
  )
}

function versionOfPnpm() {
  // Outside of the workspace pnpm tells its own version, and does not switch to the one that is wanted here.
  const { status, stdout } = spawnSync('pnpm', ['--version'], { encoding: 'utf8', env, cwd: '/' })
  return status === 0 ? stdout.trim() : undefined
}

function majorOf(version) {
  return version === undefined ? undefined : version.split('.')[0]
}

function installPackages() {
  const stamp = join(root, 'node_modules/.parley-installed')
  const state = stateOfPackages()
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === state) return
  say('installing packages')
  run(
    'pnpm',
    ['install', '--frozen-lockfile', '--prefer-offline'],
    'the packages could not be installed; is the registry reachable?',
  )
  writeFileSync(stamp, state)
}

/** What node_modules was made from: versions, settings, and the machine that native packages were chosen for. */
function stateOfPackages() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch} ${process.versions.modules}`)
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) hash.update(readFileSync(join(root, file)))
  return hash.digest('hex')
}

function build() {
  say('building')
  const turbo = join(root, 'node_modules/.bin/turbo')
  run(turbo, ['run', 'build', '--output-logs=errors-only'], 'the build failed; the lines above say where')
}

/** Runs a command silently; when it fails, its output and a hint are shown. */
function run(command, args, hint) {
  const result = spawnSync(command, args, { cwd: root, env: { ...env, CI: 'true' }, encoding: 'utf8', maxBuffer: 1e8 })
  if (result.status === 0) return
  process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}`)
  if (result.signal !== null) fail(`${command} was ended by ${result.signal}`)
  fail(result.error === undefined ? hint : `${hint} (${result.error.message})`)
}

function say(line) {
  process.stdout.write(`${line}\n`)
}

function fail(line) {
  process.stderr.write(`parley: ${line}\n`)
  process.exit(1)
}
