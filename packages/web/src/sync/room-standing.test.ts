import { describe, expect, test } from '@jest/globals'
import { Code, ConnectError, type MemberClient } from '@parley/client'
import type { administration } from '../session/administration.ts'
import { findBan, isRoomMember, RoomStanding } from './room-standing.ts'

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

  test('is not answered without a connection', async () => {
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

  test('is hidden if the viewer may not see bans', async () =>
    expect(await findBan(serverWith({ listBans: failWith(Code.PermissionDenied) }), target)).toBe('hidden'))
})

describe('the answer why a person may not post', () => {
  const server = serverWith({ getMember: async () => ({}), listBans: failWith(Code.PermissionDenied) })
  const archived = new Set<string>()
  const universal = new Set<string>()
  const listRoomGroups = async () => ({
    groups: [
      {
        items: ['R1', 'R2'].map((id) => ({
          item: { case: 'room', value: { id, archived: archived.has(id), universal: universal.has(id) } },
        })),
      },
    ],
  })
  const standingWith = (
    explainPermissions: (request: typeof target) => Promise<object>,
    seesMembers?: (roomId: string) => boolean,
  ) =>
    new RoomStanding(
      server,
      { permission: { explainPermissions }, roomLayout: { listRoomGroups } } as unknown as typeof administration,
      'Uann',
      seesMembers,
    )
  const explained = async () => ({ explanations: [] })

  test('is about the room that was chosen last, whichever response arrives first', async () => {
    const respond = new Map<string, () => void>()
    const standing = standingWith(async ({ roomId }) => {
      await new Promise<void>((resolve) => respond.set(roomId, resolve))
      return { explanations: [{ permission: 'room.list', decidedByRole: roomId }] }
    })
    const [first, second] = [standing.explain('R1'), standing.explain('R2')]
    respond.get('R2')?.()
    await second
    respond.get('R1')?.()
    await first
    expect(standing.answer.value?.reasons).toMatchObject([{ role: 'R2' }])
  })

  test('includes that a room was archived after the rooms were loaded, and that bans are hidden', async () => {
    const standing = standingWith(explained)
    await standing.loadRooms()
    archived.add('R2')
    await standing.explain('R2')
    expect(standing.answer.value).toMatchObject({ isArchived: true, ban: 'hidden', isMember: true })
    await standing.explain('R1')
    expect(standing.answer.value).toMatchObject({ isArchived: false })
  })

  test('leaves membership open if the viewer sees no members; everybody is in a universal room', async () => {
    universal.add('R2')
    const standing = standingWith(explained, () => false)
    await standing.explain('R1')
    expect(standing.answer.value).toMatchObject({ isMember: undefined })
    await standing.explain('R2')
    expect(standing.answer.value).toMatchObject({ isMember: true })
    universal.clear()
  })

  test('includes that a room was archived, even if an older list of rooms arrives later', async () => {
    archived.clear()
    let respond: () => void = () => undefined
    const standing = standingWith(() => new Promise((resolve) => (respond = () => resolve({ explanations: [] }))))
    await standing.loadRooms()
    const older = standing.rooms.value
    archived.add('R1')
    const explaining = standing.explain('R1')
    await new Promise((resolve) => setImmediate(resolve))
    standing.rooms.set(older)
    respond()
    await explaining
    expect(standing.answer.value).toMatchObject({ isArchived: true })
  })

  test('is missing after a failure and without a room; a failure is shown only while its room is chosen', async () => {
    const standing = standingWith(failWith(Code.NotFound))
    await standing.explain('R1')
    expect([standing.answer.value, standing.failure.value]).toEqual([undefined, expect.any(ConnectError)])
    const late = standing.explain('R1')
    await standing.explain('')
    await late
    expect([standing.answer.value, standing.failure.value]).toEqual([undefined, undefined])
  })
})
