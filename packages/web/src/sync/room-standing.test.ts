import { describe, expect, test } from '@jest/globals'
import { Code, ConnectError, type MemberClient } from '@parley/client'
import { findBan, isRoomMember } from './room-standing.ts'

const of = { roomId: 'R1', userId: 'Uann' }
const serverWith = (room: object) => ({ api: { room } }) as unknown as MemberClient
const failing = (code: Code) => async () => Promise.reject(new ConnectError('refused', code))

describe('whether somebody is in a room', () => {
  test.each([
    ['is known to members', async () => ({}), true],
    ['is known to members, also if not', failing(Code.NotFound), false],
    ['is unknown to others', failing(Code.PermissionDenied), undefined],
  ])('%s', async (_, getMember, expected) => expect(await isRoomMember(serverWith({ getMember }), of)).toBe(expected))

  test('cannot be read without a connection', async () => {
    const asked = isRoomMember(serverWith({ getMember: failing(Code.Unavailable) }), of)
    await expect(asked).rejects.toMatchObject({ code: Code.Unavailable })
  })
})

describe('a ban', () => {
  const pages: Partial<Record<string, object>> = {
    '': { bans: [{ userId: 'Ubob', reason: 'Too loud' }], page: { nextCursor: 'second' } },
    second: { bans: [{ userId: 'Uann', reason: 'Louder' }], page: { nextCursor: '' } },
  }
  const server = serverWith({ listBans: async ({ page }: { page: { cursor: string } }) => pages[page.cursor] })

  test('is found on any page', async () => expect(await findBan(server, of)).toMatchObject({ reason: 'Louder' }))

  test('is not found for others', async () => expect(await findBan(server, { ...of, userId: 'Ucora' })).toBeUndefined())

  test('is not shown to people who may not see bans', async () =>
    expect(await findBan(serverWith({ listBans: failing(Code.PermissionDenied) }), of)).toBeUndefined())
})
