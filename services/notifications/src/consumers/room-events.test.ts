import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { EventSchema, type MessagePostedFactSchema } from '@parley/contracts/internal'
import { expect, test } from '@jest/globals'
import { isUrgent } from './room-events.ts'

const isPostingUrgent = (value: MessageInitShape<typeof MessagePostedFactSchema>) =>
  isUrgent(create(EventSchema, { actorId: 'Uann', fact: { case: 'messagePosted', value } }))

test.each([
  ['nobody', false, {}],
  ['nobody but its author', false, { inReplyToAuthorId: 'Uann', threadFollowerIds: ['Uann'] }],
  ['a mentioned person', true, { mentions: { userIds: ['Ubob'] } }],
  ['a role', true, { mentions: { roleIds: ['moderator'] } }],
  ['everyone', true, { mentions: { all: true } }],
  ['everyone who is online', true, { mentions: { here: true } }],
  ['the author of the message it answers', true, { inReplyToAuthorId: 'Ubob' }],
  ['the other participant of a direct message', true, { dmParticipantIds: ['Uann', 'Ubob'] }],
  ['a follower of the thread', true, { threadFollowerIds: ['Uann', 'Ubob'] }],
  ['many followers of the thread', true, { manyThreadFollowers: true }],
])('a message that may notify %s at once is urgent: %s', (_, expected, fact) =>
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
