import type { MemberClient } from '@parley/client'
import type { Message, RoomTimelinePage } from '@parley/client/contract'
import type { People } from './people.ts'
import type { TimelineSource } from './timeline.ts'

export type FirstPage = Promise<RoomTimelinePage | undefined>

/** `newest`: the response to a request for the newest rows. The first read uses it, unless that read has a cursor. */
export function roomSource({ api }: MemberClient, people: People, roomId: string, newest?: FirstPage): TimelineSource {
  let first = newest
  return {
    read(cursor, limit = 0) {
      const requested = cursor === undefined ? first : undefined
      first = undefined
      return readPage(people, () =>
        requested
          ? requested.then((page) => ({ page }))
          : api.room.getRoomEvents({ roomId, limit, ...(cursor && { cursor }) }),
      )
    },
    readAround: (eventId) => readPage(people, () => api.room.getRoomEventsAround({ roomId, eventId })),
    readMessages: (eventIds) => readMessages(api, roomId, eventIds),
  }
}

/** Pages that are not read from a cursor begin with the root of the thread. */
export function threadSource(
  { api }: MemberClient,
  people: People,
  roomId: string,
  threadRootEventId: string,
): TimelineSource {
  return {
    read: (cursor, limit = 0) =>
      readPage(people, () =>
        api.thread.getThreadEvents({ roomId, threadRootEventId, limit, ...(cursor && { cursor }) }),
      ),
    readAround: (eventId) =>
      readPage(people, () => api.thread.getThreadEventsAround({ roomId, threadRootEventId, eventId })),
    readMessages: (eventIds) => readMessages(api, roomId, eventIds),
  }
}

function readPage(
  people: People,
  request: () => Promise<{ page?: RoomTimelinePage | undefined }>,
): Promise<RoomTimelinePage | undefined> {
  return people.trackChangesDuring(async (changes) => {
    const { page } = await request()
    if (page?.includes) people.learnNames(Object.values(page.includes.users), changes)
    return page
  })
}

const maxPerRequest = 100

async function readMessages(api: MemberClient['api'], roomId: string, eventIds: string[]) {
  const messages: Message[] = []
  for (let from = 0; from < eventIds.length; from += maxPerRequest) {
    const some = eventIds.slice(from, from + maxPerRequest)
    messages.push(...(await api.message.batchGetMessages({ roomId, eventIds: some })).messages)
  }
  return messages
}
