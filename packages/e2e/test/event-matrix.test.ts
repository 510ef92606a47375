import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { PresenceStatus } from '@parley/contracts/api'
import { type RealtimeEventEnvelope, RealtimeEventEnvelopeSchema } from '@parley/contracts/realtime'
import { Resources } from '@parley/runtime'
import { eventually, hasFfmpeg } from '@parley/testkit'
import type { Kind, Listeners } from '../src/listeners.ts'
import { calls } from '../src/matrix/calls.ts'
import type { Name } from '../src/matrix/users.ts'
import { messages } from '../src/matrix/messages.ts'
import { startMediaServer } from '../src/media-server.ts'
import { notifications } from '../src/matrix/notifications.ts'
import { profiles, sessionEnds } from '../src/matrix/people.ts'
import { membership, rooms, sidebar } from '../src/matrix/rooms.ts'
import type { Row } from '../src/matrix/rows.ts'
import { Fixture } from '../src/matrix/fixture.ts'
import { threads } from '../src/matrix/threads.ts'
import { videos } from '../src/matrix/videos.ts'

const rows = [
  ...[...messages, ...threads, ...notifications, ...calls, ...videos, ...membership, ...rooms, ...sidebar],
  ...[...profiles, ...sessionEnds],
]

/** Kinds that no row causes: rooms cannot be deleted, and videos are not processed without ffmpeg. */
const kindsWithoutRow: Kind[] = [
  'roomDeleted',
  ...(hasFfmpeg() ? [] : (['assetProcessingStarted', 'assetProcessingSucceeded', 'assetProcessingFailed'] as const)),
]
/** Kinds that other suites or timers cause too: checked only in rows that expect them. */
const sharedKinds: Kind[] = ['roomGroupsUpdated', 'serverUpdated', 'presenceChanged']

// After other suites every consumer may have a backlog, especially if the stream was lost.
jest.setTimeout(400_000)

let fixture: Fixture
let listeners: Listeners
const resources = new Resources()
beforeAll(async () => {
  fixture = await Fixture.create(resources.use(await startMediaServer()))
  listeners = resources.use(await fixture.listen())
  await fixture.post('ada', fixture.channel, 'first')
  await fixture.post('ada', fixture.dm, 'first')
  await fixture.post('ada', fixture.hall, 'first')
  await eventually(() => {
    const posted = listeners.received(({ event }) => event.case === 'messagePosted')
    expect(posted['ada at one node']?.length).toBe(3)
    expect(posted['bob at the other node']?.length).toBe(3)
  })
  listeners.resetAfter(await waitForEnd())
})
afterAll(() => resources[Symbol.asyncDispose]())

async function waitForEnd(ended?: Name[]): Promise<string> {
  const marker = await fixture.postMarker()
  await listeners.waitForMarker(marker, ended)
  return marker
}

/** Leaves out events that rows need not list, because something other than the action may have caused them. */
const isRelevantFor =
  ({ receives }: Row) =>
  ({ event }: RealtimeEventEnvelope): boolean => {
    if (event.case === undefined || kindsWithoutRow.includes(event.case)) return false
    // Users become offline a minute after they were last present.
    if (event.case === 'presenceChanged' && event.value.status === PresenceStatus.OFFLINE) return false
    if (sharedKinds.includes(event.case)) return receives.some(([kind]) => kind === event.case)
    if ('roomId' in event.value) return event.value.roomId !== fixture.plaza
    if ('userId' in event.value) return fixture.hasUser(event.value.userId)
    return true
  }

function expectedEvents({ receives }: Row): Record<string, Kind[]> {
  const sockets = Object.keys(listeners.received(() => false))
  return Object.fromEntries(
    sockets.map((socket) => {
      const name = socket.slice(0, socket.indexOf(' ')) as Name
      return [socket, receives.flatMap(([kind, who]) => (who.includes(name) ? [kind] : [])).sort()]
    }),
  )
}

/** Some rows process a video. */
const slow = { timeoutMs: 90_000 }

async function runRow(row: Row): Promise<string> {
  await row.act(fixture)
  const expected = expectedEvents(row)
  const isRelevant = isRelevantFor(row)
  await eventually(() => {
    const received = listeners.received(isRelevant)
    for (const [socket, kinds] of Object.entries(expected)) {
      expect([socket, received[socket]]).toEqual([socket, expect.arrayContaining(kinds)])
      expect(received[socket]?.length).toBeGreaterThanOrEqual(kinds.length)
    }
  }, slow)
  const marker = await waitForEnd(row.closesSocketsOf)
  expect(listeners.received(isRelevant, marker)).toEqual(expected)
  for (const [event, encodings] of listeners.encodings()) expect([event, ...encodings]).toHaveLength(2)
  return marker
}

test.each(rows)('the events of $what reach the permitted users, on every socket, and nobody else', async (row) => {
  let marker: string | undefined
  try {
    marker = await runRow(row)
  } finally {
    listeners.resetAfter(marker ?? (await waitForEnd(row.closesSocketsOf)))
  }
})

test('every kind of event is caused by a row or listed as an exception', () => {
  const all = RealtimeEventEnvelopeSchema.oneofs.flatMap(({ fields }) => fields.map(({ localName }) => localName))
  const caused = rows.flatMap(({ receives }) => receives.map(([kind]) => kind))
  expect([...new Set([...caused, ...kindsWithoutRow])].sort()).toEqual(all.sort())
})
