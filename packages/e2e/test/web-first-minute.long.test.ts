import { rmSync } from 'node:fs'
import { expect } from '@jest/globals'
import { RoomService } from '@parley/contracts/api'
import { startFleet } from '@parley/local'
import { temporaryDataDir } from '../src/abandoned.ts'
import { signIn } from '../src/people.ts'
import { lobbyId } from '../src/rooms.ts'
import { fillSignIn, inBrowser, say, useBrowser, visit } from '../src/web-client.ts'

useBrowser('the first minute')

inBrowser('the owner of a new server is guided to a name, an invite and a room', async () => {
  const owner = { login: 'first', password: 'the owner of a new server' }
  const dataDir = temporaryDataDir()
  const fleet = await startFleet({ dataDir, port: 0, owner, fsync: false, say: () => undefined })
  try {
    await using visitor = await visit()
    const { page } = visitor
    await page.goto(fleet.url)
    await page.getByRole('heading', { name: 'Sign in to Parley' }).waitFor()
    await fillSignIn(page, owner)
    await page.getByRole('heading', { name: 'First steps' }).waitFor()

    await page.getByLabel('Server name').fill('The Lodge')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { name: 'Manage The Lodge' }).waitFor()
    await page.getByRole('listitem').filter({ hasText: 'Give it a name' }).getByText('Done').waitFor()

    await page.getByLabel('Server name').fill('The Lodge of')
    const elsewhere = await signIn(owner, fleet.url)
    const groupId = await lobbyId(elsewhere, { base: fleet.url })
    await elsewhere.call(RoomService.method.createRoom, { name: 'books', groupId }, { base: fleet.url })
    await page.getByRole('listitem').filter({ hasText: 'Add rooms for your topics' }).getByText('Done').waitFor()
    expect(await page.getByLabel('Server name').inputValue()).toBe('The Lodge of')

    await page.getByText('#general and #announcements exist already').waitFor()
    await page.getByRole('button', { name: 'New room' }).click()
    // The rule for names is shown before a name is refused.
    await page
      .getByRole('dialog')
      .getByText(/^A room name has 1 to 30 characters/)
      .waitFor()
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('plans')
    await page.getByRole('dialog').getByRole('button', { name: 'Create room' }).click()
    await say(page, 'Who comes along?')

    await page.getByRole('link', { name: 'Manage The Lodge' }).click()
    await page.getByRole('link', { name: 'Invites' }).click()
    await page.getByRole('button', { name: 'Create link' }).click()
    const link = await page.getByLabel(/The link is shown only once/).inputValue()
    await page.getByRole('link', { name: 'First steps' }).click()
    await page.getByText('Done').nth(2).waitFor()

    await using guest = await visit()
    await guest.page.goto(`${fleet.url}${new URL(link).pathname}${new URL(link).hash}`)
    await guest.page.getByRole('heading', { name: 'Join The Lodge' }).waitFor()
    await guest.page.getByLabel('Login').fill('second')
    await guest.page.getByLabel('New password').fill('long enough for anyone')
    await guest.page.getByLabel('Repeat the password').fill('long enough for anyone')
    await guest.page.getByRole('button', { name: 'Complete registration' }).click()
    await guest.page.getByRole('navigation', { name: 'Rooms' }).waitFor()
    expect(await guest.page.getByRole('heading', { name: 'First steps' }).count()).toBe(0)
    // The only room of a new person is #announcements, where few may post.
    await guest.page.getByRole('heading', { name: 'announcements' }).waitFor()
    await guest.page.getByText('You can read this room, but not post in it.').waitFor()
    const hint = guest.page
      .getByRole('navigation', { name: 'Rooms' })
      .getByText('Find rooms to join under “Browse rooms”.')
    await hint.waitFor()
    const empty = guest.page.getByRole('log').getByText('No messages yet.')
    expect(await empty.innerText()).toBe('No messages yet.')
    await guest.page.getByRole('log').getByRole('button', { name: 'Browse rooms' }).click()
    await guest.page.getByRole('button', { name: 'Join general' }).click()
    await guest.page.getByText('No messages yet. Write the first one.').waitFor()
    await hint.waitFor({ state: 'detached' })
    await guest.page.getByRole('link', { name: /announcements/ }).click()
    await empty.waitFor()
    expect(await guest.page.getByRole('log').getByRole('button', { name: 'Browse rooms' }).count()).toBe(0)
    expect([...visitor.pageErrors, ...guest.pageErrors]).toEqual([])
  } finally {
    await fleet.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
})
