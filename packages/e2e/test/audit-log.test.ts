import type { MessageInitShape } from '@bufbuild/protobuf'
import { randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import {
  AdminDiagnosticsService,
  AdminEventLogService,
  type AdminEventLogFilterSchema,
  AdminServerService,
  AdminUserService,
} from '@parley/contracts/admin'
import { MyAccountService } from '@parley/contracts/api'
import { eventually } from '@parley/testkit'
import { fleet } from '../src/fleet.ts'
import { codeOf, postJson } from '../src/http.ts'
import { newPerson, type Person, signIn, signInOwner } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'

let owner: Person
let ada: Person
beforeAll(async () => {
  ;[owner, ada] = await Promise.all([signInOwner(), newPerson('ada')])
})

const list = (filter: MessageInitShape<typeof AdminEventLogFilterSchema>) =>
  owner.call(AdminEventLogService.method.listEvents, { limit: 200, filter })

const typesOf = async (actorId: string) => (await list({ actorId })).entries.map(({ eventType }) => eventType)

test('sign-ins, joins and posts are logged, without passwords and message content', async () => {
  const refused = await postJson(`${fleet().gateways[0]}/auth/login`, {
    login: ada.login,
    password: 'not the password',
  })
  expect(refused.status).toBe(401)
  const room = await newRoom(owner, [ada])
  const eventId = await post(ada, room, 'words that stay in the room')
  await eventually(async () =>
    expect(await typesOf(ada.userId)).toEqual(
      expect.arrayContaining(['LoginSucceededEvent', 'LoginFailedEvent', 'UserJoinedRoomEvent', 'MessagePostedEvent']),
    ),
  )
  const { entries } = await list({ actorId: ada.userId })
  const posted = entries.find((entry) => entry.eventId === eventId)
  expect(posted).toMatchObject({ eventType: 'MessagePostedEvent', aggregateType: 'room', aggregateId: room })
  for (const entry of entries) expect(JSON.stringify(entry.payloadJson)).not.toMatch(/words that stay|not the password/)
  const { entry } = await owner.call(
    AdminEventLogService.method.getEvent,
    { sequence: posted?.sequence ?? '' },
    { base: fleet().gateways[1] },
  )
  expect(entry).toEqual(posted)
})

test('invites, accounts and ended sessions are logged with their actor, without labels, names or secrets', async () => {
  const boss = await newPerson('boss', { roles: ['admin'] })
  const { createInvite, revokeInvite, createUser, deactivateUser, reactivateUser } = AdminUserService.method
  const { invite: revoked } = await boss.call(createInvite, { label: 'For the front desk' })
  await boss.call(revokeInvite, { inviteId: revoked?.id ?? '' })
  const { invite: used, url } = await boss.call(createInvite, { label: 'For the front desk' })
  const guest = { login: `guest-${randomBytes(5).toString('hex')}`, password: 'long enough for anyone' }
  const token = new URL(url).hash.slice(1)
  const accepted = await postJson(`${fleet().gateways[0]}/auth/invite/accept`, {
    ...{ token, ...guest, passwordConfirmation: guest.password },
  })
  expect(accepted.status).toBe(200)
  const { member } = await boss.call(createUser, {
    login: `made-${randomBytes(5).toString('hex')}`,
    password: 'x'.repeat(12),
  })
  const userId = member?.user?.id ?? ''
  await boss.call(deactivateUser, { userId })
  await boss.call(reactivateUser, { userId })
  const again = await signIn(boss)
  await again.call(MyAccountService.method.endMySession, { allOthers: true })

  const guestId = (await signIn(guest)).userId
  await eventually(async () => {
    const entries = [...(await list({ actorId: boss.userId })).entries, ...(await list({ actorId: guestId })).entries]
    const logged = entries.map(({ eventType, actorId, aggregateId }) => [eventType, actorId, aggregateId])
    expect(logged).toEqual(
      expect.arrayContaining([
        ['InviteCreatedEvent', boss.userId, boss.userId],
        ['InviteRevokedEvent', boss.userId, boss.userId],
        ['InviteAcceptedEvent', guestId, guestId],
        ['UserAccountCreatedEvent', boss.userId, userId],
        ['UserAccountDeactivatedEvent', boss.userId, userId],
        ['UserAccountReactivatedEvent', boss.userId, userId],
        ['SessionRevokedEvent', boss.userId, boss.userId],
      ]),
    )
    const payloads = entries.map(({ payloadJson }) => payloadJson).join('\n')
    for (const id of [revoked?.id, used?.id]) expect(payloads).toContain(id)
    for (const secret of ['front desk', guest.login, token]) expect(payloads).not.toContain(secret)
  })
})

test('entries are numbered without gaps, and a user without the permission cannot list them', async () => {
  const page = await owner.call(AdminEventLogService.method.listEvents, { limit: 200 })
  const sequences = page.entries.map(({ sequence }) => Number(sequence))
  expect(sequences).toEqual(sequences.map((_, index) => (sequences[0] ?? 0) - index))
  expect(codeOf(await ada.attempt(AdminEventLogService.method.listEvents, {}))).toBe('permission_denied')
  expect(codeOf(await ada.attempt(AdminServerService.method.getServerConfig, {}))).toBe('permission_denied')
})

test('an owner sees the state of bus, consumers and server', async () => {
  const { systemInfo, projections } = await owner.call(AdminDiagnosticsService.method.getSystemInfo, {})
  expect(systemInfo?.connection?.connected).toBe(true)
  expect(systemInfo?.account?.streamsUsed).toBe(1)
  expect(systemInfo?.nats?.streams).toMatchObject([{ name: 'EVENTS' }])
  expect(systemInfo?.stats?.userCount).toBeGreaterThanOrEqual(2)
  expect(systemInfo?.stats?.channelRoomCount).toBeGreaterThanOrEqual(2)
  expect(projections.map(({ key }) => key)).toEqual(expect.arrayContaining(['admin-audit', 'rooms-people']))
  for (const { matchingStreamSequence } of projections) expect(matchingStreamSequence).toMatch(/^\d+$/)
  expect(codeOf(await ada.attempt(AdminDiagnosticsService.method.getSystemInfo, {}))).toBe('permission_denied')
})
