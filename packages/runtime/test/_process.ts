import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const packageFolder = fileURLToPath(new URL('..', import.meta.url))
const healthy = { TEST_DATABASE_URL: 'postgres://localhost/test', TEST_NATS_URL: 'nats://localhost' }

/** A program of `test/programs`, run from source as a separate process; killed when disposed. */
export type TestProcess = {
  child: ChildProcess
  /** Waits for a matching line on standard output, which may have been printed earlier. */
  line(pattern: RegExp): Promise<string>
  lines: string[]
  errors: string[]
  /** Resolves at the end with the exit code, or with the name of the signal that ended the process. */
  ended: Promise<number | NodeJS.Signals>
} & AsyncDisposable

export function startProcess(name: string, env: NodeJS.ProcessEnv = healthy, ipc = false): TestProcess {
  const child = spawn(
    process.execPath,
    ['--import', import.meta.resolve('@parley/tooling/run-bundled'), `test/programs/${name}.ts`],
    {
      cwd: packageFolder,
      env: { PATH: process.env['PATH'], PARLEY_GENERAL_LOG_LEVEL: 'error', ...env },
      stdio: ['ignore', 'pipe', 'pipe', ipc ? 'ipc' : 'ignore'],
    },
  )
  const lines: string[] = []
  const errors: string[] = []
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    lines.push(...text.split('\n').filter(Boolean))
    child.emit('lines')
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => errors.push(...text.split('\n').filter(Boolean)))
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals)

  const line = async (pattern: RegExp): Promise<string> => {
    for (;;) {
      const found = lines.find((candidate) => pattern.test(candidate))
      if (found !== undefined) return found
      await Promise.race([once(child, 'lines'), ended.then(() => assertPrinted(pattern))])
    }
  }
  const assertPrinted = (pattern: RegExp) => {
    if (!lines.some((candidate) => pattern.test(candidate))) {
      throw new Error(`${name} ended without a line ${pattern}:\n${[...lines, ...errors].join('\n')}`)
    }
  }
  return {
    child,
    line,
    lines,
    errors,
    ended,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Settings of the program with a simulated fault. */
export const withBehaviour = (behaviour: string) => ({ ...healthy, TEST_BEHAVIOUR: behaviour })
