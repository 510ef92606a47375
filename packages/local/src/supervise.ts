import { ConfigError } from '@parley/config'
import { type Fleet, startFleet } from './fleet/fleet.ts'
import { isProcessOf } from './fleet/status-file.ts'
import type { ServiceDefinition } from './fleet/service-list.ts'
import { withAdvice } from './advice.ts'
import { helpText } from './help.ts'
import { openInBrowser } from './open-in-browser.ts'
import { readSecretSettings, readSettings } from './settings.ts'

const exitConfig = 78
const exitInterrupted = 130
/** The terminal and a wrapper may both deliver the same Ctrl-C. */
const sameInterruptionMs = 300

/**
 * Runs a fleet until a signal ends it, and returns the exit code. `env` holds the settings, and reaches the services.
 */
export async function supervise(
  args: string[],
  env: NodeJS.ProcessEnv,
  services?: ServiceDefinition[],
): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(helpText())
    return 0
  }
  // Keep running if the reader of the output is gone: the fleet needs its supervisor.
  process.stdout.on('error', () => undefined)
  process.stderr.on('error', () => undefined)
  const { interrupted, forced, onSignal } = listenToSignals()
  try {
    const settings = readSettings({ env })
    // Under nohup the terminal may be closed.
    process.on('SIGHUP', settings.hangup === 'ignore' ? () => undefined : onSignal)
    const fleet = await start(settings, env, interrupted, forced, services)
    if (fleet.mailUrl !== undefined) say(`mails: ${fleet.mailUrl}`)
    printOwner(fleet)
    say(`parley is ready: ${fleet.url}`)
    if (args.includes('--open')) openInBrowser(fleet.url)
    else say('OPEN=1 make run also opens it in a browser')
    serveParent(fleet)
    await whenAborted(interrupted)
    await fleet.stop()
    say('parley has stopped; the data is kept')
    return 0
  } catch (error) {
    if (interrupted.aborted) return exitInterrupted
    process.stderr.write(`parley cannot start: ${withAdvice(error instanceof Error ? error.message : String(error))}\n`)
    return error instanceof ConfigError ? exitConfig : 1
  }
}

function start(
  read: ReturnType<typeof readSettings>,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  force: AbortSignal,
  services?: ServiceDefinition[],
) {
  const { ownerLogin, ownerPassword, ownerEmail, fsync, publicUrl, hangup: _, ...others } = read
  const { smtpEnabled, livekitEnabled, videoEnabled, mailDir, ...settings } = others
  const fromFile = { ...readSecretSettings({ env }), PARLEY_WEBSERVER_URL: publicUrl }
  return startFleet({
    ...settings,
    ...(services === undefined ? {} : { services }),
    fsync: fsync === 'on',
    mediaServer: livekitEnabled === undefined,
    videos: videoEnabled === undefined,
    mailFolder: smtpEnabled ? false : mailDir,
    owner: { login: ownerLogin, password: ownerPassword, email: ownerEmail },
    // The environment overrides the fleet's default values, so values from the file are added to the environment.
    env: { ...env, ...fromFile },
    say,
    signal,
    force,
  })
}

type ParentRequest = { restart?: string; scale?: { name: string; count: number } }

/** The parent process is `pnpm dev` or `pnpm autoscale`. */
function serveParent(fleet: Fleet) {
  if (process.send === undefined) return
  const report = (work: Promise<unknown>, done: object) =>
    void work.then(
      () => process.send?.(done),
      (error: unknown) => say(error instanceof Error ? error.message : String(error)),
    )
  process.on('message', ({ restart, scale }: ParentRequest) => {
    if (restart !== undefined) report(restartAll(fleet, restart), { restarted: restart })
    if (scale !== undefined) report(fleet.scale(scale.name, scale.count), { scaled: scale })
  })
  process.send({ ready: true })
}

function restartAll(fleet: Fleet, name: string): Promise<unknown> {
  const processes = fleet.services.filter((process) => isProcessOf(name, process))
  return Promise.all(Array.from({ length: Math.max(1, processes.length) }, (_, index) => fleet.restart(name, index)))
}

function printOwner(fleet: Fleet) {
  const { owner } = fleet
  if (owner === undefined || (!owner.created && owner.password === undefined)) return
  say(`owner: login ${owner.login}, password ${owner.password ?? '(set in PARLEY_OWNER_PASSWORD)'}`)
  fleet.forgetOwnerPassword()
}

function listenToSignals(): { interrupted: AbortSignal; forced: AbortSignal; onSignal: () => void } {
  const interrupted = new AbortController()
  const forced = new AbortController()
  let interruptedAt = 0
  const onSignal = () => {
    if (forced.signal.aborted) process.exit(exitInterrupted)
    if (!interrupted.signal.aborted) {
      interruptedAt = Date.now()
      say('stopping; press Ctrl-C again to stop without waiting for running work')
      interrupted.abort(new Error('interrupted'))
    } else if (Date.now() - interruptedAt > sameInterruptionMs) {
      say('no longer waiting for running work')
      forced.abort()
    }
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal)
  return { interrupted: interrupted.signal, forced: forced.signal, onSignal }
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

function say(line: string) {
  process.stdout.write(`${line}\n`)
}
