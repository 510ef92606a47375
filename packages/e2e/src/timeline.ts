import { RoomService, type RoomTimelineEvent } from '@parley/contracts/api'
import type { Person } from './people.ts'

export async function timelineOf(person: Person, roomId: string): Promise<RoomTimelineEvent[]> {
  let events: RoomTimelineEvent[] = []
  for (let before: string | undefined; ;) {
    const { page } = await person.call(RoomService.method.getRoomEvents, {
      ...{ roomId, limit: 500 },
      ...(before === undefined ? {} : { cursor: { case: 'before', value: before } as const }),
    })
    if (page === undefined) throw new Error('the response has no page')
    events = [...page.events, ...events]
    if (!page.hasOlder) return events
    before = page.startCursor
  }
}

export const messageIds = (timeline: RoomTimelineEvent[]): string[] =>
  timeline.filter(({ event }) => event.case === 'messagePosted').map(({ id }) => id)
