import { expect, test } from '@jest/globals'
import { localUrl } from './public-port.ts'

test.each([
  ['127.0.0.1', 'http://127.0.0.1:80'],
  ['0.0.0.0', 'http://127.0.0.1:80'],
  ['::', 'http://[::1]:80'],
  ['::1', 'http://[::1]:80'],
  ['chat.example.org', 'http://chat.example.org:80'],
])('what listens on %s is reached at %s', (host, url) => {
  expect(localUrl(host, 80)).toBe(url)
})
