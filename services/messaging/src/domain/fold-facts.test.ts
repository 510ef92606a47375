import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { describe, expect, test } from '@jest/globals'
import { RoomKind } from '@parley/contracts/api'
import { RoomFactSchema, type RoomFact } from '@parley/contracts/internal'
import { foldFacts, type Step } from './fold-facts.ts'

type Change = NonNullable<MessageInitShape<typeof RoomFactSchema>['fact']>

const fact = (version: number, change: Change): RoomFact =>
  create(RoomFactSchema, { version: BigInt(version), eventId: `E${version}`, actorId: 'doer', fact: change })

const created: Change = { case: 'created', value: { kind: RoomKind.CHANNEL, groupId: 'G1', name: 'tea' } }
const joined = (userId: string): Change => ({ case: 'joined', value: { userId } })
const banned = (userId: string): Change => ({ case: 'banned', value: { userId } })
const nobody = () => false

const fold = (changes: Change[], isMember: (userId: string) => boolean = nobody): Step[] => {
  const facts = changes.map((change, index) => fact(index + 1, change))
  return foldFacts(undefined, 'R1', facts, isMember)
}

test('each fact takes the next place and raises the version', () => {
  const steps = fold([created, joined('ann'), { case: 'moved', value: { groupId: 'G2' } }])
  expect(steps.map(({ room }) => [room.version, room.roomSeq])).toEqual([
    [1n, 1n],
    [2n, 2n],
    [3n, 3n],
  ])
  expect(steps.at(-1)?.room).toMatchObject({ roomId: 'R1', groupId: 'G2', name: 'tea', archived: false })
})

test.each<[Change, string, string | undefined]>([
  [{ case: 'updated', value: { name: 'x' } }, 'room_updated', 'room_updated'],
  [{ case: 'archived', value: {} }, 'room_archived', 'room_archived'],
  [{ case: 'unarchived', value: {} }, 'room_unarchived', 'room_unarchived'],
  [{ case: 'moved', value: { groupId: 'G2' } }, 'room_moved', undefined],
  [{ case: 'universal', value: { universal: true } }, 'room_universal_changed', 'room_universal_changed'],
  [joined('ann'), 'user_joined_room', 'user_joined_room'],
  [{ case: 'left', value: { userId: 'ann' } }, 'user_left_room', 'user_left_room'],
  [{ case: 'unbanned', value: { userId: 'ann' } }, 'member_unbanned', undefined],
  [{ case: 'banExpired', value: { userId: 'ann' } }, 'ban_expired', undefined],
])('%o is published as %s, and clients receive %s', (change, kind, clientEvent) => {
  const step = fold([created, change])[1]
  expect(step?.kind).toBe(kind)
  expect(step?.clientEvent).toBe(clientEvent)
})

describe('a ban', () => {
  test('ends a membership, even one that began in the same list of facts', () => {
    const held = fold([created, banned('ann')], (userId) => userId === 'ann')[1]
    expect(held).toMatchObject({ kind: 'member_banned', clientEvent: 'user_left_room', aboutUserId: 'ann' })
    expect(held?.members).toEqual([{ userId: 'ann', member: false }])
    expect(fold([created, joined('ann'), banned('ann')])[2]?.members).toEqual([{ userId: 'ann', member: false }])
  })

  test('of a non-member is not announced to clients', () => {
    const step = fold([created, joined('ann'), { case: 'left', value: { userId: 'ann' } }, banned('ann')])[3]
    expect(step).toMatchObject({ kind: 'member_banned', members: [], ban: { userId: 'ann', banned: true } })
    expect(step?.clientEvent).toBeUndefined()
  })

  test('in a universal room is announced as leaving, although no membership is stored', () => {
    const universal: Change = { case: 'created', value: { kind: RoomKind.CHANNEL, universal: true } }
    expect(fold([universal, banned('ann')])[1]).toMatchObject({ clientEvent: 'user_left_room', members: [] })
  })
})

test('participants of a direct message are members from the start', () => {
  const dm: Change = { case: 'created', value: { kind: RoomKind.DM, participantIds: ['ann', 'bob'] } }
  expect(fold([dm])[0]).toMatchObject({
    room: { participantIds: ['ann', 'bob'] },
    members: [
      { userId: 'ann', member: true },
      { userId: 'bob', member: true },
    ],
  })
})

describe('facts for a room at version 2', () => {
  const held = fold([created, joined('ann')])[1]?.room

  test('are dropped if they are duplicates', () => {
    const steps = foldFacts(held, 'R1', [fact(1, created), fact(2, joined('ann')), fact(3, joined('bob'))], nobody)
    expect(steps.map(({ room }) => room.version)).toEqual([3n])
  })

  test('are not applied after a gap', () => {
    expect(foldFacts(held, 'R1', [fact(4, joined('bob')), fact(5, joined('cyd'))], nobody)).toEqual([])
    expect(foldFacts(undefined, 'R1', [fact(2, joined('bob'))], nobody)).toEqual([])
    const steps = foldFacts(held, 'R1', [fact(3, joined('bob')), fact(5, joined('cyd'))], nobody)
    expect(steps.map(({ room }) => room.version)).toEqual([3n])
  })

  test.each([
    [1n, 'not applied', []],
    [2n, 'applied', [90n]],
    [3n, 'not applied', []],
  ])('whose previous version is %s are %s', (previousVersion, _outcome, made) => {
    const next = create(RoomFactSchema, { ...fact(90, joined('bob')), previousVersion })
    expect(foldFacts(held, 'R1', [next], nobody).map(({ room }) => room.version)).toEqual(made)
  })

  test('are not applied after a fact that differs from the stored one', () => {
    const after = (previousEventId: string) => create(RoomFactSchema, { ...fact(3, joined('cyd')), previousEventId })
    expect(foldFacts(held, 'R1', [after('other')], nobody)).toEqual([])
    expect(foldFacts(held, 'R1', [after('E2')], nobody)).toHaveLength(1)
  })

  test('are refused if they are of an unknown kind', () => {
    expect(() => foldFacts(held, 'R1', [create(RoomFactSchema, { version: 3n })], nobody)).toThrow('does not know')
  })
})

test('the first fact, and no other, must create the room', () => {
  expect(() => fold([joined('ann')])).toThrow('the first fact of a room, and no other')
  expect(() => fold([created, created])).toThrow('the first fact of a room, and no other')
})
