import { beforeAll, describe, expect, test } from '@jest/globals'
import { AdminUserService } from '@parley/contracts/admin'
import { MyAccountService, PresenceStatus, UserService, ViewerService } from '@parley/contracts/api'
import { eventually } from '@parley/testkit'
import sharp from 'sharp'
import { fleet } from '../src/fleet.ts'
import { codeOf } from '../src/http.ts'
import { newPerson, type Person, signInOwner } from '../src/people.ts'
import type { Socket } from '@parley/testkit/realtime-socket'
import { socketsPerTest } from '../src/sockets-per-test.ts'

let owner: Person
let ada: Person
let bob: Person
beforeAll(async () => {
  ;[owner, ada, bob] = await Promise.all([signInOwner(), newPerson('ada'), newPerson('bob')])
})

const { listen } = socketsPerTest()

const getUserAs = async (viewer: Person, userId: string) => {
  const { user } = await viewer.call(UserService.method.getUser, { target: { case: 'userId', value: userId } })
  return user?.user
}

describe('presence', () => {
  test('reaches both nodes and is shown to others', async () => {
    const sockets = await listen(bob)
    for (const [n, status] of [PresenceStatus.ONLINE, PresenceStatus.DO_NOT_DISTURB].entries()) {
      const base = fleet().gateways[n === 0 ? 0 : 1]
      await ada.call(MyAccountService.method.updatePresence, { status, userSelected: true }, { base })
      for (const socket of sockets)
        await socket.waitFor(
          ({ event }) =>
            event.case === 'presenceChanged' && event.value.userId === ada.userId && event.value.status === status,
        )
      await eventually(async () => expect((await getUserAs(bob, ada.userId))?.presenceStatus).toBe(status))
    }
  })
})

describe('a profile', () => {
  test('picture is announced to others, and can be loaded without signing in', async () => {
    const sockets = await listen(bob)
    const image = await sharp({ create: { width: 300, height: 200, channels: 3, background: '#c04020' } })
      .png()
      .toBuffer()
    const { user } = await ada.call(MyAccountService.method.uploadAvatar, { image: { image, filename: 'me.png' } })
    expect(user?.avatarUrl).toMatch(/\/assets\/server\//)
    expect((await getUserAs(bob, ada.userId))?.avatarUrl).toBe(user?.avatarUrl)
    for (const socket of sockets)
      await socket.waitFor(
        ({ event }) => event.case === 'userProfileUpdated' && event.value.avatarUrl === user?.avatarUrl,
      )
    const path = new URL(user?.avatarUrl ?? '').pathname
    const picture = await fetch(`${fleet().gateways[1]}${path}`)
    expect(picture.status).toBe(200)
    const { format, width, height } = await sharp(await picture.arrayBuffer()).metadata()
    expect({ format, width, height }).toEqual({ format: 'webp', width: 96, height: 96 })
  })

  test('picture upload is refused without a valid picture', async () => {
    const answer = await ada.attempt(MyAccountService.method.uploadAvatar, { image: { filename: 'me.png' } })
    expect(codeOf(answer)).toBe('invalid_argument')
    const broken = { image: { image: new TextEncoder().encode('no picture'), filename: 'me.png' } }
    expect(codeOf(await ada.attempt(MyAccountService.method.uploadAvatar, broken))).toBe('invalid_argument')
  })

  test('change reaches the user and others; a change of settings reaches only the user', async () => {
    const [bobSockets, adaSockets] = [await listen(bob), await listen(ada)]
    await ada.call(MyAccountService.method.updateSettings, { timezone: 'Europe/Paris' })
    await ada.call(MyAccountService.method.updateCustomStatus, { emoji: '🌴', text: 'away' })
    await ada.call(MyAccountService.method.updateProfile, { displayName: 'Ada L.' })
    for (const socket of [...bobSockets, ...adaSockets]) {
      await socket.waitFor(({ event }) => event.case === 'userCustomStatusSet' && event.value.userId === ada.userId)
      await socket.waitFor(({ event }) => event.case === 'userProfileUpdated' && event.value.displayName === 'Ada L.')
    }
    const hasReceivedSettings = (socket: Socket) =>
      socket.events.some(({ event }) => event.case === 'serverUserPreferencesUpdated')
    expect([...bobSockets, ...adaSockets].map(hasReceivedSettings)).toEqual([false, false, true, true])
    const { users } = await bob.call(UserService.method.listUsers, { search: ada.login })
    expect(users).toMatchObject([{ user: { displayName: 'Ada L.', customStatus: { text: 'away' } } }])
  })
})

describe('a role', () => {
  test('takes effect at both gateways when assigned, and has no effect once revoked', async () => {
    const list = (base: string) => bob.attempt(AdminUserService.method.listMembers, {}, { base })
    for (const base of fleet().gateways) expect(codeOf(await list(base))).toBe('permission_denied')
    await owner.call(AdminUserService.method.assignRole, { userId: bob.userId, roleName: 'admin' })
    for (const base of fleet().gateways) await eventually(async () => expect((await list(base)).status).toBe(200))
    const escalation = { userId: bob.userId, roleName: 'owner' }
    expect(codeOf(await bob.attempt(AdminUserService.method.assignRole, escalation))).toBe('permission_denied')
    await owner.call(AdminUserService.method.revokeRole, { userId: bob.userId, roleName: 'admin' })
    for (const base of fleet().gateways)
      await eventually(async () => expect(codeOf(await list(base))).toBe('permission_denied'))
    const { viewerPermissions } = await bob.call(ViewerService.method.getViewer, {})
    expect(viewerPermissions?.permissions.find(({ permission }) => permission === 'role.assign')?.granted).toBe(false)
  })
})

test('a deleted person disappears for others, and their credentials are invalid', async () => {
  const carl = await newPerson('carl')
  const [socket] = await listen(carl)
  const bobSockets = await listen(bob)
  await owner.call(AdminUserService.method.deleteUser, { userId: carl.userId })
  await socket?.waitFor(({ event }) => event.case === 'sessionTerminated' && event.value.reason === 'account_deleted')
  for (const other of bobSockets)
    await other.waitFor(({ event }) => event.case === 'serverMemberDeleted' && event.value.userId === carl.userId)
  await eventually(async () => {
    expect(codeOf(await carl.attempt(ViewerService.method.getViewer, {}))).toBe('unauthenticated')
  })
  const request = { target: { case: 'userId', value: carl.userId } } as const
  expect(codeOf(await bob.attempt(UserService.method.getUser, request))).toBe('not_found')
})
