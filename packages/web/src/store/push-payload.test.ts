import { expect, test } from '@jest/globals'
import { parsePushPayload } from './push-payload.ts'

const origin = 'https://chat.example.org'
const shown = {
  title: 'Ann wrote to you',
  body: 'Lunch?',
  tag: 'dm-E1',
  url: `${origin}/chat/-/R1`,
  icon: '/icons/i.png',
}

test('a push shows a notification', () => {
  expect(parsePushPayload({ ...shown, web_push: 8030, notification: { app_badge: 3 } }, origin)).toEqual({
    ...{ action: 'show', title: 'Ann wrote to you', body: 'Lunch?', tag: 'dm-E1', badge: 3 },
    ...{ url: `${origin}/chat/-/R1`, icon: `${origin}/icons/i.png` },
  })
})

test('a dismissal closes a notification', () => {
  expect(parsePushPayload({ action: 'dismiss', tag: 'dm-E1' }, origin)).toEqual({ action: 'dismiss', tag: 'dm-E1' })
})

test('links to other servers are replaced, and icons from there removed', () => {
  for (const url of ['https://evil.example/', 'javascript:alert(1)', '//evil.example', 7, undefined])
    expect(parsePushPayload({ ...shown, url }, origin)).toMatchObject({ url: `${origin}/` })
  expect(parsePushPayload({ ...shown, icon: 'https://evil.example/track.png' }, origin)).toMatchObject({ icon: '' })
})

test.each([[undefined], ['text'], [{}], [{ title: 'no tag' }], [{ tag: 'dm-E1' }], [{ action: 'dismiss' }]])(
  '%j shows nothing',
  (payload) => expect(parsePushPayload(payload, origin)).toBeUndefined(),
)
