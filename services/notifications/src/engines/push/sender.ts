import { setTimeout as sleep } from 'node:timers/promises'
import type { PushSettings } from '@parley/config'
import type { Db } from '@parley/postgres'
import { duePushes, nextPushMs } from '../../store/due-pushes.ts'
import { pushesQueued } from '../../store/push-jobs.ts'
import { holdPushes, type HeldPush } from '../../store/push-turns.ts'
import type { Answer } from './answer.ts'
import { Chooser } from './chooser.ts'
import type { PushNetwork } from './endpoint.ts'
import { Hosts, maxPerHost } from './hosts.ts'
import { Links } from './links.ts'
import { countPush, recordLag, reportFailedTurn } from './metrics.ts'
import type { Neighbours } from './neighbours.ts'
import { Outcomes } from './outcomes.ts'
import { preparePushes, type Prepared, type Reason } from './prepare.ts'
import { openPushClient, type PushClient } from './push-client.ts'
import { toPushRequest, type PushContent, type PushRequest } from './request.ts'
import { pauseBefore, type RetryLimits } from './retries.ts'
import { PushAccess } from './room-access.ts'
import { prepareSpan, sendSpan } from './spans.ts'

/** Duration of a lease: longer than preparing and sending pushes takes. */
const leaseMs = 30_000
/** Delay for collecting pushes that end or are queued at about the same time. */
const gatherMs = 5
/** Delay after a required service did not answer. */
const afterTroubleMs = 1_000
/** Interval while due pushes wait because of the limits of their push service or because others come first. */
const whileDueMs = 100
/** Time for running pushes to finish when the process ends. */
const graceMs = 3_000

export type SenderOptions = {
  db: Db
  settings: PushSettings
  network: PushNetwork
  neighbours: Neighbours
  retryLimits: RetryLimits
  /** How often to look for pushes that were not announced because their process died. */
  pollMs: number
}

/** Sends queued pushes until it is disposed. Any number of processes may do so. */
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

/** Whether a push service is working, according to its response; undefined if it was not contacted. */
function isWell(answer: Answer): boolean | undefined {
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
  readonly #around: Parameters<typeof preparePushes>[1]
  readonly #stopping = new AbortController()
  readonly #hangUp = new AbortController()
  readonly #running = new Set<Promise<void>>()
  #woken = new AbortController()

  constructor(options: SenderOptions) {
    const { db, neighbours, settings } = options
    this.#options = options
    this.#client = openPushClient(options.network)
    this.#hosts = new Hosts(options.retryLimits.firstMs)
    this.#chooser = new Chooser(this.#hosts)
    this.#outcomes = new Outcomes(db)
    const access = new PushAccess(neighbours.rooms)
    this.#around = { db, neighbours, access, links: new Links(settings.publicUrl) }
  }

  stop(): void {
    this.#stopping.abort()
  }

  wake(): void {
    this.#woken.abort()
  }

  async run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const restMs = await this.#turn().catch((error: unknown) => {
        reportFailedTurn(error)
        return undefined
      })
      await this.#pause(restMs)
    }
    const late = setTimeout(() => this.#hangUp.abort(), graceMs)
    await Promise.all(this.#running)
    clearTimeout(late)
    await this.#outcomes.write().catch(reportFailedTurn)
    this.#client[Symbol.dispose]()
  }

  /**
   * Processes the queue once; returns the milliseconds until the next time, unless the sender is woken before. Outcomes
   * are written first, because that makes room in the queue.
   */
  async #turn(): Promise<number> {
    this.#woken = new AbortController()
    await this.#outcomes.write()
    const { db, pollMs } = this.#options
    if (this.#hosts.free === 0) return pollMs
    const due = await duePushes(db, maxPerHost)
    const begun = this.#chooser.choose(due, Date.now())
    const restMs = due.length > 0 ? whileDueMs : Math.max((await nextPushMs(db)) ?? pollMs, whileDueMs)
    if (begun.length === 0) return Math.min(restMs, pollMs)
    const held = await this.#hold(begun)
    const prepared = await prepareSpan(held, () => preparePushes(held, this.#around)).catch((error: unknown) => {
      for (const push of held) {
        this.#hosts.end(push.host, Date.now())
        this.#outcomes.postpone(push, afterTroubleMs, false)
      }
      throw error
    })
    for (const one of prepared) this.#start(one)
    return Math.min(restMs, pollMs)
  }

  /** Leases pushes for this process; other processes may have been faster. */
  async #hold(begun: readonly { id: bigint; host: string }[]): Promise<HeldPush[]> {
    let held: HeldPush[] = []
    try {
      const ids = begun.map(({ id }) => id)
      held = await holdPushes(this.#options.db, ids, leaseMs)
      return held
    } finally {
      const taken = new Set(held.map(({ id }) => id))
      for (const { id, host } of begun) if (!taken.has(id)) this.#hosts.end(host, Date.now())
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

  #drop(push: HeldPush, outcome: Reason | 'refused'): void {
    this.#hosts.end(push.host, Date.now())
    if (outcome === 'dismissed' && push.attempts === 1) this.#outcomes.unseen(push)
    else this.#outcomes.through(push)
    countPush(push.action, outcome)
  }

  /** Undefined if the push cannot be encrypted; retrying would not help. */
  #toRequest(push: HeldPush, content: PushContent): PushRequest | undefined {
    try {
      return toPushRequest(this.#options.settings, push, content)
    } catch (error) {
      reportFailedTurn(error)
      return undefined
    }
  }

  async #send(push: HeldPush, request: PushRequest): Promise<void> {
    const { retryLimits } = this.#options
    const answer = await sendSpan(push, () => this.#client.send(request, this.#hangUp.signal))
    const ageMs = Date.now() - push.createdAt.getTime()
    this.#hosts.end(push.host, Date.now(), isWell(answer))
    if (answer.outcome === 'busy') {
      const pauseMs = pauseBefore({ ...push, ageMs, ...answer }, retryLimits)
      if (pauseMs === undefined) this.#outcomes.through(push)
      else this.#outcomes.postpone(push, pauseMs, true)
      return countPush(push.action, pauseMs === undefined ? 'given_up' : 'postponed')
    }
    if (answer.outcome === 'gone') this.#outcomes.gone(push)
    else this.#outcomes.through(push)
    if (answer.outcome === 'accepted') recordLag(push, ageMs / 1000)
    countPush(push.action, answer.outcome)
  }

  /** Waits until there may be work: the sender is woken, a push ends, or the time is up. */
  async #pause(restMs: number | undefined): Promise<void> {
    const { signal } = this.#stopping
    if (restMs === undefined) return sleep(afterTroubleMs, undefined, { signal }).catch(() => undefined)
    const over = new AbortController()
    const wakers = AbortSignal.any([signal, over.signal, this.#woken.signal])
    const waiting = sleep(restMs, undefined, { signal: wakers }).catch(() => undefined)
    await Promise.race([waiting, ...this.#running])
    over.abort()
    if (this.#running.size > 0 || this.#woken.signal.aborted) await sleep(gatherMs)
  }
}
