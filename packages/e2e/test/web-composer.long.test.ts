import { expect } from '@jest/globals'
import { newPerson, theOwner, type Person } from '../src/people.ts'
import { newRoom } from '../src/rooms.ts'
import { inBrowser, useBrowser, visitAs } from '../src/web-client.ts'

let ada: Person
let roomId: string

useBrowser('more of the composer', async () => {
  ada = await newPerson('ada')
  roomId = await newRoom(await theOwner(), [ada])
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
  // The first result is active.
  await field.pressSequentially('rocket')
  await page.getByRole('option', { name: 'rocket', selected: true }).waitFor()
  await field.fill('no emoji is called so')
  await page.getByRole('dialog').getByText('Nothing has these words.').waitFor()
  await field.fill('')
  for (let row = 0; row < rows; row++) await field.press('ArrowDown')
  await field.press('Enter')
  expect(await page.getByRole('textbox', { name: 'Write a message' }).inputValue()).toBe(character)
  expect(visitor.complaints).toEqual([])
})
