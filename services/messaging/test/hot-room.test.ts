import { setTimeout as delay } from 'node:timers/promises'
import { Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { eventually, recordEvents } from '@parley/testkit'
import { deliveriesOf } from './_events.ts'
import { useFleet } from './_fleet.ts'

const fleet = useFleet({ processes: 2 })

type Row = { seq: bigint; event_id: string; actor_id: string; body: string | null; thread_root_event_id: string | null }

const select = async <T extends object>(text: string, ...values: unknown[]) =>
  (await fleet.pool.query<T>(text, values)).rows

const messagesOf = (roomId: string) =>
  select<Row>(
    `select seq, event_id, actor_id, body, thread_root_event_id from room_events
    where room_id = $1 and kind = 'message_posted' order by seq`,
    roomId,
  )

test('posts of 64 writers, concurrent with joins, bans and archiving, have one order', async () => {
  const writers = Array.from({ length: 64 }, (_, n) => `h${n}`)
  const room = await fleet.room().channel(writers)
  const { roomId } = room
  await using recorded = await recordEvents(fleet.bus, `evt.room.${roomId}.>`)
  const root = await fleet.as('h0').messages.createMessage({ roomId, body: 'root' })
  const threadRootEventId = root.message?.id ?? ''
  const confirmed = new Map<string, string>()
  const codes = new Set<Code>()

  const write = async (userId: string, n: number) => {
    let banned = false
    // The writers from h60 on are banned; each of them posts until the ban takes effect.
    for (let turn = 0; n < 60 ? turn < 6 : !banned; turn++) {
      const body = `${userId} ${turn}`
      const inThread = (n + turn) % 3 > 0 && { threadRootEventId, alsoSendToChannel: (n + turn) % 3 === 2 }
      const headers = { 'Idempotency-Key': body }
      const send = () => fleet.as(userId).messages.createMessage({ roomId, body, ...inThread }, { headers })
      while (!banned && !confirmed.has(body)) {
        const outcomes = await Promise.allSettled([send(), send()])
        const ids = outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value.message?.id ?? ''] : []))
        expect(new Set(ids).size).toBeLessThanOrEqual(1)
        if (ids[0] !== undefined) confirmed.set(body, ids[0])
        const refused = outcomes.flatMap((one) =>
          one.status === 'rejected' ? [ConnectError.from(one.reason).code] : [],
        )
        for (const code of refused) codes.add(code)
        banned = refused.includes(Code.PermissionDenied)
        // The room is archived or busy; clients retry later.
        if (refused.length > 0) await delay(20)
      }
    }
  }
  const change = async () => {
    for (let n = 0; n < 4; n++) {
      await room.retryUntilApplied(room.join(`late${n}`))
      await room.retryUntilApplied(room.archive())
      await room.retryUntilApplied(room.ban(`h${60 + n}`))
      await room.retryUntilApplied(room.unarchive())
    }
  }
  await Promise.all([...writers.map(write), change()])
  await fleet.untilRelayed(roomId)

  const refusals = [Code.PermissionDenied, Code.FailedPrecondition, Code.Unavailable]
  expect(refusals).toEqual(expect.arrayContaining([...codes]))
  const rows = await messagesOf(roomId)
  const texts = rows.filter(({ body }) => body !== null && body !== 'root')
  expect(new Set(texts.map(({ body }) => body)).size).toBe(texts.length)
  const stored = new Map(texts.map(({ body, event_id }) => [body, event_id]))
  for (const [body, id] of confirmed) expect(stored.get(body)).toBe(id)
  expect(confirmed.size).toBeGreaterThanOrEqual(60 * 6)
  expect(codes).toContain(Code.PermissionDenied)

  // Each place has one event, and each writer's messages are in order.
  const last = (await select<{ room_seq: bigint }>('select room_seq from room_lines where room_id = $1', roomId))[0]
  const events = await select<{ n: bigint }>(
    `select count(distinct event_id) as n from outbox where aggregate = $1`,
    `room.${roomId}`,
  )
  expect(events[0]?.n).toBe(last?.room_seq)
  await eventually(() => new Set(recorded.events.map(({ id }) => id)).size >= Number(last?.room_seq) - 65)
  const versions = new Map(recorded.events.map(({ id, version }) => [id, version]))
  for (const { event_id, seq } of rows) expect(versions.get(event_id)).toBe(seq)
  for (const writer of writers) {
    const turns = texts.filter(({ actor_id }) => actor_id === writer).map(({ body }) => Number(body?.split(' ')[1]))
    expect(turns).toEqual([...turns].sort((a, b) => a - b))
  }

  // Nobody posts after their ban or while the room is archived.
  const placesOf = (kind: string) =>
    [...new Set(recorded.events.filter((event) => event.kind === kind).map(({ version }) => version))].sort((a, b) =>
      a < b ? -1 : 1,
    )
  for (const [n, banned] of placesOf('member_banned').entries()) {
    expect(rows.filter(({ actor_id, seq }) => actor_id === `h${60 + n}` && seq > banned)).toEqual([])
  }
  const ends = placesOf('room_unarchived')
  expect(ends).toHaveLength(4)
  for (const [n, archived] of placesOf('room_archived').entries()) {
    expect(rows.filter(({ seq }) => seq > archived && seq < (ends[n] ?? 0n))).toEqual([])
  }

  const replies = texts.filter((row) => row.thread_root_event_id !== null)
  const [thread] = await select(
    'select reply_count, last_reply_seq, participant_ids from threads where room_id = $1',
    roomId,
  )
  const participants = [...new Set(replies.map(({ actor_id }) => actor_id))].slice(0, 50)
  expect(thread).toEqual({
    reply_count: replies.length,
    last_reply_seq: replies.at(-1)?.seq,
    participant_ids: participants,
  })
  const shown = rows.filter((row) => row.thread_root_event_id === null)
  const markers = await select<{ user_id: string; seq: bigint }>(
    'select user_id, seq from room_markers where room_id = $1',
    roomId,
  )
  expect(new Map(markers.map(({ user_id, seq }) => [user_id, seq]))).toEqual(
    new Map(shown.map(({ actor_id, seq }) => [actor_id, seq])),
  )
  const threadMarkers = await select<{ user_id: string; seq: bigint }>(
    'select user_id, seq from thread_markers where room_id = $1',
    roomId,
  )
  expect(new Map(threadMarkers.map(({ user_id, seq }) => [user_id, seq]))).toEqual(
    new Map(replies.map(({ actor_id, seq }) => [actor_id, seq])),
  )
  const follows = await select<{ user_id: string }>(
    'select user_id from thread_follows where room_id = $1 and following',
    roomId,
  )
  expect(new Set(follows.map(({ user_id }) => user_id))).toEqual(
    new Set(['h0', ...replies.map(({ actor_id }) => actor_id)]),
  )
  const threadStarts = recorded.events.filter((event) =>
    deliveriesOf(event).some(({ kind }) => kind === 'threadCreated'),
  )
  expect(new Set(threadStarts.map(({ id }) => id))).toEqual(new Set([replies[0]?.event_id]))

  // Some statement wrote several posts, and none more than 64; an echo is a second row.
  const statements = await select<{ rows: bigint }>(
    'select count(*) as rows from room_events where room_id = $1 group by xmin::text order by 1 desc',
    roomId,
  )
  expect(Number(statements[0]?.rows)).toBeGreaterThan(4)
  expect(Number(statements[0]?.rows)).toBeLessThanOrEqual(128)
})

test('of two concurrent posts with one key in different rooms, one succeeds', async () => {
  const writers = Array.from({ length: 16 }, (_, n) => `k${n}`)
  const rooms = await Promise.all([fleet.room().channel(writers), fleet.room().channel(writers)])
  const writes = writers.flatMap((userId) =>
    Array.from({ length: 6 }, (_, n) =>
      rooms.map(({ roomId }) =>
        fleet.as(userId).messages.createMessage({ roomId, body: 'x' }, { headers: { 'Idempotency-Key': `hot ${n}` } }),
      ),
    ).flat(),
  )
  const outcomes = await Promise.allSettled(writes)
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(writers.length * 6)
  for (const one of outcomes) {
    if (one.status === 'rejected') expect(ConnectError.from(one.reason).code).toBe(Code.InvalidArgument)
  }
})
