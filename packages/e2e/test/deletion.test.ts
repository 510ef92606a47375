import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { AdminPermissionService, PermissionDecision } from '@parley/contracts/admin'
import { MessageService, MyAccountService, RoomDirectoryService, RoomService, UserService } from '@parley/contracts/api'
import { eventually } from '@parley/testkit'
import sharp from 'sharp'
import { databaseOf } from '../src/databases.ts'
import { codeOf } from '../src/http.ts'
import { newPerson, operate, type Person, signInOwner } from '../src/people.ts'
import { waitUntilBothServe, processOf, waitUntilHealthy } from '../src/processes.ts'
import { newRoom, post } from '../src/rooms.ts'
import { fleet } from '../src/fleet.ts'
import { Socket } from '@parley/testkit/realtime-socket'
import { storedFiles, findOccurrences } from '../src/occurrences.ts'

// The tests search all data of the fleet several times, also that of other suites.
jest.setTimeout(400_000)

let owner: Person
let bob: Person

beforeAll(async () => {
  ;[owner, bob] = await Promise.all([signInOwner(), newPerson('bob')])
})
afterAll(waitUntilHealthy)

const slow = { timeoutMs: 100_000 }

const deleteAccount = async (person: Person) => {
  const { confirmationToken } = await person.call(MyAccountService.method.requestAccountDeletion, {})
  expect(await person.call(MyAccountService.method.deleteMyAccount, { confirmationToken })).toMatchObject({
    deleted: true,
  })
}
const waitUntilErased = async ({ userId }: Person) => {
  await using accounts = await databaseOf('accounts')
  const send = async (statement: string) => (await accounts.query<Record<string, unknown>>(statement, [userId])).rows
  const assertCompleted = async () => {
    const [deletion] = await send('select pass, completed_at from deletions where user_id = $1')
    const reports = await send('select service, pass, found::text from deletion_reports where user_id = $1')
    if (!deletion?.completed_at) throw new Error(`pass ${String(deletion?.pass)}: ${JSON.stringify(reports)}`)
  }
  await eventually(assertCompleted, slow)
}

test('no name, address, text or picture of a deleted person remains in any table, event or file', async () => {
  const mark = randomBytes(5).toString('hex')
  const zed = await newPerson('zedekiah')
  const texts = {
    login: zed.login,
    email: `zmail-${mark}@example.org`,
    displayName: `Zname ${mark}`,
    message: `zmessage-${mark}`,
    reply: `zreply-${mark}`,
    direct: `zdirect-${mark}`,
    status: `zstatus-${mark}`,
    reason: `zreason-${mark}`,
    key: `zkey-${mark}`,
    subject: `zsubject-${mark}`,
    origin: `https://zorigin-${mark}.example.org`,
  }
  await operate(['user', 'verify-email', '--login', zed.login, '--email', texts.email])
  await operate(['user', 'grant-role', '--login', zed.login, '--role', 'moderator'])
  await zed.call(MyAccountService.method.updateProfile, { displayName: texts.displayName })
  await zed.call(MyAccountService.method.updateSettings, { timezone: 'Pacific/Chatham' })
  await zed.call(MyAccountService.method.updateCustomStatus, { emoji: '🎈', text: texts.status })
  const image = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#a3b1c2' } })
    .png()
    .toBuffer()
  const { user } = await zed.call(MyAccountService.method.uploadAvatar, { image: { image } })
  const avatarKey = /\/assets\/server\/([^/?]+)/.exec(user?.avatarUrl ?? '')?.[1] ?? 'none'
  await eventually(() => storedFiles().includes(avatarKey))

  const roomId = await newRoom(owner, [zed, bob])
  const bannedFrom = await newRoom(owner, [zed])
  const keyed = { headers: { 'idempotency-key': texts.key } }
  const messageId = await post(zed, roomId, texts.message, keyed)
  await zed.call(MessageService.method.createMessage, {
    ...{ roomId, body: texts.reply, threadRootEventId: messageId, alsoSendToChannel: true },
  })
  const { room: dm } = await zed.call(RoomService.method.startDM, { participantIds: [bob.userId] }, keyed)
  await post(zed, dm?.id ?? '', texts.direct)
  await owner.call(RoomService.method.banMember, { roomId: bannedFrom, userId: zed.userId, reason: texts.reason })
  await owner.call(AdminPermissionService.method.setUserPermission, {
    ...{ userId: zed.userId, permission: 'room.create', decision: PermissionDecision.ALLOW },
  })
  {
    await using accounts = await databaseOf('accounts')
    await accounts.query(
      `insert into external_identities (issuer, subject, subject_hash, provider_id, user_id, linked_at)
       values ('https://id.example.org', $1, $1, 'company', $2, now())`,
      [texts.subject, zed.userId],
    )
    await accounts.query('insert into oauth_consents (user_id, origin, granted_at) values ($1, $2, now())', [
      zed.userId,
      texts.origin,
    ])
  }
  const wanted = Object.values(texts)
  await eventually(async () => {
    const occurrences = await findOccurrences(wanted)
    for (const text of wanted) expect({ text, found: occurrences.get(text)?.length }).not.toEqual({ text, found: 0 })
    expect(occurrences.get(texts.displayName)?.some((where) => where.startsWith('stream: '))).toBe(true)
  }, slow)

  using socket = await Socket.subscribe(fleet().realtimeNodes[1], zed.token)
  using bobSocket = await Socket.subscribe(fleet().realtimeNodes[0], bob.token)
  await deleteAccount(zed)
  await socket.waitFor(({ event }) => event.case === 'sessionTerminated' && event.value.reason === 'account_deleted')
  await bobSocket.waitFor(({ event }) => event.case === 'serverMemberDeleted' && event.value.userId === zed.userId)
  await bobSocket.waitFor(({ actorId, event }) => event.case === 'userLeftRoom' && actorId === zed.userId)
  for (const base of fleet().gateways) {
    await eventually(async () => {
      const request = { target: { case: 'userId', value: bob.userId } } as const
      expect(codeOf(await zed.attempt(UserService.method.getUser, request, { base }))).toBe('unauthenticated')
    })
  }
  await waitUntilErased(zed)

  const occurrences = await findOccurrences(wanted)
  expect(Object.fromEntries([...occurrences].filter(([, where]) => where.length > 0))).toEqual({})
  expect(storedFiles()).not.toContain(avatarKey)

  const request = { target: { case: 'userId', value: zed.userId } } as const
  expect(codeOf(await bob.attempt(UserService.method.getUser, request))).toBe('not_found')
  const { page } = await bob.call(RoomService.method.getRoomEvents, { roomId })
  expect(page?.includes?.users[zed.userId]).toMatchObject({ deleted: true, displayName: 'Deleted User' })
  expect(page?.events.filter(({ actorId }) => actorId === zed.userId).length).toBeGreaterThan(1)
  const { members } = await bob.call(RoomService.method.listMembers, { roomId })
  expect(members.map((member) => member.user?.id)).not.toContain(zed.userId)
  await bob.call(RoomDirectoryService.method.getRoom, { roomId: dm?.id ?? '' })
  const again = await operate(
    ['user', 'create', '--login', zed.login, '--password-stdin', '--email', texts.email],
    zed.password,
  )
  expect(again.userId).not.toBe(zed.userId)
})

test('a deletion is completed even if processes are killed during it', async () => {
  const yan = await newPerson('yan')
  const words = `ywords-${randomBytes(5).toString('hex')}`
  const roomId = await newRoom(owner, [yan, bob])
  await post(yan, roomId, words)
  await deleteAccount(yan)
  const killed = (['accounts', 'messaging', 'rooms'] as const).map((name) => ({ name, pid: processOf(name).pid }))
  for (const { pid } of killed) process.kill(pid, 'SIGKILL')
  for (const { name, pid } of killed) await waitUntilBothServe(name, [pid])
  await waitUntilErased(yan)
  expect([...(await findOccurrences([words, yan.login])).values()]).toEqual([[], []])
})
