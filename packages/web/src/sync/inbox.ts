import type { MemberClient } from '@parley/client'
import type { NotificationItem } from '@parley/client/contract'
import { Cell } from '../state/cell.ts'
import { createBatcher } from './batcher.ts'
import type { People } from './people.ts'

const maxListed = 50

export class Inbox {
  /** Newest first; undefined until loaded. */
  readonly items = new Cell<readonly NotificationItem[] | undefined>(undefined)
  /** Number of pending notifications, listed or not. */
  readonly total = new Cell(0)
  readonly refresh: () => void
  readonly #server: MemberClient
  /** Ids of removed notifications, which a response may still contain. */
  readonly #removed = new Set<string>()

  constructor(server: MemberClient, people: People) {
    this.#server = server
    const ask = createBatcher(150, async () => {
      const answer = await people.trackChangesDuring(async (changes) => {
        const response = await server.api.notification.listNotifications({ page: { limit: maxListed } })
        const actors = response.notifications.flatMap(({ actor }) => actor ?? [])
        people.learnNames(actors, changes)
        return response
      })
      const { notifications, page } = answer
      const listed = notifications.filter(({ id }) => !this.#removed.has(id))
      this.items.set(listed)
      this.total.set(Number(page?.totalCount ?? notifications.length) - (notifications.length - listed.length))
    })
    this.refresh = () => ask('')
  }

  remove(notificationId: string): void {
    this.#removed.add(notificationId)
    const before = this.items.value?.length ?? 0
    const isMore = this.total.value > before
    this.items.update((items) => items?.filter(({ id }) => id !== notificationId))
    const listed = this.items.value?.length ?? 0
    if (listed < before) this.total.update((total) => total - 1)
    // Fills the list with the next notification, or, if the removed one was not listed, loads the new total.
    if (isMore) this.refresh()
  }

  async dismiss(notificationId: string): Promise<void> {
    this.remove(notificationId)
    try {
      await this.#server.api.notification.dismissNotification({ notificationId })
    } catch (thrown) {
      this.#removed.delete(notificationId)
      throw thrown
    }
  }

  async dismissAll(): Promise<void> {
    await this.#server.api.notification.dismissAllNotifications({})
    for (const { id } of this.items.value ?? []) this.#removed.add(id)
    this.items.set([])
    this.total.set(0)
  }
}
