import { expect, test } from '@jest/globals'
import { dismissPayload, maxPayloadBytes, showPayload, type Shown } from './payload.ts'

const shown: Shown = {
  title: 'Alice in #general',
  body: 'hello',
  tag: 'mention-E1',
  notificationId: 'N1',
  url: 'https://chat.example/chat/-/R1?highlight=E1',
  icon: 'https://chat.example/icons/icon-192.png',
  appBadge: undefined,
}

test('a payload contains the notification twice: for the browser and for its service worker', () => {
  const { title, body, tag, url, icon } = shown
  expect(JSON.parse(showPayload(shown))).toEqual({
    ...{ web_push: 8030, mutable: true, title, body, icon, badge: icon, tag, notificationId: 'N1', url },
    notification: { title, body, navigate: url, tag, icon, badge: icon, data: { notificationId: 'N1', url } },
  })
})

test('the notification for the browser contains the number for the icon of the app', () => {
  expect(JSON.parse(showPayload({ ...shown, appBadge: 3 }))).toMatchObject({ notification: { app_badge: 3 } })
})

test.each([
  ['emoji', { body: '👩‍👩‍👧‍👦'.repeat(40) }],
  ['quotes', { body: '"'.repeat(900) }],
  ['control characters', { body: '\u0001'.repeat(300) }],
  ['text with long URLs', { body: 'x'.repeat(100), icon: `https://chat.example/${'i'.repeat(340)}` }],
])('a body of %s is shortened to fit into a payload', (_, fields) => {
  const payload = showPayload({ ...shown, ...fields })
  expect(Buffer.byteLength(payload)).toBeLessThanOrEqual(maxPayloadBytes)
  const { body } = JSON.parse(payload) as { body: string }
  expect(body.endsWith('…')).toBe(true)
  expect(fields.body.startsWith(body.slice(0, -1))).toBe(true)
  expect(Buffer.from(body).toString()).toBe(body)
})

test('a title that does not fit even without a body is shortened', () => {
  const payload = showPayload({ ...shown, title: 't'.repeat(2000) })
  expect(Buffer.byteLength(payload)).toBeLessThanOrEqual(maxPayloadBytes)
  expect(JSON.parse(payload)).toMatchObject({ body: '', title: expect.stringMatching(/^t+…$/) })
})

test('a dismissal contains the tag of the notification to close', () => {
  expect(JSON.parse(dismissPayload('dm-E1'))).toEqual({ action: 'dismiss', tag: 'dm-E1' })
})
