import type { MemberClient } from '@parley/client'
import type { FollowedThread } from '@parley/client/contract'
import { Cell } from '../state/cell.ts'
import { createBatcher } from './batcher.ts'
import type { People } from './people.ts'

export class FollowedThreads {
  /**
   * By newest reply, newest first; undefined until loaded. A message without replies, or whose replies were all
   * deleted, may still be followed, but is not listed.
   */
  readonly threads = new Cell<readonly FollowedThread[] | undefined>(undefined)
  readonly hasUnread: Cell<boolean>
  readonly refresh: () => void

  constructor(server: MemberClient, people: People, hasUnread: boolean) {
    this.hasUnread = new Cell(hasUnread)
    const ask = createBatcher(300, async () => {
      const answer = await people.trackChangesDuring(async (changes) => {
        const response = await server.api.thread.listFollowedThreads({ page: { limit: 50 } })
        if (response.includes) people.learnNames(Object.values(response.includes.users), changes)
        return response
      })
      this.threads.set(answer.threads.filter(({ thread }) => (thread?.replyCount ?? 0) > 0))
      this.hasUnread.set(answer.threads.some(({ thread }) => thread?.viewerState?.hasUnread ?? false))
    })
    this.refresh = () => ask('')
  }

  /** Reloads the list after an event in a thread, if the list is loaded or there is no unread mark yet. */
  refreshIfNeeded(): void {
    if (this.threads.value !== undefined || !this.hasUnread.value) this.refresh()
  }
}
