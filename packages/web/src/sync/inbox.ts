import type { MemberClient } from '@parley/client'
import type { NotificationItem } from '@parley/client/contract'
import { Cell } from '../state/cell.ts'
import { gathered } from './gathered.ts'
import type { People } from './people.ts'

const mostListed = 50

/** The viewer's pending notifications: mentions, replies, direct messages. */
export class Inbox {
  /** Newest first; undefined until read. */
  readonly items = new Cell<readonly NotificationItem[] | undefined>(undefined)
  /** Reloads them soon. */
  readonly refresh: () => void
  readonly #server: MemberClient

  constructor(server: MemberClient, people: People) {
    this.#server = server
    const ask = gathered(150, async () => {
      const answer = await server.api.notification.listNotifications({ page: { limit: mostListed } })
      people.learn(answer.notifications.flatMap(({ actor }) => actor ?? []))
      this.items.set(answer.notifications)
    })
    this.refresh = () => ask('')
  }

  /** One was seen, here or elsewhere. */
  gone(notificationId: string): void {
    this.items.update((items) => items?.filter(({ id }) => id !== notificationId))
  }

  async dismiss(notificationId: string): Promise<void> {
    this.gone(notificationId)
    await this.#server.api.notification.dismissNotification({ notificationId })
  }

  async dismissAll(): Promise<void> {
    await this.#server.api.notification.dismissAllNotifications({})
    this.items.set([])
  }
}
