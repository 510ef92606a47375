import { create } from '@bufbuild/protobuf'
import { expect, test } from '@jest/globals'
import { EventSchema, RoomFactAppliedSchema } from '@parley/contracts/internal'
import { auditClassOf, bucketAt, bucketName, parseBucketName, bucketsAhead, isExpired } from './retention.ts'

const day = 86_400_000
const keepMs = { security: 400 * day, conversation: 30 * day }

test.each([
  'message_posted',
  'reaction_added',
  'thread_created',
  'asset_deleted',
  'asset_processing_started',
  'call_started',
  'call_participant_left',
  'user_custom_status_set',
])('%s belongs to the class conversation', (kind) =>
  expect(auditClassOf(create(EventSchema, { kind }))).toBe('conversation'),
)

test.each(['room_created', 'user_joined_room', 'login_failed', 'policy_changed', 'server_logo_set', 'unknown_kind'])(
  '%s belongs to the class security',
  (kind) => expect(auditClassOf(create(EventSchema, { kind }))).toBe('security'),
)

test('facts about direct messages belong to the class conversation', () => {
  const value = create(RoomFactAppliedSchema, { header: { dm: true } })
  expect(auditClassOf({ kind: 'room_created', fact: { case: 'roomFact', value } })).toBe('conversation')
})

test('a bucket is named after its class and month, and prepared ahead', () => {
  const bucket = bucketAt('security', new Date('2026-03-31T23:59:59Z'))
  expect(bucketName(bucket)).toBe('security_2026_03')
  expect(parseBucketName('security_2026_03')).toEqual(bucket)
  expect(parseBucketName('other_2026_03')).toBeUndefined()
  expect(bucketsAhead(new Date('2026-11-30T00:00:00Z')).map(bucketName)).toEqual([
    'security_2026_11',
    'security_2026_12',
    'security_2027_01',
    'conversation_2026_11',
    'conversation_2026_12',
    'conversation_2027_01',
  ])
})

test('a bucket expires with its youngest possible entry', () => {
  const may = bucketAt('conversation', new Date('2026-05-10T00:00:00Z'))
  expect(isExpired(may, new Date('2026-06-30T23:59:59Z'), keepMs)).toBe(false)
  expect(isExpired(may, new Date('2026-07-01T00:00:00Z'), keepMs)).toBe(true)
  expect(isExpired({ ...may, auditClass: 'security' }, new Date('2027-07-01T00:00:00Z'), keepMs)).toBe(false)
})
