import { expect, test } from '@jest/globals'
import { extensionOf, isText } from './text-files.ts'

test.each([
  ['text/plain', 'notes', true],
  ['application/json; charset=utf-8', 'a', true],
  ['application/vnd.api+json', 'a', true],
  ['application/octet-stream', 'main.GO', true],
  ['video/mp2t', 'index.ts', true],
  ['application/octet-stream', 'photo.raw', false],
  ['application/pdf', 'plan.pdf', false],
])('whether %s, called %s, is shown as text: %s', (contentType, filename, wanted) =>
  expect(isText({ contentType, filename })).toBe(wanted),
)

test('the extension of a file determines its language', () => {
  expect(['main.GO', 'a.test.ts', 'Makefile', ''].map(extensionOf)).toEqual(['go', 'ts', '', ''])
})
