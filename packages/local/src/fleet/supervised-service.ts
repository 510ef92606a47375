import { setTimeout as sleep } from 'node:timers/promises'
import { Backoff } from './backoff.ts'
import { type Exit, launchService, type ServiceProcess, type Serving } from './service-process.ts'

export type SupervisedOptions = {
  /** Name in messages: `rooms`, or `rooms (2)` for a second process. */
  label: string
  main: string
  /** `last` has the ports of the last process that served. */
  env: (last: Serving | undefined) => NodeJS.ProcessEnv
  logFile: string
  pidFile: string
  say: (line: string) => void
  onLine: (line: string) => void
  /** Called when a process ends before any has served. Returns why a restart would fail; undefined if it may work. */
  whyUnstartable: () => Promise<Error | undefined>
  onChange: () => void
}

/** A service exits with this code if it rejects its configuration. */
const configurationExit = 78

/** `rejection` has the errors of an invalid configuration. */
type Ending = { how: string; livedMs: number; rejection: string | undefined }

export class SupervisedService {
  readonly #options: SupervisedOptions
  readonly #backoff = new Backoff()
  #process: ServiceProcess | undefined
  #serving: Serving | undefined
  #last: Serving | undefined
  #isStopped = false
  #isRestarting = false
  #pause = new AbortController()
  readonly #ended: Promise<void>
  #waiting: Array<{ resolve: () => void; reject: (error: Error) => void }> = []

  constructor(options: SupervisedOptions) {
    this.#options = options
    this.#ended = this.#startAndRestart()
  }

  get current(): ({ pid: number } & Serving) | undefined {
    if (this.#process === undefined || this.#serving === undefined) return undefined
    return { pid: this.#process.pid, ...this.#serving }
  }

  /** Rejects if the service is stopped, or if another attempt would fail too. */
  waitUntilServing(): Promise<void> {
    if (this.#serving !== undefined) return Promise.resolve()
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }

  /** A process that ends is restarted. */
  kill(signal: NodeJS.Signals): void {
    this.#process?.kill(signal)
  }

  async restart(): Promise<void> {
    const old = this.#process
    this.#isRestarting = true
    this.#serving = undefined
    const next = this.waitUntilServing()
    this.#pause.abort()
    old?.kill('SIGTERM')
    await next
  }

  /** Drains the process for good, and kills it after `stopTimeoutMs`. */
  async stop(stopTimeoutMs: number): Promise<void> {
    this.#isStopped = true
    this.#pause.abort()
    this.#process?.kill('SIGTERM')
    const timer = setTimeout(() => {
      this.#options.say(`${this.#options.label} did not stop within ${stopTimeoutMs / 1000} s; killing it`)
      this.#process?.kill('SIGKILL')
    }, stopTimeoutMs)
    await this.#ended
    clearTimeout(timer)
  }

  async #startAndRestart() {
    const { label, say } = this.#options
    while (!this.#isStopped) {
      const ending = await this.#runOnce()
      if (this.#isStopped) break
      const failure = this.#last === undefined ? await this.#whyUnstartable(ending) : undefined
      if (failure !== undefined) return this.#fail(failure)
      if (!this.#isRestarting) {
        const delayMs = this.#backoff.nextDelayMs(ending.livedMs)
        say(`${label} ${ending.how}; restarting it in ${delayMs / 1000} s`)
        this.#pause = new AbortController()
        await sleep(delayMs, undefined, { signal: this.#pause.signal }).catch(() => undefined)
      }
      this.#isRestarting = false
    }
    this.#fail(new Error(`${label} was stopped`))
  }

  async #runOnce(): Promise<Ending> {
    try {
      const process = this.#launch()
      const exit = await process.exited
      const rejection = exit.code === configurationExit ? process.lastLines().join('\n') : undefined
      return { how: `(process ${process.pid}) ${howItEnded(exit)}`, livedMs: exit.livedMs, rejection }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      return { how: `cannot be started: ${reason}`, livedMs: 0, rejection: undefined }
    } finally {
      this.#process = undefined
      this.#serving = undefined
      this.#options.onChange()
    }
  }

  #launch(): ServiceProcess {
    const { main, env, logFile, pidFile, onLine } = this.#options
    const process = launchService({ main, env: env(this.#last), logFile, pidFile, onLine })
    this.#process = process
    void process.serving.then((serving) => {
      if (this.#process !== process) return
      if (this.#last !== undefined && !this.#isRestarting) this.#options.say(`${this.#options.label} is running again`)
      this.#serving = this.#last = serving
      for (const { resolve } of this.#waiting.splice(0)) resolve()
      this.#options.onChange()
    })
    return process
  }

  async #whyUnstartable({ rejection }: Ending): Promise<Error | undefined> {
    const { label, whyUnstartable } = this.#options
    if (rejection !== undefined) return new Error(`${label} rejected its configuration:\n${rejection}`)
    return await whyUnstartable()
  }

  #fail(error: Error) {
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }
}

function howItEnded({ code, signal }: Exit): string {
  return signal === null ? `exited with code ${code}` : `was killed by ${signal}`
}
