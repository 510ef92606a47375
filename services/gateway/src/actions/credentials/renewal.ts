import type { SignedIn } from '@parley/credentials'
import { LRUCache } from 'lru-cache'
import type { BrowserSession } from './browser-session.ts'

type Options = {
  /** Returns an empty handle if another request has just rotated the session. */
  rotate: (digest: Buffer) => Promise<{ cookieHandle: string; lifetimeSeconds: number }>
  now?: () => number
}

/**
 * A process renews a session at most once in this time. The old handle stays valid for a minute, for other running
 * requests of the browser.
 */
const repeatAfterMs = 60_000
const maxRemembered = 10_000

/** Renews the handle of a browser session when a quarter of its lifetime is left. */
export class SessionRenewal {
  readonly #rotate: Options['rotate']
  readonly #now: () => number
  readonly #requested: LRUCache<string, true>

  constructor({ rotate, now = Date.now }: Options) {
    this.#rotate = rotate
    this.#now = now
    this.#requested = new LRUCache({ max: maxRemembered, ttl: repeatAfterMs, ttlResolution: 0, perf: { now } })
  }

  isDue(signedIn: SignedIn | undefined): signedIn is SignedIn {
    if (signedIn?.by !== 'cookie' || signedIn.caller.rotateAfter === undefined) return false
    return signedIn.caller.rotateAfter.getTime() <= this.#now() && !this.#requested.has(keyOf(signedIn))
  }

  /** Never rejects: a session that could not be renewed now is renewed later. */
  async renew(signedIn: SignedIn): Promise<BrowserSession | undefined> {
    this.#requested.set(keyOf(signedIn), true)
    const answer = await this.#rotate(signedIn.digest).catch(() => undefined)
    if (!answer?.cookieHandle) return undefined
    const { cookieHandle, lifetimeSeconds } = answer
    return { userId: signedIn.caller.userId, cookieHandle, lifetimeSeconds }
  }
}

const keyOf = ({ digest }: SignedIn): string => digest.toString('latin1')
