import { expect, test } from '@jest/globals'
import { NotificationLevel } from '@parley/contracts/api'
import fc from 'fast-check'
import { settleFollows } from '../src/store/settle-follows.ts'
import { useFleet } from './_fleet.ts'
import { History, type Level, type Step } from './_unread-model.ts'

const fleet = useFleet()

const users = 3
const theRoom = -1

const user = fc.nat({ max: users - 1 })
/** Number of a message, modulo how many there are. */
const message = fc.nat({ max: 11 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('post' as const), user }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('reply' as const, 'reply with echo'), user, message }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('follow' as const, 'unfollow'), user, message }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('retract' as const, 'thread read'), user, message }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('room read' as const, 'settle'), user }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('room read' as const), user, message }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constantFrom('level of the room' as const, 'level of the server'),
      ...{ user, level: fc.constantFrom<Level>('muted', 'muted', 'default', 'normal') },
    }),
  },
)

const levels: Record<Level, NotificationLevel> = {
  ...{ default: NotificationLevel.DEFAULT, muted: NotificationLevel.MUTED, normal: NotificationLevel.NORMAL },
}

let runs = 0
let version = 0n

/** Waits until messaging has stored the level. */
const choose = (userId: string, roomId: string, level: Level): Promise<void> =>
  fleet.publishLevel(userId, roomId, levels[level], ++version)

async function newRun() {
  const run = ++runs
  const ids = Array.from({ length: users }, (_, n) => `u${run}-${n}`)
  const { roomId } = await fleet.room().channel(ids)
  return { roomId, ids, history: new History() }
}
type Run = Awaited<ReturnType<typeof newRun>>

async function runStep({ roomId, ids, history }: Run, step: Step): Promise<void> {
  const { kind, user, message: number } = step
  if ('level' in step) {
    const ofRoom = kind === 'level of the room'
    history.setLevel(user, ofRoom ? 'room' : 'server', step.level)
    return choose(ids[user] ?? '', ofRoom ? roomId : '', step.level)
  }
  if (kind === 'settle') return settleFollows(fleet.pool, ids[user] ?? '', [roomId])
  const { messages, rooms, threads } = fleet.as(ids[user] ?? '')
  const about = number === undefined ? undefined : number % Math.max(1, history.messages.length)
  const target = about === undefined ? undefined : history.messages[about]
  if (kind === 'post') {
    const { message } = await messages.createMessage({ roomId, body: 'x' })
    const posted = history.add({ id: message?.id ?? '', author: user, kind: 'root', parent: undefined, shown: true })
    return history.read(user, theRoom, posted)
  }
  if (kind === 'room read') {
    if (target?.kind === 'reply') return
    await rooms.markRoomAsRead({ roomId, upToEventId: target?.id ?? '' })
    const upTo = about ?? history.last(theRoom)
    if (upTo !== undefined && history.messages.length > 0) history.read(user, theRoom, upTo)
    return
  }
  if (!target || about === undefined) return
  if (kind === 'retract') {
    if (target.author !== user || !target.shown) return
    await messages.deleteMessage({ roomId, eventId: target.id })
    target.shown = false
    for (const other of history.messages) if (other.kind === 'echo' && other.parent === about) other.shown = false
    return
  }
  const root =
    target.kind === 'root'
      ? about
      : target.kind === 'reply'
        ? target.parent
        : history.messages[target.parent ?? -1]?.parent
  const threadRootEventId = history.messages[root ?? -1]?.id
  if (root === undefined || threadRootEventId === undefined) return
  const thread = { roomId, threadRootEventId }
  switch (kind) {
    case 'follow':
    case 'unfollow':
      await (kind === 'follow' ? threads.followThread(thread) : threads.unfollowThread(thread))
      return history.follow(user, root, kind === 'follow')
    case 'thread read': {
      await threads.markThreadAsRead({ ...thread, upToEventId: target.kind === 'echo' ? '' : target.id })
      const upTo = target.kind === 'echo' ? history.last(root) : about
      if (upTo !== undefined) history.read(user, root, upTo)
      return
    }
    default: {
      const alsoSendToChannel = kind === 'reply with echo'
      const { message } = await messages.createMessage({ ...thread, body: 'x', alsoSendToChannel })
      const reply = history.add({ id: message?.id ?? '', author: user, kind: 'reply', parent: root, shown: true })
      history.read(user, root, reply)
      history.follow(user, root, true)
      history.follow(history.messages[root]?.author ?? user, root, true, true)
      if (!alsoSendToChannel) return
      const id = message?.channelEchoEventId ?? ''
      history.read(user, theRoom, history.add({ id, author: user, kind: 'echo', parent: reply, shown: true }))
    }
  }
}

test('after any sequence of changes, the unread state equals that of the model', async () => {
  const steps = fc.array(step, { minLength: 5, maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(steps, async (steps) => {
      const run = await newRun()
      const { roomId, ids, history } = run
      for (const step of steps) await runStep(run, step)
      const roots = history.messages.flatMap(({ kind }, number) => (kind === 'root' ? [number] : []))
      for (const [user, userId] of ids.entries()) {
        const { entries } = await fleet.messaging.roomStates({ userId, roomIds: [roomId] })
        const { rooms, followedThreads } = await fleet.messaging.hasUnread({ userId, roleIds: [] })
        const followed = roots.filter((root) => history.follows(user, root))
        const unreadThreads = followed
          .filter((root) => history.isUnread(user, root))
          .map((root) => history.messages[root]?.id)
        const { threads: listed } = await fleet.as(userId).threads.listFollowedThreads({})
        const marked = listed.filter(({ thread }) => thread?.viewerState?.hasUnread)
        expect(new Set(marked.map(({ rootMessage }) => rootMessage?.id))).toEqual(new Set(unreadThreads))
        expect({ room: entries.some(({ hasUnread }) => hasUnread), rooms, followedThreads }).toEqual({
          room: history.isUnread(user, theRoom),
          rooms: history.isUnread(user, theRoom),
          followedThreads: unreadThreads.length > 0,
        })
      }
    }),
    { numRuns: 40 },
  )
})
