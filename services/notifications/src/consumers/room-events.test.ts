import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { EventSchema, type MessagePostedFactSchema } from '@parley/contracts/internal'
import { expect, test } from '@jest/globals'
import { isUrgent } from './room-events.ts'

const isPostingUrgent = (value: MessageInitShape<typeof MessagePostedFactSchema>) =>
  isUrgent(create(EventSchema, { actorId: 'Uann', fact: { case: 'messagePosted', value } }))

test.each([
  ['nobody', {}, false],
  ['nobody but its author', { inReplyToAuthorId: 'Uann', threadFollowerIds: ['Uann'] }, false],
  ['a mentioned person', { mentions: { userIds: ['Ubob'] } }, true],
  ['a role', { mentions: { roleIds: ['moderator'] } }, true],
  ['everyone', { mentions: { all: true } }, true],
  ['everyone who is online', { mentions: { here: true } }, true],
  ['the author of the message it answers', { inReplyToAuthorId: 'Ubob' }, true],
  ['the other participant of a direct message', { dmParticipantIds: ['Uann', 'Ubob'] }, true],
  ['a follower of the thread', { threadFollowerIds: ['Uann', 'Ubob'] }, true],
  ['many followers of the thread', { manyThreadFollowers: true }, true],
])('a message is urgent only if it may notify somebody besides its author at once: one for %s', (_, fact, expected) =>
  expect(isPostingUrgent(fact)).toBe(expected),
)

test('retractions, departures and mentions resolved later are urgent', () => {
  const isFactUrgent = (fact: NonNullable<MessageInitShape<typeof EventSchema>['fact']>) =>
    isUrgent(create(EventSchema, { fact }))
  const left = { fact: { case: 'left', value: { userId: 'Ubob' } } } as const
  expect(isFactUrgent({ case: 'messageRetracted', value: { messageEventId: 'E1' } })).toBe(true)
  expect(isFactUrgent({ case: 'roomFact', value: { roomSeq: 1n, fact: left } })).toBe(true)
  expect(
    isFactUrgent({
      case: 'mentionsResolved',
      value: { authorId: 'Uann', posted: { mentions: { userIds: ['Ubob'] } } },
    }),
  ).toBe(true)
})
