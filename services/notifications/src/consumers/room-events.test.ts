import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { EventSchema, type MessagePostedFactSchema } from '@parley/contracts/internal'
import { expect, test } from '@jest/globals'
import { isForSomebody } from './room-events.ts'

const posted = (value: MessageInitShape<typeof MessagePostedFactSchema>) =>
  isForSomebody(create(EventSchema, { actorId: 'Uann', fact: { case: 'messagePosted', value } }))

test.each([
  ['nobody', {}, false],
  ['nobody but its author', { inReplyToAuthorId: 'Uann', threadFollowerIds: ['Uann'] }, false],
  ['who is named', { mentions: { userIds: ['Ubob'] } }, true],
  ['a role', { mentions: { roleIds: ['moderator'] } }, true],
  ['everyone', { mentions: { all: true } }, true],
  ['everyone who is there', { mentions: { here: true } }, true],
  ['who is answered', { inReplyToAuthorId: 'Ubob' }, true],
  ['the other in a direct message', { dmParticipantIds: ['Uann', 'Ubob'] }, true],
  ['who follows the thread', { threadFollowerIds: ['Uann', 'Ubob'] }, true],
  ['many who follow the thread', { manyThreadFollowers: true }, true],
])('the event of a message shows whether it notifies %s', (_, fact, is) => expect(posted(fact)).toBe(is))

test('retractions, departures and mentions resolved later are handled at once', () => {
  const isUrgent = (fact: NonNullable<MessageInitShape<typeof EventSchema>['fact']>) =>
    isForSomebody(create(EventSchema, { fact }))
  expect(isUrgent({ case: 'messageRetracted', value: { messageEventId: 'E1' } })).toBe(true)
  expect(isUrgent({ case: 'roomFact', value: { roomSeq: 1n } })).toBe(true)
  expect(
    isUrgent({ case: 'mentionsResolved', value: { authorId: 'Uann', posted: { mentions: { userIds: ['Ubob'] } } } }),
  ).toBe(true)
})
