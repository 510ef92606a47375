import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ReadyState } from '@parley/local'
import { eventually } from './_eventually.ts'

const bundled = import.meta.resolve('@parley/tooling/run-bundled')
const script = fileURLToPath(new URL('./_supervisor.ts', import.meta.url))

let starts = 0

export function startSupervisor(
  dataDir: string,
  env: NodeJS.ProcessEnv = {},
  args: string[] = [],
  within: string[] = [],
) {
  const readyFile = `${dataDir}-ready-${++starts}.json`
  const [command = '', ...rest] = [...within, process.execPath, script, ...args]
  const child = spawn(command, rest, {
    env: {
      ...process.env,
      // The services inherit this option and need it, because they run from TypeScript here.
      NODE_OPTIONS: `--import ${bundled}`,
      PARLEY_GENERAL_LOG_LEVEL: 'warn',
      PARLEY_DATA_DIR: dataDir,
      PARLEY_PORT: '0',
      PARLEY_READY_FILE: readyFile,
      PARLEY_LOCAL_FSYNC: 'off',
      ...env,
    },
    // A channel for requests of the parent process; the command in `within` would not pass it on.
    stdio: ['ignore', 'pipe', 'pipe', within.length === 0 ? 'ipc' : 'ignore'],
  })
  let output = ''
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const exit = once(child, 'close')
  const isRunning = () => child.exitCode === null && child.signalCode === null
  const state = () => {
    if (!isRunning()) throw new Error(`the supervisor has ended:\n${output}`)
    return JSON.parse(readFileSync(readyFile, 'utf8')) as ReadyState
  }
  return {
    process: child,
    readyFile,
    output: () => output,
    state,
    waitUntilReady: () => eventually(state),
    async waitForExit() {
      await exit
      return child.exitCode
    },
    async [Symbol.asyncDispose]() {
      if (isRunning()) child.kill('SIGTERM')
      await exit
    },
  }
}

export type Supervised = ReturnType<typeof startSupervisor>
