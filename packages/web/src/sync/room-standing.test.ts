import { describe, expect, test } from '@jest/globals'
import { Code, ConnectError, type MemberClient } from '@parley/client'
import { findBan, isRoomMember } from './room-standing.ts'

const target = { roomId: 'R1', userId: 'Uann' }
const serverWith = (room: object) => ({ api: { room } }) as unknown as MemberClient
const failWith = (code: Code) => async () => Promise.reject(new ConnectError('refused', code))

describe('whether somebody is in a room', () => {
  test.each([
    ['is true for a member', async () => ({}), true],
    ['is false for anybody else', failWith(Code.NotFound), false],
    ['is unknown if the viewer is not a member', failWith(Code.PermissionDenied), undefined],
  ])('%s', async (_, getMember, expected) =>
    expect(await isRoomMember(serverWith({ getMember }), target)).toBe(expected),
  )

  test('cannot be read without a connection', async () => {
    const asked = isRoomMember(serverWith({ getMember: failWith(Code.Unavailable) }), target)
    await expect(asked).rejects.toMatchObject({ code: Code.Unavailable })
  })
})

describe('a ban', () => {
  const pages: Partial<Record<string, object>> = {
    '': { bans: [{ userId: 'Ubob', reason: 'Too loud' }], page: { nextCursor: 'second' } },
    second: { bans: [{ userId: 'Uann', reason: 'Louder' }], page: { nextCursor: '' } },
  }
  const server = serverWith({ listBans: async ({ page }: { page: { cursor: string } }) => pages[page.cursor] })

  test('is found on any page', async () => expect(await findBan(server, target)).toMatchObject({ reason: 'Louder' }))

  test('is not found for a person who is not banned', async () =>
    expect(await findBan(server, { ...target, userId: 'Ucora' })).toBeUndefined())

  test('is not found if the viewer may not see bans', async () =>
    expect(await findBan(serverWith({ listBans: failWith(Code.PermissionDenied) }), target)).toBeUndefined())
})
