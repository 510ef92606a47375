import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type FleetProcess, type ReadyState, repositoryRoot } from '@parley/local'
import { eventually } from '@parley/testkit'
import { temporaryDataDir } from '../abandoned.ts'
import { ownerCredentials, readyFileOf, withoutSettings } from '../fleet.ts'

/**
 * A line of `pnpm autoscale --json`: the number of nodes wanted so far, the number that the metrics ask for
 * (`desired`), and the number wanted from now on (`next`). Times are milliseconds since 1970.
 */
export type Decision = {
  at: number
  wanted: number
  metrics: Record<string, (number | null)[]>
  desired: number
  next: number
}

export class AutoscaledFleet implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #dataDir: string
  readonly decisions: Decision[] = []
  /** Includes the output of supervisor and services. */
  output = ''

  private constructor(child: ChildProcess, dataDir: string) {
    this.#child = child
    this.#dataDir = dataDir
    if (child.stdout !== null) createInterface({ input: child.stdout }).on('line', (line) => this.#read(line))
    child.stderr?.on('data', (chunk: Buffer) => (this.output += chunk.toString()))
  }

  static async start(settings: NodeJS.ProcessEnv, options: string[]): Promise<AutoscaledFleet> {
    const dataDir = temporaryDataDir()
    const program = join(repositoryRoot(), 'packages/tooling/autoscale.mjs')
    const child = spawn(process.execPath, ['--no-warnings', program, '--json', ...options], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...withoutSettings(process.env),
        PARLEY_DATA_DIR: dataDir,
        PARLEY_READY_FILE: readyFileOf(dataDir),
        PARLEY_PORT: '0',
        PARLEY_LAYOUT: process.env['PARLEY_LAYOUT'] ?? 'separate',
        PARLEY_LOCAL_FSYNC: 'off',
        PARLEY_LIVEKIT_ENABLED: 'false',
        PARLEY_VIDEO_ENABLED: 'false',
        PARLEY_OWNER_LOGIN: ownerCredentials.login,
        PARLEY_OWNER_PASSWORD: ownerCredentials.password,
        ...settings,
      },
    })
    const fleet = new AutoscaledFleet(child, dataDir)
    await eventually(
      () => {
        if (!existsSync(readyFileOf(dataDir))) throw new Error(`the fleet is not ready; its output:\n${fleet.output}`)
      },
      { timeoutMs: 180_000 },
    )
    return fleet
  }

  get url(): string {
    return this.#state().url
  }

  nodes(): FleetProcess[] {
    return this.#state().services.filter(({ name }) => name === 'realtime')
  }

  #state(): ReadyState {
    return JSON.parse(readFileSync(readyFileOf(this.#dataDir), 'utf8')) as ReadyState
  }

  #read(line: string): void {
    const record = JSON.parse(line) as Partial<Decision>
    if (record.next !== undefined) this.decisions.push(record as Decision)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null) {
      const ended = once(this.#child, 'exit')
      this.#child.kill('SIGTERM')
      await ended
    }
    rmSync(this.#dataDir, { recursive: true, force: true })
  }
}
