import type { MemberClient } from '@parley/client'
import { followMotd, saveMotd, type StoredMotd, loadMotd } from '../storage/motd.ts'
import { Cell } from '../state/cell.ts'

/** The message of the day, cached on the device and fetched only when its version has changed. */
export class Motd {
  /** Markdown; undefined if there is none or the viewer has hidden it. */
  readonly shown = new Cell<string | undefined>(undefined)
  readonly close: () => void
  readonly #server: MemberClient
  readonly #userId: string

  constructor(server: MemberClient, userId: string) {
    this.#server = server
    this.#userId = userId
    const show = () => this.#show(loadMotd(userId))
    show()
    this.close = followMotd(userId, show)
  }

  /** `version`: undefined if the server has no message. */
  async update(version: bigint | undefined): Promise<void> {
    const stored = loadMotd(this.#userId)
    if (version === undefined) return this.#store(undefined)
    if (stored?.version === String(version)) return
    const { motd: body = '' } = await this.#server.api.server.getMotd({})
    this.#store({ version: String(version), body, hidden: stored?.hidden === true && stored.body === body })
  }

  hide(): void {
    const stored = loadMotd(this.#userId)
    if (stored) this.#store({ ...stored, hidden: true })
  }

  #store(motd: StoredMotd | undefined): void {
    saveMotd(this.#userId, motd)
    this.#show(motd)
  }

  #show(motd: StoredMotd | undefined): void {
    this.shown.set(motd && !motd.hidden && motd.body !== '' ? motd.body : undefined)
  }
}
