import type { Fleet } from './fleet/fleet.ts'

const given = { ...process.env }
// The supervisor speaks plain lines; warnings about a bus that is not up yet are not for the terminal.
process.env.PARLEY_GENERAL_LOG_LEVEL = 'silent'
const { ConfigError } = await import('@parley/config')
const { startFleet } = await import('./fleet/fleet.ts')
const { helpText } = await import('./help.ts')
const { readSettings } = await import('./settings.ts')

const interrupted = new AbortController()
const forced = new AbortController()
let fleet: Fleet | undefined

if (process.argv.includes('--help') || process.argv.includes('-h')) {
  process.stdout.write(helpText())
} else {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)
  try {
    await runFleet()
  } catch (error) {
    process.exitCode = interrupted.signal.aborted ? 130 : error instanceof ConfigError ? 78 : 1
    if (!interrupted.signal.aborted) process.stderr.write(`parley cannot start: ${messageOf(error)}\n`)
  }
  // What is left would only be handles of things that have ended.
  process.exit()
}

async function runFleet() {
  const settings = readSettings({ env: given })
  fleet = await startFleet({
    ...settings,
    fsync: settings.fsync === 'on',
    owner: { login: settings.ownerLogin, password: settings.ownerPassword, email: settings.ownerEmail },
    env: given,
    say,
    signal: interrupted.signal,
    force: forced.signal,
  })
  if (fleet.owner?.created || fleet.owner?.password !== undefined) {
    const { login, password } = fleet.owner
    say(`owner: login ${login}, password ${password ?? 'as given in PARLEY_OWNER_PASSWORD'}`)
    fleet.ownerAnnounced()
  }
  say(`parley is ready: ${fleet.url}`)
  await new Promise<void>((resolve) => {
    if (interrupted.signal.aborted) resolve()
    interrupted.signal.addEventListener('abort', () => resolve())
  })
  await fleet.stop()
  say('parley has stopped; the data are kept')
}

function onSignal() {
  if (forced.signal.aborted) process.exit(130)
  if (interrupted.signal.aborted) {
    say('not waiting for running work any longer')
    forced.abort()
    return
  }
  say('stopping; once more to not wait for running work')
  interrupted.abort(new Error('interrupted'))
}

function say(line: string) {
  process.stdout.write(`${line}\n`)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
