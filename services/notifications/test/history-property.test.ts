import { beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { NotificationLevel } from '@parley/contracts/api'
import { newId } from '@parley/ids'
import { eventually } from '@parley/testkit'
import { sqlRows } from '@parley/postgres'
import { sql } from 'drizzle-orm'
import { useFleet } from './_fleet.ts'
import { publish, RoomPublisher } from './_room-publisher.ts'
import { RoomHistory, type Level } from './_notification-model.ts'

const fleet = useFleet()
beforeAll(() => fleet.start())

const users = 4
const levels = {
  default: NotificationLevel.DEFAULT,
  muted: NotificationLevel.MUTED,
  all: NotificationLevel.ALL_MESSAGES,
} as const

const user = fc.nat({ max: users - 1 })
const some = fc.uniqueArray(user, { maxLength: users })
/** Number of a message, modulo how many there are. */
const messageNumber = fc.nat({ max: 15 })
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('post' as const), user, some, everyone: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant('reply' as const), user, some, messageNumber, echo: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('read room' as const, 'read thread', 'retract'), user, messageNumber }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('level' as const),
      user,
      level: fc.constantFrom<Level>('default', 'muted', 'all'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('leave' as const, 'come back', 'dismiss', 'dismiss all'), user }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

function newRun() {
  const roomId = newId('room')
  const ids = Array.from({ length: users }, () => newId('user'))
  const room = fleet.fakes.room(roomId, ids)
  return { roomId, ids, room, publisher: new RoomPublisher(fleet.bus, roomId), history: new RoomHistory(users) }
}
type Run = ReturnType<typeof newRun>

const idOf = ({ ids }: Run, n: number): string => ids[n] ?? ''

async function untilHandled({ publisher }: Run): Promise<void> {
  const ids = publisher.created.map(({ id }) => id ?? '')
  await eventually(async () => {
    const rows = await sqlRows(fleet.db, sql`select from inbox where event_id = any(${sql.param(ids)}::text[])`)
    expect(rows).toHaveLength(ids.length)
  })
}

async function applyStep(run: Run, it: Step): Promise<void> {
  const { publisher, history, room, roomId } = run
  const name = idOf(run, it.user)
  const message =
    'messageNumber' in it ? history.messages[it.messageNumber % Math.max(1, history.messages.length)] : undefined
  switch (it.do) {
    case 'post': {
      const mentions = { userIds: it.some.map((n) => idOf(run, n)), all: it.everyone }
      const eventId = await publisher.post(name, { mentions })
      return history.post({ author: it.user, seq: publisher.seq, eventId, mentioned: it.some, everyone: it.everyone })
    }
    case 'reply': {
      if (!message) return
      const [repliedTo, ...followers] = it.some
      const root = message.root || message.messageId
      const eventId = await publisher.post(name, {
        threadRootEventId: root,
        inReplyToAuthorId: repliedTo === undefined ? '' : idOf(run, repliedTo),
        threadFollowerIds: followers.map((n) => idOf(run, n)),
      })
      history.post({ author: it.user, seq: publisher.seq, eventId, root, repliedTo, followers })
      if (!it.echo) return
      const echo = await publisher.post(name, { echoOfEventId: eventId })
      return history.post({ author: it.user, seq: publisher.seq, eventId: echo, messageId: eventId })
    }
    case 'read room':
    case 'read thread': {
      if (!message) return
      const root = it.do === 'read room' ? '' : message.root || message.messageId
      await publisher.read(name, message.seq, { threadRootEventId: root })
      return history.read(it.user, root, message.seq)
    }
    case 'retract': {
      if (!message || message.retracted) return
      const echoOnly = message.eventId !== message.messageId
      await publisher.retract(message.eventId, { echoOnly })
      for (const one of history.messages)
        if (one === message || (!echoOnly && one.messageId === message.eventId)) one.retracted = true
      return
    }
    case 'level':
      if (!history.members[it.user]) return
      await untilHandled(run)
      await fleet.as(name).preferences.updateRoomNotificationPreference({ roomId, level: levels[it.level] })
      history.levels[it.user] = it.level
      return
    case 'leave':
      await untilHandled(run)
      room.members.delete(name)
      await publisher.leave(name)
      return history.leave(it.user, publisher.seq)
    case 'come back':
      await untilHandled(run)
      room.members.add(name)
      history.members[it.user] = true
      return
    case 'dismiss':
    case 'dismiss all': {
      await untilHandled(run)
      const pending = history.pending(it.user)
      const which = it.do === 'dismiss' ? pending.slice(0, 1) : pending
      for (const { eventId } of which)
        history.dismiss(it.user, history.messages.find((one) => one.eventId === eventId)?.messageId ?? '')
      const { notifications } = fleet.as(name)
      if (it.do === 'dismiss all') {
        expect((await notifications.dismissAllNotifications({})).dismissedCount).toBe(pending.length)
        return
      }
      const { notifications: items } = await notifications.listNotifications({})
      await notifications.dismissNotification({
        notificationId: items.find(({ kind }) => kind.value?.eventId === which[0]?.eventId)?.id ?? 'Nnone',
      })
    }
  }
}

async function check(run: Run): Promise<void> {
  for (const [n, userId] of run.ids.entries()) {
    const expected = run.history.pending(n)
    const { notifications } = fleet.as(userId)
    const [list, counts, any] = await Promise.all([
      notifications.listNotifications({ page: { limit: 100 } }),
      notifications.listRoomNotificationCounts({}),
      notifications.hasNotifications({}),
    ])
    const found = list.notifications.map(({ kind }) => ({ eventId: kind.value?.eventId, kind: kind.case }))
    expect(new Set(found)).toEqual(new Set(expected))
    expect(list.page?.totalCount).toBe(BigInt(expected.length))
    expect(counts.roomCounts.map(({ totalCount }) => totalCount)).toEqual(expected.length > 0 ? [expected.length] : [])
    expect(any.hasNotifications).toBe(expected.length > 0)
  }
}

test('after any sequence of events, lists and counts match the model', async () => {
  const history = fc.array(step, { minLength: 5, maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(history, fc.infiniteStream(fc.nat()), async (steps, random) => {
      const run = newRun()
      for (const it of steps) await applyStep(run, it)
      await untilHandled(run)
      await check(run)
      const order = new Map(run.publisher.created.map((event) => [event, random.next().value]))
      const again = [...run.publisher.created].sort((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0))
      for (const event of again) await publish(fleet.bus, event)
      await run.publisher.read(idOf(run, 0), 0n, { threadRootEventId: 'Elast' })
      await untilHandled(run)
      await check(run)
    }),
    { numRuns: 12 },
  )
}, 240_000)
