import type { RoomFact } from '@parley/contracts/internal'
import type { ApplyFacts } from '../../clients/messaging.ts'
import { notAppliedYet } from '../../errors.ts'
import { recordDelivery, reportDeliveryFailure } from '../../metrics.ts'
import { RoomDelivery, type FactStore } from './room-delivery.ts'

export type RemainingTime = { timeoutMs: () => number | undefined }

/**
 * Messaging must apply all facts up to `version`. `facts`: those in memory. `awaitStream`: their events must also be on
 * the stream.
 */
export type Target = { version: bigint; facts: readonly RoomFact[]; awaitStream: boolean }

type Options = { apply: ApplyFacts; facts: FactStore; timeoutMs: number }

const reservedForResponseMs = 250

export class RoomDeliveries {
  readonly #options: Options
  readonly #deliveries = new Map<string, RoomDelivery>()
  readonly #leftBehindListeners = new Set<() => void>()

  constructor(options: Options) {
    this.#options = options
  }

  /** Resolves when messaging has applied the target. Throws unavailable if that takes too long. */
  async wait(roomId: string, { version, facts, awaitStream }: Target, remaining?: RemainingTime): Promise<void> {
    const started = performance.now()
    const isApplied = await this.#deliveryOf(roomId, awaitStream).deliver(version, facts, this.waitMs(remaining))
    recordDelivery(isApplied, (performance.now() - started) / 1000)
    if (isApplied) return
    for (const listener of this.#leftBehindListeners) listener()
    throw notAppliedYet()
  }

  waitMs(remaining?: RemainingTime): number {
    return Math.max(Math.min(this.#options.timeoutMs, (remaining?.timeoutMs() ?? Infinity) - reservedForResponseMs), 1)
  }

  onLeftBehind(listener: () => void): Disposable {
    this.#leftBehindListeners.add(listener)
    return { [Symbol.dispose]: () => void this.#leftBehindListeners.delete(listener) }
  }

  async drain(): Promise<void> {
    await Promise.all([...this.#deliveries.values()].map((delivery) => delivery.drain()))
  }

  #deliveryOf(roomId: string, awaitStream: boolean): RoomDelivery {
    // Changes that wait for the stream have their own delivery, so that they do not delay others.
    const key = `${roomId} ${awaitStream ? 'stream' : 'apply'}`
    const known = this.#deliveries.get(key)
    if (known) return known
    const { apply, facts } = this.#options
    const onFailure = (error: unknown) => reportDeliveryFailure(roomId, error)
    const onIdle = () => this.#deliveries.delete(key)
    const delivery = new RoomDelivery({ roomId, awaitStream, apply, facts, onFailure, onIdle })
    this.#deliveries.set(key, delivery)
    return delivery
  }
}
