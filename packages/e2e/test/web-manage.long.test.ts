import { randomBytes } from 'node:crypto'
import { expect } from '@jest/globals'
import {
  AdminPermissionService,
  AdminRoomLayoutService,
  AdminServerService,
  AdminUserService,
  PermissionDecision,
  PermissionScopeKind,
} from '@parley/contracts/admin'
import { MyAccountService, RoomService } from '@parley/contracts/api'
import { eventually } from '@parley/testkit'
import sharp from 'sharp'
import { databaseOf } from '../src/databases.ts'
import { codeIn, mailTo } from '../src/mails.ts'
import { newBrowser, signInBrowser } from '../src/browsers.ts'
import { authorizePath, codeFor, listedUri, newVerifier } from '../src/other-clients.ts'
import { newPerson, operate, signIn, signInOwner, type Person } from '../src/people.ts'
import { newRoom } from '../src/rooms.ts'
import { inBrowser, visitAdministration, messageWith, say, useBrowser, visit, visitAs } from '../src/web-client.ts'

let owner: Person
const unique = (name: string) => `${name}-${randomBytes(4).toString('hex')}`

useBrowser('administration', async () => {
  ;[owner] = await Promise.all([signInOwner(), newPerson('somebody')])
})

inBrowser.each([390, 320])('on a phone %d pixels wide no section of administration is cut off', async (width) => {
  await using visitor = await visitAdministration(owner, '/manage/people')
  const { page } = visitor
  await page.setViewportSize({ width, height: 640 })
  const sections = page.getByRole('navigation', { name: 'Administration' }).getByRole('listitem')
  const boxes = await Promise.all((await sections.all()).map((section) => section.boundingBox()))
  expect(boxes.length).toBeGreaterThan(3)
  for (const box of boxes) {
    expect(box?.x).toBeGreaterThanOrEqual(0)
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(width)
  }
})

inBrowser('an owner manages rooms and groups: names, members, bans, archiving', async () => {
  const bob = await newPerson('bob')
  const roomId = await newRoom(owner, [])
  await using visitor = await visitAdministration(owner, '/manage/rooms')
  const { page } = visitor
  const [group, renamed] = [unique('Team'), unique('Crew')]
  await page.getByLabel('Group name').fill(group)
  await page.getByRole('button', { name: 'Create group' }).click()
  await page.getByRole('button', { name: `Rename the group ${group}` }).click()
  await page.getByLabel('Group name').first().fill(renamed)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('heading', { name: renamed }).waitFor()
  await page.getByRole('button', { name: `Delete the group ${renamed}` }).click()
  await page.getByRole('heading', { name: renamed }).waitFor({ state: 'detached' })

  await page.goto(`${new URL(page.url()).origin}/manage/rooms/${roomId}`)
  const name = unique('plans')
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('heading', { name: `# ${name}` }).waitFor()
  await page.getByLabel('Find somebody to add').fill(bob.login)
  await page.getByRole('button', { name: `Add ${bob.login}` }).click()
  await using ofBob = await visitAs(bob, `/chat/-/${roomId}`)
  await say(ofBob.page, 'Here I am')
  await messageWith(ofBob.page, 'Here I am').waitFor()

  const members = page.getByRole('region', { name: 'Members' })
  await bob.call(MyAccountService.method.updateProfile, { displayName: 'Bob the Loud' })
  await members.getByRole('button', { name: 'Ban Bob the Loud' }).waitFor()
  await bob.call(MyAccountService.method.updateProfile, { displayName: bob.login })
  await members.getByRole('button', { name: `Remove ${bob.login}` }).click()
  await ofBob.page.getByRole('textbox', { name: 'Write a message' }).waitFor({ state: 'detached' })
  await page.getByLabel('Find somebody to add').fill(bob.login)
  await page.getByRole('button', { name: `Add ${bob.login}` }).click()
  await ofBob.page.getByRole('textbox', { name: 'Write a message' }).waitFor()

  await page.getByRole('button', { name: `Ban ${bob.login}` }).click()
  await page.getByLabel('Reason (for the audit log)').fill('Too loud')
  await page
    .getByRole('button', { name: `Ban ${bob.login}` })
    .last()
    .click()
  await page.getByText('Too loud').waitFor()
  await ofBob.page.getByRole('textbox', { name: 'Write a message' }).waitFor({ state: 'detached' })
  await page.getByLabel('Reason for lifting a ban').fill('Quiet again')
  await page.getByRole('button', { name: `Lift the ban on ${bob.login}` }).click()
  await page.getByText('Too loud').waitFor({ state: 'detached' })
  await page.getByRole('textbox', { name: 'Description' }).fill('Not saved yet')
  await page.getByRole('button', { name: 'Archive', exact: true }).press('Enter')
  await page.getByRole('button', { name: 'Cancel' }).press('Enter')
  await page.keyboard.press('Enter')
  await page.getByText('nobody can post in it until it is unarchived').waitFor()
  await page.keyboard.press('Enter')
  await page.getByText('This room is archived').waitFor()
  expect(await page.getByRole('textbox', { name: 'Description' }).inputValue()).toBe('Not saved yet')
  await page.getByRole('button', { name: 'Unarchive' }).click()
  await page.getByRole('button', { name: 'Archive', exact: true }).waitFor()
  const { groups } = await owner.call(AdminRoomLayoutService.method.listRoomGroups, {})
  const rooms = groups.flatMap(({ items }) => items.flatMap(({ item }) => (item.case === 'room' ? [item.value] : [])))
  expect(rooms.find(({ id }) => id === roomId)).toMatchObject({ name, archived: false })
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('an owner orders groups, moves a room to another group, and makes it universal', async () => {
  const carl = await newPerson('carl')
  const [name, groupName] = [unique('desk'), unique('Desks')]
  const roomId = await newRoom(owner, [], { name })
  for (const one of [unique('Shelves'), groupName, unique('Chairs')])
    await owner.call(AdminRoomLayoutService.method.createRoomGroup, { name: one })
  await using ofCarl = await visitAs(carl)
  await using visitor = await visitAdministration(owner, '/manage/rooms')
  const { page } = visitor
  await page.getByRole('heading', { name: groupName }).waitFor()
  const place = async () => (await page.getByRole('heading', { level: 3 }).allTextContents()).indexOf(groupName)
  const before = await place()
  // A button press counts even before the response to the previous press.
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/ReorderRoomGroups', async (route) => {
    await released
    await route.continue()
  })
  const move = (where: 'up' | 'down') => page.getByRole('button', { name: `Move the group ${groupName} ${where}` })
  await move('down').click()
  await move('up').click()
  await move('up').click()
  release()
  await eventually(async () => expect(await place()).toBe(before - 1))
  const stored = async () => (await owner.call(AdminRoomLayoutService.method.listRoomGroups, {})).groups
  await eventually(async () => expect((await stored())[before - 1]?.name).toBe(groupName))
  await move('down').click()
  await eventually(async () => expect(await place()).toBe(before))

  // Quick clicks at one place all move the same group, wherever its button is by then.
  await move('up').scrollIntoViewIfNeeded()
  const box = await move('up').boundingBox()
  await page.mouse.click((box?.x ?? 0) + 5, (box?.y ?? 0) + 5, { clickCount: 2 })
  expect(await place()).toBe(before - 2)
  await page.evaluate(`document.querySelector('main').scrollTop = 0`)
  const topBox = await move('down').boundingBox()
  await page.mouse.click((topBox?.x ?? 0) + 5, (topBox?.y ?? 0) + 5, { clickCount: 2 })
  expect(await place()).toBe(before)
  await eventually(async () => expect((await stored())[before]?.name).toBe(groupName))

  await page.getByRole('link', { name: `# ${name}` }).click()
  await page.getByLabel('Group', { exact: true }).selectOption(groupName)
  await page.getByText('Saved.').first().waitFor()
  await page.getByLabel('Everybody is a member').check()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await ofCarl.page.getByRole('region', { name: groupName }).getByRole('link', { name }).click()
  await say(ofCarl.page, 'I am in, too')
  await messageWith(ofCarl.page, 'I am in, too').waitFor()
  await owner.call(RoomService.method.archiveRoom, { roomId })
  await ofCarl.page.getByText('This room is archived').waitFor()
  // Only the administrators of the room still find it.
  await ofCarl.page.getByRole('button', { name: 'Browse rooms' }).click()
  await ofCarl.page.getByRole('dialog').getByLabel('Name or description').fill(name)
  await ofCarl.page.getByRole('dialog').getByText('No rooms found.').waitFor()
  await page.goto(new URL('/manage/rooms', page.url()).href)
  await page.getByText(/archived rooms?$/).waitFor()
  const link = page.getByRole('link', { name: `# ${name}` })
  expect(await link.count()).toBe(0)
  await page.getByText(/archived rooms?$/).click()
  await link.click()
  await page.getByRole('button', { name: 'Unarchive' }).click()
  await ofCarl.page.keyboard.press('Escape')
  await ofCarl.page.getByRole('textbox', { name: 'Write a message' }).waitFor()
  expect([...visitor.pageErrors, ...ofCarl.pageErrors]).toEqual([])
})

inBrowser('an owner sets a server name, a welcome text and a logo; others see the name and the text', async () => {
  await using visitor = await visitAdministration(owner, '/manage/server')
  const { page } = visitor
  const ada = await newPerson('ada')
  await using ofAda = await visitAs(ada)
  const name = unique('Lodge')
  const { config: before } = await owner.call(AdminServerService.method.getServerConfig, {})
  try {
    await page.getByLabel('Server name').fill(name)
    await page.getByLabel('Welcome text').fill('Come **in**!')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { name: `Manage ${name}` }).waitFor()
    await ofAda.page.getByRole('heading', { name }).waitFor()
    const { config } = await owner.call(AdminServerService.method.getServerConfig, {})
    expect(config).toMatchObject({ serverName: name, welcomeMessage: 'Come **in**!' })
    const { url } = await owner.call(AdminUserService.method.createInvite, {})
    for (const path of ['/login', '/register', new URL(url).pathname + new URL(url).hash]) {
      await using guest = await visit(path)
      const welcome = guest.page.getByRole('region', { name: 'Welcome' })
      await welcome.getByText('Come in!').waitFor()
      expect(await welcome.locator('strong').textContent()).toBe('in')
      expect(guest.pageErrors).toEqual([])
    }
    const drawn = sharp({ create: { width: 64, height: 64, channels: 3, background: '#3050c0' } })
    await page
      .getByLabel('Image')
      .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: await drawn.png().toBuffer() })
    await page.getByRole('button', { name: 'Save logo' }).click()
    await page.getByRole('img', { name: 'Logo' }).waitFor()
    await page.getByRole('button', { name: 'Remove logo' }).click()
    await page.getByRole('img', { name: 'Logo' }).waitFor({ state: 'detached' })
    expect(visitor.pageErrors).toEqual([])
  } finally {
    await owner.call(AdminServerService.method.updateServerConfig, {
      serverName: before?.serverName ?? '',
      welcomeMessage: '',
    })
  }
})

inBrowser('people see where they are signed in, and end sessions', async () => {
  const dora = await newPerson('dora')
  await using elsewhere = await visitAs(dora, '/', { userAgent: 'Elsewhere/1.0' })
  await using visitor = await visitAs(dora)
  const { page } = visitor
  await page.getByRole('button', { name: 'Settings' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'End the session in Elsewhere' }).click()
  await elsewhere.page.getByRole('heading', { name: /Sign in/ }).waitFor()
  await elsewhere.page.getByText('Your session has ended. Sign in to continue.').waitFor()
  await page.getByText('This session').waitFor()
  await page.getByRole('button', { name: 'End all other sessions' }).click()
  await page.getByRole('button', { name: 'End all other sessions' }).waitFor({ state: 'detached' })
  await page.getByText('This session').waitFor()
  expect(visitor.pageErrors).toEqual([])
  expect((await signIn(dora)).userId).toBe(dora.userId)
})

inBrowser('people see which addresses and apps have access to their account, and remove them', async () => {
  const emil = await newPerson('emil')
  const [first, second] = [`first-${emil.login}@example.org`, `second-${emil.login}@example.org`]
  for (const email of [first, second]) await operate(['user', 'verify-email', '--login', emil.login, '--email', email])
  const client = newBrowser()
  await signInBrowser(client, emil)
  await codeFor(client, newVerifier(), listedUri)
  await using visitor = await visitAs(emil)
  const { page } = visitor
  await page.getByRole('button', { name: 'Settings' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'E-mail addresses' }).click()
  await dialog.getByRole('listitem').filter({ hasText: first }).waitFor()
  await dialog.getByRole('button', { name: `Remove ${second}` }).click()
  await dialog.getByText('You will no longer be able to sign in with this address.').waitFor()
  await dialog.getByRole('button', { name: `Remove ${second}` }).click()
  await dialog.getByText(second, { exact: true }).waitFor({ state: 'detached' })
  expect(await dialog.getByRole('button', { name: `Remove ${first}` }).count()).toBe(0)

  await dialog.getByRole('button', { name: 'Connected apps' }).click()
  await dialog.getByRole('button', { name: `Remove access for ${new URL(listedUri).origin}` }).click()
  await dialog.getByText('No apps are connected to your account.').waitFor()
  expect((await client.get(authorizePath(newVerifier(), listedUri))).location).toBe('/oauth/consent')
  expect(visitor.pageErrors).toEqual([])
})

async function backdateSessions({ userId }: Person): Promise<void> {
  await using database = await databaseOf('accounts')
  await database.query(`update credentials set fresh_until = now() - interval '1 minute' where user_id = $1`, [userId])
}

inBrowser('after a long session, changes are confirmed with the current password', async () => {
  const [greta, hans] = await Promise.all([newPerson('greta', { roles: ['admin'] }), newPerson('hans')])
  const [first, second] = [`first-${greta.login}@example.org`, `second-${greta.login}@example.org`]
  await operate(['user', 'verify-email', '--login', greta.login, '--email', first])
  await using visitor = await visitAdministration(greta, `/manage/people/${hans.userId}`)
  const { page } = visitor
  await backdateSessions(greta)
  const ofHans = page.getByRole('region', { name: 'Password' })
  await ofHans.getByLabel('New password').fill('another password')
  await ofHans.getByLabel('Repeat the password').fill('another password')
  await ofHans.getByRole('button', { name: 'Set password' }).click()
  await ofHans.getByText('You signed in a while ago.').waitFor()
  await ofHans.getByLabel('Current password').fill(greta.password)
  await ofHans.getByRole('button', { name: 'Set password' }).click()
  await ofHans.getByText('Saved').waitFor()
  expect((await signIn({ login: hans.login, password: 'another password' })).userId).toBe(hans.userId)

  await backdateSessions(greta)
  await page.goto(new URL('/', page.url()).href)
  await page.getByRole('button', { name: 'Settings' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'E-mail addresses' }).click()
  await dialog.getByLabel('E-mail address', { exact: true }).fill(second)
  await dialog.getByRole('button', { name: 'Send code' }).click()
  await dialog.getByText('You signed in a while ago.').waitFor()
  await dialog.getByLabel('Current password').fill('not this one')
  await dialog.getByLabel('Current password').press('Enter')
  await dialog.getByText(/wrong/i).waitFor()
  await dialog.getByLabel('Current password').fill(greta.password)
  await dialog.getByLabel('Current password').press('Enter')
  await dialog.getByText(`You will receive a code at ${second} shortly.`).waitFor()
  await dialog.getByLabel('Six-digit code').fill(codeIn(await mailTo(second)))
  await dialog.getByRole('button', { name: 'Verify address' }).click()
  await dialog.getByText(second, { exact: true }).waitFor()

  await backdateSessions(greta)
  const remove = dialog.getByRole('button', { name: `Remove ${second}` })
  await remove.click()
  await remove.click()
  await dialog.getByText('You signed in a while ago.').waitFor()
  await dialog.getByRole('listitem').getByLabel('Current password').fill(greta.password)
  await remove.click()
  await dialog.getByText(second, { exact: true }).waitFor({ state: 'detached' })
})

inBrowser('an owner removes an e-mail address from an account', async () => {
  const flora = await newPerson('flora')
  const email = `${flora.login}@example.org`
  await operate(['user', 'verify-email', '--login', flora.login, '--email', email])
  await using visitor = await visitAdministration(owner, `/manage/people/${flora.userId}`)
  const { page } = visitor
  await page.getByRole('button', { name: `Remove ${email}` }).click()
  await page.getByText('This person will no longer be able to sign in').waitFor()
  await page.getByRole('button', { name: `Remove ${email}` }).click()
  await page.getByRole('heading', { name: 'E-mail addresses' }).waitFor({ state: 'detached' })
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('an owner invites by a link and by a list of addresses, and revokes an invite', async () => {
  await using visitor = await visitAdministration(owner, '/manage/invites')
  const { page } = visitor
  const label = unique('desk')
  await page.getByLabel('Purpose').fill(label)
  await page.getByLabel('Good for').selectOption('10 accounts')
  await page.getByRole('button', { name: 'Create link' }).click()
  const link = await page.getByLabel(/The link is shown only once/).inputValue()
  expect(link).toMatch(/\/invite#\w{43}$/)

  const addresses = [`${unique('ann')}@example.org`, `${unique('bob')}@example.org`]
  const file = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(`name;address\nAnn;${addresses[0]}`) }
  await page.getByLabel('Or choose a file with addresses').setInputFiles(file)
  await page.getByRole('button', { name: 'Invite one person' }).waitFor()
  await page.getByLabel('E-mail addresses').fill(addresses.join(', '))
  await page.getByRole('button', { name: 'Invite 2 people' }).click()
  await page.getByText('The invite has been sent.').nth(1).waitFor()
  for (const address of addresses) expect(await mailTo(address)).toContain('/invite#')

  const field = page.getByLabel('E-mail addresses')
  const carl = `${unique('carl')}@example.org`
  await field.fill(`${carl}, dora@example, erik.example.org`)
  await page.getByRole('button', { name: 'Invite one person' }).click()
  await page.getByText('Not invited, because it is not an e-mail address: dora@example, erik.example.org').waitFor()
  expect(await field.inputValue()).toBe('dora@example\nerik.example.org')
  const outcome = page.getByRole('status').filter({ hasText: carl }).getByText('The invite has been sent.')
  await eventually(async () => {
    const { y, height } = (await outcome.boundingBox()) ?? { y: 0, height: Infinity }
    expect(y + height).toBeLessThanOrEqual(page.viewportSize()?.height ?? 0)
  })
  await field.fill('')

  await using guest = await visit(new URL(link).pathname + new URL(link).hash)
  await guest.page.getByLabel('Login').fill(unique('guest'))
  await guest.page.getByLabel('New password').fill('long enough for anyone')
  await guest.page.getByLabel('Repeat the password').fill('long enough for anyone')
  await guest.page.getByRole('button', { name: 'Complete registration' }).click()
  await guest.page.getByRole('navigation', { name: 'Rooms' }).waitFor()
  await page.reload()
  await page.getByRole('listitem').filter({ hasText: label }).getByText('1 of 10 used').waitFor()
  await page.getByRole('button', { name: `Revoke ${label}` }).click()
  await page.getByText('Nobody will be able to create an account with it any more.').waitFor()
  await page.getByRole('button', { name: `Revoke ${label}` }).click()
  await page.getByRole('button', { name: `Revoke ${label}` }).waitFor({ state: 'detached' })
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('a list that is still loading is not shown as empty', async () => {
  await using visitor = await visitAdministration(owner, '/manage/server')
  const { page } = visitor
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/ListMembers', async (route) => {
    await released
    await route.continue()
  })
  await page.getByRole('link', { name: 'People', exact: true }).click()
  await page.getByRole('status', { name: 'Loading' }).waitFor()
  expect(await page.getByText('Nobody').count()).toBe(0)
  release()
  await page.getByText(/^\d+ people$/).waitFor()
  await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' })
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('an owner sees why somebody cannot post in a room', async () => {
  const carl = await newPerson('carl')
  const roomId = await newRoom(owner, [carl])
  const name = unique('quiet')
  await owner.call(RoomService.method.updateRoom, { roomId, name })
  await owner.call(AdminPermissionService.method.setRolePermission, {
    ...{ roleName: 'everyone', permission: 'message.post', decision: PermissionDecision.DENY },
    scope: { kind: PermissionScopeKind.ROOM, id: roomId },
  })
  await using visitor = await visitAdministration(owner, `/manage/people/${carl.userId}`)
  const { page } = visitor
  await page.getByLabel('Room', { exact: true }).selectOption(name)
  await page.getByText('Post messages: no. Decided for the role “everyone”, in this room.').waitFor()
  await page.getByText('Join the room: yes.').waitFor()
  await owner.call(RoomService.method.removeMember, { roomId, userId: carl.userId })
  await page.getByLabel('Room', { exact: true }).selectOption('Choose a room.')
  await page.getByLabel('Room', { exact: true }).selectOption(name)
  await page
    .getByText('This person is not a member of the room. To post, they must first join it, which they may do.')
    .waitFor()

  const explain = async (room: string) => {
    await page.reload()
    await page.getByLabel('Room', { exact: true }).selectOption(room)
  }
  await carl.call(RoomService.method.joinRoom, { roomId })
  await owner.call(RoomService.method.banMember, { roomId, userId: carl.userId, reason: 'Too loud' })
  await explain(name)
  await page.getByText('This person is banned from the room. Too loud').waitFor()
  await owner.call(RoomService.method.archiveRoom, { roomId })
  await page.getByText('The room is archived: nobody can post in it.').waitFor()
})

inBrowser('an owner can join a room of others to see and change its members', async () => {
  const [boss, carl, name] = [await newPerson('boss', { roles: ['admin'] }), await newPerson('carl'), unique('others')]
  const roomId = await newRoom(boss, [], { name })
  await using visitor = await visitAdministration(owner, `/manage/people/${carl.userId}`)
  const { page } = visitor
  await page.getByLabel('Room', { exact: true }).selectOption(name)
  await page.getByText('Whether this person is a member of the room is visible only to its members.').waitFor()
  await page.getByText('Post messages: yes, as a member.').waitFor()

  await page.goto(new URL(`/manage/rooms/${roomId}`, page.url()).href)
  const members = page.getByRole('region', { name: 'Members' })
  await members.getByText('Only members see who is in this room.').waitFor()
  await members.getByRole('button', { name: 'Join room' }).click()
  await members.getByRole('button', { name: `Remove ${boss.login}` }).waitFor()
  const focused = () => page.evaluate(`document.activeElement?.getAttribute('aria-label')`)
  expect(await focused()).toBe('Members')
  await page.getByLabel('Find somebody to add').fill(carl.login)
  await page.getByRole('button', { name: `Add ${carl.login}` }).click()
  await members.getByRole('button', { name: `Remove ${carl.login}` }).waitFor()

  // Both are removed, although the second button is pressed before the first call is answered.
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/RemoveMember', async (route) => {
    await released
    await route.continue()
  })
  for (const { login } of [boss, carl]) await members.getByRole('button', { name: `Remove ${login}` }).click()
  release()
  for (const { login } of [boss, carl])
    await members.getByRole('button', { name: `Remove ${login}` }).waitFor({ state: 'detached' })
  await eventually(async () => expect(await focused()).toBe('Members'))
})
