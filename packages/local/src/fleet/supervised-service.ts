import { setTimeout as sleep } from 'node:timers/promises'
import { Backoff } from './backoff.ts'
import { type Exit, launchService, type ServiceProcess, type Serving } from './service-process.ts'

/** Options of a supervised service. */
export type SupervisedOptions = {
  /** Name in messages: `rooms`, or `rooms (2)` for a second process. */
  label: string
  main: string
  /** Returns the environment of the next process; `before` has the ports of the last one that served. */
  env: (before: Serving | undefined) => NodeJS.ProcessEnv
  logFile: string
  pidFile: string
  say: (line: string) => void
  onLine: (line: string) => void
  /** Why no process can serve, asked when one ended before any has served; undefined if another try may do. */
  whyHopeless: () => Promise<Error | undefined>
  /** Called whenever a process begins or ceases to serve. */
  onChange: () => void
}

/** Exit code of a service that refuses its configuration; a restart would not help. */
const configurationExit = 78

/** How a process ended, as text; `refusal` holds the errors of an invalid configuration. */
type Ending = { how: string; livedMs: number; refusal: string | undefined }

/** One process of a service, restarted with a growing delay whenever it ends unexpectedly. */
export class SupervisedService {
  readonly #options: SupervisedOptions
  readonly #backoff = new Backoff()
  #process: ServiceProcess | undefined
  #serving: Serving | undefined
  #before: Serving | undefined
  #wanted = true
  #renewing = false
  #pause = new AbortController()
  readonly #ended: Promise<void>
  #waiting: Array<{ resolve: () => void; reject: (error: Error) => void }> = []

  constructor(options: SupervisedOptions) {
    this.#options = options
    this.#ended = this.#keepRunning()
  }

  /** Pid and addresses of the serving process; undefined while none serves. */
  get current(): ({ pid: number } & Serving) | undefined {
    if (this.#process === undefined || this.#serving === undefined) return undefined
    return { pid: this.#process.pid, ...this.#serving }
  }

  /** Resolves once a process serves. Throws when none ever can, as with a refused configuration, or it is stopped. */
  serving(): Promise<void> {
    if (this.#serving !== undefined) return Promise.resolve()
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }

  /** Sends a signal to the current process; if it ends, it is restarted. */
  kill(signal: NodeJS.Signals): void {
    this.#process?.kill(signal)
  }

  /** Drains the current process and starts the next; resolves when that one serves. */
  async restart(): Promise<void> {
    const old = this.#process
    this.#renewing = true
    this.#serving = undefined
    const next = this.serving()
    this.#pause.abort()
    old?.kill('SIGTERM')
    await next
  }

  /** Drains the process for good. It is killed if it has not ended within `stopTimeoutMs`. */
  async stop(stopTimeoutMs: number): Promise<void> {
    this.#wanted = false
    this.#pause.abort()
    this.#process?.kill('SIGTERM')
    const timer = setTimeout(() => {
      this.#options.say(`${this.#options.label} has not ended within ${stopTimeoutMs / 1000} s and is killed`)
      this.#process?.kill('SIGKILL')
    }, stopTimeoutMs)
    await this.#ended
    clearTimeout(timer)
  }

  async #keepRunning() {
    const { label, say } = this.#options
    while (this.#wanted) {
      const ending = await this.#runOnce()
      if (!this.#wanted) break
      const hopeless = this.#before === undefined ? await this.#whyHopeless(ending) : undefined
      if (hopeless !== undefined) return this.#fail(hopeless)
      if (!this.#renewing) {
        const delayMs = this.#backoff.next(ending.livedMs)
        say(`${label} ${ending.how}; restarting it in ${delayMs / 1000} s`)
        this.#pause = new AbortController()
        await sleep(delayMs, undefined, { signal: this.#pause.signal }).catch(() => undefined)
      }
      this.#renewing = false
    }
    this.#fail(new Error(`${label} was stopped`))
  }

  /**
   * Runs a process until it ends. A failed start, for example for lack of processes, descriptors or space, counts as an
   * end.
   */
  async #runOnce(): Promise<Ending> {
    try {
      const process = this.#launch()
      const exit = await process.exited
      const refusal = exit.code === configurationExit ? process.lastLines().join('\n') : undefined
      return { how: `(process ${process.pid}) ${howItEnded(exit)}`, livedMs: exit.livedMs, refusal }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      return { how: `cannot be started: ${reason}`, livedMs: 0, refusal: undefined }
    } finally {
      this.#process = undefined
      this.#serving = undefined
      this.#options.onChange()
    }
  }

  #launch(): ServiceProcess {
    const { main, env, logFile, pidFile, onLine } = this.#options
    const process = launchService({ main, env: env(this.#before), logFile, pidFile, onLine })
    this.#process = process
    void process.serving.then((serving) => {
      if (this.#process !== process) return
      if (this.#before !== undefined && !this.#renewing) this.#options.say(`${this.#options.label} serves again`)
      this.#serving = this.#before = serving
      for (const { resolve } of this.#waiting.splice(0)) resolve()
      this.#options.onChange()
    })
    return process
  }

  async #whyHopeless({ refusal }: Ending): Promise<Error | undefined> {
    const { label, whyHopeless } = this.#options
    if (refusal !== undefined) return new Error(`${label} refuses its configuration:\n${refusal}`)
    return await whyHopeless()
  }

  #fail(error: Error) {
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }
}

function howItEnded({ code, signal }: Exit): string {
  return signal === null ? `ended with code ${code}` : `was ended by ${signal}`
}
