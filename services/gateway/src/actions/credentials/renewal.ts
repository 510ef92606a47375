import type { SignedIn } from '@parley/credentials'
import type { BrowserSession } from './browser-session.ts'

type Options = {
  /** Asks accounts; an empty handle says that somebody else just did. */
  rotate: (digest: Buffer) => Promise<{ cookieHandle: string; lifetimeSeconds: number }>
  now?: () => number
}

/** Other requests of the same browser are under way with the old handle, which holds for this long. */
const askAgainAfterMs = 60_000
const maxRemembered = 10_000

/** Gives browser sessions that near their end a new handle, so that a session in use never ends. */
export class SessionRenewal {
  readonly #rotate: Options['rotate']
  readonly #now: () => number
  readonly #askedAt = new Map<string, number>()

  constructor({ rotate, now = Date.now }: Options) {
    this.#rotate = rotate
    this.#now = now
  }

  /** Whether the session's handle should be replaced by this request. */
  isDue(signedIn: SignedIn | undefined): signedIn is SignedIn {
    if (signedIn?.by !== 'cookie' || signedIn.caller.rotateAfter === undefined) return false
    const now = this.#now()
    if (signedIn.caller.rotateAfter.getTime() > now) return false
    const askedAt = this.#askedAt.get(keyOf(signedIn))
    return askedAt === undefined || now - askedAt >= askAgainAfterMs
  }

  /** The new handle, if there is one. Never rejects: a session that could not be renewed now is renewed later. */
  async renew(signedIn: SignedIn): Promise<BrowserSession | undefined> {
    this.#remember(keyOf(signedIn))
    const answer = await this.#rotate(signedIn.digest).catch(() => undefined)
    if (!answer?.cookieHandle) return undefined
    const { cookieHandle, lifetimeSeconds } = answer
    return { userId: signedIn.caller.userId, cookieHandle, lifetimeSeconds }
  }

  #remember(key: string): void {
    this.#askedAt.delete(key)
    this.#askedAt.set(key, this.#now())
    const oldest = this.#askedAt.size > maxRemembered ? this.#askedAt.keys().next() : undefined
    if (oldest?.done === false) this.#askedAt.delete(oldest.value)
  }
}

const keyOf = ({ digest }: SignedIn): string => digest.toString('latin1')
