import { setTimeout as sleep } from 'node:timers/promises'
import type { PushSettings } from '@parley/config'
import type { Db } from '@parley/postgres'
import { listDuePushes, msUntilNextPush } from '../../store/due-pushes.ts'
import { pushesQueued } from '../../store/push-jobs.ts'
import { leasePushes, type LeasedPush } from '../../store/push-leases.ts'
import type { Answer } from './answer.ts'
import { Chooser } from './chooser.ts'
import type { PushNetwork } from './endpoint.ts'
import { Hosts, maxPerHost } from './hosts.ts'
import { Links } from './links.ts'
import { countPush, logEncryptionFailure, recordLag, logSendFailure } from './metrics.ts'
import type { ServiceClients } from './service-clients.ts'
import { Outcomes } from './outcomes.ts'
import { preparePushes, type Prepared, type Reason } from './prepare.ts'
import { openPushClient, type PushClient } from './push-client.ts'
import { toPushRequest, type PushContent, type PushRequest } from './request.ts'
import { retryPauseMs, type RetryLimits } from './retries.ts'
import { RoomNames } from './room-names.ts'
import { prepareSpan, sendSpan } from './spans.ts'

const leaseMs = 30_000
const batchDelayMs = 5
/** Delay after the queue could not be read or written, or pushes could not be prepared. */
const afterErrorMs = 1_000
/** Interval while due pushes have to wait, because of limits of their push service or because others go first. */
const dueIntervalMs = 100
const graceMs = 3_000

export type SenderOptions = {
  db: Db
  settings: PushSettings
  network: PushNetwork
  services: ServiceClients
  retryLimits: RetryLimits
  pollMs: number
}

export function startSender(options: SenderOptions): AsyncDisposable {
  const sender = new Sender(options)
  const listening = pushesQueued.listen(options.db, () => sender.wake())
  const ended = sender.run()
  return {
    async [Symbol.asyncDispose]() {
      listening[Symbol.dispose]()
      sender.stop()
      await ended
    },
  }
}

/** Undefined if the push service was not contacted. */
function isHealthy(answer: Answer): boolean | undefined {
  if (answer.outcome === 'blocked') return undefined
  if (answer.outcome !== 'busy') return true
  return answer.isFailing === undefined ? undefined : !answer.isFailing
}

class Sender {
  readonly #options: SenderOptions
  readonly #client: PushClient
  readonly #hosts: Hosts
  readonly #chooser: Chooser
  readonly #outcomes: Outcomes
  readonly #context: Parameters<typeof preparePushes>[1]
  readonly #stopping = new AbortController()
  readonly #abortRequests = new AbortController()
  readonly #running = new Set<Promise<void>>()
  #woken = new AbortController()

  constructor(options: SenderOptions) {
    const { db, services, settings } = options
    this.#options = options
    this.#client = openPushClient(options.network)
    this.#hosts = new Hosts(options.retryLimits.initialMs)
    this.#chooser = new Chooser(this.#hosts)
    this.#outcomes = new Outcomes(db)
    const roomNames = new RoomNames(services.rooms)
    this.#context = { db, services, roomNames, links: new Links(settings.publicUrl) }
  }

  stop(): void {
    this.#stopping.abort()
  }

  wake(): void {
    this.#woken.abort()
  }

  async run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const idleMs = await this.#processQueue().catch((error: unknown) => {
        logSendFailure(error)
        return undefined
      })
      await this.#pause(idleMs)
    }
    const late = setTimeout(() => this.#abortRequests.abort(), graceMs)
    await Promise.all(this.#running)
    clearTimeout(late)
    await this.#outcomes.write().catch(logSendFailure)
    this.#client[Symbol.dispose]()
  }

  /**
   * Returns the milliseconds after which the queue is processed again, unless the sender is woken before. Outcomes are
   * written first, because that removes pushes from the queue.
   */
  async #processQueue(): Promise<number> {
    this.#woken = new AbortController()
    await this.#outcomes.write()
    const { db, pollMs } = this.#options
    if (this.#hosts.freeSlots === 0) return pollMs
    const due = await listDuePushes(db, maxPerHost)
    const chosen = this.#chooser.choose(due, Date.now())
    const idleMs = due.length > 0 ? dueIntervalMs : Math.max((await msUntilNextPush(db)) ?? pollMs, dueIntervalMs)
    if (chosen.length === 0) return Math.min(idleMs, pollMs)
    const leased = await this.#lease(chosen)
    const prepared = await prepareSpan(leased, () => preparePushes(leased, this.#context)).catch((error: unknown) => {
      for (const push of leased) {
        this.#hosts.end(push.host, Date.now())
        this.#outcomes.postpone(push, afterErrorMs, false)
      }
      throw error
    })
    for (const one of prepared) this.#start(one)
    return Math.min(idleMs, pollMs)
  }

  async #lease(chosen: readonly { id: bigint; host: string }[]): Promise<LeasedPush[]> {
    let leased: LeasedPush[] = []
    try {
      const ids = chosen.map(({ id }) => id)
      leased = await leasePushes(this.#options.db, ids, leaseMs)
      return leased
    } finally {
      const leasedIds = new Set(leased.map(({ id }) => id))
      for (const { id, host } of chosen) if (!leasedIds.has(id)) this.#hosts.end(host, Date.now())
    }
  }

  #start(prepared: Prepared): void {
    const { push } = prepared
    if ('reason' in prepared) return this.#drop(push, prepared.reason)
    const request = this.#toRequest(push, prepared.content)
    if (!request) return this.#drop(push, 'refused')
    const running = this.#send(push, request).finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  #drop(push: LeasedPush, outcome: Reason | 'refused'): void {
    this.#hosts.end(push.host, Date.now())
    if (outcome === 'dismissed' && push.attempts === 1) this.#outcomes.finishUnsent(push)
    else this.#outcomes.finish(push)
    countPush(push.action, outcome)
  }

  /** Undefined if the encryption fails, which a retry would not change. */
  #toRequest(push: LeasedPush, content: PushContent): PushRequest | undefined {
    try {
      return toPushRequest(this.#options.settings, push, content)
    } catch (error) {
      logEncryptionFailure(error)
      return undefined
    }
  }

  async #send(push: LeasedPush, request: PushRequest): Promise<void> {
    const { retryLimits } = this.#options
    const answer = await sendSpan(push, () => this.#client.send(request, this.#abortRequests.signal))
    const ageMs = Date.now() - push.createdAt.getTime()
    this.#hosts.end(push.host, Date.now(), isHealthy(answer))
    if (answer.outcome === 'busy') {
      const pauseMs = retryPauseMs({ ...push, ageMs, ...answer }, retryLimits)
      if (pauseMs === undefined) this.#outcomes.finish(push)
      else this.#outcomes.postpone(push, pauseMs, true)
      return countPush(push.action, pauseMs === undefined ? 'given_up' : 'postponed')
    }
    if (answer.outcome === 'gone') this.#outcomes.finishGone(push)
    else this.#outcomes.finish(push)
    if (answer.outcome === 'accepted') recordLag(push, ageMs / 1000)
    countPush(push.action, answer.outcome)
  }

  /**
   * Waits until the sender is woken, a push ends, or the time has passed. Without a time, after a failure, waits
   * `afterErrorMs`.
   */
  async #pause(idleMs: number | undefined): Promise<void> {
    const { signal } = this.#stopping
    if (idleMs === undefined) return sleep(afterErrorMs, undefined, { signal }).catch(() => undefined)
    const over = new AbortController()
    const wakers = AbortSignal.any([signal, over.signal, this.#woken.signal])
    const waiting = sleep(idleMs, undefined, { signal: wakers }).catch(() => undefined)
    await Promise.race([waiting, ...this.#running])
    over.abort()
    if (this.#running.size > 0 || this.#woken.signal.aborted) await sleep(batchDelayMs)
  }
}
