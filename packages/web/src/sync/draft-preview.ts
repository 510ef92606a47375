import type { MemberClient } from '@parley/client'
import type { LinkPreview } from '@parley/client/contract'
import { Cell } from '../state/cell.ts'
import { firstLinkIn } from '../store/links.ts'

const pauseMs = 500

/** Preview of the page to which the first link of a draft leads. */
export class DraftPreview {
  readonly found = new Cell<{ link: string; token: string; preview: LinkPreview } | undefined>(undefined)
  readonly #server: MemberClient
  readonly #unwanted = new Set<string>()
  #currentLink: string | undefined

  constructor(server: MemberClient) {
    this.#server = server
  }

  /** Loads the preview for a changed draft, unless its link changes again within half a second. */
  async update(body: string): Promise<void> {
    const link = firstLinkIn(body)
    if (link === this.#currentLink) return
    this.#currentLink = link
    this.found.set(undefined)
    if (link === undefined || this.#unwanted.has(link)) return
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
    if (link !== this.#currentLink) return
    // A failed preview is not reported.
    const answer = await this.#server.api.message.fetchLinkPreview({ url: link }).catch(() => undefined)
    if (link !== this.#currentLink || !answer?.preview || this.#unwanted.has(link)) return
    this.found.set({ link, token: answer.previewToken, preview: answer.preview })
  }

  /** Removes the preview, and shows none for this link again. */
  discard(): void {
    if (this.found.value) this.#unwanted.add(this.found.value.link)
    this.found.set(undefined)
  }
}
