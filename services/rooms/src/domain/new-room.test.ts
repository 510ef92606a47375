import { expect, test } from '@jest/globals'
import type { RoomFact } from '@parley/contracts/internal'
import { newChannel, newDm } from './new-room.ts'

const channel = { id: 'R1', name: 'tea', description: '', groupId: 'G1', universal: false }
const cause = { actorId: 'ann', at: new Date(0) }
const kinds = (facts: RoomFact[]) => facts.map(({ version, fact }) => [version, fact.case])

test('the second fact of a channel makes its creator a member', () => {
  const room = newChannel(channel, cause)
  expect(kinds(room.facts)).toEqual([
    [1n, 'created'],
    [2n, 'joined'],
  ])
  expect(room.members).toEqual([{ userId: 'ann', version: 2n }])
  expect(room.version).toBe(2n)
})

test('a universal or system channel starts without explicit members', () => {
  for (const room of [
    newChannel({ ...channel, universal: true }, cause),
    newChannel(channel, { ...cause, actorId: '' }),
  ]) {
    expect(kinds(room.facts)).toEqual([[1n, 'created']])
    expect(room).toMatchObject({ members: [], version: 1n })
  }
})

test('everybody in a direct message is a member from the start', () => {
  const room = newDm('R2', ['ann', 'bob'], cause)
  expect(room.facts[0]?.fact).toMatchObject({ case: 'created', value: { participantIds: ['ann', 'bob'] } })
  expect(kinds(room.facts).slice(1)).toEqual([
    [2n, 'joined'],
    [3n, 'joined'],
  ])
  expect(room.version).toBe(3n)
})
