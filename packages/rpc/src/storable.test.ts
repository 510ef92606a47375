import { create, toBinary, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf'
import { describe, expect, test } from '@jest/globals'
import {
  BanMemberRequestSchema,
  BatchGetRoomsRequestSchema,
  GetRoomRequestSchema,
  ImageUploadSchema,
} from '@parley/contracts/api'
import { findUnstorable } from './storable.ts'

function fieldsOf<D extends DescMessage>(desc: D, init: MessageInitShape<D>): string[] {
  const message = create(desc, init)
  return findUnstorable(desc, message, toBinary(desc, message)).map(({ field }) => field)
}
const ban = (seconds: bigint, nanos = 0) => ({ roomId: 'R', userId: 'U', reason: 'r', expiresAt: { seconds, nanos } })

describe('a storable message', () => {
  test('does not contain U+0000 in any string', () => {
    expect(fieldsOf(GetRoomRequestSchema, { roomId: 'R\0' })).toEqual(['room_id'])
    expect(fieldsOf(BatchGetRoomsRequestSchema, { roomIds: ['a', '\0', 'b\0'] })).toEqual([
      'room_ids[1]',
      'room_ids[2]',
    ])
    expect(fieldsOf(GetRoomRequestSchema, { roomId: 'R0' })).toEqual([])
  })

  test('may contain zero bytes outside of strings', () => {
    expect(fieldsOf(ImageUploadSchema, { image: new Uint8Array(8), filename: 'a.png' })).toEqual([])
    expect(fieldsOf(ImageUploadSchema, { image: new Uint8Array(8), filename: 'a\0.png' })).toEqual(['filename'])
  })

  test.each([
    [-62_135_596_800n, 0],
    [253_402_300_799n, 999_000_000],
    [0n, 999_999_999],
  ])('may contain a time from year 1 to 9999: %d s and %d ns', (seconds, nanos) => {
    expect(fieldsOf(BanMemberRequestSchema, ban(seconds, nanos))).toEqual([])
  })

  test.each([
    [-62_135_596_801n, 0],
    [253_402_300_799n, 999_999_999],
    [253_402_300_800n, 0],
    [2n ** 62n, 0],
    [-(2n ** 62n), 0],
    [0n, -5],
    [0n, 1_000_000_000],
  ])('does not contain another time: %d s and %d ns', (seconds, nanos) => {
    expect(fieldsOf(BanMemberRequestSchema, ban(seconds, nanos))).toEqual(['expires_at'])
  })
})
