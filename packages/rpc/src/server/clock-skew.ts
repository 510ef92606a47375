const sliceMs = 10_000
const slices = 6
const forgetEveryMs = 2 * sliceMs * slices
/** A process that did not tick for this long was frozen. */
const frozenMs = 6_000
/** For this long after a freeze, the first call of an unknown sender counts as late. */
const thawMs = 1_000

/**
 * A clock has jumped if at least `lateCalls` calls over `lateForMs` are at least `lateMs` late, by amounts that differ
 * by at most `spreadMs`.
 */
const lateMs = 400
const spreadMs = 100
const lateCalls = 3
const lateForMs = 1_000

/** An unbroken run of late calls: the range of their offsets, their number, and the time of the first. */
type Late = { min: number; max: number; calls: number; since: number }
type Sender = { readonly minima: number[]; slice: number; late?: Late | undefined }

/**
 * Estimates how long ago a call was sent, although the clocks of the processes differ: the smallest `now - sentAt` of a
 * sender in the last minute is assumed to be the clock skew alone, with no delay. The first call of a sender is
 * therefore considered just sent.
 *
 * After a freeze, this process reads together all calls that arrived meanwhile. They must not count as new. Frozen time
 * therefore does not count towards the minute, and right after a freeze the first call of an unknown sender counts as
 * infinitely late.
 *
 * A clock can jump, for example while its machine is paused. If calls of a sender are late by the same amount again and
 * again, that amount is assumed to be the jump. Calls that were really queued arrive together, each later one with a
 * smaller delay.
 */
export class ClockSkew {
  readonly #senders = new Map<string, Sender>()
  #seenAt: number
  #thawedAt = -Infinity
  #frozenMs = 0
  #sweptAt: number

  constructor(now: number) {
    this.#seenAt = now
    this.#sweptAt = now
  }

  /** Must be called at least every five seconds, so that an idle process is not mistaken for a frozen one. */
  tick(now: number): void {
    const elapsed = now - this.#seenAt
    this.#seenAt = now
    if (elapsed < frozenMs) return
    this.#frozenMs += elapsed
    this.#thawedAt = now
  }

  /** Age in milliseconds of a call that arrives at `now` (our clock) and was sent at `sentAt` (the sender's clock). */
  age(name: string, sentAt: number, now: number): number {
    this.tick(now)
    const slice = Math.floor((now - this.#frozenMs) / sliceMs)
    if (now - this.#sweptAt > forgetEveryMs) this.#forget(slice, now)
    const known = this.#senders.get(name)
    const sender = known ?? { minima: Array<number>(slices).fill(Infinity), slice }
    if (!known) this.#senders.set(name, sender)
    advance(sender, slice)

    const offset = now - sentAt
    const current = slice % slices
    sender.minima[current] = Math.min(offset, sender.minima[current] ?? offset)
    if (!known && now - this.#thawedAt < thawMs) return Infinity
    const age = offset - Math.min(...sender.minima)
    if (!recordLateness(sender, age, offset, now)) return age
    const { min = offset } = sender.late ?? {}
    sender.late = undefined
    sender.minima.fill(Infinity)
    sender.minima[current] = min
    return offset - min
  }

  /** Removes senders that have not called for more than a minute: a process that stops does not say so. */
  #forget(slice: number, now: number): void {
    this.#sweptAt = now
    for (const [name, sender] of this.#senders) if (slice - sender.slice > slices) this.#senders.delete(name)
  }
}

/** Updates the sender's run of late calls; returns whether the run shows that its clock jumped. */
function recordLateness(sender: Sender, age: number, offset: number, now: number): boolean {
  const before = sender.late
  const late = before && {
    ...before,
    min: Math.min(before.min, offset),
    max: Math.max(before.max, offset),
    calls: before.calls + 1,
  }
  if (age < lateMs) sender.late = undefined
  else if (late && late.max - late.min <= spreadMs) sender.late = late
  else sender.late = { min: offset, max: offset, calls: 1, since: now }
  return sender.late !== undefined && sender.late.calls >= lateCalls && now - sender.late.since >= lateForMs
}

/** Empties the slices between the last call of a sender and now. */
function advance(sender: Sender, slice: number): void {
  const passed = Math.min(slice - sender.slice, slices)
  for (let i = 0; i < passed; i++) sender.minima[(slice - i) % slices] = Infinity
  sender.slice = slice
}
