import type { MemberClient } from '@parley/client'
import type { Message, RoomTimelinePage } from '@parley/client/contract'
import type { People } from './people.ts'
import type { TimelineSource } from './timeline.ts'

/** The newest rows of a room, as they were requested before there was a timeline. */
export type FirstPage = Promise<RoomTimelinePage | undefined>

/** The timeline of a room. `newest` answers the first request for its newest rows. */
export function roomSource({ api }: MemberClient, people: People, roomId: string, newest?: FirstPage): TimelineSource {
  let first = newest
  return {
    async read(cursor, limit = 0) {
      const asked = cursor === undefined ? first : undefined
      first = undefined
      if (asked) return taught(people, await asked)
      const { page } = await api.room.getRoomEvents({ roomId, limit, ...(cursor && { cursor }) })
      return taught(people, page)
    },
    async readAround(eventId) {
      const { page } = await api.room.getRoomEventsAround({ roomId, eventId })
      return taught(people, page)
    },
    readMessages: (eventIds) => readMessages(api, roomId, eventIds),
  }
}

/** A thread of a room. Its root always comes first. */
export function threadSource(
  { api }: MemberClient,
  people: People,
  roomId: string,
  threadRootEventId: string,
): TimelineSource {
  return {
    async read(cursor, limit = 0) {
      const { page } = await api.thread.getThreadEvents({ roomId, threadRootEventId, limit, ...(cursor && { cursor }) })
      return taught(people, page)
    },
    async readAround(eventId) {
      const { page } = await api.thread.getThreadEventsAround({ roomId, threadRootEventId, eventId })
      return taught(people, page)
    },
    readMessages: (eventIds) => readMessages(api, roomId, eventIds),
  }
}

function taught(people: People, page: RoomTimelinePage | undefined): RoomTimelinePage | undefined {
  if (page?.includes) people.learnNames(Object.values(page.includes.users))
  return page
}

const mostAtOnce = 100

async function readMessages(api: MemberClient['api'], roomId: string, eventIds: string[]) {
  const messages: Message[] = []
  for (let from = 0; from < eventIds.length; from += mostAtOnce) {
    const some = eventIds.slice(from, from + mostAtOnce)
    messages.push(...(await api.message.batchGetMessages({ roomId, eventIds: some })).messages)
  }
  return messages
}
