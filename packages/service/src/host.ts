import type { DescService } from '@bufbuild/protobuf'
import { createClient, type Client, type Transport } from '@connectrpc/connect'
import type { Deployable } from '@parley/contracts/catalogue'
import { connectBus, createRpcClient, serveRpc, type Bus, type RpcClient, type RpcServerOptions } from '@parley/rpc'
import {
  Health,
  periodically,
  Resources,
  retry,
  serveHttp,
  serveInternal,
  type HttpServer,
  type Periodic,
  type PeriodicTask,
  type Service,
} from '@parley/runtime'
import { logger, oncePerMinute } from '@parley/telemetry'
import type { HostConfig } from './config.ts'
import type { SharedProcess } from './shared-process.ts'

export type HostParts = {
  name: Deployable
  config: HostConfig
  /** Further conditions for readiness; see {@link Host.ready}. */
  waitsFor?: readonly string[]
  /** The drain timeout, if it is not that of the configuration. */
  drainTimeoutMs?: number
  overrides?: StartOptions | undefined
}

export type StartOptions = {
  /** Aborted when the process is to end. Cancels a start that does not serve yet; later, dispose the service. */
  stop?: AbortSignal | undefined
  /** Set if the process is shared with other deployables. */
  shared?: SharedProcess | undefined
}

export type Serving = Pick<RpcServerOptions, 'routes' | 'guard'>

const connectRetry = { initialMs: 200, maxMs: 5_000 }

/**
 * The environment of a deployable. It opens dependencies, waits for them without a time limit, and owns everything that
 * the deployable opens. It closes everything in this order: readiness; servers, newest first; `signal` and the
 * background work; the rest, newest first; the internal port.
 */
export class Host implements AsyncDisposable {
  readonly name: Deployable
  readonly config: HostConfig
  readonly health: Health
  /**
   * Aborted after the servers have closed, since running calls need what it would end. A `stop` before anything is
   * served aborts it at once. After a later one it is aborted at the end of the drain timeout, even if servers still wait
   * for calls.
   */
  readonly signal: AbortSignal
  /** URL of its port for clients, on this machine. */
  url: string | undefined
  protected readonly opened = new Resources()
  readonly #serving = new Resources()
  readonly #closing = new AbortController()
  readonly #background = new Set<Promise<unknown>>()
  readonly #awaited = new Map<string, () => void>()
  readonly #drainTimeoutMs: number
  readonly #logRetry = oncePerMinute((_reason, error: unknown) =>
    logger('start').error({ err: error }, 'a step of the start failed; retrying'),
  )
  readonly #shared: SharedProcess | undefined
  readonly #stop: AbortSignal | undefined
  #isServing = false
  #drainTimer: NodeJS.Timeout | undefined
  #internalPort = 0
  #buses: { calls: Bus; events: Bus; rpc: RpcClient; transport: Transport } | undefined

  constructor({ name, config, waitsFor = [], drainTimeoutMs = config.drainTimeoutMs, overrides }: HostParts) {
    const { stop, shared } = overrides ?? {}
    this.name = name
    this.config = config
    this.health = shared?.health.of(name) ?? new Health()
    this.#shared = shared
    this.#drainTimeoutMs = drainTimeoutMs
    this.signal = this.#closing.signal
    this.#stop = stop
    if (stop?.aborted) this.#onStop()
    else stop?.addEventListener('abort', this.#onStop)
    for (const what of waitsFor) this.#awaited.set(what, this.health.requireAtStart(what))
  }

  /** Opens the internal port, unless the process has one. */
  async listen(): Promise<void> {
    if (this.#shared) {
      this.#internalPort = this.#shared.internalPort
      return
    }
    const { internalHost, internalPort } = this.config
    const internal = await serveInternal({ host: internalHost, port: internalPort, health: this.health })
    this.#internalPort = this.use(internal).port
  }

  /** Connects to NATS: a connection for calls, one for events. */
  async connect(): Promise<void> {
    const { name, signal, config } = this
    const bus = { url: config.natsUrl, user: config.natsUser, password: config.natsPassword, name, signal }
    const events = this.use(await connectBus({ ...bus, purpose: 'events' }))
    const calls = this.use(await connectBus({ ...bus, purpose: 'rpc' }))
    // If a server dies without closing its connections, a missing reply on one of them reveals the loss of both.
    this.use(events.onDisconnect(() => calls.verify()))
    this.use(calls.onDisconnect(() => events.verify()))
    this.use(this.health.addOutage('bus', () => whyUnavailable(calls, events)))
    const rpc = this.use(createRpcClient(calls, { name, inProcess: this.#shared?.inProcess }))
    this.#buses = { calls, events, rpc, transport: rpc.transport() }
  }

  get events(): Bus {
    return this.#connected.events
  }

  get calls(): Bus {
    return this.#connected.calls
  }

  get rpc(): RpcClient {
    return this.#connected.rpc
  }

  get transport(): Transport {
    return this.#connected.transport
  }

  client<S extends DescService>(service: S): Client<S> {
    return createClient(service, this.transport)
  }

  /** Reports that one of the conditions in `waitsFor` is met. */
  ready(what: string): void {
    this.#awaited.get(what)?.()
  }

  /** Takes over a resource, which is disposed at the end. */
  use<T extends AsyncDisposable | Disposable>(resource: T): T {
    return this.opened.use(resource)
  }

  /** Runs `close` at the end; `name` is for the log. */
  defer(name: string, close: () => Promise<void> | void): void {
    this.opened.defer(name, close)
  }

  /** Repeats `run` until it succeeds or the process is stopped. Logs each reason at most once a minute. */
  retry<T>(run: () => Promise<T>): Promise<T> {
    const attempt = () =>
      run().catch((error: unknown) => {
        if (!this.signal.aborted) this.#logRetry(rootMessage(error), error)
        throw error
      })
    return retry(attempt, { signal: this.signal, ...connectRetry })
  }

  every(task: Omit<PeriodicTask, 'signal'>): Periodic {
    return this.use(periodically({ ...task, signal: this.signal }))
  }

  /** Adds work that ends on its own, at the latest when `signal` is aborted; closing waits for it. */
  background(work: Promise<unknown>): void {
    const done: Promise<unknown> = work.catch(() => undefined).finally(() => this.#background.delete(done))
    this.#background.add(done)
  }

  /**
   * Runs `close` when the process stops, to release connected clients. It runs among the closing servers, newest first,
   * while everything opened by {@link use} still works.
   */
  onDrain(name: string, close: () => Promise<void> | void): void {
    this.#isServing = true
    this.#serving.defer(name, close)
  }

  async serveHttp(options: Omit<Parameters<typeof serveHttp>[0], 'signal'>): Promise<HttpServer> {
    this.#beginServing()
    const server = this.#serving.use(await serveHttp({ ...options, signal: this.signal }))
    this.url = server.url
    return server
  }

  async serve(serving: Serving): Promise<void> {
    this.#beginServing()
    const { name: deployable, health, config } = this
    const inProcess = this.#shared?.inProcess
    const start = { deployable, health, drainTimeoutMs: config.drainTimeoutMs, inProcess, signal: this.#stop }
    this.#serving.use(await serveRpc(this.calls, { ...start, ...serving }))
  }

  service(): Service {
    this.#isServing = true
    return {
      internalPort: this.#internalPort,
      drainTimeoutMs: this.#drainTimeoutMs,
      ...(this.url === undefined ? {} : { url: this.url }),
      [Symbol.asyncDispose]: () => this[Symbol.asyncDispose](),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.health.drain()
    await this.#serving[Symbol.asyncDispose]()
    this.#stop?.removeEventListener('abort', this.#onStop)
    clearTimeout(this.#drainTimer)
    this.#closing.abort()
    await Promise.all(this.#background)
    await this.opened[Symbol.asyncDispose]()
  }

  #beginServing(): void {
    this.signal.throwIfAborted()
    this.#isServing = true
  }

  readonly #onStop = (): void => {
    if (this.#isServing) this.#drainTimer = setTimeout(() => this.#closing.abort(), this.#drainTimeoutMs).unref()
    else this.#closing.abort(this.#stop?.reason)
  }

  get #connected() {
    if (this.#buses === undefined) throw new Error(`${this.name} is not connected yet`)
    return this.#buses
  }
}

/**
 * Why one of the buses is unavailable; undefined if all are connected. Also makes each bus verify its connection, so
 * that a dead one is noticed within seconds of the first check.
 */
function whyUnavailable(...buses: Bus[]): string | undefined {
  for (const bus of buses) bus.verify()
  return buses.every((bus) => bus.connected()) ? undefined : 'no answer'
}

/** The message of the innermost cause. Those around it may contain parameters, which differ in every attempt. */
function rootMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message : rootMessage(error.cause)
}
