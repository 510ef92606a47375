import { expect, test } from '@jest/globals'
import { route } from '../state/router.ts'
import { followNotificationClicks } from './notification-clicks.ts'

test('a page with the chat answers the service worker, and opens the URL of a clicked notification', () => {
  const [location, history] = [new URL('https://chat.example.org/'), { pushState: () => undefined }]
  for (const [name, value] of Object.entries({ location, history }))
    Object.defineProperty(globalThis, name, { value, configurable: true })
  const worker = new EventTarget()
  let answers = 0
  const port = { postMessage: () => answers++ }
  const send = (data: unknown, ports: unknown[] = []) =>
    worker.dispatchEvent(Object.assign(new Event('message'), { data, ports }))
  const stop = followNotificationClicks(worker)
  send({}, [port])
  expect([answers, route.value.roomId]).toEqual([1, undefined])
  send({ goTo: `${location.origin}/chat/-/R1?highlight=M1` })
  expect(route.value).toMatchObject({ roomId: 'R1', highlight: 'M1' })
  stop()
  send({}, [port])
  send({ goTo: `${location.origin}/chat/-/R2` })
  expect([answers, route.value.roomId]).toEqual([1, 'R1'])
})
