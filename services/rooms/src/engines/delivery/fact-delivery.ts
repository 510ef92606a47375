import type { RoomFact } from '@parley/contracts/internal'
import type { Db } from '@parley/postgres'
import type { ApplyFacts, HeldFact, ReadHeldRoom } from '../../clients/messaging.ts'
import { takesAccessAway } from '../../domain/room-fact.ts'
import { notAppliedYet } from '../../errors.ts'
import { countFacts, countHandOver, reportHandOverFailure, reportRebased } from '../../metrics.ts'
import { factsAbove, factsPerCall, findFact, markApplied, openFacts, unappliedFacts } from '../../store/facts.ts'
import { rebaseFacts } from '../../store/rebase-facts.ts'
import { RoomDelivery, type FactStore } from './room-delivery.ts'

/** How long the call behind a change has left; undefined without a deadline. */
export type Patience = { timeoutMs: () => number | undefined }

/** Hands the facts of rooms to messaging. Disposing waits for what is under way. */
export type FactDelivery = AsyncDisposable & {
  /** After the commit of these facts: resolves when they are in effect. Throws unavailable when that takes too long. */
  handOver(roomId: string, facts: readonly RoomFact[], patience?: Patience): Promise<void>
  /**
   * For a call that found its change made already: resolves when everything up to the version is in effect, or the newest
   * fact of those that it is about. Messaging is asked whether it holds what is held here.
   */
  settle(roomId: string, version: bigint, patience?: Patience, isAbout?: (fact: RoomFact) => boolean): Promise<void>
  /** Feeds messaging up to a version of which this process holds no facts. */
  feed(roomId: string, version: bigint, awaitStream: boolean): Promise<void>
  /**
   * After messaging answered what it holds: goes on above facts that are lost here; answers the version that is in effect then,
   * undefined when none are lost.
   */
  agree(roomId: string, held: HeldFact, patience?: Patience): Promise<bigint | undefined>
  /** Calls back when facts were left behind because messaging took too long; dispose the result to stop. */
  onLeftBehind(listener: () => void): Disposable
}

/** Left for the answer to reach the caller before its deadline. */
const answerMs = 250

export function openFactDelivery(options: {
  db: Db
  apply: ApplyFacts
  read: ReadHeldRoom
  timeoutMs: number
}): FactDelivery {
  const { db, apply, read, timeoutMs } = options
  const deliveries = new Map<string, RoomDelivery>()
  const listeners = new Set<() => void>()
  const facts: FactStore = {
    above: (roomId, version) => factsAbove(db, roomId, version),
    unapplied: (roomId, upTo) => unappliedFacts(db, roomId, upTo),
    one: (roomId, version) => findFact(db, roomId, version),
    async rebase(roomId, held, asked) {
      const done = await rebaseFacts(db, roomId, held, { asked, read })
      if (done.rebased > 0) reportRebased(roomId, held.version, done.rebased)
      return done
    },
    markApplied: (roomId, upTo, streamed) => markApplied(db, roomId, upTo, streamed),
  }

  function deliveryOf(roomId: string, awaitStream: boolean): RoomDelivery {
    // A change that waits for the stream does not hold up those that do not.
    const key = `${roomId} ${awaitStream ? 'stream' : 'apply'}`
    const known = deliveries.get(key)
    if (known) return known
    const onFailure = (error: unknown) => reportHandOverFailure(roomId, error)
    const onIdle = () => deliveries.delete(key)
    const delivery = new RoomDelivery({ roomId, awaitStream, apply, facts, onFailure, onIdle })
    deliveries.set(key, delivery)
    return delivery
  }

  const waitMs = (patience?: Patience): number =>
    Math.max(Math.min(timeoutMs, (patience?.timeoutMs() ?? Infinity) - answerMs), 1)

  async function wait(
    roomId: string,
    target: { version: bigint; facts: readonly RoomFact[]; awaitStream: boolean },
    patience?: Patience,
  ): Promise<void> {
    const started = performance.now()
    const delivery = deliveryOf(roomId, target.awaitStream)
    const held = await delivery.enter(target.version, target.facts, waitMs(patience))
    countHandOver(held, (performance.now() - started) / 1000)
    if (held) return
    for (const listener of listeners) listener()
    throw notAppliedYet()
  }

  async function agree(roomId: string, held: HeldFact, patience?: Patience): Promise<bigint | undefined> {
    const { newest } = await facts.rebase(roomId, held, [])
    if (newest !== undefined) await wait(roomId, { version: newest, facts: [], awaitStream: false }, patience)
    return newest
  }

  /** Nothing is sent, so messaging only says what it holds. */
  async function ask(roomId: string, patience?: Patience): Promise<bigint | undefined> {
    const question = { roomId, facts: [], awaitStream: false, timeoutMs: waitMs(patience) }
    const held = await apply(question).catch((error: unknown) => {
      reportHandOverFailure(roomId, error)
      throw notAppliedYet()
    })
    return await agree(roomId, held, patience)
  }

  return {
    async handOver(roomId, made, patience) {
      const version = made.at(-1)?.version
      if (version === undefined) return
      countFacts(made)
      await wait(roomId, { version, facts: made, awaitStream: made.some(takesAccessAway) }, patience)
    },
    agree,
    async settle(roomId, known, patience, isAbout) {
      const version = (await ask(roomId, patience)) ?? known
      const facts = isAbout ? await unappliedFacts(db, roomId, version) : []
      if (isAbout && facts.length < factsPerCall) {
        const fact = facts.findLast(isAbout)
        const target = fact && { version: fact.version, facts: [], awaitStream: takesAccessAway(fact) }
        if (target) await wait(roomId, target, patience)
        return
      }
      const { open, awaitStream } = await openFacts(db, roomId, version)
      if (open) await wait(roomId, { version, facts: [], awaitStream }, patience)
    },
    async feed(roomId, version, awaitStream) {
      await wait(roomId, { version, facts: [], awaitStream })
    },
    onLeftBehind(listener) {
      listeners.add(listener)
      return { [Symbol.dispose]: () => void listeners.delete(listener) }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...deliveries.values()].map((delivery) => delivery.drained()))
    },
  }
}
