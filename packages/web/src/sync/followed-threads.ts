import type { MemberClient } from '@parley/client'
import type { FollowedThread } from '@parley/client/contract'
import { Cell } from '../state/cell.ts'
import { gathered } from './gathered.ts'
import type { People } from './people.ts'

/** The threads that the viewer follows. */
export class FollowedThreads {
  /** The one with the newest reply first; undefined until read. */
  readonly threads = new Cell<readonly FollowedThread[] | undefined>(undefined)
  readonly hasUnread: Cell<boolean>
  /** Reloads the list soon. */
  readonly refresh: () => void

  constructor(server: MemberClient, people: People, hasUnread: boolean) {
    this.hasUnread = new Cell(hasUnread)
    const ask = gathered(300, async () => {
      const answer = await people.reading(async (changes) => {
        const response = await server.api.thread.listFollowedThreads({ page: { limit: 50 } })
        if (response.includes) people.learnNames(Object.values(response.includes.users), changes)
        return response
      })
      this.threads.set(answer.threads)
      this.hasUnread.set(answer.threads.some(({ thread }) => thread?.viewerState?.hasUnread ?? false))
    })
    this.refresh = () => ask('')
  }

  /** Something happened in a thread: reload the list if it may be visible. */
  changed(): void {
    if (this.threads.value !== undefined || !this.hasUnread.value) this.refresh()
  }
}
