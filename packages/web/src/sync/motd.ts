import type { MemberClient } from '@parley/client'
import { followMotd, saveMotd, type StoredMotd, loadMotd } from '../storage/motd.ts'
import { Cell } from '../state/cell.ts'

/** The message of the day, cached on the device: a start fetches it only when it has changed. */
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

  /** Fetches the message unless its version is cached. `version`: undefined if the server has no message. */
  async update(version: bigint | undefined): Promise<void> {
    const kept = loadMotd(this.#userId)
    if (version === undefined) return this.#keep(undefined)
    if (kept?.version === String(version)) return
    const { motd: body = '' } = await this.#server.api.server.getMotd({})
    this.#keep({ version: String(version), body, hidden: kept?.hidden === true && kept.body === body })
  }

  /** Hides the message until it changes. */
  hide(): void {
    const kept = loadMotd(this.#userId)
    if (kept) this.#keep({ ...kept, hidden: true })
  }

  #keep(motd: StoredMotd | undefined): void {
    saveMotd(this.#userId, motd)
    this.#show(motd)
  }

  #show(motd: StoredMotd | undefined): void {
    this.shown.set(motd && !motd.hidden && motd.body !== '' ? motd.body : undefined)
  }
}
