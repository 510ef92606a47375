import { create } from '@bufbuild/protobuf'
import { expect, test } from '@jest/globals'
import {
  CredentialsEndedFactSchema,
  DetailsFactSchema,
  EventSchema,
  MessagePostedFactSchema,
  PolicyDeltaSchema,
  RoomEventAppliedSchema,
  RoomFactAppliedSchema,
  type Event,
} from '@parley/contracts/internal'
import { payloadOf } from './payload.ts'

const payload = (fact: Event['fact']): unknown => JSON.parse(payloadOf(fact))

test('ids, numbers and flags are kept', () => {
  const fact = { roomSeq: 7n, mentionsPending: true, threadRootEventId: 'E1', dmParticipantIds: ['Uann', 'Ubob'] }
  expect(payload({ case: 'messagePosted', value: create(MessagePostedFactSchema, fact) })).toEqual({
    roomSeq: '7',
    mentionsPending: true,
    threadRootEventId: 'E1',
    dmParticipantIds: ['Uann', 'Ubob'],
  })
})

test('names of rooms and codes of reasons are kept', () => {
  const made = { name: 'general', groupId: 'G1' }
  const fact = create(RoomFactAppliedSchema, {
    fact: { fact: { case: 'created', value: made } },
    header: { name: 'general' },
  })
  expect(payload({ case: 'roomFact', value: fact })).toMatchObject({
    fact: { created: made },
    header: { name: 'general' },
  })
  const ended = create(CredentialsEndedFactSchema, { all: true, reason: 'logout' })
  expect(payload({ case: 'credentialsEnded', value: ended })).toEqual({ all: true, reason: 'logout' })
})

test('events of calls and uploads are stored without envelopes', () => {
  const call = {
    ...{ aggregateType: 'call', aggregateId: 'C1', version: 2n, eventId: 'E1', kind: 'call_participant_joined' },
    ...{ actorId: 'Uann', envelope: new Uint8Array([1]) },
    fact: { case: 'call', value: { callId: 'C1', userId: 'Uann', source: 'user' } },
  } as const
  expect(
    payload({ case: 'roomEvent', value: create(RoomEventAppliedSchema, { roomSeq: 7n, dm: true, event: call }) }),
  ).toEqual({
    ...{ roomSeq: '7', dm: true },
    event: {
      ...{ aggregateType: 'call', aggregateId: 'C1', version: '2', eventId: 'E1', kind: 'call_participant_joined' },
      ...{ actorId: 'Uann', call: { callId: 'C1', userId: 'Uann', source: 'user' } },
    },
  })
  const video = { status: 'failed', reasonCode: 'original_missing', width: 3 }
  const asset = {
    kind: 'asset_processing_failed',
    fact: { case: 'assetProcessing', value: { assetId: 'A1', messageEventId: 'E2', video } },
  } as const
  expect(payload({ case: 'roomEvent', value: create(RoomEventAppliedSchema, { event: asset }) })).toEqual({
    event: { kind: asset.kind, assetProcessing: { assetId: 'A1', messageEventId: 'E2', video } },
  })
})

test('display names and descriptions are left out', () => {
  const roles = [{ id: 'O1', name: 'cooks', displayName: 'The Cooks', description: 'Ann and Bob' }]
  const value = create(PolicyDeltaSchema, {
    revision: 2n,
    roles,
    decisions: [{ roleId: 'O1', permission: 'message.post' }],
  })
  expect(payload({ case: 'policy', value })).toEqual({
    revision: '2',
    roles: [{ id: 'O1', name: 'cooks' }],
    decisions: [{ roleId: 'O1', permission: 'message.post' }],
  })
  expect(value.roles[0]?.displayName).toBe('The Cooks')
})

test('details contain neither e-mail addresses nor sentences', () => {
  const details = {
    role_name: 'cooks',
    role_names: 'cooks waiters',
    email: 'ann@example.org',
    reason: 'Ann was rude',
    provider_id: 'github',
  }
  const value = create(DetailsFactSchema, { details })
  const kept = { role_name: 'cooks', role_names: 'cooks waiters', provider_id: 'github' }
  expect(payload({ case: 'details', value })).toEqual({ details: kept })
  expect(value.details).toEqual(details)
})

test('an event without a fact has an empty payload', () => {
  expect(payload(create(EventSchema, {}).fact)).toEqual({})
})
