import { PermissionDecision, PermissionScopeKind } from '@parley/contracts/admin'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Event } from '@parley/contracts/internal'
import { eventually, recordEvents } from '@parley/testkit'
import { deliveriesOf } from './_events.ts'
import { useFleet } from './_fleet.ts'

const fleet = useFleet({ processes: 2 })
beforeAll(async () => {
  const role = { displayName: '', description: '', position: 1, isSystem: false }
  fleet.fakes.policy.roles.push(
    { ...role, $typeName: 'svc.internal.v1.PolicyRole', id: 'Ocooks', name: 'cooks', pingable: true },
    { ...role, $typeName: 'svc.internal.v1.PolicyRole', id: 'Oquiet', name: 'quiet', pingable: false },
  )
  fleet.fakes.policy.decisions.push({
    $typeName: 'svc.internal.v1.PolicyDecision',
    roleId: 'Ooutside',
    userId: '',
    permission: 'room.join',
    scope: { $typeName: 'svc.admin.v1.PermissionScope', kind: PermissionScopeKind.SERVER, id: '' },
    decision: PermissionDecision.DENY,
  })
  await fleet.restart()
})
beforeEach(() => {
  fleet.fakes.handlesUnavailable = false
})

async function post(
  roomId: string,
  body: string,
  more: { threadRootEventId?: string; inReplyTo?: string } = {},
  by = 'ann',
) {
  await using recorded = await recordEvents(fleet.bus, `evt.room.${roomId}.message_posted.text`)
  const { message } = await fleet.as(by).messages.createMessage({ roomId, body, ...more })
  return await eventually(() => recorded.events.find(({ id }) => id === message?.id) ?? false)
}

function factOf({ fact }: Event) {
  if (fact.case !== 'messagePosted') throw new Error(`not a posted message: ${fact.case}`)
  return fact.value
}

const newFollowersIn = (event: Event) =>
  deliveriesOf(event).flatMap(({ kind, to }) => (kind === 'threadFollowChanged' && Array.isArray(to) ? to : []))

describe('the fact of a post names', () => {
  test('users, pingable roles, @all and @here, each once', async () => {
    const { roomId } = await fleet.room().channel(['ann'])
    const fact = factOf(
      await post(roomId, '@Bob @bob, @nobody @cooks @quiet @everyone @all @here ann@x `@eve` _@carl_'),
    )
    expect(fact.mentions).toMatchObject({ userIds: ['bob', 'carl_'], roleIds: ['Ocooks'], all: true, here: true })
    expect(fact.mentionsPending).toBe(false)
  })

  test('nobody if there is no mention; accounts is called only for users', async () => {
    const { roomId } = await fleet.room().channel(['ann'])
    const requested = fleet.fakes.handleCalls.length
    expect(factOf(await post(roomId, 'no one; ann@example.org, `@bob`\n\n> @bob')).mentions).toBeUndefined()
    expect(factOf(await post(roomId, '@all @cooks @quiet')).mentions).toMatchObject({
      userIds: [],
      roleIds: ['Ocooks'],
    })
    expect(fleet.fakes.handleCalls).toHaveLength(requested)
  })

  test("the author of the message replied to, and the thread's followers", async () => {
    const { roomId } = await fleet.room().channel(['ann', 'bob', 'carl'])
    const root = await post(roomId, 'root', {}, 'bob')
    const first = await post(roomId, 'first', { threadRootEventId: root.id })
    expect(factOf(first)).toMatchObject({ inReplyToAuthorId: '', manyThreadFollowers: false })
    expect([...factOf(first).threadFollowerIds].sort()).toEqual(['ann', 'bob'])
    const second = await post(roomId, 'second', { inReplyTo: first.id }, 'carl')
    expect(factOf(second)).toMatchObject({ inReplyTo: first.id, inReplyToAuthorId: 'ann', threadRootEventId: root.id })
    expect([...factOf(second).threadFollowerIds].sort()).toEqual(['ann', 'bob', 'carl'])
    const flat = await post(roomId, 'flat', { inReplyTo: root.id })
    expect(factOf(flat)).toMatchObject({ inReplyToAuthorId: 'bob', threadFollowerIds: [] })
  })

  test('no followers if there are more than 100, only that there are many', async () => {
    const people = Array.from({ length: 100 }, (_, n) => `p${n}`)
    const { roomId } = await fleet.room().channel(['ann', ...people])
    const root = await post(roomId, 'root')
    const threadRootEventId = root.id
    await post(
      roomId,
      people
        .slice(0, 99)
        .map((name) => `@${name}`)
        .join(' '),
      { threadRootEventId },
    )
    const hundred = factOf(await post(roomId, 'x', { threadRootEventId }))
    expect([hundred.threadFollowerIds.length, hundred.manyThreadFollowers]).toEqual([100, false])
    const more = factOf(await post(roomId, 'x', { threadRootEventId }, 'p99'))
    expect([more.threadFollowerIds.length, more.manyThreadFollowers]).toEqual([0, true])
  })
})

describe('users mentioned in a thread follow it', () => {
  test('if they are members who never decided otherwise', async () => {
    const room = await fleet.room().channel(['ann', 'bob', 'dora'])
    await room.ban('dora')
    const root = await post(room.roomId, 'root @bob')
    const threadRootEventId = root.id
    const reply = await post(room.roomId, '@bob @stranger @dora', { threadRootEventId })
    expect(newFollowersIn(reply)).toEqual(['ann', 'bob'])
    expect(newFollowersIn(await post(room.roomId, '@bob again', { threadRootEventId }))).toEqual([])
  })

  test('unless they unfollowed it, until a reply of their own', async () => {
    const { roomId } = await fleet.room().channel(['ann', 'bob'])
    const threadRootEventId = (await post(roomId, 'root')).id
    await post(roomId, 'mine', { threadRootEventId }, 'bob')
    await fleet.pool.query(`update thread_follows set following = false where room_id = $1 and user_id = 'bob'`, [
      roomId,
    ])
    expect(newFollowersIn(await post(roomId, '@bob', { threadRootEventId }))).toEqual([])
    expect(newFollowersIn(await post(roomId, 'me again', { threadRootEventId }, 'bob'))).toEqual(['bob'])
  })

  test('in a universal room if they may join it', async () => {
    fleet.fakes.roles.set('outsider', ['Ooutside'])
    const { roomId } = await fleet.room().channel(['ann'], { universal: true })
    const threadRootEventId = (await post(roomId, 'root')).id
    expect(newFollowersIn(await post(roomId, '@guest @outsider', { threadRootEventId }))).toEqual(['ann', 'guest'])
  })
})

describe('while calls to accounts fail', () => {
  test('the message is posted, and its mentions are announced once, later', async () => {
    const { roomId } = await fleet.room().channel(['ann', 'late1', 'late2'])
    const threadRootEventId = (await post(roomId, 'root')).id
    await using recorded = await recordEvents(fleet.bus, `evt.room.${roomId}.mentions_resolved`)
    fleet.fakes.handlesUnavailable = true
    const event = await post(roomId, '@late1 @cooks', { threadRootEventId, inReplyTo: threadRootEventId })
    expect(factOf(event)).toMatchObject({ mentionsPending: true, mentions: { userIds: [], roleIds: ['Ocooks'] } })
    fleet.fakes.handlesUnavailable = false
    const [resolved] = await eventually(() => recorded.events.length > 0 && recorded.events)
    expect(resolved).toMatchObject({ version: event.version + 1n, actorId: '' })
    expect(resolved?.fact).toMatchObject({
      case: 'mentionsResolved',
      value: {
        roomSeq: event.version + 1n,
        messageEventId: event.id,
        messageRoomSeq: event.version,
        authorId: 'ann',
        posted: {
          roomSeq: event.version,
          threadRootEventId,
          inReplyTo: threadRootEventId,
          inReplyToAuthorId: 'ann',
          mentions: { userIds: ['late1'], roleIds: ['Ocooks'] },
          mentionsPending: false,
          threadFollowerIds: ['ann'],
        },
      },
    })
    expect(resolved && deliveriesOf(resolved)).toMatchObject([
      { to: ['late1'], kind: 'threadFollowChanged', value: { roomId, threadRootEventId, following: true } },
    ])
    const { rows } = await fleet.pool.query('select from unresolved_mentions where room_id = $1', [roomId])
    expect(rows).toHaveLength(0)
    expect((await post(roomId, 'after')).version).toBe(event.version + 2n)
  })

  test('mentions of a message that is then retracted are not announced', async () => {
    const { roomId } = await fleet.room().channel(['ann'])
    await using recorded = await recordEvents(fleet.bus, `evt.room.${roomId}.>`)
    fleet.fakes.handlesUnavailable = true
    const { id } = await post(roomId, '@late3')
    await fleet.pool.query(`update room_events set body = null, deleted_at = now() where event_id = $1`, [id])
    fleet.fakes.handlesUnavailable = false
    await eventually(async () => {
      const { rows } = await fleet.pool.query('select from unresolved_mentions where room_id = $1', [roomId])
      return rows.length === 0
    })
    await fleet.untilRelayed(roomId)
    const last = await post(roomId, 'after')
    await eventually(() => recorded.events.some((event) => event.id === last.id))
    expect(recorded.events.map(({ kind }) => kind)).not.toContain('mentions_resolved')
  })
})
