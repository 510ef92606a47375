import type { MemberClient } from '@parley/client'
import { PresenceStatus } from '@parley/client/contract'
import { whenIdle } from '../state/when-idle.ts'

/** The server forgets presence that has not been reported for 60 seconds. */
const everyMs = 30_000
const selectable = new Set([PresenceStatus.AWAY, PresenceStatus.DO_NOT_DISTURB])

/**
 * Reports presence to the server: online while a page is visible, otherwise away. A status chosen on this device takes
 * precedence.
 */
export class MyPresence {
  readonly #server: MemberClient
  readonly #onReported: (status: PresenceStatus) => void
  readonly #keys: { chosen: string; reportedAt: string }
  readonly #closed = new AbortController()
  readonly #timer: ReturnType<typeof setInterval>

  constructor(server: MemberClient, userId: string, onReported: (status: PresenceStatus) => void) {
    this.#server = server
    this.#onReported = onReported
    this.#keys = { chosen: `parley.presence.${userId}`, reportedAt: `parley.presenceToldAt.${userId}` }
    document.addEventListener('visibilitychange', () => this.#reportIfDue(), { signal: this.#closed.signal })
    this.#timer = setInterval(() => this.#reportIfDue(), everyMs)
    // Loading the first room is more urgent.
    whenIdle(() => !this.#closed.signal.aborted && this.#reportIfDue())
  }

  /** Reports a status that the user has chosen. Away and do-not-disturb stay until another status is chosen. */
  async choose(status: PresenceStatus): Promise<void> {
    if (selectable.has(status)) localStorage.setItem(this.#keys.chosen, String(status))
    else localStorage.removeItem(this.#keys.chosen)
    await this.#report(status, true)
  }

  close(): void {
    this.#closed.abort()
    clearInterval(this.#timer)
  }

  #reportIfDue(): void {
    const isVisible = document.visibilityState === 'visible'
    const isRecent = Date.now() - Number(localStorage.getItem(this.#keys.reportedAt) ?? 0) < everyMs
    // A background tab leaves the report to the visible one.
    if (!isVisible && isRecent) return
    const chosen = Number(localStorage.getItem(this.#keys.chosen) ?? 0) as PresenceStatus
    const isChosen = selectable.has(chosen)
    const status = isChosen ? chosen : isVisible ? PresenceStatus.ONLINE : PresenceStatus.AWAY
    void this.#report(status, isChosen).catch(() => undefined)
  }

  async #report(status: PresenceStatus, userSelected: boolean): Promise<void> {
    localStorage.setItem(this.#keys.reportedAt, String(Date.now()))
    const answer = await this.#server.api.myAccount.updatePresence({ status, userSelected })
    this.#onReported(answer.status)
  }
}
