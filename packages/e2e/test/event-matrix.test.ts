import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { PresenceStatus } from '@parley/contracts/api'
import { type RealtimeEventEnvelope, RealtimeEventEnvelopeSchema } from '@parley/contracts/realtime'
import { Resources } from '@parley/runtime'
import { eventually, hasFfmpeg } from '@parley/testkit'
import type { Kind, Listeners } from '../src/listeners.ts'
import { calls } from '../src/matrix/calls.ts'
import type { Name } from '../src/matrix/cast.ts'
import { messages, threads } from '../src/matrix/messages.ts'
import { startMediaServer } from '../src/media-server.ts'
import { notifications } from '../src/matrix/notifications.ts'
import { ends, profiles } from '../src/matrix/people.ts'
import { membership, rooms, sidebar } from '../src/matrix/rooms.ts'
import type { Row } from '../src/matrix/rows.ts'
import { Stage } from '../src/matrix/stage.ts'
import { videos } from '../src/matrix/videos.ts'

const rows = [
  ...[...messages, ...threads, ...notifications, ...calls, ...videos, ...membership, ...rooms, ...sidebar],
  ...[...profiles, ...ends],
]

/** Kinds that no row causes: nothing deletes a room, and videos are processed where there is ffmpeg. */
const elsewhere: Kind[] = [
  'roomDeleted',
  ...(hasFfmpeg() ? [] : (['assetProcessingStarted', 'assetProcessingSucceeded', 'assetProcessingFailed'] as const)),
]
/** Kinds that concern nobody of the stage, or occur by themselves: checked only where a row expects them. */
const anyonesKinds: Kind[] = ['roomGroupsUpdated', 'serverUpdated', 'presenceChanged']

// After other suites every consumer may first have much to do, more so where the stream was lost.
jest.setTimeout(400_000)

let stage: Stage
let listeners: Listeners
const opened = new Resources()
beforeAll(async () => {
  stage = await Stage.set(opened.use(await startMediaServer()))
  listeners = opened.use(await stage.listen())
  // Earlier events arrived before these.
  await stage.post('ada', stage.channel, 'shall we begin?')
  await stage.post('ada', stage.dm, 'shall we?')
  await stage.post('ada', stage.hall, 'we begin')
  await eventually(() => {
    const posted = listeners.received(({ event }) => event.case === 'messagePosted')
    expect(posted['ada at one node']?.length).toBe(3)
    expect(posted['bob at the other node']?.length).toBe(3)
  })
  listeners.beginAfter(await silence())
})
afterAll(() => opened[Symbol.asyncDispose]())

/** Waits until everybody has received the events; returns the final message. */
async function silence(ended?: Name[]): Promise<string> {
  const marker = await stage.mark()
  await listeners.silence(marker, ended)
  return marker
}

/** Whether a row must expect an event. */
const counting =
  ({ receives }: Row) =>
  ({ event }: RealtimeEventEnvelope): boolean => {
    if (event.case === undefined || elsewhere.includes(event.case)) return false
    // People who were reported as present become absent a minute later.
    if (event.case === 'presenceChanged' && event.value.status === PresenceStatus.OFFLINE) return false
    if (anyonesKinds.includes(event.case)) return receives.some(([kind]) => kind === event.case)
    if ('roomId' in event.value) return event.value.roomId !== stage.plaza
    if ('userId' in event.value) return stage.knows(event.value.userId)
    return true
  }

function expected({ receives }: Row): Record<string, Kind[]> {
  const places = Object.keys(listeners.received(() => false))
  return Object.fromEntries(
    places.map((place) => {
      const name = place.slice(0, place.indexOf(' ')) as Name
      return [place, receives.flatMap(([kind, who]) => (who.includes(name) ? [kind] : [])).sort()]
    }),
  )
}

/** A video has to be processed for some of it. */
const slow = { timeoutMs: 90_000 }

/** Performs a row. Resolves with its end when everybody has received exactly what they should. */
async function play(row: Row): Promise<string> {
  await row.act(stage)
  const wanted = expected(row)
  const counts = counting(row)
  await eventually(() => {
    const received = listeners.received(counts)
    for (const [place, kinds] of Object.entries(wanted)) {
      expect([place, received[place]]).toEqual([place, expect.arrayContaining(kinds)])
      expect(received[place]?.length).toBeGreaterThanOrEqual(kinds.length)
    }
  }, slow)
  const marker = await silence(row.ends)
  expect(listeners.received(counts, marker)).toEqual(wanted)
  for (const [event, encodings] of listeners.encodings()) expect([event, ...encodings]).toHaveLength(2)
  return marker
}

test.each(rows)('$what is received by the permitted people, on every socket, and by nobody else', async (row) => {
  let marker: string | undefined
  try {
    marker = await play(row)
  } finally {
    listeners.beginAfter(marker ?? (await silence(row.ends)))
  }
})

test('the rows cause every kind of event that there is', () => {
  const all = RealtimeEventEnvelopeSchema.oneofs.flatMap(({ fields }) => fields.map(({ localName }) => localName))
  const caused = rows.flatMap(({ receives }) => receives.map(([kind]) => kind))
  expect([...new Set([...caused, ...elsewhere])].sort()).toEqual(all.sort())
})
