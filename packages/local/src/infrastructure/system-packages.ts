import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { findExecutable } from './executables.ts'
import { forbidServiceStarts } from './service-starts.ts'

/** An automatic update holds apt's locks for minutes. */
const lockTimeoutMs = 15 * 60_000
let updated: Promise<void> | undefined
let installing: Promise<void> = Promise.resolve()

const brewNames: Record<string, string> = { 'nats-server': 'nats-server', 'redis-server': 'redis' }

/**
 * Installs packages with apt (as root on Debian and its relatives) without starting their services. Waits while
 * another program holds apt's locks, and reports that; `signal` aborts the wait and apt. On other systems, and
 * without root, it rejects with an error that says what to install and how.
 */
export function installSystemPackages(
  names: string[],
  say: (line: string) => void = () => {},
  signal?: AbortSignal,
): Promise<void> {
  const apt = findExecutable('apt-get')
  if (process.platform !== 'linux' || apt === undefined || process.getuid?.() !== 0) {
    return Promise.reject(new Error(installAdvice(names)))
  }
  // dpkg takes one installation at a time.
  installing = installing
    .catch(() => undefined)
    .then(async () => {
      say(`installing ${names.join(' and ')} with apt`)
      updated ??= whenUnlocked(apt, ['update', '-qq'], say, signal)
      await updated
      const release = forbidServiceStarts()
      try {
        await whenUnlocked(apt, ['install', '-y', '-qq', '--no-install-recommends', ...names], say, signal)
      } finally {
        release()
      }
    })
    .catch((error: unknown) => {
      signal?.throwIfAborted()
      const reason = error instanceof Error ? error.message : String(error)
      throw new Error(`${names.join(' and ')} could not be installed: ${reason}`)
    })
  return installing
}

export async function installMissing(
  names: string[],
  say?: (line: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  const missing = names.filter((name) => findExecutable(name) === undefined)
  if (missing.length > 0) await installSystemPackages(missing, say, signal)
}

export async function requireExecutable(name: string, say?: (line: string) => void): Promise<string> {
  await installMissing([name], say)
  const found = findExecutable(name)
  if (found === undefined) throw new Error(`the package ${name} was installed, but contains no program of that name`)
  return found
}

function installAdvice(names: string[]): string {
  const list = names.join(' and ')
  const verb = names.length === 1 ? 'is' : 'are'
  if (process.platform === 'darwin') {
    return `${list} ${verb} not installed. Install with: brew install ${names.map((name) => brewNames[name] ?? name).join(' ')}`
  }
  return `${list} ${verb} not installed; Parley installs packages only as root on Debian and Ubuntu. Install with: sudo apt-get install ${names.join(' ')} (or your system's package manager), and check that the program is on PATH`
}

/**
 * Runs apt again while another program holds one of its locks. With DPkg::Lock::Timeout, apt would wait for only one of
 * several locks.
 */
async function whenUnlocked(
  apt: string,
  args: string[],
  say: (line: string) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  const until = Date.now() + lockTimeoutMs
  for (let reported = false; ; reported = true) {
    try {
      return await runApt(apt, args, signal)
    } catch (error) {
      const lock = error instanceof Error ? heldLock.exec(error.message) : null
      if (lock === null || Date.now() > until) throw error
      if (!reported) say(`waiting for another package installation to finish: ${lock[0]}`)
      await sleep(1000, undefined, { signal })
    }
  }
}

const heldLock = /(Could not get lock|dpkg frontend lock was locked|Unable to acquire the dpkg frontend lock)[^\n]*/

/** Ctrl-C must not interrupt dpkg, so apt runs in its own process group. apt itself stops at a safe point. */
function runApt(apt: string, args: string[], signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(apt, ['-o', 'DPkg::Lock::Timeout=0', ...args], {
      env: { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const interrupt = () => void child.kill('SIGINT')
    signal?.addEventListener('abort', interrupt, { once: true })
    if (signal?.aborted) interrupt()
    let output = ''
    const keep = (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4000))
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.on('error', reject)
    child.on('close', (code) => {
      signal?.removeEventListener('abort', interrupt)
      if (code === 0) resolve()
      else reject(new Error(`apt-get ${args[0]} failed (${code}):\n${output.trim()}`))
    })
  })
}
