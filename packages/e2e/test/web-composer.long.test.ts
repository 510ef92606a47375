import { expect } from '@jest/globals'
import { eventually } from '@parley/testkit'
import { newPerson, signInOwner, type Person } from '../src/people.ts'
import { newRoom, post } from '../src/rooms.ts'
import { inBrowser, messageWith, refusal, say, useBrowser, visitAs } from '../src/web-client.ts'

let ada: Person
let roomId: string

useBrowser('the composer', async () => {
  ada = await newPerson('ada')
  roomId = await newRoom(await signInOwner(), [ada])
})

inBrowser('only visible emoji are rendered, and the arrow keys reach the others', async () => {
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  await page.getByRole('button', { name: 'Insert an emoji' }).click()
  const field = page.getByRole('combobox', { name: 'Find an emoji' })
  const options = page.getByRole('dialog').getByRole('option')
  await options.first().waitFor()
  expect(Number(await options.first().getAttribute('aria-setsize'))).toBeGreaterThan(1_800)
  expect(await options.count()).toBeLessThan(200)

  const rows = 40
  for (let row = 0; row < rows; row++) await field.press('ArrowDown')
  const chosen = page.getByRole('option', { selected: true })
  expect(await chosen.getAttribute('id')).toBe(await field.getAttribute('aria-activedescendant'))
  expect(await chosen.getAttribute('aria-posinset')).toBe(`${9 * rows + 1}`)
  const character = (await chosen.textContent())?.trim() ?? ''
  expect(await chosen.isVisible()).toBe(true)
  await field.pressSequentially('rocket')
  await page.getByRole('option', { name: 'rocket', selected: true }).waitFor()
  await field.fill('no emoji is called so')
  await page.getByRole('dialog').getByText('No results.').waitFor()
  await field.fill('')
  for (let row = 0; row < rows; row++) await field.press('ArrowDown')
  await field.press('Enter')
  expect(await page.getByRole('textbox', { name: 'Write a message' }).inputValue()).toBe(character)
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('a failed action on a message shows an error at the message, and its effect is undone', async () => {
  await post(ada, roomId, 'It stays')
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  const message = messageWith(page, 'It stays')
  await message.hover()
  await page.route(/AddReaction|DeleteMessage/, (route) => route.fulfill(refusal))
  await message.getByRole('button', { name: 'React', exact: true }).click()
  await message.getByRole('button', { name: 'React with heart' }).click()
  await message.getByRole('alert').waitFor()
  await message.getByRole('button', { name: ':heart:' }).waitFor({ state: 'detached' })
  await message.getByRole('button', { name: 'Close' }).click()
  await message.getByRole('button', { name: 'Delete' }).click()
  await message.getByRole('button', { name: 'Delete' }).click()
  await message.getByRole('alert').waitFor()
  // Escape closes the error too, and the focus returns to the buttons of the message.
  await message.getByRole('button', { name: 'Close' }).press('Escape')
  expect(await page.evaluate(`document.activeElement.getAttribute('aria-label')`)).toBe('React')
})

inBrowser('a link to a message is copied, and leads to it', async () => {
  const far = await post(ada, roomId, 'Far back')
  for (let n = 0; n < 60; n++) await post(ada, roomId, `Later, ${n}`)
  await using visitor = await visitAs(ada, `/chat/-/${roomId}?highlight=${far}`)
  const { page } = visitor
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await messageWith(page, 'Far back').hover()
  await messageWith(page, 'Far back').getByRole('button', { name: 'Copy link' }).click()
  await messageWith(page, 'Far back').getByText('Copied').waitFor()
  const link = await page.evaluate<string>('navigator.clipboard.readText()')
  expect(new URL(link).pathname + new URL(link).search).toBe(`/chat/-/${roomId}?highlight=${far}`)
  await page.goto(link)
  await messageWith(page, 'Far back').waitFor()
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('after two quick jumps to messages, the second message is shown', async () => {
  const room = await newRoom(await signInOwner(), [ada])
  const targets: string[] = []
  for (const name of ['First', 'Second']) {
    targets.push(await post(ada, room, `${name} target`))
    for (let n = 0; n < 60; n++) await post(ada, room, `After the ${name}, ${n}`)
  }
  await using visitor = await visitAs(ada, `/chat/-/${room}`)
  const { page } = visitor
  await messageWith(page, 'After the Second, 59').waitFor()
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
  let requests = 0
  await page.route('**/GetRoomEventsAround*', async (route) => {
    if (++requests === 2) await held
    await route.continue()
  })
  const firstPage = page.waitForResponse('**/GetRoomEventsAround*')
  for (const id of targets) {
    const path = `/chat/-/${room}?highlight=${id}`
    await page.evaluate(`history.pushState(undefined, '', '${path}'); dispatchEvent(new PopStateEvent('popstate'))`)
  }
  await (await firstPage).finished()
  // The view needs at most 30 frames to reach a position.
  for (let n = 0; n < 40; n++) await page.evaluate('new Promise(requestAnimationFrame)')
  letGo()
  await messageWith(page, 'Second target').waitFor()
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('the actions of a message are visible even if its start is scrolled out of view', async () => {
  await post(ada, roomId, `It goes on\n${'and on\n\n'.repeat(60)}to its end`)
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  const message = messageWith(page, 'to its end')
  await message.getByText('to its end').hover()
  const react = message.getByRole('button', { name: 'React', exact: true })
  await react.waitFor()
  const [begins, log, button] = await Promise.all(
    [message, page.getByRole('main').getByRole('log'), react].map(async (one) => (await one.boundingBox())?.y ?? 0),
  )
  expect(begins).toBeLessThan(log ?? 0)
  expect(button).toBeGreaterThan(log ?? 0)
  await react.click()
  await message.getByRole('button', { name: 'React with heart' }).click()
  await message.getByRole('button', { name: ':heart:' }).waitFor()
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('a room with a draft is marked, in other tabs too, until the draft is sent', async () => {
  const other = await newRoom(await signInOwner(), [ada])
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  await page.getByRole('textbox', { name: 'Write a message' }).fill('Not yet')
  const linkOn = (at: typeof page, id: string) =>
    at.getByRole('navigation', { name: 'Rooms' }).locator(`a[href$="${id}"]`)
  const second = await page.context().newPage()
  await second.goto(new URL(`/chat/-/${other}`, page.url()).href)
  await linkOn(second, roomId).getByText('Draft').waitFor()
  await linkOn(page, other).click()
  await linkOn(page, roomId).getByText('Draft').waitFor()
  await linkOn(page, roomId).click()
  await page.getByRole('textbox', { name: 'Write a message' }).press('Enter')
  await messageWith(page, 'Not yet').waitFor()
  await linkOn(second, roomId).getByText('Draft').waitFor({ state: 'detached' })
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('a reaction is added next to existing ones', async () => {
  await post(ada, roomId, 'Well done')
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  const message = messageWith(page, 'Well done')
  const add = message.getByRole('button', { name: 'Add a reaction' })
  const react = message.getByRole('button', { name: 'React', exact: true })
  await message.hover()
  const before = await react.boundingBox()
  // The row of reactions moves the message up, but no button sideways.
  await react.click()
  await message.getByRole('button', { name: 'React with heart' }).click()
  await message.getByRole('button', { name: 'Who reacted' }).waitFor()
  expect((await react.boundingBox())?.x).toBe(before?.x)
  await add.click()
  await page.getByRole('combobox', { name: 'Find an emoji' }).pressSequentially('rocket')
  await page.getByRole('option', { name: 'rocket', selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await message.getByRole('button', { name: ':rocket:, 1 person' }).waitFor()
  await message.getByRole('button', { name: ':heart:, 1 person' }).waitFor()
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('text typed while the quick reactions are open searches all emoji', async () => {
  await post(ada, roomId, 'Now type')
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  const message = messageWith(page, 'Now type')
  await message.hover()
  await message.getByRole('button', { name: 'React', exact: true }).click()
  const { promise: mayLoad, resolve: load } = Promise.withResolvers<void>()
  await page.route('**/EmojiPicker*.js', async (route) => {
    await mayLoad
    await route.continue()
  })
  await page.keyboard.type('ro')
  load()
  const search = page.getByRole('combobox', { name: 'Find an emoji' })
  await search.and(page.locator(':focus')).waitFor()
  await page.keyboard.type('cket')
  expect(await search.inputValue()).toBe('rocket')
  await page.getByRole('option', { name: 'rocket', selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await message.getByRole('button', { name: ':rocket:, 1 person' }).waitFor()

  // The question about deleting stays in one line, and returns the focus to its button.
  await message.hover()
  const remove = message.getByRole('button', { name: 'Delete', exact: true })
  await remove.click()
  await page.keyboard.type('no')
  const question = message.getByText('Delete this message?')
  expect((await question.boundingBox())?.height).toBeLessThan(30)
  await page.keyboard.press('Escape')
  await remove.and(page.locator(':focus')).waitFor()
  expect(await page.getByRole('textbox', { name: 'Write a message' }).inputValue()).toBe('')
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('the newest message stays visible while the composer grows and shrinks', async () => {
  for (let n = 0; n < 30; n++) await post(ada, roomId, `To stay in sight ${n}`)
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  const field = page.getByRole('textbox', { name: 'Write a message' })
  const newest = messageWith(page, 'To stay in sight 29')
  await newest.waitFor()
  const waitForFrames = () =>
    page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
  const expectNewestVisible = async () => {
    await waitForFrames()
    const [message, box] = await Promise.all([newest.boundingBox(), field.boundingBox()])
    expect((message?.y ?? 0) + (message?.height ?? 0)).toBeLessThan(box?.y ?? 0)
    expect(await page.getByRole('button', { name: 'Jump to newest' }).count()).toBe(0)
  }
  for (const _ of [1, 2]) {
    await field.fill(Array.from({ length: 12 }, (_, line) => `line ${line}`).join('\n'))
    await expectNewestVisible()
    // Reading `scrollTop` computes the layout at once, before the list is notified of its new height.
    await page.evaluate(`{
      const field = document.activeElement
      field.value = ''
      field.dispatchEvent(new Event('input', { bubbles: true }))
      document.querySelector('[role=log]').scrollTop
    }`)
    await expectNewestVisible()
  }
})

inBrowser('after an edit, an emoji or a click elsewhere, typing continues in the composer', async () => {
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  const field = page.getByRole('textbox', { name: 'Write a message' })
  const hasFocus = async () =>
    expect(await page.evaluate(`document.activeElement.getAttribute('aria-label')`)).toBe('Write a message')
  await say(page, 'This has a mistale')
  await messageWith(page, 'This has a mistale').hover()
  await messageWith(page, 'This has a mistale').getByRole('button', { name: 'Edit', exact: true }).waitFor()

  await field.press('ArrowUp')
  await page.getByRole('textbox', { name: 'Edit message' }).fill('This has a mistake')
  await page.keyboard.press('Enter')
  await messageWith(page, 'This has a mistake').waitFor()
  await page.getByRole('textbox', { name: 'Edit message' }).waitFor({ state: 'detached' })
  await eventually(hasFocus)

  await messageWith(page, 'This has a mistake').getByText('This has a mistake').click()
  await page.keyboard.type('one two')
  expect(await field.inputValue()).toBe('one two')

  await page.evaluate(`document.activeElement.setSelectionRange(3, 3)`)
  await page.getByRole('button', { name: 'Insert an emoji' }).click()
  await page.getByRole('combobox', { name: 'Find an emoji' }).pressSequentially('rocket')
  await page.getByRole('option', { name: 'rocket' }).waitFor()
  await page.keyboard.press('Enter')
  await eventually(hasFocus)
  await page.keyboard.type('!')
  expect(await field.inputValue()).toBe('one🚀! two')
  expect(visitor.pageErrors).toEqual([])
})

inBrowser('the caret stays at its place while a message is edited', async () => {
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  await post(ada, roomId, 'and two for tea')
  await messageWith(page, 'and two for tea').waitFor()
  await page.getByRole('textbox', { name: 'Write a message' }).press('ArrowUp')
  const editor = page.getByRole('textbox', { name: 'Edit message' })
  await editor.press('Home')
  await editor.pressSequentially('Tea for two ')
  expect(await editor.inputValue()).toBe('Tea for two and two for tea')
})

inBrowser('after an edit started by a button the focus returns to the message', async () => {
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  await say(page, 'To be edited by its button')
  const message = messageWith(page, 'To be edited by its button')
  await message.hover()
  await message.getByRole('button', { name: 'Edit', exact: true }).press('Enter')
  await page.getByRole('textbox', { name: 'Edit message' }).press('Escape')
  await eventually(async () =>
    expect(await page.evaluate('document.activeElement.textContent')).toContain('To be edited by its button'),
  )
})

inBrowser('shortcuts make the selection bold, italic or a link, and undo reverts that', async () => {
  await using visitor = await visitAs(ada, `/chat/-/${roomId}`)
  const { page } = visitor
  const field = page.getByRole('textbox', { name: 'Write a message' })
  await field.fill('see the plan')
  await page.evaluate(`document.activeElement.setSelectionRange(8, 12)`)
  await page.keyboard.press('Control+b')
  expect(await field.inputValue()).toBe('see the **plan**')
  await page.keyboard.press('Control+i')
  expect(await field.inputValue()).toBe('see the **_plan_**')
  await page.keyboard.press('Control+i')
  expect(await field.inputValue()).toBe('see the **plan**')
  await page.keyboard.press('Control+z')
  await page.keyboard.press('Control+z')
  await page.keyboard.press('Control+z')
  expect(await field.inputValue()).toBe('see the plan')

  await page.evaluate(`document.activeElement.setSelectionRange(8, 12)`)
  await page.evaluate(`{
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', 'https://example.org/plan')
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }`)
  expect(await field.inputValue()).toBe('see the [plan](https://example.org/plan)')
  await page.keyboard.press('Enter')
  const link = messageWith(page, 'see the plan').getByRole('link', { name: 'plan' })
  expect(await link.getAttribute('href')).toBe('https://example.org/plan')
  expect(visitor.pageErrors).toEqual([])
})
