import { Code, ConnectError } from '@connectrpc/connect'
import { expect, test } from '@jest/globals'
import { toOutboxRow } from '@parley/events'
import { eventually } from '@parley/testkit'
import { findChangeable } from '../src/store/changeable.ts'
import { eraseReactions } from '../src/store/erase-messages.ts'
import { removeReactionWithEvent } from '../src/store/reactions.ts'
import { recordRoomEvents, say } from './_conversation.ts'
import { useFleet, type Person } from './_fleet.ts'

const fleet = useFleet({ processes: 2 })

const rows = async <Row extends object>(statement: string, roomId: string): Promise<Row[]> =>
  (await fleet.pool.query<Row>(statement, [roomId])).rows

async function expectConsistentCounts(roomId: string): Promise<void> {
  const tallies = `select t.emoji from reaction_tallies t full join (
    select seq, emoji, count(*) as count, array_agg(user_id) as users from reactions where room_id = $1 group by 1, 2
  ) r using (seq, emoji)
  where coalesce(t.room_id, $1) = $1 and (
    t.count is distinct from r.count or cardinality(t.first_user_ids) <> least(t.count, 5)
    or not t.first_user_ids <@ r.users
  )`
  expect(await rows(tallies, roomId)).toEqual([])
  const threads = `select t.root_event_id from threads t
  where t.room_id = $1 and (t.reply_count, t.last_reply_seq, (select array_agg(id order by id) from unnest(t.participant_ids) id))
    is distinct from (
      select (count(*)::integer, max(seq), array_agg(distinct actor_id order by actor_id)) from room_events e
      where e.room_id = t.room_id and e.thread_root_event_id = t.root_event_id and e.deleted_at is null
    )`
  expect(await rows(threads, roomId)).toEqual([])
  const last = `select l.last_message_seq from room_lines l where l.room_id = $1 and l.last_message_seq is distinct from (
    select max(seq) from room_events e
    where e.room_id = $1 and e.in_timeline and e.kind = 'message_posted' and e.deleted_at is null
  )`
  expect(await rows(last, roomId)).toEqual([])
  const echoes = `select e.event_id from room_events e
  left join room_events r on r.room_id = e.room_id and r.event_id = e.echo_of_event_id
  where e.room_id = $1 and e.echo_of_event_id is not null and e.in_timeline
    and (r.channel_echo_event_id is distinct from e.event_id or (r.deleted_at is null) <> (e.deleted_at is null))`
  expect(await rows(echoes, roomId)).toEqual([])
}

const raceCodes = new Set([Code.NotFound, Code.PermissionDenied, Code.FailedPrecondition])

async function ignoreRaces(call: Promise<unknown>): Promise<void> {
  try {
    await call
  } catch (error) {
    if (!(error instanceof ConnectError) || !raceCodes.has(error.code)) throw error
  }
}

const people = Array.from({ length: 8 }, (_, n) => `p${n}`)

/** `n` selects the message, and whether a change includes an echo. */
const actions: ((
  person: Person,
  roomId: string,
  root: string,
  ids: readonly string[],
  n: number,
) => Promise<unknown>)[] = [
  (person, roomId, _, ids, n) =>
    person.messages.updateMessage({
      roomId,
      eventId: pick(ids, n),
      body: `edit ${n}`,
      alsoSendToChannel: n % 2 === 0,
    }),
  (person, roomId, _, ids, n) => person.messages.addReaction({ roomId, messageEventId: pick(ids, n), emoji: 'tada' }),
  (person, roomId, _, ids, n) =>
    person.messages.removeReaction({ roomId, messageEventId: pick(ids, n), emoji: 'tada' }),
  (person, roomId, root, _, n) =>
    person.messages.createMessage({
      roomId,
      body: `reply ${n}`,
      threadRootEventId: root,
      alsoSendToChannel: n % 3 === 0,
    }),
  (person, roomId, _, ids, n) => person.messages.deleteMessage({ roomId, eventId: pick(ids, n * 7) }),
  (person, roomId, _, ids, n) =>
    person.messages.addReaction({ roomId, messageEventId: pick(ids, n * 3), emoji: 'eyes' }),
]
const pick = (ids: readonly string[], n: number): string => ids[n % ids.length] ?? ''

test('concurrent changes have one order, and all counts are correct', async () => {
  const { roomId } = await fleet.room().channel([...people, 'root'])
  const root = await say(fleet.as('root'), roomId, 'root')
  const replies = []
  for (let n = 0; n < 24; n++) {
    const echo = { threadRootEventId: root.id, alsoSendToChannel: n % 2 === 0 }
    replies.push(await say(fleet.as(pick(people, n)), roomId, `reply ${n}`, echo))
  }
  const ids = replies.flatMap(({ id, channelEchoEventId }) => [id, channelEchoEventId].filter((one) => one !== ''))
  await using recorded = await recordRoomEvents(fleet, roomId)
  await Promise.all(
    people.map(async (userId, nth) => {
      for (let n = 0; n < 36; n++) {
        const action = actions[(n + nth) % actions.length]
        if (action) await ignoreRaces(action(fleet.as(userId), roomId, root.id, ids, n * 5 + nth))
      }
    }),
  )
  await expectConsistentCounts(roomId)
  await fleet.untilRelayed(roomId)
  const [log] = await rows<{ seq: bigint }>('select room_seq as seq from room_lines where room_id = $1', roomId)
  await eventually(() => recorded.events.at(-1)?.version === log?.seq)
  const versions = recorded.events.map(({ version }) => version)
  expect(versions).toEqual(versions.map((_, index) => (versions[0] ?? 0n) + BigInt(index)))
})

test.each([
  ['banned', Code.PermissionDenied],
  ['archived', Code.FailedPrecondition],
])('no reaction is written after the fact that forbids it: %s', async (how, code) => {
  const channel = await fleet.room().channel(['ann', 'bob'])
  const { roomId } = channel
  const { id: eventId } = await say(fleet.as('bob'), roomId, 'x')
  await using recorded = await recordRoomEvents(fleet, roomId)
  const ann = fleet.as('ann').messages
  const emojis = ['tada', 'eyes', 'heart', 'rocket', '+1', '-1', 'smile', 'cry', 'fire', 'star']
  const reacting = emojis.map((emoji) =>
    ann.addReaction({ roomId, messageEventId: eventId, emoji }).then(
      () => 'added' as const,
      (error: unknown) => (error instanceof ConnectError ? error.code : undefined),
    ),
  )
  const applied = how === 'banned' ? channel.ban('ann') : channel.archive()
  const outcomes = await Promise.all(reacting)
  await applied
  for (const outcome of outcomes) expect(['added', code]).toContain(outcome)
  const last = ann.addReaction({ roomId, messageEventId: eventId, emoji: 'wave' })
  await expect(last).rejects.toMatchObject({ code })
  const added = outcomes.filter((outcome) => outcome === 'added').length
  await eventually(() => recorded.events.length === added + 1)
  const fact = recorded.events.find(({ fact }) => fact.case === 'roomFact')
  for (const event of recorded.events) {
    if (event.fact.case === 'reaction') expect(event.version).toBeLessThan(fact?.version ?? 0n)
  }
  await expectConsistentCounts(roomId)
})

test('concurrent retractions of one message are announced once', async () => {
  const { roomId } = await fleet.room().channel(['ann', ...people])
  const { id: eventId } = await say(fleet.as('ann'), roomId, 'x')
  await using recorded = await recordRoomEvents(fleet, roomId)
  await Promise.all(people.map((userId) => fleet.as(userId, ['moderator']).messages.deleteMessage({ roomId, eventId })))
  const { id } = await say(fleet.as('ann'), roomId, 'next')
  await eventually(() => recorded.events.some((event) => event.id === id))
  expect(recorded.events.map(({ kind }) => kind)).toEqual(['message_retracted', 'message_posted'])
})

test('concurrent requests for an echo create one', async () => {
  const { roomId } = await fleet.room().channel(['ann'])
  const ann = fleet.as('ann')
  const root = await say(ann, roomId, 'root')
  const { id: eventId } = await say(ann, roomId, 'reply', { threadRootEventId: root.id })
  const answers = await Promise.all(
    people.map(() => ann.messages.updateMessage({ roomId, eventId, alsoSendToChannel: true })),
  )
  expect(new Set(answers.map(({ message }) => message?.channelEchoEventId)).size).toBe(1)
  await expectConsistentCounts(roomId)
})

test.each([
  ['something was written', 'room_seq + 1'],
  ['a process of an earlier release, which takes no place, erased the message', 'room_seq'],
])('a waiting change is decided again if, meanwhile, %s', async (_, place) => {
  const { roomId } = await fleet.room().channel(['ann', 'bob'])
  const { id: eventId } = await say(fleet.as('ann'), roomId, 'x')
  const { messages } = fleet.as('ann')
  const holder = await fleet.pool.connect()
  try {
    await holder.query('begin')
    await holder.query('select from room_lines where room_id = $1 for no key update', [roomId])
    const changes = [
      messages.addReaction({ roomId, messageEventId: eventId, emoji: 'tada' }),
      messages.updateMessage({ roomId, eventId, body: 'y' }),
    ].map((call) => expect(call).rejects.toMatchObject({ code: Code.NotFound }))
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%with unchanged_room as materialized%'`
    await eventually(async () => (await fleet.pool.query(waiting)).rowCount !== 0)
    const erase = 'update room_events set body = null, deleted_at = now() where room_id = $1 and event_id = $2'
    await holder.query(erase, [roomId, eventId])
    await holder.query(`update room_lines set room_seq = ${place} where room_id = $1`, [roomId])
    await holder.query('commit')
    await Promise.all(changes)
  } finally {
    holder.release()
  }
  expect(await rows('select from reactions where room_id = $1', roomId)).toEqual([])
  expect(await rows('select from room_events where room_id = $1 and body is not null', roomId)).toEqual([])
})

test('a change decided before an erasure is not written after it', async () => {
  const { roomId } = await fleet.room().channel(['ann', 'bob'])
  const { id: eventId } = await say(fleet.as('ann'), roomId, 'x')
  for (const userId of ['ann', 'bob'])
    await fleet.as(userId).messages.addReaction({ roomId, messageEventId: eventId, emoji: 'tada' })
  const { pool } = fleet
  const found = await findChangeable(pool, { roomId, eventId, userId: 'ann', emoji: 'tada' })
  if (!found?.message) throw new Error('no message')
  expect(await eraseReactions(pool, 'bob', 10)).toBe(1)
  const { room, message } = found
  const value = { messageEventId: eventId, emoji: 'tada' }
  const event = { kind: 'reaction_removed', aggregateType: 'room', aggregateId: roomId, actorId: 'ann' } as const
  const at = { version: room.roomSeq + 1n, occurredAt: new Date(), fact: { case: 'reaction', value } } as const
  const decided = { roomId, userId: 'ann', version: room.version, roomSeq: room.roomSeq }
  const reaction = { roomId, seq: message.seq, emoji: 'tada', userId: 'ann' }
  const remove = (roomSeq: bigint) =>
    removeReactionWithEvent(pool, { ...decided, roomSeq, entry: toOutboxRow({ ...event, ...at }) }, reaction)
  expect(await remove(room.roomSeq)).toBeUndefined()
  await expectConsistentCounts(roomId)
  expect(await remove(room.roomSeq + 1n)).toMatchObject({ tally: undefined })
  await expectConsistentCounts(roomId)
})
