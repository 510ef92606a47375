import { setTimeout as sleep } from 'node:timers/promises'
import type { RoomFact } from '@parley/contracts/internal'
import type { ApplyFacts, HeldFact } from '../../clients/messaging.ts'
import { factsPerCall } from '../../store/facts.ts'
import type { Rebased } from '../../store/rebase-facts.ts'

export type FactStore = {
  findAbove(roomId: string, version: bigint): Promise<RoomFact[]>
  unapplied(roomId: string, upTo: bigint): Promise<RoomFact[]>
  one(roomId: string, version: bigint): Promise<RoomFact[]>
  /**
   * If messaging has a fact that this database has lost, gives the unapplied facts versions above it, and adds facts
   * that restate differing values.
   */
  rebase(roomId: string, held: HeldFact, versions: readonly bigint[]): Promise<Rebased>
  markApplied(roomId: string, upTo: bigint, streamed: boolean): Promise<void>
}

export type RoomDeliveryOptions = {
  roomId: string
  /** Whether messaging answers only when the events are on the stream. */
  awaitStream: boolean
  apply: ApplyFacts
  facts: FactStore
  onFailure: (error: unknown) => void
  onIdle: () => void
}

type Waiter = { version: bigint; deadline: number; settle: (isApplied: boolean) => void }

/** Timeout of one call, so that an unresponsive process of messaging does not use up the callers' time. */
const attemptMs = 1500
const firstPauseMs = 100
const longestPauseMs = 250

/**
 * Delivers facts of one room from this process, one call at a time. The version that messaging returns shows which
 * facts it lacks; these are read from the database. Other processes may deliver the same facts, because messaging drops
 * duplicates. If the returned fact is known here, everything up to it is applied; otherwise this database was restored,
 * and the facts are rebased.
 */
export class RoomDelivery {
  readonly #options: RoomDeliveryOptions
  readonly #waiters = new Set<Waiter>()
  #inMemory: RoomFact[] = []
  #running: Promise<void> | undefined

  constructor(options: RoomDeliveryOptions) {
    this.#options = options
  }

  /** True when messaging has applied the version; false on a timeout, or if the room does not exist. */
  deliver(version: bigint, facts: readonly RoomFact[], timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const finish = (isApplied: boolean) => {
        clearTimeout(timer)
        this.#waiters.delete(waiter)
        resolve(isApplied)
      }
      const timer = setTimeout(finish, timeoutMs, false)
      const waiter: Waiter = { version, deadline: Date.now() + timeoutMs, settle: finish }
      this.#waiters.add(waiter)
      this.#inMemory.push(...facts)
      this.#running ??= this.#run()
    })
  }

  async drain(): Promise<void> {
    await this.#running
  }

  async #run(): Promise<void> {
    let held: bigint | undefined
    let pauseMs = firstPauseMs
    while (this.#waiters.size > 0) {
      let progress = false
      try {
        const result = await this.#deliverOnce(held)
        progress = result.settled > 0 || result.held > (held ?? -1n)
        held = result.held
      } catch (error) {
        held = undefined
        this.#options.onFailure(error)
      }
      if (progress) pauseMs = firstPauseMs
      else if (this.#waiters.size > 0) {
        await sleep(pauseMs)
        pauseMs = Math.min(pauseMs * 2, longestPauseMs)
      }
    }
    // Nothing runs between the last check for waiters and these lines, so later calls of `deliver` start a new run.
    this.#inMemory = []
    this.#running = undefined
    this.#options.onIdle()
  }

  /** `held`: the version that the previous call confirmed; undefined at first and after a failure. */
  async #deliverOnce(held: bigint | undefined): Promise<{ held: bigint; settled: number }> {
    const { roomId, awaitStream, apply, facts, onFailure } = this.#options
    const waiters = [...this.#waiters]
    const target = waiters.reduce((newest, { version }) => (version > newest ? version : newest), 0n)
    const deadline = Math.max(...waiters.map((waiter) => waiter.deadline))
    const batch = await this.#batch(held, target)
    const last = batch.at(-1)
    const timeoutMs = Math.max(Math.min(attemptMs, deadline - Date.now()), 1)
    const answered = await apply({ roomId, facts: batch, awaitStream, timeoutMs })
    const rebased = !isSameFact(answered, last) && (await this.#reconcile(answered))
    // Only the facts of this call are known to be on the stream.
    const lastSent = last?.version ?? 0n
    const applied = awaitStream && !rebased && answered.version > lastSent ? lastSent : answered.version
    const settled = [...this.#waiters].filter(({ version }) => version <= applied)
    for (const waiter of settled) waiter.settle(true)
    await facts.markApplied(roomId, applied, awaitStream).catch(onFailure)
    return { held: applied, settled: settled.length }
  }

  /**
   * For a returned fact other than the last one sent: messaging lacks earlier facts, another process sent later ones,
   * or this database has lost the returned fact. Returns whether facts were rebased because of such a loss.
   */
  async #reconcile(held: HeldFact): Promise<boolean> {
    const waiters = [...this.#waiters]
    const versions = waiters.map(({ version }) => version)
    const { newVersions, rebased } = await this.#options.facts.rebase(this.#options.roomId, held, versions)
    for (const waiter of waiters) {
      const version = newVersions.get(waiter.version)
      if (version === undefined) waiter.settle(false)
      else waiter.version = version
    }
    // The facts in memory may have other versions in the database by now.
    if (rebased > 0 || versions.some((version) => newVersions.get(version) !== version)) this.#inMemory = []
    return rebased > 0
  }

  /**
   * The facts to send next:
   * - the stored facts above `held`, if messaging lacks facts and those in memory do not follow `held`;
   * - otherwise the facts in memory;
   * - if there are none, the unapplied facts up to the target or, if all are applied, the target.
   */
  async #batch(held: bigint | undefined, target: bigint): Promise<RoomFact[]> {
    const { roomId, facts } = this.#options
    const fresh = this.#inMemory.sort((a, b) => Number(a.version - b.version)).slice(0, factsPerCall)
    this.#inMemory = []
    if (held !== undefined && held < target && !(fresh[0] && fresh[0].previousVersion <= held))
      return await facts.findAbove(roomId, held)
    if (fresh.length > 0) return fresh
    const open = await facts.unapplied(roomId, target)
    return open.length > 0 ? open : await facts.one(roomId, target)
  }
}

/** If messaging has recorded no event id, the version decides. */
export const isSameFact = (held: HeldFact, fact: RoomFact | undefined): boolean =>
  held.version === fact?.version && (held.eventId === fact.eventId || held.eventId === '')
